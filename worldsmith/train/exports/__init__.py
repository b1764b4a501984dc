"""Tasks for trainers: one writer per format, each producing a folder that loads without this package.

Gold is in one field of a row and nowhere else: not in tool arguments, not in prompts, not in file names.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.simulate.perturb import PROFILES
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports import beir, jsonl, nemo_gym, rollout, sft, slime, verl
from worldsmith.train.exports.rows import (
    CANARY,
    CARD,
    Serving,
    Splits,
    in_curriculum,
    load_tasks,
    split_tasks,
    worlds_of,
)
from worldsmith.world.files import MANIFEST, staged_files, write_file

Writer = Callable[[Splits, Path, Serving, Worlds], None]
"""(tasks by split, folder, how agents reach the worlds, the tasks' worlds): writes the files of one format.

A README.md is among them, the data card, and each row holds `CANARY` where no prompt is made of it.
"""

FORMATS: dict[str, Writer] = {
    "jsonl": jsonl.write,
    "rollout": rollout.write,
    "verl": verl.write,
    "nemo-gym": nemo_gym.write,
    "slime": slime.write,
    "rllm": partial(rollout.write, adapter="rllm"),
    "art": partial(rollout.write, adapter="art"),
    "sft": sft.write,
    "beir": beir.write,
}
"""Formats by name."""

TEST_ONLY = frozenset({"beir"})
"""Formats whose tasks are all for testing: benchmarks."""

BASE_URL = "http://127.0.0.1:8000"
"""Where `worldsmith serve` listens by default."""


def export(
    worlds: Worlds,
    to: str,
    out: Path,
    *,
    base_url: str | None = None,
    test_share: float = 0.1,
    replay: bool = False,
    reasoning: sft.Placement | None = None,
    curriculum: Sequence[str] | None = None,
    profile: str = "clean",
    seed: int = 0,
    context_tokens: int = 0,
) -> dict[str, int]:
    """Write the tasks of worlds for a trainer and return how many went where, and how many worlds are for testing.

    Args:
        worlds: the worlds; of a pool, agents then work in the web of all of them.
        to: a name of `FORMATS`.
        out: the folder for the files; made where it is missing. Where a write fails, it is as it was.
        base_url: where the trainer reaches `worldsmith serve`.
        test_share: share of the worlds, 0 to 0.9, whose tasks are kept for testing; of formats in `TEST_ONLY` all are.
        replay: whether to play every certificate again, those too whose file is as it was mined.
        reasoning: where reasoning stands in the conversations of "sft": in their "content" unless given.
        profile: the server's moods that agents work under; rollouts of one task share what is drawn.
        seed: of what is drawn, 0 or more.
        context_tokens: of the model's context, where replies shall say how much of it is left; 0 where not.
        curriculum: ids of the tasks to train on, in their order; without, all tasks of the training worlds.

    Raises:
        NotFoundError: an unknown format or profile, a world without a file of tasks, a curriculum's task of
            other worlds.
        FormatError: a file of tasks that can't be read.
        ConsistencyError: a task whose gold or certificate doesn't hold; nothing is written.
        UsageError: no task at all, a share, a URL or a place of reasoning that can't be; or `out`
            holds worlds or another export.
        OSError: a file that can't be written.
    """
    if to not in FORMATS:
        raise NotFoundError(f"there is no export format {to!r}.{close_match(to, FORMATS)}")
    writer = FORMATS[to]
    if reasoning is not None:
        if to != "sft" or reasoning not in sft.PLACEMENTS:
            raise UsageError(f"reasoning {reasoning!r}: for exports to sft, one of {', '.join(sft.PLACEMENTS)}")
        writer = partial(sft.write, reasoning=reasoning)
    if profile not in PROFILES:
        raise NotFoundError(f"there is no profile {profile!r}.{close_match(profile, PROFILES)}")
    base = (base_url or BASE_URL).rstrip("/")
    if not base.startswith(("http://", "https://")):
        raise UsageError(f"base URL {base!r}: give scheme and host of the server, such as {BASE_URL}")
    tasks = load_tasks(worlds, replay=replay)
    splits = {"train": [], "test": tasks} if to in TEST_ONLY else split_tasks(tasks, test_share)
    if curriculum is not None:
        if to in TEST_ONLY:
            raise UsageError(f"all tasks of {to} are for testing: leave the curriculum out")
        splits = in_curriculum(splits, curriculum)
    if (out / MANIFEST).is_file() or any(out.glob(f"*/{MANIFEST}")):
        raise UsageError(f"{out} holds worlds: name another folder as --out")
    with staged_files(out) as part:
        writer(splits, part, Serving(base, profile, seed, context_tokens), worlds)
        readme = part / "README.md"
        write_file(readme, readme.read_bytes() + CARD.format(canary=CANARY).encode())
        _check_free(part, out)
    ids = {name: worlds_of(some) for name, some in splits.items()}
    counts = {name: len(some) for name, some in splits.items()}
    return {**counts, "worlds": len(ids["train"] | ids["test"]), "test_worlds": len(ids["test"] - ids["train"])}


def _check_free(part: Path, out: Path) -> None:
    """Raise UsageError where a file of `part` would replace one of `out` that has other content."""
    for file in sorted(p for p in part.rglob("*") if p.is_file()):
        place = out / file.relative_to(part)
        if place.is_file() and place.read_bytes() != file.read_bytes():
            raise UsageError(f"{place} is of another export: name an empty folder as --out, or remove what is there")


__all__ = ["BASE_URL", "CANARY", "FORMATS", "Writer", "export"]
