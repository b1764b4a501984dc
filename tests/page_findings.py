"""What natural pages leave untold of a world, and what the scorer can't read in them."""

from collections import Counter
from collections.abc import Sequence

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.world.model import Row, World


def placement_findings(world: World) -> list[str]:
    """Return what is wrong with where a natural world's cells are told.

    These are columns that a page plans and doesn't tell, and cells that questions may ask for and no page states.
    """
    pages = Pages(world)
    stated: set[tuple[Row, str]] = set()
    unstated: Counter[str] = Counter()
    for page_id in pages.ids():
        page = pages.plan(page_id)
        if page.dormant:
            continue
        rendered = {cell for _, cells in chunks(render(page, world, pages)) for cell in cells}
        stated |= {(cell.row, cell.col) for cell in rendered}
        unstated.update(
            f"{page.kind} plans {c.row.table}.{c.col} and doesn't tell it" for c in set(page.cells) - rendered
        )
    findings = [f"{text} ({count} cells)" for text, count in sorted(unstated.items())]
    for table in world.schema.tables.values():
        for column in () if table.background else table.columns:
            missing = sum((row, column.name) not in stated for row in world.rows_of(table.name))
            if missing and column.see != "linked":
                findings.append(
                    f"{table.name}.{column.name}: no page states {missing} of {world.size(table.name)} cells"
                )
    return findings


def unread_spans(pages: Pages, page_ids: Sequence[str]) -> list[str]:
    """Return the spans of pages that the scorer doesn't read as the cell they state, with what they say.

    A span that states a null or a truth value in words of its own is left out: there is nothing to read.
    """
    bad: list[str] = []
    for page_id in page_ids:
        doc = render(pages.page(page_id), pages.world, pages)
        for text, cells in chunks(doc)[1:]:  # the first is the title, a name among other words
            column_cells = [(c, pages.words.answers[c.row.table, c.col]) for c in cells]
            # A null, a truth value and a zero are told in words: "keeps no shop".
            legible = [(c, column) for c, column in column_cells if c.value is not None and column.kind != "bool"]
            valued = [(c, column) for c, column in legible if c.value != 0]
            if valued and not any(scoring.is_right(text.strip("[]"), c.value, column) for c, column in legible):
                bad.append(f"{page_id}: {text!r} for {valued[0][0]}")
    return bad
