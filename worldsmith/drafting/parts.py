"""The parts of a draft as data of a schema file: changed by answers, completed with pages, looked up by place."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

Data = dict[str, Any]
HEAD = ("schema", "name", "kind", "as_of", "about")
NAMED = ("values", "names", "variation", "tables", "rules")
"""Parts that are tables of named items."""
ORDER = (*HEAD, "values", "names", "variation", "tables", "rules", "pages", "questions")
MOST_LISTS = 3
"""List pages of a table."""


def changed(data: Data, answer: Mapping[str, Any]) -> Data:
    """Return a draft with what an answer gives: whole columns, rules and lists; null removes one.

    Parts that are no table of named items are passed over.
    """
    out: Data = {"schema": 1, **deepcopy(data)}
    out |= {key: without_nulls(answer[key]) for key in HEAD[1:] if answer.get(key) is not None}
    for part in NAMED:
        items = keyed(answer.get(part))
        if not isinstance(items, dict):
            continue
        held = out.setdefault(part, {})
        for name, item in items.items():
            if item is None:
                held.pop(name, None)
            elif part == "tables" and isinstance(item, dict):
                held[name] = _changed_table(held.get(name), item)
            else:
                held[name] = without_nulls(item)
    questions = answer.get("questions")
    needs = answer.get("needs") or (questions.get("needs") if isinstance(questions, dict) else None)
    out |= {"questions": {"needs": without_nulls(needs)}} if needs else {}
    return {key: out[key] for key in ORDER if key in out}


def keyed(items: Any) -> Any:
    """Return a list of tables that each give their name as a table of named items; anything else as it is."""
    if isinstance(items, list) and items and all(isinstance(item, dict) and "name" in item for item in items):
        return {str(item["name"]): {key: value for key, value in item.items() if key != "name"} for item in items}
    return items


def without_nulls(item: Any) -> Any:
    """Return a value without the nulls in it: some models write every key, and TOML has none."""
    if isinstance(item, dict):
        return {key: without_nulls(value) for key, value in item.items() if value is not None}
    return [without_nulls(value) for value in item if value is not None] if isinstance(item, list) else item


def _changed_table(before: Any, item: Mapping[str, Any]) -> Data:
    table = dict(before) if isinstance(before, dict) else {}
    table |= without_nulls({key: value for key, value in item.items() if key != "columns"})
    columns, changes = table.get("columns", {}), keyed(item.get("columns"))
    if isinstance(changes, dict) and isinstance(columns, dict):
        columns = {**columns, **{name: without_nulls(fill) for name, fill in changes.items()}}
        table["columns"] = {name: fill for name, fill in columns.items() if fill is not None}
    elif changes is not None:
        table["columns"] = changes
    return {key: table[key] for key in sorted(table, key=lambda key: key == "columns")}


def with_pages(data: Data) -> Data:
    """Return a draft with pages for its tables: about each row, and lists by the values that rows share."""
    pages: Data = {}
    tables = {name: table for name, table in tables_of(data) if not table.get("background")}
    for name, table in tables.items():
        columns = table["columns"]
        key = table.get("key")
        keys = [name for name in (key if isinstance(key, list) else [key]) if isinstance(name, str)]
        stated = [n for n, fill in columns.items() if fill.get("see") != "linked" and n not in keys]
        refs = [ref for k in keys if k in columns and isinstance(ref := columns[k].get("ref"), str) and ref in tables]
        owner = next((ref for ref in refs if sum(f.get("ref") == ref for f in columns.values()) == 1), None)
        if len(keys) > 1 and owner and isinstance(tables[owner].get("key"), str):
            pages[_free(f"{owner}_{name}", pages)] = {
                "about": owner,
                "show": [tables[owner]["key"]],
                "with": {name: "*"},
            }
        else:
            pages[_free(name, pages)] = {"about": name}
        shared = [n for n, fill in columns.items() if keys != [n] and _repeats(fill, table, tables)]
        for by in [n for n in shared if n in stated or n in keys][:MOST_LISTS]:
            show = [n for n in stated if n != by][:MOST_LISTS]
            if show:
                pages[_free(f"{name}_by_{by}", pages)] = {"list": name, "by": by, "show": show, "sort": show[0]}
    return {key: value for key, value in {**data, "pages": pages}.items() if value or key != "pages"}


def _repeats(fill: Data, table: Data, tables: Mapping[str, Data]) -> bool:
    """Whether rows share the values of a column: an option, or a row of a table that is half as large or smaller."""
    if "ref" not in fill:
        return "pick" in fill or "choice" in fill
    return 2 * _most_rows(tables.get(str(fill["ref"]), {})) <= _most_rows(table)


def _most_rows(table: Data) -> int:
    rows = table.get("rows")
    return rows[1] if isinstance(rows, list | tuple) and len(rows) == 2 and isinstance(rows[1], int) else 0


def _free(name: str, taken: Data) -> str:
    return name[:40] if name[:40] not in taken else f"{name[:36]}_{len(taken)}"


def tables_of(data: Mapping[str, Any]) -> Iterator[tuple[str, Data]]:
    """Yield the tables of a draft whose shape is right."""
    tables = data.get("tables")
    for name, table in tables.items() if isinstance(tables, dict) else ():
        columns = table.get("columns") if isinstance(table, dict) else None
        if isinstance(columns, dict) and all(isinstance(fill, dict) for fill in columns.values()):
            yield name, table


def place_of(data: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """Return the steps to the column, rule, list, kind or table that a place names: what an answer can change."""
    steps = tuple(place.split("."))
    if steps[0] not in data:
        steps = ("tables", steps[0], "columns", *steps[1:])
    if steps[0] == "tables":
        return steps[:4] if len(steps) > 3 else steps[:2]
    return steps[:2] if steps[0] in NAMED else steps[:1]


def part_at(data: Mapping[str, Any], steps: tuple[str, ...]) -> Any:
    """Return what stands at a place; None where nothing does."""
    here: Any = data
    for step in steps:
        if not isinstance(here, dict) or step not in here:
            return None
        here = here[step]
    return here
