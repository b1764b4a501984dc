"""What a schema's language lacks: sentences, names, ways to ask and rivals of columns; words that two columns share."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from worldsmith.schema import Choice, Column, Path, Pick, Schema
from worldsmith.schema.derived_patterns import prose_columns
from worldsmith.schema.patterns import SUBJECT, AskSource, Bank

TELLS: Final = 6
"""Sentences that a column should have: with fewer, a site repeats itself."""
ASKS: Final = 3
"""Ways to ask that it should have, one of which is held out."""
NAMES: Final = 2
"""Labels that it should have, one of which is held out."""
RIVALS: Final = 2
"""Background columns that a number or date should have, so that its unit or form alone doesn't give it away."""


@dataclass(frozen=True, slots=True)
class LanguageLint:
    """Counts by column, "table.column"; columns that have enough are left out."""

    columns: int
    """Columns that questions may ask for."""
    derived: tuple[str, ...]
    """Those that the language file says nothing of, so that derived sentences or ways to ask stand in."""
    tells: Mapping[str, int]
    """Of those that pages show in prose."""
    asks: Mapping[str, int]
    names: Mapping[str, int]
    rivals: Mapping[str, int]
    """Background columns of the same unit about the same row."""
    shared: tuple[str, ...]
    """Words that belong to two columns, each with what to do."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """Yield what `schema check` prints: advice, no fault."""
        whole = len(self.derived) == self.columns
        if self.derived:
            what = "every column" if whole else _listed(self.derived)
            yield f"language: derived sentences or ways to ask stand in for {what}"
        for counts, least, things in (
            (self.tells, TELLS, "sentences"),
            (self.asks, ASKS, "ways to ask"),
            (self.names, NAMES, "names"),
        ):
            if counts and not whole:
                yield f"language: fewer than {least} {things}: {_counted(counts)}"
        yield from (f"language: {text}" for text in self.shared)
        if self.rivals:
            yield (
                f"language: fewer than {RIVALS} background columns of the same unit about the same row: "
                f"{_counted(self.rivals)}: add some, below and above the value"
            )


def lint_language(schema: Schema) -> LanguageLint:
    """Return what the language of a schema lacks; `schema` has a bank."""
    bank = schema.bank
    assert bank is not None
    columns = [c for t in schema.tables.values() if not t.background for c in t.columns]
    places = {f"{c.table}.{c.name}": c for c in columns}
    tells = _sentences(bank, schema)
    keys = {place for place, c in places.items() if c.key}
    prose = [".".join(place) for place in sorted(prose_columns(bank)) if ".".join(place) in places.keys() - keys]
    asks = {place: _ways_to_ask(bank.source.asks.get(place)) for place in places if place not in keys}
    names = {place: len(set(bank.words(c.table, c.name).aka or [c.label])) for place, c in places.items()}
    rivals = {place: _rivals(schema, c) for place, c in places.items() if _needs_rivals(schema, c)}
    return LanguageLint(
        columns=len(places),
        derived=tuple(place for place in places if place in bank.source.derived),
        tells={place: tells[place] for place in prose if tells[place] < TELLS},
        asks={place: n for place, n in asks.items() if n < ASKS},
        names={place: n for place, n in names.items() if n < NAMES and place not in keys},
        rivals={place: n for place, n in rivals.items() if n < RIVALS},
        shared=(*_shared_options(schema), *_shared_words(bank, schema)),
    )


def _sentences(bank: Bank, schema: Schema) -> Counter[str]:
    """Count the sentences that state each column, from its own table or along references."""
    counts: Counter[str] = Counter()
    for tell in bank.tells:
        counts.update({_place(schema, tell.of, path) for path in tell.stated if path != (SUBJECT,)})
    return counts


def _place(schema: Schema, table: str, path: Path) -> str:
    column = schema.walk(table, path)
    return f"{column.table}.{column.name}"


def _ways_to_ask(ask: AskSource | None) -> int:
    """Return how many ways of one kind there are, of the kind that has most."""
    if ask is None:
        return 0
    return max(len(getattr(ask, kind)) for kind in AskSource.model_fields)


def _needs_rivals(schema: Schema, column: Column) -> bool:
    """Tell whether a column is a number or a date of rows that background can refer to."""
    listed = isinstance(column.fill, Pick | Choice)
    one_key = len(schema.tables[column.table].key) == 1
    return column.type in {"int", "num", "date"} and one_key and not (listed or column.key)


def _rivals(schema: Schema, column: Column) -> int:
    tables = (t for t in schema.tables.values() if t.background and any(r.ref == column.table for r in t.refs))
    numbers = {"int", "num"}
    return sum(
        _unit(other) == _unit(column) and (other.type == column.type or {other.type, column.type} <= numbers)
        for table in tables
        for other in table.columns
        if not other.key and not isinstance(other.fill, Pick | Choice)
    )


def _unit(column: Column) -> str:
    """Return the unit of a column, or what stands for it in its label: "Alcohol (%)"."""
    return column.unit or column.label.rpartition(" (")[2] * column.label.endswith(")")


def _shared_options(schema: Schema) -> Iterator[str]:
    """Yield the options that stand in two lists of different columns; what background shares is meant as a rival."""
    owners: dict[str, dict[str, str]] = {}
    for table in schema.tables.values():
        for column in () if table.background else table.columns:
            fill = column.fill
            values = schema.values[fill.values] if isinstance(fill, Pick) else None
            options = values.items if values else fill.options if isinstance(fill, Choice) else ()
            source = values.name if values else f"{table.name}.{column.name}"
            for option in options:
                if isinstance(option, str):
                    owners.setdefault(option.casefold(), {}).setdefault(source, f"{table.name}.{column.name}")
    for word, places in owners.items():
        if len(places) > 1:
            yield f"{word!r} is an option of {' and of '.join(places.values())}: give each its own word"


def _shared_words(bank: Bank, schema: Schema) -> Iterator[str]:
    """Yield the labels, headers and ways to ask that two columns of a table have."""
    for table in schema.tables.values():
        owners: dict[tuple[str, str], list[str]] = {}
        for column in table.columns:
            ask = schema.ask(column)
            words = {("name", text) for text in bank.words(table.name, column.name).aka or [column.label]}
            words |= {(kind, text) for kind in AskSource.model_fields if ask for text in getattr(ask, kind)}
            for word in sorted(words):
                owners.setdefault(word, []).append(column.name)
        for (kind, text), names in owners.items():
            if len(names) > 1:
                yield f"{text!r} ({kind}) belongs to {' and '.join(names)} of {table.name}: keep it for one of them"


def _listed(places: tuple[str, ...]) -> str:
    return ", ".join(places[:12]) + (f" and {len(places) - 12} more" if len(places) > 12 else "")


def _counted(counts: Mapping[str, int]) -> str:
    return _listed(tuple(f"{place} ({n})" for place, n in counts.items()))
