"""Addresses as text: <world>[;profile=NAME][;seed=N][;session=NAME], in a path, a key, headers or a query string.

An API key is read where it starts with "ws-" ("ws-smartphones-1f2e;seed=3"); any other key is ignored,
so unmodified clients work with whatever key they hold.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from worldsmith.errors import UsageError
from worldsmith.simulate.protocol import Address

KEY = "ws-"
KEY_HEADERS = ("x-api-key", "x-subscription-token", "ocp-apim-subscription-key")
"""Headers that hold a key, beside Authorization: Bearer."""
FIELDS = ("world", "profile", "seed", "session")
_VALUE = re.compile(r"[A-Za-z0-9._~-]{1,100}")
"""What a world, profile, seed or session is made of: it must be usable in a path as it is."""
MAX_CHARS = 400

Parts = Mapping[str, str]


@lru_cache(maxsize=4096)
def parse(text: str, where: str) -> Parts:
    """Return the fields that `text` names.

    Raises:
        UsageError: it isn't of the form above; `where` names the source.
    """
    if len(text) > MAX_CHARS:
        raise _wrong(text, where)
    world, *options = text.split(";")
    parts = {"world": world} if world else {}
    for option in options:
        name, _, value = option.partition("=")
        if name not in FIELDS[1:] or not value:
            raise _wrong(option, where)
        parts[name] = value
    return parts


def _wrong(text: str, where: str) -> UsageError:
    return UsageError(
        f"{where} holds {text[:80]!r}; after the world it may say ;profile=NAME, ;seed=N or ;session=NAME"
    )


def from_key(key: str | None) -> Parts:
    """Return what an API key names; nothing for keys that aren't ours."""
    key = (key or "").strip()
    if not key.lower().startswith(KEY):
        return {}
    return parse(key[len(KEY) :], "the API key")


def merge(sources: Iterable[tuple[str, Parts]], default: Address) -> Address:
    """Return the address that the sources name together; what none of them names is taken from `default`.

    Raises:
        UsageError: two sources differ, or a seed is no whole number.
    """
    named: dict[str, tuple[str, str]] = {}
    for where, parts in sources:
        for name, value in parts.items():
            if not _VALUE.fullmatch(value):
                raise UsageError(
                    f"{where}: {name} {value[:80]!r} is not of 1 to 100 letters, digits, or any of . _ ~ -"
                )
            before = named.setdefault(name, (value, where))
            if before[0] != value:
                raise UsageError(f"{name} is {before[0]!r} by {before[1]} and {value!r} by {where}: name it once")
    values = {name: value for name, (value, _) in named.items()}
    return Address(
        values.get("world", default.world),
        values.get("profile", default.profile),
        _seed(values["seed"]) if "seed" in values else default.seed,
        values.get("session", default.session),
    )


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise UsageError(f"the seed {text!r} is no whole number from 0 of at most 18 digits")
    return int(text)


def address_text(address: Address, default: Address) -> str:
    """Return an address as text, without the parts that equal `default`."""
    named = {"profile": address.profile, "seed": str(address.seed), "session": address.session}
    usual = {"profile": default.profile, "seed": str(default.seed), "session": default.session}
    return address.world + "".join(f";{name}={value}" for name, value in named.items() if value != usual[name])
