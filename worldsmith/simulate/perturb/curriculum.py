"""Curricula: custom profiles, and the weights of profiles at each training step, in a TOML file.

```toml
[profiles.mild]                        # as in PROFILES: about, length, withhold, full_text, edits, faults
about    = "a little background"
edits    = { distract = 0.1 }

[[steps]]                              # from step 0 on
profiles = { clean = 1 }
[[steps]]
from     = 200                         # then a third of the tasks under `mild`
profiles = { clean = 2, mild = 1 }
```
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldsmith.errors import FormatError, NotFoundError
from worldsmith.pages.lengths import Length
from worldsmith.schema.syntax import shape_faults
from worldsmith.seeding import draw
from worldsmith.simulate.perturb.faults import faults_of
from worldsmith.simulate.perturb.profiles import PROFILES, profile_named, slice_edits_of
from worldsmith.simulate.protocol import Profile

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProfileSource(_Strict):
    """One entry of `[profiles]`."""

    about: str = ""
    """What it does, in one line."""
    length: Length = "short"
    """Length of its pages."""
    withhold: Annotated[int, Field(ge=0, le=3)] = 1
    """0 shows all that a hit may, 3 the least."""
    full_text: bool = False
    """Search replies carry whole pages."""
    edits: dict[str, Share] = {}
    """Share of the pages that each edit meets."""
    faults: dict[str, Share] = {}
    """Share of the calls that each fault answers."""


class StepSource(_Strict):
    """One entry of `[[steps]]`."""

    start: Annotated[int, Field(ge=0, alias="from")] = 0
    """The first training step it holds for."""
    profiles: Annotated[dict[str, Weight], Field(min_length=1)]
    """Weights by profile."""


class CurriculumSource(_Strict):
    """A curriculum file."""

    profiles: dict[str, ProfileSource] = {}
    """Custom profiles, by name."""
    steps: list[StepSource] = []
    """Which profiles are used from which step on."""


@dataclass(frozen=True, slots=True)
class Curriculum:
    """Profiles by name, those of worldsmith included, and the weights that hold from each step on."""

    profiles: Mapping[str, Profile]
    steps: tuple[tuple[int, Mapping[str, float]], ...]

    def profile(self, step: int, task_id: str, seed: int = 0) -> str:
        """Return the name of the profile that a task has at a training step: the same for all rollouts of it."""
        weights = next((w for start, w in reversed(self.steps) if start <= step), {next(iter(PROFILES)): 1.0})
        place = draw(seed, "curriculum", step, task_id) / 2**64 * sum(weights.values())
        for name, weight in weights.items():
            place -= weight
            if place < 0:
                return name
        return list(weights)[-1]


def load_curriculum(path: str | Path) -> Curriculum:
    """Return what a curriculum file declares.

    Raises:
        FormatError: it can't be read, or an entry of it is wrong; the message says where, and the fix.
    """
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        source = CurriculumSource.model_validate(data)
        own = {
            name: Profile(name, p.about, p.length, p.withhold, full_text=p.full_text, edits=p.edits, faults=p.faults)
            for name, p in source.profiles.items()
        }
        known = PROFILES | own
        for made in own.values():
            slice_edits_of(made), faults_of(made)
        for step in source.steps:
            for name in step.profiles:
                profile_named(name, known)
    except OSError as error:
        raise FormatError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path}: can't be read: not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: not TOML: {error}") from None
    except NotFoundError as error:
        raise FormatError(f"{path}: {error}") from None
    except ValidationError as error:
        raise FormatError(shape_faults(data, error, CurriculumSource, lambda place: f"{path}: {place}")) from None
    steps = sorted(((step.start, step.profiles) for step in source.steps), key=lambda s: s[0])
    for start, weights in steps:
        if not sum(weights.values()):
            raise FormatError(f"{path}: the step from {start} has no profile of a weight above 0")
    return Curriculum(known, tuple(steps))
