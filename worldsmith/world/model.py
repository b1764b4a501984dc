"""A world: the rows of one schema under one structure, with what identifies them.

In memory a table is a mapping of columns to lists of equal length (JSON values; dates are ISO text, so
their text order is their order in time). `digest` names the contents, `id` the inputs that made them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import ceil
from typing import Any, NamedTuple

import orjson

from worldsmith.naming import CULTURES, DENY_FILTER_DIGEST, common_stock
from worldsmith.schema import Invent, Knobs, Language, Path, Schema, Value
from worldsmith.seeding import draw

FORMAT = 1
"""Version of the files a world is kept in."""
FAKER = "40.63.0"
"""Version of Faker that worlds of this format are made with, pinned in pyproject.toml too."""

Columns = Mapping[str, Sequence[Value]]


class Row(NamedTuple):
    """A row of a world: its table and its place there, from 0. Local to the world; shown as "phone/12"."""

    table: str
    index: int  # type: ignore[assignment]  # a row's place matters more here than tuple.index

    def __str__(self) -> str:
        return f"{self.table}/{self.index}"


class Cell(NamedTuple):
    """One value of one row: the unit of facts, entitlement and gold."""

    row: Row
    col: str
    value: Value


Disclosure = tuple[Row, str]
"""What a reply disclosed: (row, column); see `disclosure`."""


class Fact(NamedTuple):
    """A row with its values."""

    row: Row
    values: dict[str, Value]


def canonical_json(value: Any) -> bytes:
    """Return JSON with sorted keys and no spaces: the input of digests."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def table_bytes(columns: Columns) -> bytes:
    """Return a table as JSON lines, columns in schema order; the bytes of `tables/<name>.jsonl`."""
    names, dumps, line = tuple(columns), orjson.dumps, orjson.OPT_APPEND_NEWLINE
    rows = zip(*columns.values(), strict=True)
    return b"".join([dumps(dict(zip(names, values, strict=True)), option=line) for values in rows])


def world_id(schema: Schema, seed: int, knobs: Knobs) -> str:
    """Return "<schema>-<10 hex digits>", a hash of what makes a world.

    These are the schema's digest, the seed, the format, turned knobs, and of a natural world its language's digest.
    """
    spoken = ["natural", schema.bank.digest] if schema.bank else []
    inputs = canonical_json([schema.digest, seed, FORMAT, *_knob_parts(knobs), *spoken])
    return f"{schema.name}-{sha256(inputs).hexdigest()[:10]}"


def uses_faker(schema: Schema) -> bool:
    """Return whether some structure of a schema has a column that Faker fills."""
    return any("faker" in column for table in schema.source["tables"].values() for column in table["columns"].values())


def invented_keys(schema: Schema) -> dict[tuple[str, str], str]:
    """Return the keys that are invented names, (table, column), each with its kind; a code is a label, not a name."""
    fills = {(t.name, t.key[0]): t.column(t.key[0]).fill for t in schema.tables.values() if len(t.key) == 1}
    return {
        place: fill.kind
        for place, fill in fills.items()
        if isinstance(fill, Invent) and schema.name_kinds[fill.kind].bears
    }


def common_names_per_culture(schema: Schema, table: str) -> int:
    """Return how many names of each culture the stock has that worlds share for a table's keys.

    Half as many as a world takes of it at most: worlds with a culture in common have most of these names in common.
    """
    return ceil(schema.knobs.common_names * schema.tables[table].rows[1] / 2)


def _knob_parts(knobs: Knobs) -> list[Any]:
    """Return what knobs add to a hash: nothing while none is turned."""
    return [knobs.to_json()] if knobs.turned else []


@dataclass(frozen=True, repr=False)
class World:
    """The rows of a world; `schema` is its structure: the schema under this world's switches and knobs."""

    id: str
    schema: Schema
    seed: int
    tables: Mapping[str, Columns]
    values: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The lists of `[values]` as this world has them: invented ones are drawn once per world."""

    @property
    def language(self) -> Language:
        """How its pages and questions are written: as people do, by the schema's bank, or in the plain voice."""
        return self.schema.language

    @cached_property
    def subject(self) -> str:
        """The name of what it is about; "" where its schema has none for it."""
        source = self.schema.bank.source.subject if self.schema.bank else None
        return str(self.values[source.values][0]) if source else ""

    def __repr__(self) -> str:
        """Return the world's id and its size."""
        return f"World({self.id!r}, {self.facts} facts in {len(self.tables)} tables)"

    @cached_property
    def table_digests(self) -> dict[str, str]:
        """sha256 of each table's bytes."""
        return {name: sha256(table_bytes(columns)).hexdigest() for name, columns in self.tables.items()}

    @cached_property
    def digest(self) -> str:
        """sha256 over the schema's digest, the structure, the value lists, the tables' digests and turned knobs."""
        parts = [self.schema.digest, sorted(self.schema.switches), self.values, self.table_digests]
        parts += _knob_parts(self.schema.knobs)
        parts += [self.schema.bank.digest] if self.schema.bank else []
        return sha256(canonical_json(parts)).hexdigest()

    @property
    def made_with(self) -> dict[str, str]:
        """What the rows depend on besides the inputs and the code: the filter of real names, and Faker's version.

        Faker's version is there for all worlds of a schema with such a column, whatever their switches.
        """
        return ({"faker": FAKER} if uses_faker(self.schema) else {}) | {"names": DENY_FILTER_DIGEST[:16]}

    @cached_property
    def shared_names(self) -> tuple[str, ...]:
        """The invented names that rows of two tables share; none unless the knob `homonyms` is turned."""
        held = Counter(name for place in invented_keys(self.schema) for name in self._keys(place))
        return tuple(name for name, rows in held.items() if rows > 1)

    @cached_property
    def common_names(self) -> frozenset[tuple[str, str]]:
        """The tables and keys that come from the stock of the schema: other worlds may have them by declaration."""
        if not self.schema.knobs.common_names:
            return frozenset()
        kinds, name = self.schema.name_kinds, self.schema.name
        return frozenset(
            (table, text)
            for (table, column), kind in invented_keys(self.schema).items()
            for culture in CULTURES
            for size in [common_names_per_culture(self.schema, table)]
            for text, _ in common_stock(kinds, kind, culture, size, name, table, column)
            if text in self.rows_by_value(table, column)
        )

    @cached_property
    def namesakes(self) -> tuple[str, ...]:
        """The names of rows whose namesake has no row: each is the subject of some dormant page as well.

        With `shared_names` they make up the share of names that the knob `homonyms` asks for.
        """
        kinds = invented_keys(self.schema)
        held = dict.fromkeys(name for place in kinds for name in self._keys(place))
        wanted = max(0, round(self.schema.knobs.homonyms * len(held)) - len(self.shared_names))
        for name in self.shared_names:
            del held[name]
        return tuple(sorted(held, key=lambda name: draw(self.seed, "namesake", name))[:wanted])

    def _keys(self, place: tuple[str, str]) -> Sequence[str]:
        return self.tables[place[0]][place[1]]  # type: ignore[return-value]  # invented keys are names

    def size(self, table: str) -> int:
        """Return the number of rows of `table`."""
        columns = self.tables[table]
        return len(next(iter(columns.values()))) if columns else 0

    @property
    def facts(self) -> int:
        """The number of rows that questions may be about: all but background."""
        return sum(self.size(name) for name in self.tables if name not in self.schema.background)

    @property
    def background(self) -> int:
        """The number of rows of background."""
        return sum(self.size(name) for name in self.schema.background)

    def rows_of(self, table: str) -> Iterator[Row]:
        """Yield the rows of `table` in order."""
        return (Row(table, i) for i in range(self.size(table)))

    def fact(self, row: Row) -> Fact:
        """Return a row with its values."""
        return Fact(row, {name: values[row.index] for name, values in self.tables[row.table].items()})

    def value(self, row: Row, col: str) -> Value:
        """Return one value."""
        return self.tables[row.table][col][row.index]

    def cell(self, row: Row, col: str) -> Cell:
        """Return one cell."""
        return Cell(row, col, self.tables[row.table][col][row.index])

    def key(self, row: Row) -> tuple[Value, ...]:
        """Return the values of the row's key columns."""
        columns = self.tables[row.table]
        return tuple(columns[name][row.index] for name in self.schema.tables[row.table].key)

    def title(self, row: Row) -> str:
        """Return the key as text: "Velmora 7", "Velmora 7, 2029-03-31"."""
        return ", ".join(str(part) for part in self.key(row))

    @cached_property
    def _rows_by_value(self) -> dict[tuple[str, str], dict[Value, tuple[int, ...]]]:
        return {}

    def rows_by_value(self, table: str, col: str) -> dict[Value, tuple[int, ...]]:
        """Return, for each value of a column, the indices of the rows that hold it (made once)."""
        index = self._rows_by_value.get((table, col))
        if index is None:
            rows: dict[Value, list[int]] = {}
            for i, value in enumerate(self.tables[table][col]):
                rows.setdefault(value, []).append(i)
            index = self._rows_by_value[table, col] = {value: tuple(indices) for value, indices in rows.items()}
        return index

    def find(self, table: str, key: Value) -> Row | None:
        """Return the row of a table with a one-column key, by its key."""
        indices = self.rows_by_value(table, self.schema.tables[table].key[0]).get(key)
        return Row(table, indices[0]) if indices else None

    def follow(self, row: Row, ref: str) -> Row | None:
        """Return the row that a reference column points to, or None where it is null or dangles."""
        target = self.schema.column(row.table, ref).ref
        value = self.value(row, ref)
        return self.find(target, value) if target and value is not None else None

    def walk(self, row: Row, path: Path) -> Value:
        """Return the value at the end of `path`, or null where a reference on the way is null."""
        for step in path[:-1]:
            below = self.follow(row, step)
            if below is None:
                return None
            row = below
        return self.value(row, path[-1])

    def children(self, row: Row, table: str, ref: str) -> tuple[Row, ...]:
        """Return the rows of `table` whose `ref` points to `row`, in order."""
        key = self.value(row, self.schema.tables[row.table].key[0])
        return tuple(Row(table, i) for i in self.rows_by_value(table, ref).get(key, ()))

    def rows(self, table: str) -> list[Any]:
        """Return the rows of `table` as validated SQLModel objects (imported on first use)."""
        from worldsmith.world.typed_rows import row_models  # noqa: PLC0415 - SQLModel stays off the import path of serve and check

        model = row_models(self.schema)[table]
        return [model.model_validate(self.fact(row).values) for row in self.rows_of(table)]
