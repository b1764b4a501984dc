"""Commands on recorded calls: trace shows a session, store exports and imports a model's texts."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from worldsmith.cli.base import counted, emit, json_option

EXISTING = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("file", type=EXISTING, metavar="TRACE.jsonl")
@json_option
def trace(file: Path, *, as_json: bool) -> None:
    """Show a session call by call: its sources, what edits changed, the reply, the guard's objections.

    Where a language model wrote, its prompt and its raw reply too. `serve --trace DIR` and `run --trace DIR` write the
    files, one per session.

    \b
    worldsmith trace traces/town-e037c676f4.9f3c0a1b2c3d4e5f.jsonl
    worldsmith trace traces/town-e037c676f4.9f3c0a1b2c3d4e5f.jsonl --json
    """
    from worldsmith.simulate.traces import read_trace

    head, records, broken = read_trace(file)
    if as_json:
        for value in (head, *records):
            emit(value)
    else:
        place = [f"{name} {head[name]}" for name in ("world", "profile", "seed", "session") if head.get(name) != ""]
        calls = sum("call" in record for record in records)
        click.echo(f"{', '.join(place)}: {counted(calls, 'call')}")
        number = 0
        for record in records:
            if "call" in record:
                number += 1
                lines = _call(number, record)
            else:
                lines = [click.style(f"{record.get('role', 'message')}:", bold=True), str(record.get("content", ""))]
            click.echo("\n" + "\n".join(lines))
    if broken:
        click.echo(f"worldsmith: {counted(broken, 'line')} half-written, left out", err=True)


def _call(number: int, record: dict[str, Any]) -> list[str]:
    call, observation = record["call"], record["observation"]
    more = [f"{name} {value}" for name, value in call.items() if name not in {"tool", "arg"}]
    attempt = [f"attempt {record['attempt'] + 1}"] if record.get("attempt") else []
    head = f"{number}. {call['tool']} {call['arg']!r} {', '.join([*more, *attempt])}".rstrip()
    lines = [click.style(head, bold=True)]
    part = record.get("slice") or {}
    if part.get("pages"):
        lines.append(f"drew on {', '.join(part['pages'])}")
    for change in part.get("changes", ()):
        cells = [f"{row} {column} {value!r}" for row, column, value in change["cells"]]
        lines.append(f"edit {change['edit']} on {change['page']}: {'; '.join(cells) or 'no cell lost'}")
    for request in record.get("model", ()):
        for role, content in request["messages"]:
            lines += [click.style(f"--- {role}", dim=True), content]
        lines += [click.style("--- the model wrote", dim=True), request["reply"] or "(nothing)"]
        lines += [f"not used: {request['error']}"] if request["error"] else []
    verdicts = record.get("verdicts") or {}
    lines += [f"rejected: {v['where']} {v['text']!r} {v['why']}" for v in verdicts.get("rejected", ())]
    return [*lines, *_observation_lines(observation)]


def _observation_lines(observation: dict[str, Any]) -> list[str]:
    from worldsmith.agents.client import numbered_results

    states = [str(observation[name]) for name in ("status", "fault", "source") if observation.get(name)]
    lines = [click.style(f"--- answered {', '.join(states)}".rstrip(), dim=True)]
    if observation.get("results"):
        lines.append(f"{numbered_results(observation['results'])}\n")
    return [*lines, observation["text"]] if observation.get("text") else lines


@click.group()
def store() -> None:
    """About files of accepted texts, which `--store` names."""


@store.command("export")
@click.argument("file", type=EXISTING, metavar="STORE")
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False), metavar="OUT.jsonl")
@json_option
def store_export(file: Path, out: Path, *, as_json: bool) -> None:
    """Write the texts of a store as JSON lines: importing them repeats the run without the model.

    \b
    worldsmith store export texts.db texts.jsonl
    """
    from worldsmith.simulate.store import Store
    from worldsmith.world.files import write_file

    with closing(Store(file)) as kept:
        lines, authors = list(kept.lines()), kept.authors()
    write_file(out, b"".join(line + b"\n" for line in lines))
    if as_json:
        emit({"texts": len(lines) - 1, "authors": authors, "out": str(out)})
    else:
        click.echo(f"{counted(len(lines) - 1, 'text')} of {', '.join(authors) or 'no model'} in {out}")


@store.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="STORE")
@click.argument("texts", type=EXISTING, metavar="TEXTS.jsonl")
@json_option
def store_import(file: Path, texts: Path, *, as_json: bool) -> None:
    """Read exported texts into a store, created where it is missing: all or none; existing texts stay.

    \b
    worldsmith store import texts.db texts.jsonl
    worldsmith serve w --store texts.db        answers as the run did that made them; no model is asked
    """
    from worldsmith.simulate.store import Store

    with closing(Store(file)) as kept:
        imported = kept.read(texts.read_bytes().split(b"\n"), str(texts))
    if as_json:
        emit({"added": imported.added, "known": imported.known, "other": imported.other})
    else:
        stays = f"; {imported.other} exist with another text, which stays" if imported.other else ""
        click.echo(f"{counted(imported.added, 'text')} added, {imported.known} known{stays}")


@store.command("prune")
@click.argument("file", type=EXISTING, metavar="STORE")
@json_option
def store_prune(file: Path, *, as_json: bool) -> None:
    """Forget how often each session made each call. Texts stay. Sessions that go on begin at their first attempt."""
    from worldsmith.simulate.store import Store

    with closing(Store(file)) as kept:
        forgotten = kept.prune()
    if as_json:
        emit({"forgotten": forgotten})
    else:
        click.echo(f"{counted(forgotten, 'count')} of attempts forgotten")
