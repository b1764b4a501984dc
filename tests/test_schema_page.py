"""A schema on one HTML page."""

import re
from html.parser import HTMLParser

from click.testing import CliRunner

from worldsmith.cli import main
from worldsmith.schema import parse_schema
from worldsmith.window.schema_page import schema_page


class Tags(HTMLParser):
    """Counts tags, and fails at one that is closed and was not open."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        for name, value in attrs:
            assert name not in {"src", "href"} or (value or "").startswith("data:"), value
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_has_every_table_and_rule_and_needs_nothing_else(mini_data):
    mini_data["about"] = "the <b>books</b> of a harbour & more"
    schema = parse_schema(mini_data)
    page = schema_page(schema, 3)
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert "b" not in tags.count
    assert "script" not in tags.count
    assert (tags.count["iframe"], tags.count["img"], tags.count["h3"]) == (2, 1, len(schema.tables))
    assert "the &lt;b&gt;books&lt;/b&gt; of a harbour &amp; more" in page
    assert "prefers-color-scheme: dark" in page
    for table in schema.tables.values():
        assert f"<h3>{table.name}: {table.rows[0]} to {table.rows[1]} {table.plural}" in page
    assert '<td>choice = ["salt", "timber", "wine"], weights = [2, 1, 1]</td>' in page
    assert all(f"<td>{rule.name}</td>" in page for rule in schema.rules)
    assert page.count("<pre>") == 2 * int(re.findall(r"<h2>(\d) questions", page)[0])
    assert page == schema_page(schema, 3)


def test_the_command_writes_the_page(tmp_path):
    path = tmp_path / "town.html"
    result = CliRunner().invoke(main, ["schema", "show", "tests/cases/brewery.toml", "--html", str(path), "--json"])
    assert result.exit_code == 0, result.output
    assert "<title>brewery: breweries of a valley</title>" in path.read_text()
    assert path.read_text().count("Its answer") == 5
