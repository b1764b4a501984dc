"""The oracle of natural pages: it knows which cells a task rests on and which pages state them, and searches for these.

It reads by the plan, as a perfect reader would (`Observation.disclosed`), whatever the wording. Its queries are a
person's: names, numbers and dates from the question or an earlier reply, other words from how people ask.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Final

from worldsmith import scoring
from worldsmith.agents.baselines import request_text
from worldsmith.agents.client import Recorder, Reply, SimulatorClient
from worldsmith.agents.plain_oracle import words_of
from worldsmith.cache import kept_with_owner
from worldsmith.pages import Pages
from worldsmith.pages.dormant import syndicated
from worldsmith.pages.written import WrittenKind
from worldsmith.schema import Path, Schema
from worldsmith.schema.patterns import Bank
from worldsmith.simulate.disclosure import children_of, is_all_children
from worldsmith.tasks import Task, markdown_table
from worldsmith.tasks.descriptions import clue_terms
from worldsmith.tasks.evidence import path_disclosures, required_disclosures
from worldsmith.tasks.query import Query
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.task import CROSS
from worldsmith.world.model import Disclosure, Row

HITS: Final = 10
"""Results asked for."""
DEPTH: Final = 3
"""Results pages looked at for one query."""
DEEPER: Final = 12
"""Those looked at where pages gave less than their plans say, and what is missing is on no page that was found."""
QUERIES: Final = 6
"""Queries tried for one page."""
SCOPES: Final = 3
"""Values of a page's cells that its queries name, at most."""
LINKED: Final = 1024
"""Replies whose addresses are kept."""
STUCK: Final = 40
"""Pages that can't be found in a row before a search is given up."""
_SLOT = re.compile(r"\{\w+\}")
_URL = re.compile(r"https://[^\s()<>\[\]]+")
_PLAIN = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=32)
def asking_words(bank: Bank, schema: Schema) -> frozenset[str]:
    """Return the words, in small letters, that people use to ask about a schema: nouns, headers, ordinary words."""
    texts = [noun for table in schema.tables.values() for noun in (table.singular, table.plural)]
    texts += [column.label for table in schema.tables.values() for column in table.columns]
    for ask in bank.source.asks.values():
        for field in type(ask).model_fields:
            wordings: list[str] = getattr(ask, field)
            # The last of several is for tests alone, where the bank holds both splits.
            texts += wordings[:-1] if bank.split == "all" and len(wordings) > 1 and field != "header" else wordings
    plain = (_SLOT.sub(" ", text) for text in texts)
    return frozenset(word.casefold() for text in plain for word in _PLAIN.findall(text))


class Transcript:
    """All that was said so far. What was looked for is not looked for again in what was there then."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._held: set[str] = set()
        self._searched: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Add a reply."""
        self.text += "\n" + text

    def holds(self, part: str) -> bool:
        """Tell whether the text holds a part."""
        if part in self._held:
            return True
        start = max(0, self._searched.get(part, 0) - len(part))
        if self.text.find(part, start) >= 0:
            self._held.add(part)
            return True
        self._searched[part] = len(self.text)
        return False


class PlannedPages:
    """What searches know of a world's pages by their plans: worked out once for all tasks of the world."""

    def __init__(self, pages: Pages) -> None:
        self.pages, self.world, self.evaluator = pages, pages.world, QueryEvaluator(pages.world)
        self.name, self.stated, self.stating = cache(self._name), cache(self._stated), cache(self._stating)
        addresses = frozenset(pages.url(page_id) for page_id in (*pages.ids(), *pages.copies()))
        self.links = lru_cache(LINKED)(lambda text: addresses.intersection(_URL.findall(text)))
        """The addresses of pages that stand anywhere in a text."""
        self.lines = lru_cache(LINKED)(lambda text: addresses.intersection(text.split("\n")))
        """Those that are a line of it."""

    def _name(self, page_id: str) -> str:
        """Return what a page is found by: the names of its row, or the value that its rows share."""
        page = self.pages.page(page_id)
        if page.subject is not None:
            return " ".join(self.pages.keys(page.subject))
        shared = next((cell for cell in page.cells if cell.col == page.scope), None)
        return self.pages.words.show(shared) if shared else ""

    def _stated(self, page_id: str) -> frozenset[Disclosure]:
        """Return the cells that a page states."""
        return frozenset((cell.row, cell.col) for cell in self.pages.page(page_id).cells)

    def _stating(self, need: Disclosure) -> tuple[str, ...]:
        """Return the pages that can be found and that disclose something."""
        row, column = need
        if not is_all_children(need):
            return self.pages.carrying(row, column)
        page_ids: list[str] = []
        for name, kind in self.pages.kinds.items():
            if isinstance(kind, WrittenKind):
                source, children = kind.source, kind.written.children
                if source.about == row.table and any(children_of(t, ref) == column for t, ref, _ in children):
                    page_ids += [f"{name}/{row.index}"] if row.index in kind.numbers else []
                elif source.list_ and source.when is None and children_of(source.list_, source.by or "") == column:
                    first = self.pages.list_of(name, self.world.key(row)[0])
                    page_ids += [first] if first else []
        return tuple(page_ids)


@kept_with_owner
def planned_pages(pages: Pages) -> PlannedPages:
    """Return what is known of pages."""
    return PlannedPages(pages)


class PlannedSearch:
    """One task being solved; `turn` picks among ways to go: 1 puts its queries otherwise and follows no link."""

    def __init__(self, task: Task, pages: Pages, client: Recorder, turn: int = 0) -> None:
        self.task, self.pages, self.client, self.turn = task, pages, client, turn
        self.known, self.world = planned_pages(pages), pages.world
        self.evaluator = self.known.evaluator
        assert pages.voice is not None
        self.voice = pages.voice
        self.words = set(words_of(task.question)) | asking_words(self.voice.bank, self.world.schema)
        self.texts = Transcript(task.question)
        self.known_urls: set[str] = set()
        self.named: set[str] = set()
        """Pages whose names are known."""
        self.read: set[str] = set()
        self.lost: set[str] = set()
        self.depth = DEPTH
        self.copied: list[str] = []
        """Copies of pages that gave less than their plans say."""
        self.hits: dict[tuple[str, int], Reply] = {}
        inner = client.client
        self.disclosed: set[Disclosure] = inner.page_disclosures if isinstance(inner, SimulatorClient) else set()
        """What the pages read so far disclosed."""

    def solve(self, needs: Collection[Disclosure]) -> None:
        """Search and read until all `needs` are disclosed, or no page is left that can be found."""
        missing = set(needs) - self.disclosed
        gains = Counter(page_id for need in missing for page_id in self.known.stating(need))
        stuck = 0
        while missing:
            target = self._target(gains) if stuck < STUCK else None
            if target is None:
                if not self.copied or self.depth == DEEPER:
                    return
                self.depth, stuck = DEEPER, 0
                self.lost.clear()
            elif self._open(target, missing):
                stuck = 0
                self.lost.clear()
                gains.subtract(page_id for need in missing & self.disclosed for page_id in self._stating(need))
                missing -= self.disclosed
                if gains[target] > 0:
                    self.copied.append(copy := syndicated(target))
                    gains[copy] = gains[target]
            else:
                self.lost.add(target)
                stuck += 1

    def _stating(self, need: Disclosure) -> Iterator[str]:
        """Yield the pages that can be found, perhaps, and that disclose something."""
        for page_id in self.known.stating(need):
            yield page_id
            copy = syndicated(page_id)
            if copy in self.copied:
                yield copy

    def _target(self, gains: Mapping[str, int]) -> str | None:
        """Return the page that states most of what is missing, one whose address is known before others.

        Args:
            gains: how much of what is missing each page states.
        """
        left = [i for i, gain in gains.items() if gain > 0 and i not in self.read and i not in self.lost]
        return max(left, key=lambda i: (self._near(i), gains[i], i), default=None)

    def _near(self, page_id: str) -> int:
        """Return 2 for a page whose address is known, 1 for one whose name is, 0 for others."""
        if self.pages.url(page_id) in self.known_urls:
            return 2
        return int(self._name_known(page_id))

    def _name_known(self, page_id: str) -> bool:
        if page_id not in self.named:
            name = self.known.name(page_id)
            if not name or not words_of(name) <= self.words:
                return False
            self.named.add(page_id)
        return True

    def _open(self, page_id: str, missing: Collection[Disclosure]) -> bool:
        url = self.pages.url(page_id)
        if url not in self.known_urls or not self.texts.holds(url):
            for query in islice(self._queries(page_id, missing), QUERIES):
                if self._finds(query, url):
                    break
            else:
                return False
        self._take(self.client.extract(url))
        self.read.add(page_id)
        return True

    def _finds(self, query: str, url: str) -> bool:
        for page in range(1, self.depth + 1):
            reply = self.hits.get((query, page))
            if reply is None:
                reply = self.hits[query, page] = self.client.search(query, HITS, page)
                self._take(self.client.replies[-1])
            if any(hit["url"] == url for hit in reply["results"]):
                return True
            if not reply["more"]:
                return False
        return False

    def _take(self, text: str) -> None:
        self.words |= words_of(text)
        self.texts.add(text)
        # Who follows no link knows the addresses of hits alone: each stands on a line of its own.
        self.known_urls |= self.known.lines(text) if self.turn else self.known.links(text)

    @cached_property
    def _start(self) -> Query:
        """The query that the chain starts from."""
        return next(self.task.query.chain())

    @cached_property
    def _described(self) -> frozenset[Disclosure]:
        """What the question says of a row that it describes."""
        start = self._start
        rows = self.evaluator.matching_rows(start) if start.described else ()
        cells = (path_disclosures(self.evaluator, start, i, path) for i in rows for path in start.read)
        return frozenset(cell for group in cells for cell in group)

    def _queries(self, page_id: str, missing: Collection[Disclosure]) -> Iterator[str]:
        """Yield queries for a page, each of words that are known by now."""
        page = self.pages.page(page_id)
        form = self.world.schema.tables[page.table]
        nouns = self._column_words(page_id, missing)
        subject = self.voice.subject if words_of(self.voice.subject) <= self.words else ""
        name = self.known.name(page_id)
        ways: list[tuple[str, ...]] = []
        if self._described.intersection((cell.row, cell.col) for cell in page.cells):
            terms = clue_terms(self.world.schema, self._start)
            ways.append((self.world.schema.tables[self._start.table].singular, *terms, subject))
        if self._name_known(page_id):
            ways += [(name, subject), (name, nouns), (name,), (form.plural, name, subject)]
        scopes = (self.pages.words.show(cell) for cell in page.cells if self._tells_apart(cell.value))
        known = list(islice(_distinct(text for text in scopes if words_of(text) <= self.words), SCOPES))
        ways += [(form.singular, text, nouns) for text in known]
        ways += [(form.plural, text, subject) for text in known]
        ways += [(*known, form.plural, subject)] if len(known) > 1 else []
        texts = (" ".join(filter(None, reversed(way) if self.turn else way)) for way in ways)
        for way in dict.fromkeys(texts):
            if way and words_of(way) <= self.words:
                yield way

    def _tells_apart(self, value: object) -> bool:
        return isinstance(value, str) and self.texts.holds(value)

    def _column_words(self, page_id: str, missing: Collection[Disclosure]) -> str:
        """Return how a person asks for the first column that is missing and that the page states."""
        for row, column in sorted(self.known.stated(page_id).intersection(missing)):
            ask = self.voice.bank.source.asks.get(f"{row.table}.{column}")
            header = ask.header[self.turn % len(ask.header)] if ask and ask.header else self._label(row, column)
            return re.sub(r"\s*\(.*\)", "", header)
        return ""

    def _label(self, row: Row, column: str) -> str:
        return self.world.schema.column(row.table, column).label

    def answer(self) -> str:
        """Return the table that the disclosed cells give: rows whose evidence is all there, cells as far as told."""
        query = self.task.query
        rows = [i for i in self.evaluator.matching_rows(query) if self._known(query, i)]
        return table_of(self.task, self.evaluator, self.disclosed, rows)

    def _known(self, query: Query, index: int) -> bool:
        paths: Iterable[Path] = (*query.evidence, *query.read)
        return all(
            cell in self.disclosed for path in paths for cell in path_disclosures(self.evaluator, query, index, path)
        )


def _distinct(texts: Iterable[str]) -> Iterator[str]:
    """Yield each text once."""
    yielded: set[str] = set()
    for text in texts:
        if text not in yielded:
            yielded.add(text)
            yield text


def table_of(task: Task, evaluator: QueryEvaluator, disclosed: Collection[Disclosure], rows: Iterable[int]) -> str:
    """Return the answer of a perfect reader to whom these cells of some rows were disclosed; others stay empty."""
    query = task.query
    lines = []
    for i in rows:
        line = []
        for path, column in zip(query.columns, task.columns, strict=True):
            known = path in query.fixed or all(c in disclosed for c in path_disclosures(evaluator, query, i, path))
            line.append(scoring.show(evaluator.query_values(query, path)[i], column) if known else "")
        lines.append(line)
    return markdown_table(task.columns, lines)


def natural_oracle(task: Task, pages: Pages, client: Recorder) -> str:
    """Answer a task over natural pages, as far as its evidence can be found."""
    return _solved(task, pages, client, 0)


def natural_reworded(task: Task, pages: Pages, client: Recorder) -> str:
    """Answer by other queries and no links."""
    return _solved(task, pages, client, 1)


def _solved(task: Task, pages: Pages, client: Recorder, turn: int) -> str:
    search = PlannedSearch(task, pages, client, turn)
    search.solve(required_disclosures(task, search.evaluator))
    return search.answer()


def natural_keys_only(task: Task, pages: Pages, client: Recorder) -> str:
    """Find the rows in scope and name them, without reading what the conditions or columns need."""
    search = PlannedSearch(task, pages, client)
    query, evaluator = task.query, search.evaluator
    rows = evaluator.rows_to_know(query)
    paths = (*query.key, (query.scope.column,))
    search.solve({cell for i in rows for path in paths for cell in path_disclosures(evaluator, query, i, path)})
    keys = {cell for i in rows for path in query.key for cell in path_disclosures(evaluator, query, i, path)}
    return table_of(task, evaluator, search.disclosed & keys, rows)


def natural_one_query(task: Task, pages: Pages, client: Recorder) -> str:
    """Ask the question itself, once, and take every row that the hits name, with all that they tell of it."""
    return _from_hits(task, pages, client, [request_text(task)], 1)


def natural_snippets_only(task: Task, pages: Pages, client: Recorder) -> str:
    """Search by the question and by each value of its scope, open nothing, and take all that the hits tell."""
    plural = pages.world.schema.tables[task.query.table].plural
    subject = f" {pages.world.subject}" if task.kind == CROSS else ""
    queries = [request_text(task), *(f"{plural} {value}{subject}" for value in task.query.scope.values)]
    return _from_hits(task, pages, client, queries, DEPTH)


def _from_hits(task: Task, pages: Pages, client: Recorder, queries: Iterable[str], depth: int) -> str:
    search = PlannedSearch(task, pages, client)
    for text in queries:
        for page in range(1, depth + 1):
            if not client.search(text, HITS, page)["more"]:
                break
    inner = client.client
    query, evaluator = task.query, search.evaluator
    disclosed = inner.disclosed if isinstance(inner, SimulatorClient) else set()
    every = range(pages.world.size(query.table))
    key = query.key or ((pages.world.schema.tables[query.table].key[0],),)
    named = [
        i for i in every if all(c in disclosed for path in key for c in path_disclosures(evaluator, query, i, path))
    ]
    return table_of(task, evaluator, disclosed, named)
