"""Train with rLLM: `python train.py rllm/backend=tinker model.name=…`; the settings are those of its cookbooks."""

from pathlib import Path

import hydra
from omegaconf import DictConfig
from rllm.data.dataset import Dataset, DatasetRegistry
from rllm.trainer import AgentTrainer
from worldsmith_rllm import evaluate, search_agent

HERE = Path(__file__).resolve().parent


def dataset(split: str) -> Dataset:
    """Return the rows of a file, registered with rLLM, which its verl backend needs."""
    rows = Dataset.load_data(str(HERE / f"{split}.jsonl")).get_data()
    return DatasetRegistry.register_dataset("worldsmith", rows, split)


@hydra.main(config_path="pkg://rllm.trainer.config", config_name="unified", version_base=None)
def main(config: DictConfig) -> None:
    """Train on train.jsonl, and test on test.jsonl."""
    trainer = AgentTrainer(
        backend=config.rllm.get("backend", "tinker"),
        agent_flow=search_agent,
        evaluator=evaluate,
        config=config,
        train_dataset=dataset("train"),
        val_dataset=dataset("test"),
    )
    trainer.train()


if __name__ == "__main__":
    main()
