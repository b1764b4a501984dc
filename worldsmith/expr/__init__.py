"""One small typed expression language for three engines.

`parse` reads and types source text; `fold_constants` works out constants; `compile_python` and `sql` emit it for
Python, SQLite and DuckDB, which agree on every value, NULL included.

    literals     12  -0.5  'it''s'  true  false  null  as_of; a text beside a date is a date ('2029-11-30'), and
                 date '2029-11-30' is one anywhere
    columns      price, and through references chip.score; names keep their case, the language's words don't
    loose first  or · and · not · = != < <= > >= between in is null (none chains) · + - || · * / · minus sign
    choice       case when c then a [when …] [else b] end · coalesce(a, b, …) · least(a, b, …) · greatest(a, b, …)
    numbers      abs(x) · round(x), a whole number · round(x, 0 to 6) · length(text)
    dates        days(a, b), from b to a · add_days(d, n) · yr(d) · mon(d)

Whole numbers stay whole under + - * and in choices among themselves; / is true division. NULL is three-valued: a
comparison with it is NULL, `false and NULL` false. NULL comes of x / 0, of least or greatest with a NULL, of whole
numbers from 2^53 and floats from 1e300 on, of shifts past 40,000 days or years 1 to 9999. Rounding goes half away
from zero. Texts compare by code point. Caps: 500 characters, 30 levels, literals up to 1e12.
"""

from worldsmith.expr.emit_python import compile_filter, compile_python, python_source
from worldsmith.expr.emit_sql import Dialect, sql
from worldsmith.expr.fold import fold_constants, outcomes
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
    "compile_filter",
    "compile_python",
    "fold_constants",
    "from_json",
    "outcomes",
    "parse",
    "paths",
    "python_source",
    "sql",
    "text",
    "to_json",
]
