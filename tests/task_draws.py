"""The tasks among draws, as many as a test takes, and files of tasks as mining leaves them."""

from hashlib import sha256

from worldsmith import expr
from worldsmith.mining.candidates import task_draws
from worldsmith.mining.sampling import MiningContext
from worldsmith.tasks import Task
from worldsmith.tasks.task import VERSIONS
from worldsmith.world.engine import attach
from worldsmith.world.files import MANIFEST, indented_json, read_manifest, save_jsonl, tasks_file, write_file


def condition(text, table, schema):
    """Return a condition over the rows of a table."""
    return expr.parse(text, table, schema.types, as_of=schema.as_of, want="bool")


def draw_tasks(world, pages, seed, size="wide", kind="wide", *, empty=False, split="all"):
    with attach(world) as connection:
        variant = "empty" if empty else ""
        yield from task_draws(MiningContext(world, pages), connection, seed, size, kind, variant=variant, split=split)


def candidates(world, pages, seed, size="wide", kind="wide", *, empty=False):
    return (task for task in draw_tasks(world, pages, seed, size, kind, empty=empty) if isinstance(task, Task))


def save_recorded(folder, tasks):
    """Write tasks that nobody proved with the record that mining leaves, by which exports take them as they are."""
    path = tasks_file(folder)
    save_jsonl(path, [task.to_json() for task in tasks])
    if not (folder / MANIFEST).is_file():
        folder.mkdir()
        write_file(folder / MANIFEST, indented_json({"digest": "of no world"}))
    record = {"world_digest": read_manifest(folder)["digest"], "versions": dict(VERSIONS)}
    write_file(path.with_suffix(".json"), indented_json(record | {"sha256": sha256(path.read_bytes()).hexdigest()}))
