"""Rollouts by scripted policies, for tests that run them in other processes."""

import json
from itertools import pairwise

from worldsmith.train.environment import Environment


def searches(environment: Environment, number: int) -> list[str]:
    """Return the messages of a policy: words of the question searched for, pages read, some gold rows answered."""
    words = [word for word in environment.task.question.split() if word.isalpha()]
    queries = [" ".join(pair) for pair in pairwise(words[number % len(words) :])][: 1 + number % 4]
    calls = [{"name": "web_search", "arguments": {"query": query, "page": 1 + number % 2}} for query in queries]
    calls += [
        {"name": made["tool"], "arguments": {"url": made["arg"]}}
        for made in environment.task.certificate["calls"][: number % 7]
        if made["tool"] == "web_extractor"
    ]
    lines = environment.task.table().split("\n")
    answer = "\n".join([*lines[: 3 + number % len(lines)], "```"])
    return [*(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls), answer]


def played(job: tuple[Environment, int]) -> tuple[list[str], float]:
    """Return what the tools replied in a rollout, and its reward."""
    environment, number = job
    environment.reset()
    return rest(environment, searches(environment, number))


def rest(environment: Environment, messages: list[str]) -> tuple[list[str], float]:
    """Return what the tools reply to messages, and the reward after the last."""
    steps = [environment.step(message) for message in messages]
    assert steps[-1].reward is not None
    return [step.observation for step in steps[:-1]], steps[-1].reward.total
