"""Two SQL engines over a world: SQLite checks it and gives gold, DuckDB gives gold again."""

from worldsmith.world.engine.joins import Joins, quote
from worldsmith.world.engine.sqlite import attach

__all__ = ["Joins", "attach", "quote"]
