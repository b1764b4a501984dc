"""The container of the server: what its files name is there, it runs as no root, and its client asks."""

import json
import os
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch

import pytest
import yaml
from click.testing import CliRunner
from starlette.testclient import TestClient

from tests.served_worlds import running_server
from worldsmith.cli import main
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.world.files import save_world


@pytest.fixture(scope="module")
def docker(repository):
    return repository / "examples" / "docker"


@pytest.fixture(scope="module")
def instructions(docker):
    """The Dockerfile as (instruction, what it holds), lines that go on put together."""
    text = re.sub(r"^#.*\n", "", (docker / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


@pytest.fixture(scope="module")
def services(docker):
    return yaml.safe_load((docker / "compose.yaml").read_text(encoding="utf-8"))["services"]


def held(instructions, name):
    return [text for instruction, text in instructions if instruction == name]


def copied(instructions):
    """The paths of the repository that are copied into the image that builds the wheel."""
    return {path for text in held(instructions, "COPY") if "--from" not in text for path in text.split()[:-1]}


def test_all_that_is_copied_is_there_and_is_all_that_a_wheel_is_made_of(instructions, docker, repository):
    assert all((repository / path).exists() for path in copied(instructions))
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    assert copied(instructions) == needed | {*wheel["packages"], *wheel["force-include"]}
    ignored = (docker / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == copied(instructions)
    assert any(fnmatch("worldsmith/__pycache__", line) for line in ignored[1:])


def test_the_base_has_a_version_and_a_python_that_the_package_takes(instructions):
    base = held(instructions, "ARG")[0].removeprefix("BASE=")
    assert re.fullmatch(r"python:3\.(1[1-9])\.\d+-slim-\w+", base)
    assert [text.split()[0] for text in held(instructions, "FROM")] == ["${BASE}"] * 2


def test_the_server_runs_as_a_user_of_its_own_and_holds_no_key(instructions):
    names = [name for name, _ in instructions]
    (user,) = held(instructions, "USER")
    assert (user, names.index("USER") < names.index("CMD")) == ("worldsmith", True)
    assert any(f"useradd --system --uid 10001 --gid {user}" in text for text in held(instructions, "RUN"))
    named = " ".join(held(instructions, "ENV") + held(instructions, "ARG"))
    assert re.search("KEY|TOKEN|SECRET|PASSWORD", named, re.IGNORECASE) is None


def test_commands_have_the_options_that_are_used(instructions):
    (served,) = held(instructions, "CMD")
    made = next(text for text in held(instructions, "RUN") if text.startswith("worldsmith "))
    for words in (json.loads(served), made.split()):
        assert words[0] == "worldsmith"
        helped = CliRunner().invoke(main, [words[1], "--help"]).output
        options = [word for word in words if word.startswith("--")]
        assert options
        assert all(f"{option} " in helped for option in options)
    assert "--tasks 0 " in made
    schemas = next(text for text in held(instructions, "ARG") if text.startswith("SCHEMAS=")).removeprefix("SCHEMAS=")
    assert [load_schema(name).name for name in schemas.split()] == schemas.split()


def test_its_health_is_asked_without_the_key(instructions, town):
    (port,) = held(instructions, "EXPOSE")
    (served,) = held(instructions, "CMD")
    (health,) = held(instructions, "HEALTHCHECK")
    path = re.search(rf"http://127\.0\.0\.1:{port}(/\w+)", health)[1]
    assert json.loads(served)[-2:] == ["--port", port]
    client = TestClient(create_app([town], api_key="k"))
    assert client.get("/worlds").status_code == 401
    assert client.get(path).status_code in {200, 503}


def test_compose_names_files_that_are_there_and_asks_for_a_key(services, docker, instructions):
    server, client = services["server"], services["client"]
    context = docker / server["build"]["context"]
    assert (context / "pyproject.toml").is_file()
    assert (context / server["build"]["dockerfile"]).samefile(docker / "Dockerfile")
    assert server["image"] == client["image"]
    assert all(
        each["environment"]["WORLDSMITH_API_KEY"].startswith("${WORLDSMITH_API_KEY:?") for each in (server, client)
    )
    (port,) = held(instructions, "EXPOSE")
    assert client["environment"]["WORLDSMITH_BASE_URL"] == f"http://server:{port}"
    assert server["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert client["depends_on"] == {"server": {"condition": "service_healthy"}}
    ((here, there, mode),) = (volume.split(":") for volume in client["volumes"])
    assert ((docker / here).is_file(), mode) == (True, "ro")
    assert client["command"][:2] == ["python3", there]


def test_the_client_prints_hits_and_a_page_and_needs_the_key(docker, town, tmp_path):
    folder = save_world(town, tmp_path)
    with running_server([folder], api_key="k1") as base_url:
        replies = []
        for key in ("k1", "k2"):
            environment = {**os.environ, "WORLDSMITH_BASE_URL": base_url, "WORLDSMITH_API_KEY": key}
            command = [sys.executable, docker / "ask.py", "Which", "streets have shops?"]
            replies.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=False))
    good, bad = replies
    urls = re.findall(r"^  (https://\S+\.example/\S+)$", good.stdout, re.MULTILINE)
    assert (good.returncode, len(urls)) == (0, 5)
    assert "\n\n# " in good.stdout
    assert (bad.returncode, "HTTP Error 401" in bad.stderr) == (1, True)
