"""The agent that opens nothing and guesses: it puts values in queries and watches which pages move up.

What it scores is what guessing is worth. It knows what an agent learns over many worlds of a schema: labels, choices,
ranges; of this world it knows what hits told it. Only rows of tables with one key and pages of their own are guessed.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from urllib.parse import urlsplit

from worldsmith import expr, scoring
from worldsmith.agents.baselines import Crawl, blank_row, listed_names, request_text, snippets_only
from worldsmith.agents.client import Client, Reply
from worldsmith.agents.memory import Unread, parse_cell
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.schema import Aggregate, Chance, Choice, Column, Date, Number, Path, Pick, Rank, Schema, Value
from worldsmith.tasks import Task, markdown_table
from worldsmith.tasks.query import is_tally

BUDGET = 200
"""Searches per task."""
HITS = 50
"""Results it asks for."""
FEW = 40
"""Values that are tried one by one; of more, groups are halved as long as they move a row that matters."""
GROUP = 25
"""Values in one query."""
DOMAIN = 4000
"""Values of a column that are thought of at most."""
COUNTED = 40
"""The largest count, and the largest rank, that is thought of."""
TRIES = 6
"""Names put to the lists of a column before they are left alone, where none of them moved one."""
NOWHERE = "qzxvjw"
"""A word of no page: what a host shows for it is what it shows for a wrong guess."""


def probe(task: Task, schema: Schema, client: Client) -> str:
    """Guess the scope, then the columns of the task, those of the fewest plausible values first."""
    form = schema.tables[task.query.table]
    if task.kind != "wide" or len(form.key) != 1 or not any(spec.about == form.name for spec in schema.pages):
        return snippets_only(task, schema, client)
    return Probe(task, schema, client).answer()


def domain(schema: Schema, column: Column) -> list[Value]:
    """Return the values that a column may hold by its schema; none where that tells too little."""
    fill = column.fill
    match fill:
        case Choice(options):
            return list(options)
        case Pick(values):
            return list(schema.values[values].items)
        case Chance():
            return [True]
        case Number(lo, hi, step):
            count = round((hi - lo) / step) + 1
            numbers = [round(lo + i * step, column.decimals) for i in range(min(count, DOMAIN))]
            return [int(n) for n in numbers] if column.type == "int" else list(numbers)
        case Date(lo, hi):
            return list(islice(_days(lo, hi), DOMAIN))
        case Rank() | Aggregate("count"):
            return list(range(1, COUNTED + 1))
        case Aggregate("max", table, name):
            return domain(schema, schema.column(table, name or ""))
        case _:
            return []


def _days(lo: str, hi: str) -> Iterator[str]:
    day, end = date.fromisoformat(lo), date.fromisoformat(hi)
    while day <= end:
        yield day.isoformat()
        day += timedelta(1)


def raised_pages(reply: Sequence[str], usual: Sequence[str]) -> Sequence[str]:
    """Return the pages at the head of a reply that stand above the usual ones, whose order follows them."""
    for n in range(len(reply) + 1):
        above = set(reply[:n])
        rest = [url for url in usual if url not in above]
        if list(reply[n:]) == rest[: len(reply) - n]:
            return reply[:n]
    return reply


class Probe:
    """One task being guessed."""

    def __init__(self, task: Task, schema: Schema, client: Client) -> None:
        self.task, self.schema, self.client = task, schema, client
        self.crawl = Crawl(task, schema)
        self.left = BUDGET
        self.hosts: dict[str, str] = {}
        """Where the entries of a table stand."""
        self.usual: dict[str, list[str]] = {}
        """What a host shows for a query that matches nothing."""
        self.names: dict[str, str] = {}
        """The name in the title of each page seen."""
        self.guessed: dict[tuple[str, str], dict[str, Value]] = {}
        """Values by column and row."""
        self.lists: dict[str, str] = {}
        """The title of each list seen, without its part."""

    def _ask(self, query: str, page: int = 1) -> Reply:
        if self.left <= 0:
            return {"results": [], "more": False}
        self.left -= 1
        reply = self.client.search(query, HITS, page)
        self.crawl.take(reply)
        for hit in reply["results"]:
            title = hit["title"].split(" | ")[0]
            self.names.setdefault(hit["url"], title.partition(": ")[0])
            if " by " in title:
                self.lists.setdefault(hit["url"], title.split(" (")[0])
        return reply

    def answer(self) -> str:
        """Return the table of the rows that were guessed into scope; of what hits told where there are none."""
        query = self.task.query
        rows = self._scope()
        if not rows:
            return self.crawl.answer()
        # Children are counted on pages alone: a guess at them moves nothing.
        read = [path for path in query.read if not is_tally(path)]
        asked_for = [path for path in query.columns if path not in query.key and not is_tally(path)]
        for path in (*sorted(asked_for, key=self._size), *sorted(read, key=self._size)):
            self._follow(path, rows)
        kept = [name for name in rows if not self._fails_clause(name)]
        return markdown_table(self.task.columns, [self._answer_line(name) for name in kept])

    def _scope(self) -> list[str]:
        """Return the names of the rows that hits place in scope, or guesses."""
        query, form = self.task.query, self.schema.tables[self.task.query.table]
        column = form.column(query.scope.column)
        label, names = lower(column.label), dict[str, None]()
        scope_texts = [str(scoring.show(v, column.answer())) for v in query.scope.values]
        for text in (request_text(self.task), *(f"{form.plural} by {label} {scope}" for scope in scope_texts)):
            for hit in self._ask(text)["results"]:
                title = hit["title"].split(" | ")[0].split(" (")[0]
                if title in {f"{capital(form.plural)} by {label}: {scope}" for scope in scope_texts}:
                    names |= dict.fromkeys(listed_names(hit["snippet"]))
        self._host(form.name)
        for scope, text in zip(query.scope.values, scope_texts, strict=True):
            for name in self._raised(form.name, [text]):
                self.guessed.setdefault((form.name, column.name), {}).setdefault(name, scope)
                names[name] = None
        names |= {name: None for name, facts in self.crawl.names.items() if facts.get(label.lower()) in scope_texts}
        known = self.guessed.setdefault((form.name, column.name), {})
        self._note_lists(form.name, column, self._entries(form.name), known)
        values = dict(zip(scope_texts, query.scope.values, strict=True))
        for name, scope in known.items():
            if str(scope) in values:
                known[name] = values[str(scope)]
                names[name] = None
        return [name for name in names if name]

    def _entries(self, table: str) -> list[str]:
        """Return the names of a table's entries that were seen."""
        host = self._host(table)
        return list(dict.fromkeys(name for url, name in self.names.items() if urlsplit(url).netloc == host))

    def _note_lists(self, table: str, column: Column, names: Sequence[str], known: dict[str, Value]) -> None:
        """Put names to the lists that are by a column, and note the scope of those that they move up."""
        start = f"{capital(self.schema.tables[table].plural)} by {lower(column.label)}: "
        hosts = [urlsplit(url).netloc for url, title in self.lists.items() if title.startswith(start)]
        if not hosts:
            return
        usual = [hit["url"] for hit in self._ask(f"site:{hosts[0]} {NOWHERE}")["results"]]
        count = 0
        for i, name in enumerate(names):
            if self.left <= 0 or (i >= TRIES and not count):
                return
            if name in known:
                continue
            reply = [hit["url"] for hit in self._ask(f'site:{hosts[0]} "{name}"')["results"]]
            for url in raised_pages(reply, usual):
                title = self.lists.get(url, "")
                if title.startswith(start):
                    known.setdefault(name, title.removeprefix(start))
                    count += 1

    def _host(self, table: str) -> str:
        """Return the host of a table's entries: where the first of those stands that its directory's hit names."""
        if table not in self.hosts:
            directory = f"all {self.schema.tables[table].plural}"
            hits = self._ask(f"{directory} directory")["results"]
            named = [listed_names(h["snippet"]) for h in hits if h["title"].casefold().startswith(f"{directory}:")]
            name = named[0][0] if named and named[0] else ""
            urls = [h["url"] for h in self._ask(name)["results"] if self.names[h["url"]] == name] if name else []
            self.hosts[table] = urlsplit(urls[0]).netloc if urls else "nowhere.example"
            self._ask(f"site:{self.hosts[table]}")
            replies = [self._ask(f"site:{self.hosts[table]} {NOWHERE}", page) for page in (1, 2)]
            self.usual[table] = [hit["url"] for reply in replies for hit in reply["results"]]
        return self.hosts[table]

    def _raised(self, table: str, values: Sequence[str]) -> list[str]:
        """Return the names of the entries that values in a query move up."""
        quoted = f'"{values[0]}"' if len(values) == 1 and " " in values[0] else " ".join(values)
        reply = [hit["url"] for hit in self._ask(f"site:{self._host(table)} {quoted}")["results"]]
        return [self.names[url] for url in raised_pages(reply, self.usual[table])]

    def _values(self, column: Column) -> list[Value]:
        """Return what to try of a column: of a reference the names of its table's entries that were seen."""
        if not column.ref:
            return domain(self.schema, column)
        if not any(spec.about == column.ref for spec in self.schema.pages):
            return []
        return list(self._entries(column.ref))

    def _size(self, path: Path) -> int:
        return len(domain(self.schema, self.schema.walk(self.task.query.table, path))) or DOMAIN

    def _follow(self, path: Path, rows: Sequence[str]) -> None:
        """Guess what stands along a path from rows in play."""
        table, here = self.task.query.table, set(rows)
        for step in path:
            column = self.schema.column(table, step)
            if not column.key:
                self._guess(table, column, here)
                known = self.guessed.get((table, step), {})
                here = {str(known[name]) for name in here if known.get(name) is not None}
            table = column.ref or table

    def _guess(self, table: str, column: Column, rows: set[str]) -> None:
        if (table, column.name) in self.guessed or not rows or len(self.schema.tables[table].key) != 1:
            return
        known = self.guessed[table, column.name] = {}
        self._note_lists(table, column, sorted(rows), known)
        values = self._values(column)
        if len(values) > FEW:
            for start in range(0, len(values), GROUP):
                self._halve(table, column, values[start : start + GROUP], rows)
        if len(values) <= FEW or len(rows & known.keys()) * 2 < len(rows):
            for tried in values:
                if self.left > 0 and rows - known.keys():
                    self._note_raised(known, tried, self._raised(table, [_value_text(tried, column)]))

    def _halve(self, table: str, column: Column, values: Sequence[Value], rows: set[str]) -> None:
        """Look for the values of rows in play among several at once."""
        raised = self._raised(table, [_value_text(v, column) for v in values]) if values and self.left > 0 else []
        if not rows & set(raised):
            return
        if len(values) == 1:
            self._note_raised(self.guessed[table, column.name], values[0], raised)
            return
        half = len(values) // 2
        self._halve(table, column, values[:half], rows)
        self._halve(table, column, values[half:], rows)

    def _note_raised(self, known: dict[str, Value], tried: Value, raised: Sequence[str]) -> None:
        for name in raised:
            if name != tried:
                known.setdefault(name, tried)

    def _known(self, name: str, path: Path) -> Value:
        """Return what was guessed, or told by hits, at the end of a path; Unread for nothing."""
        table, here = self.task.query.table, name
        if is_tally(path):
            raise Unread(path[0])
        for i, step in enumerate(path):
            column = self.schema.column(table, step)
            known = self.guessed.get((table, step), {}).get(here)
            if column.key:
                known = here
            if known is None:
                text = self.crawl.names.get(here, {}).get(lower(column.label).lower())
                if text is None:
                    break
                known = parse_cell(text, column)
            if known is None or i == len(path) - 1:
                return known
            table, here = column.ref or "", str(known)
        raise Unread(".".join(path))

    def _fails_clause(self, name: str) -> bool:
        """Whether a clause is known to be false of a row."""
        for clause in self.task.query.clauses:
            test, paths = expr.compile_python(clause)
            try:
                if test(*(self._known(name, path) for path in paths)) is not True:
                    return True
            except Unread:
                continue
        return False

    def _answer_line(self, name: str) -> list[str]:
        cells = blank_row(self.task)
        for i, (path, column) in enumerate(zip(self.task.query.columns, self.task.columns, strict=True)):
            if path in self.task.query.fixed:
                continue
            try:
                cells[i] = scoring.show(self._known(name, path), column)
            except Unread:
                continue
        return cells


def _value_text(tried: Value, column: Column) -> str:
    return str(scoring.show(tried, column.answer()))
