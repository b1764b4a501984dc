"""What a column of a task is called: its label and unit, and its owner's name where it lies across a reference."""

import re
from collections.abc import Sequence

from worldsmith.lang.morphology import lower, plural
from worldsmith.lang.page_phrases import capital
from worldsmith.lang.question_phrases import NATURAL, PLAIN
from worldsmith.schema import Aggregate, Column, Path, Schema
from worldsmith.tasks.query import is_tally, tally_column

_UNIT = re.compile(r"\s*\([^()]*\)$")
_YEAR = re.compile(r"^year of\b|(?<!\bthis)(?<!\bpast)(?<!\blast)(?<!\ba)(?<!\bper)(?<!\beach) year$")
_SUMMED = re.compile(r"^total |'s ")
"""A plural that is one sum, or somebody's, and no count: "total seats of its trains"."""
_TIME = re.compile(r" (?:this|a) \w+$")
_DAY = re.compile(r"\b(day|date)\b", re.IGNORECASE)


def spoken_header(column: Column, schema: Schema) -> str:
    """Return what a column is called where rows are put in order by it: its header, without its unit by people."""
    return asked_name(column, schema) if schema.bank else column.header


def column_header(column: Column, schema: Schema) -> str:
    """Return the header of a column in an answer: the schema's, or the first that people ask for it by."""
    ask = schema.ask(column)
    return capital(ask.header[0]) if ask and ask.header else column.header


def asked_name(column: Column, schema: Schema) -> str:
    """Return what people call a column in a sentence: the first header of its bank, without the unit."""
    ask = schema.ask(column)
    return lower(_UNIT.sub("", ask.header[0])) if ask and ask.header else lower(column.label)


def is_dated(column: Column, schema: Schema) -> bool:
    """Tell whether values of a column come early or late: days, and years by what people call them."""
    return column.type == "date" or (schema.bank is not None and _YEAR.search(asked_name(column, schema)) is not None)


def order_ends(column: Column, schema: Schema, ends: Sequence[str]) -> Sequence[str]:
    """Return the words for the largest and the smallest value of a column.

    Args:
        column: what rows are put in order by.
        schema: its schema.
        ends: two words each for numbers, for dates, and, where people ask, for what is counted: "most", "fewest".
    """
    if is_dated(column, schema):
        return ends[2:4]
    name = _TIME.sub("", asked_name(column, schema))
    return ends[4:] if schema.bank and plural(name) and not _SUMMED.search(name) else ends[:2]


def quoted_header(column: Column, schema: Schema) -> str:
    """Return a header in quotes, a date's called one where it doesn't say so: "“Due” date", "“Match day”".

    People who ask about natural pages name it without quotes.
    """
    if schema.bank:
        name = asked_name(column, schema)
        return f"{name} date" if column.type == "date" and not _DAY.search(name) else name
    return f"“{column.header}”" + (" date" if column.type == "date" and not _DAY.search(column.header) else "")


def path_columns(schema: Schema, table: str, path: Path) -> tuple[Column, ...]:
    """Return the columns along a path: references, and the column at its end."""
    return tuple(schema.walk(table, path[: i + 1]) for i in range(len(path)))


def named_like_target(schema: Schema, ref: Column) -> bool:
    """Tell whether a reference is labelled like what it refers to ("Chipset"), not by a part it plays ("Keeper")."""
    target = schema.tables[ref.ref or ""]
    own = {target.singular.casefold(), target.column(target.key[0]).label.casefold()}
    return ref.label.casefold() in own


def headers(schema: Schema, table: str, paths: Sequence[Path], tallies: Sequence[Aggregate] = ()) -> tuple[str, ...]:
    """Return the headers of columns: "Launch price (USD)", "Chipset: Benchmark score (thousand)".

    The row a value belongs to is named, and with it each part played on the way ("Keeper: Street: Length (m)"). A
    label that starts with its owner's ("Chipset announced") needs no more, unless another column of that owner is
    there and says it. `tallies` are those of the query, where paths name some.
    """
    if any(is_tally(path) for path in paths):
        stored = iter(headers(schema, table, [path for path in paths if not is_tally(path)]))
        made = {path: tally_column(schema, tallies[int(path[0][1:])]).header for path in paths if is_tally(path)}
        return tuple(made[path] if is_tally(path) else next(stored) for path in paths)
    split = [_parts(schema, table, path) for path in paths]
    named = {path[:-1] for path, (_, _, says) in zip(paths, split, strict=True) if len(path) > 1 and not says}
    names = []
    for path, (owners, last, says) in zip(paths, split, strict=True):
        shown = owners[:-1] if says and path[:-1] not in named else owners
        names.append(": ".join([*shown, column_header(last, schema)]))
    return tuple(names)


def _parts(schema: Schema, table: str, path: Path) -> tuple[list[str], Column, bool]:
    """Return the labels of what a column belongs to, the column, and whether its label starts with the last of them."""
    *refs, last = path_columns(schema, table, path)
    owners = [ref.label for ref in refs[:-1] if not named_like_target(schema, ref)] + [ref.label for ref in refs[-1:]]
    return owners, last, bool(refs) and column_header(last, schema).casefold().startswith(owners[-1].casefold())


def owner(schema: Schema, table: str, path: Path) -> str:
    """Return whose value a column holds: "the chipset of the phone"."""
    return referenced_row(schema, table, path[:-1], f"the {schema.tables[table].singular}")


def referenced_row(schema: Schema, table: str, refs: Path, row: str) -> str:
    """Return the row that references lead to from a row that is called `row`: "the street of the keeper of …"."""
    forms, phrase = NATURAL if schema.bank else PLAIN, row
    for ref in path_columns(schema, table, refs):
        target = schema.tables[ref.ref or ""].singular
        noun = (
            f"the {lower(ref.label)}"
            if named_like_target(schema, ref)
            else forms.given_as.format(one=target, label=asked_name(ref, schema) if schema.bank else ref.label)
        )
        phrase = forms.of.format(what=noun, whose=phrase)
    return phrase
