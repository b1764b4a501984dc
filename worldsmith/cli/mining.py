"""The command that mines tasks, and verifies those that are there."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import profiles_option, read_profiles
from worldsmith.cli.base import emit, json_option, loaded_worlds, pool_at, pool_option, progress
from worldsmith.cli.rewording import reword_options, reword_saved
from worldsmith.cli.worlds import PATHS, max_tokens_option, tokenizer_option
from worldsmith.errors import NotFoundError, UsageError, close_match

if TYPE_CHECKING:
    from worldsmith.mining.pipeline import MiningRequest
    from worldsmith.simulate.pool import PoolSimulator
    from worldsmith.simulate.protocol import Profile
    from worldsmith.simulate.simulator import Simulator
    from worldsmith.tasks import Task
    from worldsmith.world.model import World

KINDS = "wide,deep,hybrid"


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="Tasks per world, at most.")
@click.option(
    "--size",
    type=click.Choice(["wide", "small"]),
    default="wide",
    show_default=True,
    help="Of tables: wide, 10 to 60 rows of 4 to 8 columns; small, 3 to 8 rows of 3 or 4.",
)
@click.option(
    "--kinds",
    default=KINDS,
    show_default=True,
    metavar="KIND[,KIND...]",
    help="Taken in turn. wide: a table of rows within a named scope. deep: one value, 3 to 6 relations from what the "
    "question names. hybrid: a table within a scope that a chain finds. --kinds deep, or --kinds wide,wide,deep",
)
@click.option(
    "--wordings",
    type=click.Choice(["all", "train", "test"]),
    default="all",
    show_default=True,
    help="Of questions: train leaves a quarter of each sentence's wordings out, test has these alone.",
)
@max_tokens_option
@tokenizer_option
@click.option("--max-turns", type=click.IntRange(1), help="Turns an episode may need.")
@click.option(
    "--hold-out",
    multiple=True,
    metavar="SCHEMA",
    help="With --curriculum: a schema whose tasks are kept apart from training. May be repeated: --hold-out town",
)
@click.option(
    "--curriculum",
    "listed",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to list the tasks of these worlds in, from the easiest on: difficulty and split of each.",
)
@click.option("--keep-failing", is_flag=True, help="Write tasks that fail a gate too; they are counted.")
@click.option("--verify", is_flag=True, help="Only replay the certificates of the tasks that are there.")
@click.option(
    "--profile",
    "named",
    multiple=True,
    metavar="NAME",
    help="With --verify: solve each task anew under this profile too. May be repeated; all names every one.",
)
@click.option(
    "--cross",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    help="With --pool: tasks over several worlds, per schema of two or more. Each asks one question of 2 to 5 worlds "
    "at once, for 10 to 100 rows in all.",
)
@reword_options
@profiles_option
@pool_option
@json_option
@click.pass_context
def tasks(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    hold_out: tuple[str, ...],
    listed: Path | None,
    named: tuple[str, ...],
    profiles: Path | None,
    cross: int,
    reword: str | None,
    model_url: str,
    *,
    verify: bool,
    pooled: bool,
    as_json: bool,
    **request: Any,
) -> None:
    """Mine tasks of worlds anew, or --verify those that are there (exit 1 when a certificate fails).

    Each task is kept only if the oracle solves it through search, by two wordings of its queries; agents without
    search get next to nothing; a reader rebuilds its query from the question; and the episode fits. Tasks with gold
    are kept apart from the worlds, in _tasks/<world>.jsonl. Where none is found for a world, its tasks stay as they
    are, and the exit code is 1.

    Difficulty, in the curriculum, is log2(turns * relations * (1 + conditions)): 1 more is twice the work. A split is
    train, test (a tenth of the worlds), or held_out.

    \b
    worldsmith tasks w --count 20
    worldsmith tasks w --size small --kinds wide,hybrid --max-tokens 16000
    worldsmith tasks w --verify --profile realistic --curriculum w.jsonl --hold-out town
    worldsmith tasks w --pool --cross 8       those tasks that hold in the web of all worlds, and some over several of
                                              them, in _tasks/<pool>.jsonl
    """
    from worldsmith.mining.pipeline import MiningRequest

    if hold_out and not listed:
        raise UsageError("--hold-out says how a curriculum is split: name its file with --curriculum")
    if verify and reword:
        raise UsageError("--verify changes no task, --reword does: run one after the other")
    chosen = _profiles(named, profiles) if verify else {}
    if pooled:
        if reword or listed:
            raise UsageError("--pool proves the worlds' own tasks in their pool: --reword and --curriculum come before")
        if verify:
            held = _verify_in_pool(paths, chosen, as_json=as_json)
        else:
            held = _prove_in_pool(paths, cross, MiningRequest(**request), as_json=as_json)
        if not held:
            ctx.exit(1)
        return
    folders, results = [], []
    for folder, world in loaded_worlds(paths, quiet=verify or as_json, locked=not verify):
        folders.append(folder)
        if verify:
            results.append(_verify(folder, world, chosen, as_json=as_json))
        else:
            results.append(_mine(folder, world, MiningRequest(**request), as_json=as_json))
    bad = sum(failed for _, failed in results) or not any(count for count, _ in results)
    if reword:
        reword_saved(folders, reword, model_url, as_json=as_json)
    if listed:
        _write_curriculum(folders, listed, hold_out)
    if bad:
        ctx.exit(1)


def _mine(folder: Path, world: "World", request: "MiningRequest", *, as_json: bool) -> tuple[int, int]:
    """Mine the tasks of a world, save them where there are any, and say how it went.

    Returns how many tasks there are, and 1 where there are none.
    """
    from worldsmith.mining.files import save_tasks
    from worldsmith.mining.pipeline import mine_request

    mined = mine_request(world, request)
    if mined.tasks:
        save_tasks(folder, world, request, mined)
    count = len(mined.tasks)
    if as_json:
        outcome = {"tried": mined.tried, "rejected": dict(mined.rejected), "failing": mined.failing}
        emit({"world": world.id, "tasks": count, **outcome})
    else:
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(mined.rejected.items(), key=lambda x: -x[1]))
        failing = f" ({mined.failing} fail a gate)" if mined.failing else ""
        click.echo(f"{world.id}: {count} tasks{failing} of {mined.tried} draws; rejected: {why or 'none'}")
    if count < request.count:
        kept = "" if count else "; what is in its file of tasks was left as it is"
        click.echo(f"{world.id}: {count} of the {request.count} tasks asked for were found{kept}", err=True)
    return count, not count


def _prove_in_pool(paths: Sequence[Path], cross: int, request: "MiningRequest", *, as_json: bool) -> bool:
    """Keep the worlds' tasks that hold in their pool and mine `cross` of each schema over several of them.

    Says how it went, and returns whether there are any tasks. Of the request, wordings and tokens are heeded.
    """
    from worldsmith.mining.cross import groups_of_worlds, mine_cross_tasks
    from worldsmith.mining.pool import save_pool_tasks, tasks_in_pool
    from worldsmith.simulate.pool import PoolSimulator

    pool = pool_at(paths, quiet=as_json)
    simulator = PoolSimulator(pool)
    kept: list[Task] = []
    for world in progress(pool.worlds, len(pool.worlds), "worlds", quiet=as_json):
        proved = tasks_in_pool(world, simulator)
        kept += proved.tasks
        if as_json:
            emit({"world": world, "pool": pool.id, "tasks": len(proved.tasks), "rejected": dict(proved.rejected)})
        elif proved.rejected:
            why = ", ".join(f"{n} {reason}" for reason, n in proved.rejected.items())
            click.echo(f"{world}: {len(proved.tasks)} tasks; rejected: {why}")
    groups = groups_of_worlds(simulator) if cross else {}
    for schema, some in progress(groups.items(), len(groups), "schemas", quiet=as_json):
        mined = mine_cross_tasks(simulator, schema, some, cross, request)
        kept += mined.tasks
        if as_json:
            outcome = {"tasks": len(mined.tasks), "tried": mined.tried, "rejected": dict(mined.rejected)}
            emit({"schema": schema, "pool": pool.id, **outcome})
        else:
            click.echo(f"{schema}, over several worlds: {len(mined.tasks)} tasks of {mined.tried} draws")
    if kept:
        save_pool_tasks(pool, kept)
    if not as_json:
        click.echo(f"{pool.id}: {len(kept)} tasks of {len(pool.worlds)} worlds in {pool.tasks_file}")
    return bool(kept)


def _verify_in_pool(paths: Sequence[Path], profiles: "dict[str, Profile]", *, as_json: bool) -> bool:
    """Replay the certificates of a pool's tasks, solve them under profiles, and return whether all hold."""
    from worldsmith.mining.pool import pool_tasks_by_world
    from worldsmith.simulate.pool import PoolSimulator, simulator_of

    pool = pool_at(paths, quiet=as_json)
    simulator = simulator_of(pool, profiles) if profiles else PoolSimulator(pool)
    replayed, failed = PoolSimulator(pool), 0
    for world, (_, held) in zip(pool.worlds, pool_tasks_by_world(pool), strict=True):
        failed += _report_faults(held, pool.open(world), replayed, simulator, profiles, as_json=as_json)
    if not as_json:
        click.echo(f"{pool.id}: {f'{failed} certificates fail' if failed else 'all certificates hold'}")
    return not failed


def _write_curriculum(folders: Sequence[Path], file: Path, hold_out: Sequence[str]) -> None:
    """Write the curriculum of the tasks of worlds."""
    from worldsmith.tasks import curriculum, tasks_of
    from worldsmith.world.files import save_jsonl, tasks_file

    tasks = [task for folder in folders if tasks_file(folder).is_file() for task in tasks_of(folder)]
    schemas = sorted({task.schema for task in tasks})
    for name in hold_out:
        if name not in schemas:
            raise NotFoundError(f"no task here is of a schema {name!r}.{close_match(name, schemas)}")
    save_jsonl(file, curriculum(tasks, hold_out))


def _profiles(named: Sequence[str], file: Path | None) -> "dict[str, Profile]":
    from worldsmith.simulate.perturb import profile_named

    known = read_profiles(file)
    chosen = {name: profile_named(name, known) for name in named if name != "all"}
    return dict(known) if "all" in named else chosen


def _verify(folder: Path, world: "World", profiles: "dict[str, Profile]", *, as_json: bool) -> tuple[int, int]:
    """Replay the certificates of a world's tasks, solve them under profiles, and report what fails.

    Returns how many tasks there are, and how many of them fail.
    """
    from worldsmith.simulate.simulator import Simulator
    from worldsmith.tasks import tasks_of

    simulator = Simulator(world, profiles=profiles) if profiles else Simulator(world)
    held = tasks_of(folder)
    failed = _report_faults(held, world, Simulator(world), simulator, profiles, as_json=as_json)
    if not as_json:
        state = f"{failed} certificates fail" if failed else "all certificates hold" if held else "no tasks"
        click.echo(f"{world.id}: {state}")
    return len(held), failed


def _report_faults(
    tasks: "Sequence[Task]",
    world: "World",
    replayed: "Simulator | PoolSimulator",
    simulator: "Simulator | PoolSimulator",
    profiles: "dict[str, Profile]",
    *,
    as_json: bool,
) -> int:
    """Replay the certificates of tasks, solve them under profiles, report faults and return how many tasks have one."""
    from worldsmith.agents import SimulatorClient
    from worldsmith.mining.certificates import replay_fault, task_fault
    from worldsmith.simulate.protocol import Address

    clients = {name: SimulatorClient(simulator, Address(simulator.id, name, 1), {}, world=world) for name in profiles}
    failed = 0
    for task in tasks:
        fault = task_fault(task, world, replayed)
        under = {name: replay_fault(task, world, client) for name, client in clients.items()}
        faults = [fault, *(f"under profile {name}: {why}" for name, why in under.items() if why)]
        fault_text = "; ".join(f for f in faults if f)
        failed += bool(fault_text)
        if as_json:
            emit({"task_id": task.task_id, "world": task.world, "ok": not fault_text, "fault": fault_text})
        elif fault_text:
            click.echo(f"{task.task_id}: {fault_text}")
    return failed
