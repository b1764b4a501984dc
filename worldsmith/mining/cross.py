"""Tasks over several worlds of a pool: one question about two to five worlds of a schema at once.

One in three is about a single one of them: the one with the most rows of some other query.

The query is drawn from one of the worlds and contains no name from it: its constants are options, numbers, dates and
booleans that mean the same in each. It is screened in every world, and its gold is the rows of all, each under the name
of its world.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import attrgetter

from worldsmith import expr, scoring
from worldsmith.agents import SimulatorClient
from worldsmith.audit.tasks.gates import constant_guess, exceeded_mean, failed_gate
from worldsmith.expr import Node
from worldsmith.expr.tree import walk
from worldsmith.mining.candidates import answer_columns, check_headers, check_pages, check_question, pages_by_cell
from worldsmith.mining.certificates import with_proof
from worldsmith.mining.draft import draw_query
from worldsmith.mining.pipeline import MiningRequest
from worldsmith.mining.pool import proof_in_pool
from worldsmith.mining.sampling import MOST_VALUES, SIZES, MiningContext, Size
from worldsmith.mining.screening import DrawRejected, screen
from worldsmith.schema import Rank, Value
from worldsmith.seeding import draw, rng
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.tasks import Query, Scope, Task, gold_duckdb, gold_sqlite, sql
from worldsmith.tasks.conditions import WordingSplit
from worldsmith.tasks.parts import leading_worlds
from worldsmith.tasks.query import Rows, is_tally
from worldsmith.tasks.question import question
from worldsmith.tasks.shortcuts import GATES
from worldsmith.tasks.subjects import subject_column
from worldsmith.tasks.task import CROSS, MOST_WORLDS, Member, members_digest
from worldsmith.world.engine import attach

ROWS = (10, 100)
"""The least and the most rows of all worlds together."""
SIZE = Size((2, 60), (3, 7), (3, 60))
"""The size of the part of one world."""
SCOPES = (24, 160)
"""The least and the most rows in scope, of all worlds together."""
COMPARED = 3
"""One in this many tasks compares worlds."""
TOKENS = 2
"""A certificate may take this many times the tool tokens of a task over one world."""
DRAWS = 400
"""Draws per requested task before mining gives up."""


@dataclass(frozen=True, slots=True)
class CrossTasks:
    """The tasks over several worlds of one schema, with the number of draws and the reasons of rejections."""

    tasks: tuple[Task, ...]
    tried: int
    rejected: Mapping[str, int]


def groups_of_worlds(simulator: PoolSimulator) -> dict[str, list[list[str]]]:
    """Return the worlds that a question may be asked over, by schema, in groups of two to `MOST_WORLDS`.

    A world is in one group at most, so that exports which keep worlds whole can split tasks by groups. All worlds of a
    group have a subject, each its own, and are described as of one day.
    """
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for world_id in sorted(simulator.pool.worlds, key=lambda world: (draw("cross", world), world)):
        world = simulator.world(world_id).world
        if world.subject:
            alike.setdefault((world.schema.name, world.schema.as_of), {}).setdefault(world.subject, world_id)
    groups: dict[str, list[list[str]]] = {}
    for (schema, _), worlds in sorted(alike.items()):
        count = -(-len(worlds) // MOST_WORLDS)
        shares = [list(worlds.values())[i::count] for i in range(count)]
        groups.setdefault(schema, []).extend(share for share in shares if len(share) > 1)
    return {schema: some for schema, some in groups.items() if some}


def mine_cross_tasks(
    simulator: PoolSimulator, schema: str, groups: Sequence[Sequence[str]], count: int, request: MiningRequest
) -> CrossTasks:
    """Return up to `count` tasks over worlds of a schema, from each of its groups in turn; the same for the same pool.

    Of the request, which is for worlds alone, its wordings and `max_tokens` count. Each task is certified in the pool
    by both oracles, passes the gates there, and has its gold by two engines.
    """
    miner = _Miner(simulator, request)
    kept: list[Task] = []
    rejected: Counter[str] = Counter()
    tried = 0
    while len(kept) < count and tried < DRAWS * count:
        group = groups[len(kept) % len(groups)]
        tried += 1
        try:
            r = rng(simulator.pool.seed, CROSS, schema, tried)
            kept.append(miner.proved(miner.drawn(group, r, comparing=len(kept) % COMPARED == COMPARED - 1)))
        except DrawRejected as reason:
            rejected[str(reason)] += 1
    return CrossTasks(tuple(kept), tried, dict(sorted(rejected.items())))


class _Miner:
    """The screens that a task over several worlds passes."""

    def __init__(self, simulator: PoolSimulator, request: MiningRequest) -> None:
        self.simulator, self.request = simulator, request
        self.replies: dict[Call, Observation] = {}
        self.contexts: dict[str, MiningContext] = {}
        self.near_duplicate_keys: set[object] = set()
        self.totals: Counter[str] = Counter()
        """Sums of the figures of the tasks kept; "tasks" is their number."""

    def _context(self, world_id: str) -> MiningContext:
        if world_id not in self.contexts:
            pages = self.simulator.pages_of(Address(self.simulator.id), world_id)
            self.contexts[world_id] = MiningContext(pages.world, pages)
        return self.contexts[world_id]

    def drawn(self, group: Sequence[str], r: random.Random, *, comparing: bool) -> Task:
        """Return a task over some worlds of a group, or over the one that leads them. Raises DrawRejected."""
        chosen = r.sample(list(group), r.randint(2, len(group)))
        contexts = sorted(map(self._context, chosen), key=attrgetter("world.subject"))
        compared = _draw_compared(contexts, r) if comparing else None
        leads = leading_worlds(compared, [one.evaluator for one in contexts]) if compared else [True] * len(contexts)
        if not any(leads):
            raise DrawRejected("no world leads")
        query = _draw(contexts, list(compress(contexts, leads)), r)
        if compared and (query.table, query.scope) == (compared.table, compared.scope):
            raise DrawRejected("compared by the query itself")
        if query.near_duplicate_key in self.near_duplicate_keys:
            raise DrawRejected("like another task")
        return screened_cross_task(
            contexts, query, r.getrandbits(64), self.simulator.id, self.request.wordings, compared
        )

    def proved(self, task: Task) -> Task:
        """Return a task with its certificate and figures in the pool. Raises DrawRejected."""
        evaluator = self.contexts[task.worlds[0]].evaluator
        self._check_gates(task, {"constant-guess": constant_guess(task, evaluator)})
        client = SimulatorClient(self.simulator, Address(self.simulator.id), self.replies)
        proof, figures = proof_in_pool(task, evaluator, client, TOKENS * self.request.max_tokens)
        self._check_gates(task, figures)
        queried = [part for part in task.parts if part.is_queried]
        again = gold_duckdb([(self.contexts[part.world].world, [part.query]) for part in queried])
        if [rows for (rows,) in again] != [part.gold for part in queried]:
            raise DrawRejected("two engines give different gold")
        self.near_duplicate_keys.add(task.query.near_duplicate_key)
        self.totals.update({"tasks": 1, **{name: figures[name] for name in GATES}})
        return with_proof(task, proof, figures)

    def _check_gates(self, task: Task, figures: Mapping[str, float]) -> None:
        if why := failed_gate(task, figures) or exceeded_mean(self.totals, figures):
            raise DrawRejected(f"gate: {why}")


def _draw(contexts: Sequence[MiningContext], queried: Sequence[MiningContext], r: random.Random) -> Query:
    """Return a query that means the same in every world, drawn from the `queried` ones. Raises DrawRejected."""
    size = SIZE if len(queried) > 1 else SIZES["wide"]
    table, scope = _draw_scope(contexts, queried, r, SCOPES if len(queried) > 1 else size.scope, MOST_VALUES)
    query = draw_query(queried[0], size, r, (table, scope))
    if query.top:
        raise DrawRejected("an order, which holds in one world only")
    if not all(_means_the_same(query, context) for context in contexts):
        raise DrawRejected("a query that is of one world")
    return query


def _draw_compared(contexts: Sequence[MiningContext], r: random.Random) -> Query:
    """Return a query whose rows are counted in every world: those of a scope. Raises DrawRejected."""
    table, scope = _draw_scope(contexts, contexts, r, (1, SCOPES[1]), r.randint(1, 2))
    key = tuple((name,) for name in contexts[0].world.schema.tables[table].key)
    return Query(table, scope, None, key, key)


def _draw_scope(
    contexts: Sequence[MiningContext],
    queried: Sequence[MiningContext],
    r: random.Random,
    size: tuple[int, int],
    most: int,
) -> tuple[str, Scope]:
    """Return a table and a scope of it that all worlds have, of at most `most` values.

    Its rows in the `queried` worlds are at most a number drawn from `size`. Raises DrawRejected for none.
    """
    common = (at for at in queried[0].scopes if all(at in context.scopes for context in contexts))
    shared = {at: _shared_values(contexts, *at) for at in common}
    scopes = [at for at, values in shared.items() if values]
    if not scopes:
        raise DrawRejected("no scope that the worlds share")
    table, by = r.choice(scopes)
    sizes = {value: sum(len(c.world.rows_by_value(table, by)[value]) for c in queried) for value in shared[table, by]}
    values, rows, wanted = list[Value](), 0, r.randint(*size)
    for value in r.sample(list(sizes), len(sizes)):
        if rows < wanted and rows + sizes[value] <= size[1] and len(values) < most:
            values.append(value)
            rows += sizes[value]
    if not values:
        raise DrawRejected("no scope of that size")
    values.sort()
    return table, Scope(by, tuple(values))


def _shared_values(contexts: Sequence[MiningContext], table: str, by: str) -> list[Value]:
    """Return the values of a scope that rows of every world have, in order; none where they name rows."""
    if contexts[0].world.schema.column(table, by).ref:
        return []
    held = [set(context.world.rows_by_value(table, by)) - {None} for context in contexts]
    return sorted(set.intersection(*held))  # type: ignore[type-var]  # one type, no null


def _means_the_same(query: Query, context: MiningContext) -> bool:
    """Tell whether a world has all that a query reads, as its own queries may, and the texts that it names."""
    families = {(family.table, family.ref): set(family.columns) for family in context.families(query.table)}
    for tally in query.tallies:
        read = {path[0] for path in expr.paths(tally.where)} if tally.where is not None else set()
        if not read | ({tally.column} if tally.column else set()) <= families.get((tally.table, tally.by[0]), set()):
            return False
        if tally.where is not None and not _texts_held(context, tally.table, tally.where):
            return False
    shown, clauses = ({path for path in some if not is_tally(path)} for some in (query.columns, query.read))
    if shown - {*query.key, *context.paths(query.table)} or clauses.difference(context.askable(query.table)):
        return False
    # The question would read as a rank among the rows of all worlds.
    if any(isinstance(query.column(context.world.schema, path).fill, Rank) for path in shown):
        return False
    return all(_texts_held(context, query.table, clause) for clause in query.clauses)


def _texts_held(context: MiningContext, table: str, clause: Node) -> bool:
    """Tell whether the texts that a clause names are among those of their columns in a world."""
    for node in walk(clause):
        if isinstance(node, expr.Call) and isinstance(node.args[0], expr.Path) and node.args[0].type == "text":
            held = set() if is_tally(node.args[0].parts) else set(context.evaluator.values(table, node.args[0].parts))
            if any(isinstance(arg, expr.Const) and arg.value not in held for arg in node.args[1:]):
                return False
    return True


def screened_cross_task(
    contexts: Sequence[MiningContext],
    query: Query,
    turn: int,
    pool: str,
    split: WordingSplit = "all",
    compared: Query | None = None,
) -> Task:
    """Return the task of a query over worlds of a pool, in this order, without proof.

    With `compared` it is about the one of them that has the most rows of this query. Raises DrawRejected where its
    question could be misread in one of them, or its columns or pages give too much away.
    """
    worlds, evaluators = [context.world for context in contexts], [context.evaluator for context in contexts]
    leads = [True] * len(worlds)
    if compared:
        leads = leading_worlds(compared, evaluators)
        for one in evaluators:
            screen(one, compared, one.in_scope(compared), one.matching_rows(compared))
    queried = list(compress(contexts, leads))
    members = tuple(Member(world.id, world.digest, world.subject) for world in worlds)
    parts = [_screened_rows(context, query) for context in queried]
    if not ROWS[0] <= sum(map(len, parts)) <= ROWS[1]:
        raise DrawRejected("too few rows" if sum(map(len, parts)) < ROWS[0] else "too many rows")
    subjects = tuple(member.subject for member in members)
    columns = (subject_column(worlds[0].schema, subjects), *_united_columns(queried, query))
    check_headers(columns)
    carried = [pages for context, rows in zip(queried, parts, strict=True) for pages in _pages(context, query, rows)]
    check_pages(worlds[0].schema, query, carried)
    gold = tuple((one.world.subject, *row) for one, rows in zip(queried, parts, strict=True) for row in rows)
    text = question(evaluators[0], query, columns, turn, split, evaluators[1:], compared)
    for world in worlds:
        check_question(text, query, columns, gold, world.schema, subjects, compared)
    statement = sql(query, worlds[0].schema)
    if any(sql(query, world.schema) != statement for world in worlds):
        raise DrawRejected("a query that is of one world")
    pages = tuple(((), *row) for row in carried)
    identity = pool, members_digest(members), worlds[0].schema.name, CROSS, "wide"
    return Task(*identity, text, query, statement, columns, gold, pages, members=members, compared=compared)


def _screened_rows(context: MiningContext, query: Query) -> Rows:
    """Return the gold rows of a query in one world. Raises DrawRejected."""
    rows, kept = context.evaluator.in_scope(query), context.evaluator.matching_rows(query)
    if not kept:
        raise DrawRejected("a world without a row")
    screen(context.evaluator, query, rows, kept)
    with attach(context.world) as connection:
        return gold_sqlite(query, connection, context.world.schema)


def _pages(context: MiningContext, query: Query, rows: Rows) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield the pages of each cell of gold rows, as ids with their world."""
    for row in pages_by_cell(context, query, context.evaluator.matching_rows(query), rows):
        yield tuple(tuple(f"{context.world.id}/{page}" for page in cell) for cell in row)


def _united_columns(contexts: Sequence[MiningContext], query: Query) -> Iterator[scoring.Column]:
    """Yield the columns that all worlds have for a query, with the filler for null of those that have nulls."""
    for same in zip(*(answer_columns(context.evaluator, query) for context in contexts), strict=True):
        bare = {replace(column, none="") for column in same}
        fillers = {column.none for column in same} - {""}
        if len(bare) > 1 or len(fillers) > 1:
            raise DrawRejected("a column that differs among the worlds")
        yield replace(same[0], none=fillers.pop() if fillers else "")
