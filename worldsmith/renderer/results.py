"""A search hit from the head block of a page: title, snippet, date, and a score that is a function of rank alone.

Lengths follow what 588 real searches showed (`pages.kinds`). A query biases a snippet only in which labels
it names and in which order: never in a value, never in what is left out.
"""

import re
from functools import lru_cache

from worldsmith.pages import Page, Pages, Para
from worldsmith.pages.grammar import listing, lower
from worldsmith.pages.kinds import SNIPPET, byte, quantile
from worldsmith.pages.lists import ListKind
from worldsmith.pages.words import capital
from worldsmith.renderer.document import Desk, by_row, guide, render, title
from worldsmith.renderer.emit import markdown
from worldsmith.seeding import draw
from worldsmith.slices import Result, View
from worldsmith.world import World

ELLIPSIS = 63
"""Per cent of snippets that break off."""
TITLE_MOST = 70
"""Characters a title at most, unless its name alone is longer."""
_WORD = re.compile(r"\w+")


def score(rank: int) -> float:
    """Return the published score of rank 0, 1, …: 0.95 falling to 0.3."""
    return round(0.3 + 0.65 * 0.93**rank, 4)


@lru_cache(maxsize=1024)
def _query_words(query: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(query.lower()))


def hit(view: View, rank: int, query: str, world: World, pages: Pages, full_text: bool = False) -> Result:
    """Return the hit of a view at `rank` (from 0, over all results pages), from its head block alone.

    `full_text` adds the page's Markdown, to which the whole page's cells then belong.
    """
    page = view.page
    text = markdown(render(page, world, pages)) if full_text else None
    chance = draw(world.seed, "hit", page.id)
    return Result(page.url, _title(page, pages, chance), snippet(page, query, pages), page.date, score(rank), text)


def _title(page: Page, pages: Pages, chance: int) -> str:
    name = title(page, page.head.cells, pages)
    site = f"{name} | {pages.site(page.id).name}"
    if len(site) <= TITLE_MOST and page.head.variant & 1:
        return site
    if len(name) <= TITLE_MOST:
        return name
    return f"{name[: TITLE_MOST - 4].rsplit(' ', 1)[0]} ..."


def snippet(page: Page, query: str, pages: Pages) -> str:
    """Return the text of a hit: what the head's cells say, then phrases without a cell, to a drawn length."""
    chance = draw(pages.world.seed, "snippet", page.id)
    length = quantile(SNIPPET, byte(chance, 0) / 255)
    stated = _stated(page, pages)
    asides = [*_covers(page, query, pages, chance), *_asides(page, pages, chance)]
    if byte(chance, 1) * 100 < ELLIPSIS * 256:
        return _broken(stated, asides, length)
    return _whole(stated, asides, length)


def _stated(page: Page, pages: Pages) -> str:
    """Return the sentence of the head's cells; empty where it has none."""
    desk, words, rows = Desk(page, pages), pages.words, by_row(page.head.cells)
    kind = pages.kinds[page.kind]
    if not rows:
        return ""
    if page.subject is None:
        names = [", ".join(desk.keys(row.table, {k: c for k, c in cells.items() if k != getattr(kind, "by", "")}))
                 for row, cells in rows.items()]
        scope = title(page, page.head.cells, pages).removesuffix(" (continued)") if isinstance(kind, ListKind) else ""
        start = scope or desk.say("All {many}")
        return f"{start.replace(': ', ', ', 1)}: {', '.join(n for n in names if n)} and others."
    row, cells = next(iter(rows.items()))
    form = pages.world.schema.tables[row.table]
    name = desk.name(row, cells)
    name = name if len(form.key) == 1 else name.removeprefix("the ")
    told = [f"{lower(words.columns[row.table, c].label)} {words.measure(v)}" for c, v in cells.items() if c not in form.key]
    return f"{capital(name)}: {'; '.join(told)}." if told else f"{capital(name)}."


def _covers(page: Page, query: str, pages: Pages, chance: int) -> list[str]:
    """Return a sentence that names what the page tells beyond its head, what the query asks for first."""
    columns, form = pages.words.columns, None
    shown = {(cell.row.table, cell.col) for cell in page.head.cells}
    row = page.subject or next((cell.row for cell in page.cells), None)
    if row is None or not page.head.cells:
        return []
    form = pages.world.schema.tables[row.table]
    there = dict.fromkeys((c.row.table, c.col) for block in page.blocks for c in block.cells if c.row.table == row.table)
    names = [p for p in there if p not in shown and p[1] not in form.key and columns[p].type != "bool"]
    labels = [lower(columns[p].label) for p in names]
    if not labels:
        return []
    turn = byte(chance, 2) % len(labels)
    labels = labels[turn:] + labels[:turn]
    asked = _query_words(query)
    wanted = [l for l in labels if asked.intersection(w.removesuffix("s") for w in _WORD.findall(l.lower()))]
    labels = list(dict.fromkeys([*wanted, *labels]))[: 3 + byte(chance, 3) % 2]
    noun = "The list covers" if page.subject is None else "The entry covers"
    return [f"{noun} {listing(labels)}."]


def _asides(page: Page, pages: Pages, chance: int) -> list[str]:
    """Return the cell-free sentences that may fill the snippet, in a drawn order; a background page's own first."""
    desk, phrases = Desk(page, pages), pages.words.phrases.asides
    own = [str(p.text[0]) for b in page.blocks if b.kind == "guide" for p in guide(desk, b) if isinstance(p, Para)]
    turn = byte(chance, 4)
    return own + [desk.say(phrases[(turn + 5 * i) % len(phrases)]) for i in range(len(phrases))]


def _broken(stated: str, asides: list[str], length: int) -> str:
    """Return a text that breaks off between two words after what is stated, at about `length`."""
    text = stated
    for aside in asides:
        if len(text) >= length:
            break
        text = f"{text} {aside}" if text else aside
    if len(text) <= length:
        return text
    return f"{text[: max(length - 4, len(stated))].rsplit(' ', 1)[0] if len(stated) < length - 4 else stated} ..."


def _whole(stated: str, asides: list[str], length: int) -> str:
    """Return whole sentences, as near to `length` as they fit."""
    text, left = stated, [aside for aside in asides if len(aside) < 130]
    while left:
        room = length + 6 - len(text)
        fitting = [aside for aside in left if len(aside) < room]
        if not fitting:
            break
        best = fitting[0] if room > 80 else max(fitting, key=len)
        left.remove(best)
        text = f"{text} {best}" if text else best
    return text
