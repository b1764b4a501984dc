"""What questions say: grammar shared with pages, fillers, headers, dates, constants that fix a column."""

from dataclasses import replace

import pytest

from tests.pages_world import isles
from worldsmith import expr
from worldsmith.pages import grammar
from worldsmith.tasks.phrase import Wording, verb_phrase

WORLD = isles()


def node(text, table="light", world=WORLD):
    return expr.parse(text, table, world.schema.types(), as_of=world.schema.as_of, want="bool")


def recast(world, table, name, **fields):
    """Return a world whose schema speaks of a column otherwise."""
    form = world.schema.tables[table]
    columns = tuple(replace(c, **fields) if c.name == name else c for c in form.columns)
    return replace(
        world, schema=replace(world.schema, tables={**world.schema.tables, table: replace(form, columns=columns)})
    )


@pytest.mark.parametrize(
    ("phrase", "marks"),
    [
        ("sold by", "open participle"),
        ("in the year", "open leading"),
        ("for the quarter ending", "open leading gerund"),
        ("expiring", "gerund"),
        ("lit", "participle"),
        ("hung", "participle"),
        ("a surface of", "open determined"),
        ("a launch price", "determined"),
        ("the first landing", "determined"),
        ("battery", ""),
    ],
)
def test_a_phrase_is_one_thing_for_pages_and_questions(phrase, marks):
    form = grammar.says(phrase)
    found = [name for name in ("open", "leading", "determined", "participle", "gerund") if getattr(form, name)]
    assert sorted(found) == sorted(marks.split())


@pytest.mark.parametrize("verb", ["hung", "set", "lost", "made"])
def test_what_was_done_is_said_alike_by_pages_and_questions(verb):
    world = recast(WORLD, "light", "lit", label=verb.capitalize(), says=verb)
    condition = node("lit < '1930-01-01'", world=world)
    assert verb_phrase(Wording(world.schema), "light", condition) == f"were {verb} before 1930-01-01"
    plan = grammar.Phrasing(world.schema).plans["light", "lit"][0]
    assert (plan.kind, plan.before) == ("was", f"{verb} on")


def test_a_label_names_its_unit_only_as_a_word():
    world = recast(WORLD, "light", "height", label="Metres climbed", says="metres climbed")
    assert (
        verb_phrase(Wording(world.schema), "light", node("height > 20", world=world)) == "have metres climbed over 20 m"
    )
    assert not grammar.names_unit(world.schema.column("light", "height"))
    named = recast(WORLD, "light", "height", label="Height (m)", says="height (m)")
    assert grammar.names_unit(named.schema.column("light", "height"))
    assert {plan.after for plan in grammar.Phrasing(named.schema).plans["light", "height"]} == {""}
