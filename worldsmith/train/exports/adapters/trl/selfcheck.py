"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing); no GPU, no server.

TRL's GRPOTrainer plays the episodes with a tiny random model, whose messages are scripted, and makes one step of GRPO.
"""

import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from worldsmith_kit.episode.rehearsal import FAILED, check, episodes, recorded_server, rehearsals, require

require("trl", "trl==1.16.0")
require("torch")

import torch
from datasets import Dataset, DatasetDict
from scripted_model import LONGEST, ScriptedModel, small_tokenizer
from train import grpo_trainer, tasks
from transformers import PrinterCallback
from trl import GRPOConfig, GRPOTrainer
from worldsmith_trl import WideSearch, score_rewards

COUNTS = "@COUNTS@"
Row = Mapping[str, Any]
Messages = Sequence[Mapping[str, Any]]


def scripted_trainer(row: Row) -> tuple[GRPOTrainer, ScriptedModel]:
    """Return TRL's trainer on one row, two rollouts at a time, and its model."""
    tokenizer = small_tokenizer()
    model = ScriptedModel(tokenizer)
    config = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        max_steps=1,
        learning_rate=1e-2,
        num_generations=2,
        per_device_train_batch_size=2,
        num_generations_eval=1,
        per_device_eval_batch_size=1,
        max_completion_length=LONGEST // 2,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    one = Dataset.from_list([dict(row)])
    trainer = grpo_trainer(config, model, DatasetDict(train=one, test=one), processing_class=tokenizer)
    trainer.remove_callback(PrinterCallback)
    return trainer, model


@cache
def checked_trainer() -> tuple[GRPOTrainer, ScriptedModel]:
    """Return the trainer that plays the rehearsals."""
    return scripted_trainer(rehearsals()[0]["row"])


def play(row: Row, messages: Messages) -> float:
    """Return the reward of a rollout in which the model says these messages."""
    trainer, model = checked_trainer()
    model.say(messages)
    return float(trainer.evaluate(Dataset.from_list([dict(row)]))["eval_rewards/score/mean"])


def play_wrong_type(row: Row) -> object:
    """Give the reward function a rollout whose message is a number."""
    environment = WideSearch()
    environment.reset(**row)
    completions = [[{"role": "assistant", "content": 17}]]
    return score_rewards(LONGEST)([environment], completions, [[17]], lambda _name, _value: None)


def fault_of_files() -> str:
    """Return what is wrong with the Parquet files, as `datasets` loads them; "" for nothing."""
    rows = tasks()
    counts = ", ".join(f"{name}.parquet: {len(rows.get(name, ()))} tasks" for name in ("train", "test"))
    if counts != COUNTS:
        return f"{counts}, not {COUNTS}"
    wanted = sorted(rehearsals()[0]["row"])
    wrong = [name for name, some in rows.items() if sorted(some.column_names) != wanted]
    return f"{', '.join(wrong)}: their columns are not {', '.join(wanted)}" if wrong else ""


def fault_of_step() -> str:
    """Make a step of GRPO on a group of an honest and a half rollout; return what is wrong with it."""
    rehearsal = rehearsals()[0]
    played = episodes(rehearsal)
    with recorded_server():
        trainer, model = scripted_trainer(rehearsal["row"])
        before = model.lm_head.weight.detach().clone()
        model.say(played["honest"], played["half"])
        trainer.train()
    (log,) = [entry for entry in trainer.state.log_history if "loss" in entry]
    sys.stdout.write(f"a step of GRPO: loss {log['loss']:.4f}, reward {log['reward']:.3f} ± {log['reward_std']:.3f}\n")
    if not (math.isfinite(log["loss"]) and log["reward_std"] > 0):
        return "the loss is not finite, or all rewards are alike"
    return "" if not torch.equal(before, model.lm_head.weight) else "the weights are as before"


def main() -> int:
    """Return the exit code of all checks."""
    code = check(play, play_wrong_type)
    for fault in filter(None, [fault_of_files(), fault_of_step()]):
        sys.stdout.write(f"FAILED: {fault}\n")
        code = FAILED
    return code


if __name__ == "__main__":
    sys.exit(main())
