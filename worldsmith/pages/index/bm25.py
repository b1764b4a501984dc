"""bm25s, imported so that it leaves jax alone.

Where jax is installed, bm25s imports it and runs an operation at once, for a sort we never ask it for; jax then takes
most of the memory of a GPU that a trainer in the same process needs.
"""

import sys
from typing import Any

_MISSING = object()


def _load() -> Any:
    """Return bm25s's class of indices, imported as if jax weren't installed; a jax in use already stays in use."""
    before: Any = sys.modules.get("jax", _MISSING)
    sys.modules["jax"] = None  # type: ignore[assignment]  # what makes an import of it fail
    try:
        from bm25s import BM25  # type: ignore[import-untyped]  # noqa: PLC0415 - ships no types; jax is barred here alone
    finally:
        if before is _MISSING:
            del sys.modules["jax"]
        else:
            sys.modules["jax"] = before
    return BM25


BM25 = _load()
