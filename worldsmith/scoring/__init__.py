"""Scoring that can't be gamed: standard library only, so that this folder works wherever it is copied."""

from .answer import Table, decode, parse
from .canonical import accepts, fold, forms, read, right, show, states, verdict
from .column import Column, Kind, ScoreError, Value
from .episode import Counts, count
from .evidence import Evidence, with_evidence
from .figures import Rates, Score, ShownCell, ShownRow
from .reading import Reading
from .reward import Reward, reward
from .score import Failure, Reference, explain, score, score_many, score_table
from .transcript import after_replies, final_text, without_reasoning
from .widesearch import score_widesearch, widesearch_task

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
