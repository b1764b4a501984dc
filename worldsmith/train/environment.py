"""One episode as a trainer sees it: reset, step, reward; in process, without a server.

It is an `Episode` over a world's own search engine, that knows its task's evidence from the world.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from worldsmith import scoring
from worldsmith.episode.agent_messages import AgentMessage
from worldsmith.episode.call import Call
from worldsmith.episode.episode import HITS, MAX_CHARS, Episode, Reply, Step
from worldsmith.episode.tools import TOOLS
from worldsmith.errors import UsageError
from worldsmith.lang.morphology import listing
from worldsmith.simulate.protocol import Address, Observation
from worldsmith.simulate.traces import Traces
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.evidence import cell_evidence, united_evidence
from worldsmith.tasks.parts import parts_with_worlds
from worldsmith.train.simulator_tools import SearchEngine, SimulatorTools
from worldsmith.world.model import World

MAX_THREADS: Final = 32
"""Episodes that `step_many` steps at a time."""


@dataclass(frozen=True, slots=True)
class _WorldTask:
    """A task beside its worlds, which show what its cells need."""

    task: Task
    world: World
    simulator: SearchEngine

    @property
    def question(self) -> str:
        return self.task.question

    @property
    def columns(self) -> tuple[scoring.Column, ...]:
        return self.task.columns

    @property
    def gold(self) -> Sequence[Sequence[Any]]:
        return self.task.gold

    @property
    def evidence(self) -> scoring.Evidence:
        parts = parts_with_worlds(self.task, self.world, self.simulator)
        return united_evidence(self.task, [cell_evidence(part, QueryEvaluator(world)) for part, world in parts])


@dataclass(slots=True, repr=False)
class Environment:
    """An episode of one task: `reset`, then `step` with each message of the agent until the step is `done`.

    Replies depend on (world, profile, seed, call, attempt) alone: rollouts of a group that share the seed see the same.
    """

    world: World
    """The task's world; of a task over several worlds any of them."""
    task: Task
    simulator: SearchEngine
    """What answers: of the world, or of a pool that it is in; a task then has to be one of the pool's."""
    profile: str = "clean"
    seed: int = 0
    max_turns: int | None = None
    """Messages of the agent at most; the episode is cut off then. None takes the task's own limit, `Task.max_turns`."""
    hits: int = HITS
    """Results a search gives, on a page of results; certificates turn pages of five."""
    max_chars: int = MAX_CHARS
    """Characters of a page that one call gives; the next part follows from its offset."""
    budget: int | None = None
    """Messages that cost nothing, beside retries after faults; None takes what the task typically needs.

    What goes beyond takes up to a tenth of what was earned, so that searching in circles is worth less than finding.
    """
    traces: Traces | None = None
    """Where messages and calls are written down."""
    session: str = ""
    """Names the episode in traces; nothing depends on it."""
    tools_in_text: bool = False
    """Whether the first message describes the tools and the form of a call, for chat templates that take no tools.

    Otherwise give the template both: `apply_chat_template(environment.reset(), tools=TOOLS)`.
    """
    context_tokens: int = 0
    """Tokens of the model's context: where above 0, the last reply to each message says how much is left."""
    _episode: Episode = field(init=False)

    def __post_init__(self) -> None:
        """Raise UsageError for a task of another world, or of another state of it."""
        if self.world.id not in self.task.worlds:
            named = f"world{'s' if self.task.members else ''} {listing(self.task.worlds)}"
            raise UsageError(f"task {self.task.task_id} is of the {named}, not of {self.world.id}")
        for part, world in parts_with_worlds(self.task, self.world, self.simulator):
            if part.world_digest != world.digest:
                raise UsageError(f"task {self.task.task_id} is not of this state of {world.id}: mine its tasks again")
        if self.task.certificate and self.task.web != self.simulator.id:
            raise UsageError(
                f"task {self.task.task_id} was proved in {self.task.web}, not in {self.simulator.id}: take the "
                "tasks of _tasks/<pool>.jsonl for a pool, of _tasks/<world>.jsonl for a world alone"
            )
        self._episode = self._new_episode()

    def __repr__(self) -> str:
        """Return what is played and how far."""
        return f"Environment({self.task!r}, {self.profile}, seed {self.seed}, turn {self.turns})"

    @property
    def calls(self) -> Sequence[Call]:
        """The calls that were answered, in order."""
        return self._episode.calls

    @property
    def observations(self) -> list[Observation]:
        """What the tools answered so far."""
        return [reply.source for reply in self._episode.replies]

    @property
    def turns(self) -> int:
        """Messages of the agent so far."""
        return self._episode.turns

    def reset(self) -> list[dict[str, str]]:
        """Begin the episode; return the messages the agent starts from."""
        self._episode = self._new_episode()
        if self.traces:
            self.traces.message(self._address, "user", self.task.question, task_id=self.task.task_id)
        return self._episode.reset()

    def step(self, message: str | Mapping[str, Any] | Any) -> Step:
        """Take the agent's message: answer its tool calls, or score it.

        Args:
            message: a text, or a message of a chat API (a mapping, or an object with `model_dump`) with `content`, and
                with `tool_calls` where the calls are native; calls are then looked for nowhere else.

        Raises:
            UsageError: the episode has ended, or this is no message of an agent.
        """
        return self._episode.step(message)

    async def astep(self, message: str | Mapping[str, Any] | Any) -> Step:
        """Step as `step` does while other episodes go on: all calls of a message at once, by a model where one answers.

        Replies are those of `step`, except where a language model writes them, which `step` never asks.
        """
        return await self._episode.astep(message)

    @staticmethod
    def step_many(
        environments: "Sequence[Environment]", messages: Sequence[str | Mapping[str, Any] | Any]
    ) -> list[Step]:
        """Step several episodes at once, each with its own message; the same as `step` on each, in their order.

        They may be of one world, several, or a pool. Over HTTP they wait for the server together.

        Raises:
            UsageError: not one message per episode, an episode twice, or as `step`; others may have been stepped then.
        """
        if len(environments) != len(messages):
            raise UsageError(f"{len(environments)} episodes and {len(messages)} messages: give one message per episode")
        if len({id(environment) for environment in environments}) < len(environments):
            raise UsageError(
                "an episode stands twice among those to step: its second message needs the first one's reply"
            )
        with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(environments)))) as threads:
            return list(threads.map(Environment.step, environments, messages))

    def cut(self, message: str | Mapping[str, Any] | Any = "", *, infrastructure_error: bool = False) -> Step:
        """End the episode at a limit of the trainer's own, such as its tokens; what stands in `message` is scored.

        With `infrastructure_error` a server failed, not the agent: the reward is masked. Raises UsageError as `step`.
        """
        return self._episode.cut(message, infrastructure_error=infrastructure_error)

    @property
    def _address(self) -> Address:
        return Address(self.simulator.id, self.profile, self.seed, self.session)

    def _new_episode(self) -> Episode:
        traced = self.traces is not None
        return Episode(
            _WorldTask(self.task, self.world, self.simulator),
            SimulatorTools(self.simulator, self._address, self.world.digest),
            self.task.max_turns if self.max_turns is None else self.max_turns,
            (self.task.typical_turns or None) if self.budget is None else self.budget,
            self.hits,
            self.max_chars,
            self.tools_in_text,
            self.context_tokens,
            self._trace_message if traced else None,
            self._trace_call if traced else None,
        )

    def _trace_message(self, message: AgentMessage) -> None:
        assert self.traces is not None
        calls = {"tool_calls": list(message.native)} if message.native else {}
        self.traces.message(self._address, "assistant", message.content, **calls)

    def _trace_call(self, call: Call, attempt: int, reply: Reply) -> None:
        assert self.traces is not None
        self.traces.call(self._address, call, attempt, reply.source)


__all__ = ["TOOLS", "Environment", "Step"]
