"""A real language model behind the guard: SmolLM2 135M on one thread, from a GGUF file that WORLDSMITH_GGUF names."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from worldsmith.audit.language_model import Plan, evaluate
from worldsmith.generation import generate
from worldsmith.schema import load_schema
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.simulator import Simulator

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def url(repository: Path) -> Iterator[str]:
    pytest.importorskip("xllamacpp", reason="pip install xllamacpp")
    file = os.environ.get("WORLDSMITH_GGUF", "")
    if not Path(file).is_file():
        pytest.skip("WORLDSMITH_GGUF names no GGUF file; examples/local_model.py says where one comes from")
    script = repository / "examples" / "local_model.py"
    child = subprocess.Popen(
        [sys.executable, str(script), file, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield next(line.strip() for line in child.stdout if line.startswith("http"))
    finally:
        child.kill()
        child.communicate()


def test_five_calls_to_a_real_model_leak_and_contradict_nothing(url: str) -> None:
    worlds = [generate(load_schema(name), 7) for name in ("town", "smartphones")]
    endpoint = Endpoint(url, "smollm2", max_tokens=300, deadline=120.0, concurrency=1)

    async def run() -> dict:
        backend = Backend(endpoint)
        try:
            simulators = {world.id: Simulator(world, model=backend, strict=True) for world in worlds}
            return await evaluate(simulators, backend, Plan(calls=5, repeats=0, orders=0, hits=3, max_prompt=780))
        finally:
            await backend.close()

    found = asyncio.run(run())
    modes = found["modes"].values()
    assert sum(mode["replies"] for mode in modes) == 5
    assert found["cost"]["completion_tokens"] > 0
    for mode in modes:
        after = mode["after"]
        assert (after["leaks"]["replies"], after["statements"]["contradicted"]) == (0, 0)
        assert (after["factuality"], after["completeness"]) == (1.0, 1.0)
