"""A bounded memo of replies: rollouts of a group repeat each other's calls, and equal requests have equal replies."""

from collections import OrderedDict
from threading import Lock

from starlette.responses import Response

ENTRY_BYTES = 700
"""Memory of an entry beside its body: the key, headers and objects around them, measured at 640 to 680 bytes."""
LARGEST_SHARE = 1 / 16
"""A reply that would take more of the memo is not kept."""


class ReplyMemo:
    """Responses by what they depend on; the least recently used are dropped. Threads may share it."""

    def __init__(self, megabytes: int) -> None:
        """Keep at most so many megabytes; with 0 nothing is kept."""
        self._most, self._size = megabytes * 1_000_000, 0
        self.is_on = megabytes > 0
        self._responses: OrderedDict[bytes, Response] = OrderedDict()
        self._lock = Lock()
        self.hits = self.misses = 0

    @property
    def size(self) -> int:
        """Bytes that are taken, by estimate."""
        return self._size

    def get(self, *keys: bytes) -> Response | None:
        """Return the response kept under the first of some keys that has one; None where none has."""
        if not keys:
            return None
        with self._lock:
            for key in keys:
                response = self._responses.get(key)
                if response is not None:
                    self._responses.move_to_end(key)
                    self.hits += 1
                    return response
            self.misses += 1
            return None

    def keep(self, key: bytes, response: Response) -> None:
        """Keep a response, which must not be changed afterwards."""
        size = _size(response)
        if size > self._most * LARGEST_SHARE:
            return
        with self._lock:
            if key in self._responses:
                return
            self._responses[key] = response
            self._size += size
            while self._size > self._most:
                _, dropped = self._responses.popitem(last=False)
                self._size -= _size(dropped)


def _size(response: Response) -> int:
    return ENTRY_BYTES + len(response.body) + sum(len(name) + len(value) for name, value in response.raw_headers)
