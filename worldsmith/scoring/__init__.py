"""Scoring that can't be gamed: standard library only, so that this folder works wherever it is copied."""

from .column import Column, Kind, ScoreError, Value
from .compat_widesearch import score_widesearch, widesearch_task
from .episode import EpisodeCounts, count_episode
from .evidence import Evidence, evidenced_item, with_evidence
from .figures import ExplainedCell, ExplainedRow, Rates, Score
from .parsing.answer import Table, decode, parse
from .parsing.transcript import after_replies, final_text, without_reasoning
from .reward import Reward, reward
from .score import Failure, Reference, explain, score, score_many, score_table
from .values.canonical import accepts, fold, forms, is_right, is_truthful, read, show, verdict
from .values.reading import Reading

__all__ = [
    "Column",
    "EpisodeCounts",
    "Evidence",
    "ExplainedCell",
    "ExplainedRow",
    "Failure",
    "Kind",
    "Rates",
    "Reading",
    "Reference",
    "Reward",
    "Score",
    "ScoreError",
    "Table",
    "Value",
    "accepts",
    "after_replies",
    "count_episode",
    "decode",
    "evidenced_item",
    "explain",
    "final_text",
    "fold",
    "forms",
    "is_right",
    "is_truthful",
    "parse",
    "read",
    "reward",
    "score",
    "score_many",
    "score_table",
    "score_widesearch",
    "show",
    "verdict",
    "widesearch_task",
    "with_evidence",
    "without_reasoning",
]
