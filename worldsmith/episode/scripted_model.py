"""A chat API whose replies are scripts, for selfchecks of adapters that ask a model over HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .json_server import json_server

NAME = "script "
"""Stands before a script's number, at the end of the question of the row that it is for."""


class ScriptedModel:
    """The scripts, and where the API is; replies depend on a request's messages alone, so episodes may run together."""

    base_url = ""

    def __init__(self) -> None:
        """Hold no script yet."""
        self._scripts: list[tuple[Sequence[Any], bool]] = []

    def row(self, row: Mapping[str, Any], messages: Sequence[Any], *, cut: bool = False) -> dict[str, Any]:
        """Return a row in whose episode the model says these messages; with `cut` the last one breaks off."""
        self._scripts.append((messages, cut))
        return {**row, "question": f"{row['question']}\n\n{NAME}{len(self._scripts) - 1}"}

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the completion that answers a request."""
        messages = request["messages"]
        question = next(message["content"] for message in messages if message["role"] == "user")
        script, cut = self._scripts[int(question.rpartition(NAME)[2])]
        number = sum(message["role"] == "assistant" for message in messages)
        next_one = script[number] if isinstance(script[number], Mapping) else {"content": script[number]}
        message = {"role": "assistant", **next_one}
        is_cut = cut and number == len(script) - 1
        finish = "length" if is_cut else "tool_calls" if message.get("tool_calls") else "stop"
        return {
            "id": f"completion{number}",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """Serve a model on a free port of this machine; a GET is a check of health."""
    model = ScriptedModel()
    with json_server(lambda request: (200, {} if request is None else model.reply(request), {})) as server:
        model.base_url = f"{server}/v1"
        yield model
