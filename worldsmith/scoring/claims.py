"""Which rows of an answer claim which rows of the reference, and what they get right there."""

from collections.abc import Sequence

from .column import Column
from .match import assign, components
from .reference import Reference, Row, claims_of
from .text import fold, squash
from .values.canonical import read, verdict

_MOST_RIVALS = 3, 50  # most claimants considered for rows that several could be: three per gold row, plus fifty

ClaimsByGoldRow = dict[int, list[int]]  # gold row -> the answer rows that claim it, in order


def claimed_rows(reference: Reference, rows: Sequence[Row]) -> tuple[ClaimsByGoldRow, list[int]]:
    """Match answer rows to gold rows; return the matches and the answer rows that match none."""
    if not reference.keys:
        return _claimed_without_keys(reference, rows)
    claims = [claims_of(reference, row) for row in rows]
    claimed: ClaimsByGoldRow = {}
    extra = [i for i, gold_rows in enumerate(claims) if not gold_rows]
    if all(len(gold_rows) <= 1 for gold_rows in claims):  # as below, in less time
        for i, gold_rows in enumerate(claims):
            for j in gold_rows:
                claimed.setdefault(j, []).append(i)
        return claimed, extra
    for claimants, golds in components(claims):
        if len(golds) == 1:
            claimed[golds[0]] = claimants
            continue
        groups = _grouped(reference, rows, claimants, reference.keys)
        pairs = _best(reference, rows, groups, golds, claims)
        claimed.update(pairs)
        assigned = {i for members in pairs.values() for i in members}
        extra += [i for i in claimants if i not in assigned]
    return claimed, sorted(extra)


def _claimed_without_keys(reference: Reference, rows: Sequence[Row]) -> tuple[ClaimsByGoldRow, list[int]]:
    everyone, golds = [*range(len(rows))], [*range(len(reference.gold))]
    if len(golds) == 1:  # one fact is expected: two answers to it count as the worse of them
        return ({0: everyone} if everyone else {}), []
    groups = _grouped(reference, rows, everyone, reference.others)
    pairs = _best(reference, rows, groups, golds, None)
    assigned = {i for members in pairs.values() for i in members}
    return pairs, [i for i in everyone if i not in assigned]


def _grouped(
    reference: Reference, rows: Sequence[Row], members: Sequence[int], cells: Sequence[int]
) -> list[list[int]]:
    """Group rows whose values in these cells are the same in any spelling, in an order that their text decides."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in members:
        groups.setdefault(tuple(_canonical(rows[i][c], reference.columns[c]) for c in cells), []).append(i)
    return sorted(groups.values(), key=lambda group: min(rows[i] for i in group))


def _canonical(cell: str, col: Column) -> object:
    readings = read(cell, col.kind)
    if not readings:
        return squash(fold(cell))
    return tuple(
        (r.kind, squash(r.point) if isinstance(r.point, str) else r.point or (r.lo, r.hi), r.unit) for r in readings
    )


def _best(
    reference: Reference,
    rows: Sequence[Row],
    groups: Sequence[list[int]],
    golds: Sequence[int],
    claims: Sequence[frozenset[int]] | None,
) -> ClaimsByGoldRow:
    """Assign groups of answer rows to gold rows so that most cells are right; among equals, most whole rows."""
    groups = groups[: _MOST_RIVALS[0] * len(golds) + _MOST_RIVALS[1]]
    weights = []
    for j in golds:
        line = []
        for members in groups:
            good = 0
            if claims is None or j in claims[members[0]]:
                verdicts = cell_verdicts(reference, rows, members, j)
                wrong = sum(v != "right" for v in verdicts)
                good = (len(verdicts) - wrong + len(reference.keys)) * 1024 + (not wrong)
            line.append(good)
        weights.append(line)
    assigned_groups = assign(weights)
    return {j: groups[g] for j, g in zip(golds, assigned_groups, strict=True) if g >= 0}


def cell_verdicts(reference: Reference, rows: Sequence[Row], members: Sequence[int], j: int) -> list[str]:
    """Judge the non-key cells that some answer rows give for a gold row: each is right if it is in all of them."""
    shown, gold, columns = reference.shown[j], reference.gold[j], reference.columns
    out = []
    for c in reference.others:
        word = "right"
        for i in members:
            cell = rows[i][c]
            if cell != shown[c] and word == "right":
                word = verdict(cell, gold[c], columns[c])
        out.append(word)
    return out
