"""Check this benchmark: `python selfcheck.py` (exit 0: passed, 1: failed); needs Python alone."""

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CUT = 10
"""Ranks that nDCG counts."""


def rows(name: str) -> list[dict[str, Any]]:
    """Return the lines of a file."""
    with (HERE / name).open(encoding="utf-8") as lines:
        return [*map(json.loads, lines)]


def relevant_pages() -> dict[str, set[str]]:
    """Return the relevant pages by query. Raises ValueError for a judgment that is no 1."""
    pages: dict[str, set[str]] = {}
    with (HERE / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["score"] != "1":
                raise ValueError(f"{row['query-id']}: the judgment {row['score']!r} is not 1")
            pages.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return pages


def ndcg(relevant: Mapping[str, set[str]], rankings: Mapping[str, Sequence[str]]) -> float:
    """Return the mean nDCG of rankings. Raises TypeError for what is no list of pages."""
    gains = []
    for query, pages in relevant.items():
        ranking = rankings.get(query, ())
        if not isinstance(ranking, list | tuple):
            raise TypeError(f"{query}: a ranking is a list of pages, not {type(ranking).__name__}")
        gain = sum(1 / math.log2(rank + 2) for rank, page in enumerate(ranking[:CUT]) if page in pages)
        gains.append(gain / sum(1 / math.log2(rank + 2) for rank in range(min(CUT, len(pages)))))
    return math.fsum(gains) / len(gains)


def main() -> int:
    """Print what was checked; return the exit code."""
    corpus, queries = ({row["_id"] for row in rows(name)} for name in ("corpus.jsonl", "queries.jsonl"))
    relevant = relevant_pages()
    negatives = {row["query_id"]: row["corpus_ids"] for row in rows("hard_negatives.jsonl")}
    right = {
        "ids are unique": (len(corpus), len(queries)) == (len(rows("corpus.jsonl")), len(rows("queries.jsonl"))),
        "every query has judgments": set(relevant) == queries == set(negatives),
        "judgments name pages of the corpus": set().union(*relevant.values()) <= corpus,
        "hard negatives are pages that are not relevant": all(
            set(pages) <= corpus - relevant[query] for query, pages in negatives.items()
        ),
    }
    perfect = {query: sorted(pages) for query, pages in relevant.items()}
    half = {query: [pages[0], *negatives[query][:1]] for query, pages in perfect.items()}
    scores = {"perfect": ndcg(relevant, perfect), "negatives": ndcg(relevant, negatives), "half": ndcg(relevant, half)}
    right["rankings score as they should"] = (
        math.isclose(scores["perfect"], 1) and scores["negatives"] == ndcg(relevant, {}) == 0 < scores["half"] <= 1
    )
    try:
        ndcg(relevant, dict.fromkeys(relevant, 17))  # type: ignore[arg-type, unused-ignore]
        right["a wrong type raises"] = False
    except TypeError:
        right["a wrong type raises"] = True
    for what, holds in right.items():
        sys.stdout.write(f"{what}: {'yes' if holds else 'NO'}\n")
    sys.stdout.write(", ".join(f"{name} {score:.3f}" for name, score in scores.items()) + "\n")
    return 0 if all(right.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
