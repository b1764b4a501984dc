"""Memos of pure values, shared by the threads that call one simulator.

There is no lock: each step is one dict operation, which the interpreter makes atomic. Two threads may compute the
same value twice; values are pure, so it makes no difference which one is kept.
"""

from collections.abc import Callable
from functools import cache, wraps
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")


class cached_method(Generic[P, V]):  # noqa: N801 - a decorator
    """A method whose results are kept, by its arguments, for as long as its object lives."""

    def __init__(self, method: Callable[Concatenate[Any, P], V]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Take a place in the object that the methods of subclasses don't take."""
        self._place = f"{owner.__qualname__}.{name}"

    def __get__(self, instance: object, owner: type | None = None) -> Callable[P, V]:
        """Return the method of an object, made with an empty memo when it is first asked for."""
        if instance is None:  # asked of the class
            return cast("Callable[P, V]", self._method)
        places = vars(instance)
        made: Callable[P, V] | None = places.get(self._place)
        if made is None:
            made = places[self._place] = cast("Callable[P, V]", cache(MethodType(self._method, instance)))
        return made


def kept_with_owner(function: Callable[[K], V]) -> Callable[[K], V]:
    """Cache the result of a function of one object in that object, for its lifetime."""
    place = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(owner: K) -> V:
        places = vars(owner)
        if place not in places:
            places[place] = function(owner)
        return cast("V", places[place])

    return kept


def keep(memo: dict[K, V], key: K, value: V, most: int) -> V:
    """Store a value under a key and return it; the oldest entries beyond `most` are dropped."""
    memo[key] = value
    while len(memo) > most:
        try:
            memo.pop(next(iter(memo)), None)
        except (RuntimeError, StopIteration):
            continue  # another thread changed the memo between the two steps: try again
    return value
