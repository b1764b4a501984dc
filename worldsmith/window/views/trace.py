"""A trace step by step: each call with what it drew on, what edits changed, the reply, and the guard's objections."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from worldsmith.episode.tools import hits_text
from worldsmith.window.library import TraceFile
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.sheet import Cell, Sheet, Visit, facts, note, problems, section, table
from worldsmith.window.views.records import HEAD
from worldsmith.window.views.replay import Reader, Step, as_list, as_mapping, reader, replay, short_argument


def trace(visit: Visit) -> Sheet:
    """Show the step of a trace that the query names."""
    file = visit.library.trace(visit.query.get("file", ""))
    own = reader(visit, [str(file.head.get("world", ""))])
    steps = [_session(file), *(_step(record, i, own) for i, record in enumerate(file.records, 1))]
    about = facts([(name, str(file.head.get(name, ""))) for name in HEAD])
    broken = [f"lines left out, half-written or damaged: {file.broken}"] if file.broken else []
    body = tag("div", problems(broken), replay(visit, "trace", {"file": file.file.name}, steps, about))
    return Sheet(file.file.name, body, crumbs=(("Traces", visit.links.to("traces")),))


def _session(file: TraceFile) -> Step:
    calls = sum("call" in record for record in file.records)
    return Step("Session", lambda: note(f"Calls: {calls}; messages: {len(file.records) - calls}."))


def _step(record: Mapping[str, Any], number: int, own: Reader) -> Step:
    if "call" not in record:
        return Step(f"{number}. {record.get('role', 'message')}", partial(own.message, record))
    argument = short_argument(str(as_mapping(record["call"]).get("arg")))
    return Step(f"{number}. {argument}", partial(_call_content, record, own))


def _call_content(record: Mapping[str, Any], own: Reader) -> list[Child]:
    call, observation = as_mapping(record["call"]), as_mapping(record.get("observation"))
    drawn, verdicts = as_mapping(record.get("slice")), as_mapping(record.get("verdicts"))
    changes = [as_mapping(change) for change in as_list(drawn.get("changes"))]
    rejected = [as_mapping(verdict) for verdict in as_list(verdicts.get("rejected"))]
    results = [as_mapping(result) for result in as_list(observation.get("results"))]
    text = hits_text({"results": results}) if results else str(observation.get("text", ""))
    return [
        tag("h2", str(call.get("tool"))),
        tag("pre", str(call.get("arg")), class_="call"),
        facts(
            [
                *((name, str(value)) for name, value in call.items() if name not in {"tool", "arg"}),
                ("attempts before", str(record.get("attempt") or "")),
                *((name, str(observation.get(name) or "")) for name in ("status", "fault", "source")),
                ("pages", own.page_links(drawn.get("pages")) if drawn.get("pages") else ""),
                ("units accepted", str(verdicts.get("stand") or "")),
            ]
        ),
        table(
            ("edit", "page", "cells removed or changed"),
            [[str(one.get("edit")), str(one.get("page")), Cell(_cells(one), "lines")] for one in changes],
            label="Edits",
        ),
        table(
            ("rejected by the guard", "text", "why"),
            [[str(one.get("where")), Cell(str(one.get("text")), "long"), str(one.get("why"))] for one in rejected],
            label="Rejected",
        ),
        section("Reply", own.text(text) if text else note("Nothing.")),
        [_exchange(as_mapping(exchange)) for exchange in as_list(record.get("model"))],
    ]


def _cells(change: Mapping[str, Any]) -> str:
    return "\n".join(" ".join(map(str, as_list(cell))) for cell in as_list(change.get("cells"))) or "no cell lost"


def _exchange(exchange: Mapping[str, Any]) -> Markup:
    """Return what a language model was asked, and what it wrote, to open."""
    messages = [(*map(str, as_list(message)), "", "")[:2] for message in as_list(exchange.get("messages"))]
    texts = [*messages, ("the model wrote", str(exchange.get("reply") or "(nothing)"))]
    return tag(
        "details",
        tag("summary", "A language model was asked"),
        [tag("section", tag("h3", role), tag("pre", text, class_="text"), class_="message") for role, text in texts],
        note(f"Not used: {exchange['error']}", class_="bad") if exchange.get("error") else None,
    )
