"""The simulator: call to slice, slice to draft, draft through the guard to observation.

A reply depends on (world, address, call, attempt) alone. Local rendering is pure; a language model's text is
pure once it is in the store.
"""

import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from itertools import accumulate, chain
from math import inf
from types import MappingProxyType
from typing import Any, Protocol

from worldsmith.cache import keep
from worldsmith.episode.call import Tool
from worldsmith.errors import BackendError, GuardError, UsageError
from worldsmith.pages import RENDER, Pages
from worldsmith.pages.index import DEPTH, Index, Indexed
from worldsmith.pages.index.dense import Retriever
from worldsmith.pages.lengths import Length
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import chunks, markdown
from worldsmith.pages.renderer.snippets import hit_spans
from worldsmith.pages.types import Chunk, Doc, Page
from worldsmith.simulate.disclosure import (
    disclosed_by_cells,
    disclosed_by_part,
    disclosed_by_reading,
    disclosed_by_text,
)
from worldsmith.simulate.guard import POLICY, Guard
from worldsmith.simulate.guard.construction import foreign_spans, unentitled_spans
from worldsmith.simulate.guard.hits import misfits
from worldsmith.simulate.guard.repair import length_objection, repaired, without_rejected
from worldsmith.simulate.perturb import (
    PROFILES,
    RANKINGS,
    EditedRanking,
    faults_of,
    instruction,
    profile_named,
    slice_edits_of,
)
from worldsmith.simulate.plan_writer import PlanWriter
from worldsmith.simulate.protocol import (
    Address,
    Call,
    Conversation,
    Draft,
    Observation,
    Profile,
    Reason,
    Result,
    Slice,
    SliceEdit,
    Verdict,
    WorldModel,
)
from worldsmith.simulate.slices import slice_for
from worldsmith.simulate.store import Store
from worldsmith.world.model import Disclosure, World, canonical_json

MEMO = 1024
"""Verdicts on hits and pages kept per page length."""
REASONS = 1500
"""Characters of objections sent to a model, at most; a single one is sent whole."""
QUOTED = 160
"""Characters of a rejected text that an objection quotes."""
ADVICE: Mapping[Reason, str] = {
    Reason.NAME: "Name only what is listed for this page or result.",
    Reason.VALUE: "Give only numbers and dates that are listed for this page or result.",
    Reason.OPTION: "It is not listed: leave it out.",
    Reason.UNTRUE: "Give each attribute the value that is listed for it, or leave the statement out.",
    Reason.CLAIM: "No listed fact shows it: leave it out.",
    Reason.WORD: "Use ordinary words and listed names.",
    Reason.HIDDEN: "Write short plain sentences without codes, addresses or orders.",
    Reason.LINK: "Link only to listed addresses.",
    Reason.FORM: "Use address and date as given, fill every field, and keep to the length.",
    Reason.MISFIT: "Write a title and a snippet for this result alone.",
    Reason.MISSING: "State it.",
}
"""What a model should do about a rejection."""
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_WORD = re.compile(r"\w+")
TOOLS: tuple[Tool, ...] = ("web_search", "web_extractor")


class Author(Protocol):
    """A language model for all worlds of a process; its version is part of the keys of stored texts."""

    @property
    def version(self) -> str:
        """Model, prompts and settings in one line."""
        ...

    def writer(self, pages: Pages) -> WorldModel:
        """Return what writes about the world of `pages`, at their length."""
        ...


@dataclass(frozen=True, slots=True)
class _OwnHit:
    """A plan's hit as our renderer writes it: what the guard by construction rejects of it, and what it discloses."""

    page: Page
    rejected: tuple[Verdict, ...]
    disclosed: tuple[Disclosure, ...]


@dataclass(frozen=True)
class _Services:
    """What serves calls for pages of one length."""

    pages: Pages
    indexed: Indexed
    plan_writer: PlanWriter
    model: WorldModel | None
    budget: int
    retriever: Retriever | None
    accepted_pages: dict[str, Page] = field(default_factory=dict)
    """Plans whose document by our renderer passed the guard, by page id."""
    own_hits: dict[int, _OwnHit] = field(default_factory=dict)
    """Hits by their plan's identity; the plan is held, so that no other can have it."""

    @cached_property
    def guard(self) -> Guard:
        """The guard that reads: what a model wrote, and plain pages."""
        return Guard(self.pages.world, self.pages, self.budget)

    @cached_property
    def index(self) -> Index:
        """The index over the pages; a world that is searched through a pool's never needs it."""
        index = self.indexed(self.pages)
        return index if self.retriever is None else index.ranked_by(self.retriever)

    def search(self, query: str, k: int, page: int, *, hidden: bool = False) -> tuple[list[tuple[str, float]], bool]:
        """Return hits as `Index.search` does."""
        return self.index.search(query, k, page, hidden=hidden)

    def shows(self, page: Page) -> bool:
        """Whether a page can be read: all but dormant ones."""
        return not page.dormant

    def ranking(self, profile: Profile, seed: int) -> "EditedRanking | _Services":
        """Return what ranks the pages under a profile."""
        shares = profile.edits or {}
        edited = any(shares.get(name) for name in RANKINGS)
        return EditedRanking(self.pages, self, shares, seed) if edited else self


@dataclass(frozen=True, slots=True)
class Part:
    """What one world adds to an answer: its simulator, the address there, and the slice that it draws on."""

    simulator: "Simulator"
    address: Address
    slice: Slice

    @property
    def pages(self) -> Pages:
        """The pages of its world, at the length of its address."""
        return self.simulator.pages_of(self.address)


class Simulator:
    """Answers calls to one world; safe to use from several threads. `counts` says how often each branch was taken."""

    def __init__(
        self,
        world: World,
        *,
        pages: Pages | None = None,
        index: Index | None = None,
        model: Author | None = None,
        store: Store | None = None,
        budget: int = MEMO,
        strict: bool = False,
        counts: Counter[str] | None = None,
        profiles: Mapping[str, Profile] = PROFILES,
        indexed: Indexed = Index,
        tools: Sequence[Tool] = TOOLS,
        retriever: Retriever | None = None,
    ) -> None:
        """Keep what answers are made with.

        Args:
            world: the world served.
            pages: its page plans, where they exist already.
            index: the index over `pages`, likewise.
            model: a language model; without one our renderer writes.
            store: where a model's accepted texts are kept.
            budget: verdicts on hits kept in memory.
            strict: raise GuardError for a rejected text of our own renderer, instead of serving the rest of it.
            counts: where branches are counted, for one count over several worlds.
            profiles: the profiles an address may name.
            indexed: makes the index over pages, or finds it in a file (`pages.index.files`).
            tools: those whose answers `model` writes; our renderer writes the others'.
            retriever: ranks pages by vectors (`pages.index.dense`); without one BM25 does.
        """
        self.world, self.model, self.store = world, model, store
        self._budget, self._strict, self._profiles = budget, strict, profiles
        self._premade, self._indexed, self._tools = (pages, index), indexed, tuple(tools)
        self._retriever = retriever
        self._services: dict[Length, _Services] = {}
        self._edits: dict[str, tuple[SliceEdit, ...]] = {}
        self._counts: Counter[str] = Counter() if counts is None else counts

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what the first call makes anew, native objects among it: pages, indexes, guards and their memos."""
        return {**vars(self), "_services": {}, "_edits": {}, "_premade": (None, None), "_indexed": Index}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Simulator":
        """Copy the counts; the rest is fixed, or remembers what is the same for both."""
        other = copy.copy(self)
        vars(other).update(vars(self), _counts=self._counts.copy())
        return other

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each branch was taken, by name."""
        return MappingProxyType(self._counts)

    def _services_for(self, length: Length) -> _Services:
        services = self._services.get(length)
        if services is None:
            pages, index = self._premade
            if pages is None or pages.length != length:
                pages, index = Pages(self.world, length), None
            writer = self.model.writer(pages) if self.model else None
            made = _Services(
                pages,
                self._indexed if index is None else partial(_premade, index),
                PlanWriter(self.world, pages),
                writer,
                self._budget,
                self._retriever,
            )
            if writer or not pages.voice:
                _ = made.guard  # made now: it takes longer than any call
            services = self._services.setdefault(length, made)  # another thread's, where it was quicker
        return services

    def ready(self, address: Address) -> bool:
        """Whether pages, index and guard for an address are made."""
        return profile_named(address.profile, self._profiles).length in self._services

    def warm(self, address: Address) -> None:
        """Make them, which takes longer than any call; safe in a thread of its own while other calls are answered."""
        _ = self._services_for(profile_named(address.profile, self._profiles).length).index

    @property
    def id(self) -> str:
        """What an address names: the world's id."""
        return self.world.id

    def open_world(self, world: str) -> World:
        """Return the world. Raises UsageError where `world` is another one."""
        if world != self.world.id:
            raise UsageError(f"world {world!r} is not served here; this is {self.world.id!r}")
        return self.world

    def pages_of(self, address: Address, world: str = "") -> Pages:
        """Return the pages that an address is answered from. Raises UsageError where `world` is another one."""
        self.open_world(world or self.world.id)
        return self._profile_and_services(address)[1].pages

    def page_at(self, address: Address, url: str) -> tuple[str, Page] | None:
        """Return the id of the world that has a page at an address of the web, with the page; None for no page."""
        pages = self.pages_of(address)
        name = pages.by_url(url)
        return (self.world.id, pages.page(name)) if name else None

    def ranked_urls(self, address: Address, query: str) -> list[str]:
        """Return the addresses of all hits for a query, best first, before a profile's edits."""
        services = self._profile_and_services(address)[1]
        return [services.pages.url(page_id) for page_id, _ in services.search(query, DEPTH, 1)[0]]

    def placed(self, address: Address, page_id: str) -> tuple[tuple[str, float], ...]:
        """Return what a ranking holds under a profile in place of a hit, as `EditedRanking.placed` does."""
        profile, services = self._profile_and_services(address)
        ranking = services.ranking(profile, address.seed)
        if isinstance(ranking, EditedRanking):
            return ranking.placed(page_id)
        return ((page_id, 1.0),) if services.shows(services.pages.page(page_id)) else ()

    def _profile_and_services(self, address: Address) -> tuple[Profile, _Services]:
        profile = profile_named(address.profile, self._profiles)
        return profile, self._services_for(profile.length)

    def slice_or_reply(self, address: Address, call: Call, attempt: int = 0) -> Slice | Observation:
        """Return what the answer may draw on, or the answer itself: a fault, not found, no hits.

        Raises:
            NotFoundError: the address names an unknown profile.
            UsageError: the address is of another world, or the call asks for 0 or fewer hits or pages.
        """
        if address.world not in ("", self.world.id):
            raise UsageError(f"the address names the world {address.world!r}; this is {self.world.id!r}")
        profile, services = self._profile_and_services(address)
        self._counts[call.tool] += 1
        fault = fault_for(profile, call, address.seed, attempt)
        if fault is not None:
            self._counts[f"fault:{fault.fault}"] += 1
            return fault
        if profile.full_text and not call.full_text:
            call = replace(call, full_text=True)
        slice_ = self.edited(address, slice_for(services.pages, services.ranking(profile, address.seed), call))
        if slice_.views:
            return slice_
        gone = slice_ if slice_.changes else None  # a dead link or dropped hits, for traces
        if call.tool == "web_extractor":
            self._counts["not_found"] += 1
            return Observation("not_found", part=gone)
        self._counts["no_hits"] += 1
        return Observation("ok", more=slice_.more, part=gone)

    def parts_or_reply(self, address: Address, call: Call, attempt: int = 0) -> list[Part] | Observation:
        """Return what `slice_or_reply` does, a slice as the one part of an answer."""
        slice_ = self.slice_or_reply(address, call, attempt)
        return slice_ if isinstance(slice_, Observation) else [Part(self, address, slice_)]

    def edited(self, address: Address, slice_: Slice) -> Slice:
        """Return a slice after the edits of an address's profile; it may have lost views."""
        profile, services = self._profile_and_services(address)
        for edit in self._edits_of(profile):
            slice_ = edit(services.pages, slice_, address.seed)
        return slice_

    def _edits_of(self, profile: Profile) -> tuple[SliceEdit, ...]:
        profile_edits = self._edits.get(profile.name)
        if profile_edits is None:
            profile_edits = self._edits[profile.name] = slice_edits_of(profile)
        return profile_edits

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call from the store where it has a text of the model; by our renderer otherwise."""
        slice_ = self.slice_or_reply(address, call, attempt)
        return slice_ if isinstance(slice_, Observation) else self.answer_stored(address, slice_)

    def answer_stored(self, address: Address, slice_: Slice) -> Observation:
        """Answer a slice from the store where it has a text of the model; by our renderer otherwise."""
        return self._from_store(address, slice_) or self.answer_slice(address, slice_)

    def _from_store(self, address: Address, slice_: Slice) -> Observation | None:
        """Answer a slice by a stored text of the model; None where there is none, or the model isn't asked for it."""
        if self.model is None or slice_.call.tool not in self._tools:
            return None
        profile, services = self._profile_and_services(address)
        return self._stored_answer(slice_, services, profile)

    def is_stored(self, address: Address, call: Call) -> bool:
        """Whether the store has a text of the model for a call, or the call needs none: it finds nothing."""
        slice_ = self.slice_or_reply(address, call)
        if isinstance(slice_, Observation):
            return True
        key = self.key(slice_, profile_named(address.profile, self._profiles))
        return self.store is not None and self.store.get(key) is not None

    async def acall(self, address: Address, call: Call, attempt: int = 0, deadline: float = inf) -> Observation:
        """Answer a call from the store, else by the model; by our renderer where there is none, or where it fails.

        The model is waited for until `deadline` at the latest, by the clock of the event loop. With a store the first
        accepted text is kept, also our renderer's where it replaced one that the guard rejected. Where the model could
        not be asked, nothing is stored: the next call asks it again.
        """
        slice_ = self.slice_or_reply(address, call, attempt)
        return slice_ if isinstance(slice_, Observation) else await self.answer_by_model(address, slice_, deadline)

    async def answer_by_model(self, address: Address, slice_: Slice, deadline: float = inf) -> Observation:
        """Answer a slice as `acall` does."""
        if self.model is None or slice_.call.tool not in self._tools:
            return self.answer_slice(address, slice_)
        kept = self._from_store(address, slice_)
        if kept is not None:
            return kept
        profile, services = self._profile_and_services(address)
        conversation = Conversation(instruction(profile, slice_, self.world.schema), deadline=deadline)
        try:
            draft = await self._draft(slice_, services, conversation)
        except BackendError as error:
            self._counts["backend_failed"] += 1
            why = (Verdict("model", ok=False, why=str(error), reason=Reason.BACKEND),)
            return replace(self.answer_slice(address, slice_), verdicts=why, exchanges=tuple(conversation.exchanges))
        return replace(self.answer_slice(address, slice_, draft), exchanges=tuple(conversation.exchanges))

    def answer_slice(self, address: Address, slice_: Slice, draft: Draft | None = None) -> Observation:
        """Write a slice that `slice_or_reply` returned for an address, or put a model's draft of it through the guard.

        What the guard rejects of a draft is deleted or written by our renderer; a page's text is cut last.

        Raises:
            GuardError: the guard rejects what our renderer wrote, and the simulator is strict.
        """
        profile, services = self._profile_and_services(address)
        if draft is None:
            return self._renderer_answer(services.plan_writer.write(slice_), slice_, services)
        return self._model_answer(draft, slice_, services, profile)

    def _stored_answer(self, slice_: Slice, services: _Services, profile: Profile) -> Observation | None:
        """Answer from the store if the guard accepts its text: others may have written the file."""
        kept = self.store.get(self.key(slice_, profile)) if self.store is not None else None
        if kept is None:
            return None
        own = services.plan_writer.write(slice_)
        if services.pages.voice and _same_text(kept, own):
            # Our own natural text is known by its plan; the guard that reads a model's would not read it.
            self._counts["stored"] += 1
            return replace(self._renderer_answer(own, slice_, services), source="store")
        if not all(v.ok for v in self._judge(kept, slice_, services)):
            self._counts["store_rejected"] += 1
            return self._renderer_answer(services.plan_writer.write(slice_), slice_, services)
        self._counts["stored"] += 1
        return self._observation(kept, slice_, services, "store")

    async def _draft(self, slice_: Slice, services: _Services, conversation: Conversation) -> Draft:
        """Return the model's draft, written again once where the guard objects."""
        assert services.model is not None
        draft = await services.model.draft(slice_, conversation)
        conversation.reasons = _reasons(self._judge(draft, slice_, services), draft)
        if not conversation.reasons:
            return draft
        self._counts["retried"] += 1
        try:
            return await services.model.draft(slice_, conversation)
        except BackendError:
            self._counts["backend_failed"] += 1
            return draft

    def _judge(self, draft: Draft, slice_: Slice, services: _Services) -> tuple[Verdict, ...]:
        own = services.plan_writer.write(slice_)
        too_long = length_objection(draft, own)
        if too_long:
            return (too_long.of("length"),)
        query = slice_.call.arg if slice_.call.tool == "web_search" else ""
        if isinstance(draft, Doc):
            return services.guard.doc(draft, slice_.views[0], query)
        verdicts: list[Verdict] = []
        by_page = {services.pages.by_url(result.url): result for result in draft}
        for view in slice_.views:
            result = by_page.get(view.page.id)
            missing = Verdict("hit", ok=False, why="is missing", text=view.page.url, reason=Reason.MISSING)
            verdicts += services.guard.hit(result, view, query) if result else (missing,)
        if not isinstance(own, Doc):
            pairs = [(by_page[view.page.id], view) for view in slice_.views if view.page.id in by_page]
            verdicts += [verdict for _, verdict in misfits(services.pages, pairs, own)]
        return tuple(verdicts)

    def _renderer_answer(self, draft: Draft, slice_: Slice, services: _Services) -> Observation:
        """Answer with our renderer's draft; what the guard rejects of it is a defect and never leaves.

        Unless the simulator is strict the rest is served, as it is of a model's draft: a defect in one sentence must
        not end an episode. A page that can't be repaired in this way is unavailable.
        """
        emitted = chunks(draft) if isinstance(draft, Doc) else []
        bad = (
            self._rejected_page(draft, emitted, slice_, services)
            if isinstance(draft, Doc)
            else self._rejected_hits(draft, slice_, services)
        )
        if not bad:
            self._counts["renderer"] += 1
            return self._observation(draft, slice_, services, "renderer", emitted=emitted)
        self._counts["renderer_rejected"] += 1
        if self._strict:
            what = f"{bad[0].where} {bad[0].text!r} {bad[0].why}"
            raise GuardError(
                f"our own reply to {slice_.call!r} was rejected: {what}. This is a defect: please report it."
            )
        fit = without_rejected(services.guard, services.pages, draft, slice_)
        if fit is None:
            return Observation("unavailable", verdicts=tuple(bad))
        return self._observation(*fit, services, "renderer", tuple(bad))

    def _rejected_hits(self, draft: tuple[Result, ...], slice_: Slice, services: _Services) -> list[Verdict]:
        if services.pages.voice:
            return [verdict for view in slice_.views for verdict in self._own_hit(view.page, services).rejected]
        hits = zip(draft, slice_.views, strict=True)
        return [v for hit, view in hits for v in services.guard.hit(hit, view, slice_.call.arg) if not v.ok]

    def _own_hit(self, page: Page, services: _Services) -> _OwnHit:
        """Return what is known of our hit of a plan, whatever the query."""
        known = services.own_hits.get(id(page))
        if known is None:
            spans = hit_spans(page, services.pages)
            stated = [cell for _, cells in spans for cell in cells] if page.head.by else page.head.cells
            rejected = foreign_spans(spans, frozenset(page.head.cells))
            known = _OwnHit(page, rejected, tuple(sorted(disclosed_by_cells(page, stated, self.world))))
            keep(services.own_hits, id(page), known, self._budget)
        return known

    def _rejected_page(self, draft: Doc, emitted: Sequence[Chunk], slice_: Slice, services: _Services) -> list[Verdict]:
        """Judge our document of a plan; once, since it is pure in the plan."""
        (view,) = slice_.views
        if services.accepted_pages.get(view.page.id) == view.page:
            return []
        judged = unentitled_spans(emitted, view.page) if services.pages.voice else services.guard.doc(draft, view, "")
        bad = [v for v in judged if not v.ok]
        if not bad:
            keep(services.accepted_pages, view.page.id, view.page, self._budget)
        return bad

    def verdicts_on(self, address: Address, draft: Draft, slice_: Slice) -> tuple[Verdict, ...]:
        """Return what the guard says of a draft, unit by unit, before anything is repaired."""
        return self._judge(draft, slice_, self._profile_and_services(address)[1])

    def _model_answer(self, draft: Draft, slice_: Slice, services: _Services, profile: Profile) -> Observation:
        """Answer with a model's draft after repair, or with what the store holds already."""
        verdicts = self._judge(draft, slice_, services)
        own = services.plan_writer.write(slice_)
        good, branches = repaired(services.guard, services.pages, draft, own, slice_)
        self._counts.update(branches)
        ours = good is own
        served = (
            self._renderer_answer(own, slice_, services) if ours else self._observation(good, slice_, services, "model")
        )
        if served.status != "ok" or served.verdicts:  # ours was rejected too: such a text is not stored
            return served
        served = replace(served, verdicts=verdicts)
        if self.store is None or self.model is None:
            return served
        stored = self.store.put(self.key(slice_, profile), good, self.model.version)
        return served if stored == good else self._stored_answer(slice_, services, profile) or served

    def _observation(
        self,
        draft: Draft,
        slice_: Slice,
        services: _Services,
        source: str,
        verdicts: tuple[Verdict, ...] = (),
        emitted: Sequence[Chunk] = (),
    ) -> Observation:
        """Return a draft as it is sent; of a document `emitted` are its chunks, where they are at hand."""
        if isinstance(draft, Doc):
            emitted, page = emitted or chunks(draft), slice_.views[0].page
            text, goes_on = cut_text("".join([text for text, _ in emitted]), slice_.call.offset, slice_.call.max_chars)
            if source == "renderer":
                end = slice_.call.offset + len(text)
                disclosed = disclosed_by_part(emitted, page, self.world, slice_.call.offset, end)
            else:
                disclosed = disclosed_by_text(page, services.guard.stated(text, page), self.world)
            return Observation(
                "ok",
                doc=draft,
                text=text,
                next_offset=goes_on,
                page=page,
                world=self.world.id,
                more=goes_on is not None,
                source=source,
                verdicts=verdicts,
                part=slice_,
                disclosed=tuple(sorted(disclosed)) if text else (),
            )
        most = slice_.call.max_chars
        hits = tuple(hit if hit.text is None else replace(hit, text=cut_text(hit.text, 0, most)[0]) for hit in draft)
        disclosures = self._hits_disclose(draft, slice_, services, ours=source == "renderer" and not verdicts)
        return Observation(
            "ok",
            results=hits,
            more=slice_.more,
            source=source,
            verdicts=verdicts,
            part=slice_,
            disclosed=tuple(dict.fromkeys(chain.from_iterable(disclosures))),
        )

    def _hits_disclose(
        self, hits: Sequence[Result], slice_: Slice, services: _Services, *, ours: bool
    ) -> Iterator[Iterable[Disclosure]]:
        """Yield what each hit discloses: ours all cells of its head, a model's those that the guard reads in it."""
        for hit, view in zip(hits, slice_.views, strict=True):
            page = view.page
            if hit.text is not None:
                shown = len(cut_text(hit.text, 0, slice_.call.max_chars)[0])
                if shown == len(hit.text):
                    yield sorted(disclosed_by_reading(page, page.cells, self.world))
                else:
                    emitted = chunks(render(page, self.world, services.pages))
                    part = disclosed_by_part(emitted, page, self.world, 0, shown)
                    yield sorted(part.union(self._own_hit(page, services).disclosed))
            elif ours:
                yield self._own_hit(page, services).disclosed
            else:
                yield sorted(disclosed_by_cells(page, services.guard.stated_by_hit(hit, page), self.world))

    def key(self, slice_: Slice, profile: Profile) -> str:
        """Return the key of a stored text: a hash of world, versions, slice, call (not its cut), instruction, model."""
        views = [[v.page.id, v.page.title, v.page.date, *_blocks(v.page)] for v in slice_.views]
        call = slice_.call
        named = [call.tool, call.arg, call.page, call.k, call.full_text]
        ordered = instruction(profile, slice_, self.world.schema)
        name = self.model.version if self.model else "renderer"
        return sha256(canonical_json([self.world.digest, RENDER, POLICY, views, named, ordered, name])).hexdigest()


def _premade(index: Index, _: Pages) -> Index:
    return index


def fault_for(profile: Profile, call: Call, seed: int, attempt: int) -> Observation | None:
    """Return the fault that answers a call instead of a world, None where none does.

    Raises:
        UsageError: the call asks for 0 or fewer hits or pages.
    """
    if call.k < 1 or call.page < 1 or call.offset < 0 or (call.max_chars is not None and call.max_chars < 1):
        raise UsageError(f"k, page and max_chars start at 1 and offset at 0: {call!r}")
    answers = (fault(call, seed, attempt) for fault in faults_of(profile))
    return next((answer for answer in answers if answer is not None), None)


def _same_text(one: Draft, other: Draft) -> bool:
    """Tell whether two drafts read alike: a stored document has lost the cells of its spans."""
    if isinstance(one, Doc) and isinstance(other, Doc):
        return (one.url, markdown(one)) == (other.url, markdown(other))
    return one == other


def _blocks(page: Page) -> list[list[object]]:
    blocks = (page.head, *page.blocks)
    return [[*([str(c.row), c.col, c.value] for c in block.cells), *block.links] for block in blocks]


def _reasons(verdicts: tuple[Verdict, ...], draft: Draft) -> tuple[str, ...]:
    """Return what was wrong, where, and what to do about it, for the model to correct.

    Only the model's own words are quoted, as it wrote them: what the guard decoded would reveal a coded name.
    """
    if isinstance(draft, Doc):
        wrote = f"{draft.title} {draft.url} {markdown(draft)}"
    else:
        wrote = " ".join(f"{r.title} {r.snippet} {r.url} {r.date} {r.text}" for r in draft)
    words = frozenset(_WORD.findall(wrote))
    objections = tuple(dict.fromkeys(_objection(v, words) for v in verdicts if not v.ok))
    sizes = accumulate(map(len, objections))
    return tuple(text for text, size in zip(objections, sizes, strict=True) if size <= REASONS) or objections[:1]


def _objection(verdict: Verdict, wrote: frozenset[str]) -> str:
    text = f"{verdict.text[:QUOTED]}…" if len(verdict.text) > QUOTED else verdict.text
    where = f"{verdict.where} {text!r}" if wrote.issuperset(_WORD.findall(verdict.text)) and text else verdict.where
    why = _QUOTED.sub(lambda m: m[0] if wrote.issuperset(_WORD.findall(m[0])) else "what it says", verdict.why)
    advice = ADVICE.get(verdict.reason, "") if verdict.reason else ""
    return f"{where}: {why}. {advice}".rstrip()


def cut_text(text: str, offset: int, most: int | None) -> tuple[str, int | None]:
    """Return the part of a text from `offset`, at most `most` characters, and the offset where it goes on, if it does.

    The parts put together are the text. A cut falls after a line where one ends in the second half of the part, so
    that links and table rows stay whole.
    """
    end = len(text) if most is None else offset + most
    if most is None or end >= len(text):
        return text[offset:], None
    line = text.rfind("\n", offset + most // 2, end) + 1
    return text[offset : line or end], line or end
