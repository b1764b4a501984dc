"""Draw what each stage of training earned: python gains.py eval-qwen.jsonl gains.svg.

Bars are means over tasks, whiskers 95% intervals over worlds. Needs the extra `plots`.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean

from matplotlib import pyplot as plt

sys.path.append(str(Path(__file__).resolve().parent.parent))
from plot_worlds import STYLE, save

SPLITS = {"test": "new worlds of the seven schemas\ntrained on", "held": "worlds of a schema never\ntrained on"}
RUNS = {"sft": "imitation", "control": "imitation continued", "grpo": "imitation and reinforcement"}
COLOURS = ("#a0aec0", "#718096", "#2b6cb0")


def interval(values: list[tuple[str, float]]) -> tuple[float, float]:
    """Return the mean over tasks, and half of its 95% interval, worlds being what varies."""
    by_world: dict[str, list[float]] = defaultdict(list)
    for world, value in values:
        by_world[world].append(value)
    middle, tasks, worlds = mean(value for _, value in values), len(values), len(by_world)
    squares = sum(sum(value - middle for value in some) ** 2 for some in by_world.values())
    return middle, 1.96 * (worlds / (worlds - 1) * squares) ** 0.5 / tasks


def main() -> None:
    header, *rows = map(json.loads, Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(7, 2.6))
        for place, split in enumerate(SPLITS):
            tasks = [row for row in rows if row["split"] == split]
            for bar, (run, label) in enumerate(RUNS.items()):
                at = header["runs"].index(run)
                values = [(row["task_id"].rsplit("-", 2)[0], row["item_f1"][at]) for row in tasks]
                middle, half = interval(values)
                left = place + 0.26 * (bar - 1)
                named = label if not place else None
                ax.bar(left, middle, 0.24, yerr=half, color=COLOURS[bar], ecolor="#2d3748", capsize=3, label=named)
                ax.annotate(f"{middle:.3f}", (left, middle + half + 0.008), ha="center", fontsize=8)
                print(f"{split} {run}: {middle:.3f} ± {half:.3f}, {len(values)} tasks")
        ax.set_xticks(range(len(SPLITS)), SPLITS.values())
        ax.set_ylabel("item F1")
        ax.set_ylim(0, 0.42)
        ax.legend(loc="upper right", ncols=1, frameon=False, fontsize=8)
        save(figure, str(Path(sys.argv[2]).resolve()))


main()
