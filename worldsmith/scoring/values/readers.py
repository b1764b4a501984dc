"""Read a span of text as a value of one kind."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from ..column import Kind
from ..text import LONGEST_CACHED, fold, is_struck_out, squash, without_markup
from .asides import denies
from .dates import read_date, read_year
from .numbers import read_number
from .reading import Reading


def read(span: str, kind: Kind) -> tuple[Reading, ...]:
    """Return every way to understand the span as a value of this kind; none when it can't be read.

    Markdown and HTML around the value are ignored. Text, enumerations and booleans with words of their own give one
    reading of kind "text". Of an empty span there is no reading.
    """
    return _read_cached(span, kind) if len(span) <= LONGEST_CACHED else _read(span, kind)


def _read(span: str, kind: Kind) -> tuple[Reading, ...]:
    text = readable_text(span, kind)
    readings = _READERS[kind](text) if text else ()
    if (
        text
        and kind in ("text", "enum")
        and ("[" in span or "【" in span)
        and (named := without_markup(span, cited=True)) != text
    ):
        # What looks like a citation may be part of a name.
        readings = tuple(dict.fromkeys((*readings, *_READERS[kind](named))))
    return readings


def readable_text(span: str, kind: Kind) -> str:
    """Return the span as it is read: without markup and quotation marks, and "" where part of it is struck out.

    Of a number or date ticks, bullets and emoji beside it go too, and the dollar signs of a formula: "163 ✓", "$163$";
    of a date or year a raised mark, which can be no power: "2024²".
    """
    text = "" if is_struck_out(span) else without_markup(span, link=2 if kind == "url" else 1)
    of_words = kind in ("text", "enum", "bool", "list")
    if not of_words and not text.isascii():
        text = without_signs(text)
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1].strip()
    if of_words or kind == "url":
        return text
    if formula := _FORMULA.fullmatch(text):
        return formula[1].replace("{,}", ",").replace("\\,", " ").strip()
    return _RAISED.sub("", text) if kind in ("date", "year") else text


_QUOTES = "\"'“”„‟‘’‚‛«»‹›「」『』｢｣《》〈〉＂＇〝〞"
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}]+)[{_QUOTES}]")
# Signs that agents put beside a value without saying anything of it: ticks, bullets, stars, emoji. Not those that doubt
# or deny (crosses, empty boxes, question and warning marks, a thumb down), nor digits in circles.
_DOUBTING = "☐☒⚠⛔✕-✘❌-❎❓❔❗➕-➗⬜👎🚫🛑🤔🤷"
_SIGN = rf"(?:[•·‣⁃∙←-⇿■-◿☀-❵➔-⟀⬀-⯿🇦-🇿🌀-🫿](?<![{_DOUBTING}])[\ufe0f🏻-🏿]*)"
_SIGNS_BEFORE = re.compile(rf"^(?:{_SIGN}\s*)+")
_SIGNS_AFTER = re.compile(rf"(?<=\S)(?:\s*(?:{_SIGN}|[†‡]))+$")


def without_signs(text: str) -> str:
    """Drop the ticks, bullets and emoji before and after a value; a text that has nothing else stays as it is."""
    if len(text) > LONGEST_CACHED:
        return text
    kept = _SIGNS_AFTER.sub("", _SIGNS_BEFORE.sub("", text))
    return kept if any(map(str.isalnum, kept)) else text


_FORMULA = re.compile(r"\$([^$]+)\$")
_RAISED = re.compile(r"(?<=[^\s⁰¹²³⁴-⁹])\s?(?:[¹²³⁰⁴-⁹]{1,3}|\^\d{1,3})$")
FILLERS = (
    *("-", "--", "---", "/", "n/a", "none", "null", "nil", "nan", "not available", "not applicable"),
    *("no value", "none yet", "no rating", "not rated", "无"),
)  # what stands for "there is none" in any column
_NOTE = re.compile(
    rf"(?<=\S)(?:\s?{_SIGN}|[¹²³⁰⁴-⁹]{{1,3}}|\^\d{{1,3}}|\[[a-z]\]"
    r"|\s?\((?:verified|confirmed|checked|official|see (?:page|source)|as of [\w ,-]{4,20})\))+$",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"(\S.{0,20}?)\s?\((?:no|not|never|none|see)\b[^()\d?]{0,60}\)", re.IGNORECASE)


_read_cached = lru_cache(maxsize=1 << 16)(_read)


def _read_text(text: str) -> tuple[Reading, ...]:
    """Give one reading, or more where the text is a formula, or a mark or a remark that adds nothing ends it."""
    texts = [fold(text)]
    if formula := _FORMULA.fullmatch(text):
        texts.append(fold(formula[1]))
    if not text.isascii() or text[-1] in ")]" or "^" in text:
        texts.append(fold(_without_note(text)))
    return tuple(Reading("text", None, None, folded) for folded in dict.fromkeys(texts) if folded)


def _without_note(text: str) -> str:
    if len(text) > LONGEST_CACHED:
        return text
    text = _NOTE.sub("", without_signs(text))
    filler = _NO_MORE.fullmatch(text)
    return filler[1] if filler and filler[1].casefold() in FILLERS else text


_TRUE = frozenset(["yes", "y", "true", "t", "✓", "✔", "✔️", "✅", "☑", "1", "是", "有"])
_FALSE = frozenset(["no", "n", "false", "f", "✗", "✘", "❌", "☒", "×", "0", "否"])


_TICKED = re.compile(r"([✓✔✅☑✗✘❌☒])\ufe0f?\s?(\w+)|(\w+)\s?([✓✔✅☑✗✘❌☒])\ufe0f?")
_REMARKED = re.compile(r"(\S+)\s?\(([^()]{1,80})\)")


_AROUND = " .\"'`*_“”‘’†‡•·‣▪●►"


def _read_bool(text: str) -> tuple[Reading, ...]:
    truth = _truth(unicodedata.normalize("NFKC", text).casefold().strip(_AROUND))
    if truth is not None:
        return (Reading("bool", None, None, truth),)
    folded = fold(text)
    # A word of truth that something beside it takes back is no text either: "No ✅", "Yes ()".
    spoiled = folded in _TRUE | _FALSE or fold(_without_note(text)) in _TRUE | _FALSE
    return () if spoiled or not folded else (Reading("text", None, None, folded),)


def _truth(word: str) -> int | None:
    """Read a word, a mark, both if they agree ("✅ Yes"), or either with a remark that says nothing else."""
    if word in _TRUE:
        return 1
    if word in _FALSE:
        return 0
    if ticked := _TICKED.fullmatch(word):
        one, other = (_truth(part) for part in ticked.groups() if part)
        return one if one == other else None
    if remarked := _REMARKED.fullmatch(word):
        truth, remark = _truth(remarked[1]), remarked[2]
        remark_truths = [_truth(part) for part in re.findall(r"\w+|[^\w\s]", remark)]
        if truth == 0:
            remark = _NO.sub("", remark)  # "no (not foldable)" says no twice
        return None if denies(remark) or (truth is not None and 1 - truth in remark_truths) else truth
    return None


_NO = re.compile(r"\b(?:not?|non)\b")


_URL = re.compile(
    r"(?:https?://)?(?:[^\s/@]+@)?((?:[\w-]+\.)+[\w-]+|localhost)(:\d+)?(/[^\s#]*)?(?:#\S*)?", re.IGNORECASE
)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")


def _read_url(text: str) -> tuple[Reading, ...]:
    match = _URL.fullmatch(text.strip("<>`'\" \t\n"))
    if not match:
        return ()
    host = match[1].casefold().removeprefix("www.")
    port = "" if match[2] in (None, ":80", ":443") else match[2]
    path = _PERCENT.sub(lambda m: m[0].upper(), (match[3] or "").rstrip("/"))
    return (Reading("url", None, None, host + port + path),)


LIST_BREAK = re.compile(r"[;；\n、|]")
LOOSE_BREAK = re.compile(r"[,，、;；\n|/]|\s(?:and|&)\s")


def _read_list(text: str) -> tuple[Reading, ...]:
    """Give one reading for each way to split: at semicolons and lines, and at commas, slashes and "and" too."""
    texts = dict.fromkeys((text, _without_note(text)))
    splits = [pattern.split(part) for part in texts for pattern in (LIST_BREAK, LOOSE_BREAK)]
    if not text.isascii():
        splits += [[without_signs(part.strip()) for part in parts] for parts in splits]
    return tuple(Reading("list", None, None, items) for items in dict.fromkeys(map(list_items, splits)) if items)


def list_items(parts: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Return the items as they are compared: folded, sorted, each once."""
    folded = {squash(fold(part.strip().removeprefix("and "))) for part in parts}
    return tuple(sorted(folded - {""}))


_READERS: dict[Kind, Callable[[str], tuple[Reading, ...]]] = {
    "text": _read_text,
    "enum": _read_text,
    "bool": _read_bool,
    "int": read_number,
    "num": read_number,
    "date": read_date,
    "year": read_year,
    "url": _read_url,
    "list": _read_list,
}
