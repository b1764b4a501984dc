"""The export to Hugging Face `datasets`, loaded by it offline."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes, save
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.rows import Serving, outlines_of, split_by, task_row

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def python() -> Path:
    return framework_python("hf")


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("hf") / "out"
    export(SeparateWorlds([WORLD]), "hf", out)
    return out


@pytest.fixture(scope="module")
def loaded(python, exported, tmp_path_factory) -> dict:
    """What `datasets` makes of the folder, and what odd episodes on its rows earn over HTTP."""
    folder = tmp_path_factory.mktemp("loaded")
    save(folder / "episodes.json")
    script = Path(__file__).parent / "hf_episodes.py"
    with running_server([WORLD]) as base_url:
        run_python(
            python, script, exported, folder / "episodes.json", folder / "out.json", cwd=folder,
            WORLDSMITH_BASE_URL=base_url,
        )  # fmt: skip
    return json.loads((folder / "out.json").read_text("utf-8"))


def test_the_selfcheck_passes(python, exported):
    lines = run_python(python, "selfcheck.py", cwd=exported).splitlines()
    assert sum("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0." in line for line in lines) == 2
    assert lines[-1] == "passed"


def test_an_export_without_tasks_for_testing_loads(python, tmp_path):
    export(SeparateWorlds([WORLD]), "hf", tmp_path / "out", test_share=0)
    assert not (tmp_path / "out" / "data" / "test.parquet").exists()
    assert run_python(python, "selfcheck.py", cwd=tmp_path / "out").splitlines()[-1] == "passed"


def test_the_rows_are_the_canonical_ones(loaded):
    worlds = SeparateWorlds([WORLD])
    for name, tasks in split_by(outlines_of(worlds), worlds, "worlds", None).items():
        pairs = with_references(tasks, worlds)
        serving = Serving("http://127.0.0.1:8000")
        assert loaded["splits"][name] == [task_row(task, name, serving, reference) for task, reference in pairs]
    assert "List" in loaded["features"]["prompt"]
    assert loaded["features"]["max_turns"] == "Value('int64')"
    assert loaded["features"]["reference"] == "Value('string')"


def test_odd_episodes_earn_what_an_environment_pays(loaded):
    assert len(loaded["episodes"]) == 200
    assert loaded["episodes"] == [dict(episode.figures) for episode in odd_episodes()]


def test_the_selfcheck_names_the_package_that_is_missing(exported):
    code = f"import sys; sys.path.insert(0, {str(exported)!r}); import selfcheck"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "this check needs the package datasets: pip install datasets==5.2.0\n")
