"""Draw what worlds look like: row counts, children a parent and numbers of two worlds of each schema; structures.

python examples/plot_worlds.py          writes examples/worlds-<schema>.svg and examples/structures.svg

Needs the extra `plots`. The same version of matplotlib draws the same bytes.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from worldsmith.generation import generate
from worldsmith.schema import Aggregate, Column, Rank, Schema, load_schema, shipped, structure_of
from worldsmith.world.model import World

HERE = Path(__file__).resolve().parent
SEEDS = range(50)
"""Seeds of which the two worlds with the most switches on are drawn."""
COLOURS = ("#2b6cb0", "#dd6b20")
WIDE = 5
"""Panels a line."""
STRUCTURES = 1000
"""Worlds, seeds 0 to 999, whose structures are counted."""
STYLE = {
    "svg.hashsalt": "worldsmith",  # ids of clip paths are drawn from it
    "svg.fonttype": "none",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "figure.constrained_layout.use": True,
}


def save(figure: plt.Figure, name: str) -> None:
    """Write a figure beside this file, without a date and without the version that drew it."""
    figure.savefig(HERE / name, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def histogram(ax: Axes, title: str, samples: Sequence[Sequence[float]]) -> None:
    """Draw the shares of values of two worlds, one filled and one as a line, over bins they share."""
    known = [v for values in samples for v in values]
    ax.set_title(title)
    if not known:
        ax.text(0.5, 0.5, "in neither world", ha="center", va="center", transform=ax.transAxes, color="#718096")
        ax.set_axis_off()
        return
    low, high = min(known), max(known)
    whole = all(float(v).is_integer() for v in known) and high - low <= 24
    edges = np.arange(low - 0.5, high + 1) if whole else np.linspace(low, high + (high == low), 13)
    for values, colour, fill in zip(samples, COLOURS, (True, False), strict=True):
        if values:
            counts, _ = np.histogram(values, edges)
            ax.stairs(100 * counts / len(values), edges, fill=fill, color=colour, alpha=0.45 if fill else 1, lw=1.2)
    ax.tick_params(length=2)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=whole))
    ax.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    if high >= 1e6:
        ax.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g}M")
    elif high >= 10_000:
        ax.xaxis.set_major_formatter(lambda x, _: f"{x / 1000:g}k")


def rows(ax: Axes, worlds: Sequence[World], tables: Sequence[str]) -> None:
    """Draw the rows of each table of both worlds."""
    ax.set_title("rows a table", fontweight="bold")
    for number, (world, colour) in enumerate(zip(worlds, COLOURS, strict=True)):
        sizes = [world.size(name) if name in world.tables else 0 for name in tables]
        at = np.arange(len(tables)) + (number - 0.5) * 0.38
        ax.barh(at, sizes, 0.36, color=colour, alpha=0.45 if number == 0 else 1)
    ax.set_yticks(np.arange(len(tables)), tables)
    ax.invert_yaxis()
    ax.tick_params(length=2)


def children(world: World, column: Column) -> list[int]:
    """Return how many rows refer to each row of a reference's target; empty where the world has no such column."""
    if column.table not in world.tables or column.name not in world.tables[column.table]:
        return []
    times = Counter(world.tables[column.table][column.name])
    return [times[world.key(row)[0]] for row in world.rows_of(column.ref or "")]


def values(world: World, column: Column) -> list[float]:
    """Return the numbers of a column, null left out."""
    found = world.tables.get(column.table, {}).get(column.name, ())
    return [float(v) for v in found if v is not None]


def numeric(schema: Schema) -> list[Column]:
    """Return the columns of numbers that say something of their own: no keys, ranks and counts."""
    found = [c for t in schema.tables.values() for c in t.columns if c.type in ("int", "num") and not c.key]
    return [
        c
        for c in found
        if not isinstance(c.fill, Rank) and not (isinstance(c.fill, Aggregate) and c.fill.op == "count")
    ]


def draw_worlds(schema: Schema) -> None:
    """Draw two worlds of a schema."""
    worlds = sorted((generate(schema, seed) for seed in SEEDS), key=lambda w: (-len(w.schema.switches), w.seed))[:2]
    whole = structure_of(schema, schema.variation)
    refs = [c for t in whole.tables.values() for c in t.refs]
    numbers = numeric(whole)
    lines = -(-(1 + len(refs) + len(numbers)) // WIDE)
    figure, axes = plt.subplots(lines, WIDE, figsize=(13, 1.55 * lines + 0.7))
    panels = iter(axes.flat)
    rows(next(panels), worlds, list(whole.tables))
    for column in refs:
        title = f"{column.table} rows per {column.ref} ({column.name})"
        histogram(next(panels), title, [children(world, column) for world in worlds])
    for column in numbers:
        unit = f" ({column.unit})" if column.unit else ""
        histogram(next(panels), f"{column.table}.{column.name}{unit}", [values(world, column) for world in worlds])
    for panel in panels:
        panel.set_axis_off()
    told = " and ".join(f"seed {w.seed} ({how})" for w, how in zip(worlds, ("filled", "line"), strict=True))
    title = (
        f"{schema.name}: two worlds, {told}. Rows; then children a parent and numbers, in per cent of parents and rows"
    )
    figure.suptitle(title, fontsize=10)
    save(figure, f"worlds-{schema.name}.svg")


def stairs(ax: Axes, worlds: Sequence[int], found: Sequence[int], label: str, **style: str) -> None:
    """Draw a curve that rises where a new structure is found."""
    last = len(found) - 1
    kept = [i for i in range(len(found)) if i in (0, last) or found[i] != found[i - 1]]
    ax.step([worlds[i] for i in kept], [found[i] for i in kept], where="post", label=f"{label}: {found[-1]}", **style)


def draw_structures() -> None:
    """Draw how many distinct structures the first n worlds of each schema have."""
    figure, ax = plt.subplots(figsize=(8, 4.5))
    ax.set_xscale("log")
    curves: dict[str, list[int]] = {}
    for name in shipped():
        schema = load_schema(name)
        seen: set[frozenset[str]] = set()
        curve = curves[f"{name}, {2 ** len(schema.variation)} possible"] = []
        for seed in range(STRUCTURES):
            seen.add(generate(schema, seed).schema.switches)
            curve.append(len(seen))
    for name, curve in curves.items():
        stairs(ax, [seed + 1 for seed in range(STRUCTURES)], curve, name)
    each = STRUCTURES // len(curves)
    together = [sum(curve[n] for curve in curves.values()) for n in range(each)]
    stairs(ax, [len(curves) * (n + 1) for n in range(each)], together, "all five in turn", color="black")
    ax.legend(frameon=False)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.set_xlabel("worlds (seeds from 0 on)")
    ax.set_ylabel("distinct structures")
    save(figure, "structures.svg")


def main() -> None:
    """Draw everything."""
    with mpl.rc_context(STYLE):
        for name in shipped():
            draw_worlds(load_schema(name))
        draw_structures()


if __name__ == "__main__":
    main()
