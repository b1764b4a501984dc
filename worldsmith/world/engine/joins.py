"""References as LEFT JOINs: the SQL that both engines read a path with."""

from worldsmith.schema import Path, Schema


def quote(name: str) -> str:
    """Return an SQL identifier. Names come from a schema, where they match [a-z][a-z0-9_]*."""
    return f'"{name}"'


class Joins:
    """Collects the joins that the paths of one query need, from a row of `table` under the alias `base`.

    Every name is resolved against the schema first: SQLite takes a mistyped "column" for a string and
    would let a rule pass silently.
    """

    def __init__(self, structure: Schema, table: str, base: str = "t") -> None:
        self.structure = structure
        self.table = table
        self.base = base
        self._aliases: dict[Path, str] = {}
        self._joins: list[str] = []

    def column(self, path: Path) -> str:
        """Return the SQL of a path's value, adding the joins it needs; KeyError for an unknown name."""
        self.structure.walk(self.table, path)
        return f"{self._alias(path[:-1])}.{quote(path[-1])}"

    def _alias(self, prefix: Path) -> str:
        if not prefix:
            return self.base
        if prefix not in self._aliases:
            before = self._alias(prefix[:-1])
            target = self.structure.walk(self.table, prefix).ref
            if target is None:
                raise KeyError(".".join(prefix))
            alias = self._aliases[prefix] = self.name(prefix)
            key = self.structure.tables[target].key[0]
            on = f"{before}.{quote(prefix[-1])} = {alias}.{quote(key)}"
            self._joins.append(f"LEFT JOIN {quote(target)} AS {alias} ON {on}")
        return self._aliases[prefix]

    def name(self, _prefix: Path) -> str:
        """Return a new alias for the rows that `prefix` leads to."""
        return f"{self.base}{len(self._aliases) + 1}"

    @property
    def clauses(self) -> tuple[str, ...]:
        """The FROM clause's parts: the table, then the joins added so far."""
        return (f"{quote(self.table)} AS {self.base}", *self._joins)

    def source(self) -> str:
        """Return the FROM clause's content, with the joins added so far."""
        return " ".join(self.clauses)
