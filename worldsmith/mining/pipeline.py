"""Mining: candidates are certified, audited, and kept, until there are enough."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldsmith.agents import Recorder, SimulatorClient, tokenizer
from worldsmith.audit.tasks.gates import constant_guess, exceeded_mean, failed_gate, measure_shortcuts
from worldsmith.errors import BackendError, UsageError, close_match
from worldsmith.mining.candidates import (
    DESCRIBED,
    EMPTY,
    KINDS,
    UNLISTED,
    VARIANTS,
    Rejected,
    Variant,
    parse_kinds,
    task_draws,
)
from worldsmith.mining.certificates import Certificate, NotCertified, certify, with_proof
from worldsmith.mining.chains import compares_apart
from worldsmith.mining.sampling import SIZES, MiningContext
from worldsmith.mining.screening import DrawRejected
from worldsmith.pages import Pages
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Query, Task, gold_duckdb
from worldsmith.tasks.conditions import WordingSplit
from worldsmith.tasks.shortcuts import GATES
from worldsmith.world.engine import attach
from worldsmith.world.model import World

MAX_TOKENS = 32_000
"""The default limit of tool tokens of an episode."""
DRAWS = 120
"""Draws per requested task before mining gives up."""
STREAK = 600
"""Consecutive draws of one kind without a task before mining gives the kind up."""
CALLS = 24
"""The most calls in the certificate of a deep task, which asks for one cell."""
ALIKE = 2
"""The most tasks of one world with one scope and the same columns in their clauses. Near-duplicates are dropped."""
APART = 0.5
"""The share of those deep tasks that compare rows, at least, in which no page tells what is compared of two of them;
rounded down in each world."""


@dataclass(frozen=True, slots=True)
class MiningRequest:
    """What to mine: with the world's digest and the miner's versions, everything that the tasks depend on.

    Raises:
        UsageError: a size or a kind that tasks don't have.
    """

    count: int
    size: str = "wide"
    max_tokens: int = MAX_TOKENS
    max_turns: int | None = None
    kinds: str = ",".join(KINDS)
    """Kinds of task, taken in turn."""
    wordings: WordingSplit = "all"
    keep_failing: bool = False
    tokenizer: Path | None = None
    """A tokenizer.json that says what fits; None for the estimate."""
    apart: float = APART
    """Of the deep tasks of a natural world that compare rows, the share at least that compares them page by page."""

    def __post_init__(self) -> None:
        if self.size not in SIZES:
            raise UsageError(f"no tasks are called {self.size!r}.{close_match(self.size, SIZES)}")
        parse_kinds(self.kinds)

    def recorded(self) -> dict[str, Any]:
        """Return what is recorded of a request beside its tasks: the content of a tokenizer, wherever it lies."""
        fields = asdict(self)
        path = fields.pop("tokenizer")
        return fields if path is None else {**fields, "tokenizer": sha256(path.read_bytes()).hexdigest()}


@dataclass(frozen=True, slots=True)
class Mined:
    """Tasks of a world, how many draws they took, and why the others were rejected."""

    tasks: tuple[Task, ...]
    tried: int
    rejected: Mapping[str, int]
    failing: int = 0
    """Those among the tasks that fail a gate: none unless they were asked for."""


def mine(
    world: World,
    count: int,
    *,
    size: str = "wide",
    kinds: Sequence[str] = tuple(KINDS),
    wordings: WordingSplit = "all",
    max_tokens: int = MAX_TOKENS,
    max_turns: int | None = None,
    seed: int | None = None,
    keep_failing: bool = False,
    tokenizer: Path | None = None,
    apart: float = APART,
) -> Mined:
    """Return up to `count` tasks of a world, each certified and past the gates; the same for the same arguments.

    Args:
        world: what the tasks are about.
        count: how many are wanted.
        size: "wide" or "small".
        kinds: of task, taken in turn: "wide", "deep", "hybrid". What one can't give is taken from the others.
        wordings: of questions: "all", "train" (all but those held out) or "test" (these alone).
        max_tokens: tool tokens that a task's certificate may take.
        max_turns: assistant messages it may take; None for any number.
        seed: of the draws; the world's own unless given.
        keep_failing: keep tasks that fail a gate; their figures show it.
        tokenizer: a tokenizer.json that tool tokens are counted by for `max_tokens`; an estimate unless given.
        apart: of a natural world's deep tasks that compare rows, the share at least in which no page tells what is
            compared of two of them.

    Raises:
        UsageError: no such size, or a tokenizer that can't be read.
    """
    names = ",".join(kinds)
    request = MiningRequest(count, size, max_tokens, max_turns, names, wordings, keep_failing, tokenizer, apart)
    return mine_request(world, request, seed)


def mine_request(world: World, request: MiningRequest, seed: int | None = None) -> Mined:
    """Return the tasks of a world that were asked for, as `mine` does."""
    kinds, size, count = parse_kinds(request.kinds), request.size, request.count
    pages = Pages(world)
    context = MiningContext(world, pages, split=request.wordings)
    miner = _Miner(context, Simulator(world, pages=pages), request)
    start = world.seed if seed is None else seed
    kept: list[Task] = []
    with attach(world) as connection:
        streams = {
            (kind, variant): task_draws(
                context,
                connection,
                start,
                size,
                kind,
                variant=variant,
                split=request.wordings,
                answered=miner.answered,
            )
            for kind in kinds
            for variant in ("", *VARIANTS.get(kind, ()))
        }
        left = dict.fromkeys(kinds, DRAWS * count)
        variants = {kind: list(VARIANTS.get(kind, ())) for kind in kinds}
        while len(kept) < count and left:
            # What one kind can't give is taken from the others, and what a variant can't from its kind.
            kind = list(left)[len(kept) % len(left)]
            drawn = draw(start, "empty", world.digest, len(kept))
            due = (one for one in variants[kind] if _is_due(context, one, kept, drawn))
            variant: Variant = next(due, "")
            task = _next_task(miner, streams[kind, variant], left, kind)
            if task:
                kept.append(task)
            elif variant:
                variants[kind].remove(variant)
            else:
                del left[kind]
    kept = miner.confirm_gold(kept)
    return Mined(tuple(kept), miner.tried, dict(sorted(miner.rejected.items())), miner.failing)


def _is_due(context: MiningContext, variant: Variant, kept: Sequence[Task], drawn: int) -> bool:
    """Tell whether the next task of a kind is of a variant of it."""
    if variant == "empty":
        return drawn % EMPTY == 0
    kind, share = ("deep", DESCRIBED) if variant == "described" else ("wide", UNLISTED)
    queries = [task.query for task in kept if task.kind == kind]
    count = sum(is_described(q) if kind == "deep" else (q.table, q.scope.column) in context.unlisted for q in queries)
    return count < share * (len(queries) + 1)


def is_described(query: Query) -> bool:
    """Tell whether a chain starts from a row that the question describes."""
    return next(query.chain()).described


def _next_task(miner: "_Miner", candidates: Iterator[Task | Rejected], left: dict[str, int], kind: str) -> Task | None:
    """Return the next task of a kind that passes; None where so many draws give none, or none are left."""
    for _ in range(min(left[kind], STREAK)):
        candidate = next(candidates, None)
        if candidate is None:
            break
        left[kind] -= 1
        task = miner.accept(candidate)
        if task is not None:
            return task
    return None


def _read_columns(query: Query) -> tuple[object, ...]:
    """Return the scope of a query, and the columns that its clauses read."""
    return query.table, query.scope, tuple(sorted(query.evidence))


class _Miner:
    """The screens a candidate passes, and what they rejected."""

    def __init__(self, context: MiningContext, simulator: Simulator, request: MiningRequest) -> None:
        self.context, self.simulator, self.request = context, simulator, request
        self.world, self.evaluator = context.world, context.evaluator
        self.tried = self.failing = 0
        self.fails = False
        """Whether the task at hand fails a gate, and is kept all the same."""
        self.count = None if request.tokenizer is None else tokenizer(request.tokenizer)
        """What counts tool tokens exactly; None for the certificate's estimate."""
        self.replies: dict[Call, Observation] = {}
        self.near_duplicate_keys: set[object] = set()
        self.read: Counter[object] = Counter()
        """How many tasks kept have one scope and read the same columns of its rows."""
        self.answered: set[object] = set()
        """What the tasks kept lead to (`QueryEvaluator.answer_identity`)."""
        self.apart: list[bool] = []
        """Of the deep tasks kept that compare rows, whether no page tells what is compared of two of them."""
        self.rejected: Counter[str] = Counter()
        self.totals: dict[str, Counter[str]] = {}
        """The figures of the tasks kept added up, by kind; "tasks" is their number."""

    def accept(self, task: Task | Rejected) -> Task | None:
        """Return the task with its proof and figures, or None, the reason counted."""
        self.tried += 1
        if isinstance(task, Rejected):
            self.rejected[task.reason] += 1
            return None
        self.fails = False
        try:
            task = self._prove(task)
        except DrawRejected as reason:
            self.rejected[str(reason)] += 1
            return None
        query = task.query
        self.near_duplicate_keys.add(query.near_duplicate_key)
        self.read[_read_columns(query)] += 1
        apart = self._compares_apart(task)
        self.apart += [] if apart is None else [apart]
        self.failing += self.fails
        if task.gold:
            self.answered.add(self.evaluator.answer_identity(query))
            totals = self.totals.setdefault(task.kind, Counter())
            totals.update({"tasks": 1, **{name: task.audit[name] for name in GATES}})
        return task

    def _prove(self, task: Task) -> Task:
        """Return the task with its proof and figures. Raises DrawRejected."""
        query = task.query
        if query.near_duplicate_key in self.near_duplicate_keys or self.read[_read_columns(query)] >= ALIKE:
            raise DrawRejected("like another task")
        if self._compares_apart(task) is False and sum(self.apart) < int(self.request.apart * (len(self.apart) + 1)):
            raise DrawRejected("one page tells several of the rows that are compared")
        # What costs least comes first: most of what fails a gate fails this one.
        self._check_gates(task, {"constant-guess": constant_guess(task, self.evaluator)})
        client = SimulatorClient(self.simulator, reply_cache=self.replies)
        proof = self._certify_with(task, client, "oracle", "not certified")
        if self._tool_tokens(proof, client) > self.request.max_tokens:
            raise DrawRejected("too many tokens")
        if task.kind == "deep" and len(proof.calls) > CALLS:
            raise DrawRejected("too many calls for one cell")
        if is_described(query) and proof.extract_calls < 2:
            raise DrawRejected("one page tells what is described and what is asked")
        if self.request.max_turns is not None and proof.turns > self.request.max_turns:
            raise DrawRejected("too many turns")
        self._certify_with(task, client, "reworded", "not certified by other queries")
        try:
            figures = measure_shortcuts(task, self.evaluator, client)
        except BackendError:
            raise DrawRejected("a call of an agent that is never answered") from None
        self._check_gates(task, figures)
        return with_proof(task, proof, figures)

    def _compares_apart(self, task: Task) -> bool | None:
        """Tell whether a deep task compares rows page by page; None for tasks whose share is not asked for."""
        return compares_apart(self.context, task.query) if task.kind == "deep" and self.context.pages.voice else None

    def _tool_tokens(self, proof: Certificate, client: SimulatorClient) -> int:
        """Return the tokens of a proof's replies, by the tokenizer where there is one."""
        if self.count is None:
            return proof.tool_tokens
        recorder = Recorder(client.afresh(), self.count)
        for call in proof.calls:
            recorder.again(call)
        return sum(recorder.costs)

    def _certify_with(self, task: Task, client: SimulatorClient, agent: str, what: str) -> Certificate:
        try:
            return certify(task, self.world, client, evaluator=self.evaluator, agent=agent)
        except NotCertified as reason:
            raise DrawRejected(f"{what}: {reason}") from None

    def _check_gates(self, task: Task, figures: Mapping[str, float]) -> None:
        """Raise DrawRejected for a gate that a task fails by these figures, alone or with those kept."""
        if not task.gold:
            return
        why = failed_gate(task, figures) or exceeded_mean(self.totals.get(task.kind, Counter()), figures)
        if why and not self.request.keep_failing:
            raise DrawRejected(f"gate: {why}")
        self.fails = self.fails or why is not None

    def confirm_gold(self, tasks: list[Task]) -> list[Task]:
        """Return the tasks whose gold a second engine gives too: all of them, unless an engine is wrong."""
        again = gold_duckdb([(self.world, [task.query for task in tasks])])[0] if tasks else []
        same = [task for task, rows in zip(tasks, again, strict=True) if task.gold == rows]
        if len(same) < len(tasks):
            self.rejected["two engines give different gold"] += len(tasks) - len(same)
        return same
