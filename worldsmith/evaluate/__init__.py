"""How good a language model is as a world model here: by rule and without a judge, before the guard and after it."""

from worldsmith.evaluate.bound import interval
from worldsmith.evaluate.evaluate import FAILING, Plan, evaluate, jobs_of
from worldsmith.evaluate.leaks import Leaks
from worldsmith.evaluate.table import silence, table

__all__ = ["FAILING", "Leaks", "Plan", "evaluate", "interval", "jobs_of", "silence", "table"]
