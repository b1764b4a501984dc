"""Search over the pages of a world: BM25 on their plans, with query syntax, plurals, accents and small typos.

Built from the clean world, statistics of one world only. Scores are rounded before they are compared, so
that an order never hangs on how a machine sums floats; ties go by page id.
"""

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

DEPTH = 60
"""Hits a query at most, over all results pages."""
PHRASES = 4
"""Quoted phrases of a query that are looked for; further ones are words. No query may cost more than a few others."""
SLIPS = 16
"""Unknown words of a query that the nearest known one is looked for."""
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
        fields = [
            [[vocabulary.setdefault(t, len(vocabulary)) for t in terms] for terms in self._fields(pages.page(page_id))]
            for page_id in self.ids
        ]
        documents = [[term for terms in page for term in terms] for page in fields]
        self._text, self._starts = _text(fields, len(vocabulary))
        self._bm25 = bm25s.BM25(k1=1.2, b=0.3, method="lucene")
        self._bm25.index((documents, vocabulary), create_empty_token=False, show_progress=False)
        self._vocabulary = vocabulary
        self._words = [word for word in vocabulary if word.isalpha() and len(word) > 3]

    def _fields(self, page: Page) -> list[Sequence[str]]:
        """Return a page's terms by field: names and titles weigh more, each value and label counts once."""
        words, weight = self.pages.words, self._weights.get(page.kind, 2)
        found: list[Sequence[str]] = [_terms(heading(page, page.cells, words))]
        if page.subject:
            found += [_terms(" ".join(self.pages.keys(page.subject)))] * weight
        else:
            found *= weight - (page.part > 1)
        values = {(c.row.table, c.col, c.value): c for c in page.cells}
        found += [_terms(words.measure(cell)) for cell in values.values()]
        found += [_terms(words.columns[place].label) for place in dict.fromkeys(value[:2] for value in values)]
        if page.subject or page.rows:
            found += [_terms(words.schema.tables[page.table].singular)] * 2
        background = [block.variant for block in page.blocks if block.kind == "guide"]
        found += [_terms(text) for n in background for text in self.pages.background(n)]
        return found

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
        ids = self._terms(asked.words)
        scores = self._bm25.get_scores_from_ids(ids) if ids else np.zeros(len(self.ids), dtype="float32")
        if not ids and asked.hosts:
            scores = scores + 1
        scores = np.round(scores, 3)
        for term in asked.without:
            scores[self._having(term)] = 0
        for host in asked.not_hosts:
            scores[self._hosts == host] = 0
        if asked.hosts:
            scores[~np.isin(self._hosts, asked.hosts)] = 0
        found = np.flatnonzero(scores > 0)
        found = found[np.lexsort((self._order[found], -scores[found]))]
        for phrase in asked.phrases:
            exact = found[np.isin(found, self._saying(phrase))]
            found = exact if len(exact) else found
        return found[:DEPTH], scores

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
