"""What worlds of a schema are like taken together: bands, shares and trends that no single row shows.

No world is made by them and none breaks one: `audit worlds` reports them over many.
"""

from pydantic import Field, model_validator

from worldsmith.schema.resolve import Resolver
from worldsmith.schema.source import Span, Strict
from worldsmith.schema.types import Expectation

FIGURES = ("share", "mean", "trend")


class ExpectationSource(Strict):
    """An expectation as written."""

    on: str
    """The table whose rows it is about."""
    share: str | None = None
    """A condition: the share of the rows that meet it, 0 to 1, of those where it is known."""
    mean: str | None = None
    """A number: its mean over the rows that have one."""
    trend: tuple[str, str] | None = None
    """Two numbers or dates: their rank correlation over the rows that have both, -1 to 1."""
    where: str | None = None
    """Condition: only the rows that meet it count."""
    between: Span
    """The least and the greatest that the figure may be."""
    if_: str | None = Field(default=None, alias="if")
    """Switch of `[variation]` that it depends on."""

    @model_validator(mode="after")
    def _one_figure(self) -> "ExpectationSource":
        figures = [name for name in FIGURES if getattr(self, name) is not None]
        if len(figures) != 1:
            raise ValueError(f"give one of {', '.join(FIGURES)}, not {' and '.join(figures) or 'none'}")
        return self


def resolve_expectation(resolver: Resolver, name: str, source: ExpectationSource) -> Expectation:
    """Return an expectation. Raises SchemaError for names and types that don't fit."""
    place, table = f"expected.{name}", source.on
    resolver.source_table(table, place)
    where = resolver.optional_node(source.where, table, place, "bool")
    figure, texts = next((name, texts) for name in FIGURES if (texts := _texts(getattr(source, name))))
    nodes = tuple(resolver.node(text, table, place, "bool" if figure == "share" else None) for text in texts)
    allowed = {"share": {"bool"}, "mean": {"int", "num"}, "trend": {"int", "num", "date"}}[figure]
    for node, text in zip(nodes, texts, strict=True):
        if node.type not in allowed:
            raise resolver.fail(place, f"{text!r} is a {node.type}: a {figure} is of numbers")
    least, most = (-1.0 if figure == "trend" else 0.0, 1.0) if figure != "mean" else (float("-inf"), float("inf"))
    if not least <= source.between[0] <= source.between[1] <= most:
        raise resolver.fail(place, f"between = {list(source.between)}: a {figure} lies between {least:g} and {most:g}")
    text = f"{figure} of {' and '.join(texts)} on {table}{f' where {source.where}' if source.where else ''}"
    return Expectation(name, table, figure, text, source.between, source.if_, nodes, where)


def _texts(figure: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (figure,) if isinstance(figure, str) else figure or ()
