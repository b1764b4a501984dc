"""What a model is asked for: the texts in `prompts/`, the draft so far as TOML, findings with their parts."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel

from worldsmith.drafting.answers import json_schema
from worldsmith.drafting.documents import Document, fenced
from worldsmith.drafting.parts import Data, part_at, place_of, tables_of
from worldsmith.drafting.review import Finding
from worldsmith.schema.toml_text import schema_text, value
from worldsmith.schema.types import Schema
from worldsmith.simulate.llm.prompt import Prompt

MOST_FINDINGS = 12
"""Findings that one request names."""


@cache
def prompt_text(name: str) -> str:
    """Return a text of the folder `prompts`."""
    return files("worldsmith.drafting").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def _prompt(answer: type[BaseModel], *parts: str) -> Prompt:
    messages = (
        {"role": "system", "content": prompt_text("language")},
        {"role": "user", "content": "\n\n".join(filter(None, parts))},
    )
    return Prompt(messages, json_schema(answer), messages)


def subject_prompt(step: str, answer: type[BaseModel], subject: str, documents: Sequence[Document]) -> Prompt:
    """Return the request for the first part of a draft, from a subject, documents or both."""
    about = f"The subject: {json.dumps(subject, ensure_ascii=False)}" if subject else ""
    material = f"{prompt_text('documents')}\n\n{fenced(documents)}" if documents else ""
    return _prompt(answer, material, prompt_text(step), about)


def step_prompt(step: str, answer: type[BaseModel], data: Data, hints: Sequence[str] = ()) -> Prompt:
    """Return the request for a further part of a draft."""
    return _prompt(answer, prompt_text(step), *hints, _draft(data))


def repair_prompt(answer: type[BaseModel], data: Data, findings: Sequence[Finding]) -> Prompt:
    """Return the request to mend a draft: the first findings, faults before advice, each with its part."""
    chosen = sorted(findings, key=lambda finding: not finding.fault)[:MOST_FINDINGS]
    lines = []
    shown = set[tuple[str, ...]]()
    for finding in chosen:
        lines.append(f"- {finding}{'' if finding.fault else ' (advice)'}")
        steps = place_of(data, finding.place) if finding.place else ()
        is_small = len(steps) == (4 if steps[:1] == ("tables",) else 2)  # a column, a rule, a list, a kind of names
        part = part_at(data, steps) if is_small and steps not in shown else None
        if part is not None:
            lines.append(f"  it is now: {'.'.join(steps)} = {value(part)}")
            shown.add(steps)
    more = len(findings) - len(chosen)
    lines += [f"- and {more} more, once these are mended"] if more > 0 else []
    return _prompt(answer, prompt_text("repair"), "\n".join(lines), _draft(data))


def unreadable_prompt(prompt: Prompt) -> Prompt:
    """Return a request once more, after an answer that holds no table."""
    note = "Your last answer held no JSON object that can be read, or was cut off. Answer with the JSON object alone."
    system, user = prompt.messages[0], prompt.messages[-1]
    messages = (system, {"role": "user", "content": f"{user['content']}\n\n{note}"})
    return Prompt(messages, prompt.schema, messages)


def _draft(data: Mapping[str, Any]) -> str:
    """Return the draft as TOML, without its pages; "" where its shape is too wrong for that."""
    shown = {key: item for key, item in data.items() if key != "pages"}
    if len(dict(tables_of(shown))) < len(shown.get("tables") or ()):
        return f"The draft:\n{json.dumps(shown, ensure_ascii=False)}"
    return f"The draft, as TOML:\n{schema_text(shown)}"


def sentences_prompt(answer: type[BaseModel], schema: Schema, table: str, findings: Sequence[str]) -> Prompt:
    """Return the request for the sentences about a table's rows; after a first answer, with what was wrong in it."""
    near = {table, *(ref.ref for ref in schema.tables[table].refs if ref.ref)}
    tables = {name: item for name, item in schema.source["tables"].items() if name in near}
    source = {"about": schema.about, "tables": tables}
    wrong = "\n".join(["Of an earlier answer these were not usable; write others in their place:", *findings])
    return _prompt(
        answer,
        prompt_text("sentences"),
        f"The table: {table}",
        f"The schema:\n{schema_text(source)}",
        wrong if findings else "",
    )
