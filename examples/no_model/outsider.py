# ruff: noqa: E501 - patterns stand on one line
"""Solve search tasks without any language model: an adversary, to measure how much of the tasks needs reading.

It was written by somebody who had seen training wordings alone: training questions with their answers and queries,
searches and pages of six schemas, but no schema file and no code of the worlds. It reads {"question", "base_url"} as JSON
from standard input and prints a Markdown table.

1. It gathers every page that searches and links lead to.
2. It masks names, dates and numbers, and turns sentences, list items and table rows into facts, wherever a slot stands in
   a context that training answers have shown to be reliable (packed at the end of the file).
3. It parses the question by patterns that training questions have shown, and runs the query over the facts.
"""

import base64
import contextlib
import itertools
import json
import lzma
import re
import sys
import urllib.request
from collections import Counter, defaultdict

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip
MONTH = "|".join(MONTHS)
COUNTED = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")
DATE = rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d\d\.\d{{4}}|\d{{1,2}} (?:{MONTH}) \d{{4}}|(?:{MONTH}) \d{{1,2}}, \d{{4}}"
NUMBER = r"(?<![\w.])-?\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|(?<!\w)-?\d+(?:\.\d+)?(?!\w)"
NAME = r"(?:\b[A-Z][\w’']*[^\W\d_](?: (?:of|and|the|in|to) (?=[A-Z]))? ?)+"
TOKEN = re.compile(
    rf"\0(\d+)\0|({DATE})|(\b[A-Z]{{2}}-\d{{4}}\b|\b[A-Z]\d\b)|(\b\d{{4}}/\d\d\b)|({NUMBER})|(\b(?:{'|'.join(COUNTED)})\b)|({NAME})"
)
SENTENCE = re.compile(r"(?<=[.!?”])(?<! no\.)\s+(?=[A-Z“\[\d])")
OPENERS = {
    "The",
    "In",
    "Of",
    "At",
    "On",
    "By",
    "With",
    "For",
    "From",
    "A",
    "An",
    "Its",
    "Their",
    "Our",
    "When",
    "While",
    "Under",
    "To",
    "After",
    "Before",
}
WORD = re.compile(r"[\w’'-]+|[~@#%_]|[^\w\s]")


# --- reading the web ------------------------------------------------------------------------------------------------


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
            return json.load(reply)
    except OSError:
        return {}


def gather(base, question):
    """Every page that can be found: by searches, by links, and by names that another part of a site uses."""
    pages, seen, todo, asked = {}, set(), [], set()

    def want(url):
        if url not in seen:
            seen.add(url)
            todo.append(url)

    def search(query):
        for page in (1, 2) if query not in asked else ():
            reply = post(f"{base}/api/search", {"query": query, "k": 50, "page": page})
            for hit in reply.get("results", ()):
                want(hit["url"])
            if not reply.get("more"):
                break
        asked.add(query)

    def read():
        while todo:
            url = todo.pop()
            text = post(f"{base}/api/extract", {"url": url}).get("text")
            if text and url.count("/") > 3:
                pages[url] = text
                host, section = url.split("/")[2:4]
                search(f"site:{host}")
                search(f"site:{host}/{section}")
                for _, link in LINK.findall(text):
                    want(link)

    search(question.split("\n", 1)[0][:400])
    read()
    for _ in range(2):
        parts = defaultdict(set)
        for url in pages:
            parts[tuple(url.split("/")[2:4])].add(url.rsplit("/", 1)[-1])
        names = {slug.replace("-", " ") for slugs in parts.values() for slug in sorted(slugs)[:3] if "-" in slug}
        for host in {host for host, _ in parts}:
            for name in names:
                search(f"site:{host} {name}")
        read()
        for (host, section), slugs in parts.items():
            for others in parts.values():
                if others is not slugs and len(slugs & others) > 0.3 * min(len(slugs), len(others)):
                    for slug in others:
                        want(f"https://{host}/{section}/{slug}")
        read()
    return pages


# --- masking --------------------------------------------------------------------------------------------------------


def iso(text):
    if match := re.match(r"(\d{1,2})\.(\d\d)\.(\d{4})$", text):
        return f"{match[3]}-{match[2]}-{int(match[1]):02}"
    if match := re.match(r"(\d{1,2}) (\w+) (\d{4})$", text) or re.match(r"(?P<m>\w+) (?P<d>\d+), (\d{4})$", text):
        day, month = (match["d"], match["m"]) if "d" in match.groupdict() else (match[1], match[2])
        return f"{match[3]}-{MONTHS.index(month) + 1:02}-{int(day):02}"
    return text


def number(text):
    text = re.sub(r"[,\u00a0\u202f ]", "", text)
    return float(text) if "." in text else int(text)


def strip(url):
    """The part of an address that names a thing, without the random letters at its end."""
    slug = url.rsplit("/", 1)[-1]
    return re.sub(r"-[a-z]{4}$", "", slug) if slug.count("-") else slug


class Masker:
    """Replaces names by ~, dates by @, numbers by #, seasons by %, and the family name of the page's subject by _."""

    def __init__(self, pages, words):
        self.by_slug, self.entities = {}, set()
        names = set(words)
        for text in pages.values():
            for name, url in LINK.findall(text):
                if not name[0].isdigit() and name != "Next page":
                    names.add(name)
                    if "-" in url.rsplit("/", 1)[-1]:
                        slug = strip(url)
                        self.entities.add(name)
                        self.by_slug[slug] = name
        for url, text in pages.items():
            slug = strip(url)
            title = re.search(r"(?i)\b" + r"\W+".join(slug.split("-")) + r"\b", text.split("\n", 1)[0])
            if title and "-" in url.rsplit("/", 1)[-1] and slug not in self.by_slug:
                self.by_slug[slug] = title[0]
                self.entities.add(title[0])
                names.add(title[0])
        known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        self.known = re.compile(rf"(?i:\b({'|'.join(map(re.escape, sorted(words, key=len, reverse=True))) or '@'})\b)")
        self.names = re.compile(rf"(?<!\w)({known or '@'})(?!\w)")
        self.words = set(words)

    def mask(self, text, surname=None):
        found, text = [], re.sub(r"[~@#%]", "¤", text)

        def keep(match):
            if match[1][0].isdigit():
                return match[1]
            found.append(match[1].lower() if match[1].lower() in self.words else match[1])
            return f"\0{len(found) - 1}\0"

        text = self.known.sub(keep, self.names.sub(keep, LINK.sub(keep, text)))
        if surname:
            text = re.sub(rf"\b{re.escape(surname)}\b", "_", text)
        slots = []

        def slot(match):
            kind = match.lastindex
            if kind == 7:
                return capitals(match)
            value = match[0]
            if kind == 1:
                value = found[int(match[1])]
            elif kind == 2:
                value = iso(value)
            elif kind == 5:
                value = number(value)
            elif kind == 6:
                value = COUNTED.index(value) + 2
            slots.append(value)
            return " ~@~%##"[kind]

        def capitals(match):
            words, before = match[0].split(), text[: match.start()].rstrip()
            head = []
            if not before or before[-1] in ".!?:“”":
                if len(words) == 1:
                    return match[0]
                if words[0] in OPENERS:
                    head, words = words[:1], words[1:]
            if all(word in {"I", "EUR", "USD"} for word in words):
                return match[0]
            slots.append(" ".join(words))
            return " ".join([*head, "~"]) + " " * match[0].endswith(" ")

        return re.sub(r"(# (?!this)[a-z]+?)s\b", r"\1", TOKEN.sub(slot, text)), slots

    def units(self, url, text):
        """(kind, template, slots, references) of every sentence, list item, table row and labelled value of a page."""
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        page = self.by_slug.get(strip(url))
        person = page and " " in page and not page.startswith("The ")
        surname = page.split()[-1] if person else None
        refs = {"P": page} if page else {}
        template, slots = self.mask(lines[0].lstrip("# "))
        refs |= {f"H{place}": value for place, value in enumerate(value for value in slots if value != page)}
        yield "title", template, slots, refs
        head = None
        for line in lines[1:]:
            if line.startswith(("#", "Updated ")):
                head = None
            elif line.startswith("[Next page]"):
                continue
            elif line.startswith("|"):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if head is None:
                    head = cells
                elif set(line) - set("|- "):
                    values = [self.cell(cell) for cell in cells]
                    yield "row", head, values, refs | {"L": values[0]}
            elif match := re.match(r"- \*\*(.+?)\*\*: (.*)", line):
                yield "key", [match[1]], [self.cell(match[2])], refs
            else:
                body = re.sub(r"^(?:- |\d+\. )", "", line)
                first = None
                for sentence in SENTENCE.split(body):
                    template, slots = self.mask(sentence, surname)
                    if body != line and first is None:
                        first = next((value for value in slots if value in self.entities), None)
                    yield "text", template, slots, refs | ({"L": first} if first is not None else {})

    def cell(self, text):
        template, slots = self.mask(text)
        if not slots:
            return text
        return slots[0] if len(slots) == 1 or not template.strip("~@#% ") or template[0] in "~@#" else text


def windows(kind, template, slots):
    """For each slot, the contexts it stands in, from the longest to the shortest."""
    if kind in {"row", "key"}:
        return [[f"{kind}:{name}"] for name in template[: len(slots)]]
    words = ["<", *WORD.findall(template), ">"]
    places = [place for place, word in enumerate(words) if word in set("~@#%")]
    found = []
    for place in places:
        options = []
        for size in range(7, 0, -1):
            for left in range(min(size, 4), -1, -1):
                right = size - left
                if right <= 4 and place - left >= 0 and place + right < len(words):
                    before, after = words[place - left : place], words[place + 1 : place + right + 1]
                    options.append(" ".join([*before, "^" + words[place], *after]))
        found.append(options)
    return found


# --- what was learned -----------------------------------------------------------------------------------------------


def learned():
    return json.loads(lzma.decompress(base64.b85decode("".join(BLOB.split()))))


def label(header):
    """A header as questions write it within a sentence."""
    text = re.sub(r" \([^()]*\)$", "", header.rsplit(": ", 1)[-1])
    return text[:1].lower() + text[1:] if not text[1:2].isupper() else text


# --- facts ----------------------------------------------------------------------------------------------------------


def places(slots, refs, place):
    """What may name the subject of a value: the page, its title, the list item, and other slots of the sentence."""
    found = dict(refs)
    for other, value in enumerate(slots):
        if other != place and abs(other - place) <= 4:
            found[f"{other - place:+}"] = value
    return found


def occurrences(kind, template, slots, refs):
    """Each value that a piece of text may state: its contexts, the value, and what may name its subject."""
    found = windows(kind, template, slots)
    for place, options in enumerate(found[: len(slots)]):
        yield options, slots[place], places(slots, refs, place)
        if isinstance(slots[place], str):
            for name in ("P", "H0", "H1"):
                if name in refs and refs[name] != slots[place]:
                    yield [f"{name}<{option}" for option in options[-9:]], refs[name], {**refs, "0": slots[place]}
    if "L" in refs:
        for name in refs:
            if name != "L":
                yield [f"{name}|{kind}"], refs[name], refs


def plain(value):
    return value if isinstance(value, str) else float(value)


class Facts:
    """What the pages say: table -> key -> column -> value, by a weighted majority."""

    def __init__(self, pages, model, masker):
        self.model, self.masker, self.units = model, masker, []
        self.rows, self.types = defaultdict(dict), {}
        contexts, subjects = model["contexts"], model["subjects"]
        votes = defaultdict(lambda: defaultdict(Counter))
        for url, text in pages.items():
            section = url.split("/")[3]
            table = subjects.get(section)
            for kind, template, slots, refs in masker.units(url, text):
                if kind == "title":
                    if table and "P" in refs:
                        self.types[refs["P"]] = table
                    continue
                self.units.append((section, kind, template, slots, refs))
                for options, value, find in occurrences(kind, template, slots, refs):
                    for option in options:
                        for column, subject, weight in contexts.get(section, {}).get(option, ()):
                            key = tuple(find.get(part) for part in subject.split(","))
                            if None not in key and self.fits(column, value):
                                votes[column][key][value] += weight
        for name, table in self.types.items():
            self.rows[table].setdefault((name,), {})
        paged = set(self.types.values())
        for column, keys in votes.items():
            table, part = column.split(".")
            to = model["links"].get(column)
            for key, counts in keys.items():
                if len(key) == 1 and table in paged and self.types.get(key[0]) != table:
                    continue
                parts = [(model["links"].get(f"{table}.{c}"), v) for c, v in zip(self.keys(table), key, strict=False)]
                if len(key) > 1 and any(other in paged and self.types.get(v) != other for other, v in parts):
                    continue
                known = Counter({v: n for v, n in counts.items() if self.types.get(v) == to}) if to in paged else counts
                if known:
                    self.rows[table].setdefault(key, {})[part] = known.most_common(1)[0][0]
        for table, rows in self.rows.items():
            for key, row in rows.items():
                for part, value in zip(self.keys(table), key, strict=False):
                    row[part] = value
        self.pair()
        self.derive()
        self.about, self.guesses = defaultdict(list), {}
        for unit in self.units:
            for name in {v for v in [*unit[4].values(), *unit[3]] if isinstance(v, str)}:
                self.about[name].append(unit)

    def pair(self):
        """Rows of tables with two keys of which no context told anything: both keys named in one sentence."""
        for table, keys in self.model["keys"].items():
            if len(keys) != 2 or len(self.rows[table]) > 4:
                continue
            known = [set(self.model["values"].get(f"{table}.{key}", ())) for key in keys]
            links = [self.model["links"].get(f"{table}.{key}") for key in keys]
            if links[0] and (known[1] or links[1]):
                for _, _, _, slots, refs in self.units:
                    one = next((v for v in (refs.get("L"), refs.get("P")) if self.types.get(v) == links[0]), None)
                    for value in [*slots, *refs.values()] if one else ():
                        if value != one and (value in known[1] or (links[1] and self.types.get(value) == links[1])):
                            self.rows[table].setdefault((one, value), dict(zip(keys, (one, value), strict=True)))

    def guessed(self, table, row, column):
        """A value that no context told: the one whose surroundings are most like the names of its column."""
        key = tuple(row.get(part) for part in self.keys(table))
        if (table, key, column) in self.guesses or None in key:
            return self.guesses.get((table, key, column))
        names = [set(bag(name.lower())) for name in self.model["labels"].get(table, {}).get(column, ())]
        names = [name for name in names if name] or [{column}]
        to, known = self.model["links"].get(f"{table}.{column}"), self.model["values"].get(f"{table}.{column}")
        scores = Counter()
        for _, kind, template, slots, refs in self.about.get(key[0], ()):
            if any(part not in slots and part not in refs.values() for part in key[1:]):
                continue
            words = [list(template)] if kind in {"row", "key"} else re.findall(r"[a-zA-Z]+|[~@#%]", template)
            places = [n for n, word in enumerate(words) if isinstance(word, str) and word in "~@#%"]
            for place, value in enumerate(slots):
                if value in key or not self.fits(f"{table}.{column}", value):
                    continue
                if (to and self.types.get(value) != to) or (known and value not in known):
                    continue
                if kind in {"row", "key"}:
                    near = template[place] if place < len(template) else ""
                else:
                    at = places[place] if place < len(places) else 0
                    near = " ".join(words[max(0, at - 6) : at + 4])
                said = set(bag(near.lower()))
                score = max(len(name & said) / len(name) for name in names) + 0.3 * bool(to or known)
                scores[value] += score**2
        default = self.model["defaults"].get(f"{table}.{column}")
        value = max(scores, key=scores.get) if scores and max(scores.values()) > 0.08 else default
        self.guesses[table, key, column] = value
        return value

    def keys(self, table):
        return self.model["keys"].get(table, ["name"])

    def fits(self, column, value):
        kind = self.model["kinds"].get(column, "text")
        if kind == "date":
            return isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value))
        return isinstance(value, str) == (kind in {"text", "bool"})

    def derive(self):
        """Fill gaps by sums over other tables, then by what most rows without a stated value had in training."""
        for target, how, other, link, part in self.model["derived"]:
            table, column = target.split(".")
            found = self.gathered(other, link, part)
            for key, row in self.rows[table].items():
                if column not in row:
                    value = combine(how, found.get(key[0], []))
                    if value is not None:
                        row[column] = value

    def gathered(self, other, link, part):
        found = defaultdict(list)
        for child in self.rows[other].values():
            found[child.get(link)].append(1 if part == "-" else child.get(part))
        return found

    def target(self, table, column):
        return self.model["links"].get(f"{table}.{column}")

    def get(self, table, row, path):
        for column in path[:-1]:
            if column not in row and table and row:
                row = {**row, column: self.guessed(table, row, column)}
            table = self.target(table, column)
            row = self.rows[table].get((row.get(column),), {}) if table else {}
        last = path[-1]
        if last not in row and table and last and row:
            return self.guessed(table, row, last)
        return row.get(last)


def combine(how, values):
    known = [value for value in values if value is not None]
    if how == "count":
        return len(values)
    if how == "sum":
        return sum(value for value in known if not isinstance(value, str))
    known = [value for value in known if isinstance(value, str) == isinstance(known[0], str)]
    return (max if how == "max" else min)(known) if known else None


# --- the question ---------------------------------------------------------------------------------------------------

UP = r"highest|latest|largest|biggest|most|longest|greatest|newest|youngest|top|best|maximum|last"
DOWN = r"lowest|earliest|smallest|least|shortest|fewest|oldest|bottom|worst|minimum|first"
THAT = r"(?:that|which|who|whose|for which|to which|with|where|of|I only know|the only)"
FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
SMALL = {
    "a", "an", "the", "of", "in", "to", "and", "or", "by", "for", "at", "on", "with", "that", "who", "which", "are",
    "is", "was", "were", "they", "it", "have", "has",
}  # fmt: skip
ABOVE = r"more than|above|over\b|later than|\bafter\b|higher than|longer than|exceed|larger|beyond|upwards|since\b"
BELOW = r"less than|below|under\b|fewer than|\bbefore\b|earlier than|younger than|lower than|shorter|smaller|short of"


def stem(word):
    return re.sub(r"(?:ies|es|s|ed|ing|y)$", "", word) if len(word) > 4 else word


def bag(text):
    return [stem(word) for word in re.findall(r"[a-z]+|[~@#L]", text) if word not in SMALL] or ["-"]


def like(first, second):
    """How alike two bags of words are, between 0 and 1."""
    one, two = Counter(first), Counter(second)
    return 2 * sum((one & two).values()) / (sum(one.values()) + sum(two.values()))


def direction(text):
    """Which way a clause compares, with whether it denies something."""
    low = text.lower()
    patterns = (
        ABOVE,
        BELOW,
        r"at least|or more|no earlier|no fewer|no less|from [#@] on",
        r"at most|or less|or fewer|no later|up to",
        r"\b(?:no|not|never|without|nothing|none|nobody|other|another|except)\b|n't",
        r"between|[#@] to [#@]|from [#@]",
        "exactly",
    )
    return [bool(re.search(pattern, low)) for pattern in patterns]


def sketch(text, masker):
    """A clause with lists of values collapsed into one slot, and the values of each slot."""
    letters = []

    def letter(match):
        letters.append(match[0])
        return f"letter{match[0].lower()}"

    text = re.sub(r"(?<![\w’'])[A-H](?![\w’'.]\w|-| [A-Z])(?!\d)", letter, text)
    template, slots = masker.mask(text)
    groups, at = [], 0

    def collapse(match):
        nonlocal at
        count = sum(match[0].count(mark) for mark in "~@#%")
        groups.append(slots[at : at + count])
        at += count
        return match[1]

    template = re.sub(r"([~@#%])(?:(?:,? (?:or|and|nor)|,) \1)*", collapse, template)

    def placed(match):
        groups.insert(len(re.findall(r"[~@#%]", template[: match.start()])), [("letter", match[1].upper())])
        return "~"

    while match := re.search(r"letter([a-h])", template):
        template = template[: match.start()] + placed(match) + template[match.end() :]
    return template, groups


class Question:
    """A question as steps, a table, conditions and columns."""

    def __init__(self, text, model, masker):
        self.model, self.masker = model, masker
        blocks = text.split("\n\n")
        self.head = blocks[0]
        self.headers = self.find_headers(blocks[1] if len(blocks) > 1 else "")
        self.notes = "\n".join(blocks[2:])
        self.today = (re.findall(r"\d{4}-\d\d-\d\d", self.notes) or ["2030-01-01"])[-1]
        as_of = re.search(r"(?:as of|on|is|at) (\d{4}-\d\d-\d\d)\.", self.notes)
        self.today = as_of[1] if as_of else self.today
        self.labels = sorted(
            (
                (name.lower(), table, column)
                for table, columns in model["labels"].items()
                for column, names in columns.items()
                for name in names
            ),
            key=lambda item: -len(item[0]),
        )
        self.nouns = sorted(
            ((noun, table) for table, nouns in model["nouns"].items() for noun in nouns), key=lambda item: -len(item[0])
        )
        self.single = len(self.headers) == 1
        self.steps, self.unless, self.top = [], None, None
        self.split()

    def find_headers(self, block):
        lines = block.split("\n")
        return re.split(r", (?=[A-Z“])", lines[-1]) if len(lines) > 1 else [block.strip()]

    def split(self):
        """Take the head apart: steps that name a letter, what is left out, a cut to the largest, and the rest."""
        first, *bullets = self.head.split("\n- ")
        self.after = ""
        if bullets:
            last, *after = bullets[-1].split("\n")
            bullets[-1] = last
            first += " " + " ".join(after) if after else ""
        self.bullets = [bullet.strip(" ;.") for bullet in bullets]
        rest = []
        for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z])", first.replace("\n", " ")):
            match = re.search(
                r"[,:;(]\s*[^,:;(]*\b(?:call|label|name|refer|dub|say|as)\b[^,:;]*\b([A-H])\)?\.$", sentence
            )
            if match:
                body = sentence[: match.start()]
                self.steps.append((match[1], re.sub(r"^.*?\bthe ", "", body, count=1)))
            elif match := re.search(r"\bboth (.*?)\.?$", sentence):
                self.unless = match[1]
            elif re.search(rf"\b\d+ with the (?:{UP}|{DOWN})|\b\d+ whose ", sentence):
                self.top = sentence.rstrip(".")
            else:
                rest.append(sentence)
        self.final = rest[-1].rstrip(".?: ") if rest else ""
        if len(rest) > 2 or (len(rest) == 2 and not re.search(r"\b(?:the|which)\b", self.final)):
            long = [part for part in rest[1:] if len(part) > 45 or self.noun_in(part)]
            self.final = (long[0] if long else rest[-1]).rstrip(".?: ")

    def noun_in(self, text):
        return any(re.search(rf"\b{re.escape(noun)}\b", text) for noun, _ in self.nouns)

    # expressions

    def columns(self, table, text):
        """Columns of a table that a text may call so."""
        low = text.lower()
        return [column for name, other, column in self.labels if other == table and name == low]

    def parse(self, text, depth=0):
        """Readings of "the A of the B of the noun that …": (table, path, leaf)."""
        low = text.lower()
        if depth < 5:
            for name in dict.fromkeys(name for name, _, _ in self.labels):
                if low.startswith(name + " of "):
                    rest = re.sub(r"^of (?:the |a |an )?(?:certain )?", "", text[len(name) + 1 :])
                    for table, path, leaf in self.parse(rest, depth + 1):
                        here = table
                        for column in path:
                            here = self.model["links"].get(f"{here}.{column}")
                        for column in self.columns(here, name):
                            yield table, [*path, column], leaf
        for noun, table in self.nouns:
            if match := re.match(rf"(?:only |certain |one )?{re.escape(noun)}(?![\w’'])", text, re.IGNORECASE):
                yield table, [], ("noun", None, text[match.end() :])
            match = re.match(rf"(?:only |certain |one )?(\S+(?: \S+){{0,2}}?) {re.escape(noun)}(?![\w’'])", text)
            if match and depth:
                for column, values in self.model["values"].items():
                    if column.startswith(table + ".") and match[1].lower() in {value.lower() for value in values}:
                        yield table, [], ("value", [column, match[1]], text[match.end() :])
                for column in self.model["links"]:
                    if column.startswith(table + ".") and match[1] in self.masker.entities:
                        yield table, [], ("value", [column, match[1]], text[match.end() :])
        words = re.match(
            r"(?:only )?([\w’'é-]+(?: [\w’'é-]+){0,3}?)(?='s\b|’s\b| (?:that|which|who|whose|for which|I only)\b)", text
        )
        if words and depth:
            for column, values in self.model["values"].items():
                for value in values:
                    if value == words[1] or (
                        len(words[1]) > 5 and value[:4] == words[1][:4] and abs(len(value) - len(words[1])) < 5
                    ):
                        yield (
                            column.split(".")[0],
                            [],
                            ("value", [column, value], text[words.end() :].removeprefix("’s")),
                        )

    def expression(self, text, wanted=None):
        """The best reading: table, path, condition text, top."""
        best = None
        for table, path, leaf in self.parse(text):
            score = len(path) * 2 + (leaf[0] == "noun")
            if wanted and path and not any(n == wanted for n, t, c in self.labels if c == path[-1]):
                score -= 3
            if path and (best is None or score > best[0]):
                best = (score, table, path, leaf)
        return best and self.leaf(*best[1:])

    def leaf(self, table, path, leaf):
        _, value, tail = leaf
        step = {"table": table, "path": path, "where": [], "top": None, "raw": None, "key": None, "value": value}
        tail = re.sub(r"^(?:,? ?the only one|,? ?I only know as the one)", "", tail.strip(" ,"))
        match = re.match(
            rf"(?:with the|whose ([^,]*?) has the) ({UP}|{DOWN}) (.*?) among (?:all )?(?:those|the ones)?(.*)$",
            tail.strip(),
        )
        if match:
            step["top"] = self.ranking(table, match[1], match[3], match[2])
            tail = match[4]
        tail = tail.strip(" ,")
        if tail and not match and re.match(r"[“\"]?[A-Z0-9]", tail):
            step["key"] = tail.strip('“”"')
        elif tail:
            step["raw"] = re.sub(r"^(?:that|which|who) ", "", tail)
        return step

    def ranking(self, table, link, text, word):
        path = []
        if link:
            path = self.columns(table, link)[:1]
            if path:
                table = self.model["links"].get(f"{table}.{path[0]}")
        return [*path, self.named(table, text)], bool(re.match(UP, word))

    def named(self, table, text):
        """The column of a table that a text names, by its label or by likeness."""
        columns = self.model["labels"].get(table, {})
        exact = self.columns(table, label(text))
        if exact:
            return exact[0]
        words = bag(label(text).lower())
        return max(columns, key=lambda c: max([like(words, bag(n.lower())) for n in columns[c]] or [0]), default=None)

    def parsed(self):
        """Steps and the final expression, still with conditions as text."""
        steps = [(letter, self.expression(text)) for letter, text in self.steps]
        if self.single:
            final, wanted = None, label(self.headers[0]).lower()
            for match in re.finditer(r"\bthe (?=\w)", self.final):
                final = self.expression(self.final[match.end() :], wanted)
                if final:
                    break
            return steps, final
        found = []
        for noun, table in self.nouns:
            places = re.finditer(rf"\b{re.escape(noun)}\b", self.final)
            found += [(match.start(), -len(noun), table, match.end()) for match in places]
        if not found:
            return steps, None
        _, _, table, end = min(found)
        tail = self.final[end:].strip(" ,:.?")
        tail = re.sub(r",? with none missing$|,? all of them,? .*in common$", "", tail)
        raw = None if self.bullets else re.sub(r"^(?:that|which|who) ", "", tail)
        final = {"table": table, "path": None, "raw": raw, "where": [], "top": None, "key": None, "value": None}
        return steps, final

    # conditions

    def pieces(self, text):
        """Every way to split a text into clauses."""
        cuts = [
            m.span()
            for m in re.finditer(
                r",? (?:and|but) (?=[a-z“])|, (?=[a-z])| (?=for which |whose |who |that |which )", text
            )
        ]
        cuts = cuts[:7]
        for size in range(min(4, len(cuts)) + 1):
            for chosen in itertools.combinations(cuts, size):
                edges = [0, *[edge for cut in chosen for edge in cut], len(text)]
                yield [text[a:b].strip(" ,;") for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def clean(self, clause):
        return re.sub(r"^(?:(?:they|it|that|which|who) )+", "", clause.strip(" ;.,"))

    def conditions(self, table, text):
        """The split of a text whose clauses are most like those of training, as conditions."""
        best = (-1, [])
        for parts in self.pieces(text):
            if any(len(part.split()) < 2 for part in parts):
                continue
            found = [self.condition(table, part) for part in parts]
            score = sum(score * len(part) for (score, _), part in zip(found, parts, strict=True)) / len(text)
            if score > best[0] + 0.02:
                best = (score, [condition for _, condition in found])
        return best[1]

    def condition(self, table, clause):
        clause = self.clean(clause)
        if clause.startswith("either "):
            for match in re.finditer(r" or ", clause):
                halves = [
                    self.condition(table, clause[7 : match.start()]),
                    self.condition(table, clause[match.end() :]),
                ]
                if min(score for score, _ in halves) > 0.6:
                    return sum(s for s, _ in halves) / 2, {"op": "or", "args": [c for _, c in halves]}
        template, groups = sketch(clause, self.masker)
        words, marks = bag(template), re.sub(r"[^~@#%]", "", template)
        best, chosen = 0.0, None
        heading, past = direction(template), bool(re.search(r"\b(?:last|past)\b", template))
        for text, shape in self.model["clauses"].get(table, ()):
            if bool(re.search(r"\b(?:last|past)\b", text)) != past and '"last"' in json.dumps(shape):
                continue
            score = (
                like(words, bag(text))
                - 0.25 * (direction(text) != heading)
                - 0.2 * (marks != re.sub(r"[^~@#%]", "", text))
            )
            if text == template:
                score += 0.3
            used = len(re.findall(r'"(?:slots?|last)":', json.dumps(shape)))
            if shape.get("op") != "text" and used < len(groups):
                score -= 0.15 * (len(groups) - used)
            if score + 0.15 > best:
                filled = self.fill(shape, groups)
                score += self.suits(table, filled) if filled else 0
            if score > best and filled is not None:
                best, chosen = score, filled
                if heading[:2] == direction(text)[1::-1] and heading[0] != heading[1] and chosen.get("op") in FLIP:
                    chosen["op"] = FLIP[chosen["op"]]
                if "words" in chosen:
                    chosen["words"] = words
        if best < 0.5:
            guess = self.guess(table, template, groups)
            if guess and best < 0.45:
                return max(best, 0.3), guess
        if chosen is None:
            chosen = {"op": "text", "words": words, "values": [v for g in groups for v in g]}
        return best, chosen

    def suits(self, table, condition):
        """Whether the values of a condition are such as its column has."""
        args = condition.get("args") or []
        if len(args) < 2 or "path" not in args[0] or not isinstance(args[1].get("value"), str):
            return 0
        for column in args[0]["path"][:-1]:
            table = self.model["links"].get(f"{table}.{column}")
        column = f"{table}.{args[0]['path'][-1]}"
        known = self.model["values"].get(column)
        if known:
            return 0.12 if args[1]["value"] in known else -0.3
        if column in self.model["links"]:
            return 0.08 if args[1]["value"] in self.masker.entities else -0.2
        return 0

    def fill(self, shape, groups):
        """A learned condition with the values of this clause; None where they do not fit."""
        if isinstance(shape, list):
            found = [self.fill(part, groups) for part in shape]
            return (
                None if None in found else [x for part in found for x in (part if isinstance(part, list) else [part])]
            )
        if not isinstance(shape, dict):
            return shape
        if "last" in shape:
            if shape["last"] >= 0 and shape["last"] >= len(groups):
                return None
            count = groups[shape["last"]][0] if shape["last"] >= 0 else 1
            return [{"value": ago(self.today, count, shape["unit"])}, {"value": self.today}]
        if "slot" in shape or "slots" in shape:
            at = shape.get("slot", shape.get("slots"))
            if at >= len(groups):
                return None
            values = groups[at] if "slots" in shape else groups[at][shape["n"] : shape["n"] + 1]
            if not values or any(not fits(value, shape["type"]) for value in values):
                return None
            return [{"value": value} for value in values]
        if "path" in shape or "value" in shape:
            return dict(shape)
        if shape.get("op") == "text":
            return {**shape, "words": [], "values": [v for g in groups for v in g]}
        found = {name: self.fill(part, groups) for name, part in shape.items() if name in {"args", "where"} and part}
        if None in found.values():
            return None
        return {**shape, **found}

    def guess(self, table, template, groups):
        """A condition from the words that name columns, for wordings not seen in training."""
        words = set(bag(template))
        kind = "text" if "~" in template else "date" if "@" in template else "int" if "#" in template else None
        if kind is None:
            return None
        best, path = 0.0, None
        for name, other, column in self.labels:
            prefixes = [[]] if other == table else []
            prefixes += [
                [link.split(".")[1]]
                for link, to in self.model["links"].items()
                if link.startswith(table + ".") and to == other
            ]
            real = self.model["kinds"].get(f"{other}.{column}", "text")
            if (real == "text") != (kind == "text") or (kind == "date" and real != "date"):
                continue
            for prefix in prefixes:
                names = set(bag(name + " " + " ".join(prefix)))
                score = len(names & words) / len(names) - 0.1 * len(prefix)
                known = self.model["values"].get(f"{other}.{column}", ())
                score += 0.7 * any(value in known for group in groups for value in group if isinstance(value, str))
                if score > best:
                    best, path = score, [*prefix, column]
        if path is None or best < 0.3:
            return None
        values = [{"value": value} for group in groups for value in group]
        low = template.lower()
        no = bool(re.search(r"\b(?:not|other than|except|another|never)\b|n't", low))
        if kind == "text":
            return {"op": "not in" if no else "in", "args": [{"path": path}, *values]}
        if len(values) > 1:
            op = "in" if " or " in low and "between" not in low else "between"
        elif re.search(r"at least|or more|no earlier|no fewer|no less", low):
            op = ">="
        elif re.search(r"at most|or less|or fewer|no later|no more|up to", low):
            op = "<="
        else:
            op = ">" if re.search(ABOVE, low) else "<" if re.search(BELOW, low) else "="
        return {"op": op, "args": [{"path": path}, *values]}

    # columns

    def header(self, table, header):
        """The path of an output column, or a tally that a note explains."""
        for line in self.notes.split("\n"):
            if match := re.match(rf"“{re.escape(header)}” (?:is|means), for each [^,]*, the (.*)\.$", line):
                return self.tally(table, match[1])
        path, here = [], table
        if ": " in header:
            for line in self.notes.split("\n"):
                if f"“{header}”" in line and (match := re.search(r"belongs? to the (.*?)\.$", line)):
                    for name in match[1].split(" of the ")[:-1][::-1]:
                        column = self.linked(here, name)
                        path.append(column)
                        here = self.model["links"].get(f"{here}.{column}")
                    return [*path, self.named(here, header)]
            column = self.linked(table, label(header.split(": ")[0]))
            return [column, self.named(self.model["links"].get(f"{table}.{column}"), header)]
        return [self.named(table, header)]

    def linked(self, table, name):
        columns = [c for c in self.model["labels"].get(table, {}) if f"{table}.{c}" in self.model["links"]]
        exact = [c for c in self.columns(table, name) if c in columns]
        if exact:
            return exact[0]
        words = bag(name.lower())
        return max(
            columns,
            key=lambda c: max(
                [
                    like(words, bag(n.lower()))
                    for n in [*self.model["labels"][table][c], self.model["links"][f"{table}.{c}"]]
                ]
            ),
            default=None,
        )

    def tally(self, table, text):
        match = re.match(
            r"(number|sum|total|highest|lowest|largest|smallest|latest|earliest)\b(?: of)?(?: the)?(.*)$", text
        )
        if not match:
            return None
        how = {"number": "count", "sum": "sum", "total": "sum", "lowest": "min", "smallest": "min", "earliest": "min"}
        how, rest, found = how.get(match[1], "max"), match[2], []
        quoted = re.search(r"“([^”]*)”", rest)
        if quoted and how == "count":
            how = "sum"
        for noun, other in self.nouns:
            if (at := re.search(rf"\b{re.escape(noun)}\b", rest[quoted.end() if quoted else 0 :])) and (
                f"{other}" != table
            ):
                found.append((at.start(), other, at.end() + (quoted.end() if quoted else 0)))
        if not found:
            return None
        _, other, end = min(found)
        tail = re.sub(r"^ ?(?:that|which|who) ", "", rest[end:])
        where = self.conditions(other, tail) if tail.strip() else []
        column = self.named(other, quoted[1]) if quoted else None
        return {"tally": how, "table": other, "column": column, "where": where}

    def cut(self, table):
        match = re.search(rf"(\d+) (?:with the|whose ([^,]*?) has the) ({UP}|{DOWN}) (.*)$", self.top)
        within = re.search(r"“([^”]*)”", self.top[: match.start()])
        path, largest = self.ranking(table, match[2], match[4], match[3])
        return int(match[1]), path, largest, self.header(table, within[1]) if within else None

    def missing(self, header):
        for line in self.notes.split("\n"):
            quoted = re.findall(r"“([^”]*)”", line)
            if (
                header in quoted
                and len(quoted) > 1
                and re.search(r"\b(?:[Ww]rite|[Pp]ut|[Uu]se|[Ee]nter|[Ss]ay)\b", line)
            ):
                return next((text for text in reversed(quoted) if text != header and ": " not in text), None)
        return None


def ago(today, count, unit):
    if not isinstance(count, int):
        return today
    at = int(today[:4]) * 12 + int(today[5:7]) - 1 - count * (12 if unit == "year" else 1)
    return f"{at // 12}-{at % 12 + 1:02}{today[7:]}"


def fits(value, kind):
    if isinstance(value, tuple):
        return True
    if kind == "date":
        return isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value))
    return isinstance(value, str) == (kind == "text")


# --- the answer -----------------------------------------------------------------------------------------------------


class Answer:
    """Runs a question over the facts."""

    def __init__(self, question, facts):
        self.question, self.facts, self.letters = question, facts, {}

    def table(self):
        question = self.question
        steps, final = question.parsed()
        for letter, step in steps:
            self.letters[letter] = None
            with contextlib.suppress(Exception):
                self.letters[letter] = self.follow(step)
        if question.single:
            value = self.follow(final) if final else None
            return [[self.cell(question.headers[0], value)]]
        if not final:
            return []
        table, where = final["table"], []
        if question.bullets:
            where = [question.condition(table, bullet)[1] for bullet in question.bullets]
        elif final["raw"]:
            where = question.conditions(table, final["raw"])
        rows = [row for row in self.facts.rows[table].values() if all(self.holds(part, table, row) for part in where)]
        if question.unless:
            parts = question.conditions(table, question.unless)
            rows = [row for row in rows if not all(self.holds(part, table, row) for part in parts)]
        if question.top:
            with contextlib.suppress(Exception):
                rows = self.cut(table, rows, *question.cut(table))
        paths = []
        for header in question.headers:
            try:
                paths.append(question.header(table, header))
            except Exception:  # noqa: BLE001
                paths.append(None)
        lines = []
        for row in rows:
            values = [self.value(table, row, path) for path in paths]
            lines.append([self.cell(header, value) for header, value in zip(question.headers, values, strict=True)])
        return lines

    def value(self, table, row, path):
        if isinstance(path, dict):
            return self.tally(table, row, path)
        return self.facts.get(table, row, path) if path and None not in path else None

    def cut(self, table, rows, count, path, largest, within):
        groups = defaultdict(list)
        for row in rows:
            value = self.facts.get(table, row, path)
            if value is not None:
                groups[self.facts.get(table, row, within) if within else None].append((value, row))
        kept = []
        for group in groups.values():
            group.sort(key=lambda pair: pair[0], reverse=largest)
            edge = [value for value, _ in group[:count]]
            kept += [row for value, row in group if value in edge]
        return kept

    def follow(self, step):
        table, path = step["table"], step["path"]
        rows = list(self.facts.rows[table].items())
        if step["key"]:
            name = step["key"].strip(" ,.").lower()
            rows = [(key, row) for key, row in rows if str(key[0]).lower() == name] or [
                (key, row) for key, row in rows if str(key[0]).lower() in name
            ]
        where = self.question.conditions(table, step["raw"]) if step["raw"] else []
        if step["value"]:
            column, value = step["value"]
            where.append({"op": "=", "args": [{"path": [column.split(".")[1]]}, {"value": value}]})
        rows = self.filter(table, rows, where)
        if step["top"] and rows:
            by, largest = step["top"]
            ranked = [(self.facts.get(table, row, by), key, row) for key, row in rows]
            ranked = [item for item in ranked if item[0] is not None]
            if ranked:
                rows = [(max if largest else min)(ranked, key=lambda item: item[0])[1:]]
        values = Counter(self.facts.get(table, row, path) for _, row in rows)
        values.pop(None, None)
        return values.most_common(1)[0][0] if values else None

    def filter(self, table, rows, where):
        """The rows that meet most conditions; conditions on what no table holds are looked up in the text."""
        scored = []
        texts = [part for part in where if part.get("op") == "text"]
        for key, row in rows:
            met = sum(self.holds(part, table, row) for part in where if part not in texts)
            scored.append([met, key, row])
        if texts:
            support = self.mentions(texts)
            for item in scored:
                item[0] += min(2.0, support.get(item[1][0], 0)) * 1.01
        top = max((item[0] for item in scored), default=0)
        return [(key, row) for met, key, row in scored if met >= top - 1e-9 and (met > 0 or not where)]

    def mentions(self, texts):
        """Of each name, how well one sentence about it states what the clauses say."""
        support = Counter()
        for part in texts:
            values = [plain(self.resolve(v)) for v in part["values"] if self.resolve(v) is not None]
            words = set(part["words"])
            best = Counter()
            for _, kind, template, slots, refs in self.facts.units:
                have = {plain(value) for value in slots}
                years = {
                    float(value[:4]) for value in slots if isinstance(value, str) and re.match(r"\d{4}-\d\d-", value)
                }
                hits = sum(value in have or value in years for value in values)
                if hits and kind != "key":
                    said = set(bag(" ".join(template).lower() if kind == "row" else template.lower()))
                    score = hits / len(values) + 0.3 * len(words & said) / len(words)
                    for name in {refs.get("P"), refs.get("L")} - {None}:
                        best[name] = max(best[name], score)
            for name, score in best.items():
                support[name] += score
        return support

    def resolve(self, value):
        return self.letters.get(value[1]) if isinstance(value, (tuple, list)) else value

    def tally(self, table, row, spec):
        other = spec["table"]
        link = next(
            (
                n.split(".")[1]
                for n, to in self.facts.model["links"].items()
                if n.startswith(other + ".") and to == table
            ),
            None,
        )
        if link is None:
            link = table if table in self.facts.keys(other) else None
        name = row.get(self.facts.keys(table)[0])
        where = spec["where"] or []
        where = where if isinstance(where, list) else [where]
        found = [
            child
            for child in self.facts.rows[other].values()
            if child.get(link) == name and all(self.holds(part, other, child) for part in where)
        ]
        return combine(spec["tally"], [child.get(spec["column"]) for child in found])

    def holds(self, part, table, row):
        try:
            return bool(self.test(part, table, row))
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            return False

    def test(self, part, table, row):
        if "path" in part:
            return self.facts.get(table, row, part["path"])
        if "value" in part:
            return self.resolve(part["value"])
        if "tally" in part:
            return self.tally(table, row, part)
        op, args = part["op"], part.get("args", ())
        if op == "text":
            return True
        if op in {"and", "or", "not"}:
            found = [self.holds(arg, table, row) for arg in args]
            return not found[0] if op == "not" else (all if op == "and" else any)(found)
        first, *rest = [self.test(arg, table, row) for arg in args]
        if op == "yr":
            return int(str(first)[:4])
        if op == "is null":
            return first is None
        if first is None:
            return False
        if op in {"in", "="}:
            return first in rest
        if op in {"!=", "not in"}:
            return first not in rest
        if op == "between":
            return rest[0] <= first <= rest[-1]
        return {">": first > rest[0], "<": first < rest[0], ">=": first >= rest[0], "<=": first <= rest[0]}[op]

    def cell(self, header, value):
        if value is None:
            return self.question.missing(header) or "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)


def prepare(pages, models):
    sections = {url.split("/")[3] for url in pages}
    name = max(models, key=lambda name: len(sections & set(models[name]["sections"])))
    model = models[name]
    masker = Masker(pages, {value for values in model["values"].values() for value in values})
    return model, masker


def answer(task):
    headers, lines = ["Answer"], []
    with contextlib.suppress(Exception):
        headers = re.split(r", (?=[A-Z])", task["question"].split("\n\n")[1].split("\n")[1])
    try:
        pages = gather(task["base_url"], task["question"])
        model, masker = prepare(pages, learned())
        facts = Facts(pages, model, masker)
        question = Question(task["question"], model, masker)
        headers = question.headers
        lines = Answer(question, facts).table()
    except Exception as error:  # noqa: BLE001
        print(type(error).__name__, error, file=sys.stderr)
    lines = [headers, ["---"] * len(headers), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# --- learned from training questions, answers and pages --------------------------------------------------------------

BLOB = """
T>t<81poj4|NsC0{{TIRh-WkWGgQGMu5q=HWJJ+2Xkf*@=IW16+c%a!X{c(V_KsLJ5$KKMDWIQH;Pl;HHWAb)tRA1JE@vJiDN{9k^$OnunnEM{urzHG=nR?
gFLF5YKcS3u^taE=>bkkwx^n;u;Tk^L4lTH^t5FY1SIC+sC5r)gR*BVkYNFIMw6wXEI>@HzuKml9#4r$%;!*Wxq5J(4bS#&QSqdP^(igU)l(wg0gM6<OSDD
V`L~@?ViyFu&Yx=V9#NeTDHb*9ah?5GJ=)j=IY5~!0#$OOGoz4d}H+2Zcuyc5QSOcM;Wj4?JL`(b*wzq9qM|C@M()4DHKdq-Fkc!1COIaX-
1K!Uhy9l~ZythcZ`q8uYFx$f+(vqBr=)6z~lDuPJ0e^H2p8tRL483=3(s6rE{4N_QjO)7i9uAa5SyBhdla0=WHsBb+ZYnTo=CtLhwCevVXWMak&6FX5{$5P
NXc$M!iE&BIH=1DZ#^-?ve$Ja}NMCiHf`e|Ez1=_fl98$>R&&4v8sRV$ki$q3En1b{FCoc-
)Cx`1+LLwBIsjgMti<%BJ*p3LTi>GvcgM#gEmZehLqp6%0S)he4iz=JUEONL^zItWln|pV81C7_t*R@FrDbH44qU-
w%D0@}GNeEa_^MFd;5yVhI!hkogL|JA9!4G70=x;(`)`c2{<#BD23Y1o16$?IxTBzek?s=|q?4GmPGx?RT;(0W+L>>RemNeimuTa_;e)ULTr-mTzkqt-
uaZ4WXX;hkuDRs_u)9yBdzx((XLe8PwQ2egm<OSXziJSIsbJP((C@w6(vF?``mdmLo0Lyt-CtMmK0k+Rq`PETJD`xpC0|R_zuuCA!~x<)=BO|Nn%__*iP!l
BYsd)n=l&=OZkEw$LjX(gG_!}Q1oVBjk?@_|(@OXpqW0+9Mx<_>>L~B&py-@(H!y9vl0N_?ynmuP^1vN1_zRz^*5Gkz|KlQ3Vk&0STxIWL8@K-_A-hBsX~B
y^7l(hD?rtn@FLNKNsFqL=I~a&<*)hU%`;A%XWaW_TNjgnW{;9R^v9iy~i!`x%#tr`Ep8z`I#7N7rJt6`VtLWMY!G%Fz>t<Lwa##P_`AvX2NW8!hY?RIhJl
tvCDlCPOZx#>*xBpsT>tfWfq{5BsHXE$!47db`WnSNlL-ipvuCe9~qG4--qec0xcp}s1*=m4^EuLj@y5J4V!&(7ex<Nna+(U!%LA#bTX0>xEl(IH)rMcU&X
`KPJ_F_^=*c|NXq-Z=eH?ITSD)yir{M)KUXk#uhEUY)*CVx_duMO@s|JTn-xz`5uo{bSrt<V+@9(c50g0Z`{Ie^pht<=V~*BK~x8WL0J>TH&3U+THJISBQK
=!RZ{#tAOqGRfi6>bnU1K;dzW>X=r#1>{o<foNi^XD+uJLgM@~E&t3-
Yt!RFnJZePEthk)FJ34;Lyx9Mf;<yco@RQdKRU;}w=R?<=E~FMxzYV|T^W(AyK9s{V%tJi+4_%l4s9Z@e@XTj;?sQZGQ{z8_=5iqK1=$Pb#Rz*>JhLQaW&^
Xt54Zaqjl#4WBrkQX-&(h9i6zmX~=R2G>q%ivmtn7R95b2_fjz2vpW4u{XKG&22`h*CZwbblR71YiTnigEYR^BJ{KwOBiOZsmoHJHux)9%UFkuw#j^j{k$-
B_-+IXn&|tBv=v|i~wh8-
ZaQlqhm$a(?GRu&B<=ewzf=mqpl)VyG$KH(vP>jQ7ifu{gjxYuhBC~!P{nyI|0`*hG2TS@if8&AFI8BaLnfjfwM10FkwZUM0N4Rppw(rN}AGA%DAiHY{B);
-p6b}!{Ejnk7+)7f%kqj9ni~_&P8Dn{02C>Cswf~Mv>|Q-
RdfT1xDHA@9Louv;<3Gxa4Z!#3`UPkY!ZL`i;}NtLoO_60Bw=&J3EI1moWs!BOk^N*oF%I5hnu#dyxia;m|avDneI1lc=LjdgP5#dHOrU*gAOxR>5xuk&?p
Ug9pnI#Z>z*0W9VT%1{yt#^lXW4X%*46mBOODkwq9D!j$Ji=RIYm^c(wz#Z&<Q5)T^`{J;mnB=rGOJoiF_mG*$PsBQ92mRtN1P>EO(1;S4m^<)u0eHWrZv&
e;_0mKqQC}Kwm-AfX>5x8NlkJ4AhJ>x29$KKf6^b4llq)v3AWKpKI>@gk1n~HA@;z?z_^H|uwLT57MuX~iA_2jXLE;LrQg&#i2vs}Y07#AWU&P=r{^LT|S+
YnlvjWYj>e`vfKXxQ5u8owGz+14w@pW!~M>qDF`qlx~(WH+xnd1t=utFA&*ON>f|8(Iri08Sb*2R4y5IzHSY%g2gqqdyd~O?p%p^C0($8H~1gXbzQjDOOrj
;GbU#KnP@S{Hma&f>B$la-cE6lIqOsc3i7*2e+auf5Chk1(62%lo!NIda8P#ud*_#kdm5>5QC*b%%k-}iVz$qqrCU$@~PVnoD=D=QZ73G#nAp%pCQS-
?uRHSU~PNuj3vl}fI69MT!l^rwYr8d8F^}qwN^5Exb4<Ob8FRT&fKvPdyW(|!P~-
B3MzieXGvp8$ho)_pBh3`23e8r?%m|dS*U;hJtw4U6#EioFDetPNU|d5o1;DNv6EE|c{BZo>laQw3Hj<a)Kb0j&$XS&D!pO&qXn*sn0t5bUEi2qT2kz<e~s
kbSxpV=Hxzy@;p~xw_~B#!!^W$Q?dUtyP(#$Zm}!Pm2Ph0^aX;@j<1AjQ6`Gg2wu$98;^;@D`1A8j#KK+>8<_ZZ3d&!@77m?WiA2^%dbC{c*p;Ku9-
^PG4v<=B46XYN6Z%p<f;mW9uXoG^pYVqwgiB(GU*{dRl}}=D`{BW}JNh=kLSm_PbfCULSOy>_3_LBaI^;rQ*Tq>#I>vQY&I%@W%P#8Wzkm9kgrDY+-
r`&>`i3lsHyeotCtM<GlRT42mi~;WE=5oYgg6k@J>nl7vNDjxV7-t+&U;f;-@r&{jKpj8j9#b)i$NDyup`rs($O@t^0t~u=>i`-
&poG_o`n2C6{cQlB{j#IZr$`y%tIt$fz@}4@a1EdJp+bP<@pi{^#uz+uz-6j1c+h+BKfRXZ-O*dPW|PNv$OU!CUSBXd-
X|K;R=i4iyKlgBa$W0O^bxedpq*)I%VqZRR1c5Z+7lTxO0#uq0#+?vC=>kro7}bM0apxUU-cF!!5=vfZX^Ji~VaJ`6xw0SxLN>5}4t5%kLB4h<|9EcYz4nZ
fpq{SPPFkC8EZc1=ubes#`N1%n8xek8`)T;pP%Ps0C_c1U%g4#Xwt0X?0o`{l@iox|#H97L*TpSB25vP|{65OAwb4pr=iV3qtHsiI_{~!}-
!&sJqIk8|yH78CVtye7g8?p#1#eNRuCURLx%qSvd0s5gc-RNEGhpMe~QH_E*M70kl8-B|-
v0mSrYO*YXDgQ}QYWV!rGQb{$v$la)GSu501Kp^f6qu?OCld_AaZ=nb)(??sA{2uS4u5A${z<A0?5e4%F;qga?*&rRZbHccmBtxoSK2P&Ly&p^oC^6CQ_hH
}^54i!Qt`7V63Q85)&?&Hw^c<(p}RRsA<IWLut8^+z0A!G|N*pu~^bvkzk6>K|_^Ian6AJ47Mjsm%*iTzt7W=F|wXG!IL!F%*$clY?F9}cUiY1Hn7(sZ|p<
6LBENbuf-pb(SB-
H6M2N*%sJpBV!ECTgZR;Pb&=ball8=`THHwZ`kj8YVWY#09GOSkX(d7NE*_p${Kl?eTquJ~L^cCkp|%uDkMSWo5U{qA>clyD~;kxV4%nhKLBQpXh!voK4I!
J5YP1UXf0l@IG}Tk@byK{gJ;y8@-V<R->3)WZu&~db>|K>GYdHnqt%6YT)e-
4>^&x^qG3OY^b+1K5LW=MmN=1%+$%(F=>)*Us5&^8a*HL{2B1LG&|Bj7=hH>rnv|qtEQgfq125c3UpLo*nPZxSt)zQ`J=irNeGMY#Au?=1eYlk2{e_%2V#W
9j=?68cD#!+yB%#k+-^erRSy$wu4UuJ{eqCe#>4BBtikcbk&PYUmVJZ@oQylgsm2|-??NpL-
%~&1F9FhZF1q}&Hf5>BMt9rM;8Bi^>5n@QJDgYUFNxv&dDzBKCb0H~W?U4{ArziJjFuLOt+cs7o4i`EG7+YGukR5LRf-eBoj9H$1|Y_65Wlm)(Q3a;%Jbko
h1#kF@8NOop`LsL{1{BRW5W${E)E=7zM0q8Im=*Q1rP5o6xlQ*241TB*qoY!&x;ksccikO6>DAlORB<AhA=R4(d8J0w=ok49PbNr?E7%hdOz?;%?y<F06Fm
29`ecBH~6Kn?Ge2&MO!G2?yOvLRO^ge_aOfqHaO$LVTs^4AdkXYYuOvxbPkX3Rb8J)4`?4hjRLW9771242K+eqjMQ<s^m+$vNm&AhXeOaVm={1JH1Tl6{O|
MI!}ZcT>pCpbzrPv?Fb;xlf?szO9+8~=_LYfwFYqDc$4m9%W6k}q_k0lx|Lc4T!y?(#e~lk*I!h`Gcd_LadK55(^{2WC(VIYay^QiruSvglKq;o^@A~7wpL
Pd{q8g=I`%0r*(+HqB7i2u0D4lrO9Z{<8HCRS6kU(1H?LV;UUA~*w^lBdLD&292@$1$FmaLC9hnMid{nYbtD~4HrEfpN!F=_FbgU5}TTu)v54EnY6)vI9~T
NG|QWtZ^&rw@dz31Pkj9(lDktW^V%3Bm#Si`FTI0Q?b~7uGXT3=m{2jjrWVTlj}u`7z8bv$MkgDa`HpOf^~uOaL9z#Cba0HZ5>z{SUtYBwM8_FNd9Mdl~A0
slk7W6R$9m_G59^VV>+R6zEN>cn-Ov7rqJd=a#GVn`Sj$3%b8*U>O3}*-
2_kXGe3Y%#E$QM~cY|qwh?yh0;}4)@F7a9uHy~2~2|7C9bkXu4FblJPy*~yZx`BIsAcr2Ql`IOp4m+g3}o~hdef?gFs6P%L$#01ij!E60d5*F*6$(YK{t`@
Sn;Fd~nLz{pX;ZYmW1R$3hCD-1gxS$G|^o3MMoS-q^tA*BJSQg@=m?T_!oM3w8?BRInzGADI<E_t7AdtK1zkkq2LVO${r^BE}w2k1ovQzQqDMTL7{+ic$j-
H@V`fTv+4_H3)(Vz<#~igvDS+V+Q-Tv?C?Z2L-e!ZF0Bkw0x|$V6a$cx>Ek93>Ia-_QJ*G*7YRk`8Bzf*4oz;vhyurwBj#ak*kJXs%^mN-
&_T1DMrRj{<|d?;xLM<<IAb<d7H$*iUo3S>Et0*(wYR}xqV$RDa~|~`Naz(M42BjpUu*x$7~`kkH#1Z5lj^8hn^s+teG2%aMy5oM`J=Y4p$_;v5h`h1~$LN
Qgo|60S8MOee~6f$O(y9&4Rf!_V)$KS|iQ2TFO-kCU`y$YxKDKsEASvh0P-2J_;c9Hg5n;bW-nQW{5r_OlC+hTUEg(b3ZGp^F~shz}#HW?UNp0Vr$}-
a5hoE-
t#~f^!{JeJ?!7F*9(}^(DLmtGOsKqg~4$%XkVi#8PLbKl)Qc3>B3P6boK!pbD>w6L;Yvq{S8nbyd)fE=|@3vH8p<{@k(nSH5Zu*{*7soEx@aF4&d|Li~v&P
Zt89XuQbcUb+C86CC#dETm`Ek0*iB)HPef<W}{S5%O9zN!24YOw|s;GyJN1>eVVoB9eW0Y=R>>2Hkcd~DGHd+&vGoq^s(r@MiYVB1r)VouCI>!<_tGWyms)
N5}TM{oM6<M!#d#aq2;)snT^SpmP4P-#89Gb1C5evkS}km(>@nHO=0n=J_?l29-|28lCWvH&etiPd@#ZR#0W|#Vvw$(6hL<WS#0M}J|8&+-
I#}vmBa!~py9KEZS^p<I|O<r@Rv=2B!idwDw9bR{s;sBS@?9uk*GEFr>d5!G5cK9M37P$Dc=k(wrFL=QafHHmoi6f31)mmYEOb|+R7#kVM!!<R<gf2DCqIu
mPaUPx%7*L#bRH(uN!r~EFfj#js%8Z9?mun$-
7g$QDbv^2s&g_Vt)K64(?QBjmj4mye!p#p&dLo0%vQF|C9TazKG(`dO#pc=BkAf;buY42WZ3{T>?JE_(o5URWeml+!cocd-lloh1Py+0Nd#u58-
RB&9!a&RoM%r_9y1nX(KBXGqm=tL0TLu<|}!-z7rMiQ*XLIjARikXuF=tGwFgD6H39n%`wnOTh_e@y-
wW<@qvH4%6TCn=suQ!?dG>}E`upc19|=}MU&$c_w0aT_2}0)+^b3$EmH)`wRYuuc0G99Zg*j;ljxE@xFN)EF?X|hU5Wes(H53RT-
k7C)fvpwo_=i=@3D?R@U}auXx2)-)#2h8`HO}qFLymFwK2J!P^CC766Mqj_+q&$y2`F7KjyvMB=!FWa=<0KkL!?c6g+-
z<pO_4%e4L1ZqWyU0#K=@cpt_^+J+uyOjh=~S^f(>n~&Zf0vn+)(k8(!XH)ROqyPT2p5tuoT8*Cf9$v%|`VSd}8OJ`4wl|BfDi9Y|*|5-
qwW_nw`x+|JM>EH_Dz<Ei4VsvLf^gXC6J$Y^Ld~6Y#f3^n=jj9G)@>9M8+UhwjcW-`mE|4+IGVuSr1Jk)(a=B-
yDi&QKc+;<KDVM4Osfd}KSFx5Y}60nh;}d{ZCCe-rNn1q=BP-iv1Vh_R0jhr-
%iO*Ew>o1&7TVLZo+=HXa5TTmm~7iCm`R*2{$5BO$omXUhJBPD#OUDeesofaNxo5mzDtBqGypcjpr|$m8me6d0bW0zW~K_)Qz~e)hKoC@^}#AxEP}o?kVmu
)^)%S01eaI3mHF|=6dpt%0?o!7<#1EAHU|w92X<Vd9FBcC<)tFNT~Qp|0XhYMW)&5kw2A8&`FTVEq!;_(`V%iiKJE}uOgi~Gpnxi#(a2zt9Pox^A&pFf{bU
LLx`5{f2(lk^<Tt|JbY#Kr`4^5M0I&5<}!3{a{N&VH4q0(GMo|tDn;t&Apz6!&B?b}lDx*u13{|n)pT_K;D<=05}x%_j>XtPr`Ff+On<tXcg!x|Q2HAz1Z!
0o4c#BIw^-
BD(3O{74K$JcCcfu0WMth`9Cy2jM%nj+9<;>fnHYvE8cK^MzwJ%_J=p3nl6qtuvlKN<GZfWKnFBG5a_j)<|NcEYGYhlo<H(Fl>RU3C@X#WawebD5mGmXqLE
X(@ZP;dYxPD~m)6t9T^6c+Rh5Zzf@Ku!)4K&tqFRak4rqzi}_c*eVW(Q}N_$57har#>+qs_|LomcZN`W^CfE9shAOnGZx%PuVm<8W&qbjLuhCs)M?oUifL0
_2dxf3osPr{oMop<|wCb%}<N9c1h`Tj@3G#35;I<Go_b)-
e0LTH@rXVGFO~#Ja&iuQ=bAH_=3lxLV5!pq*rOmC+9{!rwB|x&jp;W{6+=uB+_7sL=I9?n})V@naAkgY43WQBzx&U)P8e!5V*G%=A$A5y{hXsxkrzfR%G@2
>>Nz-6X$`dNF;mtCf||ia&Lm=?RXDRkXQe1759UM(*gBRBEmR9r&mpDtDfoEmyM>m`b1S=G2=e+6@}oXL*$g^=w#TF<h6O!-
U^0WApC^finpW%gWr(N98`vWm$(<M>1>lABtfTvOfZcdcta4h=AZ!lXJO9y@rvpb8|ppu)p|^0s<kZ?_{%0`AU&=Wtntq+VwKvrY4{>5BakYSZ4c(^(K%Zg
Yh1L*mU#;P}037QkS{<KJ^L75K(YFwwM<8Vj0SI2OSzA$pw|mJQ*6o@rq2CRvI4q+6EZ(6xI6gTy4|<b<EFj=crTca_9!eS$z1IXw(#fLd+`}bX}umy2heg
FY0)^ju~T^+;MiuMokRC^mUKBWL|7Hpa8O<+hFSPo{Y{&a(4rI;E~vd3-
%vBrHQ5nr{qh5berjBe#~KJB>`)%m@rV$=cN%SZBXOtcGj}T<u?q>4qw&S&ZU>~NbA9b;`uEUtlvxyq$!W&2XzLLH$XAs<Q?iJZY9h#D!$dG?g9!d!<%w1{
6f<P2IAu>cxr@w3gN=d=Vty{Q3$&M(td4Lb_PU{nM=>;eBYE_^1dKloRS3|oh&&Dgg^v71l@d(yt4NJ5r%=zSSQm{vIH;tA`2>f!W?K*oG{+`l@-
%(0FXb_m~R?bHb@A-
PJ^^}t8cXa`Wm!ldvr`ytlCg%0{*am;r)>s%O6&8Iv5(_SN5b58<R|A>8f=bNl}a1ZswpvE%%(2a4=DVF3&p>JTIaqJ`fJ0st>F<RMsb)(B}+PQTT|#tvbm
m(HRl-
07RsIE|aTrGF{*a!IaC>VsxZF+c3s#c*WdaHS^(#P3ahZ(63U4GtX>;EDGa+m9QInVUZ*G+idQBId9I4Xm+7dErRp4H|(Q}ZDiQUu>_EDX;IwCO@VzPeV7!
2?Q5J<%kOPX`fWv}!Mex8<i?5go8<e6x$rEn^4fhtl6WY|1m$Htx(;s=0ORX3v7!x=a|#;@droqfLGEZ5su-hA?`JZVliJfaoh^9mM7WOOsTA8Q9e~>23*z
ScA+h4`;(LnkZ{LMIQA&#CpLnWmiCAOI#te*-
>b2Eq?#&WDbiUO}tGApS9Lv9A{=K$e%}L~)RX}xgzOL|*Qc_^tG)xjnVQa!%x~KZG0F?>_|H8`^5gMDM+Kq$F=Tn5R!Df_!Wkx>HWDS0sx_fT<j;)tSnb6e
1ICZz{EcVBAqjfH(&H^zbaayA>`DQl%9Eu;GTX3q&@9ecS?Wg=Xg8!-v4rHWbq4et{LwMm0<uRrW{~J-
ufXyuC9oB71W?T_5gZw6g?7kdxA68wq1pM@nlp64BRoVX*qN*mR^k=eAAsz8NQEC36dW?5Lnh9P?sMj6+D?4|&SYjz|7aIK0zKsOl$5zFf1xY-
>?*4bxWZ}>T-+G9G(4Qb!Z663WsMw<%7N+Y>7P&4ZEDWF|O4C(nHFPcGv%0uU*{L*);C94TcZn-%o}e-PYyi9QeE<XgjxA6OyJ-mCxId}Q0~j%b*d2NT6L>
ilRq~4f@~cNQ!3~ZSrP+$zOwef<{-CF66KAHn&js6+n>Dp`>;e{z0NQHuIB<vDeUHV**DhP1vVxM~qQYLx$E>&#Yg9_7U7^^bm)r3(NP9B81-
nQcNu%$6PJ3>m4%gRA`Y3;gW`*I&V?Kfy#q0iCn7cz<sJn3Ucm>dygBJCpa5Ex0ds+s1<&PLx#(<)ItR<TTFp@9Ru*TU7uu1^)w6S43!-
9(7?VZAgC@eZ~ASYniO@0UiYSgJ-NQ>aXO6zU3g1t=98bc+3+k<xhj;jq|!Qhe9+BM1KLCyzh9w2uUzf~YA&57eU`SHHTag(YO*`4ON(S`@Tk&P5shjb+7-
u%qM_xukPe%i}wlU$H~oG5u<x+zvluRNt5Cib=d;JdvhGzOLxxyhWcQBBfY#wsu@EDU_DP-
w6Sz{OT@K%nQHV^<2DE5>^0oc6s?4naQ##u~0XVH&ET)PLAFHOm{J^yRr~28D?HSB2E4S`MF%swD1#<&#Ie7c3UyUJ7nU>O&Ov3bT!9n*BjR&+<C^e`0oQd
zE9|(q5FuDWbu0wk8NBsiQn@XK0ztKgHoJ$a=`(xyLhhYM6zAlCsvcOw6q9AoM-
j%!1c<YeYC7xj4LP2?h`ER!C8v0cue|l4nhewbimnYS}*B1z$*lHRmT{YMCVvUJAI@=lz?DAYog~)j-
tJOW>53{*tZ8&A`<psX+XI{=riwD1_B9j~6MfFVQ?cH74N~5%hMhVGeOV8@(lnWprA5<k|S1<*(3{C(R>MJAe(y%T0i1n%dg$4>oex{;SX*M&4_za^hUj8!
KGkZo&5ag~lkiUd|6C8S?ivqCrV(c<QzB3{6|(yi0JHpy~j@H)Kucm6_FW&dFrus|cvqPU7Uf&=Z*6Zn;Ik&4IjKR}o#I>`ypnb@AP)`^I@@SgAT=WpP@(j
PdFb=l^)&EEefFCM7xncd-
?ay$u@VUVmxK?&oqxoadO1Dsn9@7_k1EPeG~3mdxEx_ety*!3e`LxiG@BWJxU~ARLduSdk8%oEu~W;f1jq{RIHvet(|Dd<%cKx!2~BudyKz5py{Rws7#?-
5K5aX>PUT{4wYE6tvrQ;lE8W*DQH)x>a9|VG?`XQGWO`9uT{Dc%iMBotQXDb<=$jH0XXN_3g&`f4dn4qa(nGPpeJ`HGVHmwQR_$P-
fG&;|HBFP`R3;RRXUU9wI;~DbR&;ekVC>a!UIZ1O+HVH(cK`huWCMuq}flEG(42_#N{?P*=0|pB-
Y*Ig|aQT*&Vfp40$58CT?{4ag*7mR4Pnj1@vxNI!mvg0w$Eg7~344f2Bpsqh3;HwamJvpAX{yR@`*bdfGm$!vI$c--PUWqEI&_I1+zCD~uSwwMEouPX#+Za
tA3nfDgsiXv;W2ITJYqndZW0mlWMrBOT_zGv{BWUTjo<%`{=E@OvL)iGf3^g(A1$a5Vl3|I98TlFJ@arTtih*MDFKVv59|Bi-
+`@_YBDN3JYWy+(+dwjEZcifaLOBR|y(Fnz!M;MM?gSm3JjbHkFCX3G?8x9q%;n&I@NuhO}oA-
>to<oz?`Q&3Y>{@yS!_&vCIx(=ocgC9mAMGUf<?aLfb~EFx3T3q-?rcMCsSPIOeG`8~Njb$Hpow8`%58)9EFp&Jy#hb&5ws-xVAH&m$%q<d3SaCKI(+GLS?
~qQM`07Mle7nou^aowY?f~$LqqmDsx9E`7VAV32)%)4GY!H<y;ou1W4b+l_)&64<_G^PS@e;&RUDLe02gFCCd}m`?I9$P<ZQ#^h|mB=kOFAjwl4z8lm~!%>
c@y7?~xxL<tqyAG_Xf-pW+~u;InyOHD3-z9XLbshzm5NoYZg+OxFJ-J3`c9N(0nQu&VVk9O>=8Riw@LkWHXJ3~Y8T`kE!1-
eK9`+A0fIxF^Sc4e#2C!b`7MTSu$6>4%q4KbJHoCq{r7-
#}~}!(x)ef8&)A*KAN7xa&I!H&&OB`hef1>fQ1SffKZ&kc`|VY8Gp*_J6IJ%K4EVlMZbmDcr(%>oh{2vKhP5@_aM${B<00st;h^!Ew_=wqs*_1>tfn;lt*%
y)LM?D|xV7ZxPXjLJ9W3dm#d^OmXiWs(#YTKM3UEkzO&9>-
nAm&_6^{FkZM7`j$l%pZirPRLtXvK=cgITMg<%A4T_Jd5Zti#UVyn9Q^)>D%27?XK*3lq)q&z0YXu`z0xEkKvreMEPLK{B^gwC8O=jVMHknG&)MS>Q%SjXE
dzwo`oxc;)pSPbfMnX)G}!Ei?c>z9dDv59zQ-
!hT0f+8CcLiuWZLi96Z^<LWuknhP4)bZP_QY~`t`?~rf7!$%=d~rHLbf12{&l{YoiOH_60P?SHaNukX>H6=T((?@?=F;8~t`9K$w&P(&8`+gAJCxi_eYnIQ
YAD*_}6QrR&oRFIc1jG-
B=6ua5Fv4{YMM70_`VO>%*aCG`Y_EZ2F*!t7#4ZEPauUz^Xn98hG1{_OfR80JYM#mbIRbjMO0L{I%N@S!<?kmfE55uA>WVPPH9UHYM;#<{41#awOQm=S%-
yYbCoJgRiBt%#5%-
Ycw+%FbO+QnAnry1rabAki9_|3Fb0>hEYGC9=?42%GEbE0AG>@lwkdeJNP{)IoW`{jBszQ6A2$oJ7%wfzZpG?B|oY=sQcPkS~QN!T)O-
c^mRK!>RU41w0hd8TPCQ+jti}uOtYagi2^~eh_+j118|nD4VW&AA-LgVvH2bExhQZ=oF&vn7_~vI}5f+0O~s16}v)>8j<NRO0<H6M`Y?oKV7642r$N``Yyq
=&QqxzwbM5uMv9$(bZP{4qXUIuszXH~<Ok?Q*k2e2e$WQRi0Fh(awe@-S1kCt<vS^RuDr>L62pOyjl3nF*kiZL7XPXf`jN_Z%Nl@@Tc-TF;6gQ5eTN(u&_$
U(6Y&i1s;}|q6u`1+y^0(FH!~2t0=p=WY0q7}?isajs>up(jIGD9r4VOfF`%CFD8ThDJGi2Kiq*4@TI|S6CTV{i=1M2Af3k`m$>sKcVE~JAGasj3B@Zt`hN
BH~kq$6!d+Qt8iy!cn={gr+pqzgYvLHK>^L%@TBb2zp0|h2`#&~%Fz`}`GT%TU6q1YMc|LbJ-krHSBDvQnRPgFkA8S}}1Y_4xp#DMX`_sp$wq!H4PL;*+{*
)6vB49mg;CGw7?Y06oSPk{fjMBLGuXt%&2A5riBsm%qwTp?1&WWA%w5-E7^mlnI|yP3uL6FIR8Iy{BsfRah=A21A#5N-
Ff=Z7@Lui@)|aGW|8`r~9Dp3X<E$G1jVkloSO<yhs;;T>3$Eg$;~9z5MR9qDng&pR~={`BX+HgQRzqe;0v;7K)}7?LCALWd42(%2D57)(h*N2z%26yi$B`;
C#mx{G-
*kCP=cOZ!oPVejrt=zKFBYJNrBR5IEiU@i7mT$HD(axOxFpOjEowqYS%u}Hl<s)y|%ea=0kDiAHdHzsC)&rnu$%#*ut=a1nts(*7Pbe)QcOFVX0T!AU67EA
kw>)kFOS{a}ix=HX`Q2m=S<AB0#<LgMCNirxXAg|QMCLfw^cz*3ujKKCfCFgZiYf~UYoiD3JFT019`={2w^dZgS4Gm*KC3|K5o~?yIB!xK+IY(|@UhOXJlK
p;`y$1mmItBYVA=N2z%L5{@7JZRRCnkPv)Va{_mD<J&3X~Xg+c;a@0cpetuz2n^xTGuC|4Vkod>M*y04rF?M8H%~j`7HY(WZJDQhZgH4!prk{JCrshp+hvc
PmWofO#c7Q8H8@+qlengW9DbT<0|InSL~94nl_uU)a|@mZ+5F+IFGPH9-d`bvNYJxgx!fV}%#K`l69cXvr>}JO^+fqnd3T{spZ6?=(}l)KOl-zdhfA;j|tM
l#+${7-<D7iYJ?g6;@D&KTCLor*nZl^<Q?AE34Rk40vs{2oNUr*i<%hurZ;$Fy2-
K;eV}YS=xmCdG=|z(!CwRqG4TGMHGV|om`gU?5wAw+~{9BR@Mk2nF_(#)sPGc{ZC|n9;G8EDtc=I8kjjOz|>2g+)x<OK#P`*1Jw7JxFHPY<%%?3c#giXf!Q
;e*(nQ*@2|=!JQ<2j5P7!q@G_|@k^S(+yrN)!I}WjCDA4t=WcQr>{0sh)eq(M;K}LYFZ1%<r$dGm)XAwVOWjq4YVas|2TAd`g&ZLc`f$`Bv0iZI~kjc-
3KvI#wWzM*3N0T_B@af(Ob-1%GgDu-xb%NtMzn%@RdIhFG*Qk_z&m53^KV4<@FN-
T`nVp<X%k}h+%wTn>G<dR;bcB}kd%~ZiSAEciH%qnAfzlqfkbmH!*8#YZoLFxIW&S&}cxy?x_(8`$i1GZWJC@d6e^bHZsdsNP)&b#p#nt!1aH!61KS7tg>*
21BLWUA4T`w>VKRGft44ybct92dnCOiix2B<Em1af}2BJw;0Bpo(N3<2ito8Y@vXJwNiEwd;L{E)owt;n?nq$^{%f$bu8t-
vTp64|u~g^b$AXewQ@=MmBhrbSeh3zBPiPay6|@sz<8eCbS7rPgds;x01G&zo8}LbC73lwu|)Am@8?TM<zY$vL04{@fWR*{6uz#6hMB_{tMAtaXHO?$3Iu?
0mYorajZ3p5ncH6+8{@|7lgQ9FJWn(khxWlgS6%u+ierhZuMi7gjz&>_z{-
WD!X@o4C!6#4kBvij(+W+~H)>0aBBM8)RUM2hE0|jQql+=(1FUboqRsS4Uy#MhYH7!89YlyDD>-2Bfr34eHh;IRY-
4Q2?Ey8`RGDnJOToFsVAEeGe41_8vz=VGNentE5sHIs6I-^0_L?Veik!aXPKmr+X1NGX+qC#5rOq|2&k4rP7KKNFJ|Az2!~}O1j-
*%a75%H*O^>)z8ocn%F&fAFfF5xdy7xnEZJ&50ZDFEn0YD*+dv?6Y4oCWVX$cqxB|Emje#sebwNHGNDQ>@V((bc)hlR{+R&t4R6!G9+nhXiwJPZ5Y$wV3Dl
}zOE}A*n&AO?^hiOw{FW&)Wh;$dFVe)#8HTC;IE^!O&VRnu-fAR?kk?QNK}*7G9^+FQ3)XZmy$N>I@JvkEiMpFs!zrd!fTmwz-
@TEdS;EG>ScLV8IP1yR=Po*KL+mxw(pyp)R!Xs{oMOd7_xL0XjZ^2`<mHc$7BEUn+O#R0Y9qmJT?_rZUqIM*1M`KV&@jtMy`0}OmSX3n0RS^D4B!6w)AF^3
EgaB!k}y>C9uQeDORb#8oZzSUCog#c_3kbY(Ns57F-yI`9I)u0#}!c-
CE}MU9O9K)1_7{@xsnpR!*^jz3m;4sh}Oz<$m3oSf@dNe^a>y;>}t#D)q!2K%Viw620H#El1Jd1!YbO`CZMmNYl!JNz_DaX#HhL(%a_z6qfom5OwqV+lBM#
F#F)?aALz7Vl9~p>5CJH62sZF@Eqv(4hN`^$Z37}^1_Ql_nX34*vgxDDTrb{x(oIR=T7Bv4H9vR@J+MvFQT;<zroZ$~Z;q5e*R~giB-
Sv==J2j+b|yM&qo4>t;4#xaDB<{A1ri6Ht*S=oS8XWX-8?&K$iOR8WfCb19NHcaxv<vV`%k(>H*#qL8Y*tI^>Rj)yCJ(yW&^sEbJd}oN$;XZ-Pv9B?f-
#8*us&G%O1B<ixhK`rTLVHi@-mypz$K1ho6+6qHiA1k;|`tt2EoaweAi=l}BPGYvOgH9-
UuVJBn|uLt1*&@hlI(Vb~a7j!{jY2{a*#;Af~*llAC05TLs`VsTjCVMiMGb>*B}Bqi1&LcPm(cU<mz++A{|eBWU=FdFr4hmyu$EU$y%%l-
>YPcZ_A!KrN~huns<`wJ!ou1-uS-
9~ZgGsce{=aKD2P%l?3>y5wh1rprVyveu>O_UPv8dCUBsT&G^6J9?xN4kq83I5Y@(zG5*{NRGX3OZ+KdVOV_T|FLzj2}?L(}I;8R%P5|y(q!=0-
FKy17>E_z$2*7*6X|~K!$qG@Ph^2S`~5qg99L4@58unBdPQK8-
cl90R6crh&p+%G7qA*w^<|fMek`QE#KcDK;|?*$;*bL4;LhhWUdsJopC7r?4j~n>Z&dz%WVvo;)2++?i8i15)~wqx%m)RT{QLI0j3K^CL$#3$1ve;Lzq2lt
vNc6dP%+&mfKc|@P5%@|J`Sx|Lzn3xRdDPc~jw?^QW`cn}Zb8x1f}PB2uoVz8c$he(0>;9X3oOY_a~N-
hl!k<S}CY%Rfb<S=FcxA=G=x=$v~l^_Es%nMesgr5-TmInfqN9z!<p06Ch^m)0~mUeU@k7T6dxXz5pa>?TVBXaICj1@>Fhb+>qYYaDGcY-
e}VG5L@kuyd+8Cp!cO6G&+f6zz%+H(t~V{$LW$V%A?|lx5~(+4HNT+jAq`kgQ7DiIOn;*iebK!H%?WQ297D-
gNthWFHorR+TgTHuWJHz@q4k>MyVDF|@hGCsBJ3Y=~360rlrE%q7Mh7nKSV*8`rTC3jB_jw#gJ_-
FwjZT&MIKY^WPD+cRNHSqsv#sRN3PD$3xn>&7G6!<2K5dZJs7H@5k+YBm+&Kefu>{&bBa@zw^^x4H$m{>1;x99{jw-EM!>?1l}2q;QE_Cbb`!$MKgHdpl?f
2k?<Jiu~UR6os~)g0jJaT3#$=7zko)6}G>QzG!&&r;Lb6*Hk{q{5+g+(YX5mZ%r`L&r+$s8^@F|E$`P5mpR0Gf6REZ<>Bjo;K}|kYhNeHH7GMD5!}P@K37n
a`?wk%$B@NWvMCm-;q)`oj<fB(VvKLdp;Y>hOFzEO(zP9uN~(TObe9F<D32@3&1ok#Fz^tyq98Q8G3mIRrssV-
%qOLf3bm_M_R^_caU<8MZV5oDtlitcEEX$7MWL|F)Y8|8DO+-
0p+I`w5^~N8Mbq!QAV{;7uPRxRFf0#tN|YCtvr<N1|%;HAf)hmW|3)qqG0(J{ADK35+52W!g)gP7P5ssIuvT+_$LRC8156ZS04j|By~e!>GTG(qDhC^bNE4
N)}nu|4x!m2lwpRJ%GxsnN!b2<E%He$G%ON5>DU(fOK_WZ+Q8Q^T^5`Qm=j1BbTqU_AU<lSG@2$rrv$}tl(Jy4MOk*r+R#tQJNkNSC^Qga5N?t<cMrbc4aX
bbHAgq#B0pl;7)Ze1y#{qNrMm@y!!9C&W(#DF+f|7(2c4*|hFoATX}m<KRLyMJiB5#ux9{Szg&`Hq;W8Dcda??b#aSuLON50T1O%ZeXL3-3Qr+V$-
Ebtu2{qZo8WB!{!RIaU#P*tvPVFsx^_UlO0x8A@#fUyLUrA7tyS_)<g>od3YZ9hY=!*;NANdqSFs}SVwiR}QTV)8WtZgVb+}Gg4+@Wn`h6d%6H{7U_P@+gH
)g2n752kpb$d=Egg@#?I6koazGWMWJf0lQTl?h(3b}@9Go$R);(KIMhMGnU8$-
wki7B{0~+a!Ne0Y!P{7j_}?OL|SA_e+`39ACy1204*Nr>4#T;TeY!o7edcICW}E5zsxi9LO8_%Rkqc1m%lWxfd*)&x~<n*O&x7kZzZhkOI=_$IXN?Ewdef+
~C$BBl2Fpbvvz7YbXJHBpKGg4M=rT>Z74rCazS41(!=$E&#)D%L(w!%N11G=Y@S@-
Vli#kN67Mv64V=YBPffS*)88bYF#$n<=ZNTBf3WDV;Qxm@ro&6P4F!p6kq%(`qDt)@{j=>5_6oqrb)XXB-
F90csY^PWMcb(79s2#Zt$zbK_H^2wo$34X_K+W5<nLqASX{Q{z3f9Q=)Y$2*fYVVvpn>Cj%c??fg|!YIl`QV}jTvGx{3!H#|eM&{*QZd`DHkR~_fdU=FQ_~
Av&{zJX4=ql*&OIH-
4_@&}a_AH`eoE9BzL!28g8~Po+X95@Ka*OXRI_5CEFxE~jj`0OahFstfcCke<Q1@{>_DsQc!@wq;Hiqj)r4_5SMv(Qc?*&9=aj3%UM1^-
eopxWd<My^grGPRPj|Om9DiWq3CD2JAhQ`{ABotV|1ktC0aV$*#ZZ~hFG7oJZZM2WdE==c704Y0O(e?d}6h*omy0v}KR>L)%RPFY~`S($G!o_=fv}1wpC^X
xGO30jIQTi((bz&E?Pgdznv`BmAp)k5?X_y#?fQV`oQQz1voA+%HT>j{nAsKeM&oaHpQHo9D7Or1jc_+F21}iK_dTs@Cn@o0beX^jP5fQf$r#tq<OoS|g**
gElw|yfqGnJO$@Ox&N=K|;h9;x45V|N{03!h}L=4@5s8L`@YG?PXiAyezFyX3RY3;@OkJ>Bj|_hTE!e=U<7aS}7c+j<YhmLx3pQ)2e-
b|P<5k&Vn#Pc|o;4wq~&2`RHw29Z36BbBb|R=c2xr~%|R%!Nqx3C4;&7&@;JQ_F_8!MPB@_rZQD=!wY2pY#+5>8HbfKRYL5)22YM<6oWzAps|z$p1;G8eUA
b-
a0*x;a+EmF_m1DqJ7OdsMw|H+52q4VWWS~kLr0x%KLCK?wV`Y=N)=<iIRS$J@E8OT_J3<E%2dZ+H+CvPK&**nt@s>91|G^;NIsjI&v=ZM$hiY3Ra3($`yp&
@pX4ciZxfYq~bX=mZ#CUcrgI3^!(-#suwLI6kHzJMXg^-
L$mj5C9IJd$~6lEYzMypN&}LEY!&jbsC8kmuK{{xf>7>4SxKj=Tf`?3r0`5<O&&jQ7}<`v5MxOUU3PZEN0|Z;j5ZO*2eDr_Lk>*U6Myo-
f!%U5;@+|M`%!DE`M()neUIwfn(-XsE)X2Gy!P27UoEj8&#GSWr$kkclxXK+B9@I67&r3O-
{p7We1n_^u0@fPL5vxUl7e&%++KYu_?6i{1UXE}6^@2VL>nqI?Y%D6-
F;~6&6;+5m9CmQ$Pf7HV3?Kyv%b$jo{bB7%RO5Zq3VF)#dsFo&|t%DE>9i~h+AO!#-
~%J=cX%b(sCl3OmB;YLFwA)gk6H2TDN_xn5Sffz?49MUL=}=%3mn<9C&__oR#Ev*dptx>?aiUyIKXWf{d^(sAY)tGEuGE(v<HcRP)G)47Va&rWI5zNxsXsc
frsQ9^H%f<IBZpKgfT=qZWhDg&DFRE%?_M;7&7B4g_C#GXRCgRBkaJaOe(^Ld-
H>?0ttT#oC<l*cu5s>zL#g!xH1V5>40|zKa2Boe)azf?S!?#WYNwIfN>fg_)x(GCHGhy>aTT_Ua$ZvUnWY=#$6QUoxY573as(OvT1YYCpq)@;@tQBlDPqwz
OI$npBfIRK#6F^04Zp5r21g$P>k%d%1ic=8E|rS22l|j1O6J8@3$-u-
+p*pX`~2#)7bus;lzwUOb7YN0Kyiwt*_@LzTf9n%)mnm6|(<TVf?}vtSG|=n;Vc^!dJ{aCT>4$<qa+Vu!a%nsQ|tUwzy-eY<;6{^F_0{prY}gl}KmnkQMGj
EIOwv*E3y_%B#5@4Xj7>#{9w0?n8^me=+Yh_R>^ZOXef6kMO?6dT)DG!IFY1GA}B&Ex|gCaMSd%lOc^DSZte@FOutzz#^!UuvO75)(823_Q4jY$*4bI9h;o
^anR>(<BFc>FmLpK4bkNezV22P`G_KSCM>PrF{;Fcz%4hRo~9(<&LclUz7i6n@TUhk68m7+awPfIDw8`zb2LEdefMIdrG7QP#1RpU5Eg;(#cVx>pzfs*T+@
n!1cPV#WjE^p<p(6D1n7W$+9vJLEmd;r_%-yh2m%+PdmP_f{93Ek<<XH`aB~Ds3%uVoiIWW_EbyjV%3@CaM7z@IMNpS!_U-
|e=eC+`2!;{EB)vL0>bA*s%Qbtj>7^f`7BYiU9LE|^~Rn-
8nE|&L6m^L0=46tOwKxu{XKK|COtDmmnH$W^1JiKs&5$c?opMUkRKtG?AvXGIj7#qZ&o)oc&%oI>t_MKpUgNmuANJ*bO^&2^J6LYw~ayH)!}gqDR9|!4JaZ
rP42`w8bJIM?UgPH)|%7cJKi!?lu2I7w+3MrU_NoioN<lZMNf3usY9-rch+thJnqBIO$3L3{-t8Wuhz-
WDhAT#9+Q|b3+M#`%E1Xle1&!F>bLzOUFN%gxU$H<Q`<dq)@8zHR<0d~F4zH+?s#4WX0MN-NTuXb0){AQo?CW<+4;8IkAEnGIWW|*EeX91T4hFlx+CDf_tX
_FFO^OweCt%Br7-
nV?+y+ZEP!!H&?udw9rVGzlKeumdDJiyVAEWm&V20wLv_J@IP!h<1H7J5%z&7(UT@;`0Vzc&$hV~%)me?w22k8^)E3*<F&%=zV=g6+T>#V+XT9)MrNlZb3l
20XE~MMA`OHix%4)*OHa#WkZ966H1Qu(_PaDGgh^c{Zk!g@S9P{Bg6}SHA*sO1ayZPm;dN2T@-
BE{1cK#MSNoz^ql!_8oxXSadwE!lur#COkAeC1HdF`0E!>#+KFrZ0*I&uzrGs#u&-1=juB%(_aZL-_Zo<DL&7C2aYQioxFm?}v2pGP{Al<(BS=+Mi54{@Og
7ZEFC4IK-%P5S5Z&0;s3<8_2{&p1%nP1j#PT-^2rplbvEp+puTi(SM+(ywE?T<6*-
dFHCBfjZfH?EJ@PDjes~$2gYkm$XL4?wQ;0=y?x%w0cGUon(ZkWlqK!It^{`9H)9pDW>eX|G0nM&HdRX9_o#sd?IibGUttM;S@MBF7tN7#0+f;WXv5J8xE>
Im0r3Fc1v0L!e_+Z{S#+9aCrLg2GTib>cIYO3$zGdw}b%cScuyK1(afw$WvC=BS5h<1{}8~{~youe(nP+h~dqBIIea9ytG&+jQS$I?m1@V5+I)^V{Mv+^sL
MKWYgl+notgjYiuPKU5yBH$hHg8(pSg@C~kkLY@F(#J%|6f)r>>qo`OWjo(7TF>?PXL#VPbyCy71^wTML6<|QN$0fVcJ_r$+tom3`76g6xR*v-
~YL^ZhhmE6hqLI2yp!~<k%^bUlSYw@=oEelfU>%8G%c+!^FN{SY2ve2K6&r5iI&b(fXgbl}(V>eRDZDKD$AwnyjJmbXQ<Ut0t%PHUiA0PlELo=vDWHJo_Y%
XsSSrnhvep139KAW(20|dYV>)HWGdSX9U?vnw%ZDn)v_;jP-QOH);Vf;n3?j~*dCQU02EGJ+F|Me{T54(xwVhME$3>tUu%<aDVFz`^nKK-cHL!B@9gQO7NL
>FM^{c<)5_v1-
Y5FWUYJ;;YNea1g*CJGPVYArHgEsc>hS_p)FiFv?Wm<SIBBo@~n_>?QOf!~NLHQTJyWPMA>uZxj!m>ZYy+k>Zr_Rwz89@rP3d$YNB*3m=o|KT+w|M}&etBf
L`dpoJbj4cAo`-
%2!F|_@;UsTdqVFCYuLsn7a%kUg64Md^2ByJfM>>)rH<z0vM>O~s!KKcbMx{u2Komz?|wQLI$+j;G~x2l2Pf|7?5q@{493xd|fimCT;aw@%95Ip~B6TX!lB
0u_f-ESZC(TBQ-MpN2OMs4o5nHFI&)Y5Z{^+vTqp^&3L8dpT)kLcHL0saKF{tT8BjJ|^=>3V1#LVDC`#b6O~Tw8t!ztfcL+km{&GZW$dBG<1g_V%<Tb&c3%
61UGeFB~g1%Cp8h!Mn{-GsiMB;6sjXWNuy}i-8=ph=@ZL7Mu8cDUoPnK02-M8s><|RyLnKJBA53?}s-
J0B!%;#96Jj#)Z3W>c`tL7c>_Iqvl3|tf@VJe?JMYrHVCP(t?%SEs<5n8cr|wr7M68z-;|C3h0cC%f`b=|CcZv-CDR>O8r$*&mYl<x7BrF3wr=987mFJ;o#
B%FGr=n5DA>}^F=S6<VPol;_&hQ-
L!5iKxNmRIY%&2N6C{LHCd)o2oj=UtJenk53KS@&Fspc(`N(i{4cR&33Td`Q#y2cjB16$M=*U={|O0H*p<r<pHHMyTHL0QGIm&OpHR+)HgCq@%MqhPP5`{j
dJz8JV1Q|pr%Ha5TO#q}#<xi%VPORHu8C+kD@WRG)Qj41*}snXC(s`8g6d$u8?Pdo1{GYq;T$X|sv@z34OC~XQ0t5$W%3PQ!{0lX70=ya`(H(v1FG^;tS13
iN2tu%x>CP33_riP{@HCJ^hjyDFlR0=IVc<u$MtMTU(%t0zt%_#hjh9dp9`)rGKS1$rEhVoxB}$2g~XbH#&?3R5o8iU+Cj)h<N+5NBC3Pmn__!s%0hSd$X5
%~yE%duq&{4JtU?x2!^yrs8p=ZPz^04}w_gWI0dzJe=Hk|h>==ZH^TQ5{*0$(dnTEs2h2Yq46xLtx4;R+BJHjt(N~wf!x{WuHj(4^{{W0*<HORMgmkK;c!$
{)0KA-Bo2?CtW?$`%F#4A!!#XP1PXv!rF5zlR0Vl4I-ua0!je95<Qu-~;Zyg92P*D#r@6ur-Pft*Wx3r$>g+A!S550<;*cs`ag5x}}dagY+<rkA;+cnBeFN
n?Eqm=7Jgox;ouA58#r=Kp)*{*zU7p}$t+AO#J?Xl$M{hmi*&0Bmhm`TVZ1#szfTiJ*LlkB~KA{LC0Ok$#iSskhZHQAi+CLA$RYW;&VkZWXQ|%XN9Ajc=+l
LC8>h8}?-
x)93N#vF{C>j>F+bcMLAD{1g}cNnV(LV=e>j8ud0l)%dLz4jAMyKQ#ub=ajT60Cf!K)?A`?v>+_doJDJX6SPCS=>m4dYZ2}QJ+@T0V4y1;$AX~N?{?Efs6_
k>BqlhdrSDuYVgwU|kRLwG`1A(4!~o%anOm6t4M-
YoTCf)2!31{_b_1^%ISAkK?Ns%L$Qqv(@{G5G<ZAP`QAR|k{bSK(dyu_!c1c6kHHx=>$O}Ox+5pdZ+zoQHY3r8*f)f3;CYU|{ELJX@xjvMGbxjMzV%KAf#U
$!qM{*6122nIBLv^^LM*7X&|1z~92QO?qp%74#EHU<&^QEfo@^qrPebrP<Gefi*kI6iU*o75NQPKR;>5e+i_eP(Jvi5wA5iXZP&Ew(DcDFPt;fSNJ`hCfR$
Ov3fFwoLt*If3i&$MS51DwEzzEEPT_kn9rk@|KB6+%fn!!t9FdHX$HZiYv_9*ydE-VW5@ty!+$q2Kd8r4nW1ovo+qp5i}+v?LB9{>QEp%K>a46raE=*f+I4
DB<;VovtCW0{^K{#RUpq>;c~zFFMu{cfxVvOu7nt`iWA$qhV@a&uANlPzovf4${AQOKGZ6C^%2{Lp8jTnkLh)&pYd4pPb;(OFPa$m}AUVE#*OV+a=#R4IPS
3%P+SUFv8`X6;Q%%kv-
9JV?bj{g3PI|s>!^Qv`MCBk5QGpIlb<ObQ_?Jd^4;ky001BT3+*_DzBo)1B$)W9Jv)$HaNmLaaX6J$L=0^X;dheUgvu;?B+mO2Ai0wn7GBc2++sn3irHT#&
K-ED)}eEPsGbR`h{ol5=$vr?_^`8sztK_X$++Y!|We{#@p<30+J<#?J=Tk7RKJ&nx)CvB?7)NOQKTS>M-^NLy|u{1CY!&+H5a&z-
>mS4L&SI{sW1ZGg&2lTWW!3iOpl5v2BnE6pL;&Je19$P6Jw?ODXSL!->J|>kC{#<9Y{Htul6bS>m0^fZSJfcq-
427#~5^Z$Drqz)u9Ny;<;7nG23Sv9idy#DN?8m5#j_#)a{ZZutlvjPCx=l6g=As&G$p>75Wgti!Y6#SMC7YC^qqi9y689nGSMh$5@b!EX2ii8s+H_#)%2#B
>7_vo3i#SehTE5`D8em(q4+@U(1a6=0&nG`6eXN<88$|FVVkV3u)tdbVAMEUeMGV4K!Ul*K`NgE4mVgQ}VlqnWTkUO%i*C{V%P5to|HwHbDruVQ1&m*TIFv
7V*l#eFZEI^G=IiDL$7x7FKe@{z6B(&qs)u@nJz?B5IRMsCUE^2iZ(cQL$9D;W6|V0_{MO@*SqT@AQIERfa58!6wUpa%fhNuXD{$+E%lBNBpZjW-
0h6=<CjC^lQBKkHXNzS>t#v!RV?K8l{-$|=I=nUv7EMG{bpts_LvAOBb_YYvL3d}{@))daQL+?3JnMP>2@RnjcyBF?zO-
2I(+@*(_!I5B%BP}L3=U+ASu!a)6-@_m5t5=faOnZ*zAk>e{pd<LF54dsiP7Pk(R^NTkWMJab(3C<6+VWjua9j^n<p!%<~kt#3kgy@SN9w_-dIlo=&B`QHx
VWFIzsBMKKfIg)O89uCR=)#J8Ckl$D_MeKRDZTF#?|L4iST&m4<Uu`I+8o-
c+_IjKH0I#DfAJ<*F2+$iDv>s^mV2Jl*iUfeTP8{oM%V+>e^#8Dq_9Sv5kyl$bMificR`MK-IZ(;mS$;oh8QlH(Rgt007SPjfMa76JR(pB3-
XzG;9U;!C0=422Ml~)yX!CP*l4Jww1hQso<F0UzOf4iQn&Bfaet1J3e^#WKS!v4Lzb;h>mWc_UXcsHexUHLpYivk1UiH@bh;7{ssofF$gXokf9Wv(54J$eG
)Gr1xQ{bmr}W($XOyAv4So)cx&zm5l6v!L<yy33Waux117tfzI#qJz0Xeom^0rFwlWwC)lVvfYw}kb8j7}9?Dy8H!mTW|jLcW7MM`oK12@PnH^uBR9D-
J$6B-0Zd<b5CAT-yCy{S8i`7t0@DZMspoMFx9$HC)<=*2QH2ymM6qh=vI>STH;JqU{!x-
n0t$Fk$}qoU~4KqiSnA_`+Wl27T5?ZPw%l@FqpY)iuV5;#6pC9X3&^4zkN1KZ+P76Ucws3WEP5Ex8-
Q5uI=YOV)?n9allofmHjOGb8<{F!*O2b+iApZYYcP&2T{9ZYEt;zGMCxH~O374D8AD)x_R~cA5m*9^ke1+<s(<?SLR5HZsq{Yn=%O;2$NI7f=T|hzzA!^M{
?_zpmEQ1@;zyY~K~vXZ-3cRvHh@pW8}IV6TjTy~kfR8mn)yE}U6p?mKTwYEqb6A~(tRNU<I!GQ*H1>20Dt5$ndQ{WNx$9((jyvBRv5Pu(0zXx3%I$-
w@+J+-
E+Ad=FV6Cxw!#ZQylBy}1o=c8bI!=CkALoQs#UbuAmgtDz*M^V+M(k)pUDhGs%Nb<r&beJspLTs(m?#TXRxj7^mf5Wzv_S!J^)1n#H4v4bXE1WSX`}PrH-I
Vau_pwe&7wuz9KFHd+02S3!=`ne?j_(zyx+|qMDD&_?5O>y14G=rF5SOB~W&huN7{|MDS+DL9;srcWG>=72sA_ljMGHT8I%fuhw&ArPmuAyr>2|h2pTESSk
54bJzKAzw6+P%pOw}c~7dT8ZJ_dukq&s<P;NSV$tHpugm&(~hz~XoBdPqtT82HW+A>A-iA+VxO8KY%*zpJEyY+>(gK7Y>*S@cpTI|-
@fq96sxw8dw;+;U!|D`c-
)fSyg}5cpm)BGGz_Y*E#z9l=aTy>jPehnZzoP}IoVse9&v;vPLqCB|d7*}^natJ&EzOMmEuR<AGl{a0FxRoW7;mkDX}ccT?H_6UP(h)hvcQs)UNNrtArk<q
gXa{z5dL4epB9H&d*6F=mJtjC(VZl6XdIBLA*Wq15~6wA@U$%O1C<^DIw_0MN!VIG!Bc<6ZeXJkjklD(y@LxKEwkqxdv1L0;VX8i%~ZJ5D7GuupNWR4DTyt
GR!jgVCVwZ1bivYmH0xM8Ef>F~4&<A;qH7A-mKk|=$hI&z`fZ~;Emf=}(BFk49bx=2A-
!HlH`Poi2JpFyWmyv7wcHckP`^hX#mtQVZ@kuI%gd5_({jlR41nV3pMb{dTAGE{CD1))^q{*d7XKDS3xey+!G|M4^DuWq6g4*f`?f6_rhgue8NTBCxSo27`
;{(vUe4%v;dXHDvt#eN3RZLkB&C9r!^99rv&<DCy&*$y3ZP-
d&HiMZ>VA(<GM@?6a2@n|@3qnnWZeR_#pEzJxm5jn=5b3eds=23guZmYbr!F%BU=AifHOj9MKBQ7K3yH)wMfSsaH2=o8XY|7c6X{&L0pH6HM4sy^t_JpJ7q
rwm)HvGn`EynwbU!j;@92x$~A#N{k93IjdX$E*HyxSVwdpy#7u@cfre?g|9-5vlrfv)$-
VCEo99g}9p<Asf1O}8v4K)`AB;1xJitY@M>rnu8(GmEwAFe|1Q{<ZsRRCv2Tq(;DRx8C!&6UAq5{)@nO$ErDgReGDM3RsIYdj)OXFXmOZEQ>psTl$33rtPG
8+9iP39X(}bywd!A6cFb&wb&moB)~lK#K?S6pN|o+X$|`Q#Bykr^$(OBw(O14{Nc3WIA=s^d$hGuK^Go_Eh;yPe{7R_gcCrz%E2)SpH|FD`Rsl-VD#^aX)N
~u27r43EJUQJh=$yX>BzSvl)R0in8NwsDpVh-
)n?S{6B^@Y1_i%WtI~M20*Mxb#yhAQj3YB$)7tI0y6$;?Yr<|>AKO^ge^s`ybo+YQgmUkEKOjpyY|~co`YEp8u&s@FaHceF8V{9ny2kImzskaQnSq?X>Ihv
MxK4ZZf0@d{x~pteGKo!24B#kUQ|{R+O`#2{CFn7h+`CbPrQd~3;^&7yoIjJz==l3;n1Z)tf5EX6y(I+u@9D98Hjx^pzA<NFrObw}b_zBFfBIdtU}NY7T-
uQxkDJ(!{o!PkW_qZ^N0JFj;>p;8L;k|IqHP+O=!{<mgLMvSmn8Wm5+bVvK0u6|Q?ujNFZE&TXi8i?+EL=9HrwxyS)cc5oRt=syaTE66>9+T>bF`>`@=j6`
rS#7ie|%aIdtMRt}utZc>`+M@xM4IiYQIxxIBK&J^ccc3_m}OQ8kZkxq|c;z4HIentux<h9b29tDCRL&@zaKDnwpWQUoZ=jqxH&HnTQh#mMDkEQ@wc@F$>P
!?y=@50ZVr{rlh6`;}P_eld291B92gvs4yL&#?S2wtXMaKl&RFG`i{+Y6-=(<`w~}tWVxPPo<M2a*8{QHsHlqAW5l{#tEQw(Zjs^!dwp8r7rOKbqvmb-
A>+hav{j5GLFkv6e<~ls6P_p$HV5?Z?%usr`xFb-bNTzw=F5|uHl-;YBW_@n4yHBGi`4b%%$N+!-1E>)2T>`JIgvh=h(9oEH-qqZr=tn#$ydvYPGoNYNNso
N!t4Ei+sq1zSC@7gG9ta25r~2dRL4oHs1ymbdkg^aFuP+_S3?{W+Uwy<$T5COiS4ge-b3&kCiQ@kE0UzUu<2<fD}XI`?^Li1{p|!x?cYu<s=lKXrcX-
6?}A=O#ymdZOh}<(b#xw0}ojY=)R>`{v&wJ{orP|Pp$02p#NS)T~+KuZR;4d$<6(%G<b=`8=g6TxmpTt*SHZtO4|Vje<)a7PN+aX2E!8T<E@f}7{&{x3`cC
bM(!52&dAy{<=5ADpXg0Y)kW{L#vIj#6dJ^nGe}@IadM&b33s(OeQnz!pVwvjLz%x@P-Igp7+d)%vaSr-AghjKC+x8N7uia<4)G*aF;w595ok6CW<%<H_9<
AN3i7yv@SmtjR?pGIy+Us)A@$z-
nHQ}RvzmP(HJm$V6wj#NXg4TH>h4>;Vyj?<TsJ!4MV$hJEXR6{8AC|d?mP$LJ8qc9AUMZq`)EuZie^AJw8iCC*}1FyUX%TZTUs%x)b1jv+NI4NQPnnpCL0x
vJ!rV=%_|a~nT4ZopwO{*eT%riTPbB|fnT(&N<IIc__0v+wEXehw#IZlA?!1Sd^xTyPX&ec>MwOT4zgoAE8l+Je5}GKpCB~K?#XE`E(d&U8(Q+=CBcDF*{R
q}B;!o)uInm3#Ej+P-
Jl`>r`84pUg3_D#%AN;B7wp&!zj*F#}yMoc4mk)K3OUy_D7xBY*|fSu)Ju2rvR_WO<Y|<N*dNRsp6icYJ887`eWU>a{kEf8QGFYb!7k0+|j9VgGas_!71*y
H#OC+BUuMz`S8xY)x2G;44er1ihIcJTZ7;{f0k(OssKBOY`vJ1@__Ur!Gv22jCRL@Jd<`TqEXEu(8GET<MP>g@WL4li`g0|F(^3>4@h$ny%T$)K+MBT58AN
2@O*53a@?>Mbb#USDn{#`5z?83k|ljPWfs(X_7kZ#J07(r#I$M3gk7dkINY>l%AoZme6wDOlK=x)JUZXm5wSwN7H@9Wnnp;*@)*tlceLQbHKjJ(;JgJ6fE9
X=m|KkR!#FT{4mpV)On$&Q)qcMaAJ~5tl{U8s7oR-;g$lCH@~xO42YX+Uq?OzpdHarr(8SLcu-
@c4v1J?9nrYBq$0*}Q3K`}K)>bu_`I2%H_M)LqR<)&B=H>}%OF{|YfbJAU2y{=L(a72?Z=i0`%WW~Mx5~K!3ye{!xZR&P=pTFn6@3cvjnNKnD)<_QFdlYHm
<=~BtR<|cZbq2_EuMf2MROv;JOdwy0-Tp|<ZREeIRxf?2^9Af6uZNAWL`Oa_qfOQPqJcT)1J^Jna{ag>uHoIUOWPCfzHJV264N{-
vc<atGtUa+Iz;<T|i^stCxZ6Z6;v9se=2ebT|>Mx~1Tv!du|ijT$n{yEAC+ZwQHP><815^SI~Ts8h96{oO2xy%UKFF^P{T1=Ecu{0gtQlb4wELyN<ioqIx;
Y)KDgp%S*c*D62rho~b(^q>aRy5{#Pc*qv64L$nMN&6vXeE#TmGs3+7ZrTIvYD+K`75>C4C5S_i@kWJEs&IjFa#TTE*1g}{s$)1-
l9yAH7<z}l4#b6v`}lhdSrkGup0IIZWgK(sPWl7ze_cUaT=~bqU7JG)LDE_2#ZOUY;Wc#8pT0{6K-
Fof)LmZi%UKYd72#HzF0&oFKgcYSA3?Df!Hdh5V^jm)@}d$L8~V|qQ5F|V-lOE?Qaajx03c=x5XHa7P!-
#2LOAw2v3HKc8mGanPz1D()KOz~@znUONOFg`6PFlId$!#22bzsc&hOu>-
Hq=)20J2t;o&hv{4@^41Ces@d?0}CAUfW}AB}GYx&wk+b(%q}1$mEek+k(V)?#Fw_1YmG$|Rx5jz!jm@<V{VoDhLMu37#gFAj^8lubp;UB`+=khTvj43n=n
13MPrSY5<;<0?Jax3Za9N?+Bxg+(gpO#$Vm`Z%jmk+=*b62Uz``97j8Se#qcgmVSJGCX=eas0y;tb3}a&tnu%fK5$CR|T_y#^Tt>1zeGpH?q6|(iVL9*nw0
*lqHS22ILzDZix)DVO5Ykm9Xav*BPd!-yQLW_;GlVhzTt9F8oT(LFUF?Fxf(YJva82abB(@A32Xg#d?pF-
*a@2N99L^sI_We!07e2<IbV`YttDUdhotgKNs^o1`N(HYs3#C){-MBTEM4vS1o?sE@)dfGFNA9=t8n`0)Dlw5Bq-?RN9p~TlM+JuXUN(_-
_M9%H${g*{T!~YYTZ8!{Q|ZrBi)QqR2)xshbJ+W(vXygV*1$Sy78-2qXkIr6ARcy8-
#wS?R_s_tl}M+O<cQGmY8xVk`wFILXInB@YX(cz$P683}}FyIl`FNnMV`lATa|5FJ4)86u?TsFc`22cLbl*hz-{Yn)`R%+@th-uQgiU@%p{ua84++yDvIUN
@#tydWMX3=7BUl>1IQf>0^lwKGd_BW~e^z5B>IbudKyWz(=s?j$af5oy#eZhv_hrBz0f5sODikAwi7rOBjf$||$GM9CTB66nHVRy$i*B4YL}iCv?c7cu^;b
i`{#`v09^q(`0&5_hDVjGVCYX7JEvg^3oGHlC+NWjDkz2%N;sE1y+y;gUgr&q?b5FMT;fib2Z56JNctA-rr?7*qNq<2<KgLT!K841oN1p-
?LRLx_uxl=E;+^p4e+aKa;?-
QolIOQsr&?))ntvB>p9yJ{J!*t;h=momj3qbZVhDy;;j6yA{G0_Khya$u9|oOTlvj%~_wyps^B6)EQy{P1o*P!A1({*9j}qe>!Qk8>MnnKZj=<FT>Y?O#^B
kRKK8BlHv)0!m}lHr;$}togrLOOM18WRe27CQ4c$QIdAk{O$swJc4smwwMAcLe_FRrNy8C$?v~BxQa$vAyA&SXs@AQraXSlo|*j>QrzTN820k*<%NIQmJ@4
>T5K=>xK(>}E@ek}7?HV=8}DsbX&Dd?hq})As5UvAk^S`rVHVkuQMm$`XlZ^4h;VM~Zr-nT)Xa$57BvT{lSEHbC=qf0UO*Sx=62GkH-vSM%*%u63&55ONz7
#%l{7$M1`mOG+z}X5;CY0KWgT~NZk8RJ?sX8ZEWB0Hqq~scb@z`TD0-
ERN1Ko*uBYUSCS*NuWY@!RO59jYR{J1cxG!?G$Cgs=;>!g5FALfoewj3^ZQF4pY%ko+SJ=j{-
t0?&sd<3oOS!~VOGn$C3*!t>`UsK#TYkR@!*hN~z#dFk#lE2IWbS$jX4*YzaGH2Hp&{a$sS|M7^qctkV7M>FXw@C7{`pu8H=WU0PNjf0LEE7Dc!naH#%%}_
lQKd+<Oq{_`6r=5oTVTUF&0#74i%zt7mjtp;ZEE#gVQ99ViCV^lNBo^VV_ANAJf$#E{?$#E9AcbTu~~?LI`UFSaL}T0!eUV(}95BC&q1eox5mB@Brr+XoM#
CqQIal-ClcHjTg<@5XB*Lb$;n8u3gJ%7pZ@bd}txwY(&UVVG0h%InlTWqkG^dWj<L}G?)r?H$AX&?H4$!P64{rkcX1jS%anL;Sbx&0ueNuiPSKcRWl`I)7B
$F0yu3E96!j9B`KTdZKhJPVFJ!JGLm9Nq{|15<?F*o!u7n?Kit524Pj~1>Wn^yH|O|vUP!5Fw(V~k3Wh_)_h^v67(Wo-
?!GwK%BD>W=;*lhf%ScO7+lUCHOLb80Fw(SBrFQjTU4MEDN>{W<|IPB#Eg3MKuKix0Vjb?>u%{CrjJv!l}4J~IsCXtn;7hqL~IjTA{$oTq-
cem@gPsAnd`mrA%7}xWU3a`m#q>f^M&<v+Y4ON;pQAw9>LW!T(oaat!XG5--U^;1d<ms9|vcBZm>t<-
`c9fqo{=0p~(@1ckaZH99pk*ri(hph=3rIZXye@7pKu;(m&P@s?D`K+h-
Yeolp4)g{!@VvfgGHW?`+Tew7cLfy#?G@jGehsk19!>cozclgxNuV`5@Zvg=gZm4#j@0J$s1b$>XM<Zlg{W3V$EiMXgP6Rt`rQG@YMb&?fK6yR)WrE^jRLH
^Q89^~#1yHkaL1d(uaUIyO5hE8jAZrLl~R<dtJlT6as;yT6hG2<TRdud&Iitz?0SGpTFf-Sq2<+p~4^*AY)?D#smjbn^n2$KvTeitr`(Y+~!SMiw=saTm3E
Yh$mdg<PTiu8(}V)TCuxcxH2(aKIbKh@W$)LjDByiys{MSJjr#g?lTW@Gs;yo7EUiq`~zR&JY7hl<CHYX`rZB942y#+d5ba;F(GoWX6cYhJ1;Y~`EEjaG`1
%Ta-7?0EQn-a`Pi`{!P~GMNGu>tPz*=lIu;-
P*36|9a*rikQZ2Z4dm05s&cq?^ud62zjNXrR<n?Hyqc)Z=Q{=e|2PvYqjN2a1@UHIHwlFm`IKx!$$~zj_EiH@X`4Lr$(O?q7PymU+|MNEE_{t*e3M59#!DH
u;Qwg652-Mn@0vp)iZg^n=gY_xJ>B~C!VN|>CAt$$JGnqXTj8C)|tTXnqB`<SqoC43~!A$v-
9%nzJ_0rz0aGrM9dE1_Jg@Nu3k$xV46Q*sP5zk`tm3k?G9n2L+K7Zj9$S_*bs#Irp#Id&5<NEF#x}O-
48Se*Yl55W*9*V8M<9?qhjIE{uEPzE$^xIyWKmVC~nll3NAh-L8)x3=@*`yR2%a{<uZqw6YxD#WR))DF!Rp{+a<Ua{-
?X_XrbHArh#%L*?@!ca+r!uIgWwtkyTngc$@%L^MMwd+FhZA!9$J$+f=yq(rO<Xw;0`mBGQQ`WUqVlep0W1Tb0v4fepA#Pn_n0`DXgluG_z<p(f^2Lxi9;Y
?Dfavvu$?A@OH}lsHu-SP7{0;~qmUU_|%V6Y6bswOTdVHlCNLN1Mv@JjWPnQ+An#Pl4zkh~*}U#BeRZ0=u&6ZfGcGOF#@0e&D;JJtO4?)HA7guOVj!jH~9j
PX<tzrRy{br9_=%=LJc+$rBRV^;NRk)`x(8a&clBu2Lajq&NUW_QuB;6k=3Ka(s@3g~=*^p_w-XB6~ySEK}y3;7zN*LShO!oe_A8QCpesmX8WKm?b0Vu51|
^M}dItj04v$cXqp+j#JJNHmy;>q&jp`ZT6UMU$>=5!`G@^s^!pwTac2K>&?JU`+5^kU`2s3+lqP8#fU^eV$AGww-Ti@+&}I$s1D{}28Nc|-
KoWp+1Oo2PXg8w)|2@##nb+RkE~?DU&ag#9-
e&bqz|a7HmbzX4oP9ievyzg@b1oU$S{8D4fJ@opfCZ*85YMIWT>8?y6c{WsShfipa`(*TBBv#SU7G2D|Ay(4fA}^&*%+osV6weWk&3{<4OR=lPe=>2NyFZ!
zju55P(PQ@^}4L+VM|?N`guu9o6O@OcZWJODBF%(6!lYQ}e{O&}aUd3`qn2*4r!&S6RIk^+iP3$yxxG$3{pg`FJ-
b8eYi_<}B|c^;7aWsDp_3<&8tVV^0abjY2<+1W`iBTMrv$uyV<CK)YrBo<x@O1D#9TYKPlW$_*M{Y^u%R|Msrz$<~dGTI^hTZyS>uN+cp@X1jVh8L&8}64S
KfzBfPFK{fYR9bJ{IM3j6cbF!%~CkiEWYVk`dQUg)FGYOUiTAQh_OuI2itL&SUj{GYB2IV2<Sx^P!cQ3>+QLPCfrZL4$<Unt1_(5N+EbMBH3bc*M5!i4KSJ
$?m-
z8RdDePL${M!{z<qXaiz5$MzkQwskjIWEpR9r?KlAM!{=x6a4@4F=5cy2j!{@Oa_14VkYd4N~QLxwsRSe10q7XAg~k+c3<lVxraBf%8yT^%s=L|I4c9d=%4
A`}$IA=(`i==|@&&iy6Kk2eBM5~3$td71(m7h4NDFaKf<k5g$5#-
qOF=9YV#KLvB$e#mF>yg$twlX(1CpNkI1sYaGhZ#oC+2zhw<@`BYk1RvFy1TlFg;J9WE3@$Y^^kzHtRVtMAT7uo0MZ4-{J1FQRv1O$pCCS@54F7Oi-
@7Kfa0=44p1g6-
0%!A;3#BIYEV{@%XCseoFs8GG=C9BzkG*7bF|%?o6E6#)sWg=Uovy#ZKa?PS&b&jRPjVZB*yJ$WFBu?w#c*!abvzM%VA+KGx17#LI$LohlCg%XkZyzMRGVW
uZd+^5@1qegteWMb*QZjN?!GkQr<qnW{dF2w-7mmkvXJUk*{&Ia+#&~>J&-9*Jw^g^6FCYRL5iozV36qgt&!Hxr=@@)m4f4k4x7{2)sZytn%J4zE*tBS-AN
LHbHK4hhkoaUKK{ZpxoQ3BxO3!r#@*s8azXMxT)uCWUEtd|noP5=vsJi4cu1k*9aE9#s78fexA({XaRu?bg$t_M0E$fS#r%g0?pz>gJDD9xK&0k#E6x6veK
XKWc?_+Cd!O+ZEbH@b^tokDg~eDQEk7(c<L3=U?T+)I*@leeve_*VHJO#c6<nY@DAZs2Oyx0J0+cvSokCY9dq)xDTMnZLBRzJxp}=CYvsL?a6w|0Pi1BgM6
n8OTk<mpZU#S-6JFw2_HA9Vqy2=-
UMl7o`geykrnAR!FQimhrB~wS(M_=N()DJBb^S9VrsV3L%Bye`qg`#ja_CG#oy!Owse5)?^lq*c`Rw*!cVt_6*cz`3&lGsMHg)Zif5-
zw>{s>v6r#w!jKh+WhzM4Q&lEGO!&23_ZN2#9bYhf*9Ua`bPuCd44{@`HvRteEv7C5(Ksc&2#rjCh>mZA>B%_WHjVmlMMZ?Yi)&58M%J|C0g%Pv`%Mh;~sx
~4PB2Ef_CPWm?a%!`<8FUqs@ar$Ez#rw?zqEo2Q3;Dx=`LMB^TvFmJ(^XNHF*j#far)?(K{fvrY|6P|_~$!utAptcas_?SNHeJ_vi$`?-
x@l!XoQTnN1SX*%S^te{f5h~eqN=?{^>Kiz7dCe^aXUK1({lV+57|MNxiKs*t<vpW|Ule$lt2y`i=x?{KY|{qgcuR9b+U&sW*|=J}>2IQi~KQA*6<3+6cTy
eb<mEZ_XZn!Np8w(ICz~C)e>2v;i<aUK^Ka<CnHEPqwL2L-
Bzz9x8iSB#5?s!&!v2O$L00(pj#TK_@mdiBe~}m!@yboj`d7Zs(XnBeU(^f}jyKg!77yi<&Rw|IMfNvbKmKIXoLnzI4Y6`|?4f=Bgll_hc~~j09F%IvrZRy
{ROLi=o5#P;Jb9i*DxQyddOq&Sa8^vrbC9qV^%!eT_9d4=TB8EG&RR^fEMX^JH2*!4TW!4{iUq=k(M;&J64xM>`RjTZ`m{th~y$kw}UCu`F^NQ@{s(&Bg(1
<x+D}32C7`3FzP6zi!g`2V0Sls#(67RE`+*S)0*D?9&P)Srz}5z_mn4kxUVtzhMOkPKh`H)N&O|uqIUc$BfiZ(N5ws<wMIw1;Wuae3f`*)o;>bZDzXytXEc
niR7-
lMO!9)&M4dVCX(Kjur9<1QhzRXMK^4{1A%iApLH3}gkc@vw!FVtB15$~H<~t{rd99tLca=ENX~FEDt#ieiT;WEzf$0NL=>}Y(f+Kz!z)xT4dft!;OHuRpHb
#b3us1jZsx34ZVc;(B!{5-As`_hxa{*MJ$Iau9*nC4NG5KHai9^Q*)=cI7_Z)7&YbM)&WkmbzrXgOmhEO!zZm-FpYdR1fz3-
LW@c}$Lkl)qNOvgqEHkiU@CZzHeZCNt@cVrh*+sJ_eUCY5wp^1on4y&+Lblc^PbZj27jqeG7^@PRRdK&lTQV`uOYCVx@h`>-R}O-
iz?ualpK~vzt~~+rx~bZ4CV|!%wG&&~xCtj9ch8COZNCr+t<45_7qX!Q8W{3|je0ws{-Za&#L-
;P>A1B@mUmJmSDTqy)HD_*U?NDvEq)E%|9t&@@Z4*UD<9KE6>dLjuBbE-Frm4rH^((PX_|3FjTs-
@xby%^FReU`vk9f<o$)>~EolJYxrlf{**~Lsx+lMJNQ0M^tZrVM{N_Xw!Tr#GB39WqMzovx55X)zYizMG$+H+IE8L8Gj}H89Rli!&tYzq$ES2MgbV)K?(-
`V~WJ3@8NY3kn<9A3KxG>kACQ%TZUeQ_3fx_Pz>$!Y2OV&SITdLGqN1pC`<W%A4eL_*SCb1NA(~`~E$-%dBP9%qD#||%RoP7n(h-yWP#cJ|u+H_0=sq^-
th!{<@Q>ZPKz8QWheO*rgNt?SLrtnhEk$9!{GG(fXA!#ZAa|}*yiJ+vo;C=+Sv>Sag02c;{w8vd8gr!WVzGH5R_+*9s5~Ja-
X68$i8hMH~q}O^fF(Uy6=!du*G#db2dzeN{%C_Ewdp6&})U7`FfnX*G^)gXiTEOy~bgx0snpAK%-
e}&;m+eRjs=TtXk^(40^^kzjWluTwFOWzJj=UW5*iB4<o)%W4AjYnvqPt2Qm2|%N7>X+_2%!#VmZMDd#p&$UMLfpfPtI<ZRYq?Iq+#BYlB;chNM<~{(d|qk
u>aAF-ahVwQyOymbQ9Gqx%|PdR~-jDZso?-
VOTrWAbw7WN(#vv(vJ6PfTlhrNaY>q?5>=7Ao`Dg1_C&aD>TH*=3VJv$Vx7lA~wAmeD=t*&PaMEYlVAC3+w@(|NJG02>
"""

if __name__ == "__main__":
    print(answer(json.load(sys.stdin)))
