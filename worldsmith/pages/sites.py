"""Invented sites: names, hosts, slugs and the canonical form of a URL."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import unquote

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_URL = re.compile(r"(?:https?://)?(?:www\.)?([^/?#:]+)(?::(?:80|443))?(/[^?#]*)?(\?[^#]*)?(?:#.*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """A site: the name it goes by, and its host."""

    name: str
    host: str

    def url(self, path: str) -> str:
        """Return the address of a page of this site."""
        return f"https://{self.host}/{path}"


def slug(text: str) -> str:
    """Return lower-case ASCII words joined by "-"; a hash where none is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _NOT_SLUG.sub("-", plain).strip("-") or tag(text)


def tag(*parts: object) -> str:
    """Return eight letters that stand for `parts` without telling them; no digits, which could be read as values."""
    return blake2b(repr(parts).encode(), digest_size=4).hexdigest().translate(_LETTERS)


def slugs(texts: Iterable[str]) -> tuple[str, ...]:
    """Return a slug for each text, all different."""
    seen: dict[str, int] = {}
    out = []
    for text in texts:
        base = slug(text)
        n = seen[base] = seen.get(base, 0) + 1
        out.append(base if n == 1 else f"{base}-{tag(text, n)}")
    return tuple(out)


def site(name: str) -> Site:
    """Return the site of a name: "The Teslin Courier" lives at teslin-courier.example."""
    return Site(name, f"{slug(re.sub(r'^the ', '', name, flags=re.IGNORECASE))}.example")


def canonical(url: str) -> str | None:
    """Return "host/path" of an http or https address; None where the text is none.

    Scheme, "www.", port, case of the host, a last slash and the fragment make no difference.
    """
    found = _URL.fullmatch(url.strip())
    if not found:
        return None
    host, path, query = found.groups()
    return f"{host.lower()}/{unquote(path or '').strip('/')}{query or ''}"
