"""Documents that a draft is made from: read from a folder as text, and the names that occur in them.

They are material, never instructions: their text reaches a model within a fence that it can't close, and what a model
makes of it is held to the same checks as everything else, and to the names in them on top.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from worldsmith.errors import NotFoundError
from worldsmith.naming.fold import fold_name

SUFFIXES = (".md", ".txt", ".html", ".htm")
MOST_CHARACTERS = 24_000
"""Characters of all documents together that a model reads."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_STARTS = re.compile(r"(?:^|[.!?:;…|\"“(\[])[\s*_#>|\"“”'(\[-]*(?:\d+[.)]\s+)?\Z")
"""What ends where a sentence, a line or a cell begins."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the folder, as plain text."""

    name: str
    text: str


def read_documents(folder: Path) -> tuple[Document, ...]:
    """Return the Markdown, text and HTML files of a folder and those below it, by path. Raises NotFoundError.

    A link that leads out of the folder is left out: what it leads to would be sent to the model.
    """
    root = folder.resolve()
    files = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES and path.is_file())
    paths = [path for path in files if path.resolve().is_relative_to(root)]
    if not paths:
        raise NotFoundError(f"{folder} holds no document: put files in it that end in {', '.join(SUFFIXES)}")
    return tuple(Document(str(path.relative_to(folder)), _text(path)) for path in paths)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix.lower() not in {".html", ".htm"}:
        return text
    reader = _TextOfHtml()
    reader.feed(text)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(filter(None, lines))


class _TextOfHtml(HTMLParser):
    """Collects the text of a page: without scripts and styles, a line per block."""

    HIDDEN = frozenset({"script", "style", "template", "noscript"})
    INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's
        self._hidden += tag in self.HIDDEN
        if tag not in self.INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in self.HIDDEN))
        if tag not in self.INLINE:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def fenced(documents: Sequence[Document]) -> str:
    """Return the documents as a prompt shows them: an equal share of `MOST_CHARACTERS` each, no tag of theirs left."""
    share = MOST_CHARACTERS // max(1, len(documents))
    parts = []
    for document in documents:
        text = document.text[:share].replace("<", "‹").replace(">", "›")
        cut = "\n(cut here)" if len(document.text) > share else ""
        name = re.sub(r"[^\w./-]", "_", document.name)
        parts.append(f'<document name="{name}">\n{text}{cut}\n</document>')
    return "\n".join(parts)


def starts_sentence(text: str, at: int) -> bool:
    """Whether a word at a place of a text is the first of a sentence, a line or a cell."""
    return bool(_STARTS.search(text[text.rfind("\n", 0, at) + 1 : at]))


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words, folded, that texts write with a capital within a sentence and never without one."""
    capital, small = set[str](), set[str]()
    for text in texts:
        for match in _WORD.finditer(text):
            word = match[0]
            if not word[0].isupper():
                small.add(fold_name(word))
            elif len(word) > 2 and not starts_sentence(text, match.start()):
                capital.add(fold_name(word))
    return frozenset(capital - small)
