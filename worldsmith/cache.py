"""Bounded memos: dicts of pure values, shared by the threads that call one simulator.

There is no lock: each step is one dict operation, which the interpreter makes atomic. Two threads may compute the
same value twice; values are pure, so it makes no difference which one is kept.
"""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(memo: dict[K, V], key: K, value: V, most: int) -> V:
    """Store a value under a key and return it; the oldest entries beyond `most` are dropped."""
    memo[key] = value
    while len(memo) > most:
        try:
            memo.pop(next(iter(memo)), None)
        except (RuntimeError, StopIteration):
            continue  # another thread changed the memo between the two steps: try again
    return value
