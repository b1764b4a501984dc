"""Which column of an answer is which, and which of its rows claims which row of the reference."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from .headers import header_similarity, may_deny_name
from .parsing.table import WIDEST, bare_key, header_key

_CLOSE, _CLEAR = 0.8, 0.09  # how alike two names must be, and how much more alike than the next pair
_GENERIC_HEADERS = frozenset(("name", "model", "title", "item", "entity"))  # headers that may stand for the one key


@lru_cache(maxsize=1024)
def match_columns(header: tuple[str, ...], wanted: tuple[str, ...], key: int | None = None) -> tuple[int | None, ...]:
    """Return for each wanted column the index of its column in the header, or None.

    By folded name; then without units in brackets; then without its owner, "Floor" for "Department: Floor"; then by
    similarity: each only where exactly one pair fits. Of two columns with one name the first counts. `key` is the only
    key column, if there is just one: "Name" or "Model" may stand for it once all others are matched, since its cells
    must name the rows whatever it is called.
    """
    matched: dict[int, int] = {}
    for key_of in (header_key, bare_key, _unowned_key):
        index: dict[str, list[int]] = {}
        for i, name in enumerate(header[:WIDEST]):
            if key_of is header_key or not (may_deny_name(name) or (key_of is _unowned_key and ":" in name)):
                index.setdefault(key_of(name), []).append(i)
        names = [key_of(name) for name in wanted]
        for w, name in enumerate(names):
            same = index.get(name, [])
            alone = key_of is header_key or (len(same) == 1 and names.count(name) == 1)
            if name and w not in matched and same and alone:
                matched[w] = same[0]
    rest = [i for i in range(min(len(header), WIDEST)) if i not in matched.values() and len(header[i]) <= 120]
    lacking = {w: wanted[w] for w in range(len(wanted)) if w not in matched}
    matched.update(_close_pairs(lacking, {i: header[i] for i in rest if not may_deny_name(header[i])}))
    generic_headers = [i for i in rest if i not in matched.values() and header_key(header[i]) in _GENERIC_HEADERS]
    if key is not None and key not in matched and len(matched) == len(wanted) - 1 and len(generic_headers) == 1:
        matched[key] = generic_headers[0]
    return tuple(matched.get(w) for w in range(len(wanted)))


def _unowned_key(name: str) -> str:
    return bare_key(name.rpartition(":")[2])


def _close_pairs(wanted: Mapping[int, str], header_names: Mapping[int, str]) -> list[tuple[int, int]]:
    ratio = {(w, i): header_similarity(wanted[w], header_names[i]) for w in wanted for i in header_names}
    pairs = []
    for (w, i), value in ratio.items():
        rivals = [other for (w2, i2), other in ratio.items() if (w2 == w) != (i2 == i)]
        if value >= _CLOSE and all(value - other >= _CLEAR for other in rivals):
            pairs.append((w, i))
    return pairs


def assign(weights: Sequence[Sequence[int]]) -> list[int]:
    """Return the column assigned to each row, or -1, one to one, so that the sum of weights is greatest.

    Pairs of weight 0 are not assigned. Hungarian method with potentials (Kuhn 1955, Munkres 1957), O(rows^2 columns);
    ties are broken by index, so the order of rows matters only among equals.
    """
    rows = len(weights)
    width = max((len(row) for row in weights), default=0)
    columns = max(width, rows)
    cost = [[-row[j] if j < len(row) else 0 for j in range(columns)] for row in weights]
    row_potential, col_potential = [0] * (rows + 1), [0] * (columns + 1)
    owner, way = [0] * (columns + 1), [0] * (columns + 1)
    for i in range(1, rows + 1):
        owner[0] = i
        least: list[float] = [float("inf")] * (columns + 1)
        used = [False] * (columns + 1)
        at = 0
        while True:
            used[at] = True
            row, delta, following = owner[at], float("inf"), 0
            for j in range(1, columns + 1):
                if not used[j]:
                    current = cost[row - 1][j - 1] - row_potential[row] - col_potential[j]
                    if current < least[j]:
                        least[j], way[j] = current, at
                    if least[j] < delta:
                        delta, following = least[j], j
            for j in range(columns + 1):
                if used[j]:
                    row_potential[owner[j]] += int(delta)
                    col_potential[j] -= int(delta)
                else:
                    least[j] -= delta
            at = following
            if owner[at] == 0:
                break
        while at:
            owner[at] = owner[way[at]]
            at = way[at]
    column_of_row = [-1] * rows
    for j in range(1, width + 1):
        if owner[j] and -cost[owner[j] - 1][j - 1] > 0:
            column_of_row[owner[j] - 1] = j - 1
    return column_of_row


def components(claims: Sequence[frozenset[int]]) -> list[tuple[list[int], list[int]]]:
    """Group claimants and the items they claim: (claimants, items) that share nothing with another group."""
    parent: dict[int, int] = {}

    def root(item: int) -> int:
        while parent.setdefault(item, item) != item:
            parent[item] = item = parent[parent[item]]
        return item

    for claimed_items in claims:
        if claimed_items:
            first = root(min(claimed_items))
            for item in claimed_items:
                parent[root(item)] = first
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for claimant, claimed_items in enumerate(claims):
        if claimed_items:
            groups.setdefault(root(min(claimed_items)), ([], []))[0].append(claimant)
    for item in sorted(parent):
        groups[root(item)][1].append(item)
    return [groups[key] for key in sorted(groups)]
