"""The constraint graph: which column is filled from which, which rule reads which.

Nodes are columns ("phone.price") and rules ("rule foldables_are_dear"); an edge leads from what is read to
what reads it. It gives the order of filling, the column at which a rule is tested, and what depends on a cell.
"""

from functools import lru_cache

import networkx as nx

from worldsmith.errors import SchemaError
from worldsmith.schema import COMPUTED, Schema
from worldsmith.schema.reads import Name, columns_read, columns_read_by_rule


class ConstraintGraph:
    """The graph of one structure. Make it with `graph_of`, which caches the recent ones.

    Attributes:
        graph: networkx DiGraph over names.
        order: units of filling in order; a unit is the columns that are drawn together (one, or a composite key).
        unit_index: for each column, the index in `order` of its unit.
        rule_columns: for each rule, the columns it reads.
        tested_at: for each rule, the index in `order` of the unit at which it is tested.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.graph: nx.DiGraph[Name] = nx.DiGraph()
        for table in schema.tables.values():
            for column in table.columns:
                self.graph.add_node((table.name, column.name))
        for table in schema.tables.values():
            for column in table.columns:
                for name in columns_read(schema, column):
                    self.graph.add_edge(name, (table.name, column.name))
        self._dependents: dict[Name, frozenset[Name]] = {}
        self.order = self._order()
        self.unit_index = {name: i for i, unit in enumerate(self.order) for name in unit}
        self.tested_at: dict[str, int] = {}
        self.rule_columns: dict[str, tuple[Name, ...]] = {}
        for rule in schema.rules:
            read = self.rule_columns[rule.name] = columns_read_by_rule(schema, rule)
            self.graph.add_node(("rule", rule.name))
            for name in read:
                self.graph.add_edge(name, ("rule", rule.name))
            self.tested_at[rule.name] = max(self.unit_index[name] for name in read)

    def _order(self) -> tuple[tuple[Name, ...], ...]:
        # A composite key is drawn as one: its columns are merged into one node before sorting.
        unit: dict[Name, Name] = {}
        members: dict[Name, list[Name]] = {}
        rank: dict[Name, int] = {}
        for table in self.schema.tables.values():
            drawn = [k for k in table.key if not isinstance(table.column(k).fill, COMPUTED)]
            for column in table.columns:
                name = (table.name, column.name)
                home = (table.name, drawn[0]) if len(table.key) > 1 and column.name in drawn else name
                unit[name] = home
                members.setdefault(home, []).append(name)
                rank[name] = len(rank)
        merged: nx.DiGraph[Name] = nx.DiGraph()
        merged.add_nodes_from(members)
        merged.add_edges_from((unit[a], unit[b]) for a, b in self.graph.edges if unit[a] != unit[b])
        try:
            order = list(nx.lexicographical_topological_sort(merged, key=rank.__getitem__))
        except nx.NetworkXUnfeasible:
            circle = [".".join(a) for a, _ in nx.find_cycle(merged)]
            way = " -> ".join([*circle, circle[0]])
            fix = "fill one of them without the next"
            raise SchemaError(
                f"these columns are filled from each other in a circle: {way}; {fix}", circle[0]
            ) from None
        return tuple(tuple(members[name]) for name in order)

    def dependents(self, name: Name) -> frozenset[Name]:
        """Return the columns and rules that depend on a column, directly or through others."""
        names = self._dependents.get(name)
        if names is None:
            names = self._dependents[name] = frozenset(nx.descendants(self.graph, name))
        return names

    def rules_on(self, name: Name) -> tuple[str, ...]:
        """Return the names of the declared rules that read a column, sorted."""
        return tuple(sorted(n for kind, n in self.graph.successors(name) if kind == "rule"))


@lru_cache(maxsize=256)
def graph_of(schema: Schema) -> ConstraintGraph:
    """Return the constraint graph of a structure; SchemaError when columns are filled in a circle."""
    return ConstraintGraph(schema)
