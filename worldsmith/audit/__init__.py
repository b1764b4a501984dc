"""Audits: of tasks, of worlds, and of a language model as simulator."""
