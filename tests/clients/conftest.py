"""A world that is served to clients, and a query whose first hit is known."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.served_worlds import running_server
from worldsmith.agents import SimulatorClient
from worldsmith.generation import generate
from worldsmith.schema import load_schema
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import save_world


@dataclass(frozen=True)
class Served:
    """A running server of one world."""

    base_url: str
    folder: str
    world: str
    query: str
    urls: list[str]
    """The hits of the query, ten of them at most, in order."""
    first_page: str
    """The text of the first hit's page."""


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    world = generate(load_schema("town"), 7)
    folder = save_world(world, tmp_path_factory.mktemp("clients"))
    client = SimulatorClient(Simulator(world), Address(world.id))
    query = world.title(next(iter(world.rows_of(next(iter(world.tables))))))
    urls = [hit["url"] for hit in client.search(query, k=10)["results"]]
    with running_server([folder]) as base_url:
        yield Served(base_url, str(folder), world.id, query, urls, client.extract(urls[0]))
