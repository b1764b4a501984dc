"""Stage 2, reinforcement: python grpo.py MODEL DATA WORLDS OUT --from sft.pt [--minutes 8].

GRPO as plainly as it goes: a group of rollouts a task, the training reward (workers.py) less the group's mean over its
deviation, UPDATES updates from the rollouts of a step (too few for a ratio to clip), no value model, no reference
model. Goes on from what OUT holds: adapters, optimizer and step are saved in one file every SAVED steps and at the end;
what was logged after that is dropped then. Stops where tasks met again earn less than at first; OUT keeps what was
saved before.
"""

import argparse
import json
import random
import statistics
import time
from dataclasses import astuple
from pathlib import Path
from typing import TextIO

import torch
import torch.nn.functional as F
from model import likely, load, store
from rollout import Clock, Episode, Roller
from sft import batches, padded
from spread import met_again
from workers import Workers

GROUP = 8
"""Rollouts a task."""
TASKS = 32
"""Tasks a step."""
UPDATES = 2
"""Optimizer steps from the rollouts of one step: each takes its share of the tasks."""
RATE = 1e-4
WARM = 3
"""Steps until the rate is full."""
TEMPERATURE = 1.0
SAVED = 4
COMPARED = 24
"""Tasks met again at least, to tell whether they earn less."""
TRIALS = 4
"""Rollouts per task in calibration."""
SPREAD = 1e-6
"""Standard deviation of rewards below which a group has no differences."""


def tasks_of(lines: list[dict], step: int) -> list[dict]:
    """Return the TASKS tasks of a step: each at most once, in a drawn order, before another order is drawn."""
    per = max(1, len(lines) // TASKS)
    order = random.Random(step // per).sample(lines, len(lines))
    return order[step % per * TASKS :][:TASKS]


def easier(lines: list[dict], share: float) -> list[dict]:
    """Return the share of each kind's tasks that take the fewest turns."""
    kept = []
    for kind in sorted({line["kind"] for line in lines}):
        some = sorted((x for x in lines if x["kind"] == kind), key=lambda x: x["certificate"]["typical_turns"])
        kept += some[: max(1, round(share * len(some)))]
    return kept


def calibrate(roller: Roller, lines: list[dict]) -> list[dict]:
    """Return the tasks on which TRIALS rollouts earn something, but not all the same.

    Raises RuntimeError where no task is left.
    """
    episodes = roller.run([(line, 0) for line in lines for _ in range(TRIALS)], TEMPERATURE)
    kept = []
    for line, group in zip(lines, groups_of(episodes, TRIALS), strict=True):
        rewards = [e.figures["training_reward"] for e in group]
        if rewards and max(rewards) > 0 and statistics.pstdev(rewards) > SPREAD:
            kept.append(line)
    if not kept:
        raise RuntimeError(f"none of {len(lines)} tasks earned something in some rollouts only: imitate for longer")
    return kept


def calibrated(path: Path, roller: Roller, lines: list[dict], count: int) -> list[dict]:
    """Return what `calibrate` keeps of `count` drawn tasks; a file holds their names for a resumed run."""
    if path.exists():
        names = set(json.loads(path.read_text("utf-8")))
        return [line for line in lines if line["task_id"] in names]
    drawn = random.Random(0).sample(lines, min(count, len(lines)))
    kept = calibrate(roller, drawn)
    path.write_text(json.dumps([line["task_id"] for line in kept]), "utf-8")
    print(f"calibration kept {len(kept)} of {len(drawn)} tasks", flush=True)
    return kept


def groups_of(episodes: list[Episode], size: int) -> list[list[Episode]]:
    """Return each task's rollouts without the masked ones: what tools failed to answer says nothing of the model."""
    groups = [episodes[i : i + size] for i in range(0, len(episodes), size)]
    return [[e for e in group if not e.figures["masked"]] for group in groups]


def resumed(path: Path, step: int) -> TextIO:
    """Open a log to append to, without what was logged after a step."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = [line for line in lines if json.loads(line)["step"] <= step]
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path.open("a", encoding="utf-8")


def advantages(rewards: list[float]) -> list[float]:
    """Return each rollout's advantage in its group; zeros for a group without differences."""
    deviation = statistics.pstdev(rewards)
    mean = statistics.fmean(rewards)
    return [(r - mean) / deviation if deviation > SPREAD else 0.0 for r in rewards]


def fallen(rows: list[dict]) -> bool:
    """Return whether tasks met again earn less at their last visit than at their first, beyond the noise (95%)."""
    again = met_again(rows, -1)
    return again["met_again"] >= COMPARED and again["second"] + 1.96 * again["standard_error"] < again["first"]


def learn(model, episodes: list[tuple[Episode, float]], device) -> float:
    """Add the gradients of -advantage * log p, a mean over the agent's tokens of all episodes.

    Returns the entropy of the model over its tokens in episodes with an advantage.
    """
    total = sum(sum(e.own[1:]) for e, _ in episodes) or 1
    rows = [(e.ids, e.own, advantage) for e, advantage in episodes if advantage]
    entropy = sum(_backward(model, group, total, device) for group in batches(rows, None)) if rows else 0.0
    return entropy / (sum(sum(own[1:]) for _, own, _ in rows) or 1)


def _backward(model, group: list, total: int, device) -> float:
    ids, own = padded([row[:2] for row in group], device)
    own = own[:, 1:]
    worth = torch.tensor([advantage for *_, advantage in group], device=ids.device)[:, None].expand(own.shape)
    drawn = ids[:, 1:][own][:, None]
    logits = likely(model.logits(model.hidden(ids[:, :-1])[own]), drawn)
    logp = F.log_softmax(logits / TEMPERATURE, dim=-1)
    chosen = logp.gather(1, drawn)[:, 0]
    (-(worth[own] * chosen).sum() / total).backward()
    return float(torch.special.entr(logp.detach().exp()).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "data", "worlds", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument(
        "--easier", type=float, default=0.4, help="share of the tasks to draw from: those of fewest turns"
    )
    parser.add_argument(
        "--calibrate", type=int, default=192, help=f"tasks of these to try {TRIALS} times first, 0 to draw from all"
    )
    parser.add_argument("--limit", type=float, default=1e9, help="seconds of a step's rollouts: then they are cut off")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--slots", type=int, default=GROUP * TASKS, help="episodes at once")
    args = parser.parse_args()
    end = time.monotonic() + args.minutes * 60
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    workers = Workers(args.worlds)
    model, tokenizer = load(args.model, args.device)
    optimizer = torch.optim.AdamW(model.adapters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.0)
    step, path = 0, args.out / "grpo-state.pt"
    model.load(args.start)
    if path.exists():
        saved = torch.load(path, map_location=args.device, weights_only=True)
        step = saved["step"]
        model.take(saved["adapters"])
        optimizer.load_state_dict(saved["optimizer"])
    else:
        model.save(args.out / "grpo.pt")
    roller = Roller(model, tokenizer, workers, args.slots)
    lines = [json.loads(line) for line in (args.data / "tasks-rl.jsonl").read_text("utf-8").splitlines()]
    lines = easier(lines, args.easier)
    if args.calibrate:
        lines = calibrated(args.out / "calibrated.json", roller, lines, args.calibrate)
    log, kept = (resumed(args.out / name, step) for name in ("grpo-log.jsonl", "rollouts.jsonl"))
    with (args.out / "grpo-log.jsonl").open(encoding="utf-8") as logged:
        rows = [json.loads(line) for line in logged]
    over = False
    while not over:
        chosen = tasks_of(lines, step)
        before, begun = astuple(roller.clock), time.monotonic()
        episodes = roller.run([(line, step) for line in chosen for _ in range(GROUP)], TEMPERATURE, args.limit)
        rolled = time.monotonic()
        groups = [group for group in groups_of(episodes, GROUP) if len(group) > 1]
        if not groups:
            raise RuntimeError(f"step {step}: every rollout was masked: the environments answered nothing")
        for g in optimizer.param_groups:
            g["lr"] = args.rate * min(1.0, (step + 1) / WARM)
        parts = [part for part in (groups[i::UPDATES] for i in range(UPDATES)) if part]
        entropy = norm = 0.0
        for part in parts:
            worth = [
                (e, a)
                for group in part
                for e, a in zip(group, advantages([e.figures["training_reward"] for e in group]), strict=True)
            ]
            entropy += learn(model, worth, args.device) / len(parts)
            norm += float(torch.nn.utils.clip_grad_norm_(model.adapters(), 1.0)) / len(parts)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        step += 1
        spent = Clock(*(now - then for now, then in zip(astuple(roller.clock), before, strict=True)))
        spread = [statistics.pstdev([e.figures["training_reward"] for e in group]) for group in groups]
        means = {k: statistics.fmean(e.figures[k] for e in episodes) for k in episodes[0].figures if k != "failures"}
        row = {
            "step": step,
            **means,
            "tokens": sum(len(e.ids) for e in episodes),
            "within_group_sd": statistics.fmean(spread),
            "groups_without_spread": sum(s < SPREAD for s in spread) / len(spread),
            "tasks": [group[0].line["task_id"] for group in groups],
            "worlds": [group[0].line["world"] for group in groups],
            "kinds": [group[0].line["kind"] for group in groups],
            "rewards": [[e.figures["training_reward"] for e in group] for group in groups],
            "entropy": entropy,
            "rollout_s": rolled - begun,
            "learn_s": time.monotonic() - rolled,
            "reading_s": spent.reading,
            "choosing_s": spent.choosing,
            "starved_share": spent.starved / spent.total,
            "calls_per_s": spent.calls / spent.total,
            "tokens_per_s": spent.tokens / spent.total,
            "gradient": norm,
        }
        rows.append(row)
        log.write(json.dumps(row) + "\n")
        log.flush()
        for e in episodes[:: GROUP // 2]:
            named = {"step": step, "task_id": e.line["task_id"], "world": e.line["world"]}
            line = {**named, **e.figures, "text": tokenizer.decode(e.ids)}
            kept.write(json.dumps(line, ensure_ascii=False) + "\n")
        kept.flush()
        print(json.dumps({k: round(v, 3) for k, v in row.items() if not isinstance(v, list)}), flush=True)
        if fallen(rows):
            print("tasks met again earn less: stopped", flush=True)
            break
        over = time.monotonic() > end
        if step % SAVED == 0 or over:
            model.save(args.out / "grpo.pt")
            store({"step": step, "adapters": model.held(), "optimizer": optimizer.state_dict()}, path)
    for file in (log, kept):
        file.close()
    workers.close()


if __name__ == "__main__":
    main()
