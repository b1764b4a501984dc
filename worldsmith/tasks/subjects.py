"""What a question over several worlds calls them, and the column that says which of them a row is of."""

import re

from worldsmith import scoring
from worldsmith.errors import UsageError
from worldsmith.lang.morphology import listing, pluralized
from worldsmith.lang.page_phrases import capital
from worldsmith.schema import Schema

_NAME = "{name}"
_BEFORE = re.compile(r"the (?P<noun>[^{}]+?)(?P<of> of)? \{name\}")
_AFTER = re.compile(r"the \{name\} (?P<noun>[^{}]+)")
HEADER = "Subject"
"""The header of the column where a schema's phrase has no noun for one."""


def subject_text(schema: Schema) -> str:
    """Return how a schema introduces what its worlds are about: "the town of {name}". Raises UsageError for none."""
    source = schema.bank.source.subject if schema.bank else None
    if source is None:
        raise UsageError(f"worlds of the schema {schema.name!r} have no subject: give its language file a [subject]")
    return source.text


def subject_header(schema: Schema) -> str:
    """Return what heads the column of subjects: "Town", "League"."""
    text = subject_text(schema)
    match = _BEFORE.fullmatch(text) or _AFTER.fullmatch(text)
    return capital(match["noun"].split()[-1]) if match else HEADER


def subjects_phrase(schema: Schema, names: tuple[str, ...]) -> str:
    """Return several subjects in words: "the towns of A, B and C", "the A and B Leagues"."""
    text = subject_text(schema)
    if before := _BEFORE.fullmatch(text):
        return f"the {pluralized(before['noun'])}{before['of'] or ''} {listing(names)}"
    if after := _AFTER.fullmatch(text):
        return f"the {listing(names)} {pluralized(after['noun'])}"
    return listing([text.replace(_NAME, name) for name in names])


def subject_column(schema: Schema, names: tuple[str, ...]) -> scoring.Column:
    """Return the column that says which subject a row is of; a subject may be written as it is introduced, too."""
    text = subject_text(schema)
    aliases = tuple((name, (full, full.removeprefix("the "))) for name in names for full in [text.replace(_NAME, name)])
    return scoring.Column(subject_header(schema), "text", aliases=aliases, key=True)
