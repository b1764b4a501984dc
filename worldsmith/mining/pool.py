"""Tasks over a pool: those of its worlds, proved again where pages of all the others answer too.

A certificate of a world alone proves nothing about the pool: searches return other pages, and a query that was clear
may no longer be. So both oracles solve each task again, and it passes the gates by what shortcuts earn in the pool. Its
question has to name its subject (the town, the league), since nothing else says which of the worlds it is about.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf

from worldsmith.agents import SimulatorClient
from worldsmith.audit.tasks.gates import failed_gate, measure_shortcuts
from worldsmith.errors import BackendError
from worldsmith.mining.certificates import Certificate, NotCertified, certify, with_proof
from worldsmith.mining.screening import DrawRejected
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.tasks import QueryEvaluator, Task


@dataclass(frozen=True, slots=True)
class PoolTasks:
    """The tasks of one world that hold in a pool, and why the others don't."""

    tasks: tuple[Task, ...]
    rejected: Mapping[str, int]


def tasks_in_pool(world_id: str, tasks: Iterable[Task], simulator: PoolSimulator) -> PoolTasks:
    """Return the tasks of one world of a pool that hold there, each with its proof and figures.

    Raises NotFoundError where the pool has no such world.
    """
    part = simulator.world(world_id)
    world = part.world
    evaluator, replies = QueryEvaluator(world), dict[Call, Observation]()
    client = SimulatorClient(simulator, Address(simulator.id), replies, world=world)
    voice = part.pages_of(Address(world.id)).voice
    kept: list[Task] = []
    rejected: Counter[str] = Counter()
    for task in tasks:
        try:
            kept.append(_task_in_pool(task, evaluator, client, voice.subject if voice else None))
        except DrawRejected as reason:
            rejected[str(reason)] += 1
    return PoolTasks(tuple(kept), dict(sorted(rejected.items())))


def _task_in_pool(task: Task, evaluator: QueryEvaluator, client: SimulatorClient, subject: str | None) -> Task:
    """Return a task with its proof and figures in a pool. Raises DrawRejected."""
    if subject is None or subject not in task.question:
        raise DrawRejected("its question names no subject")
    solved = with_proof(task, *proof_in_pool(task, evaluator, client))
    # A task whose answer is an empty table has no figure to gate by, as when it was mined.
    if solved.gold and (gate := failed_gate(solved, solved.audit)):
        raise DrawRejected(f"gate: {gate}")
    return solved


def proof_in_pool(
    task: Task, evaluator: QueryEvaluator, client: SimulatorClient, max_tokens: float = inf
) -> tuple[Certificate, dict[str, float]]:
    """Return the certificate of a task in a pool, confirmed by a second oracle, and what shortcuts earn on it.

    The evaluator is of the task's world, or of any of them. Raises DrawRejected.
    """
    shared = None if task.members else evaluator
    try:
        certificate = certify(task, evaluator.world, client, evaluator=shared)
        if certificate.tool_tokens > max_tokens:
            raise DrawRejected("too many tokens")
        certify(task, evaluator.world, client, evaluator=shared, agent="reworded")
        return certificate, measure_shortcuts(task, evaluator, client)
    except NotCertified as reason:
        raise DrawRejected(f"not certified: {reason}") from None
    except BackendError:
        raise DrawRejected("a call of an agent that is never answered") from None
