"""A chat API whose replies are scripts, for selfchecks of adapters that ask a model over HTTP."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "script "
"""Stands before a script's number, at the end of the question of the row that it is for."""


class ScriptedModel:
    """The scripts, and where the API is; replies depend on a request's messages alone, so episodes may run together."""

    def __init__(self, base_url: str) -> None:
        """Hold no script yet."""
        self.base_url = base_url
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
        finish = (
            "length" if cut and number == len(script) - 1 else "tool_calls" if message.get("tool_calls") else "stop"
        )
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
    """Serve a model on a free port of this machine."""
    server = _Server(("127.0.0.1", 0), _Handler)
    model = ScriptedModel(f"http://127.0.0.1:{server.server_port}/v1")
    server.RequestHandlerClass = type("Handler", (_Handler,), {"model": model})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024  # episodes begin together


class _Handler(BaseHTTPRequestHandler):
    """Answers POST /v1/chat/completions, and any GET as a check of health."""

    model: ScriptedModel
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(self.model.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

    def _answer(self, reply: Mapping[str, Any]) -> None:
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Print nothing."""
