"""A generate function for slime: one episode per sample, token by token as the model wrote it, and its reward.

--custom-generate-function-path worldsmith_slime.generate; calls and replies are text, so any chat template serves.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from slime.rollout.sglang_rollout import GenerateState
from slime.utils.http_utils import post
from slime.utils.types import Sample
from worldsmith_kit.episode import Episode, ExportedTask, Step, figures

MARK = "worldsmith-mark"
"""Stands for what the model wrote where a template is asked how replies follow it."""


async def generate(args: Namespace, sample: Sample, sampling_params: Mapping[str, Any]) -> Sample:
    """Play the episode of a sample; its reward is the score, its metadata["figures"] all figures.

    Raises ValueError under --partial-rollout and without --apply-chat-template.
    """
    if args.partial_rollout:
        raise ValueError("an episode can't be taken up again: leave out --partial-rollout")
    if not isinstance(sample.prompt, str):
        raise ValueError("the prompt is no text: set --apply-chat-template")  # noqa: TRY004 - a setting, not a type
    tokenizer, most = GenerateState(args).tokenizer, sampling_params["max_new_tokens"]
    url = f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate"
    headers = {"X-SMG-Routing-Key": sample.session_id} if sample.session_id else None
    episode = ExportedTask.from_row({**sample.metadata, "reference": sample.label}).episode(tools_in_text=True)
    episode.reset()
    sample.tokens = tokenizer.encode(sample.prompt, add_special_tokens=False)
    while True:
        params = {**sampling_params, "max_new_tokens": most - sample.response_length}
        payload = {"input_ids": sample.tokens, "sampling_params": params, "return_logprob": True}
        output = await post(url, payload, headers=headers)
        meta = output["meta_info"]
        written = meta["output_token_logprobs"]
        sample.append_response_tokens(
            args,
            tokens=[one[1] for one in written],
            log_probs=[one[0] for one in written],
            meta_info=meta,
            text=output["text"],
        )
        if meta["finish_reason"]["type"] == "abort":
            return sample
        text = without_stop_token(output["text"], meta["finish_reason"].get("matched"), tokenizer)
        cut = meta["finish_reason"]["type"] == "length"
        step = episode.cut(text) if cut else await episode.astep(text)
        if not step.done:
            reply = reply_tokens(step.messages, sample.tokens[-1], tokenizer)
            if sample.response_length + len(reply) < most:
                sample.append_response_tokens(args, tokens=reply, trainable=False, text=tokenizer.decode(reply))
                continue
            step = episode.cut()
        return paid(sample, step, episode)


def without_stop_token(text: str, matched: Any, tokenizer: Any) -> str:
    """Return what the model wrote without the token that stopped it, which slime has SGLang leave in the text."""
    return text.removesuffix(tokenizer.decode([matched])) if isinstance(matched, int) else text


def reply_tokens(messages: Sequence[Mapping[str, str]], last: int, tokenizer: Any) -> list[int]:
    """Return what stands between the model's message, whose last token is `last`, and its next: its replies."""
    before = [{"role": "user", "content": MARK}, {"role": "assistant", "content": MARK}]
    text = tokenizer.apply_chat_template([*before, *messages], tokenize=False, add_generation_prompt=True)
    tokens: list[int] = tokenizer.encode(text.split(MARK, 2)[2], add_special_tokens=False)
    return tokens[1:] if tokens[:1] == [last] else tokens


def paid(sample: Sample, step: Step, episode: Episode) -> Sample:
    """Return the sample with its reward; it is left out of the loss where no server answered."""
    sample.metadata["figures"] = result = figures(step, episode)
    sample.reward, sample.remove_sample = result["score"], bool(result["env_error"])
    sample.status = Sample.Status.TRUNCATED if step.truncated else Sample.Status.COMPLETED
    return sample


def add_figures(
    rollout_id: int, args: Namespace, samples: Sequence[Sample], metrics: dict[str, Any] | None, seconds: float
) -> bool:
    """Add the means of the figures to what slime logs of a rollout, for --custom-rollout-log-function-path."""
    rows = [sample.metadata["figures"] for sample in samples if "figures" in sample.metadata]
    rows = [row for row in rows if not row["env_error"]]
    if metrics is not None and rows:
        metrics.update({f"worldsmith/{name}": sum(row[name] for row in rows) / len(rows) for name in rows[0]})
    return False
