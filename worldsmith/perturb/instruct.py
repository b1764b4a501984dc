"""A profile in words: the simulation instruction that asks a language model for the same perturbations.

A model that obeys it is judged by what the edited slice says; one that doesn't is repaired by the guard. What a fault
answers never reaches a model.
"""

from collections.abc import Mapping

from worldsmith.slices import Profile

WITHHOLD = (
    "Snippets may state every fact listed for a result.",
    "Snippets tease: state the facts listed for the result, and leave the rest to the page.",
    "Snippets name what the result is about and state nothing else of it.",
    "Snippets name what the result is about and state nothing else of it. Results are few.",
)
"""What each withhold level asks of snippets."""
SAYS: Mapping[str, str] = {
    "distract": "Some results are background that only touches on the query; write them as such.",
    "stale_copy": "Some pages are archive copies of an earlier day; say so on them, as their facts do.",
    "near_duplicate": "Some pages repeat another page nearly word for word; don't say which came first.",
    "homonym": "Some pages are about something else of the same name; never mix their facts.",
    "dead_link": "Some addresses answer that the page was not found.",
    "contradiction": "Some pages state a figure that another page contradicts; state what is listed, with its notice.",
    "truncate": "Some pages end early; write only what is listed.",
    "paywall": "Some pages show only their beginning and a notice that the rest is for subscribers.",
    "paginate": "Some pages are shown in parts; the next part follows when it is asked for.",
    "error": "Some calls fail with an error and pass when made again.",
    "rate_limit": "Some calls are refused for their number and pass when made again.",
    "auth": "Some calls are refused for their key and pass when made again.",
    "timeout": "Some calls take too long and pass when made again.",
}
"""What each perturbation asks, by its name."""


def instruction(asked: Profile) -> str:
    """Return the simulation instruction of a profile: its withhold level and each perturbation, a sentence each."""
    named = [name for shares in (asked.edits, asked.faults) for name, share in (shares or {}).items() if share]
    return " ".join([WITHHOLD[asked.withhold], *(SAYS[name] for name in named)])
