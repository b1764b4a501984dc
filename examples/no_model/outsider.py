"""Solve search tasks without any language model: an adversary, to measure how much of the tasks needs reading.

It was written by somebody who had seen training wordings alone: training questions with their answers and queries,
searches and pages, but no schema, no table and no code of the worlds. It reads {"question", "base_url"} as JSON from
standard input and prints a Markdown table.

1. It gathers every page that searches, links and guessed addresses lead to.
2. It masks names, dates and numbers, and turns each sentence, list item and table row into facts, wherever a slot
   stands in one of the contexts under `CONTEXTS` that training answers have shown to be reliable.
3. It parses the question by patterns, with bags of words under `TABLES` that name its columns.
4. It runs the query over the facts.
"""

import json
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


class Masker:
    """Replaces names by ~, dates by @, numbers by #, seasons by %, and the family name of the page's subject by _."""

    def __init__(self, pages, words):
        self.by_slug, self.entities = {}, set()
        names = set(words)
        for text in pages.values():
            for name, url in LINK.findall(text):
                if not name[0].isdigit() and name != "Next page":
                    names.add(name)
                    if "-" in (slug := url.rsplit("/", 1)[-1]):
                        self.entities.add(name)
                        self.by_slug[slug] = name
        for url, text in pages.items():
            slug = url.rsplit("/", 1)[-1]
            title = re.search(r"(?i)\b" + r"\W+".join(slug.split("-")) + r"\b", text.split("\n", 1)[0])
            if title and "-" in slug and slug not in self.by_slug:
                self.by_slug[slug] = title[0]
                self.entities.add(title[0])
                names.add(title[0])
        known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        self.known = re.compile(rf"(?i:\b({'|'.join(map(re.escape, sorted(words, key=len, reverse=True))) or '@'})\b)")
        self.names = re.compile(rf"(?<!\w)({known or '@'})(?!\w)")
        self.words = set(words)

    def mask(self, text, surname=None):
        found = []

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

        return re.sub(r"(# [a-z]+?)s\b", r"\1", TOKEN.sub(slot, text)), slots

    def units(self, url, text):
        """(kind, template, slots, references) of every sentence, list item, table row and labelled value of a page."""
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        page = self.by_slug.get(url.rsplit("/", 1)[-1])
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


# --- the question ---------------------------------------------------------------------------------------------------

NOUNS = {
    "employee": "employee employees", "project": "project projects", "department": "department departments",
    "order": "purchase_order purchase_orders", "cost": "quarterly_cost quarterly_costs", "player": "player players",
    "club": "club clubs", "transfer": "transfer_bid transfer_bids", "coach": "coach coaches",
    "report": "match_against_a_foreign_club matches_against_foreign_clubs", "director": "director directors",
    "film": "film films", "screening": "screening screenings", "review": "review reviews",
    "festival": "festival festivals", "street": "street streets", "resident": "resident residents",
    "shop": "shop shops", "inspection": "inspection inspections", "licence": "licence licences",
}  # fmt: skip
NOUN = {noun.replace("_", " "): table for table, nouns in NOUNS.items() for noun in nouns.split()}
ANY_NOUN = "|".join(sorted(NOUN, key=len, reverse=True))
RELATION = re.compile(
    r"^(?:who |that |which )?(?:are |were |is |was )?(?:whose (?P<whose>[a-z]+)|(?P<how>[a-z ]{0,22}?)\b(?:an?) "
    rf"(?P<noun>{ANY_NOUN}|unit|house|side)\b) ?(?:that |which |who )?(?P<rest>.*)$"
)
TALLY = re.compile(
    rf"\b(no|at least|at most|exactly|more than|fewer than|less than)? ?(one|a|#)? ?\b({ANY_NOUN}) "
    r"(?:with them as [a-z]+ )?(?:that|which|who) (.*)$"
)
STOP = {
    "they",
    "are",
    "were",
    "is",
    "was",
    "a",
    "an",
    "the",
    "of",
    "in",
    "to",
    "and",
    "or",
    "by",
    "for",
    "at",
    "on",
    "with",
    "have",
    "has",
    "had",
    "been",
    "be",
    "that",
    "who",
    "which",
}
ABOVE = r"more than|above|over|later than|(?<!\w)after|higher than|older than|longer than|exceed|miss the top|larger"
ABOVE += r"|behind|beyond|outside the|worse than|no better|upwards|since"
BELOW = r"less than|below|under|fewer than|before|earlier than|younger than|better than|ahead of|lower than|shorter"
BELOW += r"|smaller|top #|cheaper"


def tokens(text):
    return [word for word in re.findall(r"[a-z]+", text.lower()) if word not in STOP]


NAMED = (
    r"(?:^|[.?] )[A-Z][^.?]*?\bthe ([^?]*?)(?:, which I'll call|: let's call that|(?: first)?; call it) ([A-Z])(?=\.)"
)
TOP = r"(?:^|[.?\n] ?)([^.?\n]*?\b(?:only need|just give me|narrow that list)\b[^.\n]*)\.?"
UNLESS = r"(?:[A-Z][^.?\n]*?\b(?:any|ones|those)|Those)\b (?:that |which |who )?both (.*?)"
UNLESS += r"(?: I know already[^.\n]*)?(?:\.|\n|$)"
BEST = r"(\d+) (?:under each “([^”]*)” )?(?:with the|whose (\w+) has the) (highest|lowest|latest|earliest) (.*)"
EXTREME = r"an? (highest|lowest|total) “([^”]*)” (.*?) (?:among|over) (?:all )?(?:its|their|the) "
EXTREME += rf"({ANY_NOUN}) (?:that|which|who) (.*)"
EXPLAINED = (
    rf"is, for each [^,]*, the (number|sum|highest|lowest|total)\b(?: of)? (.*?)({ANY_NOUN}) (?:that|which|who) (.*)\."
)


class Question:
    """A question as a query: a table, conditions, paths to columns, tallies, and how it wants its cells."""

    def __init__(self, text, schema, masker, kinds):
        self.schema, self.masker, self.kinds, self.origin = schema, masker, kinds, {}
        head, heads, *rest = text.split("\n\n")
        self.lines = rest[0].split("\n") if rest else []
        self.headers = heads.split("\n")[1].split(", ")
        self.single = bool(re.search(r"single row|[Oo]ne cell|one column", heads.split("\n")[0]))
        self.today = (re.findall(r"\d{4}-\d\d-\d\d", rest[0] if rest else "") or ["2030-01-01"])[0]
        self.steps = []
        head = self.tidy(head)
        for match in re.finditer(NAMED, head):
            step = self.expression(match[1])
            self.steps.append((match[2], step))
            if step:
                self.origin[match[2]] = (step[3][-1], self.at(step[0], step[3])["to"])
            else:
                self.origin[match[2]] = (None, None)
            head = head.replace(match[0], "", 1)
        self.top = None
        if match := re.search(TOP, head):
            self.top = match[1]
            head = head.replace(match[1], " ")
        unless = re.search(UNLESS, head)
        if unless:
            head = head.replace(unless[0], " ")
        self.final = self.table = None
        if self.single:
            self.final = self.expression(re.sub(r"^.*?\b[tT]he ", "", head.rstrip(".? ").split(". ")[-1], count=1))
            return
        parts = head.split("\n- ")
        ask = parts[0]
        match = re.search(rf"\b({ANY_NOUN})\b(?!:)", ask)
        self.table = NOUN[match[1]]
        if len(parts) > 1:
            clauses = [part.strip(" ;.\n") for part in parts[1:]]
        else:
            ask = re.split(r"[.?](?: |$)", ask[match.end() :], maxsplit=1)[0]
            clauses = self.split(re.sub(r",? with none missing|, all of them,?", "", ask))
        self.where = ["and", *[self.condition(self.table, clause) for clause in clauses]]
        if unless:
            both = self.split(unless[1])
            self.where.append(["not", ["and", *[self.condition(self.table, clause) for clause in both]]])
        if self.top:
            self.top = self.best(self.top)

    def tidy(self, head):
        return re.sub(r"^[^\n]*?[.?] (?=[A-Z])", "", head, count=1)

    def split(self, text):
        """Cut a sentence into its conditions."""
        text = re.sub(r"between ([^,;]*?\d[^,;]*?) and (?=[\w-]*\d)", r"between \1 & ", text.strip())
        names = []

        def hide(match):
            names.append(match[0])
            return f"<{len(names) - 1}>"

        text = re.sub(r", (leavers included|not to)", r" \1", text)
        hidden = re.sub(
            r"[A-Z][\w’']+(?: (?:and|of|the|in|to|[A-Z][\w’']*))* [A-Z][\w’']*", hide, self.masker.known.sub(hide, text)
        )
        clauses = re.split(r",? and (?=(?!the\b)[a-z])|, (?=[a-z])", re.sub(r"^ *(?:that|which|who) ", "", hidden))
        for _ in range(2):
            clauses = [re.sub(r"<(\d+)>", lambda match: names[int(match[1])], clause) for clause in clauses]
        return clauses

    def expression(self, text):
        """“the grade of the lead of the project X”, or of the project with the highest … among those that …."""
        text = text.strip(" .?")
        ranked = re.match(rf"(.*?) of the ({ANY_NOUN}) (with the|whose) (.*?) ?among those (.*)$", text)
        only = re.match(rf"(.*?) of the only ({ANY_NOUN}) (.*)$", text)
        if match := ranked or only:
            table, clauses = NOUN[match[2]], self.split(match[5] if ranked else match[3])
            where = ["and", *[self.condition(table, clause) for clause in clauses]]
            order = None
            if ranked:
                sup = re.search(r"\b(highest|lowest|latest|earliest)\b ?(.*)", ranked[4])
                route = [] if ranked[3] == "with the" else [ranked[4].split()[0]]
                order = (self.route(table, route, sup[2]), sup[1] in {"highest", "latest"})
            return table, where, order, self.chain(table, match[1])
        match = re.search(rf"(?i:\b({ANY_NOUN})) (?=[A-Z])", text)
        if not match:
            return None
        table = NOUN[match[1].lower()]
        name = text[match.end() :] if match[1][0].islower() else text[match.start() :]
        path = re.sub(r" of the $", "", text[: match.start()])
        return table, ["key", name], None, self.chain(table, path)

    def chain(self, table, text):
        """“grade of the lead” as the columns to follow, from the table on."""
        pieces = text.split(" of the ")
        route, label = [], pieces.pop()
        while True:
            links = [c for c, col in self.schema[table].items() if col["to"] and self.like(label, col) > 0.99]
            if pieces and links:
                route.append(links[0])
                table = self.schema[table][links[0]]["to"]
                label = pieces.pop()
            elif pieces:
                label = pieces.pop() + " of the " + label
            else:
                return [*route, self.column(table, label)]

    def route(self, table, links, label):
        path = []
        for link in links:
            column = max((c for c, col in self.schema[table].items() if col["to"]),
                         key=lambda c: self.like(link, self.schema[table][c]), default=None)  # fmt: skip
            if column:
                path.append(column)
                table = self.schema[table][column]["to"]
        return [*path, self.column(table, label)]

    def like(self, text, column):
        words = Counter(tokens(text))
        return max(
            (2 * sum((words & Counter(tokens(label))).values()) / max(1, sum(words.values()) + len(tokens(label)))
             for label in column["labels"]), default=0,
        )  # fmt: skip

    def column(self, table, label):
        return max(self.schema[table], key=lambda c: self.like(re.sub(r" date$", "", label), self.schema[table][c]))

    def best(self, text):
        """“for each Club, the 5 with the highest weekly wage”."""
        match = re.search(BEST, text)
        if not match:
            return None
        within = re.search(r"each “([^”]*)”", text)
        route = self.route(self.table, [match[3]] if match[3] else [], match[5].strip(" ."))
        return int(match[1]), match[4] in {"highest", "latest"}, route, self.header(within[1]) if within else None

    # conditions

    def condition(self, table, text):
        text = re.sub(r"^(?:they |that |who |which )+", "", text.strip(" ;.,"))
        for letter in self.origin:
            text = re.sub(rf"(?<!\w){letter}(?!\w)", f"letter{letter}", text)
        if text.startswith("either "):
            halves = re.split(r" or (?=(?!an?\b|the\b)[a-z]{2,} )", text[7:])
            return ["or", *[self.condition(table, half) for half in halves]]
        if match := re.search(EXTREME, text):
            return [
                "tally", table, match[1], match[2], NOUN[match[4]], self.condition(NOUN[match[4]], match[5]),
                self.compare(match[3], "int"),
            ]  # fmt: skip
        if match := re.search(TALLY.pattern.replace("#", r"\d+"), text):
            other = NOUN[match[3]]
            linked = any(col["to"] == table for col in self.schema[other].values())
            if linked and (match[1] or match[2]) and other != table:
                count = 0 if match[1] == "no" else int(match[2]) if (match[2] or "").isdigit() else 1
                op = {"no": "=", "at least": ">=", "at most": "<=", "exactly": "=", "more than": ">"}.get(match[1], "<")
                op = ">=" if not match[1] else op
                return ["tally", table, "count", None, other, self.condition(other, match[4]), (op, [count])]
        path = self.guess(table, text)
        kind = self.at(table, path)["kind"] if path else "int"
        return ["is", path, self.compare(text, kind)]

    def at(self, table, path):
        for link in path[:-1]:
            table = self.schema[table][link]["to"]
        return self.schema[table][path[-1]]

    def constants(self, text):
        return self.masker.mask(text)

    def guess(self, table, text):
        template, slots = self.constants(text)
        kinds = {"~": "text", "@": "date", "#": "int"}
        kind = next((kinds[mark] for mark in template if mark in kinds), None)
        if kind is None and re.search(r"last (?:year|month)", text):
            kind = "date"
        if kind is None:
            kind = "text" if re.search(r"\bletter[A-Z]\b", text) else "bool"
        words = tokens(re.sub(r"\bletter[A-Z]\b", "", template))
        paths = [[column] for column in self.schema[table]]
        for first, one in self.schema[table].items():
            if one["to"]:
                paths += [[first, column] for column in self.schema[one["to"]]]
                for second, two in self.schema[one["to"]].items():
                    if two["to"]:
                        paths += [[first, second, column] for column in self.schema[two["to"]]]
        relation = RELATION.match(text)
        letter = re.search(r"\bletter([A-Z])\b", text) if not slots else None
        named = slots[0] if slots and isinstance(slots[0], str) else None
        best, score = None, -9
        for path in paths:
            column = self.at(table, path)
            fits = column["kind"] == kind or kind == "bool" or (kind == "int" and column["kind"] in {"num", "date"})
            if kind == "text" and slots and template.count("~") and not fits:
                continue
            if not fits and not (kind == "text" and not slots and column["kind"] != "bool"):
                continue
            value = self.overlap(words, column["bag"]) + 0.6 * (named in column["values"])
            value -= 0.6 * bool(named and column["values"] and named not in column["values"]) + 0.05 * len(path)
            value += 0.6 * (column["to"] in self.kinds.get(named, ())) if column["to"] else 0
            if letter and letter[1] in self.origin:
                origin, to = self.origin[letter[1]]
                value += 0.6 * (column["to"] == to if to else path[-1] == origin)
            if kind == "int" and column["kind"] == "date":
                value -= 0.3 if not re.search(r"\bin #|last #", template) else 0
            here = table
            for link in path[:-1]:
                col = self.schema[here][link]
                marker = (relation["whose"] or relation["noun"] or relation["by"]) if relation else ""
                near = {"unit": "department", "house": "department", "side": "club"}.get(marker, marker)
                labels = {word for label in col["labels"] for word in tokens(label)} | {col["to"]}
                known = near and (
                    any(label.startswith(near.split()[0]) for label in labels) or NOUN.get(near) == col["to"]
                )
                value += 0.45 if known else -0.5
                here = col["to"]
            if len(path) == 1 and relation:
                value -= 0.4
            if value > score:
                best, score = path, value
        return best

    def overlap(self, words, bag):
        if not words:
            return 0
        return sum(bag.get(word, 0) for word in set(words)) / len(set(words)) ** 0.5

    def compare(self, text, kind):
        template, slots = self.constants(text)
        letter = re.search(r"\bletter([A-Z])\b", text)
        if kind == "bool":
            return ("=", [not re.search(r"\b(no|not|never|without|nothing|un\w+|nor)\b|n't", text)])
        if kind == "text":
            values = [slot for slot in slots if isinstance(slot, str)]
            if not values and letter:
                values = [("letter", letter[1])]
            if not values:
                return ("none" if re.search(r"\b(no|not|without)\b", text) else "some", [])
            return ("out" if re.search(r"\bnot\b|other than|another|except|n't", text) else "in", values)
        values = [slot for slot in slots if not isinstance(slot, str) or re.match(r"\d{4}-", slot)]
        low = template.lower()
        if match := re.search(r"last (?:# )?(year|month)", low):
            return ("last", [values[0] if values else 1, match[1]])
        if not values and letter:
            return ("in", [("letter", letter[1])])
        if not values:
            return ("none" if re.search(r"\b(no|not|without)\b", text) else "some", [])
        if kind == "date" and isinstance(values[0], int):
            return ("year", values)
        if (len(values) > 1 and re.search(r"[#@]\D* or [#@]", low)) or "exactly" in low:
            return ("in", values)
        if len(values) > 1:
            return ("between", sorted(values[:2]))
        negated = re.search(r"\bnot?\b|n't", low)
        if re.search(r"at least|or more|no earlier|no fewer|no less", low):
            return (">=", values)
        if re.search(r"at most|or less|no later|no more", low):
            return ("<=", values)
        if re.search(ABOVE, low) and not re.search(r"older than a", low):
            return (">", values)
        if re.search(BELOW + "|older than a", low):
            return ("<", values)
        return ("out" if negated else "in", values)

    # columns

    def header(self, header):
        """The path of an output column: a column of the table, or one that a line of the question explains."""
        for line in self.lines:
            if f"“{header}”" in line.split(" is ")[0].split(" are ")[0]:
                if match := re.search(r"”,? (?:is|are) th(?:at|ose) of the (.*)\.", line):
                    links = match[1].split(" of the ")[:-1][::-1]
                    table, path = self.table, []
                    for label in links:
                        column = max((c for c, col in self.schema[table].items() if col["to"]),
                                     key=lambda c: self.like(label, self.schema[table][c]))  # fmt: skip
                        path.append(column)
                        table = self.schema[table][column]["to"]
                    return [*path, self.named(table, header.rsplit(": ", 1)[-1])]
                if match := re.search(EXPLAINED, line):
                    other = NOUN[match[3]]
                    quoted = re.search(r"“([^”]*)”", match[2])
                    kind = "count" if match[1] == "number" and not quoted else match[1]
                    condition = self.condition(other, match[4])
                    return ["tally", self.table, kind, quoted and quoted[1], other, condition, None]
        return [self.named(self.table, header)]

    def named(self, table, header):
        for column, col in self.schema[table].items():
            if header == col["header"]:
                return column
        return self.column(table, re.sub(r" \(.*\)$", "", header))

    def missing(self, header):
        for line in self.lines:
            quoted = re.findall(r"“([^”]*)”", line)
            if len(quoted) == 2 and header in quoted and re.search(r"^(?:Put|If there|Some may|Write|Where)", line):
                return quoted[0] if quoted[1] == header else quoted[1]
        return None


# --- learned from training questions, answers and pages --------------------------------------------------------------

# table and key, then column, kind, table that it names, header, names in questions, values, words of conditions
TABLE_TEXT = {
    "company": """
§order number |vendor;text;;;vendor;;placed went|number;text;;Purchase order;purchase
order;;|placed;date;;Placed;placed;;out went later than placed after earlier year last month
from|project;text;project;Project;project;;ordered project supply not do|paid;date;;Paid;paid;;earlier settled than
paid month last|value;int;;Order value (EUR);order value;;less worth eur than order value above more below§project
name |due;date;;Due;due,end i need the due;;due date|lead;text;employee;Lead;lead,end i need the
lead;;|name;text;;Project;project;;|owner;text;department;Owner;owner;;owned owner as|spent;int;;Spent (EUR);spent,end
i need the spent;;spent more eur than between|state;text;;State;state;closed,on hold,running,starting
up;status|share;num;;Share of all budgets (%);share of all budgets,end i need the share of all budgets;;below cent
share budget per above|ordered;int;;Ordered in all (EUR);ordered in all;;all less than ordered eur order above volume
project below more|budget;int;;Budget (EUR);budget,end i need the budget;;granted eur budget above|dear;int;;Rank by
budget in its state;rank by budget in its state,end i need the rank by budget in its state;;state budget top their
miss than number rank higher|started;date;;Started;started,end i need the started;;earlier began than started month
last before|orders;int;;Purchase orders;purchase orders;;order books orders placed exactly purchase
project|sponsor;text;employee;Sponsor;sponsor;;sponsor as|#0;text;;Purchase orders counted;purchase orders
counted;;|#1;text;;People booked added up;people booked added up;;§employee name |salary;int;;Salary
(EUR);salary;;project earns more year lead than whose eur above salary below between earn less
from|grade;text;;Grade;grade;G3,G4,G5,G6,G7;paid band grade another than not somebody
sponsored|unit;text;department;Department;department;;belong staff work works somebody sponsored
not|service;int;;Service in calendar years;service,end i need the service,service in calendar years;;service year more
than under company calendar over less between|hired;date;;Hired;hired,end i need the hired;;hired year last sponsored
somebody later joined company than earlier between from before|name;text;;Employee;employee;;|trade;text;;Job
title;job title,end i need the job title;accountant,auditor,business analyst,buyer,clerk,contract manager,cost
engineer,data engineer,design engineer,draughtsman,electrical engineer,head of section,lawyer,logistics
planner,machinist,maintenance engineer,mechanical engineer,personnel officer,planner,process engineer,product
manager,programmer,quality engineer,safety officer,sales engineer,technician,test engineer,translator,welding
engineer;hold title job than another employed as holds lead|boss;text;;Reports to;reports to,end i need the reports
to;;line manager as report board colleague not|remote;bool;;Works remotely;works remotely;;remote contract no lead
work remotely not do|backs;int;;Budgets sponsored (EUR);budgets sponsored;;project back as over budget sponsor eur
more than budgets under less|leads;int;;Projects led;projects led;;project exactly lead as named sponsored somebody
leads|bonus;int;;Bonus (EUR);bonus;;get less than bonus eur between above more|left;date;;;left;;still employed
company left§department name |payroll;int;;Payroll (EUR);payroll,end i need the payroll;;payroll below eur pays
altogether salaries|place;int;;Rank by payroll;rank by payroll;;payroll ranks than number higher|funds;int;;Budgets
owned (EUR);budgets owned,end i need the budgets owned;;projects all budgets owns above eur project less budget than
ownership below|site;text;;Site;site;;site desks their work house its works than other
somewhere|founded;date;;Founded;founded,end i need the founded;;founded after project year owner whose
last|staff;int;;Employees;people on the register,employees;;lists department owning included under employee whose
leavers over fewer register people than from|oldest;int;;Longest service in years;longest service,longest service in
years;;longest year service exactly member served senior over|floor;int;;Floor;floor;;floor their rooms now not does
its|name;text;;Department;department;;|#0;text;;Projects counted;projects counted;;§cost project,quarter
|quarter;date;;Quarter ending;quarter ending;;quarter belong ending
before|project;text;project;Project;project;;|amount;int;;Cost in the quarter (EUR);cost in the quarter;;quarter below
stay eur between come exceed more than|people;int;;People booked;people booked;;timesheets head show over less than
more people booked fewer|rank;int;;Rank in the quarter;rank in the quarter;;
""",
    "films": """
§director name |country;text;;Country;country;;come from country home
as|name;text;;Director;director;;|born;date;;Born;date of birth,end i need the date of birth,born;;before born
between|debut;int;;Year of the first film;year of the first film,end i need the year of the first film;;first film
director out before made after between directed earlier than time later|minutes;int;;Minutes in all (min);running time
of all circuit films,end i need the running time of all circuit films,minutes in all;;up director less than screen min
made adds under films together circuit directed film all between more add|gross;int;;Largest gross (thousand
USD);largest gross of a film,end i need the largest gross of a film,largest gross;;saw thousand over take their usd
biggest above earner|films;int;;Films shown;films shown;;exactly circuit film|#0;text;;Films counted;films
counted;;|#1;text;;Films counted;films counted;;§film title |finished;date;;Finished;finished on,finished,end i need
the finished on;;between finished earlier completion date than before ready after month last
from|title;text;;Film;film;;|director;text;director;Director;director;;directed director as
work|genre;text;;Genre;genre;comedy,documentary,drama,horror,musical,thriller,western;filed as belong genre another
belongs than not|length;int;;Running time (min);running time,end i need the running time;;between lasts min last less
than run longer below time running from runs|cost;int;;Production cost (thousand USD);production cost;;below cost
thousand production usd swallowed under more make than over above between less|gross;int;;Gross (thousand
USD);gross,end i need the gross;;from took thousand office box usd final above gross between grossed
over|profit;int;;Gross less cost (thousand USD);gross less cost,end i need the gross less cost;;paid more left
thousand once than production gross usd below cost less shows from show made beyond over under
above|written;int;;Reviews;reviews;;time exactly reviewed got review|praise;num;;Best rating (of 10);best rating;;more
from than got kindest reviewer under rated best below review above never|dear;int;;Rank by cost in its genre;rank by
cost in its genre;;cost ranks genre lower than number|dubbed;bool;;Dubbed;dubbed;;version dubbed comes without
come|shown;int;;Festival screenings;festival screenings;;screenings festival exactly time festivals
shown|purses;int;;Prize money won (thousand USD);prize money won;;earned from thousand awards under usd less than won
money prize over together purses|prizes;int;;Awards won;awards won;;won exactly award prize took|#0;text;;Screenings
counted;screenings counted;;§screening film,festival |festival;text;festival;Festival;festival;;part belong programme
place took belongs|film;text;film;Film;film;;|turn;int;;Which festival showing of the film;which festival showing of
the film;;below showing number from festival film later came than|prize;text;;;prize;audience award,best camera,best
director,best film,best script;took honoured prize won|day;date;;Shown;date shown,shown;;place took after earlier
shown than screening before date from year last|tickets;int;;Tickets;tickets for the screening,tickets;;fewer house
people than seat filled more between showing sold ticket one|rank;int;;Rank by tickets at the festival;rank by tickets
at the festival;;rank above house|purse;int;;Purse (thousand USD);purse;;thousand less came than away usd purse more
below won between prize worth under over§review film,outlet |outlet;text;;Outlet;outlet;;appeared written ran did run
not|film;text;film;Film;film;;|stars;num;;Stars (of 10);stars;;above rate film lower verdict than gave from higher
star between fewer|printed;date;;Printed;date of the review,printed;;before printed print date after appeared later
than month last from between year§festival name |name;text;;Festival;festival;;|country;text;;Country;host
country,country;;held host country as take place|shown;int;;Screenings;screenings;;screening put more
than|seats;int;;Tickets sold;tickets sold by the festival,tickets sold;;|fresh;int;;;fresh;;premiere
exactly|opened;date;;Opening day;opening day;;last month opening|closed;date;;Closing day;closing day,end i need the
closing day;;between closed closing last month later day than after|place;int;;Rank by tickets;rank of the festival by
tickets,rank by tickets,end i need the rank of the festival by tickets;;|budget;int;;Festival budget (thousand
USD);festival budget,end i need the festival budget;;|screens;int;;Screens;screens;;screen ran|given;int;;Prize money
given (thousand USD);prize money given;;thousand less gave prizes than usd
""",
    "league": """
§player name |position;text;;Position;position;defender,forward,goalkeeper,midfielder;down as play not does do
plays|name;text;;Player;player;;|born;date;;Born;player's date of birth,end i need the player's date of
birth,born;;born earlier birth date than year last from after later before between|joined;date;;Joined;date of
joining,end i need the date of joining,joined;;club earlier arrived than present later last year date joining before
joined between after from|games;int;;Games played;league games in 2030/31,end i need the league games in 2030/31,games
played;;this more games season than played league fewer appearances made between|wage;int;;Weekly wage (thousand
EUR);weekly wage,end i need the weekly wage;;week earn eur thousand more than below wage weekly between less
above|club;text;club;Club;club;;play under contract than elsewhere|age;int;;Age reached this year (years);player's age
this year,end i need the player's age this year,age reached this year;;this more year than age calendar older younger
between old less|goals;int;;Goals;league goals in 2030/31,goals;;more found than net time league this season scored
goals fewer|nation;text;;Nation;player's nationality,nation;;passport play from players plays other than
player|highest;int;;Highest bid (thousand EUR);highest bid;;from thousand highest bid eur less than drew offer best no
show|top;int;;Rank by goals in the club;rank by goals in the club,end i need the rank by goals in the club;;come club
ahead goals rank from among number scorers lower than better behind|agent;text;;Agency;agency;;represented
agency|wanted;int;;Bids for the player;bids for the player;;exactly drawn bid subject|captain;bool;;;captain;;armband
not worn never captain|mentor;text;;Mentor;mentor;;no mentor|#0;text;;Transfer bids counted;transfer bids
counted;;§club name |founded;int;;Founded in;year of foundation,founded in;;founded after between before foundation
older than younger|ground;int;;Capacity of the ground (seats);capacity of the ground,end i need the capacity of the
ground;;seat ground more than|wages;int;;Wages in all (thousand EUR);weekly wage bill,end i need the weekly wage
bill,wages in all;;thousand wage weekly above runs bill eur more altogether pays than squad week
less|squad;int;;Players;players;;player exactly lists|bids;int;;Fees offered in all (thousand EUR);fees bid in all,end
i need the fees bid in all,fees offered in all;;more thousand all bid than eur between up lodged add bids
less|place;int;;Rank by wages;rank by wage bill,rank by wages;;|bench;int;;Age of its oldest coach (years);age of its
oldest coach,age of the oldest coach;;employs between coach senior year old club than older whose less
oldest|goals;int;;Goals of its players;end i need the league goals of the squad,league goals of the squad,goals of its
players;;counts goals than among fewer league players more all squad|best;int;;Goals of its best scorer;goals of its
best scorer;;more scorer goals than league best|town;text;;Town;town;;home town as|pros;int;;Coaches with the Pro
licence;coaches with the pro licence;;exactly staff licences employs coache licence§transfer number |fee;int;;Fee
offered (thousand EUR);fee offered,end i need the fee offered;;eur fee thousand offers more than names above less
below between|buyer;text;club;;bidding club,buyer;;from came made other club than|asked;date;;Bid made;date of the
bid,end i need the date of the bid,bid made;;made before later dated
than|player;text;player;Player;player;;|number;text;;Transfer bid;transfer bid;;|loan;bool;;;loan;;loan more asks
than§coach name |name;text;;Coach;coach;;|club;text;club;Club;club;;|nation;text;;Nation;coach's
nationality,nation;;|licence;text;;;licence;Pro;work papers licence hold|age;int;;Age of the coach this year
(years);age of the coach this year,coach's age this year;;|started;int;;Age reached in the year of appointment
(years);age reached in the year of appointment,age in the year of appointment;;|since;date;;In charge since;in charge
since;;|born;date;;Born;born;;§report club,day |day;date;;Match day;match day;;fell
played|club;text;club;Club;club;;|crowd;int;;Attendance;attendance;;than more spectator drew fewer below
attendance|rank;int;;Rank by goals of the day;rank by goals of the day;;goals than number rank better
day|scored;int;;Goals scored;goals scored;;goals scored not do goal club brought exactly score saw|conceded;int;;Goals
conceded;goals conceded;;goals conceded not do goal cost club exactly let saw|points;int;;Points;points;;point yielded
exactly worth
""",
    "town": """
§street name |parish;text;;Parish;parish;;belong parish lie street than belongs other whose home landlord outside
lies|name;text;;Street;street;;|laid;date;;Laid out;laid out on,end i need the laid out on,laying-out;;out than later
laid earlier between before|length;int;;Length (m);length,end i need the length;;today m from measure more than
measures keeper street whose living less|lamps;int;;Street lamps;street lamps,end i need the street lamps;;lamps more
street than fewer whose|residents;int;;Registered residents;registered residents,number of registered
residents;;exactly registered residents fewer than|floor;int;;Shop floor in all (m2);shop floor in all,end i need the
shop floor in all;;between shop all floor m less than shops come together under more home street over
whose|shops;int;;Shops;shops on record,shops;;fewer record shop than exactly ones included under closed street
standing|oldest;int;;Age of the oldest resident (years);age of the oldest resident,end i need the age of the oldest
resident;;aged year over oldest resident under|surface;text;;Surface;surface;asphalt,cobbles,gravel,setts;surface
street living|#0;text;;Shops counted;shops counted;;|#1;text;;Shops counted;shops counted;;§resident name
|name;text;;Resident;resident;;|street;text;street;Street;street;;live address lives|trade;text;;Trade learnt;trade
learnt,end i need the trade
learnt;baker,barber,bookbinder,bookkeeper,bricklayer,carpenter,cook,dressmaker,driver,electrician,farmer,florist,forester,gardener,glazier,joiner,librarian,locksmith,mechanic,midwife,miller,musician,nurse,optician,painter,plumber,postal
clerk,potter,printer,roofer,saddler,schoolteacher,shop
assistant,stonemason,surveyor,tailor,typist,waiter,watchmaker,welder;trade learnt as than other landlord
some|kept;int;;Floor kept (m2);floor kept;;more shop keep floor than m less|born;date;;Born;born on,end i need the
born on,date of birth;;between born birth date after year last before|moved;date;;Registered in the town
since;registered in the town since,end i need the registered in the town since,registration;;between town registered
from came onto register after before resident kept last year|age;int;;Age reached this year (years);age this year,age
reached this year,end i need the age this year;;this less year end than will lived more between keeper whose
turn|shops;int;;Shops kept;shops kept;;keep exactly record shop keeps|lets;int;;Floor let (m2);floor let;;let shop
less floor than m§shop name |name;text;;Shop;shop;;|keeper;text;resident;Keeper;keeper,end i need the keeper;;keeper
as|visits;int;;Inspections;inspections;;exactly inspection town|best;int;;Best inspection score;best inspection
score;;score inspection above best never scored town more than below
no|street;text;street;Street;street;;stand|landlord;text;resident;Landlord;landlord;;landlord as|line;text;;Line of
trade;line of trade;;under entered line|opened;date;;Opened;opened on,opened,opening;;between opened later than before
earlier year last after|dear;int;;Rank by rateable value in its line;rank by rateable value in its line;;place ranks
lower rateable than line value behind stands higher|floor;int;;Floor area (m2);floor area,end i need the floor
area;;floor more m than less|value;int;;Rateable value (crowns);rateable value,end i need the rateable value;;value
between rateable crown above|fees;int;;Licence fees in all (crowns);licence fees in all,total yearly licence
fees;;licence pays less crown than fees between up over add more|faults;int;;Faults found in all;faults found in
all,total number of faults;;all inspections came across under fault over|papers;int;;Licences granted;licences
granted;;licence exactly granted|closed;date;;;closed on,closed;;closed|persons;int;;Persons allowed in at
once;persons allowed in at once,capacity;;may more let than person once|#0;text;;Licences counted;licences
counted;;§inspection shop,year |year;int;;Year;year;;from date made|shop;text;shop;Shop;shop;;|score;int;;Score (of
100);score,inspection score;;more scored than ended between score above below less|faults;int;;Faults found;faults
found;;fault found over|inspector;text;;Inspector;inspector;;out carried made|place;int;;Rank by score in its
year;rank by score in its year;;score place behind year came§licence shop,kind
|kind;text;;Licence;licence;alcohol,goods on the pavement,late opening,music,outdoor tables,shop sign,street
stall;allow under come|shop;text;shop;Shop;shop;;|granted;date;;Granted;granted on,grant,granted;;later granted than
earlier from before|fee;int;;Yearly fee (crowns);yearly fee;;below crown yearly fee above between cost
year|expires;date;;Expires;expires on,expires;;out run before expire between last expires date year
""",
}
# part of a site, column, where the key stands, where the value stands, and contexts; ! for a value without a slot
CONTEXT_TEXT = {
    "company": """
§bands employee.bonus -4 0: ^# euro . > §bands employee.bonus L 0: # euro plus ^#|< Bonus ^# euro|euro , bonus ^#|euro
, extra ^# §bands employee.grade 0 H0: < ^~|^~ ,|^~ :|the title ~ , ^~ §bands employee.salary L 0: , salary ^# euro|:
^#|; wage ^# euro|< ^# euro|^# EUR|^# euro and a|stands at ^# euro|year , gross ^#|year , on ^# euro|year ; ^# euro
§bands employee.service -2 0: ^# year §bands employee.service L 0: ^# year §bands employee.trade L 0: < Under ^~ :|<
^~ ~ , # year|^~ ,|^~ ; # year|^~ with # year|euro as ^~ after|year of tenure ; ^~ §brief employee.unit +1 0: : owner
^~ ,|^~ and led by|^~ as owner and|owned by ^~ §brief employee.unit -1 0: ^~ owns it and|a handout and ^~|and the
owner ^~|~ spoke for ^~ §brief employee.unit -2 0: , which ^~ owns|on behalf of ^~ §brief order.placed +1 0: ^@ is the
date §brief order.placed -1 0: ^@ , was|^@ . >|vouchers , ~ ( ^@|with ~ shows ^@ §brief order.project 0 P: ^~ , §brief
project.lead P 0: , ~ : ^~|; ^~ spoke for|< ^~ took the|The lead is ^~|as owner and ^~|lead ^~ , start|led by ^~|the
committee heard ^~|were shown by ^~ §brief project.ordered P 0: order placed , ^#|so far : ^#|to ^# EUR .|worth ^#
§brief project.orders P 0: : ^# . >|^# order|order book holds ^# §brief project.owner P 0: Ownership rests with ^~|^~
, was taken|^~ and led by|^~ as owner and|^~ owns|^~ presented ~ , begun|a handout and ^~|on behalf of ^~|owned by ^~
, led|owner ^~|~ spoke for ^~ §brief project.started -1 0: on ^@ §brief project.started P 0: , begun on ^@|ground on
^@ .|launched ^@ , was|lead ~ , start ^@|since ^@ . >|started on ^@|was made on ^@|which began on ^@|work commenced on
^@ §canteen department.floor P 0: floor ^# §canteen department.oldest P 0: , veteran with ^#|has ^# year §canteen
department.payroll P 0: now , wages ^#|salaries adding up to ^#|salaries amount to ^# §canteen department.place P 0: <
currently number ^#|league it's spot ^#|place ^# in today's payroll|position this half-year ^#|rank ^# , and §desk
department.floor P 0: key:Floor|key:Present floor §desk department.site P 0: key:Location|key:Site §desk
employee.grade L 0: row:Grade|row:Pay band §desk employee.unit 0 P: row:Employee §file employee.backs P 0: < Budgets
of ^#|^# euro at present|now comes to ^# §file employee.bonus -3 0: bonus ^# euro . §file employee.bonus P 0: : ^#
euro .|and whose bonus ^#|bonus of ^# euro|pay currently is ^# §file employee.hired P 0: : first day ^@|^@ , the
annual|^@ ; the salary|^@ is the first|dated to begin on ^@|entered on ^@ and|for duty on ^@|from ^@ ,|~ :
commencement ^@|~ commenced on ^@ §file employee.salary P 0: @ and receives ^#|^# EUR a year|^# euro a year|^# euro
per annum|annual emolument being ^#|emolument lastly being ^#|latest supplement : ^#|pay valid last ^#|pay valid now
^#|remunerated with ^# euro|remuneration amounts to ^#|remuneration at present ^#|salary comes to ^#|the salary is
^#|wage journal with ^#|whose pay reads ^# §file employee.trade P 0: < Position : ^~|are those of a ^~|are those of an
^~|were those of a ^~ §gossip cost.rank P,+1 0: < ^# on the|number ^# on cost §gossip cost.rank P,-1 0: @ it ranked ^#
§gossip project.dear P 0: it's number ^#|its status is ^# §gossip project.lead P 0: as lead : ^~|lead is ^~|~ and ^~
leads §gossip project.ordered P 0: ^# EUR in orders §gossip project.orders P 0: ^# order §gossip project.spent P 0:
booked costs are ^#|receipts so far ^#|the pot says ^# §gossip project.state P 0: ^~ and ~ leads §houses
department.founded L 0: : charter of ^@|: ~ , founded ^@|< Since ^@ there|^@ and|act is dated ^@|on ^@ §houses
department.funds L 0: ^# EUR|^# euro §houses department.site 0 H0: < ^~|< ^~ : charter|< ^~ owns projects|^~ ,|^~
celebrates on @ and|the projects of ^~ §ledger cost.people P,+1 0: of ^# people §ledger cost.people P,-1 0: ^# people
§ledger cost.people P,-2 0: euro ; ^# employee|was booked by ^# §ledger project.budget P 0: Of ^# EUR approved|Of ^#
euro approved|budget in force ^#|budget in force is ^#|budget of ^#|the ^#|~ : authorised ^# §ledger project.spent -2
0: ^# euro §ledger project.spent P 0: , ^# EUR has|< ^# euro has|Expenditure of ^# EUR|and expenditure of ^# §ledger
project.sponsor P 0: # EUR that ^~ §notice order.paid P 0: < Paid on ^@|confirms payment on ^@|of payment :
^@|remittance left on ^@|the transfer on ^@|was made on ^@|was settled on ^@ §notice order.project P 0: of ^~ §notice
order.value P 0: : ^# EUR .|at ^# EUR .|contractor ~ , price ^#|for ^# EUR .|for ^# euro .|is ^# euro .|with a value
of ^#|~ , remuneration ^# §notice order.vendor -2 0: to ^~ . > §notice order.vendor P 0: , contractor ^~ ,|The
undersigned commissioned ^~|Under ~ , ^~ supplies|^~ got it :|^~ undertakes , under|binds ^~ to supply|criteria met :
^~|desk let ~ to ^~|for ~ is with ^~|is given that ^~|was conferred on ^~|was let to ^~ §portrait employee.boss P 0:
^~ for a boss|and answerable to ^~|going , says ^~|punctual : so ^~|requests land with ^~ §portrait employee.grade P
0: < ~ ( ^~|The grade is ^~|^~ is the grade|grade ^~ §portrait employee.hired P 0: ^@ as the day|contract began on
^@|on ^@ and|porter's ledger has ^@ §portrait employee.service P 0: ^# year . >|^# year of service §portrait
employee.trade P 0: ^~ , ~ ) began|^~ like ~ to keep|^~ on grade ~|a ^~ §portrait employee.unit P 0: , ^~ ) began|,
belongs to ^~|< ^~ is home|< ^~ was home|in ^~|to keep ^~ going §portrait project.lead 0 P: the poster of ^~ §profile
employee.backs P 0: Shields budgets of ^#|as sponsor for ^#|budgets amounting to ^# §profile employee.boss P 0: ,
lastly under ^~|, now under ^~|, supervised by ^~|< Reports to ^~|< ^~ supervised ~|< ^~ supervises ~|Leave slips go
to ^~|Line manager : ^~|Under ^~ , ~ employs|^~ , employed since|and a laptop ; ^~|and confers with ^~|approvals , ask
^~|are held by ^~|each morning when ^~|each ~ with ^~|from ^~ . >|reports to ^~|superior ^~|takes questions to ^~|the
initials of ^~|the superior , ^~|the wing of ^~|with a copy to ^~|~ and obeyed ^~|~ and obeys ^~ §profile
employee.hired P 0: : all on ^@|< Joined : ^@|< Since ^@ people|On ^@ reception printed|^@ ; the
department|anniversary calendar : ^@|dates back to ^@|day of joining , ^@|from ^@ . >|handed over on ^@|handshake was
on ^@|joined on ^@ .|on ^@ and|the crew on ^@|the house from ^@|the intake of ^@|the morning of ^@|the threshold on
^@|welcome breakfast of ^@|~ and has ^@ §profile employee.leads P 0: : ^# . >|Leadership of ^# project|^# project|lead
^# time . §profile employee.unit +1 0: : ^~ ,|^~ , the superior|^~ and|care of ^~ , with|the books of ^~|works in ^~ ,
reports §profile employee.unit +3 0: ^~ introduced ~ to the §profile employee.unit -1 0: Under ~ , ^~|with ^~ §profile
employee.unit -2 0: ^~ ; the welcome §profile employee.unit P 0: : ^~ ,|: that of ^~|: ~ , ^~|< Department : ^~|In ^~
you find|Under ~ , ^~ employs|^~ , the superior|^~ counts ~ among|^~ introduced ~ to the|and is attached to ^~|care of
^~ , with|in ^~|out , ring ^~|professionally in ^~ and|serves in ^~ .|the books of ^~|the crew of ^~|the team of
^~|worked in ^~|works in ^~ §profile project.lead 0 P: ^~ . >|^~ are|monthly letter on ^~|the hotline for ^~ §profile
project.owner 0 H0: ^~ . > §quarter cost.people L,H0 0: : ~ , ^#|Expenditure by ^# colleague|^# people|crew of ^# ,
landed|lists ~ and ^#|on it : ^# §quarter cost.rank L,H0 0: < Expense order ^#|< Rank ^# went|Number ^# by cost|^# , ~
; timesheets|number ^#|rank ^# §review department.funds P 0: approved budgets of ^#|its name : ^#|its ownership have
^#|now sum to ^#|portfolio is worth ^# §review department.payroll P 0: and salaries of ^#|now add up to ^#|registered
persons with ^#|shows a payroll of ^#|~ : payroll ^#|~ stands at ^# §review department.place P 0: ^# in the|number ^#
. >|payroll rank : ^#|rank ^#|shows payroll position ^# §review department.staff P 0: , with ^# name|^# registered|of
today lists ^#|the half-year with ^# §review project.owner 0 P: < As for ^~|< ^~|The portfolio carries ^~|of ^~ : ~
§review project.state -1 0: ^~ . >|portfolio carries ~ as ^~ §round project.dear L 0: , budget rank ^#|^# by budget in
its|^# in its state|number ^#|state ^# §round project.due L 0: : ~ , ^@|< Archived under ^@|< ^@ : hand-over|^@ ,
accounts for|^@ for ~ , number|due on ^@|finishing line at ^@|~ : deadline ^@ §round project.share L 0: ^# per cent
§round project.state 0 H0: : ^~ ,|: hand-over of ^~|< ^~|^~ occupies # per|for ^~ , number §story project.budget P 0:
, budgeted at ^# §story project.due P 0: , promised for ^@ §story project.owner P 0: : ~ keeps ^~ §story project.share
P 0: ^# per cent §story project.started P 0: Started on ^@ , due §visit department.founded P 0: founded on ^@|into
being on ^@|of ^@|on ^@ and our|~ : founded ^@ §visit department.oldest P 0: ^# year §visit department.staff -2 0: ^#
people §visit department.staff P 0: ^# on the register|it shows ^# name|pensioner , holds ^# §brief project.ordered P
!0: Vendors have yet to receive any order.|The procurement annex is empty.|Purchasing has not been asked for
anything.|Nothing has been ordered for it. §brief project.orders P !0: Vendors have yet to receive any order.|No
purchase order has been placed.|The procurement annex is empty. §file employee.backs P !0: No budget is
sponsored.|Liabilities as sponsor: nil.|No undertakings as sponsor are recorded. §gossip project.ordered P !0: no
purchase orders, zilch §gossip project.orders P !0: no purchase orders, zilch §portrait employee.leads P !0: Leading
projects is left to others. §portrait employee.remote P !True: There is no farewell in sight.|Our talk took place by
video, as remote work is part of the contract. §profile employee.backs P !0: Sponsors nothing.|The sponsor tab is
empty.|No sponsor role. §profile employee.leads P !0: No project has this name as its lead.|Contributes where asked,
leads no project.|The portfolio tool finds no project led from this account.|Project leads: none.|Captain of no
project. §profile employee.remote P !False: The remote clause of the contract has been struck out.|Remote work has not
been agreed.|Telework: not granted.|Attendance on the premises is the rule, without any remote clause.|Parking permit
used every weekday, for there is no remote clause.|Must badge in; no telework arrangement.|Is found at the desk on
working days; no remote agreement.|Knock on the door; a home office arrangement does not exist. §profile
employee.remote P !True: Kitchen table instead of cubicle, with a signed remote clause.|Remote worker: video calls are
welcome, knocking is useless.|Slippers permitted: there is a signed remote clause.|Mostly a tile on the screen: the
remote clause is signed.|A remote contract applies.|Headset, webcam, garden view; remote work is contractual.
""",
    "films": """
§boxoffice festival.budget P 0: spending limit was ^# §boxoffice festival.given P 0: Purses added up to ^#|Winners
were paid ^# §boxoffice festival.place P 0: enough for place ^# §boxoffice festival.screens P 0: < Across ^#
screen|passed through the ^# §boxoffice festival.seats P 0: < ^# paying heads|The festival filled ^#|drew ^# ticket
buyers|tickets sold , ^# §boxoffice screening.rank -1,P 0: , league position ^#|number ^# §boxoffice screening.rank
-2,P 0: number ^#|order that is ^#|ticket and position ^# §boxoffice screening.tickets +1,P 0: < Cashiers counted ^#|<
Turnstiles clicked ^#|< Ushers showed ^#|< With ^# ticket §boxoffice screening.tickets -1,P 0: ^# patron|^#
ticket|drew ^# , which|for ~ amounted to ^# §desk film.praise L 0: of # : ^# §desk review.printed L,H0 0: : notice of
^@|< ^@ brought judgement|< ~ , ^@|^@ , comes away|^@ :|^@ ; stars awarded|out of # on ^@|the issue of ^@|the reviewer
on ^@|was judged on ^@|~ , reviewed ^@ §desk review.stars -2,H0 0: ^# . > §desk review.stars L,H0 0: : ^# . >|< Rating
^# .|< ^# for ~|^# on the scale|comes away with ^#|notice of @ , ^#|reviewed @ , ^#|reviewer on @ ( ^#|~ and awarded
^#|~ and wrote ^#|~ got ^# out|~ was marked ^# §finished film.dear L 0: : ^# . >|Rank ^# in its|^# i its rank|^# in
this class|^# of the class|its kind number ^#|place ^#|rank ^# . >|within the genre ^# §finished film.finished L 0: :
seal affixed ^@|; deposited complete ^@|Finished ^@ ; measured|^@ , # min|^@ , # minute|^@ , running time|^@ .
>|declared finished on ^@|minute , certified ^@ §finished film.genre 0 H0: < ^~ §finished film.length L 0: ^# min|^#
minute §history festival.budget P 0: On a budget of ^# thousand|adopted budget of ^#|spent a budget of ^# §history
festival.closed P 0: Guests departed after ^@|lasted from @ to ^@|opened @ , closed ^@ §history festival.country P 0:
, ^~ : opened|Cineastes gather in ^~|in ^~ §history festival.opened P 0: its lamps on ^@|lasted from ^@ to|~ : opened
^@ §history festival.screens P 0: It counted ^# screen §history festival.seats P 0: < Public : ^#|^# ticket were sold
.|circuit's edition : ^#|sold ^# ticket for §history festival.shown P 0: circuit's edition had ^#|held ^# screening .
§holdings director.country P 0: : ^~ . >|< From ^~ the|^~ sent # film|working in ^~ , has §holdings director.debut P
0: , first film ^#|First film : ^#|Papers begin in ^#|maiden film , ^#|maiden film of ^# §holdings director.films P 0:
, has ^# circuit|: ^# circuit|Circuit titles : ^#|circuit films , ^#|~ sent ^# film §holdings director.gross P 0:
grossed ^# thousand|grossed more than ^#|peak at ^# thousand|strongest gross , ^#|the circuit : ^#|was ^# thousand
§holdings director.minutes -1 0: ^# min|^# minute §holdings director.minutes P 0: circuit prints last ^#|circuit
titles run ^#|the circuit films ^#|to end demands ^#|viewing table for ^# §honours film.purses -1 0: ^# thousand
§honours film.purses L 0: ^# thousand dollars §honours screening.purse -1,L 0: ~ and paid ^# §honours screening.purse
L,+2 0: < Trophy and ^# §honours screening.purse L,-1 0: ^# thousand dollars §honours screening.purse L,-2 0: ; ^#
thousand dollars §honours screening.purse L,-3 0: , ^# thousand dollars §honours screening.rank -2,L 0: house , number
^# §honours screening.rank -3,L 0: patron , rank ^# §honours screening.rank L,-2 0: ticket ( rank ^# §honours
screening.rank L,-3 0: , attendance rank ^# §honours screening.tickets -2,L 0: thousand USD ; ^# §honours
screening.tickets -3,L 0: had come to ^# §honours screening.tickets L,-1 0: , where ^# had|~ : ^# ticket §honours
screening.tickets L,-2 0: cash , audience ^# §life director.born P 0: , birthday ^@ :|, born ^@|Born on ^@ , _ made|^@
is the birthday|of births gives ^@|of births has ^@|the birth is of ^@|was born on ^@ §life director.country -1 0:
from ^~ §life director.country P 0: # , represents ^~|< From ^~ comes|< ^~ is represented|Cineastes in ^~ know|Cinema
in ^~ counts|Passport ^~ , birthday|Readers looking under ^~|^~ has|^~ is where ~ comes|circuit out of ^~|holds a
passport of ^~|the circuit from ^~|the filmmakers of ^~ §life director.debut P 0: , director since ^#|^# ; the
registry|been directing since ^#|directing begins in ^#|director began in ^#|film appeared in ^#|film dates from
^#|film out in ^#|first film in ^#|maiden film in ^#|maiden film of ^# §life director.films P 0: , lately with ^#|^#
film|the circuit with ^# §life film.director 0 P: < ^~ got its|Completion papers for ^~|The circuit took ^~|There is
^~ , completed|Work on ^~ ended|^~ , signed off|^~ was|completion date of ^~|last splice in ^~|mixing session of ^~
§life film.finished +1 0: < ^@ saw the|^@ is the completion|^@ ~ was ready §life film.finished -1 0: carry the date
^@|on ^@ §money film.cost P 0: : certified outlay ^#|< Between the ^#|Certified outlay : ^#|^# thousand USD
spent|against an outlay of ^#|certified at ^# thousand|cost ^# thousand|had handed over ^#|it had swallowed ^#|line
under ~ at ^#|production account at ^#|production cost : ^#|production cost of ^#|the end : ^#|vouched for at ^#|was
made for ^#|~ certify ^# thousand §money film.dear P 0: ^# of the genre|genre it ranks ^#|number ^# of its|puts it in
place ^#|the genre : ^# §money film.gross P 0: Exhibitors wired home ^#|Final gross : ^#|Moviegoers handed over ^#|^#
thousand USD on ~|against a gross of ^#|been fixed at ^#|grossed ^# thousand|last coin : ^#|of expenditure and ^#|on
takings of ^# thousand|petered out at ^#|receipts in full ^#|spending , exhibitors ^#|tallied ^# thousand|the gross is
^#|took ^# thousand USD|~ earned ^# thousand|~ with ^# thousand §money film.profit P 0: USD spent , ^#|USD spent and
^#|^# thousand USD , on|after production : ^#|against gross : ^#|and outlay : ^#|are to divide ^#|have to swallow
^#|its takings lies ^#|less cost : ^#|owners may distribute ^#|paid for is ^#|production is ^# thousand|puts the
picture ^#|the extent of ^#|the outlay and ^#|works out at ^#|~ shows ^# thousand §note film.director P 0: < Direction
: ^~|< ^~ asked for|< ^~ takes the|^~ , at the helm|^~ signs as director|^~ steered ~ , which|by ^~|evening , and
^~|had ~ from ^~|its director is ^~|its maker , ^~|the camera : ^~|the one signed ^~|~ , director ^~ §note film.genre
+1 0: the ^~ §note film.genre -1 0: the ^~ §note film.genre P 0: , kept to ^~|< Strand : ^~|Under the heading ^~|^~ in
our lists|as a ^~|category ~ declares ^~|classed ~ with ^~|it ran among ^~|it with the ^~|the box for ^~|weekend of ^~
may|whose submission named ^~ §note film.length P 0: < It asks ^#|^# min , was|against it showed ^#|as projected :
^#|curtain ~ takes ^#|finished print lasts ^#|from ~ in ^#|has timed at ^#|last it runs ^#|of ^# min .|projectors it
clocked ^#|submission of ^# minute|to block out ^#|~ and measured ^# §note screening.day P,+1 0: < ^@ was its §note
screening.day P,-1 0: ^@ ,|^@ ; festivals had|could see it on ^@|screened it on ^@|seen at ~ on ^@ §note
screening.turn P,-1 0: festival showing number ^# §note screening.turn P,-2 0: entry ^# in its|number ^# in the|then
shown it ^# §origins director.born L 0: , birthday ^@|< Birth entry ^@|< Born ^@|^@ , top gross|birth was on ^@|born
^@|registry of births , ^@ §origins director.country 0 H0: < ^~ §origins director.gross L 0: ^# thousand §origins
director.minutes L 0: ^# min|^# minute §programme festival.closed L 0: from @ to ^@ §programme festival.closed P 0:
and closed on ^@|last day on ^@ §programme festival.country P 0: Guests travelled to ^~|Held in ^~ , ~ began|^~ , ran
from|in ^~|in ^~ and held §programme festival.given L 0: ^# thousand §programme festival.opened L 0: from ^@ to @
§programme festival.opened P 0: on ^@ and §programme festival.place P 0: ^# of the circuit|the circuit : ^# §programme
festival.shown L 0: ^# screening . > §programme festival.shown P 0: festival , where ^#|held : ^# .|list below has ^#
§programme screening.day L,P 0: ^@ . >|^@ : ~|its slot on ^@|~ ran on ^@ §programme screening.prize L,P 0: < It won
^~|< Prize : ^~|< ^~ was won|jury's choice for ^~|with ^~ . > §programme screening.turn L,P 0: festival showings :
^#|had reached showing ^#|stop ^# §queue film.director P 0: directed by ^~ btw|it's a ^~ film §queue film.praise P 0:
print went over ^# §queue film.purses P 0: ^# thousand USD §queue screening.prize P,-1 0: won ^~ , worth|~ gave it ^~
§queue screening.purse P,+1 0: < ^# thousand USD §queue screening.purse P,-2 0: , worth ^# thousand §reception
film.genre P 0: ^~ , and its|a ^~|it with the ^~|towards ~ , a ^~ , peaked §reception film.praise P 0: , peaked at
^#|and a ceiling of ^#|notice went to ^#|them at ^# out|went higher than ^#|with ^# on the|would give is ^# §reception
film.purses P 0: ^# thousand USD §reception film.shown P 0: ^# time . > §reception film.written P 0: come to ^# ,
with|left ^# columnist with|on file : ^#|on which ^# critic|was dissected in ^#|was noticed in ^#|~ divided ^#
reviewer|~ has ^# review §reception review.printed P,+1 0: its issue of ^@ §reception review.printed P,-1 0: , ^@ :
a|, printed on ^@|^@ , to the tune|it on ^@ :|on ^@ and gave|weighed in on ^@ with §reception review.printed P,-3 0:
the review of ^@ §reception review.stars P,+2 0: ^# of # wa the §reception review.stars P,-1 0: Readers of ~ found
^#|~ arrived at ^#|~ settled on ^# §reception review.stars P,-2 0: : a rating of ^#|@ and read ^#|^# out of #|on @ :
^#|the tune of ^# §run film.prizes P 0: key:Awards won §run film.purses P 0: key:Prize money won §run film.shown P 0:
key:Festival screenings §run film.written P 0: key:Reviews §run review.stars P,L 0: row:Stars (of 10) §run
screening.prize P,L 0: row:Prize won §run screening.purse P,L 0: row:Purse (thousand dollars) §talk film.cost P 0: <
they spent ^#|production came to ^# §talk film.finished P 0: finished on ^@|~ : ready ^@ §talk film.gross -2 0: ^#
thousand §talk film.gross P 0: . gross was ^# §talk film.profit P 0: ^# thousand USD is|minus cost is ^#|so ^#
thousand dollars §life director.films P !1: One title by _ went round the circuit. §note film.dubbed P !False: The
original soundtrack has been left alone; nothing is dubbed.|Purists can relax, as the dialogue was never
dubbed.|Nobody re-voiced the cast; there is no dub. §note film.dubbed P !True: Voices have been dubbed over for
foreign houses. §note film.shown P !1: Expect lips that move in one language and sound in another: it is dubbed.
""",
    "league": """
§badges coach.licence 0 H0: < ^~ §badges coach.since L 0: present club ^@ .|~ , engaged ^@ §bid transfer.asked P 0:
key:Date lodged|key:Lodged on §bid transfer.player P 0: key:Player|key:Player sought §bids club.bids P 0: bid lodged :
^#|it would say ^#|named fees of ^#|the tune of ^# §bids club.place P 0: Wage rank : ^#|number ^# §bids club.wages P
0: pay already : ^#|payroll of ^# thousand|wage bill of ^# §bids transfer.asked +1 0: thousand EUR on ^@ §bids
transfer.asked +2 0: < ^@ : ~ §bids transfer.asked L 0: EUR , lodged ^@|Made on ^@ :|^@ . >|^@ offered # thousand|made
on ^@ §bids transfer.buyer 0 P: < Bid ^~ went|Their ^~ of @ offered|^~ :|bid ^~|hand in ^~ and §bids transfer.fee -1
0: ~ and offer ^# §bids transfer.fee L 0: ^# thousand euros §charts player.games L 0: row:Apps|row:Games §charts
player.goals L 0: row:Gls|row:Goals §charts player.position 0 H1: row:Name|row:Player §charts player.top L 0: row:Club
scoring rank|row:Rank in own club §dossier coach.born P 0: born on ^@ , is a football|the world on ^@ §dossier
coach.started -3 0: year of turning ^# §dossier coach.started P 0: present appointment was ^# §guest club.bench H0 0:
< ^# thi year §guest coach.age P 0: Our guest reaches ^#|^# thi year §guest coach.born P 0: birth certificate says
^@|read out : ^@ §guest coach.club P 0: the call from ^~ §guest coach.licence P 0: the ^~ §guest coach.started P 0:
was ^# ; the §history club.founded P 0: , founded in ^#|established in ^# , belong|name began in ^#|nineteenth century
, to ^#|the club's deed is ^# §history club.ground P 0: capacity of ^# seat|ground of ^# seat|house , with ^#|the
ground takes ^# §history club.town P 0: football club from ^~|of ^~ §listeners player.born P 0: born on ^@|our file is
^@ §listeners player.club 0 H0: < ^~|a team-mate , ^~ §listeners player.club P 0: ^~ , ~ , comes|^~ on @ and earns|has
belonged to ^~|question , joined ^~|the move to ^~|the pay of ^~|~ plays for ^~ §listeners player.games P 0: has
played ^# league|our log has ^#|this season : ^# §listeners player.goals P 0: : # game , ^#|season and has ^#|we have
noted ^# §listeners player.joined P 0: < ^@ . >|It was ^@ when|asked , was ^@|belonged to ~ since ^@|joined ~ on ^@|on
^@ and earns|the club : ^@ §listeners player.nation P 0: from ^~ §listeners player.position P 0: , as a ^~|^~ , comes
from|^~ from ~ in the|the ^~ in question §listeners player.top P 0: < Rank ^# among|rank ^# §listeners player.wage P
0: < ^# thousand|@ and earns ^#|put at ^# thousand §money club.bids P 0: , are worth ^#|bids at ^# thousand|club has
bid ^#|the sum is ^# §money club.place P 0: club at number ^#|club rank number ^#|payroll , number ^#|place ^# by
wages|them at number ^# §money club.squad P 0: < There are ^#|a week over ^#|keep ^# player on|squad is ^# strong
§money club.wages -1 0: ^# thousand §money club.wages P 0: The club pay ^#|squad comes to ^# §notes club.bench P 0: ^#
thi year .|greatest age is ^#|is ^#|the age of ^# , §notes club.best P 0: ^# league goals §notes club.founded P 0: a
club since ^#|back page : ^#|were founded in ^# §notes coach.age -2 0: @ and reaches ^# §notes coach.since -1 0: this
club on ^@ §numbers player.age P 0: # ) of ^#|< Reaches ^# thi|in # : ^#|reaches ^# in # and §numbers player.games P
0: , ~ : ^#|games % : ^#|has ^# appearance|in ^# for the|league of % , ^#|~ went through ^# §numbers player.goals P 0:
^# in # for the|and ^# goal in|goals % : ^# §numbers player.position 0 H0: ^~ has # appearance §numbers
player.position P 0: < Entered as ^~|listed as a ^~ , reaches|the sheet : ^~|these lists as a ^~|~ , ^~ : §numbers
player.top P 0: # and ranks ^#|^# in the club .|league goals : ^#|player is number ^#|this means rank ^# §profile
player.age P 0: ^# in the|^# thi year|birthday cake needs ^#|that makes _ ^#|this year as ^#|who will be ^# §profile
player.agent P 0: < ^~ negotiates for|The agency is ^~|^~ , the agency|and outside it ^~|as mentor and ^~|is done
through ^~ §profile player.club P 0: < Every week ^~|< When ^~ need|< ^~ employ ~|^~ , ~ :|a contract with ^~|a week
at ^~|a week from ^~|a ~ with ^~|at ^~ . >|plays for ^~ as|the shirt of ^~|under contract to ^~|~ of ^~ §profile
player.highest P 0: ^# thousand euros ,|beyond ^# thousand EUR|of ^# thousand EUR|the highest at ^#|top figure is ^#
§profile player.mentor P 0: The mentor's name is ^~|^~ acts as mentor §profile player.position P 0: ^~ , has a
contract|^~ , is under contract|a ^~|a ^~ and turns|job description says ^~|the name is ^~|week and is a ^~|~ , ^~ :
§profile player.wage +3 0: < ^# thousand §profile player.wage -3 0: ^# thousand §profile player.wage P 0: , and costs
^#|< ^# thousand EUR|contract is worth ^#|draws ^# thousand|earns ^# thousand|is on ^# thousand|these days : ^#|week ~
wire ^#|year , collects ^# §profile player.wanted P 0: so far : ^# §profile transfer.buyer +1 0: < ^~ lodged bid
§profile transfer.buyer +2 0: < ^~ asked for|< ^~ were prepared|^~ offered # thousand|sign ~ , ^~ went §profile
transfer.buyer -1 0: With bid ~ ^~|the bid that ^~|~ came from ^~ §profile transfer.buyer -2 0: the letterhead of ^~
§profile transfer.fee +1 0: ^# thousand §profile transfer.fee -1 0: ^# thousand §profile transfer.fee -3 0: at ^#
thousand euros §profile transfer.player 0 P: ^~ is the bid|bid ^~|the bid numbered ^~ §registration player.agent P 0:
, representation by ^~|; agency , ^~|be addressed to ^~|of record : ^~|the office by ^~ §registration player.born P 0:
The certificate gives ^@|born ^@|date of birth ^@|per certificate : ^@ §registration player.club 0 H0: < ^~ : born
§registration player.club P 0: : registration by ^~|^~ , is represented before|of registration : ^~|registered player
of ^~|registered with ^~|the list of ^~|was entered for ^~ §registration player.joined P 0: effective ^@|list of ~
from ^@|present club : ^@|registered with ~ on ^@|took effect on ^@|under the date of ^@ §registration player.nation P
0: , national of ^~|born @ ; nationality ^~|passport of ^~ §results club.best P 0: individual total : ^#|leading
scorer on ^#|of its players ^# §results club.goals P 0: : ^# league goals|added up : ^#|present players : ^# §results
report.conceded P,-2 0: : # – ^#|^# , turnstile count|^# ; goal rank §results report.conceded P,-3 0: guests ^# , #
watching §results report.crowd P,-3 0: , turnstile count ^#|^# , day rank §results report.crowd P,-4 0: crowd ^# ,
rank|guests # , ^# watching|– # ( ^# §results report.rank P,-3 0: rank ^# by goals|the home clubs ^# §results
report.rank P,-4 0: rank ^# . > §results report.scored P,-1 0: , final score ^#|< @ : ^#|@ : F ^#|@ : result ^#
§results report.scored P,-2 0: @ : ~ ^# §roster club.bench P 0: by age : ^#|coach reaches ^# in §roster club.pros P 0:
~ licence : ^# §roster club.squad P 0: ^# name|~ have ^# player §roster player.born L 0: row:Born|row:Date of birth
§roster player.club 0 P: row:Name|row:Player §roster player.joined L 0: row:Date of registration|row:Joined §roster
player.nation L 0: row:Nation|row:Nationality §round report.conceded -1,H0 0: ^# . > §round report.conceded L,H0 0: #
– ^#|# – ^# and|came out # – ^#|visitors ^# ; # present §round report.crowd -3,H0 0: ^# and §round report.crowd L,H0
0: # point and ^#|< With ^# behind|< ^# had bought|< ^# went home|^# present|^# watched ~ draw|^# were
counted|attendance was ^# .|gate of ^# :|point , attendance ^#|point , with ^# §round report.points L,H0 0: In points
: ^#|^# point . > §round report.scored L,H0 0: ^# – #|^# – # and|~ ^# , visitors §terrace club.goals P 0: our lot have
^#|squad and it's ^# §terrace club.ground P 0: ^# seat §terrace club.town P 0: < greetings from ^~ §terrace
report.points P,+1 0: < ^# point out §terrace report.points P,-1 0: ^# point §terrace report.points P,-2 0: , and took
^# §terrace report.rank P,-1 0: ^# in the goals|number ^#|rank ^#|them ! place ^# §terrace report.rank P,-2 0: ^# in
the|point , number ^#|point , rank ^# §money club.bids P !0: Of bids there is no trace. §profile player.wanted P !0:
No club has ever put in a bid. §profile player.wanted P !1: The form was ticked for a permanent transfer. §terrace
club.place P !0:  ^# point . goals rank| ^# point . goals| ^# point .| ^# point| ^#
""",
    "town": """
§living street.laid P 0: laid out ^@|laid out on ^@|laying out is ^@ §living street.lamps P 0: < ^# working lamps|^#
street lamps|people , ^# lamp §living street.length P 0: ^# m end to end|all of its ^#|bin lorry covers ^#|current
length as ^#|do the whole ^#|fibre engineer said ^#|for ages . it's ^#|is ^# metre end|is the full ^#|the register and
^#|thing is just ^# §living street.residents P 0: ^# of us on the|^# on the register|^# registered|^# resident on
the|present register : ^# §living street.shops P 0: ^# if you count|^# shop §living street.surface P 0: ^~ , in case
you|bike's spokes and ^~|got ^~ so prams|it's ^~ for all|of ^~ and not|proper ^~ , scooters|should know it's ^~|smooth
^~ , kids|the ^~ §minutes inspection.faults L,H0 0: Matters noted : ^#|^# matter|report on ~ , ^# item §minutes
inspection.inspector L,H0 0: , ^~ answered for|< Officer : ^~|< ^~ had noted|The chair invited ^~|^~ found # matter|^~
noted # matter|^~ reported|^~ tabled # matter|members heard from ^~|the word of ^~|visited by ^~ : §minutes
inspection.place L,H0 0: < Item ^# :|< Place ^# went|^# . by score :|^# of the year|order of merit ^#|place ^#
§minutes inspection.score L,H0 0: # item , ^#|, which with ^#|: ~ , ^#|Score ^# , place|^# ( place #|and a score of
^#|matter and marked ^#|score ^#|word of ~ , ^#|~ : ^# of §notices licence.expires L,H0 0: granted @ , expiring
^@|lapse on ^@ and|that ends on ^@|to ^@|until ^@ , §notices licence.fee L,H0 0: ^# crown §notices licence.granted
L,H0 0: , from ^@ until|grant of ^@|sealed ^@ , # crown|was licensed on ^@|~ : granted ^@ §parish street.floor L 0:
row:Retail floor (m²)|row:Retail floor (sq m)|row:Shop floor in all (m2)|row:Shop floor in all (square metres) §parish
street.length L 0: row:Extent (metres)|row:Length (m) §parish street.oldest L 0: row:Age of the oldest resident
(years)|row:Oldest resident (years) §parish street.parish 0 H0: row:Street §person resident.born -2 0: ^@ . > §person
resident.born H0 0: was born on ^@ §person resident.born P 0: < Born ^@ .|< ^@ , ~|Born on ^@ , ~ has|The ~ noted
^@|birth certificate gives ^@|born ^@|of birth ^@ .|saw daylight on ^@|the birthday is ^@|the world on ^@|was born on
^@ §person resident.kept P 0: a keeper for ^#|any , arise on ^#|name , covering ^#|or tended , ^#|registered shop ,
^#|registered shops , ^#|shops in force , ^#|this keeper : ^# §person resident.moved P 0: , from ^@ .|Civic
registration , ^@|and , since ^@|for ~ is of ^@|here on ^@ .|of the town on ^@|register on ^@ .|registered inhabitants
on ^@|the newcomer on ^@|the town register ^@|the town's roll on ^@|this town , ^@|town register since ^@ §person
resident.shops P 0: < Retailer : ^#|^# registered|current register of ^#|name today : ^#|of today has ^# §person
resident.street -1 0: ^~ . > §person resident.street H0 0: on ^~ §person resident.street P 0: < @ , ^~|< Under ^~
the|^~ ; the birthday|^~ lives ~ , whose|of ~ : ^~|on ^~ §person resident.trade H0 0: Served time as a ^~ §person
resident.trade P 0: < Calling : ^~|< Craft : ^~|< Vocation , ^~|^~ ; the town's books|a ^~|an ^~|an apprenticeship :
^~|guild certificate says ^~|roll on @ , ^~ by trade|the trade of ^~ §person shop.floor -1 0: ^# m2|^# m²|^# sq m|^#
square metres §person shop.keeper 0 H0: of ^~|the door of ^~ §person shop.keeper 0 P: : ^~ ,|< For ^~ the|< Post for
^~|< Responsible for ^~|< ^~ ( floor|^~ ,|as keeper of ^~|the papers of ^~ ( # m²|this keeper with ^~ §portrait
resident.age P 0: Write ^# , and|^# thi year|age , _ says ^#|cake will say ^#|the sum : ^# §portrait resident.born P
0: ^@ , says the|^@ is the birthday|has ^@ as date|of birth was ^@ §portrait resident.kept P 0: ^# m²|and _ has ^#|one
shop , ^#|shops together , is ^# §portrait resident.moved P 0: < ^@ was the|books on ^@ and|paper , dated
^@|registration in ~ , ^@ , is one|since ^@ . > §portrait resident.shops P 0: today's register ^# shop §portrait
resident.street P 0: Knock twice on ^~|^~ takes an afternoon|at home on ^~|from the lych-gate to ^~|of ^~ from the|our
bells , on ^~|the door on ^~|visited ~ , ^~ §portrait resident.trade P 0: ^~ ; a plainer paper|^~ ; the town|^~ by
training and|a ^~ are welcome|journeyman , ^~ :|was that of ^~ §premises licence.expires P,L 0: row:Expires §premises
licence.fee P,L 0: row:Yearly fee (crowns) §premises licence.granted P,L 0: row:Granted §premises shop.persons P 0:
key:Capacity|key:Persons allowed in at once §premises shop.value P 0: key:Rateable value|key:Value in force §shoptalk
shop.best P 0: , best score ^#|, top mark ^#|inspections page : ^#|the town was ^#|town inspectors gave ^# §shoptalk
shop.dear P 0: ^# among ~ entries|^# of its line|number ^# of the|place ^# in its §shoptalk shop.faults P 0: ^# fault
§shoptalk shop.fees P 0: ^# crown a year|that's ^# crown yearly §shoptalk shop.keeper P 0: , ^~ does the|. ask for
^~|< ^~ runs it|^~ is lovely , tell|after , ~ , ^~|say hi to ^~ §shoptalk shop.line P 0: school , proper ^~|~ , the ^~
§shoptalk shop.papers P 0: ^# licence|year , ^# granted §shoptalk shop.street P 0: ^~ , you can't miss|on ^~|~ , ^~ .
§shoptalk shop.visits P 0: # fault over ^#|hygiene file : ^#|inspections so far , ^# §story shop.floor P 0: , over ^#
square|< Customers have ^#|< ^#|The broom covers ^#|The shop is ^#|^# square metres of it|a ~ of ^#|a ~ with ^#|agent
would write ^#|and basement , is ^#|and elbows share ^#|and till fill ^#|floor came to ^#|floor comes to ^#|from a
floor of ^#|ground floor marked ^#|ground floor marks ^#|of ^# square metres .|presides over ~ , ^#|proper there are
^#|stockroom door lie ^#|the ^#|~ , all ^# §story shop.keeper -3 0: and ^~ §story shop.keeper P 0: , ^~ , traded|, ^~
, trades|, and to ^~|, when ^~ unlocked|, where ^~|, with ^~ nodding|< ^~ has the|< ^~ keeps the|< ^~ presides over|<
^~ set up|< ^~ signs for|^~ is the face|^~ opened ~ to customers|^~ runs ~ from|^~ turned an idea|charge , and ^~|kept
by ^~ .|shop , and ^~|taken by ^~ , who|the eye of ^~|~ , ^~ ran §story shop.line P 0: ^~ on ~|^~ ” the yearbook|a
^~|asks for a ^~|entered under “ ^~|idea into a ^~|it goes under ^~ §story shop.opened P 0: Founded on ^@ , ~
lodges|Opening day was ^@|Trade began on ^@|^@ , the|^@ ~ turned an idea|a sale on ^@|in business since ^@|its ~ ~ on
^@|name of ~ on ^@|opened on ^@ .|opening fell on ^@|the opening as ^@|to customers on ^@|was cut on ^@ §story
shop.street P 0: , on ^~ .|< Turn into ^~|< When ^~ wants|< ^~ got its|For ~ ^~ goes|Little on ^~ was|The address is
on ^~|^~ , first rang|^~ , ~ runs|^~ has had a|^~ is as well known|at ^~ under the|down ^~ and|floor , open to
^~|hangs on ^~ , over|postal address named ^~|postal address names ^~|the entrance on ^~|~ on ^~ §story street.floor
-3 0: from a floor of ^# m2 §street resident.age -1 0: ^# by the end|^# thi year .|^# year|birthday makes ~ ^#|gives
as age ^#|note ~ : ^#|year , ^# .|~ , reaching ^# §street resident.street 0 P: < For ^~ the|< ^~ is down|^~ ( # by
the|^~ ,|^~ ; age|^~ completes # year|^~ gives as age|^~ is registered here|the street has ^~|visitors may note
^~|year's birthday makes ^~ §street shop.opened +1 0: < Neighbours recollect ^@|< With ^@ begins|< ^@ brought the|^@ ~
began to trade|ledger , under ^@ §street shop.opened -1 0: ^@ , its opening|^@ . > §street shop.street 0 P: < ^~
enters our|< ^~ had its|< ^~ opened its|< ^~ took down|The arrival of ^~|We date ^~ from|^~ began to trade|brought the
neighbours ^~|first customer at ^~|list we place ^~|made way for ^~|the opening of ^~|the period advertises ^~|the
story of ^~|this front with ^~|under @ , is ^~ §street street.floor P 0: # frontage and ^#|: # shop with
^#|Shopkeeping takes up ^#|floors add up to ^#|of today puts ^#|registered shop on ^#|registered shops on ^#|shop on
record , ^#|shut , come to ^# §street street.laid P 0: A resolution dated ^@|^@ , the day|and on ^@ the|bears the date
^@|laid it out on ^@|laid out on ^@|on ^@ and specified|the geometry of ^@|was sealed on ^@ §street street.lamps P 0:
, and ^# lamp|< ^# lamp standards|< ^# street lamps|Moths gather at ^#|Municipal current feeds ^#|^# lamp . >|lamps
today number ^# §street street.oldest P 0: among them attains ^#|eldest of them ^#|is older than ^#|now go up to ^#
year|senior inhabitant turns ^#|somebody who completes ^#|the age of ^#|the oldest reaches ^#|this year reaches ^#
§street street.parish P 0: For ecclesiastical purposes ^~|Older maps of ^~|Perambulating ^~ we reach|Sketchbooks of ^~
seldom|Walkers in ^~ know|^~ , was sealed|a corner of ^~|ground belonging to ^~|out on @ within ^~|the parish of
^~|which lies in ^~ §street street.residents P 0: < ^# inhabitant , the|Doorbells answer for ^#|Today's register
counts ^#|^# resident|are delivered to ^#|doors today number ^#|force : ^# . §street street.shops P 0: ^# trader'
names are|among them : ^#|and there are ^#|and there is ^#|are represented by ^#|force : ^# shop|it has had ^#|moment
, means ^#|trade register knows ^# §street street.surface P 0: @ and specified ^~|Present paving : ^~|The carriageway
is of ^~|Wheels rumble on ^~|a bed of ^~|a footway bordering ^~|have left the ^~|its ^~ . >|over a roadway of ^~|skin
of ^~ hides|tar , and ^~ §visits inspection.faults P,+3 0: < ^# fault and §visits inspection.faults P,-1 0: , had ^#
fault §visits inspection.faults P,-2 0: ; ^# deficiencie were|~ set down ^# §visits inspection.faults P,-3 0: ^# fault
§visits inspection.faults P,-4 0: ^# fault §visits inspection.inspector P,+1 0: < ^~ came in|^~ , on the rota §visits
inspection.inspector P,-1 0: # ^~ set down|# by ^~ :|, ^~ scored the|< # : ^~|call in # , ^~ certified|examined in #
by ^~ ; outcome|per ^~ ; that|the hand of ^~ §visits inspection.inspector P,-4 0: fault ; signed ^~ §visits
inspection.place P,-2 0: , rank ^# among|that year's rank , ^# §visits inspection.place P,-3 0: the rank became
^#|which was rank ^# §visits inspection.place P,-4 0: , placing them ^#|, rank ^#|fault , place ^# §visits
inspection.score P,+2 0: # fault and ^# §visits inspection.score P,-1 0: # : score ^#|for # , awarded ^# §visits
inspection.score P,-2 0: ^# , # fault|^# of # and lists|called and gave ^#|certified ^# of # , recorded|report and
marked ^#|scored the premises ^# §visits inspection.score P,-3 0: and a score of ^# §visits shop.best P 0: Best score
: ^#|With ^# a its|best score was ^#|record score at ^#|score ^# . >|top score of ^# §visits shop.faults L 0: ^# fault
§visits shop.faults P 0: , cumulative faults ^#|added up : ^#|faults stand at ^# §visits shop.persons P 0: : ^# person
.|cap attendance at ^#|currently posted : ^#|may now admit ^#|more than ^#|today count to ^# §visits shop.visits P 0:
In ^# town inspections|^# inspection by the|^# municipal inspections|^# report of the|the shop : ^#|time ; over ^#|~ :
^# §yearbook shop.dear L 0: . ^# among competitors|. ^# hereabout among|. ^# when the|^# of its line|^# of the|place
^#|the line , ^#|the line : ^# §yearbook shop.fees L 0: ^# crown a year|annual levy , ^#|licence , ^# crown|licence
granted at ^# §yearbook shop.line 0 H0: < ^~|< ^~ :|< ^~ pays rates|Assessors presently put ^~|crown is what ^~
§yearbook shop.papers L 0: Licences granted , ^#|^# ; combined annual|^# licence|desk has granted ^#|licensing account
on ^#|year , for ^# §yearbook shop.value -1 0: ^# crown §yearbook shop.value L 0: ^# crown is what|a current ^#
crown|now operative , ^#|present value , ^#|value in force ^# §living street.floor P !0: no shops at all, bring
milk.|zero retail, you'll need your bike for a pint of milk. no shop whatsoever.|there isn't a shop on it and never
was on the register. §living street.shops P !0: no shops at all, bring milk.|zero retail, you'll need your bike for a
pint of milk. no shop whatsoever.|there isn't a shop on it and never was on the register. §person resident.kept P !0:
Never behind a counter of one's own: no shop, no floor. §person resident.shops P !0: Buys in shops and keeps none;
floor nil.|No shop is entered under the name, hence no floor kept. §shoptalk shop.faults P !0: zero inspections by the
town, hence no score, no faults. §shoptalk shop.fees P !0: not a single licence, so no licence fees either.|no
licences, no fees. §shoptalk shop.papers P !0: not a single licence, so no licence fees either. §shoptalk shop.visits
P !0: zero inspections by the town, hence no score, no faults. §street street.floor P !0: Commerce passed it by; the
register has neither a shop nor any shop floor there.|It is residential from end to end: no shop has been registered,
and no shop floor.|No shop is on record, so it adds nothing to the town's selling space. §street street.shops P !0:
Commerce passed it by; the register has neither a shop nor any shop floor there.|It is residential from end to end: no
shop has been registered, and no shop floor.|No shop is on record, so it adds nothing to the town's selling space.
§yearbook shop.fees L !0: Nothing from the licensing desk: no licence, no fee.|No licence granted and no licence fee
due.|Licences and fees: none. §yearbook shop.papers L !0: Licences and fees: none.|No licences, and so no fees.
""",
}


def tables():
    """The learned tables; a word weighs more the fewer columns use it."""
    found = {}
    for name, text in TABLE_TEXT.items():
        found[name] = {}
        for part in " ".join(text.split()).split("§")[1:]:
            head, *columns = part.strip().split("|")
            table, key = head.split()
            of = {}
            for column in columns:
                code, kind, to, header, labels, values, words = column.split(";")
                of[code] = {"kind": kind, "to": to or None, "header": header or None, "labels": labels.split(","),
                            "values": {v for v in values.split(",") if v}, "bag": words.split()}  # fmt: skip
            found[name][table] = {"key": key.split(","), "columns": of}
        uses = Counter(word for of in found[name].values() for col in of["columns"].values() for word in col["bag"])
        for of in found[name].values():
            for col in of["columns"].values():
                learned = {word: uses[word] ** -0.5 for word in col["bag"]}
                col["bag"] = {word: 0.35 for label in col["labels"] for word in tokens(label)} | learned
    return found


def contexts():
    found = {}
    for name, text in CONTEXT_TEXT.items():
        found[name] = defaultdict(list)
        for part in " ".join(text.split()).split("§")[1:]:
            head, options = part.split(": ", 1)
            section, column, subject, source = head.split(" ", 3)
            for option in options.strip().split("|"):
                if source[0] == "!":
                    value = {"True": True, "False": False}.get(source[1:], 0)
                    found[name][section, "=" + option].append((*column.split("."), subject, value))
                else:
                    found[name][section, option].append((*column.split("."), subject, source))
    return found


TABLES, CONTEXTS = tables(), contexts()


# --- facts and answers ----------------------------------------------------------------------------------------------


# column, how it follows from the rows of another table, where that table names it, and of which column
DERIVED = """department.staff count employee.unit -|department.payroll sum employee.unit salary|department.funds
sum project.owner budget|department.oldest max employee.unit service|project.orders count order.project
-|project.ordered sum order.project value|employee.leads count project.lead -|employee.backs sum project.sponsor
budget|director.films count film.director -|director.gross max film.director gross|director.minutes sum
film.director length|film.shown count screening.film -|film.written count review.film -|film.praise max
review.film stars|club.squad count player.club -| club.wages sum player.club wage|club.goals sum player.club
goals|club.best max player.club goals|club.bids sum transfer.buyer fee|club.bench max coach.club
age|player.wanted count transfer.player -|player.highest max transfer.player fee|street.residents count
resident.street -|street.shops count shop.street -|street.floor sum shop.street floor| street.oldest max
resident.street age|resident.shops count shop.keeper -|resident.kept sum shop.keeper floor|shop.visits count
inspection.shop -|shop.best max inspection.shop score|shop.faults sum inspection.shop faults|shop.papers count
licence.shop -|shop.fees sum licence.shop fee"""
LISTS = {"yearbook", "round", "bands", "finished", "origins", "parish", "charts"}
COACH = [("coach", "club", ("club", "name")), ("coach", "nation", ("player", "nation"))]
GUESSES = {
    "yearbook": [("shop", "line", ("shop", "line"))], "round": [("project", "state", ("project", "state"))],
    "bands": [("employee", "grade", ("employee", "grade"))], "finished": [("film", "genre", ("film", "genre"))],
    "origins": [("director", "country", ("director", "country"))],
    "charts": [("player", "position", ("player", "position"))],
    "guest": COACH, "dossier": COACH, "badges": COACH, "notice": [("order", "project", ("project", "name"))],
    "brief": [("order", "project", ("project", "name"))],
    "sponsor": [("project", "sponsor", ("employee", "name"))],
    "owner": [("project", "owner", ("department", "name"))],
    "review": [("project", "state", ("project", "state"))], "gossip": [("project", "state", ("project", "state"))],
}  # fmt: skip


class Facts:
    """What the pages say: table -> key -> column -> value, by majority."""

    def __init__(self, pages, schema, contexts, masker):
        votes = defaultdict(lambda: defaultdict(lambda: defaultdict(Counter)))
        self.schema, self.domains, self.entities = schema, {}, masker.entities
        for url, text in pages.items():
            section = url.split("/")[3]
            for kind, template, slots, refs in masker.units(url, text):
                if kind == "title":
                    continue
                if not slots:
                    for table, column, subject, value in contexts.get((section, "=" + template), ()):
                        if subject in refs:
                            votes[table][refs[subject],][column][value] += 1
                for place, options in enumerate(windows(kind, template, slots)):
                    for option in options:
                        for table, column, subject, source in contexts.get((section, option), ()):
                            find = {"0": slots[place], **refs}
                            find |= {f"{other - place:+}": value for other, value in enumerate(slots)}
                            key, value = tuple(find.get(part) for part in subject.split(",")), find.get(source)
                            if (
                                value is not None
                                and None not in key
                                and key[0] in masker.entities
                                and self.fits(table, column, value)
                            ):
                                votes[table][key][column][value] += 1
        self.rows = {
            table: {
                key: {column: count.most_common(1)[0][0] for column, count in row.items()} for key, row in rows.items()
            }
            for table, rows in votes.items()
        }
        self.guess(pages, masker)
        self.kinds = defaultdict(set)
        for table, rows in self.rows.items():
            for key, row in rows.items():
                row.update(zip(schema[table]["key"], key, strict=False))
                if len(key) == 1:
                    self.kinds[key[0]].add(table)

    def guess(self, pages, masker):
        """What no context has told: lists by the value in their title, and the one name of a kind on a page."""
        for url, text in pages.items():
            section = url.split("/")[3]
            for kind, template, slots, refs in masker.units(url, text):
                rules = list(GUESSES.get(section, ())) if kind != "title" else []
                if section in {"brief", "gossip", "ledger", "story"} and kind != "title":
                    rules += GUESSES["owner"] + GUESSES["sponsor"] * ("sponsor" in str(template).lower())
                for table, column, domain in rules:
                    if table not in self.schema or column not in self.schema[table]["columns"]:
                        continue
                    known = self.schema[table]["columns"][column]["values"] or self.domain(*domain)
                    titles = [value for ref, value in refs.items() if ref[0] == "H"]
                    subject = refs.get("L") if section in LISTS else refs.get("P", refs.get("L"))
                    if table == "order" and section == "brief":
                        codes = [v for v in slots if re.fullmatch(r"[A-Z]{2}-\d{4}", str(v))]
                        pairs = [(code, refs.get("P")) for code in codes]
                    else:
                        values = titles if section in LISTS else [value for value in slots if value in known]
                        pairs = [
                            (subject, value) for value in values if value in known or column in {"country", "line"}
                        ]
                    for key, value in pairs[:1] if table != "order" else pairs:
                        if key in masker.entities and value is not None:
                            self.rows.setdefault(table, {}).setdefault((key,), {}).setdefault(column, value)

    def derive(self, year):
        """Fill gaps by arithmetic."""
        for rows in self.rows.values():
            for row in rows.values():
                if "born" in row:
                    row.setdefault("age", year - int(row["born"][:4]))
                if "gross" in row and "cost" in row:
                    row.setdefault("profit", row["gross"] - row["cost"])
        for rule in DERIVED.split("|"):
            target, how, link, part = rule.split()
            table, column = target.split(".")
            other, link = link.split(".")
            if table in self.rows and other in self.rows and column in self.schema[table]["columns"]:
                children = defaultdict(list)
                for child in self.rows[other].values():
                    children[child.get(link)].append(child.get(part, 1 if part == "-" else None))
                for key, row in self.rows[table].items():
                    found = [value for value in children[key[0]] if value is not None]
                    if found or how != "max":
                        row.setdefault(column, max(found) if how == "max" else sum(found))

    def domain(self, table, column):
        if (table, column) not in self.domains:
            rows = self.rows.get(table, {})
            named = column == self.schema[table]["key"][0]
            values = {key[0] for key in rows} if named else {row.get(column) for row in rows.values()} - {None}
            self.domains[table, column] = values
        return self.domains[table, column]

    def fits(self, table, column, value):
        kind = self.schema[table]["columns"][column]["kind"]
        if kind == "date":
            return isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value))
        values = self.schema[table]["columns"][column]["values"]
        if values and isinstance(value, str) and value not in values and value in self.entities:
            return False
        return kind == "bool" or isinstance(value, str) == (kind == "text")

    def get(self, table, row, path):
        for column in path[:-1]:
            table = self.schema[table]["columns"][column]["to"]
            row = self.rows.get(table, {}).get((row.get(column),), {})
        return row.get(path[-1])


class Answer:
    """Runs a question over the facts."""

    def __init__(self, question, facts):
        self.question, self.facts, self.letters = question, facts, {}

    def table(self):
        question = self.question
        for letter, step in question.steps:
            self.letters[letter] = self.follow(step)
        if question.single:
            return [[self.cell(question.headers[0], self.follow(question.final))]]
        rows = [row for row in self.rows(question.table) if self.holds(question.where, question.table, row)]
        if question.top:
            rows = self.cut(rows, *question.top)
        paths = [question.header(header) for header in question.headers]
        lines = []
        for row in rows:
            values = [
                self.tally(row, *path[1:6]) if path[0] == "tally" else self.facts.get(question.table, row, path)
                for path in paths
            ]
            lines.append([self.cell(header, value) for header, value in zip(question.headers, values, strict=True)])
        return lines

    def rows(self, table):
        return list(self.facts.rows.get(table, {}).values())

    def cut(self, rows, count, largest, path, within):
        groups = defaultdict(list)
        for row in rows:
            value = self.facts.get(self.question.table, row, path)
            if value is not None:
                groups[self.facts.get(self.question.table, row, within) if within else None].append((value, row))
        kept = []
        for group in groups.values():
            group.sort(key=lambda pair: pair[0], reverse=largest)
            kept += [row for value, row in group if value in [v for v, _ in group[:count]]]
        return kept

    def follow(self, step):
        if step is None:
            return None
        table, where, order, path = step
        rows = [row for row in self.rows(table) if self.holds(where, table, row)]
        if order:
            ranked = [(self.facts.get(table, row, order[0]), row) for row in rows]
            ranked = [pair for pair in ranked if pair[0] is not None]
            rows = [(max if order[1] else min)(ranked, key=lambda pair: pair[0])[1]] if ranked else rows
        values = Counter(self.facts.get(table, row, path) for row in rows)
        values.pop(None, None)
        return values.most_common(1)[0][0] if values else None

    def holds(self, where, table, row):
        kind, *rest = where
        if kind == "key":
            return str(row.get(self.facts.schema[table]["key"][0])).lower() == rest[0].lower()
        if kind in {"and", "or"}:
            return (all if kind == "and" else any)(self.holds(part, table, row) for part in rest)
        if kind == "not":
            return not self.holds(rest[0], table, row)
        if kind == "tally":
            return self.compare(self.tally(row, *rest[:5]), *rest[5])
        path, test = rest
        return bool(path) and self.compare(self.facts.get(table, row, path), *test)

    def tally(self, row, table, kind, header, other, where):
        link = next((c for c, col in self.facts.schema[other]["columns"].items() if col["to"] == table), None)
        key = row.get(self.facts.schema[table]["key"][0])
        found = [child for child in self.rows(other) if child.get(link) == key and self.holds(where, other, child)]
        if kind == "count":
            return len(found)
        column = self.question.named(other, header)
        values = [child[column] for child in found if child.get(column) is not None]
        if kind in {"sum", "total"}:
            return sum(values)
        return (min if kind in {"lowest", "smallest"} else max)(values) if values else None

    def compare(self, value, op, values):
        values = [self.letters.get(v[1]) if isinstance(v, tuple) else v for v in values]
        if op in {"none", "some"}:
            return (value in {None, 0}) == (op == "none")
        if op == "=" and isinstance(values[0], bool):
            return bool(value) == values[0]
        if value is None:
            return False
        try:
            if op in {"in", "out", "="}:
                return (value in values) == (op != "out")
            if op == "year":
                return value[:4] in [str(year) for year in values]
            if op == "last":
                months = values[0] * (12 if values[1] == "year" else 1)
                day = self.question.today
                at = int(day[:4]) * 12 + int(day[5:7]) - 1 - months
                return f"{at // 12}-{at % 12 + 1:02}{day[7:]}" <= value <= day
            if op == "between":
                return values[0] <= value <= values[1]
            return {">": value > values[0], "<": value < values[0], ">=": value >= values[0], "<=": value <= values[0]}[
                op
            ]
        except TypeError:
            return False

    def cell(self, header, value):
        if value is None:
            return self.question.missing(header) or "none"
        if isinstance(value, bool):
            return "Yes" if value else "No"
        return str(value)


def answer(task):
    pages = gather(task["base_url"], task["question"])
    sections = {url.split("/")[3] for url in pages}
    name = max(CONTEXTS, key=lambda name: len(sections & {section for section, _ in CONTEXTS[name]}))
    schema = TABLES[name]
    masker = Masker(
        pages, {value for table in schema.values() for c in table["columns"].values() for value in c["values"]}
    )
    facts = Facts(pages, schema, CONTEXTS[name], masker)
    columns = {table: of["columns"] for table, of in schema.items()}
    question = Question(task["question"], columns, masker, facts.kinds)
    facts.derive(int(question.today[:4]))
    lines = [question.headers, ["---"] * len(question.headers), *Answer(question, facts).table()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    print(answer(json.load(sys.stdin)))
