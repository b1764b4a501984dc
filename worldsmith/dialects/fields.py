"""Fields of a request: each is read with its bounds, and a wrong one says the fix."""

from collections.abc import Mapping
from typing import Any

from worldsmith.errors import UsageError

MAX_QUERY = 2000
MAX_URL = 4000
MAX_BATCH = 64


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
        raise UsageError(f'"{name}" holds a NUL character: remove it')
    return value


def texts(value: Any, name: str, limit: int = MAX_QUERY, most: int = MAX_BATCH) -> tuple[str, ...]:
    """Return a list of one to `most` such strings; a lone string is a list of one."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list):
        raise UsageError(f'"{name}" must be a list of at least one string, not {_kind(value)}')
    if not items:
        raise UsageError(f'"{name}" is an empty list: it must hold at least one string')
    if len(items) > most:
        raise UsageError(f'"{name}" has {len(items)} items; at most {most} go in one request: split it')
    return tuple(text(item, f"{name}[{i}]", limit) for i, item in enumerate(items))


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
