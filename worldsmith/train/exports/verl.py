"""verl 0.9: Parquet rows for its tool agent loop, the tools, the reward function with its scorer, how to run them.

Row format after verl's RLHFDataset: `extra_info.tools_kwargs.<tool>.create_kwargs` reaches a tool's `create`, and
`reward_model.ground_truth` the reward function.
"""

from pathlib import Path
from typing import Any

from worldsmith.episode.tools import prompt
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import CANARY, Serving, Splits, copy_scorer, response_tokens, split_sentence
from worldsmith.world.files import write_file

FILES = Path(__file__).parent / "verl_files"
"""What is copied as it is, or with its marks filled."""
TOOLS = ("web_search", "web_extractor")
BATCH = 32
"""Tasks a step at most."""
PROMPT = 4096
"""Tokens a prompt at most, tools included."""

_TOOL = "STRUCT(create_kwargs STRUCT(world VARCHAR, base_url VARCHAR))"
COLUMNS = {
    "data_source": "VARCHAR",
    "agent_name": "VARCHAR",
    "prompt": "STRUCT(role VARCHAR, content VARCHAR)[]",
    "ability": "VARCHAR",
    "reward_model": "STRUCT(style VARCHAR, ground_truth VARCHAR)",
    "extra_info": 'STRUCT(split VARCHAR, "index" BIGINT, task_id VARCHAR, world VARCHAR, size VARCHAR, '
    "max_turns BIGINT, min_turns BIGINT, tool_tokens BIGINT, canary VARCHAR, need_tools_kwargs BOOLEAN, "
    f"tools_kwargs STRUCT(web_search {_TOOL}, web_extractor {_TOOL}))",
}
"""Types of the Parquet columns."""


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write the rows as Parquet, the files of `FILES`, and a copy of the scorer."""
    for name, tasks in splits.items():
        pairs = enumerate(with_references(tasks, worlds))
        rows = (row(task, name, i, serving, gold) for i, (task, gold) in pairs)
        write_parquet(rows, out / f"{name}.parquet", COLUMNS)
    marks = _marks(splits, serving.base_url)
    for file in sorted(FILES.iterdir()):
        if file.is_file() and file.name != "__init__.py":
            write_file(out / file.name, _filled(file.read_text("utf-8"), marks).encode())
    (out / "run.sh").chmod(0o755)
    copy_scorer(out)


def row(task: Task, split: str, index: int, serving: Serving, reference: str) -> dict[str, Any]:
    """Return the row of a task that is scored by `reference`, as verl's dataset reads it."""
    place = {"create_kwargs": {"world": serving.address(task), "base_url": serving.base_url}}
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
            "tool_tokens": task.tool_tokens,
            "canary": CANARY,
            "need_tools_kwargs": True,
            "tools_kwargs": dict.fromkeys(TOOLS, place),
        },
    }


def _marks(splits: Splits, base: str) -> dict[str, str]:
    response, rows = response_tokens(splits.outlines), len(splits["train"])
    batch = 1 << (min(BATCH, max(rows, 1)).bit_length() - 1)
    return {
        "@BASE_URL@": base,
        "@COUNTS@": ", ".join(f"{name}.parquet: {len(part)} tasks" for name, part in splits.items()),
        "@SPLIT@": split_sentence(splits),
        "@BATCH@": str(batch),
        "@STEPS@": str(rows // batch),
        "@PROMPT@": str(PROMPT),
        "@RESPONSE@": str(response),
        "@CONTEXT@": str(PROMPT + response),
        "@TURNS@": str(max(outline.max_turns for outline in splits.outlines)),
    }


def _filled(text: str, marks: dict[str, str]) -> str:
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text
