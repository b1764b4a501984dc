"""The reward for verl: reward.custom_reward_function.path=<this file>, name=compute_score.

Only what the agent says after its last tool call and tool reply is read, so nothing a tool returned can earn.
ws_tools.py hands over the messages of the episode, which say who wrote what in any chat format. Without them the text
that verl decodes is read, where it shows the ends of tool replies; where it doesn't, it holds no answer (README.md).
The scorer is the folder `scoring` beside this file, a copy; nothing needs to be installed.
"""

import importlib.util
import json
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent / "scoring"
_NAME = "worldsmith_export_scoring"


def _load() -> Any:
    """Import the folder under a name of its own: `scoring` may be someone else's."""
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            _NAME, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[_NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


scoring = _load()

# Special tokens are gone from the text that verl hands over; of a chat template's turn marks the role's line is left.
_TURN = re.compile(r"^assistant[ \t]*$", re.MULTILINE)
# Every call names its tool, in any format: a name after the last reply whose end is marked may be of another call.
_TOOL = re.compile(r"web_(?:search|extractor)")


def last_words(text: str, messages: Any = None) -> tuple[str, bool]:
    """Return what the agent says last, and whether that can't be separated from what tools returned: then it is "".

    Args:
        text: the decoded response, replies of tools included.
        messages: those of the episode, as ws_tools.py keeps them. An answer at the limit of turns or tokens is not
            among them; it is looked for in the text.
    """
    if messages is not None and len(messages) and messages[-1]["role"] == "assistant":
        words = "" if messages[-1].get("tool_calls") else str(messages[-1].get("content") or "")
        return scoring.final_text(words, []), False
    turns = [*_TURN.finditer(text)]
    text = text[turns[-1].end() :] if turns else text
    unread = _TOOL.search(scoring.without_reasoning(scoring.after_replies(text))) is not None
    return "" if unread else scoring.final_text(text, []), unread


@lru_cache(maxsize=4096)
def reference_of(ground_truth: str) -> tuple[Any, Any]:
    """Return columns with gold rows, and what these need before they earn, of a row's reward_model.ground_truth."""
    data = json.loads(ground_truth)
    columns = tuple(scoring.Column.from_json(column) for column in data["columns"])
    rows = tuple(tuple(tuple(v) if isinstance(v, list) else v for v in row) for row in data["rows"])
    return scoring.Reference(columns, rows), scoring.Evidence.from_json(data["evidence"])


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Any = None,
    *,
    penalties: bool = False,
    drop_faults: bool = False,
    **kwargs: Any,
) -> dict[str, float]:
    """Return the reward as "score" and its parts; the same keys, all floats, for every answer.

    score: 0 to 1, from cells outside the key and whole rows that the episode's own replies disclosed; keys alone earn
    nothing, and neither does what was remembered. With penalties=True
    (+reward.custom_reward_function.reward_kwargs.penalties=True) an answer without a table, or one that was cut off,
    gets less than 0.

    env_error is 1 where no tool call was answered for want of a server: the episode says nothing of the model. A
    reward function has no way to mask an episode in verl, so its score is 0 like a wrong answer's, unless
    drop_faults=True (+reward.custom_reward_function.reward_kwargs.drop_faults=True): then a RuntimeError is
    raised, and verl's trainer goes on without the episode (see README.md). `scored` is 0 in such rows and 1 in all
    others, and so is every other figure 0: mean(x) / mean(scored) is the mean over the answers that count.

    unread is 1 where the agent's words can't be separated from a tool's reply; such an answer earns nothing.
    """
    del data_source, kwargs
    extra_info = extra_info or {}
    calls = extra_info.get("worldsmith") or {}
    names = ("web_search", "web_extractor", "opened", "failed")
    searches, reads, opened, failed = (int(calls.get(name) or 0) for name in names)
    words, unread = last_words(solution_str, extra_info.get("worldsmith_messages"))
    reference, evidence = reference_of(ground_truth)
    scored = scoring.score_table(words, reference)
    disclosed = extra_info.get("worldsmith_evidence")
    paid = scoring.reward(
        scoring.with_evidence(scored, evidence, frozenset(() if disclosed is None else disclosed)),
        turns=int(extra_info.get("num_turns") or 0),
        search_calls=searches,
        extract_calls=opened,
        infrastructure_error=failed > 0 and failed == searches + reads,
    )
    if paid.mask and drop_faults:
        raise RuntimeError(f"none of {failed} tool calls was answered for want of a server")
    figures = {
        "score": float(paid.total if penalties else max(0.0, paid.total)),
        "item_f1": float(scored.item.f1),
        "item_precision": float(scored.item.precision),
        "item_recall": float(scored.item.recall),
        "row_f1": float(scored.row.f1),
        "row_precision": float(scored.row.precision),
        "row_recall": float(scored.row.recall),
        "nonkey_item_f1": float(scored.nonkey.f1),
        "success": float(scored.success),
        "format_ok": float(scored.has_table and scored.has_columns),
        "cut": float(scored.cut),
        "closed_book": float(paid.closed_book),
        "unread": float(unread),
        "scored": 1.0,
    }
    if paid.mask:
        figures = dict.fromkeys(figures, 0.0)
    return figures | {"env_error": float(paid.mask)}
