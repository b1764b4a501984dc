"""Text as it is compared: without markup, case, accents, look-alikes, width, hidden characters or punctuation."""

import html
import re
import unicodedata
from functools import lru_cache

LONGEST_CACHED = 200  # a cell is short; caching a hostile megabyte a thousand times would not be

# Letters of other scripts that are drawn like Latin ones in either case, and Latin letters that don't decompose.
_LOOK_ALIKE = dict(
    zip(
        "авекмнорстухіјѕһԁԛԝѵьґӏαβεζηικμνορτυχøłđðħıɑɡʟɪʀʏɴʜᴀᴄᴏᴜ",
        "abekmhopctyxijshdqwvbrlabezhikmnoptyxolddhiaglirynhacou",
        strict=True,
    )
) | {"æ": "ae", "œ": "oe", "þ": "th"}
_KEPT = frozenset("+#%$@&'.-")  # signs that tell names and numbers apart, or have a rule of their own below


class _Folding(dict[int, str]):
    """A translation table that works out each character once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = folded = folded_char(char)
        return folded


def folded_char(char: str) -> str:
    """Return what `fold` makes of one character, once its accents are gone: the table that a guard folds by too."""
    category = unicodedata.category(char)
    if category == "Cf" or _is_mark_for_symbols(char):
        return ""
    if category == "Cc":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Pd" or char == "−":
        return "-"
    if char in "’‘‛′`´ʼʹ＇":
        return "'"
    if category[0] == "P" and char not in _KEPT:
        return " "
    lower = char.casefold()
    return _LOOK_ALIKE.get(lower, lower)


def _is_mark_for_symbols(char: str) -> bool:
    return "᪰" <= char <= "᫿" or "⃐" <= char <= "⃿" or "︀" <= char <= "️" or char >= "\U000e0100"


_FOLDING = _Folding()
_GROUP_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LOOSE_SIGN = re.compile(r"(?<!\d)\.|\.(?!\d)|(?<=\S)-|-(?!\d)")
_GAP = re.compile(r"(?<!\d) | (?!\d)")


def fold(text: str) -> str:
    """Return the text's canonical key: what is left when only case, spacing, accents, look-alikes and marks differ.

    "Ｏ’Neil–Café" and "ONEIL cafe" are one. Kept are a point between digits, a minus before a number, and + # % $ @;
    a thousands comma goes. Text of punctuation alone stays as it is, so that it still differs from an empty cell.
    """
    return _fold_cached(text) if len(text) <= LONGEST_CACHED else _fold(text)


def _fold(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text).translate(_MARKS))
    text = _GROUP_COMMA.sub("", text)
    folded = text.translate(_FOLDING).replace("'", "").replace("&", " and ")
    folded = " ".join(_LOOSE_SIGN.sub(" ", folded).split())
    return folded or "".join(text.split()).translate(_DASHES)


_fold_cached = lru_cache(maxsize=1 << 16)(_fold)
# Accents go before the text is composed again: what decomposes by another script's marks (dakuten) stays whole.
_MARKS = dict.fromkeys([*range(0x300, 0x370), 0xAD, *range(0x200B, 0x2010)], None)
_DASHES = {0x2010: "-", 0x2012: "-", 0x2013: "-", 0x2014: "-", 0x2015: "-", 0x2212: "-"}


def squash(folded: str) -> str:
    """Drop the spaces of a folded text, save those between digits: "neo 5 s" is "neo5s", "1 1" is not "11"."""
    return _GAP.sub("", folded)


_MARKUP = re.compile(r"[&<\[*_`~\\\xa0-\U0010ffff]")
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\(\s*<?([^()\s<>]{0,2000})>?(?:\s[^()]{0,300})?\)")
# What cites a source behind a value: numbers, alone or after a word for a source, in brackets, tags or links.
_NUMBERS = r"\^?\d{1,3}\^?(?:\s?[,;–-]\s?\^?\d{1,3}\^?){0,20}"
_SOURCE_WORD = (
    r"(?:(?:see|view|official|original)\s)?"
    r"(?:cite|citation|source|src|ref|reference|footnote|note|fn|link|via|web|website|site|url|doc|document|page|result)s?"
)
_HOST = r"(?:[\w-]{1,60}\.){1,5}[a-z]{2,20}(?:/[^\s\[\]()]{0,300})?"
_LABEL = rf"(?:{_NUMBERS}|{_HOST}|{_SOURCE_WORD}[\s:#.]{{0,3}}(?:{_NUMBERS}|{_HOST})?)"
_CITATION = re.compile(
    rf"""(?<=\S)\s*(?:
      \^?\\?\[\[?(?:{_LABEL}|\^[\w-]{{1,20}}\^?|\d{{1,3}}†[^\[\]]{{0,40}}|citation\ needed|turn\d\w{{1,20}})\]?\\?\]\^?
     |【[^【】]{{0,60}}】
     |\ue200[^\ue200\ue201]{{0,200}}\ue201)""",
    re.VERBOSE | re.IGNORECASE,
)
_CITED_FROM = re.compile(r"\[cite_(?:start|end)\]", re.IGNORECASE)
_SOURCE_LINK = re.compile(
    rf"""(?<=\S)[\s,;]*(?:
      \[\[?(?:(?!{_HOST}){_LABEL}|oai_citation[^\[\]]{{0,80}})\]?\]
        \(\s*<?(?:https?://[^()\s<>]{{1,2000}}|\#[\w-]{{1,60}})>?(?:\s[^()]{{0,300}})?\)
     |\[(?:https?://)?(?:www\.)?(?P<host>[\w-]+(?:\.[\w-]+)+)(?:/[^\s\[\]()]{{0,300}})?\]
        \(\s*<?https?://(?:www\.)?(?P=host)[^()\s<>]{{0,2000}}>?\s*\)
    )(?=[\s)]*$)""",
    re.VERBOSE | re.IGNORECASE,
)
_EMPTY = re.compile(r"(?<=\S)\s*\(\s*\)\s*$")
_CITING_TAG = re.compile(  # one raised number may be a power: it is none if it is a link, or there are several
    rf"""(?<=\S)\s*(?:
      <(sup|cite)\b[^<>]{{0,300}}>\s*<a\b[^<>]{{0,300}}>\s*\[?{_NUMBERS}\]?\s*</a>\s*</\1>
     |<sup>\s*\d{{1,3}}\s?[,;–-][\d\s,;–-]{{1,60}}</sup>
     |(?:<sup>\s*\d{{1,3}}\s*</sup>[\s,]{{0,3}}){{2,20}}
     |<cite\b[^<>]{{0,300}}>\s*\[?{_NUMBERS}\]?\s*</cite>
     |<ref\b[^<>]{{0,300}}(?:/>|>[^<>]{{0,300}}</ref>))""",
    re.VERBOSE | re.IGNORECASE,
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SUPER = re.compile(r"<sup>\s*([+-]?\d{1,3})\s*</sup>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:b|i|u|s|a|p|em|strong|code|sub|sup|span|del|ins|mark|small|font|kbd|cite|td|th|div)\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{2,3}|`{1,3}|~~)(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])", re.DOTALL)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


_STRIKES = re.compile(
    r"(?<![~\w])(~~?)(?=[^\s~])[^~]{1,500}(?<=[^\s~])\1(?![~\w])|<(?:del|s|strike)\b|<[^<>]{0,200}line-through"
    "|[\u0335-\u0338]",  # strokes over the letters before them
    re.IGNORECASE,
)


def is_struck_out(span: str) -> bool:
    """Whether part of the span is struck out, and so withdrawn: "~~163~~", "<del>163</del>"."""
    span = html.unescape(span)
    return ("~" in span or "<" in span or not span.isascii()) and _STRIKES.search(span) is not None


_ASKS = re.compile(r"""^\W*¿|[?？⁇❓][\s*_"'”’)\].!]*$""")


def is_question(span: str) -> bool:
    """Whether the span ends with a question mark, as one who doesn't know the value would write it."""
    return ("?" in span or not span.isascii()) and _ASKS.search(without_markup(span)) is not None


def without_markup(span: str, *, link: int = 1, cited: bool = False) -> str:
    """Return the span without Markdown and HTML; `<br>` becomes a newline.

    Emphasis, code marks, entities, tags, citations (unless `cited`), escapes and hidden characters go; of a link stays
    the text (`link` 1) or the address (`link` 2).
    """
    if not _MARKUP.search(span):
        return span.strip()
    span = html.unescape(span)
    if "<" in span:
        span = span if cited else _CITING_TAG.sub("", span)
        span = _TAG.sub("", _SUPER.sub(r"^\1", _BREAK.sub("\n", span)))
    if "[" in span:
        span = span if cited or "](" not in span else _without_source_links(span)
        span = _LINK.sub(rf"\{link}", _CITED_FROM.sub("", span))
    if not cited and ("[" in span or "【" in span or "\ue200" in span):
        span = _CITATION.sub("", span)
    for _ in range(3 if len(span) <= 1000 else 0):  # bold in italics in code; a cell is not a megabyte of stars
        bare = _EMPHASIS.sub(r"\2", span)
        if bare == span:
            break
        span = bare
    if "\\" in span:
        span = _ESCAPE.sub(r"\1", span)
    if not span.isascii():
        span = "".join(c for c in span if unicodedata.category(c) != "Cf")
    return span.strip()


def _without_source_links(span: str) -> str:
    """Drop the links to sources that end a span: "163 ([a.example](https://a.example), [2](https://b.example))"."""
    text = span
    for _ in range(20):
        shorter = _SOURCE_LINK.sub("", text)
        if shorter == text:
            break
        text = shorter
    return span if text == span else _EMPTY.sub("", text)
