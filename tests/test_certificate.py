import itertools
from dataclasses import replace

import pytest

from tests.task_draws import candidates
from worldsmith.agents import SimulatorClient
from worldsmith.errors import FormatError
from worldsmith.mining.certificates import Certificate, NotCertified, certify, untraceable_argument, verify
from worldsmith.pages import RENDER, Pages
from worldsmith.simulate.disclosure import disclosed_by_page, disclosed_by_reading, is_all_children
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator
from worldsmith.tasks.evidence import required_disclosures


@pytest.fixture(scope="module")
def proved(town):
    simulator = Simulator(town)
    task = next(t for t in candidates(town, Pages(town), 21, "small") if t.query.clauses and not t.query.tallies)
    return town, simulator, task, certify(task, town, SimulatorClient(simulator))


def test_a_certificate_holds_calls_costs_and_versions(proved):
    world, _, task, proof = proved
    assert (proof.task_id, proof.world_digest, proof.render) == (task.task_id, world.digest, RENDER)
    assert proof.turns == len(proof.calls) + 1 == proof.search_calls + proof.extract_calls + 1
    assert 0 < proof.tool_tokens < proof.typical_tokens
    assert proof.evidence == sum(not is_all_children(one) for one in required_disclosures(task, QueryEvaluator(world)))
    assert Certificate.from_json(proof.to_json()) == proof
    for data, why in (
        ({"calls": []}, "not a certificate: task_id: Field required"),
        (proof.to_json() | {"turns": "9"}, "not a certificate: turns: Input should be a valid integer"),
        (proof.to_json() | {"calls": [1]}, r"not a certificate: calls\.0: Input should be a valid dictionary"),
        ([1], r"not a certificate: it is no object, but \[1\]: mine the tasks again"),
    ):
        with pytest.raises(FormatError, match=why):
            Certificate.from_json(data)


def test_a_certificate_plays_again(proved):
    world, simulator, task, proof = proved
    assert verify(proof, task, world, simulator) is None
    assert verify(proof, task, world, Simulator(world)) is None


def test_a_stale_certificate_says_so(proved, smartphones):
    world, simulator, task, proof = proved
    assert "another state" in verify(replace(proof, world_digest="0"), task, world, simulator)
    assert f"render version {RENDER - 1}" in verify(replace(proof, render=RENDER - 1), task, world, simulator)
    with pytest.raises(NotCertified, match="another world"):
        certify(task, smartphones, SimulatorClient(Simulator(smartphones)))


def test_another_reply_is_noticed(proved):
    world, simulator, task, proof = proved
    changed = {**proof.calls[1], "sha256": "0" * 16}
    broken = replace(proof, calls=[proof.calls[0], changed, *proof.calls[2:]])
    assert "call 2" in verify(broken, task, world, simulator)


def test_an_argument_from_nowhere_is_noticed(proved):
    world, simulator, task, proof = proved
    assert "comes neither from" in verify(replace(proof, calls=proof.calls[1:]), task, world, simulator)
    told = [{"tool": "web_search", "arg": "Zanzibar"}], ["nothing"]
    assert untraceable_argument(task, *told, world) == "Zanzibar"
    later = [*told[0], {"tool": "web_extractor", "arg": "https://a.example/x"}]
    words = task.question.split()[:2]
    fine = [{"tool": "web_search", "arg": " ".join(words)}, {"tool": "web_extractor", "arg": "https://a.example/x"}]
    assert untraceable_argument(task, fine, ["see https://a.example/x", ""], world) is None
    assert untraceable_argument(task, later[1:], [""], world) == "https://a.example/x"


def test_each_page_is_needed(proved):
    world, simulator, task, proof = proved
    # The last page read leads nowhere further, so that only its cells go missing.
    assert "not disclosed" in verify(replace(proof, calls=proof.calls[:-1]), task, world, simulator)


def test_evidence_holds_what_clauses_read_of_rows_that_fail(proved):
    world, _, task, _ = proved
    evaluator = QueryEvaluator(world)
    needed = required_disclosures(task, evaluator)
    out = set(evaluator.in_scope(task.query)) - set(evaluator.matching_rows(task.query))
    assert out
    for index in out:
        for path in task.query.evidence:
            cell = evaluator.cell(task.query.table, index, path)
            assert cell is None or cell in needed
    asked = {p for p in task.query.columns if p not in task.query.evidence and len(p) == 1}
    assert not {
        (row, col) for row, col in needed if row.index in out and row.table == task.query.table and (col,) in asked
    }


def test_an_answer_without_evidence_is_no_proof(proved):
    world, simulator, task, _ = proved

    class Silent(SimulatorClient):
        def _answered(self, call):
            return replace(super()._answered(call), disclosed=())

    with pytest.raises(NotCertified, match="evidence that its calls don't disclose"):
        certify(task, world, Silent(simulator))


def test_gold_that_is_not_the_worlds_is_not_certified(proved):
    world, simulator, task, _ = proved
    wrong = replace(task, gold=task.gold[:-1])
    with pytest.raises(NotCertified, match="the oracle's answer is not the gold table"):
        certify(wrong, world, SimulatorClient(simulator))


def test_most_candidates_are_certified(smartphones):
    simulator, evaluator, kept = Simulator(smartphones), QueryEvaluator(smartphones), {}
    for task in itertools.islice(candidates(smartphones, Pages(smartphones), 2, "small"), 6):
        proof = certify(task, smartphones, SimulatorClient(simulator, reply_cache=kept), evaluator=evaluator)
        assert proof.task_id == task.task_id


def test_disclosed_cells_are_those_of_plans(town):
    pages = Pages(town)
    page = pages.page(pages.ids()[0])
    whole = disclosed_by_page(page, town)
    assert disclosed_by_reading(page, page.cells, town) == {(cell.row, cell.col) for cell in page.cells} | whole
    block = next(block for block in page.blocks if block.cells)
    cell = block.cells[0]
    wrong = replace(block, cells=(cell._replace(value="another"), *block.cells[1:]))
    changed = replace(page, blocks=(wrong,))
    told = disclosed_by_reading(changed, changed.cells, town)
    assert told == {(c.row, c.col) for c in block.cells[1:]} | disclosed_by_page(page, town)


@pytest.mark.parametrize("name", PROFILES)
def test_tasks_are_solved_under_every_profile(town, name):
    client = SimulatorClient(Simulator(town, strict=True), Address(town.id, name, 3), reply_cache={})
    for task in itertools.islice(candidates(town, Pages(town), 2, "small"), 3):
        assert certify(task, town, client).profile == name
