"""Page coverage of a task: how much of it a few pages state, and how few pages state all that is needed."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from worldsmith.pages import Pages
from worldsmith.simulate.disclosure import is_all_children
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.evidence import required_disclosures

STEPS = (1, 2, 4, 8, 16, 32)
"""Numbers of pages at which the curve is computed."""


def pages_by_cell(task: Task) -> list[frozenset[str]]:
    """Return the pages of each cell outside the key; none for a cell that no page states."""
    return [frozenset(row[i]) for row in task.pages for i in task.others]


def greedy_totals(cells: Iterable[frozenset[str]]) -> list[int]:
    """Return how many cells are covered after 1, 2, … pages: each page is the one that adds most.

    No other choice of as many pages covers more than 1.6 times as much; ties are broken by name.
    """
    totals, total = [], 0
    for _, fresh in _greedy(cells):
        total += fresh
        totals.append(total)
    return totals


def _greedy(cells: Iterable[frozenset[str]]) -> Iterator[tuple[str, int]]:
    """Yield pages, and how many cells each adds."""
    left = [pages for pages in cells if pages]
    counts = Counter(page for pages in left for page in pages)
    while left:
        best = max(counts, key=lambda page: (counts[page], page))
        gone = [pages for pages in left if best in pages]
        left = [pages for pages in left if best not in pages]
        counts.subtract(page for pages in gone for page in pages)
        yield best, len(gone)


def coverage_curve(task: Task) -> dict[int, float]:
    """Return the share of the cells outside the key that the best 1, 2, 4, … pages state."""
    cells = pages_by_cell(task)
    steps = greedy_totals(cells)
    return {k: steps[min(k, len(steps)) - 1] / len(cells) if steps else 0.0 for k in STEPS}


def least_pages(task: Task, evaluator: QueryEvaluator, pages: Pages) -> int:
    """Return how few pages state all the evidence of a task: near the least that must be read."""
    return cover_size(
        {
            frozenset(pages.carrying(*cell))
            for cell in required_disclosures(task, evaluator)
            if not is_all_children(cell)
        }
    )


def cover_size(cells: Collection[frozenset[str]]) -> int:
    """Return how few pages cover all cells: chosen greedily, then without the redundant ones."""
    taken = [page for page, _ in _greedy(sorted(cells, key=sorted))]
    for page in tuple(taken):
        others = set(taken) - {page}
        if all(cell_pages & others for cell_pages in cells if page in cell_pages):
            taken.remove(page)
    return len(taken)


def co_coverage(task: Task) -> float:
    """Return the share of pairs of cells outside the key, of different rows, that one page states both of."""
    rows = [[frozenset(row[i]) for i in task.others] for row in task.pages]
    pairs = shared = 0
    for i, row in enumerate(rows):
        for other in rows[:i]:
            pairs += len(row) * len(other)
            shared += sum(not a.isdisjoint(b) for a in row for b in other)
    return shared / pairs if pairs else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 without values."""
    return sum(values) / len(values) if values else 0.0
