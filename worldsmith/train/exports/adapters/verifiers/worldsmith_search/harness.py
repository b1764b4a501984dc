"""The chat loop of this export: it runs in the process of the trainer and needs no program, sandbox or MCP server."""

from collections.abc import Mapping
from typing import Any

import verifiers.v1 as vf
from openai import APIStatusError, AsyncOpenAI
from verifiers.v1.harnesses.utils.compaction import is_context_overflow

from worldsmith_search.worldsmith_kit.episode import TOOLS, ExportedTask, RecordingTools, sent_message


class SearchHarness(vf.Harness[vf.HarnessConfig]):
    """Plays an episode: calls are understood natively and in text, as everywhere that this environment is played."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True  # so that envs which start the tool server run, too; it isn't asked
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: Mapping[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Play the episode of the trace's task to its end."""
        state = trace.state
        episode = ExportedTask.from_row(trace.task.data.row).episode(session=state.session)
        episode.tools = RecordingTools(episode.tools, state.calls)
        episode.reset()
        system, question = self.resolve_prompt(data)
        messages: list[Any] = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            while True:
                try:
                    completion = await client.chat.completions.create(
                        model=ctx.model, messages=messages, tools=list(TOOLS)
                    )
                except APIStatusError as error:
                    if is_context_overflow(error):
                        break
                    raise
                choice = completion.choices[0]
                message = choice.message.model_dump(exclude_none=True)
                if choice.finish_reason == "length":
                    break
                step = await episode.astep(message)
                if step.done:
                    break
                # A call written as text has no id to answer; the type of a tool message asks for one.
                messages += [sent_message(message), *({"tool_call_id": "", **reply} for reply in step.messages)]
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


__all__ = ["SearchHarness"]
