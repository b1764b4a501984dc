"""English of pages: every phrase without a cell, with slots for a schema's own words.

Slots: {one} and {many} are a table's nouns ("phone", "phones"), {One} and {Many} the same with a capital,
{about} is what the world is about. Whatever a page says beside its cells is written here, so that the
guard can take it as declared chrome. No phrase holds a digit, a name or a month.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases by where they stand."""

    taglines: tuple[str, ...]
    """What follows the name in the title of an entity page."""
    guide: tuple[str, ...]
    """Sentences of background pages, opening sentence first in each group of three."""
    asides: tuple[str, ...]
    """Short sentences that fill any snippet."""
    entry_asides: tuple[str, ...]
    """Short sentences that fill the snippet of a page about one row."""
    headings: tuple[str, ...]
    """Headings, captions and link texts."""
    parts: tuple[str, ...]
    """What follows the title of the second part of a list, of the third, and so on."""


PHRASES = Phrases(
    taglines=(
        "profile",
        "key facts",
        "data sheet",
        "the full record",
        "facts and figures",
        "all data in one place",
        "the record at a glance",
        "complete entry with links",
        "facts and figures at a glance",
        "what the open record says of it",
        "on record, checked and linked",
        "facts, figures and links in one place",
        "every fact on file, with related pages",
        "an entry in the open collection, in full",
        "open record with facts, figures and links",
        "the complete entry, with related pages",
    ),
    guide=(
        "This guide explains how to read what we hold on {many}.",
        "Every {one} has an entry of its own, and every entry is built the same way.",
        "The opening lines say what the {one} is, the data follow, and links to related entries close the page.",
        "Some facts are found in lists rather than in entries.",
        "A list puts several {many} together, a few facts of each, in a stated order.",
        "For anything that a list leaves out, the entry of the {one} is the place to look.",
        "We take facts from documents, never from hearsay.",
        "When a document is withdrawn, the facts that rested on it are withdrawn with it.",
        "Where documents disagree, the desk asks their authors and waits for an answer.",
        "A gap in an entry means that nobody could tell us, and it is marked as such.",
        "We would rather leave a line empty than fill it with a guess.",
        "If you can fill a gap, and can show how you know, please write to us.",
        "Our subject is {about}, and we keep to it.",
        "Neighbouring subjects are left to people who know them better.",
        "If an entry seems to be missing, the directory of {many} is the quickest way to make sure.",
    ),
    asides=(
        "Free to read.",
        "Checked by the desk.",
        "Corrections are welcome.",
        "Links to related entries.",
        "Kept up by hand since the first edition.",
        "Facts, figures and links in one place.",
        "Compare with other {many} in the directory.",
        "All facts were checked against primary sources by the desk.",
        "An open collection on {about}.",
        "Part of an open collection, free to read and to reuse, with sources named on request.",
    ),
    entry_asides=(
        "More inside.",
        "The full entry has the rest.",
        "Open the entry for the complete record.",
        "One of our {many}, described in full on its page.",
    ),
    headings=(
        "Overview",
        "Data",
        "In detail",
        "About this entry",
        "See also",
        "In brief",
        "Also listed",
        "Directory of {many}",
        "All {many}",
        "Next page",
        "Previous page",
        "(continued)",
        "Front page",
        "A reader's guide to {many}",
        "How we work",
        "What this site is about",
        "{Many} by",
        "{One}",
        "{Many}",
        "Updated",
        "Welcome to an open collection on {about}.",
        "Lists",
        "and others",
        "and",
    ),
    parts=(
        "(part two)",
        "(part three)",
        "(part four)",
        "(part five)",
        "(part six)",
        "(part seven)",
        "(part eight)",
        "(part nine)",
        "(part ten)",
        "(part eleven)",
        "(part twelve)",
    ),
)


def fill(phrase: str, one: str, many: str, about: str) -> str:
    """Return `phrase` with its slots filled."""
    if "{" not in phrase:
        return phrase
    return phrase.format(one=one, many=many, One=capital(one), Many=capital(many), about=about)


def capital(text: str) -> str:
    """Return `text` with a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]
