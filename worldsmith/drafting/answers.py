"""What a model is asked for in each step, as pydantic models of structured output, and its answers read leniently.

The models are made of those that hold the grammar of schema files, so that a server that decodes by a JSON schema can't
write an unknown key. A server without that, or a model that writes prose, TOML or a list of tables around it, is read
as far as it goes; what is wrong with the result is found by the check, as in any schema file.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field

from worldsmith.schema.patterns import AskSource
from worldsmith.schema.rules import RuleSource
from worldsmith.schema.source import ColumnSource, NamesSource, Plain, Strict, TableSource, ValuesSource
from worldsmith.schema.syntax import json_values

Values = list[Plain] | ValuesSource
Kind = Literal["time_shifted", "granular_long_tail", "private_simulation", "realistic_grounded"]


class TablesAnswer(Strict):
    """What a world is about, its lists of values, kinds of names, and its tables."""

    name: str
    kind: Kind
    as_of: str
    about: str
    values: dict[str, Values] = Field(default_factory=dict)
    names: dict[str, NamesSource] = Field(default_factory=dict)
    tables: dict[str, TableSource]


class RulesAnswer(Strict):
    """Rules across the tables."""

    rules: dict[str, RuleSource]


class BackgroundAnswer(Strict):
    """Background tables and the lists they pick from."""

    values: dict[str, Values] = Field(default_factory=dict)
    tables: dict[str, TableSource]


class NeedsAnswer(Strict):
    """What people want to know."""

    needs: list[str]


class TableChange(Strict):
    """What changes in a table: a column that is null is removed."""

    called: tuple[str, str] | None = None
    rows: tuple[int, int] | None = None
    key: str | list[str] | None = None
    background: bool | None = None
    columns: dict[str, ColumnSource | None] = Field(default_factory=dict)


class RepairAnswer(Strict):
    """What changes in a draft: a part that is null is removed."""

    kind: Kind | None = None
    as_of: str | None = None
    about: str | None = None
    values: dict[str, Values | None] = Field(default_factory=dict)
    names: dict[str, NamesSource | None] = Field(default_factory=dict)
    variation: dict[str, float | None] = Field(default_factory=dict)
    tables: dict[str, TableChange | None] = Field(default_factory=dict)
    rules: dict[str, RuleSource | None] = Field(default_factory=dict)
    needs: list[str] | None = None


class SentenceAnswer(Strict):
    """A sentence about a row."""

    text: str
    when: str | None = None
    """Condition on the row, where the words claim one."""
    states: list[str] = Field(default_factory=list)
    """Columns that the words state without a slot: a null, a truth value."""


class SentencesAnswer(Strict):
    """How people write about the rows of one table, and ask for them."""

    names: dict[str, list[str]] = Field(default_factory=dict)
    """Labels by column."""
    sentences: list[SentenceAnswer]
    asks: dict[str, AskSource] = Field(default_factory=dict)
    """Ways to ask by column."""


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema that a server decodes by."""
    plain: dict[str, Any] = _without_patterns(model.model_json_schema(by_alias=True))
    return plain


def _without_patterns(node: Any) -> Any:
    """Return a JSON schema without patterns for the names of items: decoders pass over what stands under such names."""
    if isinstance(node, list):
        return [_without_patterns(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _without_patterns(item) for key, item in node.items() if key != "patternProperties"}
    for item in node.get("patternProperties", {}).values():
        out["additionalProperties"] = _without_patterns(item)
    return out


_THINK = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_TRAILING = re.compile(r",(\s*[}\]])")
_OBJECT_START = re.compile(r'\{\s*["}]')
_TOML_START = re.compile(r"^(?:\[|[\w\"]+(?:\.[\w\"]+)*\s*=)", re.MULTILINE)


def answer_data(content: str) -> dict[str, Any] | None:
    """Return the table that an answer holds, from JSON or TOML with or without prose around it; None where none is."""
    text = _THINK.sub("", content)
    for part in (*_FENCED.findall(text), text):
        for value in (_largest_object(part), _largest_object(_TRAILING.sub(r"\1", part)), _toml(part)):
            if value is not None:
                return value
    return None


def _largest_object(text: str) -> dict[str, Any] | None:
    return max(_objects(text), key=lambda value: len(json.dumps(value)), default=None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a text that lie in no other one."""
    decoder, start = json.JSONDecoder(), _OBJECT_START.search(text)
    while start:
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            return  # it is cut off, or no JSON: nothing inside it is the answer
        yield value
        start = _OBJECT_START.search(text, end)


def _toml(text: str) -> dict[str, Any] | None:
    start = _TOML_START.search(text)
    try:
        return json_values(tomllib.loads(text[start.start() :])) if start else None
    except (ValueError, RecursionError):
        return None
