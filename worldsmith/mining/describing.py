"""Rows that a deep question may describe: by a pattern of the bank, or by two or three conditions only they meet."""

import random
from collections import Counter
from collections.abc import Sequence

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.mining.sampling import MiningContext, draw_range
from worldsmith.schema import Path
from worldsmith.tasks.descriptions import whole_table_query
from worldsmith.tasks.evidence import path_disclosures
from worldsmith.tasks.query import Query

BY_PATTERN = 0.75
"""The share of descriptions that are a pattern's, where a table has patterns that fit one row."""
MOST = 3
"""The most conditions of a description that no pattern words."""
TRIES = 6
"""Sets of conditions tried for a row."""


def draw_described_row(context: MiningContext, table: str, r: random.Random) -> Query | None:
    """Return the query of one row of a table by what is true of it alone, its cell still to be chosen; None for a miss.

    Where a pattern of the bank may word it, most often one does.
    """
    patterns = context.described_rows(table)
    if patterns and r.random() < BY_PATTERN:
        description, rows = patterns[r.randrange(len(patterns))]
        chosen = rows[r.randrange(len(rows))]
        query = description.query(chosen.values)
        return query if _is_told(context, query, chosen.row) else None
    return next((query for query in (_draw_conditions(context, table, r) for _ in range(TRIES)) if query), None)


def _is_told(context: MiningContext, query: Query, row: int) -> bool:
    """Tell whether pages state all that a description says."""
    cells = (cell for path in query.read for cell in path_disclosures(context.evaluator, query, row, path))
    return all(context.pages.carrying(*cell) for cell in cells)


def _draw_conditions(context: MiningContext, table: str, r: random.Random) -> Query | None:
    """Return conditions that one row drawn alone meets: something to search for, and bounds until no other does."""
    row = r.randrange(context.world.size(table))
    nodes: list[Node] = []
    rows: Sequence[int] = range(context.world.size(table))
    used: set[str] = set()
    for path in _paths(context, table, r):
        if path[0] in used:
            continue
        node = _draw_condition(context, table, path, row, rows, r, named=not nodes)
        if node is None:
            continue
        left = _meeting(context, table, node, rows)
        if row not in left or len(left) == len(rows) or (not nodes and len(left) == 1):
            continue
        nodes, rows = [*nodes, node], left
        used.add(path[0])
        if len(rows) == 1 and len(nodes) > 1:
            return whole_table_query(context.world.schema, table, nodes)
        if len(nodes) == MOST:
            break
    return None


def _paths(context: MiningContext, table: str, r: random.Random) -> list[Path]:
    """Return the paths that may be told of in random order, one that is named by a text first."""
    paths = [path for path in context.askable(table) if len(path) <= 2]
    r.shuffle(paths)
    texts = [path for path in paths if context.world.schema.walk(table, path).type == "text"]
    return [*texts[:1], *(path for path in paths if path not in texts[:1])]


def _draw_condition(
    context: MiningContext, table: str, path: Path, row: int, rows: Sequence[int], r: random.Random, *, named: bool
) -> Node | None:
    column, values = context.world.schema.walk(table, path), context.evaluator.values(table, path)
    value = values[row]
    here = expr.Path(path, column.type)
    if value is None or column.type == "bool":
        return None
    if column.type == "text":
        return call("=", [here, expr.Const(value, "text")])
    if named:
        return None
    if column.type == "date":
        return call("=", [call("yr", [here]), expr.Const(int(str(value)[:4]), "int")])
    known = [v for v in (values[i] for i in rows) if v is not None]
    many = Counter(known)
    if len(many) < 3:
        return None
    return draw_range(here, column.decimals, known, r, over=value > sorted(known)[len(known) // 2])  # type: ignore[operator]  # numbers


def _meeting(context: MiningContext, table: str, node: Node, rows: Sequence[int]) -> tuple[int, ...]:
    bare = whole_table_query(context.world.schema, table, [node])
    return tuple(i for i, true in zip(rows, context.evaluator.truths(bare, node, rows), strict=True) if true)
