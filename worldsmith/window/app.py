"""The ASGI app of the window: views behind a token, on loopback names alone, and pages for what goes wrong."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from worldsmith.errors import NotFoundError, UsageError, WorldsmithError
from worldsmith.window.library import Library
from worldsmith.window.markup import tag
from worldsmith.window.sheet import Links, Sheet, Visit, page_html, problems
from worldsmith.window.views import episode, graph, pages, records, search, tables, tasks, trace, worlds

STATIC: Final = Path(__file__).parent / "static"
FILES: Final[Mapping[str, str]] = {
    "window.css": "text/css",
    "window.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The files of `static`, each with its type."""
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names by which a browser reaches the window; with another one a page of the web may read it by its own name."""
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every response has: no script but ours, nothing from elsewhere, and the token goes nowhere."""
View = Callable[[Visit], Sheet]
VIEWS: Final[Mapping[str, View]] = {
    "/": worlds.home,
    "/world/{world}": worlds.world,
    "/world/{world}/t/{table}": tables.rows,
    "/world/{world}/t/{table}/{row}": tables.row,
    "/world/{world}/graph": graph.graph,
    "/world/{world}/pages": pages.pages,
    "/world/{world}/page": pages.page,
    "/world/{world}/search": search.search,
    "/world/{world}/tasks": tasks.tasks,
    "/world/{world}/task": tasks.task,
    "/runs": records.runs,
    "/episodes": records.episodes,
    "/episode": episode.episode,
    "/traces": records.traces,
    "/trace": trace.trace,
}
"""The views by their paths."""


def create_window(library: Library, token: str) -> ASGIApp:
    """Return the app; every path starts with `token`, and whatever doesn't is not found."""
    links = Links(f"/{token}")
    routes = [Route(path, partial(_show, library, links, view), methods=["GET"]) for path, view in VIEWS.items()]
    routes.append(Route("/static/{name}", _file, methods=["GET"]))
    app = Starlette(
        routes=routes, exception_handlers={404: partial(_nothing_here, links), 500: partial(_broken, links)}
    )
    app.router.redirect_slashes = False
    return Door(app, token)


class Door:
    """Lets requests in that name loopback and the token, and only read; others get the same 404 whatever is wrong."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on without its token."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        head, _, rest = scope["path"].removeprefix("/").partition("/")
        if not (_names_loopback(scope) and compare_digest(head.encode("utf-8", "replace"), self._token)):
            await Response("not found\n", 404, HEADERS, "text/plain")(scope, receive, send)
            return
        if scope["method"] != "GET":
            headers = {**HEADERS, "Allow": "GET"}
            await Response("the window can only be read: GET\n", 405, headers, "text/plain")(scope, receive, send)
            return
        root = f"/{head}"
        await self._app({**scope, "root_path": root, "path": f"{root}/{rest}"}, receive, send)


def _names_loopback(scope: Scope) -> bool:
    hosts = [value.decode("latin-1").lower() for key, value in scope["headers"] if key == b"host"]
    names = [host if host.endswith("]") else host.rpartition(":")[0] or host for host in hosts]
    return len(names) == 1 and names[0] in LOOPBACK


async def _show(library: Library, links: Links, view: View, request: Request) -> Response:
    query = dict(request.query_params)
    visit = Visit(library, links, request.path_params, query)
    return await run_in_threadpool(_answer, view, visit)


def _answer(view: View, visit: Visit) -> Response:
    """Return a view's page, or one that says what is wrong: a name, a file that has changed or is damaged."""
    try:
        sheet, status = view(visit), 200
    except NotFoundError as error:
        sheet, status = _problem("Not found", str(error)), 404
    except UsageError as error:
        sheet, status = _problem("This can't be shown", str(error)), 400
    except WorldsmithError as error:
        sheet, status = _problem("This can't be shown", str(error)), 500
    except OSError as error:
        sheet, status = _problem("This can't be read", f"{error.filename or 'system'}: {error.strerror or error}"), 500
    return _page(sheet, visit.links, status)


def _problem(title: str, text: str) -> Sheet:
    return Sheet(title, tag("div", problems([text])))


def _page(sheet: Sheet, links: Links, status: int = 200) -> Response:
    # A damaged file may hold half of a surrogate pair.
    return Response(page_html(sheet, links).encode("utf-8", "replace"), status, HEADERS, "text/html")


async def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        return Response("not found\n", 404, HEADERS, "text/plain")
    return FileResponse(STATIC / name, headers=dict(HEADERS), media_type=FILES[name])


async def _nothing_here(links: Links, request: Request, _: Exception) -> Response:
    return _page(_problem("Not found", f"There is nothing at {request.url.path.removeprefix(links.base)}"), links, 404)


async def _broken(links: Links, _: Request, error: Exception) -> Response:
    """Return the page for an error of ours; its traceback goes to standard error."""
    sys.stderr.write(f"worldsmith: the window failed: {error!r}\n")
    return _page(
        _problem("The window failed", "An error of worldsmith: standard error of the server says more."), links, 500
    )
