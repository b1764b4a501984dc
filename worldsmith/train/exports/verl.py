"""verl 0.9: Parquet rows for its tool agent loop, the tools, the reward function with its scorer, how to run them.

Row format after verl's RLHFDataset: `extra_info.tools_kwargs.<tool>.create_kwargs` reaches a tool's `create`, and
`reward_model.ground_truth` the reward function.
"""

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.environment import prompt
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.rows import CANARY, Splits, copy_scorer, split_sentence
from worldsmith.world.files import save_jsonl, write_file

FILES = Path(__file__).parent / "verl_files"
"""What is copied as it is, or with its marks filled."""
TOOLS = ("web_search", "web_extractor")
BATCH = 32
"""Tasks a step at most."""
PROMPT = 4096
"""Tokens a prompt at most, tools included."""
MIN_RESPONSE = 24_576
"""Tokens: the least that a whole episode is given, tool replies included."""

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


def write(splits: Splits, out: Path, base: str, worlds: Worlds) -> None:
    """Write the rows as Parquet, the files of `FILES`, and a copy of the scorer."""
    for name, tasks in splits.items():
        pairs = enumerate(with_references(tasks, worlds))
        _parquet([row(task, name, i, base, gold) for i, (task, gold) in pairs], out / f"{name}.parquet")
    marks = _marks(splits, base)
    for file in sorted(FILES.iterdir()):
        if file.is_file() and file.name != "__init__.py":
            write_file(out / file.name, _filled(file.read_text("utf-8"), marks).encode())
    (out / "run.sh").chmod(0o755)
    copy_scorer(out)


def row(task: Task, split: str, index: int, base: str, reference: str) -> dict[str, Any]:
    """Return the row of a task that is scored by `reference`, as verl's dataset reads it."""
    place = {"create_kwargs": {"world": task.web, "base_url": base}}
    return {
        "data_source": f"worldsmith/{task.kind}",
        "agent_name": "tool_agent",
        "prompt": prompt(task),
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


def _parquet(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write rows by way of JSON lines: types are given, so nothing of them is guessed."""
    lines, part = path.with_suffix(".part.jsonl"), path.with_suffix(".part.parquet")
    save_jsonl(lines, rows)
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items())
    source = f"read_json({_quoted(lines)}, format = 'newline_delimited', columns = {{{columns}}})"
    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            # Types are ours and paths are quoted: a COPY takes no parameters.
            connection.execute(f"COPY (SELECT * FROM {source}) TO {_quoted(part)} (FORMAT parquet, COMPRESSION zstd)")  # noqa: S608
        write_file(path, part.read_bytes())
    except duckdb.IOException as error:
        raise OSError(errno.EIO, str(error), str(path)) from None
    finally:
        lines.unlink(missing_ok=True)
        part.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _marks(splits: Splits, base: str) -> dict[str, str]:
    tasks = [task for part in splits.values() for task in part]
    need = max(int(1.5 * task.tool_tokens) + 6_000 for task in tasks)
    response, rows = max(MIN_RESPONSE, -(-need // 1024) * 1024), len(splits["train"])
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
        "@TURNS@": str(max(task.max_turns for task in tasks)),
    }


def _filled(text: str, marks: dict[str, str]) -> str:
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text
