"""The text of a question: a need, what is asked for, the columns, how to write them, and a closing line.

The order and the columns line follow the public wide-search benchmarks. A reader can rebuild the query from the text:
it holds every constant and every header, and says whose value a joined column is and what stands for a missing one.
"""

import re
from collections.abc import Sequence

from worldsmith import expr, scoring
from worldsmith.expr import Node
from worldsmith.pages.grammar import listing
from worldsmith.schema import Schema
from worldsmith.tasks.headers import headers, owner
from worldsmith.tasks.phrase import Wording, verb_phrase
from worldsmith.tasks.query import Query, within
from worldsmith.tasks.reader import Reader

_SLOT = re.compile(r"\{\w+\}")

BOUNDS = frozenset({"<", ">", "between"})

ASKS = (
    "Please find all {many} that {conditions}.",
    "I need every one of the {many} that {conditions}.",
    "Which {many} {conditions}? I need all of them.",
    "Please list all {many} that {conditions}.",
)
LISTED = (
    "Please find all {many} that meet every one of these conditions:",
    "I need all {many} for which each of the following is true:",
)
TABLES = (
    "Please organize the results in one Markdown table with the following columns:",
    "Please give the results as one Markdown table with the following column names in order:",
    "Put the results in one Markdown table. The column names are as follows:",
)
CLOSING = (
    "Do not ask me anything back: just give the table, one row for each of them, and leave no cell out. "
    "The output format is\n```markdown\n{data_content}\n```"
)


def question(reader: Reader, query: Query, columns: Sequence[scoring.Column], turn: int) -> str:
    """Return the question of a query over a world; `turn` picks among phrasings."""
    schema = reader.world.schema
    parts = [f"{_need(schema, query, turn)} {ask(schema, query, turn)}"]
    parts.append(f"{TABLES[(turn >> 4) % len(TABLES)]}\n{', '.join(c.name for c in columns)}")
    rules = [f"Everything is asked as of {schema.as_of}.", *unmet(reader, query), *notes(schema, query, columns)]
    return "\n\n".join([*parts, "\n".join(rules), CLOSING])


def _need(schema: Schema, query: Query, turn: int) -> str:
    table, needs = schema.tables[query.table], schema.questions.needs
    need = needs[(turn >> 8) % len(needs)] if needs else "I am looking into {about}."
    slots = {"{many}": table.plural, "{one}": table.singular, "{about}": schema.about}
    return _SLOT.sub(lambda found: slots.get(found[0], found[0]), need)


def ask(schema: Schema, query: Query, turn: int) -> str:
    """Return the sentence that says which rows are wanted."""
    wording, table = Wording(schema, turn), schema.tables[query.table]
    conditions = (within(schema, query.table, query.scope), *query.clauses)
    phrases = [verb_phrase(wording, query.table, node) for node in conditions]
    if len(phrases) > 1 and (len(phrases) > 3 or any(_nested(node) for node in conditions[:-1]) or turn >> 12 & 3 == 0):
        lines = [f"- they {phrase}{'.' if i == len(phrases) - 1 else ';'}" for i, phrase in enumerate(phrases)]
        return "\n".join([LISTED[(turn >> 2) % len(LISTED)].format(many=table.plural), *lines])
    return ASKS[(turn >> 2) % len(ASKS)].format(many=table.plural, conditions=listing(phrases))


def _nested(node: Node) -> bool:
    return any(len(path) > 1 for path in expr.paths(node))


def unmet(reader: Reader, query: Query) -> list[str]:
    """Return the lines on clauses over numbers that some row of the world lacks: none is not under any bound."""
    schema = reader.world.schema
    paths = [expr.paths(node)[0] for node in query.clauses if isinstance(node, expr.Call) and node.op in BOUNDS]
    lines = []
    for path in dict.fromkeys(paths):
        column = schema.walk(query.table, path)
        if column.type in {"int", "num"} and None in reader.values(query.table, path):
            name = headers(schema, query.table, (path,))[0]
            lines.append(f"A row without a value for “{name}” does not meet the condition on it.")
    return lines


def notes(schema: Schema, query: Query, columns: Sequence[scoring.Column]) -> list[str]:
    """Return the lines on whose values joined columns hold and on how cells are to be written."""
    owned: dict[str, list[str]] = {}
    for path, c in zip(query.columns, columns, strict=True):
        if len(path) > 1:
            owned.setdefault(owner(schema, query.table, path), []).append(f"“{c.name}”")
    lines = [
        f"{listing(names)} {'is that' if len(names) == 1 else 'are those'} of {whose}."
        for whose, names in owned.items()
    ]
    if any(c.kind == "date" for c in columns):
        lines.append("Write dates as YYYY-MM-DD.")
    if any(c.kind in {"int", "num"} for c in columns):
        lines.append(
            "Write numbers in digits only, in the unit that the column name gives, as precisely as the source."
        )
    lines += [f"Answer “{c.name}” with Yes or No." for c in columns if c.kind == "bool"]
    lines += [f"Where there is no value for “{c.name}”, write “{c.none or '-'}”." for c in columns if c.none]
    return lines
