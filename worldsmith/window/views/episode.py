"""A saved episode step by step: its question, its turns, and its answer with the origin of each cell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from worldsmith.rollout.run_report import OUTCOMES, cell_outcome, where_from
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.sheet import Cell, Content, Sheet, Visit, facts, note, section, table
from worldsmith.window.views.replay import Reader, Step, as_mapping, reader, replay, short_argument

STATED: Final = frozenset({"right", "not_reported", "reported_wrong"})
"""Outcomes of cells whose call stated them; the call of any other may have named their row alone."""
VERBS: Final[Mapping[str, str]] = {"web_search": "search", "web_extractor": "open"}
Record = Mapping[str, Any]
"""An episode, or a call, a cell or a message of it."""


def episode(visit: Visit) -> Sheet:
    """Show the step of an episode that the query names."""
    run, at = visit.query.get("run", ""), visit.number("at", 0)
    record = visit.library.episode(run, at)
    here: dict[str, str | int] = {"run": run, "at": at}
    own = reader(visit, [str(record.get("web", "")), record["world"]])
    steps = [_question(record, own), *_turns(record, own), _answer(record, visit, here)]
    crumbs = (("Runs", visit.links.to("runs")), (run, visit.links.to("episodes", run=run)))
    body = replay(visit, "episode", here, steps, _figures(record, own))
    return Sheet(f"{record['task_id']}, sample {record['sample']}", body, crumbs=crumbs)


def _figures(record: Record, own: Reader) -> Markup:
    task = record["task_id"]
    return facts(
        [
            ("task", own.links.link(task, "world", own.world, "task", id=task) if own.world else task),
            ("end", record["finish"].replace("_", " ")),
            ("reward", f"{record['reward']:.3f}"),
            ("item F1", f"{record['item_f1']:.3f}"),
            ("evidenced", f"{record['evidenced_item_f1']:.3f}"),
            ("success", "yes" if record["success"] else "no"),
            ("profile", str(record.get("profile", ""))),
            ("error", record["error"]),
        ]
    )


def _question(record: Record, own: Reader) -> Step:
    messages = record["messages"]
    first = next((i for i, message in enumerate(messages) if message["role"] == "assistant"), len(messages))
    return Step("Question", lambda: [own.message(message) for message in messages[:first]])


def _turns(record: Record, own: Reader) -> list[Step]:
    """Return a step per turn: a message of the agent with the replies to its calls."""
    groups: list[list[Record]] = []
    for message in record["messages"]:
        if message["role"] == "assistant":
            groups.append([message])
        elif groups:
            groups[-1].append(message)
    calls: dict[int, dict[int, Record]] = {}
    for number, call in enumerate(record["calls"]):
        calls.setdefault(call["turn"], {})[number] = call
    return [_turn(record, own, turn, group, calls.get(turn, {})) for turn, group in enumerate(groups, 1)]


def _turn(record: Record, own: Reader, turn: int, messages: Sequence[Record], calls: Mapping[int, Record]) -> Step:
    cells = [cell for cell in record["cells"] if cell["call"] in calls]
    stated = sum(cell["outcome"] in STATED for cell in cells)
    line = "no call"
    if calls:
        first, *others = calls.values()
        line = f"{VERBS.get(first['tool'], 'call')} {short_argument(first['arg'])}"
        line += f" and {len(others)} more" if others else ""
    mark = tag("b", f"+{stated}", class_="good", title="gold cells that it stated first") if stated else None
    return Step(f"{turn}. {line}", partial(_turn_content, record, own, turn, messages, calls, cells), mark)


def _turn_content(
    record: Record, own: Reader, turn: int, messages: Sequence[Record], calls: Mapping[int, Record], cells: list[Record]
) -> list[Child]:
    """Return a turn: its calls, the gold cells whose origin they are, and its messages."""
    stated = sum(cell["outcome"] in STATED for cell in cells)
    return [
        tag("h2", f"Turn {turn}"),
        table(
            ("tool", "argument", "status", "pages shown", ""),
            [
                [
                    call["tool"],
                    Cell(call["arg"], "long"),
                    call["status"],
                    Cell(own.page_links(call.get("pages")), "long"),
                    tag("a", "call it", href=_call_address(call, record, own)) if own.world else "",
                ]
                for call in calls.values()
            ],
            label="Calls",
        ),
        table(
            ("row", "column", "expected", "answered", "outcome"),
            [
                [cell["row"], cell["column"], cell["expected"], cell["answered"], _outcome(cell_outcome(cell, record))]
                for cell in cells
            ],
            f"Gold cells first met here: {stated} stated, {len(cells) - stated} of rows that were named",
        ),
        [own.message(message) for message in messages],
    ]


def _call_address(call: Record, record: Record, own: Reader) -> str:
    window = {name: call.get(name) for name in ("page", "offset")}
    where = {name: record.get(name) for name in ("profile", "seed")}
    return own.links.to("world", own.world, "search", tool=call["tool"], arg=call["arg"], **window, **where)


def _outcome(outcome: str) -> Markup:
    return tag("span", outcome.replace("_", " "), title=OUTCOMES.get(outcome), class_=f"outcome {outcome}")


def _answer(record: Record, visit: Visit, here: Mapping[str, str | int]) -> Step:
    return Step(f"Answer: {record['finish'].replace('_', ' ')}", partial(_answer_content, record, visit, here))


def _answer_content(record: Record, visit: Visit, here: Mapping[str, str | int]) -> list[Child]:
    """Return the answer beside gold with the origin of each cell, surplus rows, outcomes, and the reward's parts."""
    columns = list(dict.fromkeys(cell["column"] for cell in record["cells"]))
    rows: dict[str, dict[str, Record]] = {}
    for cell in record["cells"]:
        rows.setdefault(cell["row"], {})[cell["column"]] = cell

    def shown(cell: Record | None) -> Content:
        return "" if cell is None else _answered_cell(cell, record, visit, here)

    answered = [[Cell(row or "–", "key"), *(shown(cells.get(name)) for name in columns)] for row, cells in rows.items()]
    counts = Counter(cell_outcome(cell, record) for cell in record["cells"])
    terms = [[name, worth] for name, worth in as_mapping(record.get("reward_terms")).items()]
    caption = (
        "Cells outside the key: answered, expected where that differs, and the turn that stated them or named their row"
    )
    return [
        tag("h2", "Answer"),
        table(("row", *columns), answered, caption) or note("The reference has no cell outside the key."),
        table(("surplus rows",), [[" | ".join(row)] for row in record["surplus"]], label="Surplus rows"),
        table(
            ("outcome", "cells", "the cell is"),
            [[_outcome(name), counts[name], about] for name, about in OUTCOMES.items() if counts[name]],
            label="Outcomes",
        ),
        table(("part of the reward", "worth"), [*terms, ["total", record["reward"]]], label="Reward"),
        note("Masked: a server failed, and a trainer leaves the episode out.") if record.get("masked") else None,
        section("As it was written", tag("pre", record["answer"], class_="text") if record["answer"] else None),
    ]


def _answered_cell(cell: Record, record: Record, visit: Visit, here: Mapping[str, str | int]) -> Cell:
    outcome = cell_outcome(cell, record)
    texts: list[Child] = [cell["answered"] or "–"]
    if outcome not in {"right", "right_unread"}:
        texts += [" ", tag("span", cell["expected"], class_="expected")]
    origin: Child = "no call"
    if cell["call"] is not None:
        turn = record["calls"][cell["call"]]["turn"]
        address = visit.links.to("episode", **here, step=turn)
        link = tag("a", f"turn {turn}", href=address, title=where_from(cell, record["calls"]))
        origin = link if cell["outcome"] in STATED else ("named in ", link)
    return Cell([texts, tag("br"), tag("small", outcome.replace("_", " "), ", ", origin)], f"cell {outcome}")
