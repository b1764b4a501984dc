"""Agents that take shortcuts: what they score is what a task gives away."""

import re

from worldsmith import scoring
from worldsmith.agents.client import Client, Reply
from worldsmith.agents.plain_oracle import HITS, Search
from worldsmith.lang.morphology import lower
from worldsmith.schema import Path, Schema
from worldsmith.tasks import Task, markdown_table

NAMES = 40
"""Rows a crawler of snippets looks for at most."""
PAGES = 3
"""Results pages it reads of one query."""
_LISTED = re.compile(r" and others\b|\.(?:\s|$)")
"""What ends the rows that a list's hit names."""
_PARTS = re.compile(r"[;,.·]\s")
_JOINTS = re.compile(r" (?:of|by|for|in) ")


def listed_names(snippet: str) -> list[str]:
    """Return the names of the rows that a list's hit names."""
    names = _LISTED.split(snippet.partition(": ")[2], maxsplit=1)[0].split(", ")
    return [name for name in names if name.strip(" .")]


def blank_row(task: Task) -> list[str]:
    """Return a row of what the question tells, and of what stands for a missing value elsewhere."""
    fixed_values = task.query.fixed
    pairs = zip(task.query.columns, task.columns, strict=True)
    return [scoring.show(fixed_values.get(path), column) for path, column in pairs]


def closed_book(task: Task, schema: Schema, client: Client) -> str:  # noqa: ARG001 - an agent's signature
    """Answer from the question alone, without a tool: one row of what it tells."""
    return markdown_table(task.columns, [blank_row(task)])


def keys_only(task: Task, schema: Schema, client: Client) -> str:
    """List the scope, and name its rows without reading about any of them."""
    search = Search(task, schema, client)
    rest = blank_row(task)[len(task.query.key) :]
    return markdown_table(task.columns, [[*map(str, key), *rest] for key in search.rows()])


def one_query(task: Task, schema: Schema, client: Client) -> str:
    """Ask the question itself, once, and answer from the hits."""
    crawl = Crawl(task, schema)
    crawl.take(client.search(request_text(task)))
    return crawl.answer()


def snippets_only(task: Task, schema: Schema, client: Client) -> str:
    """Search without end and open nothing: the question, its scope, and every name that turns up."""
    crawl = Crawl(task, schema)
    plural = schema.tables[task.query.table].plural
    queries = [request_text(task), *(f"{plural} {scope}" for scope in task.query.scope.values)]
    for query in queries:
        for page in range(1, PAGES + 1):
            reply = client.search(query, 10, page)
            crawl.take(reply)
            if not reply["more"]:
                break
    for name in list(crawl.names)[:NAMES]:
        crawl.take(client.search(name, HITS))
    return crawl.answer()


def request_text(task: Task) -> str:
    """Return what the question asks, without the columns and the form of the answer."""
    return task.question.split("\n\n", 1)[0]


class Crawl:
    """What hits tell of the rows of a task, by their titles and the labels in their snippets."""

    def __init__(self, task: Task, schema: Schema) -> None:
        self.task, self.schema = task, schema
        labels = {lower(c.label).lower() for t in schema.tables.values() for c in t.columns}
        longest = sorted(labels, key=lambda label: (-len(label), label))
        self.label = re.compile(f"({'|'.join(map(re.escape, longest))}) (.+)")
        self.names: dict[str, dict[str, str]] = {}
        """What hits said under each label, by the name in their titles."""

    def take(self, reply: Reply) -> None:
        """Read the hits of a search."""
        for hit in reply["results"]:
            title = hit["title"].split(" | ")[0]
            name, _, rest = title.partition(": ")
            cells = self.names.setdefault(name, {})
            cells.update(self._labelled(hit["snippet"]))
            if " by " in name and rest:
                # A list: its hit names some of its rows.
                self.names.update({row: self.names.get(row, {}) for row in listed_names(hit["snippet"])})

    def _labelled(self, snippet: str) -> dict[str, str]:
        cells = {}
        for part in _PARTS.split(snippet.partition(": ")[2]):
            match = self.label.fullmatch(part.lower())
            if match:
                cells[match[1]] = part[-len(match[2]) :].strip(" .")
        return cells

    def answer(self) -> str:
        """Return a table of a row for each name of which something was told; of all names where nothing was."""
        filled, bare = [], []
        for name in self.names:
            row, rich = self._row(name)
            bare.append(row)
            if rich:
                filled.append(row)
        return markdown_table(self.task.columns, filled or bare)

    def _row(self, name: str) -> tuple[list[str], bool]:
        """Return the cells of a row, and whether a hit told one of them."""
        known = self.task.query.fixed
        cells, rich = [], False
        for path, column in zip(self.task.query.columns, self.task.columns, strict=True):
            if path in known:
                cells.append(scoring.show(known[path], column))
            elif path in self.task.query.key:
                cells.append(self._key(name, path[0]))
            else:
                last = self.task.query.column(self.schema, path)
                text = self.names[self._owner(name, path)].get(lower(last.label).lower())
                rich = rich or text is not None
                cells.append(text or scoring.show(None, column))
        return cells, rich

    def _key(self, name: str, col: str) -> str:
        """Return a key column of a row by its page's name: the whole, or what stands in "review of X by Y"."""
        key = self.schema.tables[self.task.query.table].key
        parts = _JOINTS.split(name)
        place = key.index(col) + 1
        return parts[place] if len(key) > 1 and place < len(parts) else name

    def _owner(self, name: str, path: Path) -> str:
        """Return the name of the row that a path ends in, where it is the row itself or one its key refers to."""
        if len(path) == 2 and path[:1] in self.task.query.key:
            owner = self._key(name, path[0])
            return owner if owner in self.names else name
        return name
