"""What is remembered between calls: accepted texts of a language model, and how often a session made each call.

The first text accepted wins for ever, so that a run repeats. One SQLite file in WAL mode is shared by worker processes.
"""

import sqlite3
from collections import OrderedDict
from dataclasses import astuple
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import orjson

from worldsmith.errors import FormatError
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para, Piece, Text
from worldsmith.slices import Address, Call, Draft, Result

FORMAT = 1
_TABLES = (
    "create table if not exists about (format integer not null)",
    "create table if not exists drafts (key text primary key, body blob not null) without rowid",
    "create table if not exists attempts (session text not null, call text not null, n integer not null, "
    "primary key (session, call)) without rowid",
)


MAX_ATTEMPTS = 200_000
"""Calls whose attempts are counted in memory, least recently made ones forgotten first."""


class Attempts(Protocol):
    """How often a session made each call: the one thing that only a session can have replies change with."""

    def next(self, address: Address, call: Call) -> int:
        """Return how often this call was made before; 0 outside a session."""
        ...


class Counted:
    """Attempts counted in the memory of one process."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Address, Call], int] = OrderedDict()

    def next(self, address: Address, call: Call) -> int:
        """Return how often this call was made before; 0 outside a session."""
        if not address.session:
            return 0
        made = self._made.pop((address, call), 0)
        self._made[address, call] = made + 1
        if len(self._made) > MAX_ATTEMPTS:
            self._made.popitem(last=False)
        return made


class Store:
    """Drafts by key, attempts by session and call. None is forgotten. Safe to share between threads and processes."""

    def __init__(self, path: str | Path = ":memory:") -> None:
        """Open or make the file.

        Raises:
            FormatError: the file is no store of this version.
        """
        self._lock = Lock()
        self._db = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
        try:
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            for statement in _TABLES:
                self._db.execute(statement)
            self._db.execute("insert into about select ? where not exists (select 1 from about)", (FORMAT,))
            (found,) = self._db.execute("select format from about").fetchone()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise FormatError(f"{path} is no store of accepted texts: {error}. Name another file.") from error
        if found != FORMAT:
            raise FormatError(f"{path} is a store of format {found}; this version reads {FORMAT}. Name another file.")

    def get(self, key: str) -> Draft | None:
        """Return the draft that was accepted for `key`, None where there is none yet."""
        with self._lock:
            row = self._db.execute("select body from drafts where key = ?", (key,)).fetchone()
        return None if row is None else _draft(orjson.loads(row[0]))

    def put(self, key: str, draft: Draft) -> Draft:
        """Keep an accepted draft unless one is there, and return the one that stands."""
        body = orjson.dumps(_json(draft))
        with self._lock:
            self._db.execute("insert or ignore into drafts values (?, ?)", (key, body))
            row = self._db.execute("select body from drafts where key = ?", (key,)).fetchone()
        return _draft(orjson.loads(row[0]))

    def next(self, address: Address, call: Call) -> int:
        """Return how often this call was made before, in any process; 0 outside a session."""
        if not address.session:
            return 0
        made = [orjson.dumps(astuple(part)).decode() for part in (address, call)]
        with self._lock:
            row = self._db.execute(
                "insert into attempts values (?, ?, 0) on conflict do update set n = n + 1 returning n", made
            ).fetchone()
        return int(row[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


def _json(draft: Draft) -> dict[str, Any]:
    if isinstance(draft, Doc):
        return {"url": draft.url, "title": draft.title, "date": draft.date, "pieces": [_piece(p) for p in draft.pieces]}
    return {"results": [[r.url, r.title, r.snippet, r.date, r.score, r.text] for r in draft]}


def _text(text: Text) -> list[Any]:
    return [[part.text, part.url] if isinstance(part, Link) else part for part in text]


def _piece(piece: Piece) -> list[Any]:
    match piece:
        case Heading(level, title):
            return ["heading", level, title]
        case Para(text):
            return ["para", _text(text)]
        case KeyValues(pairs):
            return ["pairs", [[label, _text(value)] for label, value in pairs]]
        case Items(items, ordered):
            return ["items", [_text(item) for item in items], ordered]
        case Grid(header, rows, caption):
            return ["grid", list(header), [[_text(cell) for cell in row] for row in rows], caption]


def _draft(body: dict[str, Any]) -> Draft:
    if "results" in body:
        return tuple(Result(*fields) for fields in body["results"])
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
