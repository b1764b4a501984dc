"""A retrieval benchmark in BEIR's format: pages as the corpus, questions as queries, evidence as relevance judgments.

A judgment comes from the plan of a page's text, never from matching values. Gold tables are in no file.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from worldsmith.agents.baselines import request_text
from worldsmith.errors import ConsistencyError
from worldsmith.pages import Pages
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.kit import copy_files
from worldsmith.train.exports.rows import CANARY, Serving, Splits
from worldsmith.world.model import Disclosure

NEGATIVES = 20
"""Hard negatives per query, at most."""
FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "hard_negatives.jsonl")

FOLDER = Path(__file__).parent / "adapters" / "beir"
"""What is copied: the data card and selfcheck.py. No kit: its rehearsals hold gold."""


def write(
    splits: Splits,
    out: Path,
    serving: Serving,
    worlds: Worlds,
) -> None:
    """Write the files of `FILES`, and those of `FOLDER`, world by world.

    Raises:
        ConsistencyError: two worlds have a page at the same address, or no page states any evidence of a task.
    """
    parts_by_world: dict[str, list[tuple[Task, Task]]] = {name: [] for name in worlds.ids}
    for task in (task for tasks in splits.values() for task in tasks):
        for part in task.parts:
            parts_by_world[part.world].append((task, part))
    (out / "qrels").mkdir()
    world_of: dict[str, str] = {}
    relevant: dict[str, list[str]] = {}
    with ExitStack() as stack:
        corpus, queries, qrels, negatives = (stack.enter_context((out / name).open("wb")) for name in FILES)
        qrels.write(b"query-id\tcorpus-id\tscore\n")
        for name in worlds.ids:
            simulator = worlds.simulator(name)
            own = simulator if isinstance(simulator, Simulator) else simulator.world(name)
            benchmark = _Benchmark(own, [part for _, part in parts_by_world[name]])
            for url, page in benchmark.pages():
                other = world_of.setdefault(url, name)
                if other != name:
                    raise ConsistencyError(f"{url} is a page of {other} and of {name}: export these worlds apart")
                _write_line(corpus, page)
            for task, part in parts_by_world[name]:
                if not benchmark.relevant[part.task_id]:
                    raise ConsistencyError(f"no page of {name} states evidence of {task.task_id}: mine its tasks again")
                relevant.setdefault(task.task_id, []).extend(benchmark.relevant[part.task_id])
                if name != max(task.worlds, key=worlds.ids.index):
                    continue  # what other worlds add to its lines is still to come
                metadata = {"world": task.world, "kind": task.kind, "canary": CANARY}
                _write_line(queries, {"_id": task.task_id, "text": request_text(task), "metadata": metadata})
                qrels.write("".join(f"{task.task_id}\t{url}\t1\n" for url in relevant[task.task_id]).encode())
                hits = simulator.ranked_urls(Address(simulator.id), request_text(task))
                known = frozenset(relevant[task.task_id])
                hard = [url for url in hits if url not in known][:NEGATIVES]
                _write_line(negatives, {"query_id": task.task_id, "corpus_ids": hard, "canary": CANARY})
        for file in (corpus, queries, qrels, negatives):
            file.flush()
            os.fsync(file.fileno())  # before `staged_files` moves them into place
    marks = {
        "@PAGES@": len(world_of),
        "@WORLDS@": len(worlds.ids),
        "@QUERIES@": len(relevant),
        "@JUDGMENTS@": sum(map(len, relevant.values())),
        "@NEGATIVES@": NEGATIVES,
    }
    copy_files(FOLDER, splits, out, serving, "jsonl", {mark: str(value) for mark, value in marks.items()})


class _Benchmark:
    """The pages of a world and which of them are relevant to its tasks."""

    def __init__(self, simulator: Simulator, tasks: Sequence[Task]) -> None:
        self.address, self._simulator = Address(simulator.id), simulator
        self._pages: Pages = simulator.pages_of(self.address)
        evaluator = QueryEvaluator(simulator.world)
        self._evidence: dict[str, frozenset[Disclosure]] = {
            task.task_id: required_disclosures(task, evaluator) for task in tasks
        }
        self.relevant: dict[str, list[str]] = {task.task_id: [] for task in tasks}
        """Addresses of the relevant pages by task; whole once `pages` has ended."""

    def pages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the address and the line of each page that can be read, and note to which tasks it is relevant."""
        for page_id in self._pages.ids():
            url = self._pages.url(page_id)
            reply = self._simulator.call(self.address, Call("web_extractor", url))
            if not reply.opened:
                continue
            stated = frozenset(reply.disclosed)
            for task_id, needed in self._evidence.items():
                if needed & stated:
                    self.relevant[task_id].append(url)
            yield url, _page_line(url, reply)


def _page_line(url: str, reply: Observation) -> dict[str, Any]:
    assert reply.doc is not None
    metadata = {"url": url, "canary": CANARY}
    return {"_id": url, "title": reply.doc.title, "text": reply.text, "metadata": metadata}


def _write_line(file: BinaryIO, row: Mapping[str, Any]) -> None:
    file.write(orjson.dumps(row) + b"\n")
