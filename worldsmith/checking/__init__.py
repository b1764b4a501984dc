"""The check: a second meaning of the schema, in SQL, that shares nothing with generation but the parsed schema."""

from worldsmith.checking.report import Report, RuleReport, Violation
from worldsmith.checking.run import check

__all__ = ["Report", "RuleReport", "Violation", "check"]
