"""What others read from our pages: usual extractors of text, and links that lead somewhere."""

import re
from collections.abc import Callable
from pathlib import Path

import html2text
import pytest
import trafilatura
from bs4 import BeautifulSoup

from worldsmith import scoring
from worldsmith.generation import generate
from worldsmith.pages import Doc, Grid, Items, KeyValues, Link, Pages, Para
from worldsmith.pages.renderer import html, markdown, render
from worldsmith.schema import load_schema
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator

SCHEMAS = ("company", "films", "hospital", "league", "railway", "smartphones", "town", "university")
BUTTONS = frozenset(("Google",))
"""Texts that trafilatura drops where they stand alone in a table's cell: it takes them for a button that shares."""


def bare(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\\|", "|").replace("**", "").replace("\\", ""))


def by_html2text(page: str) -> str:
    reader = html2text.HTML2Text()
    reader.ignore_links, reader.body_width = True, 0
    return reader.handle(page)


def by_markdown(doc: Doc) -> str:
    return re.sub(r"\]\(https://[^)]*\)", "", markdown(doc)).replace("[", "")


READERS: dict[str, Callable[[str], str]] = {
    "trafilatura": lambda page: trafilatura.extract(page) or "",
    "html2text": by_html2text,
    "bs4": lambda page: BeautifulSoup(page, "html.parser").get_text(" "),
}


def holds(text: str, shown: str) -> bool:
    first, rest = re.escape(shown[:1]), re.escape(shown[1:])  # a sentence may start with it
    return re.search(rf"(?<![\w.,-])(?i:{first}){rest}(?![\w-]|[.,]\d)", text) is not None


def lost(pages: Pages, page_id: str, readers: dict[str, Callable[[str], str]]) -> list[tuple[str, str, str]]:
    """Return (reader, page, value) of each cell of a page that a reader does not find."""
    page = pages.page(page_id)
    doc = render(page, pages.world, pages)
    whole = html(doc)
    texts = {name: bare(read(whole)) for name, read in readers.items()} | {"markdown": bare(by_markdown(doc))}
    found = []
    for cell in page.cells:
        shown = bare(pages.words.show(cell))
        assert scoring.is_right(shown, cell.value, pages.words.answers[cell.row.table, cell.col])
        found += [
            (name, page_id, shown)
            for name, text in texts.items()
            if not holds(text, shown) and not (name == "trafilatura" and shown in BUTTONS)
        ]
    return found


def links(doc: Doc) -> list[Link]:
    texts = []
    for piece in doc.pieces:
        match piece:
            case Para(text):
                texts.append(text)
            case KeyValues(pairs):
                texts += [text for _, text in pairs]
            case Items(items):
                texts += items
            case Grid(rows=rows):
                texts += [text for row in rows for text in row]
    return [part for text in texts for part in text if isinstance(part, Link)]


def world_pages(name: str, seed: int, length: str) -> Pages:
    path = Path(__file__).parent.parent / "schemas" / f"{name}.toml"
    return Pages(generate(load_schema(path), seed), length)


@pytest.mark.parametrize("length", ["short", "web"])
@pytest.mark.parametrize("name", ["league", "town"])
def test_every_reader_finds_every_cell_of_pages_of_every_kind(name, length):
    pages = world_pages(name, 11, length)
    for kind in pages.kinds.values():
        for n in list(kind.numbers)[:2]:
            assert lost(pages, f"{kind.name}/{n}", READERS) == []


def test_a_short_list_of_short_links_is_no_menu_to_readers():
    pages = world_pages("hospital", 1, "short")
    doc = render(pages.page("conduct/0"), pages.world, pages)
    assert ">II</a></p>" in html(doc)
    assert "<li>" not in html(doc)
    assert "- Phase: II\n" in by_markdown(doc)
    assert lost(pages, "conduct/0", READERS) == []


@pytest.mark.parametrize(
    ("text", "shown", "there"),
    [
        ("Psychiatry is headed by her.", "psychiatry", True),
        ("the Psychiatry", "psychiatry", True),
        ("PSYCHIATRY", "psychiatry", False),
        ("Neuropsychiatry", "psychiatry", False),
        ("phase III", "II", False),
    ],
)
def test_a_value_is_there_whole_and_may_start_a_sentence(text, shown, there):
    assert holds(text, shown) is there


@pytest.mark.parametrize("length", ["short", "web"])
def test_every_link_leads_to_a_page_that_can_be_read(length):
    pages = world_pages("films", 11, length)
    live = {page_id for page_id in pages.ids() if not pages.page(page_id).dormant}
    for page_id in pages.ids():
        for link in links(render(pages.page(page_id), pages.world, pages)):
            assert pages.by_url(link.url) in live, (page_id, link)


def test_a_long_page_is_read_in_parts_each_saying_that_there_is_more(town):
    simulator = Simulator(town, strict=True)
    address = Address(town.id, "web")
    pages = Pages(town, "web")
    page = max((p for p in map(pages.page, pages.ids()) if not p.dormant), key=lambda p: p.size)
    whole = simulator.call(address, Call("web_extractor", page.url))
    assert len(whole.text) > 30_000
    assert whole.next_offset is None
    text, offset, parts = "", 0, 0
    while offset is not None:
        seen = simulator.call(address, Call("web_extractor", page.url, offset=offset, max_chars=4000))
        assert len(seen.text) <= 4000
        assert seen.more == (seen.next_offset is not None)
        text, offset, parts = text + seen.text, seen.next_offset, parts + 1
    assert text == whole.text
    assert parts > 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", SCHEMAS)
def test_fifty_worlds_are_read_whole(name, seed):
    pages = world_pages(name, seed, "short")
    simulator = Simulator(pages.world, pages=pages, strict=True)
    address = Address(pages.world.id)
    readers = {"trafilatura": READERS["trafilatura"]}
    for page_id in pages.ids():
        assert lost(pages, page_id, readers) == []
        if not pages.page(page_id).dormant:
            assert simulator.call(address, Call("web_extractor", pages.url(page_id))).status == "ok"
