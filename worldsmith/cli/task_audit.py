"""The command that audits tasks, as text, JSON or a page with plots."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import Answering, ModelChoice, read_profiles
from worldsmith.cli.base import counted, emit, json_option, pool_option, progress, table
from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from worldsmith.mining.task_report import TaskReport
    from worldsmith.tasks import Task

SHOWN = 20
"""Findings shown."""


@click.command("tasks")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="WORLD_OR_DIR...")
@click.option(
    "--program",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Instead: run this Python file on each task, over a server of these worlds, and score its answers.",
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the figures with plots here too.")
@pool_option
@json_option
@click.pass_context
def audit_tasks(
    ctx: click.Context,
    paths: tuple[Path, ...],
    program: Path | None,
    html: Path | None,
    *,
    pooled: bool,
    as_json: bool,
) -> None:
    """Measure anew what shortcuts are worth on tasks, and what must be read for them; exit 1 when a gate fails.

    \b
    gates         item F1 outside the key of agents that take a shortcut, mean over the tasks of a kind and size:
                  closed-book 0.05, constant-guess 0.2, one-query 0.10, snippets-only 0.10, and 0.34 on any one task;
                  no page states more than a quarter of a table's cells, or one row
    pages needed  how few pages state all that is needed, rows that fail the conditions included
    k pages       the share of the cells outside the key that the best 1, 2, 4, … pages state
    co-coverage   of two cells of different rows, how often one page states both
    near-duplicates  tasks of one world with the same tables, joins, operators and columns as another
    gold          is computed again by both engines
    certificates  are replayed, as `worldsmith tasks --verify` does

    A --program reads {"question", "base_url"} as JSON from standard input, searches and reads by
    POST {base_url}/api/search and /api/extract, and writes its answer to standard output.

    \b
    worldsmith audit tasks w
    worldsmith audit tasks w --html tasks.html
    worldsmith audit tasks w --pool          the pool's tasks, in the web of all its worlds
    worldsmith audit tasks w --program examples/no_model/outsider.py
    """
    worlds = Answering(ModelChoice(), read_profiles(None)).worlds(paths, pooled=pooled, quiet=as_json)
    if program is not None:
        _run_program(
            program, paths, [task for _, some in worlds.tasks() for task in some], pooled=pooled, as_json=as_json
        )
        return
    from worldsmith.mining.task_report import report_tasks

    by_world = progress(worlds.tasks(), len(worlds.ids), "worlds", quiet=as_json)
    audit = report_tasks((worlds.open(world), worlds.simulator(world), tasks) for world, tasks in by_world)
    if html:
        from worldsmith.world.files import write_file

        write_file(html, page(audit).encode())
    if as_json:
        emit(audit.to_json())
    else:
        click.echo(_text(audit))
    if not (audit.ok and audit.tasks):
        ctx.exit(1)


def _run_program(program: Path, paths: Sequence[Path], tasks: "Sequence[Task]", *, pooled: bool, as_json: bool) -> None:
    """Serve worlds, or their pool, on a free port, run a program on their tasks, and print what it scores."""
    from worldsmith.audit.tasks.program import means, run_program

    with _served(paths, pooled=pooled) as base:
        answers = run_program(program, tasks, lambda task: f"{base}/w/{task.web}")
        scores = list(progress(answers, len(tasks), "tasks", quiet=as_json))
    if as_json:
        for score in scores:
            emit(score.to_json())
        emit(means(scores))
        return
    rows = [(kind, *figures.values()) for kind, figures in means(scores).items()]
    click.echo(table(("kind", "tasks", "item F1", "row F1", "non-key F1", "failed"), rows))
    for score in [s for s in scores if s.error][:SHOWN]:
        click.echo(f"  {score.task.task_id}: {score.error}", err=True)


@contextmanager
def _served(paths: Sequence[Path], *, pooled: bool) -> Iterator[str]:
    """Serve worlds, or their pool, by a child process, and yield the address."""
    options = ["--port", "0", *(["--pool"] if pooled else [])]
    command = [sys.executable, "-m", "worldsmith", "serve", *map(str, paths), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - ourselves
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = re.search(r"http://\S+", line)
            if address is None:
                raise UsageError(f"the worlds can't be served: {line.strip() or 'the server ended'}")
            yield address[0]
        finally:
            server.terminate()


def _text(audit: "TaskReport") -> str:
    """Return a review as a person reads it."""
    figures = audit.to_json()
    gates = [
        (g.kind, g.size, g.name, g.tasks, g.mean, g.most, g.allowed, "ok" if g.passed else "FAILS") for g in audit.gates
    ]
    parts = [
        f"{counted(len(audit.tasks), 'task')} of {counted(audit.worlds, 'world')}: {audit.shapes} query shapes, "
        f"{audit.near_duplicates} near-duplicates, {audit.empty} without a row",
        "\nGates",
        table(["kind", "size", "shortcut", "tasks", "mean", "most", "allowed", ""], gates),
        "\nSize: median (least to most)",
        table(["kind", "size", "tasks", *(name for name, _ in SPREADS)], [_size_row(g) for g in figures["groups"]]),
        "\nReading",
        table(["kind", "size", "co-coverage", *_reading_header(figures)], [_reading_row(g) for g in figures["groups"]]),
        f"\n{counted(len(audit.findings), 'finding')}",
        *(f"  {line}" for line in audit.findings[:SHOWN]),
    ]
    more = len(audit.findings) - SHOWN
    return "\n".join([*parts, *([f"  … and {more} more"] if more > 0 else [])])


SPREADS = (
    ("rows", "rows"),
    ("columns", "columns"),
    ("relations", "hops"),
    ("turns", "turns"),
    ("tokens", "tool_tokens"),
    ("typical", "typical_tokens"),
    ("pages needed", "pages_needed"),
    ("difficulty", "difficulty"),
)


def _size_row(group: dict[str, Any]) -> list[Any]:
    cells = [
        f"{s['median']:g} ({s['least']:g} to {s['most']:g})" if s else "-" for s in (group[name] for _, name in SPREADS)
    ]
    return [group["kind"], group["size"], group["tasks"], *cells]


def _reading_header(figures: dict[str, Any]) -> list[str]:
    first = figures["groups"][0] if figures["groups"] else {"fits": {}, "k_pages": {}}
    return [*(f"fit {int(n) // 1000}k" for n in first["fits"]), *(f"{k} pages" for k in first["k_pages"])]


def _reading_row(group: dict[str, Any]) -> list[Any]:
    shares = [f"{v:.0%}" for v in (*group["fits"].values(), *group["k_pages"].values())]
    return [group["kind"], group["size"], group["co_coverage"], *shares]


BENCHMARK = {"rows": 25.0, "columns": 6.2}
"""Of WideSearch's tasks in English: the median of rows, the mean of columns."""
PLOTS = (*SPREADS[:4], ("tool tokens", "tool_tokens"), ("pages needed", "pages_needed"))
WIDE, HIGH, BINS = 340, 120, 20


def page(audit: "TaskReport") -> str:
    """Return a review as a page of HTML with plots, which needs no other file."""
    figures = audit.to_json()
    parts = [f"<h1>{len(audit.tasks)} tasks of {audit.worlds} worlds</h1>", f"<pre>{escape(_text(audit))}</pre>"]
    for (kind, size), group in audit.groups.items():
        samples = audit.samples(group)
        plots = "".join(histogram(label, samples[name], BENCHMARK.get(name)) for label, name in PLOTS)
        parts.append(f"<h2>{escape(kind)}, {escape(size)}: {len(group)} tasks</h2><div>{plots}</div>")
    curves = "".join(_curve_svg(g) for g in figures["groups"])
    parts.append(f"<h2>Share of the cells that the best pages state</h2><div>{curves}</div>")
    style = "body{font:14px sans-serif;margin:2em}svg{margin:.5em}pre{overflow:auto}"
    return f"<!doctype html><meta charset=utf-8><title>Tasks</title><style>{style}</style>{''.join(parts)}\n"


def histogram(name: str, values: Sequence[float], mark: float | None = None) -> str:
    """Return a histogram as SVG; a red line marks `mark`, what the benchmark's tasks have."""
    if not values:
        return ""
    low, high = min([*values, *([mark] if mark else [])]), max([*values, *([mark] if mark else [])])
    width = max((high - low) / BINS, 1)
    counts = [0] * (int((high - low) / width) + 1)
    for value in values:
        counts[int((value - low) / width)] += 1
    step, most = WIDE / len(counts), max(counts)
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{HIGH - HIGH * n / most:.1f}" width="{max(step - 1, 1):.1f}" '
        f'height="{HIGH * n / most:.1f}" fill="#468"/>'
        for i, n in enumerate(counts)
    )
    at = None if mark is None else ((mark - low) / width + 0.5) * step
    line = (
        "" if at is None else f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{HIGH}" stroke="#c00" stroke-width="2"/>'
    )
    caption = f"{name}: {min(values):g} to {max(values):g}" + (f" (WideSearch {mark:g})" if mark else "")
    return _svg(bars + line, caption)


def _curve_svg(group: dict[str, Any]) -> str:
    shares = list(group["k_pages"].values())
    if not shares:
        return ""
    step = WIDE / max(1, len(shares) - 1)
    points = " ".join(f"{i * step:.1f},{HIGH - HIGH * share:.1f}" for i, share in enumerate(shares))
    line = f'<polyline points="{points}" fill="none" stroke="#468" stroke-width="2"/>'
    return _svg(line, f"{group['kind']}, {group['size']}: {', '.join(group['k_pages'])} pages")


def _svg(body: str, caption: str) -> str:
    text = f'<text x="0" y="{HIGH + 16}" font-size="12">{escape(caption)}</text>'
    return f'<svg width="{WIDE}" height="{HIGH + 22}" role="img" aria-label="{escape(caption)}">{body}{text}</svg>'
