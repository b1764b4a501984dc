"""What a query asks for: words, quoted phrases, and the operators that people know from search engines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from worldsmith.pages.index.terms import tokens
from worldsmith.pages.sites import canonical, unwrapped

PHRASES = 4
"""Quoted phrases of a query that are looked for; further ones are words. No query may cost more than a few others."""
LONG = 2000
"""Characters of a query that are read, after the operators it starts with."""
OPERATORS = 200_000
"""Characters of those operators that are read: a filter of 600 hosts."""
_SYNTAX = re.compile(
    r'(?P<minus>(?<!\S)-)?(?:(?P<site>site:)(?P<host>\S*)|"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))', re.IGNORECASE
)
_LEADING = re.compile(r"(?:\s*-?(?:site|after|before|newer_than):\S+)*", re.IGNORECASE)
_PORT = re.compile(r":\d+(?=/|$)")
_DATED = re.compile(r"(after|before|newer_than):(\d{1,4})(?:-(\d\d?)(?:-(\d\d?))?|(d))?", re.IGNORECASE)
_IN_PLACE = re.compile(r"(?:all)?in(?:title|url|text|anchor):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """A query after its syntax: terms to score by, phrases, hosts, exclusions and days."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    hosts: tuple[str, ...]
    """Hosts, or hosts with the path that addresses start with: "a.example", "a.example/rating"."""
    without: tuple[str, ...]
    not_hosts: tuple[str, ...]
    since: int = 0
    """First day a page may claim, as an ordinal; 0 for any page."""
    until: int = 0
    """Day before which it must be; 0 for any page."""
    newest: int = 0
    """Days back from the world's own day; 0 for any page."""


def read_query(query: str) -> Terms:
    """Return the terms of a query. Any text is a query: what is no syntax is words.

    `site:HOST` or `site:HOST/PATH`, `after:DAY`, `before:DAY` (a year, month or day), `newer_than:30d`, "quoted
    phrases", and a minus before a word, a phrase or `site:`. `intitle:` and its like are let pass as the word they
    stand before.
    """
    words: list[str] = []
    phrases: list[tuple[str, ...]] = []
    hosts: list[str] = []
    without: list[str] = []
    not_hosts: list[str] = []
    days = {"after": 0, "before": 0, "newer_than": 0}
    leading = _LEADING.match(query[:OPERATORS])
    for found in _SYNTAX.finditer(query[: (leading.end() if leading else 0) + LONG]):
        minus, phrase, word = found["minus"], found["phrase"], found["word"]
        if found["site"]:
            (not_hosts if minus else hosts).append(place(found["host"]))
            continue
        if word and ":" in word:
            dated = _DATED.fullmatch(word)
            day = _day(dated) if dated else 0
            if dated and day:
                days[dated[1].lower()] = day
                continue
            word = _IN_PLACE.sub("", word)
        said = tokens(word if phrase is None else phrase)
        if minus:
            without += said
            continue
        words += said
        if phrase is not None and len(said) > 1:
            phrases.append(tuple(said))
    return Terms(
        tuple(words),
        tuple(dict.fromkeys(phrases))[:PHRASES],
        tuple(dict.fromkeys(h for h in hosts if h)),
        tuple(dict.fromkeys(without)),
        tuple(dict.fromkeys(not_hosts)),
        days["after"],
        days["before"],
        days["newer_than"],
    )


def place(text: str) -> str:
    """Return the host, or host and path, that an address or a wildcard such as "*.a.example/b/*" stands for.

    Scheme, "www.", port and case make no difference; "" where there is no host.
    """
    named = canonical(_PORT.sub("", unwrapped(text).replace("*.", ""))) or ""
    return named.partition("?")[0].strip("/").lower()


def paths_on(host: str, among: Iterable[str]) -> frozenset[str]:
    """Return the paths that some places name on a host, "" for all of it."""
    parts = (named.partition("/") for named in among)
    return frozenset(path for name, _, path in parts if host == name or host.endswith(f".{name}"))


def admits(among: Iterable[str], url: str) -> bool:
    """Whether an address is at one of some places."""
    return not paths_on(url.partition("://")[2].partition("/")[0], among).isdisjoint(places(url))


def places(url: str) -> Iterator[str]:
    """Yield the paths that the path of an address starts with: "", "a", "a/b"."""
    yield ""
    yield from accumulate(url.partition("://")[2].split("/")[1:], "{}/{}".format)


def _day(found: "re.Match[str]") -> int:
    """Return the first day of what a date operator names, as an ordinal, or its number of days; 0 for no day."""
    number = int(found[2])
    if found[1].lower() == "newer_than":
        return number if found[5] else 0
    if found[5] or len(found[2]) < 4:
        return 0
    try:
        return date(number, int(found[3] or 1), int(found[4] or 1)).toordinal()
    except ValueError:
        return 0
