"""Fields of a request: each is read, and published in the OpenAPI description, from one declaration.

A wrong value raises UsageError, whose text says the fix.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.schemas import JSON, NULL, any_of, lenient, list_of, object_of, one_of
from worldsmith.simulate.protocol import Call, Observation

MAX_QUERY = 2000
MAX_URL = 4000
READABLE = r"^[^\x00]*[^\s\x00\x1c-\x1f][^\x00]*$"
"""What a text is: it holds something besides white space, and no NUL."""


@dataclass(frozen=True, slots=True)
class Option:
    """A field that counts where it fits `values`; any other value has no effect."""

    name: str
    values: JSON = field(hash=False)
    required: bool = False

    @property
    def schema(self) -> JSON:
        """The published schema."""
        return lenient(self.values)

    def read(self, body: Mapping[str, Any]) -> Any:
        """Return the value, None where it is absent."""
        return body.get(self.name)


@dataclass(frozen=True, slots=True)
class Strict(Option):
    """A field that is published as `values`: its route refuses any other value."""

    @property
    def schema(self) -> JSON:
        """The published schema."""
        return self.values


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several strings; null is as if it were absent, unless it is required."""

    name: str
    values: Sequence[str]
    required: bool = False

    @property
    def schema(self) -> JSON:
        """The published schema."""
        if self.required:
            return {"type": "string", "enum": list(self.values)}
        return {"type": ["string", "null"], "enum": [*self.values, None]}

    def read(self, body: Mapping[str, Any]) -> str | None:
        """Return the string."""
        value = _required(body, self.name, f"one of {', '.join(self.values)}") if self.required else body.get(self.name)
        if value is None and not self.required:
            return None
        if not isinstance(value, str) or value not in self.values:
            raise UsageError(f'"{self.name}" is {str(value)[:80]!r}: use one of {", ".join(filter(None, self.values))}')
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """A string that holds something, of at most `limit` characters, without NUL."""

    name: str
    limit: int = MAX_QUERY
    required: bool = True

    @property
    def schema(self) -> JSON:
        """The published schema."""
        return {
            "type": "string" if self.required else ["string", "null"],
            "maxLength": self.limit,
            "pattern": READABLE,
        }

    def read(self, body: Mapping[str, Any]) -> str:
        """Return the string."""
        return text(_required(body, self.name, "a string"), self.name, self.limit)


@dataclass(frozen=True, slots=True)
class Day:
    """A day, or a time of which the day counts; null is as if it were absent."""

    name: str
    required: bool = False

    @property
    def schema(self) -> JSON:
        """The published schema."""
        return any_of({"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}, NULL)

    def read(self, body: Mapping[str, Any]) -> str | None:
        """Return the ISO day."""
        value = body.get(self.name)
        if value is None:
            return None
        value = text(value, self.name, MAX_QUERY)
        try:
            return date.fromisoformat(value[:10]).isoformat()
        except ValueError:
            raise UsageError(f'"{self.name}" is {value[:40]!r}: it must be a day such as 2029-03-31') from None


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of at most `most` strings of at most `limit` characters; a lone string is a list of one."""

    name: str
    limit: int = MAX_QUERY
    most: int = 100
    required: bool = True

    @property
    def schema(self) -> JSON:
        """The published schema."""
        item = Text(self.name, self.limit).schema
        lists = (item, {**list_of(item), "maxItems": self.most})
        return one_of(*lists) if self.required else one_of(*lists, {"enum": ["", None]})

    def read(self, body: Mapping[str, Any]) -> list[str]:
        """Return the strings: none where the field is optional and empty."""
        if not self.required and body.get(self.name) in ("", None):
            return []
        return [text(value, f"{self.name}[{i}]", self.limit) for i, value in enumerate(_items(body, self))]


@dataclass(frozen=True, slots=True)
class Batch:
    """A list of `least` to `most` strings, whose items are answered one by one; a lone string is a list of one."""

    name: str
    limit: int = MAX_QUERY
    most: int = 100
    least: int = 0
    required: bool = True

    @property
    def schema(self) -> JSON:
        """The published schema."""
        items = list_of(any_of(Text(self.name, self.limit).schema, {"description": "Any other item has no answer."}))
        bounds = {"minItems": self.least, "maxItems": self.most}
        return one_of({"type": "string"}, {**items, **bounds})

    def read(self, body: Mapping[str, Any]) -> Sequence[Any]:
        """Return the items, whatever they are."""
        items = _items(body, self)
        if len(items) < self.least:
            raise UsageError(f'"{self.name}" is empty: give the address of a page')
        return items

    def calls(self, items: Sequence[Any], call: Callable[[str], Call]) -> tuple[Call | Observation, ...]:
        """Return the call of each item; one that is no such string is answered by what is wrong with it."""
        return tuple(self._call(value, f"{self.name}[{i}]", call) for i, value in enumerate(items))

    def _call(self, value: Any, name: str, call: Callable[[str], Call]) -> Call | Observation:
        try:
            return call(text(value, name, self.limit))
        except UsageError as error:
            return Observation("invalid", text=str(error))


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `least` to `most`; null is as if it were absent."""

    name: str
    default: int
    """What is read where it is absent; published where it is within the bounds."""
    least: int
    most: int
    required: bool = False
    strict: bool = False
    """Digits in a string are refused: some services take them for a number."""

    @property
    def schema(self) -> JSON:
        """The published schema."""
        kinds = ["integer", "null"] if self.strict else ["integer", "null", "string"]
        bounds = {"type": kinds, "minimum": self.least, "maximum": self.most}
        digits = {} if self.strict else {"pattern": _digits(self.least, self.most)}
        default = {"default": self.default} if self.least <= self.default <= self.most else {}
        return {**bounds, **digits, **default}

    def read(self, body: Mapping[str, Any]) -> int:
        """Return the integer."""
        value, bounds = body.get(self.name), f"from {self.least} to {self.most}"
        if value is None:
            return self.default
        if not self.strict and isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f'"{self.name}" must be an integer {bounds}, not {_kind(value)}')
        if not self.least <= value <= self.most:
            raise UsageError(f'"{self.name}" is {value}; it must be {bounds}')
        return value


Parameter = Option | Text | Batch | Whole
"""The fields that tools of MCP have."""
Field = Parameter | Choice | Day | Texts


def either(first: JSON, second: JSON) -> JSON:
    """Return the schema of a request that has the required fields of one of two, and not those of the other too."""
    return one_of(_without(first, second), _without(second, first))


def unless(first: JSON, second: JSON) -> JSON:
    """Return the schema of a request that fits the first of two, or the second without the first's required fields."""
    return one_of(first, _without(second, first))


def _without(schema: JSON, other: JSON) -> JSON:
    left = [name for name in other["required"] if name not in schema["required"]]
    return {**schema, "properties": {**schema["properties"], **dict.fromkeys(left, NULL)}}


def present(first: Batch, second: Batch, body: Mapping[str, Any]) -> Batch:
    """Return which of two fields a request has; the first where it has both or neither."""
    return second if body.get(first.name) is None and body.get(second.name) is not None else first


def request_schema(*fields: Field, example: Any = None) -> JSON:
    """Return the schema of a request with these fields."""
    optional = tuple(each.name for each in fields if not each.required)
    return object_of({each.name: each.schema for each in fields}, optional=optional, example=example)


def text(value: Any, name: str, limit: int) -> str:
    """Return a value that must be a string that holds something, of at most `limit` characters, without NUL."""
    if not isinstance(value, str):
        raise UsageError(f'"{name}" must be a string, not {_kind(value)}')
    if not value.strip():
        wanted = "give the address of a page" if name.startswith("url") else "say what to look for"
        raise UsageError(f'"{name}" is empty: {wanted}')
    if len(value) > limit:
        raise UsageError(f'"{name}" has {len(value)} characters; at most {limit} are read: shorten it')
    if "\0" in value:
        raise UsageError(f'"{name}" holds a NUL character, or bytes that are not Unicode: remove them')
    return value


_DIGITS = re.compile(r"0|-?[1-9][0-9]{0,17}")


def _digits(least: int, most: int) -> str:
    """Return a pattern of the digits of the numbers up to `most`, from `least`: 0 or 1."""
    text = str(most)
    ways = ["0"] if least == 0 and most else []
    ways += [f"[1-9][0-9]{{0,{len(text) - 2}}}"] if len(text) > 1 else []
    for place, digit in enumerate(text):
        low, left = 0 if place else 1, len(text) - place - 1
        if int(digit) > low:
            below = f"{text[:place]}[{low}-{int(digit) - 1}]"
            ways.append(below + (f"[0-9]{{{left}}}" if left else ""))
    return f"^({'|'.join((*ways, text))})$"


def _items(body: Mapping[str, Any], field: Texts | Batch) -> list[Any]:
    value = _required(body, field.name, "a list of strings")
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise UsageError(f'"{field.name}" must be a list of strings, not {_kind(value)}')
    if len(value) > field.most:
        raise UsageError(f'"{field.name}" has {len(value)} items; at most {field.most} go in one request: split it')
    return value


def _required(body: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in body:
        raise UsageError(f'"{name}" is missing: send {what}')
    return body[name]


def _kind(value: Any) -> str:
    kinds = {type(None): "null", dict: "an object", list: "a list", bool: "a boolean", str: "a string"}
    return kinds.get(type(value), "a number")
