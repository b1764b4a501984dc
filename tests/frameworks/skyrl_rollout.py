"""Play episodes through SkyRL's own dataset and generator, with a scripted inference engine: run in its environment.

python skyrl_rollout.py EPISODES.json OUT.json SETTINGS..., in an export's folder, with the settings of its run.sh,
writes {"rows", "episodes": [{"reward", "metrics", "conversation"}], "means"}.
"""

import asyncio
import json
import sys
import typing
from pathlib import Path

import typing_extensions

typing.TypedDict = typing_extensions.TypedDict  # skyrl 0.3.0 needs Python 3.12: pydantic refuses typing's before
episodes_file, out_file, *settings = sys.argv[1:]
sys.path.insert(0, ".")

import main_worldsmith  # noqa: E402, F401 - imports all that a training run does
from skyrl.train.config import SkyRLTrainConfig  # noqa: E402
from skyrl.train.dataset import PromptDataset  # noqa: E402
from skyrl.train.generators.base import TrajectoryID  # noqa: E402
from skyrl.train.generators.skyrl_gym_generator import SkyRLGymGenerator  # noqa: E402
from skyrl.train.utils import validate_cfg  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import PreTrainedTokenizerFast  # noqa: E402
from worldsmith_env import register  # noqa: E402

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def byte_tokenizer():
    """Bytes as tokens, with the marks of a chat as special ones."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = TEMPLATE
    return made


class ScriptedEngine:
    """Says the messages of each episode in turn; a session is an episode."""

    def __init__(self, tokenizer, scripts):
        self.tokenizer, self.scripts, self.prompts = tokenizer, scripts, {}

    async def generate(self, batch, model=None):
        (session,) = batch["session_ids"]
        self.prompts[session] = batch["prompt_token_ids"][0]
        text = next(self.scripts[session])
        ids = [*self.tokenizer.encode(text, add_special_tokens=False), self.tokenizer.eos_token_id]
        return {
            "responses": [text],
            "response_ids": [ids],
            "stop_reasons": ["stop"],
            "response_logprobs": [[0.0] * len(ids)],
        }

    async def finish_session(self, session):
        pass


def main():
    register()
    cfg = SkyRLTrainConfig.from_cli_overrides(settings)
    validate_cfg(cfg)
    cfg.generator.max_input_length *= 16  # a byte is a token here
    tokenizer = byte_tokenizer()
    dataset = PromptDataset([*cfg.data.train_data, *cfg.data.val_data], tokenizer, 16_384, num_workers=1)
    rows = {row[2]["extra_info"]["task_id"]: row for row in (dataset[i] for i in range(len(dataset)))}
    episodes = json.loads(Path(episodes_file).read_text("utf-8"))
    engine = ScriptedEngine(tokenizer, {f"{i}_0": iter(one["messages"]) for i, one in enumerate(episodes)})
    generator = SkyRLGymGenerator(cfg.generator, cfg.environment.skyrl_gym, engine, tokenizer)
    chosen = dataset.collate_fn([rows[one["task_id"]] for one in episodes])
    batch = {
        "prompts": [one["prompt"] for one in chosen],
        "env_classes": [one["env_class"] for one in chosen],
        "env_extras": [dict(one["env_extras"]) for one in chosen],
        "sampling_params": None,
        "trajectory_ids": [TrajectoryID(instance_id=str(i), repetition_id=0) for i in range(len(chosen))],
        "batch_metadata": None,
    }
    output = asyncio.run(generator.generate(batch))
    played = [
        {"reward": sum(reward), "metrics": metrics, "conversation": tokenizer.decode(engine.prompts[f"{i}_0"])}
        for i, (reward, metrics) in enumerate(zip(output["rewards"], output["env_metrics"], strict=True))
    ]
    result = {"rows": len(dataset), "episodes": played, "means": output["rollout_metrics"]}
    Path(out_file).write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
