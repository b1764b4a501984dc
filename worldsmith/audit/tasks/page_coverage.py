"""Which pages tell what of a task: how much a few of them tell, and how few tell all that must be known."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from worldsmith.pages import Pages
from worldsmith.simulate.disclosure import whole
from worldsmith.tasks import Reader, Task
from worldsmith.tasks.evidence import required_disclosures

STEPS = (1, 2, 4, 8, 16, 32)
"""Numbers of pages that the curve is told at."""


def told(task: Task) -> list[frozenset[str]]:
    """Return the pages of each cell outside the key; none for a cell that no page states."""
    return [frozenset(row[i]) for row in task.pages for i in task.others]


def chosen(cells: Iterable[frozenset[str]]) -> list[int]:
    """Return how many cells are told after the first page, the second, …: each page is that which tells most anew.

    By that greedy choice no more than 1.6 times as much is told by any as many pages, and ties go by name.
    """
    found, total = [], 0
    for _, fresh in _greedy(cells):
        total += fresh
        found.append(total)
    return found


def _greedy(cells: Iterable[frozenset[str]]) -> Iterator[tuple[str, int]]:
    """Yield pages, and how many cells each tells anew."""
    left = [pages for pages in cells if pages]
    counts = Counter(page for pages in left for page in pages)
    while left:
        best = max(counts, key=lambda page: (counts[page], page))
        gone = [pages for pages in left if best in pages]
        left = [pages for pages in left if best not in pages]
        counts.subtract(page for pages in gone for page in pages)
        yield best, len(gone)


def curve(task: Task) -> dict[int, float]:
    """Return the share of the cells outside the key that the best 1, 2, 4, … pages tell."""
    cells = told(task)
    steps = chosen(cells)
    return {k: steps[min(k, len(steps)) - 1] / len(cells) if steps else 0.0 for k in STEPS}


def least_pages(task: Task, reader: Reader, pages: Pages) -> int:
    """Return how few pages tell all the evidence of a task: near the least that must be read."""
    return fewest({frozenset(pages.carrying(*cell)) for cell in required_disclosures(task, reader) if not whole(cell)})


def fewest(cells: Collection[frozenset[str]]) -> int:
    """Return how few pages tell all cells: chosen greedily, without those whose cells other chosen ones all tell."""
    taken = [page for page, _ in _greedy(sorted(cells, key=sorted))]
    for page in tuple(taken):
        others = set(taken) - {page}
        if all(told & others for told in cells if page in told):
            taken.remove(page)
    return len(taken)


def together(task: Task) -> float:
    """Return the share of pairs of its cells outside the key, of different rows, that some page tells both of."""
    rows = [[frozenset(row[i]) for i in task.others] for row in task.pages]
    pairs = shared = 0
    for i, row in enumerate(rows):
        for other in rows[:i]:
            pairs += len(row) * len(other)
            shared += sum(not a.isdisjoint(b) for a in row for b in other)
    return shared / pairs if pairs else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
