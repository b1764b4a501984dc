"""Natural pages: patterns and banks, what pages state, what questions ask, and that nothing else is told."""

import calendar
import re
import tomllib
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.page_findings import placement_findings, unread_spans
from worldsmith import expr, scoring
from worldsmith.agents import SimulatorClient
from worldsmith.agents.natural_oracle import asking_words
from worldsmith.audit.patterns import rendered_patterns
from worldsmith.audit.text import audit_text, statements
from worldsmith.errors import GuardError, SchemaError
from worldsmith.generation import generate
from worldsmith.mining.batch import default_schemas
from worldsmith.mining.candidates import UNLISTED, answer_columns, without_meanings
from worldsmith.mining.certificates import Certificate, certify, verify
from worldsmith.mining.pipeline import is_described, mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.pages.value_forms import Style, number_words, write_value, written_day
from worldsmith.schema import (
    Aggregate,
    Knobs,
    Schema,
    Split,
    in_language,
    load_schema,
    parse_schema,
    shipped,
    with_bank,
)
from worldsmith.schema.patterns import Either, OneOf, Slot, read_pattern, wordings_of
from worldsmith.schema.syntax import json_values
from worldsmith.simulate.guard.construction import unentitled_spans
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call, Profile
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Query, QueryEvaluator, Scope, Task
from worldsmith.tasks.conditions import WordingSplit
from worldsmith.tasks.descriptions import clue_terms, described_rows, descriptions
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.meanings import meanings, query_meanings, rivals
from worldsmith.tasks.question import question
from worldsmith.tasks.question_reader import Unclear, query_of_question
from worldsmith.world.files import load_world, save_world
from worldsmith.world.model import Cell, Row, World

SCHEMA = """
schema = 1
name = "quayside"
kind = "private_simulation"
as_of = 2031-05-01
about = "the books of a harbour"
[values]
port = { invent = "place", n = 1 }
masters = { invent = "person", n = 9 }
years = [2027, 2028, 2029, 2030]
[tables.berth]
called = ["berth", "berths"]
rows = [8, 8]
key = "name"
[tables.berth.columns]
name = { invent = "place", label = "Berth", see = "snippet" }
depth = { number = [4, 14], decimals = 1, step = 0.5, unit = "m", label = "Depth" }
built = { date = [1950-01-01, 1999-12-31], label = "Built", says = "built" }
calls = { count = "call", label = "Calls" }
[tables.call]
called = ["call", "calls"]
rows = [60, 64]
key = "code"
[tables.call.columns]
code = { invent = "code", label = "Call", see = "snippet" }
berth = { ref = "berth", per = [6, 9], label = "Berth", says = "at" }
master = { pick = "masters", label = "Master", says = "commanded by" }
goods = { choice = ["salt", "timber", "wine"], label = "Goods", says = "with a cargo of" }
arrived = { date = [2030-01-01, 2030-12-31], label = "Arrived", says = "arrived" }
tons = { number = [100, 4000], step = 10, unit = "t", label = "Tons", says = "a load" }
damage = { number = [1, 90], step = 1, unit = "crates", missing = 0.4, none = "none", label = "Crates damaged" }
[tables.survey]
called = ["survey", "surveys"]
background = true
rows = [14, 14]
key = ["berth", "year"]
[tables.survey.columns]
berth = { ref = "berth", says = "of" }
year = { pick = "years", label = "Year", says = "in the year" }
depth = { number = [3, 15], decimals = 1, step = 0.5, unit = "m", label = "Depth then" }
[pages]
berth = { about = "berth", with = { call = "*" } }
call = { about = "call" }
goods = { list = "call", by = "goods", show = ["arrived", "tons"] }
berths = { list = "call", by = "berth", show = ["arrived", "tons"] }
"""
BANK = """
language = 1
[subject]
values = "port"
text = "the harbour of {name}"
[columns."call.tons"]
aka = ["Load", "Tonnage"]
[sites.office]
name = ["{subject} Harbour Office", "Port of {subject}"]
dates = ["iso", "long"]
numbers = ["comma"]
imprint = ["{site}. Corrections to the harbour master."]
[sites.gazette]
name = ["{press}"]
dates = ["long", "us"]
[pages.berths]
site = "office"
form = "card"
about = "berth"
show = ["depth", "calls"]
with = { call = ["arrived"], survey = "*" }
title = ["Berth card: {name}", "{name}"]
[pages.wharf]
site = "gazette"
form = "article"
about = "berth"
show = ["built"]
with = { survey = "*" }
title = ["A morning at {name}"]
opening = ["Most of {subject} is asleep when the first crane starts."]
[pages.log]
site = "office"
genre = "log"
form = "article"
about = "call"
show = ["berth", "master", "tons", "damage"]
title = ["Log of {code}"]
[pages.cargo]
site = "gazette"
form = "entries"
list = "call"
by = "goods"
show = ["arrived", "tons"]
title = ["Shipping: {scope}"]
[[tells]]
of = "berth"
genre = ["gazette"]
text = ["{name} was built in stone by {built}.", "Masons finished {name} on {built}."]
test = ["The last stone of {name} was set on {built}."]
[[tells]]
of = "survey"
text = ["The soundings of {year} gave {depth}.", "In {year} the lead line found {depth}."]
[[tells]]
of = "call"
genre = ["log"]
text = ["{master} brought {code} in to {berth} with {tons} aboard.", "{code}, {master} commanding, lay at {berth}."]
[[tells]]
of = "call"
genre = ["log"]
text = ["She carried {tons}.", "{damage} were found broken."]
[[tells]]
of = "call"
genre = ["log"]
when = "damage is null"
states = ["damage"]
text = ["Nothing was broken."]
[[tells]]
of = "call"
genre = ["gazette"]
text = ["{code} came in on {arrived} with {tons}."]
[asks."call.tons"]
header = ["load (t)"]
over = ["[carry|carries] more than {v}", "[have|has] over {v} aboard", "[are|is] loaded with more than {v}"]
under = ["[carry|carries] less than {v}"]
between = ["[carry|carries] from {a} to {b}"]
[asks."call.goods"]
equal = ["[have|has] a cargo of {v}", "[bring|brings] {v}"]
unequal = ["[have|has] no cargo of {v}"]
[asks."call.berth"]
equal = ["[lie|lies] at {v}"]
whose = ["[lie|lies] at a berth that"]
"""


def values_of(text: str) -> dict[str, Any]:
    """Return TOML text as JSON values."""
    values: dict[str, Any] = json_values(tomllib.loads(text))
    return values


@cache
def schema() -> Schema:
    return with_bank(parse_schema(values_of(SCHEMA)), values_of(BANK), "quayside.language.toml")


@cache
def world(seed: int = 3) -> World:
    return generate(schema(), seed, language="natural")


@cache
def pages() -> Pages:
    return Pages(world())


@cache
def tasks() -> tuple[Task, ...]:
    return mine(world(), 6, size="small").tasks


def live() -> list[str]:
    return [page_id for page_id in pages().ids() if not pages().page(page_id).dormant]


def with_text(change: str, to: str) -> None:
    with_bank(parse_schema(values_of(SCHEMA)), values_of(BANK.replace(change, to)), "q.toml")


# Patterns and banks


def test_a_pattern_is_read_into_texts_slots_and_choices() -> None:
    pattern = read_pattern("{name} [is|was] {street.parish:year} with {faults} [fault|faults@faults]")
    assert pattern.parts == (
        Slot(("name",)), " ", Either("is", "was"), " ", Slot(("street", "parish"), "year"), " with ",
        Slot(("faults",)), " ", Either("fault", "faults", ("faults",)),
    )  # fmt: skip
    assert pattern.exact == (("name",), ("faults",))
    assert pattern.paths == (("name",), ("street", "parish"), ("faults",))


def test_a_site_keeps_to_one_of_several_wordings() -> None:
    change = '"Masons finished {name} on {built}."'
    data = values_of(BANK.replace(change, '"<Masons|Dyers|Coopers> <finished|left|gave up> {name} on {built}."'))
    varied = with_bank(parse_schema(values_of(SCHEMA)), data, "q.toml")
    tells = [tell for tell in varied.bank.tells if tell.pattern.varies] if varied.bank else []
    assert [part.texts for part in tells[0].pattern.parts if isinstance(part, OneOf)] == [
        ("Masons", "Dyers", "Coopers"), ("finished", "left", "gave up"),
    ]  # fmt: skip
    wordings = set()
    for seed in range(12):
        some = Pages(generate(varied, seed, language="natural"))
        texts = [markdown(render(some.page(page_id), some.world, some)) for page_id in some.ids()]
        here = set(re.findall(r"(Masons|Dyers|Coopers) (finished|left|gave up)", "".join(texts)))
        assert len(here) <= 1
        wordings |= here
    assert len(wordings) > 4
    shown = [one.text for one in rendered_patterns(varied) if "Masons" in one.pattern]
    assert shown[0].startswith("<Masons|Dyers|Coopers> <finished|left|gave up> ")


@pytest.mark.parametrize("text", ["{name", "a [b", "{name:loud}", "a|b", "<a", "<a>", "<a|{b}>"])
def test_a_pattern_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"bracket|form"):
        read_pattern(text)


@pytest.mark.parametrize(
    ("change", "to", "says"),
    [
        ('of = "berth"', 'of = "birth"', "no table 'birth'. Did you mean 'berth'?"),
        ("{name} was built in stone by {built}", "{name} was built by {bilt}", "no column 'bilt' in 'berth'"),
        ('site = "office"\nform = "card"', 'site = "ofice"\nform = "card"', "no site 'ofice'"),
        ('genre = ["log"]', 'genre = ["lgo"]', "no page is of genre 'lgo'"),
        ('when = "damage is null"', 'when = "damage is nul"', "nul"),
        ('values = "port"', 'values = "ports"', "no list 'ports'"),
        ("language = 1", "language = 2", "language: should be 1 (got 2)"),
        ("language = 1\n", "", "language: language is missing: give it, as in language = 1"),
        ('show = ["built"]', 'show = ["built.year"]', "'built' of 'berth' is no reference"),
        ('about = "berth"\nshow = ["depth"', 'show = ["depth"', "give either about"),
        ('form = "article"\nabout = "call"', 'form = "essay"\nabout = "call"', "pages.log.form"),
        ('[asks."call.tons"]', '[asks."call.tuns"]', "no column 'tuns' in 'call'"),
        ('genre = ["log"]', 'gnre = ["log"]', "unknown key 'gnre'. Did you mean 'genre'?"),
        (
            'site = "office"\nform = "card"',
            'site = "office"\nfrom = "card"',
            "unknown key 'from'. Did you mean 'form'?",
        ),
    ],
)
def test_a_bank_that_names_what_is_not_there_is_refused(change: str, to: str, says: str) -> None:
    assert change in BANK
    with pytest.raises(SchemaError, match=re.escape(says)):
        with_text(change, to)


def test_splits_share_no_sentence_where_each_has_its_own() -> None:
    data = values_of(BANK)
    train, test = (wordings_of(data, split) for split in ("train", "test"))
    assert train["tells"][0]["text"] == ["{name} was built in stone by {built}.", "Masons finished {name} on {built}."]
    assert test["tells"][0]["text"] == ["The last stone of {name} was set on {built}."]
    assert train["asks"]["call.tons"]["over"] == ["[carry|carries] more than {v}", "[have|has] over {v} aboard"]
    assert test["asks"]["call.tons"]["over"] == ["[are|is] loaded with more than {v}"]
    assert test["asks"]["call.tons"]["under"] == train["asks"]["call.tons"]["under"]  # there is no other
    assert (train["pages"]["berths"]["title"], test["pages"]["berths"]["title"]) == (["Berth card: {name}"], ["{name}"])
    assert wordings_of(data, "all") == data


LOOK = """
[sites.office.test]
name = ["Quay Records of {subject}"]
dates = ["short"]
numbers = ["apostrophe"]
labels = ["table"]
order = ["alphabet"]
[sites.gazette.test]
name = ["{press} at Sea"]
dates = ["ordinal"]
numbers = ["space"]
form = { article = "entries" }
[pages.berths]
"""
"""Sites as tests alone have them."""


@cache
def looked() -> Schema:
    """Return the schema with two sites held out."""
    return with_bank(parse_schema(values_of(SCHEMA)), values_of(BANK.replace("[pages.berths]\n", LOOK, 1)), "q.toml")


def looks(split: Split, seed: int = 3) -> dict[str, tuple[str, Style, str]]:
    """Return for each kind of page the name of its site, how it writes, and its form."""
    shown = Pages(generate(looked(), seed, language="natural", split=split))
    voice = shown.voice
    assert voice
    return {
        name: (voice.sites[page.source.site].name, voice.style(voice.sites[page.source.site].host), page.source.form)
        for name, page in voice.pages.items()
    }


def test_sites_held_out_stand_in_tests_alone() -> None:
    for seed in range(6):
        train, test = looks("train", seed), looks("test", seed)
        office, gazette = test["berths"], test["wharf"]
        assert office[0].startswith("Quay Records of ")
        assert (office[1].dates, office[1].numbers, office[1].labels, office[1].order, office[2]) == (
            "short", "apostrophe", "table", "alphabet", "card",
        )  # fmt: skip
        assert (gazette[0].endswith(" at Sea"), gazette[1].dates, gazette[2]) == (True, "ordinal", "entries")
        assert train["wharf"][2] == "article"
        for name in train:
            assert train[name][0] != test[name][0]
            assert train[name][1].dates not in {"short", "ordinal"}
            assert train[name][1].numbers not in {"apostrophe", "space"}
    dates = {looks("all", seed)["berths"][1].dates for seed in range(12)}
    assert dates == {"iso", "long", "short"}


@pytest.mark.parametrize(
    ("change", "to", "says"),
    [
        ('dates = ["short"]', 'dates = ["iso"]', "sites.office.test.dates: 'iso' is shown in training too"),
        ("Quay Records of {subject}", "Port of {subject}", "sites.office.test.name: 'Port of {subject}' is shown in"),
        (
            'form = { article = "entries" }',
            'form = { entries = "article" }',
            "a list can't be a page of form 'article'",
        ),
        ('labels = ["table"]', 'form = { card = "article" }', "which states no null: take card or table"),
    ],
)
def test_a_site_held_out_shares_nothing_with_training(change: str, to: str, says: str) -> None:
    assert change in LOOK
    text = BANK.replace("[pages.berths]\n", LOOK.replace(change, to), 1)
    with pytest.raises(SchemaError, match=re.escape(says)):
        with_bank(parse_schema(values_of(SCHEMA)), values_of(text), "q.toml")


@pytest.mark.parametrize(
    ("labels", "start"),
    [
        ("list", "- **Berth**: Wyswargh\n- **Depth**: 11.5 m\n- **Calls**: 7"),
        ("table", "| Particulars | Entry |\n| --- | --- |\n| Berth | Wyswargh |\n| Depth | 11.5 m |\n| Calls | 7 |"),
        ("text", "Berth: Wyswargh. Depth: 11.5 m. Calls: 7."),
    ],
)
def test_cards_print_their_labels_as_the_site_does(labels: str, start: str) -> None:
    text = BANK.replace("[sites.office]", f'[sites.office]\nlabels = ["{labels}"]')
    made = generate(with_bank(parse_schema(values_of(SCHEMA)), values_of(text), "q.toml"), 3, language="natural")
    shown = Pages(made)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown(render(shown.page("berths/0"), made, shown)))
    assert start in page
    assert unread_spans(shown, ["berths/0"]) == []


def test_held_out_schemas_are_no_default_of_worlds_to_train(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = with_bank(parse_schema(values_of(SCHEMA)), {**values_of(BANK), "held_out": True}, "q.toml")
    known = {"quayside": kept, "harbour": schema()}
    monkeypatch.setattr("worldsmith.mining.batch.load_schema", known.__getitem__)
    assert (kept.held_out, schema().held_out) == (True, False)
    assert default_schemas(tuple(known), "train") == ("harbour",)
    assert default_schemas(tuple(known), "test") == default_schemas(tuple(known), "all") == ("quayside", "harbour")


# Worlds


def test_both_languages_have_the_same_rows_and_other_ids() -> None:
    natural, simple = world(), generate(schema(), 3)
    assert {name: rows for name, rows in natural.tables.items() if name != "survey"} == simple.tables
    assert (simple.background, simple.schema.background) == (0, frozenset())
    assert (natural.language, simple.language) == ("natural", "plain")
    assert len({natural.id, simple.id, generate(schema(), 3, language="natural", split="train").id}) == 3
    assert natural.digest != simple.digest


def test_background_is_counted_apart_and_asked_for_by_no_table() -> None:
    assert world().background == 14
    assert world().facts == world().size("berth") + world().size("call")
    for task in tasks():
        for query in task.query.chain():
            assert query.table != "survey"
            assert query.described or all(tally.table != "survey" for tally in query.tallies)


def test_a_natural_world_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    again = load_world(save_world(world(), tmp_path))
    assert (again.id, again.digest, again.language) == (world().id, world().digest, "natural")
    page = live()[0]
    assert markdown(render(Pages(again).page(page), again, Pages(again))) == markdown(
        render(pages().page(page), world(), pages())
    )


# Pages


def test_every_page_states_all_of_its_cells_and_no_other() -> None:
    for page_id in pages().ids():
        page = pages().page(page_id)
        if not page.dormant:
            assert unentitled_spans(chunks(render(page, world(), pages())), page) == ()
    assert placement_findings(world()) == []


def test_a_span_that_states_another_cell_is_rejected() -> None:
    first, other = live()[0], live()[9]
    verdicts = unentitled_spans(chunks(render(pages().page(first), world(), pages())), pages().page(other))
    assert {v.where for v in verdicts} == {"span", "cell"}
    assert not any(v.ok for v in verdicts)


def test_a_hit_that_states_another_page_cell_never_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator, address = Simulator(world(), strict=True), Address(world().id)
    query = world().title(Row("berth", 0))
    assert simulator.call(address, Call("web_search", query)).results
    foreign = world().cell(Row("berth", 0), "name")._replace(value="Elsewhere")
    monkeypatch.setattr("worldsmith.simulate.simulator.hit_spans", lambda *_: (("Elsewhere", (foreign,)),))
    with pytest.raises(GuardError, match="none of its page's"):
        Simulator(world(), strict=True).call(address, Call("web_search", query))


def test_a_namesake_that_no_pattern_writes_is_found_beside_natural_hits() -> None:
    namesakes = generate(schema(), 3, knobs=Knobs(homonyms=0.3), language="natural")
    simulator = Simulator(namesakes, strict=True, profiles={"kin": Profile("kin", edits={"homonym": 1.0})})
    address = Address(namesakes.id, "kin")
    assert len(namesakes.namesakes) == 2
    for n, name in enumerate(namesakes.namesakes):
        reply = simulator.call(address, Call("web_search", name))
        assert simulator.pages_of(address).url(f"world-homonym/{n}") in [hit.url for hit in reply.results]
        assert reply.verdicts == ()


def test_a_natural_world_without_a_model_makes_no_guard_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise AssertionError("nothing is read")

    monkeypatch.setattr("worldsmith.simulate.simulator.Guard", none)
    simulator, address = Simulator(world(), strict=True), Address(world().id)
    reply = simulator.call(address, Call("web_search", world().title(Row("berth", 0))))
    assert {simulator.call(address, Call("web_extractor", hit.url)).source for hit in reply.results} == {"renderer"}


def test_a_document_is_kept_with_its_plan_alone() -> None:
    page = pages().page(live()[0])
    doc = render(page, world(), pages())
    assert render(page, world(), pages()) is doc
    other = replace(page, blocks=page.blocks[:-1])
    assert render(other, world(), pages()).pieces == doc.pieces[: len(render(other, world(), pages()).pieces)]
    assert render(other, world(), pages()) != doc


def test_worlds_of_one_structure_share_their_sentences() -> None:
    first, second = Pages(world()).voice, Pages(world(4)).voice
    assert first is not None
    assert second is not None
    assert len(first.sentences("berth", "gazette")) > 1
    for one, other in zip(first.sentences("berth", "gazette"), second.sentences("berth", "gazette"), strict=True):
        assert one is other


def test_the_scorer_reads_every_span_as_its_cell() -> None:
    assert unread_spans(pages(), live()) == []


def written_forms(cell: Cell) -> list[str]:
    """Return how a value might be written anywhere, told apart from how the renderer does it."""
    value = cell.value
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        year, month, day = value.split("-")
        name = calendar.month_name[int(month)]
        return [value, f"{int(day)} {name} {year}", f"{name} {int(day)}, {year}", f"{day}.{month}.{year}"]
    return [str(value)] if isinstance(value, str) else []


def test_no_reply_tells_a_value_that_its_page_is_not_entitled_to() -> None:
    unique = Counter(str(v) for t in world().tables.values() for values in t.values() for v in values)
    for page_id in live():
        page = pages().page(page_id)
        text = markdown(render(page, world(), pages()))
        entitled = {str(cell.value) for cell in page.cells}
        for table in ("call", "berth"):
            for row in world().rows_of(table):
                for name in world().schema.tables[table].names:
                    cell = world().cell(row, name)
                    if unique[str(cell.value)] == 1 and str(cell.value) not in entitled:
                        shown = re.sub(r"(?m)\]\([^)]*\)|^Updated .*$", "", text)
                        assert not any(re.search(rf"\b{re.escape(f)}\b", shown) for f in written_forms(cell)), cell


def test_a_hit_discloses_what_its_title_and_passage_say() -> None:
    simulator = Simulator(world(), strict=True)
    for query in ("berths", "salt", world().title(Row("call", 0)), "soundings of 2029"):
        reply = simulator.call(Address(world().id), Call("web_search", query))
        said = " ".join(f"{hit.title} {hit.snippet}" for hit in reply.results)
        assert reply.disclosed
        for row, column in reply.disclosed:
            cell = world().cell(row, column)
            shown = written_forms(cell) or [f"{cell.value:g}" if isinstance(cell.value, float) else str(cell.value)]
            assert any(form in said or form in said.replace(",", "") for form in shown), (query, cell)


def test_a_search_in_a_persons_words_finds_the_page_that_tells() -> None:
    simulator = Simulator(world())
    row = Row("berth", 2)
    reply = simulator.call(Address(world().id), Call("web_search", f"when was {world().title(row)} built of stone"))
    assert f"wharf/{row.index}" in [pages().by_url(hit.url) for hit in reply.results[:3]]


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_no_profile_makes_a_page_say_what_it_may_not(profile: str) -> None:
    simulator = Simulator(world(), strict=True)
    for i in range(12):
        reply = simulator.call(Address(world().id, profile, 5), Call("web_search", world().title(Row("call", i))))
        for hit in reply.results[:4]:
            simulator.call(Address(world().id, profile, 5), Call("web_extractor", hit.url))
    assert simulator.counts["renderer_rejected"] == 0


def test_pages_of_a_list_are_told_apart_and_lead_to_one_another() -> None:
    kind = pages().kinds["cargo"]
    assert [pages().page(f"cargo/{n}").part for n in kind.numbers][:1] == [1]
    rows = [row for n in kind.numbers for row in pages().page(f"cargo/{n}").rows]
    assert sorted(rows) == sorted(world().rows_of("call"))


def test_rows_of_a_page_stand_in_no_order_of_what_it_does_not_tell() -> None:
    data = values_of(BANK.replace('call = ["arrived"]', 'call = ["goods"]'))
    other = generate(with_bank(parse_schema(values_of(SCHEMA)), data, "q.toml"), 3, language="natural")

    def arrivals(page_id: str, world: World) -> list[str]:
        rows = dict.fromkeys(c.row for c in Pages(world).page(page_id).cells if c.row.table == "call")
        return [str(world.value(row, "arrived")) for row in rows]

    every = [f"berths/{n}" for n in range(8)]
    assert all(arrivals(page_id, world()) == sorted(arrivals(page_id, world())) for page_id in every)
    assert not any(arrivals(page_id, other) == sorted(arrivals(page_id, other)) for page_id in every)


def test_an_address_is_not_made_from_a_name() -> None:
    for page_id in live():
        if page_id.startswith("log/"):
            name = str(world().key(Row("call", int(page_id.partition("/")[2])))[0]).lower()
            assert re.fullmatch(rf"https://[a-z.-]+/log/{name}-[a-z]{{4}}", pages().url(page_id))


def test_an_article_agrees_with_the_value_after_it() -> None:
    change = '"{code} came in on {arrived} with {tons}."'
    goods = SCHEMA.replace('["salt", "timber", "wine"]', '["oil", "timber", "salt"]')
    bank = BANK.replace(
        change, '"A {goods} ship, {code} came in on {arrived}.", "Call {code}, an {goods} ship of {tons}."'
    )
    bank = bank.replace('show = ["arrived", "tons"]\ntitle', 'show = ["arrived", "tons", "goods"]\ntitle')
    made = Pages(generate(with_bank(parse_schema(values_of(goods)), values_of(bank), "q.toml"), 3, language="natural"))
    text = "".join(markdown(render(made.page(page_id), made.world, made)) for page_id in made.ids())
    assert set(re.findall(r"\b([Aa]n? (?:oil|timber|salt)) ship", text)) <= {
        "An oil", "an oil", "A timber", "a timber", "A salt", "a salt",
    }  # fmt: skip
    assert len(re.findall(r"\b[Aa]n oil ship", text)) > 3
    assert len(re.findall(r"\b[Aa] timber ship", text)) > 3


def test_an_article_before_the_name_is_not_said_twice() -> None:
    data = values_of(BANK)
    data["tells"][0]["text"] = [
        "The {name} was built by {built}.",
        "The {name} has {depth}.",
        "The {name} saw {calls}.",
    ]
    data["tells"][0]["test"] = []
    data["pages"]["wharf"]["show"] = ["built", "depth", "calls"]
    data["pages"]["wharf"]["with"] = {}
    made = Pages(generate(with_bank(parse_schema(values_of(SCHEMA)), data, "q.toml"), 3, language="natural"))
    texts = [markdown(render(made.page(f"wharf/{i}"), made.world, made)) for i in made.kinds["wharf"].numbers]
    assert len(texts) == 8
    assert not any("the the " in text.lower() for text in texts)


def test_a_null_is_told_by_the_sentence_made_for_it() -> None:
    calls = world().tables["call"]["damage"]
    row = calls.index(None)
    doc = render(pages().page(f"log/{row}"), world(), pages())
    stated = {cells: text for text, cells in chunks(doc) if cells}
    assert [text for cells, text in stated.items() if Cell(Row("call", row), "damage", None) in cells] == [
        "Nothing was broken."
    ]


def test_hits_that_lead_to_a_namesake_are_served() -> None:
    made = generate(load_schema("town"), 3, language="natural")
    shown, simulator = Pages(made), Simulator(made, strict=True)
    namesake = next(page_id for page_id in shown.ids() if page_id.startswith("world-homonym/"))
    query = Call("web_search", str(shown.plan(namesake).head.cells[0].value))
    replies = [simulator.call(Address(made.id, "adversarial", seed, "a"), query) for seed in range(4)]
    urls = {hit.url for reply in replies for hit in reply.results or ()}
    assert shown.url(namesake) in urls


# Values


@pytest.mark.parametrize(
    ("dates", "text"),
    [
        ("iso", "2029-03-01"),
        ("long", "1 March 2029"),
        ("us", "March 1, 2029"),
        ("short", "1 Mar 2029"),
        ("ordinal", "March 1st, 2029"),
    ],
)
def test_days_are_written_as_a_site_does(dates: str, text: str) -> None:
    assert written_day("2029-03-01", dates) == text  # type: ignore[arg-type]


def test_days_of_the_month_are_ordinals() -> None:
    days = ["01", "02", "03", "04", "11", "12", "13", "21", "22", "23", "30"]
    assert [written_day(f"2029-01-{day}", "ordinal").split(",")[0].removeprefix("January ") for day in days] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "30th",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "form", "numbers", "text"),
    [
        (38250, "", "comma", "38,250 t"),
        (38250, "", "space", "38 250 t"),
        (38250, "", "apostrophe", "38'250 t"),
        (3825, "", "comma", "3825 t"),
        (38250, "n", "plain", "38250"),
        (12, "words", "plain", "twelve t"),
        (412, "about", "plain", "400 t"),
    ],
)
def test_numbers_are_written_as_a_site_does(value: int, form: str, numbers: str, text: str) -> None:
    column = schema().column("call", "tons")
    cell = Cell(Row("call", 0), "tons", value)
    assert write_value(cell, column, str(value), form, Style(numbers=numbers), []) == text  # type: ignore[arg-type]


def test_number_words() -> None:
    assert [number_words(n) for n in (0, 7, 13, 20, 42, 99, 100)] == [
        "zero", "seven", "thirteen", "twenty", "forty-two", "ninety-nine", "100",
    ]  # fmt: skip


# Questions and proofs


def test_a_question_names_its_subject_and_is_read_back() -> None:
    port = str(world().values["port"][0])
    assert len(tasks()) >= 5
    for task in tasks():
        assert f"the harbour of {port}" in task.question
        assert query_of_question(task.question, world().schema) == task.query


DEPTH = "the depth at low water today, not that of an earlier sounding of 2029"


@cache
def exact_world() -> World:
    """Return a world whose bank says what two columns mean, one of which has a rival."""
    said = f'[columns."berth.depth"]\nmeans = "{DEPTH}"\n[columns."call.tons"]\nmeans = "the cargo as weighed"\n'
    bank = values_of(BANK.replace('[columns."call.tons"]\n', said))
    return generate(with_bank(parse_schema(values_of(SCHEMA)), bank, "q.toml"), 3, language="natural")


def asked(query: Query, turn: int, split: WordingSplit = "all") -> str:
    evaluator = QueryEvaluator(exact_world())
    return question(evaluator, query, answer_columns(evaluator, query), turn, split)


def calls_of_salt(where: str, *columns: str) -> Query:
    given = exact_world().schema
    node = expr.parse(where, "call", given.types, as_of=given.as_of, want="bool") if where else None
    paths = (("code",), *(tuple(column.split(".")) for column in columns))
    return Query("call", Scope("goods", ("salt",)), node, paths, (("code",),))


def test_a_column_is_rivalled_by_background_of_its_kind_about_its_row() -> None:
    def names(table: str, column: str) -> list[str]:
        return [f"{c.table}.{c.name}" for c in rivals(schema(), schema().column(table, column))]

    assert names("berth", "depth") == ["survey.depth"]
    assert names("berth", "calls") == ["survey.year"]
    assert names("berth", "built") == []  # no day is told in the background
    assert names("call", "tons") == []  # nothing is told of calls
    assert {c.name: text for c, text in meanings(exact_world().schema).items()} == {"depth": DEPTH}
    assert meanings(parse_schema(values_of(SCHEMA))) == {}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (calls_of_salt("", "arrived", "berth.depth"), "Berth: Depth (m)"),
        (calls_of_salt("berth.depth > 7.5", "arrived"), "depth"),
        (calls_of_salt("", "arrived", "tons"), ""),
    ],
)
def test_a_question_says_what_a_rivalled_column_means_whether_it_asks_for_it_or_by_it(query: Query, name: str) -> None:
    lines: dict[str, set[str]] = {"train": set(), "test": set()}
    for split in get_args(WordingSplit)[1:]:
        for turn in range(1, 40):
            text = asked(query, turn, split)
            assert query_of_question(text, exact_world().schema) == query
            assert text.count(DEPTH) == bool(name)
            lines[split] |= {line for line in text.split("\n") if DEPTH in line}
    assert all(f"“{name}”" in line for line in lines["train"] | lines["test"])
    assert (len(lines["train"]), len(lines["test"])) == ((6, 2) if name else (0, 0))
    assert not lines["train"] & lines["test"]


def test_a_question_that_means_something_else_by_a_column_is_not_read() -> None:
    means, other = (asked(calls_of_salt("", *columns), 0) for columns in (("berth.depth",), ("arrived",)))
    line = next(line for line in means.split("\n") if DEPTH in line)
    for text in (means.replace(f"{line}\n", ""), other.replace("\n\nI mean as", f"\n\n{line}\nI mean as")):
        assert text not in (means, other)
        with pytest.raises(Unclear):
            query_of_question(text, exact_world().schema)


def test_what_is_counted_is_explained_by_the_column_it_goes_by() -> None:
    company = load_schema("company")
    where = expr.parse("placed > '2026-12-31'", "order", company.types, as_of=company.as_of, want="bool")
    orders = Aggregate("count", "order", None, ("project",), where)
    query = Query("project", Scope("state", ("closed",)), None, (("name",), ("#0",)), (("name",),), tallies=(orders,))
    told = query_meanings(company, query, {("#0",): "Purchase orders counted"})
    assert "Purchase orders counted" not in told
    assert any("the day the order was placed" in text for text in told.values())


def test_what_a_column_means_gives_no_value_away() -> None:
    text = asked(calls_of_salt("", "berth.depth"), 1)
    assert "2029" in text
    assert "2029" not in without_meanings(text, exact_world().schema)


@pytest.mark.parametrize("name", ["company", "courts", "films", "league", "power", "smartphones", "town"])
def test_what_shipped_columns_mean_is_said_in_noun_phrases(name: str) -> None:
    shipped = in_language(load_schema(name), "natural")
    assert shipped.bank
    written = {place for place, words in shipped.bank.source.columns.items() if words.means}
    assert written == {f"{column.table}.{column.name}" for column in meanings(shipped)}
    for place, text in ((place, shipped.bank.source.columns[place].means) for place in written):
        assert re.match(r"(the|units|who) ", text), place
        assert not text.endswith("."), place
        assert not re.search("[“”{}]", text), place


DESCRIBES = """
[[describes]]
of = "berth"
text = ["the berth that was built in {built:year} and sounded in {survey.year}"]
test = ["the berth sounded in {survey.year} whose stones were laid in {built:year}"]
[[describes]]
of = "call"
text = ["the {goods:noun} that {master} brought in on {arrived}"]
[columns."call.goods"]
nouns = { salt = "salt boat", timber = "timber ship" }
"""


@cache
def described_world() -> World:
    bank = values_of(BANK + DESCRIBES)
    return generate(with_bank(parse_schema(values_of(SCHEMA)), bank, "q.toml"), 5, language="natural")


@cache
def described_tasks() -> tuple[Task, ...]:
    return mine(described_world(), 1, size="small", kinds=("deep",)).tasks


def test_a_description_fits_one_row_and_is_read_back() -> None:
    given, evaluator = described_world(), QueryEvaluator(described_world())
    built, ships = [one for one in descriptions(given.schema) if not one.describe.test]
    years: dict[tuple[str, int], set[int]] = {}
    for berth, year in zip(given.tables["survey"]["berth"], given.tables["survey"]["year"], strict=True):
        row = given.tables["berth"]["name"].index(berth)
        years.setdefault((str(given.tables["berth"]["built"][row])[:4], year), set()).add(row)
    alone = {(int(first), year): rows for (first, year), rows in years.items() if len(rows) == 1}
    fitting = list(described_rows(evaluator, built))
    assert {one.values: {one.row} for one in fitting} == alone
    for one in fitting:
        query = built.query(one.values)
        assert evaluator.matching_rows(query) == (one.row,)
        assert built.text(query) == "the berth that was built in {} and sounded in {}".format(*one.values)
        assert built.read(built.text(query) or "") == query
    goods = {given.tables["call"]["goods"][one.row] for one in described_rows(evaluator, ships)}
    assert goods == {"salt", "timber"}  # nothing is called a wine ship
    assert built.read("the berth that was built in 1950 and sounded in spring") is None


def test_a_task_that_describes_its_start_does_not_name_it_and_is_read_back() -> None:
    task = described_tasks()[0]
    start = next(task.query.chain())
    assert is_described(task.query)
    assert (start.scope.values, start.scope.of) == ((), None)
    assert query_of_question(task.question, described_world().schema) == task.query
    (row,) = QueryEvaluator(described_world()).matching_rows(start)
    assert described_world().title(Row(start.table, row)) not in task.question


def test_a_description_is_evidence_of_its_row_alone_and_found_by_search() -> None:
    given, evaluator = described_world(), QueryEvaluator(described_world())
    built = descriptions(given.schema)[0]
    one = next(described_rows(evaluator, built))
    query = replace(built.query(one.values), columns=(("depth",),))
    task = replace(described_tasks()[0], query=query)
    surveys = [
        i
        for i, (berth, year) in enumerate(
            zip(given.tables["survey"]["berth"], given.tables["survey"]["year"], strict=True)
        )
        if (berth, year) == (given.tables["berth"]["name"][one.row], one.values[1])
    ]
    row, survey = Row("berth", one.row), Row("survey", surveys[0])
    assert required_disclosures(task, evaluator) == {
        (row, "name"), (row, "built"), (row, "depth"), (survey, "berth"), (survey, "year"),
    }  # fmt: skip
    simulator = Simulator(given, strict=True)
    for task in filter(lambda task: is_described(task.query), described_tasks()):
        assert verify(Certificate.from_json(task.certificate), task, given, simulator) is None
        terms = " ".join(clue_terms(given.schema, next(task.query.chain())))
        first = next(call["arg"] for call in task.certificate["calls"] if call["tool"] == "web_search")
        assert not terms or set(first.split()) & set(terms.split())


def test_held_out_descriptions_are_of_test_questions_alone() -> None:
    evaluator = QueryEvaluator(described_world())
    built = descriptions(described_world().schema)[0]
    query = replace(built.query(next(described_rows(evaluator, built)).values), columns=(("depth",),))
    starts = {"train": "the berth that was built in ", "test": "the berth sounded in "}
    for split in get_args(WordingSplit)[1:]:
        texts = [question(evaluator, query, answer_columns(evaluator, query), turn, split) for turn in range(1, 20)]
        assert all(starts[split] in text for text in texts)
        described = wordings_of(values_of(BANK + DESCRIBES), split)["describes"]
        assert [one["text"][0].startswith(starts[split]) for one in described] == [True, False]


def test_questions_in_held_out_wordings_use_all_descriptions_of_a_bank_that_is_held_out() -> None:
    whole, held_out = (in_language(load_schema("town"), "natural", split) for split in ("all", "test"))
    assert {one.describe.test for one in descriptions(whole)} == {True, False}
    assert {one.describe.test for one in descriptions(whole, "test")} == {True}
    assert len(descriptions(held_out, "test")) == len(descriptions(held_out)) > 0


@pytest.mark.parametrize(
    ("change", "to", "says"),
    [
        ("{survey.year} whose", "{survey.yeer} whose", "no column 'yeer' in 'survey'"),
        ("built in {built:year}", "built in {depth:year}", "'depth' has no year"),
        ("{goods:noun} that {master}", "{goods:noun} that {master:noun}", r'[columns."call.master"] its nouns'),
        ("the {goods:noun} that {master}", "the {goods:words} that {master}", "no form 'words'"),
        ("built in {built:year} and sounded in {survey.year}", "built", "give it a slot"),
        ('sounded in {survey.year}"', 'sounded at {survey.berth}"', "survey.berth names the row"),
        ("that was built", "that [is|was] built", "it has no choices"),
    ],
)
def test_a_description_that_could_not_be_read_back_is_refused(change: str, to: str, says: str) -> None:
    assert change in DESCRIBES
    with pytest.raises(SchemaError, match=re.escape(says)):
        with_bank(parse_schema(values_of(SCHEMA)), values_of(BANK + DESCRIBES.replace(change, to)), "q.toml")


@pytest.mark.parametrize("name", ["company", "courts", "films", "league", "power", "smartphones", "town"])
def test_shipped_descriptions_read_back_and_half_of_the_deep_tasks_use_them(name: str) -> None:
    made = generate(load_schema(name), 2, language="natural")
    evaluator = QueryEvaluator(made)
    fitting = {one: list(described_rows(evaluator, one)) for one in descriptions(made.schema)}
    assert sum(bool(rows) for one, rows in fitting.items() if not one.describe.test) >= 4
    for one, rows in fitting.items():
        for row, values in rows[:5]:
            query = one.query(values)
            assert evaluator.matching_rows(query) == (row,)
            assert one.read(one.text(query) or "") == query
    tasks = mine(made, 3, kinds=("deep",)).tasks
    assert [is_described(task.query) for task in tasks] == [True, False, True]


@pytest.mark.parametrize("name", ["company", "films", "league", "smartphones", "town"])
def test_a_share_of_wide_tasks_has_a_scope_without_a_list_page(name: str) -> None:
    made = generate(load_schema(name), 2, language="natural")
    kinds = [one.source for one in made.schema.bank.pages] if made.schema.bank else []
    listed = {(source.list_, source.by) for source in kinds if source.list_}
    tasks = mine(made, 3, kinds=("wide",)).tasks
    unlisted = [(task.query.table, task.query.scope.column) not in listed for task in tasks]
    assert len(tasks) == 3
    assert sum(unlisted) >= UNLISTED * len(tasks)
    assert unlisted[0]


@pytest.mark.parametrize(("name", "least"), [("town", 0.5), ("league", 0.5), ("town", 1.0)])
def test_a_share_of_deep_comparisons_lies_on_separate_pages(name: str, least: float) -> None:
    made = generate(load_schema(name), 7, language="natural")
    pages, evaluator = Pages(made), QueryEvaluator(made)
    stated = [frozenset((c.row, c.col) for c in page.cells) for i in pages.ids() if not (page := pages.page(i)).dormant]
    apart = []
    for task in mine(made, 8, kinds=("deep",), apart=least).tasks:
        most = []
        for one in task.query.chain():
            rows = evaluator.in_scope(one)
            for path in () if one.described or len(rows) == 1 else {*one.read, *one.ranked}:
                cells = {cell[:2] for i in rows if (cell := evaluator.cell(one.table, i, path))}
                most.append(max(len(cells & page) for page in stated))
        apart += [max(most) == 1] if most else []
    assert len(apart) >= 4
    assert sum(apart) >= int(least * len(apart))


def test_conditions_are_put_as_the_bank_asks_for_them() -> None:
    texts = " ".join(task.question for task in mine(world(), 12, size="small", kinds=("wide",)).tasks)
    assert re.search(r"carry (?:more|less) than \d+ t|have over \d+ t aboard|are loaded with more than", texts)
    assert re.search(r"lie at |bring (?:salt|timber|wine)|have a cargo of", texts)


def test_certificates_of_natural_tasks_hold_and_score_one() -> None:
    simulator = Simulator(world(), strict=True)
    for task in tasks():
        assert verify(Certificate.from_json(task.certificate), task, world(), simulator) is None
        for agent in ("oracle", "reworded"):
            assert certify(task, world(), SimulatorClient(simulator), agent=agent).task_id == task.task_id


def test_queries_of_a_certificate_hold_no_name_that_was_not_read() -> None:
    simulator = Simulator(world())
    words = asking_words(schema().bank or pytest.fail("no bank"), world().schema)
    assert not any(any(c.isdigit() for c in word) for word in words)
    named = {w.casefold() for v in world().tables["berth"]["name"] for w in str(v).split()}
    assert not named & words
    for task in tasks():
        known = task.question.casefold()
        client = SimulatorClient(simulator)
        for call in task.certificate["calls"]:
            if call["tool"] == "web_search":
                strange = [
                    w for w in re.findall(r"\w+", str(call["arg"]).casefold()) if w not in words and w not in known
                ]
                assert strange == [], call
                reply = client.search(call["arg"], call["k"], call["page"])
                known += " ".join(f"{h['title']} {h['snippet']} {h['url']}" for h in reply["results"]).casefold()
            else:
                known += client.extract(call["arg"]).casefold()


# Audits


def test_every_sentence_is_rendered_for_people_to_read() -> None:
    rendered = list(rendered_patterns(schema()))
    assert len(rendered) == 11
    assert [one.test for one in rendered].count(True) == 1
    assert all(one.text and "{" not in one.text and "[" not in one.text for one in rendered)


def test_the_audit_of_text_tells_natural_pages_from_plain_ones() -> None:
    natural, simple = (audit_text(generate(schema(), 3, language=lang), None, 60) for lang in ("natural", "plain"))  # type: ignore[arg-type]
    assert natural.fact_free_share < 0.35
    assert simple.fact_free_share > 0.8
    assert natural.strip_kept_share > 0.5
    assert simple.strip_kept_share < 0.2
    assert 0 <= min(natural.attacker_recall.values()) <= max(natural.attacker_recall.values()) <= 1
    assert set(natural.attacker_recall) == {
        "berth.depth", "berth.built", "berth.calls", "call.berth", "call.master", "call.goods", "call.arrived",
        "call.tons", "call.damage",
    }  # fmt: skip


def test_sentences_of_a_document_are_counted_one_by_one() -> None:
    doc = render(pages().page("log/0"), world(), pages())
    texts = [one.text for one in statements(doc)]
    assert len(texts) == len(set(texts)) >= 2
    assert all(text.strip() for text in texts)


# The shipped banks


BANKED = [name for name in shipped() if load_schema(name).bank]


@pytest.mark.slow
@pytest.mark.parametrize("name", BANKED)
def test_a_shipped_bank_places_and_tells_every_cell(name: str) -> None:
    for seed, split in ((1, "all"), (2, "train"), (3, "test")):
        made = generate(load_schema(name), seed, language="natural", split=split)  # type: ignore[arg-type]
        assert placement_findings(made) == []
        shown = Pages(made)
        assert unread_spans(shown, [i for i in shown.ids() if not shown.page(i).dormant]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", BANKED)
def test_tasks_over_a_shipped_bank_are_solved_both_ways(name: str) -> None:
    made = generate(load_schema(name), 5, language="natural")
    mined = mine(made, 3).tasks
    assert len(mined) == 3
    for task in mined:
        assert scoring.score("", task.columns, task.gold).item.f1 == (not task.gold)
        assert verify(Certificate.from_json(task.certificate), task, made, Simulator(made, strict=True)) is None


def test_worlds_of_one_schema_share_its_bank():
    first, again = (with_bank(parse_schema(values_of(SCHEMA)), values_of(BANK), "q.toml") for _ in range(2))
    assert again is first
    other = with_bank(parse_schema(values_of(SCHEMA)), {**values_of(BANK), "held_out": True}, "q.toml")
    assert (other.held_out, first.held_out) == (True, False)
