"""Options, truth values and nulls as a clause says them: words too common to be judged away from their label."""

import re
from collections.abc import Sequence
from functools import lru_cache

from worldsmith.simulate.guard.text import Scan, Span, clean, scan, squeeze, tokens

_WORD = re.compile(r"[^\W\d_]{2,}")
_NOT = re.compile(r"\b(?:not|cannot|no|non|isn't|aren't|wasn't|without|never|false)\b|n't\b|\bun-?$", re.IGNORECASE)
SAYS = re.compile(r"(?:\b(?:is|are|was|were|it's|fully|also|a|an|this|the only))\s*(?:a\s|an\s)?$", re.IGNORECASE)
"""What stands before a word that is said of something: "is a", "this"."""
AHEAD = 24
"""Characters after a clause in which the value of its label may stand: a clause ends at a colon."""
_NO, _YES = frozenset(("no", "false", "never")), frozenset(("yes", "true"))


def same_option(value: object, stated: str | bool) -> bool:
    return value is stated if isinstance(stated, bool) else isinstance(value, str) and squeeze(value) == squeeze(stated)


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether what stands from `start` on before a word at `end` denies it: half a word ("Zungi-no") denies nothing."""
    return _NOT.search(text, max(start, 0), end) is not None


def stated_truth_value(text: str, clause: Span, cue: Span) -> bool | None:
    """Return what a clause says of a truth value named at `cue`: True, False, or None where it only names it."""
    before, after = text[clause[0] : cue[0]], text[cue[1] : clause[1]]
    # a clause ends at a colon, but a label's value stands behind it
    tail = after or re.split(r"[.;,|\n]", text[cue[1] : cue[1] + 16])[0]
    spelled = squeeze(re.split(r"[;,|\n]", text[cue[1] : cue[1] + 16])[0])  # "N.o", "y e s"
    first = {w.lower() for w in _WORD.findall(tail)[:2]} | {spelled}
    if first & _NO or is_denied(text, max(clause[0], cue[0] - 24), cue[0]):
        return False
    if first & _YES or SAYS.search(before):
        return True
    return None


_VOID = re.compile(r"\s*(?::|=|-|is|are|was|were|has been)?\s*(.*)", re.DOTALL)


def states_null(after: str, none: str) -> bool:
    """Whether what follows a label says that there is no value: in the column's own words, or "none" and "n/a"."""
    match = _VOID.match(after)
    words = tokens(match.group(1) if match else after)[:4]
    return any(words[: len(filler)] == filler for filler in _fillers(none))


@lru_cache(maxsize=1024)
def _fillers(none: str) -> tuple[list[str], ...]:
    own = tokens(clean(none))
    return (*([own] if own else []), ["none"], ["n", "a"], ["null"])


def named_option(text: str, clause: Span, labels: Sequence[str]) -> str | None:
    """Return the option of a closed list that a clause (or what follows its colon) names, the longest one."""
    read = scan(text[clause[0] : clause[1] + AHEAD])
    return next((label for label in sorted(labels, key=len, reverse=True) if _names(read, squeeze(label))), None)


def _names(read: Scan, key: str) -> bool:
    at = read.squeezed.find(key) if key else -1
    while at >= 0:
        if read.place(at, at + len(key)):
            return True
        at = read.squeezed.find(key, at + 1)
    return False
