"""Days in requests and replies: spans become operators of a query (`pages.index.query`), dates become words."""

from datetime import date

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


def day_in_words(iso: str, month: str = "%b") -> str:
    """Return "2031-04-05" as "Apr 5, 2031", or with `month` "%B" as "April 5, 2031"."""
    day = date.fromisoformat(iso)
    return f"{day.strftime(month)} {day.day}, {day.year}"
