"""Pages as a browser gets them: GET /web/<host>/<path>, or a GET whose Host header is a host of the world."""

from worldsmith.pages.renderer import html
from worldsmith.serving.dialects.native import native
from worldsmith.serving.dialects.schemas import TEXT, thing
from worldsmith.serving.dialects.types import Asked, Dialect, Reply, Request, Route
from worldsmith.simulate.http_status import failure
from worldsmith.simulate.protocol import Call, Observation

ROOT = "/web/"


def read(request: Request) -> Asked:
    """Read the path as the address of a page; a query string makes no difference."""
    url = "https://" + request.path.removeprefix(ROOT)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = failure(page)
        if failed or page.doc is None:
            return native("pages", 404, f"{url[:200]}: {failed.text if failed else 'nothing to read'}")
        # Who reads pages at our own path can follow only links that lead there too.
        return Reply(html(page.doc, request.links.follow))

    return Asked((Call("web_extractor", url),), write)


PAGES = Dialect(
    "pages",
    (
        Route(
            "GET",
            "/web/{host}/{path:path}",
            read,
            "A page as HTML. Of several worlds the path must name one: /w/<world>/web/<host>/<path>. "
            "The same page answers a GET of / and its path with its host in the Host header.",
            thing({"host": TEXT, "path": TEXT}),
            {"type": "string", "contentMediaType": "text/html"},
        ),
    ),
)
