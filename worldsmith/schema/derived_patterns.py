"""A pattern bank for a schema that has no language file, or for the parts that its file lacks.

It is made as data of a language file from what the schema says of its columns: kind, unit, label, `says`, `called`.
Sentences are frames in `derived_patterns.toml`, by the sort of phrase that a column gives; their `<slots>` are words
of the schema.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final

from worldsmith.lang.morphology import article, lower, says, singular
from worldsmith.lang.page_phrases import capital
from worldsmith.schema.patterns import Bank, read_bank
from worldsmith.schema.types import (
    COMPUTED,
    Aggregate,
    Choice,
    Column,
    Number,
    PageSpec,
    Pick,
    Rank,
    Schema,
    Table,
)

_SLOT = re.compile(r"<(\w+)>")
_TAIL = re.compile(r"\s*\(([^()]*)\)$")
_MARKUP = re.compile(r"[{}\[\]|<>]")
_DETERMINED = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_DAY = re.compile(r"\b(day|date|deadline|time|until|since)\b")
_INDEFINITE = re.compile(r"\ban? (?=\S+(?: \S+)?$)")
_DONE = re.compile(
    r"(\w{3,}(?<!e)ed|used|aged|born|built|rebuilt|made|sold|bought|held|kept|won|lit|laid|paid|lost|found|spent|left|"
    r"let|sent|met|set|put|cut|shut|given|taken|written|withdrawn|drawn|shown|known|grown|chosen|broken|worn|flown|"
    r"struck|led|run)\b"
)
"""What was done: no noun, and what a day is told of."""
_LEADING = re.compile(r"(of|in|to|by|for|from|on|at|with|under|since|until|as)\b")
_SUPERLATIVE = re.compile(
    r"(?!(?:inter|for|gu|requ|t|harv|cont|qu|r|w|ch|inv)est)"
    r"(\w+est|best|worst|most|least|total|first|last|only|same)\b"
)
_ADJECTIVE = re.compile(
    r"\w+(ed|able|ible|ive|ous|ic|ful|less)|(annu|season|loc|digit|leg|offici|nation|region|glob)al|active|broken|dry|"
    r"electronic|empty|free|hidden|independent|main|new|old|open|part-time|full-time|permanent|private|public|rare|recent|"
    r"remote|safe|urgent|vacant|vegan|vegetarian|wet|wooden"
)
"""Truth values that a row is: "is organic"; others it comes with: "comes with a sauna"."""

_SMALL: Final = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to"}
)
"""Words that a title leaves in lower case."""
VERBS: Final = re.compile(
    "(accepts|allows|has|holds|includes|is|keeps|lives|needs|offers|owns|plays|requires|runs|sells|serves|speaks|takes|"
    "uses|wears|works) (.+)"
)
"""Verb phrases that a truth value may be labelled with: "takes cards"."""
STORIES: Final = (("handbook", "article"), ("paper", "article"), ("forum", "thread"))
"""The sites and forms of the second page about a row, in turn."""


@cache
def _data() -> dict[str, Any]:
    """Return frames, sites, titles and words for days."""
    return tomllib.loads((files("worldsmith.schema") / "derived_patterns.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Frames:
    """How columns of one sort are told and asked for; the last of several sentences of a list is held out."""

    named: Sequence[str]
    """Sentences that name the row: <row>."""
    loose: Sequence[str]
    """Sentences that follow one which names it: <one> is what the row is, <its> an owner."""
    forum: Sequence[str]
    """Sentences of people in a forum."""
    null: Sequence[str]
    """Sentences that say that there is none."""
    asks: Mapping[str, Sequence[str]]
    """By the names of `AskSource`."""


@cache
def frames_of(sort: str) -> Frames:
    """Return the frames of a sort of column; KeyError where there is none."""
    source = _data()["frames"][sort]
    absent = _data()["absent"] if source.get("absent") else {}
    asks = {**source.get("asks", {}), **absent.get("asks", {})}
    null = source.get("null") or absent.get("null", ())
    return Frames(source["named"], source["loose"], source.get("forum", ()), null, asks)


def _day_noun(done: str, otherwise: str) -> str:
    """Return what the day is called on which something was done."""
    return str(_data()["days"].get(done, otherwise))


@dataclass(frozen=True)
class _Phrases:
    """What a column gives to sentences: the sorts of its frames, and what fills their slots."""

    column: Column
    sorts: tuple[str, ...]
    slots: Mapping[str, str]
    header: str


def completed(bank: Bank, schema: Schema, where: str) -> Bank:
    """Return a bank with derived sentences for columns that have none, and ways to ask for those that have none."""
    words = _Words(schema)
    stated = {(tell.of, path[0]) for tell in bank.tells for path in tell.stated if len(path) == 1}
    lacking = prose_columns(bank) - stated
    tells = [tell for p in words.every if (p.column.table, p.column.name) in lacking for tell in words.tells(p)]
    unasked = {f"{p.column.table}.{p.column.name}": p for p in words.foreground}
    asks = {place: words.ask(p) for place, p in unasked.items() if place not in bank.source.asks}
    if not tells and not asks:
        return bank
    more = {
        "derived": list(dict.fromkeys([*(".".join(place) for place in sorted(lacking)), *asks])),
        "tells": [*bank.data.get("tells", []), *tells],
        "asks": {**bank.data.get("asks", {}), **asks},
    }
    return read_bank({**bank.data, **more}, schema, where)


def prose_columns(bank: Bank) -> frozenset[tuple[str, str]]:
    """Return the columns, by table and name, that pages show in prose."""
    shown: set[tuple[str, str]] = set()
    for page in bank.pages:
        source = page.source
        if source.form == "card" or (source.list_ and source.form == "table"):
            continue
        shown |= {(source.table, name) for name in source.show if "." not in name}
        if source.form != "table":
            shown |= {(table, name) for table, _, names in page.children for name in names}
    return frozenset(shown)


def derived_bank(schema: Schema, where: str) -> Bank:
    """Return a bank made from a schema alone."""
    return read_bank(_Words(schema).data(), schema, where)


class _Words:
    """The parts of a language file for one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def data(self) -> dict[str, Any]:
        subject = self.subject()
        return {
            "language": 1,
            "derived": [f"{p.column.table}.{p.column.name}" for p in (*self.every, *self.keyed)],
            **({"subject": subject} if subject else {}),
            "columns": {f"{p.column.table}.{p.column.name}": {"aka": self.names(p)} for p in self.foreground},
            "sites": self.sites(),
            "pages": dict(self.pages()),
            "tells": [
                *(tell for table in self.schema.tables.values() for tell in self.naming(table)),
                *(tell for phrases in self.every for tell in self.tells(phrases)),
            ],
            "asks": {f"{p.column.table}.{p.column.name}": self.ask(p) for p in self.foreground},
        }

    def subject(self) -> dict[str, str]:
        """Return what the world is about: a list of one invented name that no column picks from."""
        fills = [column.fill for table in self.schema.tables.values() for column in table.columns]
        picked = {fill.values for fill in fills if isinstance(fill, Pick)}
        names = [v for v in self.schema.values.values() if v.invent and v.n == 1 and v.name not in picked]
        if len(names) != 1:
            return {}
        about, of = self.schema.about, " of" if names[0].invent == "place" else ""
        if _INDEFINITE.search(about):
            return {"values": names[0].name, "text": f"{_INDEFINITE.sub('the ', about)}{of} {{name}}"}
        return {"values": names[0].name, "text": f"{{name}} ({about})"}

    @cached_property
    def every(self) -> tuple[_Phrases, ...]:
        """Phrases of each column but keys of one column."""
        out: list[_Phrases] = []
        for table in self.schema.tables.values():
            shared = Counter(column.says for column in table.columns)
            out += [self.phrases(c, shared[c.says] == 1) for c in table.columns if table.key != (c.name,)]
        return tuple(out)

    @cached_property
    def foreground(self) -> tuple[_Phrases, ...]:
        """Phrases of the columns that questions ask for, keys among them."""
        return tuple(p for p in (*self.every, *self.keyed) if not self.schema.tables[p.column.table].background)

    @cached_property
    def keyed(self) -> tuple[_Phrases, ...]:
        """The keys of one column: naming a row states them."""
        keys = (t.column(t.key[0]) for t in self.schema.tables.values() if len(t.key) == 1)
        return tuple(_Phrases(column, (), {}, lower(column.label)) for column in keys)

    def phrases(self, column: Column, own: bool) -> _Phrases:
        """Return what a column gives; `own`: no other column of its table has its `says`."""
        label = _MARKUP.sub("", column.label)
        tail = _TAIL.search(label)
        noun = lower(_TAIL.sub("", label))
        unit = column.unit
        suffix = ""
        if tail and not unit:
            suffix = "%" if tail[1] == "%" else f" out of {tail[1][3:]}" if tail[1].startswith("of ") else ""
            noun = noun if suffix else lower(label)
        phrase = _MARKUP.sub("", column.says) if own else noun
        if phrase.startswith(("with a ", "with an ", "with the ")) and column.type == "text":
            phrase = phrase.removeprefix("with ")
        if column.type == "date" and _DONE.match(phrase):
            phrase = phrase.removesuffix(" on")
        sorts, noun = self._sorts(column, phrase, noun)
        table = self.schema.tables[column.table]
        target = self.schema.tables[column.ref] if column.ref else None
        if target and column.label == target.column(target.key[0]).label:
            noun = target.singular  # the label is that of the key: "Tag"
        many = singular(noun)
        slots = {
            "c": column.name,
            "v": f"{{{column.name}}}{suffix}",
            "label": label,
            "phrase": phrase,
            "noun": noun,
            "a_noun": noun if many else article(noun),
            "is": "are" if many else "is",
            "was": "were" if many else "was",
            "plural": noun,
            "single": many,
            "a_target": article(target.singular) if target else "",
            "one": table.singular,
            "many": table.plural,
            "its": "their" if table.of_people else "its",
        }
        slots |= self._counted(column) | self._ranked(column) | self._truths(column)
        return _Phrases(column, sorts, slots, self._header(column, sorts, noun, label))

    def _sorts(self, column: Column, phrase: str, noun: str) -> tuple[tuple[str, ...], str]:
        """Return the sorts of a column's frames, the first one best, and its noun."""
        form, odd = says(phrase), _is_odd(noun)
        if column.type == "bool":
            return ("true", "false"), noun
        if column.type == "date":
            if form.active:
                return ("active",), noun
            if not form.open and _DONE.match(phrase):
                return ("passive",), noun
            if form.open:
                return (self._open_sort(phrase), "odd day"), noun
            if isinstance(column.fill, Pick | Choice):
                return ("day",), noun
            if _is_odd(noun) and not form.determined:
                return ("odd day",), noun
            spoken = _DETERMINED.sub("", phrase) if form.determined else _day_noun(noun, noun)
            return ("day",), spoken if _DAY.search(spoken) else f"{spoken} date"
        if column.type == "text":
            plain = () if odd else ("noun",)
            if form.open and form.determined and not column.ref:
                return ("has", *plain), noun
            if form.open and not form.determined:
                return (self._open_sort(phrase), *plain), noun
            return plain or ("odd",), noun
        return self._number_sorts(column, phrase, noun, odd=odd)

    @staticmethod
    def _open_sort(phrase: str) -> str:
        return "of" if phrase == "of" else "at" if _LEADING.match(phrase) else "open"

    def _number_sorts(self, column: Column, phrase: str, noun: str, *, odd: bool) -> tuple[tuple[str, ...], str]:
        form, fill = says(phrase), column.fill
        odd = odd and not (" " in noun and _DONE.fullmatch(noun.rsplit(" ", 1)[-1]))  # "floor kept" is a noun
        if isinstance(fill, Rank):
            return ("rank",), noun
        if isinstance(fill, Aggregate) and fill.op == "count" and (self._counted(column) or singular(noun)):
            return ("count",), noun
        if form.determined and (not form.open or phrase.endswith(" of")):
            noun = _DETERMINED.sub("", phrase).removesuffix(" of")
            return ("extreme" if _SUPERLATIVE.match(noun) else "measure",), noun
        if _DONE.match(phrase) and not form.open and isinstance(fill, Number) and fill.lo >= 1000 and fill.hi < 3000:
            return ("year",), noun
        if form.open and not form.determined and not (phrase.endswith(" year") and not _LEADING.match(phrase)):
            return (self._open_sort(phrase), "odd" if odd else "measure"), noun
        if singular(noun):
            return ("amount",) if column.unit or column.type == "num" else ("count",), noun
        return ("odd" if odd else "extreme" if _SUPERLATIVE.match(noun) else "measure",), noun

    def _counted(self, column: Column) -> dict[str, str]:
        """Return the nouns of the rows that a column counts, where these say what it is."""
        fill = column.fill
        if not isinstance(fill, Aggregate) or fill.op != "count" or fill.where is not None:
            return {}
        child = self.schema.tables[fill.table]
        if len(fill.by) != 1 or sum(ref.ref == column.table for ref in child.refs) != 1:
            return {}
        return {"single": child.singular, "plural": child.plural}

    def _ranked(self, column: Column) -> dict[str, str]:
        fill = column.fill
        if not isinstance(fill, Rank):
            return {}
        table = self.schema.tables[column.table]
        by = lower(_TAIL.sub("", table.column(fill.column).label))
        return {"by": f"{by} within the same {lower(table.column(fill.within).label)}" if fill.within else by}

    def _header(self, column: Column, sorts: Sequence[str], noun: str, label: str) -> str:
        plain = lower(label)
        if sorts[0] == "day":
            return noun
        if sorts[0] in {"active", "passive"}:
            return _day_noun(plain, f"date {plain}")
        if "odd day" in sorts:
            return plain if _DAY.search(plain) else f"date {plain}"
        if sorts[0] == "year":
            return _day_noun(plain, f"date {plain}").replace("date", "year")
        if sorts[0] == "count":
            return plain if plain.startswith("number ") else f"number of {plain}"
        if column.type == "bool":
            return f"{plain} (yes or no)"
        unit = column.unit
        return plain if not unit or unit.lower() in re.findall(r"[^\W_]+|%", plain) else f"{plain} ({unit})"

    def _truths(self, column: Column) -> dict[str, str]:
        """Return what a truth value says of one row and of several, and what its opposite does."""
        if column.type != "bool":
            return {}
        phrase = _MARKUP.sub("", column.says)
        verbal = VERBS.fullmatch(phrase)
        if re.fullmatch(r"\w+[^sui]s", phrase):  # "operates"
            have, lack = f"[{phrase[:-1]}|{phrase}]", f"[do|does] not {phrase[:-1]}"
            return {"does": phrase, "does_not": f"does not {phrase[:-1]}", "do": have, "do_not": lack}
        if verbal and verbal[1] != "is":
            verb, rest = verbal.groups()
            base = "have" if verb == "has" else verb[:-1]
            have, lack = f"[{base}|{verb}] {rest}", f"[do|does] not {base} {rest}"
            return {"does": phrase, "does_not": f"does not {base} {rest}", "do": have, "do_not": lack}
        phrase = verbal[2] if verbal else phrase
        if verbal or _ADJECTIVE.fullmatch(phrase) or phrase != column.label.lower() or _DONE.match(phrase):
            have, lack = f"[are|is] {phrase}", f"[are|is] not {phrase}"
            return {"does": f"is {phrase}", "does_not": f"is not {phrase}", "do": have, "do_not": lack}
        table = self.schema.tables[column.table]
        if table.of_people or phrase.split()[-1] == table.singular:
            one = article(phrase)
            have, lack = f"[are {phrase}s|is {one}]", f"[are not {phrase}s|is not {one}]"
            return {"does": f"is {one}", "does_not": f"is not {one}", "do": have, "do_not": lack}
        return {
            "does": f"comes with {phrase}",
            "does_not": f"comes without {phrase}",
            "do": f"[come|comes] with {phrase}",
            "do_not": f"[come|comes] without {phrase}",
        }

    def rows(self, table: Table) -> list[str]:
        """Return how a row is named: by its key, and by the rest of it on pages whose rows share a part of it."""
        if len(table.key) == 1:
            return [f"{{{table.key[0]}}}"]
        keys = [table.key, *(tuple(k for k in table.key if k != without) for without in table.key)]
        return [f"the {table.singular}{''.join(map(self._joint, map(table.column, key)))}" for key in keys]

    def _joint(self, column: Column) -> str:
        form = says(column.says)
        if form.open or form.leading:
            return f" {_MARKUP.sub('', column.says)} {{{column.name}}}"
        if column.ref:
            return f" of {{{column.name}}}"
        return f", {{{column.name}}}" if column.type == "text" else f" for {{{column.name}}}"

    def naming(self, table: Table) -> Iterator[dict[str, Any]]:
        """Yield the sentences that do no more than name a row."""
        frames = ["The <many> on record include <row>.", "On file: <row>."]
        frames += ["<row> is on record as <a_one>."] if len(table.key) == 1 else []
        slots = {"many": table.plural, "a_one": article(table.singular)}
        texts = [_filled(frame, {**slots, "row": row}) for row in self.rows(table) for frame in frames]
        yield {"of": table.name, "text": texts}

    def tells(self, phrases: _Phrases) -> Iterator[dict[str, Any]]:
        """Yield the sentences that state a column."""
        column = phrases.column
        table = self.schema.tables[column.table]
        rows = self.rows(table)
        if column.key:
            return  # the name of a row states it
        for sort in phrases.sorts if column.type in {"bool", "text"} else phrases.sorts[:1]:
            frames, more = frames_of(sort), dict[str, Any]()
            if column.type == "bool":
                more = {"when": column.name if sort == "true" else f"not {column.name}", "states": [column.name]}
            for genre, some in (((), (frames.named, frames.loose)), (("forum",), (frames.forum,))):
                made = [_split(lines, phrases.slots, rows) for lines in some if lines]
                text, test = ([line for half in made for line in half[i]] for i in (0, 1))
                more |= {"genre": list(genre)} if genre else {}
                if text and (not genre or self.has_forum):
                    yield {"of": table.name, **more, "text": text, "test": test}
        nulls = next(filter(None, (frames_of(s).null for s in (*phrases.sorts, "odd"))))
        if may_be_null(column):
            text, test = _split(nulls, phrases.slots, rows)
            missing = {"when": f"{column.name} is null", "states": [column.name]}
            yield {"of": table.name, **missing, "text": text, "test": test}

    def ask(self, phrases: _Phrases) -> dict[str, list[str]]:
        """Return the ways to ask for a column, and by it."""
        out: dict[str, list[str]] = {}
        if sum(p.header == phrases.header and p.column.table == phrases.column.table for p in self.foreground) == 1:
            out["header"] = [phrases.header, f"{phrases.header} on record"]
        for sort in phrases.sorts:
            for kind, texts in frames_of(sort).asks.items():
                stands_in = sort in {"measure", "odd", "odd day"}  # for what the first sort has no way to ask
                if (kind == "whose" and not phrases.column.ref) or (stands_in and kind in out):
                    continue
                filled = [_filled(text, phrases.slots) for text in texts]
                out[kind] = list(dict.fromkeys([*out.get(kind, []), *filled]))
        return out

    def names(self, phrases: _Phrases) -> list[str]:
        """Return labels of a column."""
        slots = phrases.slots
        spoken = (phrases.column.label, _TAIL.sub("", phrases.header), slots["noun"] if slots else "")
        return list(dict.fromkeys(capital(text) for text in spoken if text))

    @cached_property
    def has_forum(self) -> bool:
        """Whether any page is a thread of the forum."""
        return any(page["site"] == "forum" for _, page in self.pages())

    def sites(self) -> dict[str, Any]:
        """Return the sites that have pages."""
        entries = {page.about for page in self.schema.pages}
        main = max(self.schema.tables.values(), key=lambda t: (t.name in entries, not t.background, t.rows[1]))
        slots = {"Many": _title_case(main.plural)}
        if main.singular.count(" ") < 2 and _SMALL.isdisjoint(main.singular.split()):
            slots["One"] = _title_case(main.singular)  # stands before a noun: "Night Shift Register"
        used = {page["site"] for _, page in self.pages()}

        def filled(texts: list[str]) -> list[str]:
            return [_filled(text, slots) for text in texts if "One" in slots or "<One>" not in text]

        return {
            name: {**site, "name": filled(site["name"]), "test": {**site["test"], "name": filled(site["test"]["name"])}}
            for name, site in _data()["sites"].items()
            if name in used
        }

    def pages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the pages by name: two about each row, on different sites, and the lists that questions go by."""
        abouts: set[str] = set()
        lists = 0
        for spec in self.schema.pages:
            if spec.about:
                yield from self._about(spec, len(abouts), first=spec.about not in abouts)
                abouts.add(spec.about)
            else:
                yield spec.name, self._list(spec, lists)
                lists += 1
        for table in self.schema.tables.values():
            if table.background and not self._parent(table):
                show = [c.name for c in table.columns if not c.key]
                yield f"{table.name}-notes", self._page("handbook", "article", table, show, {}, None)

    def _about(self, spec: PageSpec, turn: int, *, first: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        table = self.schema.tables[spec.table]
        show = [name for name in spec.show if name not in table.key]
        halves: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
        for child in spec.children:
            columns = [c for c in child.columns if c not in self.schema.tables[child.table].key]
            place = f"{child.table}.{child.ref}"
            elsewhere = {c for page in self.schema.pages if page.about == child.table for c in page.show}
            if elsewhere:
                halves[0][place] = [c for c in columns if c not in elsewhere or c == columns[0]]
                continue
            lacking = [name for name in columns if may_be_null(self.schema.column(child.table, name))]
            full = [name for name in columns if name not in lacking]
            halves[0][place] = [*lacking, *full[::2]]
            halves[1].update({place: full[1::2]} if full[1::2] else {})
        for background in self.schema.tables.values() if first else ():
            parent = self._parent(background) if background.background else None
            if parent and parent.ref == spec.table:
                columns = [c.name for c in background.columns if c.name not in (parent.name, *background.key)]
                halves[1][f"{background.name}.{parent.name}"] = columns
        site, form = STORIES[turn % len(STORIES)]
        yield spec.name, self._page("register", "card", table, show[::2], halves[0], spec.switch)
        if show[1::2] or halves[1]:
            yield f"{spec.name}-{site}", self._page(site, form, table, show[1::2], halves[1], spec.switch)

    def _parent(self, table: Table) -> Column | None:
        """Return the reference to the row on whose page a background row stands."""
        abouts = {page.about for page in self.schema.pages}
        return next((ref for ref in table.refs if ref.ref in abouts), None)

    def _page(
        self, site: str, form: str, table: Table, show: list[str], children: dict[str, list[str]], switch: str | None
    ) -> dict[str, Any]:
        row = "{name}" if len(table.key) == 1 else self.rows(table)[0]
        return {
            "site": site,
            "form": form,
            "about": table.name,
            "show": show,
            **({"with": children} if children else {}),
            **({"if": switch} if switch else {}),
            "title": [_filled(title, {"row": row}) for title in _data()["titles"][site]],
        }

    def _list(self, spec: PageSpec, turn: int) -> dict[str, Any]:
        table = self.schema.tables[spec.table]
        by = table.column(spec.by or "")
        form = says(by.says)
        label = lower(_MARKUP.sub("", by.label))
        group = f"{table.plural} with {{scope}} as {label}"
        if form.open and not form.determined:
            group = f"{table.plural} {_MARKUP.sub('', by.says)} {{scope}}"
        columns = [table.column(name) for name in spec.show]
        tabled = turn % 2 or any(may_be_null(c) or c.type == "bool" for c in columns)
        return {
            "site": "directory",
            "form": "table" if tabled else "entries",
            "list": table.name,
            "by": by.name,
            **({"sort": spec.sort} if spec.sort else {}),
            "show": [name for name in spec.show if name != by.name],
            **({"if": spec.switch} if spec.switch else {}),
            "title": [f"{table.plural} by {label}: {{scope}}", f"{{scope}}: {table.plural}", group],
            "opening": [
                f"The {group} are listed here.",
                f"This list has the {group}.",
            ],
        }


def _is_odd(noun: str) -> bool:
    """Tell whether a label is no noun that a sentence could use: "paid", "of which salt"."""
    words = noun.split()
    done = _DONE.fullmatch(words[-1]) or (_DONE.fullmatch(words[0]) and _LEADING.fullmatch(words[1]))
    return bool(done or _LEADING.fullmatch(words[0]) or _LEADING.fullmatch(words[-1]) or len(words) > 6)


def may_be_null(column: Column) -> bool:
    """Tell whether a column may be null: by its own fill, or by what it is computed from."""
    computed = isinstance(column.fill, COMPUTED) and not (
        isinstance(column.fill, Aggregate) and column.fill.op != "max"
    )
    return column.nullable or computed or (isinstance(column.fill, Number) and column.fill.mean is not None)


def _split(frames: Sequence[str], slots: Mapping[str, str], rows: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return frames filled, once for each way to name the row: those to train, and the last one, to test."""
    train, test = (frames[:-1], frames[-1:]) if len(frames) > 1 else (frames, ())
    return _each_row(train, slots, rows), _each_row(test, slots, rows)


def _each_row(frames: Sequence[str], slots: Mapping[str, str], rows: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(_filled(frame, {**slots, "row": row}) for frame in frames for row in rows))


def _filled(frame: str, slots: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: slots[slot[1]], frame)


def _title_case(noun: str) -> str:
    return capital(" ".join(word if word in _SMALL else capital(word) for word in noun.split()))
