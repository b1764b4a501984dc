"""Parquet files, written by DuckDB with declared types, so that nothing of them is inferred from some first rows."""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any

import duckdb
import orjson

from worldsmith.world.files import save_jsonl

SHARD = 1 << 29
"""Bytes of JSON lines for each of several files, where a format's readers take several."""
GROUP = 2048
"""Rows of a row group: as many are in memory at a time."""


def write_parquet(
    rows: Iterable[Mapping[str, Any]], path: Path, columns: Mapping[str, str], shard: float = inf
) -> list[Path]:
    """Write rows as columns of the types that DuckDB calls so, and return the files.

    They go into one file, `path`; where `shard` is given and they have more bytes than that as JSON lines, into several
    beside it, as train-00000-of-00003.parquet. Raises OSError.
    """
    lines, left = path.with_suffix(".part.jsonl"), _Shards(rows)
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    source = f"read_json({_quoted(lines)}, format = 'newline_delimited', columns = {{{types}}})"
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP}"
    parts: list[Path] = []
    try:
        with duckdb.connect(config={"threads": 1, "preserve_insertion_order": True}) as connection:
            while not parts or left:
                save_jsonl(lines, left.taken(shard))
                parts.append(path.with_suffix(f".part{len(parts)}"))
                # Types are ours and paths are quoted: a COPY takes no parameters.
                connection.execute(f"COPY (SELECT * FROM {source}) TO {_quoted(parts[-1])} ({options})")  # noqa: S608
        files = [path]
        if len(parts) > 1:
            files = [path.with_stem(f"{path.stem}-{i:05}-of-{len(parts):05}") for i in range(len(parts))]
        for part, file in zip(parts, files, strict=True):
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.replace(file)
    except duckdb.IOException as error:
        raise OSError(errno.EIO, str(error), str(path)) from None
    finally:
        for part in (lines, *parts):
            part.unlink(missing_ok=True)
    return files


class _Shards:
    """Rows, taken by bytes; true while some are left."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows = iter(rows)
        self._next = next(self._rows, None)

    def __bool__(self) -> bool:
        return self._next is not None

    def taken(self, most: float) -> Iterator[Mapping[str, Any]]:
        """Yield rows until they have `most` bytes as JSON, one at least."""
        while self._next is not None and most > 0:
            most -= len(orjson.dumps(self._next))
            yield self._next
            self._next = next(self._rows, None)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
