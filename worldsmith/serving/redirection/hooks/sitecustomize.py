"""Python loads this at its start, in the command that `worldsmith exec` runs: each connection goes to the gateway.

It stands on the standard library alone, of any Python from 3.8 on, since the command may have an environment of its
own. Names resolve to `REDIRECTED` without a query; a connection there, or to any address beyond this machine, is made
to the gateway. Hosts that are allowed are resolved and reached as usual.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import socket
import sys
from ipaddress import ip_address
from typing import Any

GATEWAY = "WORLDSMITH_GATEWAY_PORT"
"""Variable with the port of the gateway on loopback."""
ALLOWED = "WORLDSMITH_ALLOWED_HOSTS"
"""Variable with the hosts that are not redirected, separated by commas."""
REDIRECTED = "127.0.0.77"
"""What names resolve to. It is on loopback, so what connects past this hook reaches nobody."""


class Redirection:
    """Which addresses are redirected, and to where."""

    def __init__(self, port: int, allowed: frozenset[str]) -> None:
        self.port, self.allowed = port, set(allowed)
        self.own = {"", "localhost", "ip6-localhost", socket.gethostname().lower()}
        self.resolve = socket.getaddrinfo

    def passes(self, host: str) -> bool:
        """Whether a host, by name or address, is this machine or allowed."""
        if host in self.own or host in self.allowed or host.endswith(".localhost"):
            return True
        try:
            address = ip_address(host)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return (mapped.is_loopback or mapped.is_unspecified) and str(mapped) != REDIRECTED

    def destination(self, sock: socket.socket, address: Any) -> Any:
        """Return where a socket goes that wants to `address`."""
        if sock.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            return address
        if self.passes(_text(address[0])):
            return address
        return ("127.0.0.1", self.port) if sock.family == socket.AF_INET else ("::ffff:127.0.0.1", self.port, 0, 0)

    def getaddrinfo(
        self,
        host: str | bytes | None,
        port: str | int | None,
        family: int = 0,
        type: int = 0,  # noqa: A002 - the name that callers use
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """Return the addresses of a host; no name server is asked, unless the host is allowed."""
        name = _text(host)
        if name in self.own:
            return self.resolve(host if name in ("", "localhost") else "localhost", port, family, type, proto, flags)
        if self.passes(name) or _is_address(name) or flags & socket.AI_NUMERICHOST:
            addresses = self.resolve(host, port, family, type, proto, flags)
            if name in self.allowed:
                self.allowed.update(str(address[4][0]) for address in addresses)
            return addresses
        if family == socket.AF_INET6:
            return self.resolve(f"::ffff:{REDIRECTED}", port, family, type, proto, flags)
        return self.resolve(REDIRECTED, port, socket.AF_INET, type, proto, flags)

    def gethostbyname(self, host: str) -> str:
        """Return an IPv4 address of a host."""
        address: str = self.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)[0][4][0]
        return address

    def gethostbyname_ex(self, host: str) -> tuple[str, list[str], list[str]]:
        """Return a host's name, its aliases, and its IPv4 addresses."""
        return host, [], [self.gethostbyname(host)]

    def gethostbyaddr(self, host: str) -> tuple[str, list[str], list[str]]:
        """Return the name of an address of this machine; no other has one."""
        if not self.passes(_text(host)):
            raise socket.herror(1, "Unknown host")
        return "localhost", [], [host]

    def install(self) -> None:
        """Take the place of the functions and methods of `socket` that name or reach other machines."""
        numeric = socket.getnameinfo
        for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr"):
            setattr(socket, name, getattr(self, name))
        replaced: Any = socket  # mypy reads that a module's function never changes
        replaced.getnameinfo = lambda address, flags: numeric(address, flags | socket.NI_NUMERICHOST)
        for name in ("connect", "connect_ex", "sendto", "sendmsg"):
            self._redirect(name)

    def _redirect(self, name: str) -> None:
        original = getattr(socket.socket, name)
        place = 3 if name == "sendmsg" else 0

        def redirected(sock: socket.socket, *args: Any) -> Any:
            # The address is the last argument; `sendmsg` may do without one.
            if len(args) > place:
                args = (*args[:-1], self.destination(sock, args[-1]))
            return original(sock, *args)

        setattr(socket.socket, name, redirected)


def _text(host: Any) -> str:
    text: str = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host or ""
    return text.lower().rstrip(".").partition("%")[0]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def trust(bundle: str) -> None:
    """Let clients that name a file of authorities of their own, such as certifi's, trust those of `bundle` too."""
    try:
        import ssl  # noqa: PLC0415 - a Python may be built without it
    except ImportError:
        return
    original = ssl.SSLContext.load_verify_locations

    def load_verify_locations(context: ssl.SSLContext, *args: Any, **options: Any) -> None:
        original(context, *args, **options)
        original(context, cafile=bundle)

    replaced: Any = ssl.SSLContext
    replaced.load_verify_locations = load_verify_locations


def run_next() -> None:
    """Run the `sitecustomize` that this one hides, where there is one."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib costs every start
    path = [folder for folder in sys.path if os.path.abspath(folder) != here]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if __name__ == "sitecustomize":
    if GATEWAY in os.environ:
        hosts = frozenset(filter(None, os.environ.get(ALLOWED, "").split(",")))
        Redirection(int(os.environ[GATEWAY]), hosts).install()
        trust(os.environ["SSL_CERT_FILE"])
    run_next()
