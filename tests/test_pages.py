"""Page plans: which there are, what they carry, where they stand, and what must hold of each."""

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest
from pages_world import KEEPERS, NAMES, isles

from worldsmith.errors import NotFoundError
from worldsmith.generation import generate
from worldsmith.lang.english import ENGLISH
from worldsmith.lang.morphology import article, lower, plural
from worldsmith.pages import Pages, boilerplate, uncarried
from worldsmith.pages.earliest_days import Days
from worldsmith.pages.genre_pages import GENRES
from worldsmith.pages.grammar import Phrasing
from worldsmith.pages.lists import split
from worldsmith.pages.page_kind import TITLE, quantile
from worldsmith.pages.prose import Prose, inflected, mixed
from worldsmith.pages.site_styles import VOICES
from worldsmith.pages.sites import canonical, site, slug, slugs, tag
from worldsmith.pages.titles import title
from worldsmith.pages.types import Page
from worldsmith.schema import Knobs, load_schema
from worldsmith.world.model import Row, World

SCHEMAS = ("smartphones", "town")


@pytest.fixture(scope="module")
def world() -> World:
    return isles()


@pytest.fixture(scope="module")
def pages(world: World) -> Pages:
    return Pages(world)


def real(name: str, seed: int) -> Pages:
    return Pages(generate(load_schema(Path(__file__).parent.parent / "schemas" / f"{name}.toml"), seed))


@pytest.fixture(scope="module", params=[("smartphones", 7), ("town", 3)], ids=str)
def full(request) -> Pages:
    return real(*request.param)


def every(pages: Pages) -> list[Page]:
    return [pages.page(page_id) for page_id in pages.ids()]


def plans(pages: Pages) -> list[Page]:
    return [page for page in every(pages) if not page.dormant]


def test_there_is_a_page_for_every_row_list_and_directory(pages):
    kinds = {}
    for page in plans(pages):
        kinds.setdefault(page.kind, []).append(page)
    counts = {kind: len(found) for kind, found in kinds.items()}
    stories = {f"world-{genre.name}" for genre in GENRES}
    assert stories <= set(counts)
    assert counts == dict.fromkeys(stories, 1) | {
        "keeper": 4,
        "light": 24,
        "log": 5,  # the lighthouses that were visited: of others it would say nothing
        "stones": 4,  # 13 of granite in two parts
        "posts": 5,  # 12 of one keeper in two parts
        "years": 3,
        "keeper-directory": 1,
        "light-directory": 1,
        "world-guide": 5,
    }


def test_ids_and_urls_are_unique_and_lead_back(full):
    ids = full.ids()
    assert len(set(ids)) == len(ids)
    urls = {page.url: page.id for page in every(full)}
    assert len(urls) == len(ids)
    for url, page_id in urls.items():
        assert full.url(page_id) == url
        assert full.by_url(url) == page_id


def test_an_address_may_be_written_in_other_ways(pages):
    url = pages.page("light/5").url
    host, _, path = url.removeprefix("https://").partition("/")
    assert path == "selkirra-ness"
    assert host.endswith(".example")
    for other in (
        f"http://{host}/{path}/",
        f"https://www.{host.upper()}/{path}#top",
        f" https://{host}:443/{path} ",
        f"{host}/{path}",
    ):
        assert pages.by_url(other) == "light/5", other
    front = pages.page("world-guide/0").url
    assert pages.by_url(front.rstrip("/")) == "world-guide/0"


COPIED = """
<{url}> `{url}`
``{url}`` "{url}" '{url}' “{url}” ‘{url}’ «{url}» 「{url}」 《{url}》 【{url}】 **{url}** *{url}* _{url}_
|{url}|
({url}) ({url}). [{url}] {{{url}}} <URL:{url}> &lt;{url}&gt; &quot;{url}&quot; [1]:{url} 1.{url} -{url} >{url} ·{url}
{url}. {url}, {url}; {url}: {url}! {url}? {url}) {url}] {url}> {url}` {url}" {url}\\ {url}/ {url}// {url}/). {url}.)
{url}**.
{url}。 {url}， {url}、 {url}； {url}： {url}） {url}】 {url}」。 {url}？ {url}！ {url}．
[the_entry]({url}) [{url}]({url}) [[1]]({url}) ![a]({url}) [a](<{url}>) ([a]({url})). [ein_é](http://{place})
{url}?utm_source=chatgpt.com {url}?UTM_Medium=a&utm_id=b {url}/?utm_source=a {url}?gclid=1 {url}?fbclid=IwAR0-_x
{url}?ref=a&ref_src=twsrc%5Etfw {url}?msclkid=a&mc_cid=b&mc_eid=c&_ga=2.1-3 {url}?srsltid=a&amp;si=b {url}&utm_source=a
{url}?ref=a#top {url}? {url}# {url}#a?b {url}#:~:text=The%20mill,here {url}?utm_source=a). <{url}?source=a>.
http://{place} HTTPS://{place} HTTP://{place} https:/{place} https:///{place} https//{place} //{place} {place}
https://https://{place} http://https://{place} https:https://{place} https://www.{place} https://WWW.{place}
ｈｔｔｐｓ：／／{place} https:\\/\\/{place} url={url} URL:{url} href="{url}" source:{url}
{url}%20 {url}%22 {url}%3E {url}%29. {url}%E3%80%82 {url}%E2%80%8B {url}%60
"""
SPACED = [
    *(
        " {url}",
        "{url}\n",
        "\t{url} \r\n",
        "\xa0{url}\u3000",
        "\u200b{url}\u200b",
        "\ufeff{url}",
        "https://\u200b{place}\u200d",
    ),
    *("URL: {url}", "Source: <{url}>.", "- {url}", "> {url}", "1. {url}", "[1] {url}", "[1]: {url}", "( {url} )"),
    *('[a]({url} "The entry")', "[two words]( {url} )", '<a href="{url}">the entry</a>', "<a class=x href='{url}'>"),
]


@pytest.mark.parametrize("form", [*COPIED.split(), *SPACED])
def test_an_address_is_read_however_it_was_copied(pages, form):
    for page_id in ("light/5", "world-guide/2"):
        url = pages.url(page_id)
        text = form.format(url=url, place=url.removeprefix("https://"))
        assert pages.by_url(text) == page_id


def test_an_encoded_address_is_read(pages):
    url = pages.url("light/5")
    host, _, path = url.removeprefix("https://").partition("/")
    every = "".join(f"%{ord(letter):02x}" for letter in path)
    for form in (f"https://{host}/{every}", quote(url, ""), quote(f"{url}?utm_source=a", ""), f"<{quote(url, '')}>"):
        assert pages.by_url(form) == "light/5"


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "https://", "...", "<>", "[]()", "ftp://a.example/x", "https://en.wikipedia.org/wiki/X", "{host}x/"),
        *("{url}?x=1", "{url}?page=2", "{url}?utm_source=a&page=2", "{url}?utm=1", "{url}-", "{url}-2", "{url}2"),
        *("{url}...", "{url}…", "{url}..", "<{url}...>", "{start}...", "{start}…", "{start}", "{url}/..", "{url}/x"),
        *("{url}(2)", "{url}²", "{url}'s", "{url}%00", "{url} {other}", "{url}\n{other}", "[a]({url}) [b]({other})"),
        *("https://web.archive.org/web/2020/{url}", "https://r.jina.ai/{url}", "https://a.example/?u={url}"),
        *("see {url}", "not {url}", "ftp://{place}", "javascript:{url}", "https://a@{place}", "https://x{place}"),
    ],
)
def test_other_addresses_are_not_pages(pages, url):
    own, other = pages.url("light/5"), pages.url("light/6")
    host, place = own.rpartition("/")[0], own.removeprefix("https://")
    assert pages.by_url(url.format(host=host, url=own, place=place, start=own[:-2], other=other)) is None


@pytest.mark.parametrize("page_id", ["", "light", "light/24", "light/-1", "light/x", "nothing/0", "light/01x"])
def test_unknown_ids_are_key_errors(pages, page_id):
    with pytest.raises(KeyError):
        pages.page(page_id)


def test_slugs_tell_keys_only(pages, world):
    assert pages.page("light/3").url.endswith("/quillet-stack")
    for page in plans(pages):
        if page.kind in {"stones", "posts", "years"}:
            path = page.url.removeprefix("https://").partition("/")[2]
            assert not any(c.isdigit() for c in path)
            stated = {str(c.value).split()[0].lower() for c in page.cells}
            assert not any(part in stated for part in path.split("/")[1:])


def test_every_column_of_every_row_is_carried_and_carrying_is_what_plans_hold(full, pages):
    for each in (full, pages):
        inverse: dict[tuple[Row, str], set[str]] = {}
        for page in plans(each):
            for cell in page.cells:
                assert each.world.value(cell.row, cell.col) == cell.value
                inverse.setdefault((cell.row, cell.col), set()).add(page.id)
        assert uncarried(each.world.schema) == ()
        for table in each.world.schema.tables.values():
            for row in each.world.rows_of(table.name):
                for column in table.columns:
                    found = each.carrying(row, column.name)
                    null_link = column.see == "linked" and each.world.value(row, column.name) is None
                    assert found or null_link, (row, column.name)
                    assert set(found) == inverse.get((row, column.name), set()), (row, column.name)
                    assert len(set(found)) == len(found)
                    own = each.about(row)
                    if own in found:
                        assert found[0] == own


def test_linked_cells_are_stated_on_the_page_they_refer_to_alone(pages):
    for page in plans(pages):
        for cell in page.cells:
            if cell.col == "mentor":
                assert page.id == f"keeper/{KEEPERS.index(cell.value)}"
        assert all(cell.col != "mentor" for cell in page.head.cells)
    assert pages.carrying(Row("keeper", 2), "mentor") == ("keeper/0",)


def test_columns_that_no_page_shows_are_named():
    schema = load_schema(Path(__file__).parent.parent / "schemas" / "town.toml")
    lost = type(schema)(**{**{f: getattr(schema, f) for f in schema.__slots__}, "pages": schema.pages[:2]})
    missing = uncarried(lost)
    assert ("shop", "value") in missing
    assert ("resident", "born") not in missing


def test_a_head_states_cells_of_its_page_that_a_snippet_may_show(full):
    schema = full.world.schema
    for page in plans(full):
        cells = set(page.cells)
        rows = set()
        for cell in page.head.cells:
            assert cell in cells, page.id
            column = schema.column(cell.row.table, cell.col)
            assert column.key or column.see == "snippet" or cell.col == page.scope
            rows.add(cell.row)
        assert len(rows) <= (1 if page.subject else 2)
        if page.subject:
            keys = {c.col for c in page.head.cells if c.row == page.subject}
            assert set(schema.tables[page.subject.table].key) <= keys


def test_links_are_cells_or_chrome(full):
    chrome = {k for k in full.kinds if k.endswith("-directory") or k.startswith("world-")}
    for page in plans(full):
        for block in page.blocks:
            targets = {full.target(cell, page.id) for cell in block.cells}
            for link in block.links:
                assert full.page(link).id == link
                assert link != page.id
                kind = link.rpartition("/")[0]
                about = full.page(link).subject
                if block.cells:
                    assert link in targets, (page.id, block.kind, link)
                else:
                    same = about == page.subject and page.subject is not None
                    listed = page.subject and full.list_of(kind, full.world.key(page.subject)[0]) == link
                    assert kind in chrome or same or kind == page.kind or listed, (page.id, link)


def test_lists_have_five_to_ten_rows_of_one_value_in_order(full):
    for spec in full.world.schema.pages:
        if not spec.list:
            continue
        values = full.world.tables[spec.list][spec.by]
        ids = [f"{spec.name}/{n}" for n in full.kinds[spec.name].numbers]
        listed = []
        for page in map(full.page, ids):
            if page.kind != spec.name:
                continue
            (value,) = {full.world.value(row, spec.by) for row in page.rows}
            size = sum(v == value for v in values)
            assert len(page.rows) <= 10
            assert len(page.rows) >= min(5, size)
            listed += page.rows
            shown = {c.col for c in page.cells} - {*full.world.schema.tables[spec.list].key, spec.by}
            assert len(shown) <= 3
        assert sorted(r.index for r in listed) == [i for i, v in enumerate(values) if v is not None]


def test_an_order_by_a_column_that_is_not_shown_would_tell_it(pages):
    by_range = [pages.page(f"posts/{n}").rows for n in range(5)]
    for rows in by_range:  # sorted by height, which the page does not show: keys instead
        names = [NAMES[row.index] for row in rows]
        assert names == sorted(names)
    stones = [pages.world.value(row, "lit") for row in pages.page("stones/1").rows]
    assert stones == sorted(stones)


def test_a_directory_of_every_table_with_pages_is_linked_from_its_entity_pages(full):
    for table, kinds in full.abouts.items():
        for kind in kinds:
            page = full.page(next(page_id for page_id in full.ids() if page_id.startswith(f"{kind}/")))
            assert f"{table}-directory/0" in [link for block in page.blocks for link in block.links]
        reached, seen = [f"{table}-directory/0"], set()
        while reached:
            page = full.page(reached.pop())
            seen |= set(page.rows)
            later = [link for block in page.blocks for link in block.links if link.startswith(f"{table}-directory/")]
            reached += [link for link in later if not set(full.page(link).rows) <= seen]
        assert len(seen) == full.world.size(table)


def test_a_further_page_that_would_say_nothing_new_is_not_there(full, pages, world):
    assert [page_id for page_id in pages.ids() if page_id.startswith("log/")] == [f"log/{n}" for n in (0, 2, 5, 7, 9)]
    url = pages.url("log/0").rpartition("/")[0]
    assert pages.by_url(f"{url}/orvane-head") == "log/0"
    assert pages.by_url(f"{url}/teslin-rock") is None
    with pytest.raises(KeyError):
        pages.page("log/1")
    name = Row("light", 1)
    assert not any(page_id.startswith("log/") for page_id in pages.carrying(name, "name"))
    assert "light/1" in pages.carrying(name, "name")
    for each in (full, pages):
        for page in plans(each):
            for link in (link for block in page.blocks for link in block.links):
                assert each.page(link).id == link
            if page.purpose and not any(block.kind == "children" for block in page.blocks):
                entry = set(each.page(each.about(page.subject) or "").cells)
                assert not set(page.cells) <= entry


def test_parts_of_a_list_are_told_apart_in_words(full, pages):
    for each in (full, pages):
        lists = [page for page in plans(each) if page.rows]
        titles = [title(page, page.cells, each.words) for page in lists]
        assert len(set(titles)) == len(titles)
        assert {page.part > 1 for page in lists} == {True, False}
        for page, told in zip(lists, titles, strict=True):
            assert ("(part " in told) == (page.part > 1)
            assert not any(c.isdigit() for c in told.partition("(part ")[2])
    assert title(pages.page("stones/2"), pages.page("stones/2").cells, pages.words) == (
        "Lighthouses by stone: granite (part two)"
    )
    beyond = replace(pages.page("stones/2"), part=40)
    assert title(beyond, beyond.cells, pages.words) == "Lighthouses by stone: granite (continued)"


def test_no_title_holds_a_cell_before_it_is_filled(full):
    for page in plans(full):
        told = {full.words.show(c) for c in page.cells if isinstance(c.value, str) and len(c.value) > 5}
        assert not any(value in page.title for value in told - {full.words.say(page.table, "{Many}")}), page.title


def test_page_dates_are_recent_and_equal_no_date_of_their_row(full):
    dated = [page for page in plans(full) if page.date]
    assert 0.35 < len(dated) / len(plans(full)) < 0.55
    for page in dated:
        assert "2024-01-01" < page.date <= full.world.schema.as_of
        days = [c.value for c in page.cells if full.words.columns[c.row.table, c.col].type == "date"]
        own = full.world.fact(page.subject).values.values() if page.subject else ()
        assert page.date not in days
        assert page.date not in own
        assert all(day < page.date for day in days if day and day < full.world.schema.as_of)


def own_days(world, row):
    """The days and the first days of the years that a row of the town holds, by hand."""
    fact = world.fact(row).values
    days = [fact.get(name) for name in ("laid", "born", "moved", "opened", "closed", "granted", "expires")]
    days += [f"{fact['year']}-01-01"] if "year" in fact else []
    return [day for day in days if day and day <= world.schema.as_of]


def before(world, table, day):
    """The rows of a table that were there before a day, with their values."""
    return [world.fact(r).values for r in world.rows_of(table) if all(d < day for d in own_days(world, r))]


def told_on(world, page):
    """What the computed cells of a page of the town would say on its own day, worked out without any of its fills."""
    day = page.date
    found = {}
    for cell in page.cells:
        own, place = world.fact(cell.row).values, (cell.row.table, cell.col)
        if place == ("resident", "age"):
            found[cell] = int(day[:4]) - int(own["born"][:4])
        elif place in {("street", "shops"), ("street", "residents")}:
            rows = before(world, "shop" if cell.col == "shops" else "resident", day)
            found[cell] = sum(row["street"] == own["name"] for row in rows)
        elif place == ("resident", "shops"):
            found[cell] = sum(row["keeper"] == own["name"] for row in before(world, "shop", day))
        elif place == ("shop", "best"):
            scores = [row["score"] for row in before(world, "inspection", day) if row["shop"] == own["name"]]
            found[cell] = max(scores, default=None)
        elif place == ("shop", "dear"):
            rivals = [row["value"] for row in before(world, "shop", day) if row["line"] == own["line"]]
            found[cell] = 1 + sum(value > own["value"] for value in rivals)
        elif place == ("inspection", "place"):
            rivals = [row["score"] for row in before(world, "inspection", day) if row["year"] == own["year"]]
            found[cell] = 1 + sum(score > own["score"] for score in rivals)
    return found


def dates_and_years(world, page):
    """The cells of a page that name a day or a year, by hand, with what they name."""
    days = {("inspection", "year"): 4, ("shop", "opened"): 10, ("shop", "closed"): 10, ("resident", "moved"): 10}
    days |= {("resident", "born"): 10, ("street", "laid"): 10, ("licence", "granted"): 10, ("licence", "expires"): 10}
    return {c: str(c.value) for c in page.cells if (c.row.table, c.col) in days and c.value is not None}


@pytest.mark.parametrize("length", ["short", "web"])
def test_no_page_is_older_than_what_it_tells(length):
    world = generate(load_schema(Path(__file__).parent.parent / "schemas" / "town.toml"), 3)
    found, computed, dated = Pages(world, length), 0, 0
    for page in (found.plan(i) for i in found.ids() if not i.startswith("world-archive/")):
        if page.date is None:
            continue
        dated += 1
        for day in dates_and_years(world, page).values():
            assert day <= page.date[: len(day)] or day > world.schema.as_of[: len(day)], page.id
            assert day != page.date
        for cell, value in told_on(world, page).items():
            computed += 1
            assert cell.value == value, (page.id, page.date, cell)
    assert dated > 150
    assert computed > 300


def test_an_archive_copy_tells_nothing_later_than_itself():
    world = generate(load_schema(Path(__file__).parent.parent / "schemas" / "town.toml"), 3)
    found = Pages(world, "web")
    copies = [found.plan(i) for i in found.ids() if i.startswith("world-archive/")]
    ages = counts = 0
    for page in copies:
        assert page.date < world.schema.as_of
        own = own_days(world, page.subject)
        assert not own or min(own) < page.date, "a copy of what was not there"
        assert all(day <= page.date[: len(day)] for day in dates_and_years(world, page).values())
        then = told_on(world, page)
        for cell in then:
            if cell.col in {"shops", "residents"}:
                counts += 1
                assert cell.value <= then[cell]
            else:
                ages += cell.col == "age"
                assert cell.value == then[cell]
    assert len(copies) > 20
    assert counts > 10
    assert ages < sum(page.subject.table == "resident" for page in copies), "an age of a later year is dropped"


def test_what_a_day_rests_on(world):
    days = Days(world)
    row = Row("light", 0)  # lit 1890, closed 2001-10-01, visited in 2026, 2027 and 2028
    assert days.end == date(2029, 6, 30).toordinal()
    assert days.begun(row) == date(1890, 1, 5).toordinal()
    assert days.row(row) == date(2001, 10, 2).toordinal()
    assert days.cell(world.cell(row, "closed")) == date(2001, 10, 2).toordinal()
    assert days.cell(world.cell(row, "visits")) == date(2028, 1, 1).toordinal()
    assert days.cell(world.cell(row, "height")) == 0
    assert days.cell(world.cell(Row("light", 1), "visits")) == 0, "it has no visit"
    visits = world.schema.column("light", "visits").fill
    on = [days.then(world.cell(row, "visits"), visits, date(year, 6, 1).toordinal()) for year in (2025, 2026, 2028)]
    assert on == [0, 1, 3]


HARBOURS = """
schema = 1
name = "harbours"
kind = "granular_long_tail"
as_of = 2030-01-01
about = "harbours and what they built"

[tables.port]
called = ["port", "ports"]
rows = [6, 6]
key = "name"
[tables.port.columns]
name = { invent = "place", label = "Port", see = "snippet" }
start = { date = [2020-01-01, 2024-01-01], label = "Start", says = "started" }
boats = { count = "boat", label = "Boats" }

[tables.boat]
called = ["boat", "boats"]
rows = [18, 18]
key = "name"
[tables.boat.columns]
name = { invent = "ship", label = "Boat", see = "snippet" }
port = { ref = "port", per = [1, 6], label = "Port", says = "of" }
due = { derive = "add_days(port.start, port.boats * 15)", label = "Due", says = "due" }

[pages]
version = 1
port = { about = "port" }
boat = { about = "boat" }
"""
"""A date reckoned from a count of the rows that hold it."""


def test_the_day_of_a_cell_rests_on_no_order_of_asking(tmp_path):
    (tmp_path / "harbours.toml").write_text(HARBOURS)
    world = generate(load_schema(tmp_path / "harbours.toml"), 3)
    cells = [
        world.cell(row, col) for table, col in (("port", "boats"), ("boat", "due")) for row in world.rows_of(table)
    ]
    one, other = Days(world), Days(world)
    first = {cell: one.cell(cell) for cell in cells}
    again = {cell: other.cell(cell) for cell in reversed(cells)}
    assert first == again
    due = {b.values["port"]: [] for b in map(world.fact, world.rows_of("boat"))}
    for boat in map(world.fact, world.rows_of("boat")):
        due[boat.values["port"]].append(date.fromisoformat(boat.values["due"]).toordinal() + 1)
    for row in world.rows_of("port"):
        assert one.cell(world.cell(row, "boats")) == max(due[world.title(row)])


def test_plans_are_pure_per_page(world, pages):
    other = Pages(world)
    assert [other.page(page_id) for page_id in reversed(other.ids())] == every(pages)[::-1]
    assert Pages(isles(6)).page("light/0") != pages.page("light/0")


SAME = """
import hashlib, sys
sys.path.insert(0, {tests!r})
from pages_world import isles
from worldsmith.pages.index import Index
from worldsmith.pages import Pages
from worldsmith.simulate.plan_writer import PlanWriter; from worldsmith.pages.renderer import html, markdown, render
from worldsmith.simulate.protocol import Call
from worldsmith.simulate.slices import slice_for
world = isles()
pages = Pages(world)
index, plan_writer, out = Index(pages), PlanWriter(world, pages), hashlib.sha256()
for i in pages.ids():
    doc = render(pages.page(i), world, pages)
    out.update((markdown(doc) + html(doc)).encode())
for query in ("Orvane Head", "lighthouses granite height", "kept by Dov Hallebrand", "visits 2027"):
    out.update(repr(plan_writer.write(slice_for(pages, index, Call("web_search", query)))).encode())
print(out.hexdigest())
"""


def test_same_bytes_whatever_the_hash_seed():
    code = SAME.format(tests=str(Path(__file__).parent))
    here = io.StringIO()
    with redirect_stdout(here):
        exec(code, {})
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert there.stdout == here.getvalue()
    assert len(there.stdout.strip()) == 64


def test_one_look_a_host_and_many_a_world(full):
    looks = {}
    for page in every(full):
        if page.kind != "world-archive":  # an archive keeps the look of what it copies
            looks.setdefault(page.url.split("/")[2], set()).add(page.look)
    assert all(len(found) == 1 for found in looks.values())
    assert len({next(iter(found)) for found in looks.values()}) > 5


def test_styles_that_are_none_or_leave_none_are_refused(world):
    with pytest.raises(NotFoundError, match=r"no layout or voice 'magazin'. Did you mean 'magazine'"):
        Pages(world, without=["magazin"]).page("light/0")
    with pytest.raises(NotFoundError, match="no voice is left when plain, formal, warm, brisk are held out"):
        Pages(world, without=["plain", "formal", "warm", "brisk"]).page("light/0")


def test_dormant_pages_copy_entries_and_carry_nothing(full):
    kinds = {}
    for page in every(full):
        if page.dormant:
            kinds.setdefault(page.kind, []).append(page)
    assert set(kinds) == {"world-archive", "world-mirror", "world-homonym"}
    for page in kinds["world-mirror"]:
        entry = full.page(full.about(page.subject))
        assert page.blocks == entry.blocks
        assert page.title == entry.title
        assert page.url != entry.url
    stale = 0
    for page in kinds["world-archive"]:
        entry = full.page(full.about(page.subject))
        assert {(c.row, c.col) for c in page.cells} <= {(c.row, c.col) for c in entry.cells}
        assert page.date < full.world.schema.as_of
        for cell in page.cells:
            now = full.world.value(cell.row, cell.col)
            stale += now != cell.value
            assert now == cell.value or cell.value < now
            dated = full.words.columns[cell.row.table, cell.col].type == "date"
            assert not dated or cell.value is None or cell.value < page.date
        assert page.blocks[0].links == (entry.id,)
    assert stale > 3
    for page in kinds["world-homonym"]:
        assert {c.col for c in page.cells} == set(full.world.schema.tables[page.subject.table].key)
    dormant = {page.id for found in kinds.values() for page in found}
    assert not any(link in dormant for page in plans(full) for block in page.blocks for link in block.links)


def test_names_that_something_else_bears_have_a_page_each():
    schema = load_schema(Path(__file__).parent.parent / "schemas" / "town.toml")
    world = generate(schema, 4, knobs=Knobs(homonyms=0.2))
    found = Pages(world)
    named = {world.title(found.page(i).subject) for i in found.ids() if i.startswith("world-homonym/")}
    assert len(world.namesakes) > 10
    assert set(world.namesakes) <= named


def test_articles_and_verbs_agree():
    words = ["phone", "inspection", "hour", "unit", "uninteresting", "RPG", "ID", "eulogy", "one-off", "SSD"]
    assert [article(w).split()[0] for w in words] == ["a", "an", "an", "a", "an", "an", "an", "a", "a", "an"]
    verbs = ["be", "have", "turn up", "deny", "catch", "say", "mend"]
    irregular, ways = ENGLISH.irregular, ((0, 0), (0, 1), (1, 0), (1, 1))
    told = [[inflected(v, irregular, past=p, many=m) for v in verbs] for p, m in ways]
    assert told == [
        ["is", "has", "turns up", "denies", "catches", "says", "mends"],
        ["are", "have", "turn up", "deny", "catch", "say", "mend"],
        ["was", "had", "turned up", "denied", "caught", "said", "mended"],
        ["were", "had", "turned up", "denied", "caught", "said", "mended"],
    ]


def test_prose_has_the_length_asked_for_and_no_slot_left():
    made = Prose({"one": "hour", "many": "hours", "about": "time"}, ("length", '"Laid out"'), frozenset())
    for theme in made.grammar.themes:
        for past in (False, True):
            frames = made.frames(theme, past=past)
            for frame in (*frames.start, *frames.middle, *frames.end):
                told = made.say(frame, 0x123456789ABCDEF)
                assert not re.search(r"[<>\[\]{}%]|\ba hour|\ba [aeio]|\ban [bcdfgklmnpqrstvwz]|  ", told), told
        for n, room in enumerate((90, 300, 1000, 5000)):
            text = "\n\n".join(made.paragraphs(theme, mixed(n), room, VOICES[n]))
            assert abs(len(text) - room) < 90


def test_prose_avoids_what_a_world_holds():
    nouns = {"one": "shop", "many": "shops", "about": "trade"}
    taken = frozenset(("letters", "the proofreader", "tidy", "in the loft"))
    made = Prose(nouns, ("length",), taken)
    text = " ".join(p for theme in made.grammar.themes for p in made.paragraphs(theme, 5, 20_000, VOICES[0])).lower()
    assert len(text) > 300_000
    assert not any(re.search(rf"\b{value}\b", text) for value in taken)
    plain = Prose(nouns, ("length",), frozenset())
    assert "letters" in " ".join(plain.paragraphs("sources", 5, 20_000, VOICES[0]))


def test_prose_makes_no_claim_that_the_guard_looks_for():
    """No number, denial, superlative or name is in the language's own words."""
    made = Prose({"one": "shop", "many": "shops", "about": "trade"}, ("length",), frozenset())
    for theme in made.grammar.themes:
        text = " ".join(made.paragraphs(theme, 9, 15_000, VOICES[2]))
        found = re.search(r"\d|\b(no|not|never|none|nobody|without|nor|first|second|third|two|three)\b|n't", text)
        assert found is None, text[found.start() - 60 : found.end() + 20]


def test_boilerplate_has_no_digit_and_is_filled_by_a_schema(world):
    assert not any(c.isdigit() for phrase in boilerplate() for c in phrase)
    filled = boilerplate(world.schema)
    assert "Directory of lighthouses" in filled
    assert not any("{" in phrase for phrase in filled)


def test_sites_are_invented_and_differ(full):
    hosts = [s.host for s in full.sites]
    assert len(set(hosts)) == len(hosts)
    assert all(host.endswith(".example") for host in hosts)


def test_words():
    assert [plural(x) for x in ("Units sold", "Foldable phones", "Phones using it", "Visits recorded")] == [True] * 4
    assert [plural(x) for x in ("Battery", "Rank by units", "Bus", "Address", "Price rank in its brand")] == [False] * 5
    assert [lower(x) for x in ("Launch price", "RAM", "5G bands")] == ["launch price", "RAM", "5G bands"]
    words = Phrasing(isles().schema)
    assert words.called("visit", ("Ulvet", "2027")) == "the visit to Ulvet in the year 2027"
    assert words.children_of("light", "keeper") == "Lighthouses kept by"
    assert [words.schema.tables[t].of_people for t in ("keeper", "light")] == [True, False]
    assert [article(x) for x in ("phone", "inspection")] == ["a phone", "an inspection"]


def test_addresses():
    assert slug("Sélkirra  Ness (old)") == "selkirra-ness-old"
    assert len(slug("東京")) == 8
    assert len(set(slugs(["A b", "a-b", "A  B"]))) == 3
    assert site("The Teslin Courier").url("x") == "https://teslin-courier.example/x"
    assert tag(1, "x").isalpha()
    assert tag(1, "x") != tag(2, "x")
    assert canonical("HTTPS://www.Ab.example:443/x%20y/?q=1#z") == "ab.example/x y/?q=1".replace("/?", "?")
    assert canonical("mailto:x@y") is None


def test_parts_are_even():
    assert [len(p) for p in split(list(range(21)), 10)] == [7, 7, 7]
    assert [len(p) for p in split(list(range(11)), 10)] == [5, 6]
    assert split([], 10) == [()]
    assert quantile(TITLE, 0.5) == 55
    assert quantile(TITLE, 1.0) == 78
