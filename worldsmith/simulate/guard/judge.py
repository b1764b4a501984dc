"""Judges a text: cut into statements, each judged on its own; and what in a text is no statement."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from worldsmith.cache import keep
from worldsmith.scoring.text import without_markup
from worldsmith.simulate.guard.claims import address_or_order
from worldsmith.simulate.guard.entitlement import Columns, Facts
from worldsmith.simulate.guard.names import Names
from worldsmith.simulate.guard.quantity import quantities
from worldsmith.simulate.guard.sentence import Sentence, within
from worldsmith.simulate.guard.statements import Statements
from worldsmith.simulate.guard.text import clean, decoded, initials, scan, sentences, stretches
from worldsmith.simulate.guard.vocabulary import echo_spans
from worldsmith.simulate.protocol import Reason, Rejection, Verdict
from worldsmith.world.model import Cell, Row, World


class Judgement(NamedTuple):
    """The judgement of a unit: one verdict per statement, and the cells that accepted statements state."""

    verdicts: tuple[Verdict, ...]
    stated: tuple[Cell, ...]
    rows: tuple[Row, ...] = ()
    """Rows that were named."""

    @property
    def ok(self) -> bool:
        """Whether every statement is accepted."""
        return all(v.ok for v in self.verdicts)


@cache
def passed(where: str) -> Verdict:
    """Return the verdict that all accepted units share: thousands are kept."""
    return Verdict(where, ok=True)


_MARKUP = re.compile(r"[<\[\\*_~【]")
LONGEST = 4000
"""Characters of a statement, at most: no honest text is longer, and the time to judge it is quadratic."""
JUDGEMENTS = 24
"""Judgements that the facts of a unit keep."""
SPELLED = 16
"""Half the characters of the shortest text whose words may spell a name by their first letters."""
PLAIN = 1024
"""Texts without a fact that are accepted on any page, kept."""


class Judge:
    """Judges the texts of one world."""

    def __init__(self, world: World, names: Names, columns: Columns, chrome: Sequence[str] = ()) -> None:
        self.names = names
        self.columns = columns
        self.statements = Statements(world, names, columns, chrome)
        self._plain: dict[str, None] = {}

    def text(self, where: str, text: str, facts: Facts, topic: Sequence[Row] = (), query: str = "") -> Judgement:
        """Judge running text, sentence by sentence; those known to be accepted anywhere are skipped.

        Text with markup is judged once more without it, which is how a scorer reads an answer.
        """
        judgement = self._text(where, text, facts, topic, query)
        bare = without_markup(text) if _MARKUP.search(text) else text
        if bare == text or clean(bare) == clean(text):
            return judgement
        again = self._text(where, bare, facts, topic, query)
        return Judgement(
            (*judgement.verdicts, *(v for v in again.verdicts if not v.ok)), judgement.stated, judgement.rows
        )

    def _text(self, where: str, text: str, facts: Facts, topic: Sequence[Row], query: str) -> Judgement:
        parts = stretches(text)
        left = [part for part in parts if part not in self._plain]
        judgements = [self._kept(where, part, facts, topic, query) for part in left]
        return self.joined(where, text, facts, judgements)

    def joined(self, where: str, text: str, facts: Facts, judgements: Sequence[Judgement]) -> Judgement:
        """Return the judgement of a text from those of its parts; the first letters of all of it may spell a name."""
        hidden = self.names.spelled_name(initials(clean(text))) if len(text) > 2 * SPELLED else None
        if hidden and hidden not in facts.sayable_names:
            spelled = Rejection(Reason.HIDDEN, "spells a name by first letters")
            judgements = [*judgements, Judgement((spelled.of(where, text),), ())]
        if not judgements:
            return Judgement((passed(where),), ())
        if len(judgements) == 1:
            return judgements[0]
        return Judgement(
            tuple(v for judgement in judgements for v in judgement.verdicts),
            tuple(cell for judgement in judgements for cell in judgement.stated),
            tuple(dict.fromkeys(row for judgement in judgements for row in judgement.rows)),
        )

    def _kept(self, where: str, text: str, facts: Facts, topic: Sequence[Row], query: str) -> Judgement:
        """Judge a stretch by facts, once while those are kept."""
        if topic or query:
            return self._stretch(where, text, facts, topic, query)
        judgement = facts.judgements.get((where, text))
        if judgement is None:
            judgement = self._stretch(where, text, facts, topic, query)
            keep(facts.judgements, (where, text), judgement, JUDGEMENTS)
        return judgement

    def _stretch(self, where: str, text: str, facts: Facts, topic: Sequence[Row], query: str) -> Judgement:
        cleaned = clean(text)
        if len(cleaned) > LONGEST:
            long = Rejection(Reason.HIDDEN, f"is a statement of {len(cleaned)} characters, too long to be judged")
            return Judgement((long.of(where, cleaned[:200]),), ())
        whole = self._read(cleaned)
        echoes = echo_spans(cleaned, query)
        verdicts: list[Verdict] = []
        stated: list[Cell] = []
        rows: list[Row] = []
        spans = [*whole.covered, *(m.span for m in whole.options), *(q.span for q in whole.counted)]
        parts = sentences(cleaned, spans)
        for part in parts:
            sentence = whole.within(part) if len(parts) > 1 else whole._replace(span=part)
            finding = self.statements.judge(where, sentence, facts, topic, echoes, query)
            if finding.wrong:
                verdicts.append(finding.wrong.of(where, cleaned[part[0] : part[1]]))
            else:
                verdicts.append(passed(where))
                stated += finding.cells
                rows += finding.rows
        coded = Rejection(Reason.HIDDEN, "carries coded text") if decoded(cleaned) else None
        hidden = coded or address_or_order(cleaned, [m.span for m in whole.names])
        if hidden:
            verdicts.append(hidden.of(where, cleaned))
        judgement = Judgement(tuple(verdicts), tuple(stated), tuple(dict.fromkeys(rows)))
        if judgement.ok and not stated and not query and self.statements.says_nothing(whole):
            keep(self._plain, text, None, PLAIN)
        return judgement

    def _read(self, cleaned: str) -> Sentence:
        """Return a cleaned text with all that is named, labelled and counted in it."""
        mentions = self.names.find(scan(cleaned))
        # a declared phrase hides its own numbers alone: "and" is one, and stands within "one hundred and six"
        chrome = [m.span for m in mentions if m.kind == "chrome"]
        counted = quantities(cleaned, [m.span for m in mentions if m.kind != "chrome"])
        return Sentence(
            cleaned,
            (0, len(cleaned)),
            tuple([m for m in mentions if m.kind not in ("cue", "option")]),
            tuple([m for m in mentions if m.kind == "cue"]),
            tuple([q for q in counted if not any(within(q.span, span) for span in chrome)]),
            tuple([m for m in mentions if m.kind == "option"]),
        )
