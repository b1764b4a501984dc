"""Schemas by a language model: drafted in steps, checked, and what is wrong goes back to it (README.md)."""
