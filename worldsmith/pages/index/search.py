"""Search over the pages of a world: BM25 on their plans, with query syntax, plurals, accents, synonyms and small typos.

Built from the clean world, statistics of one world only. Scores are rounded before they are compared, so
that an order never hangs on how a machine sums floats; ties go by page id.
"""

import copy
import math
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from datetime import date
from sys import intern

import numpy as np

from worldsmith.pages import Page, Pages
from worldsmith.pages.index.build import Stock, mark, take_stock
from worldsmith.pages.index.dense import DenseRanking, Postings, Retriever
from worldsmith.pages.index.query import Terms, paths_on, places, read_query
from worldsmith.pages.index.reading import WordReader
from worldsmith.pages.index.terms import tokens

DEPTH = 60
"""Hits a query, over all results pages."""
MEANT = 1.0
"""What pages about a table score more where a query names it: "shops kept by X" wants shops."""


class Index:
    """The search index of `pages`."""

    def __init__(self, pages: Pages, made: Stock | None = None) -> None:
        """Index `pages`, or take what was made of the same ones before."""
        self.pages = pages
        self.stock = made = made or take_stock(pages)
        self.ids = made.ids
        # Interned, since the words of labels and background are those of every world of a schema.
        self._vocabulary = {intern(word): i for i, word in enumerate(made.words)}
        likely = [word for word in self._vocabulary if word.isalpha() and len(word) > 3]
        self._reader = WordReader(self._vocabulary.get, lambda _: likely)
        self._bounds = array("I", made.indptr.tolist())
        self._value_marks = array("Q", made.told.tolist())
        self._lengths: list[int] = made.lengths.tolist()
        self._nouns = [frozenset(tokens(form.singular)) for form in pages.world.schema.tables.values()]
        self._about = made.table % len(self._nouns)
        self._openers = frozenset(made.openers.tolist())
        self._bonus = math.log(1 + len(self.ids)) / 2
        self._all = np.ones(len(self.ids), dtype=bool)
        self._today = date.fromisoformat(pages.world.schema.as_of).toordinal()
        self.dense: DenseRanking | None = None

    def ranked_by(self, retriever: Retriever) -> "Index":
        """Return this index with its pages ranked by a retriever."""
        made = self.stock
        postings = Postings(
            made.words, self._vocabulary.get, made.indptr, made.indices, made.scores, pages=len(made.ids)
        )
        other = copy.copy(self)
        other.dense = DenseRanking(retriever, postings, postings.page_vectors(retriever.embedder))
        return other

    def search(self, query: str, k: int, page: int, *, hidden: bool = False) -> tuple[list[tuple[str, float]], bool]:
        """Return results page `page` (from 1) of `k` hits as (page id, score), best first, and whether there is more.

        What matches comes first, then what is near it, so that how many hits there are tells nothing; a score of 0
        says that a page is only near. No query is an error (`read_query`). A term that no page has is read as one
        that means the same, else as the nearest with one slip (two in long words), unless it holds a digit.
        `hidden` counts dormant pages in.
        """
        order, scores = self._ranked(query, hidden=hidden)
        start = (max(page, 1) - 1) * k
        hits = [(self.ids[i], float(scores[i])) for i in order[start : start + k].tolist()]
        return hits, len(order) > start + k

    def shows(self, page: Page) -> bool:
        """Whether a page can be read: all but dormant ones."""
        return not page.dormant

    def _ranked(self, query: str, *, hidden: bool) -> tuple[np.ndarray, np.ndarray]:
        asked = read_query(query)
        passing = self._passing(asked, self._all if hidden else self.stock.live)
        scores = self._scores(asked) * passing
        # All that passes `site:` follows what matches, so that where matches end can't be seen.
        found = np.flatnonzero(passing if asked.hosts else scores)
        found = found[np.argsort(-scores[found], kind="stable")]
        exact = False
        for phrase in asked.phrases:
            saying = found[np.isin(found, self._documents_with_phrase(phrase))]
            if len(saying):
                found, exact = saying, True
        if self.dense is not None and asked.words:
            among = np.sort(found) if exact else np.flatnonzero(passing)
            return self.dense.ranked(asked.words, among, found, scores, DEPTH)
        if not exact and not asked.hosts and 0 < len(found) < DEPTH:
            found = np.concatenate((found, self._following(int(found[0]), passing & (scores == 0))))
        return found[:DEPTH], scores

    def _scores(self, asked: Terms) -> np.ndarray:
        """Return what each document scores."""
        told, words = self._documents_of_named_values(asked.words)
        scores = np.zeros(len(self.ids), dtype="float32")
        places, worth, bounds = self.stock.indices, self.stock.scores, self._bounds
        for term, times in Counter(self._reader.terms(words)).items():
            start, end = bounds[term], bounds[term + 1]
            scores[places[start:end]] += worth[start:end] if times == 1 else worth[start:end] * times
        for documents in told:
            scores[documents] += self._bonus
        for table in self._tables_named(asked.words):
            scores[(self._about == table) & (scores > 0)] += MEANT
        np.round(scores, 3, out=scores)
        return scores

    def _tables_named(self, words: tuple[str, ...]) -> list[int]:
        """Return the tables that a query names: whose rows it wants."""
        named = frozenset(words)
        return [i for i, noun in enumerate(self._nouns) if noun and noun <= named]

    def _passing(self, asked: Terms, among: np.ndarray) -> np.ndarray:
        """Return which documents pass a query's hosts, exclusions and days."""
        if asked.hosts:
            among = among & self._documents_on_hosts(asked.hosts)
        if asked.not_hosts:
            among = among & ~self._documents_on_hosts(asked.not_hosts)
        if asked.since or asked.until or asked.newest:
            among = among & self._documents_in_dates(asked)
        if asked.without:
            among = among.copy()
            for term in asked.without:
                among[self._documents_with_term(term)] = False
        return among

    def _documents_on_hosts(self, hosts: tuple[str, ...]) -> np.ndarray:
        """Return which documents stand on one of some hosts or on a part of it, under the path where one is named."""
        under = [paths_on(host, hosts) for host in self.stock.hosts]
        on = np.array(["" in paths for paths in under], dtype=bool)[self.stock.host]
        if any("/" in host for host in hosts):
            for i, host in enumerate(self.stock.host.tolist()):
                if under[host] and not on[i]:
                    on[i] = not under[host].isdisjoint(places(self.pages.url(self.ids[i])))
        return np.asarray(on)

    def _documents_in_dates(self, asked: Terms) -> np.ndarray:
        """Return which documents claim a day that a query asks for."""
        day = self.stock.day
        since = max(asked.since, self._today - asked.newest if asked.newest else 1)
        passing = day >= since
        return passing & (day < asked.until) if asked.until else passing

    def _documents_of_named_values(self, words: tuple[str, ...]) -> tuple[list[np.ndarray], tuple[str, ...]]:
        """Return the documents of the values that a query names, and its other words.

        Tried are the first number and the first word that no hit tells, there or not: further ones are no guesses,
        or a query could try a hundred values at once. Where neither is one, the first name that hits tell too is.
        """
        found: list[np.ndarray] = []
        rest = words
        if not self._lengths:
            return found, rest  # natural pages tell their values word by word
        for digits in (True, False):
            unseen = (i for i, word in enumerate(rest) if word[0].isdigit() == digits and word not in self._vocabulary)
            at = next(unseen, len(rest))
            documents, length = self._longest_value_at(rest, at)
            if documents is not None:
                found.append(documents)
                rest = rest[:at] + rest[at + length :]
        if not found:
            openers = (i for i, word in enumerate(words) if self._vocabulary.get(word) in self._openers)
            named = (self._longest_value_at(words, at)[0] for at in openers)
            first = next((documents for documents in named if documents is not None), None)
            found = [] if first is None else [first]
        return found, rest

    def _longest_value_at(self, words: tuple[str, ...], at: int) -> tuple[np.ndarray | None, int]:
        """Return the documents of the longest value that stands at a place of a query, and of how many terms it is."""
        for length in self._lengths:
            if at + length <= len(words):
                documents = self._documents_of_value(words[at : at + length])
                if documents is not None:
                    return documents, length
        return None, 0

    def _documents_of_value(self, said: tuple[str, ...]) -> np.ndarray | None:
        """Return the documents that tell a value."""
        known, value = self._value_marks, mark(said)
        start = bisect_left(known, value)
        if start == len(known) or known[start] != value:
            return None
        return np.asarray(self.stock.telling[start : bisect_right(known, value, start)])

    def _documents_with_term(self, term: str) -> np.ndarray:
        """Return the documents that hold a term."""
        i = self._vocabulary.get(term)
        places = self.stock.indices
        return np.asarray(places[:0] if i is None else places[self._bounds[i] : self._bounds[i + 1]])

    def _documents_with_phrase(self, phrase: tuple[str, ...]) -> np.ndarray:
        """Return the documents of which a field holds the terms of a phrase side by side."""
        text, starts = self.stock.text, self.stock.starts
        ids = [self._vocabulary.get(term) for term in phrase]
        if None in ids:
            return starts[:0]
        at = np.flatnonzero(text == ids[0])
        for step, term in enumerate(ids[1:], 1):
            at = at[text[at + step] == term]  # a separator ends every field, so no place is beyond the end
        return np.searchsorted(starts, at, side="right") - 1

    def _following(self, top: int, among: np.ndarray) -> np.ndarray:
        """Return what follows the matches of a query: directory, list and rows of the top hit's table, then the rest.

        Which ones hangs on the top hit alone.
        """
        tables = len(self.pages.world.schema.tables)
        table, end = self.stock.table, len(self.ids)
        ring = np.concatenate((np.arange(top + 1, end), np.arange(top)))
        ring = ring[among[ring]]
        own, about = table[ring], int(table[top]) % tables
        rows, rest = ring[own == about], ring[own % tables != about]
        directory, lists = np.sort(ring[own == about + 2 * tables]), ring[own == about + tables]
        return np.concatenate((directory[:1], lists[:1], rows, lists[1:], directory[1:], rest))
