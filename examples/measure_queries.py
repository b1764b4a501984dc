"""Where the pages that an answer needs stand among the hits for queries as people type them, alone and in a pool.

pip install beir
worldsmith export DIR --to beir --out BENCHMARK
python examples/measure_queries.py DIR BENCHMARK QUERIES.jsonl [bm25|hybrid|dense]

QUERIES.jsonl holds {"id": a task's id, "query": what somebody typed who saw the question alone}. A page is needed if it
states evidence of the task, by the benchmark's judgments; recall is that of BEIR's own evaluator, and so is the capped
one, which divides by ten at most.
"""

import json
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path

from beir.datasets.data_loader import GenericDataLoader
from beir.retrieval.evaluation import EvaluateRetrieval

from worldsmith.pages.index.dense import retriever_named
from worldsmith.pages.pool import open_pool
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import world_folders

FIRST = 5
K = 10


def main() -> None:
    folder, benchmark, file = map(Path, sys.argv[1:4])
    retriever = retriever_named(*sys.argv[4:5] or ("bm25",))
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    _, questions, judgments = GenericDataLoader(data_folder=str(benchmark)).load(split="test")
    worlds = {row["_id"]: row["metadata"]["world"] for row in map(json.loads, (benchmark / "queries.jsonl").open())}
    judgments = {row["id"]: judgments[row["id"]] for row in rows}
    pool = open_pool(world_folders([folder]))
    simulator = PoolSimulator(
        pool, simulate=partial(Simulator, retriever=retriever), index=partial(pool.index, retriever=retriever)
    )
    webs = {"alone": lambda task: simulator.world(worlds[task]), "pool": lambda _: simulator}
    ranks: dict[str, dict[str, int | None]] = {}
    print(f"{len(rows)} queries, {len(questions)} tasks in the benchmark")
    for name, web in webs.items():
        results = {}
        for row in rows:
            server = web(row["id"])
            hits = server.call(Address(server.id), Call("web_search", row["query"], k=K)).results
            results[row["id"]] = {hit.url: float(K - i) for i, hit in enumerate(hits)}
        ranks[name] = {
            task: next((i for i, url in enumerate(hits, 1) if url in judgments[task]), None)
            for task, hits in results.items()
        }
        _, _, recall, precision = EvaluateRetrieval.evaluate(judgments, results, [K])
        capped = EvaluateRetrieval.evaluate_custom(judgments, results, [K], "r_cap")
        first = sum(rank is not None and rank <= FIRST for rank in ranks[name].values())
        print(f"{name}: a needed page among the first {FIRST} for {first} of {len(rows)}; ", end="")
        print(f"{recall} {capped} {precision}")
        by_schema: dict[str, list[bool]] = defaultdict(list)
        for task, rank in ranks[name].items():
            by_schema[task.partition("-")[0]].append(rank is not None and rank <= FIRST)
        print("  " + ", ".join(f"{schema} {sum(hits)}/{len(hits)}" for schema, hits in sorted(by_schema.items())))
    for row in rows:
        if None in (ranks["alone"][row["id"]], ranks["pool"][row["id"]]):
            print(f"not in the first {K}, alone or in the pool: {row['id']}: {row['query']}")


if __name__ == "__main__":
    main()
