"""The order of the layers, and what some of them must never load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "worldsmith"

# fmt: off
LAYERS = [
    "errors", "seeding", "cache", "scoring", "expr", "schema", "naming", "turned", "world", "engine", "graph",
    "generate", "check", "disk", "pages", "index", "slices", "renderer", "disclosure", "tasks", "llm", "guard",
    "perturb", "store",
    "simulator", "traces", "agents", "certificate", "audit", "mine", "cover", "review",
    "evaluate", "report", "fictional", "likeness", "survey", "draft", "models", "implied", "trial", "taskfiles",
    "batch", "stream", "dialects", "agent_messages", "environment", "failures", "window", "redirect", "server",
    "exports", "cli",
]
# fmt: on


def modules() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] not in ("__init__.py", "__main__.py") and "verl_files" not in relative.parts:
            found.append((relative.parts[0].removesuffix(".py"), path))
    return found


def imported(path: Path) -> set[str]:
    """Return the layers a file imports when it is loaded, or later."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("worldsmith.")
            and not node.level
        ):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "worldsmith" and not node.level:
            found |= {a.name for a in node.names if a.name in LAYERS}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("worldsmith.")}
    return found


# The two edges that look up are lazy and at the edge: rows as SQLModel objects.
UPWARD = {("world", "models"), ("engine", "models")}


@pytest.mark.parametrize(
    ("layer", "path"), modules(), ids=lambda x: str(x.relative_to(PACKAGE)) if isinstance(x, Path) else ""
)
def test_each_module_imports_only_from_layers_before_it(layer, path):
    assert layer in LAYERS, f"{path}: {layer} has no place in the order"
    for other in imported(path):
        if other != layer and (layer, other) not in UPWARD:
            assert LAYERS.index(other) < LAYERS.index(layer), f"{path} imports {other}"


def loaded(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def of_ours(names: set[str]) -> set[str]:
    return {n.split(".")[1] for n in names if n.startswith("worldsmith.")}


def test_check_never_loads_generate():
    assert "generate" not in of_ours(loaded("import worldsmith.checking"))


def test_server_never_loads_what_holds_gold():
    assert not of_ours(loaded("import worldsmith.serving")) & {"tasks", "certificate", "audit", "mine", "agents"}


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
    heavy = {"duckdb", "networkx", "openai", "pydantic", "sqlmodel", "faker", "numpy", "starlette", "uvicorn", "bm25s"}
    assert not {n.split(".")[0] for n in names} & heavy


def test_no_module_is_called_by_what_it_is_not():
    assert not {p.name for _, p in modules()} & {"utils.py", "helpers.py", "common.py"}
