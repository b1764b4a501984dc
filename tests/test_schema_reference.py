"""schemas/README.md names every fill, option, kind and rule that the code knows."""

import re

import pytest

from worldsmith.naming import KINDS
from worldsmith.schema import source


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
        source.RuleSource,
        source.PageSource,
        source.QuestionsSource,
    ):
        for name, field in model.model_fields.items():
            assert re.search(rf"\b{field.alias or name}\b", reference), name


def test_every_kind_of_name_is_listed(reference):
    listed = reference.split("Kinds of names:")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(KINDS)


def test_world_kinds_are_listed(reference):
    for kind in ("time_shifted", "granular_long_tail", "private_simulation", "realistic_grounded"):
        assert kind in reference
