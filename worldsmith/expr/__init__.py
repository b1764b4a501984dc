"""One small typed expression language for three engines.

`parse` reads and types source text; `fold` works out constants; `compile_python` and `sql` emit it for Python, SQLite
and DuckDB, which agree on every value, NULL included. What the language holds: `typed`; how large values get: `bounds`.
"""

from worldsmith.expr.emit_python import compile_python, python
from worldsmith.expr.emit_sql import Dialect, sql
from worldsmith.expr.fold import fold, outcomes
from worldsmith.expr.lex import RESERVED
from worldsmith.expr.parse import parse
from worldsmith.expr.source import text
from worldsmith.expr.tree import Call, Const, Node, Path, PathParts, Ref, Type, Types, Value, paths
from worldsmith.expr.wire import from_json, to_json

__all__ = [
    "RESERVED",
    "Call",
    "Const",
    "Dialect",
    "Node",
    "Path",
    "PathParts",
    "Ref",
    "Type",
    "Types",
    "Value",
    "compile_python",
    "fold",
    "from_json",
    "outcomes",
    "parse",
    "paths",
    "python",
    "sql",
    "text",
    "to_json",
]
