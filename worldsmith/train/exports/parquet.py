"""Parquet files, written by DuckDB with declared types, so that nothing of them is inferred from some first rows."""

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from worldsmith.world.files import save_jsonl, write_file


def write_parquet(rows: Iterable[Mapping[str, Any]], path: Path, columns: Mapping[str, str]) -> None:
    """Write rows, by way of JSON lines, as columns of the types that DuckDB calls so. Raises OSError."""
    lines, part = path.with_suffix(".part.jsonl"), path.with_suffix(".part.parquet")
    save_jsonl(lines, rows)
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    source = f"read_json({_quoted(lines)}, format = 'newline_delimited', columns = {{{types}}})"
    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            # Types are ours and paths are quoted: a COPY takes no parameters.
            connection.execute(f"COPY (SELECT * FROM {source}) TO {_quoted(part)} (FORMAT parquet, COMPRESSION zstd)")  # noqa: S608
        write_file(path, part.read_bytes())
    except duckdb.IOException as error:
        raise OSError(errno.EIO, str(error), str(path)) from None
    finally:
        lines.unlink(missing_ok=True)
        part.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
