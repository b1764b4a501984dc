"""Train a model on these tasks with GRPO: `python train.py --config grpo.yaml`.

Options of TRL's GRPOConfig and ModelConfig, on the command line, replace those of the file.
"""

from pathlib import Path
from typing import Any

from datasets import DatasetDict, load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_peft_config
from worldsmith_trl import WideSearch, score_rewards

HERE = Path(__file__).resolve().parent


def tasks() -> DatasetDict:
    """Return the rows of train.parquet and, where it exists, test.parquet."""
    files = {name: sorted(map(str, HERE.glob(f"{name}*.parquet"))) for name in ("train", "test")}
    return load_dataset("parquet", data_files={name: some for name, some in files.items() if some})


def grpo_trainer(config: GRPOConfig, model: Any, rows: DatasetDict, **options: Any) -> GRPOTrainer:
    """Return the trainer of a model, or of its name, on "train" and "test"; `options` are further ones of its own."""
    return GRPOTrainer(
        model,
        args=config,
        reward_funcs=score_rewards(config.max_completion_length),
        environment_factory=WideSearch,
        train_dataset=rows["train"],
        eval_dataset=None if config.eval_strategy == "no" else rows.get("test"),
        **options,
    )


def main() -> None:
    """Train as the command line and its configuration say, and save the model."""
    config, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
    config.model_init_kwargs = {
        "revision": model.model_revision,
        "attn_implementation": model.attn_implementation,
        "dtype": model.dtype,
        **(config.model_init_kwargs or {}),
    }
    trainer = grpo_trainer(config, model.model_name_or_path, tasks(), peft_config=get_peft_config(model))
    trainer.train(resume_from_checkpoint=config.resume_from_checkpoint)
    trainer.save_model(config.output_dir)


if __name__ == "__main__":
    main()
