"""What tools keep for a session: notes of an agent, or the pages that it opened."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from worldsmith.errors import StoreError, UsageError
from worldsmith.simulate.protocol import Address

SESSIONS = 1000
"""Sessions that are remembered; the least recently used one is forgotten beyond them."""
EMPTY = b"{}"
MOST = 64_000
"""Bytes of JSON that a session may keep."""

Place = tuple[Address, str]
"""A session's address, and a tool."""
Items = dict[str, Any]
Edit = Callable[[Items], tuple[Items, str]]
"""Maps what a session keeps to what it keeps from now on, and a text for the agent."""
_TABLE = """
create table if not exists notes (session blob primary key, items blob not null, last integer not null)
"""
_KEEP = "insert into notes values (?, ?, (select ifnull(max(last), 0) + 1 from notes))"
_FORGET = "delete from notes where last <= (select last from notes order by last desc limit 1 offset ?)"


class SessionMemory:
    """Dictionaries by the address whose session they belong to, and the tool they are of; in this process's memory."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Address, str], bytes] = OrderedDict()
        self._lock = Lock()

    def edit(self, address: Address, edit: Edit, tool: str = "") -> str:
        """Edit what a session keeps, values of JSON, and return the text for the agent.

        Raises UsageError where the address names no session, or it would keep too much.
        """
        with self._editing(address):
            items, text = edit(orjson.loads(self._get((address, tool))))
            kept = orjson.dumps(items)
            if len(kept) > MOST:
                size = len(kept)
                raise UsageError(f"memory would hold {size} bytes; a session may keep {MOST}: remove something first")
            self._keep((address, tool), kept)
        return text

    def read(self, address: Address, tool: str = "") -> Items:
        """Return what a session keeps. Raises UsageError where the address names no session."""
        with self._editing(address):
            items: Items = orjson.loads(self._get((address, tool)))
        return items

    def close(self) -> None:
        """Let go of what is kept."""
        self._kept.clear()

    @contextmanager
    def _editing(self, address: Address) -> Iterator[None]:
        if not address.session:
            raise UsageError("memory is kept for a session: add ;session=NAME to the world, one name per episode")
        with self._lock:
            yield

    def _get(self, place: Place) -> bytes:
        return self._kept.get(place, EMPTY)

    def _keep(self, place: Place, items: bytes) -> None:
        self._kept.pop(place, None)
        if items != EMPTY:
            self._kept[place] = items
        if len(self._kept) > SESSIONS:
            self._kept.popitem(last=False)


class SharedSessionMemory(SessionMemory):
    """Dictionaries in a file that processes share."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._db = sqlite3.connect(folder / "notes.db", timeout=30.0, isolation_level=None, check_same_thread=False)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = off")  # the folder ends with the server
        self._db.execute(_TABLE)

    def close(self) -> None:
        """Close the file, which the folder's owner removes."""
        self._db.close()

    @contextmanager
    def _editing(self, address: Address) -> Iterator[None]:
        """Hold the file for one thread of one process. Raises StoreError where it can't be read or written."""
        with super()._editing(address):
            try:
                with self._db:
                    self._db.execute("begin immediate")
                    yield
            except sqlite3.DatabaseError as error:
                raise StoreError(f"notes can't be kept: {error}; free space for temporary files") from None

    def _get(self, place: Place) -> bytes:
        row = self._db.execute("select items from notes where session = ?", (_name(place),)).fetchone()
        return row[0] if row else EMPTY

    def _keep(self, place: Place, items: bytes) -> None:
        self._db.execute("delete from notes where session = ?", (_name(place),))
        if items != EMPTY:
            self._db.execute(_KEEP, (_name(place), items))
        self._db.execute(_FORGET, (SESSIONS,))


def _name(place: Place) -> bytes:
    address, tool = place
    return orjson.dumps([*astuple(address), tool])
