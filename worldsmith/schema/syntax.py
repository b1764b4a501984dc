"""The shape of a schema file: invalid values, keys and tables are reported in the terms of the schema language."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError, field_validator

from worldsmith.errors import SchemaError, close_match
from worldsmith.schema.expectations import ExpectationSource
from worldsmith.schema.locations import SchemaFile
from worldsmith.schema.rules import RuleSource
from worldsmith.schema.source import (
    Name,
    NamesSource,
    PageSource,
    Plain,
    QuestionsSource,
    Strict,
    TableSource,
    ValuesSource,
)

SHOWN = 8
"""Faults reported at once."""
LARGEST = 2**53
"""Whole numbers up to here are kept exactly by every reader of JSON, and by every engine."""

SHOULD_BE = {
    "string_type": "should be a text in quotes",
    "model_type": "should be a table: { key = value, … }",
    "model_attributes_type": "should be a table: { key = value, … }",
    "dict_type": "should be a table: { key = value, … }",
    "int_type": "should be a whole number",
    "int_from_float": "should be a whole number",
    "int_parsing": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "string_too_short": "is empty: write a text, or leave it out",
    "too_short": "is empty: name at least one",
    "tuple_type": "should be a pair: [a, b]",
    "list_type": "should be a list: [a, b, …]",
}
EXAMPLES = {
    "schema": "schema = 1",
    "name": 'name = "harbour"',
    "kind": 'kind = "private_simulation"',
    "as_of": "as_of = 2031-05-01",
    "about": 'about = "the books of a harbour"',
    "tables": "[tables.berth]",
    "pages": 'berth = { about = "berth" } under [pages]',
    "called": 'called = ["berth", "berths"]',
    "rows": "rows = [20, 30]",
    "key": 'key = "name"',
    "columns": "[tables.berth.columns]",
}
EITHER = {
    "values": "should be a list [a, …], { real = [names] }, { invent = kind, n = 5 } or { groups = { name = [a, …] } }",
    "key": 'should be a column, or a list of columns: key = ["shop", "year"]',
    "with": 'should be a list of columns, or "*" for all',
}

PAGES_VERSION = 1
"""Version of `[pages]`; a schema may name it as `version`, which is not a page kind."""


class SchemaSource(Strict):
    """A schema file."""

    schema_: Literal[1] = Field(alias="schema")
    """Version of the language."""
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")
    """Name of the schema."""
    kind: Literal["time_shifted", "granular_long_tail", "private_simulation", "realistic_grounded"]
    """World kind."""
    as_of: str
    """The world's own date."""
    about: str = Field(min_length=1)
    """What the worlds are about, as a phrase."""
    lang: Literal["en"] = "en"
    """Language of pages and questions."""
    names: dict[Name, NamesSource] = Field(default_factory=dict)
    """Kinds of names of its own, beside those that are there."""
    values: dict[Name, list[Plain] | ValuesSource] = Field(default_factory=dict)
    """Lists of values; they are not rows."""
    variation: dict[Name, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)
    """Switches drawn once per world, and their chances."""
    tables: dict[Name, TableSource] = Field(min_length=1, max_length=30)
    """Tables in order."""
    rules: dict[Name, RuleSource] = Field(default_factory=dict)
    """Rules besides those that fills imply."""
    expected: dict[Name, ExpectationSource] = Field(default_factory=dict)
    """What worlds are like taken together."""
    pages: dict[Name, PageSource] = Field(min_length=1)
    """Which page carries which cells; `version` is that of this part of the language, 1."""
    questions: QuestionsSource = Field(default_factory=QuestionsSource)
    """Phrases for questions."""

    @field_validator("pages", mode="before")
    @classmethod
    def _version(cls, pages: Any) -> Any:
        """Take the version of `[pages]` out of its kinds."""
        if not isinstance(pages, dict) or "version" not in pages or isinstance(pages["version"], dict):
            return pages
        if pages["version"] != PAGES_VERSION or isinstance(pages["version"], bool):
            raise ValueError(
                f"version = {pages['version']!r} is not known; this part of the language is version {PAGES_VERSION}"
            )
        return {name: page for name, page in pages.items() if name != "version"}


Steps = tuple[str | int, ...]


def json_values(value: Any, file: SchemaFile | None = None, place: str = "") -> Any:
    """Return TOML values as JSON values: dates as ISO text.

    Raises SchemaError for a time of day, and for numbers that are none or too large.
    """
    if isinstance(value, dict):
        return {k: json_values(v, file, f"{place}.{k}".lstrip(".")) for k, v in value.items()}
    if isinstance(value, list):
        return [json_values(v, file, place) for v in value]
    if isinstance(value, dt.datetime | dt.time):
        where = (file or SchemaFile("schema")).at(place)
        raise SchemaError(
            f"{where}: {value} has a time of day; only dates are values here: write {str(value)[:10]}, or a text"
        )
    if isinstance(value, int | float) and not abs(value) <= LARGEST:  # true of nan, too
        where = (file or SchemaFile("schema")).at(place)
        shown = value if isinstance(value, float) or abs(value) < 10**60 else "a number of more than 60 digits"
        raise SchemaError(f"{where}: {shown} is too large, or no number: write one within 2^53 of 0")
    return value.isoformat() if isinstance(value, dt.date) else value


def read_source(data: dict[str, Any], file: SchemaFile) -> SchemaSource:
    """Check the shape of a schema file; SchemaError lists each place, the value there and what is wrong."""
    try:
        return SchemaSource.model_validate(data)
    except ValidationError as error:
        raise SchemaError(shape_faults(data, error, SchemaSource, file.at, EXAMPLES)) from None


def shape_faults(
    data: Mapping[str, Any],
    error: ValidationError,
    model: type[BaseModel],
    at: Callable[[str], str],
    examples: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return what is wrong with the shape of a file, in the terms of the file, a line for each place.

    `model` is what its data was read by, `at` names a place of the file, and `examples` say how a missing key is
    written.
    """
    errors = _faults(data, error.errors(), model, examples)
    faults = list(dict.fromkeys(f"{at(place)}: {text}" for place, text in errors))
    more = [f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
    return "\n".join([*faults[:SHOWN], *more])


def _faults(
    data: Mapping[str, Any], errors: Iterable[Any], model: type[BaseModel], examples: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return place and text of each error; of a choice between shapes only the nearest to the value."""
    faults: list[tuple[str, str]] = []
    open_: dict[Steps, Any] = {}
    for error in errors:
        steps, union, tag = _resolved(data, error)
        if tag and not _fits(tag, value := _value_at(data, union)):
            open_[union] = value
        else:
            faults.append((_dotted(steps), _explain(error, steps, model, examples)))
    places = [place for place, _ in faults]
    below = [_dotted(union) for union in open_]
    for union, value in open_.items():
        place = _dotted(union)
        if place not in places and not any(t.startswith(place + ".") for t in [*places, *below]):
            either = EITHER["values"] if union[:-1] == ("values",) else EITHER.get(str(union[-1]))
            either = either or (EITHER["with"] if "with" in union else "should be a text, a number or true or false")
            faults.append((place, f"{either}{_value_shown(value)}"))
    return faults


def _resolved(data: Any, error: Any) -> tuple[Steps, Steps, str]:
    """Return the location of an error as steps in `data`, and the place of a choice between shapes on the way.

    Pydantic puts the names of a choice's branches into the location; no key of the file has such a name there.
    """
    here, steps, union, tag = data, [], (), ""
    for i, step in enumerate(error["loc"]):
        held = isinstance(here, dict) and step in here
        if held or (isinstance(here, list) and isinstance(step, int) and step < len(here)):
            here = here[step]
            steps.append(step)
        elif i == len(error["loc"]) - 1 and error["type"] == "missing":
            steps.append(step)
        elif step != "[key]":
            union, tag = tuple(steps), str(step)
    return tuple(steps), union, tag


def _value_at(data: Any, steps: Steps) -> Any:
    for step in steps:
        data = data[step]
    return data


def _fits(tag: str, value: Any) -> bool:
    if isinstance(value, dict):
        return tag == "ValuesSource"
    if isinstance(value, list):
        return tag.startswith("list[")
    return isinstance(value, str) and tag.startswith(("str", "literal["))


def _dotted(steps: Steps) -> str:
    return ".".join(map(str, steps))


def _value_shown(value: Any) -> str:
    if isinstance(value, dict):
        return ""
    return f" (got {value[:60]!r})" if isinstance(value, str) else f" (got {str(value)[:60]})"


def _keys_at(model: type[BaseModel], steps: Steps) -> list[str]:
    """Return the keys that the table at `steps` of a file may have."""
    here: Any = model
    for step in steps:
        here = next((below for branch in _branches(here) for below in _below(branch, step)), None)
    models = [branch for branch in _branches(here) if isinstance(branch, type) and issubclass(branch, BaseModel)]
    return [field.alias or name for model in models[:1] for name, field in model.model_fields.items()]


def _branches(annotation: Any) -> tuple[Any, ...]:
    """Return the shapes that an annotation lets one choose from."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _branches(get_args(annotation)[0])
    return (
        tuple(b for a in get_args(annotation) for b in _branches(a)) if origin in {Union, UnionType} else (annotation,)
    )


def _below(branch: Any, step: str | int) -> list[Any]:
    if isinstance(branch, type) and issubclass(branch, BaseModel):
        return [f.annotation for name, f in branch.model_fields.items() if step in {name, f.alias}]
    return [get_args(branch)[-1]] if get_origin(branch) in {dict, list, tuple} and get_args(branch) else []


def _explain(error: Any, steps: Steps, model: type[BaseModel], examples: Mapping[str, str]) -> str:
    kind, got, context = error["type"], _value_shown(error["input"]), error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key {steps[-1]!r}.{close_match(str(steps[-1]), _keys_at(model, steps[:-1]))}"
    if kind == "missing":
        return _explain_missing(steps, error["input"], examples)
    if kind == "literal_error":
        expected = str(context["expected"])
        return f"should be {expected}{got}{_close_choice(error['input'], expected.replace(' or ', ', ').split(', '))}"
    if kind == "string_pattern_mismatch":
        return _explain_pattern(str(context["pattern"]), error["input"])
    if kind in SHOULD_BE:
        return SHOULD_BE[kind] + got
    expected = str(error["msg"]).removeprefix("Value error, ")
    return expected.replace("Input should", "should") + got


def _close_choice(value: Any, quoted: list[str]) -> str:
    hint = close_match(str(value), [q.strip("'") for q in quoted if q.startswith("'")])
    return f".{hint}" if "Did you mean" in hint else ""


def _explain_missing(steps: Steps, value: Any, examples: Mapping[str, str]) -> str:
    if isinstance(steps[-1], int):
        return f"should be a pair: [a, b]{_value_shown(value)}"
    example = examples.get(steps[-1])
    return f"{steps[-1]} is missing{f': give it, as in {example}' if example else ''}"


def _explain_pattern(pattern: str, value: Any) -> str:
    if pattern.startswith("^[a-z]"):
        return f"{value!r} is no name: a small letter first, then small letters, digits and _, at most 40"
    return f"{value!r} can't stand in a table: no line breaks and no |"
