"""What became of every cell outside the key: right, read or not, or the first thing that went wrong."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from typing_extensions import TypedDict

from worldsmith import scoring
from worldsmith.schema import Value
from worldsmith.simulate.protocol import Observation
from worldsmith.tasks import Task

CLASSES: Final[Mapping[str, str]] = {
    "right": "right, and a reply stated it",
    "right_unread": "right, though no reply stated it: remembered, guessed or inferred",
    "not_finished": "the model ended without a table",
    "never_retrieved": "no reply named its row",
    "not_opened": "a reply named its row, no page that states it was opened",
    "not_reported": "read, and left out of the answer",
    "reported_wrong": "read, and answered otherwise",
    "invented": "not read, and answered wrongly",
    "surplus_rows": "right in one row of the answer, contradicted by another row with the same key",
}
"""What becomes of a cell outside the key, and what that says."""


class CellOutcome(TypedDict):
    """What became of one gold cell outside the key, as records of episodes have it."""

    row: str
    """The key of its row, as the reference prints it."""
    column: str
    outcome: str
    """One of `CLASSES`."""
    expected: str
    answered: str
    """What the answer has there; "" where it leaves the cell out."""
    call: int | None
    """The call, from 0, whose reply stated the cell first; where none did, the one that named its row first."""


def failures(task: Task, score: scoring.Score, observations: Sequence[Observation]) -> dict[str, int]:
    """Return how many of the gold cells outside the key fall into each class; their sum is the table's cells."""
    return outcome_counts(cell_outcomes(task, score, observations))


def outcome_counts(cells: Iterable[CellOutcome]) -> dict[str, int]:
    """Return how many cells fall into each class."""
    counts = Counter(cell["outcome"] for cell in cells)
    return {name: counts[name] for name in CLASSES}


def cell_outcomes(task: Task, score: scoring.Score, observations: Sequence[Observation]) -> list[CellOutcome]:
    """Return what became of each gold cell outside the key, row by row; `observations` are the replies, one per call.

    A cell counts as read where a page that was read states it: `task.pages` names the pages of each gold cell.
    """
    read: dict[str, int] = {}
    for number, observation in enumerate(observations):
        if observation.opened and (page := _page_name(task, observation)):
            read.setdefault(page, number)
    texts = [_observation_text(observation) for observation in observations]
    hits = [
        (number, f"{hit.title} {hit.snippet}".casefold())
        for number, observation in enumerate(observations)
        for hit in observation.results
    ]
    answer_row = {gold: row for row, gold in score.matched}
    wrong = {(w.gold_row, w.column): w for w in score.wrong}
    outcomes = []
    for i, row in enumerate(task.gold):
        name = _row_name(task, row)
        key = ", ".join(scoring.show(row[j], task.columns[j]) for j in task.keys)
        named = next((number for number, text in enumerate(texts) if name in text), None)
        for j in task.others:
            column, expected = task.columns[j].name, scoring.show(row[j], task.columns[j])
            opening = min((read[page] for page in task.pages[i][j] if page in read), default=None)
            opened = opening is not None or not task.pages[i][j]
            fault = wrong.get((i, column))
            answered = i in answer_row and (fault is None or fault.why not in {"empty", "missing"})
            hit = None if opened else _stating_hit(hits, name, expected.casefold())
            if i in answer_row and fault is None:
                outcome = "right" if opened or hit is not None else "right_unread"
            elif not score.has_table:
                outcome = "not_finished"
            elif answered and scoring.is_right(score.rows[answer_row[i]][j], row[j], task.columns[j]):
                outcome = "surplus_rows"
            elif opened:
                outcome = "reported_wrong" if answered else "not_reported"
            elif answered:
                outcome = "invented"
            else:
                outcome = "not_opened" if named is not None else "never_retrieved"
            written = (fault.got if fault else score.rows[answer_row[i]][j]) if answered else ""
            call = next((number for number in (opening, hit, named) if number is not None), None)
            outcomes.append(
                CellOutcome(row=key, column=column, outcome=outcome, expected=expected, answered=written, call=call)
            )
    return outcomes


def _page_name(task: Task, observation: Observation) -> str:
    """Return the page that was read as `task.pages` names it; "" for a page of a world that the task is not about."""
    if observation.page is None or observation.world not in task.worlds:
        return ""
    return f"{observation.world}/{observation.page.id}" if task.members else observation.page.id


def _row_name(task: Task, row: Sequence[Value]) -> str:
    """Return the first key of a row in lower case, as replies print it; that of its world names more than a row."""
    key = next(iter(task.keys[bool(task.members) :]), 0)
    return scoring.show(row[key], task.columns[key]).casefold()


def _stating_hit(hits: Sequence[tuple[int, str]], name: str, value: str) -> int | None:
    """Return the call of the first hit that names a row and also states a value, as a word of its own."""
    stated = re.compile(rf"(?<![\w.,-]){re.escape(value)}(?![\w-]|[.,]\d)")
    return next((call for call, hit in hits if name in hit and stated.search(hit.replace(name, " "))), None)


def _observation_text(observation: Observation) -> str:
    hits = " ".join(f"{hit.title} {hit.snippet}" for hit in observation.results)
    return f"{observation.text} {hits}".casefold()
