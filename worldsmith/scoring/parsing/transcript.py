"""What an agent says last in a transcript, whatever chat template wrote its marks, and its words without reasoning.

Marks of turns, of tool replies and of reasoning are those of the chat templates in use (Qwen, Llama, Mistral, Gemma,
GLM, DeepSeek, Kimi, gpt-oss, Command, MiniMax, Granite and others) and of ReAct. A text whose special tokens were
stripped when it was decoded holds none of them; whoever has such a text must tell turns apart by other means.
"""

import re

__all__ = ["after_replies", "final_text", "without_reasoning"]

_HIDDEN = re.compile("[\0\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPECIAL = re.compile(r"<[|｜][^<>|｜\n]{1,60}[|｜]>|<SPECIAL_\d{1,3}>|</s>\s*\Z")

# ---- turns

_OPENER = (
    r"<\|(?:im_start|start_header_id|start_of_role|start|begin|turn)\|>|<\|turn>|<start_of_turn>|<seed:bos>|\]~b\]"
    r"|<SPECIAL_11>|<beginning_of_sentence>|<role>|<\|open\|>message role=\"|<\|message_sep\|>\s"
)
_TURN = re.compile(
    rf"(?:{_OPENER})\s{{0,9}}(?P<role>[a-z_]{{2,20}})[^\n<>|｜]{{0,80}}"
    r"(?:<\|end_header_id\|>|<\|end_of_role\|>|<\|role_sep\|>|</role>|\"<\|sep\|>)?"
    r"|<[|｜](?:begin_|im_|hy_)?(?P<token>assistant|bot|chatbot_token|user|user_token|system|system_token|tool"
    r"|tool_result|observation|environment)(?::\w{1,20})?[|｜]>"
    r"|(?P<answers>\[/INST\])|\[INST\]",
    re.IGNORECASE,
)
_AGENT = frozenset({"assistant", "model", "ai", "bot", "chatbot_token"})

# ---- tool replies

_REPLY = (
    r"(?:tool_responses?|tool_results?|tool_outputs?|function_results?|function_responses?|information|observations?"
    r"|search_results?)"
)
_REPLY_ENDS = (
    rf"</{_REPLY}(?::\w{{1,20}})?\s*>|\[/TOOL_RESULTS\]|<｜tool▁outputs?▁end｜>"
    r"|<\|(?:tool_response_end|END_TOOL_RESULT|tool_response:end)\|>|<tool_response\|>"
    r"|<\|tools_suffix\|>\[(?s:.*\]|.*)"  # where only brackets tell a reply from what follows
)
_CALL_ENDS = (
    r"</(?:\w{1,12}:)?(?:tool_?calls?|function_calls?)\s*>|<tool_call\|>|<｜tool▁calls?▁end｜>"
    r"|<\|(?:call|tool_call_end|tool_calls_section_end)\|>"
)
_LAST_REPLY = re.compile(_REPLY_ENDS, re.IGNORECASE)
_LAST_CALL_OR_REPLY = re.compile(rf"{_REPLY_ENDS}|{_CALL_ENDS}", re.IGNORECASE)
_REPLY_STARTS = re.compile(
    rf"<{_REPLY}(?:\b[^<>]{{0,80}})?>|\[TOOL_RESULTS\]|<｜tool▁outputs?▁begin｜>"
    r"|<\|(?:tool_response(?:_start|:begin)?|START_TOOL_RESULT|begin_tool_result)\|>|<\|tool_response>",
    re.IGNORECASE,
)
_REACT_REPLY = re.compile(r"^[*_#> \t]{0,6}observation[ \d]{0,6}[*_]{0,2}:", re.MULTILINE | re.IGNORECASE)
_REACT_SAYS = re.compile(r"^[*_#> \t]{0,6}thought[ \d]{0,6}[*_]{0,2}:[*_]{0,2}", re.MULTILINE | re.IGNORECASE)
_REACT_ENDS = re.compile(r"^[*_#> \t]{0,6}final answer[*_]{0,2}:[*_]{0,2}", re.MULTILINE | re.IGNORECASE)
_REACT_ACTS = re.compile(r"^[*_#> \t]{0,6}action(?: input)?[ \d]{0,6}[*_]{0,2}:", re.MULTILINE | re.IGNORECASE)

# ---- reasoning

_TAGS = r"(?:think|thinking|thoughts?|reasoning|scratchpad|reflection)"
_REASONING = re.compile(
    rf"<(?P<slash>/?)(?:[a-z]{{1,12}}:)?{_TAGS}\b[^<>]{{0,80}}>|\[(?P<bracket>/?)THINK\]|◁(?P<triangle>/?)think▷"
    r"|<\|(?:start_thinking|begin_of_thought)\|>|<\|open\|>think<\|sep\|>|<\|channel>\s{0,9}(?:thought|analysis)\b"
    r"|(?P<end><\|(?:end_thinking|end_of_thought)\|>|<\|close\|>think<\|sep\|>|<channel\|>)"
    # A call that is whole is no place for reasoning: what stands in its arguments is the agent's words.
    r"|(?P<call><tool_call>\s*\{(?s:(?!</?tool_call>).)*\}\s*</tool_call>)",
    re.IGNORECASE,
)
_ANALYSIS = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*analysis\b[^<]*<\|message\|>"
    r".*?(?:<\|end\|>|(?=<\|(?:start|channel|call|return)\|>)|\Z)",
    re.DOTALL,
)
_STRIPPED_ANALYSIS = re.compile(r"\Aanalysis(?=[^\s:|])(?:.*assistant(?=final|commentary)|.*\Z)", re.DOTALL)
_CHANNEL = re.compile(r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*final\b[^<]*<\|message\|>")
_STRIPPED_FINAL = re.compile(r"\Afinal(?![a-z])")

_ANSWER = re.compile(r"<answer\b[^<>]{0,80}>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.IGNORECASE)


def final_text(text: str, notes: list[str]) -> str:
    """Return what the agent says last: after its last tool reply and turn mark, without reasoning, in <answer> if any.

    Appends to `notes` what was left out. A tool reply that never ends, and reasoning that never ends, hold no answer.
    """
    text = _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _REACT_ACTS.search(text):
        text = _after_react(text, notes)
    text = _last_turn(text)
    if replies := [*_LAST_CALL_OR_REPLY.finditer(text)]:
        notes.append("everything before the end of the last tool call or reply")
        text = text[replies[-1].end() :]
    if started := _REPLY_STARTS.search(text):
        notes.append("a tool reply that doesn't end")
        text = text[: started.start()]
    text = without_reasoning(text, notes)
    answers = [*_ANSWER.finditer(text)]
    return _SPECIAL.sub("\n", answers[-1][1] if answers else text)


def after_replies(text: str) -> str:
    """Return what follows the last end of a tool reply that is marked as one; all of the text where none is."""
    if _REACT_ACTS.search(text):
        text = _after_react(text, [])
    ends = [mark.end() for mark in _LAST_REPLY.finditer(text)]
    return text[ends[-1] :] if ends else text


def _after_react(text: str, notes: list[str]) -> str:
    replies = [*_REACT_REPLY.finditer(text)]
    if not replies:
        return text
    notes.append("everything before the end of the last observation")
    end = replies[-1].end()
    words = _REACT_ENDS.search(text, end) or _REACT_SAYS.search(text, end)
    return text[words.end() :] if words else ""


def _last_turn(text: str) -> str:
    """Return the agent's last turn, or what stands before the first turn of somebody else where it has none.

    A transcript of responses alone starts within a turn of the agent.
    """
    start, end = 0, len(text)
    for mark in _TURN.finditer(text):
        if mark["answers"] or (mark["role"] or mark["token"] or "").lower() in _AGENT:
            start, end = mark.end(), len(text)
        elif end == len(text):
            end = mark.start()
    return text[start:end]


def without_reasoning(text: str, notes: list[str] | None = None) -> str:
    """Return a message without its reasoning, in whatever marks; appends to `notes` that there was some.

    Reasoning that never ends goes on to the end of the text. An end without a start (templates open the block for the
    model) makes reasoning of all that stands before it.
    """
    whole = text
    text = _STRIPPED_FINAL.sub("", _STRIPPED_ANALYSIS.sub("", text)) if text.startswith("analysis") else text
    if "<|channel|>" in text:
        text = _CHANNEL.sub("\n", _ANALYSIS.sub("", text))
    kept: list[str] = []
    depth = at = 0
    for tag in _REASONING.finditer(text):
        if tag["call"]:
            continue
        ends = bool(tag["slash"] or tag["bracket"] or tag["triangle"] or tag["end"])
        if ends and not depth:
            kept.clear()
        elif not ends and not depth:
            kept.append(text[at : tag.start()])
        depth = max(0, depth - 1) if ends else depth + 1
        at = tag.end()
    if notes is not None and (at or text != whole):
        notes.append("reasoning")
    return "\n".join(kept) + ("" if depth else text[at:])
