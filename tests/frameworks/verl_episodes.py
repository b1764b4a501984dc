"""Play scripted episodes through verl's tool agent loop: `python verl_episodes.py EXPORT EPISODES OUT`."""

import json
import sys
from pathlib import Path

EXPORT, EPISODES, OUT = map(Path, sys.argv[1:])
sys.path.insert(0, str(EXPORT))

import asyncio

import selfcheck
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop


class CutLoop(ToolAgentLoop):
    """A loop whose response is full where the model's message breaks off."""

    async def _handle_generating_state(self, agent_data, sampling_params, **options):
        whole = self.response_length
        self.response_length = 0 if self.server_manager.breaks_off() else whole
        state = await super()._handle_generating_state(agent_data, sampling_params, **options)
        self.response_length = whole
        return state


class Server(selfcheck.ScriptedServer):
    """Says the messages, then nothing more."""

    def __init__(self, messages):
        super().__init__([*messages, {"content": ""}])
        self.messages = messages

    def breaks_off(self):
        return self.messages[len(self.prompts) : len(self.prompts) + 1] == [{**self.messages[-1], "cut": True}]


selfcheck.ToolAgentLoop = CutLoop
results = []
for episode in json.loads(EPISODES.read_text("utf-8")):
    *before, last = episode["messages"]
    server = Server([*before, {**last, "cut": episode["cut"]}])
    row = selfcheck.rows()[episode["task_id"]]
    rollout = asyncio.run(selfcheck.rolled_out(row, server))
    results.append({"figures": selfcheck.paid(row, rollout), "messages": len(server.prompts)})
OUT.write_text(json.dumps(results), "utf-8")
