"""Fields of a request: each is read with its bounds, and a wrong one says the fix."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.simulate.protocol import Call, Observation

MAX_QUERY = 2000
MAX_URL = 4000
MAX_BATCH = 8192
"""Items of a batch: a trainer sends the queries of all rollouts of a turn at once."""


def text(value: Any, name: str, limit: int = MAX_QUERY) -> str:
    """Return a string that holds something, of at most `limit` characters, without NUL."""
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


def items(value: Any, name: str, most: int = MAX_BATCH) -> Sequence[Any]:
    """Return a list of at most `most` items, whatever they are; a lone string is a list of one."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise UsageError(f'"{name}" must be a list of strings, not {_kind(value)}')
    if len(value) > most:
        raise UsageError(f'"{name}" has {len(value)} items; at most {most} go in one request: split it')
    return value


def calls(
    values: Sequence[Any], name: str, call: Callable[[str], Call], limit: int = MAX_QUERY
) -> tuple[Call | Observation, ...]:
    """Return the call of each item of a batch; one that is no such string is answered by what is wrong with it."""
    return tuple(_call(value, f"{name}[{i}]", call, limit) for i, value in enumerate(values))


def _call(value: Any, name: str, call: Callable[[str], Call], limit: int) -> Call | Observation:
    try:
        return call(text(value, name, limit))
    except UsageError as error:
        return Observation("invalid", text=str(error))


def whole(fields: Mapping[str, Any], name: str, default: int, lo: int, hi: int) -> int:
    """Return an integer field from `lo` to `hi`, `default` where it is absent or null; digits in a string count."""
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdecimal() and len(value) < 19:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f'"{name}" must be an integer from {lo} to {hi}, not {_kind(value)}')
    if not lo <= value <= hi:
        raise UsageError(f'"{name}" is {value}; it must be from {lo} to {hi}')
    return value


def _kind(value: Any) -> str:
    kinds = {type(None): "missing", dict: "an object", list: "a list", bool: "a boolean", str: "a string"}
    return kinds.get(type(value), "a number")
