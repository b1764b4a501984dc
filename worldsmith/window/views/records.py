"""Lists of what was recorded: runs, the episodes of one, traces."""

from typing import Final

from worldsmith.errors import FormatError
from worldsmith.window.library import RunFile
from worldsmith.window.markup import tag
from worldsmith.window.sheet import Cell, Content, Sheet, Visit, choices, field, note, problems, table

SHOWN_RECORDS: Final = 100
"""Episodes or traces of a page of their list."""
HEAD: Final = ("world", "profile", "seed", "session")
"""What the header of a trace says."""


def runs(visit: Visit) -> Sheet:
    """Show all runs with their means."""
    files, wrong = visit.library.runs()
    rows: list[list[Content]] = []
    for name in files:
        try:
            run = visit.library.run(name)
        except FormatError as error:
            wrong.append(str(error))
            continue
        wrong += run.problems
        means = [Cell(_mean(run, score), "n") for score in ("reward", "item_f1", "success")]
        link = visit.links.link(name, "episodes", run=name)
        rows.append([link, len(run.episodes), len({one.task_id for one in run.episodes}), *means])
    option, command = tag("code", "--window-episodes DIR"), tag("code", "worldsmith run --out DIR")
    body = tag(
        "div",
        problems(wrong),
        table(("run", "episodes", "tasks", "reward", "item F1", "success"), rows, label="Runs"),
        None if rows else note("No run is there: give ", option, " the folder that ", command, " wrote."),
    )
    return Sheet("Runs", body)


def _mean(run: RunFile, score: str) -> str:
    values = [one.scores[score] for one in run.episodes]
    return f"{sum(values) / len(values):.3f}" if values else ""


def episodes(visit: Visit) -> Sheet:
    """Show the episodes of a run, those that have some words, the worst first where asked for."""
    run, words = visit.library.run(visit.query.get("run", "")), visit.query.get("q", "").strip()
    order = visit.query.get("order", "")
    some = [
        one
        for one in run.episodes
        if words.casefold() in " ".join([one.task_id, one.kind, one.finish, one.failure, *one.flags]).casefold()
    ]
    if order == "worst":
        some.sort(key=lambda one: (one.scores["reward"], one.task_id, one.sample))
    shown, paging = visit.paged(len(some), SHOWN_RECORDS)
    rows: list[list[Content]] = [
        [
            visit.links.link(one.task_id, "episode", run=run.name, at=one.place.offset),
            one.sample,
            one.kind,
            one.finish,
            one.scores["reward"],
            one.scores["item_f1"],
            one.scores["evidenced_item_f1"],
            one.turns,
            one.calls,
            one.failure.replace("_", " "),
            ", ".join(one.flags),
        ]
        for one in (some[i] for i in shown)
    ]
    box = tag("input", type="search", name="q", value=words, size=30, data_search=True)
    form = tag(
        "form",
        tag("input", type="hidden", name="run", value=run.name),
        field("Task, end, failure or flag", box),
        field("Order", choices("order", [("", "as played"), ("worst", "worst first")], order)),
        tag("button", "Filter"),
        class_="bar",
        role="search",
    )
    header = ("task", "sample", "kind", "end", "reward", "item F1", "evidenced", "turns", "calls", "failure", "flags")
    count = note(f"{len(some)} of {len(run.episodes)} episodes.")
    body = tag("div", problems(run.problems), form, count, table(header, rows, label="Episodes"), paging)
    return Sheet(run.name, body, crumbs=(("Runs", visit.links.to("runs")),))


def traces(visit: Visit) -> Sheet:
    """Show all traces."""
    every = list(visit.library.traces().items())
    shown, paging = visit.paged(len(every), SHOWN_RECORDS)
    rows = [
        [visit.links.link(name, "trace", file=name), *(str(head.get(part, "")) for part in HEAD)]
        for name, (_, head) in (every[i] for i in shown)
    ]
    nothing = note("No trace is there: serve with ", tag("code", "--trace DIR"), ".")
    return Sheet("Traces", tag("div", table(("file", *HEAD), rows, label="Traces") or nothing, paging))
