"""The window in headless Chromium, light and dark: worlds, filters, links, an episode by keys."""

import json
import os
from pathlib import Path

import orjson
import pytest

from tests.frameworks.environments import run_python
from tests.test_rollout import played
from worldsmith.rollout.recorded_episodes import EPISODES
from worldsmith.rollout.saved_run import saved_run
from worldsmith.window.launch import WindowSettings, window_process
from worldsmith.world.files import save_jsonl, save_world, tasks_file

pytestmark = pytest.mark.browser
CHROMIUM = os.environ.get("WORLDSMITH_CHROMIUM", "/usr/bin/chromium")


@pytest.fixture(scope="module")
def python():
    """The interpreter with the browser's driver."""
    folder = os.environ.get("WORLDSMITH_BROWSER")
    if not folder or not Path(CHROMIUM).exists():
        pytest.skip(f"WORLDSMITH_BROWSER names no environment, or {CHROMIUM} is missing")
    return Path(folder) / "bin" / "python"


@pytest.fixture(scope="module")
def saved(town, mined, tmp_path_factory):
    place = tmp_path_factory.mktemp("browser")
    folder = save_world(town, place / "w")
    save_jsonl(tasks_file(folder), [task.to_json() for task in mined])
    with saved_run(place / "runs" / "forgetful", {}) as run:
        for episode in played(folder, mined, "forgetful")[0]:
            run.add(episode)
    return place


@pytest.fixture(scope="module")
def url(saved):
    lines = []
    with window_process(0, WindowSettings((saved / "w",), records=(saved / "runs",)), lines.append):
        yield lines[0].split()[-1]


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(251, 251, 250)"), ("dark", "rgb(20, 23, 26)")])
def test_a_world_is_opened_filtered_and_followed_and_an_episode_replayed(
    python, saved, url, town, scheme, ground, tmp_path
):
    script = Path(__file__).with_name("visit.py")
    shown = json.loads(run_python(python, script, url, scheme, tmp_path, CHROMIUM, cwd=tmp_path).splitlines()[-1])
    record = orjson.loads((saved / "runs" / "forgetful" / EPISODES).read_bytes().split(b"\n")[0])
    assert shown["problems"] == []
    assert (shown["ground"], shown["world"], shown["rows"]) == (ground, town.id, town.size("shop"))
    assert shown["focused"] == "f.name"
    assert shown["query"] == "f.floor=%3E100&sort=floor&order=asc"
    assert shown["floors"] == sorted(floor for floor in town.tables["shop"]["floor"] if floor > 100)
    assert shown["street"][0] == shown["street"][1]
    assert shown["street"][0] in town.tables["street"]["name"]
    assert [step.split(".")[0] for step in shown["steps"]] == ["Question", "1", "2", "1", "Question", "1", "2"]
    assert shown["outcomes"] == len(record["cells"])
    assert shown["origin"] == f"Turn {record['calls'][record['cells'][0]['call']]['turn']}"
    assert [line.split()[0] for line in shown["narrowed"]] == ["floor"]
    for name in ("table", "episode"):
        assert (tmp_path / f"{name}-{scheme}.png").read_bytes().startswith(b"\x89PNG")
