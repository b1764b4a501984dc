"""A reader of questions: rebuilds the query from the text and the schema alone, or says what it can't tell.

It knows the frames of sentences (`question_phrases`) and how a schema speaks of its columns (`condition_reader`), and
no world. Where two readings are left, the question is ambiguous.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.lang.question_phrases import NATURAL, PLAIN
from worldsmith.schema import Aggregate, Path, Schema, Table, Value
from worldsmith.tasks.condition_reader import Meaning, Phrases
from worldsmith.tasks.conditions import MANY, ONE, Verbs
from worldsmith.tasks.descriptions import descriptions, whole_table_query
from worldsmith.tasks.headers import column_header, headers, order_ends, quoted_header, referenced_row, spoken_header
from worldsmith.tasks.meanings import meanings, query_meanings
from worldsmith.tasks.query import HOPS, Query, Scope, Top, conjunction
from worldsmith.tasks.question import LETTERS, relative_pronoun
from worldsmith.tasks.subjects import subject_header, subjects_phrase

_HEADER = "[^“”]+"
_LEAD = "[^“”]+“[^“”]+”"
"""What stands before and in the header that rows are put in order by."""
_HEADLESS = re.compile(r"^of the |^given as |^(?:that|who|whose) |[“”]")
"""What follows a noun that is no name."""


class Unclear(Exception):  # noqa: N818 - not an error: what the reader says of a question
    """A question that has no reading, or two."""


def query_of_question(text: str, schema: Schema) -> Query:
    """Return the query of a question. Raises Unclear where the text has no reading, or more than one."""
    first, names, lines = _divided(text)
    names = names[bool(subjects_of_question(text, schema)) :]
    reading, compared = _reading(schema), compared_of_question(text, schema)
    means = {*query_meanings(schema, compared, {}).values()} if compared else set[str]()
    meant = reading.meanings(lines)
    readings = dict.fromkeys(reading.queries(first, names, lines))
    queries = [query for query in readings if meant == means.union(query_meanings(schema, query, {}).values())]
    if len(queries) != 1:
        raise Unclear(f"{len(queries)} readings of {first[:400]!r}")
    return queries[0]


def subjects_of_question(text: str, schema: Schema) -> tuple[str, ...]:
    """Return what a question over several worlds calls them, in its order; () for a question about one.

    Raises Unclear where it names others, or another order, in its first sentences than in the line on their column.
    """
    first, names, lines = _divided(text)
    frames = [frame_pattern(frame, name=_HEADER) for frame in (NATURAL if schema.bank else PLAIN).subjects]
    matches = (frame.fullmatch(line) for line in lines for frame in frames)
    match = next((match for match in matches if match and match["name"] == names[0]), None)
    if match is None:
        return ()
    *before, last = match["subjects"].split(" or ")
    subjects = (*", ".join(before).split(", "), last)
    if names[0] != subject_header(schema) or subjects_phrase(schema, subjects) not in first:
        raise Unclear(f"the worlds {match['subjects']} are not those of {first[:400]!r}")
    return subjects


def compared_of_question(text: str, schema: Schema) -> Query | None:
    """Return what a question compares worlds by, None where it doesn't. Raises Unclear where that has two readings."""
    first, _, _ = _divided(text)
    readings = dict.fromkeys(_reading(schema).comparisons(first))
    if len(readings) > 1:
        raise Unclear(f"{len(readings)} readings of the comparison in {first[:400]!r}")
    return next(iter(readings), None)


def _divided(text: str) -> tuple[str, list[str], list[str]]:
    """Return what a question asks, the names of its columns, and the lines after them."""
    first, columns, *rest = text.split("\n\n")
    return first, columns.rpartition("\n")[2].split(", "), "\n".join(rest).split("\n")


@lru_cache(maxsize=16)
def _reading(schema: Schema) -> "_Reading":
    return _Reading(schema)


@lru_cache(maxsize=4096)
def frame_pattern(frame: str, **slots: str) -> re.Pattern[str]:
    """Return a frame as a pattern: a slot named in `slots` matches that pattern, any other slot any text."""
    parts = re.split(r"\{(\w+)\}", frame)
    made = [re.escape(p) if i % 2 == 0 else f"(?P<{p}>{slots.get(p, '.+?')})" for i, p in enumerate(parts)]
    return re.compile("".join(made), re.DOTALL)


class Modifiers(NamedTuple):
    """What sentences after the conditions say: clauses that except rows, and a top."""

    excepted: tuple[str, ...]
    top: tuple[int, str, str] | None
    """(count, lead, group)."""


class _Reading:
    """The sentences of a schema's questions, read backwards."""

    def __init__(self, schema: Schema) -> None:
        self.schema, self.forms, self.phrases = (
            schema,
            NATURAL if schema.bank else PLAIN,
            Phrases(schema),
        )
        self.plurals = {t.plural: t.name for t in schema.tables.values()}
        self.many = "|".join(re.escape(p) for p in sorted(self.plurals, key=len, reverse=True))
        self._paths: dict[str, tuple[Path, ...]] = {t: tuple(self._walk(t, ())) for t in schema.tables}

    def _walk(self, table: str, before: Path) -> Iterator[Path]:
        form = self.schema.tables[table]
        # The key of a row that is referred to is the reference itself.
        yield from ((*before, c.name) for c in form.columns if not (before and form.key == (c.name,)))
        for ref in form.refs if len(before) + 1 < HOPS else ():
            if ref.ref != table:
                yield from self._walk(ref.ref or "", (*before, ref.name))

    def queries(self, text: str, names: Sequence[str], lines: Iterable[str]) -> Iterator[Query]:
        """Yield every query that the sentences may ask for, under the column names and the lines after them."""
        lines = tuple(lines)
        for links, rest in self._steps(text, ()):
            for frame in self.forms.wanted:
                for match in frame_pattern(frame + "\0").finditer(rest + "\0"):
                    yield from (q for q in self._cell(match["cell"], links) if self._headed(q, names))
            yield from self._tables(rest, links, names, lines)

    def comparisons(self, text: str) -> Iterator[Query]:
        """Yield what the sentences may compare worlds by."""
        for frame in self.forms.compared:
            for match in frame_pattern(frame, many=self.many).finditer(text):
                table = self.plurals[match["many"]]
                for phrases in self._phrase_splits(table, match.groupdict()):
                    for query in self._query(table, phrases, (), Modifiers((), None)):
                        yield replace(query, columns=query.key)

    def meanings(self, lines: Iterable[str]) -> set[str]:
        """Return what the lines say that columns mean."""
        texts = "|".join(map(re.escape, meanings(self.schema).values()))
        frames = [frame_pattern(f, name=_HEADER, means=texts) for f in (*self.forms.meant, self.forms.meant_item)]
        matches = (frame.fullmatch(line) for line in lines for frame in frames)
        return {match["means"] for match in matches if match}

    def _headed(self, query: Query, names: Sequence[str]) -> bool:
        return list(names) == [column_header(query.column(self.schema, query.columns[0]), self.schema)]

    def _steps(self, text: str, links: tuple[Query, ...]) -> Iterator[tuple[tuple[Query, ...], str]]:
        """Yield the queries of a chain that the text goes through, and what follows the last of them."""
        place, goes_on = len(links), False
        for frame in self.forms.value if links else self.forms.start:
            pattern = frame_pattern(frame, letter=LETTERS[place])
            for match in pattern.finditer(text):
                if links and match.start() != 1:
                    continue
                for link in self._cell(match["cell"], links):
                    goes_on = True
                    yield from self._steps(text[match.end() :], (*links, link))
        if not goes_on:
            yield links, text

    def _tables(
        self, text: str, links: tuple[Query, ...], names: Sequence[str], lines: Sequence[str]
    ) -> Iterator[Query]:
        for table, phrases, part in self._requests(text):
            for conditions in phrases:
                for query in self._query(table, conditions, links, part):
                    yield from self._columned(query, names, lines)

    def _requests(self, text: str) -> Iterator[tuple[str, list[list[str]], Modifiers]]:
        """Yield the table that is asked for, its conditions, however they may be split, and what follows them."""
        for body, part in self._tails(text, Modifiers((), None)):
            for frame in (*self.forms.asks, *self.forms.whole):
                for match in frame_pattern(frame + "\0", many=self.many).finditer(body + "\0"):
                    table = self.plurals[match["many"]]
                    yield table, list(self._phrase_splits(table, match.groupdict())), part
            for frame in self.forms.listed:
                pattern = frame_pattern(frame + "\n- {conditions}.\0", many=self.many)
                for match in pattern.finditer(body + "\0"):
                    points = [self._phrase(point) for point in match["conditions"].split(";\n- ")]
                    yield self.plurals[match["many"]], [points], part

    def _phrase(self, point: str) -> str:
        """Return what a sentence about "they" says as a phrase about rows."""
        whose, their = self.forms.whose
        return f"{whose}{point.removeprefix(their)}" if point.startswith(f"{their} ") else point.removeprefix("they ")

    def _phrase_splits(self, table: str, slots: Mapping[str, str]) -> Iterator[list[str]]:
        """Yield the phrases that conditions or relative clauses may be, however they may be split."""
        if "conditions" in slots:
            yield from list_splits(slots["conditions"])
            return
        that = f"{relative_pronoun(self.schema, table)} "
        for clauses in list_splits(slots["clauses"]):
            if clauses[0].startswith((that, f"{self.forms.whose[0]} ")):
                yield [clause.removeprefix(that) for clause in clauses]

    def _tails(self, text: str, part: Modifiers) -> Iterator[tuple[str, Modifiers]]:
        """Yield what is left of the sentences without those that except rows or rank them, and what these say."""
        yield text, part
        for kind in ("best", "best_each"):
            for frame in getattr(self.forms, kind) if part.top is None and not part.excepted else ():
                slots = {"count": r"\d+", "lead": self._lead, "group": "[^“”]+"}
                for match in frame_pattern(frame + "\0", **slots).finditer(text + "\0"):
                    top = (int(match["count"]), match["lead"], match.groupdict().get("group", ""))
                    yield from self._tails(text[: match.start()].rstrip(), Modifiers((), top))
        for frame in self.forms.except_:
            for match in frame_pattern(frame + "\0").finditer(text + "\0"):
                excepted = (match["conditions"], *part.excepted)
                yield from self._tails(text[: match.start()].rstrip(), Modifiers(excepted, part.top))

    def _query(
        self, table: str, phrases: Sequence[str], links: tuple[Query, ...], part: Modifiers, verbs: Verbs = MANY
    ) -> Iterator[Query]:
        key = tuple((name,) for name in self.schema.tables[table].key)
        read = [list(self.phrases.conditions(table, phrase, verbs)) for phrase in phrases]
        left = [list(self._except(table, text)) for text in part.excepted]
        for first, *others in product(*read, *left):
            for scope in self._scope(first, links):
                nodes, tallies = _joined(others)
                bare = Query(table, scope, conjunction(nodes), (), key, tallies)
                yield from self._topped(bare, part.top) if part.top else (bare,)

    def _except(self, table: str, text: str) -> Iterator[Meaning]:
        for phrases in list_splits(text):
            read = [list(self.phrases.comparisons(table, phrase)) for phrase in phrases]
            for nodes in product(*read) if len(phrases) > 1 else ():
                yield call("not", [call("and", list(nodes))]), ()

    def _scope(self, meaning: Meaning, links: tuple[Query, ...]) -> Iterator[Scope]:
        node, tallies = meaning
        if tallies or not isinstance(node, expr.Call) or node.op not in {"=", "in"}:
            return
        path, *held = node.args
        if not isinstance(path, expr.Path) or len(path.parts) > 1:
            return
        values: tuple[Value, ...] = tuple(a.value for a in held if isinstance(a, expr.Const))
        if links and values == (LETTERS[len(links) - 1],):
            yield Scope(path.parts[0], (), links[-1])
        elif not links:
            yield Scope(path.parts[0], values)

    def _topped(self, query: Query, top: tuple[int, str, str]) -> Iterator[Query]:
        count, lead, group = top
        for path, largest in self._leads(query, lead):
            for within in self._under(query, group) if group else (None,):
                order = Top(path, count, largest, within)
                yield Query(query.table, query.scope, query.where, (), query.key, query.tallies, order)

    def _leads(self, query: Query, lead: str) -> Iterator[tuple[Path, bool]]:
        """Yield the paths that rows are put in order by, and whether the largest values come first."""
        own = frame_pattern(self.forms.leading + "\0", most=self._ends, header=_HEADER).fullmatch(lead + "\0")
        if own:
            columns = self.schema.tables[query.table].columns
            paths = [(c.name,) for c in columns if spoken_header(c, self.schema) == own["header"]]
            yield from self._ordered(query, paths, own["most"])
        by = frame_pattern(self.forms.leading_by + "\0", most=self._ends, header=_HEADER, part=_HEADER).fullmatch(
            lead + "\0"
        )
        if by is None:
            return
        for ref in self.schema.tables[query.table].refs:
            if lower(ref.label) == by["part"]:
                target = self.schema.tables[ref.ref or ""]
                ends = [(ref.name, c.name) for c in target.columns if spoken_header(c, self.schema) == by["header"]]
                yield from self._ordered(query, ends, by["most"])

    @cached_property
    def _lead(self) -> str:
        """What rows are put in order by, in words."""
        return rf"(?:with|whose) .+?(?:{self._ends}) .+?" if self.schema.bank else _LEAD

    @cached_property
    def _ends(self) -> str:
        return "|".join(self.forms.ends)

    def _ordered(self, query: Query, paths: Sequence[Path], most: str) -> Iterator[tuple[Path, bool]]:
        for path in paths:
            end = self._end(query, path, most)
            if end is not None:
                yield path, end

    def _end(self, query: Query, path: Path, most: str) -> bool | None:
        """Return whether a word means the largest value of a path; None where it isn't said of such values."""
        last, first = order_ends(query.column(self.schema, path), self.schema, self.forms.ends)
        return True if most == last else False if most == first else None

    def _under(self, query: Query, header: str) -> list[Path]:
        """Return the columns that are headed so."""
        return [(c.name,) for c in self.schema.tables[query.table].columns if column_header(c, self.schema) == header]

    def _columned(self, query: Query, names: Sequence[str], lines: Sequence[str]) -> Iterator[Query]:
        """Yield the query with the columns that are named so, those which the lines say how to count among them."""
        table, tallies = query.table, list(query.tallies)
        counted: dict[str, Path] = {}
        for line in lines:
            for name, tally in self.phrases.counted(table, line):
                if tally not in tallies:
                    tallies.append(tally)
                counted[name] = (f"#{tallies.index(tally)}",)
        choices = [[counted[name]] if name in counted else self._headed_so(table, name) for name in names]
        for paths in product(*choices):
            if headers(self.schema, table, paths, tallies) == tuple(names) and paths[: len(query.key)] == query.key:
                yield Query(table, query.scope, query.where, paths, query.key, tuple(tallies), query.top)

    def _headed_so(self, table: str, name: str) -> list[Path]:
        """Return the paths that may be headed so, alone or beside others of their owner."""
        last = name.rpartition(": ")[2]
        return [path for path, header in self._path_headers[table] if header in {name, last}]

    @cached_property
    def _path_headers(self) -> dict[str, list[tuple[Path, str]]]:
        """The paths of each table with the headers of the columns at their ends."""
        schema = self.schema
        return {t: [(p, column_header(schema.walk(t, p), schema)) for p in paths] for t, paths in self._paths.items()}

    def _cell(self, text: str, links: tuple[Query, ...]) -> Iterator[Query]:
        """Yield the queries of one cell that a noun phrase may be: "the street of the keeper of the shop Quillon"."""
        for table, path, prefix in self._cells:
            if text.startswith(prefix):
                for query in self._row(table, text[len(prefix) :], links):
                    yield Query(table, query.scope, query.where, (path,), (), query.tallies, query.top)

    @cached_property
    def _cells(self) -> list[tuple[str, Path, str]]:
        phrases = []
        for table, paths in self._paths.items():
            for path in paths:
                column = self.schema.walk(table, path)
                if column.ref:
                    phrase = referenced_row(self.schema, table, path, "\0")
                else:
                    owner = referenced_row(self.schema, table, path[:-1], "\0")
                    phrase = self.forms.cell_of.format(what=quoted_header(column, self.schema), row=owner)
                phrases.append((table, path, phrase.removesuffix("\0")))
        return phrases

    def _row(self, table: str, text: str, links: tuple[Query, ...]) -> Iterator[Query]:
        form = self.schema.tables[table]
        name = self._name(form, text)
        if not links and len(form.key) == 1 and name and not _HEADLESS.search(name):
            yield Query(table, Scope(form.key[0], (name,)), None, (), ())
        if not links:
            yield from self._described(table, text)
        slots = {"one": re.escape(form.singular), "many": re.escape(form.plural)}
        best = frame_pattern(self.forms.the_best, lead=self._lead, **slots).fullmatch(text)
        only = frame_pattern(self.forms.the_only, **slots).fullmatch(text)
        for match in (match for match in (best, only) if match):
            top = (1, match["lead"], "") if match is best else None
            verbs = ONE if match is only and "{one}" in self.forms.the_only else MANY
            for phrases in self._phrase_splits(table, match.groupdict()):
                for query in self._query(table, phrases, links, Modifiers((), top), verbs):
                    yield Query(table, query.scope, query.where, (), (), query.tallies, query.top)

    def _described(self, table: str, text: str) -> Iterator[Query]:
        """Yield the queries of the one row that a noun phrase may describe."""
        yield from (q for one in descriptions(self.schema) if one.table == table and (q := one.read(text)))
        one = re.escape(self.schema.tables[table].singular)
        for match in (frame_pattern(frame, one=one).fullmatch(text) for frame in self.forms.described):
            for phrases in self._phrase_splits(table, match.groupdict()) if match else ():
                for nodes in product(*(list(self.phrases.comparisons(table, phrase, ONE)) for phrase in phrases)):
                    yield whole_table_query(self.schema, table, nodes)

    def _name(self, form: Table, text: str) -> str:
        """Return the name in "the shop Quillon" or "the Project Dobim"; "" where there is none."""
        for frame, start in ((self.forms.named, ""), (self.forms.named_so, f"{capital(form.singular)} ")):
            before = frame.format(one=form.singular, name="") + start
            if text.startswith(before):
                return start + text.removeprefix(before)
        return ""


def _joined(meanings: Sequence[Meaning]) -> tuple[list[Node], tuple[Aggregate, ...]]:
    """Return conditions side by side, their tallies numbered through."""
    nodes: list[Node] = []
    tallies: list[Aggregate] = []
    for node, own in meanings:
        nodes.append(_numbered(node, len(tallies)) if own else node)
        tallies += own
    return nodes, tuple(tallies)


def _numbered(node: Node, first: int) -> Node:
    if isinstance(node, expr.Path) and node.parts[0].startswith("#"):
        return expr.Path((f"#{int(node.parts[0][1:]) + first}",), node.type)
    if isinstance(node, expr.Call):
        return expr.Call(node.op, tuple(_numbered(a, first) for a in node.args), node.type)
    return node


def list_splits(text: str) -> Iterator[list[str]]:
    """Yield the ways in which "a", "a and b" or "a, b and c" may be told apart."""
    yield [text]
    for joint in re.finditer(" and ", text):
        last = text[joint.end() :]
        yield from ([*first, last] for first in _commas(text[: joint.start()]))


def _commas(text: str) -> Iterator[list[str]]:
    yield [text]
    for comma in re.finditer(", ", text):
        yield from ([text[: comma.start()], *rest] for rest in _commas(text[comma.end() :]))
