"""The two spellings of a page's address: https://<host>.example/<path>, and a path of the server itself.

Agents that fetch pages by a plain GET can't resolve an invented host; for them the server writes
<base>/w/<world>/web/<host>/<path>. Both are read everywhere.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from worldsmith.pages.sites import unwrapped

_LOCAL = re.compile(r"(?:/w/([^/;]+)[^/]*)?/web/([^/?#]+)(.*)")


@dataclass(frozen=True, slots=True)
class Links:
    """How links are written for one address, and which hosts are the server itself."""

    world: str
    prefix: str
    """The path that names the address: "/w/<world>;seed=3"."""
    base: str | None = None
    """Scheme and host of the server as agents reach it; None keeps https://….example in replies."""
    own: tuple[str, ...] = ()
    """Hosts with port at which this server got the request, or can be reached."""
    by_host: bool = False
    """The request came to the invented host itself, so links to such hosts lead somewhere."""

    def show(self, url: str) -> str:
        """Return `url` as replies write it."""
        return url if self.base is None else self.local(url)

    def local(self, url: str) -> str:
        """Return `url` as a path of this server, under `base` where there is one."""
        parts = urlsplit(url)
        return f"{self.base or ''}{self.prefix}/web/{parts.netloc}{parts.path}"

    def follow(self, url: str) -> str:
        """Return `url` as HTML writes it: whoever got the page can get the next one in the same way."""
        return url if self.by_host else self.local(url)

    def read(self, url: str) -> str:
        """Return the https://….example form of either spelling; any other text is returned as it is."""
        path = address = unwrapped(url)
        if not address.startswith("/"):
            scheme, _, rest = address.partition("://")
            host, slash, tail = rest.partition("/")
            if scheme.lower() not in {"http", "https"} or host.lower() not in self.own:
                return url
            path = slash + tail
        local = _LOCAL.fullmatch(path)
        if local is None or local[1] not in {None, self.world}:
            return url
        return f"https://{local[2]}{local[3]}"
