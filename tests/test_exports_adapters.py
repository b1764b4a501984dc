"""Exports for frameworks that run an adapter of ours, without the frameworks: their files, and where gold is."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import worldsmith
from worldsmith.episode import TOOLS
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
PACKAGES = {"inspect": ("inspect-ai==0.3.285", "."), "verifiers": ("verifiers==0.4.0", "worldsmith_search")}
"""By format: the package that it needs, and the folder of its rows' adapter and kit."""


@pytest.fixture(scope="module", params=PACKAGES)
def exported(request, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param) / "export"
    export(SeparateWorlds([WORLD]), request.param, out)
    return request.param, out


def test_the_selfcheck_names_the_package_that_is_missing(exported):
    name, out = exported
    command = [sys.executable, "-S", "selfcheck.py"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.strip().endswith(f": pip install {PACKAGES[name][0]}")


def test_gold_is_in_the_reference_alone(exported):
    _, out = exported
    files = {path.relative_to(out): path.read_text("utf-8") for path in out.rglob("*") if path.is_file()}
    lines = [line for path, text in files.items() if path.suffix == ".jsonl" for line in text.splitlines()]
    assert len(lines) == 5
    for row in map(json.loads, lines):
        cells = {str(value) for gold in json.loads(row.pop("reference"))["rows"] for value in gold}
        long = {cell for cell in cells if len(cell) > 7 and cell not in row["question"]}
        assert long
        assert not [cell for cell in long if cell in json.dumps(row, ensure_ascii=False)]


def test_the_marks_are_filled_and_the_kit_is_the_package_own(exported):
    name, out = exported
    for path in out.rglob("*"):
        if path.suffix in {".py", ".md", ".toml"}:
            assert not [mark for mark in ("@COUNTS@", "@SPLIT@", "@TURNS@", "@RESPONSE@") if mark in path.read_text()]
    kit, package = out / PACKAGES[name][1] / "worldsmith_kit", Path(worldsmith.__file__).parent
    for part in ("episode/call_records.py", "scoring/reward.py"):
        assert (kit / part).read_bytes() == (package / part).read_bytes()


def test_the_tools_are_described_as_everywhere(exported):
    name, out = exported
    adapter = (out / {"inspect": "tasks.py", "verifiers": "worldsmith_search/servers/web.py"}[name]).read_text("utf-8")
    for tool in TOOLS:
        assert f"def {tool['function']['name']}(" in adapter
        assert f'"""{tool["function"]["description"]}' in adapter


def test_the_package_for_verifiers_installs_with_its_data(tmp_path):
    export(SeparateWorlds([WORLD]), "verifiers", tmp_path)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    (package,) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert project["project"]["name"].replace("-", "_") == package
    assert (tmp_path / package / "data" / "train.jsonl").is_file()
