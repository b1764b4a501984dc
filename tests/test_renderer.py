"""Documents, hits and formats: everything a plan has is stated, nothing else is."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from pages_world import isles

from worldsmith import scoring
from worldsmith.generation import generate
from worldsmith.lang.page_phrases import PHRASES
from worldsmith.pages import Block, Doc, Grid, Heading, Items, KeyValues, Link, Page, Pages, Para, Span
from worldsmith.pages.index import Index
from worldsmith.pages.renderer import html, markdown, plain, render, score
from worldsmith.pages.renderer.emit import extent, words_of
from worldsmith.pages.site_styles import LAYOUTS, STYLES, VOICES
from worldsmith.pages.titles import NAME, heading
from worldsmith.schema import load_schema
from worldsmith.simulate.perturb import withhold
from worldsmith.simulate.plan_writer import PlanWriter, render_hit
from worldsmith.simulate.protocol import Call, Slice, View
from worldsmith.simulate.slices import slice_for
from worldsmith.world.model import Cell, Row

WORLD = isles()
PAGES = Pages(WORLD)
IDS = PAGES.ids()


@pytest.fixture(scope="module", params=[("smartphones", 7), ("town", 3)], ids=str)
def full(request) -> Pages:
    name, seed = request.param
    return Pages(generate(load_schema(Path(__file__).parent.parent / "schemas" / f"{name}.toml"), seed))


def holds(text: str, shown: str) -> bool:
    """Tell whether `shown` stands in `text` as a whole, not inside a longer number or word."""
    return re.search(rf"(?<![\w.,-]){re.escape(shown)}(?![\w-]|[.,]\d)", text) is not None


def without_links(text: str) -> str:
    return re.sub(r"\]\(https://[^)]*\)", "]", text)


def edited(page: Page, keep: Callable[[Cell], bool]) -> Page:
    blocks = tuple(replace(b, cells=tuple(filter(keep, b.cells))) for b in page.blocks)
    return replace(page, blocks=blocks, head=replace(page.head, cells=tuple(filter(keep, page.head.cells))))


def values_of(doc: Doc) -> list[str]:
    """Return every value that stands by itself: in a grid, a pair, an item."""
    out = []
    for piece in doc.pieces:
        match piece:
            case Grid(rows=rows):
                out += ["".join(p if isinstance(p, str) else p.text for p in cell) for row in rows for cell in row]
            case KeyValues(pairs):
                out += ["".join(p if isinstance(p, str) else p.text for p in text) for _, text in pairs]
            case Items(items):
                texts = ["".join(p if isinstance(p, str) else p.text for p in item) for item in items]
                out += [part for text in texts for part in (text, text.partition(": ")[2])]
    return out


def test_every_cell_is_stated_in_all_formats_as_the_scorer_accepts_it(full):
    for pages, ids in ((full, full.ids()[::2]), (PAGES, IDS)):
        for page_id in ids:
            page = pages.page(page_id)
            doc = render(page, pages.world, pages)
            texts = [plain(doc), without_links(markdown(doc)), BeautifulSoup(html(doc), "html.parser").get_text(" ")]
            for cell in page.cells:
                shown = pages.words.show(cell)
                assert scoring.is_right(shown, cell.value, pages.words.answers[cell.row.table, cell.col])
                for text in texts:
                    assert holds(text, shown), (page_id, cell, shown)


def test_every_value_of_a_row_stands_by_itself_somewhere_and_scores(full):
    for table in full.world.schema.tables.values():
        for row in list(full.world.rows_of(table.name))[::7]:
            for column in table.columns:
                value, answer = full.world.value(row, column.name), column.answer()
                found = [
                    v
                    for page_id in full.carrying(row, column.name)
                    for v in [
                        *values_of(render(full.page(page_id), full.world, full)),
                        heading(full.page(page_id), full.page(page_id).cells, full.words).rpartition(": ")[2],
                    ]
                ]
                assert any(scoring.is_right(v, value, answer) for v in found), (row, column.name, value)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(IDS), st.randoms(use_true_random=False))
def test_a_dropped_cell_is_stated_nowhere_and_loses_its_link(page_id, random):
    page = PAGES.page(page_id)
    keys = {"name", "light"} if page.subject else set()
    cells = [c for c in page.cells if c.col not in keys]
    gone = {c for c in cells if random.getrandbits(1)}
    if page_id.startswith("keeper/"):
        gone -= {c for c in gone if c.row.table == "light" and c.col == "keeper"}
    after = edited(page, lambda c: c not in gone)
    doc = render(after, WORLD, PAGES)
    text = markdown(doc) + html(doc) + plain(doc)
    left = {PAGES.words.show(c) for c in after.cells} | {page.date or ""}
    targets = {PAGES.target(c, page.id) for c in after.cells}
    for cell in gone:
        shown = PAGES.words.show(cell)
        common = cell.value is None or isinstance(cell.value, bool) or len(shown) < 2
        if not common and not any(holds(other, shown) for other in left):
            assert not holds(text, shown), (cell, text)
        target = PAGES.target(cell, page.id)
        if target and target not in targets and target not in page.blocks[-1].links:
            assert PAGES.url(target) not in text
    for cell in after.cells:
        assert holds(text, PAGES.words.show(cell)), (cell, text)


def test_a_list_without_its_scope_says_it_neither_in_title_nor_body():
    page = PAGES.page("stones/1")
    after = edited(page, lambda c: c.col != "stone")
    assert render(page, WORLD, PAGES).title == "Lighthouses by stone: granite"
    assert render(after, WORLD, PAGES).title == "Lighthouses by stone"
    assert "granite" not in markdown(render(after, WORLD, PAGES))
    shown = render_hit(View(after, 1.0), 0, "granite", WORLD, PAGES)
    assert "granite" not in f"{shown}"


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("In the files today: {} and its range", "In the files today: {} and its range"),
        ("In the files today: {} and its height of the tallest light of them all", "In the files today: {} ..."),
        (
            "{}: what the record says of this one, its keepers and all its visits",
            "{}: what the record says of this ...",
        ),
    ],
)
def test_a_label_in_a_hit_s_title_is_whole_or_left_out(told, shown):
    """Half of one would say that the light is the tallest; of a tagline any part will do."""
    page = replace(PAGES.page("world-news/0"), title=told.format(NAME))
    name = WORLD.title(page.subject)
    said = render_hit(View(page, 1.0), 0, "granite", WORLD, PAGES).title
    assert said.startswith(shown.format(name).removesuffix(" ..."))
    assert "tallest" not in said
    assert len(said) <= 75


def changed(page: Page, row: Row, col: str, value: object) -> Page:
    """Return a page with another value in a cell, wherever it states it."""

    def other(block: Block) -> Block:
        cells = [c._replace(value=value) if (c.row, c.col) == (row, col) else c for c in block.cells]
        return replace(block, cells=tuple(cells))

    return replace(page, head=other(page.head), blocks=tuple(map(other, page.blocks)))


@pytest.mark.parametrize("page_id", ["light/3", "log/2", "keeper/0", "world-news/0"])
def test_an_edited_name_is_the_name_in_title_heading_and_hit(page_id):
    page = PAGES.page(page_id)
    assert page.subject is not None
    (key,) = WORLD.schema.tables[page.subject.table].key
    name = WORLD.title(page.subject)
    after = changed(page, page.subject, key, "Quenby Fell")
    for row in {c.row for c in page.cells if c.row.table == "visit"}:
        after = changed(after, row, "light", "Quenby Fell")
    for row in {c.row for c in page.cells if c.value == name}:
        after = changed(after, row, "keeper", "Quenby Fell") if row.table == "light" else after
        after = changed(after, row, "mentor", "Quenby Fell") if row != page.subject else after
    doc, shown = render(after, WORLD, PAGES), render_hit(View(after, 1.0), 0, name, WORLD, PAGES)
    assert "Quenby Fell" in doc.title
    assert name not in plain(doc)
    assert name not in f"{shown.title} {shown.snippet}"


def test_an_edited_scope_is_the_scope_in_the_title_and_one_row_changes_no_list():
    page = PAGES.page("stones/1")
    after = page
    for row in page.rows:
        after = changed(after, row, "stone", "basalt")
    assert render(after, WORLD, PAGES).title == "Lighthouses by stone: basalt"
    assert render_hit(View(after, 1.0), 0, "", WORLD, PAGES).snippet.startswith("Lighthouses by stone, basalt: ")
    assert "granite" not in markdown(render(after, WORLD, PAGES))
    one = changed(page, page.rows[0], "stone", "basalt")
    doc = render(one, WORLD, PAGES)
    assert doc.title == "Lighthouses by stone: granite"
    assert doc.pieces[2] == Heading(2, "Also listed")
    assert "basalt" in plain(doc).partition("Also listed")[2]


def test_only_the_plan_says_what_a_page_is():
    """A plan under another id and kind reads the same: copies and mirrors of pages need no kind of their own."""
    for page_id in IDS:
        page = PAGES.page(page_id)
        if page.blocks[-1].links and any(link.rpartition("/")[0] == page.kind for link in page.blocks[-1].links):
            continue  # "Next page" is said of a page of the same list
        copy = replace(page, kind="archive")
        assert render(copy, WORLD, PAGES) == render(page, WORLD, PAGES)
        assert render_hit(View(copy, 1.0), 0, "range", WORLD, PAGES) == render_hit(
            View(page, 1.0), 0, "range", WORLD, PAGES
        )


def test_a_row_that_no_longer_refers_to_the_subject_leaves_its_table():
    page = PAGES.page("keeper/0")
    after = edited(page, lambda c: not (c.col == "keeper" and c.row.index == 3))
    doc = render(after, WORLD, PAGES)
    at = next(i for i, p in enumerate(doc.pieces) if p == Heading(2, "Lighthouses kept by Ilva Torrunce"))
    inside, outside = doc.pieces[at + 1], doc.pieces[at + 3]
    assert doc.pieces[at + 2] == Heading(2, "Also listed")
    assert isinstance(inside, Items)
    assert isinstance(outside, Items)
    assert len(inside.items) == 11
    assert [part.text for item in outside.items for part in item if isinstance(part, Link)] == ["Quillet Stack"]


def test_pages_read_as_written():
    pages = Pages(WORLD, without=[name for name in STYLES if name not in {"encyclopedia", "plain"}])
    lines = markdown(render(pages.page("years/0"), WORLD, pages)).splitlines()
    assert lines[0] == "# Visits by year: 2026"
    at = lines.index("| Lighthouse | Guests |")
    assert lines[at + 1 : at + 5] == [
        "| --- | --- |",
        f"| [Orvane Head]({pages.url('light/0')}) | 401 |",
        f"| [Varrow Point]({pages.url('light/2')}) | 512 |",
        f"| [Sélkirra Ness]({pages.url('light/5')}) | 586 |",
    ]
    lead = render(pages.page("light/4"), WORLD, pages).pieces[0]
    light = Row("light", 4)
    name, keeper, lit = (WORLD.cell(light, column) for column in ("name", "keeper", "lit"))
    assert lead == Para(
        (
            Span("Dunmarrow is a lighthouse", (name,)),
            " kept by ",
            Link("Ilva Torrunce", pages.url("keeper/0"), (keeper,)),
            ", lit on ",
            Span("1902-05-09", (lit,)),
            ".",
        )
    )
    told = plain(render(pages.page("keeper/0"), WORLD, pages))
    assert "Ilva Torrunce is given as mentor by Maro Pellisk and Senna Quorley." in told


def test_sentences_with_a_reference_name_their_row(full):
    table = "phone" if "phone" in full.world.schema.tables else "shop"
    for n in range(40):
        page = full.page(f"{table}/{n}")
        name = full.world.title(page.subject)
        for piece in render(page, full.world, full).pieces:
            if isinstance(piece, Para) and page.subject:
                sentence = "".join(f"<{p.text}>" if isinstance(p, Link) else words_of((p,)) for p in piece.text)
                for part in re.split(r"(?<=\.) (?=[A-Z])", sentence):
                    assert "<" not in part or "·" in part or name in part, part


DOC = Doc(
    "https://a.example/x",
    "A & B <c>",
    "2029-01-02",
    (
        Heading(2, "One"),
        Para(("see ", Link("X & Y", "https://b.example/?a=1&b=2"), ".")),
        KeyValues((("Size (m)", ("3",)),)),
        Items((("a",), ("b",)), ordered=True),
        Grid(("H|1", "H2"), (((Link("k", "https://b.example/k"),), ("v|w",)),), "Cap"),
    ),
)


def test_markdown():
    assert markdown(DOC) == (
        "# A & B <c>\n\nUpdated 2029-01-02\n\n## One\n\nsee [X & Y](https://b.example/?a=1&b=2).\n\n"
        "- **Size (m)**: 3\n\n1. a\n2. b\n\nCap\n\n"
        "| H\\|1 | H2 |\n| --- | --- |\n| [k](https://b.example/k) | v\\|w |\n"
    )


def test_plain():
    assert plain(DOC) == (
        "A & B <c>\n\nUpdated 2029-01-02\n\nOne\n\nsee X & Y.\n\nSize (m): 3\n\n1. a\n2. b\n\nCap\nH|1\tH2\nk\tv|w\n"
    )


def test_the_extent_of_a_piece_is_its_length_in_markdown():
    alone = len(markdown(replace(DOC, pieces=())))
    for piece in DOC.pieces:
        assert abs(len(markdown(replace(DOC, pieces=(piece,)))) - alone - extent(piece)) <= 2, piece
    for page_id in IDS[::5]:
        doc = render(PAGES.page(page_id), WORLD, PAGES)
        head = len(markdown(replace(doc, pieces=())))
        assert len(markdown(doc)) == pytest.approx(head + sum(map(extent, doc.pieces)), abs=1 + len(doc.pieces))


@pytest.mark.parametrize("length", ["short", "web"])
def test_a_pages_length_is_known_before_it_is_rendered(length, full):
    pages = Pages(full.world, length)
    errors, sizes = [], []
    for page_id in pages.ids()[::3]:
        page = pages.page(page_id)
        text = markdown(render(page, pages.world, pages))
        errors.append(abs(page.size / len(text) - 1))
        sizes.append(len(text))
    errors.sort(), sizes.sort()
    assert errors[len(errors) // 2] < 0.03
    assert errors[len(errors) * 9 // 10] < 0.06
    middle, long = sizes[len(sizes) // 2], sizes[len(sizes) * 9 // 10]
    assert (1300 < middle < 1900) if length == "short" else (5000 < middle < 8000)
    assert (1900 < long < 2700) if length == "short" else (26_000 < long < 46_000)


def test_a_page_states_the_same_cells_at_any_length(full):
    web = Pages(full.world, "web")
    for page_id in full.ids()[::4]:
        short, long = full.page(page_id), web.page(page_id)
        assert (short.url, short.title, short.subject, short.head) == (long.url, long.title, long.subject, long.head)
        beside = {cell for block in long.blocks if block.kind == "neighbours" for cell in block.cells}
        assert set(short.cells) == set(long.cells) - (beside - set(short.cells))


@pytest.mark.parametrize("name", STYLES)
def test_every_style_says_the_same_and_can_be_held_out(name):
    among = [style.name for style in (LAYOUTS if name in {x.name for x in LAYOUTS} else VOICES)]
    alone = Pages(WORLD, without=[other for other in among if other != name])
    held = Pages(WORLD, without=[name])
    for page_id in IDS:
        page = alone.page(page_id)
        assert name in {page.look.layout.name, page.look.voice.name}
        other = held.page(page_id).look
        assert name not in {other.layout.name, other.voice.name}
        assert set(page.cells) == set(PAGES.page(page_id).cells)
        text = plain(render(page, WORLD, alone))
        assert all(holds(text, PAGES.words.show(cell)) for cell in page.cells), page_id


def test_html_is_escaped_whole_and_its_links_can_be_mapped():
    text = html(DOC, lambda url: url.replace("https://", "http://127.0.0.1/at/"))
    soup = BeautifulSoup(text, "html.parser")
    assert soup.title is not None
    assert soup.title.text == "A & B <c>"
    assert soup.find("c") is None
    assert [a["href"] for a in soup.find_all("a")] == [
        "http://127.0.0.1/at/b.example/?a=1&b=2",
        "http://127.0.0.1/at/b.example/k",
    ]
    assert [td.text for td in soup.find_all("td")] == ["3", "k", "v|w"]
    assert [li.text for li in soup.find_all("li")] == ["a", "b"]
    assert soup.time is not None
    assert soup.time["datetime"] == "2029-01-02"
    assert text.startswith("<!doctype html>")


def hits(pages: Pages, query: str) -> list:
    live = [page for page in map(pages.page, pages.ids()) if not page.dormant]
    return [render_hit(View(page, 1.0), i, query, pages.world, pages) for i, page in enumerate(live)]


def test_hits_have_the_lengths_of_the_web(full):
    found = hits(full, "which")
    snippets, titles = sorted(len(h.snippet) for h in found), sorted(len(h.title) for h in found)
    at = len(found)
    assert 115 <= snippets[at // 10] <= 140
    assert 138 <= snippets[at // 2] <= 155
    assert 155 <= snippets[at * 9 // 10] <= 175
    assert snippets[-1] <= 200
    assert 22 <= titles[at // 10] <= 36
    assert 42 <= titles[at // 2] <= 60
    assert 58 <= titles[at * 9 // 10] <= 72
    assert 0.55 < sum(h.snippet.endswith("...") for h in found) / at < 0.72
    assert 0.33 < sum(h.date is not None for h in found) / at < 0.5


def test_scores_fall_with_rank_alone():
    found = hits(PAGES, "x")
    assert [h.score for h in found] == [score(i) for i in range(len(found))]
    scores = [score(i) for i in range(60)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 0.95
    assert min(scores) >= 0.3


def test_a_hit_states_its_head_and_no_more(full):
    for page_id in full.ids():
        page = full.page(page_id)
        for query in ("price weight score", "fee length born"):
            shown = render_hit(View(page, 1.0), 3, query, full.world, full)
            text = f"{shown.title} {shown.snippet}"
            head = {full.words.show(c) for c in page.head.cells}
            for cell in page.head.cells:
                assert holds(text, full.words.show(cell)), (cell, text)
            for cell in set(page.cells) - set(page.head.cells):
                value = full.words.show(cell)
                if value not in head and len(value) > 2 and not isinstance(cell.value, bool):
                    named = any(value in other for other in head) or holds(full.world.schema.about, value)
                    assert named or not holds(text, value) or value in f"{PHRASES}", (cell, text)


def test_a_list_whose_rows_are_withheld_names_none():
    page = PAGES.page("years/0")
    bare = edited(page, lambda c: c.col == "year")
    assert render_hit(View(bare, 1.0), 0, "", WORLD, PAGES).snippet.startswith("Visits by year, 2026. ")
    assert render_hit(View(page, 1.0), 0, "", WORLD, PAGES).snippet.startswith(
        "Visits by year, 2026: Orvane Head, Varrow Point and others. "
    )
    short = replace(page, rows=page.rows[:2])
    assert render_hit(View(short, 1.0), 0, "", WORLD, PAGES).snippet.startswith(
        "Visits by year, 2026: Orvane Head, Varrow Point. "
    )


def test_a_hit_of_an_edited_head_states_the_key_only(full):
    for page_id in full.ids():
        page = full.page(page_id)
        if not page.subject:
            continue
        keys = full.world.schema.tables[page.subject.table].key
        bare = replace(page, head=replace(page.head, cells=tuple(c for c in page.head.cells if c.col in keys)))
        shown = render_hit(View(bare, 1.0), 0, "released price", full.world, full)
        for cell in set(page.head.cells) - set(bare.head.cells):
            value, known = full.words.show(cell), " ".join(map(full.words.show, bare.head.cells))
            assert value in known or not holds(shown.snippet, value)


def test_a_query_chooses_which_columns_a_snippet_names():
    page = PAGES.page("light/3")
    asked = render_hit(View(page, 1.0), 0, "how high is the range of Quillet Stack", WORLD, PAGES).snippet
    other = render_hit(View(page, 1.0), 0, "Quillet Stack stone", WORLD, PAGES).snippet
    assert asked.index("Range") < asked.index("·")
    assert other.index("Stone") < other.index("·")
    assert asked.split(".")[0] == other.split(".")[0]


def test_full_text_is_the_page():
    page = PAGES.page("light/3")
    assert render_hit(View(page, 1.0), 0, "x", WORLD, PAGES, full_text=True).text == markdown(
        render(page, WORLD, PAGES)
    )
    assert render_hit(View(page, 1.0), 0, "x", WORLD, PAGES).text is None


def test_the_renderer_answers_a_slice():
    plan_writer = PlanWriter(WORLD, PAGES)
    view = View(PAGES.page("light/3"), 2.0, 5)
    found = plan_writer.write(Slice(Call("web_search", "stack", page=2, k=5), (view,), more=False))
    assert isinstance(found, tuple)
    assert [h.score for h in found] == [score(5)]
    doc = plan_writer.write(Slice(Call("web_extractor", view.page.url), (view,), more=False))
    assert doc == render(view.page, WORLD, PAGES)


def test_scores_skip_no_rank_from_one_results_page_to_the_next(town):
    pages = Pages(town)
    index, plan_writer = Index(pages), PlanWriter(town, pages)
    for query in ("shops by street", "shop score", "street stall shop", "inspections of shops", "shop"):
        parts = [slice_for(pages, index, Call("web_search", query, n, 10)) for n in range(1, 9)]
        scores = [h.score for part in parts for h in plan_writer.write(part)]
        assert len(scores) > 20
        assert scores == [score(i) for i in range(len(scores))]


def test_pages_of_another_world_are_refused():
    with pytest.raises(AssertionError, match="cannot render"):
        render(PAGES.page("light/3"), isles(6), PAGES)


def test_a_hit_that_was_written_before_is_the_hit_that_would_be_written(town):
    pages = Pages(town)
    index, plan_writer = Index(pages), PlanWriter(town, pages)
    for level in (0, 1, 2, 1):
        for query in (
            "shops by street",
            "who keeps it and since when",
            "floor area and seats",
            "score",
            "shops by street",
        ):
            part = withhold(level)(pages, slice_for(pages, index, Call("web_search", query)), 5)
            fresh = tuple(render_hit(view, i, query, town, pages) for i, view in enumerate(part.views))
            assert plan_writer.write(part) == fresh


def test_a_snippet_never_ends_within_a_label(town):
    from worldsmith.pages.renderer.snippets import _broken

    labels = "Street lamps · Shops · Age of the oldest resident · Floor."
    seen = {_broken("A (street).", [labels, "Checked by the desk. And more of it."], n) for n in range(30, 110)}
    whole = {"Street lamps", "Shops", "Age of the oldest resident", "Floor"}
    for text in seen:
        told = text.removeprefix("A (street).").removesuffix(" ...").split("Checked")[0].strip().removesuffix(".")
        assert set(told.split(" · ")) - {""} <= whole, text
