"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed); `--server` plays against the real server."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rollout import rollout
from worldsmith_kit.episode.rehearsal import check


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the score of an episode in which the model says these messages."""
    left = iter(messages)
    return float(rollout(row, lambda _messages, _tools: next(left))["figures"]["score"])


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return rollout(row, lambda _messages, _tools: 17)


if __name__ == "__main__":
    sys.exit(check(play, play_wrong_type))
