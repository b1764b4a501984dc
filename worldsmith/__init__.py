"""Invented relational worlds, a fake search engine over them, and table tasks that need searching."""

__version__ = "0.1.0"
