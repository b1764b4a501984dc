"""What is remembered between calls: accepted texts of a language model, and how often a session made each call.

The first accepted text is kept, so that a run repeats. Worker processes share one SQLite file in WAL mode; its texts
are exported as JSON lines.
"""

import re
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import orjson

from worldsmith.errors import FormatError, StoreError, UsageError
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para, Piece, Span, Text
from worldsmith.simulate.protocol import Address, Call, Draft, Result

FORMAT = 2
READ = (1, 2)
"""Formats that can be read; a file of format 1 is converted to format 2, without its attempts."""
_TABLES = (
    "create table if not exists about (format integer not null)",
    "create table if not exists drafts (key text primary key, body blob not null) without rowid",
    "create table if not exists authors (version text primary key) without rowid",
    "create table if not exists made (session text not null, call text not null, n integer not null, "
    "last integer not null, primary key (session, call)) without rowid",
    "create index if not exists made_last on made (last)",
)
_COUNT = """
insert into made values (?, ?, 0, (select ifnull(max(last), 0) + 1 from made))
on conflict do update set n = n + 1, last = excluded.last returning n, last
"""
_FORGET = "delete from made where last <= (select last from made order by last desc limit 1 offset ?)"
_KEY = re.compile(r"[0-9a-f]{64}")


MAX_ATTEMPTS = 200_000
"""Calls whose attempts are counted, in memory or in a file; the least recently made ones are forgotten first."""
EVERY = 1000
"""Calls between two checks of how many are counted."""


class Attempts(Protocol):
    """How often a session made each call: all of a session that replies depend on."""

    def count_call(self, address: Address, call: Call) -> int:
        """Return how often this call was made before; 0 outside a session."""
        ...


class MemoryAttempts:
    """Attempts counted in the memory of one process, whose threads may share it."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Address, Call], int] = OrderedDict()
        self._lock = Lock()

    def count_call(self, address: Address, call: Call) -> int:
        """Return how often this call was made before; 0 outside a session."""
        if not address.session:
            return 0
        with self._lock:
            made = self._made.pop((address, call), 0)
            self._made[address, call] = made + 1
            if len(self._made) > MAX_ATTEMPTS:
                self._made.popitem(last=False)
        return made


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """How many texts an import added to a store, and how many not."""

    added: int
    known: int
    """Those that the store held already, word for word."""
    other: int
    """Those whose key has another text, which was accepted first and is kept."""


class Store:
    """Drafts by key, attempts by session and call. No draft is forgotten. Threads and processes may share it."""

    def __init__(self, path: str | Path = ":memory:") -> None:
        """Open or make the file.

        Raises:
            FormatError: the file can't be opened, or is no store of this version.
        """
        self._lock, self._path = Lock(), path
        try:
            self._db = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as error:
            raise FormatError(f"{path}: {error}. Name a file in a folder that exists and can be written.") from None
        try:
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            for statement in _TABLES:
                self._db.execute(statement)
            self._db.execute("insert into about select ? where not exists (select 1 from about)", (FORMAT,))
            (file_format,) = self._db.execute("select format from about").fetchone()
            if file_format in READ and file_format != FORMAT:
                self._db.execute("drop table if exists attempts")
                self._db.execute("update about set format = ?", (FORMAT,))
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise FormatError(f"{path} is not a store of accepted texts: {error}. Name another file.") from error
        if file_format not in READ:
            self._db.close()
            raise FormatError(
                f"{path} is a store of format {file_format}; this version reads {READ}. Name another file."
            )

    @contextmanager
    def _database(self) -> Iterator[None]:
        """Hold the file for one thread. Raises StoreError where it can't be read or written."""
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                fix = "free space on its disk, or name another file as --store"
                raise StoreError(f"{self._path}: texts can't be kept: {error}; {fix}") from None

    def __reduce__(self) -> tuple[type["Store"], tuple[str]]:
        """Open the same file where it is unpickled. Raises UsageError for a store in memory."""
        if str(self._path) == ":memory:":
            raise UsageError("a store in memory can't be pickled: give it a file, which processes share")
        return Store, (str(Path(self._path).resolve()),)

    def get(self, key: str) -> Draft | None:
        """Return the draft that was accepted for `key`, None where there is none yet."""
        with self._database():
            row = self._db.execute("select body from drafts where key = ?", (key,)).fetchone()
        return None if row is None else _draft(orjson.loads(row[0]))

    def put(self, key: str, draft: Draft, author: str) -> Draft:
        """Store an accepted draft of an author unless its key has one; return the one that is stored."""
        body = _body(draft)
        with self._database():
            self._db.execute("insert or ignore into authors values (?)", (author,))
            self._db.execute("insert or ignore into drafts values (?, ?)", (key, body))
            row = self._db.execute("select body from drafts where key = ?", (key,)).fetchone()
        return draft if row[0] == body else _draft(orjson.loads(row[0]))

    def count_call(self, address: Address, call: Call) -> int:
        """Return how often this call was made before, in any process; 0 outside a session."""
        if not address.session:
            return 0
        made = [orjson.dumps(astuple(part)).decode() for part in (address, call)]
        with self._database():
            # All rows are fetched: a statement that is not run to its end is not committed.
            ((n, last),) = self._db.execute(_COUNT, made).fetchall()
            if last % EVERY == 0:
                self._forget(MAX_ATTEMPTS)
        return int(n)

    def _forget(self, most: int) -> int:
        return self._db.execute(_FORGET, (most,)).rowcount

    def prune(self, keep: int = 0) -> int:
        """Forget the attempts of all calls but the `keep` made last; return how many were forgotten."""
        with self._database():
            return self._forget(keep)

    def authors(self) -> tuple[str, ...]:
        """Return the versions of the models that wrote for this store, in order."""
        with self._database():
            return tuple(row[0] for row in self._db.execute("select version from authors order by version"))

    def lines(self) -> Iterator[bytes]:
        """Yield the store as JSON lines: a header, then one draft per line, by key. Attempts are left out."""
        with self._database():
            rows = self._db.execute("select key, body from drafts order by key").fetchall()
        yield orjson.dumps({"worldsmith_store": FORMAT, "texts": len(rows), "authors": self.authors()})
        for key, body in rows:
            yield orjson.dumps({"key": key, "draft": orjson.Fragment(body)})

    def read(self, lines: Iterable[bytes], name: str = "the file") -> ImportCounts:
        """Import the drafts that `lines` exported, all or none; no stored draft is replaced.

        Raises:
            FormatError: a line is not of an export; the message says which.
        """
        authors, drafts = _read_lines(lines, name)
        added = other = 0
        with self._database(), self._db:  # committed at its end, rolled back where it fails
            self._db.execute("begin immediate")
            self._db.executemany("insert or ignore into authors values (?)", [(author,) for author in authors])
            for key, body in drafts:
                if self._db.execute("insert or ignore into drafts values (?, ?)", (key, body)).rowcount:
                    added += 1
                elif self._db.execute("select body from drafts where key = ?", (key,)).fetchone()[0] != body:
                    other += 1
        return ImportCounts(added, len(drafts) - added - other, other)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


def _read_lines(lines: Iterable[bytes], name: str) -> tuple[list[str], list[tuple[str, bytes]]]:
    """Return the authors and the drafts, by key, of an export. Raises FormatError."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    authors, declared = _header(next(numbered, (1, b"{}"))[1], name)
    drafts = []
    for number, line in numbered:
        try:
            record = orjson.loads(line)
            key, draft = record["key"], _draft(record["draft"])
            known = bool(_KEY.fullmatch(key))
        except (ValueError, KeyError, TypeError, FormatError):
            known = False
        if not known:
            raise FormatError(f"{name}, line {number}: not a stored text: export it again")
        drafts.append((key, _body(draft)))  # stored as this version writes it
    if declared != len(drafts):
        raise FormatError(f"{name} names {declared} texts and holds {len(drafts)}: export it again")
    return authors, drafts


def _header(line: bytes, name: str) -> tuple[list[str], int]:
    try:
        record = orjson.loads(line)
        version, authors, declared = (
            record["worldsmith_store"],
            [str(a) for a in record["authors"]],
            int(record["texts"]),
        )
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{name} is not an export of a store: its first line is not the header of one") from None
    if version not in READ:
        raise FormatError(f"{name} is of format {version}; this version reads {READ}")
    return authors, declared


_KINDS = {Heading: "heading", Para: "para", KeyValues: "pairs", Items: "items", Grid: "grid"}


def _body(draft: Draft) -> bytes:
    """Return a draft as JSON: of a piece its kind and fields in order, of a link text and address."""
    return orjson.dumps(
        draft if isinstance(draft, Doc) else {"results": draft},
        default=_json,
        option=orjson.OPT_PASSTHROUGH_DATACLASS,
    )


def _json(part: Doc | Result | Piece | Link | Span) -> Any:
    match part:
        case Doc(url, title, date, pieces):
            return {"url": url, "title": title, "date": date, "pieces": pieces}
        case Link(text, url):
            return [text, url]
        case Span(text):
            return text
    row = [getattr(part, field.name) for field in fields(part)]
    return row if isinstance(part, Result) else [_KINDS[type(part)], *row]


def _draft(body: dict[str, Any]) -> Draft:
    if "results" in body:
        return tuple(Result(*values) for values in body["results"])
    return Doc(body["url"], body["title"], body["date"], tuple(_read(piece) for piece in body["pieces"]))


def _words(text: list[Any]) -> Text:
    return tuple(Link(*part) if isinstance(part, list) else part for part in text)


def _read(piece: list[Any]) -> Piece:
    match piece:
        case ["heading", level, title]:
            return Heading(level, title)
        case ["para", text]:
            return Para(_words(text))
        case ["pairs", pairs]:
            return KeyValues(tuple((label, _words(value)) for label, value in pairs))
        case ["items", items, ordered]:
            return Items(tuple(_words(item) for item in items), ordered)
        case ["grid", header, rows, caption]:
            return Grid(tuple(header), tuple(tuple(_words(cell) for cell in row) for row in rows), caption)
    raise FormatError(f"a stored text holds a piece of unknown kind {piece[:1]!r}")
