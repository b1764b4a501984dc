"""Stands in for uvloop in the command that `worldsmith exec` runs: asyncio's own loop under uvloop's names.

uvloop resolves names and connects in C, past the hook beside this file.
"""

import asyncio
from asyncio import SelectorEventLoop as Loop
from asyncio import new_event_loop, run
from typing import Any

__all__ = ["Loop", "install", "new_event_loop", "run"]


def install() -> None:
    """Leave asyncio's loop in place."""


def __getattr__(name: str) -> Any:
    if name == "EventLoopPolicy":
        return asyncio.DefaultEventLoopPolicy  # asked for late: newer Pythons warn about it
    raise AttributeError(f"worldsmith exec has no uvloop.{name}: asyncio's loop stands in for uvloop")
