"""Nothing but what the slice may say reaches an agent, and all that a page must say does."""

from worldsmith.simulate.guard.guard import POLICY, Guard

__all__ = ["POLICY", "Guard"]
