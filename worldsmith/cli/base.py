"""What all commands share: errors as one line, tables for people, JSON lines for programs."""

import gc
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from difflib import get_close_matches
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldsmith.errors import FormatError, UsageError, WorldsmithError

if TYPE_CHECKING:
    from worldsmith.pages.pool import Pool
    from worldsmith.world.model import World

T = TypeVar("T")
LEFT_OUT = "worldsmith.left_out"
"""In the context of a command: whether it left a world out that can't be read."""
PERIOD = 15.0
"""Seconds between lines that say how far a command is."""
NAMED = 8
"""Folders named in one line."""
COLLECTION = (100_000, 50, 50)
"""Thresholds of the garbage collector while a command runs. Page plans and indices are many small objects that stay:
with Python's own (700, 10, 10) a fifth of the CPU time of opening a world went into looking at them again."""


class Failure(click.ClickException):
    """One line on standard error, and an exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]  # click declares it on the class, and reads it from the instance


class Finite(click.FloatRange):
    """A number in a range; NaN, which is in none and passes every comparison with its bounds, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is no finite number.", param, ctx)
        return number


class Commands(click.Group):
    """A group that turns our errors into one line and an exit code: 2 for wrong usage, 1 for anything else."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        gc.set_threshold(*COLLECTION)
        try:
            result = super().invoke(ctx)
        except WorldsmithError as error:
            raise Failure(str(error), 2 if isinstance(error, UsageError) else 1) from None
        except BrokenPipeError:
            raise  # click ends quietly when the reader of a pipe has gone
        except OSError as error:
            # A full disk, a folder that can't be written: reported with its path, without a traceback.
            named = isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError)
            raise Failure(f"{error.filename or 'system'}: {error.strerror or error}", 2 if named else 1) from None
        if ctx.meta.get(LEFT_OUT):
            ctx.exit(1)
        return result

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; an unknown one gets a close match."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.commands, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Commands: {', '.join(self.commands)}."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def one_world(path: Path) -> Path:
    """Return the world folder that `path` names or holds, strays named; UsageError where it holds several."""
    from worldsmith.world.files import world_folders

    folders = world_folders([path])
    report_strays([path])
    if len(folders) > 1:
        names = _named([folder.name for folder in folders])
        fix = f"Name one: {folders[0]}; or give --pool, where the command has it"
        raise UsageError(f"{path} holds {len(folders)} worlds: {names}. {fix}")
    return folders[0]


def pool_at(paths: Sequence[Path], *, quiet: bool = True) -> "Pool":
    """Return the pool of the worlds that `paths` name. Raises UsageError where they can't be one."""
    from worldsmith.pages.pool import open_pool
    from worldsmith.world.files import world_folders

    folders = world_folders(paths)  # a world's bytes are checked when it is opened, by the digest that the pool has
    report_strays(paths)
    return open_pool(folders, lambda some: progress(some, len(some), "worlds", quiet=quiet))


def usable_worlds(paths: Sequence[Path], *, verify: bool = True, fault: bool = True) -> list[Path]:
    """Return the paths of `loaded_worlds`; those of shards as they are: each is verified when it is opened."""
    from worldsmith.world.files import worlds_in_shards

    sharded = {path: worlds for path in paths if (worlds := worlds_in_shards(path))}
    others = [path for path in paths if path not in sharded]
    loaded = [folder for folder, _ in loaded_worlds(others, verify=verify, fault=fault)] if others else []
    return [*loaded, *(world for worlds in sharded.values() for world in worlds)]


def loaded_worlds(
    paths: Sequence[Path], *, verify: bool = True, fault: bool = True, locked: bool = False, quiet: bool = True
) -> "Iterator[tuple[Path, World]]":
    """Yield the worlds that `paths` name with their folders; those that can't be read are named on standard error.

    With `verify` their bytes must be those that their manifests name. With `fault` a world that is left out makes the
    exit code of the command 1. With `locked` nobody writes worlds beside the one at hand. A progress bar is shown
    unless `quiet`. Raises FormatError where none can be read.
    """
    from worldsmith.world.files import load_world, locked_folder, world_folders

    folders, damaged, used = world_folders(paths), report_strays(paths, fault=fault), 0
    for folder in progress(folders, len(folders), "worlds", quiet=quiet):
        with locked_folder(folder.resolve().parent, shared=True) if locked else nullcontext():
            try:
                world = load_world(folder, verify=verify)
            except FormatError as error:
                if len(folders) == 1:
                    raise
                damaged.append(folder)
                click.echo(f"worldsmith: left out: {error}", err=True)
                continue
            used += 1
            yield folder, world
    if not used:
        raise FormatError(f"none of {counted(len(folders), 'world')} can be read")
    if damaged:
        click.echo(f"worldsmith: {used} of {counted(used + len(damaged), 'world')} used", err=True)
    if damaged and fault:
        click.get_current_context().meta[LEFT_OUT] = True


def report_strays(paths: Sequence[Path], *, fault: bool = True) -> list[Path]:
    """Name folders without a manifest on standard error, and return those that were worlds."""
    from worldsmith.world.files import MANIFEST, folders_without_manifest

    reasons = folders_without_manifest(paths)
    damaged = [folder for folder, why in reasons.items() if why]
    others = [folder for folder, why in reasons.items() if not why]
    for folder in damaged:
        click.echo(f"worldsmith: left out: {reasons[folder]}", err=True)
    if others:
        what = f"{counted(len(others), 'folder')} without {MANIFEST}, no worlds"
        click.echo(f"worldsmith: {what}: {_named(others)}", err=True)
    if damaged and fault:
        click.get_current_context().meta[LEFT_OUT] = True
    return damaged


def _named(folders: Sequence[Path | str]) -> str:
    return ", ".join(map(str, folders[:NAMED])) + (", …" if len(folders) > NAMED else "")


def counted(number: int, noun: str) -> str:
    """Return "1 world", "2 worlds"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def emit(value: Any) -> None:
    """Print one JSON value on a line of its own."""
    click.echo(json.dumps(value, ensure_ascii=False, default=str))  # dates of a typed query as ISO text


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], limit: int = 44, most: int | None = None) -> str:
    """Return a plain table: columns aligned, numbers to the right, long cells cut; after `most` rows how many more."""
    every = list(rows)
    shown = [[_cell(v, limit) for v in row] for row in every[:most]]
    widths = [max([len(h), *(len(r[i]) for r in shown)]) for i, h in enumerate(header)]
    right = [bool(shown) and all(_numeric(r[i]) for r in shown) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        parts = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True)]
        return "  ".join(parts).rstrip()

    lines = [line(list(header)), line(["-" * w for w in widths]), *map(line, shown)]
    if len(every) > len(shown):
        lines.append(f"… and {len(every) - len(shown)} more")
    return "\n".join(lines)


def _cell(value: Any, limit: int) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else "-" if value is None else str(value)
    text = text.replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _numeric(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).replace(",", "").lstrip("-").isdigit()


def progress(items: Iterable[T], length: int, label: str, *, quiet: bool) -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal's standard error; elsewhere a line every `PERIOD` seconds."""
    if quiet:
        yield from items
    elif not sys.stderr.isatty():
        last = monotonic()
        for number, item in enumerate(items, 1):
            yield item
            if number < length and (now := monotonic()) - last >= PERIOD:
                click.echo(f"worldsmith: {number} of {length} {label}", err=True)
                last = now
    elif length < 3:
        yield from items
    else:
        with click.progressbar(items, length=length, label=label, file=sys.stderr) as bar:
            yield from bar


pool_option = click.option(
    "--pool",
    "pooled",
    is_flag=True,
    help="All worlds of the folder as one search engine and one web, instead of each on its own.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON value per line, for programs.")
