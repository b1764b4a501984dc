"""Search over the pages of a world: BM25 on their plans, with query syntax, plurals, accents and small typos.

Built from the clean world, statistics of one world only. Scores are rounded before they are compared, so
that an order never hangs on how a machine sums floats; ties go by page id.

A ranking must not tell what a page was not opened for. So all that is matched word by word, and all that quotes,
minus and `site:` are tested on, is what a hit tells under every profile: names, titles, labels, a list's scope. Of
the other values only those that cost more to guess than to read are known at all, whole, one number and one
text a query (see `Index._guessable`).
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import bm25s  # type: ignore[import-untyped]  # ships no types
import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from worldsmith.pages import Page, Pages
from worldsmith.pages.titles import heading
from worldsmith.schema import Rank, Value

DEPTH = 60
"""Hits a query at most, over all results pages."""
PHRASES = 4
"""Quoted phrases of a query that are looked for; further ones are words. No query may cost more than a few others."""
SLIPS = 16
"""Unknown words of a query that the nearest known one is looked for."""
DISTINCT = 0.9
"""Different values among those of a column that make it costly to guess: of n even draws so many differ where about
five times n values are possible (where as many as n are possible, 0.63)."""
_TOKEN = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:[.,]\d+)*(?![^\W\d_]+\d)|[^\W_]+")
STOP = frozenset(
    _TOKEN.findall(
        "a an and are as at be been by did do does for from had has have how i in into is it its me my of on or our "
        "please s she so some t than that the their them then there these they this those to was we were what when "
        "where which who whom whose why will with would you your"
    )
)
_SYNTAX = re.compile(r'(?P<minus>(?<!\S)-)?(?:(?P<site>site:)(?P<host>\S*)|"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')


def plain_text(text: str) -> str:
    """Return text in lower case without accents."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def _token(raw: str) -> str:
    return raw.replace(",", "") if raw[0].isdigit() else _stem(raw)


def tokens(text: str) -> list[str]:
    """Return the search terms of a text in order: words in the singular, numbers and days whole."""
    return [_token(raw) for raw in _TOKEN.findall(plain_text(text)) if raw not in STOP]


@dataclass(frozen=True, slots=True)
class Terms:
    """A query after its syntax: terms to score by, phrases, hosts and exclusions."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    hosts: tuple[str, ...]
    without: tuple[str, ...]
    not_hosts: tuple[str, ...]


def read_query(query: str) -> Terms:
    """Return the terms of a query. Any text is a query: what is no syntax is words."""
    words: list[str] = []
    phrases: list[tuple[str, ...]] = []
    hosts: list[str] = []
    without: list[str] = []
    not_hosts: list[str] = []
    for found in _SYNTAX.finditer(query[:2000]):
        if found["site"]:
            host = found["host"].lower().removeprefix("https://").removeprefix("http://").removeprefix("www.")
            (not_hosts if found["minus"] else hosts).append(host.split("/")[0])
            continue
        terms = tokens(found["phrase"] if found["phrase"] is not None else found["word"])
        if found["minus"]:
            without += terms
            continue
        words += terms
        if found["phrase"] is not None and len(terms) > 1:
            phrases.append(tuple(terms))
    return Terms(
        tuple(words),
        tuple(dict.fromkeys(phrases))[:PHRASES],
        tuple(dict.fromkeys(h for h in hosts if h)),
        tuple(dict.fromkeys(without)),
        tuple(dict.fromkeys(not_hosts)),
    )


class Index:
    """The search index of `pages`, dormant ones included (whoever cuts a slice leaves them out)."""

    def __init__(self, pages: Pages) -> None:
        self.pages, self.ids = pages, pages.ids()
        self._hosts = np.array([pages.site(page_id).host for page_id in self.ids])
        self._order = np.argsort(np.argsort(np.array(self.ids)))
        keys = {t.name: t.key for t in pages.world.schema.tables.values()}
        own = {kinds[0] for table, kinds in pages.abouts.items() if len(keys[table]) == 1}
        self._weights = {name: 8 if name in own else 3 for name in pages.kinds}
        vocabulary: dict[str, int] = {}
        plans = [pages.page(page_id) for page_id in self.ids]
        fields = [
            [[vocabulary.setdefault(t, len(vocabulary)) for t in terms] for terms in self._fields(page)]
            for page in plans
        ]
        documents = [[term for terms in page for term in terms] for page in fields]
        self._text, self._starts = _text(fields, len(vocabulary))
        self._bm25 = bm25s.BM25(k1=1.2, b=0.3, method="lucene")
        self._bm25.index((documents, vocabulary), create_empty_token=False, show_progress=False)
        self._vocabulary = vocabulary
        self._words = [word for word in vocabulary if word.isalpha() and len(word) > 3]
        self._values = self._told(plans)
        self._bonus = math.log(1 + len(self.ids)) / 2

    def _fields(self, page: Page) -> list[Sequence[str]]:
        """Return the terms of what a hit tells, by field: names and titles weigh more, each label counts once."""
        words, weight = self.pages.words, self._weights.get(page.kind, 2)
        found: list[Sequence[str]] = [_terms(heading(page, page.cells, words))]
        if page.subject:
            found += [_terms(" ".join(self.pages.keys(page.subject)))] * weight
        else:
            found *= weight - (page.part > 1)
            # A directory holds every name of its table; a list's names would tell whose value its scope is.
            found += [_terms(words.show(cell)) for cell in page.cells if not page.scope]
        # Labels of a row's own columns and of what the page is for: never those of the rows that happen to be there.
        own = [(cell.row.table, cell.col) for cell in page.cells if cell.row == page.subject or cell.row in page.rows]
        labelled = (*own, *(place for place, _ in page.topics))
        found += [_terms(words.columns[place].label) for place in dict.fromkeys(labelled)]
        if page.subject or page.rows:
            found += [_terms(words.schema.tables[page.table].singular)] * 2
        background = [block.variant for block in page.blocks if block.kind == "guide"]
        found += [_terms(text) for n in background for text in self.pages.background(n)]
        return found

    def _told(self, plans: Sequence[Page]) -> dict[str, dict[tuple[str, ...], list[int]]]:
        """Return the documents of each value that may be guessed, by its terms and the first of them."""
        show, known = self.pages.words.show, self._guessable()
        found: dict[str, dict[tuple[str, ...], list[int]]] = {}
        for i, page in enumerate(plans):
            for cell in page.cells:
                if cell.row != page.subject or cell.value is None or (cell.row.table, cell.col) not in known:
                    continue
                terms = tuple(tokens(show(cell)))
                if terms and terms[0] not in self._vocabulary:
                    found.setdefault(terms[0], {}).setdefault(terms, []).append(i)
        return found

    def _guessable(self) -> frozenset[tuple[str, str]]:
        """Return the columns whose values the index knows: those of which nearly all values differ.

        A query tries one value, so finding those of a column by guessing takes as many searches as there are
        plausible values: more than there are pages to read. References are left out, since results list the names
        they may hold, and ranks, which are known but for their order; so are child rows, whose names on a page say
        whose they are.
        """
        world = self.pages.world
        return frozenset(
            (form.name, column.name)
            for form in world.schema.tables.values()
            for column in form.columns
            if not (column.key or column.ref or isinstance(column.fill, Rank))
            and _differ([v for v in world.tables[form.name][column.name] if v is not None])
        )

    def search(self, query: str, k: int, page: int) -> tuple[list[tuple[str, float]], bool]:
        """Return results page `page` (from 1) of `k` hits as (page id, score), best first, and whether there is more.

        Understands `site:`, quotes and minus; no query is an error. A term that no page has is read as the
        nearest term with one slip (two in long words), unless it holds a digit.
        """
        order, scores = self._ranked(query)
        start = (max(page, 1) - 1) * k
        hits = [(self.ids[i], float(scores[i])) for i in order[start : start + k]]
        return hits, len(order) > start + k

    def _ranked(self, query: str) -> tuple[np.ndarray, np.ndarray]:
        asked = read_query(query)
        values, words = self._guessed(asked.words)
        ids = self._terms(words)
        scores = self._bm25.get_scores_from_ids(ids) if ids else np.zeros(len(self.ids), dtype="float32")
        for documents in values:
            scores[documents] += self._bonus
        scores = np.round(scores, 3)
        passing = self._passing(asked)
        scores[~passing] = 0
        # All that passes `site:` follows what matches, so that where matches end can't be seen.
        found = np.flatnonzero(passing if asked.hosts else scores > 0)
        found = found[np.lexsort((self._order[found], -scores[found]))]
        for phrase in asked.phrases:
            exact = found[np.isin(found, self._saying(phrase))]
            found = exact if len(exact) else found
        return found[:DEPTH], scores

    def _passing(self, asked: Terms) -> np.ndarray:
        """Return which documents pass a query's hosts and exclusions."""
        passing = np.isin(self._hosts, asked.hosts) if asked.hosts else np.ones(len(self.ids), dtype=bool)
        for term in asked.without:
            passing[self._having(term)] = False
        for host in asked.not_hosts:
            passing[self._hosts == host] = False
        return passing

    def _guessed(self, words: tuple[str, ...]) -> tuple[list[list[int]], tuple[str, ...]]:
        """Return the documents of the values that a query names, and its other words.

        Tried are the first number and the first word that no hit tells, there or not: further ones are no guesses,
        or a query could try a hundred values at once.
        """
        found: list[list[int]] = []
        rest = words
        for digits in (True, False):
            unseen = (i for i, word in enumerate(rest) if word[0].isdigit() == digits and word not in self._vocabulary)
            at = next(unseen, len(rest))
            tried = self._values.get(rest[at], {}) if at < len(rest) else {}
            said = [terms for terms in tried if rest[at : at + len(terms)] == terms]
            if said:
                longest = max(said, key=len)
                found.append(tried[longest])
                rest = rest[:at] + rest[at + len(longest) :]
        return found, rest

    def _having(self, term: str) -> np.ndarray:
        """Return the documents that hold a term."""
        i = self._vocabulary.get(term)
        bounds, places = self._bm25.scores["indptr"], self._bm25.scores["indices"]
        return np.asarray(places[:0] if i is None else places[bounds[i] : bounds[i + 1]])

    def _saying(self, phrase: tuple[str, ...]) -> np.ndarray:
        """Return the documents of which a field holds the terms of a phrase side by side."""
        ids = [self._vocabulary.get(term) for term in phrase]
        if None in ids:
            return self._starts[:0]
        at = np.flatnonzero(self._text == ids[0])
        for step, term in enumerate(ids[1:], 1):
            at = at[self._text[at + step] == term]  # a separator ends every field, so no place is beyond the end
        return np.searchsorted(self._starts, at, side="right") - 1

    def _terms(self, words: tuple[str, ...]) -> list[int]:
        """Return the terms that words are read as, as often as they stand there."""
        read: dict[str, int | None] = {word: self._vocabulary.get(word) for word in dict.fromkeys(words)}
        unknown = [w for w, i in read.items() if i is None and len(w) > 3 and w.isalpha()]
        read |= {word: self._near(word) for word in unknown[:SLIPS]}
        return [i for word in words if (i := read[word]) is not None]

    def _near(self, word: str) -> int | None:
        slips = 1 if len(word) < 8 else 2
        near = process.extractOne(word, self._words, scorer=OSA.distance, score_cutoff=slips)
        return self._vocabulary[near[0]] if near else None


def _differ(values: Sequence[Value]) -> bool:
    return len(set(values)) >= DISTINCT * len(values)


@lru_cache(maxsize=8192)
def _terms(text: str) -> tuple[str, ...]:
    """Return the terms of a field: those of its text, and the year of each day in it."""
    terms = tokens(text)
    days = [term[:4] for term in terms if len(term) == 10 and term[4] == "-"]
    return (*terms, *days)


def _text(documents: Sequence[Sequence[Sequence[int]]], end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the fields of all documents one after the other, each once and closed by `end`, and where documents start.

    `end` and all terms together: some 100 KB a world, which is what makes a phrase cost microseconds.
    """
    terms: list[int] = []
    starts = []
    for fields in documents:
        starts.append(len(terms))
        for field in dict.fromkeys(tuple(field) for field in fields):
            terms += (*field, end)
    return np.array(terms, dtype=np.min_scalar_type(end)), np.array(starts)
