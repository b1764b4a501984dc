"""The tasks among draws, as many as a test takes."""

from worldsmith.tasks import Task, drawn


def candidates(world, pages, seed, size="wide", kind="wide", *, empty=False):
    return (found for found in drawn(world, pages, seed, size, kind, empty=empty) if isinstance(found, Task))
