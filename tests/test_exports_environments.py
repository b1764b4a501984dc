"""Exports that bring an environment for a trainer: their files, without the trainer."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.world.files import read_jsonl

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
PACKAGES = {"skyrl": "skyrl-gym==0.4.0", "openenv": "openenv==0.10.0", "gymnasium": "gymnasium==1.4.0"}
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
exec(compile(open(sys.argv[1] + "/selfcheck.py").read(), "selfcheck.py", "exec"))
"""


@pytest.fixture(scope="module", params=PACKAGES)
def exported(request, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param) / "out"
    export(SeparateWorlds([WORLD]), request.param, out, base_url="http://search.test:9")
    return request.param, out


def rows_of(out, split):
    if (file := out / f"{split}.parquet").is_file():
        return pyarrow.parquet.read_table(file).to_pylist()
    return list(read_jsonl(out / f"{split}.jsonl"))


def test_the_selfcheck_names_the_package_that_is_missing(exported):
    to, out = exported
    command = [sys.executable, "-I", "-S", "-B", "-c", RUN, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f": pip install {PACKAGES[to]}\n")


def test_every_mark_is_filled(exported):
    _, out = exported
    texts = {file: file.read_text("utf-8") for file in out.rglob("*") if file.is_file() and file.suffix != ".parquet"}
    assert not [file for file, text in texts.items() if re.search(r"@[A-Z]+@", text)]
    assert json.dumps({"train": 4, "test": 1}, separators=(",", ":")) in texts[out / "selfcheck.py"]
    assert "http://search.test:9" in texts[out / "README.md"]


def test_the_files_that_the_readme_names_are_there(exported):
    _, out = exported
    written = (out / "README.md").read_text("utf-8").partition("## Data card")[0]
    table = [line.split("|")[1] for line in written.splitlines() if line[:2] == "| "]
    names = [name for cell in table[2:] for name in cell.strip().split(", ")]
    assert len(names) >= 5
    assert [name for name in names if not (out / name).exists()] == []


def test_gold_is_in_its_field_alone(exported):
    _, out = exported
    rows = [row for split in ("train", "test") for row in rows_of(out, split)]
    assert len(rows) == 5
    for row in rows:
        spec = row.pop("reward_spec", None) or {"method": "rule", "ground_truth": row.pop("reference")}
        gold = json.loads(spec["ground_truth"])
        assert len(gold["rows"]) == len(gold["evidence"]["cells"]) > 0
        hashes = re.findall(r"'([\w-]{8})'", str(gold["evidence"]["cells"]))
        rest = json.dumps(row)
        assert hashes
        assert not [one for one in hashes if one in rest]
    rehearsed = out / "worldsmith_kit" / "rehearsal.json"
    texts = [file for file in out.rglob("*") if file.suffix in {".py", ".md", ".yaml", ".toml", ".sh"}]
    assert not [file for file in texts if hashes[0] in file.read_text("utf-8")]
    assert rehearsed.is_file()


def test_a_row_of_skyrl_holds_what_its_trainer_would_overwrite_out_of_reach(tmp_path):
    export(SeparateWorlds([WORLD]), "skyrl", tmp_path)
    (row,) = rows_of(tmp_path, "test")
    assert set(row) == {"data_source", "prompt", "env_class", "reward_spec", "extra_info"}
    assert (row["env_class"], row["data_source"]) == ("worldsmith", "worldsmith/deep")
    assert row["extra_info"]["max_turns"] == 20
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert '<tool_call>\n{"name": "web_search"' in row["prompt"][0]["content"]
    assert (tmp_path / "run.sh").stat().st_mode & 0o111
