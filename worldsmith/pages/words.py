"""English of pages: every phrase without a cell, with slots for a schema's own words.

Slots: {one} and {many} are a table's nouns ("phone", "phones"), {One} and {Many} the same with a capital,
{about} is what the world is about. Whatever a page says beside its cells is written here, so that the
guard can take it as declared chrome. No phrase holds a digit, a name or a month.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one language."""

    taglines: tuple[str, ...]
    """What follows the name in the title of an entity page."""
    notes: tuple[str, ...]
    """Sentences about the entry itself, for the foot of a page."""
    guide: tuple[str, ...]
    """Sentences of background pages, opening sentence first in each group of three."""
    asides: tuple[str, ...]
    """Short sentences that fill any snippet."""
    entry_asides: tuple[str, ...]
    """Short sentences that fill the snippet of a page about one row."""
    list_notes: tuple[str, ...]
    """Sentences under the heading of a list."""
    news: tuple[str, ...]
    """Sentences around the fact of a news page."""
    headings: tuple[str, ...]
    """Headings, captions and link texts."""
    parts: tuple[str, ...]
    """What follows the title of the second part of a list, of the third, and so on."""


EN = Phrases(
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
    notes=(
        "Each line of this entry was checked against a primary source before it went online.",
        "Where two sources disagreed, the later one was used and the change was noted by the desk.",
        "Readers who spot an error can write to the desk; corrections are made without delay.",
        "The entry follows the layout of every other {one} on this site, so that two of them can be laid side by side.",
        "Terms are used as the reader's guide to {many} explains them.",
        "Names are spelled as their bearers spell them.",
        "Older versions of this text are kept and can be asked for.",
        "Nothing here is advice: it is a record for people who compare {many}.",
        "What could not be confirmed was left out.",
        "This page was put together by hand from documents that anybody may ask to see.",
        "Links in the text lead to the entries they name.",
        "The desk looks through its {many} regularly and brings them up to date.",
        "Reuse is free as long as the source is named.",
        "Opinions have no place in an entry; they belong in the letters column.",
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
        "When two documents disagree, the desk asks both authors and waits for an answer.",
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
    list_notes=(
        "Every name leads to an entry of its own, where the rest of the facts are found.",
        "The list shows a few facts only; the entries have them all.",
        "Lists are drawn from the entries and follow them when those change.",
        "Long lists are split; the links below lead on.",
    ),
    news=(
        "The desk has gone through its papers on {many} and picked out a line that readers keep asking about.",
        "A line from our files on {many}, in brief.",
        "Readers wrote in about this {one}, so the desk looked it up.",
        "The full entry, linked below, has the rest of the record.",
        "Letters on the matter can be sent to the desk.",
        "As always, the entry is the place for corrections.",
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
PHRASES = {"en": EN}


def fill(phrase: str, one: str, many: str, about: str) -> str:
    """Return `phrase` with its slots filled."""
    if "{" not in phrase:
        return phrase
    return phrase.format(one=one, many=many, One=capital(one), Many=capital(many), about=about)


def capital(text: str) -> str:
    """Return `text` with a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]
