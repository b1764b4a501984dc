"""What an exported task needs to be paid by evidence: the hashes of its cells and of the statements that state them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from worldsmith import scoring
from worldsmith.pages import Page, Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.scoring.evidence import statement_hash, statements
from worldsmith.simulate.disclosure import disclosed_by_cells, disclosed_by_page, disclosure_hash, is_all_children
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.evidence import cell_evidence, required_disclosures, united_evidence
from worldsmith.tasks.task import MOST_WORLDS
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.lazy import with_values
from worldsmith.train.exports.rows import dumps
from worldsmith.world.model import Disclosure, World


class Statements:
    """The statements of a world's pages, of both lengths, by what they disclose; a page is written at need."""

    def __init__(self, world: World) -> None:
        self.world, self.evaluator = world, QueryEvaluator(world)
        self._pages = (Pages(world, "short"), Pages(world, "web"))
        self._marks: dict[str, dict[Disclosure, list[str]]] = {}

    def evidence(self, task: Task) -> scoring.Evidence:
        """Return what the gold cells of a task need, with the hashes of the statements that disclose it."""
        marks: dict[str, dict[str, None]] = {}
        for one in required_disclosures(task, self.evaluator):
            for page_id in self._pages_of(one):
                name = disclosure_hash(self.world.digest, *one)
                marks.setdefault(name, {}).update(dict.fromkeys(self._marks_of(page_id).get(one, ())))
        needed = cell_evidence(task, self.evaluator)
        return replace(needed, statements={name: tuple(sorted(some)) for name, some in sorted(marks.items())})

    def _pages_of(self, one: Disclosure) -> tuple[str, ...]:
        pages, (row, column) = self._pages[0], one
        if not is_all_children(one):
            return pages.carrying(row, column)
        table, _, ref = column.partition(".")
        key = self.world.key(row)[0]
        lists = (pages.list_of(s.name, key) for s in pages.specs if (s.list, s.by) == (table, ref))
        about = (kind for kind in pages.abouts.get(row.table, ()) if row.index in pages.kinds[kind].numbers)
        return (*(f"{kind}/{row.index}" for kind in about), *filter(None, lists))

    def _marks_of(self, page_id: str) -> dict[Disclosure, list[str]]:
        known = self._marks.get(page_id)
        if known is None:
            known = self._marks[page_id] = {}
            for pages in self._pages:
                for one, one_mark in self._marked(pages.plan(page_id), pages):
                    known.setdefault(one, []).append(one_mark)
        return known

    def _marked(self, page: Page, pages: Pages) -> Iterator[tuple[Disclosure, str]]:
        emitted = chunks(render(page, self.world, pages))
        text = "".join(part for part, _ in emitted)
        places = list(statements(text))
        ends, marks = (
            [end for _, _, end in places],
            [statement_hash(title, text[start:end]) for title, start, end in places],
        )
        for end, (part, cells) in zip(accumulate(len(part) for part, _ in emitted), emitted, strict=True):
            for one in disclosed_by_cells(page, cells, self.world) if cells else ():
                yield one, marks[bisect_left(ends, end - len(part) + len(part.rstrip("\n")))]
        for one in disclosed_by_page(page, self.world):
            yield one, marks[0]


def with_references(tasks: Iterable[Task], worlds: Worlds) -> Iterator[tuple[Task, str]]:
    """Yield each task with what it is scored by, as JSON text: the only part of a row that holds gold.

    Of the worlds, as many stay open as a task may have. Raises FormatError where one can't be read.
    """

    @lru_cache(MOST_WORLDS)
    def known(world: str) -> Statements:
        return Statements(worlds.open(world))

    def reference(_: int, task: Task) -> str:
        columns, rows = [column.to_json() for column in task.columns], [list(row) for row in task.gold]
        evidence = united_evidence(task, [known(part.world).evidence(part) for part in task.parts])
        return dumps({"columns": columns, "rows": rows, "evidence": evidence.to_json()})

    return with_values(tasks, "references", reference)
