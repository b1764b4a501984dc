"""The simulator: every branch, purity of replies, the store, and defects that never leave."""

import asyncio
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from worldsmith.errors import BackendError, FormatError, GuardError, NotFoundError, UsageError
from worldsmith.pages import Pages
from worldsmith.pages.titles import title
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para
from worldsmith.simulate.guard import POLICY
from worldsmith.simulate.llm.model import StoredOnly
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.plan_writer import PlanWriter
from worldsmith.simulate.protocol import Address, Call, Conversation, Draft, Observation, Profile, Result, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.store import ImportCounts, MemoryAttempts, Store
from worldsmith.world.model import World


@pytest.fixture(scope="module")
def simulator(town: World) -> Simulator:
    return Simulator(town, strict=True)


Stores = Callable[..., Store]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Stores]:
    """Opens stores by the name of their file, in memory without one; all are closed in the end."""
    opened: list[Store] = []

    def make(name: str = "") -> Store:
        opened.append(Store(tmp_path / name) if name else Store())
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def search(query: str, **more: int) -> Call:
    return Call("web_search", query, **more)


def some_url(town: World) -> str:
    return Pages(town).url("shop/3")


def test_a_search_and_the_page_it_leads_to(town: World, simulator: Simulator) -> None:
    name = town.title(next(town.rows_of("shop")))
    found = simulator.call(Address(town.id), search(name))
    assert (found.status, found.source) == ("ok", "renderer")
    assert 3 <= len(found.results) <= 10
    first = next(r for r in found.results if name in r.title)
    page = simulator.call(Address(town.id), Call("web_extractor", first.url))
    assert (page.status, page.doc.url, page.more) == ("ok", first.url, False)
    assert page.text.startswith(f"# {page.doc.title}\n")


def test_scores_are_a_function_of_rank(town: World, simulator: Simulator) -> None:
    a = simulator.call(Address(town.id), search("shops by street", k=5)).results
    b = simulator.call(Address(town.id), search("residents of the parish", k=5)).results
    assert [r.score for r in a] == [r.score for r in b]
    assert [r.score for r in a] == sorted((r.score for r in a), reverse=True)


def test_what_is_not_there(town: World, simulator: Simulator) -> None:
    for url in ("https://nowhere.example/x", "file:///etc/passwd", "http://127.0.0.1/", "", "https://[::1]/", "\x00"):
        assert simulator.call(Address(town.id), Call("web_extractor", url)) == Observation("not_found")
    assert simulator.call(Address(town.id), search("zzqqxx")).results == ()


def test_wrong_use_is_told(town: World, simulator: Simulator) -> None:
    with pytest.raises(UsageError, match="this is 'town-"):
        simulator.call(Address("other"), search("x"))
    with pytest.raises(NotFoundError, match=r"no profile 'clear'"):
        simulator.call(Address(town.id, "clear"), search("x"))
    with pytest.raises(UsageError, match="start at 1"):
        simulator.call(Address(town.id), search("x", k=0))


def test_a_page_is_cut_where_asked_and_says_that_it_goes_on(town: World, simulator: Simulator) -> None:
    url = some_url(town)
    whole = simulator.call(Address(town.id), Call("web_extractor", url)).text
    read, offset = "", 0
    while True:
        part = simulator.call(Address(town.id), Call("web_extractor", url, offset=offset, max_chars=200))
        if not part.more:
            read += part.text
            break
        read += part.text
        assert 0 < len(part.text) <= 200
        assert part.next_offset == len(read)
        offset = part.next_offset
    assert part.next_offset is None
    assert read == whole
    assert simulator.call(Address(town.id), Call("web_extractor", url, offset=10**6)).text == ""


def test_full_text_comes_with_the_call_alone(town: World, simulator: Simulator) -> None:
    plain = simulator.call(Address(town.id), search("shop")).results
    full = simulator.call(Address(town.id), replace(search("shop"), full_text=True)).results
    assert {r.text for r in plain} == {None}
    assert [replace(r, text=None) for r in full] == list(plain)
    for result in full:
        assert result.text == simulator.call(Address(town.id), Call("web_extractor", result.url)).text


def test_full_text_may_be_cut_and_then_discloses_what_is_left_of_it(town: World, simulator: Simulator) -> None:
    whole = replace(search("shop"), full_text=True)
    seen, cut_seen = (simulator.call(Address(town.id), replace(whole, max_chars=most)) for most in (None, 80))
    disclosed = set()
    for result, cut in zip(seen.results, cut_seen.results, strict=True):
        part = simulator.call(Address(town.id), Call("web_extractor", result.url, max_chars=80))
        assert cut == replace(result, text=part.text)
        disclosed |= set(part.disclosed)
    hits_alone = set(simulator.call(Address(town.id), search("shop")).disclosed)
    assert set(cut_seen.disclosed) == disclosed | hits_alone
    assert set(cut_seen.disclosed) < set(seen.disclosed)
    uncut = simulator.call(Address(town.id), replace(whole, max_chars=10**6))
    assert (uncut.results, uncut.disclosed) == (seen.results, seen.disclosed)


def test_a_reply_depends_on_world_address_call_and_attempt_alone(town: World) -> None:
    calls = [search(q, page=p) for q in ("street", "shop", "licence of the shop", "Born") for p in (1, 2)]
    calls += [Call("web_extractor", Pages(town).url(i)) for i in ("shop/1", "street/0", "resident/9")]
    first, second = Simulator(town), Simulator(town, budget=1)
    once = [first.call(Address(town.id, "flaky", 3, "a"), c, 1) for c in calls]
    other = [second.call(Address(town.id, "flaky", 3, "b"), c, 1) for c in reversed(calls)]
    assert once == other[::-1]
    assert once == [first.call(Address(town.id, "flaky", 3, "z"), c, 1) for c in calls]


def test_levels_disclose_less_and_less(town: World, simulator: Simulator) -> None:
    names = [town.title(row) for row in list(town.rows_of("resident"))[:20]]
    streets = {row: town.value(row, "street") for row in list(town.rows_of("resident"))[:20]}

    def told(profile: str) -> int:
        count = 0
        for row, name in zip(streets, names, strict=True):
            hits = simulator.call(Address(town.id, profile), search(name)).results
            count += any(f"{name}: street {streets[row]}" in r.snippet for r in hits)
        return count

    assert told("open") == 20
    assert told("open") > told("clean") > told("sparse") == 0


def test_every_branch_is_counted(town: World) -> None:
    simulator = Simulator(town)
    simulator.call(Address(town.id), search("shop"))
    simulator.call(Address(town.id), search("zzqqxx"))
    simulator.call(Address(town.id), Call("web_extractor", "https://no.example"))
    assert dict(simulator.counts) == {"web_search": 2, "web_extractor": 1, "renderer": 1, "no_hits": 1, "not_found": 1}


def test_a_defect_of_our_own_never_leaves(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write = PlanWriter.write

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert not isinstance(drafted, Doc)
        return (replace(drafted[0], snippet="It was opened in 1987."), *drafted[1:])

    monkeypatch.setattr(PlanWriter, "write", wrong)
    with pytest.raises(GuardError, match=r"our own reply to Call\(tool='web_search'.*'1987'"):
        Simulator(town, strict=True).call(Address(town.id), search("shop"))
    served = Simulator(town)
    part = served.slice_or_reply(Address(town.id), search("shop"))
    assert isinstance(part, Slice)
    right = write(PlanWriter(town, Pages(town)), part)
    assert not isinstance(right, Doc)
    observation = served.call(Address(town.id), search("shop"))
    assert (observation.status, served.counts["renderer_rejected"]) == ("ok", 1)
    assert observation.results == (replace(right[0], snippet=right[0].title), *right[1:])
    assert [v.text for v in observation.verdicts] == ["It was opened in 1987."]


def test_a_defect_on_a_page_leaves_without_its_sentence(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write, false = PlanWriter.write, Para(("It was opened in 1787.",))

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert isinstance(drafted, Doc)
        return replace(drafted, pieces=(false, *drafted.pieces))

    served = Simulator(town)
    url = Pages(town).page("shop/3").url
    right = served.call(Address(town.id), Call("web_extractor", url)).text
    monkeypatch.setattr(PlanWriter, "write", wrong)
    observation = Simulator(town).call(Address(town.id), Call("web_extractor", url))
    assert (observation.status, observation.text) == ("ok", right)
    with pytest.raises(GuardError, match="1787"):
        Simulator(town, strict=True).call(Address(town.id), Call("web_extractor", url))


def test_a_hit_whose_title_is_a_defect_is_left_out(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write = PlanWriter.write

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert not isinstance(drafted, Doc)
        return (replace(drafted[0], title="Opened in 1787"), *drafted[1:])

    right = Simulator(town).call(Address(town.id), search("shop")).results
    monkeypatch.setattr(PlanWriter, "write", wrong)
    observation = Simulator(town).call(Address(town.id), search("shop"))
    assert (observation.status, observation.results) == ("ok", right[1:])


def test_a_long_page_is_mended_like_a_short_one(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write, false = PlanWriter.write, Para(("It was opened in 1787.",))
    pages = Pages(town, "web")
    simulator = Simulator(town)
    address = Address(town.id, "web")
    found = {i: simulator.call(address, Call("web_extractor", pages.url(i))) for i in pages.ids()[:120]}
    url, right = next((pages.url(i), seen.text) for i, seen in found.items() if len(seen.text) > 20_000)

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert isinstance(drafted, Doc)
        return replace(drafted, pieces=(false, *drafted.pieces))

    monkeypatch.setattr(PlanWriter, "write", wrong)
    assert Simulator(town).call(address, Call("web_extractor", url)).text == right


def test_a_page_that_cannot_be_mended_is_not_available(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write = PlanWriter.write
    monkeypatch.setattr(PlanWriter, "write", lambda self, part: replace(write(self, part), title="Opened in 1787"))
    observation = Simulator(town).call(Address(town.id), Call("web_extractor", Pages(town).page("shop/3").url))
    assert (observation.status, observation.text, observation.doc) == ("unavailable", "", None)


# models


@dataclass
class Model:
    """Answers by a function of (slice, how often it was asked); None is a failure."""

    write: Callable[[Slice, int], Draft | None]
    version: str = "model 1"
    asked: int = 0
    reasons: tuple[str, ...] = ()
    instruction: str = ""

    def writer(self, _pages: Pages) -> "Model":
        return self

    async def draft(self, slice_: Slice, talk: Conversation) -> Draft:
        self.asked += 1
        self.reasons, self.instruction = talk.reasons, talk.instruction
        draft = self.write(slice_, self.asked)
        if draft is None:
            raise BackendError("down")
        return draft


def ask(simulator: Simulator, call: Call) -> Observation:
    return asyncio.run(simulator.acall(Address(simulator.world.id), call))


def ours(town: World, slice_: Slice) -> Draft:
    return PlanWriter(town, Pages(town)).write(slice_)


def test_an_honest_model_is_served(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        words = Pages(town).words
        titles = {v.page.url: title(v.page, v.page.cells, words) for v in slice_.views}
        return tuple(Result(url, told, f"{told}. More inside.", None, 0.0) for url, told in titles.items())

    simulator = Simulator(town, model=Model(write))
    found = ask(simulator, search("shop"))
    assert found.source == "model"
    assert all(r.snippet.endswith("More inside.") for r in found.results)
    assert [r.score for r in found.results] == sorted((r.score for r in found.results), reverse=True)


def test_a_lie_is_retried_once_with_its_reasons_and_then_replaced(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        return tuple(replace(r, snippet="Founded in 1893.") for r in ours(town, slice_))

    model = Model(write)
    simulator = Simulator(town, model=model, strict=True)
    found = ask(simulator, search("shop"))
    assert (model.asked, found.source) == (2, "renderer")
    assert model.reasons[0] == (
        "snippet 'Founded in 1893.': gives '1893', which states no fact that may be given here. "
        "Give only numbers and dates that are listed for this page or result."
    )
    assert not [r for r in found.results if "1893" in r.snippet]
    assert simulator.counts["retried"] == simulator.counts["fallback"] == 1


def test_a_lie_that_is_mended_is_served(town: World) -> None:
    def write(slice_: Slice, asked: int) -> Draft:
        good = ours(town, slice_)
        return good if asked == 2 else tuple(replace(r, snippet="Founded in 1893.") for r in good)

    found = ask(Simulator(town, model=Model(write)), search("shop"))
    assert found.source == "model"


def test_results_come_in_the_slices_order_at_their_own_address(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        good = ours(town, slice_)
        return (Result("https://evil.example/", "x", "y", None, 9.0), *reversed(good))

    plain = Simulator(town).call(Address(town.id), search("shop"))
    found = ask(Simulator(town, model=Model(write)), search("shop"))
    assert found.results == plain.results


def test_a_page_loses_its_false_sentence_and_keeps_the_rest(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        good = ours(town, slice_)
        assert isinstance(good, Doc)
        return replace(good, pieces=(Para(("Read on below. It was founded in 1893. Come and see.",)), *good.pieces))

    simulator = Simulator(town, model=Model(write))
    page = ask(simulator, Call("web_extractor", some_url(town)))
    assert page.source == "model"
    assert page.doc.pieces[0] == Para(("Read on below. Come and see.",))
    assert "1893" not in page.text
    assert simulator.counts["statement_deleted"] == 1


def test_a_page_that_lacks_cells_gets_our_blocks_for_them(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        page = slice_.views[0].page
        told = title(page, page.cells, Pages(town).words)
        return Doc(slice_.call.arg, told, None, (Para(("Read on below.",)),))

    simulator = Simulator(town, model=Model(write))
    page = ask(simulator, Call("web_extractor", some_url(town)))
    own = Simulator(town).call(Address(town.id), Call("web_extractor", some_url(town)))
    assert page.source == "model"
    assert page.doc.pieces[0] == Para(("Read on below.",))
    assert [c for c in own.page.cells if c.value is not None and str(c.value) not in page.text] == [
        c for c in own.page.cells if c.value is not None and str(c.value) not in own.text
    ]
    assert simulator.counts["block_replaced"] >= 1


def test_a_foreign_link_is_text(town: World) -> None:
    def write(slice_: Slice, _: int) -> Draft:
        good = ours(town, slice_)
        assert isinstance(good, Doc)
        evil = Para(("Read ", Link("more", "https://evil.example/?q=1"), " inside."))
        return replace(good, pieces=(evil, *good.pieces))

    page = ask(Simulator(town, model=Model(write)), Call("web_extractor", some_url(town)))
    assert page.source == "model"
    assert page.doc.pieces[0] == Para(("Read ", "more", " inside."))
    assert "evil" not in page.text


@pytest.mark.parametrize("call", [search("shop"), Call("web_extractor", "shop/3")])
def test_a_model_that_fails_costs_nothing_but_its_text(town: World, call: Call) -> None:
    call = replace(call, arg=call.arg if call.tool == "web_search" else some_url(town))
    simulator = Simulator(town, model=Model(lambda _part, _asked: None), strict=True)
    found = ask(simulator, call)
    assert replace(found, verdicts=()) == Simulator(town).call(Address(town.id), call)
    assert [(v.where, v.why) for v in found.verdicts] == [("model", "down")]
    assert simulator.counts["backend_failed"] == 1


def test_a_draft_of_the_wrong_sort_is_replaced(town: World) -> None:
    page = Model(lambda part, _asked: Doc(part.call.arg, "x", None, ()))
    hits = Model(lambda part, _asked: ())
    assert ask(Simulator(town, model=page), search("shop")).source == "renderer"
    assert ask(Simulator(town, model=hits), Call("web_extractor", some_url(town))).source == "renderer"


# store


def test_the_first_accepted_text_wins_for_ever(town: World, store: Stores) -> None:
    def write(slice_: Slice, asked: int) -> Draft:
        return tuple(replace(r, snippet=f"{r.title}. {'More inside. ' * asked}") for r in ours(town, slice_))

    first = ask(Simulator(town, model=Model(write), store=store("s.db")), search("shop"))
    later = Model(write, asked=7)
    simulator = Simulator(town, model=later, store=store("s.db"))
    again = ask(simulator, search("shop"))
    assert (again.results, again.source, later.asked) == (first.results, "store", 7)
    other = Model(write, version="model 2", asked=7)
    assert ask(Simulator(town, model=other, store=store("s.db")), search("shop")).results != first.results


def test_a_cut_is_made_after_the_store(town: World, store: Stores) -> None:
    model = Model(lambda part, _asked: ours(town, part))
    simulator = Simulator(town, model=model, store=store())
    whole = ask(simulator, Call("web_extractor", some_url(town)))
    part = ask(simulator, Call("web_extractor", some_url(town), offset=10, max_chars=50))
    assert part.text.startswith(whole.text[10:60])
    assert (model.asked, part.source) == (1, "store")


def test_a_reply_stands_for_ever_whether_the_guard_took_the_models_or_ours(town: World, store: Stores) -> None:
    model = Model(lambda part, _a: tuple(replace(r, snippet="In 1893.") for r in ours(town, part)))
    simulator = Simulator(town, model=model, store=store())
    first, second = ask(simulator, search("shop")), ask(simulator, search("shop"))
    assert (first.source, second.source, model.asked) == ("renderer", "store", 2)
    assert first.results == second.results == Simulator(town).call(Address(town.id), search("shop")).results
    model.write = lambda part, _a: ours(town, part)
    assert ask(simulator, search("shop")).source == "store"


def test_a_reply_of_ours_that_had_to_be_mended_is_never_stored(
    town: World, store: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Simulator(town).call(Address(town.id), search("shop")).results
    write = PlanWriter.write

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert not isinstance(drafted, Doc)
        return (replace(drafted[0], snippet="It was opened in 1787."), *drafted[1:])

    kept = store()
    model = Model(lambda _part, _n: (Result("https://no.example", "none", "none", None, 0.0),))
    with monkeypatch.context() as patched:
        patched.setattr(PlanWriter, "write", wrong)
        simulator = Simulator(town, model=model, store=kept)
        assert ask(simulator, search("shop")).results[0].snippet == right[0].title
    later = Simulator(town, model=model, store=kept)
    assert ask(later, search("shop")).results == right
    assert later.counts["store_rejected"] == later.counts["stored"] == 0


def test_a_defect_of_ours_beside_a_models_hits_leaves_in_no_way(
    town: World, store: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's first hit is rejected: ours, which stands in for it, is looked at as well."""
    write = PlanWriter.write

    def wrong(self: PlanWriter, slice_: Slice) -> Draft:
        drafted = write(self, slice_)
        assert not isinstance(drafted, Doc)
        return (replace(drafted[0], snippet="It was opened in 1987."), *drafted[1:])

    def lies_once(slice_: Slice, _asked: int) -> Draft:
        drafted = write(PlanWriter(town, Pages(town)), slice_)
        assert not isinstance(drafted, Doc)
        return (replace(drafted[0], snippet="It was opened in 1787."), *drafted[1:])

    monkeypatch.setattr(PlanWriter, "write", wrong)
    kept = store()
    served = ask(Simulator(town, model=Model(lies_once), store=kept), search("shop"))
    assert served.status == "ok"
    assert not [hit for hit in served.results if "1987" in hit.snippet or "1787" in hit.snippet]
    with pytest.raises(GuardError, match="1987"):
        ask(Simulator(town, model=Model(lies_once), strict=True), search("shop"))


def test_where_the_model_could_not_be_asked_nothing_is_stored(town: World, store: Stores) -> None:
    model = Model(lambda part, asked: None if asked == 1 else ours(town, part))
    simulator = Simulator(town, model=model, store=store())
    sources = [ask(simulator, search("shop")).source for _ in range(3)]
    assert sources == ["renderer", "model", "store"]


def test_a_text_is_kept_under_the_policy_that_accepted_it(
    town: World, store: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model(lambda part, _asked: ours(town, part))
    simulator = Simulator(town, model=model, store=store())
    assert [ask(simulator, search("shop")).source for _ in range(2)] == ["model", "store"]
    monkeypatch.setattr("worldsmith.simulate.simulator.POLICY", POLICY + 1)
    assert [ask(simulator, search("shop")).source for _ in range(2)] == ["model", "store"]


def test_a_stored_text_is_judged_when_it_is_read(town: World, store: Stores) -> None:
    kept = store()
    simulator = Simulator(town, model=Model(lambda part, _asked: ours(town, part)), store=kept)
    for call in (search("shop"), Call("web_extractor", some_url(town))):
        part = simulator.slice_or_reply(Address(town.id), call)
        assert isinstance(part, Slice)
        good = ours(town, part)
        bad = (
            replace(good, pieces=(*good.pieces, Para(("Founded in 1893.",))))
            if isinstance(good, Doc)
            else (replace(good[0], snippet="Founded in 1893."), *good[1:])
        )
        kept.put(simulator.key(part, PROFILES["clean"]), bad, "model 1")
        found = ask(simulator, call)
        assert found.source == "renderer"
        assert "1893" not in repr(found)
    assert simulator.counts["store_rejected"] == 2


def test_of_two_texts_written_at_once_the_first_is_answered_twice(town: World, store: Stores) -> None:
    kept = store()

    def write(slice_: Slice, asked: int) -> Draft:
        return tuple(replace(r, snippet=f"{r.title}. {'More inside. ' * asked}") for r in ours(town, slice_))

    async def both() -> list[Observation]:
        simulator = Simulator(town, model=Model(write), store=kept)
        return list(await asyncio.gather(*(simulator.acall(Address(town.id), search("shop")) for _ in range(2))))

    class Slow(Model):
        async def draft(self, slice_: Slice, talk: Conversation) -> Draft:
            await asyncio.sleep(0)
            return await super().draft(slice_, talk)

    async def slowly() -> list[Observation]:
        simulator = Simulator(town, model=Slow(write), store=kept)
        return list(await asyncio.gather(*(simulator.acall(Address(town.id), search("street")) for _ in range(2))))

    for found in (asyncio.run(both()), asyncio.run(slowly())):
        assert found[0].results == found[1].results
        assert [o.source for o in found] == ["model", "store"]


def test_a_model_writes_at_the_page_length_of_the_profile(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROFILES, "web", Profile("web", length="web"))
    lengths = []

    class Noting(Model):
        def writer(self, pages: Pages) -> Model:
            lengths.append(pages.length)
            return super().writer(pages)

    simulator = Simulator(town, model=Noting(lambda part, _asked: None))
    for name in ("clean", "web", "clean"):
        asyncio.run(simulator.acall(Address(town.id, name), search("shop")))
    assert lengths == ["short", "web"]


def test_a_slice_is_finished_at_the_page_length_of_its_address(town: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROFILES, "web", Profile("web", length="web"))
    simulator = Simulator(town, strict=True)
    for name in ("clean", "web"):
        address, call = Address(town.id, name), Call("web_extractor", some_url(town))
        part = simulator.slice_or_reply(address, call)
        assert isinstance(part, Slice)
        assert simulator.answer_slice(address, part) == simulator.call(address, call)
        assert simulator.answer_slice(address, part).text.startswith("# ")


def test_one_count_over_several_worlds(town: World, smartphones: World) -> None:
    counts: Counter[str] = Counter()
    for world in (town, smartphones):
        Simulator(world, counts=counts).call(Address(world.id), search(world.schema.about))
    assert counts == {"web_search": 2, "renderer": 2}


def test_every_piece_survives_the_store(store: Stores) -> None:
    text = ("a ", Link("b", "https://c.example/"), " d")
    doc = Doc(
        "https://c.example/",
        "t",
        "2029-01-01",
        (
            Heading(2, "h"),
            Para(text),
            KeyValues((("k", text),)),
            Items((text, ("x",)), ordered=True),
            Grid(("a", "b"), ((text, ("y",)),), "cap"),
        ),
    )
    results = (Result("u", "t", "s", None, 0.5, "text"), Result("u", "t", "s", "2029-01-01", 0.25))
    kept = store()
    assert kept.put("doc", doc, "m") == doc
    assert kept.get("doc") == doc
    assert kept.put("doc", replace(doc, title="later"), "m") == doc
    assert kept.put("hits", results, "m") == results
    assert kept.get("none") is None


def test_attempts_are_counted_by_session_and_call(store: Stores) -> None:
    for one, two in ((store("s.db"), store("s.db")), (counted := MemoryAttempts(), counted)):
        a, b = Address("w", "flaky", 1, "a"), Address("w", "flaky", 1, "b")
        q, r = search("q"), search("q", page=2)
        made = [
            one.count_call(a, q),
            two.count_call(a, q),
            one.count_call(b, q),
            two.count_call(a, r),
            one.count_call(a, q),
        ]
        assert made == [0, 1, 0, 0, 2]
        assert [one.count_call(Address("w"), q), two.count_call(Address("w"), q)] == [0, 0]


def test_the_attempts_made_longest_ago_are_forgotten_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldsmith.simulate.store.MAX_ATTEMPTS", 2)
    counted, address = MemoryAttempts(), Address("w", session="s")
    assert [counted.count_call(address, search(q)) for q in "abacab"] == [0, 0, 1, 0, 2, 0]


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database, and long enough to be read as a header " * 40)
    with pytest.raises(FormatError, match="is not a store of accepted texts"):
        Store(tmp_path / "x.db")


REPLIES = """
import hashlib, sys
from worldsmith.generation import generate
from worldsmith.schema import load_schema
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.protocol import Address, Call
world = generate(load_schema("town"), 7)
simulator = Simulator(world)
digest = hashlib.sha256()
for row in list(world.rows_of("shop"))[:12]:
    found = simulator.call(Address(world.id, "clean", 3), Call("web_search", world.title(row)))
    pages = [simulator.call(Address(world.id), Call("web_extractor", r.url)).text for r in found.results]
    digest.update(repr((found, pages)).encode())
print(digest.hexdigest())
"""


def test_replies_are_the_same_bytes_in_any_process(repository: Path) -> None:
    here = io.StringIO()
    with redirect_stdout(here):
        exec(REPLIES, {})
    env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(repository)}
    there = subprocess.run([sys.executable, "-c", REPLIES], env=env, capture_output=True, text=True, check=True)
    assert len(there.stdout) == 65
    assert there.stdout == here.getvalue()


# what travels of a store


def written(town: World, made: Store, queries: tuple[str, ...] = ("shop", "street")) -> list[Observation]:
    simulator = Simulator(town, model=Model(lambda part, _a: ours(town, part)), store=made)
    return [ask(simulator, search(query)) for query in queries]


def test_a_run_repeats_without_its_model_from_an_export(town: World, store: Stores) -> None:
    first = store("a.db")
    before = written(town, first)
    second = store("b.db")
    assert second.read(first.lines()) == ImportCounts(2, 0, 0)
    assert list(second.lines()) == list(first.lines())
    assert second.authors() == ("model 1",)
    again = Simulator(town, model=StoredOnly("model 1"), store=second)
    after = [ask(again, search(query)) for query in ("shop", "street")]
    assert [o.source for o in after] == ["store", "store"]
    assert [o.results for o in after] == [o.results for o in before]
    other = ask(again, search("resident"))
    assert (other.source, other.verdicts[0].why) == (
        "renderer",
        "the store has no text of model 1 for this call, and no model is asked",
    )


def test_what_stands_in_a_store_stays(town: World, store: Stores) -> None:
    first, second = store("a.db"), store("b.db")
    written(town, first)
    (key,) = [json.loads(text)["key"] for text in list(first.lines())[1:2]]
    second.put(key, (Result("u", "t", "other", None, 0.5),), "model 2")
    assert second.read(first.lines()) == ImportCounts(1, 0, 1)
    assert second.read(first.lines()) == ImportCounts(0, 1, 1)
    assert second.get(key) == (Result("u", "t", "other", None, 0.5),)
    assert second.authors() == ("model 1", "model 2")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda lines: lines[:-1], "names 2 texts and holds 1"),
        (lambda lines: lines[1:], "its first line is not the header of one"),
        (lambda _lines: [], "its first line is not the header of one"),
        (lambda lines: [lines[0], lines[1], lines[2][:-3]], "line 3: not a stored text"),
        (lambda lines: [lines[0], lines[1], lines[2].replace(b'"key":"', b'"key":"x')], "line 3: not a stored text"),
        (lambda lines: [lines[0].replace(b'store":2', b'store":9'), *lines[1:]], "is of format 9"),
    ],
    ids=["short", "no head", "empty", "cut", "key", "format"],
)
def test_a_broken_export_changes_nothing(
    town: World, store: Stores, change: Callable[[list[bytes]], list[bytes]], why: str
) -> None:
    first, second = store("a.db"), store("b.db")
    written(town, first)
    with pytest.raises(FormatError, match=why):
        second.read(change(list(first.lines())), "x.jsonl")
    assert len(list(second.lines())) == 1
    assert second.authors() == ()


def test_a_store_of_the_first_format_keeps_its_texts(tmp_path: Path, store: Stores) -> None:
    made = sqlite3.connect(tmp_path / "old.db")
    made.executescript(
        "create table about (format integer not null); insert into about values (1);"
        "create table drafts (key text primary key, body blob not null) without rowid;"
        "create table attempts (session text, call text, n integer, primary key (session, call)) without rowid;"
        """insert into drafts values ('k', '{"results":[["u","t","s",null,0.5,null]]}');"""
    )
    made.close()
    kept = store("old.db")
    assert kept.get("k") == (Result("u", "t", "s", None, 0.5),)
    assert kept.count_call(Address("w", session="s"), search("q")) == 0
    assert store("old.db").get("k") is not None


def test_attempts_are_pruned_in_a_file_too(store: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldsmith.simulate.store.MAX_ATTEMPTS", 2)
    monkeypatch.setattr("worldsmith.simulate.store.EVERY", 1)
    kept, address = store("s.db"), Address("w", session="s")
    assert [kept.count_call(address, search(q)) for q in "abacab"] == [0, 0, 1, 0, 2, 0]
    assert kept.prune() == 2
    assert [kept.count_call(address, search(q)) for q in "ab"] == [0, 0]


def test_the_instruction_of_a_profile_reaches_the_model_without_its_edits_and_faults(town: World) -> None:
    model = Model(lambda part, _asked: ours(town, part))
    asyncio.run(Simulator(town, model=model).acall(Address(town.id, "adversarial", session="s"), search("shop"), 2))
    assert model.instruction == "Snippets name what the result is about and state nothing else of it."


def test_a_model_may_write_pages_alone(town: World) -> None:
    model = Model(lambda part, _asked: ours(town, part))
    simulator = Simulator(town, model=model, tools=("web_extractor",))
    assert (ask(simulator, search("shop")).source, model.asked) == ("renderer", 0)
    assert (ask(simulator, Call("web_extractor", some_url(town))).source, model.asked) == ("model", 1)


def test_a_page_is_one_whatever_its_address_was_copied_from(town: World) -> None:
    url = some_url(town)
    simulator = Simulator(town)
    page = ask(simulator, Call("web_extractor", url))
    for form in (f"<{url}>", f"[the shop]({url}).", f"{url}?utm_source=x", url.replace("https", "http")):
        assert ask(simulator, Call("web_extractor", form)) == page


def test_a_model_writes_one_page_for_all_spellings_of_its_address(town: World, store: Stores) -> None:
    url = some_url(town)
    model = Model(lambda part, _asked: replace(ours(town, part), url=part.call.arg))
    simulator = Simulator(town, model=model, store=store())
    sources = [ask(simulator, Call("web_extractor", form)).source for form in (f"<{url}>", f"{url}.", url)]
    assert (sources, model.asked) == (["model", "store", "store"], 1)


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Switches threads 500 times as often as usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("memo", [16, 1024])
def test_eight_threads_get_what_one_gets(town: World, memo: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pages.plan", "simulate.plan_writer", "pages.index.reading", "simulate.perturb.pages"):
        monkeypatch.setattr(sys.modules[f"worldsmith.{module}"], "MEMO", memo)
    monkeypatch.setattr("worldsmith.simulate.guard.judge.PLAIN", memo)
    pages, rng = Pages(town), random.Random(memo)
    names = [town.title(row) for table in town.tables for row in town.rows_of(table)]
    calls = [
        (Address(town.id, profile, seed=3, session="s"), call)
        for profile in ("clean", "adversarial")
        for call in (
            *(search(f"{name} xqzvw{i}") for i, name in enumerate(rng.sample(names, 3))),
            *(Call("web_extractor", pages.url(page_id)) for page_id in rng.sample(pages.ids(), 1)),
        )
    ]
    reference = Simulator(town, budget=memo)
    expected = [reference.call(*call) for call in calls]
    assert sum(len(observation.results) for observation in expected) > 40

    def answers(simulator: Simulator, seed: int) -> dict[int, Observation]:
        order = random.Random(seed).sample(range(len(calls)), len(calls))
        return {i: simulator.call(*calls[i]) for i in order}

    for _ in range(2):
        shared = Simulator(town, budget=memo)
        with ThreadPoolExecutor(8) as pool:
            for observations in pool.map(answers, [shared] * 8, range(8)):
                assert [i for i in range(len(calls)) if observations[i] != expected[i]] == []
