"""What a reply disclosed: the cells that its text states, known from the plan, never by matching values.

A disclosure is a row and a column. A column written "<child table>.<reference>" is no cell: it says that a page was
read which names all children of the row: there are no others.
"""

from base64 import urlsafe_b64encode
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from worldsmith.pages.dormant import ArchiveKind
from worldsmith.pages.types import Chunk, Page
from worldsmith.schema import PageSpec, Schema
from worldsmith.simulate.protocol import Observation
from worldsmith.world.model import Cell, Disclosure, Row, World


def children_of(table: str, ref: str) -> str:
    """Return the column of the disclosure that all rows of `table` whose `ref` names a row are known."""
    return f"{table}.{ref}"


def is_all_children(disclosed: Disclosure) -> bool:
    """Return whether a disclosure says that all children of a row are known, and is no cell."""
    return "." in disclosed[1]


@lru_cache(maxsize=1 << 15)
def disclosure_hash(world_digest: str, row: Row, column: str) -> str:
    """Return the hash of a disclosure, 8 characters (48 bits): what headers and task files hold of it."""
    return urlsafe_b64encode(sha256(f"{world_digest} {row} {column}".encode()).digest()[:6]).decode()


def disclosure_hashes(disclosed: Iterable[Disclosure], world_digest: str) -> list[str]:
    """Return the hashes of disclosures, sorted."""
    return sorted(disclosure_hash(world_digest, row, column) for row, column in disclosed)


def disclosures_by_world(observation: Observation, world_digest: str) -> tuple[tuple[str, tuple[Disclosure, ...]], ...]:
    """Return what a reply discloses by the digests of worlds: of a pool's reply all, else those of its one world."""
    return observation.disclosed_by_world or ((world_digest, observation.disclosed),)


def observation_hashes(observation: Observation, world_digest: str) -> list[str]:
    """Return the hashes of all that a reply discloses: one of a pool of all its worlds, any other of its own."""
    by_world = disclosures_by_world(observation, world_digest)
    hashes = (one for digest, disclosed in by_world for one in disclosure_hashes(disclosed, digest))
    return sorted([*hashes, *observation.disclosed_hashes])


def disclosing_only(observation: Observation, shown: Container[Disclosure]) -> Observation:
    """Return an observation of which a reply shows a part: it discloses no more than is shown."""
    by_world = [
        (digest, tuple(each for each in disclosed if each in shown))
        for digest, disclosed in observation.disclosed_by_world
    ]
    disclosed = tuple(each for each in observation.disclosed if each in shown)
    return replace(observation, disclosed=disclosed, disclosed_by_world=tuple(by_world))


def disclosed_by_cells(page: Page, cells: Iterable[Cell], world: World) -> frozenset[Disclosure]:
    """Return what stated cells of a page disclose: those whose value is the world's.

    An edit may state another value, and an archive copy discloses nothing: it doesn't show which of its values hold.
    """
    if page.kind == ArchiveKind.name:
        return frozenset()
    return frozenset([(cell.row, cell.col) for cell in cells if world.value(cell.row, cell.col) == cell.value])


def disclosed_by_reading(page: Page, cells: Iterable[Cell], world: World) -> frozenset[Disclosure]:
    """Return what a page discloses that was read as far as `cells`: these, and the lists that it shows to be whole."""
    return disclosed_by_cells(page, cells, world) | disclosed_by_page(page, world)


def disclosed_by_part(
    emitted: Iterable[Chunk], page: Page, world: World, offset: int, end: int
) -> frozenset[Disclosure]:
    """Return what our document discloses by the characters from `offset` to `end` of its Markdown.

    A value that a cut divides counts to the part where it ends.
    """
    stated: list[Cell] = []
    here = 0
    for text, cells in emitted:
        here += len(text)
        if cells and offset < here <= end:
            stated += cells
    # Only who has read to the end knows that there are no more children.
    return disclosed_by_reading(page, stated, world) if here <= end else disclosed_by_cells(page, stated, world)


def disclosed_by_text(page: Page, cells: Iterable[Cell], world: World) -> frozenset[Disclosure]:
    """Return what a model's text of a page discloses, by the cells that the guard read in it.

    A row that a list names has the value that the rows of the list share.
    """
    stated = set(cells)
    rows, shared = {cell.row for cell in stated}, {page.scope, *(block.by for block in page.blocks)}
    subject = {cell for cell in page.cells if cell.row == page.subject} & set(_keys(page, world))
    implied = {cell for cell in page.cells if cell.row in rows and cell.col in shared}
    return disclosed_by_reading(page, stated | subject | implied, world)


def _keys(page: Page, world: World) -> Iterator[Cell]:
    if page.subject is not None:
        yield from (world.cell(page.subject, name) for name in world.schema.tables[page.subject.table].key)


def disclosed_by_page(page: Page, world: World) -> frozenset[Disclosure]:
    """Return the rows all of whose children a page names: by its tables, as a list of them, or as an entry without any.

    All parts of a list count: the children themselves are cells of their own.
    """
    return frozenset(_wholes(page, world))


def _wholes(page: Page, world: World) -> Iterator[Disclosure]:
    schema = world.schema
    spec = _page_spec(schema, page.kind)
    if spec is None or not page.whole:
        return
    if spec.list and spec.by:
        target = schema.column(spec.list, spec.by).ref
        values = {cell.value for cell in page.cells if cell.col == page.scope}
        parents = (world.find(target, value) for value in values) if target else ()
        yield from ((row, children_of(spec.list, spec.by)) for row in parents if row)
    if page.subject is None:
        return
    yield from ((page.subject, children_of(child.table, child.ref)) for child in spec.children)
    if not schema.bank and spec is next(s for s in schema.pages if s.about == spec.about):
        # There is no further page to say that a row has no children; its entry, which would link to one, does.
        for table, ref in references(world, page.subject.table):
            if not world.children(page.subject, table, ref):
                yield page.subject, children_of(table, ref)


@lru_cache(maxsize=1024)
def _page_spec(schema: Schema, kind: str) -> PageSpec | None:
    """Return what a kind of page tells of whole lists; None for kinds that no schema or bank declares."""
    if schema.bank:
        return next((written.spec(schema) for written in schema.bank.pages if written.name == kind), None)
    return next((spec for spec in schema.pages if spec.name == kind), None)


def references(world: World, target: str) -> list[tuple[str, str]]:
    """Return the (table, column) pairs that refer to rows of a table."""
    tables = world.schema.tables.values()
    return [(table.name, column.name) for table in tables for column in table.columns if column.ref == target]
