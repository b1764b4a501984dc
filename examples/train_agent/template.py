"""What small tasks are worth to an agent without a model: python template.py WORLDS [--data DATA].

It asks what the certificate asks, opens the first list that is found, reads every page which that links to in its
order, and copies the cells that stand beside the columns' names. It tests no condition and turns no page. What a model
earns beyond it, it earns by finding the words to search with, by leaving rows out, and by going on where a list does.
"""

import argparse
import json
import re
import statistics
from pathlib import Path

from prepare import held_out, tool_call, world_folder

from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task, tasks_of
from worldsmith.tasks.task import markdown_table
from worldsmith.train.environment import Environment
from worldsmith.world.files import load_world, world_folders

LINKS = 80
"""Pages it reads at most."""
_HIT = re.compile(r"^(.+)\n(https://\S+)$", re.MULTILINE)
_ROW = re.compile(r"^\| \[[^\]]*\]\((\S+?)\)", re.MULTILINE)
_PAIRS = (
    re.compile(r"^- \*{0,2}([^*:\n]+)\*{0,2}: (.*)$", re.MULTILINE),
    re.compile(r"^\| ([^|\n]+) \| ([^|\n]+) \|$", re.MULTILINE),
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NUMBER = re.compile(r"-?\d[\d,.]*")


def bare(label: str) -> str:
    """Return a label without its unit, in small letters."""
    return re.sub(r"\s*\([^)]*\)", "", label).strip().lower()


def copied(task: Task, page: str) -> list[str]:
    """Return a row of what stands beside the columns' names on a page."""
    box: dict[str, str] = {}
    for pattern in _PAIRS:
        for label, value in pattern.findall(page):
            box.setdefault(bare(label), _LINK.sub(r"\1", value))
    cells = [box.get(bare(column.name.rsplit(": ", 1)[-1]), "") for column in task.columns]
    numbers = [
        _NUMBER.search(c) if column.kind in {"int", "num"} else None
        for c, column in zip(cells, task.columns, strict=True)
    ]
    return [number[0] if number else cell for number, cell in zip(numbers, cells, strict=True)]


def episode(task: Task, environment: Environment) -> tuple[float, float, bool]:
    """Return reward, item F1 and whether the whole table is right."""
    environment.reset()
    links: dict[str, None] = {}
    for call in task.certificate["calls"]:
        if call["tool"] == "web_search":
            hits = _HIT.findall(environment.step(tool_call(call)).observation)
            lists = [url for title, url in hits if " by " in title] or [url for _, url in hits]
            if lists:
                page = environment.step(tool_call({"tool": "web_extractor", "arg": lists[0]})).observation
                links |= dict.fromkeys(_ROW.findall(page))
    pages = [
        environment.step(tool_call({"tool": "web_extractor", "arg": url})).observation for url in list(links)[:LINKS]
    ]
    end = environment.step(markdown_table(task.columns, [copied(task, page) for page in pages]))
    return end.reward.total, end.score.item.f1, end.score.success


def groups(worlds: Path, data: Path | None, count: int) -> dict[str, list[Task]]:
    """Return tasks by split, those that evaluate.py takes; without data, all tasks of the worlds by kind."""
    if data is not None:
        return {split: [Task.from_json(line) for line in held_out(data, split, count)] for split in ("test", "held")}
    kinds: dict[str, list[Task]] = {}
    for folder in world_folders([worlds]):
        for task in tasks_of(folder):
            kinds.setdefault(task.kind, []).append(task)
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", type=Path)
    parser.add_argument("--data", type=Path, help="of prepare.py: its held-out tasks, by split")
    parser.add_argument("--tasks", type=int, default=200, help="of each split")
    args = parser.parse_args()
    for name, tasks in groups(args.worlds, args.data, args.tasks).items():
        ended, simulator = [], None
        for task in tasks:  # those of a world stand together
            if simulator is None or simulator.world.id != task.world:
                simulator = Simulator(load_world(world_folder(args.worlds, task.world)))
            ended.append(episode(task, Environment(simulator.world, task, simulator, max_turns=300)))
        means = (round(statistics.fmean(each), 3) for each in zip(*ended, strict=True))
        figures = dict(zip(("reward", "item_f1", "success"), means, strict=True))
        print(json.dumps({"of": name, "tasks": len(tasks), **figures}))


if __name__ == "__main__":
    main()
