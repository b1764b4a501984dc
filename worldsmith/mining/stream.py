"""Worlds and tasks made on the fly: an endless sequence that can be resumed, sharded and prefetched."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import count as whole_numbers
from itertools import tee
from pathlib import Path
from typing import Any, get_args

from worldsmith.errors import GenerationError, UsageError
from worldsmith.mining.batch import PATIENCE, Order, checked_world, distinct_schemas
from worldsmith.mining.candidates import KINDS
from worldsmith.mining.pipeline import MAX_TOKENS, Mined, MiningRequest, mine_request
from worldsmith.mining.workers import worker_pool
from worldsmith.schema import DEFAULT_KNOBS, Knobs, Language, Split
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.world.model import World

AHEAD = 2
"""Worlds that each process makes and mines ahead of the reader by default."""


@dataclass(frozen=True, slots=True)
class StreamItem:
    """A task of a stream, with what an episode needs: `Environment(item.world, item.task, item.simulator)`."""

    task: Task
    world: World
    simulator: Simulator
    """What answers calls about the world; the tasks of a world share it, and with it the index its first call makes."""
    cursor: int
    """Where the stream goes on after this item: `start` of a stream of the same arguments."""


def stream(
    schemas: str | Path | Sequence[str | Path],
    seed: int,
    start: int = 0,
    *,
    count: int = 10,
    size: str = "wide",
    kinds: Sequence[str] = tuple(KINDS),
    wordings: Split = "all",
    max_tokens: int = MAX_TOKENS,
    max_turns: int | None = None,
    tokenizer: Path | None = None,
    knobs: Knobs = DEFAULT_KNOBS,
    language: Language | None = None,
    shard: tuple[int, int] = (0, 1),
    jobs: int = 1,
    ahead: int = AHEAD,
) -> Generator[StreamItem, None, None]:
    """Return an endless sequence of tasks, each with its world: the same for the same arguments, and no task twice.

    They are those of `worldsmith generate SCHEMA... --seed`, world by world, schemas in turn: a world's tasks follow
    each other. Worlds differ by seeds of 53 bits; one that no world fits is passed over. Close the stream to end its
    processes before the program ends.

    Args:
        schemas: names of shipped schemas, or paths of TOML files.
        seed: of the stream, 0 or more; each world's own is drawn from it.
        start: 0, or the cursor of an item of a stream of the same arguments (`jobs` and `ahead` may differ): what
            follows that item is returned.
        count: tasks per world, at most.
        size: "wide" or "small", as for `mine`; so are `kinds`, `max_tokens`, `max_turns` and `tokenizer`.
        kinds: of task, taken in turn.
        wordings: of natural worlds: "all", "train", or "test", which holds what "train" never shows.
        max_tokens: tool tokens that a task's certificate may take.
        max_turns: assistant messages it may take; None for any number.
        tokenizer: a tokenizer.json that tool tokens are counted by; an estimate unless given.
        knobs: what scales the schemas.
        language: "natural" or "plain"; None for the natural one.
        shard: (i, n) for the i-th of n parts, from 0. Each has worlds of its own of every schema, and cursors of its
            own; together they are the whole.
        jobs: processes. One is this one, which makes a world when its first task is asked for; several work ahead, and
            a script that has them guards what it runs by `if __name__ == "__main__":`.
        ahead: worlds that each of several processes makes before they are asked for, at most.

    Raises:
        NotFoundError, SchemaError: no schema of that name, or a file that can't be one.
        UsageError: another invalid argument.
        GenerationError: from the iterator, where so many worlds of a schema in a row gave no task (`PATIENCE`).
        WorldsmithError: from the iterator, where a process ended.
    """
    numbers = {"seed": (seed, 0), "start": (start, 0), "count": (count, 1), "jobs": (jobs, 1), "ahead": (ahead, 1)}
    numbers |= {"max_tokens": (max_tokens, 1), "max_turns": (1 if max_turns is None else max_turns, 1)}
    for name, (value, least) in numbers.items():
        if not _is_whole(value) or value < least:
            raise UsageError(f"{name} = {value!r}: give a number from {least}, a whole one")
    if not _is_shard(shard):
        raise UsageError(f"shard = {shard!r}: give (i, n), with i from 0 to n - 1")
    for name, choice, choices in (
        ("wordings", wordings, get_args(Split)),
        ("language", language, (*get_args(Language), None)),
    ):
        if choice not in choices:
            raise UsageError(f"{name} = {choice!r}: give one of {', '.join(map(repr, choices))}")
    part, parts = shard
    names = [schemas] if isinstance(schemas, str | Path) else schemas
    if not names:
        raise UsageError("a stream needs a schema: name one")
    request = MiningRequest(count, size, max_tokens, max_turns, ",".join(kinds), tokenizer=tokenizer)
    distinct = distinct_schemas([str(name) for name in names], knobs)

    def orders() -> Iterator[tuple[int, Order]]:
        """Yield each world's place in the stream with its order."""
        for place in whole_numbers(start // count):
            number, which = divmod(place, len(distinct))
            if number % parts == part:
                yield place, Order(distinct[which], seed, number, request, knobs, language, wordings)

    return _items(orders(), start, count, jobs, ahead)


def _items(
    orders: Iterator[tuple[int, Order]], start: int, count: int, jobs: int, ahead: int
) -> Generator[StreamItem, None, None]:
    """Yield the items of orders from the cursor `start` on: `count` times a world's place, and a task's place in it."""
    barren: Counter[str] = Counter()
    orders, ahead_of_reader = tee(orders)
    advice = "go on with the last item's cursor as `start`, with fewer jobs; in a script, start streams under "
    advice += 'if __name__ == "__main__":'
    with worker_pool(_mined, jobs, advice, ahead=ahead) as mapped:
        for (place, order), mined in zip(orders, mapped(order for _, order in ahead_of_reader), strict=True):
            tasks = mined.tasks if isinstance(mined, Mined) else ()
            barren[order.schema] = 0 if tasks else barren[order.schema] + 1
            if barren[order.schema] == PATIENCE:
                raise _barren_schema(order, mined)
            first = start - place * count
            if first >= len(tasks):
                continue
            # Made again rather than sent from its process: that would take as long, and give each a schema of its own.
            world = order.generate()
            simulator = Simulator(world)
            for number, task in enumerate(tasks[max(0, first) :], max(0, first) + 1):
                after = number if number < len(tasks) else count
                yield StreamItem(task, world, simulator, place * count + after)


def _mined(order: Order) -> Mined | str:
    """Return the tasks of a world, or why no world fits its seed."""
    try:
        world = checked_world(order)
    except GenerationError as error:
        return str(error)
    return mine_request(world, order.request)


def _barren_schema(order: Order, mined: Mined | str) -> GenerationError:
    """Return the error for a schema that gives no task."""
    if isinstance(mined, str):
        why = mined
    else:
        rejected = ", ".join(f"{n} {reason}" for reason, n in sorted(mined.rejected.items(), key=lambda x: -x[1])[:5])
        why = f"of {mined.tried} draws were rejected: {rejected}" if rejected else "it has no list page to ask about"
    text = f"{PATIENCE} worlds of {order.schema} in a row gave no task (seed {order.seed}: {why}): leave the schema out"
    return GenerationError(f"{text}, or ask for other kinds or size='small'", place=order.schema, reason=why)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_shard(value: Any) -> bool:
    return (
        isinstance(value, tuple | list) and len(value) == 2 and all(map(_is_whole, value)) and 0 <= value[0] < value[1]
    )
