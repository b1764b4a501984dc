"""Each package the project stands on does real work: a command that runs with it fails without it."""

import subprocess
import sys

import pytest

from worldsmith.world import files


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    from worldsmith.generation import generate
    from worldsmith.schema import load_schema

    return files.save_world(generate(load_schema("town"), 7), tmp_path_factory.mktemp("w"))


def run_without(package, args):
    code = f"import sys; sys.modules[{package!r}] = None; from worldsmith.cli import main; main({args!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("package", "args"),
    [
        ("click", ["--help"]),
        ("pydantic", ["schema", "check", "town", "--worlds", "1"]),
        ("networkx", ["generate", "smartphones", "--tasks", "0", "--out", "{tmp}"]),
        ("faker", ["generate", "town", "--tasks", "0", "--out", "{tmp}"]),
        ("sqlmodel", ["show", "{world}", "--ddl"]),
        ("duckdb", ["show", "{world}", "--sql", "select count(*) from shop"]),
        ("openai", ["search", "{world}", "shops", "--model", "m", "--model-url", "http://127.0.0.1:9/v1"]),
    ],
)
def test_a_command_needs_it(package, args, world, tmp_path, call):
    call(*(a.format(world=world, tmp=tmp_path / "a") for a in args))
    without_it = run_without(package, [a.format(world=world, tmp=tmp_path / "b") for a in args])
    assert without_it.returncode != 0
    assert package in without_it.stderr


@pytest.mark.parametrize("before", ["", "import jax; "], ids=["installed", "in use"])
def test_the_index_leaves_jax_alone(before, tmp_path):
    """jax takes most of a GPU's memory when it first computes: a trainer's, in the same process."""
    jax = tmp_path / "jax"
    jax.mkdir()
    (jax / "__init__.py").write_text("")
    (jax / "lax.py").write_text("raise SystemExit('jax computed')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {before}import worldsmith.pages.index as index; "
        "print('jax' in sys.modules, index.build.__name__); import jax; print(jax.__file__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == [f"{bool(before)} worldsmith.pages.index.build", str(jax / "__init__.py")]
