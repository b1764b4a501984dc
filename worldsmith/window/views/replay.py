"""What replays of episodes and of traces share: steps one at a time, and messages with links into the window."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from worldsmith.rollout.report_page import call_text
from worldsmith.window.library import Library
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.page_html import linked_text
from worldsmith.window.sheet import Links, Visit, moves

LINE: Final = 60
"""Characters of a step's line in the list of steps."""
ROLES: Final = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a replay: its line in the list of steps, and what it shows."""

    line: str
    content: Callable[[], Child]
    mark: Child = None
    """Stands at the end of its line."""


def replay(visit: Visit, view: str, here: Mapping[str, str | int], steps: Sequence[Step], about: Child) -> Markup:
    """Return the step that the query names beside the list of all, with links to its neighbours.

    `view` is the path, and `here` the query, that names what is replayed.
    """
    last = len(steps) - 1
    step = min(visit.number("step", 0), last)

    def address(to: int) -> str:
        return visit.links.to(view, **here, step=to)

    items = [
        tag(
            "li", tag("a", tag("span", one.line), one.mark, href=address(i), aria_current="step" if i == step else None)
        )
        for i, one in enumerate(steps)
    ]
    back, on = address(step - 1) if step else "", address(step + 1) if step < last else ""
    neighbours = moves("Steps", back, f"step {step} of {last}", on)
    every = tag("nav", tag("ol", items, class_="steps", start=0), class_="side", aria_label="All steps")
    one = tag("div", neighbours, steps[step].content(), class_="step")
    return tag("div", about, tag("div", every, one, class_="split narrow"))


@dataclass(frozen=True, slots=True)
class Reader:
    """Writes what was recorded in a world or a pool, "" where it is not shown here: without links then."""

    links: Links
    library: Library
    world: str

    def page_links(self, pages: Any) -> list[Child]:
        """Return the ids of pages, with links where they name one of a world."""
        ids = [str(page) for page in as_list(pages)]
        if not self.world or self.library.is_pool(self.world):
            return [" ".join(ids)]
        return [(self.links.link(page, "world", self.world, "page", id=page), " ") for page in ids]

    def text(self, text: str) -> Markup:
        """Return a text with its addresses as links to pages."""
        parts = (
            linked_text(text, lambda url: self.links.to("world", self.world, "page", url=url)) if self.world else [text]
        )
        return tag("pre", parts, class_="text")

    def message(self, message: Mapping[str, Any]) -> Markup:
        """Return a message: its reasoning to fold, its calls as code, its text."""
        role, content = str(message.get("role", "message")), message.get("content")
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        calls = (as_mapping(call).get("function") for call in as_list(message.get("tool_calls")))
        return tag(
            "section",
            tag("h3", role, f" · {message['name']}" if message.get("name") else None),
            tag("details", tag("summary", "Reasoning"), self.text(str(reasoning)), open=True) if reasoning else None,
            [tag("pre", call_text(as_mapping(call)), class_="call") for call in calls],
            self.text(str(content)) if content else None,
            class_=f"message {role}" if role in ROLES else "message",
        )


def reader(visit: Visit, names: Iterable[str]) -> Reader:
    """Return a reader of the first of some names that is shown here."""
    known = visit.library.worlds()
    shown = (name for name in names if name in known or visit.library.is_pool(name))
    return Reader(visit.links, visit.library, next(shown, ""))


def short_argument(text: str) -> str:
    """Return the argument of a call in a line: of an address the end, which tells pages of a site apart."""
    address = re.fullmatch(r"https?://[^/\s]+/(.*?)/?", text)
    line = " ".join((address[1] if address else text).split())
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one for what else a record may hold in its place."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> Sequence[Any]:
    """Return a list as it is, and an empty one for what else a record may hold in its place."""
    return value if isinstance(value, list) else []
