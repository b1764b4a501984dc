"""Rules: one class per kind, named like the key that declares it in a schema file.

Which rows break a rule is worked out twice, in `generation.rules` and in `checking.declared`, which share only this.
"""

from dataclasses import dataclass
from typing import get_args

from pydantic import Field, model_validator

from worldsmith import expr
from worldsmith.expr import Node, Type
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.source import EachSource, Name, Strict
from worldsmith.schema.types import Aggregate, Rule


class RuleSource(Strict):
    """A rule as written: the key of its kind, and that kind's options."""

    on: str | None = None
    """The table it is about."""
    must: str | None = None
    """Condition over a row and what it refers to."""
    each: dict[Name, EachSource] | None = None
    """Aggregates over child rows that `must` may name."""
    acyclic: str | None = None
    """table.column: a self-reference without circles."""
    unique: list[str] | None = Field(default=None, min_length=1)
    """Columns that together don't repeat."""
    order: str | None = None
    """Column that never falls along `by`."""
    by: str | None = None
    """Column of the order in time."""
    within: str | None = None
    """Column whose values make the groups."""
    if_: str | None = Field(default=None, alias="if")
    """Switch of `[variation]` that the rule depends on."""

    @property
    def kind(self) -> str:
        """The rule kind."""
        if self.each is not None:
            return "each"
        return next(kind for kind in RULE_KINDS if getattr(self, kind) is not None)

    @model_validator(mode="after")
    def _one_kind(self) -> "RuleSource":
        exclusive = [kind for kind in RULE_KINDS if kind != "each"]
        kinds = [kind for kind in exclusive if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(f"give one of {', '.join(exclusive)}, not {' and '.join(kinds) or 'none'}")
        if self.each is not None and kinds != ["must"]:
            raise ValueError("each goes with must")
        if kinds != ["acyclic"] and self.on is None:
            raise ValueError("needs on = the table it is about")
        if (self.order is None) != (self.by is None):
            raise ValueError("order and by go together")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition(Rule):
    node: Node

    @property
    def text(self) -> str:
        return expr.text(self.node)


class Must(_Condition):
    """A condition over a row and what it refers to."""

    @classmethod
    def from_source(cls, resolver: Resolver, name: str, source: RuleSource) -> Rule:
        place, table = f"rules.{name}", str(source.on)
        resolver.source_table(table, place)
        node = resolver.node(str(source.must), table, place, "bool")
        return cls(name=name, table=table, switch=source.if_, node=node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acyclic(Rule):
    """A reference of a table to itself, the one of `columns`, that never leads back."""

    @property
    def text(self) -> str:
        return f"{self.table}.{self.columns[0]} leads back to itself nowhere"

    @classmethod
    def from_source(cls, resolver: Resolver, name: str, source: RuleSource) -> Rule:
        place = f"rules.{name}"
        table, column = resolver.table_and_column(str(source.acyclic), place)
        if resolver.source_column(table, column, place).ref != table:
            raise resolver.fail(place, f"{source.acyclic!r} does not refer to its own table: acyclic is for such a ref")
        return cls(name=name, table=table, switch=source.if_, columns=(column,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique(Rule):
    """Columns that together don't repeat."""

    @property
    def text(self) -> str:
        return f"{', '.join(self.columns)} together don't repeat"

    @classmethod
    def from_source(cls, resolver: Resolver, name: str, source: RuleSource) -> Rule:
        table, columns = str(source.on), tuple(source.unique or ())
        resolver.check_columns(table, f"rules.{name}", *columns)
        return cls(name=name, table=table, switch=source.if_, columns=columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Rule):
    """A column that never falls along `by` among rows that agree on `within`."""

    order: str
    by: str
    within: str | None

    @property
    def redrawn_columns(self) -> tuple[str, ...]:
        return self.order, self.by

    @property
    def text(self) -> str:
        return f"{self.order} never falls along {self.by}"

    @classmethod
    def from_source(cls, resolver: Resolver, name: str, source: RuleSource) -> Rule:
        place, table = f"rules.{name}", str(source.on)
        resolver.source_table(table, place)
        order = resolver.ordered_column(table, place, "order", source.order)
        by = resolver.ordered_column(table, place, "by", source.by)
        within = source.within
        resolver.check_columns(table, place, within)
        columns = (order, by, *([within] if within else []))
        return cls(name=name, table=table, switch=source.if_, columns=columns, order=order, by=by, within=within)


class Each(_Condition):
    """A condition that may name aggregates over child rows."""

    @classmethod
    def from_source(cls, resolver: Resolver, name: str, source: RuleSource) -> Rule:
        place, table = f"rules.{name}", str(source.on)
        resolver.source_table(table, place)
        each: dict[str, Aggregate] = {}
        types: dict[str, Type] = {}
        for n, aggregate_source in (source.each or {}).items():
            aggregate = each[n] = resolver.aggregate(table, f"{place}.{n}", aggregate_source)
            counted = aggregate.column is None
            types[n] = "int" if counted else resolver.known_type(aggregate.table, str(aggregate.column), place)
        node = resolver.node(str(source.must), table, place, "bool", **types)
        return cls(name=name, table=table, switch=source.if_, node=node, each=tuple(each.items()))


RuleKind = Must | Acyclic | Unique | Order | Each
RULE_KINDS: dict[str, type[RuleKind]] = {kind.__name__.lower(): kind for kind in get_args(RuleKind)}
"""Rule kinds by the key that declares them."""


def resolve_rule(resolver: Resolver, name: str, source: RuleSource) -> Rule:
    """Return the rule that a schema file declares; SchemaError for unknown or unfit tables and columns."""
    return RULE_KINDS[source.kind].from_source(resolver, name, source)
