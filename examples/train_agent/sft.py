"""Stage 1, imitation: python sft.py MODEL DATA OUT [--minutes 10] [--tokens N].

Learns from two passes over the conversations, or from N tokens; stops sooner when the minutes are up or the validation
loss no longer falls. The loss is measured every LOOK steps, and adapters and optimizer are saved; the same command
resumes from there. The rate falls to a tenth along the way. With --from it starts from other adapters, as the control
of grpo.py does.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from model import load, store

BATCH = 16_384
"""Tokens a forward, padding included."""
GRAIN = 512
"""Lengths are padded to multiples of it: a forward and backward of a shape not met yet costs about 0.2 s more."""
STEP = 4
"""Forwards an optimizer step."""
RATE = 4e-4
PASSES = 2
"""Over the conversations, where --tokens doesn't say how much to learn from."""
WARM = 20
"""Optimizer steps until the rate is full."""
LOOK = 100
"""Steps between two measurements of the validation loss."""
PATIENCE = 2
"""Measurements without a new best before it stops."""


def width(row: Sequence) -> int:
    """Return the length that a row of tokens is padded to: all tokens but the last are read, a multiple of GRAIN."""
    return math.ceil((len(row) - 1) / GRAIN) * GRAIN + 1


def padded(rows: list[tuple[list[int], list[bool]]], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and which are the agent's own (rows, width of the longest), zeros after each row's end."""
    longest = max(width(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    own = torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, (row, mine) in enumerate(rows):
        ids[i, : len(row)], own[i, : len(row)] = torch.tensor(row), torch.tensor(mine)
    return ids.to(device), own.to(device)


def batches(rows: list, chance: random.Random | None) -> list[list]:
    """Return rows of like length together, at most BATCH tokens with padding; in a drawn order with `chance`."""
    out, group = [], []
    for row in sorted(rows, key=lambda r: len(r[0])):
        if group and (len(group) + 1) * (width(row[0]) - 1) > BATCH:
            out.append(group)
            group = []
        group.append(row)
    out.append(group)
    if chance:
        chance.shuffle(out)
    return out


def loss_of(model, group: list, device: str) -> tuple[torch.Tensor, int]:
    """Return the summed loss over the agent's own tokens of some conversations, and how many they are."""
    ids, own = padded(group, device)
    states = model.hidden(ids[:, :-1])[own[:, 1:]]
    return F.cross_entropy(model.logits(states), ids[:, 1:][own[:, 1:]], reduction="sum"), int(own[:, 1:].sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "data", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--tokens", type=float, help="to learn from, at most")
    parser.add_argument("--from", dest="start", type=Path, help="adapters to start from")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    begun = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model, _ = load(args.model, args.device)
    parts = {}
    for part in ("train", "valid"):
        rows = torch.load(args.data / f"sft-{part}.pt", weights_only=True)
        parts[part] = [(ids.tolist(), own.tolist()) for ids, own in rows]
        print(f"{part}: {len(rows)} conversations, {sum(len(ids) for ids, _ in rows)} tokens", flush=True)
    optimizer = torch.optim.AdamW(model.adapters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.0)
    state = {"step": 0, "best": float("inf"), "since": 0, "epoch": 0, "tokens": 0}
    goal = args.tokens or PASSES * sum(len(ids) for ids, _ in parts["train"])
    if args.start:
        model.load(args.start)
    if (args.out / "sft-state.pt").exists():
        saved = torch.load(args.out / "sft-state.pt", map_location=args.device, weights_only=True)
        state = saved["state"]
        optimizer.load_state_dict(saved["optimizer"])
        model.take(saved["adapters"])
    log = (args.out / "sft-log.jsonl").open("a", encoding="utf-8")
    first, clock, spent, queue = state["tokens"], time.monotonic(), 0.0, []
    while spent < 1 and state["since"] < PATIENCE:
        for _ in range(LOOK):
            if not queue:
                queue = batches(parts["train"], random.Random(state["epoch"]))
                state["epoch"] += 1
            chosen, queue = queue[:STEP], queue[STEP:]
            own = sum(sum(mine[1:]) for group in chosen for _, mine in group)
            total = 0.0
            for group in chosen:
                loss, _ = loss_of(model, group, args.device)
                (loss / own).backward()
                total += float(loss.detach())
                state["tokens"] += sum(len(ids) for ids, _ in group)
            state["step"] += 1
            spent = max((time.monotonic() - begun) / (args.minutes * 60), state["tokens"] / goal)
            for g in optimizer.param_groups:
                g["lr"] = args.rate * min(1.0, state["step"] / WARM) * max(0.1, 1 - spent)
            torch.nn.utils.clip_grad_norm_(model.adapters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            speed = (state["tokens"] - first) / (time.monotonic() - clock)
            print(f"step {state['step']} loss {total / own:.4f} {speed:.0f} tokens/s", flush=True)
            if spent >= 1:
                break
        with torch.no_grad():
            losses = [loss_of(model, group, args.device) for group in batches(parts["valid"], None)]
        valid = float(sum(float(loss) for loss, _ in losses) / sum(count for _, count in losses))
        state["since"] += 1
        if valid < state["best"]:
            state["best"], state["since"] = valid, 0
            model.save(args.out / "sft.pt")
        saved = {"state": state, "adapters": model.held(), "optimizer": optimizer.state_dict()}
        store(saved, args.out / "sft-state.pt")
        log.write(json.dumps({**state, "valid": valid, "train": total / own}) + "\n")
        log.flush()
        print(f"epoch {state['epoch']}: validation loss {valid:.4f} after {state['tokens']} tokens", flush=True)


if __name__ == "__main__":
    main()
