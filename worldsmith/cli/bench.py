"""The command that measures this machine: bench."""

import tempfile
from pathlib import Path

import click

from worldsmith.cli.base import emit, json_option, progress, table


@click.command()
@click.option(
    "--only",
    "names",
    multiple=True,
    metavar="NAME",
    help="One measure: worlds, command, tasks, searches, http, opening, help or install. May be repeated.",
)
@click.option(
    "--worlds",
    "count",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Worlds to measure with, schemas in turn. --worlds 40: steadier figures, five times as long.",
)
@json_option
def bench(names: tuple[str, ...], count: int, *, as_json: bool) -> None:
    """Measure how fast worldsmith is on this machine; about a minute.

    Figures are in CPU seconds: they depend on the machine, and less on what else runs there than time by the clock
    does. Each has a floor, which is measured in the same run: work of the same size that no implementation can
    avoid. The ratio of the two can be compared between machines.

    \b
    worldsmith bench
    worldsmith bench --only tasks --only opening --worlds 16 --json
    """
    from worldsmith.bench import MEASURES, measured

    with tempfile.TemporaryDirectory() as folder:
        measures = progress(measured(Path(folder), names, count), len(names or MEASURES), "measures", quiet=as_json)
        figures = [figure for some in measures for figure in some]
    if as_json:
        for figure in figures:
            emit(figure.to_json())
        return
    rows = [(f.name, f"{f.value:,.1f}", f.unit, f"{f.floor:,.1f}", f"{f.ratio:.3f}", f.floor_of) for f in figures]
    click.echo(table(["measure", "figure", "unit", "floor", "ratio", "what the floor does"], rows))
