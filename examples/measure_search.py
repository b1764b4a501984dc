"""How searching feels: what is found and where, what hits look like, what strange queries cost.

python examples/measure_search.py found|shapes|hostile [worlds a schema, default 4]
python examples/measure_search.py opened FOLDER_OF_WORLDS

`shapes` draws examples/searches.svg as well, which needs the extra `plots`.
"""

import gc
import random
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.grammar import lower
from worldsmith.pages.index import Index, Indexed, saved
from worldsmith.schema import Rank, load_schema, shipped
from worldsmith.seeding import rng
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import load_world, world_folders
from worldsmith.world.model import Row, World

TOP = 10
QUERIES = 2000
SAME = (
    ("price", "cost"),
    ("height", "tallness"),
    ("weight", "heaviness"),
    ("trade", "profession"),
    ("coach", "trainer"),
    ("player", "footballer"),
    ("film", "movie"),
    ("phone", "smartphone"),
    ("opened", "founded"),
    ("born", "birthday"),
    ("shop", "store"),
    ("club", "team"),
    ("length", "duration"),
    ("salary", "pay"),
    ("battery", "accumulator"),
    ("employee", "worker"),
    ("screen", "display"),
    ("fee", "charge"),
    ("closed", "shut"),
    ("review", "critique"),
)
"""Words of schemas, and what else one may say: not taken from the index's own list."""
REAL = {"title": (27, 55, 68), "url": (40, 66, 114), "snippet": (129, 148, 163)}
"""Lengths in characters that 588 real searches showed: p10, p50, p90."""


class Query(NamedTuple):
    """A query of some kind, and the pages any of which answers it."""

    kind: str
    text: str
    pages: frozenset[str]


def slip(word: str, chance: random.Random) -> str:
    """Return a word of five letters or more with one slip of the hand."""
    at = chance.randrange(1, len(word) - 1)
    other = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return chance.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + other + word[at + 1 :],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
        )
    )


def misspelt(name: str, chance: random.Random) -> str:
    """Return a name with a slip in one of its words; "" where they are short or hold digits."""
    words = name.split()
    places = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha()]
    if not places:
        return ""
    place = chance.choice(places)
    words[place] = slip(words[place], chance)
    return " ".join(words)


def accented(name: str, chance: random.Random) -> str:
    """Return a name with its accents gone, or, where it has none, with some put on."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    if plain != name:
        return plain
    marks = str.maketrans(dict(zip("aeiounc", "áèîöúñç", strict=True)))
    return " ".join(word.translate(marks) if chance.random() < 0.6 else word.upper() for word in name.split())


def otherwise(text: str) -> str:
    """Return a text with the first word that has another replaced."""
    for word, other in SAME:
        if word in text.lower().split():
            return " ".join(other if w.lower() == word else w for w in text.split())
    return ""


def of_rows(pages: Pages, chance: random.Random) -> Iterator[Query]:
    """Yield queries about a row, by every way to ask for it."""
    world, words = pages.world, pages.words
    table = chance.choice([t for t in world.schema.tables if world.size(t)])
    form = world.schema.tables[table]
    row = Row(table, chance.randrange(world.size(table)))
    name = " ".join(words.show(c) for c in pages.cells(*row, form.key))
    homes = frozenset.intersection(*(frozenset(pages.carrying(row, key)) for key in form.key))
    homes = frozenset(p for p in homes if not pages.page(p).dormant)
    own = frozenset((pages.about(row),)) if pages.about(row) else homes
    yield Query("name", name, own)
    yield Query(
        "name, other words",
        chance.choice((f"tell me about the {form.singular} {name}", f"{name} {form.plural}", f"who or what is {name}")),
        own,
    )
    yield Query("name, accents", accented(name, chance), own)
    wrong = misspelt(name, chance)
    if wrong:
        yield Query("name, misspelt", wrong, own)
    columns = [c for c in form.columns if not c.key and c.see != "linked"]
    if not columns:
        return
    column = chance.choice(columns)
    where = frozenset(p for p in pages.carrying(row, column.name) if not pages.page(p).dormant)
    label = lower(column.label)
    yield Query("attribute", f"{name} {label}", where)
    yield Query("attribute, asked", f"what is the {label} of {name}?", where)
    if column.says:
        yield Query("attribute, its phrase", f"{name} {column.says}", where)
    if otherwise(label):
        yield Query("attribute, synonym", f"{otherwise(label)} of {name}", where)
    if wrong:
        yield Query("attribute, misspelt", f"{wrong} {label}", where)


def of_values(pages: Pages, chance: random.Random) -> Iterator[Query]:
    """Yield queries for the rows that hold a value."""
    world, words = pages.world, pages.words
    by = {(s.list, s.by): s.name for s in world.schema.pages if s.list}
    places = [
        p for p, c in words.columns.items() if not c.key and (c.ref or c.name_like or p in by) and world.size(p[0])
    ]
    table, col = chance.choice(places)
    form, column = world.schema.tables[table], words.columns[table, col]
    held = [v for v in world.tables[table][col] if v is not None]
    if not held or isinstance(column.fill, Rank):
        return
    value = chance.choice(held)
    rows = [Row(table, i) for i in world.rows_by_value(table, col)[value]]
    told = words.show(world.cell(rows[0], col))
    stating = [frozenset(pages.carrying(row, col)) for row in rows]
    if (table, col) in by:
        start = pages.list_of(by[table, col], value)
        where = frozenset(
            p for p in pages.lists(table, col) if pages.list_of(by[table, col], value) and p in stating[0] | {start}
        )
        kind = "list"
    else:
        whole = frozenset.intersection(*stating)
        target = world.find(column.ref, value) if column.ref else None
        home = frozenset(p for p in whole if target and pages.page(p).subject == target)
        where, kind = (
            (home, "rows on the page of a value")
            if home
            else (frozenset.union(*stating), "rows by a value of pages only")
        )
    where = frozenset(p for p in where if not pages.page(p).dormant)
    yield Query(kind, f"{form.plural} {column.says or 'by ' + lower(column.label)} {told}", where)
    yield Query(
        f"{kind}, other words",
        chance.choice(
            (
                f"which {form.plural} have {lower(column.label)} {told}?",
                f"list of {form.plural}, {lower(column.label)} {told}",
                f"{told} {form.plural}",
            )
        ),
        where,
    )


def asked(pages: Pages, count: int, seed: int) -> list[Query]:
    """Return queries of all kinds over a world."""
    chance, found = rng(seed, "queries"), []
    while len(found) < count:
        found += of_rows(pages, chance)
        found += of_values(pages, chance)
    return [q for q in found if q.pages][:count]


def worlds(count: int) -> Iterator[World]:
    """Yield worlds of every shipped schema."""
    for name in shipped():
        schema = load_schema(name)
        yield from (generate(schema, seed) for seed in range(1, count + 1))


def found(count: int) -> None:
    """Print recall@10 and MRR by kind of query."""
    ranks: dict[str, list[int]] = {}
    each = -(-QUERIES // (count * len(shipped())))
    for n, world in enumerate(worlds(count)):
        pages = Pages(world)
        index = Index(pages)
        for query in asked(pages, each, n):
            hits = [page for page, _ in index.search(query.text, TOP, 1)[0]]
            ranks.setdefault(query.kind, []).append(next((i for i, p in enumerate(hits, 1) if p in query.pages), 0))
    print(f"| query | asked | recall@{TOP} | MRR | first |\n|---|---|---|---|---|")
    for kind, places in [*sorted(ranks.items()), ("all", [p for ps in ranks.values() for p in ps])]:
        recall, first = statistics.mean(p > 0 for p in places), statistics.mean(p == 1 for p in places)
        rank = statistics.mean(1 / p if p else 0 for p in places)
        print(f"| {kind} | {len(places)} | {recall:.3f} | {rank:.3f} | {first:.3f} |")


def page_of(simulator: Simulator, query: str, page: int = 1) -> Observation:
    """Return a results page of a query."""
    return simulator.call(Address(simulator.world.id), Call("web_search", query, page))


def shapes(count: int) -> None:
    """Print lengths, dates, breaks and hits of the results pages of 3,000 queries, and draw them."""
    each, seen = -(-3000 // (count * len(shipped()))), []
    for n, world in enumerate(worlds(count)):
        simulator = Simulator(world, strict=True)
        seen += [page_of(simulator, query.text) for query in asked(Pages(world), each, n)]
    hits = [hit for one in seen for hit in one.results]
    lengths = {
        "title": [len(hit.title) for hit in hits],
        "url": [len(hit.url) for hit in hits],
        "snippet": [len(hit.snippet) for hit in hits],
    }
    print("| characters | p10 | p50 | p90 | real p10 | p50 | p90 |\n|---|---|---|---|---|---|---|")
    for name, sizes in lengths.items():
        cuts = statistics.quantiles(sizes, n=10)
        print(f"| {name} | {cuts[0]:.0f} | {cuts[4]:.0f} | {cuts[8]:.0f} | {' | '.join(map(str, REAL[name]))} |")
    told = statistics.mean(hit.date is not None for hit in hits)
    broken = statistics.mean("..." in hit.snippet for hit in hits)
    full = [sum(len(one.results) == n for one in seen) / len(seen) for n in (10, 9)]
    print(f"{len(seen)} pages, {len(hits)} hits; dated {told:.1%} (43%), with ... {broken:.1%} (63%)")
    print(f"10 hits {full[0]:.1%} (49.7%), 9 {full[1]:.1%} (46.3%), fewer {1 - sum(full):.1%} (4.1%)")
    draw(lengths, count)


def draw(lengths: dict[str, list[int]], count: int) -> None:
    """Draw the lengths of titles, addresses and snippets, with the deciles of the real ones."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - an extra, for this one measure
    from plot_worlds import STYLE, save  # noqa: PLC0415

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 3, figsize=(9, 2.2))
        for ax, (name, sizes) in zip(axes, lengths.items(), strict=True):
            ax.hist(sizes, bins=range(min(sizes), max(sizes) + 3, 3), color="#2b6cb0", alpha=0.6, density=True)
            for at in REAL[name]:
                ax.axvline(at, color="#dd6b20", lw=1, ls="--")
            ax.set_title(f"{name}, characters")
            ax.set_yticks([])
        figure.suptitle(
            f"{len(sizes)} hits over {count * len(shipped())} worlds; dashed: p10, p50, p90 of real searches"
        )
        save(figure, "searches.svg")


PARTS = (
    *(
        '"',
        "'",
        "-",
        "--",
        "site:",
        "-site:",
        "after:",
        "before:2029-13-45",
        "newer_than:",
        "OR",
        "AND",
        "NOT",
        "(",
        ")",
        "*",
    ),
    *(
        "NEAR/3",
        "~",
        "^2",
        "[a TO z]",
        "intitle:",
        "..",
        "/",
        "\\",
        "%",
        "%00",
        "\x00",
        "\x1b[31m",
        "\r\n",
        "\ufeff",
        "\u202e",
    ),
    *(
        "\U0001f600",
        "ﬁ",
        "İ",
        "ß",
        "Ǆ",
        "\ud7ff",
        "e\u0301\u0301\u0301",
        "한국어",
        "日本語",
        "العربية",
        "'; DROP TABLE pages; --",
    ),
    *(
        "1 OR 1=1",
        "UNION SELECT",
        "(a+)+$",
        "((((a*)*)*)*)",
        "[[:alpha:]]",
        "{{7*7}}",
        "${jndi:x}",
        "<script>",
        "&amp;",
        "a" * 300,
    ),
    *(
        "9" * 300,
        "-9e999",
        "NaN",
        "1,2,3,4",
        "2029-02-30",
        "٣٤",
        "½",
        "\t",
        " ",
        "\u2028",
        "\u00a0",
        "zzqx",
        '"the the the"',
    ),
)
"""What hostile queries are put together from."""


def hostile(count: int) -> None:
    """Ask 10,000 strange queries, some of 100 kB, twice each; print the slowest."""
    chance, first, again = rng(0, "hostile"), [], []
    for world in worlds(count):
        simulator = Simulator(world, strict=True)
        names = [world.title(row) for table in world.tables for row in world.rows_of(table)]
        page_of(simulator, "the first query of a world")
        for n in range(10_000 // (count * len(shipped()))):
            parts = (*PARTS, *chance.sample(names, 2), f'"{chance.choice(names)}"')
            text = chance.choice(("", " ")).join(chance.choices(parts, k=chance.randrange(1, 30)))
            query = text * (100_000 // len(text)) if n % 50 == 0 else text
            for times in (first, again):
                start = time.process_time()
                found = page_of(simulator, query, 1 + n % 7)
                times.append((time.process_time() - start) * 1e3)
                assert found.status == "ok"
                assert len(found.results) <= TOP
    for name, times in (("first", first), ("again", again)):
        cuts = statistics.quantiles(times, n=1000)
        print(
            f"{len(times)} hostile queries, asked {name}: median {cuts[499]:.2f}, p99.9 {cuts[998]:.1f} CPU-ms, ",
            end="",
        )
        print(f"the slowest {max(times):.1f}")


def resident() -> int:
    """Return the bytes that this process holds in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def first_answers(folders: list[Path], indexed: Indexed) -> tuple[list[float], list[Simulator]]:
    """Open worlds and ask each for one of its names; return CPU milliseconds each and what answers."""
    spent, opened = [], []
    for folder in folders:
        start = time.process_time()
        world = load_world(folder)
        simulator = Simulator(world, indexed=indexed)
        page_of(simulator, world.title(next(world.rows_of(next(iter(world.tables))))))
        spent.append((time.process_time() - start) * 1e3)
        opened.append(simulator)
    return spent, opened


def opened(folder: Path) -> None:
    """Print what worlds cost to open, without and with a file of their index, and what they hold in memory."""
    folders = world_folders([folder])
    with tempfile.TemporaryDirectory() as place:
        files = saved(lambda _: Path(place))
        first_answers(folders[:1], Index)  # what is made once a process
        for name, indexed in (("no file", Index), ("file written", files), ("file read", files)):
            spent, _ = first_answers(folders, indexed)
            cuts = statistics.quantiles(spent, n=10)
            print(f"first answer, {name}: p10 {cuts[0]:.1f}, median {cuts[4]:.1f}, p90 {cuts[8]:.1f} CPU-ms")
        sizes = [path.stat().st_size for path in Path(place).iterdir()]
        print(f"a file: {statistics.mean(sizes) / 1e3:.0f} KB")
        # In processes of their own, or worlds would move into what the ones before left free.
        for where in ("", place):
            subprocess.run([sys.executable, __file__, "held", str(folder), where], check=True)


def held(folder: Path, place: str) -> None:
    """Print what worlds hold in memory that are opened one after the other, with or without files of their indices."""
    folders, indexed = world_folders([folder]), saved(lambda _: Path(place)) if place else Index
    first_answers(folders[:1], indexed)
    gc.collect()
    before = resident()
    _, kept = first_answers(folders[1:], indexed)
    gc.collect()
    facts = statistics.mean(simulator.world.facts for simulator in kept)
    grown = (resident() - before) / len(kept) / 1e6
    print(
        f"{len(kept)} worlds of {facts:.0f} facts, {'files read' if place else 'no files'}: {grown:.2f} MB each, open"
    )
    for simulator in kept:
        world = simulator.world
        names = [world.title(row) for table in world.tables for row in world.rows_of(table)]
        for n in range(1500):
            page_of(simulator, f"{names[n % len(names)]} {('', 'date', 'size', 'of')[n % 4]}")
    gc.collect()
    print(f"  {(resident() - before) / len(kept) / 1e6:.2f} MB each after 1,500 searches of each")


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else "found"
    if what == "opened":
        return opened(Path(sys.argv[2]))
    if what == "held":
        return held(Path(sys.argv[2]), sys.argv[3])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    return {"found": found, "shapes": shapes, "hostile": hostile}[what](count)


if __name__ == "__main__":
    main()
