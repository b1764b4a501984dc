"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: verl is missing).

The rows load by verl's RLHFDataset, and each episode goes through its ToolAgentLoop, under the overrides of run.sh. No
GPU is needed. `--server` plays against the real server, and asks it for every world.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from worldsmith_kit.episode.rehearsal import as_text, check, rehearsals, require

require("verl", "verl==0.9.1 cachetools fastapi uvicorn torch")

import verl
from hydra import compose, initialize_config_dir
from omegaconf import open_dict
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.tools.tool_registry import load_all_tools
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE))
SPLITS = ("train", "test")
RESPONSE = 1 << 20
"""Tokens of a response here, where each byte is one."""
TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    "{% for m in messages %}{% if m.role == 'tool' %}<|im_start|>user\n<tool_response>\n{{ m.content }}\n"
    "</tool_response><|im_end|>\n{% else %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class ScriptedServer:
    """What verl takes for an inference engine: it says the messages one by one."""

    def __init__(self, messages: Iterable[Mapping[str, Any]]) -> None:
        self.left = iter(messages)
        self.prompts: list[str] = []

    async def generate(self, prompt_ids: Sequence[int], **_: Any) -> TokenOutput:
        """Return the tokens of the next message; one that breaks off has no end of a turn."""
        message = next(self.left)
        self.prompts.append(tokenizer().decode(prompt_ids))
        end = "" if message.get("cut") else "<|im_end|>"
        ids = tokenizer().encode(as_text(message) + end, add_special_tokens=False)
        return TokenOutput(token_ids=ids, log_probs=[0.0] * len(ids))


@cache
def tokenizer() -> Any:
    """Return bytes as tokens, with the marks of a chat as special ones."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")  # noqa: S106
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = TEMPLATE
    return made


@cache
def configuration() -> Any:
    """Return verl's own configuration under the overrides of run.sh."""
    script = (HERE / "run.sh").read_text("utf-8").replace("$HERE", str(HERE)).replace('"', "")
    lines = re.findall(r"^  (\S+=\S+) \\$", script, re.MULTILINE)
    overrides = [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", line) for line in lines]
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        config = compose("ppo_trainer", overrides)
    with open_dict(config):
        config.data.filter_overlong_prompts = False
        config.data.cache_dir = tempfile.mkdtemp()
        config.data.max_response_length = config.actor_rollout_ref.rollout.response_length = RESPONSE
    return config


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Return the rows of both files by task, as verl's dataset gives them."""
    files = [str(HERE / f"{split}.parquet") for split in SPLITS]
    dataset = RLHFDataset(files, tokenizer(), configuration().data)
    loaded = [dataset[i] for i in range(len(dataset))]
    return {row["extra_info"]["task_id"]: row for row in loaded}


@cache
def tools() -> Any:
    """Return the tools of tools.yaml."""
    return load_all_tools(str(HERE / "tools.yaml"), None)


async def rolled_out(row: Mapping[str, Any], server: Any) -> Any:
    """Return what verl's loop makes of a rollout."""
    config = configuration()
    loop = ToolAgentLoop(
        trainer_config=DictConfigWrap(config),
        server_manager=server,
        tokenizer=tokenizer(),
        processor=None,
        dataset_cls=RLHFDataset,
        data_config=DictConfigWrap(config.data),
        tools=ToolListWrap(tools()),
    )
    return await loop.run({}, **row)


def rollout_figures(row: Mapping[str, Any], rollout: Any) -> dict[str, float]:
    """Return what the reward function makes of a rollout, handed over as verl's reward manager does."""
    figures: dict[str, float] = get_custom_reward_fn(configuration())(
        data_source=row["data_source"],
        solution_str=tokenizer().decode(rollout.response_ids, skip_special_tokens=True),
        ground_truth=row["reward_model"]["ground_truth"],
        extra_info={**row["extra_info"], **rollout.extra_fields, "num_turns": rollout.num_turns},
    )
    return figures


def played(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the figures of an episode in which the model says these messages."""
    return rollout_figures(row, asyncio.run(rolled_out(row, ScriptedServer(messages))))


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the score of such an episode of a canonical row."""
    return played(rows()[row["task_id"]], messages)["score"]


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Hand the reward function a number as what the agent says last."""
    rollout = asyncio.run(rolled_out(rows()[row["task_id"]], ScriptedServer([{"content": ""}])))
    rollout.extra_fields["worldsmith_messages"] = [{"role": "assistant", "content": 17}]
    return rollout_figures(rows()[row["task_id"]], rollout)


def check_data() -> list[str]:
    """Return what is wrong with the rows as verl loads them."""
    faults = [] if len(rows()) else ["no row was loaded"]
    for task_id, row in rows().items():
        gold = json.loads(row["reward_model"]["ground_truth"])
        right = row["agent_name"] == "tool_agent" and row["raw_prompt"][-1]["role"] == "user" and gold["columns"]
        faults += [] if right and row["tools_kwargs"] else [f"{task_id}: no row of this export"]
    faults += [f"{r['row']['task_id']}: not loaded" for r in rehearsals() if r["row"]["task_id"] not in rows()]
    return faults


def unserved() -> list[str]:
    """Return the worlds of the rows that no server of theirs serves."""
    places = {
        row["tools_kwargs"]["web_search"]["create_kwargs"]["base_url"].partition(";")[0] for row in rows().values()
    }
    override, missing = os.environ.get("WORLDSMITH_BASE_URL", "").rstrip("/"), []
    wanted = sorted({(override or base, web) for base, _, web in (place.partition("/w/") for place in places)})
    for base in sorted({base for base, _ in wanted}):
        try:
            with urllib.request.urlopen(f"{base}/worlds", timeout=20) as reply:  # noqa: S310 - the row's own server
                served = {world["world"] for world in json.load(reply)["worlds"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            missing.append(f"no worldsmith serve answers at {base} ({error}): start it, or set WORLDSMITH_BASE_URL")
            continue
        missing += [f"{web}: not served at {base}" for at, web in wanted if at == base and web not in served]
    return missing


if __name__ == "__main__":
    faults = check_data()
    if not faults and "--server" in sys.argv[1:]:
        faults = unserved()
    sys.stdout.write("".join(f"{fault}\n" for fault in faults) or f"{len(rows())} rows loaded\n")
    sys.exit(1 if faults else check(play, play_wrong_type))
