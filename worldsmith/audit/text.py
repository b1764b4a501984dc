"""What the text of a world's pages is made of, and how much of it a program reads that understands no word.

Figures are over pages of the web's length that links from searches lead to. A sentence of prose, an item of a list,
a row of a table and a label with its value each count as one sentence.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from worldsmith.pages import Doc, Grid, Heading, Items, KeyValues, Link, Pages, Para, Span, Text
from worldsmith.pages.renderer.emit import words_of
from worldsmith.schema import Column
from worldsmith.scoring.values.dates import MONTHS
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import Cell, Row, World

PAGES: Final = 300
"""Pages of a schema that are read."""
GRAM: Final = 5
"""Words of the sequences that two worlds are compared by."""
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_DATES = re.compile(
    rf"(\d{{4}})-(\d\d)-(\d\d)|(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})|({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})"
)
_NUMBER = r"(?<![\w.,-])(\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w-]|[.,]\d)"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence: its text, its words outside spans, whether the strip keeps it, and the cells that it states."""

    text: str
    literal: str
    """Its text with `_` for each span."""
    kept: bool
    """Whether it stands in a line of a list or table, or holds a digit or a link."""
    cells: tuple[Cell, ...]


@dataclass(slots=True)
class TextAudit:
    """The figures of one schema."""

    schema: str
    language: str
    pages: int = 0
    sentences: int = 0
    fact_free_share: float = 0.0
    """Sentences without which no cell of their page would be lost, among all."""
    background_share: float = 0.0
    """Sentences about background alone, among those that tell a fact."""
    strip_kept_share: float = 0.0
    """Characters left when only lines of lists and tables, and sentences with a digit or a link, are kept."""
    strip_cells_lost_share: float = 0.0
    """Numeric cells that are then told nowhere on their page, among all."""
    distinct_words: int = 0
    """Lower-case words outside names and values."""
    overlap_5gram: float | None = None
    """Sequences of five words, names and values masked, that another world of the schema has too."""
    attacker_recall: dict[str, float] = field(default_factory=dict)
    """By column, the values that shapes, the nearest name and a majority vote find."""

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return asdict(self)


def pages_by_links(world: World, most: int = PAGES) -> list[Doc]:
    """Return the documents of up to `most` pages: hits of searches for nouns and names, and what they link to."""
    simulator, address = Simulator(world), Address(world.id, "web")
    tables = [t for t in world.schema.tables.values() if not t.background]
    queries = [t.plural for t in tables]
    longest = max(world.size(t.name) for t in tables)
    for i in range(longest):
        queries += [world.title(Row(t.name, i)) for t in tables if i < world.size(t.name)]
    waiting: list[str] = []
    docs: dict[str, Doc] = {}
    for query in queries:
        waiting += [hit.url for hit in simulator.call(address, Call("web_search", query)).results]
        while waiting and len(docs) < most:
            url = waiting.pop(0)
            if url not in docs:
                doc = simulator.call(address, Call("web_extractor", url)).doc
                if doc is not None:
                    docs[url] = doc
                    waiting += list(_links(doc))
        if len(docs) >= most:
            break
    return list(docs.values())


def _links(doc: Doc) -> Iterator[str]:
    for text in _texts(doc):
        yield from (part.url for part in text if isinstance(part, Link))


def _texts(doc: Doc) -> Iterator[Text]:
    for piece in doc.pieces:
        match piece:
            case Heading(_, text):
                yield (text,)
            case Para(text=content):
                yield content
            case KeyValues(pairs):
                yield from ((f"{label}: ", *value) for label, value in pairs)
            case Items(items):
                yield from items
            case Grid(_, rows):
                yield from (tuple(part for cell in row for part in (*cell, " ")) for row in rows)


def statements(doc: Doc) -> list[Statement]:
    """Return the sentences of a document in order, without its headings."""
    out: list[Statement] = []
    for piece in doc.pieces:
        match piece:
            case Heading():
                continue
            case Para(text=content):
                out += [_statement(part, line=False) for part in _sentences(content)]
            case _:
                one = Doc(doc.url, "", None, (piece,))
                out += [_statement(text, line=True) for text in _texts(one)]
    return [one for one in out if one.text.strip()]


def standing_lines(world: World) -> frozenset[str]:
    """Return the lines that sites print on all of their pages: they count for nothing."""
    pages = Pages(world)
    if pages.voice is None:
        return frozenset()
    lines = []
    for name, source in pages.voice.looks.items():
        slots = {"{site}": pages.voice.sites[name].name, "{subject}": pages.voice.subject}
        for line in source.imprint:
            for slot, text in slots.items():
                line = line.replace(slot, text)  # noqa: PLW2901 - filled slot by slot
            lines += [line, *_END.split(line)]
    return frozenset((*lines, "Next page", "Previous page"))


def _statement(parts: Sequence[str | Span | Link], *, line: bool) -> Statement:
    text = words_of(tuple(parts))
    cells = tuple(cell for part in parts if not isinstance(part, str) for cell in part.cells)
    linked = any(isinstance(part, Link) for part in parts)
    literal = "".join(part if isinstance(part, str) else " _ " for part in parts)
    return Statement(text, literal, line or linked or any(c.isdigit() for c in text), cells)


def _sentences(content: Text) -> Iterator[list[str | Span | Link]]:
    """Yield running text sentence by sentence."""
    now: list[str | Span | Link] = []
    for part in content:
        if not isinstance(part, str):
            now.append(part)
            continue
        first, *rest = _END.split(part)
        now.append(first)
        for piece in rest:
            yield now
            now = [piece]
    yield now


def audit_text(world: World, sibling: World | None = None, most: int = PAGES) -> TextAudit:
    """Return the figures of a world; `sibling` is another one of its schema, for the overlap."""
    docs = pages_by_links(world, most)
    audit = TextAudit(world.schema.name, world.language, pages=len(docs))
    facts = background = characters = kept = numeric = lost = 0
    words: set[str] = set()
    chrome = standing_lines(world)
    for doc in docs:
        sentences = [one for one in statements(doc) if one.text not in chrome]
        audit.sentences += len(sentences)
        counts = Counter(cell for one in sentences for cell in set(one.cells))
        for one in sentences:
            telling = any(counts[cell] == 1 for cell in one.cells)
            counts.subtract(set(one.cells) if one.cells and not telling else ())  # told once more below or above
            facts += telling
            background += telling and all(cell.row.table in world.schema.background for cell in one.cells)
            characters += len(one.text)
            kept += len(one.text) * one.kept
            words.update(word for word in _WORD.findall(one.literal) if word.islower())
        numbers = {cell for one in sentences for cell in one.cells if _numeric(cell)}
        left = {cell for one in sentences if one.kept for cell in one.cells}
        numeric += len(numbers)
        lost += len(numbers - left)
    audit.fact_free_share = 1 - facts / max(audit.sentences, 1)
    audit.background_share = background / max(facts, 1)
    audit.strip_kept_share = kept / max(characters, 1)
    audit.strip_cells_lost_share = lost / max(numeric, 1)
    audit.distinct_words = len(words)
    audit.attacker_recall = attacker_recall(world, docs)
    if sibling is not None:
        audit.overlap_5gram = overlap(grams(docs), grams(pages_by_links(sibling, most)))
    return audit


def _numeric(cell: Cell) -> bool:
    return isinstance(cell.value, int | float) and not isinstance(cell.value, bool)


def grams(docs: Iterable[Doc]) -> frozenset[tuple[str, ...]]:
    """Return the sequences of five words of documents, a span counted as one word."""
    made: set[tuple[str, ...]] = set()
    for doc in docs:
        for one in statements(doc):
            words = [word.lower() for word in re.findall(r"_|[^\W\d_]+", one.literal)]
            made.update(tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1))
    return frozenset(gram for gram in made if any(word != "_" for word in gram))


def overlap(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Return the share of the smaller set's sequences that the other has."""
    return len(one & other) / max(1, min(len(one), len(other)))


def attacker_recall(world: World, docs: Sequence[Doc]) -> dict[str, float]:
    """Return by column the share of its values that a program finds without understanding a word.

    It knows the names of rows, and of each column the shape of its values: their unit, dates, the names or options that
    occur. A value belongs to the nearest name of the table on its page; of all values of a row the commonest wins.
    """
    texts = ["\n".join([doc.title, *(one.text for one in statements(doc))]) for doc in docs]
    recall: dict[str, float] = {}
    for table in world.schema.tables.values():
        if table.background or len(table.key) > 1:
            continue
        names = {str(name): i for i, name in enumerate(world.tables[table.name][table.key[0]])}
        finder = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
        mentions = [[(m.start(), names[m[0]]) for m in finder.finditer(text)] for text in texts]
        for column in table.columns:
            if column.key or column.type == "bool":
                continue
            votes: dict[int, Counter[str]] = defaultdict(Counter)
            for text, places in zip(texts, mentions, strict=True):
                for at, value in _candidates(text, column, world) if places else ():
                    row = min(places, key=lambda place: abs(place[0] - at))[1]
                    votes[row][value] += 1
            asked = [
                i
                for i, v in enumerate(world.tables[table.name][column.name])
                if v is not None and i in set(names.values())
            ]
            right = sum(
                bool(votes[i]) and votes[i].most_common(1)[0][0] == _normal(world.tables[table.name][column.name][i])
                for i in asked
            )
            if asked:
                recall[f"{table.name}.{column.name}"] = right / len(asked)
    return recall


def _normal(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _candidates(text: str, column: Column, world: World) -> Iterator[tuple[int, str]]:
    """Yield the places and values in a text that have the shape of a column's."""
    if column.type == "date":
        for m in _DATES.finditer(text):
            if m[1]:
                yield m.start(), m[0]
            else:
                day, month, year = (m[4], m[5], m[6]) if m[4] else (m[8], m[7], m[9])
                yield m.start(), f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}"
        return
    if column.type in {"int", "num"}:
        bank = world.schema.bank
        units = [column.unit, *(bank.words(column.table, column.name).unit if bank else [])] if column.unit else [""]
        after = "|".join(rf"\s?{re.escape(unit)}" for unit in dict.fromkeys(units))
        dates = [(m.start(), m.end()) for m in _DATES.finditer(text)]
        for m in re.finditer(rf"{_NUMBER}(?:{after})", text):
            if not any(start <= m.start() < end for start, end in dates):
                number = m[1].replace(",", "").replace(" ", "")
                yield m.start(), _normal(float(number)) if "." in number else number
        return
    values = {str(v) for v in world.tables[column.table][column.name] if v is not None}
    for m in re.finditer("|".join(rf"\b{re.escape(v)}\b" for v in sorted(values, key=len, reverse=True)), text):
        yield m.start(), m[0]
