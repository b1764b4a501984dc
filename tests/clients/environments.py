"""The environments that clients are installed in: WORLDSMITH_CLIENTS names a folder with one per client."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.environments import run_python

VARIABLE = "WORLDSMITH_CLIENTS"


def run_client(name: str, code: str, cwd: Path, *arguments: object) -> Any:
    """Run code in the environment of a client, without this package; return the JSON value it printed last.

    The test is skipped where the environment is missing.
    """
    return json.loads(run_python(client_program(name, "python"), "-c", code, *arguments, cwd=cwd).splitlines()[-1])


def client_program(name: str, program: str) -> Path:
    """Return a program in the environment of a client; the test is skipped where the environment is missing."""
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} names no folder of environments")
    path = Path(folder) / name / "bin" / program
    if not path.is_file():
        pytest.skip(f"{path} is missing: no environment for {name}")
    return path
