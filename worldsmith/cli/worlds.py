"""Commands about worlds: generate, check, show, schema."""

import os
import secrets
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from worldsmith.cli.base import (
    Finite,
    counted,
    emit,
    json_option,
    one_world,
    progress,
    report_strays,
    table,
    usable_worlds,
)
from worldsmith.cli.rewording import reword_options, reword_saved
from worldsmith.cli.task_lists import show_task
from worldsmith.errors import FormatError, NotFoundError, SchemaError, UsageError, close_match

if TYPE_CHECKING:
    from worldsmith.mining.batch import Built
    from worldsmith.mining.shards import ShardPlan
    from worldsmith.schema import Language, Split
    from worldsmith.world.shards import Shards

PATHS = click.Path(path_type=Path)

max_tokens_option = click.option(
    "--max-tokens",
    type=click.IntRange(1000),
    default=32000,
    show_default=True,
    help="Tool tokens an episode may need; twice as many over several worlds.",
)
tokenizer_option = click.option(
    "--tokenizer",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="tokenizer.json of your model, by which --max-tokens counts; default an estimate by bytes. Needs "
    'pip install "worldsmith[tokenizers]".',
)


class Seed(click.IntRange):
    """A whole number from 0, of any length, or "random"."""

    name = "integer or random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or "random"."""
        text = str(value).strip().casefold()
        return text if text == "random" else super().convert(value, param, ctx)


NO_TASK = "give it list pages, try other --task-kinds or --size small, or take --tasks 0"
"""The fix for a schema that gives no task."""
SEED_BITS = 128
"""Of a random seed."""


class FactsOption(click.Option):
    """An option whose help ends with the bounds of each shipped schema, worked out when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        from worldsmith.schema import load_schema, shipped
        from worldsmith.schema.scaling import facts_range

        record = super().get_help_record(ctx)
        ends = ["{} {} to {}".format(name, *facts_range(load_schema(name))) for name in shipped()]
        return record and (record[0], f"{record[1]}{', '.join(ends)}.")


@click.command()
@click.argument("schemas", nargs=-1, metavar="[SCHEMA]...")
@click.option(
    "--count", type=click.IntRange(1), help="Worlds in all, round robin over the schemas; default one per schema."
)
@click.option(
    "--seed",
    type=Seed(0),
    default=0,
    show_default=True,
    help="Same seed, same bytes. A number of any length, or random: a long one is drawn and printed, so that nobody "
    "finds the worlds from their names by trying seeds. --seed random",
)
@click.option("--out", type=PATHS, required=True, help="Folder the worlds are put into.")
@click.option(
    "--tasks", "n_tasks", type=click.IntRange(0), default=10, show_default=True, help="Tasks per world, at most."
)
@click.option(
    "--size", type=click.Choice(["wide", "small"]), default="wide", show_default=True, help="Size of the tasks."
)
@click.option(
    "--task-kinds",
    default="wide,deep,hybrid",
    show_default=True,
    metavar="KIND[,KIND...]",
    help="Kinds of task, taken in turn; `worldsmith tasks --help` says what each is. --task-kinds wide,deep",
)
@max_tokens_option
@tokenizer_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Instead of SCHEMA, the shipped ones of a kind of world: time_shifted, granular_long_tail, "
    "private_simulation or realistic_grounded. May be repeated: --kind time_shifted --kind private_simulation.",
)
@click.option(
    "--facts",
    cls=FactsOption,
    metavar="N|LO-HI",
    help="Rows of a world in all, all tables in proportion; default as the schema says (300 to 500 for the shipped "
    "ones). --facts 800 gives 800, --facts 150-200 as many as its seed says between these. Each schema has bounds: ",
)
@click.option(
    "--density",
    type=Finite(0.25, 4),
    default=1.0,
    show_default=True,
    help="How densely rows are linked: multiplies how many rows refer to one, and above 1 makes nulls rarer, below 1 "
    "commoner. --density 1.5",
)
@click.option(
    "--listing",
    type=click.IntRange(3, 25),
    default=10,
    show_default=True,
    help="Rows a list page, at most: fewer mean more pages to turn. --listing 5",
)
@click.option(
    "--homonyms",
    type=Finite(0, 0.3),
    default=0.0,
    show_default=True,
    help="Share of names that something else has too: a row of another table, or the subject of a dormant page. "
    "--homonyms 0.1",
)
@click.option(
    "--common-names",
    type=Finite(0, 0.3),
    default=0.0,
    show_default=True,
    help="Share of each table's names that come from a stock which all worlds of the schema share, so that in a pool "
    "several worlds have a shop or a person of one name. --common-names 0.1",
)
@click.option(
    "--language",
    type=click.Choice(["natural", "plain"]),
    help="How pages and questions are written: as people do, by the schema's language file or by sentences that are "
    "derived from the schema, or in a voice like code. Default: natural.",
)
@click.option(
    "--wordings",
    type=click.Choice(["all", "train", "test"]),
    default="all",
    show_default=True,
    help="Which sentences, sites, titles and ways to ask a natural world is written with: `train` never shows what "
    "`test` has. Without SCHEMA, train leaves out the schemas that are held out (`worldsmith schema list`).",
)
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    help="Instead: a frozen evaluation set, checked against its digests; takes --out, --jobs and --json alone. "
    "--set worldsmith-eval-1",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes; default 1, with --engine one per core.")
@click.option(
    "--engine",
    type=click.Choice(["local", "process", "ray"]),
    help="Write shards of many worlds instead of a folder for each, with this process alone, several, or Ray "
    "(worldsmith[ray]; a cluster by RAY_ADDRESS). The same digests from each. --engine process",
)
@click.option(
    "--shard-size",
    type=click.IntRange(1),
    help="With --engine: worlds of a shard; default 200. One process makes a shard: take fewer worlds where there are "
    "fewer shards than --jobs. --shard-size 20",
)
@reword_options
@json_option
@click.pass_context
def generate(
    ctx: click.Context,
    /,
    schemas: tuple[str, ...],
    count: int | None,
    seed: int | str,
    out: Path,
    n_tasks: int,
    size: str,
    task_kinds: str,
    max_tokens: int,
    tokenizer: Path | None,
    kinds: tuple[str, ...],
    facts: str | None,
    language: "Language | None",
    wordings: "Split",
    set_name: str | None,
    jobs: int | None,
    engine: str | None,
    shard_size: int | None,
    reword: str | None,
    model_url: str,
    *,
    as_json: bool,
    **knobs: Any,
) -> None:
    """Invent worlds from SCHEMA (a shipped one's name, or a .toml file; default: all shipped ones).

    Every world is checked before it is kept, and every task is solved once through search. The same command run
    again finishes what was left undone, to the same bytes. A seed that no world fits is named on standard error
    (--json: a line with schema, seed and error), and the next seed of the schema takes its place; where 10 in a row
    fail, the exit code is 1. Other --facts, --density, --listing, --homonyms or --common-names make other worlds,
    beside those that are there. A schema none of whose worlds has a task gives exit code 1 too.

    With --engine the same worlds and tasks are put into shards, Parquet files that `check`, `show`, `run`, `serve`,
    `export`, `audit` and `tasks` take as they take folders: OUT, OUT/shard-00042.parquet, or OUT/WORLD for one world.
    A shard that fails is tried again; --json prints a line per shard.

    \b
    worldsmith generate --seed 7 --out w
    worldsmith generate town --count 50 --tasks 20 --jobs 2 --out w
    worldsmith generate --kind time_shifted --facts 150-200 --listing 5 --homonyms 0.1 --out w
    worldsmith generate --engine process --count 100000 --tasks 4 --out w
    worldsmith generate --set worldsmith-eval-1 --out eval
    """
    if set_name is not None:
        _make_set(ctx, set_name, out, jobs or 1, as_json=as_json)
        return
    from worldsmith.mining.batch import Failed, build_all, default_schemas, of_kinds, orders
    from worldsmith.mining.pipeline import MiningRequest
    from worldsmith.mining.shards import SHARD_SIZE, shard_plan
    from worldsmith.schema import Knobs, parse_facts, shipped

    if kinds and schemas:
        raise UsageError("--kind selects shipped schemas: name schemas or kinds, not both")
    request = MiningRequest(n_tasks, size, max_tokens, kinds=task_kinds, tokenizer=tokenizer)
    if isinstance(seed, str):
        seed = secrets.randbits(SEED_BITS)
        click.echo(f"worldsmith: the same worlds again: --seed {seed}", err=True)
    names = schemas or default_schemas(of_kinds(kinds) or tuple(shipped()), wordings)
    asked_knobs = Knobs(parse_facts(facts) if facts else None, **knobs)
    if engine is not None:
        if reword:
            raise UsageError("--engine writes shards, whose questions stay as they are: leave --reword out")
        plan = shard_plan(names, count, seed, request, asked_knobs, language, wordings, shard_size or SHARD_SIZE)
        if not _make_shards(plan, engine, jobs or os.cpu_count() or 1, out, as_json=as_json):
            ctx.exit(1)
        return
    if shard_size is not None:
        raise UsageError("--shard-size is of shards: name an --engine that writes them, such as --engine process")
    requested = orders(names, count, seed, request, asked_knobs, language, wordings)
    built, failed = [], 0
    for one in progress(build_all(requested, jobs or 1, out), len(requested), "worlds", quiet=as_json):
        if isinstance(one, Failed):
            failed += 1
            click.echo(f"worldsmith: {one.error}", err=True)
        else:
            built.append(one)
            if one.replaced:
                click.echo(f"worldsmith: {one.world}: made anew: {one.replaced}", err=True)
        if as_json:
            emit(one.to_json())
    if not as_json:
        _print_built(built, out)
    if reword:
        reword_saved([Path(one.path) for one in built], reword, model_url, as_json=as_json)
    if _report_shortfall(built, len(requested), failed):
        ctx.exit(1)


def _make_shards(plan: "ShardPlan", engine: str, jobs: int, out: Path, *, as_json: bool) -> bool:
    """Make the shards of a plan and say how it went; return whether nothing is missing."""
    from worldsmith.mining.engines import ENGINES
    from worldsmith.mining.shards import build_shards

    worlds = facts = short = kept = made = 0
    tasks: Counter[str] = Counter()
    for shard in progress(build_shards(plan, ENGINES[engine], jobs, out), plan.planned, "shards", quiet=as_json):
        for one in shard.failed:
            click.echo(f"worldsmith: {one['error']}", err=True)
        if as_json:
            emit(shard.to_json())
        worlds, facts, short = worlds + shard.worlds, facts + shard.facts, short + shard.short
        kept, made = kept + shard.resumed, made + (not shard.resumed)
        tasks.update(shard.tasks)
    if not as_json:
        state = f"{counted(made, 'shard')} made, {kept} kept"
        click.echo(f"{counted(worlds, 'world')} in {out}, {facts} facts, 0 violations, {tasks.total()} tasks; {state}")
    if short:
        click.echo(f"{counted(short, 'world')} with fewer tasks than asked for: no more passed every gate", err=True)
    if worlds < plan.count:
        click.echo(f"{plan.count - worlds} of {counted(plan.count, 'world')} not made", err=True)
    without = sorted(name for name, n in tasks.items() if plan.request.count and not n)
    if without:
        click.echo(f"no task of any world of {', '.join(without)}: {NO_TASK}", err=True)
    return worlds == plan.count and not without


def _make_set(ctx: click.Context, name: str, out: Path, jobs: int, *, as_json: bool) -> None:
    """Make an evaluation set. Raises UsageError where an option says what only the set itself may."""
    from worldsmith.rollout.evaluation_set import make_set, set_named

    others = [param for param in ctx.command.params if param.name not in {"set_name", "out", "jobs", "as_json"}]
    for param in others:
        if param.name and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--set {name} says which worlds and tasks there are: leave {param.opts[0]} out")
    one = set_named(name)
    make_set(one, out, jobs, partial(progress, quiet=as_json))
    if as_json:
        emit(one.record)
    else:
        click.echo(f"{name}: {one.size} tasks of {len(one.record['worlds'])} worlds in {out}, digests as recorded")


def _print_built(built: "Sequence[Built]", out: Path) -> None:
    rows = [(b.world, b.schema, b.facts, b.tasks, "kept" if b.resumed else "made") for b in built]
    click.echo(table(["world", "schema", "facts", "tasks", "state"], rows, most=40))
    click.echo(f"\n{counted(len(built), 'world')} in {out}, {sum(b.facts for b in built)} facts, 0 violations")


def _report_shortfall(built: "Sequence[Built]", count: int, failed: int) -> bool:
    """Say on standard error what is missing of `count` worlds and their tasks; return whether that is a fault."""
    lacking = count - len(built)
    if failed:
        seeds = f"{counted(failed, 'seed')} of {failed + len(built)} fit no world"
        what = f"{lacking} of {counted(count, 'world')} not made" if lacking else "the next ones took their place"
        click.echo(f"{seeds if failed > 1 else '1 seed fits no world'}: {what}", err=True)
    short = [b for b in built if b.tasks < b.tasks_wanted]
    if short:
        missing = sum(b.tasks_wanted - b.tasks for b in short)
        fewer, where = counted(missing, "task"), counted(len(short), "world")
        click.echo(f"{fewer} fewer than asked for, in {where}: no more passed every gate", err=True)
    without = sorted({b.schema for b in short} - {b.schema for b in built if b.tasks})
    if without:
        click.echo(f"no task of any world of {', '.join(without)}: {NO_TASK}", err=True)
    return bool(lacking or without)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--explain", type=click.IntRange(1), help="Print this many rows with the rows they refer to.")
@json_option
@click.pass_context
def check(ctx: click.Context, paths: tuple[Path, ...], explain: int | None, *, as_json: bool) -> None:
    """Test every declared and implied rule of worlds; exit 1 when one is broken.

    The check is a second meaning of the schema, in SQL, and shares nothing with generation but the parsed schema.
    A world whose rows differ from its manifest is a violation too (how the files are laid out is not).
    """
    from worldsmith.checking import check as check_world
    from worldsmith.world import files

    folders = files.world_folders(paths)
    report_strays(paths)
    broken = 0
    for folder in progress(folders, len(folders), "worlds", quiet=as_json):
        try:
            world = files.load_world(folder, verify=False)
        except FormatError as error:
            broken += 1
            if as_json:
                emit({"path": str(folder), "ok": False, "error": str(error)})
            else:
                click.echo(f"{folder}: BROKEN, it can't be read\n  {error}")
            continue
        changed = files.manifest_mismatches(world, files.read_manifest(folder))
        report = check_world(world)
        broken += report.broken + len(changed)
        if as_json:
            fields = {"path": str(folder), "manifest": changed, "knobs": world.schema.knobs.to_json()}
            emit(report.to_json() | {"ok": report.ok and not changed} | fields)
            continue
        state = "ok" if report.ok and not changed else "BROKEN"
        covered = sum(1 for r in report.rules if r.covers)
        click.echo(f"{folder}: {state}, {report.facts} facts, {covered} of {len(report.rules)} rules cover rows")
        for line in changed:
            click.echo(f"  manifest: {line}")
        for violation in report.violations:
            click.echo(f"  {violation}")
        if explain:
            click.echo(_rows_explained(world, explain))
    if not as_json:
        click.echo(f"{counted(len(folders), 'world')}, {counted(broken, 'violation')}")
    if broken:
        ctx.exit(1)


def _rows_explained(world: Any, count: int) -> str:
    """Return some rows with the rows they refer to, evenly spaced over the world."""
    lines = []
    rows = [row for name, t in world.schema.tables.items() if t.refs for row in world.rows_of(name)]
    for row in rows[:: max(1, len(rows) // count)][:count]:
        lines.append(f"  {row} {world.title(row)}")
        for ref in world.schema.tables[row.table].refs:
            target = world.follow(row, ref.name)
            fact = "null" if target is None else f"{target} {world.fact(target).values}"
            lines.append(f"    {ref.name} -> {fact}")
    return "\n".join(lines)


@click.command()
@click.argument("path", type=PATHS, metavar="WORLD_OR_DIR")
@click.option("--table", "table_name", help="Print this table.")
@click.option("--graph", type=PATHS, help="Draw the constraint graph to this SVG file.")
@click.option("--sql", help="Run a query over the world (DuckDB, read-only, no files and no network).")
@click.option("--ddl", is_flag=True, help="Print the tables as SQL.")
@click.option("--page", help="Print the page with this id or URL, as Markdown.")
@click.option("--task", "task_id", help="Print the task with this id, without its gold.")
@click.option("--gold", is_flag=True, help="With --task: print its gold table and the query behind it too.")
@json_option
def show(
    path: Path,
    table_name: str | None,
    graph: Path | None,
    sql: str | None,
    page: str | None,
    task_id: str | None,
    *,
    gold: bool,
    ddl: bool,
    as_json: bool,
) -> None:
    """Look at one world: its tables, its constraint graph, a query, a page, a task; of a folder, list its worlds.

    Of a folder of shards, worlds, facts and tasks are counted by schema; a shard's worlds are listed, and W/WORLD is
    one of them.

    \b
    worldsmith show w
    worldsmith show w/town-1a2b3c4d5e --table shop
    worldsmith show w/town-1a2b3c4d5e --sql "select line, count(*) from shop group by 1"
    worldsmith show w/town-1a2b3c4d5e --graph graph.svg
    worldsmith show w --task town-1a2b3c4d5e-deep-0123456789     `worldsmith tasks w --list` has the ids
    """
    from worldsmith.world import files
    from worldsmith.world.shards import shards_in

    if task_id is not None:
        show_task(path, task_id, gold=gold, as_json=as_json)
        return
    if gold:
        raise UsageError("--gold shows the answer of a task: name it with --task")

    folders = files.world_folders([path])
    if len(folders) > 1 and not (graph or sql is not None or ddl or page or table_name):
        if path.is_dir() and (some := shards_in(path)) and not as_json:
            _print_shards(some)
            return
        _print_worlds(usable_worlds([path], verify=False), as_json=as_json)
        return
    world = files.load_world(one_world(path))
    if graph:
        from worldsmith.audit.worlds.overview import graph_svg

        files.write_file(graph, graph_svg(world.schema).encode())
        click.echo(f"drawn to {graph}")
    elif ddl:
        from worldsmith.world.typed_rows import create_tables

        click.echo(create_tables(world.schema))
    elif sql is not None:
        from worldsmith.world.engine.duckdb import query

        header, rows = query(world, sql)
        _print_rows(header, rows, as_json=as_json)
    elif page:
        _print_page(world, page)
    elif table_name:
        if table_name not in world.tables:
            raise NotFoundError(f"no table {table_name!r} in {world.id}.{close_match(table_name, world.tables)}")
        columns = world.tables[table_name]
        _print_rows(list(columns), list(zip(*columns.values(), strict=True)), as_json=as_json)
    elif as_json:
        emit(files.read_manifest(folders[0]))
    else:
        from worldsmith.audit.worlds.overview import overview

        click.echo(overview(world, width=shutil.get_terminal_size((120, 40)).columns))


def _print_worlds(folders: list[Path], *, as_json: bool) -> None:
    """Print the worlds of a folder: what they are, and how many tasks are kept beside them."""
    from worldsmith.tasks.files import count_tasks
    from worldsmith.world import files

    if as_json:
        for folder in folders:
            emit(files.read_manifest(folder))
        return
    ones = ((folder, files.read_summary(folder)) for folder in folders)
    rows = [(str(folder), one.schema, one.as_of, one.facts, count_tasks(folder)) for folder, one in ones]
    click.echo(table(["world", "schema", "as of", "facts", "tasks"], rows, limit=200))


def _print_shards(some: "Shards") -> None:
    """Print how many worlds, facts and tasks shards have of each schema."""
    from worldsmith.world.shards import tasks_by_world

    worlds, facts, tasks = Counter[str](), Counter[str](), Counter[str]()
    by_world = tasks_by_world(some.folder)
    for place in some.places.values():
        one = place.summary
        worlds[one.schema] += 1
        facts[one.schema] += one.facts
        tasks[one.schema] += by_world.get(one.world, 0)
    shards = len({place.shard for place in some.places.values()})
    click.echo(
        table(["schema", "worlds", "facts", "tasks"], [(s, worlds[s], facts[s], tasks[s]) for s in sorted(worlds)])
    )
    total = f"{counted(worlds.total(), 'world')} in {counted(shards, 'shard')} of {some.folder}"
    click.echo(
        f"\n{total}, {facts.total()} facts, {tasks.total()} tasks; {some.folder / next(iter(some.places))} is one"
    )


def _print_rows(header: list[str], rows: list[Any], *, as_json: bool) -> None:
    if not as_json:
        # As they are stored: a table of scores would round them.
        click.echo(table(header, [[repr(v) if isinstance(v, float) else v for v in row] for row in rows]))
        return
    for row in rows:
        emit(dict(zip(header, row, strict=True)))


def _print_page(world: Any, page: str) -> None:
    from worldsmith.pages import Pages
    from worldsmith.pages.renderer import markdown, render

    pages = Pages(world)
    page_id = page if page in pages.ids() else pages.by_url(page)
    if page_id is None:
        raise NotFoundError(f"no page {page!r} in {world.id}.{close_match(page, pages.ids())}")
    click.echo(markdown(render(pages.page(page_id), world, pages)))


@click.group()
def schema() -> None:
    """About schema files."""


@schema.command("check")
@click.argument("name", metavar="FILE_OR_NAME")
@click.option("--worlds", "count", type=click.IntRange(1, 1000), default=20, show_default=True, help="Worlds to fill.")
@click.option("--seed", type=click.IntRange(0, 2**53), default=0, show_default=True, help="Seed of the first one.")
@json_option
@click.pass_context
def schema_check(ctx: click.Context, name: str, count: int, seed: int, *, as_json: bool) -> None:
    """Read a schema file, fill worlds from it, and say what each rule cost; exit 1 when it can't be used.

    An invalid file is reported with line, part, value and fix. Then worlds are filled: for each rule the share of rows
    that broke it at first, and its redraws and restarts per world. Rules are listed that no row would break (a warning:
    the fills may imply them), that never held (set aside, so that the others are tried) and that covered no row.

    Advice on its language follows: columns with fewer than 6 sentences, 3 ways to ask or 2 names, those for which
    derived ones stand in, words that belong to two columns, and numbers and dates with fewer than two rivals.

    \b
    worldsmith schema check harbour.toml
    worldsmith schema check town --worlds 100 --json
    """
    from worldsmith.schema import read_schema
    from worldsmith.schema_lint.language import lint_language
    from worldsmith.schema_lint.trial import run_trial

    try:
        read, file = read_schema(name)
        result = run_trial(read, count, seed, file)
        lint = lint_language(read)
    except SchemaError as error:
        if as_json:
            emit({"schema": name, "faults": True, "errors": str(error).split("\n")})
        else:
            click.echo(f"Error: {error}", err=True)
        ctx.exit(1)
    if as_json:
        emit(result.to_json() | {"language": lint.to_json()})
    else:
        click.echo("\n".join([result.text(), *(f"  {line}" for line in lint.lines())]))
    if result.faults:
        ctx.exit(1)


@schema.command("list")
@json_option
def schema_list(*, as_json: bool) -> None:
    """List the shipped schemas, with the rows that --facts can ask of each, and which are held out for tests."""
    from worldsmith.schema import load_schema, shipped
    from worldsmith.schema.scaling import facts_range

    schemas = list(map(load_schema, shipped()))
    if as_json:
        for s in schemas:
            fields = {"schema": s.name, "kind": s.kind, "as_of": s.as_of, "facts": facts_range(s), "about": s.about}
            emit(fields | {"held_out": s.held_out})
        return
    rows = [
        (s.name, s.kind, s.as_of, "{} to {}".format(*facts_range(s)), "held out" if s.held_out else "", s.about)
        for s in schemas
    ]
    click.echo(table(["schema", "kind", "as of", "--facts", "for tests", "about"], rows, limit=60))
