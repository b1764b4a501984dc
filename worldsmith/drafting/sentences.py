"""Sentences, labels and ways to ask by a language model, for a schema that has few: the parts of a language file.

What it writes is kept piece by piece: each sentence must be read against the schema, state something by a slot, and say
nothing that a slot doesn't (a number, a name). What fails goes back to the model.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from worldsmith.drafting import answers, prompts
from worldsmith.drafting.steps import Author, Requests
from worldsmith.drafting.vocabulary import names_within
from worldsmith.errors import BackendError, SchemaError
from worldsmith.schema import Schema
from worldsmith.schema.derived_patterns import derived_bank
from worldsmith.schema.patterns import AskSource, read_bank
from worldsmith.schema.toml_text import language_text
from worldsmith.simulate.protocol import Exchange

HELD_OUT = 4
"""One in so many sentences of a table is held out for tests."""
LONGEST = 240
"""Characters of a sentence."""
PLACES: Mapping[str, frozenset[str]] = {
    "over": frozenset({"v"}),
    "under": frozenset({"v"}),
    "equal": frozenset({"v"}),
    "unequal": frozenset({"v"}),
    "between": frozenset({"a", "b"}),
}
"""Slots of ways to ask, by kind; the others have none."""
VERBS = frozenset({"is", "are", "was", "were", "has", "have", "does", "do"})
"""What a way to ask may not begin with, since it stands after rows in the plural and in the singular."""
_SLOT = re.compile(r"\{([^{}]*)\}")
_NUMBERED = re.compile(r"\[[^\[\]|]*\|[^\[\]|]*\]")
_MARKS = re.compile(r"[\[\]|<>@]")


@dataclass(slots=True)
class Sentences:
    """The parts of a language file that a model wrote."""

    names: dict[str, list[str]] = field(default_factory=dict)
    tells: list[dict[str, Any]] = field(default_factory=list)
    asks: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    """Pieces that were not usable, by table."""
    error: str = ""
    """Why it ended early."""
    exchanges: list[Exchange] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """Return them as data of a language file."""
        columns = {place: {"aka": names} for place, names in self.names.items()}
        return {"columns": columns, "tells": self.tells, "asks": self.asks}


async def write_sentences(
    author: Author,
    schema: Schema,
    language: Mapping[str, Any] | None,
    *,
    document_names: Collection[str] = (),
    rounds: int = 1,
    report: Callable[[str], object] = lambda _line: None,
) -> Sentences:
    """Have a model write about every table of a schema.

    Args:
        author: the model.
        schema: the schema.
        language: data of its language file, if it has one; what that says of a column's labels and asks stays.
        document_names: names that may not occur.
        rounds: times that what failed goes back, at most, for a table.
        report: called with a line about each table.
    """
    base = dict(language) if language is not None else language_base(schema)
    out, requests = Sentences(), Requests(author)
    out.exchanges = requests.exchanges
    for number, table in enumerate(schema.tables, 1):
        report(f"sentences: {table} ({number} of {len(schema.tables)})")
        checked = _Checked(schema, base, out, table, document_names, own=language is not None)
        findings: list[str] = []
        try:
            for _ in range(rounds + 1):
                prompt = prompts.sentences_prompt(answers.SentencesAnswer, schema, table, findings[:20])
                data = await requests.ask(prompt)
                findings = list(checked.add(data)) if data else ["the answer held no JSON object that can be read"]
                if not findings:
                    break
        except BackendError as error:
            out.error = str(error)
            report(f"sentences: {error}")
            break
        out.refused[table] = len(findings)
    return out


def language_base(schema: Schema) -> dict[str, Any]:
    """Return data of a language file with what every schema gets: sites, pages, labels, sentences that name a row."""
    data = derived_bank(schema, schema.name).data
    naming = data["tells"][: len(schema.tables)]
    subject = {"subject": data["subject"]} if data.get("subject") else {}
    return {
        "language": 1,
        **subject,
        "columns": data["columns"],
        "sites": data["sites"],
        "pages": data["pages"],
        "tells": naming,
        "asks": {},
    }


def whole_language(schema: Schema, sentences: Sentences) -> dict[str, Any]:
    """Return data of a language file: what every schema gets, with a model's parts."""
    base, more = language_base(schema), sentences.data()
    columns = {
        place: {"aka": list(dict.fromkeys([*words["aka"], *sentences.names.get(place, ())]))}
        for place, words in base["columns"].items()
    }
    return {**base, "columns": columns, "tells": [*base["tells"], *more["tells"]], "asks": more["asks"]}


def added_text(text: str, language: Mapping[str, Any], sentences: Sentences) -> str:
    """Return a language file's text with a model's parts after it; what a person wrote stays as it is."""
    more = sentences.data()
    fresh = {
        "columns": {p: item for p, item in more["columns"].items() if p not in language.get("columns", {})},
        "asks": {p: item for p, item in more["asks"].items() if p not in language.get("asks", {})},
        "tells": more["tells"],
    }
    lines = language_text({"language": 1, **fresh}).split("\n")[1:]  # the version stands at the top already
    return f"{text.rstrip()}\n" + "\n".join(lines)


class _Checked:
    """Takes the pieces of answers about one table that are usable."""

    def __init__(
        self,
        schema: Schema,
        base: Mapping[str, Any],
        out: Sentences,
        table: str,
        document_names: Collection[str],
        *,
        own: bool,
    ) -> None:
        self.schema, self.table, self.out = schema, table, out
        self.names = document_names
        self.base = {**base, "tells": [], "asks": {}}
        self.taken = set(base.get("asks", {})) if own else set[str]()
        self.count = 0

    def add(self, data: Mapping[str, Any]) -> Iterator[str]:
        """Keep what is usable of an answer; yield what is wrong with the rest."""
        yield from self._add_names(data.get("names"))
        sentences = data.get("sentences")
        for item in sentences if isinstance(sentences, list) else ():
            yield from self._add_sentence({"text": item} if isinstance(item, str) else item)
        asks = data.get("asks")
        for column, ways in asks.items() if isinstance(asks, dict) else ():
            if isinstance(ways, dict):
                yield from self._add_asks(column, {kind: texts for kind, texts in ways.items() if texts})

    def _add_names(self, names: Any) -> Iterator[str]:
        columns = self.schema.tables[self.table]
        for column, labels in names.items() if isinstance(names, dict) else ():
            if column not in columns.names or columns.background or not isinstance(labels, list):
                continue
            usable = [text for text in labels if isinstance(text, str) and 0 < len(text) <= 60 and "|" not in text]
            for text in usable:
                if wrong := self._wrong_words(text):
                    yield f"name {text!r} of {column}: {wrong}"
            usable = [text for text in usable if not self._wrong_words(text) and not _SLOT.search(text)]
            if usable and not self._wrong_part({"columns": {f"{self.table}.{column}": {"aka": usable}}}):
                self.out.names[f"{self.table}.{column}"] = usable

    def _add_sentence(self, item: Any) -> Iterator[str]:
        try:
            sentence = answers.SentenceAnswer.model_validate(item)
        except ValidationError:
            yield f'{str(item)[:100]}: a sentence is {{"text": …}}, with "when" and "states" where it needs them'
            return
        text = " ".join(sentence.text.split())
        tell: dict[str, Any] = {"of": self.table, "text": [text]}
        tell |= {"when": sentence.when} if sentence.when else {}
        tell |= {"states": sentence.states} if sentence.states else {}
        wrong = self._wrong_sentence(text, sentence) or self._wrong_part({"tells": [tell]})
        if wrong:
            yield f"{text[:120]!r}: {wrong}"
        elif all([text] not in (one.get("text"), one.get("test")) for one in self.out.tells):
            self.count += 1
            if self.count % HELD_OUT == 0:
                tell["test"] = tell.pop("text")
            self.out.tells.append(tell)

    def _wrong_sentence(self, text: str, sentence: answers.SentenceAnswer) -> str:
        if bool(sentence.states) != bool(sentence.when):
            return "`when` and `states` go together: what the words claim, and the columns that they state by it"
        if not (_SLOT.search(text) or sentence.states):
            return "it states nothing of the row: give it a slot"
        if len(text) > LONGEST:
            return f"it has more than {LONGEST} characters"
        return self._wrong_words(text)

    def _wrong_words(self, text: str) -> str:
        words = _SLOT.sub("x", text)
        if re.search(r"\d", words):
            return "a number that no slot states: say it by a slot"
        names = names_within(_MARKS.sub(" ", text), self.names, whole=False)
        return f"{', '.join(map(repr, names))} reads as a real name" if names else ""

    def _add_asks(self, column: str, ways: Mapping[str, Any]) -> Iterator[str]:
        place = f"{self.table}.{column}"
        if place in self.taken or self.schema.tables[self.table].background:
            return
        kept: dict[str, list[str]] = {}
        for kind, texts in ways.items():
            if kind not in AskSource.model_fields or not isinstance(texts, list):
                yield f"asks.{column}: {kind!r} is none of {', '.join(AskSource.model_fields)}, or no list"
                continue
            for text in texts:
                if wrong := self._wrong_ask(place, kind, text):
                    yield f"asks.{column}.{kind}: {str(text)[:100]!r}: {wrong}"
                else:
                    kept.setdefault(kind, []).append(text)
        if kept:
            self.out.asks[place] = {**self.out.asks.get(place, {}), **kept}

    def _wrong_ask(self, place: str, kind: str, text: Any) -> str:
        if not isinstance(text, str) or not text.strip():
            return "should be a text"
        slots, expected = set(_SLOT.findall(text)), PLACES.get(kind, frozenset())
        if slots != expected:
            return f"its slots should be {', '.join(f'{{{slot}}}' for slot in sorted(expected)) or 'none'}"
        if kind != "header" and text.split()[0] in VERBS:
            return f"{text.split()[0]!r} suits one number alone: write [plural|singular], as in [have|has]"
        if _MARKS.search(_NUMBERED.sub("", text)):
            return "its marks should be [plural|singular], and no others"
        wrong = "" if kind == "header" else self._wrong_words(text)
        return wrong or self._wrong_part({"asks": {place: {kind: [text]}}})

    def _wrong_part(self, part: Mapping[str, Any]) -> str:
        try:
            read_bank({**self.base, **part}, self.schema, "")
        except SchemaError as error:
            return str(error).rpartition(": ")[2]  # after the place and the text, which the model knows
        return ""
