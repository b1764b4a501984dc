"""The check: a second implementation of the schema, in SQL, that shares only the parsed schema with generation."""

from worldsmith.checking.report import Report, RuleReport, Violation
from worldsmith.checking.run import check

__all__ = ["Report", "RuleReport", "Violation", "check"]
