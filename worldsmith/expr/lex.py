"""Source text to tokens, and errors that point into it."""

import re
from dataclasses import dataclass
from typing import Literal

from worldsmith.errors import ExprError

LENGTH_CAP = 500
RESERVED = frozenset(
    ["and", "as_of", "between", "case", "else", "end", "false", "in", "is", "not", "null", "or", "then", "true", "when"]
)

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>[0-9]+(?:\.[0-9]+)?)
      | (?P<text>'(?:[^']|'')*')
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>--|/\*|==|!=|<>|<=|>=|\|\||&&|[-+*/=<>(),.])
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_HINTS = {
    "--": "there are no comments here: write a space between two minus signs",
    "/*": "there are no comments here",
    "==": "equality is written =",
    "&&": "write and",
    "!": "write not, or != for 'differs from'",
    "|": "write or, or || to join texts",
    "%": "there is no remainder",
    '"': "texts stand in single quotes, names in none",
    "`": "names stand in no quotes",
    ";": "an expression is one value, without ;",
    "'": "this text has no closing quote",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `word` is what the grammar compares: signs, reserved words in lower case, else ''."""

    kind: Literal["number", "text", "name", "sign", "end"]
    source: str
    at: int
    word: str


def syntax_error(text: str, at: int, message: str) -> ExprError:
    """Return an ExprError with the message, the position (from 1), the line and a caret under it."""
    line = "".join(c if c.isprintable() else " " for c in text)
    start = max(0, at - 60)
    shown = line[start : at + 40]
    head, tail = "…" if start else "", "…" if len(line) > at + 40 else ""
    return ExprError(f"at position {at + 1}: {message}\n  {head}{shown}{tail}\n  {' ' * (len(head) + at - start)}^")


def tokenize(text: str) -> list[Token]:
    """Return the tokens of an expression and one of kind 'end'. Raises ExprError, also over 500 characters."""
    if len(text) > LENGTH_CAP:
        raise ExprError(
            f"an expression has at most {LENGTH_CAP} characters, this one has {len(text)}: "
            "put a part of it in a derived column of its own."
        )
    token_list: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, source, at = match.lastgroup, match.group(), match.start()
        if kind == "space":
            continue
        if kind == "other" or source in _HINTS or (kind == "name" and not source.isidentifier()):
            hint = _HINTS.get(source)
            raise syntax_error(text, at, f"{source!r} means nothing here" + (f": {hint}." if hint else "."))
        token_list.append(_token(text, kind, source, at))
    return [*token_list, Token("end", "", len(text), "")]


def _token(text: str, kind: str | None, source: str, at: int) -> Token:
    if kind == "number":
        after = text[at + len(source) : at + len(source) + 1]
        if after in {".", "_"} or after.isalnum():
            raise syntax_error(text, at, "numbers are written 12 or 12.5, without exponent, unit or separator.")
        return Token("number", source, at, "")
    if kind == "text":
        if not all(c.isprintable() for c in source):
            raise syntax_error(text, at, "a text literal holds printable characters only.")
        return Token("text", source, at, "")
    if kind == "name":
        lower = source.lower()
        return Token("name", source, at, lower if lower in RESERVED else "")
    return Token("sign", source, at, "!=" if source == "<>" else source)
