"""What shortcuts may be worth on a task, stated once: drawing screens by it, the audit measures by it.

The gates bound the means over the tasks of a kind, and cap each task: closed-book 0.05, constant-guess 0.2,
one-query 0.10, snippets-only 0.10, none above 0.34 on one task; and no page may carry more of a task than one row or
a quarter of its cells outside the key.
"""

from collections import Counter
from collections.abc import Sequence

GATES = {"closed-book": 0.05, "constant-guess": 0.2, "one-query": 0.10, "snippets-only": 0.10}
"""The most that the mean item F1 outside the key may be, by shortcut."""
CAP = 0.34
"""The most it may be on one task."""
SHARE = 0.25
"""The most that one page may carry of the cells outside the key, unless they are of one row."""
SNIPPETS = 0.2
"""The share of the columns outside the key that snippets may ever show."""

Carried = Sequence[Sequence[Sequence[str]]]
"""The ids of the pages that state a cell, for each cell of each gold row."""


def largest_page_share(carried: Carried, others: Sequence[int]) -> tuple[float, float]:
    """Return the largest share of the cells in columns `others` that one page carries, and the share allowed."""
    counts = Counter(page for row in carried for i in others for page in row[i])
    cells = len(others) * len(carried)
    if not cells:
        return 0.0, SHARE
    return max(counts.values(), default=0) / cells, max(SHARE, 1 / len(carried))


def page_carries_too_much(carried: Carried, others: Sequence[int]) -> bool:
    """Tell whether one page carries more than it may."""
    share, allowed = largest_page_share(carried, others)
    return share > allowed + 1e-9
