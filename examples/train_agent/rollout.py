"""Rollouts: many episodes at once on one GPU, while CPU workers answer calls.

In turn: what tools replied is read, for all slots that got something in one go; then all slots choose BURST tokens, by
a CUDA graph of one token; then messages that ended go to their environments, which answer during the next burst.
"""

import time
from dataclasses import dataclass, field

import chat
import torch
from model import Model, blocks_of, likely
from workers import Workers

MESSAGE = 900
"""Tokens of one message of the agent at most."""
LONGEST = 12_288
"""Tokens of an episode at most."""
BURST = 16
"""Tokens chosen between two looks at what was chosen."""
BEGUN = 32
"""Episodes begun between two looks at what workers sent: a worker whose answers nobody takes would take no more."""


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
    """Tokens that came from a prompt or a tool and are not read yet."""
    message: list[int] = field(default_factory=list)
    at: int = 0
    """Tokens in the cache: all of the episode's but those pending, and the one chosen last."""
    waiting: bool = True
    """For a worker."""


@dataclass
class Clock:
    """Where the time of rollouts went, in seconds, and how many calls were answered."""

    total: float = 0.0
    starved: float = 0.0
    """The GPU had nothing to do but to wait for environments."""
    reading: float = 0.0
    choosing: float = 0.0
    calls: int = 0
    tokens: int = 0
    """Chosen by the model."""


class Chooser:
    """One token for every slot at a time; on a GPU a graph that is captured once, so that a token is one launch."""

    def __init__(self, model: Model, caches: torch.Tensor, end: int) -> None:
        self.model, self.caches, self.end = model, caches, end
        slots, device = caches.shape[2], caches.device
        self.slot = torch.arange(slots, device=device)
        self.last, self.at = (torch.zeros(slots, dtype=torch.long, device=device) for _ in range(2))
        self.active = torch.zeros(slots, dtype=torch.bool, device=device)
        self.temperature = torch.zeros((), device=device)
        self.chosen = torch.zeros((BURST, slots), dtype=torch.long, device=device)
        self.turn = torch.zeros(1, dtype=torch.long, device=device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def sample(self, states: torch.Tensor) -> torch.Tensor:
        """Return a token for each state (n, width). With temperature 0 the noise weighs nothing: the likeliest."""
        logits = likely(self.model.logits(states))
        # The largest of logits / T + Gumbel noise is a sample of their softmax.
        return (logits - self.temperature * torch.empty_like(logits).exponential_().log()).argmax(-1)

    def one(self) -> None:
        states = self.model.read(self.last[:, None], self.slot, self.at, self.caches)[:, 0]
        token = self.sample(states)
        self.chosen.index_copy_(0, self.turn, torch.where(self.active, token, -1)[None])
        self.last.copy_(torch.where(self.active, token, self.last))
        self.at.add_(self.active)
        self.active.logical_and_(token != self.end)
        self.turn.copy_((self.turn + 1) % BURST)

    def burst(self, last: list[int], at: list[int], active: list[bool]) -> list[list[int]]:
        """Return what slots choose, token by token (BURST, slots); -1 for one that isn't active, or has ended."""
        for ours, theirs in ((self.last, last), (self.at, at), (self.active, active)):
            ours.copy_(torch.tensor(theirs))
        for _ in range(BURST):
            if self.graph:
                self.graph.replay()
            else:
                self.one()
        return self.chosen.tolist()

    def capture(self) -> None:
        """Make the graph, where there is a GPU and none is there; before anything is read, as it writes into caches."""
        if self.graph or not self.slot.is_cuda:
            return
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            self.one()
        torch.cuda.current_stream().wait_stream(beside)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.one()
        self.turn.zero_()


class Roller:
    def __init__(self, model: Model, tokenizer, workers: Workers, slots: int = 128) -> None:
        self.model, self.tokenizer, self.workers = model, tokenizer, workers
        self.longest = min(LONGEST, model.shape.context)
        self.slots: list[Slot | None] = [None] * slots
        (end,) = tokenizer.encode(chat.END, add_special_tokens=False)
        self.caches = model.caches(slots, self.longest)
        self.chooser = Chooser(model, self.caches, end)
        self.clock = Clock()

    def run(self, wanted: list[tuple[dict, int]], temperature: float, limit: float = 1e9) -> list[Episode]:
        """Return an episode for each (task line, seed), in order; what isn't done after `limit` seconds is cut off."""
        episodes = [Episode(line, seed) for line, seed in wanted]
        queue = list(reversed(episodes))
        self.model.merge()
        self.chooser.capture()
        self.chooser.temperature.fill_(temperature)
        begun = time.monotonic()
        while True:
            free = [i for i, slot in enumerate(self.slots) if slot is None]
            for i in free[: min(BEGUN, len(queue))]:
                self.slots[i] = Slot(queue.pop())
                self.workers.reset(i, self.slots[i].episode.line, self.slots[i].episode.seed)
            if not any(self.slots):
                break
            idle = all(s is None or s.waiting for s in self.slots)
            start = time.monotonic()
            for answer in self.workers.answers(None if idle else 0):
                self._answered(*answer)
            if idle:
                self.clock.starved += time.monotonic() - start
            busy = [i for i, s in enumerate(self.slots) if s and not s.waiting]
            if time.monotonic() - begun > limit:
                for i in busy:
                    self._cut(i)
                continue
            self._read([i for i in busy if self.slots[i].pending])
            self._choose([i for i in busy if not self.slots[i].waiting])
        self.clock.total += time.monotonic() - begun
        return episodes

    def _answered(self, i: int, observation, figures: dict | None = None) -> None:
        slot = self.slots[i]
        if figures is not None:
            slot.episode.figures = figures
            self.slots[i] = None
            return
        slot.waiting = False
        if isinstance(observation, list):
            fresh = chat.opening(self.tokenizer, observation)
        else:
            self.clock.calls += 1
            fresh = chat.reply(self.tokenizer, observation)
        if slot.at + len(slot.pending) + len(fresh) + MESSAGE + BURST > self.longest:
            self._cut(i)
            return
        slot.pending += fresh
        slot.episode.ids += fresh
        slot.episode.own += [False] * len(fresh)

    def _cut(self, i: int) -> None:
        self.slots[i].waiting = True
        self.slots[i].pending = []
        self.workers.cut(i)

    def _read(self, fresh: list[int]) -> None:
        """Read the pending tokens of slots, and choose each one's first token after it."""
        if not fresh:
            return
        start = time.monotonic()
        runs = [(i, self.slots[i].at, self.slots[i].pending) for i in fresh]
        ids, slot, first, last = blocks_of(runs, self.caches.device)
        states = self.model.read(ids, slot, first, self.caches).flatten(0, 1)[last]
        chosen = self.chooser.sample(states).tolist()
        self.clock.reading += time.monotonic() - start
        for i, token in zip(fresh, chosen, strict=True):
            self.slots[i].at += len(self.slots[i].pending)
            self.slots[i].pending = []
            self._take(i, token)

    def _choose(self, ready: list[int]) -> None:
        """Choose up to BURST tokens for every slot that is ready."""
        if not ready:
            return
        start = time.monotonic()
        last = [s.episode.ids[-1] if s and not s.waiting else 0 for s in self.slots]
        at = [s.at if s else 0 for s in self.slots]
        chosen = self.chooser.burst(last, at, [i in ready for i in range(len(self.slots))])
        self.clock.choosing += time.monotonic() - start
        for i in ready:
            for tokens in chosen:
                if self.slots[i].waiting:
                    break
                self.slots[i].at += 1
                self._take(i, tokens[i])

    def _take(self, i: int, token: int) -> None:
        """Append a chosen token to a slot's message; one that ends goes to its environment."""
        slot = self.slots[i]
        self.clock.tokens += 1
        slot.episode.ids.append(token)
        slot.episode.own.append(True)
        slot.message.append(token)
        if token == self.chooser.end:
            slot.pending = [token]  # it is chosen already, but not in the cache
            slot.waiting = True
            self.workers.step(i, chat.text(self.tokenizer, slot.message[:-1]))
            slot.message = []
        elif len(slot.message) >= MESSAGE:
            self._cut(i)
