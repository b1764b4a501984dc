"""Tasks: queries over a world, their gold by two engines, their questions, and the draws they come from."""

from worldsmith.tasks.difficulty import curriculum, difficulty
from worldsmith.tasks.duckdb_gold import gold_duckdb
from worldsmith.tasks.files import read_references, read_tasks, tasks_of
from worldsmith.tasks.query import Query, Scope, Top
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.query_sql import gold_sqlite, sql
from worldsmith.tasks.question import question
from worldsmith.tasks.task import Task, markdown_table, values_table

__all__ = [
    "Query",
    "QueryEvaluator",
    "Scope",
    "Task",
    "Top",
    "curriculum",
    "difficulty",
    "gold_duckdb",
    "gold_sqlite",
    "markdown_table",
    "question",
    "read_references",
    "read_tasks",
    "sql",
    "tasks_of",
    "values_table",
]
