"""The picture of a constraint graph says what is filled from what, and which rules read it."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from worldsmith.audit.worlds.overview import graph_svg
from worldsmith.graph import graph_of
from worldsmith.schema import load_schema, shipped, structure_of

SVG = "{http://www.w3.org/2000/svg}"


def lines(svg: str) -> list[list[str]]:
    """Return the texts of each line of the picture."""
    root = ET.fromstring(svg)
    return [[t.text or "" for t in g.findall(f"{SVG}text")] for g in root.iter(f"{SVG}g")]


def test_a_line_has_order_name_what_it_reads_and_its_rules(mini):
    structure = structure_of(mini, ["tugs"])
    found = lines(graph_svg(structure))
    rules = {r.name: f"R{i}" for i, r in enumerate(structure.rules, 1)}
    place = {n: i for i, unit in enumerate(graph_of(structure).order, 1) for n in unit}
    marks = f"{rules['deep_for_much']}"
    assert [f"{place['call', 'tons']:>2} tons", "berth, berth.depth", marks] in found
    assert [f"{rules['no_circle']} no_circle", f"berth.next; tested at {place['berth', 'next']}"] in found


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_column_rule_and_reference_is_drawn(name):
    schema = load_schema(name)
    structure = structure_of(schema, schema.variation)
    root = ET.fromstring(graph_svg(structure))
    graph = graph_of(structure).graph
    groups = list(root.iter(f"{SVG}g"))
    assert len(groups) == len(graph)
    assert sum(len(g.findall(f"{SVG}path")) for g in groups) == 2 * graph.number_of_edges()
    arrows = [p for p in root.findall(f"{SVG}path") if "marker-end" in p.attrib]
    assert len(arrows) == sum(len(t.refs) for t in structure.tables.values())


@pytest.mark.parametrize("name", sorted(shipped()))
def test_texts_of_a_line_do_not_meet(name):
    schema = load_schema(name)
    for group in ET.fromstring(graph_svg(structure_of(schema, schema.variation))).iter(f"{SVG}g"):
        ends: dict[str, list[tuple[float, float]]] = {}
        for text in group.findall(f"{SVG}text"):
            size = 7.3 if text.get("class") is None and text.get("font-size") is None else 6.7
            x, long = float(text.attrib["x"]), size * len((text.text or "").strip())
            left = x - long if text.get("text-anchor") == "end" else x
            ends.setdefault(text.attrib["y"], []).append((left, left + long))
        for spans in ends.values():
            ordered = sorted(spans)
            assert all(a[1] <= b[0] for a, b in pairwise(ordered)), group[0].attrib
