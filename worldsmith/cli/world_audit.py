"""Commands that audit worlds."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from worldsmith.cli.base import counted, emit, json_option, loaded_worlds, table

if TYPE_CHECKING:
    from worldsmith.audit.worlds.expectations import ExpectedFigure
    from worldsmith.audit.worlds.survey import SchemaSummary, Survey


@click.group()
def audit() -> None:
    """About many worlds at once: are they invented, and different."""


@audit.command("worlds")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="WORLD_OR_DIR...")
@json_option
@click.pass_context
def audit_worlds(ctx: click.Context, paths: tuple[Path, ...], *, as_json: bool) -> None:
    """Test every name of worlds against real ones, and say how alike worlds of one schema are.

    \b
    collision     a name, or a bearing word of one, that the filter of real names holds; a host that may exist.
                  These alone make the exit code 1: generate such a world again.
    twin          two names of a world that a reader takes for one: two edits apart or fewer, one begins with the
                  other, or their bearing words are an edit apart
    shared names  over 5% of a world's names are those of one other world, or over 25% of all were in an earlier world;
                  names that `generate --common-names` declares are counted apart
    shared rows   over 0.1% of a table's rows are those of another world, names (keys, references) left out.
                  Tables that are too plain are passed over: two of their rows may well agree by chance.
    equal column  numbers or dates of two worlds that are equal in a whole column, or in 16 rows at the same place,
                  where chance does that once in 5e8. Each world is compared with all others. A copy in another
                  order, or with other values in between, is not found.
    structure     over 25% of 20 or more worlds have the same tables, columns, rules and pages
    expected      a band, share or trend that the schema expects, `[expected]`, isn't there over 20 or more worlds

    One pass, a fixed amount of memory: of very many worlds a share of the names and rows is counted, and the whole
    estimated from it.

    \b
    worldsmith audit worlds w
    worldsmith audit worlds w --json
    """
    from worldsmith.audit.worlds.survey import survey

    # Worlds are taken as they are, edited ones too: `check` is what proves their bytes.
    result = survey(world for _, world in loaded_worlds(paths, verify=False, quiet=as_json))
    if as_json:
        emit(result.to_json())
    else:
        click.echo(_text(result))
    if not result.ok:
        ctx.exit(1)


def _text(result: "Survey") -> str:
    """Return a survey as a person reads it."""
    from worldsmith.audit.worlds.survey import SHOWN

    summaries = result.schemas.values()
    tested = sum(sum(one.named.values()) for one in summaries)
    places = [
        (f"{one.schema}: {place}", n, one.collided[place])
        for one in summaries
        for place, n in sorted(one.named.items())
    ]
    parts = [
        f"Fictional: {tested} names tested in {counted(result.worlds, 'world')}, "
        f"{counted(result.collisions, 'collision')} with real ones",
        table(["place", "names", "collisions"], places),
        *_real_name_lines(result),
        "\nAlike: worlds of one schema",
        table(
            ["schema", "worlds", "structures", "commonest", "names met", "most alike", "rows met", "equal", "twins"],
            [_summary_row(one) for one in summaries],
        ),
    ]
    parts += [f"  names seen before: {example}" for one in summaries for example in one.same_names[:1]]
    parts += [
        f"  declared common names, {one.schema}: {one.names.shared['common name']} of {n} are in an earlier world too"
        for one in summaries
        if (n := one.names.counts["common name"])
    ]
    if expected := [(one.schema, figure) for one in summaries for figure in one.expected.values()]:
        parts += ["\nExpected of worlds taken together", table(EXPECTED, [_expected_row(*row) for row in expected])]
    parts.append(f"\n{counted(len(result.findings), 'finding')}")
    parts += [f"  {f.what}: {f.where}\n    fix: {f.fix}" for f in result.findings]
    more = {
        f"{one.schema}: {what}": n - SHOWN for one in summaries for what, n in one.finding_counts.items() if n > SHOWN
    }
    parts += [f"  … and {n} more of {sort}" for sort, n in more.items()]
    return "\n".join(parts)


def _real_name_lines(result: "Survey") -> list[str]:
    lines = []
    for one in result.schemas.values():
        for name, cells in sorted(one.real.items()):
            counts = ", ".join(f"{real} {n}" for real, n in sorted(cells.items()))
            lines.append(f"declared real names, {one.schema}.{name}: {counts}")
        for provider, n in sorted(one.details.items()):
            lines.append(f"details, not names, {one.schema}: {n} of Faker's {provider}")
    return lines


EXPECTED = ("schema", "expectation", "figure", "least", "most", "is", "worlds", "rows")


def _expected_row(schema: str, figure: "ExpectedFigure") -> tuple[object, ...]:
    one, (low, high) = figure.expectation, figure.expectation.between
    value = "-" if figure.value is None else f"{figure.value:.3g}{'' if figure.ok else ' !'}"
    return schema, one.name, one.text, f"{low:g}", f"{high:g}", value, figure.worlds, figure.rows


def _summary_row(one: "SchemaSummary") -> tuple[object, ...]:
    met, rows = one.names, one.rows
    row_count = sum(rows.counts.values())
    return (
        one.schema,
        one.worlds,
        len(one.structures),
        f"{one.commonest:.0%}",
        f"{met.share('name'):.2%} of {met.counts['name']}",
        f"{one.most_alike[0]:.1%}",
        f"{sum(rows.shared.values()) / max(1, row_count):.2%} of {row_count}",
        one.equal_columns,
        one.twins,
    )
