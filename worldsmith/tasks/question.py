"""The text of a question: a need, what is asked for, the columns, how to write them, and a closing line.

The order and the columns line follow the public wide-search benchmarks. A reader can rebuild the query from the text
(`question_reader` does): it holds every constant and every header, says whose value a joined column is, what a counted
one counts and what stands for a missing one. The sentences are data (`question_phrases`).
"""

import re
from collections.abc import Iterator, Sequence

from worldsmith import expr, scoring
from worldsmith.expr import Node
from worldsmith.lang.morphology import article, listing, lower
from worldsmith.lang.page_phrases import capital
from worldsmith.lang.question_phrases import NATURAL, PLAIN
from worldsmith.schema import Path, Rank, Schema
from worldsmith.seeding import draw
from worldsmith.tasks.conditions import (
    MANY,
    ONE,
    Verbs,
    Wording,
    WordingSplit,
    children_condition,
    parent_part,
    spell,
    verb_phrase,
)
from worldsmith.tasks.descriptions import descriptions
from worldsmith.tasks.headers import (
    asked_name,
    column_header,
    headers,
    order_ends,
    owner,
    quoted_header,
    referenced_row,
    spoken_header,
)
from worldsmith.tasks.meanings import query_meanings
from worldsmith.tasks.query import Query, Top, is_tally, scope_condition
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.subjects import subjects_phrase
from worldsmith.world.model import World

_SLOT = re.compile(r"\{\w+\}")

BOUNDS = frozenset({"<", ">", "between"})
SEVERAL = 3
"""As many meanings of columns are told in a list."""
LETTERS = "ABCDEFGH"
"""What the finds of a chain are called, in order."""


def question(
    evaluator: QueryEvaluator,
    query: Query,
    columns: Sequence[scoring.Column],
    turn: int,
    split: WordingSplit = "all",
    more: Sequence[QueryEvaluator] = (),
    compared: Query | None = None,
) -> str:
    """Return the question of a query over a world; `turn` picks among the wordings that `split` leaves.

    With `more` it is over several worlds, and the first of `columns` says which of them a row is of; with `compared`
    over that one of them which has the most rows of this query.
    """
    schema, evaluators = evaluator.world.schema, (evaluator, *more)
    subjects = tuple(one.world.subject for one in evaluators)
    wording = Wording(schema, turn, query.tallies, split)
    frame = "tables" if query.key else "cell"
    about = subjects_phrase(schema, subjects) if more else _about(evaluator.world)
    comparison = [comparison_sentence(wording, compared)] if compared else []
    parts = [" ".join([_need(about, wording, query), *comparison, request_sentences(wording, query)])]
    parts.append(f"{wording.pick(frame)}\n{', '.join(c.name for c in columns)}")
    dated = wording.pick("dated").format(day=schema.as_of)
    missing = (note for one in evaluators for note in missing_number_notes(one, wording, query))
    ended = [note for one in (compared, query) if one for note in ended_row_notes(wording, one)]
    counted = [*dict.fromkeys(ended), *dict.fromkeys(missing), *rank_notes(wording, query)]
    rules = subject_notes(wording, columns[0].name, subjects) if more else []
    columns = columns[bool(more) :]
    rules += [
        *meaning_notes(wording, query, columns, compared),
        dated,
        *counted,
        *column_notes(wording, query, columns),
    ]
    return "\n\n".join([*parts, "\n".join(rules), wording.pick("closing" if query.key else "closing_cell")])


def subject_notes(wording: Wording, header_text: str, subjects: Sequence[str]) -> list[str]:
    """Return the line on the column that says which of several worlds a row is of."""
    return [wording.pick("subjects").format(name=header_text, subjects=listing(subjects, "or"))]


def comparison_sentence(wording: Wording, compared: Query) -> str:
    """Return the sentence that says which of several worlds is meant."""
    nodes = [verb_phrase(wording, compared.table, node) for node in compared.clauses]
    clauses = relative_clauses(wording, compared.table, [_scope(wording, compared, 0), *nodes])
    return wording.pick("compared").format(many=wording.schema.tables[compared.table].plural, clauses=clauses)


def _need(about: str, wording: Wording, query: Query) -> str:
    schema, table = wording.schema, wording.schema.tables[query.table]
    own = schema.questions.needs if query.key and not schema.bank else ()
    pool = (*own, *own, *wording.words.needs) if wording.turn or not own else own
    need = pool[draw(wording.turn, "words", "need") % len(pool)] if wording.turn else pool[0]
    slots = {"{many}": table.plural, "{one}": table.singular, "{about}": about}
    return _SLOT.sub(lambda slot: slots.get(slot[0], slot[0]), need)


def _about(world: World) -> str:
    """Return what a world is about, by its name where its schema has one for it."""
    bank = world.schema.bank
    subject = bank.source.subject if bank else None
    return subject.text.replace("{name}", world.subject) if subject else world.schema.about


def request_sentences(wording: Wording, query: Query) -> str:
    """Return the sentences that say which rows are wanted."""
    *before, last = query.chain()
    steps = []
    for place, one in enumerate(before):
        frame = wording.pick("start" if place == 0 else "value", place)
        steps.append(frame.format(cell=cell_phrase(wording, one, place), letter=LETTERS[place]))
    if not last.key:
        return " ".join([*steps, wording.pick("wanted").format(cell=cell_phrase(wording, last, len(before)))])
    return " ".join([*steps, _rows(wording, last, len(before))])


def _rows(wording: Wording, query: Query, place: int) -> str:
    many = wording.schema.tables[query.table].plural
    nodes = [node for node in query.clauses if not is_exception(node)]
    phrases = [_scope(wording, query, place), *(verb_phrase(wording, query.table, node) for node in nodes)]
    nested = any(_nested(node) for node in nodes[:-1])
    many_phrases = 4 if wording.schema.bank else 2
    if len(phrases) > 1 and (len(phrases) > many_phrases or nested or draw(wording.turn, "words", "list") % 4 == 0):
        points = [_point(wording, phrase) for phrase in phrases]
        lines = [f"- {point}{'.' if i == len(points) - 1 else ';'}" for i, point in enumerate(points)]
        request = "\n".join([wording.pick("listed").format(many=many), *lines])
        after = "\n"
    else:
        frame = _request_frame(wording, phrases)
        slots = {"conditions": listing(phrases), "clauses": relative_clauses(wording, query.table, phrases)}
        request, after = frame.format(many=many, **slots), " "
    more = [_except(wording, query, node) for node in query.clauses if is_exception(node)]
    more += [_best(wording, query, query.top)] if query.top else []
    return after.join([request, *more[:1]]) + "".join(f" {sentence}" for sentence in more[1:])


def _request_frame(wording: Wording, phrases: Sequence[str]) -> str:
    """Return a request for rows: one that takes relative clauses where a phrase is one of its own."""
    part, more = "asks" if len(phrases) > 1 else "whole", 0
    while (frame := wording.pick(part, more)).find("{clauses}") < 0 and any(map(_is_clause, phrases)):
        more += 1
    return frame


def _is_clause(phrase: str) -> bool:
    """Tell whether what is said of rows is a relative clause: "whose keeper is a baker"."""
    return phrase.startswith("whose ")


def _point(wording: Wording, phrase: str) -> str:
    """Return what is said of rows as a sentence about them: "they lie at Aster", "their keeper is a baker"."""
    whose, their = wording.words.whose
    return f"{their}{phrase.removeprefix(whose)}" if _is_clause(phrase) else f"they {phrase}"


def relative_clauses(wording: Wording, table: str, phrases: Sequence[str]) -> str:
    """Return what is said of rows as relative clauses: "who live on A", "that lie at A and whose keeper is a baker"."""
    that = relative_pronoun(wording.schema, table)
    if not any(map(_is_clause, phrases)):
        return f"{that} {listing(list(phrases))}"
    return listing([phrase if _is_clause(phrase) else f"{that} {phrase}" for phrase in phrases])


def relative_pronoun(schema: Schema, table: str) -> str:
    """Return "who" for a table of people in natural questions, else "that"."""
    form = schema.tables[table]
    return NATURAL.who if schema.bank and form.of_people and len(form.key) == 1 else PLAIN.that


def is_exception(node: Node) -> bool:
    """Tell whether a clause says what rows may not be all at once: it is told as an exception."""
    return isinstance(node, expr.Call) and node.op == "not" and _op(node.args[0]) == "and"


def _op(node: Node) -> str:
    return node.op if isinstance(node, expr.Call) else ""


def _except(wording: Wording, query: Query, node: Node) -> str:
    assert isinstance(node, expr.Call)
    inner = node.args[0]
    assert isinstance(inner, expr.Call)
    parts = [verb_phrase(wording, query.table, part) for part in inner.args]
    return wording.pick("except_").format(conditions=listing(parts))


def _scope(wording: Wording, query: Query, place: int, verbs: Verbs = MANY) -> str:
    if query.scope.of is None:
        return verb_phrase(wording, query.table, scope_condition(wording.schema, query.table, query.scope), verbs)
    here = expr.Path((query.scope.column,), "text")
    letter = expr.Const(LETTERS[place - 1], "text")
    return verb_phrase(wording, query.table, expr.Call("=", (here, letter), "bool"), verbs)


def header(wording: Wording, query: Query, path: Path) -> str:
    """Return the header of one path of a query."""
    return headers(wording.schema, query.table, (path,), query.tallies)[0]


def extreme_word(wording: Wording, query: Query, top: Top) -> str:
    """Return the word for the end of an order: "highest", "earliest"."""
    ends = order_ends(query.column(wording.schema, top.path), wording.schema, wording.words.ends)
    return ends[not top.largest]


def order_phrase(wording: Wording, query: Query, top: Top) -> str:
    """Return what the first rows of an order have: their own value, or that of the row they refer to."""
    schema, forms = wording.schema, wording.words
    header_text = spoken_header(query.column(schema, top.path), schema)
    slots = {"most": extreme_word(wording, query, top), "header": header_text}
    if len(top.path) == 1:
        return forms.leading.format(**slots)
    part = lower(schema.column(query.table, top.path[0]).label)
    return forms.leading_by.format(**slots, part=part)


def _best(wording: Wording, query: Query, top: Top) -> str:
    slots = {"count": top.count, "lead": order_phrase(wording, query, top)}
    if top.within is None:
        return wording.pick("best").format(**slots)
    return wording.pick("best_each").format(**slots, group=header(wording, query, top.within))


def row_phrase(wording: Wording, query: Query, place: int) -> str:
    """Return the one row of a query in words: by its name, by what it leads in, or by what it alone is."""
    table, forms = wording.schema.tables[query.table], wording.words
    if query.named:
        name = spell(query.scope.values[0], table.column(table.key[0]))
        frame = forms.named_so if name.startswith(f"{capital(table.singular)} ") else forms.named
        return frame.format(one=table.singular, name=name)
    if query.described:
        return description(wording, query)
    verbs = ONE if query.top is None and "{one}" in forms.the_only else MANY
    nodes = [verb_phrase(wording, query.table, node, verbs) for node in query.clauses]
    clauses = relative_clauses(wording, query.table, [_scope(wording, query, place, verbs), *nodes])
    slots = {"one": table.singular, "many": table.plural, "clauses": clauses}
    if query.top is None:
        return forms.the_only.format(**slots)
    return forms.the_best.format(lead=order_phrase(wording, query, query.top), **slots)


def description(wording: Wording, query: Query) -> str:
    """Return the described row of a query in words: by a pattern of the bank, or as people ask for its columns."""
    table, turn = wording.schema.tables[query.table], wording.turn
    fitting = (one.text(query) for one in descriptions(wording.schema, wording.split) if one.table == table.name)
    texts = [text for text in fitting if text]
    if texts:
        return texts[draw(turn, "words", "description") % len(texts)]
    phrases = [verb_phrase(wording, query.table, node, ONE) for node in query.clauses]
    clauses = relative_clauses(wording, query.table, phrases)
    return wording.pick("described").format(one=table.singular, clauses=clauses)


def cell_phrase(wording: Wording, query: Query, place: int) -> str:
    """Return the one cell of a query in words: "the street of the keeper of the shop Quillon"."""
    schema, path = wording.schema, query.columns[0]
    row_text, column = row_phrase(wording, query, place), query.column(schema, path)
    if column.ref:
        return referenced_row(schema, query.table, path, row_text)
    row = referenced_row(schema, query.table, path[:-1], row_text)
    return wording.words.cell_of.format(what=quoted_header(column, schema), row=row)


def _nested(node: Node) -> bool:
    return any(len(path) > 1 or is_tally(path) for path in expr.paths(node)) or _op(node) == "or"


def meaning_notes(
    wording: Wording, query: Query, columns: Sequence[scoring.Column], compared: Query | None = None
) -> list[str]:
    """Return the lines on what columns mean exactly: those of which pages tell something else in the same terms.

    Those are columns of the query, and of what worlds are `compared` by.
    """
    schema = wording.schema
    headings = dict(zip(query.columns, (c.name for c in columns), strict=True))
    texts = query_meanings(schema, query, headings)
    more = query_meanings(schema, compared, {}) if compared else {}
    texts |= {name: means for name, means in more.items() if means not in texts.values()}
    if len(texts) < SEVERAL:
        return [wording.pick("meant", i).format(name=n, means=m) for i, (n, m) in enumerate(texts.items())]
    items = [wording.words.meant_item.format(name=capital(name), means=text) for name, text in texts.items()]
    return [wording.pick("meant_each"), *items]


def missing_number_notes(evaluator: QueryEvaluator, wording: Wording, query: Query) -> list[str]:
    """Return the lines on clauses over numbers that some row of the world lacks: none is not under any bound."""
    lines: dict[str, None] = {}
    clauses = () if query.described else query.clauses
    for node in (n for clause in clauses for n in bounded_comparisons(clause)):
        path = expr.paths(node)[0]
        column = query.column(wording.schema, path)
        if column.type in {"int", "num"} and None in evaluator.query_values(query, path):
            lines[wording.pick("unmet").format(name=header(wording, query, path))] = None
    return list(lines)


def rank_notes(wording: Wording, query: Query) -> list[str]:
    """Return the line on bounds of ranks, where there are any: "below 9" may be read as tenth or worse."""
    schema = wording.schema
    for one in query.chain():
        read = [
            (one.column(schema, expr.paths(node)[0])) for clause in one.clauses for node in bounded_comparisons(clause)
        ]
        for tally in one.tallies:
            inner = bounded_comparisons(tally.where) if tally.where is not None else []
            read += [schema.walk(tally.table, expr.paths(node)[0]) for node in inner]
        if any(isinstance(column.fill, Rank) for column in read):
            return [wording.words.ranks]
    return []


def bounded_comparisons(node: Node) -> list[Node]:
    """Return the comparisons with a bound in a clause."""
    if not isinstance(node, expr.Call):
        return []
    if node.op in {"or", "and", "not"}:
        return [inner for arg in node.args for inner in bounded_comparisons(arg)]
    return [node] if node.op in BOUNDS else []


def column_notes(wording: Wording, query: Query, columns: Sequence[scoring.Column]) -> list[str]:
    """Return the lines on whose values joined columns hold, what tallies count and how cells are to be written."""
    schema, forms = wording.schema, wording.words
    named = dict(zip(query.columns, (c.name for c in columns), strict=True))
    owned: dict[str, dict[str, None]] = {}
    for path, name in named.items():
        if len(path) > 1 and query.key:
            owned.setdefault(owner(schema, query.table, path), {})[f"“{name}”"] = None
    lines = [
        (forms.owned if len(names) == 1 else forms.owned_many).format(names=listing(list(names)), whose=whose)
        for whose, names in owned.items()
    ]
    lines += [_counted(wording, query, path, name) for path, name in named.items() if is_tally(path)]
    lines += [line for path, name in named.items() for line in _ranked(wording, query, path, name)]
    kinds = {c.kind for c in columns}
    lines += [wording.pick("days")] if "date" in kinds else []
    lines += [wording.pick("numbers")] if kinds & {"int", "num"} else []
    truths = [f"“{c.name}”" for c in columns if c.kind == "bool"]
    lines += [wording.pick("truths").format(names=listing(truths))] if truths else []
    return lines + [wording.pick("fillers").format(name=c.name, none=c.none or "-") for c in columns if c.none]


def _ranked(wording: Wording, query: Query, path: Path, name: str) -> Iterator[str]:
    """Yield the line on a place in an order: it is counted among all rows, whichever are asked for."""
    column, schema, forms = query.column(wording.schema, path), wording.schema, wording.words
    if isinstance(column.fill, Rank):
        slots = {"name": name, "many": schema.tables[column.table].plural}
        group = column.fill.within
        if group is None:
            yield forms.ranked.format(**slots)
        else:
            grouped = schema.column(column.table, group)
            name = column_header(grouped, schema) if schema.bank else grouped.label
            yield forms.ranked_in.format(**slots, group=name)


def ended_row_notes(wording: Wording, query: Query) -> list[str]:
    """Return the lines on rows that are over and count all the same, unless a condition asks about that."""
    schema, lines = wording.schema, dict[str, None]()
    for one in query.chain():
        if one.named or one.described:
            continue
        read = {(one.table, path[0]) for path in one.read if len(path) == 1}
        read |= {(t.table, path[0]) for t in one.tallies if t.where is not None for path in expr.paths(t.where)}
        tables = [one.table, *(tally.table for tally in one.tallies)]
        for table in map(schema.tables.__getitem__, tables):
            for column in table.columns:
                if column.ends and (table.name, column.name) not in read:
                    slots = {"header": column_header(column, schema), "a_header": article(asked_name(column, schema))}
                    lines[capital(wording.pick("ended").format(many=table.plural, **slots))] = None
    return list(lines)


def _counted(wording: Wording, query: Query, path: Path, name: str) -> str:
    tally, schema, forms = query.tally(path), wording.schema, wording.words
    assert tally is not None
    one, child = schema.tables[query.table].singular, schema.tables[tally.table]
    many = child.plural + parent_part(schema, query.table, tally, f"that {one}")
    slots = {"name": name, "one": one, "many": many, "rest": children_condition(wording, tally, MANY)}
    if tally.op == "count":
        return forms.counted.format(**slots)
    frame = forms.summed if tally.op == "sum" else forms.peaked
    return frame.format(**slots, header=column_header(child.column(tally.column or ""), schema))
