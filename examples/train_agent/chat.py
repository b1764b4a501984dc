"""Conversations as tokens: ChatML, and which tokens are the agent's own.

A model whose template knows tools (Qwen2.5) gets them in the system message, and replies as a user's turn in
<tool_response>; one whose template does not (SmolLM2) gets replies as a turn of the role "tool".
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from worldsmith.train.environment import TOOLS

END = "<|im_end|>"
_MARK = re.compile(r"</?tool_call>")


@cache
def tokenizer_of(folder: Path):
    """Return the tokenizer of a folder with a GGUF file; it is kept in tokenizer/ beside it."""
    from transformers import AutoTokenizer

    if not (folder / "tokenizer").exists():
        (file,) = folder.glob("*.gguf")
        AutoTokenizer.from_pretrained(folder, gguf_file=file.name).save_pretrained(folder / "tokenizer")
    return AutoTokenizer.from_pretrained(folder / "tokenizer")


def opening(tokenizer, messages: Sequence[dict]) -> list[int]:
    """Return the tokens of messages and of the start of the agent's next one."""
    text = tokenizer.apply_chat_template(messages, tools=list(TOOLS), tokenize=False, add_generation_prompt=True)
    return tokenizer.encode(text, add_special_tokens=False)


def reply(tokenizer, observation: str) -> list[int]:
    """Return the tokens between two messages of the agent: the end of its line, the tool's reply, its next start."""
    if "<tool_response>" in tokenizer.chat_template:
        turn = f"<|im_start|>user\n<tool_response>\n{observation}\n</tool_response>{END}"
    else:
        turn = f"<|im_start|>tool\n{observation}{END}"
    return tokenizer.encode(f"\n{turn}\n<|im_start|>assistant\n", add_special_tokens=False)


def encode(tokenizer, messages: Sequence[dict]) -> tuple[list[int], list[bool]]:
    """Return the tokens of a whole conversation as a rollout makes them, and whether each is the agent's own."""
    first = next(i for i, m in enumerate(messages) if m["role"] == "assistant")
    ids = opening(tokenizer, messages[:first])
    own = [False] * len(ids)
    for message in messages[first:]:
        if message["role"] == "assistant":
            tokens = tokenizer.encode(message["content"] + END, add_special_tokens=False)
            # A detour is there for what follows from it: the agent reads it, and doesn't learn to make it.
            ids, own = ids + tokens, own + [not message.get("detour")] * len(tokens)
        else:
            tokens = reply(tokenizer, message["content"])
            ids, own = ids + tokens, own + [False] * len(tokens)
    return ids, own


def marks(tokenizer) -> list[int]:
    """Return the tokens that begin and end a call; none where it takes several."""
    added = tokenizer.get_added_vocab()
    return [added[mark] for mark in ("<tool_call>", "</tool_call>") if mark in added]


def barred(tokenizer) -> list[int]:
    """Return the special tokens that no message of an agent holds: all but its end and the marks of a call."""
    added = tokenizer.get_added_vocab()
    return sorted(i for token, i in added.items() if token != END and i not in marks(tokenizer))


def text(tokenizer, ids: Sequence[int]) -> str:
    """Return an agent's message as text. A call's two marks, alike to a model, are the one and the other in turn."""
    before, *parts = _MARK.split(tokenizer.decode(ids, clean_up_tokenization_spaces=False))
    return before + "".join(f"<{'/' * (i % 2)}tool_call>{part}" for i, part in enumerate(parts))
