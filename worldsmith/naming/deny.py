"""The filter of real names: a Bloom filter (Bloom 1970; k probes from two hashes, Kirsch and Mitzenmacher 2008).

It has no false negatives and says "real" of about 1% of names that are not: an invented name is then drawn
again, which costs nothing. `python -m worldsmith.naming.build` compiles it; README.md says from what.

The file: 8 bytes of magic, then version, probes and key count (3 little-endian uint32), a zero uint32, then the bits.
"""

import struct
from collections.abc import Collection
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path

from worldsmith.errors import FormatError
from worldsmith.naming.fold import fold_name

FILE = "denied.bloom"
MAGIC = b"wsdeny\r\n"
DENY_FILTER_DIGEST = "6a00826b67363edb4ec4a491c63ca03bee89409b718f317c6ec7e4c9d7b1fd36"
"""sha256 of the filter file that worlds of this format are made with: another one lets other names pass."""
VERSION = 1  # of the file's layout, hash and fold together
HEADER = struct.Struct("<8sIIII")
_TWO = struct.Struct("<QQ")


def probe_hashes(key: str) -> tuple[int, int]:
    """Return the two 64-bit hashes of a folded name; the second is odd, so that the probes differ."""
    first, second = _TWO.unpack(blake2b(key.encode(), digest_size=16).digest())
    return first, second | 1


def filter_file(keys: Collection[str], probes: int = 7, bits_a_key: int = 10) -> bytes:
    """Return a filter file that holds every folded name of `keys`; 10 bits and 7 probes give 0.8% false positives."""
    size = max(8, len(keys) * bits_a_key // 8)
    bits, total = bytearray(size), size * 8
    for key in keys:
        at, step = probe_hashes(key)
        for _ in range(probes):
            spot = at % total
            bits[spot >> 3] |= 1 << (spot & 7)
            at += step
    return HEADER.pack(MAGIC, VERSION, probes, len(keys), 0) + bytes(bits)


class DenyFilter:
    """Set membership over a filter file: `folded in deny`."""

    __slots__ = ("bits", "keys", "probes", "total")

    def __init__(self, data: bytes) -> None:
        """Read a filter file.

        Raises:
            FormatError: the bytes are no filter of this version.
        """
        magic, version, probes, keys, _ = HEADER.unpack_from(data) if len(data) > HEADER.size else (b"", 0, 0, 0, 0)
        if magic != MAGIC or version != VERSION:
            raise FormatError(
                f"the filter of real names ({FILE}) is not of version {VERSION}: it starts with {data[:12]!r}. "
                "Build it again: python -m worldsmith.naming.build"
            )
        self.bits, self.probes, self.keys, self.total = data[HEADER.size :], probes, keys, (len(data) - HEADER.size) * 8

    def __contains__(self, folded: str) -> bool:
        """Whether a folded name is one of the keys; about 1% of the others are said to be too."""
        at, step = probe_hashes(folded)
        bits, total = self.bits, self.total
        for _ in range(self.probes):
            spot = at % total
            if not bits[spot >> 3] >> (spot & 7) & 1:
                return False
            at += step
        return True


@cache
def deny_filter() -> DenyFilter:
    """Return the filter shipped beside this module, read once a process.

    Raises:
        FormatError: the file is not the one that worlds are made with.
    """
    path = Path(__file__).with_name(FILE)
    data = path.read_bytes()
    digest = sha256(data).hexdigest()
    if digest != DENY_FILTER_DIGEST:
        raise FormatError(
            f"{path}: its sha256 is {digest[:16]}…, and worlds need the filter of real names with "
            f"{DENY_FILTER_DIGEST[:16]}…: another one gives other names under the same world id. Install worldsmith "
            "again; where the filter was built anew on purpose, set DENY_FILTER_DIGEST in naming/deny.py and raise "
            "FORMAT in world/model.py"
        )
    return DenyFilter(data)


def is_real_name(name: str) -> bool:
    """Whether `name`, folded, is a name or word of the filter's sources (always), or seems one (about 1% of others)."""
    return fold_name(name) in deny_filter()
