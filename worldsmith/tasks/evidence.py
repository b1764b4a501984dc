"""What must be disclosed for a task: all of it for its certificate, and cell by cell for what an answer earns."""

from collections.abc import Iterable, Iterator, Sequence

from worldsmith import expr, scoring
from worldsmith.schema import Aggregate, Path
from worldsmith.scoring.evidence import Need
from worldsmith.simulate.disclosure import children_of, disclosure_hash
from worldsmith.tasks.query import Query
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.task import Task
from worldsmith.world.model import Disclosure, Row


def required_disclosures(task: Task, evaluator: QueryEvaluator) -> frozenset[Disclosure]:
    """Return what must be disclosed to solve a task: all that the queries of its chain read of rows in scope, and gold.

    Of a row that is described it is what the description says of it: a child of the row that it tells of, not all.

    Along a path every reference counts too: without it nobody knows whose value the last one is. Of a tally it is
    what its condition reads of all children of a row, what it adds up, and that there are no more children.

    Where worlds are compared, it is what that reads in each of them, too.
    """
    cells: set[Disclosure] = set()
    compared = task.compared.chain() if task.compared else ()
    for query in (*compared, *(task.query.chain() if task.is_queried else ())):
        rows, passing, kept = evaluator.rows_to_know(query), evaluator.passing(query), evaluator.matching_rows(query)
        for some, paths in ((rows, (*query.evidence, *query.read)), (passing, query.ranked), (kept, query.columns)):
            for path in dict.fromkeys(paths):
                for i in some:
                    cells.update(path_disclosures(evaluator, query, i, path))
    return frozenset(cells)


def path_disclosures(evaluator: QueryEvaluator, query: Query, index: int, path: Path) -> Iterator[Disclosure]:
    """Yield what must be disclosed to know the value at the end of a path from a row."""
    tally = query.tally(path)
    if tally is not None and query.described:
        child = evaluator.tallied_children(query.table, index, tally)[0]
        yield from ((Row(tally.table, child), name) for name in _columns_read(tally))
        return
    if tally is not None:
        yield from _tallied(evaluator, query.table, index, tally)
        return
    for end in range(1, len(path) + 1):
        cell = evaluator.cell(query.table, index, path[:end])
        if cell:
            yield cell


def _tallied(evaluator: QueryEvaluator, table: str, index: int, tally: Aggregate) -> Iterator[Disclosure]:
    children = evaluator.all_children(table, index, tally)
    yield from ((Row(tally.table, child), name) for child in children for name in _columns_read(tally))
    yield Row(table, index), children_of(tally.table, tally.by[0])


def _columns_read(tally: Aggregate) -> dict[str, None]:
    """Return the columns of a child that a tally reads."""
    read = [] if tally.where is None else [path[0] for path in expr.paths(tally.where)]
    return dict.fromkeys([*tally.by, *read, *([tally.column] if tally.column else [])])


def united_evidence(task: Task, parts: Sequence[scoring.Evidence]) -> scoring.Evidence:
    """Return the evidence of the parts of a task as that of the task: which subject a row is of needs none."""
    if not task.members:
        return parts[0]
    statements = {name: marks for part in parts for name, marks in part.statements.items()}
    return scoring.Evidence(tuple(((), *row) for part in parts for row in part.cells), (), statements)


def cell_evidence(task: Task, evaluator: QueryEvaluator) -> scoring.Evidence:
    """Return what each gold cell needs before it earns, and, where no row is gold, what shows that there is none.

    A cell needs the stored cells along its path, a tally all that it is computed from; what the question itself fixes
    needs nothing. That no row passes is shown by one clause for each row in scope that isn't true of it.
    """
    query, digest = task.query, evaluator.world.digest
    kept = evaluator.matching_rows(query)
    keys = [evaluator.values(query.table, path) for path in query.key]
    places = {tuple(values[i] for values in keys): i for i in kept}
    rows = [places[row[: len(query.key)]] for row in task.gold]

    def hashes(cells: Iterable[Disclosure]) -> tuple[str, ...]:
        return tuple(sorted({disclosure_hash(digest, *cell) for cell in cells}))

    def need(index: int, path: Path) -> Need:
        if path in query.fixed:
            return ()
        return tuple(((name,),) for name in hashes(path_disclosures(evaluator, query, index, path)))

    def refuted(index: int) -> tuple[tuple[str, ...], ...]:
        clauses = [c for c in query.clauses if evaluator.truths(query, c, (index,))[0] is not True]
        paths = [expr.paths(clause) for clause in clauses] or [query.ranked]
        return tuple(
            hashes(cell for path in some for cell in path_disclosures(evaluator, query, index, path)) for some in paths
        )

    cells = tuple(tuple(need(i, path) for path in query.columns) for i in rows)
    return scoring.Evidence(cells, () if rows else tuple(refuted(i) for i in evaluator.in_scope(query)))
