"""One episode of a chat model, played to its end, as a record of JSON values."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Final

from worldsmith import scoring
from worldsmith.agents.client import tokens
from worldsmith.episode.agent_messages import read_message
from worldsmith.episode.episode import Step
from worldsmith.errors import BackendError
from worldsmith.rollout.call_formats import CallFormat
from worldsmith.rollout.chat_model import ChatModel, ContextLimitError
from worldsmith.rollout.finish import Finish
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Call, Observation
from worldsmith.tasks import Task, difficulty
from worldsmith.train.environment import Environment
from worldsmith.train.failures import cell_outcomes, outcome_counts

DIGITS: Final = 4
"""Decimals of recorded rewards: sums of floats differ in the last bits."""


async def play(
    environment: Environment,
    model: ChatModel,
    form: CallFormat,
    sample: int = 0,
    count: Callable[[str], int] = tokens,
) -> dict[str, Any]:
    """Return the record of an episode: identity, figures, how it ended, cost, calls, and the whole conversation.

    `count` counts the tokens of tool replies. With a single-turn format the first message is the answer.

    Raises SpendingLimitError before a reply that the spending limit forbids: nothing of the episode counts then.
    """
    begun = monotonic()
    episode = _Episode(environment, model, form, sample, count)
    finish, step = await episode.end()
    return {**episode.record(finish, step), "seconds": round(monotonic() - begun, 3)}


class _Episode:
    """An episode under way."""

    def __init__(
        self, environment: Environment, model: ChatModel, form: CallFormat, sample: int, count: Callable[[str], int]
    ) -> None:
        self.environment, self.model, self.form, self.sample, self.count = environment, model, form, sample, count
        self.seed = draw(environment.seed, "sampling", environment.task.task_id, sample) % 2**31
        if form.single_turn:
            environment.max_turns = 1
        environment.reset()
        self.messages = form.prompt(environment.task)
        self.cost: dict[str, float] = {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0, "retries": 0}
        self.tool_tokens = 0
        self.turn_of_call: list[int] = []
        self.error = ""

    async def end(self) -> tuple[Finish, Step]:
        """Play, and return how and with which step the episode ended."""
        environment = self.environment
        while True:
            try:
                reply = await self.model.reply(self.messages, self.form.tools, self.form.stop, self.seed)
            except BackendError as failure:
                self.error = str(failure)
                if isinstance(failure, ContextLimitError):
                    return "length", environment.cut()
                return "model_error", environment.cut(infrastructure_error=True)
            self.messages.append({**reply.message})
            for name in self.cost:
                self.cost[name] += getattr(reply, name)
            if reply.finish_reason == "length":
                return "length", environment.cut(reply.message)
            try:
                step = await environment.astep(reply.message)
            except BackendError as failure:
                self.error = str(failure)
                return "tool_error", environment.cut(infrastructure_error=True)
            self.turn_of_call += [environment.turns] * (len(environment.calls) - len(self.turn_of_call))
            if step.done:
                return _finish(step), step
            self.tool_tokens += self.count(step.observation)
            self.messages += self.form.replies(step)

    def record(self, finish: Finish, step: Step) -> dict[str, Any]:
        """Return the record of the episode without its duration."""
        environment, last = self.environment, self.messages[-1]
        task, score, paid, item, reward = environment.task, step.score, step.paid, step.evidenced_item, step.reward
        assert score is not None
        assert paid is not None
        assert item is not None
        assert reward is not None
        answer = str(last["content"] or "") if last["role"] == "assistant" else ""
        cells = cell_outcomes(task, score, environment.observations)
        calls = zip(self.turn_of_call, environment.calls, environment.observations, strict=True)
        return {
            "task_id": task.task_id,
            "world": task.world,
            "web": task.web,
            "sample": self.sample,
            "schema": task.schema,
            "kind": task.kind,
            "size": task.size,
            "difficulty": difficulty(task),
            "profile": environment.profile,
            "seed": environment.seed,
            "item_f1": score.item.f1,
            "row_f1": score.row.f1,
            "nonkey_f1": score.nonkey.f1,
            "evidenced_item_f1": item.f1,
            "success": paid.success,
            "reward": round(reward.total, DIGITS),
            "reward_terms": {name: round(term, DIGITS) for name, term in reward.terms.items()},
            "masked": reward.mask,
            "finish": finish,
            "error": self.error,
            "turns": sum(message["role"] == "assistant" for message in self.messages),
            "search_calls": sum(call.tool == "web_search" for call in environment.calls),
            "extract_calls": sum(call.tool == "web_extractor" for call in environment.calls),
            **self.cost,
            "tool_tokens": self.tool_tokens,
            "failures": outcome_counts(cells),
            "gold_rows": len(task.gold),
            "cells": cells,
            "surplus": surplus_rows(task, score, answer),
            "answer": answer,
            "calls": [{"turn": turn, **_call_record(call, observation)} for turn, call, observation in calls],
            "messages": self.messages,
        }


def surplus_rows(task: Task, score: scoring.Score, answer: str) -> list[Sequence[str]]:
    """Return the rows of an answer that the reference doesn't have, or has once.

    Their cells are in the order of the task's columns; where the answer has none of these columns, they are the
    answer's own, since the score's rows are blank then.
    """
    rows: Sequence[Sequence[str]] = score.rows
    if not any(column.in_answer for column in score.columns):
        names = [column.name for column in task.columns]
        rows = scoring.parse(read_message(answer).answer_text, names, [names[c] for c in task.keys]).rows
    return [rows[row] for row in (*score.extra, *score.duplicate)]


def _finish(step: Step) -> Finish:
    """Return how an episode ended that the environment ended."""
    if step.reward is not None and step.reward.mask:
        return "tool_error"
    if step.truncated:
        return "turn_limit"
    return "answered" if step.score is not None and step.score.has_table else "no_table"


def _call_record(call: Call, observation: Observation) -> dict[str, Any]:
    """Return a call with what became of it: its status, and the ids of the pages that it showed."""
    window: dict[str, Any] = {"page": call.page} if call.tool == "web_search" else {"offset": call.offset}
    views = observation.part.views if observation.part else ()
    pages = [view.page.id for view in views] or ([observation.page.id] if observation.page else [])
    urls = {"urls": [result.url for result in observation.results]} if call.tool == "web_search" else {}
    return {"tool": call.tool, "arg": call.arg, **window, "status": observation.status, "pages": pages, **urls}
