"""Audit of tasks: what shortcuts are worth on them, and how their evidence is spread over pages."""
