"""From a schema file to a `Schema`."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any

import orjson

from worldsmith.cache import keep
from worldsmith.errors import NotFoundError, SchemaError, close_match
from worldsmith.schema.columns import label_references, resolve_table
from worldsmith.schema.derived_patterns import completed, derived_bank
from worldsmith.schema.expectations import resolve_expectation
from worldsmith.schema.locations import SchemaFile
from worldsmith.schema.patterns import Split, read_bank, wordings_of
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.rules import resolve_rule
from worldsmith.schema.source import PageSource
from worldsmith.schema.syntax import SchemaSource, json_values, read_source
from worldsmith.schema.types import ChildCells, Language, PageSpec, Questions, Schema, Table
from worldsmith.schema.validation import check_schema


def shipped() -> dict[str, FilePath]:
    """Return the shipped schemas by name, sorted."""
    inside = FilePath(str(files("worldsmith"))) / "schemas"
    # An installed package carries them inside; a checkout has them beside the package.
    folder = inside if inside.is_dir() else inside.parent.parent / "schemas"
    return {path.stem: path for path in sorted(folder.glob("*.toml")) if "." not in path.stem}


def load_schema(name_or_path: str | FilePath) -> Schema:
    """Return a shipped schema by name, or the one in a TOML file.

    Raises NotFoundError for an unknown name, SchemaError for an invalid file.
    """
    return read_schema(str(name_or_path))[0]


def read_schema(name_or_path: str) -> tuple[Schema, SchemaFile]:
    """Return the schema as `load_schema` does, and the file, which knows the lines of its parts."""
    path = FilePath(name_or_path)
    if path.suffix != ".toml":
        known = shipped()
        if name_or_path not in known:
            fix = close_match(name_or_path, known)
            if path.exists():
                what = "folder: name a .toml file in it" if path.is_dir() else "file: end its name in .toml"
                fix = f" That is a {what}."
            raise NotFoundError(f"no shipped schema {name_or_path!r}.{fix}")
        path = known[name_or_path]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        hint = f". Did you mean the shipped schema {path.stem!r}?" if path.stem in shipped() else ""
        raise SchemaError(f"{path}: can't be read: {reason}{hint}") from None
    schema, file = _parse_file(path, name_or_path if name_or_path.endswith(".toml") else path.name, text)
    return _with_bank(schema, path.with_suffix(LANGUAGE)), file


LANGUAGE = ".language.toml"
"""What the name of a language file ends in, after its schema's."""


def _with_bank(schema: Schema, path: FilePath) -> Schema:
    """Return a schema with the bank in the language file beside it, completed; a derived one where there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return with_derived_bank(schema)
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError(f"{path}: can't be read: {error}") from None
    return with_bank_text(schema, path, text)


@lru_cache(maxsize=32)
def with_bank_text(schema: Schema, path: FilePath, text: str) -> Schema:
    """Return a schema with the bank in the text of a language file. Raises SchemaError for what is wrong in it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(_toml_error(path, text, error)) from None
    bank = read_bank(json_values(data), schema, str(path))
    return replace(schema, bank=completed(bank, schema, str(path)))


@lru_cache(maxsize=32)
def with_derived_bank(schema: Schema) -> Schema:
    """Return a schema with the bank that is derived from it."""
    return replace(schema, bank=derived_bank(schema, schema.name))


_with_banks: dict[tuple[Schema, str], Schema] = {}


def with_bank(schema: Schema, data: Mapping[str, Any], where: str) -> Schema:
    """Return a schema with the bank that `data` (JSON values) describes; the same object for the same data.

    Each world of a schema carries the bank, and reading it takes longer than all else that opens a world.

    Raises SchemaError for what is wrong in it.
    """
    key = schema, sha256(orjson.dumps(data)).hexdigest()
    return _with_banks.get(key) or keep(_with_banks, key, replace(schema, bank=read_bank(data, schema, where)), 32)


@lru_cache(maxsize=32)
def in_language(schema: Schema, language: Language, split: Split = "all") -> Schema:
    """Return a schema in a language: without its bank in the plain one, with the wordings of a split in the natural.

    A schema without a bank gets one that is derived from it.
    """
    if language == "plain":
        return replace(schema, bank=None)
    schema = schema if schema.bank else with_derived_bank(schema)
    assert schema.bank is not None
    return schema if split == "all" else with_bank(schema, wordings_of(schema.bank.data, split), schema.name)


@lru_cache(maxsize=32)
def _parse_file(path: FilePath, name: str, text: str) -> tuple[Schema, SchemaFile]:
    """Return what `read_schema` does for a file with this text; cached, since commands call it once per world."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(_toml_error(path, text, error)) from None
    except RecursionError:
        raise SchemaError(f"{path}: not a schema: its values are nested too deep") from None
    except ValueError:  # `int` refuses thousands of digits; the parser passes its error on
        raise SchemaError(f"{path}: not a schema: a number has too many digits") from None
    file = SchemaFile(name, text)
    return parse_schema(json_values(data, file), file), file


TOML_FIXES = {
    "Cannot overwrite a value": "this name occurs twice: rename or remove one",
    "Cannot declare": "this table occurs twice: join the two, or rename one",
    "Unclosed array": "a list is not closed: add ]",
    "Invalid value": "there is no valid value here: texts need quotes, dates are written 2029-11-30",
    "Unterminated string": "a text is not closed: add a quote",
    "Illegal character": "a text is not closed on its line: add a quote",
    "Expected '=' after a key": "a key, = and a value are expected",
    "Unclosed inline table": "a { is not closed on its line: add }",
    "Expected newline": "there is more after the value: write one key per line",
    "Duplicate inline table key": "this key occurs twice within { }: remove one",
}


def _toml_error(path: FilePath, text: str, error: tomllib.TOMLDecodeError) -> str:
    """Return what is wrong with a line of TOML, and the line with a caret under the place."""
    message = str(error)
    position = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    number, column = (int(position[1]), int(position[2])) if position else (text.count("\n") + 1, 1)
    lines = text.split("\n")
    line = lines[number - 1] if number <= len(lines) else ""
    start = max(0, column - 60)
    reason = message[: position.start()] if position else message.removesuffix(" (at end of document)")
    fix = next((f"; {fix}" for beginning, fix in TOML_FIXES.items() if reason.startswith(beginning)), "")
    return f"{path}:{number}: not TOML: {reason}{fix}\n  {line[start : column + 40]}\n  {' ' * (column - 1 - start)}^"


_parsed: dict[bytes, Schema] = {}


def parse_schema(data: Mapping[str, Any], where: str | SchemaFile = "schema") -> Schema:
    """Return the schema that `data` (JSON values) describes; the same object for the same data.

    Raises SchemaError: "<where>:<line>: <table.column>: what is wrong, with which value, and the fix".
    """
    file = SchemaFile(where) if isinstance(where, str) else where
    # Order has a meaning here (fill order, row order), and TOML keeps it: it is part of the hash.
    text = orjson.dumps(data)
    if text not in _parsed:
        if len(_parsed) > 256:
            _parsed.clear()
        made_by = {name: part for name, part in data.items() if name != "expected"}
        digest = sha256(orjson.dumps(made_by)).hexdigest()
        _parsed[text] = _resolve(read_source(dict(data), file), dict(data), digest, file)
    return _parsed[text]


def _resolve(source: SchemaSource, data: dict[str, Any], digest: str, file: SchemaFile) -> Schema:
    resolver = Resolver(source.tables, source.as_of, file)
    resolver.day(source.as_of, "as_of")
    values = {name: resolver.resolve_values(name, values_source) for name, values_source in source.values.items()}
    resolver.find_types(values)
    tables = {name: resolve_table(resolver, name, values) for name in source.tables}
    tables = {name: label_references(resolver, table, tables) for name, table in tables.items()}
    schema = Schema(
        name=source.name,
        kind=source.kind,
        as_of=source.as_of,
        about=source.about,
        values=values,
        variation=dict(source.variation),
        tables=tables,
        rules=tuple(resolve_rule(resolver, name, rule) for name, rule in source.rules.items()),
        pages=tuple(resolve_page(resolver, name, page, tables) for name, page in source.pages.items()),
        questions=Questions(tuple(source.questions.needs)),
        names={name: resolver.resolve_names(name, kind) for name, kind in source.names.items()},
        source=data,
        digest=digest,
        expected=tuple(resolve_expectation(resolver, name, one) for name, one in source.expected.items()),
    )
    check_schema(resolver, source, schema)
    return schema


def resolve_page(resolver: Resolver, name: str, source: PageSource, tables: Mapping[str, Table]) -> PageSpec:
    place = f"pages.{name}"
    table = source.about or source.list_ or ""
    resolver.source_table(table, place)
    stated = [c.name for c in tables[table].columns if c.see != "linked"]
    for column in (*(source.show or ()), *(n for n in (source.by, source.sort) if n is not None)):
        resolver.source_column(table, column, place)
        if column not in stated:
            raise resolver.fail(
                place, f"{column!r} is linked: it is stated on no list, table or head; drop it here, or its see"
            )
    if source.list_ and len(source.show or ()) > 3:
        raise resolver.fail(place, f"a list page shows at most 3 columns beside the key, not {len(source.show or ())}")
    children = []
    for child, named in source.with_.items():
        (ref,) = resolver.parent_path(None, child, table, place)
        every = [c.name for c in tables[child].columns if c.see != "linked" and c.name != ref]
        columns = every if named == "*" else list(named)
        for column in columns:
            resolver.source_column(child, column, place)
        children.append(ChildCells(child, ref, tuple(columns)))
    show = tuple(source.show) if source.show is not None else tuple(stated)
    return PageSpec(name, source.about, source.list_, source.by, show, source.sort, tuple(children), source.if_)
