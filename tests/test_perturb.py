"""Withholding touches heads alone, keeps what a hit is known by, and depends on the page, never on the call."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from worldsmith.agents import SimulatorClient
from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.generation import generate
from worldsmith.lang.english import ENGLISH
from worldsmith.mining.certificates import NotCertified, certify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.dormant import syndicated
from worldsmith.pages.earliest_days import ordinal
from worldsmith.pages.index import Index
from worldsmith.pages.page_kind import earliest_date
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import markdown
from worldsmith.schema import load_schema
from worldsmith.schema.files import shipped
from worldsmith.simulate.disclosure import disclosed_by_reading
from worldsmith.simulate.perturb import (
    FAULTS,
    LEVELS,
    PAGE_EDITS,
    PROFILES,
    EditedRanking,
    faults_of,
    instruction,
    is_spare,
    load_curriculum,
    profile_named,
    slice_edits_of,
    withhold,
)
from worldsmith.simulate.perturb.detours import KINDS, detour_of, needs_copy
from worldsmith.simulate.perturb.pages import PART
from worldsmith.simulate.perturb.profiles import WITHHOLD
from worldsmith.simulate.perturb.withhold import with_head
from worldsmith.simulate.protocol import Address, Call, Profile, Slice, View
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.slices import slice_for
from worldsmith.world.model import Cell, World

LOST = Profile("lost", edits={"detour": 1.0})


def whole(world: World, pages: Pages, tool: str = "web_search") -> Slice:
    views = tuple(View(pages.page(page_id), 1.0) for page_id in pages.ids())
    return Slice(Call(tool, "x"), views, more=False)


def non_keys(world: World, view: View) -> list:
    page = view.page
    scope = {spec.name: spec.by for spec in world.schema.pages if spec.list}.get(page.kind)
    return [c for c in page.head.cells if c.col not in world.schema.tables[c.row.table].key and c.col != scope]


@pytest.fixture(scope="module")
def pages(town: World) -> Pages:
    return Pages(town)


@pytest.mark.parametrize("level", range(LEVELS))
def test_only_heads_lose_cells(town: World, pages: Pages, level: int) -> None:
    part = whole(town, pages)
    before = {v.page.id: v.page for v in part.views}
    for view in withhold(level)(pages, part, 5).views:
        page = before[view.page.id]
        assert set(view.page.head.cells) <= set(page.head.cells)
        assert replace(view.page, head=page.head) == page


@pytest.mark.parametrize("level", range(LEVELS))
def test_a_page_that_is_read_loses_nothing(town: World, pages: Pages, level: int) -> None:
    part = whole(town, pages, "web_extractor")
    assert withhold(level)(pages, part, 5) == part


def test_levels_keep_all_half_and_keys(town: World, pages: Pages) -> None:
    part = whole(town, pages)
    for view, half, bare in zip(
        part.views, withhold(1)(pages, part, 5).views, withhold(2)(pages, part, 5).views, strict=True
    ):
        count = len(non_keys(town, view))
        assert count // 2 <= len(non_keys(town, half)) <= (count + 1) // 2
        assert non_keys(town, bare) == []
        if view.page.subject:
            key = [town.cell(view.page.subject, name) for name in town.schema.tables[view.page.subject.table].key]
            assert [c for c in bare.page.head.cells if c in key] == key
    assert withhold(0)(pages, part, 5) == part


def test_odd_halves_fall_both_ways(town: World, pages: Pages) -> None:
    part = whole(town, pages)
    odd = [
        len(non_keys(town, half))
        for view, half in zip(part.views, withhold(1)(pages, part, 5).views, strict=True)
        if len(non_keys(town, view)) == 1
    ]
    assert 0.35 < sum(odd) / len(odd) < 0.65


def test_level_three_removes_half_of_the_hits_and_no_list(town: World, pages: Pages) -> None:
    part = whole(town, pages)
    kept = {v.page.id for v in withhold(3)(pages, part, 5).views}
    lists = {v.page.id for v in part.views if v.page.rows}
    others = [v.page.id for v in part.views if not v.page.rows]
    assert lists <= kept
    assert 0.4 < sum(i in kept for i in others) / len(others) < 0.6


def test_the_call_changes_nothing_and_the_seed_does(town: World, pages: Pages) -> None:
    index = Index(pages)
    seen: dict[str, set] = {}
    for query in ("street", "parish", "shops", "residents of the town", "café"):
        for view in withhold(1)(pages, slice_for(pages, index, Call("web_search", query)), 5).views:
            seen.setdefault(view.page.id, set()).add(view.page.head)
    assert seen
    assert all(len(heads) == 1 for heads in seen.values())
    part = whole(town, pages)
    assert withhold(1)(pages, part, 5) != withhold(1)(pages, part, 6)


def test_profiles() -> None:
    assert next(iter(PROFILES)) == "clean"
    assert profile_named("clean") == Profile(
        "clean", PROFILES["clean"].about, "short", 1, full_text=False, edits=None, faults=None
    )
    with pytest.raises(NotFoundError, match=r"no profile 'claen'. Did you mean 'clean'"):
        profile_named("claen")
    with pytest.raises(UsageError, match="withhold level 4 does not exist"):
        withhold(4)
    with pytest.raises(NotFoundError, match=r"names the fault 'eror'. Did you mean 'error'"):
        faults_of(Profile("x", faults={"eror": 1.0}))


@pytest.mark.parametrize("name", FAULTS)
def test_faults_come_as_often_as_declared_and_repeat(name: str) -> None:
    (fault,) = faults_of(Profile("x", faults={name: 0.25}))
    calls = [(Call("web_search", f"q{i}"), attempt) for i in range(500) for attempt in range(2)]
    first = [fault(call, 3, attempt) for call, attempt in calls]
    assert first == [fault(call, 3, attempt) for call, attempt in calls]
    assert 0.2 < sum(o is not None for o in first) / len(calls) < 0.3
    assert first != [fault(call, 4, attempt) for call, attempt in calls]
    assert {o.fault for o in first if o} == {name}


def test_a_fault_passes_at_the_third_attempt() -> None:
    found = faults_of(Profile("x", faults=dict.fromkeys(FAULTS, 1.0)))
    call = Call("web_search", "q")
    passes = [[fault(call, 1, n) is None for n in range(4)] for fault in found]
    assert passes == [[False, False, True, True]] * len(FAULTS)


def test_unknown_edits_are_named() -> None:
    with pytest.raises(NotFoundError, match=r"names the edit 'distrakt'. Did you mean 'distract'"):
        slice_edits_of(Profile("x", edits={"distrakt": 1.0}))


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_background_comes_before_hits_and_none_is_lost(pages: Pages, share: float) -> None:
    index = Index(pages)
    call = Call("web_search", "street parish", k=8)
    plain, mixed = [], []
    for found, shares in ((plain, {}), (mixed, {"distract": share})):
        for n in range(1, 40):
            part = slice_for(pages, EditedRanking(pages, index, shares, 3), replace(call, page=n))
            assert len(part.views) == 8 or not part.more
            found += [view.page.id for view in part.views]
            if not part.more:
                break
    assert len(mixed) == len(set(mixed))
    assert set(plain) <= set(mixed)
    kept = [i for i in mixed if i in set(plain) and not i.startswith("world-guide/")]
    assert kept == [i for i in plain if not i.startswith("world-guide/")]
    assert any(i.startswith("world-guide/") for i in mixed[:9]) or share < 1


def test_no_edits_rank_as_the_index_does(pages: Pages) -> None:
    index = Index(pages)
    for query in ("street", "shops in the parish", "nobody", "site:x.example"):
        for n in (1, 2, 5):
            call = Call("web_search", query, page=n)
            plain, same = slice_for(pages, index, call), slice_for(pages, EditedRanking(pages, index, {}, 9), call)
            assert same == plain


def test_edits_that_lose_meet_spare_pages_alone(town: World, pages: Pages) -> None:
    part = whole(town, pages)
    for name in PAGE_EDITS:
        tool = "web_extractor" if name == "dead_link" else "web_search"
        (edit, _) = slice_edits_of(Profile("x", withhold=0, edits={name: 1.0}))
        after = edit(pages, replace(part, call=Call(tool, "x")), 5)
        gone = {v.page.id for v in part.views} - {v.page.id for v in after.views}
        same = {v.page.id for v in part.views if v in after.views}
        assert {change.page for change in after.changes} == {v.page.id for v in part.views if v.page.id not in same}
        assert all(is_spare(pages, pages.page(i)) for i in (gone | {change.page for change in after.changes}))
        assert {change.kind for change in after.changes} == {name}


def test_a_contradiction_tells_one_cell_otherwise_everywhere_and_leads_to_the_entry(town: World, pages: Pages) -> None:
    (edit, _) = slice_edits_of(Profile("x", withhold=0, edits={"contradiction": 1.0}))
    after = edit(pages, whole(town, pages), 5)
    assert after.changes
    for change in after.changes:
        (cell,) = change.cells
        (page,) = (v.page for v in after.views if v.page.id == change.page)
        (told,) = {c for c in (*page.cells, *page.head.cells) if (c.row, c.col) == (cell.row, cell.col)}
        assert told.value != cell.value == town.value(cell.row, cell.col)
        assert told.value in town.tables[cell.row.table][cell.col]
        (cue,) = (b for b in page.blocks if b.kind == "cue")
        assert cue.links == (pages.about(page.subject),)


def test_a_contradiction_tells_no_day_that_its_page_could_not_know(town: World, pages: Pages) -> None:
    (edit, _) = slice_edits_of(Profile("x", withhold=0, edits={"contradiction": 1.0}))
    days = 0
    for seed in range(20):
        after = edit(pages, whole(town, pages), seed)
        edited = {v.page.id: v.page for v in after.views}
        for change in after.changes:
            page, (cell,) = edited[change.page], change.cells
            if page.date and town.schema.column(cell.row.table, cell.col).type == "date":
                (told,) = {c.value for c in page.cells if (c.row, c.col) == (cell.row, cell.col)}
                days += 1
                assert told < page.date or told > town.schema.as_of, (page.id, page.date, told)
    assert days > 30


@pytest.fixture(scope="module")
def natural_pages() -> Pages:
    return Pages(generate(load_schema("town"), 31, language="natural"))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
def test_whatever_a_lost_page_told_a_page_that_is_read_tells(natural_pages: Pages, share: float) -> None:
    pages, world = natural_pages, natural_pages.world
    live = [page for page_id in pages.ids() if not (page := pages.page(page_id)).dormant]
    told = frozenset().union(*(disclosed_by_reading(page, page.cells, world) for page in live))
    for seed in range(8):
        left = set()
        for page in live:
            detour = detour_of(pages, page, share, seed)
            read = page if detour is None else detour.after
            if read is not None:
                left |= disclosed_by_reading(read, read.cells, world)
            if needs_copy(pages, page, share, seed):
                copy = pages.page(syndicated(page.id))
                left |= disclosed_by_reading(copy, copy.cells, world)
        assert left == told


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_detours_meet_the_share_of_pages_and_each_kind_its_part(natural_pages: Pages, share: float) -> None:
    pages = natural_pages
    live = [page for page_id in pages.ids() if not (page := pages.page(page_id)).dormant and page.cells]
    kinds = [d.kind for seed in range(20) for page in live if (d := detour_of(pages, page, share, seed))]
    assert 0.9 * share < len(kinds) / (20 * len(live)) < 1.1 * share
    assert all(0.15 < kinds.count(name) / len(kinds) < 0.25 for name in KINDS)


def test_lost_pages_are_served_as_planned_and_their_copies_found_below_them(natural_pages: Pages) -> None:
    pages, world = natural_pages, natural_pages.world
    profiles = PROFILES | {"lost": Profile("lost", edits={"detour": 0.5})}
    simulator = Simulator(world, pages=pages, strict=True, profiles=profiles)
    address = Address(world.id, "lost", 4)
    met = copied = wrong = 0
    gaps = []
    for page_id in pages.ids():
        page = pages.page(page_id)
        detour = detour_of(pages, page, 0.5, 4)
        if page.dormant or detour is None:
            assert page.dormant or simulator.call(address, Call("web_extractor", page.url)).page == page
            continue
        met += 1
        reply = simulator.call(address, Call("web_extractor", page.url))
        assert reply.page == detour.after
        assert reply.status == ("ok" if detour.after else "not_found")
        copy = simulator.call(address, Call("web_extractor", pages.url(syndicated(page_id))))
        assert (copy.status == "ok") == detour.copied
        if detour.kind == "contradiction":
            wrong += 1
            (change,) = reply.part.changes
            (cell,) = change.cells
            (way,) = next(b for b in detour.after.blocks if b.kind == "cue").links
            assert cell in pages.page(way).cells
            assert pages.url(way) in reply.text
            assert (cell.row, cell.col) not in reply.disclosed
        if detour.copied:
            copied += 1
            assert set(copy.disclosed) == disclosed_by_reading(page, page.cells, world)
            if page.subject:
                query = Call("web_search", " ".join(pages.keys(page.subject)), k=100)
                urls = [hit.url for hit in simulator.call(address, query).results]
                if page.url in urls:
                    gaps.append(urls.index(pages.url(syndicated(page_id))) - urls.index(page.url))
    assert min(met, copied, wrong) > 20
    assert min(gaps) >= 1
    assert median(gaps) > 3


def test_a_copy_is_later_and_titled_and_worded_for_its_own_site(natural_pages: Pages) -> None:
    pages = natural_pages
    pairs = [(pages.page(i), pages.page(syndicated(i))) for i in pages.ids() if not pages.page(i).dormant]
    later = [copy.date > page.date for page, copy in pairs if page.date and copy.date != page.date]
    assert all(later)
    assert len(later) > 0.8 * sum(page.date is not None for page, _ in pairs)
    texts = [[markdown(replace(render(p, pages.world, pages), date=None)) for p in pair] for pair in pairs]
    assert sum(one != other for one, other in texts) > 0.9 * len(pairs)
    assert sum(page.title != copy.title for page, copy in pairs) > 0.5 * len(pairs)
    for page, copy in pairs:
        assert copy.date is None or ordinal(copy.date) >= earliest_date(pages, page.cells, page.subject)


def test_a_page_that_is_out_of_date_says_so_and_its_copy_what_has_changed(natural_pages: Pages) -> None:
    pages, world = natural_pages, natural_pages.world
    simulator = Simulator(world, pages=pages, strict=True, profiles=PROFILES | {"lost": LOST})
    address = Address(world.id, "lost", 5)
    stale = 0
    for page_id in pages.ids():
        detour = detour_of(pages, pages.page(page_id), 1.0, 5)
        if detour is None or detour.kind != "stale":
            continue
        stale += 1
        before = simulator.call(address, Call("web_extractor", pages.url(page_id)))
        now = simulator.call(address, Call("web_extractor", pages.url(syndicated(page_id))))
        (change,) = before.part.changes
        ((row, col, value),) = change.cells
        (old,) = {c.value for c in before.page.cells if (c.row, c.col) == (row, col)}
        assert old != value == world.value(row, col)
        assert (row, col) not in before.disclosed
        assert (row, col) in now.disclosed
        assert before.page.date < now.page.date
        assert any(text in before.text for text in ENGLISH.editions)
        (block,) = (block for block in now.page.blocks if block.kind == "correction")
        assert block.cells[-2:] == (Cell(row, col, old), Cell(row, col, value))
        (line,) = (line for line in now.text.split("\n") if line.startswith(ENGLISH.corrections))
        assert line.index(": ") < line.index(" (previously given as ")
    assert stale > 40


def test_a_page_that_is_cut_short_shows_that_it_goes_on(natural_pages: Pages) -> None:
    pages = natural_pages
    endings = Counter()
    for page_id in pages.ids():
        detour = detour_of(pages, pages.page(page_id), 1.0, 6)
        if detour is None or detour.kind not in {"truncate", "paywall"}:
            continue
        text = markdown(render(detour.after, pages.world, pages))
        last = text.rstrip("\n").rpartition("\n")[2].removeprefix("- ")
        offers = ENGLISH.breaks if detour.kind == "truncate" else ENGLISH.walls
        if last in {phrase.replace("{site}", pages.site(page_id).name) for phrase in offers}:
            endings[detour.kind, "offer"] += 1
        else:
            endings[detour.kind, "sentence"] += 1
            assert last[-1] not in ".!?…:|", last
            assert len(last.split()) >= 2
        assert not detour.after.whole
        assert "\nNone.\n" not in text
    assert endings["truncate", "sentence"] > 10
    assert endings["truncate", "offer"] > 20
    assert endings["paywall", "offer"] > 20
    assert not endings["paywall", "sentence"]


def test_a_copy_is_not_there_where_its_page_is(natural_pages: Pages) -> None:
    simulator = Simulator(natural_pages.world, pages=natural_pages)
    url = natural_pages.url(natural_pages.copies()[0])
    assert simulator.call(Address(natural_pages.world.id), Call("web_extractor", url)).status == "not_found"


@pytest.mark.slow
@pytest.mark.parametrize("schema", sorted(shipped()))
def test_the_oracle_goes_round_what_is_lost(schema: str) -> None:
    world = generate(load_schema(schema), 7, language="natural")
    tasks, simulator = mine(world, 4).tasks, Simulator(world, strict=True)
    assert tasks
    for profile in ("realistic", "adversarial"):
        for seed in range(2):
            client = SimulatorClient(simulator, Address(world.id, profile, seed, "s"), {})
            for task in tasks:
                try:
                    certify(task, world, client)
                except NotCertified as reason:
                    pytest.fail(f"{task.task_id} under {profile}, seed {seed}: {reason}")


def test_a_page_in_parts_goes_on_where_it_stopped(town: World) -> None:
    simulator = Simulator(town, strict=True, profiles=PROFILES | {"parts": Profile("parts", edits={"paginate": 1.0})})
    page = Pages(town).page("shop/0")
    address = Address(town.id, "parts")
    text, offset = "", 0
    for _ in range(40):
        seen = simulator.call(address, Call("web_extractor", page.url, offset=offset))
        assert len(seen.text) <= PART
        text += seen.text
        if seen.next_offset is None:
            break
        offset = seen.next_offset
    assert text == simulator.call(Address(town.id), Call("web_extractor", page.url)).text


def test_siblings_see_the_same_and_other_seeds_do_not(town: World) -> None:
    simulator = Simulator(town, strict=True)

    def seen(seed: int, session: str) -> list:
        address = Address(town.id, "realistic", seed, session)
        return [
            simulator.call(address, Call("web_search", q), n) for q in ("street", "parish", "shops") for n in (0, 3)
        ]

    assert seen(1, "a") == seen(1, "b")
    assert seen(1, "a") != seen(2, "a")


def test_curriculum(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        '[profiles.mild]\nabout = "little"\nedits = { distract = 0.1 }\nfaults = { timeout = 0.5 }\n'
        "[[steps]]\nprofiles = { clean = 1 }\n[[steps]]\nfrom = 200\nprofiles = { clean = 2, mild = 1 }\n"
    )
    read = load_curriculum(file)
    assert read.profiles["mild"] == Profile("mild", "little", edits={"distract": 0.1}, faults={"timeout": 0.5})
    assert {read.profile(step, "t") for step in (0, 100, 199)} == {"clean"}
    late = [read.profile(step, f"t{i}") for step in (200, 900) for i in range(300)]
    assert 0.27 < late.count("mild") / len(late) < 0.4
    assert [read.profile(200, f"t{i}") for i in range(300)] == late[:300]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[profiles.x]\nwithold = 1", "profiles.x.withold: unknown key 'withold'. Did you mean 'withhold'?"),
        ("[profiles.x]\nwithhold = 9", "profiles.x.withhold: should be less than or equal to 3 (got 9)"),
        ("[profiles]\nx = 3", "profiles.x: should be a table: { key = value, … } (got 3)"),
        ("[profile.x]", "profile: unknown key 'profile'. Did you mean 'profiles'?"),
        ("x", "c.toml: not TOML"),
        ("[profiles.x]\nedits = { distract = 2 }", "profiles.x.edits.distract"),
        ("[profiles.x]\nedits = { distrakt = 0.2 }", "Did you mean 'distract'"),
        ("[profiles.x]\nfaults = { eror = 0.2 }", "Did you mean 'error'"),
        ("[[steps]]\nprofiles = { claen = 1 }", "Did you mean 'clean'"),
        ("[[steps]]\nprofiles = { clean = 0 }", "no profile of a weight above 0"),
        ("[[steps]]\nprofiles = {}", "steps.0.profiles"),
        ("[[", "Invalid"),
    ],
)
def test_a_wrong_curriculum_says_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(FormatError, match=re.escape(said)):
        load_curriculum(tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("clean", 1),
        ("web", 1),
        ("open", 0),
        ("sparse", 2),
        ("scarce", 2),
        ("flaky", 1),
        ("realistic", 1),
        ("adversarial", 2),
    ],
)
def test_an_instruction_is_of_snippets_alone_and_of_what_the_slice_shows(town: World, name: str, level: int) -> None:
    unfailing = {**PROFILES, name: replace(PROFILES[name], faults=None)}
    simulator, address = Simulator(town, profiles=unfailing), Address(town.id, name)
    pages = Pages(town)
    for row in list(town.rows_of("shop"))[:8]:
        searched = simulator.slice_or_reply(address, Call("web_search", town.title(row)))
        opened = simulator.slice_or_reply(address, Call("web_extractor", pages.page(pages.about(row) or "").url))
        assert isinstance(searched, Slice)
        assert isinstance(opened, Slice)
        assert instruction(PROFILES[name], searched, town.schema) == WITHHOLD[level]
        assert instruction(PROFILES[name], opened, town.schema) == ""
    bare = tuple(replace(view, page=with_head(view.page, [])) for view in searched.views)
    assert instruction(PROFILES[name], replace(searched, views=bare), town.schema) == WITHHOLD[2]
