"""Invented sites: names, hosts, slugs and the canonical form of a URL."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from html import unescape
from urllib.parse import unquote

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_PLAIN = re.compile(r"https://(?!www\.)([a-z0-9.-]+[a-z0-9]/[a-z0-9-][a-z0-9/-]*[a-z0-9])")
"""An address as we write it: most are."""
_URL = re.compile(
    r"(?:https?(?::/*|//+))*(?://)?(?:www\.)?([^/?&#:]+)(?::(?:80|443))?(/[^?&#]*)?([?&][^#]*)?(?:#.*)?",
    re.IGNORECASE | re.DOTALL,
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#0*3[49]|#x2[27]);", re.IGNORECASE)
_LINK = re.compile(
    r"""[^\w\[]*+\[++[^\[\]]*+\]++\(\s*+<?([^\s<>()]++)>?(?:\s++(?:"[^"]*+"|'[^']*+'))?\s*+\)\W*+"""
    r"""|[^\w<]*+<a\s[^<>]*?href\s*+=\s*+["']?([^\s"'<>]++)[^<>]*+>[^<>]*+(?:</a>)?\W*+""",
    re.IGNORECASE,
)
"""A link in Markdown or HTML, and nothing else but marks."""
_LABEL = re.compile(
    r"[^a-z]*+(?:(?:url|uri|link|href|src|source)\s*+[:=])?+[^a-z]*+(?=https?(?:[:/]|%3a))", re.IGNORECASE
)
"""What stands before a scheme: marks, numbers, and a word that says what follows."""
_MARKS = (
    " \t\r\n\f\v\xa0\u2002\u2003\u2009\u2028\u2029\u202f\u3000"
    "<>()[]{}\"'`*_~|\\^,;:.!?·•“”„‟‘’‚«»‹›「」『』【】〔〕《》〈〉〖〗、。"
)
"""What no address starts or ends with."""
_FOLDED = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF)) | {
    wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)
}
"""Characters without a width, which are dropped, and full-width forms of ASCII."""
_TRACKING = re.compile(
    r"(?:utm_\w+|\w*clk?id|[gw]braid|gclsrc|srsltid|igsh|igshid|li_fat_id|mc_[ce]id|mkt_tok|_g[al]|_hs\w+|vero_\w+|oly_\w+|"
    r"pk_\w+|mtm_\w+|ref|ref_?src|ref_?url|referr?er|source|src|spm|scm|trk|cmp|cmpid|ncid|si|s_kwcid)(?:=.*)?",
    re.IGNORECASE | re.DOTALL,
)
"""Parameters that say whence a reader comes, and change no page."""


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
    counts: dict[str, int] = {}
    out = []
    for text in texts:
        base = slug(text)
        n = counts[base] = counts.get(base, 0) + 1
        out.append(base if n == 1 else f"{base}-{tag(text, n)}")
    return tuple(out)


def site(name: str) -> Site:
    """Return the site of a name: "The Teslin Courier" lives at teslin-courier.example."""
    return Site(name, f"{slug(re.sub(r'^the ', '', name, flags=re.IGNORECASE))}.example")


def canonical(url: str) -> str | None:
    """Return "host/path" of an http or https address; None where the text is none.

    Scheme, "www.", port, case of the host, a last slash, the fragment, tracking parameters, percent-encoding and what
    `unwrapped` takes off make no difference. A path that breaks off ("/the-old-mi...") is no other page's.
    """
    if _PLAIN.fullmatch(url):
        return url.removeprefix("https://")
    parts = _URL.fullmatch(unwrapped(url))
    if not parts:
        return None
    host, path, query = parts.groups()
    left = [part for part in re.split("[?&;]", query or "") if part and not _TRACKING.fullmatch(part)]
    place = _trimmed(unquote(path or "").translate(_FOLDED), _MARKS + "/").lstrip("/")
    return f"{host.lower().rstrip('.')}/{place}{'?' if left else ''}{'&'.join(left)}"


def unwrapped(text: str) -> str:
    """Return an address without what copying it from a text leaves around it.

    Brackets, quotes, marks of Markdown, HTML or a sentence, a label before it, escapes, characters without a width.
    """
    text = _ENTITY.sub(lambda entity: unescape(entity[0]), text.translate(_FOLDED)).replace("\\/", "/")
    link = _LINK.fullmatch(text)
    if link:
        text = link[1] or link[2]
    label = _LABEL.match(text)
    text = text[label.end() :] if label else text.lstrip(_MARKS + "-+")
    if re.match("https?%3a", text, re.IGNORECASE):
        text = unquote(text)
    return _trimmed(text, _MARKS)


def _trimmed(text: str, marks: str) -> str:
    """Return a text without the marks at its end, but whole where they say that it breaks off."""
    stem = text.rstrip(marks + "…")
    tail = text[len(stem) :]
    return text if "…" in tail or ".." in tail else stem
