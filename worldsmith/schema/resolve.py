"""Names, types and expressions of a schema file: every part of it is looked up here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from worldsmith import expr
from worldsmith.errors import ExprError, SchemaError, close_match
from worldsmith.expr import Const, Node, Type
from worldsmith.expr.typed import TypingError, call
from worldsmith.naming import FILLERS, KINDS, WORDS, Kind, own_kind
from worldsmith.schema import source as src
from worldsmith.schema.locations import SchemaFile
from worldsmith.schema.types import Aggregate, Path, Value, Values

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
FAKER_PROVIDERS: dict[str, Type] = {
    "bban": "text",
    "bs": "text",
    "catch_phrase": "text",
    "color_name": "text",
    "ean13": "text",
    "file_name": "text",
    "iban": "text",
    "job": "text",
    "license_plate": "text",
    "mac_address": "text",
    "past_date": "date",
    "phone_number": "text",
}
"""Details only: none of these names a person, a place or a firm."""


def value_type(value: Value) -> Type:
    """Return the type of a literal value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "num"
    return "date" if ISO_DATE.fullmatch(str(value)) else "text"


class Resolver:
    """Holds the file being read; every method looks something up, or raises SchemaError with place and reason."""

    def __init__(self, tables: Mapping[str, src.TableSource], as_of: str, file: SchemaFile) -> None:
        self.tables = tables
        self.as_of = as_of
        self.file = file
        self.types: dict[str, dict[str, Type | expr.Ref]] = {name: {} for name in tables}

    def fail(self, place: str, text: str) -> SchemaError:
        return SchemaError(f"{self.file.at(place)}: {text}")

    def resolve_names(self, name: str, source: src.NamesSource) -> Kind:
        place = f"names.{name}"
        if name in KINDS:
            raise self.fail(place, f"there is a kind {name!r} already: give yours another name, as in my_{name}")
        parts: dict[str, list[str]] = {}
        for part, items in source.parts.items():
            if isinstance(items, tuple):
                low, high = map(int, items)
                if (low, high) != items or not 0 <= low <= high < low + 10_000:
                    raise self.fail(
                        f"{place}.parts.{part}", f"{list(items)}: give whole numbers from 0, 10,000 at most"
                    )
                parts[part] = [str(number) for number in range(low, high + 1)]
            else:
                parts[part] = items
        for part in (*parts, *source.syllables):
            if part in WORDS | FILLERS or (part in parts and part in source.syllables):
                raise self.fail(place, f"there is a slot {part!r} already: give this one another name")
        try:
            return own_kind(f"a name of {self.file.name}", source.forms, parts, source.syllables)
        except ValueError as error:
            raise self.fail(f"{place}.forms", str(error)) from None

    def resolve_values(self, name: str, source: list[src.Plain] | src.ValuesSource) -> Values:
        place = f"values.{name}"
        if isinstance(source, src.ValuesSource) and source.groups is not None:
            groups = {group: tuple(items) for group, items in source.groups.items()}
            plain = self.resolve_values(name, list(dict.fromkeys(v for items in groups.values() for v in items)))
            return replace(plain, groups=groups)
        if isinstance(source, src.ValuesSource):
            items: tuple[Value, ...] = tuple(source.real or ())
            if source.invent is None and not items:
                raise self.fail(place, "real = [] has no names: write some")
            result = Values(
                name, items, real=source.real is not None, invent=source.invent, n=source.n or len(items), type="text"
            )
        else:
            if not source:
                raise self.fail(place, "the list is empty: write some values")
            kinds = self.value_types(source, place)
            if len(kinds) > 1 and kinds != {"int", "num"}:
                raise self.fail(place, f"values of different types: {', '.join(sorted(kinds))}; make them one")
            kind: Type = "num" if len(kinds) > 1 else kinds.pop()
            result = Values(name, tuple(source), real=False, invent=None, n=len(source), type=kind)
        if len(set(result.items)) < len(result.items):
            twice = next(x for i, x in enumerate(result.items) if x in result.items[:i])
            raise self.fail(place, f"{twice!r} occurs twice: remove one")
        return result

    def value_types(self, values: Sequence[Value], place: str) -> set[Type]:
        """Return the types of literal values; what looks like a date must be one."""
        kinds = {value_type(v) for v in values}
        for value in values:
            if value_type(value) == "date":
                self.day(str(value), place)
        return kinds

    def day(self, text: str, place: str) -> str:
        """Return a day of the calendar, YYYY-MM-DD."""
        if not ISO_DATE.fullmatch(text):
            raise self.fail(place, f"{text!r} is no date; write 2029-11-30")
        try:
            date.fromisoformat(text)
        except ValueError as error:
            raise self.fail(place, f"{text!r} is no day of the calendar ({error})") from None
        return text

    def source_table(self, table: str, place: str) -> src.TableSource:
        if table not in self.tables:
            raise self.fail(place, f"no table {table!r}.{close_match(table, self.tables)}")
        return self.tables[table]

    def source_column(self, table: str, name: str, place: str) -> src.ColumnSource:
        columns = self.source_table(table, place).columns
        if name not in columns:
            raise self.fail(place, f"no column {name!r} in {table!r}.{close_match(name, columns)}")
        return columns[name]

    def key_of(self, table: str, place: str) -> str:
        key = self.source_table(table, place).key
        if not isinstance(key, str):
            raise self.fail(
                place, f"{table!r} has the key {key}: only a table with a one-column key can be referred to"
            )
        self.source_column(table, key, f"tables.{table}.key")
        return key

    def find_types(self, values: Mapping[str, Values]) -> None:
        """Fill `types`. An expression's type may depend on another's: repeat until nothing new is resolved."""
        pending = [(t, c) for t, table in self.tables.items() for c in table.columns]
        while pending:
            failed: list[tuple[str, str]] = []
            first: SchemaError | None = None
            for table, name in pending:
                try:
                    self.types[table][name] = self.type_of(table, name, values)
                except (_NotYetError, SchemaError) as error:
                    failed.append((table, name))
                    if isinstance(error, SchemaError):
                        first = first or error
            if len(failed) == len(pending):
                place = ".".join(failed[0])
                raise first or self.fail(
                    place,
                    f"the types of these columns depend on each other: {_names(failed)}; fill one of them from others",
                )
            pending = failed

    def known_type(self, table: str, name: str, place: str) -> Type:
        self.source_column(table, name, place)
        kind = self.types[table].get(name)
        if kind is None:
            raise _NotYetError
        return kind.type if isinstance(kind, expr.Ref) else kind

    def type_of(self, table: str, name: str, values: Mapping[str, Values]) -> Type | expr.Ref:
        source = self.tables[table].columns[name]
        place = f"{table}.{name}"
        match source.kind:
            case "ref":
                target = str(source.ref)
                return expr.Ref(target, self.known_type(target, self.key_of(target, place), place))
            case "pick":
                return self.values_of(str(source.pick), values, place).type
            case "choice":
                kinds = self.value_types(source.choice or (), place)
                if len(kinds) > 1:
                    raise self.fail(place, f"choices of different types: {', '.join(sorted(kinds))}; make them one")
                return kinds.pop()
            case "chance":
                return "bool"
            case "number" | "series" | "share":
                return "num" if source.decimals else "int"
            case "date" | "after":
                return "date"
            case "count" | "rank":
                return "int"
            case "sum" | "max":
                return self.known_type(*self.table_and_column(source.sum or source.max or "", place), place)
            case "derive":
                return self.node(str(source.derive), table, place).type or "text"
            case "faker":
                if source.faker not in FAKER_PROVIDERS:
                    hint = close_match(str(source.faker), FAKER_PROVIDERS)
                    raise self.fail(place, f"no provider {source.faker!r} is allowed here.{hint}")
                return FAKER_PROVIDERS[source.faker]
            case _:
                return "text"

    def values_of(self, name: str, values: Mapping[str, Values], place: str) -> Values:
        if name not in values:
            raise self.fail(place, f"no list {name!r} in [values].{close_match(name, values)}")
        return values[name]

    def table_and_column(self, text: str, place: str) -> tuple[str, str]:
        table, dot, column = text.partition(".")
        if not dot:
            raise self.fail(place, f"{text!r} should name table.column, as in {_a_column(self.tables)!r}")
        return table, column

    def node(self, text: str, table: str, place: str, want: Type | None = None, **extra: Type) -> Node:
        types = {**self.types, table: {**self.types[table], **extra}} if extra else self.types
        try:
            return expr.parse(text, table, types, as_of=self.as_of, want=want)
        except ExprError as error:
            raise self.fail(place, str(error)) from None

    def optional_node(self, text: str | None, table: str, place: str, want: Type) -> Node | None:
        return None if text is None else self.node(text, table, place, want)

    def group_condition(self, values: Values, column: str, group: str, table: str, place: str) -> Node:
        """Return the condition that an item picked is of the group that the value at a path names."""
        if not values.groups:
            raise self.fail(place, f"{values.name!r} has no groups: write {values.name} = {{ groups = {{ … }} }}")
        own, owner = self.node(column, table, place), self.node(group, table, place)
        clauses: list[Node] = []
        for name, items in values.groups.items():
            try:
                named = call("=", [owner, Const(name, "text")])
            except TypingError as error:
                raise self.fail(place, f"group = {group!r} doesn't name a group: {error}") from None
            clauses.append(call("and", [named, call("in", [own, *(Const(v, values.type) for v in items)])]))
        return call("or", clauses) if len(clauses) > 1 else clauses[0]

    def path(self, text: str, table: str, place: str) -> Path:
        steps = tuple(text.split("."))
        here = table
        for step in steps[:-1]:
            target = self.source_column(here, step, place).ref
            if target is None:
                raise self.fail(
                    place,
                    f"{step!r} of {here!r} is no reference, so {text!r} leads nowhere: put a ref before the point",
                )
            here = target
        self.source_column(here, steps[-1], place)
        return steps

    def parent_path(self, by: str | None, child: str, parent: str, place: str) -> Path:
        """Return the path from `child` rows to the `parent` row they count for."""
        columns = self.source_table(child, place).columns
        if by is not None:
            path = self.path(by, child, place)
            owner, name = self.end(child, path)
            if self.tables[owner].columns[name].ref != parent:
                raise self.fail(
                    place, f"by = {by!r} does not end at a reference to {parent!r}: name a ref column, or a path to one"
                )
            return path
        refs = [n for n, c in columns.items() if c.ref == parent]
        if len(refs) != 1:
            what = "none of its columns refers" if not refs else f"{' and '.join(refs)} refer"
            raise self.fail(place, f"how {child!r} leads to {parent!r} is not clear ({what} to it): give by = a path")
        return (refs[0],)

    def end(self, table: str, path: Path) -> tuple[str, str]:
        """Return the table and the name of the column at the end of `path`."""
        for step in path[:-1]:
            table = str(self.tables[table].columns[step].ref)
        return table, path[-1]

    def check_columns(self, table: str, place: str, *names: str | None) -> None:
        for name in names:
            if name is not None:
                self.source_column(table, name, place)

    def ordered_column(self, table: str, place: str, key: str, value: str | None, *types: Type) -> str:
        """Return the column that `key = value` names; it must have an order (or, of `types`, a sum)."""
        types, name = types or ("int", "num", "date"), str(value)
        kind = self.known_type(table, name, place)
        if kind not in types:
            words = {"int": "number", "num": "number"}
            wanted = " or a ".join(dict.fromkeys(words.get(t, t) for t in types))
            raise self.fail(place, f"{key} = {name!r} is {kind}: it takes a {wanted} column")
        return name

    def aggregate(self, parent: str, place: str, source: src.ColumnSource | src.EachSource) -> Aggregate:
        target = source.count or source.sum or source.max or ""
        child, column = (target, None) if source.count else self.table_and_column(target, place)
        by = self.parent_path(source.by, child, parent, place)
        if column is not None and self.known_type(child, column, place) not in ("int", "num"):
            raise self.fail(place, f"{target!r} is no number: only int and num columns add up or have a largest")
        op = "count" if source.count else "sum" if source.sum else "max"
        return Aggregate(op, child, column, by, self.optional_node(source.where, child, place, "bool"))  # type: ignore[arg-type]


class _NotYetError(Exception):
    """The type of a column depends on one that isn't resolved yet."""


def _a_column(tables: Mapping[str, src.TableSource]) -> str:
    return next(f"{name}.{next(iter(t.columns))}" for name, t in tables.items())


def _names(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(".".join(p) for p in pairs)
