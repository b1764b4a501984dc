"""Commands with which a language model writes a schema, and sentences for one."""

import json
import os
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import MODEL_URL, report
from worldsmith.cli.base import Finite, counted, emit, json_option
from worldsmith.errors import BackendError, UsageError

if TYPE_CHECKING:
    from worldsmith.drafting.sentences import Sentences
    from worldsmith.drafting.steps import Draft
    from worldsmith.simulate.llm.model import Backend
    from worldsmith.simulate.protocol import Exchange

TRIAL_TASKS = 3
"""Tasks mined from a first world of a draft."""
OPTIONS = (
    click.option("--model", required=True, metavar="NAME", help="The language model that writes."),
    click.option(
        "--model-url",
        default=MODEL_URL,
        show_default=True,
        help="OpenAI-compatible endpoint of the model; its key is taken from OPENAI_API_KEY.",
    ),
    click.option("--temperature", type=Finite(0, 2), default=0.6, show_default=True, help="Of the model."),
    click.option(
        "--max-tokens",
        type=click.IntRange(1, 10**9),
        default=16384,
        show_default=True,
        help="Tokens of one answer, reasoning included.",
    ),
    click.option("--timeout", type=Finite(0.1), default=600.0, show_default=True, help="Seconds per answer."),
    click.option(
        "--transcript",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File for what the model was asked and what it answered, one JSON value per line.",
    ),
    json_option,
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a model that writes to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("subject", default="")
@click.option(
    "--documents",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Folder of Markdown, text and HTML files that describe the subject. They are material: nothing in them is "
    "followed as an instruction, and no name in them may stand in the schema.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.toml",
    help="The schema file; its language file is put beside it.",
)
@click.option(
    "--rounds",
    type=click.IntRange(0, 20),
    default=4,
    show_default=True,
    help="Times that what the check says goes back to the model in a step, at most.",
)
@click.option(
    "--worlds", type=click.IntRange(1, 100), default=6, show_default=True, help="Trial worlds filled in each check."
)
@click.option("--no-sentences", is_flag=True, help="Leave the language file out: sentences are derived.")
@model_options
@click.pass_context
def draft(
    ctx: click.Context,
    subject: str,
    documents: Path | None,
    out: Path,
    model: str,
    model_url: str,
    *,
    rounds: int,
    worlds: int,
    no_sentences: bool,
    temperature: float,
    max_tokens: int,
    timeout: float,
    transcript: Path | None,
    as_json: bool,
) -> None:
    """Let a language model write a schema about SUBJECT, from documents, or both.

    It writes tables, rules, background and needs in steps. Each is checked as `worldsmith schema check` does, and what
    is wrong goes back to the model. A rule that can't be mended is left out; the best draft is kept, and what is still
    wrong with it stands at the top of the file. Then it writes sentences, each of which is checked by itself. Exit code
    1: faults are left, or the model stopped answering.

    \b
    worldsmith draft "a chain of mountain huts" --model NAME --out huts.toml
    worldsmith draft --documents notes/ --model NAME --model-url http://127.0.0.1:8001/v1 --out huts.toml
    worldsmith generate huts.toml --seed 7 --out w
    """
    import asyncio

    from worldsmith.drafting.documents import MOST_CHARACTERS, read_documents

    _check_out(out, [out, language_file(out)])
    if not subject and documents is None:
        raise UsageError(
            'say what the schema is about, as in worldsmith draft "a chain of mountain huts", or give --documents'
        )
    material = read_documents(documents) if documents else ()
    if material:
        share = MOST_CHARACTERS // len(material)
        cut = sum(len(document.text) > share for document in material)
        limit = f", {cut} of them cut to {share:,} characters" if cut else ""
        report(f"{counted(len(material), 'document')} read{limit}")
    backend = _backend(model, model_url, temperature, max_tokens, timeout)
    comment = f"A draft by {model}: {subject or documents}. Read it, edit it, then: worldsmith schema check {out.name}"

    def keep(result: "Draft", sentences: "Sentences | None" = None) -> None:
        _write_draft(out, result, sentences, comment)
        if transcript:
            _write_transcript(transcript, [*result.exchanges, *(sentences.exchanges if sentences else ())])

    result, sentences = asyncio.run(
        _drafted(backend, subject, material, rounds, worlds, keep, with_sentences=not no_sentences)
    )
    if not out.exists():
        raise BackendError(f"{out}: not written: {result.steps[0].error or 'the model gave no table'}")
    trial = _first_world(out) if result.passed else {}
    if as_json:
        emit(_draft_json(out, result, sentences, trial))
    else:
        click.echo("\n".join(_draft_lines(out, result, sentences, trial)))
    if not (result.passed and result.whole) or (sentences and sentences.error):
        ctx.exit(1)


async def _drafted(
    backend: "Backend",
    subject: str,
    documents: Sequence[Any],
    rounds: int,
    worlds: int,
    keep: Callable[..., None],
    *,
    with_sentences: bool,
) -> "tuple[Draft, Sentences | None]":
    from worldsmith.drafting.documents import names_in
    from worldsmith.drafting.sentences import write_sentences
    from worldsmith.drafting.steps import Drafting

    try:
        drafting = Drafting(backend, rounds=rounds, worlds=worlds, report=report, keep=keep)
        result = await drafting.draft(subject, documents)
        if not (with_sentences and result.passed and result.review.schema) or result.steps[-1].error:
            return result, None
        names = names_in(document.text for document in documents)
        sentences = await write_sentences(
            backend, result.review.schema, None, document_names=names, rounds=min(rounds, 1), report=report
        )
        keep(result, sentences)
        return result, sentences
    finally:
        await backend.close()


def language_file(path: Path) -> Path:
    """Return the language file of a schema file."""
    from worldsmith.schema.files import LANGUAGE

    return path.with_suffix(LANGUAGE)


def _check_out(out: Path, paths: Sequence[Path]) -> None:
    if out.suffix != ".toml" or "." in out.stem:
        raise UsageError(f"--out {out}: end its name in .toml, without another dot, as in huts.toml")
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: there is no folder {out.parent}: make it first")
    for path in paths:
        if path.exists():
            raise UsageError(f"{path} is there already: name another file, or remove it")


def _backend(model: str, url: str, temperature: float, max_tokens: int, timeout: float) -> "Backend":
    from worldsmith.simulate.llm.model import Backend, Endpoint

    return Backend(
        Endpoint(
            url,
            model,
            os.environ.get("OPENAI_API_KEY") or "EMPTY",
            temperature=temperature,
            max_tokens=max_tokens,
            deadline=timeout,
        )
    )


def _write_draft(out: Path, result: "Draft", sentences: "Sentences | None", comment: str) -> None:
    """Write the files of a draft, where there is one whose tables have the shape of tables."""
    from worldsmith.drafting.parts import tables_of
    from worldsmith.drafting.sentences import whole_language
    from worldsmith.schema.toml_text import language_text, schema_text
    from worldsmith.world.files import write_file

    data, schema = result.review.data, result.review.schema
    if not data.get("tables") or len(dict(tables_of(data))) < len(data["tables"]):
        return
    comments = [comment, *(f"still wrong: {finding}" for finding in result.review.faults)]
    comments += [f"left out: {finding}" for step in result.steps for finding in step.dropped]
    write_file(out, schema_text(data, comments).encode())
    if sentences and schema and sentences.tells:
        text = language_text(whole_language(schema, sentences), [f"How people write about {out.name}."])
        write_file(language_file(out), text.encode())


def _first_world(path: Path) -> dict[str, Any]:
    """Return the facts of a first world of a schema file, and the tasks mined from it of `TRIAL_TASKS`."""
    from worldsmith.generation import generate
    from worldsmith.mining.pipeline import MiningRequest, mine_request
    from worldsmith.schema import load_schema

    report("a first world and its tasks")
    world = generate(load_schema(path), 0, language="natural")
    tasks = mine_request(world, MiningRequest(TRIAL_TASKS)).tasks
    return {"facts": world.facts, "tasks": len(tasks), "questions": [task.question for task in tasks]}


def _draft_json(out: Path, result: "Draft", sentences: "Sentences | None", trial: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"path": str(out), "passed": result.passed, "requests": len(result.exchanges)}
    fields["steps"] = [step.to_json() for step in result.steps]
    fields["findings"] = [finding.to_json() for finding in result.review.findings]
    if sentences:
        fields["sentences"] = _sentence_figures(sentences)
    return {**fields, **({"first_world": trial} if trial else {})}


def _sentence_figures(sentences: "Sentences") -> dict[str, Any]:
    return {
        "sentences": len(sentences.tells),
        "names": sum(map(len, sentences.names.values())),
        "asks": sum(len(texts) for ways in sentences.asks.values() for texts in ways.values()),
        "refused": dict(sentences.refused),
        "requests": len(sentences.exchanges),
        "error": sentences.error,
    }


def _draft_lines(out: Path, result: "Draft", sentences: "Sentences | None", trial: dict[str, Any]) -> list[str]:
    from worldsmith.drafting.vocabulary import ordinary_words

    lines = [f"{out}: {'it can be used' if result.passed else 'it has faults'}"]
    for step in result.steps:
        mended = f", {counted(len(step.mended), 'finding')} mended" if step.mended else ""
        lines.append(f"  {step.step}: {counted(step.rounds, 'repair')}{mended}")
        lines += [f"    left out: {finding}" for finding in step.dropped]
        lines += [f"    ended early: {step.error}"] if step.error else []
    lines += [f"  {'FAULT' if f.fault else 'advice'}: {f}" for f in result.review.findings]
    if sentences:
        figures = _sentence_figures(sentences)
        refused = sum(sentences.refused.values())
        lines.append(
            f"  language: {figures['sentences']} sentences, {figures['names']} labels, {figures['asks']} ways to ask; "
            f"{refused} refused"
        )
    if trial:
        lines.append(f"  a first world: {trial['facts']} facts, {trial['tasks']} of {TRIAL_TASKS} tasks")
        if not trial["tasks"]:
            lines.append("    no task came of it: give its tables list pages, or more columns with values that repeat")
    words = ordinary_words(result.review.data)
    if words:
        lines.append(f"  names are made with these words, which should be common ones: {', '.join(words[:30])}")
    if not result.passed:
        lines.append(f"mend what stands at the top of the file, then: worldsmith schema check {out}")
    else:
        lines.append(f"next: worldsmith schema check {out} && worldsmith generate {out} --seed 7 --out w")
    return lines


def _write_transcript(path: Path, exchanges: "Sequence[Exchange]") -> None:
    from worldsmith.world.files import write_file

    rows = [
        {"messages": [{"role": r, "content": c} for r, c in one.messages], "answer": one.reply, "error": one.error}
        for one in exchanges
    ]
    write_file(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())


@click.command("improve")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE")
@model_options
def improve(
    path: Path,
    model: str,
    model_url: str,
    *,
    temperature: float,
    max_tokens: int,
    timeout: float,
    transcript: Path | None,
    as_json: bool,
) -> None:
    """Let a language model write sentences, labels and ways to ask for a schema that has few.

    They go into the language file beside FILE: a new one with sites and pages, or after what the file has, which stays
    as it is. Each sentence is checked by itself: it must state something by a slot, and nothing beside that.

    \b
    worldsmith schema improve harbour.toml --model NAME
    worldsmith schema check harbour.toml
    """
    import asyncio

    from worldsmith.drafting.sentences import added_text, whole_language, write_sentences
    from worldsmith.schema import load_schema
    from worldsmith.schema.files import with_bank_text
    from worldsmith.schema.syntax import json_values
    from worldsmith.schema.toml_text import language_text
    from worldsmith.world.files import write_file

    schema = load_schema(path)
    target = language_file(path)
    text = target.read_text(encoding="utf-8") if target.exists() else None
    language = json_values(tomllib.loads(text)) if text is not None else None
    backend = _backend(model, model_url, temperature, max_tokens, timeout)

    async def write() -> "Sentences":
        try:
            return await write_sentences(backend, schema, language, report=report)
        finally:
            await backend.close()

    sentences = asyncio.run(write())
    if transcript:
        _write_transcript(transcript, sentences.exchanges)
    if not sentences.tells:
        raise BackendError(f"{target}: not written: {sentences.error or 'no sentence of the model was usable'}")
    if text is None or language is None:
        written = language_text(whole_language(schema, sentences), [f"How people write about {path.name}."])
    else:
        written = added_text(text, language, sentences)
    with_bank_text(schema, target, written)
    write_file(target, written.encode())
    figures = _sentence_figures(sentences)
    if as_json:
        emit({"path": str(target), **figures})
        return
    click.echo(
        f"{target}: {figures['sentences']} sentences, {figures['names']} labels, {figures['asks']} ways to ask added; "
        f"{sum(sentences.refused.values())} refused; next: worldsmith schema check {path}"
    )
