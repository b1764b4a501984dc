"""Proof that a task can be solved: a list of calls whose replies disclose all the evidence.

The calls are the oracle's. Each argument comes from the question or from an earlier reply; together the pages that
were read state the gold cells and the filter cells of every row in scope; and the oracle's answer, read from the
replies alone, scores 1.0. A certificate names the world's digest and the render version it was made with, so that a
stale one is reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

from pydantic import ConfigDict, ValidationError
from pydantic.dataclasses import dataclass

from worldsmith.agents import TOKENS, Cost, Episode, Recorder, SimulatorClient, run
from worldsmith.agents.natural_oracle import asking_words
from worldsmith.agents.plain_oracle import words_of
from worldsmith.errors import BackendError, FormatError, UsageError
from worldsmith.pages import RENDER
from worldsmith.simulate.disclosure import is_all_children
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Task, gold_sqlite, sql
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.parts import leading_worlds, parts_with_worlds
from worldsmith.world.engine import attach
from worldsmith.world.model import Disclosure, World

TYPICAL_HITS = 10
"""Results of the searches that a typical episode makes, one for each page it reads."""


class NotCertified(Exception):  # noqa: N818 - not an error: how a candidate is turned down
    """A task that an agent's calls don't prove; its text is the reason."""


@dataclass(frozen=True, slots=True, config=ConfigDict(strict=True))
class Certificate:
    """The calls that solve a task, and what they cost."""

    task_id: str
    world: str
    world_digest: str
    render: int
    profile: str
    calls: list[dict[str, Any]]
    """Each {"tool", "arg", ...} with "sha256", the start of the digest of its reply."""
    evidence: int
    """Cells that had to be disclosed."""
    search_calls: int
    extract_calls: int
    tool_tokens: int
    """Of all replies, by `tokens`; near the least an agent can do with."""
    turns: int
    typical_turns: int
    """The same if each page were searched for first, with ten results: the cost for an agent without the plan."""
    typical_tokens: int
    tokens: str
    pool: str = ""
    """The pool whose pages answered; "" where those of the world alone did."""

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as JSON values."""
        fields = asdict(self)
        return fields if self.pool else {name: value for name, value in fields.items() if name != "pool"}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Certificate":
        """Read what `to_json` wrote; FormatError for anything else."""
        if not isinstance(data, Mapping):
            raise FormatError(f"not a certificate: it is no object, but {str(data)[:40]}: mine the tasks again")
        try:
            return cls(**data)
        except ValidationError as error:
            first = error.errors()[0]
            raise FormatError(f"not a certificate: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _cells_and_parents(disclosures: Iterable[Disclosure]) -> tuple[list[Disclosure], list[Disclosure]]:
    """Return those that are cells, and those that say that all children of a row are known; sorted."""
    ordered = sorted(disclosures, key=str)
    return [one for one in ordered if not is_all_children(one)], [one for one in ordered if is_all_children(one)]


def undisclosed(
    parts: Iterable[tuple[Task, World]], client: SimulatorClient, evaluator: QueryEvaluator | None = None
) -> tuple[int, list[Disclosure], list[Disclosure]]:
    """Return how many cells the parts of a task need, and which cells and children the client's pages didn't disclose.

    `evaluator` is of the world, where there is one part.
    """
    needed, cells, parents = 0, list[Disclosure](), list[Disclosure]()
    for part, own in parts:
        client.world = own
        required = required_disclosures(part, evaluator or QueryEvaluator(own))
        needed += len(_cells_and_parents(required)[0])
        missing = _cells_and_parents(required - client.page_disclosures)
        cells += missing[0]
        parents += missing[1]
    return needed, cells, parents


def untraceable_argument(
    task: Task, calls: Sequence[Mapping[str, Any]], replies: Sequence[str], *worlds: World
) -> str | None:
    """Return the first argument that comes neither from the question nor from an earlier reply; None for none.

    A query over natural pages may hold the words, too, in which people ask: never a name, a number or a date.
    """
    words, texts = set(words_of(task.question)), task.question
    for world in worlds:
        if world.schema.bank is not None:
            words |= asking_words(world.schema.bank, world.schema)
    for call, reply in zip(calls, replies, strict=True):
        arg = str(call["arg"])
        if call["tool"] == "web_extractor" and arg not in texts:
            return arg
        if call["tool"] == "web_search" and not words_of(arg) <= words:
            return arg
        words |= words_of(reply)
        texts += "\n" + reply
    return None


def certify(
    task: Task,
    world: World,
    client: SimulatorClient,
    *,
    evaluator: QueryEvaluator | None = None,
    agent: str = "oracle",
) -> Certificate:
    """Return the certificate of what an agent does with the tools of a client. Raises NotCertified.

    `world` is the task's, or one of its worlds.
    """
    parts = parts_with_worlds(task, world, client.simulator)
    if any(part.world_digest != own.digest for part, own in parts):
        raise NotCertified("another world")
    fresh = client.afresh()
    try:
        episode = run(task, world, agent, fresh)
    except BackendError:
        raise NotCertified("a call that is never answered") from None
    finally:
        client.add(fresh)
    needed, cells, parents = undisclosed(parts, fresh, evaluator)
    if cells:
        raise NotCertified("evidence that its calls don't disclose")
    if parents:
        raise NotCertified("children that its calls don't tell whole")
    if not episode.scored(task).success:
        raise NotCertified("the oracle's answer is not the gold table")
    if untraceable_argument(task, episode.calls, episode.replies, *(own for _, own in parts)) is not None:
        raise NotCertified("an argument from nowhere")
    return _certificate(task, client.address, episode, needed)


def with_proof(task: Task, certificate: Certificate, figures: Mapping[str, float]) -> Task:
    """Return a task with its certificate and what shortcuts earn on it."""
    audit = {name: round(figure, 4) for name, figure in figures.items()}
    return replace(task, certificate=certificate.to_json(), audit=audit)


def _certificate(task: Task, address: Address, record: Episode | Recorder, needed: int) -> Certificate:
    cost = Cost.of(record.calls, sum(record.costs))
    return Certificate(
        task.task_id,
        task.world,
        task.world_digest,
        RENDER,
        address.profile,
        [{**call, "sha256": _reply_digest(reply)} for call, reply in zip(record.calls, record.replies, strict=True)],
        needed,
        typical_turns=2 * cost.extract_calls + 1,
        typical_tokens=_typical_tokens(record),
        tokens=TOKENS,
        pool="" if task.worlds == (address.world,) else address.world,
        **cost.to_json(),
    )


def _typical_tokens(record: Episode | Recorder) -> int:
    pages = [c for call, c in zip(record.calls, record.costs, strict=True) if call["tool"] == "web_extractor"]
    hits = sum(call["k"] for call in record.calls if call["tool"] == "web_search")
    searches = sum(record.costs) - sum(pages)
    return sum(pages) + (len(pages) * TYPICAL_HITS * searches // hits if hits else 0)


def _reply_digest(reply: str) -> str:
    return sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def verify(certificate: Certificate, task: Task, world: World, simulator: Simulator | PoolSimulator) -> str | None:
    """Replay a certificate's calls; return what no longer holds, None where everything does."""
    if (certificate.task_id, certificate.world) != (task.task_id, task.world):
        return f"it is the proof of another task, {certificate.task_id}: mine the tasks again"
    parts = parts_with_worlds(task, world, simulator)
    stale = any(part.world_digest != own.digest for part, own in parts)
    if stale or certificate.world_digest != task.world_digest:
        return f"it was made for another state of {world.id}: mine the tasks again"
    if certificate.render != RENDER:
        return f"it was made with render version {certificate.render}, this is {RENDER}: mine the tasks again"
    made_in, answered_by = certificate.pool, "" if isinstance(simulator, Simulator) else simulator.id
    if made_in != answered_by:
        made, here = (f"in the pool {pool}" if pool else "in its world alone" for pool in (made_in, answered_by))
        return f"it was made {made}, these calls are answered {here}: take the tasks of that file"
    client = SimulatorClient(simulator, Address(simulator.id, certificate.profile), world=world)
    recorder = Recorder(client)
    for number, call in enumerate(certificate.calls, 1):
        try:
            recorder.again(call)
            same = {**recorder.calls[-1], "sha256": _reply_digest(recorder.replies[-1])} == call
        except (UsageError, KeyError, TypeError, AttributeError) as error:
            return f"call {number} can't be made: {error!r}"
        if not same:
            return f"call {number} ({str(call['arg'])[:80]}) has another reply now"
    strange = untraceable_argument(task, recorder.calls, recorder.replies, *(own for _, own in parts))
    if strange is not None:
        return f"the argument {strange[:80]!r} comes neither from the question nor from an earlier reply"
    needed, cells, parents = undisclosed(parts, client)
    if parents:
        return "no page that was read tells all children of some row that they are counted of"
    if cells:
        row, col = cells[0]
        return f"{len(cells)} cells of its evidence are not disclosed, {row} {col} among them"
    replayed, recorded = _certificate(task, client.address, recorder, needed).to_json(), certificate.to_json()
    wrong = [name for name, value in replayed.items() if recorded[name] != value]
    return f"its {', '.join(wrong)} are not those of its calls" if wrong else None


def task_fault(task: Task, world: World, simulator: Simulator | PoolSimulator) -> str | None:
    """Return why a task is not what its query and its certificate make of a world; None where it is.

    Its query is run and its calls are replayed: some 10 ms, and half a second for the first task of a world.
    """
    parts = parts_with_worlds(task, world, simulator)
    for part, own in parts:
        if task.schema != own.schema.name or task.sql != sql(task.query, own.schema):
            return "its schema or SQL is not that of its query: mine the tasks again"
        with attach(own) as connection:
            if part.is_queried and gold_sqlite(task.query, connection, own.schema) != part.gold:
                return "its gold is not what its query gives: mine the tasks again"
    subjects = [own.subject for part, own in parts for _ in part.gold]
    if task.members and [row[0] for row in task.gold] != subjects:
        return "the rows of its gold are not under the names of its worlds: mine the tasks again"
    if task.compared:
        leads = leading_worlds(task.compared, [QueryEvaluator(own) for _, own in parts])
        if leads != [part.is_queried for part, _ in parts]:
            return "its gold is not of the world that leads the comparison: mine the tasks again"
    if not task.certificate:
        return "it has no certificate: mine the tasks again"
    try:
        certificate = Certificate.from_json(task.certificate)
    except FormatError as error:
        return str(error)
    return verify(certificate, task, world, simulator)


def replay_fault(task: Task, world: World, client: SimulatorClient) -> str | None:
    """Return why the oracle can't solve a task with the tools of a client, under its profile; None where it can."""
    try:
        certify(task, world, client)
    except NotCertified as reason:
        return str(reason)
    return None
