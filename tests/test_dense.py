"""Ranking by vectors: the seam, with vectors of words by their hashes, and the real ones where they are installed."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from worldsmith.cli import main
from worldsmith.errors import UsageError
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.index import Index, dense
from worldsmith.pages.index.dense import CONSTANT, ONE, DenseRanking, Retriever, retriever_named
from worldsmith.pages.index.pool import PoolIndex, build_pool_index
from worldsmith.pages.pool import Pool, open_pool
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.simulate.pool import PoolSimulator, simulator_of
from worldsmith.simulate.protocol import Address, Call
from worldsmith.world.files import save_world, world_folders
from worldsmith.world.model import World

DIMENSIONS = 48
QUERIES = ("bakeries and who keeps them", "oldest house of the parish", "inspection fault 2026", "zzzzzz qqqqqq")
"""What a town is searched for: words of people, a year, unknown words."""


class HashedWords:
    """Vectors of words that have nothing in common but chance."""

    def __init__(self, name: str = "hashed", most: int = 100_000) -> None:
        self.name, self.most = name, most

    def vectors(self, words: Sequence[str]) -> np.ndarray:
        assert len(words) <= self.most
        digests = b"".join(blake2b(word.encode(), digest_size=DIMENSIONS).digest() for word in words)
        return np.frombuffer(digests, dtype="uint8").reshape(-1, DIMENSIONS).astype("float32") - 127.5


DENSE, HYBRID = Retriever(HashedWords(), alone=True), Retriever(HashedWords())

AnyIndex = Index | PoolIndex
Ranked = Callable[[Retriever], AnyIndex]


@pytest.fixture(scope="module")
def world() -> World:
    return generate(load_schema("town"), 7, language="natural")


@pytest.fixture(scope="module")
def index(world: World) -> Index:
    return Index(Pages(world))


@pytest.fixture(scope="module")
def pool_index(index: Index, tmp_path_factory: pytest.TempPathFactory) -> PoolIndex:
    """The index of a pool of that one world."""
    return build_pool_index(tmp_path_factory.mktemp("index") / "pool", "key", [index.pages])


@pytest.fixture(scope="module", params=["alone", "pool"])
def plain(request: pytest.FixtureRequest, index: Index, pool_index: PoolIndex) -> AnyIndex:
    """Either of them, ranked by BM25."""
    return index if request.param == "alone" else pool_index


@pytest.fixture(scope="module")
def ranked(plain: AnyIndex, tmp_path_factory: pytest.TempPathFactory) -> Ranked:
    """What ranks it otherwise."""
    path = tmp_path_factory.mktemp("vectors") / "dense"
    if isinstance(plain, Index):
        return plain.ranked_by
    return partial(plain.ranked_by, path=path, key="key")


@pytest.fixture(scope="module")
def pool(world: World, tmp_path_factory: pytest.TempPathFactory) -> Pool:
    out = tmp_path_factory.mktemp("worlds")
    for one in (world, generate(load_schema("films"), 3, language="natural")):
        save_world(one, out)
    return open_pool(world_folders([out]))


def _hits(index: AnyIndex, query: str, *, hidden: bool = False) -> list[tuple[str, float]]:
    """Return all hits as (page id, score)."""
    return [(hit[-2], hit[-1]) for hit in index.search(query, 60, 1, hidden=hidden)[0]]


def _ranking_of(index: AnyIndex) -> DenseRanking:
    assert index.dense is not None
    return index.dense


def _cosines(index: Index, query: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each page for a query's terms, worked out term by term."""
    stock, embedder, n = index.stock, HashedWords(), len(index.ids)
    pages, wanted = np.zeros((n, DIMENSIONS)), np.zeros(DIMENSIONS)
    roots = dict.fromkeys(query, np.sqrt(np.log(1 + (n + 0.5) / 0.5)))
    for term, word in enumerate(stock.words):
        span = slice(int(stock.indptr[term]), int(stock.indptr[term + 1]))
        documents, scores = stock.indices[span], stock.scores[span]
        roots[word] = np.sqrt(np.log(1 + (n - len(documents) + 0.5) / (len(documents) + 0.5)))
        pages[documents] += np.outer(scores / roots[word], embedder.vectors([word])[0])
    for word in query:
        wanted += roots[word] * embedder.vectors([word])[0]
    cosines = pages @ wanted / np.linalg.norm(pages, axis=1) / np.linalg.norm(wanted)
    return dict(zip(index.ids, cosines.tolist(), strict=True))


def test_dense_ranks_by_the_cosine_of_the_weighted_vectors_of_terms(index: Index, ranked: Ranked) -> None:
    live = [page_id for page_id, shown in zip(index.ids, index.stock.live.tolist(), strict=True) if shown]
    for query, terms in ((QUERIES[0], ("bakery", "keep")), (QUERIES[3], ("zzzzzz", "qqqqqq"))):
        expected, hits = _cosines(index, terms), _hits(ranked(DENSE), query)
        assert len({page_id for page_id, _ in hits}) == 60
        assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
        assert dict(hits) == pytest.approx({page_id: expected[page_id] for page_id, _ in hits}, abs=0.015)
        assert hits[-1][1] > sorted(expected[page_id] for page_id in live)[-60] - 0.015


def test_hybrid_fuses_the_first_hits_of_both_by_reciprocal_rank(index: Index, plain: AnyIndex, ranked: Ranked) -> None:
    place = {page_id: i for i, page_id in enumerate(index.ids)}
    for query in QUERIES:
        expected: dict[str, float] = {}
        matches = [hit for hit in _hits(plain, query) if hit[1] > 0]
        for ranking in (matches, _hits(ranked(DENSE), query)):
            for rank, (page_id, _) in enumerate(ranking, 1):
                expected[page_id] = expected.get(page_id, 0) + 1 / (CONSTANT + rank)
        order = sorted(expected, key=lambda page_id: (-expected[page_id], place[page_id]))[:60]
        hits = _hits(ranked(HYBRID), query)
        assert [page_id for page_id, _ in hits] == order, query
        assert dict(hits) == pytest.approx({page_id: expected[page_id] for page_id in order})


def test_cosines_are_exact_so_that_ties_are_ties_on_any_machine(ranked: Ranked) -> None:
    ranking = _ranking_of(ranked(DENSE))
    postings, vectors = ranking._postings, ranking._vectors
    assert vectors.dtype == np.dtype("int8")
    for query in QUERIES:
        words = query.split()
        products = vectors.astype("int64") @ postings.query_vector(HashedWords(), words).astype("int64")
        assert 0 < np.abs(products).max() <= 1.1 * ONE * ONE < 2**24
        assert (ranking._cosines(words) == products.astype("float32") / np.float32(ONE * ONE)).all()


def test_pages_that_are_equally_near_go_by_page_id() -> None:
    scores = np.array([1, 3, 2, 3, 2, 0, 2], dtype="float32")
    assert dense.best(np.arange(7), scores, 4).tolist() == [1, 3, 2, 4]
    assert dense.best(np.array([0, 4, 6]), scores, 4).tolist() == [4, 6, 0]


@pytest.mark.parametrize("retriever", [DENSE, HYBRID], ids=["dense", "hybrid"])
def test_the_operators_of_a_query_hold_for_vectors_too(
    index: Index, plain: AnyIndex, ranked: Ranked, retriever: Retriever
) -> None:
    pages, own = index.pages, ranked(retriever)
    host = pages.sites[0].host
    for query, admits in (
        (f"site:{host} bakery", lambda page_id: f"//{host}/" in pages.url(page_id)),
        (f"-site:{host} bakery", lambda page_id: f"//{host}/" not in pages.url(page_id)),
        ("bakery after:2026", lambda page_id: pages.page(page_id).date >= "2026"),
        ("bakery before:2026", lambda page_id: "" < pages.page(page_id).date < "2026"),
    ):
        hits = [page_id for page_id, _ in _hits(own, query)]
        assert hits
        assert all(admits(page_id) for page_id in hits), query
    key = pages.keys(next(page.subject for page in map(pages.page, pages.ids()) if page.subject))[0]
    matches = {page_id for page_id, score in _hits(plain, f'"{key}"') if score > 0}
    assert 0 < len(matches) < 60
    assert {page_id for page_id, _ in _hits(own, f'"{key}" bakery')} == matches
    holding = {page_id for page_id, score in _hits(plain, "bakery") if score > 0}
    assert holding.isdisjoint(page_id for page_id, _ in _hits(own, "shop -bakery"))


def test_dormant_pages_are_hits_only_where_they_are_counted_in(index: Index, ranked: Ranked) -> None:
    for query in QUERIES:
        assert not any(index.pages.page(page_id).dormant for page_id, _ in _hits(ranked(HYBRID), query))
        assert any(index.pages.page(page_id).dormant for page_id, _ in _hits(ranked(HYBRID), query, hidden=True))


def test_a_query_without_words_is_answered_as_by_bm25(index: Index, plain: AnyIndex, ranked: Ranked) -> None:
    for query in ("", f"site:{index.pages.sites[0].host}"):
        assert _hits(ranked(HYBRID), query) == _hits(plain, query)


def test_vectors_of_a_pool_are_made_once_and_read_from_their_file(pool_index: PoolIndex, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    hits = _hits(pool_index.ranked_by(HYBRID, path, "key"), QUERIES[1])
    data = path.read_bytes()
    reader = Retriever(HashedWords(most=10))  # fails where it is asked for the vectors of all words
    assert _hits(pool_index.ranked_by(reader, path, "key"), QUERIES[1]) == hits
    for damaged in (data[:-1], data[:-70] + b"\x00\x55" * 35, b""):
        path.write_bytes(damaged)
        assert _hits(pool_index.ranked_by(HYBRID, path, "key"), QUERIES[1]) == hits
        assert path.read_bytes() == data
    for retriever, key in ((Retriever(HashedWords("another")), "key"), (HYBRID, "other pages")):
        pool_index.ranked_by(retriever, path, key)
        assert path.read_bytes() != data
        with pytest.raises(AssertionError):
            pool_index.ranked_by(reader, path, "key")
    nowhere = tmp_path / "vectors" / "below a file"
    assert _hits(pool_index.ranked_by(HYBRID, nowhere, "key"), QUERIES[1]) == hits


def test_simulators_rank_by_their_retriever_and_their_copies_do(world: World, pool: Pool) -> None:
    call = Call("web_search", QUERIES[1])
    for source in (world, pool):
        bm25, ranked = (simulator_of(source, retriever=retriever) for retriever in (None, HYBRID))
        results = ranked.call(Address(source.id), call).results
        assert [hit.url for hit in results] != [hit.url for hit in bm25.call(Address(source.id), call).results]
        for other in (pickle.loads(pickle.dumps(ranked)), deepcopy(ranked)):
            assert other.call(Address(source.id), call).results == results


def test_the_edits_of_a_profile_apply_to_what_vectors_rank(world: World, pool: Pool) -> None:
    for source in (world, pool):
        simulator, edited = simulator_of(source, retriever=DENSE), Address(source.id, "adversarial", 3)
        calls = [Call("web_search", query, k=20) for query in QUERIES]
        first = {hit.url for call in calls for hit in simulator.call(Address(source.id), call).results}
        shown = {hit.url for call in calls for hit in simulator.call(edited, call).results}
        assert shown & first
        places = [simulator.page_at(edited, url) for url in shown]
        assert any(place is not None and place[1].dormant for place in places)


def test_a_server_ranks_by_the_retriever_on_every_dialect(world: World, pool: Pool) -> None:
    simulator = PoolSimulator(pool, index=partial(pool.index, retriever=HYBRID))
    client = TestClient(create_app([pool], simulate=partial(simulator_of, retriever=HYBRID)))

    def urls(source: World | Pool) -> list[str]:
        server = simulator if isinstance(source, Pool) else simulator_of(source, retriever=HYBRID)
        return [hit.url for hit in server.call(Address(source.id), Call("web_search", QUERIES[1], k=5)).results]

    for path, body, expected in (
        ("/api/search", {"query": QUERIES[1], "k": 5}, urls(pool)),
        ("/search", {"query": QUERIES[1], "max_results": 5}, urls(pool)),
        (f"/w/{world.id}/api/search", {"query": QUERIES[1], "k": 5}, urls(world)),
    ):
        assert [hit["url"] for hit in client.post(path, json=body).json()["results"]] == expected
    (documents,) = client.post("/retrieve", json={"queries": [QUERIES[1]], "topk": 5}).json()["result"]
    assert [document["url"] for document in documents] == urls(pool)


def test_the_commands_take_a_retriever(world: World, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "word_vectors", HashedWords)
    for command in (
        ["search", str(pool.folder / world.id), QUERIES[1]],
        ["search", str(pool.folder), QUERIES[1], "--pool"],
    ):
        shown = []
        for options in ([], ["--retriever", "bm25"], ["--retriever", "hybrid"], ["--retriever", "dense"]):
            result = CliRunner().invoke(main, [*command, *options])
            assert result.exit_code == 0, result.output
            shown.append(result.output)
        assert shown[0] == shown[1]
        assert len(set(shown)) == 3
    both = ["run", str(pool.folder), "--agent", "oracle", "--base-url", "http://127.0.0.1:9", "--retriever", "dense"]
    result = CliRunner().invoke(main, both)
    assert result.exit_code == 2
    assert "give it to the server of --base-url instead" in result.output


def test_a_retriever_that_is_unknown_or_not_installed_is_an_error_with_the_fix(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no retriever 'colbert': it is one of bm25, hybrid, dense"):
        retriever_named("colbert")
    dense.word_vectors.cache_clear()
    monkeypatch.setattr(dense, "find_spec", lambda _: None)
    result = CliRunner().invoke(main, ["search", str(pool.folder), "bakery", "--pool", "--retriever", "hybrid"])
    assert result.exit_code == 2
    assert 'pip install "worldsmith[dense]"' in result.output


def test_bm25_loads_nothing_of_the_extra(pool: Pool) -> None:
    code = (
        "import sys; from worldsmith.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print({'wordllama', 'safetensors', 'tokenizers'} & {*sys.modules})"
    )
    command = [sys.executable, "-c", code, "search", str(pool.folder), QUERIES[0], "--pool"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    first, *_, last = result.stdout.splitlines()
    assert first.startswith("[1] https://")
    assert last == "set()"


def test_the_word_vectors_of_wordllama_know_what_words_mean(world: World) -> None:
    pytest.importorskip("wordllama", reason='pip install "worldsmith[dense]"')
    dense.word_vectors.cache_clear()
    retriever = retriever_named("dense")
    assert retriever is not None
    bakery, bread, stadium = retriever.embedder.vectors(["bakery", "bread", "stadium"])
    near, far = (float(bakery @ other / np.linalg.norm(other)) for other in (bread, stadium))
    assert near > 2 * far
    simulator, call = simulator_of(world, retriever=retriever), Call("web_search", "bread and rolls", k=5)
    hits = simulator.call(Address(world.id), call).results
    assert len(hits) == 5
    assert pickle.loads(pickle.dumps(simulator)).call(Address(world.id), call).results == hits
