"""A report as one HTML file that needs nothing else: plots as inline SVG, light and dark, the figures as tables."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any, Final

from worldsmith.rollout.recorded_episodes import read_again
from worldsmith.rollout.report_tables import Outcome, Table, episode_cells, episode_heading, overview, report_tables
from worldsmith.rollout.run_report import OUTCOMES, SURPLUS, CellCounts, EpisodeReview, RunReport

STYLE: Final = """
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --faint: #667; --line: #d5d9e0; --box: #f5f6f8;
  --right: #2b8a5a; --right_unread: #9ccfb0; --never_retrieved: #5b6b8c; --not_opened: #8a9cc4;
  --not_reported: #d9a13b; --reported_wrong: #c8553d; --invented: #9b3f86; --truncated: #7d7a72;
  --not_finished: #b9b5aa; --surplus_rows: #4f9da6; }
@media (prefers-color-scheme: dark) { :root { --page: #15181c; --text: #e4e7eb; --faint: #9aa3b0; --line: #363c45;
  --box: #1f242a; --right: #3fae78; --right_unread: #2f6148; --never_retrieved: #7f93bd; --not_opened: #53658f;
  --not_reported: #e0b050; --reported_wrong: #e0705a; --invented: #c26bb0; --truncated: #918d84;
  --not_finished: #5d5a54; --surplus_rows: #5fb3bd; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; font-size: .88rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
td.long { min-width: 18rem; white-space: normal; overflow-wrap: anywhere; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.lines { white-space: pre-line; }
.scroll { overflow-x: auto; }
i.key { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; } pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--box);
  padding: .6rem; border-radius: 4px; font-size: .82rem; }
.faint { color: var(--faint); }
"""
SHOWN_TEXT: Final = 1500
"""Characters of a message that are shown."""
SHORT_TEXT: Final = 32
"""Characters up to which a cell of a table stays on one line."""
_BAR, _LABEL, _HEIGHT, _GAP = 640, 190, 22, 8
_BINS: Final = 10


def report_page(report: RunReport, title: str) -> str:
    """Return the HTML of a report; the episodes it shows are read again from their files."""
    best, worst = report.extremes()
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lines">{escape(overview(report))}</p>',
        _bars(report.cells_by_label()),
        *(f"<h2>{escape(table.title)}</h2>{_table(table)}" for table in report_tables(report)),
        "<h2>Evidenced item F1 of episodes</h2>",
        _histogram([one.scores["evidenced_item_f1"] for one in report.episodes]),
    ]
    for heading, some in (("Best episodes", best), ("Worst episodes", worst)):
        body += [f"<h2>{heading}</h2>", *map(_episode, some)] if some else []
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def _bars(members: Mapping[str, CellCounts]) -> str:
    """Return one stacked bar per member."""
    step = _HEIGHT + _GAP
    parts = []
    for i, (label, cells) in enumerate(members.items()):
        y, x = i * step, float(_LABEL)
        parts.append(f'<text x="{_LABEL - 8}" y="{y + 16}" text-anchor="end">{escape(label[:28])}</text>')
        for name in OUTCOMES:
            if not (width := cells.share(name) * _BAR):
                continue
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_HEIGHT}" fill="var(--{name})">'
                f"<title>{escape(label)}: {name} {cells.share(name):.1%}</title></rect>"
            )
            x += width
    return _svg(_LABEL + _BAR, len(members) * step, parts, "Shares of cells by outcome")


def _histogram(values: Sequence[float]) -> str:
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value * _BINS))] += 1
    most, width, height = max(1, *counts), 60, 120
    parts = []
    for i, count in enumerate(counts):
        tall = count / most * height
        parts.append(
            f'<rect x="{i * width + 2}" y="{20 + height - tall:.1f}" width="{width - 4}" height="{tall:.1f}" '
            f'fill="var(--right)"/><text x="{i * width + width / 2}" y="{14 + height - tall:.1f}" '
            f'text-anchor="middle">{count}</text>'
            f'<text x="{i * width + width / 2}" y="{height + 38}" text-anchor="middle">{i / _BINS:.1f}-'
            f"{(i + 1) / _BINS:.1f}</text>"
        )
    return _svg(_BINS * width, height + 46, parts, "Episodes by evidenced item F1")


def _svg(width: int, height: int, parts: Iterable[str], title: str) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _table(table: Table) -> str:
    if not table.rows:
        return '<p class="faint">none</p>'
    number = [isinstance(value, int | float) for value in table.rows[0]]
    names = zip(table.header, number, strict=True)
    head = "".join(f"<th{' class=n' * is_number}>{escape(name)}</th>" for name, is_number in names)
    lines = "".join(
        "<tr>" + "".join(_cell(v, is_number) for v, is_number in zip(row, number, strict=True)) + "</tr>\n"
        for row in table.rows
    )
    caption = f'<p class="faint lines">{escape(table.caption)}</p>' if table.caption else ""
    return f'{caption}<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{lines}</tbody></table></div>'


def _cell(value: Any, is_number: bool) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else "-" if value is None else str(value)
    kind = " class=n" if is_number else " class=long" if len(text) > SHORT_TEXT else ""
    key = f'<i class="key" style="background:var(--{value})"></i>' if isinstance(value, Outcome) else ""
    return f"<td{kind}>{key}{escape(text)}</td>"


def _episode(review: EpisodeReview) -> str:
    """Return an episode to open: its question, its cells and where they came from, and the conversation."""
    episode = read_again(review.place)
    question, *turns = episode["messages"][1:]
    parts = [
        f"<summary>{escape(episode_heading(review))}</summary>",
        *(f"<p><b>{escape(name)}</b>: {escape(text)}</p>" for name, text in review.flags.items()),
        f"<pre>{escape(str(question['content']))}</pre>",
        _table(episode_cells(episode)),
    ]
    if surplus := episode["surplus"]:
        parts.append(_table(Table("", [SURPLUS], [[" | ".join(row)] for row in surplus])))
    parts.append(f"<details><summary>Conversation</summary>{''.join(map(_message, turns))}</details>")
    return f"<details>{''.join(parts)}</details>"


def _message(message: Mapping[str, Any]) -> str:
    texts = [str(message.get("reasoning_content") or ""), str(message.get("content") or "")]
    texts += [call_text(call["function"]) for call in message.get("tool_calls") or ()]
    shown = "\n\n".join(
        text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}… [{len(text) - SHOWN_TEXT} more characters]"
        for text in texts
        if text
    )
    return f'<p class="faint">{escape(message["role"])}</p><pre>{escape(shown)}</pre>'


def call_text(function: Mapping[str, Any]) -> str:
    """Return a native call as code has it, `web_search("…", page=2)`: the first argument without its name.

    Arguments that are no JSON object are shown as the model wrote them.
    """
    written = function.get("arguments") or ""
    arguments = written
    if isinstance(written, str):
        with suppress(json.JSONDecodeError):
            arguments = json.loads(written)
    if isinstance(arguments, Mapping):
        values = [json.dumps(value, ensure_ascii=False) for value in arguments.values()]
        written = ", ".join([*values[:1], *map("{}={}".format, [*arguments][1:], values[1:])])
    return f"{function.get('name')}({written})"
