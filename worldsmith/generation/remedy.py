"""A fix for a rule that redraws never satisfy: the rule as the `where` of a reference that it follows."""

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from worldsmith import expr
from worldsmith.errors import GenerationError, SchemaError
from worldsmith.expr import Call, Node, Path
from worldsmith.generation.world import generate
from worldsmith.graph import graph_of
from worldsmith.schema import Column, Rule, Schema, Table, parse_schema
from worldsmith.schema.rules import Must


def remedy(schema: Schema, rule: str, seeds: Sequence[int]) -> str | None:
    """Return the fix for a rule that relates a row to the one that a reference leads to; None for other rules.

    Two rows that were drawn independently seldom agree, so one has to be chosen by the other. The fix was tried with
    `seeds`: it names the first reference whose `where` gives a world, else the first one and what is still wrong.
    """
    declared = next(r for r in schema.rules if r.name == rule)
    lacking: str | None = None
    for column, source in _references_with_rule(schema, declared):
        filled = source["tables"][column.table]["columns"][column.name]
        place = f"{column.table}.{column.name}"
        fix = f"let `where` on {place} choose a row that keeps it: {column.name} = {_inline_table(filled)}"
        try:
            changed = parse_schema(source)
            graph_of(changed)
        except SchemaError:  # it would be filled in a circle, or reads what this reference can't read
            continue
        fault = _generation_fault(changed, rule, seeds)
        if fault is None:
            return fix
        lacking = lacking or f"loosen it, or {fix}; after which {fault}"
    return lacking


def _references_with_rule(schema: Schema, rule: Rule) -> Iterator[tuple[Column, dict[str, Any]]]:
    """Yield the references that a rule follows, each with a schema source that has the rule as its `where`."""
    if not isinstance(rule, Must):
        return
    for table, condition in _conditions_along_references(schema, schema.tables[rule.table], rule.node):
        for name in dict.fromkeys(path[0] for path in expr.paths(condition) if len(path) > 1):
            source = deepcopy(dict(schema.source))
            column = source["tables"][table.name]["columns"][name]
            old, new = column.get("where"), expr.text(condition)
            column["where"] = f"({old}) and ({new})" if old else new
            yield table.column(name), source


def _conditions_along_references(schema: Schema, table: Table, condition: Node) -> Iterator[tuple[Table, Node]]:
    """Yield a condition on the rows of a table, then as one on the rows that it reads alone, by way of a reference.

    `unit.head.unit = unit` of a person is `head.unit = name` of the person's unit.
    """
    yield table, condition
    firsts = {path[0] for path in expr.paths(condition)}
    target = schema.tables.get(table.column(next(iter(firsts))).ref or "") if len(firsts) == 1 else None
    if target is not None and len(target.key) == 1 and any(len(path) > 2 for path in expr.paths(condition)):
        yield from _conditions_along_references(schema, target, _without_first(condition, target.key[0]))


def _without_first(node: Node, key: str) -> Node:
    if isinstance(node, Path):
        return replace(node, parts=node.parts[1:] or (key,))
    return replace(node, args=tuple(_without_first(a, key) for a in node.args)) if isinstance(node, Call) else node


def _generation_fault(schema: Schema, rule: str, seeds: Sequence[int]) -> str | None:
    """Return why a schema gives no world for any of some seeds, None where it gives one for any."""
    fault = None
    for seed in seeds:
        try:
            generate(schema, seed, language=schema.language)
        except GenerationError as error:
            if error.rule == rule:
                return "it holds no better"
            fault = f"{error.place}: {error.reason}"
        else:
            return None
    return fault


def _inline_table(column: dict[str, Any]) -> str:
    """Return a column as a line of TOML has it, `where` behind `ref`."""
    parts = {"ref": column["ref"], "where": column["where"]} | column
    # Texts, numbers, truth values and lists are written alike in JSON and TOML.
    return f"{{ {', '.join(f'{name} = {json.dumps(value, ensure_ascii=False)}' for name, value in parts.items())} }}"
