"""The figures of the README on this machine: CPU seconds, each beside a floor that is measured in the same run.

CPU seconds depend on the machine and on what else it does; the ratio of a figure to its floor can be compared between
machines. Figure and floor are measured in turn, a part of each at a time, so that a busy moment falls on both.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from http import HTTPStatus
from http.client import HTTPConnection
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import orjson

from worldsmith.agents import SimulatorClient
from worldsmith.agents.client import Recorder
from worldsmith.checking import check
from worldsmith.errors import NotFoundError, UsageError, WorldsmithError, close_match
from worldsmith.generation import generate
from worldsmith.mining.certificates import certify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.index import Index, Indexed, saved, tokens
from worldsmith.pages.index.bm25 import BM25
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import markdown
from worldsmith.schema import Language, load_schema, shipped
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task, gold_duckdb
from worldsmith.tasks.duckdb_gold import connect
from worldsmith.world.files import load_world, save_world
from worldsmith.world.model import World, table_bytes

Work = Callable[[], object]

TASKS = 10
"""Tasks that are mined of a world, as `worldsmith generate` does by default."""
COUNT = 8
"""Worlds that are measured unless told otherwise."""
HITS = 10
ROUNDS = 5
"""How often a process is started for a median."""
REQUIREMENT = r"([A-Za-z0-9._-]+)(?:\[(.*?)\])?"
"""The start of a requirement: its package, and extras of it."""
OTHER_WORDS = ("", "date", "price and size", "who keeps it")
"""What is added to a name, so that queries differ."""
CONSTANT_SERVER = """
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from worldsmith.serving.listen import server_config
async def reply(request):
    await request.body()
    return Response(b"x" * request.path_params["size"], media_type="application/json")
config = server_config(Starlette(routes=[Route("/{size:int}", reply, methods=["POST"])]))
config.port, config.log_level = 0, "info"
config.configure_logging()
uvicorn.Server(config).run()
"""
"""A server by the same stack that reads a request and sends bytes made before."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the README, and what it is measured against."""

    name: str
    value: float
    unit: str
    floor: float
    """In the same unit: the part of the work that no implementation can avoid."""
    floor_of: str
    """What the floor does."""

    @property
    def ratio(self) -> float:
        """The figure as a share of its floor."""
        return self.value / self.floor

    def to_json(self) -> dict[str, Any]:
        """Return the fields and the ratio as JSON values."""
        return asdict(self) | {"ratio": self.ratio}


@dataclass(frozen=True)
class Workload:
    """What measures work on, made once, outside of what they time."""

    folder: Path
    count: int
    """Worlds, schemas in turn."""

    @cached_property
    def seeds(self) -> list[tuple[str, int]]:
        """The schema and seed of each world."""
        names = shipped()
        return [(list(names)[i % len(names)], 1 + i) for i in range(self.count)]

    @cached_property
    def worlds(self) -> list[World]:
        """Natural worlds, each with its background."""
        return [generate(load_schema(name), seed, language="natural") for name, seed in self.seeds]

    def queries(self, world: World) -> list[str]:
        """Return distinct queries: the names of its rows, with words added."""
        names = [world.title(row) for table in world.tables for row in world.rows_of(table)]
        texts = dict.fromkeys(f"{name} {words}".strip() for words in OTHER_WORDS for name in names)
        return random.Random(world.seed).sample(list(texts), min(300, len(texts)))


def cpu(work: Work) -> float:
    """Return the CPU seconds that work takes in this process."""
    start = process_time()
    work()
    return process_time() - start


def cpu_of_command(folder: Path, *args: str) -> float:
    """Return the CPU seconds of a Python process and of those that it starts; CalledProcessError where it fails.

    Compiled modules lie in `folder`, so that a second run finds them however Python is set up.
    """
    env = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *args], check=True, capture_output=True, env=env)  # noqa: S603 - our own commands
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rates(count: int, pairs: Iterable[tuple[Work, Work]]) -> tuple[float, float]:
    """Return how much of `count` works and floors get done in a CPU second, each pair timed in turn."""
    spent = [(cpu(work), cpu(floor)) for work, floor in pairs]
    work, floor = (sum(column) for column in zip(*spent, strict=True))
    return count / work, count / floor


def raw_values(world: World) -> None:
    """Draw as many values as a world has from pools, by no rule, and put them into the bytes of tables."""
    chance = random.Random(world.seed)
    for columns in world.tables.values():
        table_bytes({name: chance.choices(values or [None], k=len(values)) for name, values in columns.items()})


def checked_and_saved(folder: Path, name: str, seed: int, language: Language) -> None:
    """Make a world as `worldsmith generate` does, without tasks."""
    world = generate(load_schema(name), seed, language=language)
    check(world)
    save_world(world, folder)


def worlds(load: Workload) -> list[Figure]:
    """Measure worlds of both languages, generated, checked and stored in this process."""
    figures, floor_of = [], "raw values from pools, in bytes"
    labels: dict[Language, str] = {"natural": "with background", "plain": "without"}
    for language, label in labels.items():
        out = load.folder / language
        made = [generate(load_schema(name), seed, language=language) for name, seed in load.seeds]  # schemas are read
        pairs = [
            (partial(checked_and_saved, out, *load.seeds[i], language), partial(raw_values, world))
            for i, world in enumerate(made)
        ]
        value, floor = rates(len(made), pairs)
        figures.append(Figure(f"worlds, {label}", value, "worlds/CPU-s", floor, floor_of))
        rows = sum(world.facts + world.background for world in made) / len(made)
        figures.append(Figure(f"rows, {label}", value * rows, "rows/CPU-s", floor * rows, floor_of))
    return figures


def command(load: Workload) -> list[Figure]:
    """Measure worlds by the command line, by one process and by two."""
    count = 4 * load.count
    args = ["-m", "worldsmith", "generate", "--count", str(count), "--tasks", "0", "--json", "--out"]
    cpu_of_command(load.folder, *args[:4], "1", *args[5:], str(load.folder / "first"))  # compiles modules
    alone = cpu_of_command(load.folder, *args, str(load.folder / "alone"))
    both = cpu_of_command(load.folder, *args, str(load.folder / "both"), "--jobs", "2")
    (value, _), floor_of = rates(len(load.seeds), _in_process(load)), "the same in one warm process"
    name, unit = f"worlds, command of {count}", "worlds/CPU-s"
    return [
        Figure(name, count / alone, unit, value, floor_of),
        Figure(f"{name}, --jobs 2", count / both, unit, count / alone, "--jobs 1"),
    ]


def _in_process(load: Workload) -> Iterator[tuple[Work, Work]]:
    """Yield what makes each world in this process, once its schema has been read, and nothing for a floor."""
    _ = load.worlds
    for name, seed in load.seeds:
        yield partial(checked_and_saved, load.folder / "warm", name, seed, "natural"), lambda: None


def tasks(load: Workload) -> list[Figure]:
    """Measure mining with certificates and gates, certifying alone, and gold by the second engine."""
    spent = proofs = replays = derived = constant = 0.0
    count = 0
    for world in load.worlds[::2]:  # mining is the slowest measure
        start = process_time()
        mined = mine(world, TASKS).tasks
        spent += process_time() - start
        count += len(mined)
        simulator = Simulator(world)
        client = SimulatorClient(simulator)
        simulator.warm(client.address)
        for task in mined:
            certify(task, world, client)  # what the world's first proof makes for all others
            proofs += cpu(partial(certify, task, world, client))
            replays += cpu(partial(_replay, task, SimulatorClient(simulator)))
        queries = [task.query for task in mined]
        derived += cpu(partial(gold_duckdb, [(world, queries)]))
        constant += cpu(partial(_constant_queries, len(queries)))
    if not count:
        raise UsageError("no task could be mined of so few worlds: ask for more")
    return [
        Figure("tasks mined", count / spent, "tasks/CPU-s", count / proofs, "their certificates alone"),
        Figure("tasks certified", count / proofs, "tasks/CPU-s", count / replays, "the calls of their certificates"),
        Figure("gold derived again", count / derived, "tasks/CPU-s", count / constant, "DuckDB opened, SELECT 1"),
    ]


def _replay(task: Task, client: SimulatorClient) -> None:
    recorder = Recorder(client)
    for call in (task.certificate or {})["calls"]:
        recorder.again(call)


def _constant_queries(count: int) -> None:
    connection = connect()
    for _ in range(count):
        connection.execute("SELECT 1").fetchall()
    connection.close()


def searches(load: Workload) -> list[Figure]:
    """Measure searches and pages in process, first and repeated."""
    queries, pages = list[list[float]](), list[list[float]]()
    searched = read = 0
    for world in load.worlds:
        plans, calls = Pages(world), [Call("web_search", query) for query in load.queries(world)]
        search, extract, retrieve = _opened(world), _opened(world), _library(plans)
        urls = dict.fromkeys(hit.url for call in calls[:50] for hit in _answers(extract, [call])[0].results)
        reads = [Call("web_extractor", url) for url in urls]
        first = partial(_answers, search, calls)
        queries.append([cpu(work) for work in (first, first, partial(retrieve, [call.arg for call in calls]))])
        first = partial(_answers, extract, reads)
        pages.append([cpu(work) for work in (first, first, partial(_rendered, plans, urls))])
        searched, read = searched + len(calls), read + len(reads)
    figures = []
    for count, spent, name, floor_of in (
        (searched, queries, "searches", "bm25s alone"),
        (read, pages, "pages", "the renderer alone"),
    ):
        first, again, floor = (count / sum(column) for column in zip(*spent, strict=True))
        figures.append(Figure(f"{name}, first", first, f"{name}/CPU-s", floor, floor_of))
        figures.append(Figure(f"{name}, repeated", again, f"{name}/CPU-s", floor, floor_of))
    return figures


def _opened(world: World) -> Simulator:
    simulator = Simulator(world)
    simulator.warm(Address(world.id))
    return simulator


def _answers(simulator: Simulator, calls: Sequence[Call]) -> list[Observation]:
    address = Address(simulator.id)
    return [simulator.call(address, call) for call in calls]


def _rendered(plans: Pages, urls: Iterable[str]) -> None:
    for page_id in map(plans.by_url, urls):
        if page_id is not None:
            markdown(render(plans.page(page_id), plans.world, plans))


def _library(plans: Pages) -> Callable[[list[str]], None]:
    """Return what retrieves by bm25s alone, over the same terms of the same pages."""
    stock = Index(plans).stock
    ends = [*stock.starts[1:], len(stock.text)]
    documents = [
        [int(term) for term in stock.text[start:end] if term < len(stock.words)]
        for start, end in zip(stock.starts, ends, strict=True)
    ]
    library = BM25(method="lucene")
    vocabulary = {word: number for number, word in enumerate(stock.words)}
    library.index((documents, vocabulary), create_empty_token=False, show_progress=False)

    def retrieve(texts: list[str]) -> None:
        for text in texts:
            known = [term for term in tokens(text) if term in vocabulary]
            if known:
                library.retrieve([known], k=HITS, show_progress=False)

    return retrieve


@contextmanager
def started(*command: str) -> Iterator[tuple[int, int]]:
    """Start a server of ours that says its address; yield its process id and port, and end it with the block."""
    with subprocess.Popen(  # noqa: S603 - our own commands
        [sys.executable, "-u", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = next(
                filter(None, (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in process.stdout)), None
            )
            if address is None:
                raise WorldsmithError(f"the server did not start: {' '.join(command)[:80]}")
            yield process.pid, int(address[1])
        finally:
            process.terminate()


def cpu_of_process(pid: int) -> float:
    """Return the CPU seconds that a process has taken so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def posted(port: int, path: str, bodies: Iterable[bytes]) -> int:
    """Send requests one after the other over one connection; return the bytes of a reply, on average."""
    connection, sizes = HTTPConnection("127.0.0.1", port), list[int]()
    for body in bodies:
        connection.request("POST", path, body)
        response = connection.getresponse()
        sizes.append(len(response.read()))
        if response.status != HTTPStatus.OK:
            raise WorldsmithError(f"{path} answered {response.status}")
    connection.close()
    return sum(sizes) // len(sizes)


def http(load: Workload) -> list[Figure]:
    """Measure the server: searches and pages, first and repeated, beside a constant reply of that size (Linux)."""
    world, rounds = load.worlds[0], max(1, load.count // 2)
    simulator, texts = _opened(world), load.queries(world)
    hits = _answers(simulator, [Call("web_search", text) for text in texts])
    urls = dict.fromkeys(hit.url for some in hits for hit in some.results)
    bodies = {
        "searches": ("/api/search", [json.dumps({"query": text}).encode() for text in texts]),
        "pages": ("/api/extract", [json.dumps({"url": url}).encode() for url in urls]),
    }
    figures = []
    with (
        started("-m", "worldsmith", "serve", str(save_world(world, load.folder)), "--port", "0") as served,
        started("-c", CONSTANT_SERVER) as constant,
    ):
        for name, (path, texts_sent) in bodies.items():
            first, again, floor = (list[float]() for _ in range(3))
            size = posted(served[1], path, texts_sent)
            for number in range(rounds):
                # A seed of its own makes a request one that the server has not answered before.
                first.append(_served(served, f"{path}?seed={number + 1}", texts_sent))
                again.append(_served(served, path, texts_sent * 4) / 4)
                floor.append(_served(constant, f"/{size}", texts_sent * 4) / 4)
            rate = [rounds * len(texts_sent) / sum(spent) for spent in (first, again, floor)]
            for label, value in (("first", rate[0]), ("repeated", rate[1])):
                figures.append(
                    Figure(
                        f"{name} over HTTP, {label}", value, f"{name}/CPU-s", rate[2], "a constant reply of that size"
                    )
                )
    return figures


def _served(server: tuple[int, int], path: str, bodies: Sequence[bytes]) -> float:
    """Return the CPU seconds that a server takes for requests; at least one tick of the clock that counts them."""
    before = cpu_of_process(server[0])
    posted(server[1], path, bodies)
    return max(cpu_of_process(server[0]) - before, 1 / os.sysconf("SC_CLK_TCK"))


def opening(load: Workload) -> list[Figure]:
    """Measure a saved world up to its first answer: with no file of its index, and with one."""
    spent = list[list[float]]()
    for world in load.worlds:
        folder = save_world(world, load.folder / "opened")
        indexed = saved(lambda _: load.folder / "index")
        call = Call("web_search", world.title(next(world.rows_of(next(iter(world.tables))))))
        works = (
            partial(_first_answer, folder, Index, call),
            partial(_first_answer, folder, indexed, call),  # writes the file
            partial(_first_answer, folder, indexed, call),
            partial(_parsed, folder),
        )
        spent.append(list(map(cpu, works)))
    cold, _, indexed_again, floor = (median(column) * 1e3 for column in zip(*spent, strict=True))
    floor_of = "its JSON parsed"
    return [
        Figure("world opened, first answer", cold, "CPU-ms", floor, floor_of),
        Figure("world opened, with its index", indexed_again, "CPU-ms", floor, floor_of),
    ]


def _first_answer(folder: Path, indexed: Indexed, call: Call) -> None:
    world = load_world(folder)
    Simulator(world, indexed=indexed).call(Address(world.id), call)


def _parsed(folder: Path) -> None:
    for path in folder.rglob("*.json*"):
        for line in path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]:
            orjson.loads(line)


def start(load: Workload) -> list[Figure]:
    """Measure how long the command takes to say what it does."""
    commands = (("-m", "worldsmith", "--help"), ("-c", "import click"))
    rounds = [[cpu_of_command(load.folder, *command) for command in commands] for _ in range(1 + ROUNDS)]
    del rounds[0]  # in which modules were compiled
    value, floor = (median(column) * 1e3 for column in zip(*rounds, strict=True))
    return [Figure("worldsmith --help", value, "CPU-ms", floor, "import click")]


def install(_: Workload) -> list[Figure]:
    """Measure the files of this package and of those that it needs, as they are installed here."""
    sizes: dict[str, float] = {}
    left = [("worldsmith", "")]
    while left:
        name, extras = left.pop()
        if name in sizes or (package := _installed(name)) is None:
            continue
        sizes[name] = _bytes(Path(str(file.locate())) for file in package.files or ())
        for requirement in package.requires or ():
            needed, marker = requirement.partition(";")[::2]
            extra = re.search(r"extra == ['\"](.+?)['\"]", marker)
            if (extra is None or extra[1] in extras.split(",")) and (part := re.match(REQUIREMENT, needed)):
                left.append((part[1].lower().replace("_", "-"), part[2] or ""))
    sizes["worldsmith"] = _bytes(Path(__file__).parent.rglob("*"))  # an editable install lists no files
    return [Figure("install", sum(sizes.values()) / 1e6, "MB", sizes["worldsmith"] / 1e6, "this package alone")]


def _bytes(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file())


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


MEASURES: Mapping[str, Callable[[Workload], list[Figure]]] = {
    "worlds": worlds,
    "command": command,
    "tasks": tasks,
    "searches": searches,
    "http": http,
    "opening": opening,
    "help": start,
    "install": install,
}
"""Each makes some figures of a workload; by the names that `worldsmith bench --only` takes."""


def measured(folder: Path, names: Sequence[str] = (), count: int = COUNT) -> Iterator[list[Figure]]:
    """Yield the figures of each measure, all of them unless some are named; `folder` takes what they write.

    Raises:
        NotFoundError: no measure has such a name.
    """
    for name in names:
        if name not in MEASURES:
            raise NotFoundError(f"no measure is called {name!r}.{close_match(name, MEASURES)}")
    load = Workload(folder, count)
    for name in names or MEASURES:
        yield MEASURES[name](load)
