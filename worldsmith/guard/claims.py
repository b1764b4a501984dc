"""Claims without a value: denials, superlatives, numerals in letters; and what is no statement: addresses, orders."""

import re
from collections.abc import Iterator, Sequence

from worldsmith.guard.text import Span

_DENIAL = re.compile(
    r"\b(?:no|not|never|none of|without|lacks?|neither|nor)\b|n't\b|\b(?:nobody|no one|nowhere)\b", re.IGNORECASE
)
_ALONE = re.compile(r"nobody|no one|nowhere", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SUPERLATIVE = re.compile(
    r"\b(?:(?:long|short|larg|bigg|small|old|young|new|high|low|tall|deep|wid|narrow|heavi|light|rich|poor|busi|fast|slow|"
    r"cheap|costli|earli|great|few)est|(?:most|least) (?:expensive|populous|popular|valuable|costly|recent))\b",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"\b(?=[IVXLCDM]{2,}\b)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_ADDRESS = re.compile(r"(?:https?|ftp|file)://|\bwww\.|\b(?:javascript|data|vbscript):\S|\]\s?\(", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|previous|above|rules|told)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|^\s*(?:system|assistant|user)\s*:"
    r"|\b(?:answer|reply|respond) with\b|\bas an ai\b|\bcorrect answer\b|\bthe answer (?:is|to)\b"
    r"|\byou (?:must|should|are to) (?:answer|reply|respond|ignore|say|output)\b",
    re.IGNORECASE | re.MULTILINE,
)

_ORDER_WORDS = (
    "ignore|disregard|forget|override|prompt|message|answer|reply|respond|as an ai|system|assistant|user|"
    "you must|you should|you are to"
)
_UNFIT = (
    (_ADDRESS, ("://", "www.", "script:", "data:", "](", "] ("), "an address"),
    (_ORDER, tuple(_ORDER_WORDS.split("|")), "an order to its reader"),
)
"""Patterns, each with the words of which a text that it finds has one, and what it is."""


def unfit(text: str, names: Sequence[Span]) -> str:
    """Return what in a text is no statement about the world, an address or an order to its reader; "" if nothing is.

    What stands within a name (a world may be hostile) is that name.
    """
    lower = text.lower()
    for pattern, hints, what in _UNFIT:
        if not any(hint in lower for hint in hints):
            continue
        for match in pattern.finditer(text):
            if not _inside(match.span(), names):
                return f"carries {match.group().strip()!r}, {what}"
    return ""


def superlative(text: str, span: Span, covered: Sequence[Span]) -> str:
    """Return a superlative of a sentence outside names, labels and declared phrases; "" where there is none."""
    return _first(_SUPERLATIVE, text, span, covered)


def numeral(text: str, span: Span, covered: Sequence[Span]) -> str:
    """Return a Roman numeral of a sentence outside names, labels and declared phrases; "" where there is none."""
    return _first(_ROMAN, text, span, covered)


def _first(pattern: re.Pattern[str], text: str, span: Span, covered: Sequence[Span]) -> str:
    return next((m.group() for m in pattern.finditer(text, *span) if not _inside(m.span(), covered)), "")


def denials(text: str, span: Span, covered: Sequence[Span]) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield where a sentence denies something, with the words that it may deny; none where it denies all that live."""
    for match in _DENIAL.finditer(text, *span):
        if _inside(match.span(), covered):
            continue
        words = tuple(word.lower() for word in _WORD.findall(text, match.end(), span[1])[:4])
        if _ALONE.fullmatch(match.group()):
            yield match.span(), ()
        elif words:
            yield match.span(), words


def _inside(span: Span, outer: Sequence[Span]) -> bool:
    return any(a <= span[0] and span[1] <= b for a, b in outer)
