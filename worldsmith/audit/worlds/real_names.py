"""Whether the names of a world are invented and distinct: each is tested against the filter of real names.

The filter has no false negatives, and takes about 1% of other names for real ones (naming.deny): generation draws
those again, so that a world's own names are never among them, while a name written by hand may be.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from rapidfuzz.distance.Levenshtein import distance

from worldsmith.naming import ALSO, KINDS, Kind, is_real_name
from worldsmith.naming.fold import fold_name
from worldsmith.naming.twins import Twins
from worldsmith.pages import Pages
from worldsmith.schema import Faker, Invent, Pick
from worldsmith.world.model import World

RESERVED = ".example"
"""Top-level domain of every host: reserved for documentation (RFC 2606, RFC 6761)."""
_POSSESSIVE = re.compile(r"'s\b")
_SHORT = 3  # letters of words that carry no name: grammars never use words this short


@dataclass(frozen=True, slots=True)
class Name:
    """An invented name: its place ("shop.name", "values.parishes", "hosts") and its kind."""

    place: str
    text: str
    kind: str
    kinds: Mapping[str, Kind] = field(default_factory=lambda: KINDS, compare=False, repr=False)
    """The kinds of its schema."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Two invented names of a world that a reader may take for one."""

    first: Name
    second: Name


def names_of(world: World, pages: Pages) -> Iterator[Name]:
    """Yield every invented name once per place: columns of names, lists, what cells hold beside lists, and hosts."""
    kinds = world.schema.name_kinds
    lists = {name: spec.invent for name, spec in world.schema.values.items() if spec.invent}
    for name, kind in lists.items():
        yield from (Name(f"values.{name}", str(item), kind, kinds) for item in world.values.get(name, ()))
    for table in world.schema.tables.values():
        for column in table.columns:
            cells = [v for v in world.tables[table.name][column.name] if isinstance(v, str)]
            place = f"{table.name}.{column.name}"
            match column.fill:
                case Invent(kind=kind):
                    yield from (Name(place, text, kind, kinds) for text in cells)
                case Pick(values=name) if name in lists:
                    known = set(world.values.get(name, ()))
                    others = (text for text in dict.fromkeys(cells) if text not in known)
                    yield from (Name(place, text, lists[name], kinds) for text in others)
                case _:
                    pass
    # A natural site's name is ordinary words beside a name that is listed already: "Hilbrigg Town Council".
    yield from (Name("hosts", site.name, "press") for site in (() if pages.voice else pages.sites))


def bearing_words(name: Name) -> list[str]:
    """Return the folded words that carry a name: not those of its kind's forms ("Street"), short or with digits."""
    # A homonym has the form of another kind: a film may be called like an island.
    texts = tuple(t for each in (name.kind, *ALSO.get(name.kind, ())) for t in name.kinds[each].ordinary)
    return [
        w for w in fold_name(name.text).split() if len(w) > _SHORT and w.isalpha() and w not in _folded_words(texts)
    ]


@cache
def _folded_words(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in texts for word in fold_name(text).split())


def real_part(name: Name) -> str:
    """Return the part of a name that the filter takes for real: the whole, the first bearing word, or "" for none."""
    if is_real_name(name.text):
        return name.text
    return next((word for word in bearing_words(name) if is_real_name(word)), "")


def names_in_pages(world: World, names: Iterable[Name]) -> list[Name]:
    """Return the names that a reader of the world meets, each declared homonym once.

    An item of a list that no cell holds is on no page.
    """
    cells = {v for columns in world.tables.values() for values in columns.values() for v in values}
    declared = set(world.shared_names) if world.schema.knobs.homonyms else set()
    met = [name for name in names if name.text in cells or not name.place.startswith("values.")]
    first = {name.text: name.place for name in reversed(met)}
    return [name for name in met if name.text not in declared or name.place == first[name.text]]


def twins_of(names: list[Name]) -> list[Twin]:
    """Return the names that are twins of one before them, by the rule that names are drawn by (naming.twins)."""
    known = Twins()
    before: list[Name] = []
    twins: list[Twin] = []
    for name in names:
        folded, words = fold_name(name.text), bearing_words(name)
        if not known.take(folded, words):
            twins.append(Twin(_nearest_name(folded, words, before), name))
        before.append(name)
    return twins


def _nearest_name(folded: str, words: list[str], before: list[Name]) -> Name:
    """Return the name that another is a twin of: the least edit distance, 0 for a similar bearing word."""

    def apart(other: Name) -> int:
        text = fold_name(other.text)
        alike = any(distance(a, b, score_cutoff=1) <= 1 for a in words for b in bearing_words(other))
        return 0 if alike or text.startswith(folded) or folded.startswith(text) else distance(folded, text)

    return min(before, key=apart)


def real_names(world: World) -> dict[str, Counter[str]]:
    """Return how many cells hold each declared real name, by list."""
    counts: dict[str, Counter[str]] = {}
    for table in world.schema.tables.values():
        for column in table.columns:
            if isinstance(column.fill, Pick) and world.schema.values[column.fill.values].real:
                cells = (str(v) for v in world.tables[table.name][column.name] if v is not None)
                counts.setdefault(column.fill.values, Counter()).update(cells)
    return counts


def faker_details(world: World) -> Counter[str]:
    """Return how many cells hold a detail of Faker's, by provider: those may be real, and are no names."""
    counts: Counter[str] = Counter()
    for table in world.schema.tables.values():
        for column in table.columns:
            if isinstance(column.fill, Faker):
                counts[column.fill.provider] += sum(v is not None for v in world.tables[table.name][column.name])
    return counts
