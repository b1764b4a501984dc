"""From a schema file to a `Schema`."""

import tomllib
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any

import orjson

from worldsmith.errors import NotFoundError, SchemaError, close_match
from worldsmith.schema import source as src
from worldsmith.schema.columns import labelled, table
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.rules import page, rule
from worldsmith.schema.types import Questions, Schema
from worldsmith.schema.whole import check_carried, check_rows, check_switches


def shipped() -> dict[str, FilePath]:
    """Return the shipped schemas by name, sorted."""
    inside = FilePath(str(files("worldsmith"))) / "schemas"
    # An installed package carries them inside; a checkout has them beside the package.
    folder = inside if inside.is_dir() else inside.parent.parent / "schemas"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_schema(name_or_path: str) -> Schema:
    """Return a shipped schema by name, or the one in a TOML file.

    Raises NotFoundError for an unknown name, SchemaError for a file that can't mean anything.
    """
    path = FilePath(name_or_path)
    if path.suffix != ".toml":
        known = shipped()
        if name_or_path not in known:
            raise NotFoundError(f"no shipped schema {name_or_path!r}.{close_match(name_or_path, known)}")
        path = known[name_or_path]
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SchemaError(f"{path}: can't be read: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise SchemaError(f"{path}: not a schema: its values are nested too deep") from None
    return parse_schema(src.plain(data), where=path.name)


_parsed: dict[str, Schema] = {}


def parse_schema(data: Mapping[str, Any], where: str = "schema") -> Schema:
    """Return the schema that `data` (JSON values) describes; the same object for the same data.

    Raises SchemaError: "<where>: <table.column>: what is wrong, with which value, and the fix".
    """
    # TOML arrays of tables keep their order, and order has a meaning here (fill order, row order): it is hashed.
    digest = sha256(orjson.dumps(data)).hexdigest()
    if digest not in _parsed:
        if len(_parsed) > 256:
            _parsed.clear()
        _parsed[digest] = _resolve(Resolver(src.read_source(dict(data), where), dict(data), digest, where))
    return _parsed[digest]


def _resolve(reader: Resolver) -> Schema:
    s = reader.source
    reader.day(s.as_of, "as_of")
    values = {name: reader.values(name, v) for name, v in s.values.items()}
    reader.find_types(values)
    tables = {name: table(reader, name, values) for name in s.tables}
    tables = {name: labelled(reader, t, tables) for name, t in tables.items()}
    schema = Schema(
        name=s.name,
        kind=s.kind,
        as_of=s.as_of,
        about=s.about,
        lang=s.lang,
        values=values,
        variation=dict(s.variation),
        tables=tables,
        rules=tuple(rule(reader, name, r, tables) for name, r in s.rules.items()),
        pages=tuple(page(reader, name, p, tables) for name, p in s.pages.items()),
        questions=Questions(tuple(s.questions.needs)),
        source=reader.data,
        digest=reader.digest,
    )
    check_switches(reader, schema)
    check_rows(reader, schema)
    check_carried(reader, schema)
    return schema
