"""Conversations as text by chat templates: what the agent says is where the spans say it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from worldsmith.errors import FormatError, UsageError
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.train.exports.chat_template import ChatTemplate
from worldsmith.world.files import read_jsonl

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
CHATML = """\
{{- bos_token }}{% if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{% for m in messages %}
<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% for call in m.tool_calls or [] %}

<tool_call>
{{ call.function | tojson }}
</tool_call>
{%- endfor %}<|im_end|>{% endgeneration %}

{% else %}{{ m.content }}<|im_end|>
{% endif %}
{% endfor %}
{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}
"""
CALL = {"type": "function", "function": {"name": "web_search", "arguments": {"query": 'the "Café" & <b>'}}}
MESSAGES = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "Q"},
    {"role": "assistant", "content": "I search.", "tool_calls": [CALL]},
    {"role": "tool", "content": "R", "name": "web_search", "tool_call_id": "call00001"},
    {"role": "assistant", "content": "| a |"},
]


@pytest.fixture
def template(tmp_path):
    def made(text, name="chat_template.jinja"):
        (tmp_path / name).write_text(text, "utf-8")
        return ChatTemplate(tmp_path / name)

    return made


def test_spans_are_what_the_agent_says_and_the_end_of_its_turn(template):
    config = {"chat_template": CHATML, "bos_token": {"content": "<s>"}, "eos_token": None}
    text, spans = template(json.dumps(config), "tokenizer_config.json").rendered(MESSAGES, [{"name": "web_search"}])
    assert text == (
        '<s><|im_start|>system\n{"name": "web_search"}\n<|im_end|>\n<|im_start|>system\nS<|im_end|>\n'
        "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nI search.\n<tool_call>\n"
        '{"name": "web_search", "arguments": {"query": "the \\"Café\\" & <b>"}}\n</tool_call><|im_end|>\n'
        "<|im_start|>tool\nR<|im_end|>\n<|im_start|>assistant\n| a |<|im_end|>\n"
    )
    call = '{"name": "web_search", "arguments": {"query": "the \\"Café\\" & <b>"}}'
    spoken = [f"I search.\n<tool_call>\n{call}\n</tool_call><|im_end|>", "| a |<|im_end|>"]
    assert [text[start:end] for start, end in spans] == spoken


def test_a_tokenizer_config_with_several_templates_gives_that_for_tools(template):
    named = [{"name": "default", "template": "x"}, {"name": "tool_use", "template": CHATML}]
    config = json.dumps({"chat_template": named, "bos_token": "<s>"})
    assert template(config, "tokenizer_config.json").rendered(MESSAGES, [])[0].startswith("<s><|im_start|>system\nS")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}", "has no place for tool calls"),
        (CHATML.replace("{{ m.content }}{% for", "{% if loop.last %}last {% endif %}{{ m.content }}{% for"),
         "writes message 2 otherwise where others follow it"),
        ("{{ raise_exception('no tools here') }}", "can't write these conversations: no tools here"),
        ("{{ messages[0].content + 1 }}", "can't write these conversations: "),
    ],
)  # fmt: skip
def test_a_template_that_cannot_write_calls_is_an_error(template, text, fault):
    with pytest.raises(UsageError, match=fault):
        template(text).rendered(MESSAGES, [])


def test_files_without_a_template_say_so(template, tmp_path):
    with pytest.raises(FormatError, match="no template of Jinja"):
        template("{% if %}")
    with pytest.raises(FormatError, match=r'no tokenizer_config\.json with a "chat_template"'):
        template("{}", "tokenizer_config.json")
    with pytest.raises(FormatError, match="can't be read as a chat template"):
        ChatTemplate(tmp_path / "nowhere.jinja")


def test_without_jinja2_the_error_says_what_to_install(template, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(UsageError, match=r"pip install 'worldsmith\[templates\]'"):
        template(CHATML)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sft")
    (folder / "chat_template.jinja").write_text(CHATML.replace("{{- bos_token }}", ""), "utf-8")
    export(SeparateWorlds([WORLD]), "sft", folder / "out", rendered=folder / "chat_template.jinja")
    return folder / "out"


def test_texts_stand_beside_the_conversations_and_the_selfcheck_reads_both(exported, tmp_path):
    for name in ("train.jsonl", "test.jsonl"):
        rows, texts = read_jsonl(exported / name), read_jsonl(exported / "rendered" / name)
        assert len(rows) == len(texts) > 0
        for row, text in zip(rows, texts, strict=True):
            assert [*text] == ["text", "spans", "task_id", "world", "canary"]
            assert text["task_id"] == row["task_id"]
            assert len(text["spans"]) == sum(row["loss_mask"])
            assert row["loss_mask"] == [int(message["role"] == "assistant") for message in row["messages"]]
            assert row["canary"] not in text["text"]
            start, end = text["spans"][-1]
            assert text["text"][start:end] == row["messages"][-1]["content"] + "<|im_end|>"
    command = [sys.executable, "-S", "selfcheck.py"]
    done = subprocess.run(command, cwd=exported, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "5 conversations, 0 of them faulty: []")
    texts = read_jsonl(exported / "rendered" / "train.jsonl")
    shifted = [{**text, "spans": [[start - 900, end] for start, end in text["spans"]]} for text in texts]
    lines = (exported / "rendered" / "train.jsonl").read_bytes()
    (exported / "rendered" / "train.jsonl").write_text("".join(json.dumps(text) + "\n" for text in shifted))
    done = subprocess.run(command, cwd=exported, capture_output=True, text=True, check=False)
    (exported / "rendered" / "train.jsonl").write_bytes(lines)
    assert (done.returncode, "4 of them faulty" in done.stdout) == (1, True)


def test_texts_are_for_sft_alone(tmp_path):
    with pytest.raises(UsageError, match="are for exports to sft, not to jsonl"):
        export(SeparateWorlds([WORLD]), "jsonl", tmp_path / "out", rendered=tmp_path / "x.jinja")


@pytest.mark.frameworks
@pytest.mark.parametrize("name", ["qwen3_training", "qwen2_5_training", "glm4moe_training"])
def test_transformers_writes_the_same_text_and_masks_the_same_parts(tmp_path, name):
    python = framework_python("trl")
    folder = run_python(python, "-c", "import trl; print(trl.__path__[0])", cwd=tmp_path).split()[-1]
    file = Path(folder) / "chat_templates" / f"{name}.jinja"
    export(SeparateWorlds([WORLD]), "sft", tmp_path / "out", reasoning="reasoning_content", rendered=file)
    script = Path(__file__).parent / "frameworks" / "sft_texts.py"
    printed = run_python(python, script, tmp_path / "out", file, cwd=tmp_path)
    assert printed.splitlines()[-1] == "5 texts are the same"
