"""Episodes to check an export by: `selfcheck.py` plays them through its trainer's own classes.

`rehearsal.json` holds a few rows of the export and, for each, the calls of an honest episode with
their replies. They are replayed by a server in this process, so nothing else has to run. With `--server` the calls go
to the server of the rows instead (WORLDSMITH_BASE_URL names another, WORLDSMITH_WORLDS a folder of worlds).
"""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..scoring import show
from .exported_task import ExportedTask, figures
from .json_server import json_server
from .search_server import BASE_URL, EVIDENCE, WORLDS

FILE = Path(__file__).resolve().parent.parent / "rehearsal.json"
PASSED, FAILED, PACKAGE_MISSING = 0, 1, 3
"""Exit codes of a selfcheck."""
TOLERANCE = 1e-9
"""How near a reward has to come."""

Message = Mapping[str, Any]
Play = Callable[[Mapping[str, Any], Sequence[Message]], float]
"""(row, messages of the agent) to the reward that the trainer's own classes give the episode."""


def require(package: str, install: str = "") -> None:
    """End the program with exit code 3 where a package is missing, and say how to install it."""
    try:
        present = importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        present = False
    if not present:
        sys.stderr.write(f"this check needs the package {package}: pip install {install or package}\n")
        raise SystemExit(PACKAGE_MISSING)


def rehearsals() -> list[dict[str, Any]]:
    """Return the rows with their recorded calls: {"row", "calls": [{"tool", "arguments", "reply", "evidence"}]}."""
    recorded: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return recorded


def table(task: ExportedTask, rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as the Markdown table that an agent would give."""
    lines = [[column.name for column in task.columns], ["---"] * len(task.columns)]
    lines += [[show(value, column) for value, column in zip(row, task.columns, strict=True)] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def call_messages(calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages of an agent, in OpenAI's form, that make the calls one by one."""
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": f"call{number:05}",
                    "type": "function",
                    "function": {"name": call["tool"], "arguments": json.dumps(call["arguments"])},
                }
            ],
        }
        for number, call in enumerate(calls, 1)
    ]


def as_text(message: Message) -> str:
    """Return a message as text, its calls in the form of Hermes and Qwen."""
    functions = [call["function"] for call in message.get("tool_calls") or ()]
    calls = [
        f'<tool_call>\n{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}\n</tool_call>'
        for function in functions
    ]
    return "\n".join(filter(None, [str(message.get("content") or ""), *calls]))


def episodes(rehearsal: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the messages of the agent in each episode that is checked, by name."""
    task, calls = ExportedTask.from_row(rehearsal["row"]), call_messages(rehearsal["calls"])

    def answer(rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
        return {"role": "assistant", "content": table(task, rows)}

    played = {
        "honest": [*calls, answer(task.gold)],
        "memory": [answer(task.gold)],
        "unread": [*call_messages([IDLE]), answer(task.gold)],
        "empty": [{"role": "assistant", "content": ""}],
    }
    half = task.gold[: len(task.gold) // 2]  # a table of one row has none
    return {**played, "half": [*calls, answer(half)]} if half else played


IDLE: Mapping[str, Any] = {"tool": "web_search", "arguments": {"query": "qzx vvkj"}}
"""A call that finds nothing."""
EXPECTED: Mapping[str, tuple[float, float]] = {
    "honest": (1, 1),
    "memory": (0, 0),
    "unread": (0, 0),
    "empty": (0, 0),
    "half": (0.05, 0.95),
}
"""The bounds of each episode's reward."""


def play_alone(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
    """Return the score of an episode in which the model says these messages, by no trainer's classes."""
    episode = ExportedTask.from_row(row).episode()
    episode.reset()
    steps = [episode.step(message) for message in messages]
    return figures(steps[-1], episode)["score"]


def check(
    play: Play, play_wrong_type: Callable[[Mapping[str, Any]], object], refusal: type[Exception] = UsageError
) -> int:
    """Play every episode, print its reward and return the exit code.

    Args:
        play: plays an episode through the trainer's own classes.
        play_wrong_type: hands the adapter a message of a wrong type for a row; it has to raise a `refusal`.
        refusal: what the trainer makes of the kit's UsageError.
    """
    faults, recorded = 0, rehearsals()
    if not recorded:
        sys.stdout.write("no task of this export has a recorded way to solve it: nothing was checked\n")
        return FAILED
    with recorded_server():
        for rehearsal in recorded:
            row = rehearsal["row"] = {**rehearsal["row"], "base_url": rehearsal["row"]["base_url"].partition(";")[0]}
            rewards = {name: float(play(row, messages)) for name, messages in episodes(rehearsal).items()}
            wrong = [name for name, reward in rewards.items() if not _is_expected(name, reward)]
            try:
                play_wrong_type(row)
            except refusal:
                pass
            else:
                wrong.append("wrong type")
            faults += len(wrong)
            shown = ", ".join(f"{name} {reward:.3f}" for name, reward in rewards.items())
            outcome = f"FAILED: {', '.join(wrong)}" if wrong else "a wrong type is refused"
            sys.stdout.write(f"{row['task_id']}: {shown}; {outcome}\n")
    sys.stdout.write("passed\n" if not faults else f"{faults} of these are not as they should be\n")
    return FAILED if faults else PASSED


def _is_expected(name: str, reward: float) -> bool:
    least, most = EXPECTED[name]
    return least - TOLERANCE <= reward <= most + TOLERANCE


@contextmanager
def recorded_server() -> Iterator[None]:
    """Answer the calls of the rehearsals from their records, unless `--server` asks for the real server."""
    if "--server" in sys.argv[1:]:
        yield
        return
    replies = _recorded_replies()

    def answer(body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any], Mapping[str, str]]:
        key = _key(body)
        empty = {"results": [], "more": False} if "query" in body else None
        reply, evidence = replies.get(key, (empty, ""))
        if reply is None:
            return 404, {"error": f"{body['url']}: no recorded reply to {key}"}, {}
        return 200, reply, {EVIDENCE: evidence}

    before = {name: os.environ.pop(name, None) for name in (BASE_URL, WORLDS)}
    with json_server(answer) as os.environ[BASE_URL]:
        try:
            yield
        finally:
            del os.environ[BASE_URL]
            os.environ.update({name: value for name, value in before.items() if value is not None})


def _recorded_replies() -> dict[tuple[str, str], tuple[Any, str]]:
    """Return reply and evidence by the query, or the URL and offset, of a call."""
    return {
        _key(call["arguments"]): (call["reply"], " ".join(call["evidence"]))
        for rehearsal in rehearsals()
        for call in rehearsal["calls"]
    }


def _key(body: Mapping[str, Any]) -> tuple[str, str]:
    if "query" in body:
        return str(body["query"]), str(body.get("page", 1))
    return str(body["url"]), str(body.get("offset", 0))
