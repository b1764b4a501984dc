"""How good a language model is as a world model here: by rule, before the guard and after it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from worldsmith.agents.client import numbered_results, result_fields
from worldsmith.audit.language_model.calls import draw_calls
from worldsmith.audit.language_model.instruction_following import ORDERS, SHOWN, obeys
from worldsmith.audit.language_model.leaks import Leaks
from worldsmith.audit.language_model.realism import realism
from worldsmith.audit.language_model.tally import Tally, share
from worldsmith.errors import BackendError
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown
from worldsmith.pages.types import Doc
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.llm.answer import parse_draft as read_draft
from worldsmith.simulate.llm.model import Backend
from worldsmith.simulate.perturb import PROFILES, instruction, profile_named
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import (
    Address,
    Call,
    Conversation,
    Draft,
    Observation,
    Profile,
    Reason,
    Slice,
    Verdict,
)
from worldsmith.simulate.simulator import TOOLS, Part, Simulator
from worldsmith.world.model import Cell

MODES = {"web_search": "search", "web_extractor": "pages"}
"""What each tool's figures are called."""
FAILING = 0.5
"""Share of replies that our renderer has to write, above which a mode is reported as failing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls that a model is evaluated on.

    Attributes:
        calls: calls in all, shared among the worlds.
        repeats: how many of them are made twice, for consistency.
        orders: how often each order of `ORDERS` is given.
        hits: results a search gives.
        max_prompt: tokens of a prompt at most, by estimate.
        profile: the profile that the calls are made under; one without faults.
        seed: of the calls that are drawn, and of the profile's edits.
    """

    calls: int = 100
    repeats: int = 10
    orders: int = 10
    hits: int = 10
    max_prompt: int = 8000
    profile: str = "clean"
    seed: int = 0


@dataclass(slots=True)
class _Mode:
    """What was counted of one tool."""

    before: Tally = field(default_factory=Tally)
    after: Tally = field(default_factory=Tally)
    served: Counter[str] = field(default_factory=Counter)
    """Replies by who wrote what was served: model, retry, fallback; and unchanged, in whole."""
    tries: int = 0
    read: int = 0
    """Tries, and those whose reply could be read."""
    units: int = 0
    kept: int = 0
    """Units of the last drafts (hits, statements), and those that the guard took."""
    grades: dict[str, list[int]] = field(default_factory=lambda: {"before": [], "after": []})
    ungraded: int = 0


@dataclass(frozen=True, slots=True)
class _Site:
    """One world with what judges the replies about it."""

    simulator: Simulator
    pages: Pages
    guard: Guard
    leaks: Leaks
    address: Address


@dataclass(slots=True)
class _Run:
    backend: Backend
    judge: Backend | None
    plan: Plan
    profile: Profile
    modes: dict[str, _Mode] = field(default_factory=lambda: {tool: _Mode() for tool in TOOLS})
    agreement: list[float] = field(default_factory=list)
    unrepeated: int = 0
    control: Counter[str] = field(default_factory=Counter)
    requested: int = 0
    """Replies that the model was asked for, the store's left out."""
    answered: int = 0
    """Those of them that could be read."""
    failures: Counter[str] = field(default_factory=Counter)
    """Why the others have none, by reason."""
    stored: int = 0
    """Replies from the store."""
    sites: dict[str, _Site] = field(default_factory=dict)
    """By the id of their world."""

    def site(self, part: Part) -> _Site:
        """Return what judges the replies about a part's world."""
        world, pages = part.simulator.world, part.pages
        if world.id not in self.sites:
            judges = Guard(world, pages), Leaks(world, pages)
            self.sites[world.id] = _Site(part.simulator, pages, *judges, part.address)
        return self.sites[world.id]


async def evaluate(
    simulators: Mapping[str, Simulator | PoolSimulator],
    backend: Backend,
    plan: Plan,
    *,
    judge: Backend | None = None,
    profiles: Mapping[str, Profile] = PROFILES,
    done: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """Return the figures of a model as the search engine of worlds or pools, as JSON values.

    The calls are shared among all worlds. A search in a pool is judged by world: each world's part of the results is a
    reply that the model is asked for by itself.

    Args:
        simulators: what answers for each world, by its id: strict, and by the model. What their store holds already
            is answered from it and not judged.
        backend: the model.
        plan: the calls to make.
        judge: a model that grades realism; without one there is no such figure.
        profiles: those that `plan.profile` may name, and the simulators know.
        done: called after each call.

    Raises:
        NotFoundError: there is no such profile.
    """
    run = _Run(backend, judge, plan, profile_named(plan.profile, profiles))
    worlds = list(simulators)[: plan.calls]
    share_of, by_world = -(-plan.calls // len(worlds)), []
    for i, world in enumerate(worlds):
        simulator = simulators[world]
        limits = {"hits": plan.hits, "most": plan.max_prompt, "first": i}
        calls = draw_calls(simulator, _address(simulator, plan), world, share_of, **limits)
        by_world.append([(simulator, call) for call in calls])
    again = max(1, plan.calls // plan.repeats) if plan.repeats else plan.calls + 1
    turns = [turn for row in zip_longest(*by_world) for turn in row if turn][: plan.calls]
    searches = [(simulator, call) for simulator, call in turns if call.tool == "web_search"]
    jobs = [_judge_call(run, *turn, repeat=i % again == again - 1) for i, turn in enumerate(turns)]
    for name in ORDERS:
        jobs += [_judge_order(run, name, *searches[i % len(searches)]) for i in range(plan.orders if searches else 0)]
    slots = asyncio.Semaphore(backend.endpoint.concurrency)

    async def job(work: Any) -> None:
        async with slots:
            await work
        done()

    await asyncio.gather(*map(job, jobs))
    return _figures(run, worlds, len(turns))


def jobs_of(plan: Plan) -> int:
    """Return how many calls a plan makes in all, at most: what `done` is called for."""
    return plan.calls + plan.orders * len(ORDERS)


def _address(simulator: Simulator | PoolSimulator, plan: Plan) -> Address:
    return Address(simulator.id, plan.profile, plan.seed)


async def _judge_call(run: _Run, simulator: Simulator | PoolSimulator, call: Call, *, repeat: bool) -> None:
    parts = simulator.parts_or_reply(_address(simulator, run.plan), call)
    for part in () if isinstance(parts, Observation) else parts:
        await _judge_part(run, part, repeat=repeat)


async def _judge_part(run: _Run, part: Part, *, repeat: bool) -> None:
    observation = await part.simulator.answer_by_model(part.address, part.slice)
    if observation.source == "store" or observation.part is None:
        run.stored += observation.source == "store"
        return
    call, site = part.slice.call, run.site(part)
    mode, slice_ = run.modes[call.tool], observation.part
    drafts = [read for exchange in observation.exchanges if (read := _parsed_draft(exchange.reply, call)) is not None]
    run.requested += 1
    run.answered += bool(drafts)
    if not drafts:
        run.failures[_failure_reason(observation)] += 1
    mode.tries += len(observation.exchanges)
    mode.read += len(drafts)
    served = observation.results if observation.doc is None else observation.doc
    mode.served["fallback" if observation.source == "renderer" else "model" if len(drafts) < 2 else "retry"] += 1
    must, labels = _required_count(site, slice_), _labels(site, slice_)
    if drafts:
        mode.before.add(_verdicts(site, drafts[0], slice_), site.leaks.of(drafts[0], slice_), must, labels)
        mode.served["unchanged"] += _draft_texts(served) == _draft_texts(drafts[-1])
        units, kept = _served_units(site, drafts[-1], served, slice_, ours=observation.source == "renderer")
        mode.units, mode.kept = mode.units + units, mode.kept + kept
    mode.after.add(_verdicts(site, served, slice_), site.leaks.of(served, slice_), must, labels)
    if repeat:
        await _repeat_draft(run, site, slice_, drafts[0] if drafts else None)
    if run.judge:
        for when, draft in (("before", drafts[0] if drafts else None), ("after", served)):
            grade = await realism(run.judge, call, draft_text(draft)) if draft is not None else None
            if grade is None:
                mode.ungraded += draft is not None
            else:
                mode.grades[when].append(grade)


def _failure_reason(observation: Observation) -> str:
    """Return why a call has no readable reply: the last request's error, else why there was no request."""
    errors = [exchange.error for exchange in observation.exchanges if exchange.error]
    return (errors or [v.why for v in observation.verdicts if v.reason is Reason.BACKEND] or ["no reply"])[-1]


def _parsed_draft(reply: str, call: Call) -> Draft | None:
    try:
        return read_draft(reply, call) if reply else None
    except BackendError:
        return None


def _verdicts(site: _Site, draft: Draft, slice_: Slice) -> tuple[Verdict, ...]:
    return site.simulator.verdicts_on(site.address, draft, slice_)


def _required_count(site: _Site, slice_: Slice) -> int:
    if slice_.call.tool == "web_search":
        return len(slice_.views)
    return len(site.guard.required_cells(slice_.views[0].page))


def _labels(site: _Site, slice_: Slice) -> tuple[str, ...]:
    searched = slice_.call.tool == "web_search"
    cells = [c for v in slice_.views for c in (v.page.head.cells if searched else v.page.cells)]
    schema = site.pages.world.schema
    return tuple(dict.fromkeys(schema.column(c.row.table, c.col).label.lower() for c in cells))


def _draft_texts(draft: Draft) -> object:
    return markdown(draft) if isinstance(draft, Doc) else [(r.url, r.title, r.snippet) for r in draft]


def draft_text(draft: Draft) -> str:
    """Return a draft as AgentWorld's text: results as numbered blocks, a page as Markdown."""
    return markdown(draft) if isinstance(draft, Doc) else numbered_results(map(result_fields, draft))


def _served_units(site: _Site, draft: Draft, served: Draft, slice_: Slice, *, ours: bool) -> tuple[int, int]:
    """Return the units of a model's draft and how many of them were served: hits, or statements of a page."""
    if isinstance(draft, Doc):
        verdicts = [v for v in _verdicts(site, draft, slice_) if v.where not in {"missing", "url", "date"}]
        return len(verdicts), 0 if ours else sum(v.ok for v in verdicts)
    assert not isinstance(served, Doc)
    mine = {r.url: (r.title, r.snippet) for r in served}
    return len(slice_.views), sum(mine.get(r.url) == (r.title, r.snippet) for r in {r.url: r for r in draft}.values())


async def _repeat_draft(run: _Run, site: _Site, slice_: Slice, first: Draft | None) -> None:
    """Ask for another draft of a slice, and record how far it states the same facts as the first."""
    talk = Conversation(instruction(run.profile, slice_, site.pages.world.schema))
    try:
        second = await run.backend.writer(site.pages).draft(slice_, talk)
    except BackendError:
        second = None
    if first is None or second is None:
        run.unrepeated += 1
        return
    cell_sets = [_stated_cells(site, draft, slice_) for draft in (first, second)]
    both, either = cell_sets[0] & cell_sets[1], cell_sets[0] | cell_sets[1]
    run.agreement.append(len(both) / len(either) if either else 1.0)


def _stated_cells(site: _Site, draft: Draft, slice_: Slice) -> set[Cell]:
    """Return the facts that a draft states in statements which the guard accepts."""
    if isinstance(draft, Doc):
        return site.guard.read(draft, slice_.views[0].page).stated
    views = {view.page.id: view.page for view in slice_.views}
    cells = set[Cell]()
    for result in draft:
        page = views.get(site.pages.by_url(result.url) or "")
        if page is not None:
            cells |= site.guard.stated_by_hit(result, page)
    return cells


async def _judge_order(run: _Run, name: str, simulator: Simulator | PoolSimulator, call: Call) -> None:
    """Give an order at a search, at the world with the most hits of it, whose facts are all in the prompt."""
    parts = simulator.parts_or_reply(Address(simulator.id, "open"), call)
    if isinstance(parts, Observation):
        return
    part = max(parts, key=lambda part: len(part.slice.views))
    if name == "paging" and len(part.slice.views) <= SHOWN:
        return
    done = await obeys(run.backend, name, part.slice, part.pages)
    run.control[f"{name} {'not asked' if done is None else 'given'}"] += 1
    run.control[f"{name} obeyed"] += done is True


def _figures(run: _Run, worlds: list[str], made: int) -> dict[str, Any]:
    modes = {MODES[tool]: _mode(mode) for tool, mode in run.modes.items() if mode.after.replies}
    failing = [name for name, figures in modes.items() if (figures["served"]["fallback"] or 0) > FAILING]
    return {
        "model": run.backend.version,
        "worlds": worlds,
        "profile": run.plan.profile,
        "seed": run.plan.seed,
        "calls": made,
        "answered": {
            "asked": run.requested,
            "replies": run.answered,
            "share": share(run.answered, run.requested),
            "failures": dict(run.failures.most_common()),
        },
        "modes": modes,
        "failing": failing,
        "consistency": {
            "same_facts": share(sum(run.agreement), len(run.agreement)),
            "pairs": len(run.agreement),
            "not_repeated": run.unrepeated,
        },
        "control": {
            name: {
                "given": run.control[f"{name} given"],
                "obeyed": share(run.control[f"{name} obeyed"], run.control[f"{name} given"]),
                "not_asked": run.control[f"{name} not asked"],
            }
            for name in ORDERS
        },
        "cost": _cost(run),
    }


def _mode(mode: _Mode) -> dict[str, Any]:
    served = sum(mode.served[name] for name in ("model", "retry", "fallback"))
    graded = {
        when: {"mean": share(sum(grades), len(grades)), "replies": len(grades)} for when, grades in mode.grades.items()
    }
    return {
        "replies": served,
        "format": share(mode.read, mode.tries),
        "before": mode.before.to_json(),
        "after": mode.after.to_json(),
        "served": {name: share(mode.served[name], served) for name in ("model", "retry", "fallback", "unchanged")},
        "accepted": share(mode.kept, mode.units),
        **({"realism": {**graded, "ungraded": mode.ungraded}} if any(mode.grades.values()) or mode.ungraded else {}),
    }


def _cost(run: _Run) -> dict[str, Any]:
    counts = run.backend.counts
    tries = counts.get("tries", 0)
    tokens = ("prompt_tokens", "completion_tokens")
    return {
        "requests": tries,
        "failed_calls": counts.get("failed", 0),
        "from_store": run.stored,
        **{name: counts.get(name, 0) for name in tokens},
        **{f"{name}_a_request": share(counts.get(name, 0), tries) for name in tokens},
        "longest_prompt": counts.get("longest_prompt", 0),
        "seconds_a_request": share(counts.get("milliseconds", 0) / 1000, tries),
    }
