"""Hits compared with their pages and each other: titles and snippets fit their pages, and no two hits are alike."""

from collections.abc import Iterator, Mapping, Sequence

from worldsmith.lang.stems import stem
from worldsmith.pages import Pages
from worldsmith.pages.titles import title
from worldsmith.pages.types import Page
from worldsmith.simulate.guard.boilerplate_words import META
from worldsmith.simulate.guard.text import clean, squeezed, tokens
from worldsmith.simulate.protocol import Reason, Rejection, Result, Verdict, View

Pair = tuple[Result, View]
"""A model's hit and the page it is of."""
ALIKE = 3
"""Hits of different subjects that share a snippet, at least, where not all hits do: two may be told alike."""


def misfits(pages: Pages, pairs: Sequence[Pair], own: Sequence[Result]) -> Iterator[tuple[Result, Verdict]]:
    """Yield the hits of a model that do not fit, with what is wrong; `own` are ours of the same reply, which all do."""
    ours = {result.url: result for result in own}
    titles, snippets = _sharers(pairs, "title"), _sharers(pairs, "snippet")
    for result, view in pairs:
        mine = ours[view.page.url]
        if result.title != mine.title:
            twice = len(titles[squeezed(result.title)]) > 1
            if twice or not _names_its_subject(result.title, view.page, pages):
                why = "is the title of another result too" if twice else "does not name its page"
                yield result, Rejection(Reason.MISFIT, why).of("title", result.title)
        if result.snippet != mine.snippet:
            shared = len(snippets[squeezed(result.snippet)])
            twice = shared >= ALIKE or (shared > 1 and len(snippets) == 1)
            if twice or not _stems(_without_chrome(result.snippet, view.page, pages)):
                why = "is the snippet of other results too" if twice else "says nothing of its page"
                yield result, Rejection(Reason.MISFIT, why).of("snippet", result.snippet)


def _sharers(pairs: Sequence[Pair], field: str) -> Mapping[str, set[object]]:
    """Return what the pages are about, rows or lists of a table, whose hits have the same title or snippet."""
    subjects_by_text: dict[str, set[object]] = {}
    for result, view in pairs:
        subjects_by_text.setdefault(squeezed(getattr(result, field)), set()).add(view.page.subject or view.page.table)
    return subjects_by_text


def _without_chrome(text: str, page: Page, pages: Pages) -> str:
    for phrase in (pages.site(page.id).name, pages.world.schema.about):
        text = text.replace(phrase, " ")
    return text


def _names_its_subject(text: str, page: Page, pages: Pages) -> bool:
    """Whether a title has a word of the key of a page's subject, else of what the page is called."""
    schema = pages.world.schema
    if page.subject is not None:
        key = schema.tables[page.subject.table].key
        cells = [c for c in page.head.cells if c.row == page.subject and c.col in key]
        names = _stems(" ".join(pages.words.show(cell) for cell in cells))
    else:
        nouns = f"{schema.tables[page.table].singular} {schema.tables[page.table].plural}" if page.table else ""
        called = _stems(f"{title(page, page.head.cells, pages.words)} {nouns}")
        names = frozenset(word for word in called if word not in META) or called
    return not names or not names.isdisjoint(_stems(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(clean(text)) if len(word) >= 3 or word.isdigit())
