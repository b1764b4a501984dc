"""Text as the guard reads it: cleaned of disguises, cut into tokens, sentences and clauses.

Cleaning keeps case and punctuation, which carry meaning here (scoring's `fold` drops both). Positions are
those of the cleaned text throughout.
"""

import base64
import binascii
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import unescape
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote

from worldsmith.scoring.text import folded_char

Span = tuple[int, int]

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|&|[^\W_a-zA-Z0-9]+")
_AND = {"&": "and"}
_INITIALS = re.compile(r"(?<![^\W\d_])[^\W\d_]")
_JOINT = re.compile(r"[\W_]+")
_GAPS = re.compile(r"[ \t]{2,}")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_SENTENCE = re.compile(r"(?:[.!?]+[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\s*\n+\s*|\s*\.{3,}\s*)")
_SURE = re.compile(r"(?<=[a-z0-9)][a-z0-9)][.!?])\s+(?=[A-Z])")
_CLAUSE = re.compile(r"\s*(?:[;|()]|,\s|\s-\s|\s(?:and|but|while|whereas|although|which|who)\s)\s*")
_INITIAL = re.compile(r"(?:^|[^A-Za-z])(?:[A-Z]|No|Mr|Mrs|Ms|Dr|St|approx|ca|c|vs)\.$")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_MORSE = re.compile(r"(?:[.-]{1,5}[ /]+){6,}[.-]{1,5}")
_HEX = re.compile(r"\b(?:[0-9a-fA-F]{2}[ :]?){6,}")

_SIGNS = (
    dict.fromkeys("`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("―﹣", "-")
    | {"⁄": "/", "∕": "/", "٫": ".", "٬": ",", "×": "x"}
)
"""Signs that carry meaning here and that scoring's `fold` drops or keeps apart."""
_DROPPED = frozenset(("Mn", "Me", "Cf", "Cc", "Co", "Cs"))


def clean(text: str) -> str:
    """Return `text` without entities, percent escapes, accents, look-alikes, hidden characters and wide gaps."""
    if text.isascii() and "&" not in text and "%" not in text and "  " not in text and text.isprintable():
        return text
    return _clean(text)


class _Cleaning(dict[int, str]):
    """A translation table that works out each character once, from the one by which the scorer compares."""

    def __missing__(self, code: int) -> str:
        self[code] = cleaned = _cleaned_char(chr(code))
        return cleaned


def _cleaned_char(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\n\t" or category in _DROPPED:
        return char if char in "\n\t" else ""
    if char.isspace():
        return " "
    folded = _SIGNS.get(char) or folded_char(char)
    if category[0] in "PS":  # folding drops most of these
        return folded if folded.strip() else char
    upper = folded.upper()
    return upper if char.isupper() and upper.casefold() == folded else folded


_CLEANING = _Cleaning()


@lru_cache(maxsize=1024)  # the texts of a world: more would grow with each world that is opened
def _clean(text: str) -> str:
    for _ in range(2):
        if "&" in text:
            text = unescape(text)
    if _PERCENT.search(text):
        text = unquote(text)
    return _GAPS.sub(" ", unicodedata.normalize("NFKD", text).translate(_CLEANING))


def squeezed(text: str) -> str:
    """Return the letters and digits of the cleaned text in lower case: the form names are compared in.

    What the scorer holds for equal is equal here: & is "and".
    """
    return _JOINT.sub("", clean(text).replace("&", "and").casefold())


squeeze = lru_cache(maxsize=65536)(squeezed)
"""The same for short texts, kept."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a cleaned text in lower case."""
    return [_AND.get(t) or t.casefold() for t in _TOKEN.findall(text)]


class Scan(NamedTuple):
    """A cleaned text with its tokens, and the text without what lies between them."""

    text: str
    spans: Sequence[Span]
    squeezed: str
    ends: Sequence[int]
    """Where each token ends in `squeezed`."""

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Return first and last token of a stretch of `squeezed`, None where it cuts a token."""
        first = 0 if start == 0 else bisect_left(self.ends, start) + 1
        last = bisect_left(self.ends, end)
        if self.ends[last] != end or (first and self.ends[first - 1] != start):
            return None
        return first, last


def scan(text: str) -> Scan:
    """Return the tokens of a cleaned text."""
    spans = [m.span() for m in _TOKEN.finditer(text)]
    if text.isascii() and "&" not in text:
        lower = text.lower()
        read = [lower[start:end] for start, end in spans]
    else:
        read = tokens(text)
    return Scan(text, spans, "".join(read), list(accumulate(map(len, read))))


def lowered(text: str) -> str:
    """Return a cleaned text in lower case, every letter in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _cut(pattern: re.Pattern[str], text: str, start: int, end: int, whole: Sequence[Span]) -> Iterator[Span]:
    """Yield the stretches between matches of `pattern`, never cutting a span of `whole`."""
    here = start
    for match in pattern.finditer(text, start, end):
        a, b = match.span()
        if any(x < b and a < y for x, y in whole):
            continue
        if pattern is _SENTENCE and text[a] == "." and _INITIAL.search(text, max(start, a - 7), a + 1):
            continue
        if a > here:
            yield here, a
        here = b
    if here < end:
        yield here, end


def sentences(text: str, whole: Sequence[Span] = ()) -> list[Span]:
    """Return the sentences of a cleaned text; none ends within a span of `whole` or after an initial."""
    return list(_cut(_SENTENCE, text, 0, len(text), whole))


def stretches(text: str) -> list[str]:
    """Cut a text, cleaned or not, where a sentence surely ends: two small letters, a stop, a gap, a capital."""
    return _SURE.split(text) if len(text) > 60 else [text]


def clauses(text: str, sentence: Span, whole: Sequence[Span] = ()) -> list[Span]:
    """Return the clauses of a sentence."""
    return list(_cut(_CLAUSE, text, *sentence, whole))


def decoded(text: str) -> tuple[str, ...]:
    """Return what base64 and hexadecimal stretches of a cleaned text decode to, where readable; Morse as it is."""
    readable = _MORSE.findall(text) if ". " in text or "- " in text else []
    for match in _CODED.finditer(text):
        body = match.group().rstrip("=")
        if body.isalpha() and (body.islower() or body.istitle()):
            continue  # an ordinary word
        plain = _base64(body)
        if plain:
            readable.append(plain)
    for match in _HEX.finditer(text):
        plain = _readable(bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", match.group())))
        if plain:
            readable.append(plain)
    return tuple(readable)


def initials(text: str) -> str:
    """Return the first letters of the words of a cleaned text, in lower case."""
    return "".join(_INITIALS.findall(text)).lower()


def _base64(body: str) -> str:
    try:
        return _readable(
            base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_" if set("-_") & set(body) else None)
        )
    except (binascii.Error, ValueError):
        return ""


def _readable(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    letters = sum(c.isalnum() or c.isspace() for c in text)
    return text if text.isprintable() and letters >= 0.8 * len(text) and len(text) >= 5 else ""
