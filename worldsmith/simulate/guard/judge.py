"""The judgement of a text: cut into statements, each judged; texts that are no statement; and what was made of it."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from worldsmith.cache import keep
from worldsmith.scoring.text import without_markup
from worldsmith.simulate.guard.claims import unfit
from worldsmith.simulate.guard.entitlement import Columns, Ground
from worldsmith.simulate.guard.names import Names
from worldsmith.simulate.guard.quantity import quantities
from worldsmith.simulate.guard.rejection import Rejection
from worldsmith.simulate.guard.sentence import Sentence, within
from worldsmith.simulate.guard.statements import Statements
from worldsmith.simulate.guard.text import clean, decoded, initials, scan, sentences, stretches
from worldsmith.simulate.guard.vocabulary import echo_spans
from worldsmith.simulate.protocol import Reason, Verdict
from worldsmith.world.model import Cell, Row, World


class Heard(NamedTuple):
    """What was made of a unit: a verdict a statement, and the cells that accepted statements state."""

    verdicts: tuple[Verdict, ...]
    stated: tuple[Cell, ...]
    rows: tuple[Row, ...] = ()
    """Rows that were named."""

    @property
    def ok(self) -> bool:
        """Whether every statement stands."""
        return all(v.ok for v in self.verdicts)


@cache
def passed(where: str) -> Verdict:
    """Return the one verdict on all that stands: thousands are kept, so they share it."""
    return Verdict(where, ok=True)


_MARKUP = re.compile(r"[<\[\\*_~【]")
LONGEST = 4000
"""Characters of a statement: what has more is no honest text, and would cost its square."""
HEARD = 24
"""Texts that a ground remembers."""
SPELLED = 16
"""Characters of two words a letter, at least: what is shorter spells no name by its words' first letters."""
PLAIN = 1024
"""Texts without a fact that are known to stand anywhere."""


class Judge:
    """Judges the texts of one world."""

    def __init__(self, world: World, names: Names, columns: Columns, chrome: Sequence[str] = ()) -> None:
        self.names = names
        self.columns = columns
        self.statements = Statements(world, names, columns, chrome)
        self._plain: dict[str, None] = {}

    def text(self, where: str, text: str, ground: Ground, topic: Sequence[Row] = (), query: str = "") -> Heard:
        """Judge running text, sentence by sentence; those known to stand anywhere are passed over.

        Text with markup is judged once more without it, which is how a scorer reads an answer.
        """
        heard = self._text(where, text, ground, topic, query)
        bare = without_markup(text) if _MARKUP.search(text) else text
        if bare == text or clean(bare) == clean(text):
            return heard
        again = self._text(where, bare, ground, topic, query)
        return Heard((*heard.verdicts, *(v for v in again.verdicts if not v.ok)), heard.stated, heard.rows)

    def _text(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        parts = stretches(text)
        left = [part for part in parts if part not in self._plain]
        hidden = self.names.spelled(initials(clean(text))) if len(text) > 2 * SPELLED else ""
        if not left and not hidden:
            return Heard((passed(where),), ())
        told = [self._kept(where, part, ground, topic, query) for part in left]
        if hidden and hidden not in ground.spoken:
            spelled = Rejection(Reason.HIDDEN, "spells a name by first letters")
            told.append(Heard((spelled.of(where, text),), ()))
        if len(told) == 1:
            return told[0]
        return Heard(
            tuple(v for heard in told for v in heard.verdicts),
            tuple(cell for heard in told for cell in heard.stated),
            tuple(dict.fromkeys(row for heard in told for row in heard.rows)),
        )

    def _kept(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        """Judge a stretch on its ground, once while the ground is kept."""
        if topic or query:
            return self._stretch(where, text, ground, topic, query)
        heard = ground.heard.get((where, text))
        if heard is None:
            heard = self._stretch(where, text, ground, topic, query)
            if len(ground.heard) < HEARD:
                ground.heard[where, text] = heard
        return heard

    def _stretch(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        told = clean(text)
        if len(told) > LONGEST:
            long = Rejection(Reason.HIDDEN, f"is a statement of {len(told)} characters, too long to be judged")
            return Heard((long.of(where, told[:200]),), ())
        read = scan(told)
        mentions = self.names.find(read)
        names = tuple([m for m in mentions if m.kind not in ("cue", "option")])
        options = tuple([m for m in mentions if m.kind == "option"])
        cues = tuple([m for m in mentions if m.kind == "cue"])
        # a declared phrase hides its own numbers alone: "and" is one, and stands within "one hundred and six"
        chrome = [m.span for m in names if m.kind == "chrome"]
        counted = tuple(quantities(told, [m.span for m in mentions if m.kind != "chrome"]))
        if chrome:
            counted = tuple([q for q in counted if not any(within(q.span, span) for span in chrome)])
        echoes = echo_spans(told, query)
        whole = [m.span for m in mentions] + [q.span for q in counted]
        verdicts: list[Verdict] = []
        stated: list[Cell] = []
        rows: list[Row] = []
        parts = sentences(told, whole)
        for part in parts:
            sentence = Sentence(told, part, names, cues, counted, options)
            if len(parts) > 1:
                sentence = sentence.alone()
            found = self.statements.judge(where, sentence, ground, topic, echoes, query)
            if found.wrong:
                verdicts.append(found.wrong.of(where, told[part[0] : part[1]]))
            else:
                verdicts.append(passed(where))
                stated += found.cells
                rows += found.rows
        coded = Rejection(Reason.HIDDEN, "carries coded text") if decoded(told) else None
        hidden = coded or unfit(told, [m.span for m in names])
        if hidden:
            verdicts.append(hidden.of(where, told))
        heard = Heard(tuple(verdicts), tuple(stated), tuple(dict.fromkeys(rows)))
        if (
            heard.ok
            and not counted
            and not stated
            and not query
            and not options
            and self.statements.says_nothing(told, names, cues)
        ):
            keep(self._plain, text, None, PLAIN)
        return heard
