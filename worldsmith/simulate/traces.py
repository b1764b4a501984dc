"""Traces: the calls of agents, their answers and the reasons for them, one JSONL file per session.

A file starts with a header (format, address), followed by one record per call: call, attempt, ids of the pages it drew
on, what edits changed, the observation as the agent had it, the guard's verdicts, and what a language model was asked
and wrote. Messages of the agent stand between them where they are known.

A record is appended in one write, on a line of its own, and is at most `MAX_LINE_BYTES` long: longer texts are cut,
with a mark. A process that dies leaves at most half a line, which the next one closes and readers skip. Several
processes may write to one folder.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, Final

import orjson

from worldsmith.cache import keep
from worldsmith.errors import FormatError
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation, Result, Slice, Verdict
from worldsmith.simulate.simulator import Simulator

FORMAT: Final = 1
MAX_LINE_BYTES: Final = 1_000_000
"""Bytes of a line, at most."""
MEMO: Final = 10_000
"""Files that are known to have a header."""
_DEEPEST: Final = 100
"""Levels of a value that is written; what a model puts into a call may have thousands."""
_CUTS = (100_000, 20_000, 4000, 800, 160)
"""Characters of a text, the first that make a line short enough; of lists a hundredth as many."""


class Traces:
    """Writes the files of a folder. A failed write is reported once and stops nothing."""

    def __init__(self, folder: Path, say: Callable[[str], object] | None = None) -> None:
        """Make the folder where it is missing; `say` is standard error by default. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._say = folder, say
        self._begun: dict[Address, Path] = {}
        self._failed = False

    def call(self, address: Address, call: Call, attempt: int, observation: Observation) -> None:
        """Append a call and its answer."""
        self._append(address, call_record(call, attempt, observation))

    def message(self, address: Address, role: str, content: str, **more: Any) -> None:
        """Append a message of the agent, or one it was given, and what else is known of it."""
        self._append(address, {"role": role, "content": content, **more})

    def reply(self, address: Address, call: Mapping[str, Any], observation: Mapping[str, Any]) -> None:
        """Append a call whose reply alone is known, as an agent has it that works over HTTP."""
        self._append(address, {"call": dict(call), "observation": dict(observation)})

    def _append(self, address: Address, what: Mapping[str, Any]) -> None:
        try:
            path = self._begun.get(address) or self._begin(address)
            _write(path, trace_line(what))
        except OSError as error:
            self._begun.pop(address, None)  # half of the line may stand there: it is closed before the next
            if not self._failed:
                say = self._say or sys.stderr.write
                say(f"worldsmith: the trace of a call could not be written, and maybe others: {error}\n")
            self._failed = True

    def _begin(self, address: Address) -> Path:
        """Return the file of an address, begun where it is new, its last line closed where a crash left half of it."""
        path = self.folder / file_name(address)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        except FileExistsError:
            if path.stat().st_size and not _ends(path):
                _write(path, b"\n")
        else:
            _write(path, trace_line({"worldsmith_trace": FORMAT, **asdict(address)}))
        return keep(self._begun, address, path, MEMO)


def file_name(address: Address) -> str:
    """Return the name of an address's file: the world, and a hash of all of it; a session may be any text."""
    address_json = orjson.dumps(astuple(address))
    return f"{address.world}.{blake2b(address_json, digest_size=8).hexdigest()}.jsonl"


def _ends(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write(path: Path, data: bytes) -> None:
    out = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        if os.write(out, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(out)


@dataclass(frozen=True, slots=True)
class Traced:
    """A simulator whose calls are recorded."""

    simulator: "Simulator | PoolSimulator"
    traces: Traces

    def ready(self, address: Address) -> bool:
        """Whether what answers at an address is made."""
        return self.simulator.ready(address)

    def warm(self, address: Address) -> None:
        """Make it."""
        self.simulator.warm(address)

    async def acall(self, address: Address, call: Call, attempt: int = 0, deadline: float = inf) -> Observation:
        """Answer a call and record it."""
        observation = await self.simulator.acall(address, call, attempt, deadline)
        self.traces.call(address, call, attempt, observation)
        return observation


def trace_line(what: Mapping[str, Any]) -> bytes:
    """Return a record as a line of at most `MAX_LINE_BYTES`."""
    try:
        data = orjson.dumps(what, default=str)
    except orjson.JSONEncodeError:
        data = orjson.dumps(_written(what))
    for most in _CUTS:
        if len(data) < MAX_LINE_BYTES:
            break
        data = orjson.dumps(_written(what, most))
    return data + b"\n"


def _written(value: Any, most: int | None = None, levels: int = _DEEPEST) -> Any:
    """Return a value as JSON holds it: names as text, no half of a surrogate pair, no level beyond the deepest.

    Texts are cut to `most` characters, lists to a hundredth as many items.
    """
    if isinstance(value, dict | list | tuple) and not levels:
        return "…"
    if isinstance(value, dict):
        return {_written(str(name)): _written(inner, most, levels - 1) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(inner, most, levels - 1) for inner in (value[: most // 100] if most else value)]
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 1 << 63):
        return value
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    return text if most is None or len(text) <= most else f"{text[:most]}… [{len(text) - most} more characters]"


def call_record(call: Call, attempt: int, observation: Observation) -> dict[str, Any]:
    """Return a call and its answer as JSON values."""
    return {
        "call": {name: value for name, value in _fields(call) if value is not None},
        "attempt": attempt,
        "slice": _slice(observation.part),
        "observation": _observation(observation),
        "verdicts": _verdicts(observation.verdicts),
        "model": [asdict(exchange) for exchange in observation.exchanges],
    }


def _fields(call: Call) -> Iterator[tuple[str, Any]]:
    yield "tool", call.tool
    yield "arg", call.arg
    if call.tool == "web_search":
        yield from (("page", call.page), ("k", call.k), ("full_text", call.full_text or None))
    else:
        yield from (("offset", call.offset or None), ("max_chars", call.max_chars))


def _slice(slice_: Slice | None) -> dict[str, Any]:
    if slice_ is None:
        return {"pages": [], "changes": []}
    changes = [
        {"edit": c.kind, "page": c.page, "cells": [[str(cell.row), cell.col, cell.value] for cell in c.cells]}
        for c in slice_.changes
    ]
    return {"pages": [view.page.id for view in slice_.views], "changes": changes}


def _observation(observation: Observation) -> dict[str, Any]:
    fields: dict[str, Any] = {"status": observation.status, "source": observation.source, "more": observation.more}
    if observation.fault:
        fields |= {"fault": observation.fault, "retry_after": observation.retry_after}
    if observation.doc is None:
        return {**fields, "results": [_result(result) for result in observation.results]}
    return {**fields, "title": observation.doc.title, "text": observation.text, "next_offset": observation.next_offset}


def _result(result: Result) -> dict[str, Any]:
    fields = {"url": result.url, "title": result.title, "snippet": result.snippet, "date": result.date}
    return {**fields, "score": result.score, **({"text": result.text} if result.text is not None else {})}


def _verdicts(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return how many units were accepted, and the verdicts on the rejected ones."""
    bad = [{"where": v.where, "text": v.text, "why": v.why} for v in verdicts if not v.ok]
    return {"stand": sum(v.ok for v in verdicts), "rejected": bad}


def read_trace(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """Return a trace: its header, its records, and how many of its lines are broken.

    Raises:
        FormatError: the file can't be read, or is not a trace of this version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path}: can't be read: {error.strerror}") from None
    records, broken = [], 0
    for text in data.split(b"\n"):
        if not text.strip():
            continue
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = None
        if isinstance(value, dict):
            records.append(value)
        else:
            broken += 1
    if not records or "worldsmith_trace" not in records[0]:
        raise FormatError(f"{path} is not a trace: its first line is not the header of one")
    if records[0]["worldsmith_trace"] != FORMAT:
        raise FormatError(f"{path} is a trace of format {records[0]['worldsmith_trace']}; this version reads {FORMAT}")
    return records[0], records[1:], broken
