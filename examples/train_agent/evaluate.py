"""Figures of a model on held-out tasks, greedily unless a temperature is given.

python evaluate.py MODEL DATA WORLDS OUT --adapters sft.pt --name sft [--against OUT/eval-base.jsonl]

Prints means by split, and where the cells that are not right were lost; keeps every trajectory in OUT. With --against,
mean differences on the same tasks, and their standard errors, worlds taken for the independent draws.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from encyclopedia import questions
from model import load
from prepare import held_out
from rollout import Roller
from spread import gain, mean_and_error
from workers import Workers


def means(rows: list[dict]) -> dict[str, Any]:
    """Return the mean of each figure, the reward's standard error, item F1 by kind, and where cells were lost."""
    numbers = [name for name, value in rows[0].items() if isinstance(value, int | float)]
    table: dict[str, Any] = {name: round(statistics.fmean(row[name] for row in rows), 3) for name in numbers}
    for name in ("reward", "item_f1"):
        if name in numbers:
            error = mean_and_error([(row["world"], row[name]) for row in rows])[1]
            table[f"{name}_error"] = round(error, 3)
    for kind in sorted({row["kind"] for row in rows} - {""}):
        table[f"item_f1_{kind}"] = round(statistics.fmean(row["item_f1"] for row in rows if row["kind"] == kind), 3)
    lost = sum((Counter(row["failures"]) for row in rows if "failures" in row), Counter())
    cells = sum(lost.values())
    return table | {"cells": {name: round(count / cells, 3) for name, count in lost.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "data", "worlds", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--adapters", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--against", type=Path, help="trajectories of another model")
    parser.add_argument("--questions", type=Path, help="a file in HotpotQA's form: a split more")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--tasks", type=int, default=100, help="of each split")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--slots", type=int, default=256)
    args = parser.parse_args()
    torch.manual_seed(2)
    workers = Workers(args.worlds)
    model, tokenizer = load(args.model, args.device)
    if args.adapters:
        model.load(args.adapters)
    args.out.mkdir(parents=True, exist_ok=True)
    roller = Roller(model, tokenizer, workers, args.slots)
    before = [json.loads(x) for x in args.against.read_text("utf-8").splitlines()] if args.against else []
    splits = {split: held_out(args.data, split, args.tasks) for split in ("test", "held")}
    if args.questions:
        splits["encyclopedia"] = questions(args.questions)
    begun = time.monotonic()
    lines = [line for some in splits.values() for line in some]
    episodes = iter(roller.run([(line, 0) for line in lines], args.temperature, limit=args.minutes * 60))
    table: dict[str, dict] = {"run": {"seconds": round(time.monotonic() - begun, 1)}}
    kept = (args.out / f"eval-{args.name}.jsonl").open("w", encoding="utf-8")
    for split, some in splits.items():
        ended = list(islice(episodes, len(some)))
        rows = [
            {
                "split": split,
                "task_id": e.line.get("task_id", e.line["question"]),
                "world": e.line.get("world", e.line["question"]),
                "kind": e.line.get("kind", ""),
                "tokens": len(e.ids),
                **e.figures,
            }
            for e in ended
        ]
        table[split] = {"tasks": len(rows), **means(rows)}
        if before:
            same = [row for row in before if row["split"] == split]
            names = [name for name in ("reward", "item_f1", "row_f1") if name in rows[0]]
            table[split]["gains"] = {name: gain(rows, same, name) for name in names}
        for row, e in zip(rows, ended, strict=True):
            kept.write(json.dumps({**row, "text": tokenizer.decode(e.ids)}, ensure_ascii=False) + "\n")
    kept.close()
    workers.close()
    (args.out / f"eval-{args.name}.json").write_text(json.dumps(table, indent=1))
    print(json.dumps({args.name: table}))


if __name__ == "__main__":
    main()
