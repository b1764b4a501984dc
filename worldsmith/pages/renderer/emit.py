"""A document as Markdown, HTML or plain text: one emitter per format, one function per piece."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from zlib import crc32

from worldsmith.pages import Doc, Grid, Heading, Items, KeyValues, Link, Para, Piece, Span, Text, plain_part
from worldsmith.pages.types import Chunk


def _inline(content: Text) -> list[Chunk]:
    out: list[Chunk] = []
    for part in content:
        if isinstance(part, str):
            out.append((part, ()))
        elif isinstance(part, Span):
            out.append((part.text, part.cells))
        else:
            out += ((f"[{part.text}", part.cells), (f"]({part.url})", ()))
    return out


def _line(before: str, text: Text) -> list[Chunk]:
    return [(before, ()), *_inline(text), ("\n", ())]


def _row(cells: Iterable[Text]) -> list[Chunk]:
    out: list[Chunk] = []
    for text in cells:
        out.append(("| ", ()))
        out += [(chunk.replace("|", "\\|"), stated) for chunk, stated in _inline(text)]
        out.append((" ", ()))
    out.append(("|\n", ()))
    return out


def _md(piece: Piece) -> list[Chunk]:
    match piece:
        case Heading(level, text):
            return [(f"{'#' * level} {text}\n", ())]
        case Para(text=content):
            return _line("", content)
        case KeyValues(pairs):
            return [chunk for label, value in pairs for chunk in _line(f"- **{label}**: ", value)]
        case Items(items, ordered):
            marks = (f"{i}. " if ordered else "- " for i in range(1, len(items) + 1))
            return [chunk for mark, item in zip(marks, items, strict=True) for chunk in _line(mark, item)]
        case Grid(header, rows, caption):
            top: list[Chunk] = [(f"{caption}\n\n", ())] if caption else []
            lines = [chunk for row in rows for chunk in _row(row)]
            return [*top, *_row((name,) for name in header), (f"|{' --- |' * len(header)}\n", ()), *lines]


def extent(piece: Piece) -> int:
    """Return how many characters a piece takes as Markdown, the blank line after it counted."""
    match piece:
        case Heading(level, text):
            return level + len(text) + 3
        case Para(text=content):
            return _extent(content) + 2
        case KeyValues(pairs):
            return sum([len(label) + _extent(value) + 9 for label, value in pairs]) + 1
        case Items(items, ordered):
            return sum([_extent(item) + 3 + ordered for item in items]) + 1
        case Grid(header, rows, caption):
            width = 3 * len(header) + 2
            cells = sum([_extent(cell) for row in rows for cell in row]) + len(rows) * width
            top = sum(map(len, header)) + width + 6 * len(header) + 2
            return cells + top + (len(caption) + 2 if caption else 0) + 1


def _extent(text: Text) -> int:
    return sum([len(chunk) for chunk, _ in _inline(text)])


def chunks(doc: Doc) -> list[Chunk]:
    """Return the document as Markdown, piece by piece with the cells that each states."""
    out: list[Chunk] = [(f"# {doc.title}\n", doc.named)]
    if doc.date:
        out.append((f"\nUpdated {doc.date}\n", ()))
    for piece in doc.pieces:
        out.append(("\n", ()))
        out += _md(piece)
    return out


def markdown(doc: Doc) -> str:
    """Return the document as Markdown: the title as its first heading, the date below it."""
    return "".join([text for text, _ in chunks(doc)])


def words_of(text: Text) -> str:
    """Return running text without its links' targets."""
    return "".join([part if isinstance(part, str) else part.text for part in text])


def plain_piece(piece: Piece) -> str:
    """Return a piece as text without marks."""
    match piece:
        case Heading(_, text):
            return text
        case Para(text=content):
            return words_of(content)
        case KeyValues(pairs):
            return "\n".join(f"{label}: {words_of(value)}" for label, value in pairs)
        case Items(items, ordered):
            return "\n".join(f"{f'{i}.' if ordered else '-'} {words_of(item)}" for i, item in enumerate(items, 1))
        case Grid(header, rows, caption):
            lines = [*([caption] if caption else []), "\t".join(header)]
            return "\n".join([*lines, *("\t".join(map(words_of, row)) for row in rows)])


def plain(doc: Doc) -> str:
    """Return the document as text without marks: tables tab-separated, links by their text."""
    head = [doc.title, *([f"Updated {doc.date}"] if doc.date else [])]
    return "\n\n".join([*head, *(plain_piece(piece) for piece in doc.pieces)]) + "\n"


FONTS = ("Georgia, serif", "Helvetica, Arial, sans-serif", "Palatino, serif", "Verdana, sans-serif")
INKS = ("#17324d", "#6b2737", "#2f4f2f", "#4a3b6b", "#7a4a12", "#1f5a5a", "#333")
WIDTHS = ("42em", "48em", "56em")


def _style(host: str) -> str:
    """Return the style sheet of a host: the same on all of its pages."""
    turn = crc32(host.encode())
    font, ink, width = FONTS[turn % 4], INKS[(turn >> 8) % 7], WIDTHS[(turn >> 16) % 3]
    return (
        f"body{{font:16px/1.55 {font};color:#222;margin:0}}header{{background:{ink};color:#fff;padding:.6em 2em}}"
        f"main{{max-width:{width};margin:0 auto;padding:1em 2em}}h1,h2,h3,a{{color:{ink}}}h1,h2,h3{{line-height:1.2}}"
        "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.3em .7em;text-align:left}"
        "th{background:#f4f4f2}caption{text-align:left;font-weight:bold;padding:.3em 0}time{color:#777}"
    )


def _looks_like_menu(items: Sequence[Text]) -> bool:
    """Whether extractors of text would drop a list as navigation: little text, and links that are short or most of it.

    The bounds are trafilatura's: 100 characters in all, 10 in a link, four fifths.
    """
    size = sum(len(words_of(item)) for item in items)
    links = [len(part.text) for item in items for part in item if isinstance(part, Link)]
    short = sum(length < 10 for length in links)
    return size < 100 and len(links) > 1 and (short > 0.8 * len(links) or sum(links) > 0.8 * size)


def _same(url: str) -> str:
    return url


def html(doc: Doc, link: Callable[[str], str] = _same) -> str:
    """Return the document as a whole HTML page; `link` maps the URLs of its links."""

    def text(content: Text) -> str:
        return "".join(
            f'<a href="{escape(link(part.url))}">{escape(part.text, quote=False)}</a>'
            if isinstance(part, Link)
            else escape(plain_part(part), quote=False)
            for part in content
        )

    def element(piece: Piece) -> str:
        match piece:
            case Heading(level, content):
                return f"<h{level}>{escape(content, quote=False)}</h{level}>"
            case Para(text=content):
                return f"<p>{text(content)}</p>"
            case KeyValues(pairs):
                rows = "".join(
                    f"<tr><th>{escape(label, quote=False)}</th><td>{text(v)}</td></tr>" for label, v in pairs
                )
                return f'<table class="facts">{rows}</table>'
            case Items(items) if _looks_like_menu(items):
                return "\n".join(f"<p>{text(item)}</p>" for item in items)
            case Items(items, ordered):
                tag = "ol" if ordered else "ul"
                return f"<{tag}>{''.join(f'<li>{text(item)}</li>' for item in items)}</{tag}>"
            case Grid(header, rows, caption):
                top = f"<caption>{escape(caption, quote=False)}</caption>" if caption else ""
                head = "".join(f"<th>{escape(name, quote=False)}</th>" for name in header)
                body = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
                return f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    name, host = escape(doc.title, quote=False), doc.url.partition("://")[2].partition("/")[0]
    day = f'<p><time datetime="{doc.date}">Updated {doc.date}</time></p>' if doc.date else ""
    body = "\n".join(element(piece) for piece in doc.pieces)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>{name}</title><style>{_style(host)}</style></head>\n"
        f"<body><header>{host}</header>\n<main><article>\n<h1>{name}</h1>\n{day}\n{body}\n</article></main>"
        f"</body>\n</html>\n"
    )
