"""Make an evaluation set and record its digests in the package: python examples/freeze_set.py NAME DIR.

For those who release worldsmith. A set that others have used is never recorded anew: it gets another number.
"""

import sys
from pathlib import Path

from worldsmith.rollout import evaluation_set
from worldsmith.world.files import indented_json, write_file


def main(name: str, folder: str) -> None:
    """Make the set in `folder` and write its record."""
    one = evaluation_set.set_named(name)
    record = evaluation_set.build_set(one, Path(folder))
    if len(record["tasks"]) != one.size:
        sys.exit(f"{len(record['tasks'])} tasks instead of {one.size}: try another seed")
    write_file(Path(evaluation_set.__file__).with_name(f"{name}.json"), indented_json(record))
    print(f"{name}: {len(record['worlds'])} worlds, {len(record['tasks'])} tasks recorded")


if __name__ == "__main__":
    main(*sys.argv[1:])
