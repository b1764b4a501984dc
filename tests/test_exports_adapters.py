"""Exports that bring an adapter for a trainer, without the trainers: their files, and where gold is."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow.parquet
import pytest

import worldsmith
from worldsmith.episode.tools import TOOLS
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.train.exports.rows import CANARY
from worldsmith.world.files import read_jsonl

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
PACKAGES = {
    "art": "openpipe-art==0.5.18 'openai<3'",
    "gymnasium": "gymnasium==1.4.0",
    "inspect": "inspect-ai==0.3.285",
    "nemo-gym": "nemo-gym==0.4.0",
    "openenv": "openenv==0.10.0",
    "rllm": "git+https://github.com/rllm-org/rllm",
    "skyrl": "skyrl-gym==0.4.0",
    "slime": "git+https://github.com/THUDM/slime",
    "verifiers": "verifiers==0.4.0",
}
"""By format, the package that it needs."""
FOLDERS = {"nemo-gym": "resources_servers/worldsmith", "verifiers": "worldsmith_search"}
"""Where the kit lies, if not beside the README."""
SENT = {"nemo-gym": "responses_create_params", "verifiers": "question"}
"""The field of a row that a model is shown, if not its prompt."""


@pytest.fixture(scope="module", params=PACKAGES)
def exported(request, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param) / "out"
    export(SeparateWorlds([WORLD]), request.param, out, base_url="http://search.test:9")
    return request.param, out


def rows_of(out):
    files = [file for split in ("train", "test") for file in out.rglob(f"{split}.*") if file.suffix != ".py"]
    return [
        row
        for file in files
        for row in (pyarrow.parquet.read_table(file).to_pylist() if file.suffix == ".parquet" else read_jsonl(file))
    ]


def test_the_selfcheck_names_the_package_that_is_missing(exported):
    to, out = exported
    command = [sys.executable, "-S", "selfcheck.py"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f": pip install {PACKAGES[to]}\n")


def test_every_mark_is_filled(exported):
    _, out = exported
    texts = {file: file.read_text("utf-8") for file in out.rglob("*") if file.suffix in {".md", ".py", ".sh", ".toml"}}
    assert not [file for file, text in texts.items() if re.search(r"@[A-Z]+@", text)]
    assert "http://search.test:9" in texts[out / "README.md"]


def test_the_files_that_the_readme_names_are_there(exported):
    to, out = exported
    written = (out / "README.md").read_text("utf-8").partition("## Data card")[0]
    table = [line.split("|")[1] for line in written.splitlines() if line[:2] == "| "]
    names = [name for cell in table[2:] for name in cell.strip().split(", ")]
    if to in {"inspect", "verifiers"}:  # their tables are of figures and options
        return
    assert len(names) >= 5
    assert [name for name in names if not (out / name).exists()] == []


def test_gold_is_in_its_field_alone(exported):
    to, out = exported
    rows = rows_of(out)
    assert len(rows) == 5
    for row in rows:
        spec = row.pop("reward_spec", None)
        gold = json.loads(spec["ground_truth"] if spec else row.pop("label" if to == "slime" else "reference"))
        hashes = re.findall(r"'([\w-]{8})'", str(gold["evidence"]["cells"]))
        rest = json.dumps(row)
        assert len(gold["rows"]) == len(gold["evidence"]["cells"]) > 0
        assert hashes
        assert not [one for one in hashes if one in rest]
        assert CANARY in rest
        assert CANARY not in json.dumps(row[SENT.get(to, "prompt")])
    texts = [file for file in out.rglob("*") if file.suffix in {".py", ".md", ".yaml", ".toml", ".sh"}]
    assert not [file for file in texts if hashes[0] in file.read_text("utf-8")]


def test_the_kit_is_the_packages_own(exported):
    to, out = exported
    kit, package = out / FOLDERS.get(to, ".") / "worldsmith_kit", Path(worldsmith.__file__).parent
    for part in ("episode/call_records.py", "scoring/reward.py"):
        assert (kit / part).read_bytes() == (package / part).read_bytes()
    assert (kit / "rehearsal.json").is_file()


@pytest.mark.parametrize(("to", "file"), [("inspect", "tasks.py"), ("verifiers", "worldsmith_search/servers/web.py")])
def test_the_tools_are_described_as_everywhere(tmp_path, to, file):
    export(SeparateWorlds([WORLD]), to, tmp_path)
    adapter = (tmp_path / file).read_text("utf-8")
    for tool in TOOLS:
        assert f"def {tool['function']['name']}(" in adapter
        assert f'"""{tool["function"]["description"]}' in adapter


def test_the_package_for_verifiers_installs_with_its_data(tmp_path):
    export(SeparateWorlds([WORLD]), "verifiers", tmp_path)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))
    (package,) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert project["project"]["name"].replace("-", "_") == package
    assert (tmp_path / package / "data" / "train.jsonl").is_file()


def test_a_row_of_skyrl_holds_what_its_trainer_would_overwrite_out_of_reach(tmp_path):
    export(SeparateWorlds([WORLD]), "skyrl", tmp_path)
    (row,) = pyarrow.parquet.read_table(tmp_path / "test.parquet").to_pylist()
    assert set(row) == {"data_source", "prompt", "env_class", "reward_spec", "extra_info"}
    assert (row["env_class"], row["data_source"]) == ("worldsmith", "worldsmith/deep")
    assert row["extra_info"]["max_turns"] == 20
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert '<tool_call>\n{"name": "web_search"' in row["prompt"][0]["content"]
    assert (tmp_path / "run.sh").stat().st_mode & 0o111


def test_a_row_of_nemo_gym_is_a_request_of_the_responses_api(tmp_path):
    export(SeparateWorlds([WORLD]), "nemo-gym", tmp_path)
    row = next(iter(read_jsonl(tmp_path / "train.jsonl")))
    request = row["responses_create_params"]
    assert [message["role"] for message in request["input"]] == ["system", "user"]
    assert [tool["name"] for tool in request["tools"]] == [tool["function"]["name"] for tool in TOOLS]
    assert {tool["strict"] for tool in request["tools"]} == {False}
    assert "prompt" not in row
