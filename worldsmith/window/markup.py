"""HTML that is escaped by its type: text becomes HTML in `tag` alone."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = "str | int | float | Iterable[Child] | None"
"""What an element holds: text is escaped, `Markup` is not, None is nothing."""
Attribute: TypeAlias = str | int | bool | None
VOID = frozenset({"input", "link", "meta", "br", "img"})
"""Elements without an end tag."""


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element. `class_="a"` and `aria_label="b"` are class and aria-label; False and None leave one out."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>" + ("" if name in VOID else f"{html_of(children)}</{name}>"))


def html_of(child: Child) -> Markup:
    """Return children as HTML."""
    if child is None:
        return Markup("")
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int | float):
        return Markup(escape(str(child), quote=False))
    return Markup("".join(map(html_of, child)))
