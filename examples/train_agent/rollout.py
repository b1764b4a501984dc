"""Rollouts: many episodes at once on one GPU, while CPU workers answer calls.

A token is chosen for all slots together; what a tool replied is read slot by slot, in one go. (Reading it in chunks of
64 for all slots took 75 s for 128 episodes: attention with a mask over chunks is slow.)
"""

import time
from dataclasses import dataclass, field

import chat
import torch
from model import Model
from workers import Workers

MESSAGE = 700
"""Tokens of one message of the agent at most."""


@dataclass
class Episode:
    """One rollout: its tokens, which of them the agent chose, and what came of it."""

    line: dict
    seed: int
    ids: list[int] = field(default_factory=list)
    own: list[bool] = field(default_factory=list)
    figures: dict | None = None


@dataclass
class Slot:
    episode: Episode
    pending: list[int] = field(default_factory=list)
    """Tokens that are given, not chosen, and not read yet."""
    message: list[int] = field(default_factory=list)
    at: int = 0
    """Tokens in the cache."""
    waiting: bool = True
    """For a worker."""


@dataclass
class Clock:
    """Where the time of rollouts went, in seconds, and how many calls were answered."""

    total: float = 0.0
    starved: float = 0.0
    """The GPU had nothing to do but to wait for environments."""
    calls: int = 0
    tokens: int = 0
    """Chosen by the model."""


class Roller:
    def __init__(self, model: Model, tokenizer, workers: Workers, slots: int = 128, longest: int = 8192) -> None:
        self.model, self.tokenizer, self.workers, self.longest = model, tokenizer, workers, longest
        self.caches = model.caches(slots, longest)
        self.slots: list[Slot | None] = [None] * slots
        (self.end,) = tokenizer.encode(chat.END, add_special_tokens=False)
        self.device = model.embedding.device
        self.clock = Clock()

    def run(
        self, wanted: list[tuple[dict, int]], temperature: float, profile: str = "clean", limit: float = 1e9
    ) -> list[Episode]:
        """Return an episode for each (task line, seed), in order; what isn't done after `limit` seconds is cut off."""
        episodes = [Episode(line, seed) for line, seed in wanted]
        queue = list(reversed(episodes))
        self.model.merge(True)
        begun = time.monotonic()
        last = torch.zeros(len(self.slots), dtype=torch.long, device=self.device)
        while True:
            for i, slot in enumerate(self.slots):
                if slot is None and queue:
                    self.slots[i] = Slot(queue.pop())
                    self.workers.reset(i, self.slots[i].episode.line, profile, self.slots[i].episode.seed)
            if not any(self.slots):
                break
            busy = [i for i, s in enumerate(self.slots) if s and not s.waiting]
            start = time.monotonic()
            for answer in self.workers.answers(None if not busy else 0):
                self._answered(*answer)
            if not busy:
                self.clock.starved += time.monotonic() - start
                continue
            if time.monotonic() - begun > limit:
                for i in busy:
                    self._cut(i)
                continue
            for i in busy:
                if self.slots[i] and self.slots[i].pending:
                    self._read(i, last, temperature)
            ready = [i for i in busy if self.slots[i] and not self.slots[i].waiting]
            if ready:
                self._choose(ready, last, temperature)
        self.clock.total += time.monotonic() - begun
        self.model.merge(False)
        return episodes

    def _answered(self, i: int, told, figures: dict | None = None) -> None:
        slot = self.slots[i]
        if figures is not None:
            slot.episode.figures = figures
            self.slots[i] = None
            return
        slot.waiting = False
        if isinstance(told, list):
            fresh = chat.opening(self.tokenizer, told)
        else:
            self.clock.calls += 1
            fresh = chat.reply(self.tokenizer, told)
        if slot.at + len(slot.pending) + len(fresh) + MESSAGE > self.longest:
            self._cut(i)
            return
        slot.pending += fresh
        slot.episode.ids += fresh
        slot.episode.own += [False] * len(fresh)

    def _cut(self, i: int) -> None:
        self.slots[i].waiting = True
        self.slots[i].pending = []
        self.workers.cut(i)

    def _read(self, i: int, last: torch.Tensor, temperature: float) -> None:
        """Read what a slot was told, all at once, and choose the first token after it."""
        slot = self.slots[i]
        state = self.model.read(torch.tensor(slot.pending, device=self.device), i, slot.at, self.caches)
        slot.at += len(slot.pending)
        slot.pending = []
        self._take([i], self.model.logits(state[None]), last, temperature)

    def _choose(self, ready: list[int], last: torch.Tensor, temperature: float) -> None:
        """Choose one token for every slot that is ready."""
        places = [s.at if s else 0 for s in self.slots]
        end = min(self.longest, -(-(max(places) + 1) // 256) * 256)
        states = self.model.step(last, torch.tensor(places, device=self.device), self.caches, end)
        for i in ready:
            self.slots[i].at += 1
        self._take(ready, self.model.logits(states[torch.tensor(ready, device=self.device)]), last, temperature)

    def _take(self, places: list[int], logits: torch.Tensor, last: torch.Tensor, temperature: float) -> None:
        """Choose the next token of slots; a message that ends goes to its environment."""
        if temperature:
            chosen = torch.multinomial((logits.float() / temperature).softmax(-1), 1)[:, 0]
        else:
            chosen = logits.argmax(-1)
        last[torch.tensor(places, device=self.device)] = chosen
        self.clock.tokens += len(places)
        for i, token in zip(places, chosen.tolist(), strict=True):
            slot = self.slots[i]
            slot.episode.ids.append(token)
            slot.episode.own.append(True)
            slot.message.append(token)
            if token == self.end:
                slot.pending = [token]  # it is chosen already, but not in the cache
                slot.waiting = True
                self.workers.step(i, self.tokenizer.decode(slot.message[:-1]))
                slot.message = []
            elif len(slot.message) >= MESSAGE:
                self._cut(i)
