"""The delivery for agents whose hosts are fixed: a command runs, and each of its hosts is the simulator."""

from worldsmith.serving.redirection.command import run_redirected

__all__ = ["run_redirected"]
