"""English prose without a cell, for plain pages: data in `english.toml`, of which `pages.prose` makes sentences."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Theme:
    """What a section is about: headings, and frames of sentences that start, go on with and end a paragraph."""

    name: str
    heads: tuple[str, ...]
    start: tuple[str, ...]
    middle: tuple[str, ...]
    end: tuple[str, ...]
    past: bool = False
    """It tells of what was: its paragraphs are all in the past tense."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How a site speaks."""

    name: str
    joints: tuple[str, ...]
    """What may open a sentence within a paragraph."""
    openers: tuple[str, ...]
    """What may open a sentence that tells a fact."""
    spelled: bool
    """Days and large numbers are written out in running text: 9 May 1902, 12,500."""


@dataclass(frozen=True, slots=True)
class Language:
    """The prose of a language."""

    lists: Mapping[str, tuple[str, ...]]
    """Words and phrases by the name of their slot; `who` is `person` or `people`."""
    alike: Mapping[str, tuple[str, ...]]
    """Words that a word of a frame may be replaced by, itself among them."""
    irregular: Mapping[str, str]
    """Past tenses that end in no "ed"."""
    neutral: tuple[Theme, ...]
    personal: tuple[Theme, ...]
    """Themes of people who speak for themselves: in blogs, forums, comments."""
    genres: tuple[Theme, ...]
    """Themes that one kind of page opens with, by its name."""
    voices: tuple[Voice, ...]
    headings: Mapping[str, tuple[str, ...]]
    """By the kind of block below them."""
    anchors: Mapping[str, tuple[str, ...]]
    """Texts of links to pages that no cell names, by what they lead to."""
    titles: Mapping[str, tuple[str, ...]]
    """Titles by kind of page, with {name}, the row's, and {label}, of the column told."""
    bylines: tuple[str, ...]
    """With {author}."""
    walls: tuple[str, ...]
    """What stands where a page goes on for subscribers alone, with {site}."""
    breaks: tuple[str, ...]
    """What stands where only the first part of a page is shown, with {site}."""
    editions: tuple[str, ...]
    """What says that a page is out of date since the day it claims."""
    corrections: tuple[str, ...]
    """What stands before a value that earlier versions of a page told otherwise."""
    cues: tuple[str, ...]
    """What leads from a page that may be wrong to the entry."""
    copies: tuple[str, ...]
    """What stands over an archive's copy, before the link to the page."""
    namesakes: tuple[str, ...]
    """What leads from a page about something else to the row of the same name."""

    @property
    def chrome(self) -> tuple[str, ...]:
        """Headings, link texts and notices: what stands on pages as it is, but for the nouns of a table and a site."""
        block_phrases = [p for of in (self.headings, self.anchors) for phrases in of.values() for p in phrases]
        notices = (self.walls, self.breaks, self.editions, self.corrections, self.cues, self.copies, self.namesakes)
        return (*block_phrases, *(phrase.replace("{site}", "the site") for phrases in notices for phrase in phrases))


def _fixed(value: Any) -> Any:
    """Return values as they were read, lists as tuples."""
    if isinstance(value, Mapping):
        return {key: _fixed(inner) for key, inner in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def _themes(sources: Iterable[Mapping[str, Any]]) -> tuple[Theme, ...]:
    return tuple(Theme(**source) for source in sources)


def _english() -> Language:
    data = _fixed(tomllib.loads((files("worldsmith.lang") / "english.toml").read_text(encoding="utf-8")))
    themes = {part: _themes(data[part]) for part in ("neutral", "personal", "genres")}
    alike = {group[0]: group for group in data["alike"]}
    return Language(**(data | themes | {"alike": alike, "voices": tuple(Voice(**voice) for voice in data["voices"])}))


ENGLISH = _english()
