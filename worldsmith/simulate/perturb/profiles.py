"""Profiles: named records of page length, withhold level and perturbations with their shares."""

from collections.abc import Mapping

from worldsmith.errors import NotFoundError, close_match
from worldsmith.schema import Schema
from worldsmith.simulate.perturb.detours import DETOUR, detours
from worldsmith.simulate.perturb.pages import PAGE_EDITS, paginate, spare_page_edit
from worldsmith.simulate.perturb.ranking import RANKINGS
from worldsmith.simulate.perturb.withhold import withhold
from worldsmith.simulate.protocol import Profile, Slice, SliceEdit

EDITS = (*RANKINGS, *PAGE_EDITS, "paginate")
"""Names of the slice edits, in the order they are made; withholding comes last."""

PROFILES: dict[str, Profile] = {
    "clean": Profile("clean", "short pages; a hit shows half of what its columns allow"),
    "web": Profile("web", "pages as long as the web's; a hit shows half of what its columns allow", length="web"),
    "open": Profile("open", "a hit shows all that its columns allow", withhold=0),
    "sparse": Profile("sparse", "a hit shows its key alone", withhold=2),
    "scarce": Profile("scarce", "a hit shows its key alone, and half of the hits are gone", withhold=3),
    "flaky": Profile(
        "flaky",
        "a tenth of the calls fails and a tenth is refused; both pass when tried again, in a session",
        faults={"error": 0.1, "rate_limit": 0.1},
    ),
    "realistic": Profile(
        "realistic",
        "the web on a usual day: background among the hits, mirrors, archive copies, namesakes, some dead links and "
        "walls, of natural pages a tenth lost, with a way round each, long pages in parts; few calls fail, and "
        "pass when tried again, in a session",
        edits={
            "distract": 0.15,
            "stale_copy": 0.3,
            "near_duplicate": 0.3,
            "homonym": 0.5,
            "detour": 0.1,
            "dead_link": 0.1,
            "contradiction": 0.1,
            "truncate": 0.05,
            "paywall": 0.1,
            "paginate": 0.2,
        },
        faults={"error": 0.02, "rate_limit": 0.02, "timeout": 0.01},
    ),
    "adversarial": Profile(
        "adversarial",
        "the web at its worst: a hit shows its key alone, copies and namesakes everywhere, half of what is not the "
        "entry itself is gone, closed or wrong, and three in ten of all natural pages, with a way round each; a "
        "fifth of the calls fails, and passes when tried again, in a session",
        withhold=2,
        edits={
            "distract": 0.4,
            "stale_copy": 1.0,
            "near_duplicate": 1.0,
            "homonym": 1.0,
            "detour": 0.3,
            "dead_link": 0.2,
            "contradiction": 0.5,
            "truncate": 0.2,
            "paywall": 0.2,
            "paginate": 0.6,
        },
        faults={"error": 0.1, "rate_limit": 0.05, "timeout": 0.05},
    ),
}
"""Profiles by name; the first is what an address without one means."""

WITHHOLD = (
    "Snippets may state every fact listed for a result.",
    "Snippets tease: state the facts listed for the result, and leave the rest to the page.",
    "Snippets name what the result is about and state nothing else of it.",
)
"""What snippets do at withhold levels 0, 1, and 2 and above."""


def profile_named(name: str, among: Mapping[str, Profile] = PROFILES) -> Profile:
    """Return the profile called `name`.

    Raises:
        NotFoundError: there is none; the message names the nearest.
    """
    chosen = among.get(name)
    if chosen is None:
        raise NotFoundError(f"there is no profile {name!r}.{close_match(name, among)}")
    return chosen


def slice_edits_of(profile: Profile) -> tuple[SliceEdit, ...]:
    """Return the edits of a profile that map pages, in the order they are made; those of rankings are `EditedRanking`.

    Raises:
        NotFoundError: the profile names an edit that does not exist.
    """
    shares = profile.edits or {}
    for name in shares:
        if name not in EDITS:
            raise NotFoundError(f"profile {profile.name!r} names the edit {name!r}.{close_match(name, EDITS)}")
    made = [spare_page_edit(name, shares[name]) for name in PAGE_EDITS if shares.get(name)]
    if shares.get(DETOUR):
        made += detours(shares[DETOUR])
    if shares.get("paginate"):
        made.append(paginate(shares["paginate"]))
    return (*made, withhold(profile.withhold))


def instruction(profile: Profile, slice_: Slice, schema: Schema) -> str:
    """Return the simulation instruction for a slice: for a search how much snippets tell, for a page nothing.

    Where no result has a fact beyond its key, there is nothing to tease with.
    """
    if slice_.call.tool != "web_search":
        return ""
    has_facts = any(
        cell.col not in schema.tables[cell.row.table].key for view in slice_.views for cell in view.page.head.cells
    )
    return WITHHOLD[min(profile.withhold, 2) if has_facts else 2]
