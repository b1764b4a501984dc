"""Conversations as tokens: ChatML, and which tokens are the agent's own."""

from collections.abc import Sequence

END = "<|im_end|>"


def turn(role: str, content: str) -> str:
    return f"<|im_start|>{role}\n{content}{END}\n"


def opening(tokenizer, messages: Sequence[dict]) -> list[int]:
    """Return the tokens of messages and of the start of the agent's next one."""
    text = "".join(turn(m["role"], m["content"]) for m in messages) + "<|im_start|>assistant\n"
    return tokenizer.encode(text, add_special_tokens=False)


def reply(tokenizer, observation: str) -> list[int]:
    """Return the tokens between two messages of the agent: the end of its line, the tool's reply, its next start."""
    return tokenizer.encode(f"\n{turn('tool', observation)}<|im_start|>assistant\n", add_special_tokens=False)


def encode(tokenizer, messages: Sequence[dict]) -> tuple[list[int], list[bool]]:
    """Return the tokens of a whole conversation as a rollout makes them, and whether each is the agent's own."""
    first = next(i for i, m in enumerate(messages) if m["role"] == "assistant")
    ids = opening(tokenizer, messages[:first])
    own = [False] * len(ids)
    for message in messages[first:]:
        if message["role"] == "assistant":
            said = tokenizer.encode(message["content"] + END, add_special_tokens=False)
            # A detour is there for what follows from it: the agent reads it, and doesn't learn to make it.
            ids, own = ids + said, own + [not message.get("detour")] * len(said)
        else:
            said = reply(tokenizer, message["content"])
            ids, own = ids + said, own + [False] * len(said)
    return ids, own
