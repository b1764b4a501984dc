"""The front door: what `import worldsmith` offers, that it costs nothing, and that no room hides it."""

import pkgutil
import subprocess
import sys

import pytest

import worldsmith as ws
from worldsmith.errors import NotFoundError, UsageError


def child(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_episode_from_the_front_door(tmp_path):
    world = ws.generate("town", seed=7)
    assert ws.check(world).ok
    task = ws.mine(world, 1, size="small").tasks[0]
    assert ws.score(task.table(), task).item.f1 == 1.0
    simulator = ws.Simulator(world)
    hits = simulator.call(ws.Address(world.id), ws.Call("web_search", "inspections in 2024")).results
    assert len(hits) >= 9
    environment = ws.Environment(world, task, simulator)
    environment.reset()
    step = environment.step(task.table())
    assert (step.score.success, step.reward.total) == (True, 0.0)
    for shown in (repr(step), repr(step.score), repr(environment)):
        assert len(shown) < 400
        for row in task.gold:
            assert not any(isinstance(cell, str) and len(cell) > 3 and cell in shown for cell in row)


def test_paths_are_text_or_paths(repository):
    folder = next(path for path in (repository / "worlds").iterdir() if path.name.startswith("town"))
    assert ws.load_world(str(folder)).digest == ws.load_world(folder).digest
    tasks = ws.read_tasks(str(folder))
    assert [t.task_id for t in tasks] == [
        t.task_id for t in ws.read_tasks(folder.parent / "_tasks" / f"{folder.name}.jsonl")
    ]
    schema = ws.load_schema(str(repository / "schemas" / "town.toml"))
    assert ws.generate(schema, 3).digest == ws.generate(repository / "schemas" / "town.toml", 3).digest
    with pytest.raises(NotFoundError, match="town"):
        ws.generate("twon", 3)
    with pytest.raises(NotFoundError, match="no world there"):
        ws.load_world(repository / "tests")
    with pytest.raises(UsageError, match="holds 2 worlds: name one, such as "):
        ws.load_world(repository / "worlds")


def test_importing_it_loads_nothing_more():
    code = (
        "import sys; before = set(sys.modules); import worldsmith; print([m for m in sys.modules if 'worldsmith' in m])"
    )
    assert child(code) == "['worldsmith']\n"


def test_no_room_is_called_like_what_it_offers():
    rooms = {module.name for module in pkgutil.iter_modules(ws.__path__)}
    assert not rooms & set(ws.__all__)
    code = (
        "import importlib, pkgutil, worldsmith as ws\n"
        "for m in sorted(pkgutil.walk_packages(ws.__path__, 'worldsmith.'), key=lambda m: hash(m.name)):\n"
        "    if 'adapters' not in m.name and not m.name.endswith('__main__') and 'naming.build' not in m.name:\n"
        "        importlib.import_module(m.name)\n"
        "for name in ws.__all__:\n"
        "    assert callable(getattr(ws, name)), name\n"
    )
    child(code)
