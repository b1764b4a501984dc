"""Commands about how worlds are written: a bank's patterns, and the text that comes of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldsmith.cli.base import counted, emit, json_option, loaded_worlds, progress, table

if TYPE_CHECKING:
    from worldsmith.audit.text import TextAudit
    from worldsmith.world.model import World


@click.command("show")
@click.argument("name", metavar="NAME_OR_FILE")
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Instead: one HTML page with its tables, its graph and rules, and ten rows of each table, two pages and five "
    "questions of a world.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the world of --html.")
@json_option
def show_patterns(name: str, page: Path | None, seed: int, *, as_json: bool) -> None:
    """Print every sentence of a schema's language, told of a row that it fits.

    A sentence without such a row in three worlds stands as it is written. With "test" are those that are held out.

    \b
    worldsmith schema show town
    worldsmith schema show harbour.toml --json
    worldsmith schema show town --html town.html
    """
    from worldsmith.audit.patterns import rendered_patterns
    from worldsmith.schema import load_schema

    schema = load_schema(name)
    if page:
        from worldsmith.window.schema_page import schema_page
        from worldsmith.world.files import write_file

        write_file(page, schema_page(schema, seed).encode())
        if as_json:
            emit({"schema": schema.name, "path": str(page)})
        else:
            click.echo(f"{schema.name}: {page}")
        return
    before = ""
    for one in rendered_patterns(schema):
        if as_json:
            emit(one.to_json())
            continue
        head = f"{one.table}, {', '.join(one.genres) or 'any genre'}"
        if head != before:
            click.echo(f"\n{head}")
            before = head
        click.echo(f"  {'test  ' if one.test else ''}{one.text or f'no row fits: {one.pattern}'}")


@click.command("text")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="WORLD_OR_DIR...")
@click.option("--pages", default=300, show_default=True, type=click.IntRange(min=1), help="Pages read, a schema.")
@json_option
def audit_text_of(paths: tuple[Path, ...], pages: int, *, as_json: bool) -> None:
    """Say what pages are made of, and how much of it a program reads that understands no word.

    One world of each schema is read, by links from searches; its overlap is measured with another one of the schema.

    \b
    fact_free_share         sentences without which no cell of their page would be lost
    background_share        of the others, those that tell background alone
    strip_kept_share        characters left when only lines of lists and tables, and sentences with a digit or a link
                            are kept
    strip_cells_lost_share  numeric cells that are then lost
    distinct_words          lower-case words outside names and values
    overlap_5gram           sequences of five words, names and values masked, that another world has too
    attacker_recall         by column: values found by their shape, the nearest name and a majority vote

    \b
    worldsmith audit text w
    worldsmith audit text w --json
    """
    from worldsmith.audit.text import audit_text

    first: dict[str, World] = {}
    for _, world in loaded_worlds(paths):
        first.setdefault(world.schema.name, world)
    for world in progress(first.values(), len(first), "schemas", quiet=as_json):
        audit = audit_text(world, _sibling(world), pages)
        if as_json:
            emit(audit.to_json())
        else:
            click.echo(_text(audit))


def _sibling(world: "World") -> "World":
    """Return another world of the schema: that of the next seed."""
    from worldsmith.generation import generate
    from worldsmith.schema import parse_schema, with_bank

    schema, bank = parse_schema(world.schema.source), world.schema.bank
    schema = with_bank(schema, bank.data, schema.name) if bank else schema
    seed = world.seed + 1 if world.seed < 2**63 - 1 else 0
    return generate(schema, seed, knobs=world.schema.knobs, language=world.language)


def _text(audit: "TextAudit") -> str:
    figures = audit.to_json()
    recall = figures.pop("attacker_recall")
    lines = [
        f"{audit.schema}, {audit.language}: {counted(audit.pages, 'page')}, {counted(audit.sentences, 'sentence')}"
    ]
    for name, value in figures.items():
        if name not in {"schema", "language", "pages", "sentences"}:
            lines.append(f"  {name:24} {value:.3f}" if isinstance(value, float) else f"  {name:24} {value}")
    ordered = sorted(recall.values())
    if ordered:
        lines.append(f"  attacker_recall          median {ordered[len(ordered) // 2]:.2f}, highest {ordered[-1]:.2f}")
        rows = [(name, f"{value:.2f}") for name, value in sorted(recall.items(), key=lambda item: -item[1])[:8]]
        lines.append(table(("column", "recall"), rows))
    return "\n".join(lines)
