"""Blocks without a cell: sections of prose, comments, links to other pages, notices, who wrote it."""

from worldsmith.lang.english import ENGLISH
from worldsmith.pages import Block, Heading, Inline, Link, Para, Piece
from worldsmith.pages.prose import SECTION, mixed
from worldsmith.pages.renderer.block_context import Desk, flat, joined
from worldsmith.pages.renderer.sentences import handle

POST = 330
"""Characters of a comment, about."""


def text(desk: Desk, block: Block, room: int) -> list[Piece]:
    """Sections on one theme each that fill `room` characters; the first has no heading where it opens the page."""
    prose, voice = desk.pages.prose(desk.page.table), desk.page.look.voice
    names = [theme.name for theme in prose.grammar.language.neutral]
    turn = block.variant % len(names)
    names = [*([block.by] if block.by else []), *names[turn:], *names[:turn]]
    count = max(1, min(len(names), room // SECTION))
    out: list[Piece] = []
    for i, name in enumerate(names[:count]):
        chance = mixed(block.variant + i)
        part = room // (count - i)
        if not (i == 0 and (block.by or part < 240)):
            head = prose.heading(name, chance >> 8)
            out.append(Heading(2, head))
            part -= len(head) + 5
            room -= len(head) + 5
        section = prose.paragraphs(name, chance, part, voice)
        out += [Para((paragraph,)) for paragraph in section]
        room -= sum(len(paragraph) + 2 for paragraph in section)
    return out


def comments(desk: Desk, block: Block, room: int) -> list[Piece]:
    """What people say below a page."""
    prose, voice, head = desk.pages.prose(desk.page.table), desk.page.look.voice, desk.heading("comments")
    names = [theme.name for theme in prose.grammar.language.personal]
    out: list[Piece] = [Heading(2, head)]
    room -= len(head) + 5
    chance = block.variant
    while room > POST // 2:
        chance = mixed(chance + 1)
        name = handle(chance >> 20)
        most = min(room, POST // 2 + (chance >> 40) % POST) if room > 2 * POST else room
        comment = prose.paragraphs(names[chance % len(names)], chance, most - len(name) - 6, voice)
        if not comment:
            break
        out += [Heading(3, name), *(Para((paragraph,)) for paragraph in comment)]
        room -= len(name) + 6 + sum(len(paragraph) + 2 for paragraph in comment)
    return out


def related(desk: Desk, block: Block) -> list[Piece]:
    """Chrome links, in one line."""
    here, _, number = desk.page.id.rpartition("/")
    links: list[list[Inline]] = []
    for page_id in block.links:
        kind, _, n = page_id.rpartition("/")
        turn = "Next page" if kind == here and int(n) > int(number) else "Previous page"
        anchor = turn if kind == here and kind != "world-guide" else desk.pages.anchor(page_id)
        links.append([Link(anchor, desk.pages.url(page_id))])
    return [Heading(2, desk.heading("related")), Para(flat(joined(links, " · ", " · ")))] if links else []


def byline(desk: Desk, block: Block) -> list[Piece]:
    """Who wrote the page."""
    authors, bylines = desk.pages.authors, ENGLISH.bylines
    author = authors[(block.variant >> 4) % len(authors)]
    return [Para((bylines[desk.page.look.turn % len(bylines)].replace("{author}", author),))]


def notice(desk: Desk, block: Block) -> list[Piece]:
    """A line that says what this page is, and leads to the one it is about if there is one."""
    return [_line(desk, block, block.by)]


def cue(desk: Desk, block: Block) -> list[Piece]:
    """A line that leads from a page that may be wrong to the entry."""
    return [_line(desk, block, "cues")]


def _line(desk: Desk, block: Block, what: str) -> Para:
    words = desk.pages.words.pick(what, "", desk.page.table, block.variant)
    words = words.replace("{site}", desk.pages.site(desk.page.id).name)
    links = [Link(desk.pages.anchor(page_id), desk.pages.url(page_id)) for page_id in block.links]
    return Para(flat([words, *([" "] if links else []), *joined([[link] for link in links], ", ", ", ")]))


def guide(desk: Desk, block: Block) -> list[Piece]:
    """Background paragraphs."""
    return [Para((paragraph,)) for paragraph in desk.pages.background(block.variant)]


def wall(desk: Desk, block: Block) -> list[Piece]:
    """What stands where the rest of a page can't be read."""
    return [_line(desk, block, "walls")]
