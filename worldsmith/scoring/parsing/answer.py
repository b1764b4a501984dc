"""The table in what an agent wrote: Markdown, HTML, CSV, TSV or JSON, after its reasoning and its last tool reply.

The last table wins. Where the columns asked for are known, it is the last one whose header matches most of them, so
that a table of sources or a summary after the answer does no harm. Where the keys are known, too, tables of its header
before it are parts of it, as long as no key is in two and no words between tell of a new attempt. What is left out on
the way is told in `Table.dropped`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ..column import ScoreError
from .html_table import html_tables
from .markdown import markdown_tables
from .records import record_tables
from .table import NO_TABLE, WIDEST, Table, bare_key, header_key
from .transcript import final_text

__all__ = ["Table", "decode", "parse"]


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with a byte order mark. Raises ScoreError on anything else."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ScoreError(
            f"The text is not {encoding.removesuffix('-sig').upper()}: byte {data[error.start]:#04x} at offset "
            f"{error.start}. Save it as UTF-8."
        ) from error


def parse(text: str, columns: Sequence[str] = (), keys: Sequence[str] = ()) -> Table:
    """Return the last table of an answer, or the last whose header matches most of `columns`, with its parts by `keys`.

    Raises ScoreError when the answer is no text.
    """
    if not isinstance(text, str):
        raise ScoreError(f"An answer is a string, not {type(text).__name__}: {text!r:.80}.")
    notes: list[str] = []
    body = final_text(text, notes)
    wanted = frozenset(map(bare_key, columns))
    tables: list[Table] = []
    best: Table | None = None
    for reader in (markdown_tables, partial(html_tables, notes=notes), record_tables):
        if best is None or not _matches(best, wanted):
            others = [*reader(body, wanted)]
            other = _choose(others, wanted)
            if other is not None and (best is None or _matches(other, wanted)):
                tables, best = others, other
    if best is None:
        return replace(NO_TABLE, dropped=(*notes, "there is no table"))
    parts = _parts(tables, best, frozenset(map(bare_key, keys)))
    best = _joined(parts)
    others = [table for table in tables if not any(table is part for part in parts)]
    notes += [f"another table of {len(t.rows)} rows ({' | '.join(t.header[:6])[:80]})" for t in others]
    return _without_empty_rows(replace(best, dropped=(*notes, *best.dropped)))


def _matches(table: Table, wanted: frozenset[str]) -> int:
    return len(wanted.intersection(map(bare_key, table.header[:WIDEST]))) if wanted else 1


def _choose(tables: list[Table], wanted: frozenset[str]) -> Table | None:
    """Return the last of the tables that match most of the columns."""
    best, most = None, 0
    for table in tables:
        count = _matches(table, wanted)
        if count >= most:
            best, most = table, count
    return best


# What is said before a table that is no part of the one before it, and before one that is given for show.
_ANEW = re.compile(
    r"\b(?:final\w*|correct\w*|revis\w*|updat\w*|fix\w*|improv\w*|instead|actually|better|complet\w*|alternativ\w*|again"
    r"|wait|mistakes?|wrong|sorry|now|results?|answers?|conclu\w*|summar\w*|so|thus|therefore|overall|full|clean\w*)\b",
    re.IGNORECASE,
)
_DRAFT = re.compile(
    r"\b(?:draft|examples?|formats?|templates?|initial\w*|first|partial|preliminary|tentative|sketch)\b", re.IGNORECASE
)


def _parts(tables: list[Table], best: Table, keys: frozenset[str]) -> list[Table]:
    """Return the best table and those before it with its header, back to the first that names a key over again."""
    places = [i for i, name in enumerate(best.header) if bare_key(name) in keys]
    if len(tables) == 1 or not keys or len(places) != len(keys):
        return [best]
    header = [*map(header_key, best.header)]
    parts, later_keys = [best], _named(best, places)
    for table in reversed(tables[: next(i for i, table in enumerate(tables) if table is best)]):
        if [*map(header_key, table.header)] != header:
            continue
        named, later = _named(table, places), parts[-1].lead
        if later is None or _ANEW.search(later) or _DRAFT.search(table.lead or "") or not later_keys.isdisjoint(named):
            break
        parts.append(table)
        later_keys |= named
    return parts[::-1]


def _named(table: Table, places: list[int]) -> set[tuple[str, ...]]:
    return {tuple(header_key(row[i]) for i in places) for row in table.rows}


def _joined(parts: list[Table]) -> Table:
    if len(parts) == 1:
        return parts[0]
    rows = tuple(row for part in parts for row in part.rows)
    dropped = (f"{len(parts)} tables of one header are one", *(word for part in parts for word in part.dropped))
    return replace(parts[-1], rows=rows, dropped=dropped)


def _without_empty_rows(table: Table) -> Table:
    """Drop rows that hold nothing but blanks and dashes."""
    kept = tuple(row for row in table.rows if not all(_blank(cell) for cell in row))
    empty = len(table.rows) - len(kept)
    if not empty:
        return table
    return replace(table, rows=kept, dropped=(*table.dropped, f"{empty} rows of blanks or dashes"))


def _blank(cell: str) -> bool:
    return not cell or not cell.strip("-–— \t\xa0:")
