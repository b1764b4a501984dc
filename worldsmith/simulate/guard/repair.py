"""Repairs a model's draft: rejected statements are deleted, missing facts are written by our renderer."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.types import Block, Doc, Grid, Inline, Items, KeyValues, Link, Page, Para, Piece, Text, plain_part
from worldsmith.simulate.guard.documents import Reader, links_of
from worldsmith.simulate.guard.guard import Guard
from worldsmith.simulate.guard.hits import misfits
from worldsmith.simulate.guard.text import clean
from worldsmith.simulate.protocol import Draft, Reason, Rejection, Result, Slice, View
from worldsmith.world.model import Cell


def repaired(guard: Guard, pages: Pages, draft: Draft, own: Draft, slice_: Slice) -> tuple[Draft, Mapping[str, int]]:
    """Return the draft to be served, and how often each branch was taken; `own`, ours, where none of it is accepted."""
    if length_objection(draft, own):
        return own, {"too_long": 1, "fallback": 1}
    if isinstance(own, Doc):
        if not isinstance(draft, Doc):
            return own, {"fallback": 1}
        return _document(guard, pages, draft, own, slice_)
    if isinstance(draft, Doc):
        return own, {"fallback": 1}
    return _results(guard, pages, draft, own, slice_)


def without_rejected(guard: Guard, pages: Pages, own: Draft, slice_: Slice) -> tuple[Draft, Slice] | None:
    """Return our own draft without what the guard rejects of it, and its slice; None where a page can't do without.

    A hit keeps its snippet without its full text, or its title for a snippet, or goes.
    """
    if isinstance(own, Doc):
        doc, _ = _document(guard, pages, own, own, slice_)
        return None if doc is own else (doc, slice_)
    kept: list[tuple[Result, View]] = []
    for hit, view in zip(own, slice_.views, strict=True):
        ways = (hit, replace(hit, text=None), replace(hit, snippet=hit.title, text=None))
        stands = next((one for one in ways if all(v.ok for v in guard.hit(one, view, slice_.call.arg))), None)
        kept += [(stands, view)] if stands else []
    return tuple(hit for hit, _ in kept), replace(slice_, views=tuple(view for _, view in kept))


READ = 20_000
"""Characters of a page that are judged."""
TIMES = 3
"""How much longer than our own a model's page may be, beyond `FREE` characters."""
FREE = 2_000
SNIPPET = 600
"""Characters of a hit's title and snippet."""


def length_objection(draft: Draft, own: Draft) -> Rejection | None:
    """Return what is wrong with a draft that is too long to be read at all, beside our own; None where it isn't."""
    if isinstance(draft, Doc) or isinstance(own, Doc):
        if not (isinstance(draft, Doc) and isinstance(own, Doc)):
            return None  # of another sort: not read either
        size, most = len(markdown(draft)), min(READ, FREE + TIMES * len(markdown(own)))
        return _over(f"page of {size} characters", size, most)
    size = max((len(result.title) + len(result.snippet) for result in draft), default=0)
    return _over(f"hit of {size} characters", size, SNIPPET) or _over(
        f"list of {len(draft)} hits", len(draft), 2 * len(own) + 10
    )


def _over(what: str, size: int, most: int) -> Rejection | None:
    return Rejection(Reason.FORM, f"is a {what}, at most {most} are read") if size > most else None


def _results(
    guard: Guard, pages: Pages, draft: tuple[Result, ...], own: tuple[Result, ...], slice_: Slice
) -> tuple[Draft, Mapping[str, int]]:
    """Keep the accepted hits, in the slice's order; address, date, score and full text are always our own."""
    counts: Counter[str] = Counter()
    wrote = {pages.by_url(result.url): result for result in reversed(draft)}
    query = slice_.call.arg
    mixed = {
        view.page.id: replace(theirs, url=ours.url, date=ours.date, score=ours.score, text=ours.text)
        for view, ours in zip(slice_.views, own, strict=True)
        if (theirs := wrote.get(view.page.id)) is not None
    }
    pairs = [(mixed[view.page.id], view) for view in slice_.views if view.page.id in mixed]
    unfit = {result.url for result, _ in misfits(pages, pairs, own)}
    kept: list[Result] = []
    for view, ours in zip(slice_.views, own, strict=True):
        theirs = mixed.get(view.page.id)
        if theirs is None:
            counts["hit_missing"] += 1
            kept.append(ours)
            continue
        stands = theirs.url not in unfit and all(v.ok for v in guard.hit(theirs, view, query))
        counts["hit_kept" if stands else "hit_replaced"] += 1
        kept.append(theirs if stands else ours)
    # What stands in for a model's hit is ours: one with a defect is for the caller, who tells it from a model's.
    if any(
        r is o and not all(v.ok for v in guard.hit(o, view, query))
        for r, o, view in zip(kept, own, slice_.views, strict=True)
    ):
        return own, {**counts, "fallback": 1}
    split = {v.text for v in guard.reply(kept, slice_) if not v.ok}
    if split:
        counts["reply_split"] += 1
        return own, {**counts, "fallback": 1}
    if not counts["hit_kept"]:
        return own, {**counts, "fallback": 1}
    return tuple(kept), {**counts, "model": 1}


def _document(guard: Guard, pages: Pages, draft: Doc, own: Doc, slice_: Slice) -> tuple[Draft, Mapping[str, int]]:
    """Delete the statements that are rejected, then add our blocks for the cells that are lacking."""
    view = slice_.views[0]
    counts: Counter[str] = Counter()
    reader = guard.read(replace(draft, pieces=()), view.page)
    title = draft.title if draft.title and reader.verdicts and reader.verdicts[0].ok else own.title
    pieces = list(_accepted_pieces(draft, reader, counts))
    doc = Doc(own.url, title, own.date, tuple(pieces))
    lacking = guard.read(doc, view.page).missing(guard.required_cells(view.page))
    if lacking:
        blocks = tuple(
            _block_of(b, lacking, view.page, pages)
            for b in view.page.blocks
            if any(cell in b.cells for cell in lacking)
        )
        ours = render(replace(view.page, blocks=blocks), guard.world, pages)
        counts["block_replaced"] += len(blocks)
        doc = replace(doc, pieces=(*doc.pieces, *ours.pieces))
    if not pieces or not all(v.ok for v in guard.doc(doc, view, "")):
        return own, {**counts, "fallback": 1}
    if draft is not own:  # a model's document is read for what it states, ours within it likewise
        doc = replace(doc, pieces=tuple(_mapped(piece, _unmarked) for piece in doc.pieces))
    return doc, {**counts, "model": 1}


def _block_of(block: Block, lacking: Collection[Cell], page: Page, pages: Pages) -> Block:
    """Return a block that tells what is lacking: all of a plain one, the cells themselves of one that a bank writes.

    The rows' keys and references go with them: they say whose cells these are.
    """
    if not (block.by and pages.voice):
        return block
    rows = {page.subject, *(cell.row for cell in lacking)}
    tables, columns = pages.world.schema.tables, pages.words.columns
    kept = tuple(
        cell
        for cell in block.cells
        if cell in lacking
        or (cell.row in rows and (cell.col in tables[cell.row.table].key or columns[cell.row.table, cell.col].ref))
    )
    return replace(block, cells=kept)


def _accepted_pieces(draft: Doc, reader: Reader, counts: Counter[str]) -> Iterator[Piece]:
    """Yield the pieces of a draft without what is rejected of each, read one after the other."""
    for piece in draft.pieces:
        if any(link.url not in reader.links for link in links_of(piece)):
            counts["link_dropped"] += 1
        unlinked = _unlinked(piece, reader.links)
        if reader.goes_on(unlinked):
            yield unlinked
            continue
        counts["statement_deleted"] += 1
        kept = _accepted_part(unlinked, reader)
        if kept is not None:
            yield kept


def _accepted_part(piece: Piece, reader: Reader) -> Piece | None:
    """Return a rejected piece without what is rejected of it; None where nothing is left."""
    match piece:
        case Para(text):
            kept = _sentences(text, reader)
            return Para(kept) if kept else None
        case KeyValues(pairs):
            good = tuple(pair for pair in pairs if reader.goes_on(KeyValues((pair,))))
            return KeyValues(good) if good else None
        case Items(items, ordered):
            stands = tuple(item for item in items if reader.goes_on(Items((item,))))
            return Items(stands, ordered) if stands else None
        case Grid(header, rows, caption):
            left = tuple(row for row in rows if reader.goes_on(Grid(header, (row,), caption)))
            return Grid(header, left, caption) if left else None
    return None


def _sentences(text: Text, reader: Reader) -> Text:
    """Keep the accepted sentences, without their links: positions are those of the cleaned text."""
    plain = clean(words_of(text))
    good = [plain[a:b] for a, b in reader.units(plain) if reader.goes_on(Para((plain[a:b],)))]
    ended = [s if s[-1:] in ".!?:" else f"{s}." for s in (g.strip() for g in good) if s]
    return (" ".join(ended),) if ended else ()


def _unlinked(piece: Piece, allowed: frozenset[str]) -> Piece:
    def bare(part: Inline) -> Inline:
        return part.text if isinstance(part, Link) and part.url not in allowed else part

    return _mapped(piece, bare)


def _unmarked(part: Inline) -> Inline:
    """Return a piece of our text without its cells."""
    return Link(part.text, part.url) if isinstance(part, Link) else plain_part(part)


def _mapped(piece: Piece, change: Callable[[Inline], Inline]) -> Piece:
    def text(parts: Text) -> Text:
        return tuple(map(change, parts))

    match piece:
        case Para(content):
            return Para(text(content))
        case KeyValues(pairs):
            return KeyValues(tuple((label, text(value)) for label, value in pairs))
        case Items(items, ordered):
            return Items(tuple(text(item) for item in items), ordered)
        case Grid(header, rows, caption):
            return Grid(header, tuple(tuple(text(cell) for cell in row) for row in rows), caption)
    return piece
