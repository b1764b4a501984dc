"""Numbers as people write them, read into the interval that is meant, exactly.

English conventions come first: "1,234" is 1234 and "1.234" is 1.234. A point groups thousands only where nothing else
fits ("1.234.567", "1.234,5"), a comma is a decimal one only where it can't group ("12,5", "0,123").
"""

import re
import unicodedata
from dataclasses import replace

from ..text import fold
from .asides import denies, is_remark
from .number_words import NUMBER_WORDS, count_words
from .reading import Number, Reading
from .units import COUNT_NOUNS, MAGNITUDES, unit_named

INFINITE = float("inf")
LONGEST = 120  # characters; no number is longer
_MOST_DIGITS = 40  # "9" repeated a thousand times is no number

_PLAIN = re.compile(r"(-?)(\d{1,18})(?:\.(\d{1,18}))?")
_BODY = re.compile(
    r"""(?P<sign>(?<![\w.,)])[-+])?
    (?P<num>
      [1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\d,])       # 1,234,567.8
     |[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?(?![\d,])     # 12,34,567
     |[1-9]\d{0,2}(?:\.\d{3}){2,}(?:,\d+)?(?![\d.])    # 1.234.567,8
     |[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![\d.,])           # 1.234,5
     |[1-9]\d{0,2}(?:[ '_]\d{3})+(?:[.,]\d+)?(?![\d])  # 1 234 567,8
     |0,\d+(?![\d,.])
     |\d+,\d{1,2}(?![\d,.])
     |\d+(?:\.\d+)?(?![\d]|[.,]\d)
     |\.\d+(?![\d]|[.,]\d)
    )
    (?P<exp>[eE][-+]?\d{1,2}(?!\w)|\s?[x×*·]\s?10\s?(?:\^|\*\*)\s?\(?[-+]?\d{1,2}\)?(?!\d)|\s?[x×]\s?10[-+]\d{1,2}(?!\d))?
    """,
    re.VERBOSE,
)
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPTS = re.compile(r"10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})")
_SIGNS = str.maketrans(
    dict.fromkeys("\u2212\u2013\u2014\u2012\u2010\u2011\ufe63\uff0d", "-")
    | {"\uff0c": ",", "\uff0e": ".", "\u2019": "'", "\u02bc": "'", "\u066c": ",", "\u066b": ".", "\uff05": "%"}
)
_POWER = re.compile(r"(?<![^\W\d_])([ck]?m)\^?([23²³])(?!\w)")
_VULGAR = re.compile("(\\d*)\\s?([¼½¾⅐-⅞])")

_SOFT = re.compile(
    r"(?:about|approx(?:\.|imately)?|around|roughly|nearly|almost|some|circa|c\.|ca\.|est\.|estimated|exactly|precisely|just|only"
    r"|a total of|in total|total|no\.|nr\.|#|rank(?:ed)?|[~≈≃∼:=*_`'\"(\[])\s*",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"(?:over|(?:more|greater) than|not? less than|above|at least|upwards of|exceeding|min(?:imum)?\b\.?|>=?|≥)\s*",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"(?:under|(?:less|fewer) than|not? (?:more|greater) than|below|at most|up to|max(?:imum)?\b\.?|<=?|≤)\s*",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:minus|negative)\b\s*|-\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:between|from)\s+", re.IGNORECASE)
_MONEY = re.compile(r"(?:[A-Za-z]{1,2}[$¥]|[$€£¥₹₩]|Rs\.?|[A-Z]{3}(?![A-Za-z]))\s*")
_OR_MORE = re.compile(
    r"\+|(?:or|and) (?:more|above|over|higher|up)|(?:or|and) (?P<less>less|under|below|fewer)|plus", re.IGNORECASE
)
_AGED = re.compile(r"(?:aged?|age of)\b:?\s*", re.IGNORECASE)
_SOFT_TAIL = re.compile(
    r"(?:^|\s)(?:in (?:total|all)|total|overall|altogether|approx(?:imately)?|est(?:imated)?|exactly|so far|to date)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b(?: place)?", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\(([^()]*)\)")
_AND = re.compile(r"\s?(?:,|,?\sand)\s?$", re.IGNORECASE)
_TIED = re.compile(
    r"(?:(?:joint|tied(?: for| at)?|equal)\s|t-?)(\d{1,4})(?:st|nd|rd|th)?(?: place)?"
    r"|(\d{1,4})(?:st|nd|rd|th)?(?: place)?\s?(?:=|\(?(?:tied?|joint|equal)\)?)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s?(?:-|to|through|until|and|\.\.\.?|~)\s?", re.IGNORECASE)
_EITHER = re.compile(r"\s?(?:or|/|;|,|\|)\s?", re.IGNORECASE)
_OF = re.compile(
    r"\s?(?:/\s?(?=(?:5|10|20|100)\b)|(?:out )?of\s?(?=[1-9]))(\d{1,4})(?:\s?(?:points|stars))?", re.IGNORECASE
)
_JOINING = re.compile(r"\b(?:or|and|to|than|not|versus|vs|plus|minus|maybe|perhaps|possibly)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,3}")


def read_number(span: str) -> tuple[Reading, ...]:
    """Return the readings of a span that is one number (with unit, magnitude, hedge), a range, or alternatives.

    Several readings stand for an ambiguous unit ("5 m": metres or millions) or for alternatives ("5 or 6").
    A parenthesis beside the number may hold its unit or magnitude, a remark, or the number over again, in another unit
    too, which is then a reading more. One that takes it back ("not", "or 164") leaves nothing to read.
    """
    plain = _PLAIN.fullmatch(span)
    if plain:
        sign, digits, decimals = plain.groups()
        return (_reading(sign, digits, decimals or "", 0, ""),)
    if len(span) > LONGEST:
        return ()
    text = _tidy(span)
    if tied := _TIED.fullmatch(text):
        return (_reading("", tied[1] or tied[2], "", 0, "place"),)
    if "(" not in text:
        return _read_plain(text)
    text, asides = _without_asides(text)
    return _beside(_read_plain(text), asides)


def _read_plain(text: str) -> tuple[Reading, ...]:
    bodies = list(_BODY.finditer(text))
    if len(bodies) == 1:
        return _one(text[: bodies[0].start()], bodies[0], text[bodies[0].end() :])
    if len(bodies) == 2:
        return _two(text, bodies[0], bodies[1])
    return _in_words(text) if not bodies else ()


def is_twin(in_unit: Reading, in_ones: Reading) -> bool:
    """Whether two readings are the same letter read as a unit and as a magnitude: 5 m, 5 million."""
    power = MAGNITUDES.get(in_unit.unit.casefold())
    one, other = in_unit.point, in_ones.point
    if (
        power is None
        or in_ones.unit != "ones"
        or not isinstance(one, int | float)
        or not isinstance(other, int | float)
    ):
        return False
    return abs(one * int(10**power) - other) <= 1e-9 * abs(other)


def _tidy(span: str) -> str:
    if "m" in span:
        span = _POWER.sub(lambda m: ("sq" if m[2] in "2²" else "cb") + m[1], span)  # the digit is part of the unit
    if span.isascii():
        return " ".join(span.split())
    text = _SUPERSCRIPTS.sub(lambda m: "10^" + m[1].translate(_SUPERSCRIPT), span.translate(_SIGNS))
    text = _VULGAR.sub(lambda m: f"{m[1] or 0}{f'{unicodedata.numeric(m[2]):.9f}'.rstrip('0')[1:]}", text)
    if any(unicodedata.category(c) == "No" for c in text):
        return ""  # a raised or circled digit that is no power of ten: a footnote or a list mark, not a value
    digits = "".join(str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in text)
    return " ".join(digits.split())


def _without_asides(text: str) -> tuple[str, list[str]]:
    """Take out the parentheses, of which those that hold a unit or a magnitude stay, bare; a number in some stays."""
    asides: list[str] = []

    def aside(match: re.Match[str]) -> str:
        inner = match[1].strip()
        if inner.casefold() in MAGNITUDES or unit_named(inner):
            return f" {inner}"
        asides.append(inner)
        return ""

    if not any(c.isdigit() for c in _ASIDE.sub("", text)):
        return text, asides
    return _ASIDE.sub(aside, text).strip(), asides


def _beside(readings: tuple[Reading, ...], asides: list[str]) -> tuple[Reading, ...]:
    """Add what the asides of a number say over again; nothing is left where one denies it or can't be told."""
    more: list[Reading] = []
    for aside in asides if readings else ():
        if denies(aside):
            return ()
        again = _read_plain(aside)
        if not again and not is_remark(aside):
            return ()
        more += [replace(r, is_aside=True) if r.unit else replace(r, unit=readings[0].unit) for r in again]
    return (*readings, *more)


def _one(before: str, body: re.Match[str], after: str) -> tuple[Reading, ...]:
    head = _head(before)
    if head is None:
        return ()
    minus, hedge, own = head
    tail = _tail(after)
    if tail is None:
        return ()
    whole, decimals, exponent = _digits(body)
    if len(whole) + len(decimals) > _MOST_DIGITS:
        return ()
    if minus and body["sign"]:
        return ()  # "--163"
    minus = minus or body["sign"] == "-"
    out = []
    for power, unit, open_end in tail:
        if own and unit not in ("", "ones", own):
            continue  # of "$5m" the metres
        read = _reading("-" if minus else "", whole, decimals, exponent + power, own or unit)
        out.append(_open(read, hedge or open_end))
    return tuple(out)


def _head(before: str) -> tuple[bool, str, str] | None:
    """Read what stands before the digits: (minus, "" or "over" or "under", unit), or None for words unknown."""
    minus, hedge, unit = False, "", ""
    rest = before.strip()
    while rest:
        if match := _SOFT.match(rest):
            pass
        elif match := _OVER.match(rest):
            hedge = "over"
        elif match := _UNDER.match(rest):
            hedge = "under"
        elif match := _MINUS.match(rest):
            if minus:
                return None
            minus = True
        elif match := _AGED.match(rest):
            unit = "years"
        elif (match := _MONEY.match(rest)) and (money := unit_named(match[0].strip())):
            unit = money.name
        else:
            return None
        rest = rest[match.end() :]
    return minus, hedge, unit


def _tail(after: str) -> list[tuple[int, str, str]] | None:
    """Read what stands after the digits: choices of (power of ten, unit, open end), or None for what can't be read."""
    rest = after.strip().rstrip(".,;:*_`'\")]").lstrip("*_`").replace("+", " + ").strip()
    rest = _SOFT_TAIL.sub("", rest).rstrip(", ")
    if match := _ORDINAL.match(rest):
        rest = rest[match.end() :].strip()
    if match := _OF.fullmatch(rest):
        return [(0, f"of {match[1]}", "")]
    open_end = ""
    if match := _OR_MORE.match(rest):
        open_end = "under" if match["less"] else "over"
        rest = rest[match.end() :].strip()
    power, explicit, twofold = 0, False, False
    while rest:
        word, _, others = rest.lstrip("-").partition(" ")
        known = MAGNITUDES.get(word.casefold().rstrip("."))
        if known is None:
            break
        as_unit = unit_named(word)
        if as_unit is not None and not others:
            unit_of = (power, as_unit.name, open_end)
            return [unit_of] if explicit else [unit_of, (known, "ones", open_end)]
        twofold = twofold or (as_unit is not None and not explicit)
        power, explicit, rest = power + known, True, others.strip()
    if match := _OR_MORE.match(rest):
        open_end = "under" if match["less"] else "over"
        rest = rest[match.end() :].strip()
    if not rest:
        return [(power, "ones" if explicit else "", open_end)]
    unit = _unit(rest)
    return None if unit is None or (twofold and unit == "ones") else [(power, unit, open_end)]


def _unit(words: str) -> str | None:
    words = words.removeprefix("of ").strip()
    if known := unit_named(words) or (unit_named(words[1:]) if words[:1] == "-" and len(words) > 4 else None):
        return known.name  # "70-year-old", but no number plate, "163-MIN"
    if words.casefold() in COUNT_NOUNS:
        return "ones"
    if not _WORDS.fullmatch(words) or _JOINING.search(words) or not NUMBER_WORDS.isdisjoint(words.casefold().split()):
        return None
    return fold(words)


def _digits(body: re.Match[str]) -> tuple[str, str, int]:
    """Split a matched number into its whole digits, its decimals, and the power of ten written after it."""
    digits = body["num"].replace(" ", "").replace("'", "").replace("_", "")
    commas, points = digits.count(","), digits.count(".")
    if commas and points:
        grouping = "," if digits.rindex(".") > digits.rindex(",") else "."
    elif points > 1 or (commas and _groups(digits)):
        grouping = "." if points > 1 else ","
    else:
        grouping = ""
    whole, _, decimals = digits.replace(grouping, "").replace(",", ".").partition(".")
    exponent = body["exp"]
    power = int(re.sub(r"^(?:[eE]|\s?[x×*·]\s?10\s?(?:\^|\*\*)?\s?\(?)|\)$", "", exponent)) if exponent else 0
    return whole, decimals, power


def _groups(digits: str) -> bool:
    return digits[0] != "0" and len(digits) - digits.rindex(",") == 4


def _reading(sign: str, whole: str, decimals: str, power: int, unit: str) -> Reading:
    """Build the exact number, and the interval of half its last significant digit on either side."""
    mantissa = int(whole + decimals)
    exponent = power - len(decimals)
    if sign:
        mantissa = -mantissa
    point = _scaled(mantissa, exponent)
    if not decimals and mantissa:  # the zeros of a whole number may be rounding
        digits = str(mantissa).rstrip("0")
        exponent += len(str(mantissa)) - len(digits)
        mantissa = int(digits)
    low, high = _scaled(mantissa * 10 - 5, exponent - 1), _scaled(mantissa * 10 + 5, exponent - 1)
    return Reading("num", min(low, point), max(high, point), point, unit)  # beyond 2**53 a half is lost in rounding


def _scaled(mantissa: int, exponent: int) -> Number:
    if exponent >= 0:
        return mantissa * int(10**exponent)
    parts = int(10**-exponent)
    whole, rest = divmod(mantissa, parts)
    return mantissa / parts if rest else whole


def _open(read: Reading, hedge: str) -> Reading:
    if hedge == "over":
        return Reading("num", read.point, INFINITE, None, read.unit)  # type: ignore[arg-type]  # a number's point
    if hedge == "under":
        return Reading("num", -INFINITE, read.point, None, read.unit)  # type: ignore[arg-type]
    return read


def _two(text: str, first: re.Match[str], second: re.Match[str]) -> tuple[Reading, ...]:
    before, between, after = text[: first.start()], text[first.end() : second.start()], text[second.end() :]
    if limit := _OF.fullmatch(_ORDINAL.sub("", between, count=1) + second[0] + after):
        readings = _one(before, first, between + second[0] + after)
        return tuple(r for r in readings if not isinstance(r.point, int | float) or r.point <= int(limit[1]))
    if total := _compound(before, first, between, second, after):
        return total
    ends = _ends(_BETWEEN.sub("", before, count=1), first, between, second, after)
    return ends if ends is not None else ()


def _compound(
    before: str, first: re.Match[str], between: str, second: re.Match[str], after: str
) -> tuple[Reading, ...]:
    """Read two parts of one measure, "11 h 42 min": a whole number of a unit and less than one of it in a smaller."""
    named, written = _AND.sub("", between).strip(), after.strip()
    large = unit_named(named)
    if large is None:
        return ()
    small = unit_named("min" if written == "m" and large.dimension == "time" else written)
    if small is None or large.dimension != small.dimension or large.factor <= small.factor:
        return ()
    lefts, rights = _one(before, first, f" {named}"), _one("", second, f" {small.name}")
    if not lefts or not rights or lefts[0].unit != large.name:
        return ()
    whole, part = lefts[0].point, rights[0].point
    share = small.factor / large.factor
    if not isinstance(whole, int) or not isinstance(part, int | float) or not 0 <= part * share < 1 or whole < 0:
        return ()
    total, half = round(whole + part * share, 9), share / 2
    return (Reading("num", total - half, total + half, total, large.name),)


def _ends(
    before: str, first: re.Match[str], between: str, second: re.Match[str], after: str
) -> tuple[Reading, ...] | None:
    """Read two numbers joined by a range sign (one interval) or by "or" (two readings)."""
    for joint, is_range in ((_RANGE, True), (_EITHER, False)):
        joint_match = re.search(joint.pattern + "$", between, re.IGNORECASE)
        if not joint_match or (
            between[: joint_match.start()].strip() and not between[: joint_match.start()].strip()[0].isalpha()
        ):
            continue
        rights = _one("", second, after)
        lefts = _one(before, first, between[: joint_match.start()])
        if not rights or not lefts:
            continue
        left, right = lefts[0], rights[0]
        if not is_range:
            return () if lefts == rights and joint_match[0].strip() == "/" else (*lefts, *rights)  # "0/0" is no 0
        if not left.unit:  # "1-2 million": the words after the second are the first's too
            left = _one(before, first, after)[0]
        one, other = left.point, right.point
        if left.unit != right.unit or not isinstance(one, int | float) or not isinstance(other, int | float):
            return None
        return (Reading("num", min(one, other), max(one, other), None, left.unit),)
    return None


def _in_words(text: str) -> tuple[Reading, ...]:
    """Read "twelve", "minus five", "one hundred and five thousand", "a dozen", with a unit after it."""
    words = [w for w in re.split(r"[\s-]+", text.casefold().strip(".,*_ ")) if w]
    while words and words[0] in ("about", "around", "approximately", "roughly", "nearly", "almost", "some", "exactly"):
        words.pop(0)
    minus = bool(words) and words[0] in ("minus", "negative")
    words = words[minus:]
    used, number = count_words(words)
    if not used:
        return ()
    unit = _unit(" ".join(words[used:])) if used < len(words) else ""
    if unit is None:
        return ()
    number = -number if minus else number
    return (Reading("num", number, number, number, unit),)
