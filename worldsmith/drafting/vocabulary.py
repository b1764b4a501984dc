"""The words of a draft, tested against real names: the filter's, and those of the documents that it is made from.

The filter holds ordinary words too, so only a word that is written like a name is looked up in it. Names in small
letters, and the capitalised ordinary words within a kind of names ("Infirmary"), pass it: `ordinary_words` lists the
latter for a person to read.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from worldsmith.drafting.documents import starts_sentence
from worldsmith.naming.deny import is_real_name
from worldsmith.naming.fold import fold_name

SHORTEST = 3
"""Letters from which a word may be a name."""
LONGEST_ACRONYM = 4
_SLOT = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def name_faults(data: Mapping[str, Any], document_names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the places of a draft where a real name stands, each with what is wrong and the fix."""
    for name, item in _items(data, "values"):
        if isinstance(item, dict) and item.get("real") is not None:
            kinds = f'{name} = {{ invent = "place", n = {max(1, len(item["real"]) if _is_list(item["real"]) else 1)} }}'
            yield f"values.{name}", f"real names don't belong in a draft: invent them, as in {kinds}"
    doubtful: dict[tuple[str, bool], list[str]] = {}
    for place, text, whole in texts_of(data):
        if names_within(text, document_names, whole=whole):
            doubtful.setdefault((place, whole), []).append(text)
    for (place, whole), texts in doubtful.items():
        shown = ", ".join(repr(text[:60]) for text in texts)
        yield place, f"{shown}: written like a real name: {_fix(texts[0], whole=whole)}"
    for place in _identifiers(data):
        taken = [word for word in re.split(r"[._]", place) if len(word) >= SHORTEST and word in document_names]
        if taken:
            yield place, f"{taken[0]!r} is a name in the documents: name the part by what it is"


def _fix(text: str, *, whole: bool) -> str:
    if whole:
        return "write common nouns in small letters, or invent names: { invent = kind, n = 6 } in values"
    return f"say it in common words with a capital at the start alone, as in {text.capitalize()!r}"


def names_within(text: str, document_names: Collection[str], *, whole: bool) -> list[str]:
    """Return the words of a text that are names in the documents, or are written like one and in the filter.

    `whole`: the text is a value on its own, where a capital at the start counts too.
    """
    plain = _SLOT.sub(lambda slot: "x" * len(slot[0]), text)
    words = [(match[0], match.start()) for match in _WORD.finditer(plain)]
    leading = {
        a for (first, a), (second, b) in pairwise(words) if _is_capital(first) and _is_capital(second) and b - a <= 40
    }
    out = []
    for word, at in words:
        if len(word) < SHORTEST or set(word) == {"x"}:
            continue
        is_start = starts_sentence(plain, at) and not whole and at not in leading
        if fold_name(word) in document_names or (_is_capital(word) and not is_start and is_real_name(word)):
            out.append(word)
    return out


def _is_capital(word: str) -> bool:
    return word[0].isupper() and not (word.isupper() and len(word) <= LONGEST_ACRONYM)


def texts_of(data: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts of a draft that pages and questions show: place, text, and whether it is a value on its own."""
    if isinstance(data.get("about"), str):
        yield "about", data["about"], False
    for name, item in _items(data, "values"):
        groups = item.get("groups") if isinstance(item, dict) else None
        lists = [item, *(groups.values() if isinstance(groups, dict) else ())]
        yield from ((f"values.{name}", text, True) for some in lists if _is_list(some) for text in _strings(some))
    for name, table in _items(data, "tables"):
        if not isinstance(table, dict):
            continue
        yield from ((f"tables.{name}", text, False) for text in _strings(table.get("called")))
        for column, fill in _items(table, "columns"):
            if not isinstance(fill, dict):
                continue
            place = f"tables.{name}.columns.{column}"
            yield from ((place, text, True) for text in _strings(fill.get("choice")))
            shown = (fill.get(key) for key in ("label", "says", "none", "text"))
            yield from ((place, text, False) for text in shown if isinstance(text, str))
    questions = data.get("questions")
    if isinstance(questions, dict):
        yield from (("questions", text, False) for text in _strings(questions.get("needs")))


def ordinary_words(data: Mapping[str, Any]) -> list[str]:
    """Return the words that invented names are made with, in the order of the draft."""
    words = []
    for _, kind in _items(data, "names"):
        if isinstance(kind, dict):
            words += [word for form in _strings(kind.get("forms")) for word in _WORD.findall(_SLOT.sub(" ", form))]
            words += [word for _, part in _items(kind, "parts") for word in _strings(part)]
    return list(dict.fromkeys(word for word in words if len(word) >= SHORTEST))


def _identifiers(data: Mapping[str, Any]) -> Iterator[str]:
    for part in ("values", "names", "tables", "rules"):
        for name, item in _items(data, part):
            yield f"{part}.{name}"
            if part == "tables" and isinstance(item, dict):
                yield from (f"tables.{name}.columns.{column}" for column, _ in _items(item, "columns"))
    for name, kind in _items(data, "names"):
        if isinstance(kind, dict):
            for text in (*_strings(kind.get("forms")), *(t for _, p in _items(kind, "parts") for t in _strings(p))):
                yield from (f"names.{name}.{fold_name(word)}" for word in _WORD.findall(_SLOT.sub(" ", text)))


def _items(data: Mapping[str, Any], part: str) -> Iterator[tuple[str, Any]]:
    held = data.get(part)
    yield from held.items() if isinstance(held, dict) else ()


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if _is_list(value) else []


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
