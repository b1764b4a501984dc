"""Read a span of text as a value of one kind."""

import re
from collections.abc import Callable
from functools import lru_cache

from .column import Kind
from .dates import read_date, read_year
from .numbers import read_number
from .reading import Reading
from .text import LONGEST_CACHED, fold, plain, squash, struck


def read(span: str, kind: Kind) -> tuple[Reading, ...]:
    """Return every way to understand the span as a value of this kind; none when it can't be read.

    Markdown and HTML around the value are ignored. Text, enumerations and booleans with words of their own give one
    reading of kind "text". Of an empty span there is no reading.
    """
    return _read_cached(span, kind) if len(span) <= LONGEST_CACHED else _read(span, kind)


def _read(span: str, kind: Kind) -> tuple[Reading, ...]:
    text = bare(span, kind)
    return _READERS[kind](text) if text else ()


def bare(span: str, kind: Kind) -> str:
    """Return the span as it is read: without markup, and "" where part of it is struck out."""
    return "" if struck(span) else plain(span, link=2 if kind == "url" else 1)


_read_cached = lru_cache(maxsize=1 << 16)(_read)


def _read_text(text: str) -> tuple[Reading, ...]:
    folded = fold(text)
    return (Reading("text", None, None, folded),) if folded else ()


_TRUE = frozenset(["yes", "y", "true", "t", "✓", "✔", "✔️", "✅", "☑", "1", "是", "有"])
_FALSE = frozenset(["no", "n", "false", "f", "✗", "✘", "❌", "☒", "×", "0", "否"])


def _read_bool(text: str) -> tuple[Reading, ...]:
    word = text.casefold().strip(". ")
    if word in _TRUE:
        return (Reading("bool", None, None, 1),)
    return (Reading("bool", None, None, 0),) if word in _FALSE else _read_text(text)


_URL = re.compile(
    r"(?:https?://)?(?:[^\s/@]+@)?((?:[\w-]+\.)+[\w-]+|localhost)(:\d+)?(/[^\s#]*)?(?:#\S*)?", re.IGNORECASE
)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")


def _read_url(text: str) -> tuple[Reading, ...]:
    found = _URL.fullmatch(text.strip("<>`'\" \t\n"))
    if not found:
        return ()
    host = found[1].casefold().removeprefix("www.")
    port = "" if found[2] in (None, ":80", ":443") else found[2]
    path = _PERCENT.sub(lambda m: m[0].upper(), (found[3] or "").rstrip("/"))
    return (Reading("url", None, None, host + port + path),)


LIST_BREAK = re.compile(r"[;；\n、|]")
LOOSE_BREAK = re.compile(r"[,，、;；\n|/]|\s(?:and|&)\s")


def _read_list(text: str) -> tuple[Reading, ...]:
    """Give one reading for each way to split: at semicolons and lines, and at commas, slashes and "and" too."""
    splits = (list_items(pattern.split(text)) for pattern in (LIST_BREAK, LOOSE_BREAK))
    return tuple(Reading("list", None, None, items) for items in dict.fromkeys(splits) if items)


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
