"""Train with ART: `python train.py --base-model Qwen/Qwen3-4B-Instruct-2507` (GPUs; pip install openpipe-art[backend]).

`--serverless` trains on W&B's machines instead; they have to reach the search server.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import art
from art.utils.iterate_dataset import iterate_dataset
from worldsmith_art import group

HERE = Path(__file__).resolve().parent


def rows(split: str) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    with (HERE / f"{split}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


async def train(model: art.TrainableModel, backend: Any, options: argparse.Namespace) -> None:
    """Train on train.jsonl, and try test.jsonl every `--test-every` steps."""
    size = options.group

    async def gather(some: Sequence[dict[str, Any]], number: int) -> list[art.TrajectoryGroup]:
        groups = (group(model, row, number) for row in some)
        return await art.gather_trajectory_groups(groups, max_exceptions=number * len(some))

    await model.register(backend)
    start = await model.get_step()
    for batch in iterate_dataset(rows("train"), options.tasks, options.epochs, start):
        groups = await gather(batch.items, size)
        result = await backend.train(model, groups, learning_rate=options.learning_rate)
        await model.log(groups, split="train", metrics=result.metrics, step=result.step)
        if result.step % options.test_every == 0 and (tests := rows("test")):
            await model.log(await gather(tests, 1), split="val", step=result.step)
    await backend.close()


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-model", required=True)
    parser.add_argument("--name", default="worldsmith")
    parser.add_argument("--serverless", action="store_true")
    parser.add_argument("--tasks", type=int, default=8, help="per step")
    parser.add_argument("--group", type=int, default=8, help="rollouts of a task")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=5e-6)
    parser.add_argument("--test-every", type=int, default=20, help="steps")
    parser.add_argument("--context", type=int, default=int("@CONTEXT@"), help="tokens of the model's context")
    return parser


def main() -> None:
    """Read the command line and train."""
    options = arguments().parse_args()
    limits = {"init_args": {"max_seq_length": options.context}, "engine_args": {"max_model_len": options.context}}
    model = art.TrainableModel(
        name=options.name, project="worldsmith", base_model=options.base_model, _internal_config=limits
    )
    if options.serverless:
        backend: Any = art.ServerlessBackend()
    else:
        from art.local import LocalBackend  # noqa: PLC0415 - needs the extra

        backend = LocalBackend()
    asyncio.run(train(model, backend, options))


if __name__ == "__main__":
    main()
