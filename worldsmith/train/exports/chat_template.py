"""Conversations as a model's own chat template writes them, with the places of what the agent says.

Templates are Jinja, in the environment that the library transformers gives them. Needs jinja2: worldsmith[templates].
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from worldsmith.errors import FormatError, UsageError

TODAY = date(2026, 1, 1)
"""What templates that write today's date are given: the same tasks are the same bytes on any day."""
_GENERATION = re.compile(r"\{%(-?)\s*(end)?generation\s*(-?)%\}")
_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")

Message = Mapping[str, Any]


class ChatTemplate:
    """A chat template: a file of Jinja, or a tokenizer_config.json that holds one."""

    def __init__(self, path: Path) -> None:
        """Compile it. Raises FormatError for a file that holds no template, UsageError where jinja2 is missing."""
        try:
            from jinja2 import TemplateError  # noqa: PLC0415 - an extra
            from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415
        except ImportError:
            raise UsageError("chat templates are rendered by jinja2: pip install 'worldsmith[templates]'") from None
        source, self._tokens = _source_of(path)
        self.path, self._error = path, TemplateError
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _as_json
        environment.globals["raise_exception"] = self._refuse
        environment.globals["strftime_now"] = TODAY.strftime
        # Marks of assistant parts, which only transformers knows: what they hold is written as it is.
        source = _GENERATION.sub(lambda m: f"{{%{m[1]} {'endif' if m[2] else 'if true'} {m[3]}%}}", source)
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise FormatError(f"{path}: no template of Jinja: {error}") from None

    def _refuse(self, message: str) -> None:
        raise self._error(message)

    def _text(self, messages: Sequence[Message], tools: Sequence[Message], *, prompt: bool = False) -> str:
        try:
            return self._template.render(
                messages=messages, tools=tools, add_generation_prompt=prompt, documents=None, **self._tokens
            )
        except (self._error, TypeError, AttributeError) as error:
            raise UsageError(f"{self.path}: the template can't write these conversations: {error}") from None

    def rendered(self, messages: Sequence[Message], tools: Sequence[Message]) -> tuple[str, list[tuple[int, int]]]:
        """Return a conversation as text, and from and to which character of it the agent speaks.

        A span begins after what the template gives the model to go on from, and holds the mark that ends the turn.

        Raises UsageError where the template leaves calls out, or writes a turn otherwise once another follows.
        """
        text, spans = self._text(messages, tools), []
        for number, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            start = self._text(messages[:number], tools, prompt=True)
            end = self._text(messages[: number + 1], tools).rstrip()
            if not (text.startswith(end) and end.startswith(start)):
                raise UsageError(
                    f"{self.path}: the template writes message {number} otherwise where others follow it, so that no "
                    "span of the text is what the model would say; place reasoning elsewhere (--reasoning)"
                )
            spoken = text[len(start) : len(end)]
            for call in message.get("tool_calls", ()):
                values = [value for value in call["function"]["arguments"].values() if isinstance(value, str)]
                if not all(value in spoken or _as_json(value)[1:-1] in spoken for value in values):
                    raise UsageError(f"{self.path}: the template has no place for tool calls")
            spans.append((len(start), len(end)))
        return text, spans


def _source_of(path: Path) -> tuple[str, dict[str, str]]:
    """Return the template of a file, and the special tokens that it may name."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: can't be read as a chat template: {error}") from None
    if path.suffix != ".json":
        return text, {}
    try:
        config = json.loads(text)
        template = config["chat_template"]
        if isinstance(template, list):  # several, by name
            by_name = {one["name"]: one["template"] for one in template}
            template = by_name.get("tool_use") or by_name["default"]
    except (ValueError, TypeError, KeyError):
        raise FormatError(f'{path}: no tokenizer_config.json with a "chat_template"; name its .jinja file') from None
    tokens = {name: config.get(name) for name in _TOKENS}
    return template, {
        name: str(token["content"] if isinstance(token, dict) else token) for name, token in tokens.items() if token
    }


def _as_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    """Return JSON as templates expect it: not escaped for HTML, in the order of the keys."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)
