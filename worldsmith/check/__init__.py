"""The check: a second meaning of the schema, in SQL, that shares nothing with generation but the parsed schema."""

from worldsmith.check.report import Report, RuleReport, Violation
from worldsmith.check.run import check

__all__ = ["Report", "RuleReport", "Violation", "check"]
