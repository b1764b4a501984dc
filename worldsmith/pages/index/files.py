"""Indices in files: a world that was opened once is opened again without a look at its pages.

A file is no part of a world: it may be deleted, and is made anew where it is missing, of another world, render or
index version, or damaged. A folder that can't be written to serves as well, only slower.
"""

import zlib
from collections.abc import Callable
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from worldsmith.pages import RENDER, Pages
from worldsmith.pages.index.build import ARRAYS, Stock
from worldsmith.pages.index.search import Index
from worldsmith.world.files import write_file
from worldsmith.world.model import canonical_json

INDEX = 2
"""Version of what indices hold; raised with every change."""
FOLDER = "_index"
"""Where indices are kept beside worlds."""
LISTS = ("ids", "words", "hosts")
"""The fields of a stock that are lists of texts."""
_SUM = 16
"""Bytes of the checksum that a file starts with."""

Indexed = Callable[[Pages], Index]
"""Pages to their index: `Index` itself, or what `saved` returns."""


def key(pages: Pages) -> str:
    """Return what an index hangs on: the world, the length and styles of its pages, and the versions of both."""
    world = pages.world
    hangs = [world.id, world.digest, world.seed, pages.length, pages.without, RENDER, INDEX]
    return sha256(canonical_json(hangs)).hexdigest()


def dumps(stock: Stock, name: str) -> bytes:
    """Return a stock as bytes under a key."""
    arrays = {field: getattr(stock, field) for field in ARRAYS}
    order = sorted(ARRAYS, key=lambda field: -arrays[field].itemsize)  # so that each stands where its numbers may
    head: dict[str, Any] = {"key": name, **{field: getattr(stock, field) for field in LISTS}}
    head["arrays"] = [[field, arrays[field].dtype.str, len(arrays[field])] for field in order]
    body = b"".join(arrays[field].tobytes() for field in order)
    text = orjson.dumps(head)
    packed = zlib.compress(len(text).to_bytes(4, "little") + text + bytes(-len(text) % 8 + 4) + body, 1)
    return blake2b(packed, digest_size=_SUM).digest() + packed


def loads(data: bytes, name: str) -> Stock | None:
    """Return the stock that bytes hold; None where they are damaged or hold that of another key."""
    packed = data[_SUM:]
    if blake2b(packed, digest_size=_SUM).digest() != data[:_SUM]:
        return None
    try:
        plain = zlib.decompress(packed)
        size = int.from_bytes(plain[:4], "little")
        head = orjson.loads(plain[4 : 4 + size])
        if head["key"] != name:
            return None
        at = 4 + size + -size % 8 + 4
        found: dict[str, Any] = {field: tuple(head[field]) for field in LISTS}
        for field, kind, count in head["arrays"]:
            found[field] = np.frombuffer(plain, kind, count, at)
            at += found[field].nbytes
        return Stock(**found)
    except (zlib.error, KeyError, TypeError, ValueError):  # the right sum over something else than we write
        return None


def saved(folder_of: Callable[[str], Path | None]) -> Indexed:
    """Return what indexes pages by the file in the folder of a world's id, or writes it there; None keeps no file."""

    def indexed(pages: Pages) -> Index:
        folder = folder_of(pages.world.id)
        if folder is None:
            return Index(pages)
        path, name = folder / f"{pages.world.id}.{pages.length}", key(pages)
        made = _read(path, name)
        if made is not None:
            return Index(pages, made)
        index = Index(pages)
        _write(path, dumps(index.stock, name))
        return index

    return indexed


def _read(path: Path, name: str) -> Stock | None:
    try:
        return loads(path.read_bytes(), name)
    except OSError:
        return None


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data)
    except OSError:
        # A folder that is read-only or full: the index is in memory, and that is all a server needs.
        return


__all__ = ["FOLDER", "INDEX", "Indexed", "dumps", "key", "loads", "saved"]
