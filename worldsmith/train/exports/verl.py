"""verl 0.9: Parquet rows for its tool agent loop, the tools, the reward function, how to run them.

Row format after verl's RLHFDataset: `extra_info.tools_kwargs.<tool>.create_kwargs` reaches a tool's `create`, and
`reward_model.ground_truth` the reward function.
"""

from pathlib import Path
from typing import Any

from worldsmith.episode.tools import prompt
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import batch_size, copy_files, write_kit
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import CANARY, Serving, Splits

FILES = Path(__file__).parent / "adapters" / "verl"
TOOLS = ("web_search", "web_extractor")

_TOOL = "STRUCT(create_kwargs STRUCT(base_url VARCHAR))"
COLUMNS = {
    "data_source": "VARCHAR",
    "agent_name": "VARCHAR",
    "prompt": "STRUCT(role VARCHAR, content VARCHAR)[]",
    "ability": "VARCHAR",
    "reward_model": "STRUCT(style VARCHAR, ground_truth VARCHAR)",
    "extra_info": 'STRUCT(split VARCHAR, "index" BIGINT, task_id VARCHAR, world VARCHAR, size VARCHAR, '
    "max_turns BIGINT, min_turns BIGINT, budget BIGINT, tool_tokens BIGINT, canary VARCHAR, need_tools_kwargs BOOLEAN, "
    f"tools_kwargs STRUCT(web_search {_TOOL}, web_extractor {_TOOL}))",
}
"""Types of the Parquet columns."""


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write the rows as Parquet, the files of `FILES` and the kit."""
    for name, tasks in splits.items():
        pairs = enumerate(with_references(tasks, worlds))
        rows = (row(task, name, i, serving, gold) for i, (task, gold) in pairs)
        write_parquet(rows, out / f"{name}.parquet", COLUMNS)
    copy_files(FILES, splits, out, serving, "parquet", _marks(splits))
    write_kit(splits, out, serving, worlds)


def row(task: Task, split: str, index: int, serving: Serving, reference: str) -> dict[str, Any]:
    """Return the row of a task that is scored by `reference`, as verl's dataset reads it."""
    place = {"create_kwargs": {"base_url": serving.url(task)}}
    return {
        "data_source": f"worldsmith/{task.kind}",
        "agent_name": "tool_agent",
        "prompt": prompt(task.question),
        "ability": "search",
        "reward_model": {"style": "rule", "ground_truth": reference},
        "extra_info": {
            "split": split,
            "index": index,
            "task_id": task.task_id,
            "world": task.world,
            "size": task.size,
            "max_turns": task.max_turns,
            "min_turns": task.turns,
            "budget": task.typical_turns,
            "tool_tokens": task.tool_tokens,
            "canary": CANARY,
            "need_tools_kwargs": True,
            "tools_kwargs": dict.fromkeys(TOOLS, place),
        },
    }


def _marks(splits: Splits) -> dict[str, str]:
    batch = batch_size(splits)
    return {
        "@BATCH@": str(batch),
        "@STEPS@": str(len(splits["train"]) // batch),
        "@LIMIT@": str(max(outline.max_turns for outline in splits.outlines) + 1),
    }
