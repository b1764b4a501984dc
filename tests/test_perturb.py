"""Withholding touches heads alone, keeps what a hit is known by, and depends on the page, never on the call."""

from dataclasses import replace

import pytest

from worldsmith.errors import NotFoundError, UsageError
from worldsmith.index import Index
from worldsmith.pages import Pages
from worldsmith.perturb import FAULTS, LEVELS, PROFILES, faults, profile, withhold
from worldsmith.slices import Call, Profile, Slice, View, cut
from worldsmith.world import World


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
        for view in withhold(1)(pages, cut(pages, index, Call("web_search", query)), 5).views:
            seen.setdefault(view.page.id, set()).add(view.page.head)
    assert seen
    assert all(len(heads) == 1 for heads in seen.values())
    part = whole(town, pages)
    assert withhold(1)(pages, part, 5) != withhold(1)(pages, part, 6)


def test_profiles() -> None:
    assert next(iter(PROFILES)) == "clean"
    assert profile("clean") == Profile(
        "clean", PROFILES["clean"].about, "short", 1, full_text=False, edits=None, faults=None
    )
    with pytest.raises(NotFoundError, match=r"no profile 'claen'. Did you mean 'clean'"):
        profile("claen")
    with pytest.raises(UsageError, match="withhold level 4 does not exist"):
        withhold(4)
    with pytest.raises(NotFoundError, match=r"names the fault 'eror'. Did you mean 'error'"):
        faults(Profile("x", faults={"eror": 1.0}))


@pytest.mark.parametrize("name", FAULTS)
def test_faults_come_as_often_as_declared_and_repeat(name: str) -> None:
    (fault,) = faults(Profile("x", faults={name: 0.25}))
    calls = [(Call("web_search", f"q{i}"), attempt) for i in range(500) for attempt in range(2)]
    first = [fault(call, 3, attempt) for call, attempt in calls]
    assert first == [fault(call, 3, attempt) for call, attempt in calls]
    assert 0.2 < sum(o is not None for o in first) / len(calls) < 0.3
    assert first != [fault(call, 4, attempt) for call, attempt in calls]
    assert {o.fault for o in first if o} == {name}
