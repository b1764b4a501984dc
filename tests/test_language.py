"""Natural pages: patterns and banks, what pages state, what questions ask, and that nothing else is told."""

import calendar
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from worldsmith import scoring
from worldsmith.agents import SimulatorClient
from worldsmith.agents.natural_oracle import asking_words
from worldsmith.audit.patterns import placement_findings, rendered_patterns, unread_spans
from worldsmith.audit.text import audit_text, statements
from worldsmith.errors import GuardError, SchemaError, UsageError
from worldsmith.generation import generate
from worldsmith.mining.certificates import Certificate, certify, verify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.renderer.emit import chunks
from worldsmith.pages.value_forms import Style, number_words, write_value, written_day
from worldsmith.schema import Schema, in_language, load_schema, parse_schema, shipped, with_bank
from worldsmith.schema.patterns import Either, Slot, read_pattern, wordings_of
from worldsmith.schema.syntax import json_values
from worldsmith.simulate.guard.construction import unentitled_spans
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.question_reader import query_of_question
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


@pytest.mark.parametrize("text", ["{name", "a [b", "{name:loud}", "a|b"])
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
        ("language = 1", "language = 2", "language"),
        ('show = ["built"]', 'show = ["built.year"]', "'built' of 'berth' is no reference"),
        ('about = "berth"\nshow = ["depth"', 'show = ["depth"', "give either about"),
        ('form = "article"\nabout = "call"', 'form = "essay"\nabout = "call"', "pages.log.form"),
        ('[asks."call.tons"]', '[asks."call.tuns"]', "no column 'tuns' in 'call'"),
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


def test_a_schema_without_a_bank_has_no_natural_language() -> None:
    with pytest.raises(UsageError, match=r"quayside\.language\.toml beside it, or take --language plain"):
        in_language(parse_schema(values_of(SCHEMA)), "natural")


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
            assert all(tally.table != "survey" for tally in query.tallies)


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
            assert unentitled_spans(render(page, world(), pages()), page) == ()
    assert placement_findings(world()) == []


def test_a_span_that_states_another_cell_is_rejected() -> None:
    first, other = live()[0], live()[9]
    verdicts = unentitled_spans(render(pages().page(first), world(), pages()), pages().page(other))
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


def test_an_article_before_the_name_is_not_said_twice() -> None:
    data = values_of(BANK)
    data["tells"][0]["text"] = ["The {name} is of {built}.", "The {name} has {depth}.", "The {name} saw {calls}."]
    data["tells"][0]["test"] = []
    data["pages"]["wharf"]["show"] = ["built", "depth", "calls"]
    data["pages"]["wharf"]["with"] = {}
    made = Pages(generate(with_bank(parse_schema(values_of(SCHEMA)), data, "q.toml"), 3, language="natural"))
    texts = [markdown(render(made.page(f"wharf/{i}"), made.world, made)) for i in made.kinds["wharf"].numbers]
    assert len(texts) == 8
    assert any("The berth " in text for text in texts)
    assert not any("the the " in text.lower() for text in texts)


def test_a_null_is_told_by_the_sentence_made_for_it() -> None:
    calls = world().tables["call"]["damage"]
    row = calls.index(None)
    doc = render(pages().page(f"log/{row}"), world(), pages())
    stated = {cells: text for text, cells in chunks(doc) if cells}
    assert [text for cells, text in stated.items() if Cell(Row("call", row), "damage", None) in cells] == [
        "Nothing was broken."
    ]


# Values


@pytest.mark.parametrize(
    ("dates", "text"),
    [("iso", "2029-03-01"), ("long", "1 March 2029"), ("us", "March 1, 2029")],
)
def test_days_are_written_as_a_site_does(dates: str, text: str) -> None:
    assert written_day("2029-03-01", dates) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "form", "numbers", "text"),
    [
        (38250, "", "comma", "38,250 t"),
        (38250, "", "space", "38 250 t"),
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
    assert len(tasks()) == 6
    for task in tasks():
        assert f"the harbour of {port}" in task.question
        assert query_of_question(task.question, world().schema) == task.query


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
    for seed in (1, 2):
        made = generate(load_schema(name), seed, language="natural")
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
