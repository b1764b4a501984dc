"""The index of a pool: it ranks one world as that world's own index does, and many by the statistics of all."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.index import Index
from worldsmith.pages.index import pool as pool_index
from worldsmith.pages.index.pool import PoolIndex, build_pool_index, open_pool_index
from worldsmith.schema import load_schema

SEEDS = (("town", 7), ("films", 3), ("town", 12))


@pytest.fixture(scope="module")
def worlds() -> list[Pages]:
    made = [Pages(generate(load_schema(name), seed, language="natural")) for name, seed in SEEDS]
    return sorted(made, key=lambda pages: pages.world.id)


@pytest.fixture(scope="module")
def index(worlds: Sequence[Pages], tmp_path_factory: pytest.TempPathFactory) -> PoolIndex:
    return build_pool_index(tmp_path_factory.mktemp("index") / "pool", "key", worlds)


def _queries(pages: Pages) -> list[str]:
    """Return names, words of people, operators and slips that a world can be asked by."""
    subjects = [pages.page(page_id).subject for page_id in pages.ids()[::60]]
    names = [pages.keys(subject)[0] for subject in subjects if subject is not None]
    host = pages.sites[0].host
    title = max(re.findall(r"\w+ \w+", names[0]), default=names[0])
    return [
        *names,
        *(f"{name} opened 2012" for name in names),
        "bakeries and who keeps them",
        "the best film of the festival award",
        "oldest inspektion of a resident",
        f"site:{host} opened",
        f"site:{host}/{pages.url(pages.ids()[0]).split('/')[3]} opened",
        f"-site:{host} opened",
        f'"{title}"',
        "opened after:2012-01 before:2026",
        "opened newer_than:400d",
        "opened -bakery",
        "",
        "zzzzzz qqqqqq",
    ]


def test_a_pool_of_one_world_ranks_as_its_own_index(worlds: Sequence[Pages], tmp_path: Path) -> None:
    for pages in worlds:
        own, pooled = Index(pages), build_pool_index(tmp_path / pages.world.id, "key", [pages])
        for query in _queries(pages):
            for hidden in (False, True):
                hits, more = own.search(query, 20, 1, hidden=hidden)
                pool_hits, pool_more = pooled.search(query, 20, 1, hidden=hidden)
                assert [(world, page_id) for world, page_id, _ in pool_hits] == [
                    (pages.world.id, page_id) for page_id, _ in hits
                ], query
                assert [score for *_, score in pool_hits] == pytest.approx([score for _, score in hits], abs=2e-3)
                assert pool_more == more


def test_common_terms_are_looked_up_for_few_pages_without_changing_a_hit(
    worlds: Sequence[Pages], index: PoolIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [query for pages in worlds for query in _queries(pages)]
    queries += [f'"{query}" inspection award' for query in queries if query.istitle()]
    whole = [index.search(query, 60, 1) for query in queries]
    taken: list[bool] = []
    candidates_of = pool_index._candidates

    def counted(scores: np.ndarray, passing: np.ndarray, rest: float) -> np.ndarray | None:
        candidates = candidates_of(scores, passing, rest)
        taken.append(candidates is not None)
        return candidates

    monkeypatch.setattr(pool_index, "_candidates", counted)
    monkeypatch.setattr(pool_index, "LARGE", 0)
    monkeypatch.setattr(pool_index, "COMMON", 20)
    monkeypatch.setattr(pool_index, "DEPTH", 6)
    for query, (hits, _) in zip(queries, whole, strict=True):
        assert [hit[:2] for hit in index.search(query, 6, 1)[0]] == [hit[:2] for hit in hits[:6]], query
    assert any(taken)
    assert not all(taken)


def test_a_phrase_of_common_words_is_looked_for_in_pages_without_the_rare_words_of_a_query(
    index: PoolIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    frequency = np.append(np.diff(index._arrays["indptr"].astype("int64")), 0)  # what closes a field is no term
    text = index._arrays["text"].tolist()
    common = len(index.ids) // 20
    pairs = Counter((a, b) for a, b in pairwise(text) if min(frequency[a], frequency[b]) > common)
    phrases = [pair for pair, times in sorted(pairs.items()) if 2 <= times <= 30][::40]
    rare = np.flatnonzero((frequency > common // 4) & (frequency <= common)).tolist()
    queries = [
        f'{index.words[word]} {index.words[other]} "{index.words[a]} {index.words[b]}"'
        for (a, b), word, other in zip(phrases, rare, reversed(rare), strict=False)
    ]
    assert len(queries) >= 10
    monkeypatch.setattr(pool_index, "COMMON", 20)
    monkeypatch.setattr(pool_index, "DEPTH", 6)
    whole = [index.search(query, 6, 1)[0] for query in queries]
    monkeypatch.setattr(pool_index, "LARGE", 0)
    assert [index.search(query, 6, 1)[0] for query in queries] == whole


def test_paging_shows_each_hit_once(index: PoolIndex) -> None:
    pages = [index.search("bakery opened", 7, page) for page in range(1, 10)]
    hits = [hit[:2] for some, _ in pages for hit in some]
    assert len(hits) == len(set(hits)) == 60
    assert [more for _, more in pages] == [True] * 8 + [False]


def test_hits_of_several_worlds_stand_by_their_score(worlds: Sequence[Pages], index: PoolIndex) -> None:
    hits, _ = index.search("bakery opened", 60, 1)
    assert len({world for world, *_ in hits}) > 1
    scores = [score for *_, score in hits]
    assert scores == sorted(scores, reverse=True)
    for pages in worlds:
        name = next(pages.keys(s)[0] for s in (pages.page(i).subject for i in pages.ids()) if s is not None)
        assert index.search(name, 1, 1)[0][0][0] == pages.world.id


def test_what_was_built_twice_is_the_same_and_is_opened_by_its_key(worlds: Sequence[Pages], tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for path in (first, second):
        build_pool_index(path, "key", worlds)
    assert first.read_bytes() == second.read_bytes()
    reopened = open_pool_index(first, "key")
    assert reopened is not None
    assert reopened.search("bakery", 10, 1) == build_pool_index(tmp_path / "c", "key", worlds).search("bakery", 10, 1)
    assert open_pool_index(first, "other") is None
    assert open_pool_index(tmp_path / "none", "key") is None


def test_a_damaged_file_is_not_opened(worlds: Sequence[Pages], tmp_path: Path) -> None:
    path = tmp_path / "index"
    build_pool_index(path, "key", worlds[:1])
    data = path.read_bytes()
    for wrong in (b"", data[:20], data[:-1], b"x" + data[1:], data[:40] + b"\0" + data[41:]):
        path.write_bytes(wrong)
        assert open_pool_index(path, "key") is None
    for at in range(len(data) - 1, len(data) // 4, -len(data) // 40):  # arrays, and what fills the gaps between them
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert open_pool_index(path, "key") is None
    path.write_bytes(data)
    assert open_pool_index(path, "key") is not None


def test_a_folder_that_cannot_be_written_keeps_the_index_in_memory(worlds: Sequence[Pages], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    index = build_pool_index(tmp_path / "file" / "index", "key", worlds[:1])
    assert len(index.search("film award", 3, 1)[0]) == 3
    assert (tmp_path / "file").read_text() == ""
