"""What can be named, and how such names are formed.

A form is a template: `{given} {family} {place} {thing}` are invented words of one culture, the rest are ordinary words
or one of `{number} {model} {letters} {digits}`. Only the invented words bear the name: they are tested against the
filter of real names and told apart; "Foundry" and "Street" need not be.
"""

from dataclasses import dataclass
from string import Formatter

WORDS = frozenset({"given", "family", "place", "thing"})  # the invented, bearing words of a form

Form = tuple[tuple[str, str], ...]  # pairs of literal text and the slot after it ("" for none)


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of name: what it is, and its forms, equally likely."""

    about: str
    forms: tuple[Form, ...]


def _kind(about: str, *templates: str) -> Kind:
    return Kind(about, tuple(tuple((text, slot or "") for text, slot, _, _ in Formatter().parse(t)) for t in templates))


def _with(template: str, words: str) -> list[str]:
    """Return the template once for each of `words` (comma-separated), put in for `*`."""
    return [template.replace("*", word.strip()) for word in words.split(",")]


_NOUNS = (
    "Lantern, Harbour, Orchard, Winter, Letter, Garden, Window, Bridge, Silence, Daughter, Mirror, River, Road, "
    "Summer, Keeper, Clock, Voyage, House, Shadow, Song, Map, Wedding, Stranger, Island, Witness, Fire, Tide, "
    "Promise, Night, Thief"
)

KINDS: dict[str, Kind] = {
    "person": _kind("a given name and a family name of one culture", "{given} {family}"),
    "place": _kind("a town or a district", "{place}"),
    "landform": _kind(
        "a river, a lake, a mountain or an island",
        *_with("* {place}", "Lake, Mount, Cape"),
        *_with("{place} *", "River, Island, Valley, Bay, Ridge, Falls, Forest, Glacier"),
    ),
    "firm": _kind(
        "a company",
        *_with(
            "{thing} *",
            "Foundry, Works, Systems, Industries, Holdings, Partners, Instruments, Logistics, Energy, Materials, "
            "Mills, Group, Dynamics, Optics, Motors, Textiles, Robotics, Chemicals",
        ),
        *_with("{family} *", "Brothers, Engineering, Trading, Shipping, Capital, Brewing"),
    ),
    "shop": _kind(
        "a shop of a small town",
        *_with("{family} *", "Stores, Corner, House, Counter"),
        *_with("The {thing} *", "Basket, Lamp, Window, Kettle, Bench, Stair"),
        *_with("Little *", "{thing}"),
    ),
    "product": _kind(
        "a thing that is sold, with or without a model",
        *["{thing}"] * 9,
        *["{thing} {number}"] * 4,
        *["{thing} {model}"] * 4,
        *_with("{thing} *", "Mini, Pro, Air, Neo, Lite, Edge"),
    ),
    "chip": _kind("a processor", *["{thing} {model}"] * 4, *_with("{thing} *", "Core, Prime, Ultra")),
    "project": _kind(
        "an undertaking inside an organisation", "Project {thing}", "{thing} Programme", "{thing} Initiative"
    ),
    "press": _kind(
        "a newspaper, a magazine or a site",
        *_with("The {place} *", "Courier, Herald, Chronicle, Post, Observer, Ledger"),
        *_with("{place} *", "Gazette, Tribune, Bulletin, Dispatch, Monitor"),
        *_with("{thing} *", "Review, Weekly, Quarterly, Digest, Report"),
    ),
    "work": _kind(
        "a film, a book or another work with a title",
        *_with("The * of {place}", _NOUNS),
        *_with("The {place} *", _NOUNS),
        *_with("A * in {place}", "Winter, Summer, Wedding, Stranger, House, Garden, Lantern, Fire, Room, Promise"),
        *_with("{given} and the *", "Sea, Wolves, Clockmaker, Lighthouse, Orchard, Mountain, Thief, Rain, Tide, Moon"),
        *_with("* {place}", "Leaving, Beyond, Return to, Letters from, North of, Farewell, Under, Remembering"),
    ),
    "team": _kind(
        "a sports team",
        *_with(
            "{place} *",
            "Rovers, United, Athletic, Wanderers, Rangers, City, Albion, Harriers, Dynamo, Town, Falcons, Union",
        ),
    ),
    "venue": _kind(
        "a stadium, a hall or a theatre",
        *_with("{place} *", "Arena, Stadium, Park, Theatre, Hall"),
        *_with("{family} *", "Ground, Pavilion, Playhouse"),
    ),
    "street": _kind(
        "a street",
        *_with("{family} *", "Street, Road, Avenue, Square, Terrace"),
        *_with("{place} *", "Lane, Quay, Way, Row, Boulevard"),
    ),
    "school": _kind(
        "a school, a university or an institute",
        *_with("{place} *", "Academy, College, University, Polytechnic, Conservatory"),
        "University of {place}",
        *_with("{family} *", "Institute, School, Laboratory"),
    ),
    "event": _kind(
        "a festival, a fair or a contest",
        *_with("{place} *", "Festival, Regatta, Games, Fair, Biennale, Marathon, Carnival, Open"),
        *_with("{thing} *", "Forum, Summit, Congress, Symposium, Cup"),
    ),
    "division": _kind(
        "a department of an organisation",
        *_with("{place} *", "Works, Office, Plant, Depot, Workshop, Yard"),
        *_with("{thing} *", "Division, Unit, Team, Desk, Section"),
        *_with("{family} *", "Laboratory, Studio"),
    ),
    "festival": _kind(
        "a film festival",
        *_with("{place} *", "Film Festival, Film Week, Film Days, International, Film Weekend, Festival of Cinema"),
        *_with("{thing} *", "Film Forum, Screenings"),
        *_with("* of {place}", "Film Festival, Cinema Nights"),
    ),
    "agency": _kind(
        "an agency that represents players or artists",
        *_with("{family} *", "Sports, Talent, Agency, Partners"),
        *_with("{thing} *", "Sports, Management, Representation"),
    ),
    "foundry": _kind(
        "a maker of chips",
        *_with("{thing} *", "Semiconductor, Foundry, Silicon, Microelectronics, Devices"),
        *_with("{place} *", "Foundries, Silicon Works"),
    ),
    "prize": _kind("an award", *_with("{family} *", "Prize, Medal, Award"), *_with("{thing} *", "Trophy, Laurel")),
    "code": _kind("a label of letters and digits", "{letters}-{digits}"),
    "ship": _kind(
        "a ship",
        *["{thing}"] * 5,
        *_with("{place} *", "Star, Dawn, Trader, Spirit, Pride"),
        "Lady {given}",
        "Captain {family}",
    ),
    "trial": _kind("a clinical trial", "{thing}"),
    "drugmaker": _kind(
        "a maker of medicines",
        *_with("{thing} *", "Pharma, Therapeutics, Biologics, Biosciences, Medicines"),
        *_with("{family} *", "Pharmaceuticals, Laboratories, Life Sciences"),
    ),
    "dish": _kind(
        "a dish",
        *_with("{place} *", "Stew, Broth, Dumplings, Flatbread, Hotpot, Tart, Pudding, Pie, Curry, Salad"),
        *_with("{thing} *", "Noodles, Roast, Soup, Cakes"),
    ),
}

ALSO: dict[str, tuple[str, ...]] = {
    "shop": ("person", "place"),
    "product": ("chip", "ship"),
    "chip": ("product",),
    "project": ("person", "place", "landform", "ship"),
    "work": ("person", "place", "landform", "ship", "festival", "event"),
    "venue": ("person", "place"),
    "street": ("person",),
    "event": ("place", "landform"),
    "festival": ("place", "landform"),
    "prize": ("person",),
    "ship": ("person", "place", "landform"),
    "trial": ("person", "landform", "ship"),
    "drugmaker": ("person",),
    "dish": ("person", "place"),
}
"""Kinds whose names a thing of another kind may bear as they are, beside its own: a film called like a director."""
