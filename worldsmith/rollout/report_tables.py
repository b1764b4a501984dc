"""What a report shows, whether as text or as a page: its overview, its tables, and the cells of single episodes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from worldsmith.rollout.episode_flags import FLAGS
from worldsmith.rollout.figures import SCORES
from worldsmith.rollout.run_report import OUTCOMES, EpisodeReview, RunReport, cell_outcome, where_from


class Outcome(str):
    """The name of an outcome of cells, which a page shows with its color."""

    __slots__ = ()


class Table(NamedTuple):
    """A table to show; nothing where it has no rows."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


def overview(report: RunReport) -> str:
    """Return episodes, mean scores and ends in three lines."""
    flat = report.flat()
    return "\n".join(
        [
            f"episodes {len(report.episodes)}, tasks {flat['report/tasks']:.0f}, cells {report.cells.total}",
            ", ".join(f"{name} {flat[f'report/{name}']:.3f}" for name in SCORES),
            "ends: " + ", ".join(f"{name} {count}" for name, count in report.finish.most_common()),
        ]
    )


def report_tables(report: RunReport) -> list[Table]:
    """Return the tables of a report: outcomes of cells, the same by group, failures of episodes, flags."""
    cells, shown = report.cells, [name for name in OUTCOMES if report.cells.counts[name]]
    flagged = {name: some for name, some in report.flagged().items() if some}
    return [
        Table(
            "Where cells are lost",
            ("outcome", "cells", "share", "the cell is"),
            [(Outcome(name), cells.counts[name], cells.share(name), OUTCOMES[name]) for name in shown],
        ),
        Table(
            "Shares of cells by group",
            ("cells of", "all", *shown),
            [(label, some.total, *map(some.share, shown)) for label, some in report.cells_by_label().items()],
            "A step is the turn in which a reply first stated the cell, or else named its row.",
        ),
        Table(
            "Why episodes failed",
            ("failure", "episodes", "share"),
            [(name, count, count / len(report.episodes)) for name, count in report.failing().most_common()],
            "A failure is the outcome that lost most of an episode's cells. Episodes with nothing wrong are left out.",
        ),
        Table(
            "Flags",
            ("flag", "episodes", "for example", "because of"),
            [(name, len(some), some[0].task_id, some[0].flags[name]) for name, some in flagged.items()],
            "\n".join(f"{name}: {FLAGS[name]}" for name in flagged),
        ),
    ]


def episode_heading(review: EpisodeReview) -> str:
    """Return an episode in one line."""
    what = ", ".join(filter(None, [review.finish, review.failure, *review.flags]))
    return (
        f"{review.task_id}, sample {review.sample} ({review.place.run}): reward {review.scores['reward']:.3f}, item F1 "
        f"{review.scores['item_f1']:.3f}, calls {review.calls}, {what}"
    )


def episode_cells(episode: Mapping[str, Any]) -> Table:
    """Return the cells of an episode outside the key, those that are not right first, with where they came from."""
    rows = [
        (
            cell["row"] or None,
            cell["column"],
            Outcome(cell_outcome(cell, episode)),
            cell["expected"],
            cell["answered"] or None,
            where_from(cell, episode["calls"]) or None,
        )
        for cell in episode["cells"]
    ]
    rows.sort(key=lambda row: row[2] == "right")
    header = ("row", "column", "outcome", "expected", "answered", "came from")
    return Table("Cells", header, rows, "Cells outside the key.")
