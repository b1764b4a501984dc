"""Check this export: `python selfcheck.py [--server] [--rlinf CHECKOUT]` (exit 0: passed, 1: failed, 3: no package).

Python alone plays episodes in which two sub-agents make the calls. `--server` plays against the real server. With a
checkout of RLinf its data set loads the rows, and its reward is asked about gold, with a judge that compares text.
"""

import ast
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wideseek import rollout
from worldsmith_kit.episode.rehearsal import check, require

HERE = Path(__file__).resolve().parent
PACKAGES = ("torch", "transformers", "omegaconf", "pandas", "ray", "sortedcontainers")


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the score of an episode whose sub-agents make the calls of these messages, and that the last one ends."""
    calls, answer = messages[:-1], dict(messages[-1])
    parts = [part for part in (calls[: len(calls) // 2], calls[len(calls) // 2 :]) if part]
    prompts = [f"part {number}" for number in range(len(parts))]
    last = {"role": "assistant", "content": "I am done."}
    left = {prompt: iter([*map(as_sub_agent, part), last]) for prompt, part in zip(prompts, parts, strict=True)}
    plan = [called("create_sub_agents", {"sub_agents": [{"prompt": prompt} for prompt in prompts]})] if parts else []
    left[row["question"]] = iter([*plan, answer])
    return float(rollout(row, lambda history, _tools: next(left[history[1]["content"]]))["figures"]["score"])


def as_sub_agent(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with the same call of a sub-agent's tools."""
    (call,) = message["tool_calls"]
    arguments = json.loads(call["function"]["arguments"])
    if call["function"]["name"] == "web_search":
        return called("search", {"queries": [arguments]})
    return called("access", {"urls": [{**arguments, "info_to_extract": "everything"}]})


def called(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message that makes one call."""
    call = {"id": "call00001", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the main agent say a number."""
    return rollout(row, lambda _messages, _tools: 17)  # type: ignore[arg-type, return-value, unused-ignore]


def rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of both files."""
    for split in ("train", "test"):
        with (HERE / f"{split}.jsonl").open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


async def judge(messages: Sequence[Mapping[str, str]]) -> str:
    """Compare the pairs that RLinf asks about; align nothing."""
    start = messages[1]["content"].find("{'idx_0'")
    pairs = ast.literal_eval(messages[1]["content"][start:].strip()) if start >= 0 else {}
    scores = {name: int(pair["response"] == pair["target"]) for name, pair in pairs.items()}
    return f"```json\n{json.dumps(scores)}\n```"


def check_rlinf(checkout: Path) -> int:
    """Return 1 where RLinf's data set or its reward take a row otherwise than they should, else 0."""
    for package in PACKAGES:
        require(package, " ".join(PACKAGES))
    sys.path.insert(0, str(checkout))
    from omegaconf import OmegaConf  # noqa: PLC0415 - packages of RLinf
    from rlinf.agents.wideseek_r1.utils.reward import evaluate_markdown, extract_final_answer  # noqa: PLC0415
    from rlinf.data.datasets.reasoning.wideseek_r1 import WideSeekR1Dataset  # noqa: PLC0415
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="\n")  # noqa: S106
    data = {
        "max_prompt_length": 8192, "prompt_key": "question", "answer_key": "answer", "apply_chat_template": False,
        "is_hybrid": True,
    }  # fmt: skip
    files = [str(HERE / f"{split}.jsonl") for split in ("train", "test") if (HERE / f"{split}.jsonl").stat().st_size]
    dataset = WideSeekR1Dataset(files, OmegaConf.create({"data": data}), tokenizer)
    expected, faults = [*rows()], 0
    for item, row in zip((dataset[i] for i in range(len(dataset))), expected, strict=True):
        gold, lines = item.answer["answer"], item.answer["answer"].strip().split("\n")
        half = "\n".join([*lines[: 3 + (len(lines) - 4) // 2], lines[-1]])
        scores = [
            asyncio.run(evaluate_markdown(extract_final_answer(text, mode="markdown"), item.answer, judge, norm))[0]
            for norm in (False, True)
            for text in (gold, half, "")
        ]
        short = len(lines) < 6
        right = (
            scores[::3] == [1, 1] and all(short or 0 < score < 1 for score in scores[1::3]) and scores[2::3] == [0, 0]
        )
        if not right or item.answer["instance_id"] != row["task_id"]:
            sys.stdout.write(f"{row['task_id']}: RLinf scores gold, half and nothing {scores}\n")
            faults += 1
    sys.stdout.write(f"RLinf: {len(expected)} rows, {faults} faults\n")
    return 1 if faults else 0


if __name__ == "__main__":
    code = check(play, play_wrong_type)
    if "--rlinf" in sys.argv[1:]:
        code = check_rlinf(Path(sys.argv[sys.argv.index("--rlinf") + 1]).resolve()) or code
    sys.exit(code)
