"""A draft made by a language model: tables, rules, background, needs, each checked, and mended at most so many times.

What a step can't mend is left as it was before, or loses the rules at fault; the best so far is always kept.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from worldsmith.drafting import answers, prompts
from worldsmith.drafting.documents import Document, names_in
from worldsmith.drafting.parts import Data, changed
from worldsmith.drafting.review import Finding, Review, review, without_rules
from worldsmith.errors import BackendError
from worldsmith.schema_lint.language import lint_language
from worldsmith.simulate.llm.prompt import Prompt
from worldsmith.simulate.protocol import Conversation, Exchange

T = TypeVar("T")
ADVICE_ROUNDS = 1
"""Rounds for advice alone, of a draft without faults."""
_NOT_NAME = re.compile(r"[^a-z0-9]+")


class Requests:
    """Asks an author, each time under a deadline of its own, and keeps what was exchanged."""

    def __init__(self, author: "Author") -> None:
        self._author = author
        self.exchanges: list[Exchange] = []

    async def ask(self, prompt: Prompt) -> dict[str, Any] | None:
        """Return the table that the answer holds; None where none can be read. Raises BackendError."""
        conversation = Conversation()
        try:
            return await self._author.ask(prompt, answers.answer_data, conversation)
        finally:
            self.exchanges += conversation.exchanges


class UnreadableError(BackendError):
    """Answers that hold nothing that can be read."""


class Author(Protocol):
    """What writes: a `Backend`, or a script in tests."""

    async def ask(self, what: Prompt, read: Callable[[str], T], conversation: Conversation) -> T:
        """Return what `read` makes of the answer. Raises BackendError where none comes."""
        ...


@dataclass(slots=True)
class StepRecord:
    """What became of a step."""

    step: str
    rounds: int = 0
    """Repairs asked for."""
    mended: list[Finding] = field(default_factory=list)
    """Findings that are gone."""
    left: list[Finding] = field(default_factory=list)
    """Findings that stay."""
    dropped: list[Finding] = field(default_factory=list)
    """Findings that went with what they are of: rules, or all that the step gave."""
    error: str = ""
    """Why it ended early: the model did not answer."""
    unreadable: bool = False
    """Whether it did, and none of it could be read: the next step may fare better."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        findings = {name: [one.to_json() for one in getattr(self, name)] for name in ("mended", "left", "dropped")}
        return {"step": self.step, "rounds": self.rounds, **findings, "error": self.error}


@dataclass(slots=True)
class Draft:
    """What a model drafted."""

    review: Review
    steps: list[StepRecord]
    exchanges: list[Exchange]

    @property
    def passed(self) -> bool:
        """Whether `schema check` finds no fault in it."""
        return self.review.schema is not None and not self.review.faults

    @property
    def whole(self) -> bool:
        """Whether no step ended early."""
        return not any(step.error for step in self.steps)


class Drafting:
    """Makes one draft.

    Args:
        author: the model.
        rounds: repairs of a step, at most.
        worlds: trial worlds of a check.
        report: called with a line about each check.
        keep: called with the draft so far after each step.
    """

    def __init__(
        self,
        author: Author,
        *,
        rounds: int = 4,
        worlds: int = 6,
        report: Callable[[str], object] = lambda _line: None,
        keep: Callable[["Draft"], object] = lambda _draft: None,
    ) -> None:
        self._rounds, self._worlds, self._report, self._keep = rounds, worlds, report, keep
        self._requests = Requests(author)
        self._names: Collection[str] = ()

    async def draft(self, subject: str, documents: Sequence[Document] = ()) -> Draft:
        """Return a draft about a subject, from documents, or both; a name that the subject itself gives is none."""
        self._names = names_in(document.text for document in documents) - {
            word for word in _NOT_NAME.split(subject.lower()) if word
        }
        first = prompts.subject_prompt("tables", answers.TablesAnswer, subject, documents)
        best, record = await self._step("tables", first, Review({}, (Finding("", "there are no tables"),)))
        result = Draft(best, [record], self._requests.exchanges)
        self._keep(result)
        if best.schema is not None and not best.faults and not record.error:
            for step, answer in (
                ("rules", answers.RulesAnswer),
                ("background", answers.BackgroundAnswer),
                ("needs", answers.NeedsAnswer),
            ):
                prompt = prompts.step_prompt(step, answer, best.data, _hints(step, best))
                best, record = await self._step(step, prompt, best)
                result = Draft(best, [*result.steps, record], self._requests.exchanges)
                self._keep(result)
                if record.error and not record.unreadable:
                    break
        return result

    async def _step(self, step: str, prompt: Prompt, before: Review) -> tuple[Review, StepRecord]:
        """Ask for a step and its repairs; return the best draft and what became of the step."""
        record = StepRecord(step)
        self._report(f"{step}: asking")
        best, reviews = before, list[Review]()
        try:
            while True:
                data = _limited(step, await self._answer(prompt, record), before)
                now = self._review(step, changed((best if reviews else before).data, data))
                reviews.append(now)
                self._report(f"{step}: {_summary(now, record.rounds)}")
                best = now if len(reviews) == 1 or now.score <= best.score else best
                limit = self._rounds if now.faults else min(self._rounds, ADVICE_ROUNDS)
                if not now.findings or record.rounds >= limit:
                    break
                record.rounds += 1
                prompt = prompts.repair_prompt(answers.RepairAnswer, best.data, best.findings)
        except BackendError as error:
            record.error, record.unreadable = str(error), isinstance(error, UnreadableError)
            self._report(f"{step}: {error}")
        best = self._settled(step, best, before, record)
        findings = {str(finding): finding for one in reviews for finding in one.findings}
        gone = {*map(str, best.findings), *map(str, record.dropped)}
        record.mended = [finding for text, finding in findings.items() if text not in gone]
        record.left = list(best.findings)
        return best, record

    async def _answer(self, prompt: Prompt, record: StepRecord) -> dict[str, Any]:
        """Return the table of an answer, asked for again where it can't be read. Raises BackendError."""
        while (data := await self._requests.ask(prompt)) is None:
            if record.rounds >= self._rounds:
                raise UnreadableError(
                    f"{record.rounds + 1} answers in a row held no JSON object or TOML that can be read: take a larger "
                    "model, or give it more --max-tokens"
                )
            record.rounds += 1
            self._report(f"{record.step}: no answer that can be read; asked again")
            prompt = prompts.unreadable_prompt(prompt)
        return data

    def _review(self, step: str, data: Data) -> Review:
        return review(_named(data), self._names, self._worlds, background=step == "background")

    def _settled(self, step: str, best: Review, before: Review, record: StepRecord) -> Review:
        """Return a draft without what a step could not mend: rules at fault, or all that the step gave."""
        if step == "tables" or not best.faults:
            return best
        reduced, dropped = best, list[Finding]()
        while reduced.faulty_rules:  # without some, others may be found at fault
            dropped += [finding for finding in reduced.faults if finding.place.startswith("rules.")]
            reduced = self._review(step, without_rules(reduced.data, reduced.faulty_rules))
        kept = before if reduced.faults else reduced
        record.dropped = list(best.faults) if reduced.faults else dropped
        return kept


def _limited(step: str, data: dict[str, Any], before: Review) -> dict[str, Any]:
    """Return what a step may change: a further one adds to what passed, and a repair may change all."""
    if step == "rules" and not data.keys() & answers.RepairAnswer.model_fields.keys():
        return {"rules": data}  # the rules without what they are named by
    if step == "background" and isinstance(data.get("tables"), dict) and before.schema is not None:
        ours = before.schema.tables
        tables = {
            name: {**table, "background": True} if isinstance(table, dict) and name not in ours else table
            for name, table in data["tables"].items()
        }
        return {**data, "tables": tables}
    return data


def _named(data: Data) -> Data:
    """Return a draft whose name is one: models write "Mountain Huts"."""
    name = data.get("name")
    if isinstance(name, str):
        data = {**data, "name": (_NOT_NAME.sub("_", name.lower()).strip("_0123456789") or "draft")[:40]}
    return data


def _hints(step: str, before: Review) -> list[str]:
    """Return what a step is told beside the draft: what lacks rivals."""
    if step != "background" or before.schema is None:
        return []
    lacking = list(lint_language(before.schema).rivals)
    return [f"Numbers and dates without such values yet: {', '.join(lacking)}"] if lacking else []


def _first_line(finding: Finding) -> str:
    line = str(finding).split("\n", 1)[0]
    return line if len(line) <= 160 else f"{line[:159]}…"


def _summary(now: Review, number: int) -> str:
    again = f" after repair {number}" if number else ""
    advice = len(now.findings) - len(now.faults)
    if not now.findings:
        return f"passed{again}"
    faults = f"{len(now.faults)} fault{'' if len(now.faults) == 1 else 's'}"
    return f"{faults}, {advice} advice{again}: {_first_line(now.findings[0])}"
