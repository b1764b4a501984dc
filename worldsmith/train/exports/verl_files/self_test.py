"""Check this export: `python self_test.py`; with `--server`, also that every world is served.

Every row's gold, in the form verl hands an episode over, must earn 1.0; no answer, 0.0; half of the rows, something in
between; gold that only a tool returned, or that was never read, 0.0. Needs pyarrow, which verl's `datasets` brings, or
duckdb.
"""

import json
import os
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reward import compute_score, reference_of, scoring  # type: ignore[import-not-found, unused-ignore]

HERE = Path(__file__).resolve().parent
SEARCHED = (
    '<think>I will search.</think>\n<tool_call>\n{"name": "web_search", "arguments": {"query": "x"}}\n</tool_call>\n'
    "user\n<tool_response>\n%s\n</tool_response>\nassistant\n<think>Done.</think>\n%s"
)


def rows_of(path: Path) -> list[Any]:
    """Return the rows of a Parquet file. Raises ImportError where nothing is installed that reads one."""
    try:
        import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415 - either will do
    except ImportError:
        import duckdb  # noqa: PLC0415

        with duckdb.connect() as connection:
            result = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in result.description]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    return list(pq.read_table(path).to_pylist())


def table(reference: Any, rows: Sequence[Any]) -> str:
    """Return rows as the Markdown table an agent would give."""
    lines = [[column.name for column in reference.columns], ["---"] * len(reference.columns)]
    lines += [[scoring.show(v, c) for v, c in zip(row, reference.columns, strict=True)] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def faults(row: Any) -> list[str]:
    """Return what is wrong with the rewards of one row."""
    truth = row["reward_model"]["ground_truth"]
    reference, evidence = reference_of(truth)
    gold = table(reference, reference.gold)
    half = table(reference, reference.gold[: max(1, len(reference.gold) // 2)])
    answers = {"gold": ("", gold), "empty": ("", ""), "half": ("", half), "leaked": (gold, "I found it.")}
    read = {**row["extra_info"], "worldsmith_evidence": sorted(evidence.whole)}
    rewards = {
        name: compute_score(row["data_source"], SEARCHED % parts, truth, read) for name, parts in answers.items()
    }
    rewards["memory"] = compute_score(row["data_source"], SEARCHED % answers["gold"], truth, row["extra_info"])
    right = {
        "gold": rewards["gold"]["score"] == 1.0,
        "empty": rewards["empty"]["score"] == 0.0,
        "half": 0.0 < rewards["half"]["score"] < 1.0 or len(reference.gold) == 1,
        "leaked": rewards["leaked"]["score"] == 0.0,
        "memory": rewards["memory"]["score"] == 0.0,
        "keys": len({tuple(result) for result in rewards.values()}) == 1,
        "floats": all(type(value) is float for result in rewards.values() for value in result.values()),
    }
    return [f"{row['extra_info']['task_id']}: {name}" for name, ok in right.items() if not ok]


def unserved(rows: Sequence[Any]) -> list[str]:
    """Return the worlds of the rows that no server of theirs serves."""
    missing = []
    places = [row["extra_info"]["tools_kwargs"]["web_search"]["create_kwargs"] for row in rows]
    override = os.environ.get("WORLDSMITH_BASE_URL")
    wanted = sorted({(override or place["base_url"], place["world"]) for place in places})
    for base in sorted({base for base, _ in wanted}):
        try:
            with urllib.request.urlopen(f"{base}/worlds", timeout=20) as reply:  # noqa: S310 - the row's own server
                served = {world["world"] for world in json.load(reply)["worlds"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            missing.append(f"no worldsmith serve answers at {base} ({error}): start it, or set WORLDSMITH_BASE_URL")
            continue
        missing += [f"{world}: not served at {base}" for at, world in wanted if at == base and world not in served]
    return missing


def main() -> int:
    """Print what is wrong, or that nothing is."""
    try:
        rows = [row for name in ("train", "test") for row in rows_of(HERE / f"{name}.parquet")]
    except ImportError:
        sys.stdout.write("nothing here reads Parquet: pip install pyarrow\n")
        return 2
    problems = [fault for row in rows for fault in faults(row)]
    if "--server" in sys.argv[1:]:
        problems += unserved(rows)
    sys.stdout.write("\n".join([*problems, f"{len(rows)} tasks, {len(problems)} faults"]) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
