"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Episodes go through rLLM's own engine and gateway, to a model behind a scripted chat API; with `--server` against the
real search server.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode.rehearsal import check, require
from worldsmith_kit.episode.scripted_model import scripted_model

require("rllm", "git+https://github.com/rllm-org/rllm")

HERE = Path(__file__).resolve().parent
ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""


class Engine:
    """rLLM's engine over the export's flow and evaluator, for a model at an address."""

    def __init__(self, base_url: str) -> None:
        """Start the gateway."""
        from rllm.engine.agentflow_engine import AgentFlowEngine  # noqa: PLC0415 - after RLLM_HOME is set
        from rllm.gateway.manager import EvalGatewayManager  # noqa: PLC0415
        from worldsmith_rllm import evaluate, search_agent  # noqa: PLC0415

        self.gateway = EvalGatewayManager(upstream_url=base_url, model="scripted")
        self.gateway.start()
        self.engine = AgentFlowEngine(search_agent, evaluate, self.gateway, "scripted", retry_limit=1)

    async def play(self, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Return an episode for each row."""
        ids = [f"{row['task_id']}-{i}" for i, row in enumerate(rows)]
        episodes: list[Any] = await self.engine.execute_tasks([dict(row) for row in rows], ids, is_validation=True)
        return episodes

    def close(self) -> None:
        """Stop the gateway."""
        self.engine.shutdown()
        self.gateway.stop()


def main(home: str) -> int:
    """Check data and episodes; return the exit code."""
    os.environ["RLLM_HOME"] = home
    from train import dataset  # noqa: PLC0415 - reads RLLM_HOME

    for split, count in ROWS.items():
        if count and len(dataset(split)) != count:
            raise ValueError(f"{split}.jsonl: rLLM reads {len(dataset(split))} rows, not {count}")
    with scripted_model() as scripted:
        engine = Engine(scripted.base_url)

        def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
            (episode,) = asyncio.run(engine.play([scripted.row(row, messages)]))
            (trajectory,) = episode.trajectories
            if len(trajectory.steps) != len(messages):
                raise ValueError(f"rLLM recorded {len(trajectory.steps)} steps of {len(messages)} messages")
            return float(trajectory.reward)

        code = check(play, lambda row: play(row, [17]))
        engine.close()
    return code


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        sys.exit(main(home))
