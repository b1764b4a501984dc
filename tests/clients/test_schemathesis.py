"""Every reply to what Schemathesis makes of /openapi.json is one that is described there, by all of its checks."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.clients.environments import client_program
from tests.served_worlds import running_server

pytestmark = pytest.mark.clients

# What a description can't say. A search without hits and a page that isn't there have the statuses of the services; the
# JSON in a string is one; JSON-RPC tells what is wrong with status 200; of the two services at GET /search each ignores
# the parameters of the other.
CONFIG = """
[[operations]]
include-path-regex = "^/jina/s/"
checks.positive_data_acceptance.expected-statuses = ["2xx", "422"]

[[operations]]
include-path = ["/scrape", "/serper/scrape", "/widesearch"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400"]

[[operations]]
include-path = "/mcp"
checks.negative_data_rejection.expected-statuses = ["200", "4xx"]

[[operations]]
include-name = "GET /search"
checks.negative_data_rejection.expected-statuses = ["200", "4xx"]

[[operations]]
include-path = "/web/{{host}}/{{path}}"
parameters = {{ host = "{host}", path = "{path}" }}
"""


@pytest.mark.parametrize(
    ("api_key", "phases", "cases"), [("", "examples,coverage,fuzzing", 2000), ("k3y", "fuzzing", 100)]
)
def test_replies_are_as_the_description_says(served, tmp_path, api_key, phases, cases):
    _, _, host, path = served.urls[0].split("/", 3)
    (tmp_path / "schemathesis.toml").write_text(CONFIG.format(host=host, path=path))
    headers = ["-H", "X-Worldsmith-Session: a", *(["-H", f"Authorization: Bearer {api_key}"] if api_key else [])]
    # Long addresses and slow machines are of no concern to a contract.
    headers += ["--suppress-health-check", "all"]
    limits = ["--phases", phases, "--max-examples", "4", "--seed", "7", "--generation-database", "none", "--no-shrink"]
    with running_server([Path(served.folder)], api_key=api_key) as base_url:
        options = [f"{base_url}/openapi.json", "--checks", "all", "--no-color", *limits, *headers]
        program = client_program("schemathesis", "st")
        done = subprocess.run([program, "run", *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:]
    assert int(re.search(r"([\d,]+) generated", done.stdout)[1].replace(",", "")) > cases
