"""The data card of an export, at the end of its README: what it was made of, by which command, and how hard it is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from statistics import mean, median

from worldsmith import __version__
from worldsmith.tasks.shortcuts import GATES
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.lazy import TaskOutline
from worldsmith.train.exports.rows import CANARY, Splits, worlds_of
from worldsmith.world.model import canonical_json

ROW_FILES = frozenset({".csv", ".jsonl", ".parquet", ".tsv"})
"""How the names of files of rows end."""
MOST = 12
"""Files of one folder that are listed one by one."""

CARD = """
## Data card

| | |
| --- | --- |
| licence | Apache-2.0 |
| made by | `{command}`, worldsmith {version} |
| worlds | {worlds}, sha256 {digest} over their sorted digests |
| split | {split} |

| file | sha256 |
| --- | --- |
{files}

| kind | size | tasks | rows | turns | tool tokens | {shortcuts} |
| --- | --- | --- | --- | --- | --- | {ruler} |
{figures}

Rows of the answer, turns and tool tokens of the shortest known way: the median, and the most. The last columns are what
agents earn that take a shortcut: the mean item F1 outside the key, where it was measured. The oracle earns 1.
{dropped}
## Canary

{canary}

Tasks and their gold should not appear in corpora for pretraining. This line stands here and in a field of each row, so
that such documents are found and left out; prompts, tool schemas and replies never hold it.
"""


def data_card(folder: Path, splits: Splits, worlds: Worlds, command: str) -> str:
    """Return the data card of the export of `splits` in `folder`, which a command without paths made."""
    used = sorted(map(worlds.digest, worlds_of(splits.outlines)))
    return CARD.format(
        command=command,
        version=__version__,
        worlds=len(used),
        digest=sha256(canonical_json(used)).hexdigest(),
        split=splits.sentence,
        files="\n".join(_file_lines(folder)),
        shortcuts=" | ".join(GATES),
        ruler=" | ".join("---" for _ in GATES),
        figures="\n".join(_figure_lines(splits.outlines)),
        dropped=_dropped_section(worlds.dropped().values()),
        canary=CANARY,
    )


def _file_lines(folder: Path) -> list[str]:
    """Return a line for each file of rows, or for the files of one folder where those are many."""
    by_folder: dict[Path, dict[str, str]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in ROW_FILES and path.is_file()):
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        by_folder.setdefault(path.parent, {})[str(path.relative_to(folder))] = digest
    lines = []
    for parent, files in by_folder.items():
        if len(files) <= MOST:
            lines += [f"| {name} | {digest} |" for name, digest in files.items()]
            continue
        listing = "".join(f"{digest}  {name}\n" for name, digest in files.items())
        of_all = sha256(listing.encode()).hexdigest()
        lines.append(f"| {parent.relative_to(folder)}: {len(files)} files | {of_all} of what `sha256sum` prints |")
    return lines


def _figure_lines(outlines: Sequence[TaskOutline]) -> list[str]:
    groups: dict[tuple[str, str], list[TaskOutline]] = {}
    for outline in outlines:
        groups.setdefault((outline.kind, outline.size), []).append(outline)
    lines = []
    for (kind, size), group in sorted(groups.items()):
        spreads = (
            f"{median(values):.0f}, {max(values)}"
            for values in ([getattr(outline, name) for outline in group] for name in ("rows", "turns", "tool_tokens"))
        )
        measured = [outline.shortcuts for outline in group if outline.shortcuts]
        worth = [f"{mean(values):.3f}" for values in zip(*measured, strict=True)] or ["-"] * len(GATES)
        lines.append(f"| {' | '.join([kind, size, str(len(group)), *spreads, *worth])} |")
    return lines


def _dropped_section(reasons: Iterable[str]) -> str:
    """Return what a data card says of the tasks that were dropped for these reasons; "" where there are none."""
    counts = Counter(reasons)
    if not counts:
        return ""
    lines = "".join(f"\n- {count}: {reason}" for reason, count in counts.most_common())
    return f"\n## Dropped tasks\n\nTasks of these worlds that were left out by hand: {counts.total()}.\n{lines}\n"
