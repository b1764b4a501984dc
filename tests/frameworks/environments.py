"""The environments that trainers are installed in: WORLDSMITH_FRAMEWORKS names a folder with one per format."""

import os
import subprocess
from pathlib import Path

import pytest

VARIABLE = "WORLDSMITH_FRAMEWORKS"


def framework_python(name: str) -> Path:
    """Return the Python that has a trainer installed; the test is skipped where there is none."""
    if not (folder := os.environ.get(VARIABLE)):
        pytest.skip(f"{VARIABLE} names no folder of environments")
    python = Path(folder) / name / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"{python} is missing: no environment for {name}")
    return python


def run_python(python: Path, *arguments: object, cwd: Path, **environ: str) -> str:
    """Run a trainer's Python in a folder, offline and without this package, and return what it printed.

    Fails, with what it wrote to stderr, where it exits with another code than 0.
    """
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONWARNINGS"}}
    offline = {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(cwd / ".hf"),
        "CUDA_VISIBLE_DEVICES": "",
    }
    command = [str(python), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env={**kept, **offline, **environ}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.fail(f"{' '.join(command)} exited with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}")
    return done.stdout
