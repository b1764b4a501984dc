"""Schemas without a language file: what is derived for them, and that their natural worlds hold like any other."""

import tomllib
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MINI
from tests.page_findings import placement_findings, unread_spans
from tests.pages_world import SCHEMA as ISLES
from tests.test_cli import SOMETIMES
from tests.test_language import BANK
from tests.test_language import SCHEMA as QUAYSIDE
from worldsmith import expr
from worldsmith.agents import SimulatorClient
from worldsmith.audit.patterns import rendered_patterns
from worldsmith.expr import Node
from worldsmith.generation import generate
from worldsmith.mining.certificates import Certificate, certify, verify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.schema import Column, Faker, Schema, in_language, load_schema, parse_schema, shipped
from worldsmith.schema.derived_patterns import completed
from worldsmith.schema.patterns import Split, read_bank
from worldsmith.schema.syntax import json_values
from worldsmith.schema_lint.language import lint_language
from worldsmith.simulate.guard.construction import unentitled_spans
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.condition_reader import Phrases
from worldsmith.tasks.conditions import MANY, ONE, Wording, verb_phrase
from worldsmith.tasks.question_reader import query_of_question
from worldsmith.world.files import load_world, save_world
from worldsmith.world.model import World

CASES = Path(__file__).parent / "cases"
SOURCES = {"harbour": MINI, "isles": ISLES, "quayside": QUAYSIDE, "sometimes": SOMETIMES} | {
    name: (CASES / f"{name}.toml").read_text(encoding="utf-8")
    for name in ("kiosks", "observatories", "clinic", "brewery", "airfield")
}
"""Schemas that have no language file: composite keys, nulls, truth values, decimals, two references to one table."""


@cache
def derived(name: str) -> Schema:
    return in_language(parse_schema(json_values(tomllib.loads(SOURCES[name]))), "natural")


def sentences(name: str, column: str) -> list[str]:
    """Return the sentences that state a column, with or without a slot."""
    table, _, last = column.partition(".")
    bank = derived(name).bank
    assert bank
    return [tell.pattern.text for tell in bank.tells if tell.of == table and (last,) in tell.stated]


def asks(name: str, column: str, kind: str) -> list[str]:
    bank = derived(name).bank
    assert bank
    ways: list[str] = getattr(bank.source.asks[column], kind)
    return ways


# Sentences and ways to ask


@pytest.mark.parametrize(
    ("name", "column", "sentence"),
    [
        ("quayside", "berth.built", "The records say that {name} was built on {built}."),  # done by somebody
        ("quayside", "call.arrived", "On {arrived}, {code} arrived."),  # of itself
        ("quayside", "call.master", "{code} [is|was] commanded by {master}."),
        ("quayside", "call.goods", "{code} has a cargo of {goods}."),
        ("quayside", "call.tons", "{code} has a load of {tons}."),
        ("quayside", "berth.calls", "{name} has {calls} [call|calls@calls]."),
        ("quayside", "call.damage", "No figure for crates damaged of {code} is on record."),  # a null
        ("quayside", "survey.depth", "the survey of {berth} in the year {year} has a depth then of {depth}."),
        ("quayside", "survey.depth", "the survey in the year {year} has a depth then of {depth}."),
        ("harbour", "berth.salt", "{name} has {salt} [call with salt|calls with salt@salt]."),
        ("harbour", "berth.part", "The share of tons of {name} [is|was] {part}%."),
        ("harbour", "berth.place", "{name} ranks number {place} by tons in all."),
        ("harbour", "berth.best", "The largest call of {name} [is|was] {best}."),  # no article fits
        ("harbour", "berth.tug", "{name} needs a tug."),
        ("harbour", "berth.tug", "{name} does not need a tug."),
        ("harbour", "call.flag", "The flag of {code} [is|was] {flag}."),
        ("harbour", "call.paid", "{code} has not been paid so far."),
        ("kiosks", "kiosk.stars", "{name} has a rating of {stars} out of 10."),
        ("kiosks", "kiosk.roof", "{name} is not under a roof."),
        ("kiosks", "kiosk.sold", "For {name}, tickets sold come to {sold}."),
        ("clinic", "vet.surgeon", "{name} does not operate."),
        ("clinic", "visit.second", "the visit of {pet} in {year} [is|was] reviewed by {second}."),
        ("clinic", "pet.died", "{tag} has not died so far."),
        ("brewery", "brewery.founded", "In {founded}, {name} was founded."),
        ("brewery", "beer.alcohol", "{name} has an alcohol of {alcohol}%."),
        ("airfield", "flight.night", "{number} is a night flight."),
        ("airfield", "pilot.licence", "Under “Licence issued”, the entry of {name} has {licence}."),  # no sentence fits
    ],
)
def test_columns_are_told_by_kind_unit_label_and_says(name: str, column: str, sentence: str) -> None:
    assert sentence in sentences(name, column)


@pytest.mark.parametrize(
    ("name", "column", "kind", "way"),
    [
        ("quayside", "berth.built", "header", "date of construction"),
        ("quayside", "berth.built", "over", "[were|was] built after {v}"),
        ("quayside", "call.berth", "whose", "[are|is] at a berth that"),
        ("quayside", "call.tons", "header", "tons (t)"),
        ("quayside", "call.tons", "under", "[have|has] a load of less than {v}"),
        ("quayside", "berth.calls", "over", "[have|has] more than {v} [call|calls@v]"),
        ("quayside", "call.damage", "null", "[have|has] no figure for crates damaged"),
        ("harbour", "berth.place", "over", "[rank|ranks] lower than number {v} by tons in all"),
        ("harbour", "berth.tug", "false", "[do|does] not need a tug"),
        ("harbour", "call.paid", "present", "[have|has] been paid"),
        ("airfield", "flight.night", "true", "[are night flights|is a night flight]"),
        ("airfield", "pilot.licence", "over", "[have|has] a date after {v} under “Licence issued”"),
        ("clinic", "visit.pet", "equal", "[belong|belongs] to {v}"),
        ("brewery", "brewery.founded", "header", "founding year"),
    ],
)
def test_columns_are_asked_for_by_kind_unit_label_and_says(name: str, column: str, kind: str, way: str) -> None:
    assert way in asks(name, column, kind)


def test_two_columns_with_one_phrase_are_told_by_their_labels() -> None:
    text = QUAYSIDE.replace('says = "commanded by"', 'says = "at"')
    schema = in_language(parse_schema(json_values(tomllib.loads(text))), "natural")
    assert schema.bank
    texts = {t.pattern.text for t in schema.bank.tells if t.of == "call" and t.stated == (("code",), ("master",))}
    assert "The master of {code} [is|was] {master}." in texts
    assert not any(" at " in text for text in texts)


def test_what_a_world_is_about_is_the_one_name_that_no_column_picks() -> None:
    bank = derived("quayside").bank
    assert bank
    assert bank.source.subject
    assert bank.source.subject.text == "the books of the harbour of {name}"
    assert derived("harbour").bank.source.subject is None  # type: ignore[union-attr]


def test_every_derived_sentence_can_be_told() -> None:
    texts = [one for one in rendered_patterns(derived("quayside")) if one.text]
    assert len(texts) > 80
    assert not any("{" in one.text or "[" in one.text or "<" in one.text for one in texts)


def conditions(world: World, column: Column) -> list[Node]:
    """Return a condition of each kind on a column, with constants that its rows hold."""
    values = [v for v in dict.fromkeys(world.tables[column.table][column.name]) if v is not None]
    if not values:
        return []
    here = expr.Path((column.name,), column.type)
    a, b = (expr.Const(value, column.type) for value in (values[0], values[-1]))
    if column.type == "bool":
        return [here, expr.Call("not", (here,), "bool")]
    gone = expr.Call("is null", (here,), "bool")
    nodes: list[Node] = [gone, expr.Call("not", (gone,), "bool")]
    nodes += [expr.Call(op, (here, a), "bool") for op in ("=", "!=")]
    nodes += [expr.Call("in", (here, a, b), "bool")] if len(values) > 1 else []
    if column.type != "text":
        nodes += [expr.Call(op, (here, b), "bool") for op in ("<", ">")]
        nodes += [expr.Call("between", (here, a, b), "bool")]
    if column.type == "int":
        nodes += [expr.Call(">", (here, expr.Const(1, "int")), "bool")]
    return nodes


@pytest.mark.parametrize("name", SOURCES)
def test_every_way_to_ask_is_read_back_as_one_condition(name: str) -> None:
    world = generate(derived(name), 3, language="natural")
    phrases, count = Phrases(world.schema), 0
    columns = [c for t in world.schema.tables.values() if not t.background for c in t.columns]
    for column in (c for c in columns if not isinstance(c.fill, Faker)):  # a detail may hold a comma
        for node in conditions(world, column):
            for nth, verbs in product(range(6), (MANY, ONE)):
                text = verb_phrase(Wording(world.schema, nth=nth), column.table, node, verbs)
                assert {meaning for meaning, _ in phrases.conditions(column.table, text, verbs)} == {node}, text
                count += 1
    assert count > 100


# Worlds


LARGE = ("clinic", "brewery", "airfield")


@pytest.mark.parametrize("split", ["all", "train", "test"])
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LARGE)) for n in SOURCES])
def test_every_cell_is_placed_told_and_read(name: str, split: Split) -> None:
    world = generate(derived(name), 3, language="natural", split=split)
    pages = Pages(world)
    live = [page_id for page_id in pages.ids() if not pages.page(page_id).dormant]
    assert placement_findings(world) == []
    assert unread_spans(pages, live) == []
    assert not any(unentitled_spans(chunks(render(pages.page(i), world, pages)), pages.page(i)) for i in live)


def handbooks(source: str) -> list[str]:
    """Return what a handbook is called by the derived language of a schema."""
    bank = in_language(parse_schema(json_values(tomllib.loads(source))), "natural").bank
    assert bank
    return bank.source.sites["handbook"].name


def test_sites_are_called_after_what_has_entries_in_words_that_stand_as_a_noun() -> None:
    assert handbooks(SOURCES["brewery"]) == ["Handbook of Beers", "The Beer Companion", "Beers from A to Z"]
    for one, companion in (("hour aloft", ["The Hour Aloft Companion"]), ("hour in the air", [])):
        assert handbooks(SOURCES["airfield"].replace('"flight", "flights"', f'"{one}", "hours in the air"')) == [
            "Handbook of Hours in the Air",
            *companion,
            "Hours in the Air from A to Z",
        ]


def test_a_row_is_told_on_two_sites_that_share_no_column() -> None:
    world = generate(derived("quayside"), 3, language="natural")
    pages = Pages(world)
    register, paper = pages.page("call/0"), pages.page("call-paper/0")
    assert pages.site("call/0") != pages.site("call-paper/0")
    assert {c.col for c in register.cells} & {c.col for c in paper.cells} == {"code"}


@pytest.mark.parametrize(
    "name",
    ["harbour", "isles", *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)],
)
def test_tasks_are_mined_read_back_and_certified_both_ways(name: str) -> None:
    world = generate(derived(name), 3, language="natural")
    mined = mine(world, 3, size="small").tasks
    assert len(mined) == 3
    simulator = Simulator(world, strict=True)
    for task in mined:
        assert query_of_question(task.question, world.schema) == task.query
        assert verify(Certificate.from_json(task.certificate), task, world, simulator) is None
        for agent in ("oracle", "reworded"):
            assert certify(task, world, SimulatorClient(simulator), agent=agent).task_id == task.task_id


def test_a_schema_file_without_a_language_file_makes_natural_worlds(tmp_path: Path) -> None:
    path = tmp_path / "quayside.toml"
    path.write_text(QUAYSIDE, encoding="utf-8")
    schema = load_schema(path)
    world = generate(schema, 3, language=schema.language)
    assert world.language == "natural"
    again = load_world(save_world(world, tmp_path / "w"))
    assert (again.id, again.digest, again.schema.bank) == (world.id, world.digest, schema.bank)
    assert generate(schema, 3, language="plain").language == "plain"


def test_another_derived_sentence_makes_another_world() -> None:
    schema = derived("quayside")
    assert schema.bank
    data: dict[str, Any] = {**schema.bank.data, "tells": schema.bank.data["tells"][:-1]}
    changed = replace(schema, bank=read_bank(data, schema, "q"))
    assert generate(changed, 3, language="natural").id != generate(schema, 3, language="natural").id


# Files that say nothing of some columns


def test_a_file_is_completed_where_it_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "quayside.toml").write_text(QUAYSIDE, encoding="utf-8")
    (tmp_path / "quayside.language.toml").write_text(BANK, encoding="utf-8")
    bank = load_schema(tmp_path / "quayside.toml").bank
    assert bank
    assert bank.source.asks["call.tons"].header == ["load (t)"]  # the file's own
    assert bank.source.asks["call.arrived"].header == ["arrival date", "arrival date on record"]
    assert set(bank.source.derived) == {
        "berth.depth", "berth.built", "berth.calls", "call.master", "call.arrived", "call.damage", "berth.name",
        "call.code",
    }  # fmt: skip
    assert len([t for t in bank.tells if t.of == "call" and ("tons",) in t.stated]) == 3  # none is added


def test_a_whole_file_is_left_as_it_is() -> None:
    for name in shipped():
        schema = load_schema(name)
        assert schema.bank
        assert schema.bank.source.derived == []
        assert completed(schema.bank, schema, name) is schema.bank


# Advice


def test_the_lint_says_which_columns_are_derived_and_which_lack_words(tmp_path: Path) -> None:
    (tmp_path / "quayside.toml").write_text(QUAYSIDE, encoding="utf-8")
    (tmp_path / "quayside.language.toml").write_text(BANK, encoding="utf-8")
    lint = lint_language(load_schema(tmp_path / "quayside.toml"))
    assert lint.columns == 11
    assert "call.arrived" in lint.derived
    assert lint.tells["call.tons"] == 3
    assert lint.asks["call.goods"] == 2
    assert lint.names["call.goods"] == 1
    assert lint.rivals["berth.depth"] == 1
    assert "call.tons" not in lint.asks
    lines = "\n".join(lint.lines())
    assert "fewer than 6 sentences: berth.built (3), call.arrived (1), call.berth (2)" in lines
    assert "berth.depth (1)" in lines


def test_the_lint_names_words_of_two_columns() -> None:
    text = QUAYSIDE.replace("years = [2027", 'crews = ["salt", "steam"]\nyears = [2027')
    text = text.replace("arrived = {", 'crew = { pick = "crews", label = "Goods aboard" }\narrived = {')
    schema = in_language(parse_schema(json_values(tomllib.loads(text))), "natural")
    assert schema.bank
    data = {**schema.bank.data, "columns": {"call.crew": {"aka": ["Goods"]}, "call.goods": {"aka": ["Goods"]}}}
    shared = lint_language(replace(schema, bank=read_bank(data, schema, "q"))).shared
    assert shared == (
        "'salt' is an option of call.goods and of call.crew: give each its own word",
        "'Goods' (name) belongs to goods and crew of call: keep it for one of them",
    )


@pytest.mark.parametrize("name", shipped())
def test_shipped_languages_lack_no_words(name: str) -> None:
    lint = lint_language(load_schema(name))
    assert (lint.derived, lint.tells, lint.asks, lint.names, lint.shared) == ((), {}, {}, {}, ())
