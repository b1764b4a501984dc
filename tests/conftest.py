"""Worlds that several tests read; none of them changes one."""

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

from worldsmith.cli import main
from worldsmith.generation import generate
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.index import search
from worldsmith.pages.index.build import Stock, take_stock
from worldsmith.pages.index.files import key
from worldsmith.schema import Schema, load_schema, parse_schema
from worldsmith.schema.syntax import json_values
from worldsmith.tasks import Task
from worldsmith.train.exports import evidence
from worldsmith.world.files import save_jsonl, save_world, tasks_file
from worldsmith.world.model import World

settings.register_profile("fast", max_examples=40)
if "CI" not in os.environ:  # there hypothesis draws its hundred
    settings.load_profile("fast")

MINI = """
schema = 1
name = "harbour"
kind = "private_simulation"
as_of = 2031-05-01
about = "the books of a harbour"
[values]
goods = ["salt", "timber", "wine"]
years = [2028, 2029, 2030]
flags = { real = ["Norway", "Chile", "Japan"] }
pilots = { invent = "person", n = 4 }
[variation]
tugs = 0.5
[tables.berth]
called = ["berth", "berths"]
rows = [6, 8]
key = "name"
[tables.berth.columns]
name = { invent = "place", label = "Berth", see = "snippet" }
depth = { number = [4, 14], decimals = 1, step = 0.5, unit = "m", label = "Depth" }
calls = { count = "call", label = "Calls" }
salt = { count = "call", where = "goods = 'salt'", label = "Calls with salt" }
tons = { sum = "call.tons", unit = "t", label = "Tons in all" }
best = { max = "call.tons", unit = "t", label = "Largest call" }
part = { share = "tons", decimals = 1, label = "Share of tons (%)" }
place = { rank = "tons", label = "Rank by tons" }
next = { ref = "berth", where = "next.depth > depth", missing = 0.3, none = "none", label = "Next deeper berth" }
tug = { chance = 0.5, label = "Needs a tug", if = "tugs" }
[tables.call]
called = ["call", "calls"]
rows = [30, 34]
key = "code"
[tables.call.columns]
code = { invent = "code", label = "Call", see = "snippet" }
berth = { ref = "berth", per = [2, 8], skew = 0.4, label = "Berth" }
flag = { pick = "flags", label = "Flag" }
pilot = { pick = "pilots", where = "pilot <> flag", label = "Pilot" }
goods = { choice = ["salt", "timber", "wine"], weights = [2, 1, 1], label = "Goods" }
arrived = { date = [2030-01-01, 2030-12-31], label = "Arrived" }
left = { after = "arrived", days = [1, 200], until = "as_of", label = "Left" }
paid = { after = "left", days = [1, 40], until = "add_days(as_of, -60)", missing = 0.2, none = "unpaid" }
tons = { number = [100, 4000], step = 10, mean = "berth.depth * 250", spread = 600, unit = "t", label = "Tons" }
stay = { derive = "days(left, arrived)", unit = "days", label = "Days in port" }
note = { text = "{goods} for {berth.name}", label = "Note" }
agent = { faker = "job", label = "Agent's trade" }
[tables.dues]
called = ["due", "dues"]
rows = [12, 16]
key = ["berth", "year"]
[tables.dues.columns]
berth = { ref = "berth", per = [1, 3], label = "Berth" }
year = { pick = "years", label = "Year" }
rate = { series = [100, 140], along = "year", within = "berth", drift = [1, 6], label = "Rate" }
rank = { rank = "rate", within = "year", label = "Rank in the year" }
part = { share = "rate", within = "year", label = "Share of the year (%)" }
[rules]
deep_for_much = { on = "call", must = "tons < 3400 or berth.depth >= 11" }
no_circle = { acyclic = "berth.next" }
one_a_day = { on = "call", unique = ["berth", "arrived"] }
rates_rise = { on = "dues", order = "rate", by = "year", within = "berth" }
few_salt = { on = "berth", each = { s = { count = "call", where = "goods = 'salt'" } }, must = "s <= calls and s <= 7" }
small_needs_no_tug = { on = "berth", must = "not tug or depth >= 5" }
[pages]
berth = { about = "berth", with = { dues = "*" } }
call = { about = "call" }
goods = { list = "call", by = "goods", show = ["arrived", "tons"], sort = "arrived" }
quay = { list = "call", by = "berth", show = ["goods"], sort = "code" }
"""


@pytest.fixture(scope="session", autouse=True)
def made_once_per_world() -> Iterator[None]:
    """Make the index of a world, and the statements of its pages, once: both are functions of the world alone.

    Tests of these call `take_stock` and clear the cache of `Statements` instead.
    """
    stocks: dict[str, Stock] = {}

    def stock(pages: Pages) -> Stock:
        name = key(pages)
        if name not in stocks:
            stocks[name] = take_stock(pages)
        return stocks[name]

    statements: dict[str, evidence.Statements] = {}
    make = evidence.Statements

    def made(world: World) -> evidence.Statements:
        if world.digest not in statements:
            statements[world.digest] = make(world)
        return statements[world.digest]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "take_stock", stock)
        patch.setattr(evidence, "Statements", made)
        yield


@pytest.fixture(scope="session")
def mini_data() -> dict:
    return json_values(tomllib.loads(MINI))


@pytest.fixture(scope="session")
def mini(mini_data) -> Schema:
    return parse_schema(mini_data, "harbour.toml")


@pytest.fixture(scope="session")
def harbour(mini) -> World:
    return next(w for w in (generate(mini, seed) for seed in range(20)) if "tugs" in w.schema.switches)


@pytest.fixture(scope="session")
def smartphones() -> World:
    return generate(load_schema("smartphones"), 7)


@pytest.fixture(scope="session")
def town() -> World:
    return generate(load_schema("town"), 7)


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def call() -> Callable[..., Result]:
    """Run a command in this process and return what it gave; its exit code is asserted."""

    def run(*args: object, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(a) for a in args])
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture(scope="session")
def mined(town) -> tuple[Task, ...]:
    return mine(town, 4, size="small").tasks


@pytest.fixture
def folder(town, mined, tmp_path) -> Path:
    """The town and its tasks on disk."""
    made = save_world(town, tmp_path)
    save_jsonl(tasks_file(made), [task.to_json() for task in mined])
    return made
