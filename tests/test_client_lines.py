"""The lines to paste for clients: their versions are those that are tested, and what they name is there."""

import re

import pytest
from click.testing import CliRunner
from starlette.routing import compile_path

from worldsmith.cli import main
from worldsmith.serving.dialects import DIALECTS


@pytest.fixture(scope="module")
def lines(repository):
    return (repository / "examples" / "clients" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def environments(repository):
    """The requirements of each environment: name to version."""
    text = (repository / "tests" / "clients" / "install.sh").read_text(encoding="utf-8")
    return {
        name: dict(re.findall(r"([\w.-]+)==([\w.]+)", requirements))
        for name, requirements in re.findall(r'^  \[([\w-]+)\]="(.*)"$', text, re.MULTILINE)
    }


def test_each_client_has_a_line_with_the_version_that_is_tested(lines, environments):
    rows = re.findall(r"^\| ([^|]+) \|", lines, re.MULTILINE)
    named = {pair for row in rows for pair in re.findall(r"([a-z][\w-]*) (\d[\d.]*)", row)}
    installed = {pair for requirements in environments.values() for pair in requirements.items()}
    assert named <= installed
    unnamed = {name for name, requirements in environments.items() if not named & set(requirements.items())}
    assert unnamed == {"schemathesis"}  # which is no client: it checks the description


def test_what_a_line_calls_is_called_in_a_test(lines, repository):
    tests = [*(repository / "tests" / "clients").glob("test_*.py"), repository / "tests" / "test_exec.py"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in tests)
    called = set(re.findall(r"\b([A-Za-z_]*[A-Z]\w*|\w+_client)(?=\(|`)", lines))
    assert {"TavilyClient", "ExaBackend", "GoogleSearchTool", "streamable_http_client"} <= called
    assert {name for name in called if name not in code} == set()


def test_an_address_is_a_route_and_an_option_exists(lines):
    routes = [compile_path(route.path)[0] for dialect in DIALECTS.values() for route in dialect.routes]
    paths = set(re.findall(r"http://127\.0\.0\.1:8000(/[\w/.]*)", lines))
    assert paths == {"/mcp", "/search", "/res/v1/web/search", "/jina/s/", "/v7.0/search"}
    assert all(any(route.match(path) for route in routes) for path in paths)
    for command, option in re.findall(r"\b(serve|mcp)\b[^`|]*?(--[a-z-]+)", lines):
        assert option in CliRunner().invoke(main, [command, "--help"]).output
