"""schemas/README.md names every fill, option, kind and rule that the code knows."""

import re
import tomllib
from typing import get_args

import pytest

from worldsmith.errors import SchemaError
from worldsmith.naming import KINDS
from worldsmith.pages.genre_pages import GENRES
from worldsmith.pages.site_styles import STYLES
from worldsmith.schema import load_schema, parse_schema, patterns, shipped, source, with_bank
from worldsmith.schema.expectations import ExpectationSource
from worldsmith.schema.rules import RuleSource
from worldsmith.schema.syntax import PAGES_VERSION, json_values


@pytest.fixture(scope="module")
def reference(repository):
    return (repository / "schemas" / "README.md").read_text(encoding="utf-8")


def test_every_fill_has_its_options(reference):
    rows = [line for line in reference.splitlines() if line.startswith("| `")]
    for fill, options in source.OPTIONS.items():
        row = next((r for r in rows if re.search(rf"`{fill} = ", r)), "")
        assert row, fill
        named = set(re.findall(r"`(\w+)`", row.rsplit("|", 2)[1]))
        assert named == set(options), fill


def test_every_key_of_the_file_is_explained(reference):
    for model in (
        source.ColumnSource,
        source.TableSource,
        RuleSource,
        source.PageSource,
        source.QuestionsSource,
        ExpectationSource,
    ):
        for name, field in model.model_fields.items():
            assert re.search(rf"\b{field.alias or name}\b", reference), name


def test_the_language_file_shown_is_one_and_has_every_key(reference):
    section = reference.split("## The language file")[1].split("\n## ")[0]
    text = section.split("```toml\n")[1].split("```")[0]
    bank = with_bank(load_schema("town"), json_values(tomllib.loads(text)), "README.md").bank
    assert [(page.name, page.genre) for page in bank.pages] == [("story", "gazette")]
    models = (
        patterns.BankSource, patterns.SubjectSource, patterns.ColumnWords, patterns.SiteSource, patterns.PageSource,
        patterns.TellSource, patterns.AskSource,
    )  # fmt: skip
    for model in models:
        for name, field in model.model_fields.items():
            assert name in {"split", "derived"} or re.search(rf"\b{field.alias or name}\b", section), name
    choices = (*patterns.FORMS[1:], *get_args(patterns.Form), *get_args(patterns.Dates), *get_args(patterns.Numbers))
    for word in (*choices, *get_args(patterns.Labels), *get_args(patterns.Order)):
        assert re.search(rf"\b{word}\b", section), word


def test_every_kind_of_name_is_listed(reference):
    listed = reference.split("Kinds of names:")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(KINDS)


def test_world_kinds_are_listed(reference):
    for kind in ("time_shifted", "granular_long_tail", "private_simulation", "realistic_grounded"):
        assert kind in reference


def test_pages_of_every_world_and_their_styles_are_named(reference):
    kinds = {"world-archive", "world-mirror", "world-homonym", "world-guide", *(genre.kind for genre in GENRES)}
    for name in (*kinds, *STYLES):
        assert f"`{name}`" in reference, name


def test_shipped_schemas_name_the_versions_they_are_written_in(reference):
    for name in shipped():
        told = load_schema(name).source
        assert (told["schema"], told["pages"]["version"], told["questions"]["version"]) == (1, PAGES_VERSION, 1), name
    section = reference.split("## [pages]")[1].split("##")[0]
    assert f"`version = {PAGES_VERSION}`" in section
    keys = {field.alias or name for name, field in source.PageSource.model_fields.items()}
    assert keys == {"about", "list", "by", "show", "sort", "with", "if"}, "other keys are another version"
    assert all(f"`{key}`" in section for key in keys)


def test_pages_have_a_version(repository):
    plain = load_schema(repository / "schemas" / "town.toml")
    data = dict(plain.source)
    bare = {name: page for name, page in data["pages"].items() if name != "version"}
    assert parse_schema({**data, "pages": bare}).pages == plain.pages
    with pytest.raises(SchemaError, match="version = 2 is not known; this part of the language is version 1"):
        parse_schema({**data, "pages": {**bare, "version": 2}})
