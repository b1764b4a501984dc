"""Search an invented web and fill a table, for verifiers 0.4 and prime-rl: `--env.taskset.id worldsmith-search`."""

from worldsmith_search.env import SearchEnv
from worldsmith_search.harness import SearchHarness
from worldsmith_search.taskset import SearchTaskset

__all__ = ["SearchEnv", "SearchHarness", "SearchTaskset"]
