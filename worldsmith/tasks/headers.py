"""What a column of a task is called: its label and unit, and its owner's name where it lies across a reference."""

from dataclasses import replace

from worldsmith import scoring
from worldsmith.pages.grammar import lower
from worldsmith.schema import Column, Path, Schema


def steps(schema: Schema, table: str, path: Path) -> tuple[Column, ...]:
    """Return the columns along a path: references, and the column at its end."""
    return tuple(schema.walk(table, path[: i + 1]) for i in range(len(path)))


def plain(schema: Schema, ref: Column) -> bool:
    """Tell whether a reference is labelled like what it refers to ("Chipset"), not by a part it plays ("Keeper")."""
    target = schema.tables[ref.ref or ""]
    own = {target.singular.casefold(), target.column(target.key[0]).label.casefold()}
    return ref.label.casefold() in own


def header(schema: Schema, table: str, path: Path) -> str:
    """Return the header of a column: "Launch price (USD)", "Chipset: Benchmark score (thousand)".

    The row a value belongs to is named, and with it each part played on the way ("Keeper: Street: Length (m)").
    """
    *refs, last = steps(schema, table, path)
    owners = [ref.label for ref in refs[:-1] if not plain(schema, ref)]
    if refs and not last.label.casefold().startswith(refs[-1].label.casefold()):
        owners.append(refs[-1].label)
    return ": ".join([*owners, last.header])


def owner(schema: Schema, table: str, path: Path) -> str:
    """Return whose value a joined column holds: "the chipset of the phone"."""
    said = f"the {schema.tables[table].singular}"
    for ref in steps(schema, table, path)[:-1]:
        target = schema.tables[ref.ref or ""].singular
        noun = f"the {lower(ref.label)}" if plain(schema, ref) else f"the {target} given as “{ref.label}”"
        said = f"{noun} of {said}"
    return said


def column(schema: Schema, table: str, path: Path, *, key: bool = False, free: bool = False) -> scoring.Column:
    """Return the column as the scorer sees it; null is what the first nullable column on the way calls it."""
    along = steps(schema, table, path)
    made = along[-1].answer(header=header(schema, table, path), key=key, free=free)
    return replace(made, none=next((c.none or "-" for c in along if c.nullable), ""))
