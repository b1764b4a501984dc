"""A structure under knobs: the rows, `per` and `missing` that its worlds are filled and checked by."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor

from worldsmith.errors import UsageError
from worldsmith.schema import Knobs, Schema, foreground, structure_of
from worldsmith.schema.scaling.columns import scaled_column
from worldsmith.schema.scaling.rows import key_capacity, refuse_facts, row_range, scaled_rows


@lru_cache(maxsize=256)
def apply_knobs(structure: Schema, knobs: Knobs) -> Schema:
    """Return a structure (a schema as `structure_of` leaves it) under `knobs`: rows first, then each column once.

    A structure, not a whole schema: the rows that an optional table would have had are spread over the others.

    Raises:
        UsageError: rows that its tables can't have, with the nearest that they can.
    """
    if not knobs.turned:
        return structure
    rows = {table.name: table.rows for table in structure.tables.values()}
    if knobs.facts:
        rows |= scaled_rows(foreground(structure), knobs.facts)
        fore = foreground(structure).tables.values()
        low, high = (sum(rows[t.name][end] for t in fore) / sum(t.rows[end] for t in fore) for end in (0, 1))
        for name in structure.background:  # in proportion to what they are about, as far as their keys go
            least, most = structure.tables[name].rows
            limit = key_capacity(structure, structure.tables[name], {n: span[0] for n, span in rows.items()})
            least = floor(min(max(1, round(least * low)), limit))
            rows[name] = (least, max(least, floor(min(round(most * high), limit))))
    tables = {
        table.name: replace(
            table,
            rows=rows[table.name],
            columns=tuple(scaled_column(structure, column, rows, knobs) for column in table.columns),
        )
        for table in structure.tables.values()
    }
    return replace(structure, tables=tables, knobs=knobs)


@lru_cache(maxsize=256)
def facts_range(schema: Schema) -> tuple[int, int]:
    """Return the least and the most `facts` that each world of a schema can have."""
    # The richest structure has the most rows to keep, the barest the fewest names to give.
    ends = [row_range(foreground(structure_of(schema, switches))) for switches in ((), tuple(schema.variation))]
    return max(least for least, _ in ends), min(most for _, most in ends)


def check_facts(schemas: Sequence[Schema], knobs: Knobs) -> None:
    """Raise UsageError for `facts` that some world of a schema can't have, with the nearest that all can have.

    Of several schemas each that can't is named, with the range that all of them can have.
    """
    if not knobs.facts:
        return
    refusals = []
    for schema in schemas:
        try:
            refuse_facts(schema.name, knobs.facts, *facts_range(schema))
        except UsageError as error:
            refusals.append(str(error))
    if refusals and len(schemas) > 1:
        least, most = max(facts_range(s)[0] for s in schemas), min(facts_range(s)[1] for s in schemas)
        refusals.append(
            f"all {len(schemas)} schemas take --facts {least} to {most}"
            if least <= most
            else f"no --facts suits all {len(schemas)} schemas: `worldsmith schema list` shows what each takes"
        )
    if refusals:
        raise UsageError("\n".join(refusals))


__all__ = ["apply_knobs", "check_facts", "facts_range"]
