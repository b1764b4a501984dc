"""Pages as a browser gets them: GET /web/<host>/<path>, or a GET whose Host header is a host of the world."""

from worldsmith.pages.renderer import html
from worldsmith.serving.dialects.schemas import TEXT, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

ROOT = "/web/"


def read(request: Request) -> ParsedRequest:
    """Read the path as the address of a page; a query string makes no difference."""
    url = "https://" + request.path.removeprefix(ROOT)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        if failed or page.doc is None:
            return PAGES.error(404, f"{url[:200]}: {failed.text if failed else 'nothing to read'}")
        # Who reads pages at our own path can follow only links that lead there too.
        return Reply(html(page.doc, request.links.follow))

    return ParsedRequest((Call("web_extractor", url),), write)


def _error_page(line: str) -> Reply:
    """Return an error as nginx writes it."""
    head = f"<head><title>{line}</title></head>"
    center = f"<center><h1>{line}</h1></center>\r\n<hr><center>{MESSAGE}</center>"
    return Reply(f"<html>\r\n{head}\r\n<body>\r\n{center}\r\n</body>\r\n</html>\r\n", ANY)


PAGES = Dialect(
    "pages",
    (
        Route(
            "GET",
            "/web/{host}/{path:rest}",
            read,
            "A page as HTML. Of several worlds the path must name one: /w/<world>/web/<host>/<path>. "
            "The same page answers a GET of / and its path with its host in the Host header.",
            object_of({"host": TEXT, "path": TEXT}),
            {"type": "string", "contentMediaType": "text/html"},
        ),
    ),
    {
        ANY: _error_page("Error"),
        400: _error_page("400 Bad Request"),
        401: _error_page("401 Authorization Required"),
        404: _error_page("404 Not Found"),
        429: _error_page("429 Too Many Requests"),
        500: _error_page("500 Internal Server Error"),
        503: _error_page("503 Service Temporarily Unavailable"),
        504: _error_page("504 Gateway Time-out"),
    },
)
