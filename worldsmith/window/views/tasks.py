"""The tasks of a world or a pool, and one of them with its gold and the calls that prove it."""

from collections.abc import Mapping
from typing import Any, Final

from worldsmith import scoring
from worldsmith.errors import NotFoundError, close_match
from worldsmith.tasks import Task, difficulty
from worldsmith.window.markup import Child, tag
from worldsmith.window.sheet import Cell, Content, Links, Sheet, Visit, facts, field, note, section, table

SHOWN_TASKS: Final = 50
"""Tasks of a page of the list."""


def tasks(visit: Visit) -> Sheet:
    """Show the tasks of a world or a pool, those whose question has some words."""
    name, words = visit.path["world"], visit.query.get("q", "").strip()
    every = visit.library.tasks(name)
    some = [
        task for task in every.values() if words.casefold() in f"{task.task_id} {task.kind} {task.question}".casefold()
    ]
    shown, paging = visit.paged(len(some), SHOWN_TASKS)
    box = tag("input", type="search", name="q", value=words, size=40, data_search=True)
    rows: list[list[Content]] = [
        [
            visit.links.link(task.task_id, "world", name, "task", id=task.task_id),
            task.kind,
            Cell(f"{len(task.gold)} × {len(task.columns)}", "n"),
            task.turns,
            Cell(f"{difficulty(task):.2f}", "n"),
            Cell(task.question.split("\n\n")[0], "long"),
        ]
        for task in (some[i] for i in shown)
    ]
    body = tag(
        "div",
        tag("form", field("Question or id contains", box), tag("button", "Filter"), class_="bar", role="search"),
        note(f"{len(some)} of {len(every)} tasks. Their gold is shown: keep it from agents."),
        table(("task", "kind", "rows × columns", "turns", "difficulty", "question"), rows, label="Tasks"),
        paging,
    )
    return Sheet("Tasks", body, name, tab="tasks", pooled=visit.library.is_pool(name))


def task(visit: Visit) -> Sheet:
    """Show a task: question, gold, query, certificate."""
    name, task_id = visit.path["world"], visit.query.get("id", "")
    every = visit.library.tasks(name)
    if task_id not in every:
        raise NotFoundError(f"no task {task_id!r} of {name}.{close_match(task_id, every)}")
    one = every[task_id]
    certificate = one.certificate
    calls = [_call_row(visit.links, one.web, i, made) for i, made in enumerate(certificate.get("calls", ()), 1)]
    body = tag(
        "div",
        tag(
            "div",
            section("Question", tag("pre", one.question, class_="text")),
            section("Gold", _gold(visit.links, name, one)),
        ),
        tag(
            "div",
            facts(
                [
                    ("kind", one.kind),
                    ("difficulty", f"{difficulty(one):.2f}"),
                    ("worlds", ", ".join(one.worlds)),
                    ("turns", one.turns),
                    ("tokens of replies", one.tool_tokens),
                    ("typical turns", one.typical_turns),
                    ("shortcuts are worth", ", ".join(f"{way} {worth:.2f}" for way, worth in one.audit.items())),
                    ("profile", str(certificate.get("profile", ""))),
                ]
            ),
            section("Certificate", table(("", "tool", "argument", ""), calls, label="Calls")),
            section("SQL", tag("pre", one.sql)),
        ),
        class_="split",
    )
    crumbs = (("Tasks", visit.links.to("world", name, "tasks")),)
    return Sheet(task_id, body, name, crumbs, pooled=visit.library.is_pool(name))


def _gold(links: Links, world: str, one: Task) -> Child:
    """Return the gold table, each cell with the pages that state it."""
    header = [tag("span", column.name, title="part of the key" if column.key else None) for column in one.columns]
    rows = [
        [
            Cell([tag("b" if column.key else "span", scoring.show(value, column)), _pages(links, world, pages)])
            for value, column, pages in zip(
                row, one.columns, one.pages[i] if one.pages else [()] * len(row), strict=True
            )
        ]
        for i, row in enumerate(one.gold)
    ]
    return table(header, rows, label="Gold") or note("The right answer is an empty table.")


def _pages(links: Links, world: str, pages: tuple[str, ...]) -> Child:
    """Return the pages of a gold cell, small beside it; over several worlds an id starts with its world."""
    places = [(page.split("/", 1) if page.count("/") > 1 else (world, page)) for page in pages]
    numbered = [
        (" ", tag("a", str(number), href=links.to("world", home, "page", id=page), title=page))
        for number, (home, page) in enumerate(places, 1)
    ]
    return tag("sup", numbered) if numbered else None


def _call_row(links: Links, web: str, number: int, made: Mapping[str, Any]) -> list[Content]:
    query = {key: made.get(key) for key in ("page", "offset", "k")}
    address = links.to("world", web, "search", tool=str(made.get("tool")), arg=str(made.get("arg")), **query)
    return [number, str(made.get("tool")), Cell(str(made.get("arg")), "long"), tag("a", "call it", href=address)]
