"""Commands on saved runs: report (where cells are lost) and calibrate (how hard tasks are for a policy)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.base import Finite, counted, emit, json_option, table
from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from worldsmith.rollout.calibration import TaskCalibration
    from worldsmith.rollout.comparison import Estimate
    from worldsmith.rollout.run_report import EpisodeReview, RunReport

RUNS = click.argument(
    "runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True), metavar="RUN_OR_DIR..."
)
OUT_FILE = click.Path(path_type=Path, dir_okay=False)
MOST_CELLS = 12
"""Cells of an episode that are shown as text."""
MOST_TASKS = 30
"""Tasks that are shown as text."""


@click.command()
@RUNS
@click.option("--html", "page", type=OUT_FILE, help="Write the report to one HTML file, with whole episodes.")
@click.option("--episodes", "lines", type=OUT_FILE, help="Write a JSON line per episode: its failure, flags and cells.")
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    metavar="RUN_OR_DIR",
    help="Instead, compare scores with those of this run or folder of runs, by intervals over worlds. May be repeated.",
)
@json_option
def report(
    runs: tuple[Path, ...], page: Path | None, lines: Path | None, against: tuple[Path, ...], *, as_json: bool
) -> None:
    """Show where the cells of saved runs are lost, which episodes look like tricks, and the best and worst ones.

    \b
    worldsmith report runs/qwen --html qwen.html
    worldsmith report runs/step-100 runs/step-200     each run is a line of its own too
    worldsmith report runs/qwen --json                one object of flat names, as wandb and tensorboard take them
    worldsmith report runs/seen --against runs/new    worlds that it was trained on beside new ones: what it remembers

    \b
    right            and a reply stated it; right_unread: right, though no reply did
    never_retrieved  no reply named its row
    not_opened       a reply named its row, no page that states it was opened
    not_reported     read, and left out; reported_wrong: read, and answered otherwise
    invented         not read, and answered wrongly
    truncated        left out or unfinished when the episode was cut off; not_finished: the model ended without a table
    surplus_rows     right in one row, contradicted by another; of an episode: its only fault is too many rows

    Cells are those outside the key, by run, schema, kind and step: the turn in which a reply first stated the cell, or
    else named its row. Flags: unevidenced, no_calls, nothing_opened, repeated_calls, thought_calls (calls in the
    reasoning), written_replies, copied_text, surplus_rows. Episodes that ended with a server error count in finish
    alone. --html writes the report to its file instead of the terminal.

    --json: report/cells/<outcome> is a share of cells, report/failure/<outcome> of episodes by what lost most of their
    cells, report/flag/<flag> and report/finish/<end> of episodes; report/schema/<name>/cells/<outcome> and so on.
    With --against: comparison/runs/<score>, comparison/against/<score>, comparison/difference/<score>, each with /low
    and /high where there are worlds enough for an interval.
    """
    from worldsmith.rollout.recorded_episodes import recorded_episodes, run_files
    from worldsmith.rollout.report_page import report_page
    from worldsmith.rollout.run_report import RunReport, review
    from worldsmith.world.files import save_jsonl, write_file

    if against:
        if page or lines:
            raise UsageError("--against compares scores alone: leave --html and --episodes out")
        _compare(runs, against, as_json=as_json)
        return
    files = run_files(runs)
    reviewed = [review(place, episode) for place, episode in recorded_episodes(files)]
    result = RunReport(reviewed)
    if lines:
        save_jsonl(lines, [one.to_json() for one in reviewed])
    if page:
        page.parent.mkdir(parents=True, exist_ok=True)
        write_file(page, report_page(result, f"Report on {', '.join(files)}").encode())
    if as_json:
        emit(result.flat())
        return
    if not page:
        click.echo(_report_text(result))
    for written in filter(None, (page, lines)):
        click.echo(f"wrote {written}")


def _compare(runs: Sequence[Path], against: Sequence[Path], *, as_json: bool) -> None:
    """Show two groups of runs side by side. Raises UsageError where one has no episode that was played to its end."""
    from worldsmith.rollout.comparison import FEWEST, RunGroup, compared, flat_comparison
    from worldsmith.rollout.recorded_episodes import recorded_episodes, run_files

    names = [", ".join(map(str, paths)) for paths in (runs, against)]
    groups = [RunGroup(e for _, e in recorded_episodes(run_files(paths))) for paths in (runs, against)]
    for name, group in zip(names, groups, strict=True):
        if not group.worlds:
            raise UsageError(f"{name}: no episode there was played to its end")
    if as_json:
        emit(flat_comparison(*groups))
        return
    sizes = [(name, *group.counts.values()) for name, group in zip(names, groups, strict=True)]
    scores = [(name, *map(_estimate_text, comparison)) for name, comparison in compared(*groups).items()]
    click.echo(table(["", *groups[0].counts], sizes, limit=100))
    click.echo(f"\n{table(['', 'runs', 'against', 'difference'], scores)}")
    few = min(len(group.worlds) for group in groups) < FEWEST
    click.echo(f"95% intervals need {FEWEST} worlds of each" if few else "in brackets 95% intervals, over worlds")


def _estimate_text(estimate: "Estimate") -> str:
    ends = "" if estimate.interval is None else " ({:.3f} to {:.3f})".format(*estimate.interval)
    return f"{estimate.value:.3f}{ends}"


def _report_text(result: "RunReport") -> str:
    from worldsmith.rollout.report_tables import overview, report_tables

    parts = [overview(result)]
    for shown in filter(lambda shown: shown.rows, report_tables(result)):
        parts += ["", table(shown.header, shown.rows, limit=100), *filter(None, [shown.caption])]
    for head, some in zip(("Best episodes", "Worst episodes"), result.extremes(), strict=True):
        parts += ["", click.style(head, bold=True), *map(_episode_text, some)] if some else []
    return "\n".join(parts)


def _episode_text(review: "EpisodeReview") -> str:
    from worldsmith.rollout.recorded_episodes import read_again
    from worldsmith.rollout.report_tables import episode_cells, episode_heading
    from worldsmith.rollout.run_report import SURPLUS

    episode = read_again(review.place)
    cells = episode_cells(episode)
    parts = ["", episode_heading(review)]
    parts.append(
        table(cells.header, cells.rows, limit=60, most=MOST_CELLS) if cells.rows else "no cell outside the key"
    )
    if surplus := episode["surplus"]:
        parts.append(f"{SURPLUS}: {len(surplus)}, the first is {' | '.join(surplus[0]):.100}")
    return "\n".join(parts)


@click.command()
@RUNS
@click.option(
    "--by",
    default="pass_rate",
    show_default=True,
    type=click.Choice(["pass_rate", "item_f1", "evidenced_item_f1", "reward"]),
    help="Mean of a task's samples that --from and --to bound.",
)
@click.option("--from", "low", type=Finite(-1, 1), help="Select tasks from here; default 0.2.")
@click.option("--to", "high", type=Finite(-1, 1), help="Select tasks up to here; default 0.8.")
@click.option("--out", type=OUT_FILE, help="Write the tasks selected as a curriculum, one JSON line each.")
@json_option
def calibrate(
    runs: tuple[Path, ...], by: str, low: float | None, high: float | None, out: Path | None, *, as_json: bool
) -> None:
    """Measure how hard tasks are for the policy of saved runs, and select those worth training on.

    \b
    worldsmith calibrate runs/qwen
    worldsmith calibrate runs/qwen --from 0.2 --to 0.8 --out next.jsonl
    worldsmith export w --to verl --curriculum next.jsonl --out e

    \b
    pass_rate        share of a task's samples with a success; item_f1, evidenced_item_f1, reward: their means
    deviation        standard deviation of the reward over a task's samples: 0 has no gradient
    correlation      Spearman's, of our difficulty with item F1: -1 where it orders tasks as the policy does, with a
                     95% interval from resampled tasks

    --out writes task_id, world, schema, kind, size, difficulty and the figures above, the easiest task first, as
    `worldsmith tasks --curriculum` does for all tasks. --json prints one line per task and a line {"summary": ...}
    last. Exit code 1 where nothing is selected for --out.
    """
    from worldsmith.rollout.calibration import USEFUL, calibrated, in_range, suggestion
    from worldsmith.rollout.recorded_episodes import recorded_episodes, run_files
    from worldsmith.world.files import save_jsonl

    low, high = USEFUL[0] if low is None else low, USEFUL[1] if high is None else high
    if low > high:
        raise UsageError(f"--from {low:g} lies above --to {high:g}: no task can be between")
    tasks = calibrated(episode for _, episode in recorded_episodes(run_files(runs)))
    selected = in_range(tasks, by, low, high)
    kinds = {kind: [t for t in tasks if t.kind == kind] for kind in sorted({t.kind for t in tasks})}
    advice = suggestion(tasks)
    if out:
        save_jsonl(out, [task.to_json() for task in selected])
    if as_json:
        for task in tasks:
            emit(task.to_json())
        summary = {
            "tasks": len(tasks),
            "episodes": sum(task.samples for task in tasks),
            "selected": len(selected),
            "correlation": _correlation_json(tasks),
            "correlation_by_kind": {kind: _correlation_json(some) for kind, some in kinds.items()},
            "suggestion": advice,
        }
        emit({"summary": summary})
    else:
        click.echo(_calibration_text(tasks))
        for name, some in (("all", tasks), *kinds.items()):
            click.echo(f"{name}: {_correlation_text(some)}")
        if (by, low, high) != ("pass_rate", *USEFUL):  # else the advice says it
            click.echo(f"{len(selected)} of {counted(len(tasks), 'task')} with {by} from {low:g} to {high:g}")
        click.echo(advice)
        if out:
            click.echo(f"wrote {out}: {counted(len(selected), 'task')}")
    if out and not selected:
        click.get_current_context().exit(1)


def _calibration_text(tasks: "list[TaskCalibration]") -> str:
    header = ["difficulty", "samples", "pass_rate", "item_f1", "reward", "deviation"]
    rows = [(task.task_id, *(getattr(task, name) for name in header)) for task in tasks]
    return table(["task", *header], rows, most=MOST_TASKS) + "\n"


def _correlation_text(tasks: "Sequence[TaskCalibration]") -> str:
    from worldsmith.rollout.calibration import FEWEST, difficulty_correlation

    value = difficulty_correlation(tasks)
    if value is None:
        without = "no correlation of difficulty with item F1: "
        if len(tasks) < FEWEST:
            return f"{without}{counted(len(tasks), 'task')}, {FEWEST} needed"
        same = "difficulty" if len({task.difficulty for task in tasks}) == 1 else "item F1"
        return f"{without}all {len(tasks)} tasks have the same {same}"
    return (
        f"difficulty and item F1: Spearman {value.value:.2f} (95%: {value.low:.2f} to {value.high:.2f}); harder tasks "
        f"{'score lower, as they should' if value.high < 0 else 'do not clearly score lower'}"
    )


def _correlation_json(tasks: "Sequence[TaskCalibration]") -> dict[str, Any] | None:
    from worldsmith.rollout.calibration import difficulty_correlation

    value = difficulty_correlation(tasks)
    return None if value is None else {"spearman": value.value, "low": value.low, "high": value.high}
