"""Requests and observations that the tests of the dialects share."""

from starlette.testclient import TestClient

from worldsmith.pages.types import Doc, Grid, Heading, Link, Para
from worldsmith.serving import create_app
from worldsmith.serving.dialects.links import Links
from worldsmith.serving.dialects.types import Request
from worldsmith.simulate.protocol import Address, Observation, Result

URL = "https://oak-register.example/mill/3"
HITS = Observation(
    "ok",
    (
        Result(URL, 'Mill "Oak" | Register', "Mill Oak stands in Fen ...", "2031-04-05", 0.95),
        Result("https://news.fen-post.example/a", "Fen Post", "A note.", None, 0.9),
    ),
    more=True,
)
DOC = Doc(URL, "Mill Oak", "2031-04-05", (Heading(2, "Data"), Para(("In ", Link("Fen", "https://fen.example/"), "."))))
TABLE = Grid(("Mill", "Floors"), ((("Oak",), ("3",)), (("A & B",), ("<4>",))))
PAGE = Observation("ok", doc=DOC, text="# Mill Oak\n", more=True, next_offset=11)
GONE = Observation("not_found")
BUSY = Observation("rate_limited", fault="rate_limit", retry_after=7)


def request(fields, path="/", base=None, own=("localhost:8000",), by_host=False):
    """A request to world w1 with perturbation seed 3."""
    return Request(path, fields, Address("w1", seed=3), Links("w1", "/w/w1;seed=3", base, own, by_host))


def answering(world, observation, **options):
    """A client of a server whose every call is answered by one observation; the options are those of `create_app`."""

    class Stub:
        def ready(self, address):
            return True

        def warm(self, address):
            pass

        async def acall(self, address, call, attempt=0, deadline=None):
            return observation

    return TestClient(create_app([world], simulate=lambda _: Stub(), **options))
