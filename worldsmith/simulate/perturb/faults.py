"""Faults: what answers a call instead of the world, and passes when the call is made again."""

from collections.abc import Mapping
from typing import Final

from worldsmith.errors import NotFoundError, close_match
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Call, Fault, Observation, Profile

MOST_FAULTS: Final = 2
"""Attempts of one call that faults may answer; later ones always pass, so that a task stays solvable."""
FAULTS: Mapping[str, Observation] = {
    "error": Observation("error", fault="error", source="fault"),
    "rate_limit": Observation("rate_limited", fault="rate_limit", retry_after=1, source="fault"),
    "auth": Observation("unauthorized", fault="auth", source="fault"),
    "timeout": Observation("timeout", fault="timeout", source="fault"),
}
"""The answer of each fault, by the name under which a profile gives its share. Faults are drawn per item of a batch."""


def faults_of(profile: Profile) -> tuple[Fault, ...]:
    """Return the faults of a profile.

    Raises:
        NotFoundError: the profile names one that does not exist.
    """
    profile_faults: list[Fault] = []
    for name, share in (profile.faults or {}).items():
        if name not in FAULTS:
            raise NotFoundError(f"profile {profile.name!r} names the fault {name!r}.{close_match(name, FAULTS)}")
        profile_faults.append(_fault(name, share))
    return tuple(profile_faults)


def _fault(name: str, share: float) -> Fault:
    def fault(call: Call, seed: int, attempt: int) -> Observation | None:
        # What is asked for, not how much of it: the next part of a page that was read doesn't fail anew.
        drawn = draw(seed, name, call.tool, call.arg, call.page, attempt) / 2**64
        return FAULTS[name] if attempt < MOST_FAULTS and drawn < share else None

    return fault
