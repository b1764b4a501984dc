"""One agent on one task, in this process unless the configuration names another runtime."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import verifiers.v1 as vf


class SearchEnvConfig(vf.SingleAgentEnvConfig):
    """The agent; our harness needs no sandbox."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class SearchEnv(vf.SingleAgentEnv, vf.Env[SearchEnvConfig]):
    """A single agent, and the tool server where its harness asks for one."""

    def shared_tools(self) -> AbstractAsyncContextManager[dict[str, Any]]:
        """Start the tool server, unless the harness is ours."""
        if all(harness.id == self.config.taskset.id for harness in self.config.agent_harnesses().values()):
            return nullcontext({})
        return super().shared_tools()


__all__ = ["SearchEnv"]
