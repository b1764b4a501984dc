"""Evidence per cell: an answer earns by what its episode disclosed, not by what a model remembers.

A disclosed cell is known by a hash. Hashes come from the simulator in process, or from the server in the response
header `X-Worldsmith-Evidence`; a trainer that has the transcript alone gets them from the sentences and table rows of
the tool replies, whose own hashes are in the task's evidence.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from .column import ScoreError
from .figures import Rates, Score, earned_rates
from .reference import earning_columns

Need = tuple[tuple[tuple[str, ...], ...], ...]
"""What one cell needs: of each group, one alternative, all of whose hashes were disclosed. () is always met."""


def is_met(need: Need, disclosed: Collection[str]) -> bool:
    """Return whether the disclosed hashes satisfy the need."""
    return all(any(all(token in disclosed for token in option) for option in group) for group in need)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the gold cells of a task need before they earn.

    Attributes:
        cells: a need per gold row and column.
        empty: what it takes to know that there is no row, where gold has none.
        statements: for each hash of a cell, the hashes of the sentences and table rows that state it (`disclosed_by`).
    """

    cells: tuple[tuple[Need, ...], ...]
    empty: Need = ()
    statements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def whole(self) -> frozenset[str]:
        """The hashes that are enough for every cell."""
        needs = (*(need for row in self.cells for need in row), self.empty)
        return frozenset(name for need in needs for group in need for option in group for name in option)

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        return {"cells": self.cells, "empty": self.empty, "statements": self.statements}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Evidence":
        """Read what `to_json` wrote. Raises ScoreError for anything else."""
        try:
            cells = tuple(tuple(_need(need) for need in row) for row in data["cells"])
            statements = {name: tuple(map(str, marks)) for name, marks in data["statements"].items()}
            return cls(cells, _need(data["empty"]), statements)
        except (KeyError, TypeError, AttributeError) as error:
            raise ScoreError(f"Evidence has cells, empty and statements: {error!r} in {str(data)[:80]}.") from None

    def disclosed_by(self, replies: Iterable[str]) -> frozenset[str]:
        """Return the hashes of the cells that tool replies state, by their sentences and table rows of ours.

        Pages in Markdown as we wrote them count, in the order in which they were read; search results don't, and
        neither does a page that a language model wrote, of which only the server knows what it states. Nor do lines of
        ours that quote the agent: errors, and the heads of several replies.
        """
        marks = frozenset(statement_hashes(replies))
        return frozenset(name for name, known in self.statements.items() if not marks.isdisjoint(known))


def _need(data: Sequence[Sequence[Sequence[str]]]) -> Need:
    return tuple(tuple(tuple(option) for option in group) for group in data)


def with_evidence(score: Score, evidence: Evidence, disclosed: Collection[str]) -> Score:
    """Return the score whose `earned`, `earned_rows` and `success` count only what the episode disclosed.

    A right cell without evidence counts as a wrong one, a row with such a cell is not whole. All other figures stay:
    they say how right the answer is, not where it came from. `disclosed` are hashes of cells.

    Raises ScoreError if the evidence is for a table of another shape.
    """
    columns, gold = score.reference
    shape = (len(gold), len(columns) if gold else 0)
    if (len(evidence.cells), len(evidence.cells[0]) if evidence.cells else 0) != shape:
        raise ScoreError(f"The evidence has {len(evidence.cells)} rows, the reference {shape[0]}: not this task's.")
    if not gold:
        zero = Rates(0.0, 0.0, 0.0)
        return (
            score if is_met(evidence.empty, disclosed) else replace(score, earned=zero, earned_rows=zero, success=False)
        )
    earning = earning_columns(columns, gold)
    counted = [c for c, col in enumerate(columns) if not col.key] or [*range(len(columns))]
    wrong = {(cell.gold_row, cell.column) for cell in score.wrong}
    good: dict[int, set[int]] = {}
    for _, j in score.matched:
        needs = evidence.cells[j]
        right = {c for c in counted if (j, columns[c].name) not in wrong and is_met(needs[c], disclosed)}
        # What the question itself states needs no evidence, and does not make a row earn.
        pays = any(needs[c] for c in right.intersection(earning[j] if any(earning) else counted))
        good[j] = right if pays else set()
    earned, earned_rows = earned_rates(good, len(score.rows), counted, earning)
    success = score.success and earned_rows.recall == 1.0
    return replace(score, earned=earned, earned_rows=earned_rows, success=success)


def evidenced_item(score: Score, evidence: Evidence, disclosed: Collection[str]) -> Rates:
    """Return item F1, with its precision and recall, of the right cells that the episode disclosed.

    Cells that the question states count in rows of which something was disclosed. `score.item` counts cells from memory
    too. `disclosed` are hashes of cells; the evidence is of the same task as the score (`with_evidence` checks it).
    """
    columns, gold = score.reference
    if not gold and not is_met(evidence.empty, disclosed):
        return Rates(0.0, 0.0, 0.0)
    wrong = {(cell.gold_row, cell.column) for cell in score.wrong}
    right = 0
    for _, j in score.matched:
        needs = [need for c, need in enumerate(evidence.cells[j]) if (j, columns[c].name) not in wrong]
        if any(need and is_met(need, disclosed) for need in needs):
            right += sum(is_met(need, disclosed) for need in needs)
    return Rates.of(right, len(score.rows) * len(columns), len(gold) * len(columns))


# ---- statements of a text

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[^a-z\s])")
_TITLE = re.compile(r"# (.+)")
_QUOTES_AGENT = re.compile(r"Error: |\[\d+ of \d+: ")
"""How lines start that quote a call: what an agent writes in one must not count as disclosed to it."""


def statements(text: str, title: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield the statements of a page in Markdown, each with the title it stands under and where it starts and ends.

    A statement is a line of a table or list, or a sentence of a paragraph; of a line "# Title" the title itself.
    """
    here = 0
    for line in text.split("\n"):
        heading = _TITLE.match(line)
        title = heading[1] if heading else title
        start = here
        ends = [] if line[:1] in {"|", "-", "#"} else [gap.start() for gap in _SENTENCE_ENDS.finditer(line)]
        for end in (*ends, len(line)):
            if line[start - here : end].strip():
                yield title, start, here + end
            start = here + end
        here += len(line) + 1


def statement_hash(title: str, statement: str) -> str:
    """Return the hash of a statement under a title, 8 characters; spaces at its ends and doubled ones don't count."""
    body = f"{' '.join(title.split())}\n{' '.join(statement.split())}"
    return urlsafe_b64encode(sha256(body.encode("utf-8", "replace")).digest()[:6]).decode()


def statement_hashes(replies: Iterable[str]) -> Iterator[str]:
    """Yield the hashes of the statements of tool replies; the next part of a page stands under the last title."""
    title = ""
    for reply in replies:
        text = "\n".join(line for line in reply.split("\n") if not _QUOTES_AGENT.match(line))
        for title, start, end in statements(text, title):  # noqa: B020 - the last title is the next reply's
            yield statement_hash(title, text[start:end])
