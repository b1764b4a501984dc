"""Audit of worlds: whether their names are invented, and how similar two of them are."""
