import csv
import json
from itertools import islice

import pytest

from tests.task_draws import candidates, save_recorded
from worldsmith.agents.baselines import request_text
from worldsmith.errors import ConsistencyError
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.index import Index
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.schema import load_schema
from worldsmith.simulate.disclosure import disclosed_by_cells, disclosed_by_page
from worldsmith.tasks import QueryEvaluator
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import beir, export
from worldsmith.world.files import read_jsonl, save_world


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two worlds on disk with some tasks each: folders, pages by world, tasks."""
    out = tmp_path_factory.mktemp("w")
    worlds = [generate(load_schema(name), 1) for name in ("town", "smartphones")]
    folders = [save_world(world, out) for world in worlds]
    tasks = []
    for world, folder in zip(worlds, folders, strict=True):
        some = [
            task for kind in ("wide", "deep") for task in islice(candidates(world, Pages(world), 1, "small", kind), 2)
        ]
        save_recorded(folder, some)
        tasks += some
    return folders, {world.id: Pages(world) for world in worlds}, tasks


@pytest.fixture(scope="module")
def benchmark(made, tmp_path_factory):
    """The folder of the export of both worlds."""
    out = tmp_path_factory.mktemp("beir")
    counts = export(SeparateWorlds(made[0]), "beir", out)
    assert counts == {"train": 0, "test": 8, "worlds": 2, "test_worlds": 2}
    return out


def relevant_pages(out):
    with (out / "qrels/test.tsv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    assert header == ["query-id", "corpus-id", "score"]
    assert {score for _, _, score in rows} == {"1"}
    pages = {}
    for query, page, _ in rows:
        assert page not in pages.setdefault(query, [])
        pages[query].append(page)
    return pages


def stated_by(pages, page_id):
    """What the text of a page states, by its plan."""
    page = pages.plan(page_id)
    cells = [cell for _, some in chunks(render(page, pages.world, pages)) for cell in some]
    return disclosed_by_cells(page, cells, pages.world) | disclosed_by_page(page, pages.world)


def test_the_corpus_is_every_page_that_can_be_read_as_it_is_extracted(made, benchmark):
    rows = list(read_jsonl(benchmark / "corpus.jsonl"))
    expected = {
        page.url: markdown(render(page, pages.world, pages))
        for pages in made[1].values()
        for page in map(pages.plan, pages.ids())
        if not page.dormant
    }
    assert len(rows) == len(expected)
    assert {row["_id"]: row["text"] for row in rows} == expected
    assert all(row["metadata"]["url"] == row["_id"] for row in rows)
    assert all(row["text"].startswith(f"# {row['title']}\n") for row in rows)


def test_relevant_pages_are_those_that_state_evidence_and_no_others(made, benchmark):
    relevant = relevant_pages(benchmark)
    assert set(relevant) == {task.task_id for task in made[2]}
    for name, pages in made[1].items():
        evaluator = QueryEvaluator(pages.world)
        stated = {pages.url(i): stated_by(pages, i) for i in pages.ids() if not pages.plan(i).dormant}
        for task in (task for task in made[2] if task.world == name):
            needed = required_disclosures(task, evaluator)
            assert set(relevant[task.task_id]) == {url for url, some in stated.items() if some & needed}


def test_hard_negatives_are_the_first_hits_of_the_question_that_state_no_evidence(made, benchmark):
    relevant, tasks = relevant_pages(benchmark), {task.task_id: task for task in made[2]}
    rows = list(read_jsonl(benchmark / "hard_negatives.jsonl"))
    assert {row["query_id"] for row in rows} == set(tasks)
    for row in rows:
        task = tasks[row["query_id"]]
        pages = made[1][task.world]
        hits, _ = Index(pages).search(request_text(task), 60, 1)
        others = [url for url in (pages.url(i) for i, _ in hits) if url not in relevant[task.task_id]]
        assert 0 < len(row["corpus_ids"]) <= beir.NEGATIVES
        assert row["corpus_ids"] == others[: beir.NEGATIVES]
        evidence = required_disclosures(task, QueryEvaluator(pages.world))
        assert not [u for u in row["corpus_ids"] if stated_by(pages, pages.by_url(u)) & evidence]


def test_queries_are_the_questions_without_columns_and_no_file_holds_a_gold_table(made, benchmark):
    rows = {row["_id"]: row for row in read_jsonl(benchmark / "queries.jsonl")}
    assert {name: row["text"] for name, row in rows.items()} == {t.task_id: request_text(t) for t in made[2]}
    assert all(set(row) == {"_id", "text", "metadata"} for row in rows.values())
    assert all(set(row["metadata"]) == {"world", "kind", "canary"} for row in rows.values())
    assert {str(p.relative_to(benchmark)) for p in benchmark.rglob("*") if p.is_file()} == {
        *beir.FILES,
        "README.md",
        "selfcheck.py",
    }


def test_ids_are_unique_and_judgments_name_lines_that_are_there(benchmark):
    corpus, queries = ([row["_id"] for row in read_jsonl(benchmark / name)] for name in beir.FILES[:2])
    relevant = relevant_pages(benchmark)
    assert (len(set(corpus)), len(set(queries))) == (len(corpus), len(queries))
    assert {page for some in relevant.values() for page in some} <= set(corpus)
    assert set(relevant) == set(queries)


def test_worlds_that_share_an_address_are_not_exported_together(made, tmp_path, monkeypatch):
    monkeypatch.setattr(Pages, "url", lambda self, page_id: f"https://one.example/{page_id}")
    monkeypatch.setattr(Pages, "by_url", lambda self, url: url.removeprefix("https://one.example/"))
    with pytest.raises(ConsistencyError, match=r"https://one\.example/\S+ is a page of \S+ and of \S+: export these"):
        export(SeparateWorlds(made[0]), "beir", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# The loader leaves its files to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_loader_and_the_evaluation_of_beir_take_the_files(benchmark):
    loader = pytest.importorskip("beir.datasets.data_loader", reason="pip install beir pytrec_eval-terrier")
    evaluation = pytest.importorskip("beir.retrieval.evaluation", reason="pip install beir pytrec_eval-terrier")
    corpus, queries, qrels = loader.GenericDataLoader(data_folder=str(benchmark)).load(split="test")
    lines = (benchmark / "corpus.jsonl").read_text("utf-8").splitlines()
    assert corpus == {row["_id"]: {"title": row["title"], "text": row["text"]} for row in map(json.loads, lines)}
    assert {query: list(pages) for query, pages in qrels.items()} == relevant_pages(benchmark)
    assert set(queries) == set(qrels)
    perfect = {query: dict.fromkeys(pages, 1.0) for query, pages in qrels.items()}
    ndcg, _, recall, _ = evaluation.EvaluateRetrieval.evaluate(qrels, perfect, [1000])
    assert (ndcg["NDCG@1000"], recall["Recall@1000"]) == (1.0, 1.0)
