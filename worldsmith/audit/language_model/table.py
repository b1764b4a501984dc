"""The figures of a model as a table for people."""

from collections.abc import Mapping
from typing import Any

MOST_FAILURES = 3
"""Reasons for missing replies that are shown."""
ROWS = (
    ("replies", "replies judged"),
    ("leaks", "replies that leak"),
    ("bounds", "  95% bounds"),
    ("factuality", "statements that stand"),
    ("completeness", "facts told of those that must be"),
    ("contradicted", "statements that contradict"),
    ("unsupported", "statements unsupported"),
    ("incomplete", "facts not told"),
    ("form", "faults of form"),
)


def silent_model(figures: Mapping[str, Any]) -> str | None:
    """Return why a model gave no readable reply at all; None where it gave one, or had no call."""
    answers = figures["answered"]
    if answers["replies"] or not answers["asked"]:
        return None
    return f"{figures['model']}: the model never answered, in {answers['asked']} calls. {_failures(answers)}"


def _failures(answers: Mapping[str, Any]) -> str:
    return "; ".join(f"{count} times: {why}" for why, count in list(answers["failures"].items())[:MOST_FAILURES])


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures in lines: a column before and after the guard for each mode, then who wrote, control, cost."""
    modes = figures["modes"]
    width = max(len(label) for _, label in ROWS) + 2
    heads = [f"{name}, {when}" for name in modes for when in ("before", "after")]
    sides = [mode[when] for mode in modes.values() for when in ("before", "after")]
    lines = [
        f"{figures['model']}: {figures['calls']} calls to {len(figures['worlds'])} worlds, profile {figures['profile']}"
    ]
    answers = figures["answered"]
    if answers["replies"] < answers["asked"]:
        lines.append(
            f"answered: {answers['replies']} of {answers['asked']} calls ({_rate(answers['share'])}); after the guard, "
            f"our renderer's replies to the others are counted. {_failures(answers)}"
        )
    lines += ["", " " * width + "".join(f"{head:>18}" for head in heads)]
    for name, label in ROWS:
        lines.append(f"{label:<{width}}" + "".join(f"{_shown(name, side):>18}" for side in sides))
    lines += ["", *(_served(name, mode) for name, mode in modes.items())]
    lines += [*(_realism(name, mode["realism"]) for name, mode in modes.items() if "realism" in mode)]
    pairs, same_facts = figures["consistency"]["pairs"], figures["consistency"]["same_facts"]
    lines += [
        "",
        f"consistency: asked twice, {_rate(same_facts)} of the facts are the same ({pairs} pairs)",
    ]
    obeyed = [f"{name} {_rate(o['obeyed'])} of {o['given']}" for name, o in figures["control"].items()]
    lines.append(f"control, obeyed: {', '.join(obeyed)}")
    cost = figures["cost"]
    lines.append(
        f"cost: {cost['requests']} requests, {cost['prompt_tokens']} + {cost['completion_tokens']} tokens, "
        f"{_number(cost['seconds_a_request'])} s a request, {cost['from_store']} replies from the store"
    )
    for name in figures["failing"]:
        lines.append(f"FAILING: {name}: our renderer writes more than half of the replies; this model is no use for it")
    return "\n".join(lines)


def _shown(name: str, side: Mapping[str, Any]) -> str:
    if name == "replies":
        return str(side["replies"])
    if name == "leaks":
        return f"{side['leaks']['replies']} ({_rate(side['leaks']['rate'])})"
    if name == "bounds":
        low, high = side["leaks"]["bounds"]
        return f"{low:.1%} to {high:.1%}"
    if name in side["statements"]:
        return str(side["statements"][name])
    return _rate(side[name])


def _served(name: str, mode: Mapping[str, Any]) -> str:
    by = ", ".join(f"{who} {_rate(mode['served'][who])}" for who in ("model", "retry", "fallback"))
    return (
        f"{name}: readable {_rate(mode['format'])} of tries; served by {by}; "
        f"unchanged {_rate(mode['served']['unchanged'])}; accepted {_rate(mode['accepted'])} of what was written"
    )


def _realism(name: str, realism: Mapping[str, Any]) -> str:
    before, after = (_number(realism[when]["mean"]) for when in ("before", "after"))
    drafts = realism["ungraded"] + sum(realism[when]["replies"] for when in ("before", "after"))
    left = f"; {realism['ungraded']} of {drafts} replies it gave no grade" if realism["ungraded"] else ""
    return f"{name}: realism by the judge, 1 to 5: {before} before, {after} after{left}"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
