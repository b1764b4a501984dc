"""The order of the rooms, and what some of them must never load."""

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import worldsmith

PACKAGE = Path(__file__).resolve().parent.parent / "worldsmith"
ROOMS = (
    "errors", "seeding", "cache", "lang", "scoring", "episode", "expr", "naming", "schema", "world", "graph",
    "generation", "checking", "schema_lint", "pages", "simulate", "tasks", "agents", "audit", "mining", "drafting",
    "train", "rollout", "serving", "window", "bench", "cli",
)  # fmt: skip
"""Each imports only from itself and from those before it."""
FRONT_DOOR = {"load_schema", "generate", "check", "load_world", "read_tasks", "mine", "score"}
"""Functions of `worldsmith` itself: a submodule of that name would take their place once it is imported."""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str:
    return module.split(".")[1]


# These folders are copied into exports and never imported from here.
FILES = {module_name(p): p for p in sorted(PACKAGE.rglob("*.py")) if "adapters" not in p.parts}
MODULES = [m for m in FILES if m not in ("worldsmith", "worldsmith.__main__")]


def statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports in a tree, late ones too, without those for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from statements(child)


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules of ours that a module imports when it is loaded, or later."""
    path = FILES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        source = node.module or ""
        if node.level:
            above = package.split(".")
            source = ".".join(filter(None, [*above[: len(above) + 1 - node.level], node.module]))
        for alias in node.names:
            child = f"{source}.{alias.name}"
            # While a package is loaded its own modules get its submodules; others get what it gives a name to.
            names.add(child if child in FILES and (source == package or not binds(source, alias.name)) else source)
    return frozenset(names & FILES.keys()) - {module}


@cache
def binds(package: str, name: str) -> bool:
    """Whether a package's __init__ gives a name a meaning other than its submodule."""
    for node in ast.parse(FILES[package].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and name in {a.asname or a.name for a in node.names}:
            return True
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return True
    return False


def test_every_room_has_its_place_in_the_order():
    entries = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p.is_dir() and any(p.rglob("*.py")))}
    assert entries - {"__init__", "__main__"} <= set(ROOMS)
    assert len(entries) <= 29


def test_each_module_imports_only_from_rooms_before_its_own():
    rank = {name: place for place, name in enumerate(ROOMS)}
    edges = [(module, other) for module in MODULES for other in imported(module) if other != "worldsmith"]
    assert len(edges) > len(MODULES)
    assert not [f"{a} imports {b}" for a, b in edges if rank[room(b)] > rank[room(a)]]


def test_no_modules_import_each_other_in_a_circle():
    try:
        TopologicalSorter({module: imported(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_no_room_is_called_like_a_function_of_the_front_door():
    assert not set(ROOMS) & (FRONT_DOOR | set(getattr(worldsmith, "__all__", ())))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_modules_can_be_imported_in_any_order(seed):
    order = random.Random(seed).sample(MODULES, len(MODULES))
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code, *order], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def loaded(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def of_ours(names: set[str]) -> set[str]:
    return {room(n) for n in names if n.startswith("worldsmith.")}


def test_checking_never_loads_generation():
    rooms = of_ours(loaded("import worldsmith.checking"))
    assert "checking" in rooms
    assert "generation" not in rooms


def test_serving_never_loads_what_holds_gold():
    rooms = of_ours(loaded("import worldsmith.serving"))
    assert "serving" in rooms
    assert not rooms & {"tasks", "agents", "audit", "mining", "train", "rollout"}


def test_scoring_loads_only_the_standard_library():
    names = {n.split(".")[0] for n in loaded("import worldsmith.scoring")}
    foreign = names - set(sys.stdlib_module_names) - {"worldsmith", "__mp_main__"}
    # What the interpreter itself loads at start-up (editable-install hooks, site customisation) is not ours.
    foreign -= {n.split(".")[0] for n in loaded("pass")}
    assert not foreign
    assert of_ours(loaded("import worldsmith.scoring")) == {"scoring"}


def test_the_command_line_loads_nothing_heavy():
    names = loaded("import worldsmith.cli")
    assert of_ours(names) <= {"cli", "errors"}
    heavy = {"asyncio", "duckdb", "networkx", "openai", "pydantic", "sqlmodel", "faker", "numpy", "bm25s"}
    heavy |= {"starlette", "uvicorn"}
    assert not {n.split(".")[0] for n in names} & heavy


def test_no_module_is_called_by_what_it_is_not():
    assert not {p.name for p in FILES.values()} & {"utils.py", "helpers.py", "common.py"}
