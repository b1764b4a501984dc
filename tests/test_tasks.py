import io
import itertools
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pages_world import KEEPERS, isles
from tests.task_draws import candidates, condition, draw_tasks
from worldsmith import scoring
from worldsmith.errors import FormatError
from worldsmith.expr import from_json, to_json
from worldsmith.expr.tree import Path, walk
from worldsmith.expr.typed import call
from worldsmith.mining.candidates import answer_columns, leaked_values, screened_task
from worldsmith.mining.sampling import SIZES, MiningContext, draw_range, roundest_between
from worldsmith.mining.screening import DrawRejected, screen
from worldsmith.pages import Pages
from worldsmith.tasks import Query, QueryEvaluator, Scope, Task, Top, gold_duckdb, gold_sqlite, sql, values_table
from worldsmith.tasks.conditions import ONE, Wording, verb_phrase, window_phrase
from worldsmith.tasks.headers import headers, owner
from worldsmith.tasks.query import constants
from worldsmith.tasks.question import question
from worldsmith.world.engine import attach

WORLD = isles()


def node(text, table="light"):
    return condition(text, table, WORLD.schema)


def query(where="", table="light", scope=("stone", ("granite",)), columns=("name", "height")):
    key = tuple((name,) for name in WORLD.schema.tables[table].key)
    paths = tuple(tuple(c.split(".")) for c in columns)
    return Query(table, Scope(*scope), node(where, table) if where else None, paths, key)


def rows(q, world=WORLD):
    with attach(world) as connection:
        return gold_sqlite(q, connection, world.schema)


@pytest.fixture(scope="module")
def some(smartphones, town):
    return [
        (world, task)
        for world in (smartphones, town)
        for size in SIZES
        for task in itertools.islice(candidates(world, Pages(world), 3, size), 25)
    ]


def test_gold_of_queries_by_hand():
    assert rows(query("height between 12 and 16")) == (("Teslin Rock", 13), ("Varrow Point", 15))
    assert rows(query("closed < '2005-01-01'", columns=("name", "closed"))) == (
        ("Orvane Head", "2001-10-01"),
        ("Quillet Stack", "2004-10-04"),
    )
    assert rows(query("closed is null and height < 16")) == (("Teslin Rock", 13), ("Varrow Point", 15))
    assert rows(query("manned", columns=("name", "manned", "keeper.born")))[0] == ("Dunmarrow", True, "1961-03-04")
    assert rows(query(table="visit", scope=("year", (2026,)), columns=("light", "year", "light.height")))[0] == (
        "Orvane Head",
        2026,
        11,
    )


def test_sql_names_every_join_once():
    q = query("keeper.born > '1970-01-01'", columns=("name", "keeper.born", "keeper.mentor"))
    assert sql(q, WORLD.schema) == (
        'SELECT t."name", t1."born", t1."mentor" FROM "light" AS t LEFT JOIN "keeper" AS t1 ON t."keeper" = t1."name" '
        """WHERE ((t."stone" = 'granite') AND (t1."born" > '1970-01-01')) ORDER BY t."name\""""
    )


def test_three_engines_give_the_same_gold(some):
    for world in dict.fromkeys(w.id for w, _ in some):
        mine = [(w, t) for w, t in some if w.id == world]
        again = gold_duckdb([(mine[0][0], [t.query for _, t in mine])])[0]
        for (w, task), other in zip(mine, again, strict=True):
            assert task.gold == other
            evaluator = QueryEvaluator(w)
            read = [
                tuple(evaluator.query_values(task.query, path)[i] for path in task.query.columns)
                for i in evaluator.matching_rows(task.query)
            ]
            assert sorted(map(str, read)) == sorted(map(str, task.gold))


def test_duckdb_batches_hold_worlds_apart(smartphones, town):
    pairs = [(w, next(candidates(w, Pages(w), 5))) for w in (smartphones, town)]
    batch = gold_duckdb([(w, [t.query]) for w, t in pairs])
    assert batch == [[t.gold] for _, t in pairs]


def test_bools_and_nulls_come_back_as_json_values():
    q = query(columns=("name", "manned", "closed", "range"))
    assert rows(q) == gold_duckdb([(WORLD, [q])])[0][0]
    assert {type(row[1]) for row in rows(q)} == {bool}
    assert any(row[2] is None for row in rows(q))


def test_a_query_goes_to_json_and_back():
    q = query("height > 20 and not manned", scope=("keeper", KEEPERS[:2]))
    assert Query.from_json(q.to_json()) == q
    with pytest.raises(FormatError, match="table, scope"):
        Query.from_json({"table": "light"})


def header(schema, table, path):
    return headers(schema, table, (path,))[0]


def test_headers_name_their_owner(smartphones):
    schema = smartphones.schema
    assert header(schema, "phone", ("price",)) == "Launch price (USD)"
    assert header(schema, "phone", ("chip", "score")) == "Chipset: Benchmark score (thousand)"
    assert header(schema, "phone", ("chip", "announced")) == "Chipset announced"
    assert header(schema, "sale", ("phone", "brand", "place")) == "Brand: Rank by units"
    assert owner(schema, "sale", ("phone", "brand", "place")) == "the brand of the phone of the quarterly sales figure"


def test_a_part_played_on_the_way_stays_in_the_header(town):
    assert header(town.schema, "licence", ("shop", "keeper", "born")) == "Keeper: Born"
    assert header(town.schema, "licence", ("shop", "keeper", "street")) == "Keeper: Street"
    assert owner(town.schema, "shop", ("keeper", "born")) == "the resident given as “Keeper” of the shop"


@pytest.mark.parametrize(
    ("table", "text", "said"),
    [
        ("phone", "brand = 'Apple'", "are sold by Apple"),
        ("phone", "brand in ('Apple', 'Oppo')", "are sold by Apple or Oppo"),
        ("phone", "brand != 'Apple'", "are not sold by Apple"),
        ("phone", "price > 500", "have a launch price over 500 USD"),
        ("phone", "price < 500", "have a launch price under 500 USD"),
        ("phone", "price between 300 and 550", "have a launch price of 300 USD to 550 USD (both included)"),
        ("phone", "ram = 8", "have RAM of 8 GB"),
        ("phone", "announced > '2028-06-30'", "were announced after 2028-06-30"),
        ("phone", "yr(released) = 2029", "were released in 2029"),
        ("phone", "sold > 1500", "have sales over 1500 thousand"),
        ("phone", "chip.score > 900", "are built on a chipset that has a benchmark score over 900 thousand"),
        ("phone", "chip.process != 2", "are built on a chipset that does not have a process of 2 nm"),
        ("brand", "share > 2.5", "have “Share of units (%)” over 2.5%"),
        ("brand", "models > 5", "have “Phones listed” over 5"),
        ("sale", "quarter = '2028-06-30'", "are for the quarter ending 2028-06-30"),
        ("sale", "rank < 4", "have a rank under 4"),
        ("sale", "phone.brand = 'Sony'", "are of a phone that is sold by Sony"),
        (
            "sale",
            "phone.chip.announced < '2028-01-01'",
            "are of a phone that is built on a chipset that was announced before 2028-01-01",
        ),
    ],
)
def test_conditions_in_words(smartphones, table, text, said):
    schema = smartphones.schema
    assert verb_phrase(Wording(schema), table, condition(text, table, schema)) == said


@pytest.mark.parametrize(
    ("text", "said", "one"),
    [
        ("stone = 'slate'", "have the stone slate", "has the stone slate"),
        ("manned", "are manned", "is manned"),
        ("not manned", "are not manned", "is not manned"),
        ("closed is null", "have “in use” under “Closed”", "has “in use” under “Closed”"),
        ("closed is not null", "do not have “in use” under “Closed”", "does not have “in use” under “Closed”"),
        ("lit < '1930-01-01'", "were lit before 1930-01-01", "was lit before 1930-01-01"),
        ("range > 7.5", "have a range over 7.5 nmi", "has a range over 7.5 nmi"),
    ],
)
def test_conditions_agree_in_number(text, said, one):
    wording = Wording(WORLD.schema)
    assert verb_phrase(wording, "light", node(text)) == said
    assert verb_phrase(wording, "light", node(text), ONE) == one


@given(st.integers(-500, 500), st.integers(1, 400), st.integers(0, 2))
@settings(max_examples=200, deadline=None)
def test_thresholds_lie_strictly_between(low, gap, decimals):
    a, b = low / 10**decimals, (low + gap) / 10**decimals
    found = roundest_between(a, b, decimals)
    if gap == 1:
        assert found is None
        return
    _, value = found
    assert a < value < b
    # Printed at the column's precision it is the very number.
    assert float(f"{value:.{decimals}f}") == value


def test_thresholds_are_round():
    assert roundest_between(497, 612, 0)[1] == 500
    assert roundest_between(5.31, 5.58, 2)[1] == 5.5
    assert roundest_between(19, 21, 0)[1] == 20


def test_a_bound_is_read_back_as_it_was_written():
    dose = Path(("dose",), "num")
    draws = [draw_range(dose, 0, [10.0, 20.0, 40.0, 80.0, 160.0, 320.0], random.Random(n)) for n in range(20)]
    wires = [to_json(bound) for bound in draws if bound is not None]
    assert len(wires) > 10
    assert [json.dumps(to_json(from_json(wire))) for wire in wires] == [json.dumps(wire) for wire in wires]


def test_screens_refuse_what_can_be_misread():
    context = MiningContext(WORLD, Pages(WORLD))

    def refused(q):
        with pytest.raises(DrawRejected) as found:
            screen(context.evaluator, q, context.evaluator.in_scope(q), context.evaluator.matching_rows(q))
        return str(found.value)

    assert refused(query("height > 5")) == "a clause changes nothing"
    assert refused(query("height > 20 and height > 19")) == "a clause changes nothing"
    assert refused(query("height > 21")) == "strict or not"
    assert refused(query("height between 13 and 20")) == "strict or not"
    assert refused(query("not (closed < '2005-01-01')")) == "null under negation"
    assert refused(query(f"keeper in ('{KEEPERS[0]}', 'Nobody') and height > 20")) == "a value of in changes nothing"
    assert (
        refused(query("height < 20", scope=("stone", ("brick", "granite")))) == "a value of the scope changes nothing"
    )
    # The three lowest of all are of granite.
    assert refused(query("height < 16")) == "the scope changes nothing"
    assert refused(replace(query(), top=Top(("height",), 3, largest=False))) == "the scope changes nothing"
    good = query("height > 20")
    screen(context.evaluator, good, context.evaluator.in_scope(good), context.evaluator.matching_rows(good))


def test_answers_of_one_page_and_twin_headers_are_refused():
    context = MiningContext(WORLD, Pages(WORLD))
    one_page = query(scope=("stone", ("slate",)), columns=("name", "height", "lit"))
    with pytest.raises(DrawRejected, match=r"one page|snippets"):
        screened_task(context, one_page, "small", 0, rows(one_page))
    twins = replace(one_page, columns=(("name",), ("height",), ("height",)))
    with pytest.raises(DrawRejected, match="one header"):
        screened_task(context, twins, "small", 0, rows(twins))


def test_questions_hold_constants_and_headers_and_no_gold(some):
    for world, task in some:
        windows = [n.args for clause in task.query.clauses for n in walk(clause) if getattr(n, "op", "") == "between"]
        wording = Wording(world.schema)
        said = {e.value for _, *ends in windows if window_phrase(wording, *(str(e.value) for e in ends)) for e in ends}
        for value in constants(task.query) - said:
            spelled = scoring.show(value, scoring.Column("x", "text")) if isinstance(value, str) else f"{value:.10g}"
            assert isinstance(value, bool) or spelled in task.question or value in (0, 1)
        assert ", ".join(c.name for c in task.columns) in task.question
        assert not leaked_values(task.question, constants(task.query) | {world.schema.as_of}, task.columns, task.gold)
        fillers = [c for c, col in zip(task.columns, zip(*task.gold, strict=True), strict=True) if None in col]
        assert all(f"“{c.none}”" in task.question for c in fillers)
        assert task.world_digest == world.digest


def test_a_gold_value_in_a_question_is_found():
    q = query("height > 20", columns=("name", "height", "lit"))
    evaluator = QueryEvaluator(WORLD)
    columns = answer_columns(evaluator, q)
    text = question(evaluator, q, columns, 0)
    own = constants(q) | {WORLD.schema.as_of}
    assert not leaked_values(text, own, columns, rows(q))
    assert leaked_values(text.replace("I look for", "I saw one of 23 m, and look for"), own, columns, rows(q)) == {"23"}


def test_sizes_hold_and_no_column_is_hidden_or_faked(some):
    for world, task in some:
        size = SIZES[task.size]
        assert size.rows[0] <= len(task.gold) <= size.rows[1]
        assert size.columns[0] <= len(task.columns) <= size.columns[1]
        assert len({tuple(row[i] for i in task.keys) for row in task.gold}) == len(task.gold)
        for path in task.query.columns:
            found = task.query.column(world.schema, path)
            assert found.see != "linked"
            assert type(found.fill).__name__ != "Faker"
        for row, carried in zip(task.gold, task.pages, strict=True):
            assert all(pages or value is None for value, pages in zip(row, carried, strict=True))


def test_the_pages_of_a_cell_state_it(smartphones):
    pages = Pages(smartphones)
    task = next(candidates(smartphones, pages, 4))
    evaluator = QueryEvaluator(smartphones)
    index = evaluator.matching_rows(task.query)[0]
    names = [evaluator.values(task.query.table, path)[index] for path in task.query.key]
    row = next(i for i, gold_row in enumerate(task.gold) if list(gold_row[: len(names)]) == names)
    for path, carried in zip(task.query.columns, task.pages[row], strict=True):
        cell = evaluator.cell(task.query.table, index, path)
        for page in carried:
            assert cell in {(c.row, c.col) for c in pages.page(page).cells}


def test_tasks_go_to_json_and_back_and_tell_when_changed(some):
    for _, task in some[:10]:
        data = task.to_json()
        again = Task.from_json(data)
        assert again == task
        assert again.task_id == data["task_id"]
    data["gold"][0][-1] = "other"
    with pytest.raises(FormatError, match="digest"):
        Task.from_json(data)
    with pytest.raises(FormatError, match="not a task"):
        Task.from_json({"task_id": "x"})


def test_the_gold_table_scores_one(some):
    for _, task in some:
        assert scoring.score(task.table(), task.columns, task.gold).success


def test_pipes_in_cells_are_escaped():
    columns = (scoring.Column("A", "text", key=True), scoring.Column("B", "int"))
    text = values_table(columns, [("x|y", 3)])
    assert "| x\\|y | 3 |" in text
    assert scoring.score(text, columns, [("x|y", 3)]).success


def test_draws_are_the_same_again_and_differ_by_seed(town):
    def ids(seed):
        found = itertools.islice(draw_tasks(town, Pages(town), seed, "wide"), 40)
        return [t.task_id if isinstance(t, Task) else t.reason for t in found]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)


SCRIPT = """
import itertools
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from tests.task_draws import draw_tasks
world = generate(load_schema("town"), 7)
for kind in ("wide", "deep", "hybrid"):
    tasks = (t for t in draw_tasks(world, Pages(world), 3, "small", kind) if hasattr(t, "digest"))
    print([t.digest for t in itertools.islice(tasks, 4)])
"""


def test_no_task_hangs_on_the_hash_seed():
    here = io.StringIO()
    with redirect_stdout(here):
        exec(SCRIPT, {})
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    there = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True)
    assert there.stdout == here.getvalue()
    assert there.stdout.count("'") == 24


def test_clauses_and_evidence_of_a_query():
    q = query("height > 20 and keeper.born < '1990-01-01'")
    assert len(q.clauses) == 2
    assert q.evidence == (("name",), ("stone",), ("height",), ("keeper", "born"))
    assert query().clauses == ()
    assert call("and", [node("height > 20"), node("height < 30")]) == query("height > 20 and height < 30").where


def test_no_two_conditions_read_alike(smartphones, town):
    for world in (smartphones, town):
        context = MiningContext(world, Pages(world))
        for table in world.schema.tables:
            paths = context.askable(table)
            assert paths == context.paths(table)
            phrases = {context._probe_phrase(table, path) for path in paths}
            assert len(phrases) == len(paths)


def test_columns_that_would_be_asked_for_alike_are_not_asked_for(smartphones):
    schema = smartphones.schema
    phone = schema.tables["phone"]
    says = {"battery": "a weight"}
    columns = tuple(
        replace(c, says=says.get(c.name, c.says), unit="g" if c.name in says else c.unit) for c in phone.columns
    )
    twins = replace(schema, tables={**schema.tables, "phone": replace(phone, columns=columns)})
    context = MiningContext(replace(smartphones, schema=twins), Pages(smartphones))
    assert {("battery",), ("weight",)} <= set(context.paths("phone"))
    assert not {("battery",), ("weight",)} & set(context.askable("phone"))
    assert ("price",) in context.askable("phone")


def test_a_world_without_lists_has_no_tasks(smartphones):
    schema = replace(smartphones.schema, pages=tuple(p for p in smartphones.schema.pages if p.about))
    bare = replace(smartphones, schema=schema)
    assert list(candidates(bare, Pages(bare), 1)) == []


def test_no_condition_asks_for_null_along_a_reference(some):
    for _, task in some:
        for clause in task.query.clauses:
            nulls = [n for n in walk(clause) if getattr(n, "op", "") == "is null"]
            assert all(len(n.args[0].parts) == 1 for n in nulls)
