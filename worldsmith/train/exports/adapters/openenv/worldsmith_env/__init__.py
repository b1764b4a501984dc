"""The client of the environment: what a trainer needs; tasks and gold stay with the server."""

from .client import WorldsmithEnv
from .models import WorldsmithAction, WorldsmithObservation

__all__ = ["WorldsmithAction", "WorldsmithEnv", "WorldsmithObservation"]
