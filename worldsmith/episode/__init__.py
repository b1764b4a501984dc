"""One episode of a search agent, wherever its replies come from; needs the standard library and the scorer alone.

`train.Environment` plays it in process; exports carry a copy of this folder, of `scoring` and of `errors.py`, so that
every trainer reads messages, limits episodes and pays them by the same lines.
"""

from .agent_messages import AgentMessage, read_message
from .call import Call, Tool
from .call_records import RecordedTools, RecordingTools, answer_call, replayed_figures
from .episode import Episode, EpisodeTask, Reply, SearchTools, Step
from .exported_task import ExportedTask, figures
from .search_server import SearchServer, ServedTools, open_tools
from .task_rows import TaskRows
from .tool_arguments import sent_message
from .tools import MAX_CALLS, SYSTEM, TOOLS, prompt

__all__ = [
    "MAX_CALLS",
    "SYSTEM",
    "TOOLS",
    "AgentMessage",
    "Call",
    "Episode",
    "EpisodeTask",
    "ExportedTask",
    "RecordedTools",
    "RecordingTools",
    "Reply",
    "SearchServer",
    "SearchTools",
    "ServedTools",
    "Step",
    "TaskRows",
    "Tool",
    "answer_call",
    "figures",
    "open_tools",
    "prompt",
    "read_message",
    "replayed_figures",
    "sent_message",
]
