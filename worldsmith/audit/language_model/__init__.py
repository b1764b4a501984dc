"""How good a language model is as a world model here: by rule and without a judge, before the guard and after it."""

from worldsmith.audit.language_model.evaluation import FAILING, Plan, evaluate, jobs_of
from worldsmith.audit.language_model.leaks import Leaks
from worldsmith.audit.language_model.table import silent_model, table
from worldsmith.audit.language_model.tally import interval

__all__ = ["FAILING", "Leaks", "Plan", "evaluate", "interval", "jobs_of", "silent_model", "table"]
