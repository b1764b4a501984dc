"""Perturbations of data, never of text, and the named profiles that declare them.

A slice edit maps pages to pages or drops a hit. It draws from (seed, kind, page id), never from the call, so
that a page and every snippet of it agree. A fault answers instead of the world.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.pages.types import Block, Page
from worldsmith.seeding import draw
from worldsmith.slices import Call, Fault, Observation, Profile, Slice, SliceEdit
from worldsmith.world import Cell, World

MEMO = 1024
"""Edited pages an edit keeps."""
LEVELS = 4
"""Withhold levels: 0 to 3."""

PROFILES: dict[str, Profile] = {
    "clean": Profile("clean", "short pages; a hit shows half of what its columns allow"),
    "open": Profile("open", "a hit shows all that its columns allow", withhold=0),
    "sparse": Profile("sparse", "a hit shows its key alone", withhold=2),
    "scarce": Profile("scarce", "a hit shows its key alone, and half of the hits are gone", withhold=3),
    "flaky": Profile(
        "flaky",
        "a tenth of the calls fails and a tenth is refused; both pass when tried again, in a session",
        faults={"error": 0.1, "rate_limit": 0.1},
    ),
}
"""Profiles by name; the first is what an address without one means."""


def profile(name: str) -> Profile:
    """Return the profile called `name`.

    Raises:
        NotFoundError: there is none; the message names the nearest.
    """
    found = PROFILES.get(name)
    if found is None:
        raise NotFoundError(f"there is no profile {name!r}.{close_match(name, PROFILES)}")
    return found


def withhold(level: int) -> SliceEdit:
    """Return the edit that keeps cells out of search hits: it looks at the tool and touches only head blocks.

    0 shows all head cells. 1 keeps half of those that are no key, an odd one by a coin. 2 keeps keys alone (of a
    list its scope). 3 does that and removes half of the hits, lists never.

    Raises:
        UsageError: `level` is not 0 to 3.
    """
    if level not in range(LEVELS):
        raise UsageError(f"withhold level {level!r} does not exist; it is 0, 1, 2 or 3")

    made: dict[tuple[str, int, str], tuple[Page, Page | None]] = {}  # edits are pure: the same plan, the same page

    def edit(world: World, part: Slice, seed: int) -> Slice:
        if part.call.tool != "web_search" or level == 0:
            return part
        views = []
        for view in part.views:
            key = (world.id, seed, view.page.id)
            known = made.get(key)
            if known is None or known[0] is not view.page:
                if len(made) >= MEMO:
                    made.pop(next(iter(made)))
                known = made[key] = (view.page, _withheld(world, view.page, level, seed))
            if known[1] is not None:
                views.append(replace(view, page=known[1]))
        return replace(part, views=tuple(views))

    return edit


def _withheld(world: World, page: Page, level: int, seed: int) -> Page | None:
    """Return the page with what its head keeps; None for a hit that is removed."""
    chance = draw(seed, "withhold", page.id)
    if level == 3 and chance >> 63 and not page.rows:
        return None
    cells = page.head.cells
    keys = [cell for cell in cells if _is_key(world, page, cell, level)]
    others = [cell for cell in cells if cell not in keys]
    half = 0 if level > 1 else len(others) // 2 + (len(others) % 2 and chance & 1)
    turn = (chance >> 8) % len(others) if others else 0
    kept = (others[turn:] + others[:turn])[:half]
    if len(kept) == len(others):
        return page
    return with_head(page, [cell for cell in cells if cell in keys or cell in kept])


def _is_key(world: World, page: Page, cell: Cell, level: int) -> bool:
    """Whether the hit is known by a cell: the subject's key, a list's scope and (below level 2) its rows' keys."""
    key = cell.col in world.schema.tables[cell.row.table].key
    if page.subject is not None:
        return key and cell.row == page.subject
    scope = next((spec.by for spec in world.schema.pages if spec.name == page.kind), None)
    if scope is None:
        return key
    return cell.col == scope or (key and level < 2)


def with_head(page: Page, cells: list[Cell]) -> Page:
    """Return a page whose head states `cells` alone, without the links of those it lost."""
    head = Block(page.head.kind, tuple(cells), page.head.variant, page.head.links if len(cells) else ())
    return replace(page, head=head)


def edits(asked: Profile) -> tuple[SliceEdit, ...]:
    """Return the slice edits of a profile in the order they are made."""
    return (withhold(asked.withhold),)


def _error(call: Call, seed: int, attempt: int, share: float) -> Observation | None:
    if _drawn("error", call, seed, attempt) >= share:
        return None
    return Observation("error", fault="error", source="fault")


def _rate_limit(call: Call, seed: int, attempt: int, share: float) -> Observation | None:
    if _drawn("rate_limit", call, seed, attempt) >= share:
        return None
    return Observation("rate_limited", fault="rate_limit", retry_after=1, source="fault")


def _drawn(kind: str, call: Call, seed: int, attempt: int) -> float:
    return draw(seed, kind, call.tool, call.arg, call.page, attempt) / 2**64


FAULTS: Mapping[str, Callable[[Call, int, int, float], Observation | None]] = {
    "error": _error,
    "rate_limit": _rate_limit,
}
"""Faults by the name a profile gives their share under."""


def faults(asked: Profile) -> tuple[Fault, ...]:
    """Return the faults of a profile.

    Raises:
        NotFoundError: the profile names one that does not exist.
    """
    found: list[Fault] = []
    for name, share in (asked.faults or {}).items():
        if name not in FAULTS:
            raise NotFoundError(f"profile {asked.name!r} names the fault {name!r}.{close_match(name, FAULTS)}")
        found.append(_fault(name, share))
    return tuple(found)


def _fault(name: str, share: float) -> Fault:
    def fault(call: Call, seed: int, attempt: int) -> Observation | None:
        return FAULTS[name](call, seed, attempt, share)

    return fault
