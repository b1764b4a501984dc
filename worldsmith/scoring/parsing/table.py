"""A table as text, and the names of its columns as they are compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..text import LONGEST_CACHED, fold, is_struck_out, squash, without_markup

WIDEST = 200  # columns of a header that are looked at; a megabyte of pipes is no table
LONGEST_LEAD = 400  # characters of prose before a table that are kept
QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
FENCE = re.compile(r"\s{0,12}(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text: no header and no rows when the answer holds none.

    Attributes:
        header: the column names as written, without markup.
        rows: the cells as written (only pipes unescaped, `<br>` kept), each row as wide as the header.
        dropped: what was left out, in words, in the order met.
        format: "markdown", "html", "csv", "tsv", "json", "jsonl", or "" for no table.
        cut: whether the text ends inside the table.
        lead: the prose since the table before it; None where nobody looked.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dropped: tuple[str, ...] = ()
    format: str = ""
    cut: bool = False
    lead: str | None = field(default=None, compare=False)


NO_TABLE = Table((), ())


def header_name(cell: str) -> str:
    """Return the name of a column as its header has it, without markup; one that is struck out names nothing."""
    return "" if is_struck_out(cell) else without_markup(cell)


def header_key(name: str) -> str:
    """Return the name of a column as it is compared: folded, without its spaces."""
    return squash(fold(without_markup(name)))


_UNIT_TAIL = re.compile(r"\s*[(\[（【][^()\[\]（）【】]*[)\]）】]\s*$")


def bare_name(name: str) -> str:
    """Return the name without its unit in brackets, folded: "Battery (mAh)" is "battery"."""
    text = without_markup(name)
    return fold(_UNIT_TAIL.sub("", text) or text)


def bare_key(name: str) -> str:
    """Return `bare_name` without its spaces."""
    return _bare_key_cached(name) if len(name) <= LONGEST_CACHED else squash(bare_name(name))


@lru_cache(maxsize=4096)
def _bare_key_cached(name: str) -> str:
    return squash(bare_name(name))


def names_columns(cells: Sequence[str], wanted: frozenset[str]) -> bool:
    """Whether these cells, as a header, name at least half of the columns wanted, given by their bare keys."""
    matched_keys = wanted.intersection(map(bare_key, cells[:WIDEST]))
    return bool(wanted) and 2 * len(matched_keys) >= len(wanted)
