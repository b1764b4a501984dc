"""A world of three observatories, a poet and a ferry, at the addresses that the attack cases name."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from worldsmith.pages import Pages
from worldsmith.pages.types import Page
from worldsmith.schema import in_language, load_schema
from worldsmith.world.model import World

CASES = Path(__file__).parent / "cases"
OBSERVATORIES = (
    ("Veldmar Observatory", "1987-03-14", "Zoë Ångström-Quill", 2431, 1234000, "Port Oriel"),
    ("Kestrel Point Observatory", "1991-11-02", "Imre Halloway", 1876, 845500, "Saltmere"),
    ("Thornwick Array", "2004-06-30", "Odalys Brandt", 3012, 2760000, "Dunhollow"),
)
ADDRESSES = {
    "observatory/0": "https://veldmar.example/",
    "observatory/1": "https://kestrelpoint.example/",
    "observatory/2": "https://thornwick.example/",
    "observatory-directory/0": "https://catalogue.example/list",
    "person/0": "https://halloway.example/bio",
    "ferry/0": "https://saltmere-ferry.example/",
}


class Served(Pages):
    """The pages of that world at their fixed addresses."""

    def page(self, page_id: str) -> Page:
        return replace(super().page(page_id), url=self.url(page_id))

    def url(self, page_id: str) -> str:
        return ADDRESSES.get(page_id) or super().url(page_id)


def world() -> World:
    columns = ("name", "founded", "director", "altitude", "budget", "city")
    tables = {
        "observatory": dict(zip(columns, map(list, zip(*OBSERVATORIES, strict=True)), strict=True)),
        "person": {"name": ["Imre Halloway"], "trade": ["poet"], "born": [1950]},
        "ferry": {"name": ["Saltmere ferry"], "riders": [1876]},
    }
    return World("observatories-0", in_language(load_schema(CASES / "observatories.toml"), "plain"), 1, tables)


def cases() -> Iterator[dict]:
    for line in (CASES / "guard_attacks.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            yield json.loads(line)
