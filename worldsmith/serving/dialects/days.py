"""Days in requests and replies: spans become operators of a query (`pages.index.query`), dates become words."""

import re
from datetime import date
from typing import Any

SPANS = {"day": 1, "d": 1, "week": 7, "w": 7, "month": 31, "m": 31, "year": 366, "y": 366}
"""Days of a span, by the names that services have for it."""


def newer_than(span: str) -> str:
    """Return the operator of a span of `SPANS`."""
    return f"newer_than:{SPANS[span]}d"


def between(first: str, last: str) -> list[str]:
    """Return the operators of a range of ISO days, none where it isn't one; an open end is empty."""
    try:
        days = [day and date.fromisoformat(day).isoformat() for day in (first, last)]
    except ValueError:
        return []
    return [f"{operator}:{day}" for operator, day in zip(("after", "before"), days, strict=True) if day]


def freshness(value: Any, dates: re.Pattern[str], prefix: str = "") -> list[str]:
    """Return the operators of a `freshness`: a span of `SPANS` after a prefix, or two ISO days as `dates` finds them.

    Anything else has no effect, as with the services.
    """
    if not isinstance(value, str):
        return []
    span = value.removeprefix(prefix).lower()
    if value.startswith(prefix) and span in SPANS:
        return [newer_than(span)]
    days = dates.fullmatch(value)
    return between(days[1], days[2]) if days else []


def day_in_words(iso: str, month: str = "%b") -> str:
    """Return "2031-04-05" as "Apr 5, 2031", or with `month` "%B" as "April 5, 2031"."""
    day = date.fromisoformat(iso)
    return f"{day.strftime(month)} {day.day}, {day.year}"
