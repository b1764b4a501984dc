"""Hits beside their pages and each other: what a small model writes for all of them is none of a hit's text."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from worldsmith.pages import Pages
from worldsmith.simulate.guard.hits import misfits
from worldsmith.simulate.perturb import withhold
from worldsmith.simulate.protocol import Address, Call, Draft, Reason, Result, Slice, View
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import World

Write = Callable[[Result, int, Pages], Result]


@pytest.fixture(scope="module")
def pages(town: World) -> Pages:
    return Pages(town)


@pytest.fixture(scope="module")
def simulator(town: World, pages: Pages) -> Simulator:
    return Simulator(town, pages=pages, strict=True)


@pytest.fixture(scope="module")
def part(town: World, pages: Pages) -> Slice:
    """Hits on rows of one table, all of different rows."""
    ids = [pages.about(row) or "" for row in list(town.rows_of("shop"))[:4]]
    views = tuple(View(pages.page(page_id), 1.0, rank) for rank, page_id in enumerate(ids))
    return withhold(1)(pages, Slice(Call("web_search", "shop"), views, more=False), 0)


def own(simulator: Simulator, slice_: Slice) -> tuple[Result, ...]:
    return simulator.answer_slice(Address(simulator.world.id), slice_).results


FIRST = "A page of the registers, with all that is on record."
BAD: dict[str, Write] = {
    "one title and one snippet": lambda r, _i, _p: replace(r, title="The registers", snippet=FIRST),
    "one snippet": lambda r, _i, _p: replace(r, snippet=FIRST),
    "one title": lambda r, _i, _p: replace(r, title="A page of the registers"),
    "the query as title": lambda r, _i, _p: replace(r, title="shop"),
    "titles of no page": lambda r, i, _p: replace(r, title=("Overview", "Details", "Facts", "More")[i]),
    "the site's name as snippet": lambda r, _i, p: replace(r, snippet=p.site(p.by_url(r.url) or "").name),
    "the world's subject as snippet": lambda r, _i, p: replace(r, snippet=f"{p.world.schema.about}."),
    "no title": lambda r, _i, _p: replace(r, title=""),
    "no snippet": lambda r, _i, _p: replace(r, snippet=" "),
    "dots as snippet": lambda r, _i, _p: replace(r, snippet="..."),
}


@pytest.mark.parametrize("write", BAD.values(), ids=BAD)
def test_ours_stands_for_hits_that_do_not_fit(simulator: Simulator, part: Slice, pages: Pages, write: Write) -> None:
    ours = own(simulator, part)
    draft = tuple(write(result, i, pages) for i, result in enumerate(ours))
    assert simulator.answer_slice(Address(simulator.world.id), part, draft).results == ours
    bad = {v.reason for v in simulator.verdicts_on(Address(simulator.world.id), draft, part) if not v.ok}
    assert bad <= {Reason.MISFIT, Reason.FORM, Reason.MISSING}
    assert bad


def test_the_title_of_another_page_is_replaced(simulator: Simulator, part: Slice) -> None:
    ours = own(simulator, part)
    swapped = tuple(replace(r, title=other.title) for r, other in zip(ours, (*ours[1:], ours[0]), strict=True))
    assert simulator.answer_slice(Address(simulator.world.id), part, swapped).results == ours


def test_hits_with_texts_of_their_own_are_kept(simulator: Simulator, part: Slice, town: World) -> None:
    ours = own(simulator, part)
    names = [town.title(view.page.subject) for view in part.views if view.page.subject]
    draft: Draft = tuple(
        replace(r, title=f"{name} - record", snippet=f"All that is on record about {name}.")
        for r, name in zip(ours, names, strict=True)
    )
    assert simulator.answer_slice(Address(town.id), part, draft).results == draft


def test_two_hits_of_one_row_may_have_one_title(pages: Pages, part: Slice, simulator: Simulator) -> None:
    ours = own(simulator, part)
    view = part.views[0]
    twin = replace(view, page=replace(view.page, url="https://mirror.example/"))
    name = simulator.world.title(view.page.subject)  # type: ignore[arg-type]
    said = replace(ours[0], title=f"About {name}", snippet=f"{name}, in short.")
    pairs = [(said, view), (replace(said, url=twin.page.url), twin)]
    assert list(misfits(pages, pairs, (ours[0], replace(ours[0], url=twin.page.url)))) == []
    other = (replace(said, url=ours[1].url), part.views[1])
    found = [v.why for _, v in misfits(pages, [*pairs, other], (*ours[:2], replace(ours[0], url=twin.page.url)))]
    assert found.count("is the title of another result too") == 3
