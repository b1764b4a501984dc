"""Sentences that tell cells: one or two of a row each, with agreement, in the voice of the site."""

from collections.abc import Sequence

from worldsmith.lang.english import ENGLISH
from worldsmith.lang.morphology import article
from worldsmith.lang.page_phrases import capital
from worldsmith.pages import Block, Heading, Inline, Link, Para, Piece, Span, Text
from worldsmith.pages.grammar import Plan
from worldsmith.pages.renderer.block_context import Desk, flat, joined, paragraphs, stating
from worldsmith.pages.titles import UNNAMED, called, key_cells
from worldsmith.pages.types import by_row
from worldsmith.pages.value_forms import possessive, written_day
from worldsmith.world.model import Cell, Row


def lead(desk: Desk, block: Block) -> list[Piece]:
    """The opening sentence: what the subject is, by its first reference and date."""
    row = desk.page.subject
    assert row is not None
    cells = by_row(block.cells).get(row, {})
    words, form = desk.pages.words, desk.pages.world.schema.tables[row.table]
    name = called(words, row, cells)
    if desk.page.purpose:
        key = desk.name_link(cells, block) if cells else name
        return [Para(flat([f"This page is kept for the {desk.page.purpose} of ", key, "."]))]
    tails = [
        [f" {words.plans[row.table, cell.col][0].before} ", desk.text(cell, block)]
        for cell in cells.values()
        if cell.col not in form.key
    ]
    if name == UNNAMED:
        start = f"This entry is about {article(form.singular)}"
    elif len(form.key) > 1:
        start = f"This is {name}{',' if tails else ''}"
    else:
        start = f"{name} is {article(form.singular) if tails else f'one of the {form.plural} in this collection'}"
    return [Para(flat([Span(start, key_cells(desk.pages.words, row, cells)), *joined(tails, ",", ","), "."]))]


def sentences(desk: Desk, block: Block, row: Row, *, always: bool = False) -> list[Text]:
    """Tell a row's cells, one or two a sentence.

    The first sentence names the row, and so does every one with a reference, which names another row beside it; all of
    them where the page tells of other rows too (`always`).
    """
    words, form, voice = desk.pages.words, desk.pages.world.schema.tables[row.table], desk.page.look.voice
    cells = by_row(block.cells).get(row, {})
    name, noun = called(words, row, cells), f"the {form.singular}"
    again = noun if form.of_people else "it"
    tellable = [
        c for c in cells.values() if c.col not in form.key and c.value is not None and words.plans[row.table, c.col]
    ]
    plans = [_plan(words.plans[row.table, c.col], block.variant + 3 * i, words.show(c)) for i, c in enumerate(tellable)]
    refs = [words.columns[row.table, c.col].ref for c in tellable]
    out: list[Text] = []
    i = 0
    while i < len(tellable):
        pair = i + 1 < len(tellable) and _shared(plans[i], plans[i + 1], refs[i] or refs[i + 1])
        n = 2 if pair else 1
        named = always or not out or any(refs[i : i + n]) or plans[i].kind in {"free", "back"}
        who = (
            (name if len(form.key) == 1 or always else noun) if named else (noun, again)[(block.variant + len(out)) % 2]
        )
        values: list[Inline] = [
            desk.text(c, block, unit=False)
            if ref
            else Span(_written(desk, c, spelled=voice.spelled and block.kind == "prose"), (c,))
            for c, ref in zip(tellable[i : i + n], refs[i : i + n], strict=True)
        ]
        if who == name:
            values[0] = stating(values[0], key_cells(desk.pages.words, row, cells))
        parts = _sentence(
            plans[i : i + n], values, who, "its" if again == "it" else "the", block.variant + len(out), first=named
        )
        opener = voice.openers[(block.variant + 5 * len(out)) % len(voice.openers)] if out else ""
        start = parts[0]
        if isinstance(start, Link):
            out.append(flat([*parts, "."]))
        elif opener:
            out.append(flat([opener, *parts, "."]))
        else:
            begun = capital(start) if isinstance(start, str) else Span(capital(start.text), start.cells)
            out.append(flat([begun, *parts[1:], "."]))
        i += n
    return out


def _plan(plans: Sequence[Plan], turn: int, shown: str) -> Plan:
    """Return the plan whose turn it is; none that would open a sentence with a small letter."""
    plan = plans[turn % len(plans)]
    return plans[0] if plan.kind == "back" and shown[:1].islower() else plan


def _written(desk: Desk, cell: Cell, *, spelled: bool) -> str:
    """Return a value as running text has it: as tables print it, or a day and a large measure written out."""
    column = desk.pages.words.columns[cell.row.table, cell.col]
    if spelled and column.type == "date":
        return written_day(str(cell.value), "long")
    if spelled and column.unit and type(cell.value) is int and cell.value >= 10_000:
        return f"{cell.value:,}"
    return desk.pages.words.show(cell)


def _shared(one: Plan, other: Plan, ref: str | None) -> bool:
    """Tell whether two cells go into one sentence: verbs after one name, or measures of the row alone."""
    if {one.kind, other.kind} <= {"is", "was"}:
        return True
    return one.kind == other.kind and one.kind in {"has", "own"} and not ref


def _sentence(
    plans: Sequence[Plan], values: Sequence[Inline], who: str, own: str, turn: int, *, first: bool
) -> list[Inline]:
    """Return the words of one sentence about one or two cells, without its full stop."""
    kind, both = plans[0].kind, list(zip(plans, values, strict=True))
    if kind == "has":
        return [
            f"{who} has ",
            *joined([[f"{plan.before} ", value, plan.after] for plan, value in both], ", ", " and "),
        ]
    if kind == "own" and who.startswith("the ") and " of " in who:
        clauses = [[f"the {plan.before} ", value, plan.after] for plan, value in both]
        return [f"for {who}, ", *joined(clauses, ", ", " and ")]
    if kind == "own":
        owner = "its" if who == "it" else possessive(who)
        clauses = [[f"{own if i else owner} {plan.before} ", value, plan.after] for i, (plan, value) in enumerate(both)]
        return joined(clauses, ", ", " and ")
    if kind == "free" and turn & 1:
        return [f"{plans[0].before} ", values[0], f"{plans[0].after}{f' for {who}' if first else ''}"]
    if kind == "free":
        return [f"{f'for {who}, ' if first else ''}{plans[0].before} ", values[0], plans[0].after]
    if kind == "of":
        named = not who.startswith("the ") or " of " in who
        owned = f"the {plans[0].before} of {who}" if named else f"{possessive(who)} {plans[0].before}"
        return [f"{f'its {plans[0].before}' if who == 'it' else owned} is ", values[0], plans[0].after]
    if kind == "back":
        return [values[0], f"{plans[0].after} is what the entry has{f' for {who}' if first else ''} {plans[0].before}"]
    clauses = [
        [f"{'' if i and plan.kind == kind else plan.kind + ' '}{plan.before} ", value]
        for i, (plan, value) in enumerate(both)
    ]
    return [f"{who} ", *joined(clauses, ", ", " and ")]


def prose(desk: Desk, block: Block) -> list[Piece]:
    """Running text about the subject, in paragraphs of up to three sentences."""
    row = desk.page.subject
    assert row is not None
    texts = sentences(desk, block, row)
    return [Heading(2, desk.heading("prose")), *paragraphs(texts, 3 + block.variant % 3)] if texts else []


def told_rows(desk: Desk, block: Block) -> list[Piece]:
    """A paragraph that tells a row and names it in every sentence."""
    out: list[Piece] = []
    for row, cells in by_row(block.cells).items():
        texts = sentences(desk, block, row, always=True) or [_alone(desk, row, cells)]
        out += paragraphs(texts, 6)
    return out


def _alone(desk: Desk, row: Row, cells: dict[str, Cell]) -> Text:
    """Tell of a row whose key alone is left to state."""
    form = desk.pages.world.schema.tables[row.table]
    text = f"{capital(called(desk.pages.words, row, cells))} is {article(form.singular)} as well."
    return (Span(text, key_cells(desk.pages.words, row, cells)),)


def post(desk: Desk, block: Block) -> list[Piece]:
    """What somebody in a forum tells of a row."""
    return [Heading(3, handle(block.variant)), *told_rows(desk, block)]


def handle(chance: int) -> str:
    """Return the name of somebody in a forum: ordinary words in small letters."""
    handles, animals = ENGLISH.lists["handle"], ENGLISH.lists["animal"]
    return f"{handles[chance % len(handles)]} {animals[(chance >> 8) % len(animals)]}"


def named(desk: Desk, block: Block) -> list[Piece]:
    """The name alone, where the page is about something else that bears it."""
    row = desk.page.subject
    assert row is not None
    cells = by_row(block.cells).get(row, {})
    name = called(desk.pages.words, row, cells)
    return [Para((Span(f"This page is about the name {name}.", key_cells(desk.pages.words, row, cells)),))]
