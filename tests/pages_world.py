"""A world made by hand, so that what is tested of pages hangs on no generator: every shape a page can meet."""

import tomllib

from worldsmith.schema import parse_schema
from worldsmith.world.model import World

SCHEMA = """
schema = 1
name   = "isles"
kind   = "granular_long_tail"
as_of  = "2029-06-30"
about  = "the lighthouses of the Outer Isles"

[values]
stones = ["granite", "slate", "brick"]
years  = [2026, 2027, 2028]

[tables.keeper]
called = ["keeper", "keepers"]
rows   = [4, 4]
key    = "name"
[tables.keeper.columns]
name   = { invent = "person", label = "Keeper", see = "snippet" }
born   = { date = ["1960-01-01", "2000-12-31"], label = "Born", says = "born" }
mentor = { ref = "keeper", label = "Mentor", says = "trained by", see = "linked" }

[tables.light]
called = ["lighthouse", "lighthouses"]
rows   = [24, 24]
key    = "name"
[tables.light.columns]
name   = { invent = "place", label = "Lighthouse", see = "snippet" }
keeper = { ref = "keeper", label = "Keeper", says = "kept by" }
lit    = { date = ["1890-01-01", "1990-12-31"], label = "First lit", says = "lit", see = "snippet" }
height = { number = [10, 60], unit = "m", label = "Height", says = "a height" }
range  = { number = [5, 40], decimals = 1, unit = "nmi", label = "Range", says = "a range" }
stone  = { pick = "stones", label = "Stone", says = "a stone" }
manned = { chance = 0.3, label = "Manned" }
closed = { after = "lit", days = [9000, 40000], until = "as_of", missing = 0.5, none = "in use", label = "Closed" }
visits = { count = "visit", label = "Visits recorded" }

[tables.visit]
called = ["visit", "visits"]
rows   = [8, 8]
key    = ["light", "year"]
[tables.visit.columns]
light  = { ref = "light", see = "snippet", says = "to" }
year   = { pick = "years", label = "Year", see = "snippet", says = "in the year" }
guests = { number = [1, 900], label = "Guests" }

[pages]
keeper = { about = "keeper", with = { light = ["name"] } }
light  = { about = "light" }
log    = { about = "light", show = ["name"], with = { visit = "*" } }
stones = { list = "light", by = "stone", show = ["height", "lit"], sort = "lit" }
posts  = { list = "light", by = "keeper", show = ["range"], sort = "height" }
years  = { list = "visit", by = "year", show = ["guests"], sort = "guests" }

[questions]
needs = ["I look for {many}."]
"""
NAMES = (
    "Orvane Head",
    "Teslin Rock",
    "Varrow Point",
    "Quillet Stack",
    "Dunmarrow",
    "Sélkirra Ness",
    "Brenhollow",
    "Tarnsey",
    "Osmer Skerry",
    "Ulvet",
    "Corrigane",
    "Halvick",
    "Pellamore",
    "Rusken Bar",
    "Stennary",
    "Vigoreth",
    "Wendle Spit",
    "Yarrick",
    "Zembra Cliff",
    "Ardlomin",
    "Eskervane",
    "Fennimoor",
    "Grathe",
    "Inverlusk",
)
KEEPERS = ("Ilva Torrunce", "Maro Pellisk", "Senna Quorley", "Dov Hallebrand")


def isles(seed: int = 5) -> World:
    """Return the world: 4 keepers, 24 lighthouses, 8 visits; every number and date differs from every other."""
    schema = parse_schema(tomllib.loads(SCHEMA))
    n = len(NAMES)
    lit = [f"{1890 + 3 * i}-{1 + i % 12:02}-{5 + i % 20:02}" for i in range(n)]
    visited = [(0, 2026), (0, 2027), (0, 2028), (2, 2026), (2, 2028), (5, 2026), (7, 2027), (9, 2028)]
    tables = {
        "keeper": {
            "name": list(KEEPERS),
            "born": ["1961-03-04", "1972-07-19", "1985-11-30", "1999-01-02"],
            "mentor": [KEEPERS[1], KEEPERS[0], KEEPERS[0], KEEPERS[2]],
        },
        "light": {
            "name": list(NAMES),
            "keeper": [KEEPERS[0] if i < 12 else KEEPERS[1 + i % 3] for i in range(n)],
            "lit": lit,
            "height": [11 + 2 * i for i in range(n)],
            "range": [5.3 + i for i in range(n)],
            "stone": [("granite", "slate", "brick")[0 if i < 13 else 1 + i % 2] for i in range(n)],
            "manned": [i % 4 == 0 for i in range(n)],
            "closed": [f"{2001 + i}-10-{1 + i:02}" if i % 3 == 0 else None for i in range(n)],
            "visits": [sum(light == i for light, _ in visited) for i in range(n)],
        },
        "visit": {
            "light": [NAMES[i] for i, _ in visited],
            "year": [year for _, year in visited],
            "guests": [401 + 37 * i for i in range(len(visited))],
        },
    }
    return World(id=f"isles-{seed}", schema=schema, seed=seed, tables=tables)
