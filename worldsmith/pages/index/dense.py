"""Ranking by vectors: pages whose words mean what a query's do, alone or fused with what BM25 ranks.

A page's vector is the sum of its terms' vectors, weighted by what the index holds of them, so a search by vectors can't
tell more of a page than one by words. Vectors have whole numbers as components: cosines are then exact on any machine,
and pages that are equally near a query go by page id, as in BM25.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from worldsmith.errors import UsageError
from worldsmith.pages.index.build import rarity

RETRIEVERS = ("bm25", "hybrid", "dense")
"""What pages can be ranked by."""
VERSION = 1
"""Version of how pages get their vectors; raised with every change."""
CONSTANT = 60
"""Of reciprocal rank fusion: a page gets 1 / (CONSTANT + its place) from each ranking that has it."""
ONE = 127
"""The length of a vector: the largest number of a byte. A sum of its products stays far below 2**24, up to which
float32 holds whole numbers exactly, in whatever order they are added."""
ROWS = 1024
"""Vectors that are compared at a time: as floats they fit a processor's cache."""


class Embedder(Protocol):
    """Vectors of words."""

    @property
    def name(self) -> str:
        """Which vectors they are, with their version: vectors of pages are kept under it."""
        ...

    def vectors(self, words: Sequence[str]) -> np.ndarray:
        """Return a row of float32 for each word."""
        ...


@dataclass(frozen=True, slots=True)
class Retriever:
    """What ranks pages by vectors of words: `alone`, or fused with BM25."""

    embedder: Embedder
    alone: bool = False


def retriever_named(name: str) -> Retriever | None:
    """Return one of `RETRIEVERS`, None for BM25. Raises UsageError for another, or where wordllama is missing."""
    if name not in RETRIEVERS:
        raise UsageError(f"no retriever {name!r}: it is one of {', '.join(RETRIEVERS)}")
    return None if name == "bm25" else Retriever(word_vectors(), alone=name == "dense")


class WordVectors:
    """The word vectors of wordllama: those of a word's tokens, summed."""

    def __init__(self, name: str, table: np.ndarray, tokenizer: Any) -> None:
        """Take a row for each token, and what cuts a word into tokens."""
        self.name, self._table, self._tokenizer = name, table, tokenizer

    def __reduce__(self) -> tuple[Callable[[], "WordVectors"], tuple[()]]:
        """Pickle as what reads the vectors again: they are large."""
        return word_vectors, ()

    def vectors(self, words: Sequence[str]) -> np.ndarray:
        """Return a row of float32 for each word."""
        rows = np.empty((len(words), self._table.shape[1]), dtype="float32")
        for i, word in enumerate(words):
            rows[i] = self._table[self._tokenizer.encode(word, add_special_tokens=False).ids].sum(axis=0)
        return rows


@cache
def word_vectors() -> WordVectors:
    """Return the word vectors that the package wordllama brings. Raises UsageError where it isn't installed.

    Its files are read without importing it: an import sets up logging for the whole process, and its own loader may
    look for them on the net.
    """
    package = find_spec("wordllama")
    if package is None or not package.submodule_search_locations:
        fix = 'pip install "worldsmith[dense]"'
        raise UsageError(f"ranking by vectors needs the word vectors of the package wordllama: {fix}")
    from safetensors.numpy import load_file  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - optional
    from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - optional

    folder = Path(package.submodule_search_locations[0])
    table = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return WordVectors(f"wordllama-{version('wordllama')}", table.astype("float32"), tokenizer)


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of an index, as BM25 has them."""

    words: Sequence[str]
    place: Callable[[str], int | None]
    """Where a word stands among them, None for one that no page has."""
    indptr: np.ndarray
    indices: np.ndarray
    scores: np.ndarray
    """Of term `t` the pages `indices[indptr[t] : indptr[t + 1]]`, and what it adds to the score of each."""
    pages: int

    def page_vectors(self, embedder: Embedder) -> np.ndarray:
        """Return a vector for each page, of whole numbers: a page without a term has zeros."""
        table = embedder.vectors(self.words)
        frequency = np.diff(self.indptr.astype("int64"))
        order = np.argsort(self.indices, kind="stable")
        terms = np.repeat(np.arange(len(self.words)), frequency)[order]
        # Scores hold a term's rarity once. Its root for a page and its root for a query make it once again in a cosine.
        roots = np.sqrt(rarity(frequency, self.pages)).astype("float32")
        weights = self.scores[order] / roots[terms]
        vectors = np.zeros((self.pages, table.shape[1]), dtype="int8")
        bounds = np.cumsum([0, *np.bincount(self.indices, minlength=self.pages).tolist()]).tolist()
        for page, (start, end) in enumerate(pairwise(bounds)):
            vectors[page] = _whole(weights[start:end] @ table[terms[start:end]])
        return vectors

    def query_vector(self, embedder: Embedder, words: Sequence[str]) -> np.ndarray:
        """Return the vector of a query's words, of whole numbers."""
        terms = [self.place(word) for word in words]
        frequency = [0 if term is None else int(self.indptr[term + 1]) - int(self.indptr[term]) for term in terms]
        return _whole(np.sqrt(rarity(np.array(frequency), self.pages)) @ embedder.vectors(words))


def _whole(vector: np.ndarray) -> np.ndarray:
    """Return a vector as long as `ONE`, its components rounded; zeros stay."""
    length = float(np.linalg.norm(vector))
    return np.rint(vector * (ONE / length) if length else vector).astype("float32")


class DenseRanking:
    """Ranks the pages of an index by their vectors."""

    def __init__(self, retriever: Retriever, postings: Postings, vectors: np.ndarray) -> None:
        """Take what makes a query's vector, and the vectors of the pages as `Postings.page_vectors` made them."""
        self._retriever, self._postings, self._vectors = retriever, postings, vectors

    def ranked(
        self, words: Sequence[str], among: np.ndarray, matches: np.ndarray, scores: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the first `most` pages for a query, best first, and the scores of all.

        Args:
            words: the query's.
            among: the pages that pass its operators, in order.
            matches: those that BM25 ranks first, best first.
            scores: what BM25 gives each page; a match without a score is left to the vectors.
            most: pages taken from each ranking, and returned.
        """
        cosines = self._cosines(words)
        near = best(among, cosines, most)
        if self._retriever.alone:
            return near, np.maximum(cosines, 0)
        fused = np.zeros(self._postings.pages)
        for ranking in (matches[scores[matches] > 0][:most], near):
            fused[ranking] += 1 / np.arange(CONSTANT + 1, CONSTANT + 1 + len(ranking))
        return best(np.flatnonzero(fused), fused, most), fused

    def _cosines(self, words: Sequence[str]) -> np.ndarray:
        query = self._postings.query_vector(self._retriever.embedder, words)
        cosines = np.empty(len(self._vectors), dtype="float32")
        for start in range(0, len(cosines), ROWS):
            rows = slice(start, start + ROWS)
            cosines[rows] = self._vectors[rows].astype("float32") @ query
        return cosines / np.float32(ONE * ONE)


def best(pages: np.ndarray, scores: np.ndarray, most: int) -> np.ndarray:
    """Return the `most` pages that score most, best first; those with the same score stay in their order."""
    if len(pages) > most:
        pages = pages[scores[pages] >= np.partition(scores[pages], -most)[-most]]
    return pages[np.argsort(-scores[pages], kind="stable")][:most]
