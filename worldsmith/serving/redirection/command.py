"""A command whose every host is the simulator: its environment, its process, its exit code."""

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.applications import Starlette

from worldsmith.errors import UsageError
from worldsmith.serving.redirection.authority import Authority
from worldsmith.serving.redirection.gateway import running_gateway
from worldsmith.serving.redirection.hooks.sitecustomize import ALLOWED, GATEWAY
from worldsmith.serving.redirection.hosts import ByVisitedHost

HOOKS = Path(__file__).resolve().parent / "hooks"
OWN = ("localhost", "127.0.0.1", "::1")
"""Hosts that clients must not reach through a proxy."""
BUNDLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Variables in which clients look for authorities to trust."""
PROXIES = ("http_proxy", "https_proxy", "all_proxy")
"""Variables in which clients look for a proxy, in small and capital letters."""
MOST_HOSTS = 12
"""Hosts that the last line names."""


def run_redirected(command: Sequence[str], app: Starlette, allowed: Sequence[str] = ()) -> int:
    """Run a command whose every host is an app of `create_app`, and return its exit code.

    A line on standard error says at the end which hosts it visited. `allowed` are hosts, by name or address, that it
    reaches as usual; so is this machine. A command that a signal ends has 128 and the signal's number, as in a shell.

    Raises:
        UsageError: there is no such command, or no package to make certificates with.
        WorldsmithError: the world can't be opened.
    """
    authority, visited = Authority(), ByVisitedHost(app)
    asyncio.run(app.state.responder_cache.get(app.state.default))
    with TemporaryDirectory(prefix="worldsmith-exec-") as folder, running_gateway(visited, authority) as port:
        bundle = Path(folder) / "authorities.pem"
        authority.write(bundle, public=bool(allowed))
        code = _run(command, redirected_environment(os.environ, port, bundle, allowed))
    sys.stderr.write(f"worldsmith exec: {_summary(visited.requests)}\n")
    return code


def redirected_environment(
    usual: Mapping[str, str], port: int, bundle: Path, allowed: Sequence[str] = ()
) -> dict[str, str]:
    """Return an environment whose programs connect to the gateway and trust the authorities of a bundle."""
    direct = ",".join((*OWN, *allowed))
    node = f'--require "{str(HOOKS / "redirect.cjs").replace(chr(34), chr(92) + chr(34))}"'
    changes = dict.fromkeys(BUNDLES, str(bundle))
    changes |= {GATEWAY: str(port), ALLOWED: ",".join(host.lower() for host in allowed)}
    changes["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HOOKS), usual.get("PYTHONPATH"))))
    changes["NODE_OPTIONS"] = " ".join(filter(None, (usual.get("NODE_OPTIONS"), node)))
    for name in PROXIES:
        changes[name] = changes[name.upper()] = f"http://127.0.0.1:{port}"
    return {**usual, **changes, "no_proxy": direct, "NO_PROXY": direct}


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=environment)  # noqa: S603 - the user's own command
    except OSError as error:
        raise UsageError(f"can't run {shlex.join(command)[:200]}: {error.strerror}") from None
    with _signals_passed_on(process):
        code = process.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Outlive the command: SIGTERM and SIGHUP are passed on; a terminal sends SIGINT to the command itself."""
    handlers = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        **{
            number: signal.signal(number, lambda number, _: process.send_signal(number))
            for number in (signal.SIGTERM, signal.SIGHUP)
        },
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _summary(requests: Mapping[str, int]) -> str:
    if not requests:
        return (
            "no request reached the simulator: either the command made none, or it is one of the programs that "
            "can't be redirected (worldsmith exec --help)"
        )
    ranked = sorted(requests.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{host} {number}" for host, number in ranked[:MOST_HOSTS])
    more = len(ranked) - MOST_HOSTS
    rest = f", and {more} more hosts" if more > 0 else ""
    number = sum(requests.values())
    return f"{number} request{'s' * (number > 1)} reached the simulator: {named}{rest}"
