"""Details from Faker: pools drawn once, the same in every world, so that a world only picks from them.

A pool is drawn from its own seed and from `as_of`, never from a clock, and by one version of Faker alone, since its
lists change between versions.
"""

import datetime as dt
from functools import lru_cache

from worldsmith import scoring, seeding
from worldsmith.errors import UsageError
from worldsmith.world.model import FAKER, FORMAT

SIZE = 400
"""Draws per pool; repeats are dropped."""


def require_faker() -> None:
    """Raise UsageError where the installed version of Faker isn't the one that worlds are made with."""
    import faker  # noqa: PLC0415 - only schemas with such a column pay for it

    if faker.VERSION != FAKER:
        raise UsageError(
            f"Faker {faker.VERSION} is installed, and worlds of format {FORMAT} need {FAKER}: another version draws "
            f"other details under the same world id. Run: pip install faker=={FAKER}"
        )


@lru_cache(maxsize=256)
def pool(provider: str, as_of: str) -> tuple[str, ...]:
    """Return the pool of an allow-listed provider, about 0.1 s for the first one (Faker's import)."""
    import faker  # noqa: PLC0415 - as above

    source = faker.Faker("en_US")
    source.seed_instance(seeding.draw("faker", provider))
    if provider == "past_date":
        end = dt.date.fromisoformat(as_of)
        start = end - dt.timedelta(days=3652)
        drawn = [source.date_between_dates(start, end).isoformat() for _ in range(SIZE)]
    else:
        # "130M" is a licence plate that reads as 130 m: no detail may be mistaken for a measure.
        drawn = [text for text in map(str, (getattr(source, provider)() for _ in range(SIZE))) if not _measure(text)]
    return tuple(dict.fromkeys(drawn))


def _measure(text: str) -> bool:
    """Return whether a detail reads as a number with a unit."""
    return any(reading.unit for reading in scoring.read(text, "num"))
