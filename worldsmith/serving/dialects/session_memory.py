"""What tools keep for a session, notes of an agent or pages it opened, in this process's memory alone."""

from collections import OrderedDict
from typing import Any

import orjson

from worldsmith.errors import UsageError
from worldsmith.simulate.protocol import Address

SESSIONS = 1000
"""Sessions that are remembered; the least recently used one is forgotten beyond them."""
MOST = 64_000
"""Bytes of JSON that a session may keep."""


class SessionMemory:
    """Dictionaries by the address whose session they belong to, and the name of what keeps them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Address, str], dict[str, Any]] = OrderedDict()

    def of(self, address: Address, name: str = "") -> dict[str, Any]:
        """Return what a session keeps: a copy. Raises UsageError where the address names no session."""
        if not address.session:
            raise UsageError("memory is kept for a session: add ;session=NAME to the world, one name per episode")
        if (address, name) in self._kept:
            self._kept.move_to_end((address, name))
        return dict(self._kept.get((address, name), {}))

    def keep(self, address: Address, items: dict[str, Any], name: str = "") -> None:
        """Replace what a session keeps, values of JSON. Raises UsageError where it is too long."""
        size = len(orjson.dumps(items))
        if size > MOST:
            raise UsageError(f"memory would hold {size} bytes; a session may keep {MOST}: remove something first")
        self._kept[address, name] = items
        self._kept.move_to_end((address, name))
        if len(self._kept) > SESSIONS:
            self._kept.popitem(last=False)
