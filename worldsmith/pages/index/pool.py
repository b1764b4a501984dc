"""Search over the pages of many worlds: the index of a pool, made once, kept in a file, read as it lies on the disk.

It ranks as `Index` does, by the same terms, with the statistics of all pages: how rare a term is counts over the whole
pool, how long a page is against those of its own world. The file is read once when it is opened, to see that it is
whole; in memory are the parts that queries touch.
"""

import copy
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from worldsmith.pages.index.build import Stock, rarity, take_stock
from worldsmith.pages.index.dense import VERSION, DenseRanking, Postings, Retriever, best
from worldsmith.pages.index.query import Terms, paths_on, places, read_query
from worldsmith.pages.index.reading import WordReader
from worldsmith.pages.index.search import DEPTH, MEANT
from worldsmith.pages.index.terms import tokens
from worldsmith.pages.plan import Pages

MAGIC = b"wspool01"
ALIGN = 64
"""Bytes at whose multiples arrays start."""
LARGE = 20_000
"""Pages above which common terms are looked up only for candidates, where the first hits stay the same."""
COMMON = 100
"""A term is common where more than one page in so many holds it."""
ROUNDING = 0.002
"""What rounding may change between two scores."""


class Texts(Sequence[str]):
    """Many short texts as one array of bytes: a list that needs no memory."""

    def __init__(self, data: np.ndarray, starts: np.ndarray) -> None:
        self.data, self.starts = data, starts

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.starts) - 1

    def __getitem__(self, i: Any) -> Any:
        """Return one text."""
        return self.data[int(self.starts[i]) : int(self.starts[i + 1])].tobytes().decode()

    def place(self, text: str) -> int | None:
        """Return where a text stands among sorted ones, None where it doesn't."""
        at = self.first(text.encode())
        return at if at < len(self) and self[at] == text else None

    def first(self, prefix: bytes) -> int:
        """Return the place of the first of sorted texts that is not before some bytes."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.data[int(self.starts[middle]) : int(self.starts[middle + 1])].tobytes() < prefix:
                low = middle + 1
            else:
                high = middle
        return low


@dataclass(frozen=True, slots=True)
class _Blocks:
    """What an index holds: lists as JSON, arrays by name."""

    lists: Mapping[str, list[Any]]
    arrays: Mapping[str, np.ndarray]


class PoolIndex:
    """The search index of a pool."""

    def __init__(self, blocks: _Blocks) -> None:
        arrays, lists = blocks.arrays, blocks.lists
        self._arrays = arrays
        self.worlds: list[str] = lists["worlds"]
        self.hosts: list[str] = lists["hosts"]
        self.ids = Texts(arrays["ids"], arrays["ids_starts"])
        self.urls = Texts(arrays["urls"], arrays["urls_starts"])
        self.words = Texts(arrays["words"], arrays["words_starts"])
        self._nouns = [frozenset(nouns) for nouns in lists["nouns"]]
        self._starts: list[int] = arrays["world_starts"].tolist()
        self._today = np.array(lists["today"], dtype="int32")
        self._all = np.ones(len(self.ids), dtype=bool)
        self._reader = WordReader(self.words.place, self._likely)
        self._by_letter: dict[str, list[str]] = {}
        self.dense: DenseRanking | None = None

    def ranked_by(self, retriever: Retriever, path: Path, key: str) -> "PoolIndex":
        """Return this index with its pages ranked by a retriever; their vectors are kept in a file under a key."""
        indptr, indices, scores = (self._arrays[name] for name in ("indptr", "indices", "scores"))
        postings = Postings(self.words, self.words.place, indptr, indices, scores, pages=len(self.ids))
        key = f"{key}, {retriever.embedder.name}, {VERSION}"
        blocks = _read(path, key)
        if blocks is None:
            vectors = postings.page_vectors(retriever.embedder).reshape(-1)
            blocks = _kept(path, key, _Blocks({}, {"vectors": vectors}))
        other = copy.copy(self)
        other.dense = DenseRanking(retriever, postings, blocks.arrays["vectors"].reshape(len(self.ids), -1))
        return other

    def search(
        self, query: str, k: int, page: int, *, hidden: bool = False
    ) -> tuple[list[tuple[str, str, float]], bool]:
        """Return results page `page` of `k` hits as (world id, page id, score), best first, and whether there is more.

        All else is as in `Index.search`; what is near the matches comes from the world of the best one. A misspelt word
        is read as one that starts with the same letter.
        """
        order, scores = self._ranked(query, hidden=hidden)
        start = (max(page, 1) - 1) * k
        chosen = order[start : start + k].tolist()
        hits = [(self.worlds[self._world_of(i)], self.ids[i], float(scores[i])) for i in chosen]
        return hits, len(order) > start + k

    def ranked_urls(self, query: str) -> list[str]:
        """Return the addresses of all hits for a query, best first; no world has to be open for it."""
        order, _ = self._ranked(query, hidden=False)
        return [self.urls[i] for i in order.tolist()]

    def _world_of(self, document: int) -> int:
        return int(np.searchsorted(self._arrays["world_starts"], document, side="right")) - 1

    def _ranked(self, query: str, *, hidden: bool) -> tuple[np.ndarray, np.ndarray]:
        terms = read_query(query)
        passing = self._passing(terms, self._all if hidden else self._arrays["live"])
        exact = False
        for phrase in terms.phrases:
            holding = self._documents_with_phrase(phrase, passing)
            if len(holding):
                passing, exact = np.zeros(len(passing), dtype=bool), True
                passing[holding] = True
        scores = self._scores(terms, passing)
        matches = best(np.flatnonzero(passing if terms.hosts else scores > 0), scores, DEPTH)
        if self.dense is not None and terms.words:
            return self.dense.ranked(terms.words, np.flatnonzero(passing), matches, scores, DEPTH)
        if not exact and not terms.hosts and 0 < len(matches) < DEPTH:
            matches = np.concatenate((matches, self._following(int(matches[0]), passing, scores)))
        return matches[:DEPTH], scores

    def _scores(self, terms: Terms, passing: np.ndarray) -> np.ndarray:
        """Return what documents score, 0 for those that don't pass or can't be among the first `DEPTH`."""
        counted = Counter(self._reader.terms(terms.words))
        words = frozenset(terms.words)
        meant = np.array([MEANT if noun and noun <= words else 0 for noun in self._nouns], dtype="float32")
        # Rare terms first: they leave few candidates, in which the common ones are looked up.
        order = sorted(counted, key=lambda term: len(self._postings(term)[0])) if len(self.ids) > LARGE else [*counted]
        scores = np.zeros(len(self.ids), dtype="float32")
        # The most that a document can still gain: by the terms to come, and by its table.
        rest = sum(float(self._arrays["most"][term]) * times for term, times in counted.items()) + MEANT
        candidates = None
        for term in order:
            documents, worth = self._postings(term)
            if candidates is None and len(documents) * COMMON > len(self.ids) > LARGE:
                candidates = _candidates(scores, passing, rest)
            if candidates is None:
                scores[documents] += worth * counted[term]
            else:
                at = np.minimum(np.searchsorted(documents, candidates), len(documents) - 1)
                scores[candidates] += np.where(documents[at] == candidates, worth[at] * counted[term], 0)
            rest -= float(self._arrays["most"][term]) * counted[term]
        if candidates is None:
            candidates = np.flatnonzero((scores > 0) & passing)
        final = np.zeros(len(self.ids), dtype="float32")
        final[candidates] = np.round(scores[candidates] + meant[self._arrays["about"][candidates]], 3)
        return final

    def _postings(self, term: int) -> tuple[np.ndarray, np.ndarray]:
        start, end = (int(n) for n in self._arrays["indptr"][term : term + 2])
        return self._arrays["indices"][start:end], self._arrays["scores"][start:end]

    def _passing(self, terms: Terms, among: np.ndarray) -> np.ndarray:
        """Return which documents pass a query's hosts, exclusions and days."""
        if terms.hosts:
            among = among & self._documents_on_hosts(terms.hosts)
        if terms.not_hosts:
            among = among & ~self._documents_on_hosts(terms.not_hosts)
        if terms.since or terms.until or terms.newest:
            day = self._arrays["day"]
            since = np.full(len(day), max(terms.since, 1), dtype="int32")
            if terms.newest:
                lengths = [end - start for start, end in pairwise(self._starts)]
                since = np.maximum(since, np.repeat(self._today - terms.newest, lengths))
            among = among & (day >= since)
            among = among & (day < terms.until) if terms.until else among
        if terms.without:
            among = among.copy()
            for word in terms.without:
                term = self.words.place(word)
                if term is not None:
                    among[self._postings(term)[0]] = False
        return among

    def _documents_on_hosts(self, hosts: tuple[str, ...]) -> np.ndarray:
        """Return which documents stand on one of some hosts or on a part of it, under the path where one is named."""
        under = [paths_on(host, hosts) for host in self.hosts]
        host = self._arrays["host"]
        on = np.array(["" in paths for paths in under], dtype=bool)[host]
        partly = np.array([bool(paths) and "" not in paths for paths in under], dtype=bool)[host]
        for i in np.flatnonzero(partly).tolist():
            on[i] = not under[int(host[i])].isdisjoint(places(self.urls[i]))
        return np.asarray(on)

    def _documents_with_phrase(self, phrase: tuple[str, ...], passing: np.ndarray) -> np.ndarray:
        """Return which documents that pass hold the terms of a phrase side by side in a field."""
        places_of = [self.words.place(word) for word in phrase]
        terms = [term for term in places_of if term is not None]
        if len(terms) < len(phrase):
            return self._arrays["indices"][:0]
        rarest, *others = sorted((self._postings(term)[0] for term in terms), key=len)
        documents = rarest[passing[rarest]]
        for other in others:
            at = np.minimum(np.searchsorted(other, documents), len(other) - 1)
            documents = documents[other[at] == documents]
        wanted = np.array(terms, dtype=self._arrays["text"].dtype)
        return np.array([i for i in documents.tolist() if self._holds(i, wanted)], dtype=documents.dtype)

    def _holds(self, document: int, wanted: np.ndarray) -> bool:
        start, end = (int(n) for n in self._arrays["text_starts"][document : document + 2])
        text = self._arrays["text"][start:end]
        at = np.flatnonzero(text[: len(text) - len(wanted) + 1] == wanted[0])
        for step in range(1, len(wanted)):
            at = at[text[at + step] == wanted[step]]
        return bool(len(at))

    def _following(self, top: int, passing: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return what follows the matches of a query, as `Index` orders it, of the top hit's world."""
        world = self._world_of(top)
        first, end = self._starts[world], self._starts[world + 1]
        ring = np.concatenate((np.arange(top + 1, end), np.arange(first, top)))
        ring = ring[passing[ring] & (scores[ring] == 0)]
        kind, own = self._arrays["about"], self._arrays["breadth"][ring]
        same = kind[ring] == kind[top]
        rows, rest = ring[same & (own == 0)], ring[~same]
        directory, lists = np.sort(ring[same & (own == 2)]), ring[same & (own == 1)]
        return np.concatenate((directory[:1], lists[:1], rows, lists[1:], directory[1:], rest))

    def _likely(self, word: str) -> list[str]:
        """Return the known words of the same first letter."""
        letter = word[0]
        words = self._by_letter.get(letter)
        if words is None:
            start, end = self.words.first(letter.encode()), self.words.first((letter + "\U0010ffff").encode())
            some = (self.words[i] for i in range(start, end))
            words = self._by_letter[letter] = [word for word in some if word.isalpha() and len(word) > 3]
        return words


def _depth_score(scores: np.ndarray) -> float:
    """Return the score of the hit at `DEPTH`, of more scores than that."""
    return float(np.partition(scores, -DEPTH)[-DEPTH])


def _candidates(scores: np.ndarray, passing: np.ndarray, rest: float) -> np.ndarray | None:
    """Return the documents that can be among the first `DEPTH` where each may still gain `rest`.

    None where a document without a score yet may be among them.
    """
    matching = np.flatnonzero((scores > 0) & passing)
    if len(matching) <= DEPTH:
        return None
    least = _depth_score(scores[matching]) - ROUNDING
    return matching[scores[matching] + rest >= least] if least > rest else None


class _Builder:
    """Gathers the stocks of worlds, one at a time."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self.lists: dict[str, list[Any]] = {"worlds": [], "hosts": [], "nouns": [], "today": []}
        self.parts: dict[str, list[np.ndarray]] = {}
        self.texts: dict[str, list[bytes]] = {"ids": [], "urls": []}
        self.documents = 0
        self.starts = [0]
        self.text_length = 0

    def add(self, pages: Pages, stock: Stock) -> None:
        """Add the pages of a world."""
        lists, world = self.lists, pages.world
        lists["worlds"].append(world.id)
        lists["today"].append(date.fromisoformat(world.schema.as_of).toordinal())
        tables, nouns = len(world.schema.tables), len(lists["nouns"])
        lists["nouns"] += [sorted(set(tokens(form.singular))) for form in world.schema.tables.values()]
        terms = np.array(
            [self.vocabulary.setdefault(word, len(self.vocabulary)) for word in stock.words], dtype="uint32"
        )
        frequency = np.diff(stock.indptr.astype("int64"))
        # Of a score the part that a document has, without that of how rare the term is in its world alone.
        part = stock.scores / np.repeat(rarity(frequency, len(stock.ids)), frequency)
        text = np.append(terms, np.uint32(2**32 - 1))[stock.text]
        self._array("posting_terms", np.repeat(terms, frequency))
        self._array("posting_documents", stock.indices.astype("uint32") + np.uint32(self.documents))
        self._array("posting_parts", part.astype("float32"))
        self._array("text", text)
        self._array("text_starts", stock.starts.astype("uint64") + np.uint64(self.text_length))
        self._array("host", stock.host.astype("uint32") + np.uint32(len(lists["hosts"])))
        self._array("about", (stock.table % tables).astype("uint32") + np.uint32(nouns))
        self._array("breadth", (stock.table // tables).astype("uint8"))
        self._array("day", stock.day.astype("int32"))
        self._array("live", stock.live)
        lists["hosts"] += stock.hosts
        self.texts["ids"] += [page_id.encode() for page_id in stock.ids]
        self.texts["urls"] += [pages.url(page_id).encode() for page_id in stock.ids]
        self.documents += len(stock.ids)
        self.text_length += len(text)
        self.starts.append(self.documents)

    def _array(self, name: str, values: np.ndarray) -> None:
        self.parts.setdefault(name, []).append(values)

    def blocks(self) -> _Blocks:
        """Return the index of all of them."""
        arrays = {name: np.concatenate(some) for name, some in self.parts.items()}
        words = sorted(self.vocabulary)
        place = np.empty(len(words) + 1, dtype="uint32")
        place[[self.vocabulary[word] for word in words]] = np.arange(len(words), dtype="uint32")
        place[-1] = len(words)  # what closes a field is no term
        arrays["text"] = place[np.minimum(arrays["text"], len(words))]
        arrays["text_starts"] = np.append(arrays["text_starts"], np.uint64(self.text_length))
        terms, documents = place[arrays.pop("posting_terms")], arrays.pop("posting_documents")
        order = np.argsort(terms, kind="stable")
        frequency = np.bincount(terms, minlength=len(words))
        arrays["indptr"] = np.concatenate(([0], np.cumsum(frequency))).astype("uint64")
        arrays["indices"] = documents[order]
        worth = np.repeat(rarity(frequency, self.documents), frequency)
        arrays["scores"] = (arrays.pop("posting_parts")[order] * worth).astype("float32")
        starts = arrays["indptr"][:-1].astype("int64")
        arrays["most"] = np.maximum.reduceat(arrays["scores"], starts) if words else np.zeros(0, dtype="float32")
        arrays["world_starts"] = np.array(self.starts, dtype="uint64")
        for name, some in {**self.texts, "words": [word.encode() for word in words]}.items():
            arrays[name] = np.frombuffer(b"".join(some), dtype="uint8")
            arrays[f"{name}_starts"] = np.cumsum([0, *map(len, some)], dtype="uint64")
        return _Blocks(self.lists, arrays)


def build_pool_index(path: Path, key: str, worlds: Iterable[Pages]) -> PoolIndex:
    """Return the index over the pages of worlds, in their order, and keep it in a file under a key.

    Pages are taken one world at a time. A folder that can't be written to keeps the index in memory alone.
    """
    builder = _Builder()
    for pages in worlds:
        builder.add(pages, take_stock(pages))
    return PoolIndex(_kept(path, key, builder.blocks()))


def _kept(path: Path, key: str, blocks: _Blocks) -> _Blocks:
    """Return blocks as they lie in a file now; those in memory where the folder can't be written to."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, key, blocks)
    except OSError:
        return blocks
    return _read(path, key) or blocks


def _write(path: Path, key: str, blocks: _Blocks) -> None:
    head: dict[str, Any] = {"key": key, "lists": blocks.lists, "arrays": {}}
    at = 0
    for name, array in blocks.arrays.items():
        head["arrays"][name] = [array.dtype.str, len(array), at]
        at += -(-array.nbytes // ALIGN) * ALIGN
    head["bytes"] = at
    head["sum"] = _checksum(blocks.arrays.values())
    text = orjson.dumps(head)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(_opening(text))
            for array in blocks.arrays.values():
                array.tofile(file)
                file.write(bytes(-array.nbytes % ALIGN))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _checksum(arrays: Iterable[np.ndarray]) -> int:
    """Return the CRC-32 of arrays as they stand in the file."""
    total = 0
    for array in arrays:
        total = zlib.crc32(bytes(-array.nbytes % ALIGN), zlib.crc32(np.ascontiguousarray(array).data, total))
    return total


def _opening(text: bytes) -> bytes:
    """Return how a file starts: what it is, the length and digest of its head, the head."""
    digest = blake2b(text, digest_size=16).digest()
    opening = MAGIC + len(text).to_bytes(8, "little") + digest + text
    return opening + bytes(-len(opening) % ALIGN)


def open_pool_index(path: Path, key: str) -> PoolIndex | None:
    """Return the index in a file; None where there is none, or one under another key, or one that is damaged."""
    blocks = _read(path, key)
    return None if blocks is None else PoolIndex(blocks)


def _read(path: Path, key: str) -> _Blocks | None:
    try:
        with path.open("rb") as file:
            start = file.read(32)
            text = file.read(int.from_bytes(start[8:16], "little")) if start[:8] == MAGIC else b""
            size = path.stat().st_size
    except OSError:
        return None
    if not text or blake2b(text, digest_size=16).digest() != start[16:32]:
        return None
    head = orjson.loads(text)
    first = len(_opening(text))
    if head["key"] != key or size != first + head["bytes"]:
        return None
    data = np.memmap(path, dtype="uint8", mode="r")
    # Read whole, once a process: a gigabyte a second. A flipped byte would change rankings, or raise in a search.
    if head.get("sum") != zlib.crc32(data[first:].data):
        return None
    arrays = {
        name: np.frombuffer(data, dtype=kind, count=count, offset=first + at) if count else np.zeros(0, dtype=kind)
        for name, (kind, count, at) in head["arrays"].items()
    }
    return _Blocks(head["lists"], arrays)
