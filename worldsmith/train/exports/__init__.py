"""Tasks for trainers: one writer per format, each producing a folder that loads without this package.

Gold is in one field of a row and nowhere else: not in tool arguments, not in prompts, not in file names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import partial
from pathlib import Path
from typing import Any

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.simulate.perturb import PROFILES
from worldsmith.tasks.worlds import PooledWorlds, Worlds
from worldsmith.train.exports import (
    beir,
    hf,
    json_lines,
    nemo_gym,
    sft,
    skyrl,
    slime,
    trl,
    verifiers,
    verl,
    widesearch,
    wideseek,
)
from worldsmith.train.exports.card import data_card
from worldsmith.train.exports.chat_template import ChatTemplate
from worldsmith.train.exports.lazy import LazyTasks, Progress, no_progress, saved_work
from worldsmith.train.exports.rows import (
    CANARY,
    TEST_SHARE,
    Serving,
    Splits,
    in_curriculum,
    outlines_of,
    split_by,
    worlds_of,
)
from worldsmith.world.files import MANIFEST, staged_files, write_file

Writer = Callable[[Splits, Path, Serving, Worlds], None]
"""(tasks by split, folder, how agents reach the worlds, the tasks' worlds): writes the files of one format.

A README.md is among them, to which the data card is added, and each row holds `CANARY` where no prompt is made of it.
"""

FORMATS: dict[str, Writer] = {
    "jsonl": partial(json_lines.write, adapter="jsonl"),
    "hf": hf.write,
    "trl": trl.write,
    "verl": verl.write,
    "verifiers": verifiers.write,
    "skyrl": skyrl.write,
    "openenv": partial(json_lines.write, adapter="openenv"),
    "nemo-gym": nemo_gym.write,
    "slime": slime.write,
    "rllm": partial(json_lines.write, adapter="rllm"),
    "art": partial(json_lines.write, adapter="art"),
    "inspect": partial(json_lines.write, adapter="inspect"),
    "gymnasium": partial(json_lines.write, adapter="gymnasium"),
    "rollout": partial(json_lines.write, adapter="rollout"),
    "sft": sft.write,
    "beir": beir.write,
    "widesearch": widesearch.write,
    "wideseek": wideseek.write,
}
"""Formats by name."""

TEST_ONLY = frozenset({"beir", "widesearch"})
"""Formats whose tasks are all for testing: benchmarks."""

BASE_URL = "http://127.0.0.1:8000"
"""Where `worldsmith serve` listens by default."""


def export(
    worlds: Worlds,
    to: str,
    out: Path,
    *,
    base_url: str | None = None,
    test_share: float | None = None,
    hold_out: str = "worlds",
    replay: bool = False,
    reasoning: sft.Placement | None = None,
    rendered: Path | None = None,
    curriculum: Sequence[str] | None = None,
    profile: str = "clean",
    seed: int = 0,
    context_tokens: int = 0,
    progress: Progress = no_progress,
) -> dict[str, int]:
    """Write the tasks of worlds for a trainer and return how many went where, and how many worlds are for testing.

    Dropped tasks are left out, of a curriculum too; the data card says how many there are and why.

    One task is held in memory at a time, but for "beir" and "widesearch". Where the process is killed, `out` keeps what
    was computed, hidden, and the same export goes on from there; README.md comes last.

    Args:
        worlds: the worlds; of a pool, agents then work in the web of all of them.
        to: a name of `FORMATS`.
        out: the folder for the files; made where it is missing. Where a write fails, it is as it was.
        base_url: where the trainer reaches `worldsmith serve`.
        test_share: share of the worlds, 0 to 0.9, whose tasks are kept for testing (`TEST_SHARE` unless given); of
            formats in `TEST_ONLY` all are.
        hold_out: what tests alone show: "worlds", "wordings" (all worlds made of those kept for tests), or names of
            schemas, separated by commas.
        replay: whether to play every certificate again, those too whose file is as it was mined.
        reasoning: where reasoning stands in the conversations of "sft": in their "content" unless given.
        profile: of the server that agents work under; rollouts of one task share what is drawn.
        seed: of what is drawn, 0 or more.
        context_tokens: of the model's context, where replies shall say how much of it is left; 0 where not.
        rendered: a chat template, or a tokenizer_config.json, by which "sft" writes conversations as text, too.
        curriculum: ids of the tasks to train on, in their order; without, all tasks of the training worlds.
        progress: passes worlds and tasks on as they are worked through, and shows how far they are.

    Raises:
        NotFoundError: an unknown format, profile or schema, a world without a file of tasks, a curriculum's task of
            other worlds.
        FormatError: a file of tasks, or a template, that can't be read.
        ConsistencyError: a task whose gold or certificate doesn't hold; nothing is written.
        UsageError: no task at all, or none on one side of the split; a share, a URL or a place of reasoning that can't
            be; worlds of both kinds of wordings where these are held out; or `out` holds worlds or another export.
        OSError: a file that can't be written.
    """
    if to not in FORMATS:
        raise NotFoundError(f"there is no export format {to!r}.{close_match(to, FORMATS)}")
    writer = FORMATS[to]
    if reasoning is not None:
        if to != "sft" or reasoning not in sft.PLACEMENTS:
            raise UsageError(f"reasoning {reasoning!r}: for exports to sft, one of {', '.join(sft.PLACEMENTS)}")
        writer = partial(sft.write, reasoning=reasoning)
    if rendered is not None:
        if to != "sft":
            raise UsageError(f"texts by a chat template are for exports to sft, not to {to}")
        placement: sft.Placement = reasoning or "content"
        writer = partial(sft.write, reasoning=placement, template=ChatTemplate(rendered))
    if profile not in PROFILES:
        raise NotFoundError(f"there is no profile {profile!r}.{close_match(profile, PROFILES)}")
    base = (base_url or BASE_URL).rstrip("/")
    if not base.startswith(("http://", "https://")):
        raise UsageError(f"base URL {base!r}: give scheme and host of the server, such as {BASE_URL}")
    if to in TEST_ONLY and (curriculum is not None or hold_out != "worlds" or test_share is not None):
        raise UsageError(f"all tasks of {to} are for testing: leave out --curriculum, --hold-out and --test-share")
    outlines = outlines_of(worlds, replay=replay, progress=progress)
    if to in TEST_ONLY:
        splits = Splits({"train": LazyTasks(()), "test": LazyTasks(outlines)}, "All tasks are for testing.")
    else:
        splits = split_by(outlines, worlds, hold_out, test_share)
    dropped = worlds.dropped()
    if curriculum is not None:
        splits = in_curriculum(splits, [task_id for task_id in curriculum if task_id not in dropped])
    if (out / MANIFEST).is_file() or any(out.glob(f"*/{MANIFEST}")):
        raise UsageError(f"{out} holds worlds: name another folder as --out")
    if out.name.startswith("_") and any(out.parent.glob(f"*/{MANIFEST}")):
        raise UsageError(f"{out} is a folder of the worlds beside it: name another one as --out")
    options = {
        "--pool": "" if isinstance(worlds, PooledWorlds) else None,
        "--hold-out": hold_out if hold_out != "worlds" else None,
        "--test-share": test_share if test_share != TEST_SHARE else None,
        "--curriculum": "FILE" if curriculum is not None else None,
        "--reasoning": reasoning,
        "--rendered": "FILE" if rendered is not None else None,
        "--profile": profile if profile != "clean" else None,
        "--seed": seed or None,
        "--context-tokens": context_tokens or None,
        "--base-url": base if base != BASE_URL else None,
    }
    by_split = {name: some.outlines for name, some in splits.items()}
    with staged_files(out) as part, saved_work(out, by_split, to, reasoning) as saved:
        ready = {
            name: replace(some, label=name, progress=progress, saved=saved / name) for name, some in splits.items()
        }
        splits = replace(splits, parts=ready)
        writer(splits, part, Serving(base, profile, seed, context_tokens), worlds)
        card = data_card(part, splits, worlds, _command(to, options))
        readme = part / "README.md"
        write_file(readme, readme.read_bytes() + card.encode())
        _check_free(part, out)
    ids = {name: worlds_of(some.outlines) for name, some in splits.items()}
    counts = {name: len(some) for name, some in splits.items()}
    return {**counts, "worlds": len(ids["train"] | ids["test"]), "test_worlds": len(ids["test"] - ids["train"])}


def _command(to: str, options: Mapping[str, Any]) -> str:
    """Return the command of an export, without its paths."""
    chosen = (f"{name} {value}".strip() for name, value in options.items() if value is not None)
    return " ".join(["worldsmith export WORLDS --to", to, *chosen, "--out DIR"])


def _check_free(part: Path, out: Path) -> None:
    """Raise UsageError where a file of `part` would replace one of `out` that has other content."""
    for file in sorted(p for p in part.rglob("*") if p.is_file()):
        place = out / file.relative_to(part)
        if place.is_file() and not cmp(place, file, shallow=False):
            raise UsageError(f"{place} is of another export: name an empty folder as --out, or remove what is there")


__all__ = ["BASE_URL", "CANARY", "FORMATS", "Writer", "export"]
