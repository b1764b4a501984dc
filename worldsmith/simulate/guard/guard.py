"""The guard: a reply states only what its slice permits, and all that it must state.

Entitlement is a permission: a page may state the cells of its edited blocks, a hit those of its edited head.
Obligation is a second set: a page must state all of its cells, a hit its key. Nothing here depends on a task.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from worldsmith import scoring
from worldsmith.cache import keep
from worldsmith.pages.plan import boilerplate
from worldsmith.pages.renderer.document import declared
from worldsmith.pages.types import Doc, Page
from worldsmith.simulate.guard.bank_forms import BankForms
from worldsmith.simulate.guard.bank_sentences import PageSentences
from worldsmith.simulate.guard.documents import Reader, read_document
from worldsmith.simulate.guard.entitlement import Columns, Facts, facts_of
from worldsmith.simulate.guard.judge import Judge, passed
from worldsmith.simulate.guard.names import Names
from worldsmith.simulate.guard.text import clean, scan
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.protocol import Reason, Rejection, Result, Slice, Verdict, View
from worldsmith.world.model import Cell, World

if TYPE_CHECKING:
    from worldsmith.pages import Pages

T = TypeVar("T")
Verdicts = tuple[Verdict, ...]
POLICY = 7
"""Version of what the guard lets pass; raised with every change, so that no text accepted by an older one is served."""
MEMO = 1024
"""Verdicts on hits kept: about 1 MB."""


class Guard:
    """Judges the replies of one world. Verdicts are pure; those on hits are kept, the oldest dropped first."""

    def __init__(self, world: World, pages: "Pages", memo: int = MEMO) -> None:
        self.world, self.pages = world, pages
        chrome = (*boilerplate(world.schema), world.schema.about, *(site.name for site in pages.sites), *pages.authors)
        if pages.voice and pages.voice.subject:
            chrome = (*chrome, pages.voice.subject)
        self.columns = Columns(world.schema)
        self.names = Names(world, chrome)
        self.judge = Judge(world, self.names, self.columns, chrome)
        # Kept by the identity of an edited page, which is quick; the page is kept too, so that no other has its id.
        self._memo: dict[Hashable, tuple[Page, Verdicts]] = {}
        self._facts: dict[int, tuple[Page, Facts]] = {}
        self._chrome: dict[int, tuple[Page, frozenset[str]]] = {}
        self._most = memo

    def hit(self, result: Result, view: View, query: str) -> Verdicts:
        """Judge every field of a search hit; an empty query changes no verdict from bad to good."""
        page = view.page
        text = None if result.text is None else blake2b(result.text.encode("utf-8", "replace"), digest_size=16).digest()
        key = (id(page), result.url, result.title, result.snippet, result.date, text)
        known = self._memo.get(key)
        _, verdicts = known or keep(self._memo, key, (page, self._hit(result, page, "")), self._most)
        if not query or all(v.ok for v in verdicts):
            return verdicts
        return self._hit(result, page, query)  # a query only ever allows more: its own words, in an echo

    def _hit(self, result: Result, page: Page, query: str) -> Verdicts:
        head = self._head_facts(page)
        reader = Reader(self.judge, head, frozenset(), query, bank=self._sentences(page, head))
        reader.text("title", result.title)
        reader.text("snippet", result.snippet)
        verdicts = [*reader.verdicts, self._url(result.url, page), self._date(result.date, page, hit=True)]
        verdicts += [
            Rejection(Reason.FORM, "is empty").of(where)
            for where, text in (("title", result.title), ("snippet", result.snippet))
            if not text.strip()
        ]
        verdicts += [self._missing(cell, "key") for cell in reader.missing(self._keys(head))]
        if result.text is not None:
            verdicts += self._whole(parse_markdown(result.text, page.url), page, query)
        return tuple(verdicts)

    def _head_facts(self, page: Page) -> Facts:
        """Return what a hit for the page may state; kept, since a snippet has as many wordings as there are queries."""
        return self._kept(self._facts, page, lambda: facts_of(self.world, self.columns, page, page.head.cells))

    def _kept(self, memo: dict[int, tuple[Page, T]], page: Page, make: Callable[[], T]) -> T:
        """Return what is made of a page, once while it is kept."""
        _, value = memo.get(id(page)) or keep(memo, id(page), (page, make()), max(self._most // 16, 1))
        return value

    def _keys(self, head: Facts) -> list[Cell]:
        """Return the cells of the subject's key, which a hit must state."""
        if head.subject is None:
            return []
        key = self.world.schema.tables[head.subject.table].key
        return [
            self.world.cell(head.subject, name) for name in key if self.world.cell(head.subject, name) in head.cells
        ]

    def _url(self, url: str, page: Page) -> Verdict:
        if url == page.url:
            return passed("url")
        return Rejection(Reason.FORM, f"is {url!r}, the page is at {page.url!r}").of("url", url)

    def _date(self, day: str | None, page: Page, *, hit: bool) -> Verdict:
        if day is None:
            return passed("date")
        if day != page.date:
            return Rejection(Reason.FORM, f"is {day!r}, the page claims {page.date!r}").of("date", day)
        if hit and self._claims(page):
            return Rejection(Reason.FORM, "is the value of a withheld cell").of("date", day)
        return passed("date")

    def _claims(self, page: Page) -> bool:
        """Whether a hit's date would tell a date of the page's cells that its head withholds."""
        dates = [c for c in page.cells if c.value == page.date and self.columns.of(c).kind == "date"]
        return bool(dates) and not any(c in page.head.cells for c in dates)

    def _missing(self, cell: Cell, where: str) -> Verdict:
        column = self.world.schema.column(cell.row.table, cell.col)
        shown = scoring.show(cell.value, self.columns.of(cell))
        why = f"{column.label} of {self.world.title(cell.row)} ({shown}) is not stated"
        return Rejection(Reason.MISSING, why).of(where)

    def links(self, page: Page) -> frozenset[str]:
        """Return the addresses that a page may link to: those its blocks name, and its own."""
        return frozenset((page.url, *(self.pages.url(link) for block in page.blocks for link in block.links)))

    def read(self, doc: Doc, page: Page, query: str = "") -> Reader:
        """Judge a document's statements; the reader holds what each piece stated."""
        about = facts_of(self.world, self.columns, page, page.cells)
        bank = self._sentences(page, about)
        return read_document(self.judge, doc, about, self.links(page), query, self._declared(page), bank)

    @cached_property
    def _forms(self) -> BankForms | None:
        """The sentences of the world's bank: made when a text is first read, since no text of our own is."""
        return BankForms(self.pages.voice) if self.pages.voice else None

    def _sentences(self, page: Page, facts: Facts) -> PageSentences | None:
        """Return what reads the bank's sentences by the facts of a unit of a page."""
        return PageSentences(self._forms, self.pages, page, facts) if self._forms and page.head.by else None

    def stated(self, text: str, page: Page) -> frozenset[Cell]:
        """Return the cells of a page that its text, or a part of it, states: read statement by statement."""
        return frozenset(self.read(parse_markdown(text, page.url), page).stated)

    def stated_by_hit(self, result: Result, page: Page) -> frozenset[Cell]:
        """Return the cells that title and snippet of a hit state, and that a hit of its page may."""
        head = self._head_facts(page)
        reader = Reader(self.judge, head, frozenset(), bank=self._sentences(page, head))
        reader.text("title", result.title)
        reader.text("snippet", result.snippet)
        return frozenset(reader.stated)

    def _declared(self, page: Page) -> frozenset[str]:
        """Return what our renderer writes on a page without a cell: a pure function of the plan, so declared chrome."""
        return self._kept(self._chrome, page, lambda: declared(page, self.pages))

    def required_cells(self, page: Page) -> list[Cell]:
        """Return the cells a page must state; a null without words of its own may be left out."""
        return [c for c in page.cells if c.value is not None or self.columns.of(c).none]

    def _whole(self, doc: Doc, page: Page, query: str) -> list[Verdict]:
        reader = self.read(doc, page, query)
        return [
            *reader.verdicts,
            *(self._missing(cell, "missing") for cell in reader.missing(self.required_cells(page))),
        ]

    def doc(self, doc: Doc, view: View, query: str) -> Verdicts:
        """Judge a document statement by statement, its links and fields, and whether it states all it must."""
        page = view.page
        fields = [self._url(doc.url, page), self._date(doc.date, page, hit=False)]
        return (*fields, *self._whole(doc, page, query))

    def reply(self, results: Sequence[Result], slice_: Slice) -> Verdicts:
        """Judge results together: a name that starts in one text and ends in the next is a name all the same."""
        spoken = [facts_of(self.world, self.columns, v.page, v.page.head.cells).sayable_names for v in slice_.views]
        allowed = frozenset().union(*spoken)
        texts = [(i, text) for i, r in enumerate(results) for text in (r.title, r.snippet)]
        seams = [*pairwise(texts), *zip(texts, texts[2:], strict=False)]
        verdicts = []
        for (_, a), (j, b) in seams:
            name = self._split_name(a, b)
            if name and name not in allowed:
                wrong = Rejection(Reason.NAME, "names, together with the text before it, what neither may name")
                verdicts.append(wrong.of("reply", results[j].url))
        return tuple(verdicts)

    def _split_name(self, first: str, second: str) -> str | None:
        """Return a name that starts in one text and ends in the next."""
        left = clean(first)[-60:].rstrip(" .…-")
        right = clean(second)[:60].lstrip(" .…-")
        for joint in (" ", ""):
            border = len(left) + len(joint)
            for mention in self.names.find(scan(left + joint + right)):
                if mention.kind in ("name", "alias") and mention.span[0] < len(left) and mention.span[1] > border:
                    return mention.key
        return None
