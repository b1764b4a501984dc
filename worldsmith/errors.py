"""Everything worldsmith raises on purpose; the text of each says what, where, which value, and the fix.

A user's mistake never ends in a traceback: `cli` prints the text of any WorldsmithError, and ends with exit code 2
where it is a UsageError, else with 1.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from itertools import islice


class WorldsmithError(Exception):
    """The root of all of them."""


class UsageError(WorldsmithError):
    """Wrong use of a command or a function."""


class SchemaError(UsageError):
    """An invalid schema; `place` is the part at fault, where its file and line aren't known yet."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.place = place


class ExprError(UsageError):
    """An expression that can't be read or typed; its text says where."""


class FormatError(UsageError):
    """A file of ours (world, tasks, answers, profile) that can't be read."""


class NotFoundError(UsageError):
    """An unknown name: of a world, table, column, agent or format; its text ends with a close match."""


class GenerationError(WorldsmithError):
    """A schema whose rules never held.

    Attributes:
        place: what generation stopped at, as printed: "rule name", "table.column" or "table".
        reason: why it stopped there.
        rule: the name of the declared rule; None where it stopped at a column or a table.
    """

    def __init__(self, text: str, *, place: str, reason: str, rule: str | None = None) -> None:
        super().__init__(text)
        self.place = place
        self.reason = reason
        self.rule = rule


class ConsistencyError(WorldsmithError):
    """A world that breaks its own rules, or a task whose gold or certificate doesn't hold."""


class GuardError(WorldsmithError):
    """A reply of our own renderer that the guard rejects: a defect of worldsmith."""


class StoreError(WorldsmithError):
    """A store of accepted texts that can't be read or written: a full disk, a file that is damaged or held."""


class BackendError(WorldsmithError):
    """A language model that did not answer in time, or in the right form."""


MOST_COMPARED = 2000
"""Names that `close_match` compares: a hundred thousand would take seconds."""


def some_of(names: Collection[str], most: int = 12) -> str:
    """Return the first of some names, with an ellipsis where there are more."""
    return ", ".join(islice(names, most)) + (", …" if len(names) > most else "")


def close_match(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" with the nearest of `known`, or a list of them where none is near.

    Of more than `MOST_COMPARED` names it says nothing.
    """
    names = sorted(islice(known, MOST_COMPARED + 1))
    if len(names) > MOST_COMPARED:
        return ""
    near = get_close_matches(name, names, n=1) or [n for n in names if n.casefold() == name.casefold()]
    if near:
        return f" Did you mean {near[0]!r}?"
    if not names:
        return ""
    shown = ", ".join(repr(n) for n in names[:24])
    return f" Known: {shown}{', …' if len(names) > 24 else ''}."
