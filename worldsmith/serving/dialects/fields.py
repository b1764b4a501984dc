"""Fields of a request: each is read, and published in the OpenAPI description, from one declaration.

A wrong value raises UsageError, whose text says the fix.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.schemas import JSON, TEXT, list_of, object_of, one_of
from worldsmith.simulate.protocol import Call, Observation

MAX_QUERY = 2000
MAX_URL = 4000


@dataclass(frozen=True, slots=True)
class Option:
    """A field that is published as `schema` and read leniently: a value that it doesn't allow has no effect."""

    name: str
    schema: JSON = field(hash=False)
    required: bool = False

    def read(self, body: Mapping[str, Any]) -> Any:
        """Return the value, None where it is absent."""
        return body.get(self.name)


@dataclass(frozen=True, slots=True)
class Text:
    """A string that holds something, of at most `limit` characters, without NUL."""

    name: str
    limit: int = MAX_QUERY
    required: bool = True

    @property
    def schema(self) -> JSON:
        """The published schema."""
        return {"type": "string" if self.required else ["string", "null"], "minLength": 1, "maxLength": self.limit}

    def read(self, body: Mapping[str, Any]) -> str:
        """Return the string."""
        return text(_required(body, self.name, "a string"), self.name, self.limit)


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
        item = {**TEXT, "minLength": 1, "maxLength": self.limit}
        return one_of(item, {**list_of(item), "maxItems": self.most})

    def read(self, body: Mapping[str, Any]) -> Sequence[Any]:
        """Return the items, whatever they are: none where the field is optional and empty."""
        if not body.get(self.name) and not self.required:
            return ()
        value = _required(body, self.name, "a list of strings")
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list):
            raise UsageError(f'"{self.name}" must be a list of strings, not {_kind(value)}')
        if len(value) > self.most:
            raise UsageError(f'"{self.name}" has {len(value)} items; at most {self.most} go in one request: split it')
        return value

    def texts(self, body: Mapping[str, Any]) -> list[str]:
        """Return the items, each of which must be such a string."""
        return [text(value, f"{self.name}[{i}]", self.limit) for i, value in enumerate(self.read(body))]

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
        bounds = {"type": ["integer", "null"], "minimum": self.least, "maximum": self.most}
        return {**bounds, "default": self.default} if self.least <= self.default <= self.most else bounds

    def read(self, body: Mapping[str, Any]) -> int:
        """Return the integer."""
        value, bounds = body.get(self.name), f"from {self.least} to {self.most}"
        if value is None:
            return self.default
        if (
            not self.strict
            and isinstance(value, str)
            and value.isascii()
            and value.removeprefix("-").isdecimal()
            and len(value) < 19
        ):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f'"{self.name}" must be an integer {bounds}, not {_kind(value)}')
        if not self.least <= value <= self.most:
            raise UsageError(f'"{self.name}" is {value}; it must be {bounds}')
        return value


Field = Option | Text | Texts | Whole


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


def _required(body: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in body:
        raise UsageError(f'"{name}" is missing: {what}')
    return body[name]


def _kind(value: Any) -> str:
    kinds = {type(None): "null", dict: "an object", list: "a list", bool: "a boolean", str: "a string"}
    return kinds.get(type(value), "a number")
