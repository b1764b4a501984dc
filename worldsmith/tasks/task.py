"""A task: a question, the query behind it, the columns and gold rows its answers are scored by, and its proof."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from worldsmith import scoring
from worldsmith.errors import FormatError
from worldsmith.pages import RENDER
from worldsmith.scoring.score import VERSION as SCORING
from worldsmith.tasks.query import Query, Rows
from worldsmith.world.model import canonical_json

VERSION = "6"
"""Of sampling, phrasing and mining: it changes whenever some world's tasks do."""

VERSIONS: Mapping[str, str | int] = {"tasks": VERSION, "render": RENDER, "scoring": SCORING}

CROSS = "cross"
"""The kind of tasks over several worlds."""
MOST_WORLDS = 5
"""The most worlds of one task."""

FORMAT = 1
"""Version of the lines tasks are kept in."""
AGAIN = "mine the tasks again, or take the original file"


class Member(NamedTuple):
    """One of several worlds that a task is asked over."""

    world: str
    digest: str
    subject: str
    """What the question calls it, and what the first column of the answer holds in its rows."""


@dataclass(frozen=True, slots=True, repr=False)
class Task:
    """One task over one world, or over several of a pool. `to_json` is a line of OUT/_tasks/<world or pool>.jsonl."""

    world: str
    """The world's id; the pool's where there are `members`."""
    world_digest: str
    """The world's digest; that of `members_digest` where there are several."""
    schema: str
    kind: str
    """"wide", "deep" or "hybrid", see `candidates.KINDS`; "cross" over several worlds."""
    size: str
    """"wide" (10 to 60 rows, 4 to 8 columns; over several worlds up to 100 rows), "small" (3 to 8 rows, 3 or 4
    columns), or "one" cell."""
    question: str
    query: Query
    sql: str
    columns: tuple[scoring.Column, ...]
    gold: Rows
    pages: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """For each gold cell the ids of the pages that state it; none for a null that a missing reference leaves.

    Over several worlds an id is "<world>/<page>".
    """
    certificate: Mapping[str, Any] = field(default_factory=dict)
    """The proof that it can be solved (`certificate.Certificate.to_json`); empty until there is one."""
    audit: Mapping[str, float] = field(default_factory=dict)
    """What shortcuts are worth on it, by name (`audit`); empty until measured."""

    versions: Mapping[str, str | int] = field(default_factory=lambda: dict(VERSIONS))
    """What made it: tasks, page rendering, scoring."""
    original: str = ""
    """The question as it was before a language model reworded it; "" where none did."""
    members: tuple[Member, ...] = ()
    """The worlds of a task over several, in the order in which its question names them and its gold lists their rows.

    The query is asked of each; the answer's first column, which the query lacks, says which world a row is of.
    """
    compared: Query | None = None
    """What the members are compared by: only the one with the most rows of this query is asked. None: each is."""

    def __repr__(self) -> str:
        """Return its id and size: nothing of its gold."""
        return f"Task({self.task_id!r}, {self.kind}, {len(self.gold)} rows of {len(self.columns)} columns)"

    @property
    def worlds(self) -> tuple[str, ...]:
        """The ids of the worlds that it is about: one, unless it is asked over several."""
        return tuple(member.world for member in self.members) or (self.world,)

    @property
    def is_queried(self) -> bool:
        """False for the part of a world that loses a comparison: the query isn't put to that world."""
        return self.compared is None or bool(self.gold)

    @property
    def parts(self) -> tuple["Task", ...]:
        """What it asks of each of its worlds, as a task over that one alone; itself where there is one."""
        return tuple(map(self._part, self.members)) or (self,)

    def _part(self, member: Member) -> "Task":
        rows = [i for i, row in enumerate(self.gold) if row[0] == member.subject]
        prefix = f"{member.world}/"
        pages = (self.pages[i][1:] for i in rows if self.pages)
        return replace(
            self,
            world=member.world,
            world_digest=member.digest,
            columns=self.columns[1:],
            gold=tuple(self.gold[i][1:] for i in rows),
            pages=tuple(tuple(tuple(p.removeprefix(prefix) for p in cell) for cell in row) for row in pages),
            members=(),
        )

    @property
    def digest(self) -> str:
        """sha256 over world, question, query, columns and gold: what an answer is judged by."""
        parts = [self.world_digest, self.question, self.query.to_json(), _columns(self.columns), self.gold]
        parts += [self.compared.to_json()] if self.compared else []
        return sha256(canonical_json(parts)).hexdigest()

    @property
    def task_id(self) -> str:
        """Return "<world>-<size>-<10 hex digits>", the kind for the size where it is not "wide"."""
        return f"{self.world}-{self.size if self.kind == 'wide' else self.kind}-{self.digest[:10]}"

    @property
    def web(self) -> str:
        """What its calls are answered by: the pool that its certificate was made in, else its world alone."""
        return str(self.certificate.get("pool") or self.world)

    @property
    def free(self) -> tuple[str, ...]:
        """The headers of the columns that the question fixes or that hardly vary."""
        return tuple(c.name for c in self.columns if c.free)

    @property
    def keys(self) -> tuple[int, ...]:
        """The places of the key columns."""
        return tuple(i for i, c in enumerate(self.columns) if c.key)

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the columns outside the key."""
        return tuple(i for i, c in enumerate(self.columns) if not c.key)

    @property
    def tool_tokens(self) -> int:
        """The tokens of all tool replies of the certificate; 0 without one."""
        return int(self.certificate.get("tool_tokens", 0))

    @property
    def turns(self) -> int:
        """The assistant messages of the certificate; 0 without one."""
        return int(self.certificate.get("turns", 0))

    @property
    def max_turns(self) -> int:
        """A limit of assistant messages: twice the shortest known way and 8 to look around; 40 where none is known."""
        return 2 * self.turns + 8 if self.turns else 40

    @property
    def typical_tokens(self) -> int:
        """The tokens of an episode that searches for every page it reads; 0 without a certificate."""
        return int(self.certificate.get("typical_tokens", 0))

    @property
    def typical_turns(self) -> int:
        """The assistant messages of such an episode, never fewer than the certificate's; 0 without one."""
        return max(int(self.certificate.get("typical_turns", 0)), self.turns)

    def table(self) -> str:
        """Return the gold rows as a Markdown table: the perfect answer."""
        return values_table(self.columns, self.gold)

    def to_json(self) -> dict[str, Any]:
        """Return the task as JSON values."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "task_id": self.task_id,
            "world": self.world,
            "world_digest": self.world_digest,
            "schema": self.schema,
            "kind": self.kind,
            "size": self.size,
            "question": self.question,
            "query": self.query.to_json(),
            "sql": self.sql,
            "columns": _columns(self.columns),
            "free": list(self.free),
            "gold": [list(row) for row in self.gold],
            "pages": [[list(cell) for cell in row] for row in self.pages],
            "certificate": dict(self.certificate),
            "audit": dict(self.audit),
            "digest": self.digest,
            "versions": dict(self.versions),
        }
        data |= {"original": self.original} if self.original else {}
        data |= {"members": [list(member) for member in self.members]} if self.members else {}
        return data | ({"compared": self.compared.to_json()} if self.compared else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Task":
        """Read what `to_json` wrote. Raises FormatError for another format, missing fields, or another digest."""
        if not isinstance(data, Mapping):
            raise FormatError(f"not a task: it is no object, but {str(data)[:40]}: {AGAIN}")
        try:
            check_format(data)
            task = cls(
                data["world"],
                data["world_digest"],
                data["schema"],
                data["kind"],
                data["size"],
                data["question"],
                Query.from_json(data["query"]),
                data["sql"],
                tuple(map(scoring.Column.from_json, data["columns"])),
                tuple(map(tuple, data["gold"])),
                tuple(tuple(tuple(cell) for cell in row) for row in data["pages"]),
                data.get("certificate", {}),
                data.get("audit", {}),
                data["versions"],
                data.get("original", ""),
                tuple(Member(*map(str, member)) for member in data.get("members", ())),
                Query.from_json(data["compared"]) if "compared" in data else None,
            )
            name, digest = data["task_id"], data["digest"]
        except KeyError as error:
            raise FormatError(f"not a task: {error} is missing in {str(data)[:80]}: {AGAIN}") from None
        except ValueError as error:
            raise FormatError(f"not a task: {error} in {str(data)[:80]}: {AGAIN}") from None
        except (TypeError, AttributeError):
            raise FormatError(f"not a task: a field is of a wrong type in {str(data)[:80]}: {AGAIN}") from None
        if digest != task.digest or name != task.task_id:
            what = "digest" if digest != task.digest else "task_id"
            raise FormatError(f"task {name}: it is not what its {what} says: {AGAIN}")
        if task.members and task.world_digest != members_digest(task.members):
            raise FormatError(f"task {name}: its members are not those of its world_digest: {AGAIN}")
        return task


def members_digest(members: Sequence[Member]) -> str:
    """Return sha256 over the worlds of a task and what it calls them."""
    return sha256(canonical_json([list(member) for member in members])).hexdigest()


def check_format(data: Mapping[str, Any]) -> None:
    """Raise FormatError for a line written in another format than this version's."""
    version = data.get("format", FORMAT)
    if version != FORMAT:
        fix = "upgrade worldsmith" if isinstance(version, int) and version > FORMAT else "mine the tasks again"
        raise FormatError(f"written in format {version!r}, this version reads {FORMAT}: {fix}")


def _columns(columns: Sequence[scoring.Column]) -> list[dict[str, Any]]:
    return [c.to_json() for c in columns]


def values_table(columns: Sequence[scoring.Column], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows of values as a fenced Markdown table, cells as the columns print them."""
    return markdown_table(columns, [[scoring.show(v, c) for v, c in zip(row, columns, strict=True)] for row in rows])


def united_table(task: Task, tables: Sequence[str]) -> str:
    """Return the tables that `markdown_table` made of the parts of a task as one: of those asked, under their names."""
    if not task.members:
        return tables[0]
    rows = [
        f"| {member.subject} {line}"
        for member, part, table in zip(task.members, task.parts, tables, strict=True)
        if part.is_queried
        for line in table.split("\n")[3:-1]
    ]
    fence, header, ruler, end = markdown_table(task.columns, []).split("\n")
    return "\n".join([fence, header, ruler, *rows, end])


def markdown_table(columns: Sequence[scoring.Column], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as a fenced Markdown table under the columns' names."""
    lines = [[c.name for c in columns], ["---"] * len(columns), *rows]
    rows_shown = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
    return "\n".join(["```markdown", *(f"| {shown} |" for shown in rows_shown), "```"])


class OverWorlds(Protocol):
    """What is about one world or several."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """Their ids."""
        ...


def joined_worlds(tasks: Iterable[OverWorlds]) -> list[tuple[str, ...]]:
    """Return the worlds of tasks, sorted: those that a task is asked over, or a row of such tasks joins, as one."""
    groups: dict[str, set[str]] = {}
    for task in tasks:
        joined = {world for one in task.worlds for world in groups.get(one, {one})}
        groups |= dict.fromkeys(joined, joined)
    return list({tuple(sorted(group)) for group in groups.values()})
