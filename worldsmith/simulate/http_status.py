"""HTTP status and text of an observation without an answer, the same for every dialect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldsmith.pages.types import Status
from worldsmith.simulate.protocol import Observation


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP status and its text."""

    status: int
    text: str
    retry_after: int | None = None

    @property
    def headers(self) -> Mapping[str, str]:
        """Retry-After in seconds, where there is one."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


STATUS: dict[Status, tuple[int, str]] = {
    "not_found": (404, "page not found: take a url from a search result or from a link on a page"),
    "error": (500, "the service failed on this request: try again"),
    "rate_limited": (429, "too many requests: try again later"),
    "unauthorized": (401, "the key was not accepted: try again"),
    "timeout": (504, "the request took too long: try again"),
    "unavailable": (503, "not available at the moment: try again later"),
}


def http_failure(observation: Observation) -> Failure | None:
    """Return the failure that an observation is; None for an answer."""
    if observation.status == "ok":
        return None
    if observation.status == "invalid":
        return Failure(400, observation.text)
    return Failure(*STATUS[observation.status], observation.retry_after)


def request_failure(observations: Sequence[Observation]) -> Failure | None:
    """Return the failure of a whole request, the first one's: no call has an answer, and each may when made again."""
    failures = [http_failure(observation) for observation in observations if observation.status != "invalid"]
    if not failures or any(one is None or one.status == 404 for one in failures):
        return None
    return failures[0]
