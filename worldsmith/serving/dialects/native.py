"""What each service sends where it has no answer: status, headers and body, as data.

Sources: Tavily's published reference and what tavily-python reads of it ({"detail": {"error": text}}; the texts of a
401 and a 429 are the service's, which agents are trained on). Search-R1's retrieval server is a FastAPI application
with neither keys nor limits: a wrong request is a 422 with a list of what is wrong, what isn't there a "detail", a
failure Starlette's plain text.
Pages fail as those of nginx do. Where a service has no words of its own for a status, ours stand in its form; JSON
bodies carry ours beside them, under "error", since they say the fix.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from worldsmith.serving.dialects.types import Reply

MESSAGE: Final = "{said}"
"""Stands in a body for what we say."""
ANY: Final = 0
"""Stands for every status that a dialect does not name."""


@dataclass(frozen=True, slots=True)
class Native:
    """What is sent: a JSON value, or HTML where `body` is text and `headers` name no other type."""

    body: Any
    status: int = ANY
    """ANY keeps the status."""
    headers: Mapping[str, str] = field(default_factory=dict)


def _page(line: str) -> Native:
    head = f"<head><title>{line}</title></head>"
    return Native(
        f"<html>\r\n{head}\r\n<body>\r\n<center><h1>{line}</h1></center>\r\n<hr><center>{MESSAGE}</center>\r\n</body>\r\n"
        "</html>\r\n"
    )


NATIVE: Mapping[str, Mapping[int, Native]] = {
    "api": {ANY: Native({"error": MESSAGE})},
    "tavily": {
        ANY: Native({"detail": {"error": MESSAGE}, "error": MESSAGE}),
        401: Native({"detail": {"error": "Unauthorized: missing or invalid API key."}, "error": MESSAGE}),
        # The key names the world. tavily-python shows what is said of 400, 401, 403 and 429, and of no other status.
        404: Native({"detail": {"error": f"Unauthorized: {MESSAGE}"}, "error": MESSAGE}, 401),
        429: Native(
            {
                "detail": {
                    "error": "Your request has been blocked due to excessive requests. Please reduce rate of requests."
                },
                "error": MESSAGE,
            }
        ),
    },
    "retrieve": {
        ANY: Native({"error": MESSAGE}),
        404: Native({"detail": MESSAGE, "error": MESSAGE}),
        400: Native({"detail": [{"type": "value_error", "loc": ["body"], "msg": MESSAGE}], "error": MESSAGE}, 422),
        500: Native("Internal Server Error", headers={"Content-Type": "text/plain; charset=utf-8"}),
    },
    "pages": {
        ANY: _page("Error"),
        400: _page("400 Bad Request"),
        401: _page("401 Authorization Required"),
        404: _page("404 Not Found"),
        429: _page("429 Too Many Requests"),
        500: _page("500 Internal Server Error"),
        503: _page("503 Service Temporarily Unavailable"),
        504: _page("504 Gateway Time-out"),
    },
}
"""By dialect and by the status of `http_status.STATUS`, or of a wrong request: 400, or 404 for an unknown name."""


def native(dialect: str, status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return how a dialect tells a status with what we say of it, and with headers of ours."""
    forms = NATIVE[dialect]
    form = forms.get(status, forms[ANY])
    body = form.body.replace(MESSAGE, escape(message)) if isinstance(form.body, str) else _filled(form.body, message)
    return Reply(body, form.status or status, {**form.headers, **(headers or {})})


def _filled(body: Any, message: str) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, message) for name, value in body.items()}
    if isinstance(body, list):
        return [_filled(value, message) for value in body]
    return body.replace(MESSAGE, message) if isinstance(body, str) else body
