"""How well the difficulty of tasks ranks what policies of graded skill get: Spearman's coefficient with item F1.

python examples/measure_difficulty.py DIR … [--samples 15] [--out FILE.jsonl]    (folders of worlds with tasks)

A policy makes the calls of a task's certificate, knows what their replies disclose, and answers the query by that; of
a row it has never read it knows nothing. At each step something may go wrong, with a chance that is its skill's and
doesn't depend on the task: a page is forgotten, a search is given up, it stops before all is read, it doesn't turn to
the next page, it misreads a cell, or it follows a reference to the wrong row. What follows from that goes wrong too: a
page whose address no reply showed can't be opened, a name that no reply showed can't be searched for, and a row whose
condition was misread is left out or listed wrongly. `difficulty` is never asked.

The ceiling is the root of the split-half reliability of the measured F1, by Spearman and Brown: no number that is known
beforehand can be expected to correlate higher with it.
"""

import argparse
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

from worldsmith import scoring
from worldsmith.agents.client import hits_text, search_reply
from worldsmith.agents.natural_oracle import asking_words
from worldsmith.agents.plain_oracle import words_of
from worldsmith.rollout.calibration import rank_correlation
from worldsmith.schema import Value
from worldsmith.seeding import rng
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Task, difficulty, markdown_table, tasks_of
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.world.files import load_world, world_folders
from worldsmith.world.model import Disclosure, Row, World


@dataclass(frozen=True)
class Skill:
    """The chances that a step goes wrong."""

    forgets_page: float = 0.0
    gives_up_search: float = 0.0
    stops: float = 0.0
    """After any call."""
    turns_no_page: float = 0.0
    """Of results, or of a page that is read in parts."""
    misreads_cell: float = 0.0
    misses_join: float = 0.0
    """For each reference of a row."""

    def times(self, factor: float) -> "Skill":
        return Skill(*(min(1.0, factor * chance) for chance in vars(self).values()))


ERRORS = {
    "all errors": Skill(1.0, 1.0, 0.25, 2.0, 0.5, 1.0),
    "pages alone": Skill(forgets_page=2.0, gives_up_search=2.0, turns_no_page=4.0),
    "stops alone": Skill(stops=1.0),
    "cells alone": Skill(misreads_cell=2.0, misses_join=2.0),
}
"""Policies by what goes wrong, as multiples of a level."""
LEVELS = (0.02, 0.05, 0.12, 0.25)
FEW = 3
"""Samples of each level that are looked at by themselves."""
ALL = slice(None)

Figures = Sequence[Sequence[float]]
"""The item F1 of the samples of a task, by level."""


class Measured(NamedTuple):
    """A task with its figures by policy."""

    task: Task
    figures: Mapping[str, Figures]


@dataclass(frozen=True)
class Step:
    """A call of a certificate with what its reply gives."""

    is_search: bool
    is_continued: bool
    sources: tuple[frozenset[int], ...]
    """What the call needs, each by the steps whose replies show it."""
    disclosed: frozenset[Disclosure]


class PlayedTask:
    """A task, the steps of its certificate, and what its world is to who has read a part of them."""

    def __init__(self, task: Task, simulator: Simulator) -> None:
        self.task, self.world = task, simulator.world
        self.reference = scoring.Reference(task.columns, task.gold)
        self.required = required_disclosures(task, QueryEvaluator(self.world))
        self.steps = tuple(steps(task, simulator, self.required))
        self.unread = {
            table: {name: [None] * self.world.size(table) for name in columns}
            for table, columns in self.world.tables.items()
        }

    def item_f1(self, skill: Skill, random: Random) -> float:
        """Return the item F1 of one episode."""
        world, known = self.believed(self.disclosed(skill, random), skill, random)
        return scoring.score_table(self.answer(world, known), self.reference).item.f1

    def disclosed(self, skill: Skill, random: Random) -> set[Disclosure]:
        """Return what an episode gets to know."""
        made: set[int] = set()
        known: set[Disclosure] = set()
        for number, step in enumerate(self.steps):
            if not all(made & source for source in step.sources):
                continue
            chance = skill.gives_up_search if step.is_search else skill.forgets_page
            if random.random() < (skill.turns_no_page if step.is_continued else chance):
                continue
            made.add(number)
            known |= step.disclosed
            if random.random() < skill.stops:
                break
        return known

    def believed(self, known: set[Disclosure], skill: Skill, random: Random) -> tuple[World, Collection[Row]]:
        """Return the world as it was read, null where it wasn't, and the rows of which anything was."""
        rows = {row for row, _ in known}
        tables = {name: dict(columns) for name, columns in self.unread.items()}

        def put(row: Row, column: str, value: Value) -> None:
            if tables[row.table][column] is self.unread[row.table][column]:
                tables[row.table][column] = list(self.unread[row.table][column])
            tables[row.table][column][row.index] = value

        for row in sorted(rows):
            for column in self.world.schema.tables[row.table].key:
                put(row, column, self.world.value(row, column))
        for row, column in sorted(known & self.required):
            if column not in tables[row.table]:
                continue  # that there are no more children
            value = self.world.value(row, column)
            is_reference = self.world.schema.column(row.table, column).ref is not None
            is_wrong = random.random() < skill.misreads_cell or (is_reference and random.random() < skill.misses_join)
            if is_wrong and column not in self.world.schema.tables[row.table].key:
                others = [v for v in self.world.rows_by_value(row.table, column) if v != value]
                value = random.choice(others) if others else None
            put(row, column, value)
        return replace(self.world, tables=tables), rows

    def answer(self, world: World, known: Collection[Row]) -> str:
        """Return the table that the query gives in a world of which only some rows are known."""
        query, evaluator = self.task.query, QueryEvaluator(world)
        columns = [evaluator.query_values(query, path) for path in query.columns]
        rows = [i for i in evaluator.matching_rows(query) if Row(query.table, i) in known]
        shown = [[scoring.show(v[i], c) for v, c in zip(columns, self.task.columns, strict=True)] for i in rows]
        return markdown_table(self.task.columns, shown)


def steps(task: Task, simulator: Simulator, required: Collection[Disclosure]) -> Iterator[Step]:
    """Yield the steps of a task's certificate."""
    world, address = simulator.world, Address(simulator.id)
    words = words_of(task.question) | (asking_words(world.schema.bank, world.schema) if world.schema.bank else set())
    texts: list[str] = []
    word_sets: list[set[str]] = []
    for made in task.certificate["calls"]:
        arg, offset, page = made["arg"], made.get("offset", 0), made.get("page", 1)
        is_search = made["tool"] == "web_search"
        reply = simulator.call(address, Call(made["tool"], arg, page, made.get("k", 10), offset, made.get("max_chars")))
        if is_search:
            sources = [{i for i, held in enumerate(word_sets) if word in held} for word in words_of(arg) - words]
        else:
            sources = [{i for i, text in enumerate(texts) if arg in text}]
        text = hits_text(search_reply(reply)) if is_search else reply.text
        texts.append(text)
        word_sets.append(words_of(text))
        disclosed = frozenset(reply.disclosed) & required
        yield Step(is_search, bool(offset) or page > 1, tuple(map(frozenset, sources)), disclosed)


def measure(folders: Sequence[Path], samples: int) -> Iterator[Measured]:
    """Yield tasks with the item F1 of their samples."""
    for folder in folders:
        simulator = Simulator(load_world(folder))
        for task in tasks_of(folder):
            played = PlayedTask(task, simulator)
            assert played.item_f1(Skill(), Random(0)) == 1.0, f"{task.task_id}: not solved without errors"
            figures: dict[str, Figures] = {}
            for name, errors in ERRORS.items():
                draws = [
                    (errors.times(level), rng("measure_difficulty", task.task_id, name, level)) for level in LEVELS
                ]
                figures[name] = [[played.item_f1(skill, draw) for _ in range(samples)] for skill, draw in draws]
            yield Measured(task, figures)


def recorded(folders: Sequence[Path], file: Path) -> Iterator[Measured]:
    """Yield tasks with the figures that a file has of them."""
    figures = {row["task_id"]: row["item_f1"] for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    yield from (Measured(task, figures[task.task_id]) for folder in folders for task in tasks_of(folder))


def ceiling(figures: Sequence[Figures]) -> float:
    """Return the root of the reliability of means over levels and samples, from every other sample against the rest."""
    result = rank_correlation([(mean(task, slice(0, None, 2)), mean(task, slice(1, None, 2))) for task in figures])
    assert result is not None
    return float((2 * max(0.0, result.value) / (1 + result.value)) ** 0.5)


def mean(figures: Figures, samples: slice = ALL) -> float:
    return fmean(f1 for level in figures for f1 in level[samples])


def report(tasks: Sequence[Measured]) -> None:
    """Print correlations by policy and samples; of the policy with all errors also by level, kind, size and schema."""
    hard = [difficulty(one.task) for one in tasks]
    for name in ERRORS:
        figures = [one.figures[name] for one in tasks]
        for samples in sorted({FEW, len(figures[0][0])}):
            first = [[level[:samples] for level in task] for task in figures]
            print(
                f"{name}, {len(LEVELS)} levels of {samples}: {correlation_text(hard, list(map(mean, first)))}", end="; "
            )
            print(f"ceiling {ceiling(first):.2f}")
    figures = [one.figures["all errors"] for one in tasks]
    for i, level in enumerate(LEVELS):
        means = [fmean(task[i]) for task in figures]
        print(f"level {level}: mean F1 {fmean(means):.2f}, {correlation_text(hard, means)}")
    means = [mean(task) for task in figures]
    for group in ("kind", "size", "schema"):
        values = [getattr(one.task, group) for one in tasks]
        for value in sorted(set(values)):
            chosen = [i for i, other in enumerate(values) if other == value]
            theirs = [means[i] for i in chosen]
            line = correlation_text([hard[i] for i in chosen], theirs)
            print(f"{group} {value}: {len(chosen)} tasks, mean F1 {fmean(theirs):.2f}, {line}")


def correlation_text(one: Sequence[float], other: Sequence[float]) -> str:
    result = rank_correlation([*zip(one, other, strict=True)])
    return f"Spearman {result.value:.2f} ({result.low:.2f} to {result.high:.2f})" if result else "too few tasks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="+", type=Path)
    parser.add_argument("--samples", type=int, default=15, help="episodes per task, policy and level")
    parser.add_argument("--out", type=Path, help="a line of figures per task; if it is there, nothing is played again")
    options = parser.parse_args()
    folders, file = world_folders(options.worlds), options.out
    tasks = [*recorded(folders, file)] if file and file.exists() else [*measure(folders, options.samples)]
    if file and not file.exists():
        lines = [json.dumps({"task_id": one.task.task_id, "item_f1": one.figures}) for one in tasks]
        file.write_text("\n".join(lines), encoding="utf-8")
    report(tasks)


if __name__ == "__main__":
    main()
