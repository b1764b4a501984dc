"""Tasks over a pool: those of its worlds, proved again where pages of all the others answer too.

A certificate of a world alone says nothing of the pool: other pages are found, and a query that was clear may no longer
be. So each task is solved anew, by both oracles, and passes the gates by what shortcuts earn in the pool. Its question
has to name its subject (the town, the league), since nothing else says which of the worlds it is about.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worldsmith.agents import SimulatorClient
from worldsmith.audit.tasks.gates import failed_gate, measure_shortcuts
from worldsmith.errors import BackendError, NotFoundError
from worldsmith.mining.certificates import NotCertified, certify
from worldsmith.pages.pool import Pool
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.files import read_tasks
from worldsmith.world.files import save_jsonl, tasks_file


@dataclass(frozen=True, slots=True)
class PoolTasks:
    """The tasks of one world that hold in a pool, and why the others don't."""

    tasks: tuple[Task, ...]
    rejected: Mapping[str, int]


def tasks_in_pool(world_id: str, simulator: PoolSimulator) -> PoolTasks:
    """Return the saved tasks of one world of a pool, each with its proof and figures there.

    Raises:
        NotFoundError: the pool has no such world. FormatError: its tasks can't be read.
    """
    part = simulator.world(world_id)
    world = part.world
    file = tasks_file(simulator.pool.folders[world_id])
    evaluator, replies = QueryEvaluator(world), dict[Call, Observation]()
    client = SimulatorClient(simulator, Address(simulator.id), replies, world=world)
    voice = part.pages_of(Address(world.id)).voice
    kept: list[Task] = []
    rejected: Counter[str] = Counter()
    for task in read_tasks(file) if file.is_file() else []:
        why = None if voice and voice.subject in task.question else "its question names no subject"
        try:
            solved = None if why else _proved(task, evaluator, client)
        except NotCertified as reason:
            solved, why = None, f"not certified: {reason}"
        # A task whose answer is an empty table has no figure to gate by, as when it was mined.
        if solved and solved.gold and (gate := failed_gate(solved, solved.audit)):
            solved, why = None, f"gate: {gate}"
        if solved:
            kept.append(solved)
        else:
            rejected[why or ""] += 1
    return PoolTasks(tuple(kept), dict(sorted(rejected.items())))


def _proved(task: Task, evaluator: QueryEvaluator, client: SimulatorClient) -> Task:
    """Return a task with its certificate and figures in a pool. Raises NotCertified."""
    proof = certify(task, evaluator.world, client, evaluator=evaluator)
    certify(task, evaluator.world, client, evaluator=evaluator, agent="reworded")
    try:
        figures = measure_shortcuts(task, evaluator, client)
    except BackendError:
        raise NotCertified("a call of an agent that is never answered") from None
    return replace(task, certificate=proof.to_json(), audit={k: round(v, 4) for k, v in figures.items()})


def save_pool_tasks(pool: Pool, tasks: Sequence[Task]) -> None:
    """Keep the tasks of a pool in _tasks/<pool>.jsonl."""
    save_jsonl(pool.tasks_file, (task.to_json() for task in tasks))


def read_pool_tasks(pool: Pool) -> list[Task]:
    """Return the tasks kept for a pool. Raises NotFoundError where there are none, FormatError as `read_tasks`."""
    if not pool.tasks_file.is_file():
        raise NotFoundError(
            f"{pool.tasks_file}: no tasks of {pool.id}; make them with `worldsmith tasks {pool.folder} --pool`"
        )
    return read_tasks(pool.tasks_file)


def pool_tasks_by_world(pool: Pool) -> list[tuple[Path, list[Task]]]:
    """Return the folder of each world of a pool with the pool's tasks about it, those over several with their first."""
    by_world: dict[str, list[Task]] = {world: [] for world in pool.worlds}
    for task in read_pool_tasks(pool):
        by_world[task.worlds[0]].append(task)
    return [(pool.folders[world], tasks) for world, tasks in by_world.items()]
