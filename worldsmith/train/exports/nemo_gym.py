"""NeMo Gym 0.4: rows whose prompt and tools are a Responses API request, and a resources server for its agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldsmith.episode.tools import TOOLS
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits, task_row
from worldsmith.world.files import save_jsonl

FILES = Path(__file__).parent / "adapters" / "nemo_gym"
SERVER = Path("resources_servers", "worldsmith")
"""Where NeMo Gym looks for the server; the folder works alone."""


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.jsonl, test.jsonl, the files of `FILES` and, beside the server, the kit."""
    for name, tasks in splits.items():
        pairs = with_references(tasks, worlds)
        save_jsonl(out / f"{name}.jsonl", (row(task_row(task, name, serving, gold)) for task, gold in pairs))
    copy_files(FILES, splits, out, serving, "jsonl")
    write_kit(splits, out / SERVER, serving, worlds)


def row(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a task: what the model is sent in responses_create_params, the other fields for the server."""
    tools = [{"type": "function", "strict": False, **tool["function"]} for tool in TOOLS]
    rest = {name: value for name, value in task.items() if name != "prompt"}
    return {"responses_create_params": {"input": task["prompt"], "tools": tools}, **rest}
