"""Draw how large tasks are, and what they cost: rows, columns, relations, turns and tokens, by kind and size.

python examples/plot_tasks.py FOLDER_OF_WORLDS          writes examples/tasks.svg

Needs the extra `plots`. The same version of matplotlib draws the same bytes.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from plot_worlds import STYLE, save

from worldsmith.mining.task_report import LIMITS
from worldsmith.tasks import Task, tasks_of
from worldsmith.world.files import world_folders

MEASURES: tuple[tuple[str, Callable[[Task], int]], ...] = (
    ("rows", lambda task: len(task.gold)),
    ("columns", lambda task: len(task.columns)),
    ("relations followed", lambda task: task.query.hops),
    ("turns, solved the shortest way known", lambda task: task.turns),
    ("tool tokens, solved so", lambda task: task.tool_tokens),
    ("tool tokens, a search before each page", lambda task: task.typical_tokens),
)
BESIDE = {"rows": ("median", 25.0), "columns": ("mean", 6.2)}
"""WideSearch's own: rows of 99 of its English tables, columns of all 200."""
TOKENS = 40_000
"""Where the axis of tokens ends; what is over it is counted in the last bar."""


def drawn(ax: Axes, title: str, groups: dict[str, list[int]]) -> None:
    """Draw the distribution of one figure: a line a group, in per cent of its tasks."""
    everything = [value for values in groups.values() for value in values]
    most = max(everything)
    tokens = "tokens" in title
    edges = np.linspace(0, TOKENS, 41) if tokens else np.arange(0.5, most + 1.5, max(1, round(most / 40)))
    for (name, values), colour in zip(groups.items(), plt.rcParams["axes.prop_cycle"].by_key()["color"], strict=False):
        counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
        ax.stairs(100 * counts / len(values), edges, color=colour, lw=1.2, label=f"{name}: {len(values)}")
    ax.set_title(title)
    if title in BESIDE:
        what, at = BESIDE[title]
        ax.axvline(at, color="#718096", lw=1, ls=":")
        ax.annotate(f"WideSearch, {what} {at:g}", (at, ax.get_ylim()[1]), ha="left", va="top", color="#718096")
    if tokens:
        ax.set_xticks([0, *LIMITS], ["0", *(f"{n // 1000}k" for n in LIMITS)])
        for limit in LIMITS:
            fits = sum(value <= limit for value in everything) / len(everything)
            ax.axvline(limit, color="#718096", lw=1, ls=":")
            ax.annotate(f"{fits:.0%} fit", (limit, ax.get_ylim()[1]), ha="left", va="top", color="#718096")
    ax.set_ylabel("% of tasks")


def draw(tasks: Sequence[Task]) -> None:
    """Draw one panel a figure."""
    groups: dict[str, list[Task]] = {}
    for task in sorted(tasks, key=lambda t: (t.kind, t.size)):
        groups.setdefault(task.kind if task.kind == "deep" else f"{task.kind}, {task.size}", []).append(task)
    figure, axes = plt.subplots(2, 3, figsize=(13, 6))
    for ax, (title, figure_of) in zip(axes.flat, MEASURES, strict=True):
        drawn(ax, title, {name: [figure_of(task) for task in group] for name, group in groups.items()})
    axes.flat[0].legend(frameon=False, loc="center right")
    figure.suptitle(f"{len(tasks)} tasks of {len({task.world for task in tasks})} worlds", fontsize=10)
    save(figure, "tasks.svg")


def main() -> None:
    """Draw the tasks of a folder of worlds."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    tasks = [task for folder in world_folders([Path(sys.argv[1])]) for task in tasks_of(folder)]
    with mpl.rc_context(STYLE):
        draw(tasks)


if __name__ == "__main__":
    main()
