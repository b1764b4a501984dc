"""Every registry is whole: what it holds is in the help and in the README of its room."""

import re

import pytest
from click.testing import CliRunner

from worldsmith.agents import AGENTS
from worldsmith.checking.declared import RULE_TESTS
from worldsmith.cli import main
from worldsmith.generation.rules import ROWS_BREAKING
from worldsmith.schema.rules import RULE_KINDS, RuleSource
from worldsmith.serving.dialects import DIALECTS
from worldsmith.simulate.perturb import PROFILES
from worldsmith.train.exports import FORMATS


@pytest.fixture(scope="module")
def text(repository):
    return lambda path: (repository / path).read_text(encoding="utf-8")


def help_of(*command):
    return CliRunner().invoke(main, [*command, "--help"], terminal_width=400).output


def named(name, where):
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", where) is not None


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_is_in_the_help_and_in_the_readmes(name, text):
    for where in (help_of("export"), text("README.md"), text("worldsmith/train/README.md")):
        assert named(name, where)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_in_the_help_and_in_the_readme_of_tasks(name, text):
    assert named(name, help_of("run"))
    assert named(name, text("worldsmith/mining/README.md"))


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_in_the_help_of_every_command_that_takes_one_and_in_the_readme(name, text):
    for command in ("search", "extract", "serve"):
        assert named(name, help_of(command)), command
    assert named(name, text("worldsmith/serving/README.md"))


@pytest.mark.parametrize(
    "name", sorted({edit for p in PROFILES.values() for edit in (*(p.edits or ()), *(p.faults or ()))})
)
def test_a_perturbation_is_in_the_readme(name, text):
    assert named(name, text("worldsmith/serving/README.md"))


@pytest.mark.parametrize("path", [route.path for dialect in DIALECTS.values() for route in dialect.routes])
def test_a_route_is_in_the_readme(path, text):
    spelled = re.sub(r"\{(\w+)(?::\w+)?\}", r"<\1>", path)
    assert spelled in text("worldsmith/serving/README.md")


@pytest.mark.parametrize("kind", RULE_KINDS)
def test_every_place_knows_a_rule_kind(kind, text, mini):
    rule = RULE_KINDS[kind]
    assert kind in RuleSource.model_fields, "worldsmith/schema/rules.py: RuleSource has no such key"
    assert rule in ROWS_BREAKING, "worldsmith/generation/rules.py: ROWS_BREAKING does not find the rows that break it"
    assert rule in RULE_TESTS, "worldsmith/checking/declared.py: RULE_TESTS has no SQL for it"
    assert rule in map(type, mini.rules), "tests/conftest.py: MINI has no rule of this kind"
    row = re.search(rf"^\|? ?`?{kind}\b|`{kind} ?=|\b{kind} = ", text("schemas/README.md"), re.MULTILINE)
    assert row, "schemas/README.md: the table of [rules] lacks it"
