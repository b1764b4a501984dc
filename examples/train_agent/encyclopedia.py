"""An environment that isn't worldsmith's: multi-hop questions over paragraphs of an encyclopedia (HotpotQA's form).

The paragraphs of all questions make one corpus, searched by BM25; tools and prompts are those of `Environment`, so that
a model meets the same two tools over text that nobody generated. Answers are scored by exact match and by the F1 of
their words, as HotpotQA does.
"""

import json
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from worldsmith.episode.agent_messages import read_message
from worldsmith.episode.tool_arguments import CallError, arguments_of, number_of, texts_of, tool_of
from worldsmith.episode.tools import SYSTEM
from worldsmith.errors import UsageError

HITS = 5
TURNS = 30
PROMPT = """{question}

A Markdown table with this one column and one row will do:
Answer

The table with that one cell is all I need."""
NOT_FOUND = "Error: page not found: take a url from a search result or from a link on a page"
_CELL = re.compile(r"^\|(.*)\|\s*$", re.MULTILINE)


def questions(file: Path) -> list[dict[str, str]]:
    """Return the questions of a file in HotpotQA's form, each with its answer and the file its corpus is read from."""
    return [
        {"question": row["question"], "answer": row.get("answer", row.get("gold_answer")), "corpus": str(file)}
        for row in json.loads(file.read_text("utf-8"))
    ]


def paragraphs(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return title and text of the paragraphs beside a question, in any of the forms that HotpotQA is passed on in."""
    context = row["context"]
    if isinstance(context, Mapping):
        context = list(zip(context["title"], context["sentences"], strict=True))
    pairs = [(part["title"], part["text"]) if isinstance(part, Mapping) else tuple(part) for part in context]
    return [(title, text if isinstance(text, str) else "".join(text)) for title, text in pairs]


class Corpus:
    """Paragraphs with addresses, and a search over them."""

    def __init__(self, pages: Sequence[tuple[str, str]]) -> None:
        import bm25s

        self.pages = list(dict(pages).items())
        names = (re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-") for title, _ in self.pages)
        self.address = [f"https://encyclopedia.example/{name}" for name in names]
        self.places = {address: i for i, address in reversed(list(enumerate(self.address)))}
        self.index = bm25s.BM25()
        # A title weighs more than a mention, as search engines have it.
        texts = [f"{title}. " * 4 + text for title, text in self.pages]
        self.index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def search(self, query: str, page: int) -> str:
        """Return a page of hits: title, address and the first sentence."""
        import bm25s

        tokens = bm25s.tokenize([query], show_progress=False)
        places, scores = self.index.retrieve(tokens, k=min(page * HITS, len(self.pages)), show_progress=False)
        hits = [i for i, score in zip(places[0], scores[0], strict=True) if score > 0][(page - 1) * HITS :]
        texts = [f"{self.pages[i][0]}\n{self.address[i]}\n{self.pages[i][1].split('. ')[0]}" for i in hits]
        return "\n\n".join(texts) or "No results."

    def read(self, url: str) -> str | None:
        """Return a page; None where there is none."""
        place = self.places.get(url)
        return None if place is None else "# {}\n\n{}\n".format(*self.pages[place])


@cache
def corpus(file: str) -> Corpus:
    """Return the corpus of a file of questions."""
    return Corpus([pair for row in json.loads(Path(file).read_text("utf-8")) for pair in paragraphs(row)])


@dataclass(frozen=True)
class Step:
    observation: str
    done: bool = False
    figures: dict[str, Any] = field(default_factory=dict)


class Episode:
    """One question: `reset`, then `step` with each message of the agent until the step is done."""

    def __init__(self, line: Mapping[str, str]) -> None:
        self.line, self.corpus = line, corpus(line["corpus"])
        self.turns = self.searches = self.reads = 0

    def reset(self) -> list[dict[str, str]]:
        prompt = PROMPT.format(question=self.line["question"])
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]

    def step(self, message: str) -> Step:
        """Answer the calls of a message, or score the answer."""
        self.turns += 1
        read = read_message(message)
        if not read.requests:
            return self._end(answer_of(read.answer_text), cut=False)
        if self.turns >= TURNS:
            return self.cut()
        return Step("\n\n".join(map(self._reply, read.requests[:4])))

    def cut(self) -> Step:
        """End the episode at a limit."""
        return self._end("", cut=True)

    def _reply(self, request) -> str:
        try:
            tool = tool_of(request)
            arguments = arguments_of(request, tool)
            text = texts_of(arguments, tool)[0]
            if tool == "web_search":
                self.searches += 1
                return self.corpus.search(text, number_of(arguments, tool, "page", 1, 100))
        except (CallError, UsageError) as fault:
            return f"Error: {fault}"
        self.reads += 1
        return self.corpus.read(text) or NOT_FOUND

    def _end(self, answer: str, *, cut: bool) -> Step:
        f1 = word_f1(answer, self.line["answer"])
        figures = {
            "reward": f1,
            "exact": float(bool(answer) and words(answer) == words(self.line["answer"])),
            "finished": float(bool(answer)),
            "cut": float(cut),
            "searches": self.searches,
            "reads": self.reads,
            "turns": self.turns,
        }
        return Step("", True, figures)


def answer_of(text: str) -> str:
    """Return the last cell of a table, or the whole text where there is none."""
    cells = _CELL.findall(text)
    return (cells[-1] if cells else text).strip()


def words(text: str) -> list[str]:
    """Return the words that count: small letters, no punctuation, no articles."""
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def word_f1(answer: str, right: str) -> float:
    """Return the F1 of an answer's words; yes, no and noanswer count as a whole."""
    ours, theirs = words(answer), words(right)
    whole = ({"yes"}, {"no"}, {"noanswer"})
    if ours != theirs and (set(ours) in whole or set(theirs) in whole):
        return 0.0
    same = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * same / (len(ours) + len(theirs)) if same else 0.0
