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
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} names no folder of environments")
    python = Path(folder) / name / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing: no environment for {name}")
    return json.loads(run_python(python, "-c", code, *arguments, cwd=cwd).splitlines()[-1])
