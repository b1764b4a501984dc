"""What a header says besides the column's name: words that qualify it, and the unit of the numbers below it."""

import re
from functools import lru_cache

from .column import Column
from .spelling import spelling
from .text import LONGEST_CACHED, fold, squash, without_markup
from .values.column_values import measure_of
from .values.readers import read, readable_text
from .values.units import COUNT_NOUNS, Measure, measure, same_money

_BRACKET = re.compile(r"[(\[（【]([^()\[\]（）【】]*)[)\]）】]")
_WORD_BREAK = re.compile(r"[\s_]+")
_JOINT = re.compile(r"\s*(?:[,:/–—-]|\b(?:in|out))?\s*$", re.IGNORECASE)  # between a name and its unit
_MOST_UNIT_WORDS = 5
_OF = re.compile(r"of \d{1,4}")
_UP_TO = re.compile(r"[01]\s?(?:-|–|to)\s?(\d{1,3})")
# Words that add nothing to a name, and words that turn it into something else.
_PLAIN_WORDS = frozenset(("the", "a", "an", "of", "in", "for", "its", "per", "full", "name", "date", "value", "number"))
_DENYING = frozenset(
    ("not", "no", "non", "never", "without", "except", "excluding", "wrong", "false", "incorrect", "untrue", "opposite")
) | frozenset(("reversed", "inverse", "inverted", "rival", "rivals", "other", "another", "previous", "former"))
_LOOSE_WORDS = frozenset(("in", "approx", "approximate", "about", "est", "estimated", "rounded", "official", "total"))
_LONG = 6  # letters; of shorter words another letter makes another word


def may_deny_name(name: str) -> bool:
    """Whether the brackets of a header may deny its name, "Weight (not g)"; true if it is too long to check."""
    if len(name) > LONGEST_CACHED:
        return True
    text = without_markup(name)
    return any(not _DENYING.isdisjoint(fold(bracket[1]).split()) for bracket in _BRACKET.finditer(text))


@lru_cache(maxsize=4096)
def name_words(name: str) -> frozenset[str]:
    """Return the words of a column's name without its unit."""
    return frozenset(map(spelling, fold(_parted(name)[0]).split()))


@lru_cache(maxsize=4096)
def _unit_words(name: str) -> frozenset[str]:
    """Return the words of the unit in a column's name."""
    return frozenset(map(spelling, fold(_parted(name)[1]).split()))


@lru_cache(maxsize=4096)
def _parted(name: str) -> tuple[str, str]:
    """Split a header into name and unit, which is in its last brackets or its last words, with or without "in"."""
    text = without_markup(name)
    brackets = _BRACKET.findall(text)
    if brackets:
        return _BRACKET.sub(" ", text).strip() or text, brackets[-1].strip()
    words = _WORD_BREAK.split(text)
    for first in range(max(1, len(words) - _MOST_UNIT_WORDS), len(words)):
        before, unit = " ".join(words[:first]), " ".join(words[first:])
        name = _JOINT.sub("", before)
        if name and (len(unit) > 1 or name != before) and _known(measure(unit)):
            return name, unit
    return text, ""


def _known(unit_measure: Measure) -> bool:
    counts = unit_measure.scale > 0 and (not unit_measure.words or unit_measure.words in COUNT_NOUNS)
    return unit_measure.unit is not None or counts or _OF.fullmatch(unit_measure.words) is not None


def header_similarity(wanted: str, header: str) -> float:
    """Return how well a header names a column, from 0 to 1, unit aside.

    Words may be missing, or added if they qualify nothing ("Full name") or are the column's unit, "Rent in crowns"; a
    longer word may be misspelt by one letter beyond its first. Any other word makes it another column: "Weight rank",
    "Rival weight", "Height".
    """
    column_words, header_words, unit_words = name_words(wanted), name_words(header), _unit_words(wanted)
    lacking, added = (
        sorted(column_words - header_words),
        sorted(header_words - column_words - unit_words if unit_words <= header_words else header_words - column_words),
    )
    respelt = 0
    for word in [*added]:
        same = next((other for other in lacking if _one_letter_off(word, other)), None)
        if same is not None:
            lacking.remove(same)
            added.remove(word)
            respelt += 1
    if len(lacking) == len(column_words) or (lacking and added) or not _PLAIN_WORDS.issuperset(added):
        return 0.0
    return 0.9 if lacking or added else 0.95 if respelt else 1.0


def _one_letter_off(one: str, other: str) -> bool:
    """Whether two long words differ by one letter added, changed or swapped with the next."""
    short, long = sorted((one, other), key=len)
    if len(long) < _LONG or one[0] != other[0] or not (one + other).isalpha():
        return False
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2][::-1] == long[at : at + 2] and short[at + 2 :] == long[at + 2 :]
    return swapped or short[at + 1 :] == long[at + 1 :]


@lru_cache(maxsize=4096)
def header_unit(header: str, col: Column) -> str:
    """Return the unit that a header states for its bare numbers if it isn't the column's own, else ""."""
    if col.kind not in ("int", "num") or squash(fold(without_markup(header))) == squash(fold(col.name)):
        return ""
    unit_text = " ".join(w for w in _parted(header)[1].replace(",", " ").split() if fold(w) not in _LOOSE_WORDS)
    if set(fold(unit_text).split()) <= set(fold(col.name.rpartition(":")[0]).split()):
        return ""  # its owner, "Floor (department)" for "Department: Floor"
    if up_to := _UP_TO.fullmatch(unit_text):
        unit_text = f"of {up_to[1]}"
    own, other = measure_of(col), measure(unit_text)
    if _same(unit_text, col, own, other):
        return ""
    return unit_text if own.unit or own.words or own.scale or _known(other) else ""


def _same(unit_text: str, col: Column, own: Measure, other: Measure) -> bool:
    if squash(fold(unit_text)) in (squash(fold(col.unit)), squash(fold(_parted(col.name)[1]))):
        return True
    words = "" if other.words in COUNT_NOUNS else other.words
    if own.unit and other.unit and same_money(other.unit.name, own.unit.name):
        return own.scale == other.scale
    return own.scale == other.scale and own.unit == other.unit and (own.unit is not None or own.words == words)


def with_header_unit(cell: str, header: str, col: Column) -> str:
    """Return the cell with its header's unit if it has none itself: "0.163" under "Weight (kg)"."""
    unit_text = header_unit(header, col)
    readings = [r for r in read(cell, col.kind) if not r.is_aside] if unit_text else []
    if not readings or any(reading.unit not in ("", "ones") for reading in readings):
        return cell
    other = measure(unit_text)
    unit = other.unit.name if other.unit else ""
    if all(reading.unit == "" for reading in readings):
        spoken = f"{_MAGNITUDES[other.scale]}{unit}" if unit and other.scale in _MAGNITUDES else unit_text
        return f"{readable_text(cell, col.kind)} {spoken}"
    return f"{readable_text(cell, col.kind)} {unit}" if unit else cell


_MAGNITUDES = {0: "", 3: "thousand ", 6: "million ", 9: "billion ", 12: "trillion "}
