"""Checks that a reply states only what its slice permits, and all that it must state."""

from worldsmith.simulate.guard.guard import POLICY, Guard

__all__ = ["POLICY", "Guard"]
