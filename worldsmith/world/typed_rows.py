"""A schema as SQLModel classes: typed rows for `World.rows()`, DDL with keys and references for `show --sql`.

Each structure gets a registry and a metadata of its own: SQLModel's shared one would let the `town` tables
of two schemas clash.
"""

import datetime as dt
from functools import lru_cache
from typing import Any

from pydantic import create_model
from sqlalchemy import Double
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import registry
from sqlalchemy.schema import CreateTable
from sqlmodel import Field, MetaData, SQLModel

from worldsmith.schema import Column, Schema, Table
from worldsmith.schema.structure import parents_first

PYTHON: dict[str, type] = {"int": int, "num": float, "text": str, "date": dt.date, "bool": bool}


def create_tables(structure: Schema) -> str:
    """Return the CREATE TABLE statements of a structure, parents first, with keys and references.

    PostgreSQL's dialect: DuckDB reads it too. Comments give the columns' headers on pages and in questions.
    """
    models, dialect = row_models(structure), postgresql.dialect()  # type: ignore[no-untyped-call]
    statements = [
        _headers(structure.tables[name]) + str(CreateTable(models[name].__table__).compile(dialect=dialect)).strip()  # type: ignore[attr-defined]
        for name in parents_first(structure)
    ]
    return ";\n\n".join(statements) + ";\n"


def _headers(table: Table) -> str:
    return "".join(f"-- {table.name}.{c.name}: {c.header}\n" for c in table.columns)


@lru_cache(maxsize=64)
def row_models(structure: Schema) -> dict[str, type[SQLModel]]:
    """Return a table class for each table of a structure; `model_validate` a mapping to get a typed row."""

    class Base(SQLModel, registry=registry()):
        metadata = MetaData()

    models: dict[str, type[SQLModel]] = {}
    for table in structure.tables.values():
        fields: dict[str, Any] = {column.name: _field(structure, column) for column in table.columns}
        models[table.name] = create_model(table.name, __base__=Base, __cls_kwargs__={"table": True}, **fields)
    return models


def _field(structure: Schema, column: Column) -> tuple[Any, Any]:
    kind = PYTHON[column.type]
    options: dict[str, Any] = {"description": column.header}
    if column.type == "num":
        options["sa_type"] = Double  # what FLOAT means differs: DuckDB would keep seven digits
    if column.key:
        options |= {"primary_key": True, "sa_column_kwargs": {"autoincrement": False}}
    if column.ref and column.ref != column.table:
        # A table's reference to itself isn't declared: its rows are inserted in one order, whatever they refer to.
        options["foreign_key"] = f"{column.ref}.{structure.tables[column.ref].key[0]}"
    # Whether null is allowed is up to the check, which knows the reason. A row model only types what is there.
    return (kind, Field(**options)) if column.key else (kind | None, Field(default=None, **options))
