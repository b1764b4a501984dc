"""What is wrong with a draft: real names, what `schema check` says of it, and what its lints advise."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from worldsmith.drafting.parts import Data, with_pages
from worldsmith.drafting.vocabulary import name_faults
from worldsmith.errors import SchemaError
from worldsmith.schema import Schema, SchemaFile, parse_schema
from worldsmith.schema.files import with_derived_bank
from worldsmith.schema.syntax import json_values
from worldsmith.schema_lint.language import RIVALS, lint_language
from worldsmith.schema_lint.trial import FAULTY_STATES, USUAL_FACTS, Trial, run_trial

DRAFT = SchemaFile("draft")
MOST_RULES = 8
"""Invalid rules that are set aside to see what else is wrong."""
_PLACED = re.compile(r"^draft(?::\d+)?: ([\w.\[\]-]+): (.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a part of a draft, and the fix. A fault keeps it from being used; advice doesn't."""

    place: str
    text: str
    fault: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {"place": self.place, "text": self.text, "fault": self.fault}


@dataclass(frozen=True)
class Review:
    """A draft and what is wrong with it; `trial` where it is a valid schema."""

    data: Data
    findings: tuple[Finding, ...]
    schema: Schema | None = None
    trial: Trial | None = None

    @cached_property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that keep the draft from being used."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def score(self) -> tuple[bool, int, int]:
        """What a better draft has less of."""
        return self.schema is None, len(self.faults), len(self.findings)

    @property
    def faulty_rules(self) -> frozenset[str]:
        """The rules that are at fault."""
        places = (finding.place for finding in self.faults)
        return frozenset(place.split(".")[1] for place in places if place.startswith("rules."))


def review(data: Data, document_names: Collection[str], worlds: int, *, background: bool = False) -> Review:
    """Check a draft as `schema check` does, with pages that it gets by itself.

    Args:
        data: the draft, as data of a schema file.
        document_names: names that may not occur in it.
        worlds: trial worlds to fill.
        background: whether numbers and dates without rivals are a finding.
    """
    full = with_pages(data)
    findings = [Finding(place, text) for place, text in name_faults(full, document_names)]
    try:
        schema, invalid = _parsed(json_values(full, DRAFT))
        findings += invalid
        if invalid or schema is None:
            return Review(full, tuple(findings))
        schema = with_derived_bank(schema)
        trial = run_trial(schema, worlds, 0, DRAFT)
    except SchemaError as error:
        return Review(full, (*findings, *_placed(str(error))))
    findings += _trial_findings(trial)
    findings += _language_findings(schema, background=background)
    return Review(full, tuple(findings), schema, trial)


def _parsed(data: Data) -> tuple[Schema | None, list[Finding]]:
    """Return the schema, or what is wrong: of several invalid rules, each. Raises SchemaError for anything else."""
    findings: list[Finding] = []
    for _ in range(MOST_RULES):
        try:
            return parse_schema(data, DRAFT), findings
        except SchemaError as error:
            wrong = _placed(str(error))
            names = {finding.place.split(".")[1] for finding in wrong if finding.place.startswith("rules.")}
            if not names or not isinstance(data.get("rules"), dict):
                return None, [*findings, *wrong]
            findings += wrong
            data = {**data, "rules": {name: rule for name, rule in data["rules"].items() if name not in names}}
    return None, findings


def _placed(text: str) -> list[Finding]:
    """Return the findings in the text of an error: one per line that names a place."""
    out: list[Finding] = []
    for line in re.split(r"\n(?! )", text):  # an indented line belongs to the one before
        match = _PLACED.match(line)
        out.append(Finding(match[1], match[2]) if match else Finding("", line.removeprefix("draft: ")))
    return out


def _trial_findings(trial: Trial) -> Iterator[Finding]:
    for rule in trial.rules:
        if warning := rule.warning():
            yield Finding(f"rules.{rule.rule}", warning.split(": ", 2)[2], rule.state in FAULTY_STATES)
    at_rules = any(rule.state in FAULTY_STATES for rule in trial.rules)
    yield from (one for text in trial.failed for one in _placed(text) if not (at_rules and one.place[:6] == "rules."))
    if trial.stopped and not trial.failed:
        yield Finding("", trial.stopped)
    yield from (Finding(one.place, one.text, fault=False) for text in trial.flat for one in _placed(text))
    least, most = USUAL_FACTS
    if trial.declared[0] < least or trial.declared[1] > most:
        lo, hi = trial.declared
        yield Finding(
            "tables",
            f"worlds would have {lo} to {hi} facts by the `rows` of their tables, and should have {least} to {most}: "
            "change some rows",
            fault=False,
        )


def _language_findings(schema: Schema, *, background: bool) -> Iterator[Finding]:
    lint = lint_language(schema)
    yield from (Finding("", text, fault=False) for text in lint.shared)
    lacking: dict[str, list[str]] = {}
    for place, count in lint.rivals.items() if background else ():
        table, _, column = place.partition(".")
        lacking.setdefault(table, []).append(f"{column} ({count})")
    for table, columns in lacking.items():
        text = f"fewer than {RIVALS} background columns of the same unit about the same row, for {', '.join(columns)}"
        yield Finding(f"tables.{table}", f"{text}: add some, below and above the value", fault=False)


def without_rules(data: Mapping[str, Any], names: Collection[str]) -> Data:
    """Return a draft without some of its rules."""
    return {**data, "rules": {name: rule for name, rule in data.get("rules", {}).items() if name not in names}}
