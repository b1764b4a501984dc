"""Scripted models behind an OpenAI-compatible server, for tests: what each does follows from the request alone."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from worldsmith.scoring import show
from worldsmith.tasks import Task, values_table
from worldsmith.tasks.task import markdown_table

Reply = Mapping[str, Any]
"""{"message", "finish_reason"} of a choice, or {"status", "error"}."""


def arguments(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a certificate's call."""
    if made["tool"] == "web_search":
        return {"query": made["arg"], "page": made.get("page", 1)}
    return {"url": made["arg"], "offset": made.get("offset", 0)}


def native(made: Mapping[str, Any], name: str, text: str | None = None) -> dict[str, Any]:
    function = {"name": made["tool"], "arguments": json.dumps(arguments(made)) if text is None else text}
    return {"id": name, "type": "function", "function": function}


def choice(content: str | None, *calls: Mapping[str, Any], finish: str = "", **more: Any) -> Reply:
    message = {"role": "assistant", "content": content, **more}
    if calls:
        message["tool_calls"] = list(calls)
    return {"message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}


def turn_of(body: Mapping[str, Any]) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def perfect(task: Task, body: Mapping[str, Any]) -> Reply:
    """Follow the certificate, then give the gold table."""
    calls, turn = task.certificate["calls"], turn_of(body)
    if turn < len(calls):
        return choice(None, native(calls[turn], f"c{turn}"), reasoning_content=f"step {turn}")
    return choice(task.table())


def written(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, with calls in the form that the first message asks for."""
    calls, turn, system = task.certificate["calls"], turn_of(body), body["messages"][0]["content"]
    assert "tools" not in body
    assert all(message["role"] in {"system", "user", "assistant"} for message in body["messages"])
    if turn == len(calls):
        return choice(f"<think>done</think>\nFinal Answer:\n{task.table()}")
    name, value = calls[turn]["tool"], json.dumps(arguments(calls[turn]))
    call = json.dumps({"name": name, "arguments": json.loads(value)})
    if "Action Input:" in system:
        return choice(f"Thought: next\nAction: {name}\nAction Input: {value}")
    if "```json" in system:
        return choice(f"I look further.\n```json\n{call}\n```")
    return choice(f"<think>hm</think>\n<tool_call>\n{call}\n</tool_call>")


def parallel(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, four calls at a time, with ids that a server might leave out."""
    calls, start = task.certificate["calls"], 4 * turn_of(body)
    if start < len(calls):
        return choice("", *(native(made, "") for made in calls[start : start + 4]))
    return choice(task.table())


def forgetful(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, and leave out all rows but the first in the end; of a table of one row this one."""
    reply, kept = perfect(task, body), task.gold[: len(task.gold) > 1]
    return reply if "tool_calls" in reply["message"] else choice(values_table(task.columns, kept))


def snippet_reader(task: Task, body: Mapping[str, Any]) -> Reply:
    """Search once and answer with the gold table: nothing was opened."""
    first = next(made for made in task.certificate["calls"] if made["tool"] == "web_search")
    return choice(task.table()) if turn_of(body) else choice(None, native(first, "c"))


def hallucinator(task: Task, body: Mapping[str, Any]) -> Reply:
    """Know the gold table without a call."""
    return choice(task.table())


def looper(task: Task, body: Mapping[str, Any]) -> Reply:
    """Search for the same all over again."""
    return choice(None, native({"tool": "web_search", "arg": "again"}, f"c{turn_of(body)}"))


def quitter(task: Task, body: Mapping[str, Any]) -> Reply:
    return choice("I could not find this.")


def stammerer(task: Task, body: Mapping[str, Any]) -> Reply:
    """Write arguments that are no JSON, an unknown tool, then give up with the table's head."""
    search = {"tool": "web_search", "arg": "x"}
    turns = (
        choice(None, native(search, "c0", '{"query": "a'), native({**search, "tool": "web_serch"}, "c0")),
        choice(None, native(search, "c1", '["no", "object"]')),
        choice(values_table(task.columns, [])),
    )
    if turn_of(body):
        # A server of the real kind parses the arguments of earlier turns, and refuses what is no object.
        for message in body["messages"]:
            for call in message.get("tool_calls", ()):
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
    return turns[turn_of(body)]


def rambler(task: Task, body: Mapping[str, Any]) -> Reply:
    """Be cut off in the second row of the table; of a table of one row in the middle of its last value."""
    lines = task.table().split("\n")[: 3 + min(2, len(task.gold))]
    text = "\n".join(lines).removesuffix(" |")
    return choice(text[: -len(text.rpartition("| ")[2]) // 2], finish="length")


def silent(task: Task, body: Mapping[str, Any]) -> Reply:
    return {"status": 500, "error": "out of memory"}


def choked(task: Task, body: Mapping[str, Any]) -> Reply:
    """Refuse the second request as too long, whatever the length of the reply."""
    if turn_of(body):
        text = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
        return {"status": 400, "error": text}
    return perfect(task, body)


def inventor(task: Task, body: Mapping[str, Any]) -> Reply:
    """Know the keys, and make up all other cells without a call."""
    rows = [["7777" if j in task.others else value for j, value in enumerate(row)] for row in task.gold]
    return choice(values_table(task.columns, rows))


def speculator(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, with calls and their replies made up in the reasoning."""
    call = '<tool_call>\n{"name": "web_search", "arguments": {"query": "shops"}}\n</tool_call>'
    message = perfect(task, body)["message"]
    thought = f"I call {call} and get <tool_response>nothing</tool_response>."
    return choice(message["content"], *message.get("tool_calls", ()), reasoning_content=thought)


def copier(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, and put whole lines of the last reply into the cells."""
    reply = perfect(task, body)
    if "tool_calls" in reply["message"]:
        return reply
    text = max(body["messages"][-1]["content"].split("\n"), key=len)
    shown = [[show(value, column) for value, column in zip(row, task.columns, strict=True)] for row in task.gold]
    rows = [[text if j in task.others else cell for j, cell in enumerate(row)] for row in shown]
    return choice(markdown_table(task.columns, rows))


def flooder(task: Task, body: Mapping[str, Any]) -> Reply:
    """Like `perfect`, with twice as many rows again that nobody asked for."""
    reply = perfect(task, body)
    if "tool_calls" in reply["message"]:
        return reply
    named = task.keys or range(len(task.columns))
    noise = [[f"Xylo {i}" if j in named else "" for j in range(len(task.columns))] for i in range(2 * len(task.gold))]
    shown = [[show(value, column) for value, column in zip(row, task.columns, strict=True)] for row in task.gold]
    return choice(markdown_table(task.columns, [*shown, *noise]))


POLICIES: Mapping[str, Callable[[Task, Mapping[str, Any]], Reply]] = {
    policy.__name__: policy
    for policy in (
        perfect, written, parallel, forgetful, snippet_reader, hallucinator, looper, quitter, stammerer, rambler,
        silent, choked, inventor, speculator, copier, flooder,
    )
}  # fmt: skip


class Model:
    """What answers requests: policies by the name of the model, with faults by a function of (body, times asked)."""

    def __init__(
        self, tasks: Sequence[Task], fault: Callable[[Mapping[str, Any], int], Reply | None] = lambda _body, _n: None
    ) -> None:
        self.tasks, self.fault = {task.question: task for task in tasks}, fault
        self.bodies: list[Mapping[str, Any]] = []
        self.times: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.running = self.most = 0

    def answer(self, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the body of the response to a request."""
        with self.lock:
            self.bodies.append(body)
            key = json.dumps(body["messages"])
            self.times[key] += 1
            times = self.times[key]
        task = self.tasks[body["messages"][1]["content"]]
        reply = self.fault(body, times) or POLICIES[body["model"]](task, body)
        if "status" in reply:
            return reply["status"], {"error": {"message": reply["error"]}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        head = {"id": "scripted", "object": "chat.completion", "created": 0, "model": body["model"]}
        return 200, {**head, "choices": [{"index": 0, **reply}], "usage": usage}


def as_stream(reply: Mapping[str, Any]) -> str:
    """Return a completion as server-sent events: all of it in one chunk."""
    choice = {name: value for name, value in reply["choices"][0].items() if name != "message"}
    delta = dict(reply["choices"][0]["message"])
    if calls := delta.get("tool_calls"):
        delta["tool_calls"] = [{"index": i, **call} for i, call in enumerate(calls)]
    chunk = {**reply, "object": "chat.completion.chunk", "choices": [{**choice, "delta": delta}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Yield the URL of a server that answers as a model does."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            with model.lock:
                model.running += 1
                model.most = max(model.most, model.running)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = model.answer(body) if self.path == "/v1/chat/completions" else (404, {"error": self.path})
            streamed = status == 200 and body.get("stream")
            data = (as_stream(reply) if streamed else json.dumps(reply)).encode()
            with model.lock:
                model.running -= 1
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 512
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
