"""Figures of a model on held-out tasks, greedily.

python evaluate.py MODEL DATA WORLDS OUT --adapters sft.pt --name sft [--against OUT/eval-base.jsonl]

Prints means by split, and where the cells that are not right were lost; keeps every trajectory in OUT. With --against,
the mean difference of rewards on the same tasks, and its standard error, worlds taken for the independent draws.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from pathlib import Path

import torch
from model import load
from prepare import held_out
from rollout import Roller
from spread import gain
from workers import Workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "data", "worlds", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--adapters", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--against", type=Path, help="trajectories of another model")
    parser.add_argument("--tasks", type=int, default=100, help="of each split")
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--slots", type=int, default=128)
    asked = parser.parse_args()
    torch.manual_seed(2)
    workers = Workers(asked.worlds)
    model, tokenizer = load(asked.model, asked.device)
    if asked.adapters:
        model.load(asked.adapters)
    asked.out.mkdir(parents=True, exist_ok=True)
    roller = Roller(model, tokenizer, workers, asked.slots)
    before = [json.loads(x) for x in asked.against.read_text("utf-8").splitlines()] if asked.against else []
    table, kept = {}, (asked.out / f"eval-{asked.name}.jsonl").open("w", encoding="utf-8")
    for split in ("test", "held"):
        lines = held_out(asked.data, split, asked.tasks)
        begun = time.monotonic()
        episodes = roller.run([(line, 0) for line in lines], 0.0, limit=asked.minutes * 60)
        figures = [e.figures for e in episodes]
        lost = sum((Counter(f["failures"]) for f in figures), Counter())
        cells = sum(lost.values())
        table[split] = {
            "tasks": len(lines),
            **{k: round(statistics.fmean(f[k] for f in figures), 3) for k in figures[0] if k != "failures"},
            "tokens": round(statistics.fmean(len(e.ids) for e in episodes)),
            "seconds": round(time.monotonic() - begun, 1),
            "cells": {name: round(count / cells, 3) for name, count in lost.items()},
        }
        rows = [{"split": split, "task_id": e.line["task_id"], "world": e.line["world"], **e.figures} for e in episodes]
        if before:
            table[split] |= gain(rows, before)
        for row, e in zip(rows, episodes, strict=True):
            kept.write(json.dumps({**row, "text": tokenizer.decode(e.ids)}, ensure_ascii=False) + "\n")
    kept.close()
    workers.close()
    (asked.out / f"eval-{asked.name}.json").write_text(json.dumps(table, indent=1))
    print(json.dumps({asked.name: table}))


if __name__ == "__main__":
    main()
