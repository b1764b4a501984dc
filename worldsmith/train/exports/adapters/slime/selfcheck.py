"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Samples go through slime's own dataset and rollout, with a scripted engine in place of SGLang's router; with `--server`
against the real search server.
"""

import asyncio
import json
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from worldsmith_kit.episode import prompt
from worldsmith_kit.episode.rehearsal import as_text, check, require

require("slime.rollout", "git+https://github.com/THUDM/slime")
require("tokenizers", "tokenizers")

import worldsmith_slime
from slime.rollout.data_source import RolloutDataSource
from slime.rollout.sglang_rollout import GenerateState, generate_and_rm_group
from slime.utils.data import Dataset
from slime.utils.types import Sample
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

HERE = Path(__file__).resolve().parent
ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SCRIPT: ContextVar[Iterator[tuple[Any, bool]]] = ContextVar("script")
"""What the model says in the samples of the current task, and whether it broke off."""


def tokenizer() -> PreTrainedTokenizerFast:
    """Return bytes as tokens, with the marks of a chat as special ones."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|pad|>")  # noqa: S106
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = TEMPLATE
    return made


def settings(folder: str, split: str) -> Namespace:
    """Return the arguments that data and rollout read, with a tokenizer saved in a folder."""
    tokenizer().save_pretrained(folder)
    return Namespace(
        hf_checkpoint=folder, prompt_data=str(HERE / f"{split}.jsonl"), rollout_global_dataset=True, dump_details=None,
        rollout_max_prompt_len=None, input_key="prompt", label_key="label", metadata_key="metadata", tool_key=None,
        multimodal_keys=None, apply_chat_template=True, apply_chat_template_kwargs=None, rollout_seed=1,
        rollout_shuffle=False, n_samples_per_prompt=1, partial_rollout=False, group_rm=False, sglang_dp_size=1,
        sglang_server_concurrency=64, rollout_num_engines=1, rollout_temperature=1.0, rollout_top_p=1.0,
        rollout_top_k=-1, rollout_max_response_len=10_000_000, rollout_stop=None, rollout_stop_token_ids=None,
        rollout_skip_special_tokens=False, sglang_router_ip="127.0.0.1", sglang_router_port=1,
        custom_generate_function_path="worldsmith_slime.generate",
    )  # fmt: skip


async def engine(url: str, payload: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Answer a request to SGLang's router by the script: a byte is a token."""
    text, cut = next(SCRIPT.get())
    if not isinstance(text, str):
        return {"text": text, "meta_info": {"finish_reason": {"type": "stop"}, "output_token_logprobs": []}}
    tokens = [*_TOKENIZER.encode(text, add_special_tokens=False), *([] if cut else [_TOKENIZER.eos_token_id])]
    stop = {"type": "length"} if cut else {"type": "stop", "matched": _TOKENIZER.eos_token_id}
    meta = {"finish_reason": stop, "output_token_logprobs": [[-0.5, token, None] for token in tokens]}
    return {"text": text + ("" if cut else _TOKENIZER.eos_token), "meta_info": meta}


_TOKENIZER = tokenizer()


async def rollout(args: Namespace, sample: Sample, messages: Sequence[tuple[Any, bool]]) -> Sample:
    """Return the sample after slime's rollout, in which the model says these messages."""
    SCRIPT.set(iter(messages))
    params = GenerateState(args).sampling_params
    (result,) = await generate_and_rm_group(args, [sample], sampling_params=dict(params))
    return result


def sample_of(row: Mapping[str, Any], args: Namespace) -> Sample:
    """Return the sample that slime's dataset makes of a recorded row."""
    rest = {name: value for name, value in row.items() if name not in {"prompt", "reference"}}
    line = {"prompt": prompt(row["question"], tools_in_text=True), "label": row["reference"], "metadata": rest}
    file = Path(args.hf_checkpoint) / "row.jsonl"
    file.write_text(json.dumps(line), "utf-8")
    keys = {"prompt_key": args.input_key, "label_key": args.label_key, "metadata_key": args.metadata_key}
    return Dataset(str(file), _TOKENIZER, None, None, apply_chat_template=True, **keys)[0]


def main(folder: str) -> int:
    """Check data and episodes; return the exit code."""
    for split, count in ROWS.items():
        source = RolloutDataSource(settings(folder, split))
        if len(source) != count:
            raise ValueError(f"{split}.jsonl: slime reads {len(source)} rows, not {count}")
    worldsmith_slime.post = engine
    args = settings(folder, "train")

    def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
        script = [(as_text(message), False) for message in messages]
        sample = asyncio.run(rollout(args, sample_of(row, args), script))
        replies = sample.loss_mask.count(0) if len(script) > 1 else 1
        if sample.loss_mask.count(1) != sum(len(text.encode()) + 1 for text, _ in script) or not replies:
            raise ValueError("the loss isn't of the model's own tokens alone")
        return float(sample.reward)

    return check(play, lambda row: asyncio.run(rollout(args, sample_of(row, args), [(17, False)])), TypeError)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(folder))
