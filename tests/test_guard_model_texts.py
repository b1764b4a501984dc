"""Single texts of a language model, in two voices: which may stand, on a page or in a hit that shows its key alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import faithful
import pytest
from faithful import AbsentError, Plan, Told
from faithful_replies import SEEDS, pages_of, simulator

from worldsmith.pages.types import Page
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.perturb import withhold
from worldsmith.simulate.protocol import Call, Result, Slice, Verdict, View


@dataclass(frozen=True)
class Case:
    """One text: whether it is a lie, and where it stands."""

    lie: bool
    where: str
    voice: str
    plan: Plan

    def __str__(self) -> str:
        return f"{self.plan.at}: {self.plan.text}"


def cases() -> Iterator[Case]:
    for judged, where, voice, at, when, text in faithful.lines("model_texts.txt"):
        yield Case(judged == "lie", where, voice, Plan(text, "heldout", at, when, text))


CASES = list(cases())
PAGES = 3
"""Pages that each text is tried on, at most."""


@cache
def guard(schema: str, seed: int) -> Guard:
    world = simulator(schema, seed).world
    return Guard(world, simulator(schema, seed)._services_for("short").pages)


def texts(case: Case) -> Iterator[tuple[Guard, Page, str]]:
    """Yield pages that a case fits, with its sentence on each."""
    schema, table = case.plan.at.split(".")
    for seed in SEEDS:
        for page in pages_of(schema, seed).get(table, ()):
            try:
                said = case.plan.say(Told(page, simulator(schema, seed).world))
            except (AbsentError, KeyError):
                continue
            yield guard(schema, seed), page, said


def rejections(case: Case, judge: Guard, page: Page, said: str) -> list[Verdict]:
    """Return what the guard holds against a text; what a page lacks is another matter."""
    name = judge.world.title(page.subject) if page.subject else page.title
    if case.where == "hit":
        part = Slice(Call("web_search", "x"), (View(page, 1.0),), more=False)
        (view,) = withhold(2)(judge.pages, part, 0).views
        verdicts = judge.hit(Result(page.url, name, said, None, 1.0), view, "")
    else:
        title, text = (said, "") if case.where == "title" else (name, said)
        verdicts = judge.doc(parse_markdown(f"# {title}\n\n{text}", page.url), View(page, 0.0), "")
    return [v for v in verdicts if not v.ok and v.where not in ("missing", "date", "key")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_lie_is_stopped_and_an_honest_text_stands(case: Case) -> None:
    fits = 0
    for judge, page, said in texts(case):
        faults = rejections(case, judge, page, said)
        assert bool(faults) is case.lie, (page.id, said, faults)
        assert all(v.reason and v.why for v in faults)
        fits += 1
        if fits == PAGES:
            break
    assert fits, "no page of four worlds fits"
