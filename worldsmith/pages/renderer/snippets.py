"""A search hit from the head block of a page: title, snippet, date, and a score that is a function of rank alone.

Lengths follow what 588 real searches showed (`pages.page_kind`). A query biases a snippet only in which labels
it names and in which order: never in a value, never in what is left out.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from worldsmith.cache import keep
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import PHRASES, capital
from worldsmith.pages import Page, Pages
from worldsmith.pages.page_kind import SNIPPET, TITLE, byte, quantile
from worldsmith.pages.renderer.block_context import Desk
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.renderer.written import passage, written_title
from worldsmith.pages.titles import NAME, called, heading, keys, part
from worldsmith.pages.types import Chunk, Topics, WrittenHit, by_row
from worldsmith.seeding import draw

ELLIPSIS = 63
"""Per cent of snippets that break off."""
TITLE_MOST = 70
"""Characters a title at most, unless its name alone is longer."""
BARE = 8
"""Characters that what follows a title has at least."""
NEAR = 5
"""Characters that a title may miss its length by before what follows its name is broken off."""
LEAST = 128
"""Characters that a snippet aims at, at least: sentences are seldom as long as one wishes."""
MEMO = 1024
"""Hits of natural pages kept: those of all pages of a world of ordinary size, about 1 kB each."""
NONE: frozenset[str] = frozenset()
QUERY = 2000
"""Characters of a query that bias a snippet."""
_WORD = re.compile(r"\w+")


SCORES = tuple(round(0.3 + 0.65 * 0.93**rank, 4) for rank in range(100))
"""The published scores of ranks, from 0.95 falling to 0.3."""


def score(rank: int) -> float:
    """Return the published score of a rank, from 0."""
    return SCORES[rank] if rank < len(SCORES) else 0.3


@lru_cache(maxsize=2048)
def _query_words(query: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(query.lower()))


Texts = tuple[str, str]
"""Title and snippet."""


def texts(page: Page, query: str, pages: Pages) -> Texts:
    """Return title and snippet of a hit; they hang on the page and on `cues(page, query)`."""
    if page.head.by:
        return written_hit(page, pages).texts
    chance = draw(pages.world.seed, "snippet", page.id)
    return _title(page, pages, chance), _snippet(page, query, pages, chance)


def written_hit(page: Page, pages: Pages) -> WrittenHit:
    """Return a natural page's hit; kept, since its text and its spans are asked for apart."""
    key = (page.id, page.title, page.head)
    return pages.hits.get(key) or keep(pages.hits, key, _written_hit(page, pages), MEMO)


def _written_hit(page: Page, pages: Pages) -> WrittenHit:
    assert pages.voice is not None
    desk, chance = Desk(page, pages), draw(pages.world.seed, "snippet", page.id)
    title = written_title(desk, page.head, page.head.cells)
    passages = passage(desk, quantile(SNIPPET, byte(chance, 0) / 255))
    between = " … " if pages.voice.pages[page.head.by].source.form == "thread" else " "
    hit_texts = words_of(title) + part(page), between.join(map(words_of, passages))
    spans = [(p.text, p.cells) for text in (title, *passages) for p in text if not isinstance(p, str)]
    return WrittenHit(hit_texts, tuple(spans))


def hit_spans(page: Page, pages: Pages) -> tuple[Chunk, ...]:
    """Return the spans of a natural page's hit with the cells that each states; none where no bank writes the hit."""
    return written_hit(page, pages).spans if page.head.by else ()


def cues(page: Page, query: str) -> frozenset[str]:
    """Return the words of a query that a snippet of the page depends on: those of the labels it may name.

    Natural snippets depend on none.
    """
    if page.head.by:
        return NONE
    words, labels = _query_words(query[-QUERY:]), _label_words(page.topics)  # operators stand before the words
    return NONE if words.isdisjoint(labels) else words & labels


@lru_cache(maxsize=512)
def _label_words(topics: Topics) -> frozenset[str]:
    return frozenset(word for _, label in topics for word in _query_words(label))


def _title(page: Page, pages: Pages, chance: int) -> str:
    """Return the title of a hit: the page's, then the site's and the table's names as far as a drawn length asks for.

    What follows the page's own title stands behind a bar and holds no cell; it breaks off, as a tagline does, where
    the title would be too long.
    """
    name, ending = heading(page, page.head.cells, pages.words), part(page)
    if len(name) + len(ending) > TITLE_MOST:
        # What follows a row's name is a column's label, half of which ("its oldest") would say something else, or a
        # tagline, of which any part will do.
        before, named, after = page.title.rpartition(NAME)
        label = after if named and (before or not after.startswith(": ")) else ""
        room = min(TITLE_MOST - 4 - len(ending), len(name) - len(label) + 1)
        return f"{name[:room].rsplit(' ', 1)[0]} ...{ending}"
    own, site = name + ending, pages.site(page.id).name
    length = quantile(TITLE, byte(chance, 6) / 255)
    wholes = (own, f"{own} | {site}", f"{own} | {pages.words.say(page.table, '{Many}')} | {site}")
    best = min(wholes, key=lambda text: (abs(len(text) - length), len(text)))
    if abs(len(best) - length) <= NEAR or len(wholes[-1]) < length or len(own) < length < len(own) + BARE:
        return best
    longer = next(text for text in wholes if len(text) > length)
    tagline = own.find(": ") + 2 if page.subject and page.title.startswith(f"{NAME}: ") else len(own) + 2
    cuts = [gap.start() for gap in re.finditer("(?<! [Tt]he) ", longer) if gap.start() > tagline]
    return f"{longer[: min(cuts, key=lambda cut: abs(cut + 4 - length))]} ..." if cuts else best


def _stated(page: Page, pages: Pages, query_cues: frozenset[str]) -> str:
    """Return the sentence of the head's cells, those asked for first; empty where it has none."""
    words, rows = pages.words, by_row(page.head.cells)
    if not rows:
        return ""
    if page.subject is None:
        names = [
            ", ".join(keys(words, row.table, {k: c for k, c in cells.items() if k != page.scope}))
            for row, cells in rows.items()
        ]
        start = heading(page, page.head.cells, words) if page.scope else words.say(page.table, "All {many}")
        start, listed = start.replace(": ", ", ", 1), ", ".join(name for name in names if name)
        more = " and others" if len(names) < len(page.rows) else ""
        return f"{start}: {listed}{more}." if listed else f"{start}."
    row, cells = next(iter(rows.items()))
    form = pages.world.schema.tables[row.table]
    name = called(words, row, cells)
    name = name if len(form.key) == 1 else name.removeprefix("the ")
    labels = {c: lower(words.columns[row.table, c].label) for c in cells if c not in form.key}
    first = sorted(labels, key=lambda c: query_cues.isdisjoint(_query_words(labels[c])))
    parts = [f"{labels[c]} {words.measure(cells[c])}" for c in first]
    if parts:
        return f"{capital(name)}: {'; '.join(parts)}."
    return f"{capital(name)} ({form.singular})." if len(form.key) == 1 else f"{capital(name)}."


def _snippet(page: Page, query: str, pages: Pages, chance: int) -> str:
    """Return the text of a hit: what the head's cells say, then phrases without a cell, to a drawn length."""
    query_cues = cues(page, query)
    length = max(quantile(SNIPPET, byte(chance, 0) / 255), LEAST)
    stated = _stated(page, pages, query_cues)
    asides = chain(_topics(page, query_cues, chance), _asides(page, pages, chance))
    if byte(chance, 1) * 100 < ELLIPSIS * 256:
        return _broken(stated, asides, length)
    return _whole(stated, asides, length)


def _topics(page: Page, query_cues: frozenset[str], chance: int) -> list[str]:
    """Return the labels of what the page tells beyond its head, those in the query first, as one text."""
    head = {(cell.row.table, cell.col) for cell in page.head.cells}
    labels = [label for place, label in page.topics if place not in head]
    if not labels:
        return []
    turn = byte(chance, 2) % len(labels)
    labels = labels[turn:] + labels[:turn]
    if query_cues:
        labels.sort(key=lambda label: query_cues.isdisjoint(_query_words(label)))
    return [f"{' · '.join(dict.fromkeys(labels[: 3 + byte(chance, 3) % 3]))}."]


def _asides(page: Page, pages: Pages, chance: int) -> Iterator[str]:
    """Yield the cell-free sentences that may fill the snippet, in a drawn order; a background page's own first."""
    fitting = PHRASES.asides + (PHRASES.entry_asides if page.subject else ())
    turn, step = byte(chance, 4), 1 + byte(chance, 5) % (len(fitting) - 1)
    for block in page.blocks:
        if block.kind == "guide":
            yield from pages.background(block.variant)
    for i in dict.fromkeys([(turn + step * i) % len(fitting) for i in range(len(fitting))]):
        yield pages.words.say(page.table, fitting[i])


def _broken(stated: str, asides: Iterable[str], length: int) -> str:
    """Return a text that breaks off between two words, after what is stated, at about `length`.

    In a list of labels it breaks off between two labels: half of "Age of the oldest resident" would claim something.
    """
    text, cuts = stated, [len(stated)] if stated else []
    for aside in asides:
        start = len(text) + bool(text)
        text = f"{text} {aside}" if text else aside
        cuts += (start + gap.start() for gap in re.finditer(" · " if " · " in aside else " ", aside))
        if len(text) > length + 8:
            break
        cuts.append(len(text))
    return f"{text[: min(cuts, key=lambda cut: abs(cut + 4 - length))]} ..."


def _whole(stated: str, asides: Iterable[str], length: int) -> str:
    """Return whole sentences, as near to `length` as they fit."""
    text, left = stated, [aside for aside in asides if len(aside) < 140]
    while left:
        room = length - len(text) - 1
        fitting = [aside for aside in left if len(aside) < room + 8]
        if room < 6 or not fitting:
            break
        best = fitting[0] if room > 75 else min(fitting, key=lambda aside: abs(len(aside) - room))
        left.remove(best)
        text = f"{text} {best}" if text else best
    return text
