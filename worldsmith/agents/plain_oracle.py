"""The agent that knows the query and how the schema heads its columns, and finds every value by the tools.

It lists the scope, reads what the clauses need of every row in it, and the asked columns of the rows that pass.
What no reply states stays empty. Its calls are the certificate of a task.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldsmith import expr, scoring
from worldsmith.agents.client import Client, Reply
from worldsmith.agents.markdown_reader import read
from worldsmith.agents.memory import Key, PageMemory, Place, Unread
from worldsmith.episode.tools import hits_text
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.schema import Aggregate, PageSpec, Path, Schema, Value
from worldsmith.tasks import Query, Scope, Task, Top, markdown_table
from worldsmith.tasks.conditions import Wording, verb_phrase
from worldsmith.tasks.query import is_tally, scope_condition
from worldsmith.tasks.query_evaluator import leaders

HITS = 3
"""Results asked for when one row's page is looked for: its name finds it at once."""
LISTS = 5
"""Results asked for when a list is looked for."""
PARTS = 40
"""Pages of one list at most."""
TURNS = frozenset({"Next page", "Previous page"})
_WORD = re.compile(r"\w+")
_PART = re.compile(r" \((?:part \w+|continued)\)$")


@lru_cache(maxsize=512)  # the pages of a world: more would grow with each world that is opened
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, in small letters."""
    return frozenset(_WORD.findall(text.casefold()))


def oracle(task: Task, schema: Schema, client: Client) -> str:
    """Return the answer to a task, as a Markdown table."""
    return _answer(task, Search(task, schema, client))


def reworded(task: Task, schema: Schema, client: Client) -> str:
    """Return the answer that the oracle gives when its queries are put otherwise: no small words, another order."""
    return _answer(task, Search(task, schema, client, other=True))


def _answer(task: Task, search: "Search") -> str:
    query = task.query
    lines = [
        [search.cell_text(query, key, path, c) for path, c in zip(query.columns, task.columns, strict=True)]
        for key in search.matching_keys(query)
    ]
    return markdown_table(task.columns, lines)


SMALL = frozenset({"a", "an", "and", "are", "as", "by", "for", "have", "in", "of", "or", "that", "the", "were"})
"""Words that another wording of a query does without."""


def reworded_query(query: str) -> str:
    """Return a query in small letters, its words in the reverse order and without the small ones."""
    kept = [word for word in query.casefold().split() if word not in SMALL]
    return " ".join(reversed(kept)) or query


class Search:
    """One task being solved."""

    def __init__(self, task: Task, schema: Schema, client: Client, *, other: bool = False) -> None:
        self.query, self.schema, self.client, self.other = task.query, schema, client, other
        self.words = set(words_of(task.question))
        """The words of the question and of every reply so far: all that a query may be made of."""
        self.memory = PageMemory(schema)
        self.page_texts: dict[str, str] = {}
        self.visits: set[tuple[str, Place]] = set()
        self.single_values: dict[Query, Value] = {}
        self.tables_passed: set[str] = set()
        """The tables whose rows are read about on the way to others."""
        for query in task.query.chain():
            read_paths = (*query.evidence, *query.ranked, *query.columns)
            refs = {path[: i + 1] for path in read_paths if not is_tally(path) for i in range(len(path) - 1)}
            self.tables_passed |= {schema.walk(query.table, path).ref or "" for path in refs}

    def rows(self, query: Query | None = None) -> Iterator[Key]:
        """Yield the keys of the rows in scope, list by list."""
        query = query or self.query
        if query.named:
            yield query.scope.values
            return
        spec = next(s for s in self.schema.pages if s.list == query.table and s.by == query.scope.column)
        keys: dict[Key, None] = {}
        for scope in self.scope(query):
            for key in self._list_keys(spec, scope):
                keys[key] = None
        yield from keys

    def scope(self, query: Query) -> tuple[Value, ...]:
        """Return the values of a scope: those that are named, or the one that its chain leads to."""
        if query.scope.of is None:
            return query.scope.values
        value = self.single_value(query.scope.of)
        return () if value is None else (value,)

    def single_value(self, query: Query) -> Value:
        """Return the one cell of a query, null where the replies don't lead to one."""
        if query not in self.single_values:
            keys = self.matching_keys(query)
            try:
                self.single_values[query] = self.value(query, keys[0], query.columns[0]) if len(keys) == 1 else None
            except Unread:
                self.single_values[query] = None
        return self.single_values[query]

    def matching_keys(self, query: Query) -> list[Key]:
        """Return the keys of a query's rows."""
        tests = [expr.compile_python(clause) for clause in query.clauses]
        keys = [key for key in self.rows(query) if self.passes(query, key, tests)]
        return keys if query.top is None else self._leading_keys(query, query.top, keys)

    def _leading_keys(self, query: Query, top: Top, keys: Sequence[Key]) -> list[Key]:
        groups: dict[Value, list[Value]] = {}
        ranked: list[tuple[Key, Value, Value]] = []
        for key in keys:
            try:
                value = self.value(query, key, top.path)
                group = self.value(query, key, top.within) if top.within else None
            except Unread:
                continue
            if value is not None:
                ranked.append((key, value, group))
                groups.setdefault(group, []).append(value)
        first = {group: set(leaders(values, top)) for group, values in groups.items()}
        return [key for key, value, group in ranked if value in first[group]]

    def _list_keys(self, spec: PageSpec, scope: Value) -> Iterator[Key]:
        """Yield the keys of all parts of one list, wherever in it the search leads."""
        done: set[str] = set()
        start = self._find_list(spec, scope)
        waiting = [start] if start else []
        while waiting and len(done) < PARTS:
            url = waiting.pop()
            if url in done:
                continue
            done.add(url)
            page = read(self._open(url))
            yield from self.memory.take_list(spec, scope, page)
            waiting += [link.url for link in page.links if link.text in TURNS]

    def _find_list(self, spec: PageSpec, scope: Value) -> str | None:
        """Return the address of a page of the list of `scope`: a hit, or where a row in scope links to."""
        form = self.schema.tables[spec.table]
        column = form.column(spec.by or "")
        scope_text = scoring.show(scope, column.answer())
        name = f"{capital(form.plural)} by {lower(column.label)}"
        wanted = frozenset(f"{name}: {scope_text}{unit}" for unit in ("", f" {column.unit}", column.unit))
        words = verb_phrase(
            Wording(self.schema), spec.table, scope_condition(self.schema, spec.table, Scope(column.name, (scope,)))
        )
        queries = [f"{form.plural} {words}", f"{name} {scope_text}"]
        hits: dict[str, str] = {}
        for query in queries:
            if not words_of(query) <= self.words:
                continue
            for page in (1, 2):
                reply = self._ask(query, LISTS, page)
                fresh = {r["url"]: _PART.sub("", r["title"].split(" | ")[0]) for r in reply["results"]}
                hits |= fresh
                # A hit whose scope is withheld has only the list's name for a title.
                likely = [u for u, t in fresh.items() if t in wanted] or [u for u, t in fresh.items() if t == name]
                list_url = next((url for url in likely if self._is_list(url, wanted)), None)
                if list_url is not None:
                    return str(list_url)
                if not reply["more"]:
                    break
        return self._linked_list(hits, scope_text, wanted)

    def _linked_list(self, hits: Mapping[str, str], scope_text: str, wanted: frozenset[str]) -> str | None:
        for url, title in hits.items():
            if scope_text in title:
                leads = [s.url for s in read(self._open(url)).links if s.text == scope_text]
                list_url = next((lead for lead in leads if self._is_list(lead, wanted)), None)
                if list_url:
                    return list_url
        return None

    def _is_list(self, url: str, wanted: frozenset[str]) -> bool:
        return _PART.sub("", read(self._open(url)).title) in wanted

    def _ask(self, query: str, k: int, page: int = 1) -> Reply:
        reply = self.client.search(reworded_query(query) if self.other else query, k, page)
        self.words |= words_of(hits_text(reply))
        return reply

    def _open(self, url: str) -> str:
        if url not in self.page_texts:
            self.page_texts[url] = self.client.extract(url)
            self.words |= words_of(self.page_texts[url])
        return self.page_texts[url]

    def value(self, query: Query, key: Key, path: Path) -> Value:
        """Return the value at the end of a path from a row in scope; Unread where the replies don't tell it."""
        tally = query.tally(path)
        if tally is not None:
            return self._tallied(query.table, key, tally)
        place = (query.table, key)
        for i, step in enumerate(path):
            cell = self._cell(place, step)
            if cell is None or i == len(path) - 1:
                return cell
            place = (self.schema.column(place[0], step).ref or "", (cell,))
        raise Unread(".".join(path))

    def _tallied(self, table: str, key: Key, tally: Aggregate) -> Value:
        """Return a count, sum or maximum of children, from the page that tells them all."""
        children = self._children(table, key, tally)
        passing = children if tally.where is None else [c for c in children if self._holds(tally, c)]
        if tally.op == "count":
            return len(passing)
        held = [self._cell((tally.table, child), tally.column or "") for child in passing]
        known = [v for v in held if isinstance(v, int | float)]
        return sum(known) if tally.op == "sum" else max(known, default=None)

    def _holds(self, tally: Aggregate, child: Key) -> bool:
        assert tally.where is not None
        test, paths = expr.compile_python(tally.where)
        return test(*(self._cell((tally.table, child), path[0]) for path in paths)) is True

    def _children(self, table: str, key: Key, tally: Aggregate) -> list[Key]:
        kin = (tally.table, tally.by[0])
        for spec in self.schema.pages:
            if spec.about == table and kin in {(c.table, c.ref) for c in spec.children}:
                self._visit_all(spec, (table, key))
                return self.memory.keys_where(tally.table, tally.by[0], key[0])
        for spec in self.schema.pages:
            if (spec.list, spec.by) == kin:
                return list(dict.fromkeys(self._list_keys(spec, key[0])))
        raise Unread(tally.table)

    def _cell(self, place: Place, col: str) -> Value:
        table, key = place
        form = self.schema.tables[table]
        if col in form.key:
            return key[form.key.index(col)]
        for reach in (self._by_own_page, self._by_parent):
            if col in self.memory.facts.get(place, {}):
                break
            reach(place, col)
        facts = self.memory.facts.get(place, {})
        if col not in facts:
            raise Unread(f"{table}.{col}")
        return facts[col]

    def _by_own_page(self, place: Place, col: str) -> None:
        for spec in self.schema.pages:
            if spec.about == place[0] and (not spec.show or col in spec.show):
                self._visit(spec, place)
                if col not in self.memory.facts.get(place, {}):
                    self._follow(spec, place, col)

    def _by_parent(self, place: Place, col: str) -> None:
        for spec in self.schema.pages:
            for child in spec.children if spec.about else ():
                if child.table == place[0] and (col in child.columns or col == child.ref):
                    parent = self.memory.facts.get(place, {}).get(child.ref)
                    if parent is not None:
                        self._visit(spec, (spec.about or "", (parent,)))
                if col in self.memory.facts.get(place, {}):
                    return

    def _visit(self, spec: PageSpec, place: Place) -> None:
        """Read the page of a kind about a row, by a link that was seen, or by searching for its name."""
        if (spec.name, place) in self.visits:
            return
        self.visits.add((spec.name, place))
        first = self._entry_spec(spec)
        if spec is not first and place[0] in self.tables_passed:
            self._visit(first, place)  # it is needed anyway, and links to this page
        if any(self._take(url, spec, place) for url in self._links(spec, place)):
            return
        reply = self._ask(self._page_query(spec, place), HITS)
        name, nouns = str(place[1][0]).casefold(), self._nouns(spec)
        titles = [(str(hit["title"]).casefold(), str(hit["url"])) for hit in reply["results"]]
        likely = sorted(titles, key=lambda t: spec is not first and not any(noun in t[0] for noun in nouns))
        for title, url in likely:
            if name in title and self._take(url, spec, place):
                return

    def _follow(self, spec: PageSpec, place: Place, col: str) -> None:
        """Read a row's page by a link of a page that names it, where its own page is no hit."""
        if (spec.name, (col, place[1])) in self.visits:
            return
        self.visits.add((spec.name, (col, place[1])))
        form = self.schema.tables[place[0]]
        name, entry = str(place[1][0]), f"{capital(form.singular)} entry"
        nouns = form.plural if words_of(form.plural) <= self.words else ""
        waiting = [hit["url"] for hit in self._ask(f"{name} {nouns}".strip(), 10)["results"]]
        done: set[str] = set()
        while waiting and len(done) < PARTS:
            url = waiting.pop(0)
            if url in done:
                continue
            done.add(url)
            links = read(self._open(url)).links
            leads = dict.fromkeys(link.url for link in links if link.text in {name, entry})
            taken = [self._take(lead, spec, place) for lead in leads]
            if any(taken) and col in self.memory.facts.get(place, {}):
                return
            # A directory has parts.
            waiting += [link.url for link in links if link.text in TURNS]

    def _visit_all(self, spec: PageSpec, place: Place) -> None:
        """Read the page that tells all children of a row; an entry without a link to it says that there are none."""
        first = self._entry_spec(spec)
        self._visit(first, place)
        if spec is first or self._links(spec, place):
            self._visit(spec, place)

    def _entry_spec(self, spec: PageSpec) -> PageSpec:
        """Return the first kind of page about the rows that a kind is about: their entries."""
        return next(s for s in self.schema.pages if s.about == spec.about)

    def _nouns(self, spec: PageSpec) -> list[str]:
        return [self.schema.tables[c.table].plural.casefold() for c in spec.children] or [spec.name.casefold()]

    def _links(self, spec: PageSpec, place: Place) -> list[str]:
        if spec is self._entry_spec(spec):
            return self.memory.urls.get(place, [])
        nouns = self._nouns(spec)
        return [link.url for link in self.memory.links_of_row.get(place, []) if link.text.casefold() in nouns]

    def _page_query(self, spec: PageSpec, place: Place) -> str:
        names = " ".join(map(str, place[1]))
        nouns = [self.schema.tables[c.table].plural for c in spec.children]
        nouns = [noun for noun in nouns if words_of(noun) <= self.words]
        return names if spec is self._entry_spec(spec) or not nouns else f"{names} {' '.join(nouns)}"

    def _take(self, url: str, spec: PageSpec, place: Place) -> bool:
        """Note what a page says if it is the one of a kind about a row; what leads to the entry is no entry itself.

        So a copy of an entry, as it was or with a mistake in it, is believed in nothing but where the entry is.
        """
        form = self.schema.tables[place[0]]
        page = read(self._open(url))
        if page.pairs and spec is self._entry_spec(spec):
            leads = [link.url for link in page.links if link.text == f"{capital(form.singular)} entry"]
            page = read(self._open(leads[0])) if leads else page
        return bool(page.title) and self.memory.take_entry(place, spec, page)

    def passes(self, query: Query, key: Key, tests: Sequence[tuple[Callable[..., Any], tuple[Path, ...]]]) -> bool:
        """Return whether every clause is true of a row; all they read is read, whatever the first one gives."""
        try:
            marks = [test(*[self.value(query, key, path) for path in paths]) for test, paths in tests]
        except Unread:
            return False
        return all(mark is True for mark in marks)

    def cell_text(self, query: Query, key: Key, path: Path, column: scoring.Column) -> str:
        """Return a cell of the answer; "" where no reply told it."""
        try:
            return scoring.show(self.value(query, key, path), column)
        except Unread:
            return ""
