"""A tiny random model that says what scripts say, for checks.

`python scripted_model.py DIR` saves one without a script, with its tokenizer.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from worldsmith_kit.episode.rehearsal import FILE, as_text

LONGEST = 1 << 17
"""Tokens of a sequence at most."""
VOCABULARY = 4096


def small_tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer made of the rehearsals, with the chat template that TRL ships for Qwen3.

    Any text goes through it unchanged, since it falls back on bytes.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train([str(FILE)], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",  # noqa: S106 - no password
        pad_token="<|endoftext|>",  # noqa: S106
        additional_special_tokens=["<|im_start|>"],
        padding_side="right",
        chat_template=files("trl").joinpath("chat_templates/qwen3.jinja").read_text("utf-8"),
    )


def tiny_config(tokenizer: PreTrainedTokenizerFast) -> Qwen3Config:
    """Return the configuration of a model of one layer."""
    size = {"hidden_size": 8, "intermediate_size": 8, "head_dim": 8}
    heads = {"num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1}
    return Qwen3Config(vocab_size=len(tokenizer), max_position_embeddings=LONGEST, **size, **heads)


class ScriptedModel(Qwen3ForCausalLM):
    """A tiny random model; `generate` says the next message of each script instead of its own."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        super().__init__(tiny_config(tokenizer))
        self.tokenizer = tokenizer
        self.scripts: list[Iterator[Mapping[str, Any]]] = []
        self.last: list[str] = []

    def say(self, *scripts: Sequence[Mapping[str, Any]]) -> None:
        """Set what the assistant says in the next rollouts, those of one batch, in their order."""
        self.scripts, self.last = [iter(script) for script in scripts], []

    def generate(self, input_ids: torch.Tensor, **_options: Any) -> torch.Tensor:
        """Return the sequences with the next message of each script; one with "cut" has no end."""
        if len(input_ids) < len(self.scripts):  # the others have answered
            pairs = zip(self.scripts, self.last, strict=True)
            self.scripts = [script for script, text in pairs if "<tool_call>" in text]
        messages = [next(script, {"content": ""}) for script in self.scripts]
        self.last = [as_text(message) for message in messages]
        ends = ["" if message.get("cut") else self.tokenizer.eos_token for message in messages]
        texts = [text + end for text, end in zip(self.last, ends, strict=True)]
        added = self.tokenizer(texts, add_special_tokens=False, padding=True, return_tensors="pt")["input_ids"]
        return torch.cat([input_ids, added], dim=1)


if __name__ == "__main__":
    made = small_tokenizer()
    made.save_pretrained(sys.argv[1])
    Qwen3ForCausalLM(tiny_config(made)).save_pretrained(sys.argv[1])
