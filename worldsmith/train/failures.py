"""What became of every cell outside the key: right, read or not, or the first thing that went wrong."""

import re
from collections.abc import Sequence
from typing import Final

from worldsmith import scoring
from worldsmith.schema import Value
from worldsmith.simulate.protocol import Observation
from worldsmith.tasks import Task

CLASSES: Final = (
    "right",
    "right_unread",
    "not_finished",
    "never_retrieved",
    "not_opened",
    "not_reported",
    "reported_wrong",
    "invented",
)
"""right: as in the reference. right_unread: the same, though no reply stated it: remembered, guessed or inferred.
not_finished: no table was given. never_retrieved: no reply named the row. not_opened: a reply named it, but no page
that states the cell was read. not_reported: it was read and left out. reported_wrong: it was read and reported wrongly.
invented: it was not read and reported anyway."""


def failures(task: Task, score: scoring.Score, observations: Sequence[Observation]) -> dict[str, int]:
    """Return how many of the gold cells outside the key fall into each class; their sum is the table's cells.

    A cell counts as read where a page that was read states it: `task.pages` names the pages of each gold cell.
    """
    counts = dict.fromkeys(CLASSES, 0)
    read = {page for observation in observations if observation.opened for page in _page_ids(task, observation)}
    texts = [_observation_text(observation) for observation in observations]
    hits = [f"{hit.title} {hit.snippet}".casefold() for observation in observations for hit in observation.results]
    matched = {gold for _, gold in score.matched}
    wrong = {(w.gold_row, w.column): w for w in score.wrong}
    for i, row in enumerate(task.gold):
        name = _row_name(task, row)
        named = any(name in text for text in texts)
        for j in task.others:
            opened = bool(read & set(task.pages[i][j])) or not task.pages[i][j]
            fault = wrong.get((i, task.columns[j].name))
            answered = i in matched and (fault is None or fault.why not in {"empty", "missing"})
            if i in matched and fault is None:
                shown = opened or _hit_states(hits, name, scoring.show(row[j], task.columns[j]).casefold())
                counts["right" if shown else "right_unread"] += 1
            elif not score.has_table:
                counts["not_finished"] += 1
            elif opened:
                counts["reported_wrong" if answered else "not_reported"] += 1
            elif answered:
                counts["invented"] += 1
            else:
                counts["not_opened" if named else "never_retrieved"] += 1
    return counts


def _page_ids(task: Task, observation: Observation) -> list[str]:
    """Return the page that was read as `task.pages` names it: over several worlds with the world that it disclosed."""
    if observation.page is None:
        return []
    if not task.members:
        return [observation.page.id]
    worlds = {member.digest: member.world for member in task.members}
    disclosed = (worlds[digest] for digest, _ in observation.disclosed_by_world if digest in worlds)
    return [f"{world}/{observation.page.id}" for world in disclosed]


def _row_name(task: Task, row: Sequence[Value]) -> str:
    """Return the first key of a row in lower case, as replies print it; that of its world names more than a row."""
    key = next(iter(task.keys[bool(task.members) :]), 0)
    return scoring.show(row[key], task.columns[key]).casefold()


def _hit_states(hits: Sequence[str], name: str, value: str) -> bool:
    """Return whether one hit names a row and also states a value, as a word of its own."""
    stated = re.compile(rf"(?<![\w.,-]){re.escape(value)}(?![\w-]|[.,]\d)")
    return any(name in hit and stated.search(hit.replace(name, " ")) for hit in hits)


def _observation_text(observation: Observation) -> str:
    hits = " ".join(f"{hit.title} {hit.snippet}" for hit in observation.results)
    return f"{observation.text} {hits}".casefold()
