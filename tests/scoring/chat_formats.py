"""Turns of an episode as chat templates write them: a call, its reply (REPLY), the agent's last words (WORDS)."""

import re

SPECIAL = re.compile(
    r"<[|｜][^<>]{1,40}[|｜]>|<\|\w+>|<\w+\|>|<(?:start|end)_of_turn>|<seed:(?:bos|eos)>|</s>|\[e~\[|\]~b\]"
    r"|\[/?(?:TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|THINK)\]"
)
"""Tokens that a tokenizer leaves out where it decodes with skip_special_tokens."""

CALL = '{"name": "web_search", "arguments": {"query": "shops"}}'

FORMATS = {
    "Qwen2.5, Qwen3": f"<tool_call>\n{CALL}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nREPLY\n"
    "</tool_response><|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nWORDS<|im_end|>\n",
    "Hermes 3": f"<tool_call>\n{CALL}\n</tool_call><|im_end|>\n<|im_start|>tool\n<tool_response>\nREPLY\n"
    "</tool_response>\n<|im_end|><|im_start|>assistant\nWORDS<|im_end|>\n",
    "Qwen3-Coder": "<tool_call>\n<function=web_search>\n<parameter=query>\nshops\n</parameter>\n</function>\n"
    "</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nREPLY\n</tool_response>\n<|im_end|>\n"
    "<|im_start|>assistant\nWORDS<|im_end|>\n",
    "GLM 4.6": "\n<think></think>\n<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value>shops</arg_value>\n"
    "</tool_call><|observation|>\n<tool_response>\nREPLY\n</tool_response><|assistant|>\n<think></think>\nWORDS",
    "GLM without tool_response": "web_search\n{'query': 'shops'}<|observation|>\nREPLY<|assistant|>\nWORDS",
    "Llama 3.1": '{"name": "web_search", "parameters": {"query": "shops"}}<|eot_id|><|start_header_id|>ipython'
    "<|end_header_id|>\n\nREPLY<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nWORDS<|eot_id|>",
    "gpt-oss": "<|channel|>analysis<|message|>We search.<|end|><|start|>assistant to=functions.web_search<|channel|>"
    'commentary json<|message|>{"query": "shops"}<|call|><|start|>functions.web_search to=assistant<|channel|>'
    "commentary<|message|>REPLY<|end|><|start|>assistant<|channel|>analysis<|message|>REPLY<|end|><|start|>assistant"
    "<|channel|>final<|message|>WORDS<|return|>",
    "Mistral Nemo": f"[TOOL_CALLS][{CALL}]</s>[TOOL_RESULTS]"
    '{"content": REPLY, "call_id": "call00001"}[/TOOL_RESULTS]WORDS</s>',
    "Mistral Small 3.2": '[TOOL_CALLS]web_search[CALL_ID]call00001[ARGS]{"query": "shops"}</s>[TOOL_RESULTS]call00001'
    "[TOOL_CONTENT]REPLY[/TOOL_RESULTS]WORDS</s>",
    "Magistral": f"[THINK]REPLY[/THINK][TOOL_CALLS][{CALL}]</s>[TOOL_RESULTS]call00001[TOOL_CONTENT]REPLY"
    "[/TOOL_RESULTS][THINK]REPLY[/THINK]WORDS</s>",
    "Kimi K2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.web_search:0<|tool_call_argument_begin|>"
    '{"query": "shops"}<|tool_call_end|><|tool_calls_section_end|><|im_end|><|im_system|>tool<|im_middle|>'
    "## Return of functions.web_search:0\nREPLY<|im_end|><|im_assistant|>assistant<|im_middle|>WORDS<|im_end|>",
    "DeepSeek R1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>web_search\n```json\n"
    '{"query": "shops"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜>'
    "<｜tool▁output▁begin｜>REPLY<｜tool▁output▁end｜><｜tool▁outputs▁end｜>WORDS<｜end▁of▁sentence｜>",
    "DeepSeek V3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>web_search<｜tool▁sep｜>"
    '{"query": "shops"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁output▁begin｜>REPLY'
    "<｜tool▁output▁end｜>WORDS<｜end▁of▁sentence｜>",
    "DeepSeek V4": '</think>\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="web_search">\n<｜DSML｜parameter '
    'name="query" string="true">shops</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>'
    "<｜end▁of▁sentence｜><｜User｜><tool_result>REPLY</tool_result><｜Assistant｜></think>WORDS<｜end▁of▁sentence｜>",
    "Gemma 3": f"{CALL}<end_of_turn>\n<start_of_turn>user\nREPLY<end_of_turn>\n<start_of_turn>model\nWORDS"
    "<end_of_turn>\n",
    "Gemma 4": '<|tool_call>call:web_search{query:<|"|>shops<|"|>}<tool_call|><|tool_response>response:web_search{'
    'value:<|"|>REPLY<|"|>}<tool_response|>WORDS<turn|>\n',
    "MiniMax M2": '<minimax:tool_call>\n<invoke name="web_search">\n<parameter name="query">shops</parameter>\n'
    "</invoke>\n</minimax:tool_call>[e~[\n]~b]tool\n<response>REPLY</response>[e~[\n]~b]ai\nWORDS[e~[\n",
    "Seed-OSS": "<seed:tool_call>\n<function=web_search>\n<parameter=query>shops</parameter>\n</function>\n"
    "</seed:tool_call><seed:eos><seed:bos>tool\nREPLY<seed:eos><seed:bos>assistant\nWORDS<seed:eos>",
    "Command R7B": '<|START_ACTION|>[{"tool_name": "web_search", "parameters": {"query": "shops"}}]<|END_ACTION|>'
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>[REPLY]<|END_TOOL_RESULT|>"
    "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>REPLY<|END_THINKING|>"
    "<|START_RESPONSE|>WORDS<|END_RESPONSE|><|END_OF_TURN_TOKEN|>",
    "Granite 4": f"<tool_call>\n{CALL}\n</tool_call><|end_of_text|>\n<|start_of_role|>user<|end_of_role|>\n"
    "<tool_response>\nREPLY\n</tool_response><|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>WORDS",
    "GigaChat 3": f"<|function_call|>{CALL}<|message_sep|>\n\nfunction result<|role_sep|>\nREPLY<|message_sep|>\n\n"
    "assistant<|role_sep|>\nWORDS<|message_sep|>\n\n",
    "Apertus": '<|tools_prefix|>[{"web_search": {"query": "shops"}}]<|tools_suffix|>[REPLY]WORDS',
    "Search-R1": "<think>x</think><search>web_search shops</search>\n\n<information>REPLY</information>\n\n"
    "<think>y</think><answer>WORDS</answer>",
    "ReAct": 'Thought: look\nAction: web_search\nAction Input: {"query": "shops"}\nObservation: REPLY\n'
    "Thought: done\nFinal Answer: WORDS",
    "ReAct in bold": "**Thought:** look\n**Action:** web_search\n**Action Input:** shops\n**Observation:**\nREPLY\n"
    "**Thought:** done\n**Final Answer:**\nWORDS",
}
"""Checked against the templates of the models themselves."""
