"""From a schema file to a `Schema`: names resolved, types found, expressions read."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any

import orjson

from worldsmith import expr
from worldsmith.errors import ExprError, NotFoundError, SchemaError, close_match
from worldsmith.expr import Node, Type
from worldsmith.schema import source as src
from worldsmith.schema.types import (
    After,
    Aggregate,
    Chance,
    Choice,
    Column,
    Date,
    Derive,
    Faker,
    Fill,
    Invent,
    Number,
    PageSpec,
    Path,
    Pick,
    Questions,
    Rank,
    Reference,
    Rule,
    Schema,
    Series,
    Share,
    Table,
    Value,
    Values,
    With,
)

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


def shipped() -> dict[str, FilePath]:
    """Return the shipped schemas by name, sorted."""
    inside = FilePath(str(files("worldsmith"))) / "schemas"
    # An installed package carries them inside; a checkout has them beside the package.
    folder = inside if inside.is_dir() else inside.parent.parent / "schemas"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_schema(name_or_path: str) -> Schema:
    """Return a shipped schema by name, or the one in a TOML file.

    Raises NotFoundError for an unknown name, SchemaError for a file that can't mean anything.
    """
    path = FilePath(name_or_path)
    if path.suffix != ".toml":
        known = shipped()
        if name_or_path not in known:
            raise NotFoundError(f"no shipped schema {name_or_path!r}.{close_match(name_or_path, known)}")
        path = known[name_or_path]
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SchemaError(f"{path}: can't be read: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"{path}: not TOML: {error}") from None
    return parse_schema(src.plain(data), where=path.name)


_parsed: dict[str, Schema] = {}


def parse_schema(data: Mapping[str, Any], where: str = "schema") -> Schema:
    """Return the schema that `data` (JSON values) describes; the same object for the same data.

    Raises SchemaError: "<where>: <table.column>: what is wrong, with which value, and the fix".
    """
    # TOML arrays of tables keep their order, and order has a meaning here (fill order, row order): it is hashed.
    digest = sha256(orjson.dumps(data)).hexdigest()
    if digest not in _parsed:
        if len(_parsed) > 256:
            _parsed.clear()
        _parsed[digest] = _Resolver(src.read_source(dict(data), where), dict(data), digest, where).schema()
    return _parsed[digest]


def value_type(value: Value) -> Type:
    """Return the type of a literal value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "num"
    return "date" if ISO_DATE.fullmatch(str(value)) else "text"


class _Resolver:
    """Holds the file being read; every method returns a part of the schema."""

    def __init__(self, source: src.SchemaSource, data: dict[str, Any], digest: str, where: str) -> None:
        self.source = source
        self.data = data
        self.digest = digest
        self.where = where
        self.types: dict[str, dict[str, Type | expr.Ref]] = {name: {} for name in source.tables}

    def fail(self, place: str, text: str) -> SchemaError:
        return SchemaError(f"{self.where}: {place}: {text}")

    def schema(self) -> Schema:
        s = self.source
        if not ISO_DATE.fullmatch(s.as_of):
            raise self.fail("as_of", f"{s.as_of!r} is no date; write 2029-11-30")
        values = {name: self.values(name, v) for name, v in s.values.items()}
        self.find_types(values)
        tables = {name: self.table(name, values) for name in s.tables}
        tables = {name: self.labelled(table, tables) for name, table in tables.items()}
        schema = Schema(
            name=s.name,
            kind=s.kind,
            as_of=s.as_of,
            about=s.about,
            lang=s.lang,
            values=values,
            variation=dict(s.variation),
            tables=tables,
            rules=tuple(self.rule(name, r, tables) for name, r in s.rules.items()),
            pages=tuple(self.page(name, p, tables) for name, p in s.pages.items()),
            questions=Questions(tuple(s.questions.needs)),
            source=self.data,
            digest=self.digest,
        )
        self.check_switches(schema)
        self.check_carried(schema)
        return schema

    # values and types

    def values(self, name: str, v: list[src.Plain] | src.ValuesSource) -> Values:
        place = f"values.{name}"
        if isinstance(v, src.ValuesSource):
            items: tuple[Value, ...] = tuple(v.real or ())
            if v.invent is None and not items:
                raise self.fail(place, "real = [] has no names")
            result = Values(name, items, real=v.real is not None, invent=v.invent, n=v.n or len(items), type="text")
        else:
            if not v:
                raise self.fail(place, "the list is empty")
            kinds = {value_type(x) for x in v}
            if len(kinds) > 1 and kinds != {"int", "num"}:
                raise self.fail(place, f"values of different types: {', '.join(sorted(kinds))}")
            kind: Type = "num" if len(kinds) > 1 else kinds.pop()
            result = Values(name, tuple(v), real=False, invent=None, n=len(v), type=kind)
        if len(set(result.items)) < len(result.items):
            twice = next(x for i, x in enumerate(result.items) if x in result.items[:i])
            raise self.fail(place, f"{twice!r} stands twice")
        return result

    def source_column(self, table: str, name: str, place: str) -> src.ColumnSource:
        if table not in self.source.tables:
            raise self.fail(place, f"no table {table!r}.{close_match(table, self.source.tables)}")
        columns = self.source.tables[table].columns
        if name not in columns:
            raise self.fail(place, f"no column {name!r} in {table!r}.{close_match(name, columns)}")
        return columns[name]

    def key_of(self, table: str, place: str) -> str:
        if table not in self.source.tables:
            raise self.fail(place, f"no table {table!r}.{close_match(table, self.source.tables)}")
        key = self.source.tables[table].key
        if not isinstance(key, str):
            raise self.fail(
                place, f"{table!r} has the key {key}: only a table with a one-column key can be referred to"
            )
        self.source_column(table, key, f"tables.{table}.key")
        return key

    def find_types(self, values: Mapping[str, Values]) -> None:
        """Fill `types`. An expression's type may hang on another's: repeat until nothing new is found."""
        pending = [(t, c) for t, table in self.source.tables.items() for c in table.columns]
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
                raise first or self.fail(place, "the types of these columns hang on each other: " + _names(failed))
            pending = failed

    def known(self, table: str, name: str, place: str) -> Type:
        self.source_column(table, name, place)
        found = self.types[table].get(name)
        if found is None:
            raise _NotYetError
        return found.type if isinstance(found, expr.Ref) else found

    def type_of(self, table: str, name: str, values: Mapping[str, Values]) -> Type | expr.Ref:
        c = self.source.tables[table].columns[name]
        place = f"{table}.{name}"
        match c.kind:
            case "ref":
                assert c.ref
                return expr.Ref(c.ref, self.known(c.ref, self.key_of(c.ref, place), place))
            case "pick":
                return self.values_of(str(c.pick), values, place).type
            case "choice":
                kinds = {value_type(x) for x in c.choice or ()}
                if len(kinds) > 1:
                    raise self.fail(place, f"choices of different types: {', '.join(sorted(kinds))}")
                return kinds.pop()
            case "chance":
                return "bool"
            case "number" | "series":
                return "num" if c.decimals else "int"
            case "date" | "after":
                return "date"
            case "count" | "rank":
                return "int"
            case "sum" | "max":
                return self.known(*self.pair(c.sum or c.max or "", place), place)
            case "share":
                return "num" if c.decimals else "int"
            case "derive":
                return self.node(str(c.derive), table, place).type or "text"
            case "faker":
                if c.faker not in FAKER_PROVIDERS:
                    hint = close_match(str(c.faker), FAKER_PROVIDERS)
                    raise self.fail(place, f"no provider {c.faker!r} is allowed here.{hint}")
                return FAKER_PROVIDERS[c.faker]
            case _:
                return "text"

    def values_of(self, name: str, values: Mapping[str, Values], place: str) -> Values:
        if name not in values:
            raise self.fail(place, f"no list {name!r} in [values].{close_match(name, values)}")
        return values[name]

    def pair(self, text: str, place: str) -> tuple[str, str]:
        table, dot, column = text.partition(".")
        if not dot:
            raise self.fail(place, f"{text!r} should name table.column")
        return table, column

    def node(self, text: str, table: str, place: str, want: Type | None = None, **extra: Type) -> Node:
        types = {**self.types, table: {**self.types[table], **extra}} if extra else self.types
        try:
            return expr.parse(text, table, types, as_of=self.source.as_of, want=want)
        except ExprError as error:
            raise self.fail(place, str(error)) from None

    def optional(self, text: str | None, table: str, place: str, want: Type) -> Node | None:
        return None if text is None else self.node(text, table, place, want)

    def path(self, text: str, table: str, place: str) -> Path:
        steps = tuple(text.split("."))
        here = table
        for step in steps[:-1]:
            target = self.source_column(here, step, place).ref
            if target is None:
                raise self.fail(place, f"{step!r} of {here!r} is no reference, so {text!r} leads nowhere")
            here = target
        self.source_column(here, steps[-1], place)
        return steps

    def parent_path(self, by: str | None, child: str, parent: str, place: str) -> Path:
        """Return the path from `child` rows to the `parent` row they count for."""
        if child not in self.source.tables:
            raise self.fail(place, f"no table {child!r}.{close_match(child, self.source.tables)}")
        if by is not None:
            path = self.path(by, child, place)
            if self.end(child, path).ref != parent:
                raise self.fail(place, f"by = {by!r} does not end at a reference to {parent!r}")
            return path
        refs = [n for n, c in self.source.tables[child].columns.items() if c.ref == parent]
        if len(refs) != 1:
            what = "none of its columns refers" if not refs else f"{' and '.join(refs)} refer"
            raise self.fail(place, f"how {child!r} leads to {parent!r} is not clear ({what} to it): give by = a path")
        return (refs[0],)

    def end(self, table: str, path: Path) -> src.ColumnSource:
        column = self.source.tables[table].columns[path[0]]
        for step in path[1:]:
            column = self.source.tables[column.ref or ""].columns[step]
        return column

    # tables

    def table(self, name: str, values: Mapping[str, Values]) -> Table:
        t = self.source.tables[name]
        key = (t.key,) if isinstance(t.key, str) else tuple(t.key)
        for part in key:
            c = self.source_column(name, part, f"tables.{name}.key")
            if c.missing or c.if_ or c.kind in ("faker", "number", "chance", "rank", "share", "count", "sum", "max"):
                raise self.fail(f"{name}.{part}", f"a key column can't be {c.kind}, missing or switched")
        columns = tuple(self.column(name, c, key, values) for c in t.columns)
        return Table(name, t.called[0], t.called[1], t.rows, key, columns, t.if_)

    def column(self, table: str, name: str, key: tuple[str, ...], values: Mapping[str, Values]) -> Column:
        c = self.source.tables[table].columns[name]
        known = self.types[table][name]
        kind: Type = known.type if isinstance(known, expr.Ref) else known
        label = c.label or name.replace("_", " ").capitalize()
        return Column(
            table=table,
            name=name,
            fill=self.fill(table, name, c, values),
            type=kind,
            label=label if c.label or not c.ref else "",
            says=c.says or label.lower(),
            see=c.see,
            unit=c.unit,
            decimals=c.decimals,
            missing=c.missing,
            none=c.none or "none",
            switch=c.if_,
            key=name in key,
        )

    def labelled(self, table: Table, tables: Mapping[str, Table]) -> Table:
        """Head each reference without a label by its target's key label."""
        columns = []
        for c in table.columns:
            if c.label:
                columns.append(c)
                continue
            target = tables[c.ref or ""]
            label = target.column(target.key[0]).label
            columns.append(replace(c, label=label))
        heads = [c.header for c in columns]
        for i, head in enumerate(heads):
            if head in heads[:i]:
                raise self.fail(f"{table.name}.{columns[i].name}", f"the header {head!r} stands twice: give a label")
        return replace(table, columns=tuple(columns))

    def fill(self, table: str, name: str, c: src.ColumnSource, values: Mapping[str, Values]) -> Fill:
        place = f"{table}.{name}"
        match c.kind:
            case "invent":
                return Invent(str(c.invent))
            case "pick":
                self.values_of(str(c.pick), values, place)
                return Pick(str(c.pick), self.optional(c.where, table, place, "bool"))
            case "choice":
                options = tuple(c.choice or ())
                return Choice(options, tuple(c.weights or [1.0] * len(options)))
            case "chance":
                return Chance(float(c.chance or 0))
            case "number":
                return self.number(table, c, place)
            case "date":
                lo, hi = c.date or ("", "")
                return Date(self.day(lo, place), self.day(hi, place))
            case "after":
                path = self.path(str(c.after), table, place)
                if self.end_type(table, path) != "date":
                    raise self.fail(place, f"after = {c.after!r} is no date")
                lo_days, hi_days = c.days or (0, 0)
                return After(path, lo_days, hi_days, self.optional(c.until, table, place, "date"))
            case "ref":
                return Reference(str(c.ref), self.optional(c.where, table, place, "bool"), c.per, c.skew)
            case "count" | "sum" | "max":
                return self.aggregate(table, place, c)
            case "rank":
                self.same_table(table, place, str(c.rank), c.within)
                return Rank(str(c.rank), c.within)
            case "share":
                self.same_table(table, place, str(c.share), c.within)
                return Share(str(c.share), c.within, c.decimals)
            case "series":
                self.same_table(table, place, str(c.along), c.within)
                assert c.series
                assert c.drift
                return Series(c.series, str(c.along), c.within, c.drift, c.step or 10.0**-c.decimals)
            case "derive":
                return Derive(self.node(str(c.derive), table, place))
            case "text":
                return Derive(self.node(_template(str(c.text)), table, place, "text"))
            case _:
                if table and name in self.source.tables[table].key:
                    raise self.fail(place, "a Faker detail is never a key")
                return Faker(str(c.faker))

    def end_type(self, table: str, path: Path) -> Type:
        here = table
        for step in path[:-1]:
            here = str(self.source.tables[here].columns[step].ref)
        return self.known(here, path[-1], ".".join(path))

    def same_table(self, table: str, place: str, *names: str | None) -> None:
        for name in names:
            if name is not None:
                self.source_column(table, name, place)

    def day(self, text: str, place: str) -> str:
        if not ISO_DATE.fullmatch(text):
            raise self.fail(place, f"{text!r} is no date; write 2029-11-30")
        return text

    def number(self, table: str, c: src.ColumnSource, place: str) -> Number:
        lo, hi = c.number or (0.0, 0.0)
        step = c.step or 10.0**-c.decimals
        for bound in (lo, hi):
            if abs(round(bound / step) * step - bound) > 1e-9 * max(1.0, abs(bound)):
                raise self.fail(place, f"the bound {bound:g} is no multiple of the step {step:g}")
        if round(step, c.decimals) != step:
            raise self.fail(place, f"step {step:g} needs decimals = {len(f'{step:.6f}'.rstrip('0').split('.')[1])}")
        mean = None if c.mean is None else self.node(c.mean, table, place)
        if mean is not None and mean.type not in ("int", "num"):
            raise self.fail(place, f"mean is {mean.type}, not a number")
        return Number(lo, hi, step, mean, c.spread or 0.0)

    def aggregate(self, parent: str, place: str, c: src.ColumnSource | src.EachSource) -> Aggregate:
        target = c.count or c.sum or c.max or ""
        child, column = (target, None) if c.count else self.pair(target, place)
        by = self.parent_path(c.by, child, parent, place)
        if column is not None and self.known(child, column, place) not in ("int", "num"):
            raise self.fail(place, f"{target!r} is no number")
        op = "count" if c.count else "sum" if c.sum else "max"
        return Aggregate(op, child, column, by, self.optional(c.where, child, place, "bool"))  # type: ignore[arg-type]

    # rules and pages

    def rule(self, name: str, r: src.RuleSource, tables: Mapping[str, Table]) -> Rule:
        place = f"rules.{name}"
        if r.kind == "acyclic":
            table, column = self.pair(str(r.acyclic), place)
            if self.source_column(table, column, place).ref != table:
                raise self.fail(place, f"{r.acyclic!r} does not refer to its own table")
            return Rule(name, "acyclic", table, columns=(column,), switch=r.if_)
        table = str(r.on)
        if table not in tables:
            raise self.fail(place, f"no table {table!r}.{close_match(table, tables)}")
        if r.kind == "unique":
            self.same_table(table, place, *(r.unique or ()))
            return Rule(name, "unique", table, columns=tuple(r.unique or ()), switch=r.if_)
        if r.kind == "order":
            self.same_table(table, place, r.order, r.by, r.within)
            return Rule(name, "order", table, order=str(r.order), by=str(r.by), within=r.within, switch=r.if_)
        each = tuple((n, self.aggregate(table, f"{place}.{n}", e)) for n, e in (r.each or {}).items())
        extra: dict[str, Type] = {
            n: "int" if a.op == "count" else self.known(a.table, str(a.column), place) for n, a in each
        }
        node = self.node(str(r.must), table, place, "bool", **extra)
        return Rule(name, r.kind, table, node, each=each, switch=r.if_)

    def page(self, name: str, p: src.PageSource, tables: Mapping[str, Table]) -> PageSpec:
        place = f"pages.{name}"
        table = p.about or p.list_ or ""
        if table not in tables:
            raise self.fail(place, f"no table {table!r}.{close_match(table, tables)}")
        stated = [c.name for c in tables[table].columns if c.see != "linked"]
        for column in (*(p.show or ()), *([p.by] if p.by else ()), *([p.sort] if p.sort else ())):
            self.source_column(table, column, place)
            if column not in stated:
                raise self.fail(place, f"{column!r} is linked: it is stated on no list, table or head")
        if p.list_ and len(p.show or ()) > 3:
            raise self.fail(place, f"a list page shows at most 3 columns beside the key, not {len(p.show or ())}")
        children = []
        for child, named in p.with_.items():
            (ref,) = self.parent_path(None, child, table, place)
            every = [c.name for c in tables[child].columns if c.see != "linked" and c.name != ref]
            columns = every if named == "*" else list(named)
            for column in columns:
                self.source_column(child, column, place)
            children.append(With(child, ref, tuple(columns)))
        show = tuple(p.show) if p.show is not None else tuple(stated)
        return PageSpec(name, p.about, p.list_, p.by, show, p.sort, tuple(children), p.if_)

    # what must hold of the whole

    def check_switches(self, schema: Schema) -> None:
        s = self.source
        used = [
            *((f"tables.{n}", t.if_) for n, t in s.tables.items()),
            *((f"{n}.{cn}", c.if_) for n, t in s.tables.items() for cn, c in t.columns.items()),
            *((f"rules.{n}", r.if_) for n, r in s.rules.items()),
            *((f"pages.{n}", p.if_) for n, p in s.pages.items()),
        ]
        for place, switch in used:
            if switch is not None and switch not in s.variation:
                raise self.fail(place, f"no switch {switch!r} in [variation].{close_match(switch, s.variation)}")
        for name in s.variation:
            if all(switch != name for _, switch in used):
                raise self.fail(f"variation.{name}", "nothing hangs on this switch: remove it, or use it in an if")
        for table in schema.tables.values():
            for column in table.columns:
                self.check_presence(schema, table, column)

    def check_presence(self, schema: Schema, table: Table, column: Column) -> None:
        """A fill that names a table or column outright must hang on the same switches."""
        here = {table.switch, column.switch}
        needs: list[tuple[str, str | None]] = []
        match column.fill:
            case Reference(table=target):
                needs.append((target, schema.tables[target].switch))
            case Aggregate(table=child, column=counted, by=by):
                needs.append((child, schema.tables[child].switch))
                needs.append((f"{child}.{by[0]}", schema.column(child, by[0]).switch))
                if counted:
                    needs.append((f"{child}.{counted}", schema.column(child, counted).switch))
            case Rank(column=ranked, within=within) | Share(column=ranked, within=within):
                needs += [(f"{table.name}.{c}", table.column(c).switch) for c in (ranked, within) if c]
            case Series(along=along, within=within):
                needs += [(f"{table.name}.{c}", table.column(c).switch) for c in (along, within) if c]
            case After(path=path):
                needs.append((".".join(path), schema.walk(table.name, path).switch))
                needs.append((path[0], table.column(path[0]).switch))
            case _:
                pass
        for what, switch in needs:
            if switch is not None and switch not in here:
                raise self.fail(
                    f"{table.name}.{column.name}",
                    f"{what} hangs on the switch {switch!r} and this column does not: give it if = {switch!r}",
                )

    def check_carried(self, schema: Schema) -> None:
        """Every column must be on some page, else no question about it has an answer."""
        carried = {(p.table, c) for p in schema.pages for c in (*p.show, *schema.tables[p.table].key)}
        carried |= {(w.table, c) for p in schema.pages for w in p.children for c in (*w.columns, w.ref)}
        carried |= {(w.table, k) for p in schema.pages for w in p.children for k in schema.tables[w.table].key}
        for table in schema.tables.values():
            for column in table.columns:
                if column.see != "linked" and (table.name, column.name) not in carried:
                    raise self.fail(
                        f"{table.name}.{column.name}",
                        "no page carries this column: name it in the show or with of a page",
                    )


class _NotYetError(Exception):
    """The type of a column that hangs on one not found yet."""


def _names(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(".".join(p) for p in pairs)


def _template(text: str) -> str:
    """Return the expression for "{name} of {town.name}": text joined by ||."""
    parts = re.split(r"\{([^{}]*)\}", text)
    pieces = [f"'{p.replace(chr(39), chr(39) * 2)}'" if i % 2 == 0 else p for i, p in enumerate(parts) if i % 2 or p]
    return " || ".join(pieces) if pieces else "''"
