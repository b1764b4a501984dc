"""Memos with a bound: dicts of pure values, shared by the threads that call one simulator.

There is no lock: each step is one operation of a dict, which the interpreter makes whole. Two threads may make the
same value twice; as values are pure, it makes no difference whose is kept.
"""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(memo: dict[K, V], key: K, value: V, most: int) -> V:
    """Keep a value under a key, the oldest dropped where there are more than `most`; return the value."""
    memo[key] = value
    while len(memo) > most:
        try:
            memo.pop(next(iter(memo)), None)
        except (RuntimeError, StopIteration):
            continue  # another thread changed the memo between the two steps: look again
    return value
