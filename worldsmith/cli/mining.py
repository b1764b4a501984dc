"""The command that mines tasks, and verifies those that are there."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import Answering, ModelChoice, profiles_option, read_profiles
from worldsmith.cli.base import emit, json_option, loaded_worlds, pool_at, pool_option, progress
from worldsmith.cli.rewording import reword_options, reword_saved
from worldsmith.cli.task_lists import change_dropped, list_tasks
from worldsmith.cli.worlds import PATHS, max_tokens_option, tokenizer_option
from worldsmith.errors import NotFoundError, UsageError, close_match

if TYPE_CHECKING:
    from worldsmith.mining.pipeline import MiningRequest
    from worldsmith.simulate.protocol import Profile
    from worldsmith.tasks import Task
    from worldsmith.tasks.worlds import PooledWorlds, Worlds
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
@click.option(
    "--apart",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Of the deep tasks that compare rows, the share at least in which no page tells what is compared of two.",
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
@click.option("--list", "listing", is_flag=True, help="Only list the tasks that are there; their gold isn't shown.")
@click.option(
    "--drop",
    multiple=True,
    metavar="ID",
    help="Only take this task out of use, for a --reason: it stays in its file, and every run, export and list of "
    "these worlds leaves it out, even when it is mined again. May be repeated: --drop ID --drop ID",
)
@click.option("--reason", metavar="TEXT", help="With --drop: why, in one line; data cards of exports repeat it.")
@click.option("--restore", multiple=True, metavar="ID", help="Only put this dropped task back. May be repeated.")
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
    drop: tuple[str, ...],
    reason: str | None,
    restore: tuple[str, ...],
    reword: str | None,
    model_url: str,
    *,
    listing: bool,
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

    Difficulty, in the curriculum, is log2 of the steps that must go right for one cell: turns / rows + turns / 4 +
    2 * relations + 4 * queries of the chain. A split is train, test (a tenth of the worlds), or held_out.

    \b
    worldsmith tasks w --count 20
    worldsmith tasks w --size small --kinds wide,hybrid --max-tokens 16000
    worldsmith tasks w --list
    worldsmith tasks w --drop town-1a2b3c4d5e-deep-0123456789 --reason "two shops fit"
    worldsmith tasks w --verify --profile realistic --curriculum w.jsonl --hold-out town
    worldsmith tasks w --pool --cross 8       those tasks that hold in the web of all worlds, and some over several of
                                              them, in _tasks/<pool>.jsonl
    """
    from worldsmith.mining.pipeline import MiningRequest
    from worldsmith.tasks.worlds import PooledWorlds, SeparateWorlds
    from worldsmith.world.files import tasks_file

    if hold_out and not listed:
        raise UsageError("--hold-out says how a curriculum is split: name its file with --curriculum")
    if verify and reword:
        raise UsageError("--verify changes no task, --reword does: run one after the other")
    if pooled and reword:
        raise UsageError("--pool proves the worlds' own tasks in their pool: --reword comes before")
    if sum(map(bool, (listing, drop, restore, verify))) > 1:
        raise UsageError("--list, --drop, --restore and --verify are done one at a time")
    if drop or restore or reason is not None:
        change_dropped(paths, drop, restore, reason, as_json=as_json)
        return
    known = read_profiles(profiles)
    answering = Answering(ModelChoice(), known)
    worlds: Worlds
    folders, good = list[Path](), True
    if listing:
        list_tasks(answering.worlds(paths, pooled=pooled), as_json=as_json)
        return
    if verify:
        worlds = answering.worlds(paths, pooled=pooled, quiet=as_json)
        good = _verify(worlds, _named_profiles(named, known), as_json=as_json)
    elif pooled:
        worlds = PooledWorlds(answering.pool_simulator(pool_at(paths, quiet=as_json)))
        good = _prove_in_pool(worlds, cross, MiningRequest(**request), as_json=as_json)
    else:
        for folder, world in loaded_worlds(paths, quiet=as_json, locked=True):
            folders.append(folder)
            good = _mine(folder, world, MiningRequest(**request), as_json=as_json) and good
        if reword:
            reword_saved(folders, reword, model_url, as_json=as_json)
        worlds = SeparateWorlds(folder for folder in folders if tasks_file(folder).is_file())
    if listed:
        _write_curriculum(worlds, listed, hold_out)
    if not good:
        ctx.exit(1)


def _mine(folder: Path, world: "World", request: "MiningRequest", *, as_json: bool) -> bool:
    """Mine the tasks of a world, save them and say how it went; return whether there are any."""
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
    return bool(count)


def _prove_in_pool(worlds: "PooledWorlds", cross: int, request: "MiningRequest", *, as_json: bool) -> bool:
    """Keep the worlds' own tasks that hold in their pool and mine `cross` of each schema over several of them.

    Says how it went, and returns whether there are any tasks. Of the request, wordings and tokens are heeded.
    """
    from worldsmith.mining.cross import groups_of_worlds, mine_cross_tasks
    from worldsmith.mining.pool import tasks_in_pool
    from worldsmith.tasks import tasks_of
    from worldsmith.world.files import save_jsonl, tasks_file

    pool = worlds.pool
    kept: list[Task] = []
    for world in progress(pool.worlds, len(pool.worlds), "worlds", quiet=as_json):
        folder = pool.folders[world]
        own = tasks_of(folder) if tasks_file(folder).is_file() else []
        proved = tasks_in_pool(world, own, worlds.simulator(world))
        kept += proved.tasks
        if as_json:
            emit({"world": world, "pool": pool.id, "tasks": len(proved.tasks), "rejected": dict(proved.rejected)})
        elif proved.rejected:
            why = ", ".join(f"{n} {reason}" for reason, n in proved.rejected.items())
            click.echo(f"{world}: {len(proved.tasks)} tasks; rejected: {why}")
    simulator = worlds.simulator(pool.worlds[0])
    groups = groups_of_worlds(simulator) if cross else {}
    if cross and not groups:
        click.echo(
            "no tasks over several worlds: they need two worlds of one schema whose language file has a [subject]",
            err=True,
        )
    for schema, some in progress(groups.items(), len(groups), "schemas", quiet=as_json):
        mined = mine_cross_tasks(simulator, schema, some, cross, request)
        kept += mined.tasks
        if as_json:
            outcome = {"tasks": len(mined.tasks), "tried": mined.tried, "rejected": dict(mined.rejected)}
            emit({"schema": schema, "pool": pool.id, **outcome})
        else:
            click.echo(f"{schema}, over several worlds: {len(mined.tasks)} tasks ({mined.tried} tried)")
    if kept:
        save_jsonl(pool.tasks_file, (task.to_json() for task in kept))
    if not as_json:
        click.echo(f"{pool.id}: {len(kept)} tasks of {len(pool.worlds)} worlds in {pool.tasks_file}")
    return bool(kept)


def _write_curriculum(worlds: "Worlds", file: Path, hold_out: Sequence[str]) -> None:
    """Write the curriculum of the tasks of worlds."""
    from worldsmith.tasks import curriculum
    from worldsmith.world.files import save_jsonl

    tasks = [task for _, some in worlds.tasks() for task in some]
    schemas = sorted({task.schema for task in tasks})
    for name in hold_out:
        if name not in schemas:
            raise NotFoundError(f"no task here is of a schema {name!r}.{close_match(name, schemas)}")
    save_jsonl(file, curriculum(tasks, hold_out))


def _named_profiles(named: Sequence[str], known: "Mapping[str, Profile]") -> list[str]:
    """Return the names of profiles, each once, those of all for "all". Raises NotFoundError for an unknown one."""
    from worldsmith.simulate.perturb import profile_named

    chosen = dict.fromkeys(profile_named(name, known).name for name in named if name != "all")
    return list(known if "all" in named else chosen)


def _verify(worlds: "Worlds", profiles: Sequence[str], *, as_json: bool) -> bool:
    """Replay the certificates of tasks, solve them under profiles, and report; return whether all of some hold."""
    verified = failed = 0
    for world, tasks in worlds.tasks():
        faults = 0
        for task, fault in _faults(worlds, world, tasks, profiles):
            faults += bool(fault)
            if as_json:
                emit({"task_id": task.task_id, "world": task.world, "ok": not fault, "fault": fault})
            elif fault:
                click.echo(f"{task.task_id}: {fault}")
        if not as_json:
            state = f"{faults} certificates fail" if faults else "all certificates hold" if tasks else "no tasks"
            click.echo(f"{world}: {state}")
        verified, failed = verified + len(tasks), failed + faults
    return bool(verified) and not failed


def _faults(
    worlds: "Worlds", world_id: str, tasks: "Sequence[Task]", profiles: Sequence[str]
) -> "Iterator[tuple[Task, str]]":
    """Yield each task of a world with what is wrong with it, "" for nothing."""
    from worldsmith.agents import SimulatorClient
    from worldsmith.mining.certificates import replay_fault, task_fault
    from worldsmith.simulate.protocol import Address

    if not tasks:
        return
    world, simulator = worlds.open(world_id), worlds.simulator(world_id)
    clients = {name: SimulatorClient(simulator, Address(simulator.id, name, 1), {}, world=world) for name in profiles}
    for task in tasks:
        under = {name: replay_fault(task, world, client) for name, client in clients.items()}
        faults = [task_fault(task, world, simulator), *(f"under profile {n}: {why}" for n, why in under.items() if why)]
        yield task, "; ".join(fault for fault in faults if fault)
