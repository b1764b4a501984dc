"""What an agent says last, in the marks of many chat templates: nothing that a tool returned is part of it."""

import pytest

from tests.scoring.chat_formats import FORMATS
from worldsmith.scoring import parse, without_reasoning

GOLD = "| Shop | Opened |\n| --- | --- |\n| Blue Lamp | 1987 |\n| Old Stair | 2001 |"
OWN = "| Shop | Opened |\n| --- | --- |\n| Green Door | 1999 |"
NAMES = ("Shop", "Opened")


@pytest.mark.parametrize("name", FORMATS)
def test_a_tools_reply_is_no_answer_in_any_chat_format(name):
    episode = FORMATS[name].replace("REPLY", GOLD)
    assert parse(episode.replace("WORDS", "I give up."), NAMES).rows == ()
    assert parse(episode.replace("WORDS", OWN), NAMES).rows == (("Green Door", "1999"),)
    assert parse(episode[: episode.rindex(GOLD) + len(GOLD)], NAMES).rows == ()
    assert parse(FORMATS[name].replace("REPLY", GOLD) * 2, NAMES).rows == ()


@pytest.mark.parametrize(
    "reasoning",
    ["<think>HIDDEN</think>", "HIDDEN</think>", "<thinking>HIDDEN</thinking>", "<reasoning>\nHIDDEN\n</reasoning>",
     "<thought>HIDDEN</thought>", "[THINK]HIDDEN[/THINK]", "HIDDEN[/THINK]", "◁think▷HIDDEN◁/think▷",
     "<|channel|>analysis<|message|>HIDDEN<|end|><|start|>assistant<|channel|>final<|message|>",
     "analysisHIDDENassistantfinal", "<|channel>thought\nHIDDEN<channel|>", "<seed:think>HIDDEN</seed:think>",
     "<|START_THINKING|>HIDDEN<|END_THINKING|>", "<think>HIDDEN</think>\n<think>HIDDEN</think>",
     "<THINK mode='long'>HIDDEN</THINK>", "<|open|>think<|sep|>HIDDEN<|close|>think<|sep|>"],
)  # fmt: skip
def test_reasoning_is_cut_out_whatever_its_marks(reasoning):
    message = reasoning.replace("HIDDEN", f"no <tool_call> needed\n{GOLD}\n") + "\n" + OWN
    assert without_reasoning(message).strip() == OWN
    assert parse(message, NAMES).rows == (("Green Door", "1999"),)


@pytest.mark.parametrize(
    "opening", ["<think>", "<thinking>", "[THINK]", "<|channel|>analysis<|message|>", "analysis", "◁think▷"]
)
def test_reasoning_that_never_ends_hides_the_rest(opening):
    assert not without_reasoning(f"{opening}No. {GOLD}").strip()


@pytest.mark.parametrize(
    "text", ["analysis of the shops:\n" + OWN, "analysis\n" + OWN, "final\n" + OWN, 'I <b>think</b> so "[/x]"', "a < b"]
)
def test_words_that_only_look_like_reasoning_stay(text):
    assert without_reasoning(text) == text


def test_a_reasoning_mark_in_the_arguments_of_a_call_is_the_agents_words():
    message = '<tool_call>\n{"name": "web_search", "arguments": {"query": "what is <think>"}}\n</tool_call>'
    assert without_reasoning(message) == message
    assert without_reasoning(f"<think>{message}</think>ok").strip() == "ok"
