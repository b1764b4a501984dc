"""Exports whose rollouts a trainer's own loop plays: their files, without the trainer."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from worldsmith.episode.tools import TOOLS
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.train.exports.rows import CANARY
from worldsmith.world.files import read_jsonl

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
PACKAGES = {
    "nemo-gym": "nemo-gym==0.4.0",
    "slime": "git+https://github.com/THUDM/slime",
    "rllm": "git+https://github.com/rllm-org/rllm",
    "art": "openpipe-art==0.5.18 'openai<3'",
}
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
path = sys.argv[1] + "/selfcheck.py"
exec(compile(open(path).read(), path, "exec"), {"__name__": "__main__", "__file__": path})
"""


@pytest.fixture(scope="module", params=PACKAGES)
def exported(request, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param) / "out"
    export(SeparateWorlds([WORLD]), request.param, out, base_url="http://search.test:9")
    return request.param, out


def test_the_selfcheck_names_the_package_that_is_missing(exported):
    to, out = exported
    command = [sys.executable, "-I", "-S", "-B", "-c", RUN, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f": pip install {PACKAGES[to]}\n")


def test_every_mark_is_filled(exported):
    _, out = exported
    texts = {file: file.read_text("utf-8") for file in out.rglob("*") if file.is_file()}
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
    to, out = exported
    rows = [row for split in ("train", "test") for row in read_jsonl(out / f"{split}.jsonl")]
    assert len(rows) == 5
    for row in rows:
        gold = json.loads(row.pop("label" if to == "slime" else "reference"))
        hashes = re.findall(r"'([\w-]{8})'", str(gold["evidence"]["cells"]))
        rest = json.dumps(row)
        assert hashes
        assert not [one for one in hashes if one in rest]
        assert CANARY in rest
        sent = {"nemo-gym": "responses_create_params"}.get(to, "prompt")
        assert CANARY not in json.dumps(row[sent])


def test_a_row_of_nemo_gym_is_a_request_of_the_responses_api(tmp_path):
    export(SeparateWorlds([WORLD]), "nemo-gym", tmp_path / "out")
    row = next(iter(read_jsonl(tmp_path / "out" / "train.jsonl")))
    request = row["responses_create_params"]
    assert [message["role"] for message in request["input"]] == ["system", "user"]
    assert [tool["name"] for tool in request["tools"]] == [tool["function"]["name"] for tool in TOOLS]
    assert {tool["strict"] for tool in request["tools"]} == {False}
    assert "prompt" not in row
