"""How rewards of rollouts vary: python spread.py OUT/grpo-log.jsonl.

Within a task, between tasks of a world, and between worlds, as standard deviations (variance components by the method
of moments, each less what the one below it brings); and the course of training.
"""

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path

TENTHS = 10


def components(groups: list[tuple[str, list[float]]]) -> dict[str, float]:
    """Return the three deviations for groups of rewards (world, rewards of one task), tasks drawn once each."""
    within = statistics.fmean(statistics.variance(rewards) for _, rewards in groups)
    worlds = defaultdict(list)
    for world, rewards in groups:
        worlds[world].append(statistics.fmean(rewards))
    many = [means for means in worlds.values() if len(means) > 1]
    noise = within / statistics.fmean(len(rewards) for _, rewards in groups)
    tasks = sum(statistics.variance(m) * (len(m) - 1) for m in many) / sum(len(m) - 1 for m in many)
    share = statistics.fmean(1 / len(means) for means in worlds.values())
    between = statistics.variance([statistics.fmean(m) for m in worlds.values()]) - tasks * share
    parts = {"within_task": within, "between_tasks": tasks - noise, "between_worlds": between}
    return {name: round(max(0.0, value) ** 0.5, 3) for name, value in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    rows = [json.loads(line) for line in parser.parse_args().log.read_text("utf-8").splitlines()]
    groups = [
        (task.rsplit("-small-", 1)[0], rewards)
        for row in rows
        for task, rewards in zip(row["tasks"], row["rewards"], strict=True)
    ]
    flat = sum(statistics.pstdev(rewards) < 1e-6 for _, rewards in groups) / len(groups)
    print(json.dumps({"groups": len(groups), "without_spread": round(flat, 3), **components(groups)}))
    per = max(1, len(rows) // TENTHS)
    for at in range(0, len(rows), per):
        part = rows[at : at + per]
        names = ("reward", "item_f1", "nonkey_f1", "success", "finished", "cut", "searches", "reads", "within_group_sd")
        names += ("entropy", "rollout_s", "learn_s", "starved_share", "calls_per_s", "tokens_per_s")
        means = {name: round(statistics.fmean(row[name] for row in part), 3) for name in names}
        print(json.dumps({"steps": f"{part[0]['step']}-{part[-1]['step']}", **means}))


if __name__ == "__main__":
    main()
