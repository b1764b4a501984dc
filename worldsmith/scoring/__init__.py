"""Scoring that can't be gamed: standard library only, so that this folder works wherever it is copied."""

from .column import Column, Kind, ScoreError, Value
from .compat_widesearch import score_widesearch, widesearch_task
from .episode import Counts, count
from .evidence import Evidence, with_evidence
from .figures import Rates, Score, ShownCell, ShownRow
from .parsing.answer import Table, decode, parse
from .parsing.transcript import after_replies, final_text, without_reasoning
from .reward import Reward, reward
from .score import Failure, Reference, explain, score, score_many, score_table
from .values.canonical import accepts, fold, forms, read, right, show, states, verdict
from .values.reading import Reading

__all__ = [
    "Column",
    "Counts",
    "Evidence",
    "Failure",
    "Kind",
    "Rates",
    "Reading",
    "Reference",
    "Reward",
    "Score",
    "ScoreError",
    "ShownCell",
    "ShownRow",
    "Table",
    "Value",
    "accepts",
    "after_replies",
    "count",
    "decode",
    "explain",
    "final_text",
    "fold",
    "forms",
    "parse",
    "read",
    "reward",
    "right",
    "score",
    "score_many",
    "score_table",
    "score_widesearch",
    "show",
    "states",
    "verdict",
    "widesearch_task",
    "with_evidence",
    "without_reasoning",
]
