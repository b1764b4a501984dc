"""The TOML of schema and language files, laid out for a person to read and edit."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
LINE = 120
SECTIONS = {
    "values": "lists that columns pick from",
    "names": "kinds of invented names",
    "variation": "switches, on in a share of the worlds",
    "rules": "beside those that fills imply",
    "expected": "figures over many worlds, for `audit worlds`",
    "pages": "which page carries which cells",
    "questions": "what people want to know",
}
"""What stands behind the head of a section."""


def schema_text(data: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """Return a schema file; `comments` stand at its top, one per line."""
    lines = [*_comments(comments)]
    lines += _aligned({key: value for key, value in data.items() if not isinstance(value, dict)})
    for part in ("values", "names", "variation"):
        if data.get(part) and isinstance(data[part], dict):
            lines += _section(part, data[part])
    for name, table in data.get("tables", {}).items():
        head = {key: value for key, value in table.items() if key != "columns"}
        lines += ["", f"[tables.{_key(name)}]", *_aligned(head), f"[tables.{_key(name)}.columns]"]
        lines += _aligned(table["columns"])
    for part in ("rules", "expected", "pages", "questions"):
        if data.get(part) and isinstance(data[part], dict):
            lines += _section(part, data[part])
    return "\n".join(lines) + "\n"


def language_text(data: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """Return a language file."""
    lines = [*_comments(comments), f"language = {data['language']}"]
    if data.get("subject"):
        lines += ["[subject]", *_aligned(data["subject"])]
    for part in ("columns", "sites", "pages", "asks"):
        for name, item in data.get(part, {}).items():
            lines += ["", f"[{part}.{_key(name)}]", *(f"{_key(key)} = {value(item[key])}" for key in item)]
    for tell in data.get("tells", ()):
        lines += ["", "[[tells]]", *(f"{key} = {_lines(tell[key], len(key))}" for key in tell)]
    return "\n".join(lines) + "\n"


def _section(part: str, items: Mapping[str, Any]) -> list[str]:
    return ["", f"[{part}]  # {SECTIONS[part]}", *_aligned(items)]


def _comments(comments: Sequence[str]) -> list[str]:
    return [f"# {' '.join(comment.split())}" for comment in comments]


def _aligned(items: Mapping[str, Any]) -> list[str]:
    width = max((len(_key(name)) for name in items), default=0)
    return [f"{_key(name):<{width}} = {_lines(item, width)}" for name, item in items.items()]


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _lines(item: Any, width: int) -> str:
    """Return a value after a key of some width: a list that is too long for a line with a line for each item."""
    if isinstance(item, list) and width + 3 + len(value(item)) > LINE:
        return "[\n" + "".join(f"  {value(text)},\n" for text in item) + "]"
    return value(item)


def value(item: Any) -> str:
    """Return a value as TOML: texts that are a day as one, tables inline. Nulls in tables are left out."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return item if _is_day(item) else _text(item)
    if isinstance(item, Mapping):
        inner = ", ".join(f"{_key(key)} = {value(one)}" for key, one in item.items() if one is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(item, list | tuple):
        return f"[{', '.join(map(value, item))}]"
    return repr(item)


def _is_day(text: str) -> bool:
    try:
        return text.isascii() and len(text) == 10 and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
