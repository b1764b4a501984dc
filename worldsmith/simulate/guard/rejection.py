"""What is wrong with a statement: a reason for programs and words for people."""

from typing import NamedTuple

from worldsmith.simulate.protocol import Reason, Verdict


class Rejection(NamedTuple):
    """Why a statement is rejected."""

    reason: Reason
    why: str

    def of(self, where: str, text: str = "") -> Verdict:
        """Return the verdict on a unit at `where` that says `text`."""
        return Verdict(where, ok=False, why=self.why, text=text, reason=self.reason)
