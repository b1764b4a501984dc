"""Claims without a value, as words make them: denials, superlatives, hearsay; and no statements: addresses, orders."""

import re
from collections.abc import Iterator, Sequence

from worldsmith.simulate.guard.quantity import SMALL
from worldsmith.simulate.guard.text import Span, lowered
from worldsmith.simulate.protocol import Reason, Rejection

_HEARSAY = re.compile(
    r"\b(?:is|are|was|were|has been|have been) (?:widely |often |also )?"
    r"(?:said|thought|believed|reported|rumou?red|alleged|"
    r"considered|regarded|known|reputed|understood|claimed|feared|supposed|assumed|tipped) (?:to|as|by|that|for)\b"
    r"|\b(?:reportedly|allegedly|supposedly|apparently|presumably|purportedly|"
    r"rumou?rs? (?:of|that|has|have|about)|rumou?red|legend has|"
    r"word has it|it is (?:said|thought|believed|reported|rumou?red|claimed|alleged))\b"
    r"|\baccording to (?!(?:the|our|its|these|this) (?:\w+ )?(?:registers?|records?|table|page|list|data|entry|"
    r"figures|sheet|files?|books?|index|directory)\b)"
    r"|\b(?:widely|generally|commonly|still) (?:expected|seen|regarded|believed|thought|considered|known)\b"
    r"|\bcould be (?:seen|sold|closed)\b",
)
_VOICES = re.compile(
    r"\b(?:some|many|most|few|others|people|locals?|neighbou?rs|residents|customers|visitors|users|buyers|owners|staff|"
    r"colleagues|employees|insiders|sources|observers|analysts|experts|critics|reviewers|scouts|fans|players|audiences|"
    r"reports|tests|studies|commentators|historians|pundits|supporters|readers|viewers|investors|rivals)\s"
    r"(?:\w+ly\s)?(?:say|said|think|thought|believe|claim|report|expect|fear|hope|describe|regard|consider|complain|"
    r"suggest|praise|call|feel|agree|predict|suspect|remember|love|like|hate|admire|criticise|criticize)(?:e?d)?\b",
)
_DIGITS = r"\s+[~$€£\"']?[\d\"']"
_BOUND = rf"(?:more|less|fewer) than(?:{_DIGITS}|\s+(?:{'|'.join(SMALL)})\b)"
"""A bound on a number, which is judged with the number."""
_COMPARED = re.compile(
    rf"\b(?!{_BOUND})(?:(?!other|rath|furth|wheth|ev|ov|und|numb)[a-z]{{2,}}er|more|less|fewer)"
    rf" (?:[a-z]+ ){{0,2}}?than\b(?!{_DIGITS})",
)
_DENIAL = re.compile(
    rf"\b(?:(?:no|not)\b(?! {_BOUND})|(?:cannot|never|none of|without|lacks?|neither|nor)\b)|n't\b"
    r"|\b(?:nobody|no one|nowhere)\b"
)
_ALONE = re.compile(r"nobody|no one|nowhere")
_WORD = re.compile(r"[^\W\d_]+")
_STOP = re.compile(r"[,;.:()|]")
_SUPERLATIVE = re.compile(
    r"\b[a-z]{3,}est\b"
    r"|\bthe (?:most|least) (?!of\b|important|likely|recently|common\b|useful|details?|data|figures)\w+"
    r"|\b(?:most|least) (?:expensive|populous|popular|valuable|costly|recent|successful|powerful|crowded)\b"
    r"|\b(?:the|its|his|her|their) (?:best|worst|top|leading|sole)\b(?! of| \w+ of this)|\bmarket leader\b"
    r"|\bthe (?:minimum|maximum)\b(?! of| number)",
)
AVERAGE = re.compile(
    r"\baverag\w+|\bmedian\b|(?:(?<=\bthe )|(?<=\ba )|(?<=\bits )|(?<=\btheir ))mean\b|\btypical(?:ly)?\b"
)
LAST = re.compile(
    r"\b(?:comes?|came|ranks?|ranked|places?|placed|finish(?:es|ed)?|stands?|stood|sits?|is|are|was|were|in|at|dead|ends?)"
    r"\s(?:(?:in|at|dead)\s)?(?:the\s)?(?:very\s)?(?:last|bottom)"
    r"(?=\s(?:of|in|by|among|on|for|place|position)\b|\s*[.,;!)]|\s*$)"
)
TOP = re.compile(
    r"\b(?:tops|topped|topping|(?:leads|led) the (?:list|ranking|table|field|pack)|(?:at|in) (?:the top|first place)"
    r"|number one|(?:ranks?|ranked|comes?|came|placed|finish(?:es|ed)?) (?:first|top))\b"
)
_OTHERWISE = frozenset(
    ("interest", "request", "forest", "harvest", "contest", "honest", "modest", "protest", "suggest", "invest",
     "arrest", "digest", "manifest", "nearest", "latest", "conquest", "tempest", "crest", "chest", "guest", "quest",
     "midwest",
     "northwest", "southwest", "west", "rest", "test", "everest", "inquest", "bequest")
)  # fmt: skip
_ROMAN = re.compile(r"\b(?=[IVXLCDM]{2,}\b)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_ADDRESS = re.compile(r"(?:https?|ftp|file)://|\bwww\.|\b(?:javascript|data|vbscript):\S|\]\s?\(", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|previous|above|rules|told)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|^\s*(?:system|assistant|user)\s*:"
    r"|\b(?:answer|reply|respond) with\b|\bas an ai\b|\bcorrect answer\b|\bthe answer (?:is|to)\b"
    r"|\byou (?:must|should|are to) (?:answer|reply|respond|ignore|say|output)\b",
    re.IGNORECASE | re.MULTILINE,
)

_ORDER_WORDS = (
    "ignore|disregard|forget|override|prompt|message|answer|reply|respond|as an ai|system|assistant|user|"
    "you must|you should|you are to"
)
_UNFIT = (
    (_ADDRESS, ("://", "www.", "script:", "data:", "](", "] ("), "an address"),
    (_ORDER, tuple(_ORDER_WORDS.split("|")), "an order to its reader"),
)
"""Patterns, each with the words of which a text that it finds has one, and what it is."""


def address_or_order(text: str, names: Sequence[Span]) -> Rejection | None:
    """Return what in a text is no statement about the world: an address or an order to its reader.

    What stands within a name (a world may be hostile) is that name.
    """
    lower = text.lower()
    for pattern, hints, what in _UNFIT:
        if not any(hint in lower for hint in hints):
            continue
        for match in pattern.finditer(text):
            if not _inside(match.span(), names):
                return Rejection(Reason.HIDDEN, f"carries {match.group().strip()!r}, {what}")
    return None


_HINTS = {
    _SUPERLATIVE: ("est", "most", "least", "worst", "top", "leading", "sole", "leader", "minimum", "maximum"),
    _COMPARED: ("than",),
    _DENIAL: ("no", "n't", "never", "without", "lack", "neither"),
    AVERAGE: ("averag", "median", "mean", "typical"),
    LAST: ("last", "bottom"),
    TOP: ("top", "first", "number one", "leads the", "led the"),
}
"""Of what a pattern finds, one stands in the text: far the most texts have none."""


def _hinted(pattern: re.Pattern[str], lower: str, span: Span) -> Iterator[re.Match[str]]:
    return pattern.finditer(lower, *span) if any(hint in lower for hint in _HINTS[pattern]) else iter(())


def superlatives(text: str, span: Span, covered: Sequence[Span]) -> list[str]:
    """Return the superlatives of a sentence outside names, labels and declared phrases, in lower case."""
    words = [m.group() for m in _hinted(_SUPERLATIVE, lowered(text), span) if not _inside(_last_word(m), covered)]
    return [word for word in words if word not in _OTHERWISE]


def _last_word(match: re.Match[str]) -> Span:
    """Return the superlative itself: "its best inspection score" is a label with a word before it."""
    return match.end() - len(match.group().rpartition(" ")[2]), match.end()


def pattern_matches(pattern: re.Pattern[str], text: str, span: Span, covered: Sequence[Span]) -> list[str]:
    """Return where a sentence says what a pattern of places or averages finds, outside names and labels."""
    return [m.group() for m in _hinted(pattern, lowered(text), span) if not _inside(m.span(), covered)]


def comparatives(text: str, span: Span, covered: Sequence[Span]) -> list[Span]:
    """Return where a sentence says "more than" and the like of something that is no number."""
    return [m.span() for m in _hinted(_COMPARED, lowered(text), span) if not _inside(m.span(), covered)]


def hearsay_or_roman_numeral(text: str, span: Span, covered: Sequence[Span]) -> Rejection | None:
    """Return what is wrong with a sentence that passes on what others say, or a number in letters.

    What stands within names, labels and declared phrases is those.
    """
    letters = _first(_ROMAN, text, text, span, covered)
    if letters:
        return Rejection(Reason.CLAIM, f"says {letters!r}, a number in letters")
    others = _first(_HEARSAY, lowered(text), text, span, covered)
    return hearsay_rejection(others) if others else None


def hearsay_rejection(what: str) -> Rejection:
    """Return what is wrong with words that pass on what others say."""
    return Rejection(Reason.CLAIM, f"says {what!r}, which passes on what no fact of this page says")


def reported_speech(text: str, span: Span, covered: Sequence[Span]) -> str | None:
    """Return where a sentence has people say, think or expect something, outside of names and declared phrases."""
    return _first(_VOICES, lowered(text), text, span, covered)


def _first(pattern: re.Pattern[str], read: str, text: str, span: Span, covered: Sequence[Span]) -> str | None:
    """Return the first match outside of what is covered, read in one form of a text, as it stands in the other."""
    return next((text[slice(*m.span())] for m in pattern.finditer(read, *span) if not _inside(m.span(), covered)), None)


def denials(text: str, span: Span, covered: Sequence[Span]) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield where a sentence denies something, with the words that it may deny; none where it denies all that live."""
    lower = lowered(text)
    for match in _hinted(_DENIAL, lower, span):
        if _inside(match.span(), covered):
            continue
        stop = _STOP.search(text, match.end(), span[1])
        words = tuple(_WORD.findall(lower, match.end(), stop.start() if stop else span[1])[:7])
        if _ALONE.fullmatch(match.group()):
            yield match.span(), ()
        elif words:
            yield match.span(), words


def _inside(span: Span, outer: Sequence[Span]) -> bool:
    return any(a <= span[0] and span[1] <= b for a, b in outer)
