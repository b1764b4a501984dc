"""How rewards of rollouts vary: python spread.py log.jsonl [--plot curve.svg].

Within a task, between tasks of a world, and between worlds, as standard deviations; rewards of tasks met twice; then
the course of training, ten lines of it. `log*.jsonl` are the OUT/grpo-log.jsonl of the runs in README.md. --plot needs
matplotlib.
"""

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path

PARTS = 10
SHOWN = ("reward", "item_f1", "nonkey_f1", "success", "finished", "cut", "searches", "reads", "within_group_sd")
COSTS = ("entropy", "rollout_s", "learn_s", "starved_share", "calls_per_s", "tokens_per_s")


def components(groups: list[tuple[str, list[float]]]) -> dict[str, float]:
    """Return three standard deviations of rewards from groups (world, rewards of one task), each task drawn once.

    Variance components by the method of moments: each less what the one below it brings into its means.
    """
    within = statistics.fmean(statistics.variance(rewards) for _, rewards in groups)
    worlds = defaultdict(list)
    for world, rewards in groups:
        worlds[world].append(statistics.fmean(rewards))
    many = [means for means in worlds.values() if len(means) > 1]
    if not many:
        return {"within_task": round(within**0.5, 3)}
    noise = within / statistics.fmean(len(rewards) for _, rewards in groups)
    tasks = sum(statistics.variance(m) * (len(m) - 1) for m in many) / sum(len(m) - 1 for m in many)
    share = statistics.fmean(1 / len(means) for means in worlds.values())
    between = statistics.variance([statistics.fmean(m) for m in worlds.values()]) - tasks * share
    parts = {"within_task": within, "between_tasks": tasks - noise, "between_worlds": between}
    return {name: round(max(0.0, value) ** 0.5, 3) for name, value in parts.items()}


def met_again(rows: list[dict], visit: int = 1) -> dict[str, float]:
    """Return the mean reward of tasks at their first and second visit, and the standard error of the difference.

    `visit` -1 takes the last one instead of the second. A task that a log has twice shows what training did to it;
    other means also vary with the tasks that were drawn.
    """
    visits = defaultdict(list)
    for row in rows:
        for task, rewards in zip(row["tasks"], row["rewards"], strict=True):
            visits[task].append(statistics.fmean(rewards))
    pairs = [(means[0], means[visit]) for means in visits.values() if len(means) > 1]
    if len(pairs) < 2:
        return {"met_again": len(pairs)}
    first, second = (round(statistics.fmean(each), 3) for each in zip(*pairs, strict=True))
    error = statistics.stdev(b - a for a, b in pairs) / len(pairs) ** 0.5
    return {"met_again": len(pairs), "first": first, "second": second, "standard_error": round(error, 3)}


def mean_and_error(values: list[tuple[str, float]]) -> tuple[float, float]:
    """Return the mean of values, each with its world, and its standard error with worlds as the independent draws."""
    mean = statistics.fmean(value for _, value in values)
    worlds = defaultdict(float)
    for world, value in values:
        worlds[world] += value - mean
    # The sandwich for clusters: tasks of a world share its names and its pages, so their errors are summed first.
    return mean, sum(total**2 for total in worlds.values()) ** 0.5 / len(values)


def gain(now: list[dict], before: list[dict], name: str = "reward") -> dict[str, float]:
    """Return the mean difference of a figure on tasks that both have, and its standard error over worlds."""
    earlier = {row["task_id"]: row[name] for row in before}
    pairs = [(row["world"], row[name] - earlier[row["task_id"]]) for row in now if row["task_id"] in earlier]
    if not pairs:
        return {"compared": 0}
    mean, error = mean_and_error(pairs)
    return {"gain": round(mean, 3), "standard_error": round(error, 3), "compared": len(pairs)}


def plot(rows: list[dict], file: Path) -> None:
    """Draw the mean reward of each step's rollouts, and their deviation within a task."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.rcParams |= {"svg.hashsalt": "worldsmith", "svg.fonttype": "none", "font.size": 9}
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    steps = [row["step"] for row in rows]
    for name, label in (
        ("reward", "mean reward"),
        ("finished", "share with a table"),
        ("success", "share wholly right"),
        ("within_group_sd", "deviation within a task"),
    ):
        ax.plot(steps, [row[name] for row in rows], lw=1.2, marker=".", ms=3, label=label)
    ax.set(xlabel="step (16 tasks, 8 rollouts each, temperature 1)", ylim=(0, 1.02))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.18))
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.log.read_text("utf-8").splitlines()]
    groups = [(world, rewards) for row in rows for world, rewards in zip(row["worlds"], row["rewards"], strict=True)]
    flat = sum(statistics.pstdev(rewards) < 1e-6 for _, rewards in groups) / len(groups)
    print(json.dumps({"groups": len(groups), "without_spread": round(flat, 3), **components(groups)}))
    print(json.dumps(met_again(rows)))
    for at in range(PARTS):
        part = rows[at * len(rows) // PARTS : (at + 1) * len(rows) // PARTS]
        if part:
            means = {name: round(statistics.fmean(row[name] for row in part), 3) for name in SHOWN + COSTS}
            print(json.dumps({"steps": f"{part[0]['step']}-{part[-1]['step']}", **means}))
    if args.plot:
        plot(rows, args.plot)


if __name__ == "__main__":
    main()
