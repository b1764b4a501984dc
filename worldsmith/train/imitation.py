"""Episodes to imitate: the calls of a certificate as an agent should make them, and what it says to itself on the way.

Calls are those of the certificate, without searches whose results lead nowhere, over pages of as many hits as episodes
have. What is said comes from the plan of the pages and the task's query, never from a model: what is needed next, what
was found, which rows fall out and why. It holds no name and no value that the question or an earlier reply doesn't.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Any

from worldsmith import expr, scoring
from worldsmith.agents import SimulatorClient
from worldsmith.episode.tools import hits_text
from worldsmith.expr import Node
from worldsmith.lang.morphology import listing
from worldsmith.lang.reasoning_phrases import REASONING
from worldsmith.mining.certificates import NotCertified, certify, untraceable_argument
from worldsmith.pages import Page, Pages
from worldsmith.schema import Path
from worldsmith.seeding import draw
from worldsmith.simulate.disclosure import disclosed_by_reading, is_all_children
from worldsmith.tasks import Query, QueryEvaluator, Task
from worldsmith.tasks.conditions import Wording
from worldsmith.tasks.evidence import path_disclosures, required_disclosures
from worldsmith.tasks.headers import asked_name
from worldsmith.tasks.question import LETTERS, order_phrase
from worldsmith.world.model import Disclosure, Row

WAYS = ("oracle", "reworded")
"""The agents whose ways of solving a task are imitated, by turns."""
LONGEST = 30
"""Words of a thought at most."""
NAMED = 2
"""Rows that a sentence names at most."""

CallRecord = Mapping[str, Any]


def way_to_imitate(task: Task, client: SimulatorClient, number: int) -> Sequence[CallRecord]:
    """Return the calls of one of the ways in which a task is solved: those of its certificate, or another agent's."""
    agent = WAYS[number % len(WAYS)]
    if agent != WAYS[0]:
        try:
            return certify(task, client.pages.world, client, agent=agent).calls
        except NotCertified:
            pass  # it was solved both ways when it was mined, unless a gate was left out
    return list(task.certificate["calls"])


def useful_calls(task: Task, client: SimulatorClient, calls: Sequence[CallRecord], hits: int) -> list[dict[str, Any]]:
    """Return the calls without searches that show no page read later, on results pages of `hits`.

    All are kept where an argument has its words from a search that would be left out.
    """
    for thrifty in (True, False):
        kept, replies = list[dict[str, Any]](), list[str]()
        texts = task.question
        wanted = {str(call["arg"]) for call in calls if call["tool"] == "web_extractor"}
        for (tool, arg), group in groupby(calls, key=lambda call: (call["tool"], str(call["arg"]))):
            some = list(group)
            if tool == "web_extractor":
                made = [{name: call[name] for name in ("tool", "arg", "offset") if name in call} for call in some]
                pages = [client.extract(arg, call.get("offset", 0)) for call in made]
            else:
                last = max(ceil(call["page"] * call["k"] / hits) for call in some)
                results = [client.search(arg, hits, page) for page in range(1, last + 1)]
                shown = [{str(hit["url"]) for hit in reply["results"]} for reply in results]
                useful = [i + 1 for i, urls in enumerate(shown) if any(u in wanted and u not in texts for u in urls)]
                last = max(useful, default=0) if thrifty else last
                made = [{"tool": tool, "arg": arg, "page": page} for page in range(1, last + 1)]
                pages = [hits_text(reply) for reply in results[:last]]
            kept += made
            replies += pages
            texts += "\n" + "\n".join(pages)
        if untraceable_argument(task, kept, replies, client.pages.world) is None:
            break
    return kept


class Reasoning:
    """What an agent says to itself in one episode. Tell it each call before it is made, and each reply."""

    def __init__(self, task: Task, pages: Pages, calls: Sequence[CallRecord], number: int = 0) -> None:
        self.task, self.pages, self.evaluator, self.calls = task, pages, QueryEvaluator(pages.world), calls
        self.schema, self.number = pages.world.schema, number
        self.needed = required_disclosures(task, self.evaluator)
        self._described = self._description_cells(next(task.query.chain()))
        self.disclosed: set[Disclosure] = set()
        self.texts, self.step = task.question, 0
        self.decided: set[tuple[int, int]] = set()
        """(number of the query, row) of which is known whether it meets the conditions."""
        self.solved: set[int] = set()
        self.news: list[str] = []
        """Sentences on the last reply."""

    def _description_cells(self, start: Query) -> frozenset[Disclosure]:
        rows = self.evaluator.matching_rows(start) if start.described else ()
        groups = (path_disclosures(self.evaluator, start, row, path) for row in rows for path in start.read)
        return frozenset(cell for group in groups for cell in group)

    def before(self, place: int) -> str:
        """Return what is said before the call at a place among the calls."""
        call, self.step = self.calls[place], place
        if call["tool"] == "web_search":
            if call["page"] > 1:
                return self._thought(self._pick("more_hits"))
            target = self._page_read_next(place)
            frame = "search" if place else "first"
            return self._thought(self._pick(frame, what=self._goal(target)) if target else "")
        if call.get("offset"):
            return self._thought(self._pick("rest"))
        page = self._page(call)
        return self._thought(self._pick("opening", what=self._goal(page)) if page else "")

    def after(self, place: int, reply: str) -> None:
        """Take the reply to the call at a place."""
        self.texts += "\n" + reply
        page = self._page(self.calls[place]) if self.calls[place]["tool"] == "web_extractor" else None
        if page is None:
            return
        new = disclosed_by_reading(page, page.cells, self.pages.world) & self.needed - self.disclosed
        self.disclosed |= new
        self.step = place
        self.news = list(self._findings(page, new))

    def before_answer(self) -> str:
        """Return what is said before the table."""
        query, self.step = self.task.query, len(self.calls)
        if not query.key:
            self.news = list(self._leader(query)) or self.news
            return self._thought(
                self._pick("cell", header=asked_name(query.column(self.schema, query.columns[0]), self.schema))
            )
        rows, kept = self.evaluator.in_scope(query), self.evaluator.matching_rows(query)
        slots = {"n": len(kept), "m": len(rows), "many": self.schema.tables[query.table].plural}
        frame = "none" if not kept else "complete" if len(kept) == len(rows) else "chosen"
        return self._thought(self._pick(frame, **slots))

    def _thought(self, sentence: str) -> str:
        """Return what is new and a sentence, as far as they are short enough."""
        news, self.news = self.news, []
        for some in (news[:2], news[:1], []):
            text = " ".join([*some, sentence]).strip()
            if len(text.split()) <= LONGEST:
                return text
        return ""

    def _pick(self, part: str, **slots: object) -> str:
        wordings: tuple[str, ...] = getattr(REASONING, part)
        chosen = wordings[draw(self.task.digest, "reasoning", self.number, self.step, part) % len(wordings)]
        text = chosen.format(**slots)
        return text[:1].upper() + text[1:]

    def _page(self, call: CallRecord) -> Page | None:
        page_id = self.pages.by_url(str(call["arg"]))
        return None if page_id is None else self.pages.page(page_id)

    def _page_read_next(self, place: int) -> Page | None:
        """Return the first page read after a search that was not known before it."""
        calls = (call for call in self.calls[place:] if call["tool"] == "web_extractor")
        unknown = (call for call in calls if str(call["arg"]) not in self.texts)
        call = next(unknown, None)
        return None if call is None else self._page(call)

    def _known(self, text: str) -> bool:
        return bool(text) and re.search(rf"(?<![\w.,]){re.escape(text)}(?!\w)", self.texts) is not None

    def _name(self, row: Row) -> str:
        """Return the name of a row as the question or a reply has it; "" for one that is not known yet."""
        first, *rest = self.pages.keys(row)
        if not all(map(self._known, (first, *rest))):
            return ""
        return f"{first} ({', '.join(rest)})" if rest else first

    def _goal(self, page: Page) -> str:
        """Return what a page is needed for: the row described, columns of its row, rows that refer to it, or a list."""
        if (self._described - self.disclosed) & disclosed_by_reading(page, page.cells, self.pages.world):
            one = self.schema.tables[next(self.task.query.chain()).table].singular
            return REASONING.described.format(one=one)
        new = disclosed_by_reading(page, page.cells, self.pages.world) & self.needed - self.disclosed
        rows = dict.fromkeys(row for row, _ in sorted(new, key=str))
        subject = page.subject if page.subject in rows else None
        own = [column for row, column in sorted(new, key=str) if row == subject and not is_all_children((row, column))]
        if subject is not None and own:
            return self._columns_goal(subject, own)
        tables = dict.fromkeys(row.table for row in rows if row != page.subject)
        many = self.schema.tables[next(iter(tables))].plural if tables else self.schema.tables[page.table].plural
        if page.subject is not None:
            name, one = self._name(page.subject), self.schema.tables[page.subject.table].singular
            frame = REASONING.children_of if name else REASONING.children_of_some
            return frame.format(many=many, name=name, one=one)
        shared = next((self.pages.words.show(cell) for cell in page.cells if cell.col == page.scope), "")
        return (REASONING.listed_by if self._known(shared) else REASONING.listed).format(many=many, value=shared)

    def _columns_goal(self, row: Row, columns: Sequence[str]) -> str:
        table = self.schema.tables[row.table]
        names = [asked_name(table.column(c), self.schema) for c in columns if c not in table.key or len(columns) == 1]
        if not names:
            names = [asked_name(table.column(columns[0]), self.schema)]
        headers, name = listing(names[:NAMED]), self._name(row)
        headers = headers if len(headers.split()) < LONGEST // 2 else names[0]
        frame = REASONING.of_row if name else REASONING.of_some
        return frame.format(headers=headers, name=name, one=table.singular)

    def _findings(self, page: Page, new: set[Disclosure] | frozenset[Disclosure]) -> Iterator[str]:
        """Yield sentences on what a reply brought: steps of the chain, rows decided, else a value."""
        told = False
        for number, query in enumerate(self.task.query.chain()):
            for text in self._link_found(number, query):
                told = True
                yield text
            for text in self._rows_decided(number, query):
                told = True
                yield text
        if not told:
            yield from self._value_read(page, new)

    def _link_found(self, number: int, query: Query) -> Iterator[str]:
        """Yield the value of a step of the chain, once all is known that leads to it."""
        if query is self.task.query or number in self.solved:
            return
        kept = self.evaluator.matching_rows(query)
        read = (*query.evidence, *query.read)
        rows = self.evaluator.rows_to_know(query)
        groups = ((rows, read), (self.evaluator.passing(query), query.ranked), (kept, query.columns))
        if all(self._all_known(query, i, paths) for some, paths in groups for i in some):
            self.solved.add(number)
            value = scoring.show(
                self.evaluator.single_value(query), query.column(self.schema, query.columns[0]).answer()
            )
            if self._known(value):
                yield self._pick("link", letter=LETTERS[number], value=value)

    def _leader(self, query: Query) -> Iterator[str]:
        """Yield which row of a list leads in an order."""
        if query.top is None or query.top.count > 1:
            return
        rows, kept = self.evaluator.passing(query), self.evaluator.matching_rows(query)
        name = self._name(Row(query.table, kept[0])) if len(kept) == 1 else ""
        if name and len(rows) > 1:
            lead = order_phrase(Wording(self.schema), query, query.top)
            many = self.schema.tables[query.table].plural
            yield self._pick("leader", m=len(rows), many=many, name=name, lead=lead)

    def _all_known(self, query: Query, row: int, paths: Sequence[Path]) -> bool:
        return all(cell in self.disclosed for p in paths for cell in path_disclosures(self.evaluator, query, row, p))

    def _rows_decided(self, number: int, query: Query) -> Iterator[str]:
        """Yield which rows fall out, and why, or fit, of those that became clear with the last reply."""
        if not query.clauses or query.described or (query.scope.of is not None and number - 1 not in self.solved):
            return
        out: dict[str, list[str]] = {}
        fitting: list[str] = []
        for row in self.evaluator.in_scope(query):
            verdict = self._verdict(query, row) if (number, row) not in self.decided else None
            if verdict is None:
                continue
            self.decided.add((number, row))
            name = self._name(Row(query.table, row))
            if name and verdict:
                out.setdefault(verdict, []).append(name)
            elif name:
                fitting.append(name)
        for headers, names in out.items():
            shown = self._some(names)
            yield self._pick("out" if len(names) == 1 else "out_several", names=shown, headers=headers)
        if len(fitting) == 1 and not out:
            yield self._pick("fits", names=fitting[0])

    def _verdict(self, query: Query, row: int) -> str | None:
        """Return by which columns a row falls out, "" where it meets all conditions; None where that isn't known."""
        if not self._all_known(query, row, [*query.key, (query.scope.column,)]):
            return None
        open_ = False
        for clause in query.clauses:
            if not self._all_known(query, row, expr.paths(clause)):
                open_ = True
            elif self.evaluator.truths(query, clause, (row,))[0] is not True:
                return self._headers(query, clause)
        return None if open_ else ""

    def _headers(self, query: Query, clause: Node) -> str:
        return listing([self._header(query, path) for path in dict.fromkeys(expr.paths(clause))])

    def _header(self, query: Query, path: Path) -> str:
        tally = query.tally(path)
        if tally is not None:
            return self.schema.tables[tally.table].plural
        *refs, last = [self.schema.walk(query.table, path[: i + 1]) for i in range(len(path))]
        return " of the ".join(asked_name(column, self.schema) for column in (last, *reversed(refs)))

    def _some(self, names: Sequence[str]) -> str:
        """Return names, no more than a sentence holds."""
        if len(names) <= NAMED:
            return listing(list(names))
        return REASONING.others.format(names=", ".join(names[:NAMED]), n=len(names) - NAMED)

    def _value_read(self, page: Page, new: set[Disclosure] | frozenset[Disclosure]) -> Iterator[str]:
        """Yield a value of the page's row that the reply has word for word."""
        world = self.pages.world
        for row, name in sorted(new, key=str):
            if row != page.subject or is_all_children((row, name)) or name in self.schema.tables[row.table].key:
                continue
            column = self.schema.column(row.table, name)
            shown = self.pages.words.show(world.cell(row, name)) if world.value(row, name) is not None else ""
            if column.type in {"text", "int", "num"} and self._known(shown):
                yield self._pick("value", header=asked_name(column, self.schema), value=shown)
                return


class JoinedReasoning:
    """The reasoning of an agent in an episode over several worlds: before each call that of the world it is about.

    Takes the `Reasoning` of each world, on the same calls; with a single one it is that one.
    """

    def __init__(self, parts: Sequence[Reasoning]) -> None:
        self.parts = parts

    def before(self, place: int) -> str:
        """Return the reasoning before the call at a place among the calls."""
        part = self._at(place)
        part.news = [text for one in self.parts for text in one.news]
        for one in self.parts:
            if one is not part:
                one.news = []
        return part.before(place)

    def after(self, place: int, reply: str) -> None:
        """Take the reply to the call at a place."""
        for part in self.parts:
            part.after(place, reply)

    def before_answer(self) -> str:
        """Return what is said before the table."""
        return [part for part in self.parts if part.task.is_queried][-1].before_answer()

    def _at(self, place: int) -> Reasoning:
        """Return the reasoning on the world whose page is read next."""
        reads = (str(call["arg"]) for call in self.parts[0].calls[place:] if call["tool"] == "web_extractor")
        on_pages = (part for url in reads for part in self.parts if part.pages.by_url(url) is not None)
        return next(on_pages, self.parts[-1])


def function_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of a certificate as its tool and arguments."""
    if call["tool"] == "web_search":
        arguments = {"query": call["arg"]} | ({"page": call["page"]} if call.get("page", 1) > 1 else {})
    else:
        arguments = {"url": call["arg"]} | ({"offset": call["offset"]} if call.get("offset") else {})
    return {"name": call["tool"], "arguments": arguments}
