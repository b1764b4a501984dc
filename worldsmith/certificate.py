"""Proof that a task can be solved: a list of calls whose replies disclose all the evidence.

The calls are the oracle's. Each argument comes from the question or from an earlier reply; together the pages that
were read state the gold cells and the filter cells of every row in scope; and the oracle's answer, read from the
replies alone, scores 1.0. A certificate names the world's digest and the render version it was made with, so that it
goes stale loudly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from worldsmith import expr
from worldsmith.agents import TOKENS, Cost, Episode, Recorder, SimulatorClient, run
from worldsmith.agents.oracle import words_of
from worldsmith.errors import BackendError, FormatError
from worldsmith.pages import RENDER, Page
from worldsmith.pages.copies import ArchiveKind
from worldsmith.schema import Aggregate, Path, Value
from worldsmith.simulator import Simulator
from worldsmith.slices import Address
from worldsmith.tasks import Query, Reader, Task
from worldsmith.world import Row, World

TYPICAL_HITS = 10
"""Results of the searches that a typical episode makes, one for each page it reads."""

Evidence = frozenset[tuple[Row, str]]


@dataclass(frozen=True, slots=True)
class Certificate:
    """The calls that solve a task, and what they cost."""

    task_id: str
    world: str
    world_digest: str
    render: int
    profile: str
    calls: tuple[Mapping[str, Any], ...]
    """Each {"tool", "arg", ...} with "sha256", the start of the digest of its reply."""
    evidence: int
    """Cells that had to be disclosed."""
    tool_tokens: int
    """Of all replies, by `tokens`; near the least an agent can do with."""
    typical_tokens: int
    """The same if every page read were first searched for, with ten results: what an agent without the plan pays."""
    tokens: str = TOKENS

    @property
    def cost(self) -> Cost:
        """What its calls cost."""
        return Cost.of(self.calls, self.tool_tokens)

    @property
    def typical_turns(self) -> int:
        """The same if every page read were first searched for."""
        return 2 * self.cost.extract_calls + 1

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as JSON values."""
        return {
            "task_id": self.task_id,
            "world": self.world,
            "world_digest": self.world_digest,
            "render": self.render,
            "profile": self.profile,
            "calls": [dict(call) for call in self.calls],
            "evidence": self.evidence,
            **self.cost.to_json(),
            "typical_turns": self.typical_turns,
            "typical_tokens": self.typical_tokens,
            "tokens": self.tokens,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Certificate":
        """Read what `to_json` wrote; FormatError for anything else."""
        try:
            return cls(
                data["task_id"],
                data["world"],
                data["world_digest"],
                data["render"],
                data["profile"],
                tuple(dict(call) for call in data["calls"]),
                data["evidence"],
                data["tool_tokens"],
                data["typical_tokens"],
                data["tokens"],
            )
        except (KeyError, TypeError) as error:
            raise FormatError(f"not a certificate: {error!r} in {str(data)[:80]}") from None


def evidence(task: Task, reader: Reader) -> Evidence:
    """Return the cells that must be disclosed: all that the queries of the chain read of rows in scope, and the gold.

    Along a path every reference counts too: without it nobody knows whose value the last one is. Of a tally it is
    what its condition reads of all children of a row, and what it adds up.
    """
    found: set[tuple[Row, str]] = set()
    for query in task.query.chain():
        rows, passing, kept = reader.in_scope(query), reader.passing(query), reader.kept(query)
        for some, paths in ((rows, (*query.evidence, *query.read)), (passing, query.ranked), (kept, query.columns)):
            for path in dict.fromkeys(prefix for whole in paths for prefix in _prefixes(whole)):
                tally = query.tally(path)
                for i in some:
                    found |= _cells(reader, query, i, path) if tally is None else _family(reader, query.table, i, tally)
    return frozenset(found)


def _cells(reader: Reader, query: Query, index: int, path: Path) -> set[tuple[Row, str]]:
    cell = reader.cell(query.table, index, path)
    return {cell} if cell else set()


def _family(reader: Reader, table: str, index: int, tally: Aggregate) -> set[tuple[Row, str]]:
    read = [] if tally.where is None else [path[0] for path in expr.paths(tally.where)]
    names = dict.fromkeys([*tally.by, *read, *([tally.column] if tally.column else [])])
    return {(Row(tally.table, child), name) for child in reader.family(table, index, tally) for name in names}


Witness = tuple[str, Row | Value]
"""A page by its kind and what it is about, a row, or, of a list, the value its rows share."""


def witnesses(task: Task, reader: Reader) -> frozenset[frozenset[Witness]]:
    """Return the pages of which one each must be read: it alone tells that a row has no more children than it names."""
    world, found = reader.world, set()
    for query in task.query.chain():
        for number, tally in enumerate(query.tallies):
            filtering = any(path[0] == f"#{number}" for path in query.read)
            kin = (tally.table, tally.by[0])
            for i in reader.in_scope(query) if filtering else reader.kept(query):
                row = Row(query.table, i)
                telling: list[Witness] = [
                    (spec.name, row)
                    for spec in world.schema.pages
                    if spec.about == query.table and kin in {(c.table, c.ref) for c in spec.children}
                ]
                telling += [(s.name, world.key(row)[0]) for s in world.schema.pages if (s.list, s.by) == kin]
                if not reader.family(query.table, i, tally):
                    # There is no further page to say so: the row's entry, which would link to it, does.
                    telling += [(s.name, row) for s in world.schema.pages if s.about == query.table][:1]
                found.add(frozenset(telling))
    return frozenset(found)


def witnessed(pages: Iterable[Page]) -> frozenset[Witness]:
    """Return what pages are about: all parts of a list count for it."""
    found: set[Witness] = set()
    for page in pages:
        if page.subject is not None:
            found.add((page.kind, page.subject))
        found |= {(page.kind, cell.value) for cell in page.cells if cell.col == page.scope}
    return frozenset(found)


def _prefixes(path: Path) -> list[Path]:
    return [path[: i + 1] for i in range(len(path))]


def disclosed(pages: Iterable[Page], world: World) -> Evidence:
    """Return the cells of a world that pages state, as they are in it: an edit may tell one otherwise.

    An archive copy discloses nothing: which of its values still hold is not to be seen.
    """
    cells = {cell for page in pages if page.kind != ArchiveKind.name for cell in page.cells}
    return frozenset((cell.row, cell.col) for cell in cells if world.value(cell.row, cell.col) == cell.value)


def foreign(task: Task, calls: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> str:
    """Return the first argument that comes neither from the question nor from an earlier reply; "" for none."""
    words, told = set(words_of(task.question)), task.question
    for call, reply in zip(calls, replies, strict=True):
        arg = str(call["arg"])
        if call["tool"] == "web_extractor" and arg not in told:
            return arg
        if call["tool"] == "web_search" and not words_of(arg) <= words:
            return arg
        words |= words_of(reply)
        told += "\n" + reply
    return ""


def attempt(
    task: Task,
    world: World,
    simulator: Simulator,
    *,
    reader: Reader | None = None,
    client: SimulatorClient | None = None,
    agent: str = "oracle",
) -> Certificate | str:
    """Return a certificate of what an agent did, or why there is none."""
    if task.world_digest != world.digest:
        return "another world"
    tools = client or SimulatorClient(simulator)
    start = len(tools.seen)
    try:
        episode = run(task, world, agent, tools)
    except BackendError:
        return "a call that is never answered"
    score = episode.scored(task)
    reader = reader or Reader(world)
    needed = evidence(task, reader)
    if needed - disclosed(tools.seen[start:], world):
        return "evidence that its calls don't disclose"
    about = witnessed(tools.seen[start:])
    if any(not telling & about for telling in witnesses(task, reader)):
        return "children that its calls don't tell whole"
    if not score.success:
        return "the oracle's answer is not the gold table"
    if foreign(task, episode.calls, episode.replies):
        return "an argument from nowhere"
    return _made(task, tools.address, episode, len(needed))


def _made(task: Task, address: Address, episode: Episode, needed: int) -> Certificate:
    calls = tuple(
        {**call, "sha256": _digest(reply)} for call, reply in zip(episode.calls, episode.replies, strict=True)
    )
    return Certificate(
        task.task_id,
        task.world,
        task.world_digest,
        RENDER,
        address.profile,
        calls,
        needed,
        sum(episode.costs),
        _typical(episode),
    )


def _typical(episode: Episode) -> int:
    pages = [c for call, c in zip(episode.calls, episode.costs, strict=True) if call["tool"] == "web_extractor"]
    hits = sum(call["k"] for call in episode.calls if call["tool"] == "web_search")
    searches = sum(episode.costs) - sum(pages)
    return sum(pages) + (len(pages) * TYPICAL_HITS * searches // hits if hits else 0)


def _digest(reply: str) -> str:
    return sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def verify(certificate: Certificate, task: Task, world: World, simulator: Simulator) -> str:
    """Play a certificate's calls again; return what no longer holds, "" where everything does."""
    if certificate.world_digest != world.digest:
        return f"it was made for another state of {world.id}: mine the tasks again"
    if certificate.render != RENDER:
        return f"it was made with render version {certificate.render}, this is {RENDER}: mine the tasks again"
    client = SimulatorClient(simulator, Address(world.id, certificate.profile))
    recorder = Recorder(client)
    for call in certificate.calls:
        if call["tool"] == "web_search":
            recorder.search(call["arg"], call["k"], call["page"])
        else:
            recorder.part(call["arg"], call.get("offset", 0), call.get("max_chars"))
        if _digest(recorder.replies[-1]) != call["sha256"]:
            return f"call {len(recorder.calls)} ({call['arg'][:80]}) has another reply now"
    strange = foreign(task, recorder.calls, recorder.replies)
    if strange:
        return f"the argument {strange[:80]!r} comes neither from the question nor from an earlier reply"
    reader = Reader(world)
    if any(not telling & witnessed(client.seen) for telling in witnesses(task, reader)):
        return "no page that was read tells all children of some row that they are counted of"
    missing = evidence(task, reader) - disclosed(client.seen, world)
    if missing:
        row, col = min(missing, key=str)
        return f"{len(missing)} cells of its evidence are not disclosed, {row} {col} among them"
    return ""


def fails_under(task: Task, world: World, client: SimulatorClient) -> str:
    """Return why a task can't be solved anew by the tools of a client, under whatever profile; "" where it can."""
    proof = attempt(task, world, client.simulator, client=client)
    return proof if isinstance(proof, str) else ""
