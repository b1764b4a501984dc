"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Episodes are runs of NeMo Gym's own gymnasium_agent, over HTTP, with a scripted model server; with `--server` against
the real search server.
"""

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Coroutine, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SERVER = HERE / "resources_servers" / "worldsmith"
sys.path.insert(0, str(SERVER))

from worldsmith_kit.episode.rehearsal import check, require

require("nemo_gym", "nemo-gym==0.4.0")

import uvicorn
from aiohttp import ClientResponseError
from fastapi import HTTPException
from nemo_gym.base_responses_api_model import SimpleResponsesAPIModel
from nemo_gym.config_types import BaseServerConfig, DatasetConfig
from nemo_gym.global_config import get_first_server_config_dict
from nemo_gym.openai_utils import NeMoGymResponse, NeMoGymResponseCreateParamsNonStreaming
from nemo_gym.rollout_collection import RolloutCollectionConfig, RolloutCollectionHelper
from nemo_gym.server_utils import (
    GlobalAIOHTTPAsyncClientConfig,
    ServerClient,
    get_global_aiohttp_client,
    get_response_json,
    raise_for_status,
    set_global_aiohttp_client,
)
from omegaconf import OmegaConf
from pydantic import Field
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent

from app import WorldsmithServer  # isort: skip

AGENT = "worldsmith_agent"
ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""


def response(number: int, message: Mapping[str, Any], *, cut: bool) -> dict[str, Any]:
    """Return a message of a chat API as a response; `cut` says that it broke off."""
    output: list[dict[str, Any]] = []
    if (text := message.get("content")) is not None:
        part = {"type": "output_text", "text": text, "annotations": []}
        output.append({"type": "message", "id": f"msg{number}", "role": "assistant", "content": [part]})
    calls = message.get("tool_calls") or ()
    output += [{"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls]
    return {
        "id": f"response{number}",
        "created_at": 0,
        "model": "scripted",
        "object": "response",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
    }


class ScriptedModel(SimpleResponsesAPIModel):
    """A model server that says what the script named in a request's metadata holds."""

    scripts: dict[str, Any] = Field(default_factory=dict)

    async def responses(self, body: NeMoGymResponseCreateParamsNonStreaming) -> NeMoGymResponse:
        """Return the next message of the script."""
        return NeMoGymResponse.model_validate(next(self.scripts[body.metadata["script"]]))

    async def chat_completions(self, body: dict[str, Any]) -> None:
        """Refuse: agents ask for responses."""
        raise HTTPException(404, "this model answers /v1/responses alone")


class Gym:
    """The servers of the export's configuration and a scripted model, in a thread of this process."""

    def __init__(self) -> None:
        """Start them on free ports."""
        self._loop, self._names = asyncio.new_event_loop(), count()
        self._serving: list[asyncio.Task[None]] = []
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.wait(self._start())

    def close(self) -> None:
        """Close the connections between them; they end with the process."""
        self.wait(get_global_aiohttp_client().close())

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine among the servers and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self) -> None:
        set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
        config = OmegaConf.load(SERVER / "configs" / "worldsmith.yaml")
        config.policy_model = {"responses_api_models": {"scripted": {"entrypoint": "app.py"}}}
        bound = {name: socket.create_server(("127.0.0.1", 0)) for name in config}
        for name, one in bound.items():
            get_first_server_config_dict(config, name).update({"host": "127.0.0.1", "port": one.getsockname()[1]})
        head = BaseServerConfig(host="127.0.0.1", port=0)
        self.client = ServerClient(head_server_config=head, global_config_dict=config)
        kinds = {"worldsmith": WorldsmithServer, AGENT: GymnasiumAgent, "policy_model": ScriptedModel}
        self.servers = {}
        for name, kind in kinds.items():
            own = OmegaConf.to_container(get_first_server_config_dict(config, name))
            self.servers[name] = kind(config={**own, "name": name}, server_client=self.client)
            server = uvicorn.Server(uvicorn.Config(self.servers[name].setup_webserver(), log_level="critical"))
            self._serving.append(self._loop.create_task(server.serve(sockets=[bound[name]])))

    async def run(self, row: Mapping[str, Any], messages: Sequence[Any], *, cut: bool = False) -> dict[str, Any]:
        """Return the agent's run of a row in which the model says these messages; `cut` breaks the last one off."""
        script = str(next(self._names))
        last = len(messages) - 1
        self.servers["policy_model"].scripts[script] = (
            response(i, one, cut=cut and i == last) if isinstance(one, Mapping) else one
            for i, one in enumerate(messages)
        )
        params = {**row["responses_create_params"], "metadata": {"script": script}}
        reply = await self.client.post(AGENT, "/run", json={**row, "responses_create_params": params})
        await raise_for_status(reply)
        result: dict[str, Any] = await get_response_json(reply)
        return result


def rows(split: str) -> list[dict[str, Any]]:
    """Return the rows of a file as NeMo Gym's rollout collection reads them."""
    files = {"input_jsonl_fpath": str(HERE / f"{split}.jsonl"), "output_jsonl_fpath": str(HERE / "rollouts.jsonl")}
    config = RolloutCollectionConfig(agent_name=AGENT, **files)
    loaded: list[dict[str, Any]] = RolloutCollectionHelper()._preprocess_rows_from_config(config)  # noqa: SLF001
    if len(loaded) != ROWS[split]:
        raise ValueError(f"{split}.jsonl holds {len(loaded)} rows, not {ROWS[split]}")
    return loaded


def main() -> int:
    """Check data, configuration and episodes; return the exit code."""
    gym, loaded = Gym(), list[dict[str, Any]]()
    for one in gym.client.global_config_dict[AGENT].responses_api_agents.gymnasium_agent.datasets:
        dataset = DatasetConfig.model_validate(OmegaConf.to_container(one))
        loaded += rows(Path(dataset.jsonl_fpath).stem)
    params = loaded[0]["responses_create_params"]

    def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
        sent = {**row, "responses_create_params": {**params, "input": row["prompt"]}}
        return float(gym.wait(gym.run(sent, messages))["reward"])

    code = check(play, lambda row: play(row, [17]), ClientResponseError)
    gym.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
