"""Check this export: `python selfcheck.py [--evaluator CHECKOUT]` (exit 0: passed, 1: failed, 3: a package is missing).

Alone it goes by the kit's copy of WideSearch's rules. With a checkout of the benchmark's repository it goes through its
own loader and evaluator, which asks no language model here: keys and headers are compared as they stand.
"""

import argparse
import csv
import json
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode.rehearsal import require
from worldsmith_kit.scoring import ScoreError, score_widesearch

HERE = Path(__file__).resolve().parent
GOLD = HERE / "widesearch_gold"
PACKAGES = {
    "pandas": "'pandas<3'", "loguru": "loguru", "dateparser": "dateparser", "pandarallel": "pandarallel",
    "datasets": "datasets",
}  # fmt: skip
"""What the evaluator imports, as pip is told."""
Figures = tuple[float, float, float]
"""Success, F1 by row and F1 by item."""
Evaluate = Callable[[str, Any], Figures]
"""(instance, answer) to its figures."""


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file."""
    with (HERE / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def kit_evaluator() -> Evaluate:
    """Return the evaluator's rules as the kit has them."""
    evaluations = {row["instance_id"]: json.loads(row["evaluation"]) for row in rows("widesearch.jsonl")}

    def evaluate(instance: str, answer: Any) -> Figures:
        gold = (GOLD / f"{instance}.csv").read_text("utf-8")
        result = score_widesearch(answer, evaluations[instance], gold)
        return float(result.success), result.row.f1, result.item.f1

    return evaluate


def own_evaluator(checkout: Path) -> Evaluate:
    """Return the benchmark's own evaluator, over its own loader."""
    for package in PACKAGES:
        require(package, " ".join(PACKAGES.values()))
    if not (checkout / "src" / "evaluation" / "evaluation.py").is_file():
        sys.exit(f"{checkout} holds no src/evaluation/evaluation.py: name a checkout of ByteDance-Seed/WideSearch")
    sys.path.insert(0, str(checkout))
    no_model = types.ModuleType("src.utils.llm")
    no_model.llm_completion = lambda *_arguments, **_options: None  # type: ignore[attr-defined]
    sys.modules["src.utils.llm"] = no_model
    from loguru import logger  # noqa: PLC0415 - of a checkout

    logger.remove()
    from src.evaluation.data_loader import WideSearchDataLoader, WideSearchResponse  # noqa: PLC0415
    from src.evaluation.evaluation import evaluate_single_query  # noqa: PLC0415

    loader = WideSearchDataLoader(str(HERE / "widesearch_local.jsonl"), str(GOLD))
    if set(loader.get_instance_id_list()) != {row["instance_id"] for row in rows("widesearch.jsonl")}:
        raise ValueError("the benchmark's loader leaves instances out")

    def evaluate(instance: str, answer: Any) -> Figures:
        response = WideSearchResponse(instance, answer)
        if not isinstance(answer, str):
            response.extract_dataframe()  # the evaluator itself turns every error into zeros
        result = evaluate_single_query(loader.load_query_by_instance_id(instance), response)
        return float(result.score), float(result.f1_by_row), float(result.f1_by_item)

    return evaluate


def gold_rows(instance: str) -> list[list[str]]:
    """Return the header and the rows of a gold table."""
    with (GOLD / f"{instance}.csv").open(encoding="utf-8-sig", newline="") as file:
        return [*csv.reader(file)]


def table(header: Sequence[str], some: Sequence[Sequence[str]]) -> str:
    """Return rows as the Markdown table that an agent would give."""
    lines = [header, ["---"] * len(header), *some]
    return "```markdown\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n```"


def faults(instance: str, evaluate: Evaluate) -> list[str]:
    """Return what is wrong with the figures of an instance."""
    header, *gold = gold_rows(instance)
    half = evaluate(instance, table(header, gold[: len(gold) // 2]))
    right = {
        "gold": evaluate(instance, table(header, gold)) == (1, 1, 1),
        "empty": evaluate(instance, "") == (0, 0, 0),
        "half": half[0] == 0 and (0 < half[2] < 1 or len(gold) < 2),
    }
    try:
        evaluate(instance, 17)
        right["wrong type"] = False
    except (AttributeError, ScoreError, TypeError):  # the kit's, or the benchmark's own
        pass
    return [f"{instance}: {name}" for name, holds in right.items() if not holds]


def main() -> int:
    """Print what is wrong; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluator", type=Path, help="a checkout of the benchmark's repository")
    options = parser.parse_args()
    evaluate = own_evaluator(options.evaluator.resolve()) if options.evaluator else kit_evaluator()
    local = {row["instance_id"]: row for row in rows("widesearch_local.jsonl")}
    instances, wrong = [], []
    for row in rows("widesearch.jsonl"):
        instances.append(row["instance_id"])
        if local[row["instance_id"]] != {**row, "evaluation": json.loads(row["evaluation"])}:
            wrong.append(f"{row['instance_id']}: the two files differ")
        wrong += faults(row["instance_id"], evaluate)
    sys.stdout.write("\n".join([*wrong, f"{len(instances)} instances, {len(wrong)} faults"]) + "\n")
    return 1 if wrong or not instances else 0


if __name__ == "__main__":
    sys.exit(main())
