"""Agents without a language model: the oracle that proves a task, and those that take shortcuts."""

from worldsmith.agents.client import (
    TOKENS,
    Client,
    Connection,
    Recorder,
    Reply,
    SimulatorClient,
    tokenizer,
    tokens,
)
from worldsmith.agents.episode import AGENTS, Agent, Cost, Episode, agent, run

__all__ = [
    "AGENTS",
    "TOKENS",
    "Agent",
    "Client",
    "Connection",
    "Cost",
    "Episode",
    "Recorder",
    "Reply",
    "SimulatorClient",
    "agent",
    "run",
    "tokenizer",
    "tokens",
]
