"""Whole replies of an honest writer: pages and lists of hits in several registers; and the same with one lie in it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import faithful
from faithful import HALVES, AbsentError, Half, Plan, Told, shown

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Page, Para, Piece
from worldsmith.schema import load_schema
from worldsmith.schema.types import Column
from worldsmith.simulate.plan_writer import render_hit
from worldsmith.simulate.protocol import Address, Call, Draft, Result, Slice, View
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import World

SCHEMAS = ("town", "company", "films", "league", "smartphones")
SEEDS = (11, 12, 13, 14)
REGISTERS = ("encyclopedia", "news", "blog", "table", "list", "sheet", "forum", "short")


@dataclass(frozen=True)
class Reply:
    """A draft of one slice, what it says by which plan, and the lie in it, if there is one."""

    name: str
    simulator: Simulator
    part: Slice
    draft: Draft
    plans: tuple[str, ...]
    kind: str = ""
    lie: str = ""

    @property
    def address(self) -> Address:
        return Address(self.simulator.world.id)


@cache
def simulator(schema: str, seed: int) -> Simulator:
    return Simulator(generate(load_schema(schema), seed), strict=False)


@cache
def pages_of(schema: str, seed: int) -> dict[str, tuple[Page, ...]]:
    """Return the pages of a world by kind, those that are always found."""
    pages = Pages(simulator(schema, seed).world)
    found: dict[str, list[Page]] = {}
    for page_id in pages.ids():
        page = pages.page(page_id)
        if not page.dormant and page.cells:
            found.setdefault(page.kind, []).append(page)
    return {kind: tuple(some) for kind, some in found.items()}


# values and headers outside sentences


def header(column: Column, schema: str, half: Half, rng: Random) -> str:
    """Return how a writer heads a column: the schema's own words or others."""
    others = faithful.labels().get(f"{schema}.{column.table}.{column.name}")
    if others is None or rng.random() < 0.5:
        return column.label
    return others[HALVES.index(half)]


def value(column: Column, of: object, form: int) -> str:
    """Return a value as a specification or a table gives it."""
    if of is None:
        return column.none or ("n/a", "none", "–")[form % 3]
    if isinstance(of, bool):
        return ("Yes", "No")[not of] if form % 2 else ("yes", "no")[not of]
    if column.type == "date":
        return shown(of, ("long", "iso", "us", "short")[form % 4])
    text = shown(of)
    if column.unit in ("", "years") or f"({column.unit})" in column.label:
        return text
    if column.unit == "EUR" and form % 2:
        return f"€{text}"
    return f"{text} {column.unit}"


def sheet(told: Told, world: World, half: Half, rng: Random) -> Piece:
    """Return all cells of a page's subject as a specification."""
    assert told.subject
    form = rng.randrange(12)
    pairs = []
    for col, of in told.subject.cells.items():
        column = world.schema.column(told.subject.table, col)
        pairs.append((header(column, world.schema.name, half, rng), value(column, of, form)))
    if form % 3 == 0:
        return Grid(("Field", "Value"), tuple(((a,), (b,)) for a, b in pairs))
    if form % 3 == 1:
        return Items(tuple((f"{a}: {b}",) for a, b in pairs))
    return KeyValues(tuple((a, (b,)) for a, b in pairs))


def table(told: Told, name: str, world: World, half: Half, rng: Random) -> Piece:
    """Return the other rows of a page, of one table, as a table or a list."""
    rows = [r for r in told.others if r.table == name]
    form = rng.randrange(12)
    columns = [world.schema.column(name, c) for c in rows[0].cells]
    if told.subject:  # what refers to the subject needs no column of its own
        columns = [c for c in columns if c.ref != told.subject.table] or columns
    heads = tuple(header(c, world.schema.name, half, rng) for c in columns)
    body = [tuple(value(c, r.cells[c.name], form) for c in columns) for r in rows]
    if len(columns) == 1:
        return Items(tuple((cells[0],) for cells in body), ordered=form % 2 == 0)
    if form % 4 == 0:
        return Items(tuple(("; ".join(f"{h}: {c}" for h, c in zip(heads, cells, strict=True)),) for cells in body))
    return Grid(heads, tuple(tuple((c,) for c in cells) for cells in body))


# pages


def _called(page: Page, world: World) -> tuple[str, str]:
    """Return what a row of the page's table is called, one and many."""
    spec = world.schema.tables[page.table] if page.table else None
    return (spec.singular, spec.plural) if spec else ("record", "records")


def page_title(told: Told, world: World, rng: Random) -> str:
    one, many = _called(told.page, world)
    if told.subject:
        key = told.subject.key
        if told.page.purpose:
            return rng.choice((f"{key}: {told.page.purpose}", f"{key} - {told.page.purpose}"))
        return rng.choice((key, f"{key} - facts", f"{key} ({one})", f"About {key}"))
    if told.page.scope:
        return rng.choice((f"{many.capitalize()}: {shown(told.scope)}", f"List of {many} ({shown(told.scope)})"))
    return rng.choice((f"Directory of {many}", f"{many.capitalize()} A to Z"))


OPENERS = {
    "news": "Here is what the records say.",
    "blog": "I looked this up for you, so here it is.",
    "forum": "Hope this helps:",
    "list": "",
    "sheet": "",
}
TAILS = {
    "encyclopedia": "Further details",
    "news": "At a glance",
    "blog": "The numbers",
    "forum": "All data",
    "short": "Key facts",
}


def page_doc(page: Page, first: Plan | None, half: Half, register: str, world: World, rng: Random) -> tuple[Doc, list]:
    """Return an honest document of a page, and the plans it uses. Raises AbsentError where `first` doesn't fit."""
    told = Told(page, world)
    said: list[tuple[str, str]] = []
    if first:
        said.append((first.id, first.say(told)))
    others = [p for p in faithful.sentences() if p.half == half and _fits(p, page, world) and p is not first]
    rng.shuffle(others)
    for plan in others:
        if len(said) >= {"sheet": 1, "table": 1, "list": 1, "short": 2}.get(register, 5):
            break
        try:
            said.append((plan.id, plan.say(told)))
        except AbsentError:
            continue
    pieces: list[Piece] = []
    if OPENERS.get(register):
        pieces.append(Para((OPENERS[register],)))
    texts = [text for _, text in said]
    if register in ("blog", "forum"):
        pieces += [Para((text,)) for text in texts]
    elif texts:
        pieces.append(Para((" ".join(texts),)))
    if register in TAILS:
        pieces.append(Heading(2, TAILS[register]))
    if told.subject:
        pieces.append(sheet(told, world, half, rng))
    for name in dict.fromkeys(r.table for r in told.others):
        pieces.append(table(told, name, world, half, rng))
    return Doc(page.url, page_title(told, world, rng), page.date, tuple(pieces)), said


def _fits(plan: Plan, page: Page, world: World) -> bool:
    return plan.at == f"{world.schema.name}.{page.kind}" or plan.at.startswith(f"{world.schema.name}.{page.kind}.")


def page_replies(half: Half, count: int) -> Iterator[Reply]:
    """Yield pages: each plan of the half once at least, then sheets, lists, directories and news."""
    rng = Random(f"pages {half}")
    plans = [p for p in faithful.sentences() if p.half == half]
    rng.shuffle(plans)
    made = 0
    for plan in plans:
        schema, kind = plan.at.split(".")[:2]
        reply = _page_with(plan, schema, kind, half, made, rng)
        if reply:
            made += 1
            yield reply
    while made < count:
        schema, seed = rng.choice(SCHEMAS), rng.choice(SEEDS)
        kinds = pages_of(schema, seed)
        page = rng.choice(kinds[rng.choice(sorted(kinds))])
        yield _reply(page, None, schema, seed, half, made, rng)
        made += 1


def _page_with(plan: Plan, schema: str, kind: str, half: Half, made: int, rng: Random) -> Reply | None:
    for _ in range(200):
        seed = rng.choice(SEEDS)
        if kind in pages_of(schema, seed):
            try:
                return _reply(rng.choice(pages_of(schema, seed)[kind]), plan, schema, seed, half, made, rng)
            except AbsentError:
                continue
    return None


def _reply(page: Page, plan: Plan | None, schema: str, seed: int, half: Half, made: int, rng: Random) -> Reply:
    register = REGISTERS[made % len(REGISTERS)]
    doc, said = page_doc(page, plan, half, register, simulator(schema, seed).world, rng)
    part = simulator(schema, seed).slice_or_reply(
        Address(simulator(schema, seed).world.id), Call("web_extractor", page.url)
    )
    assert isinstance(part, Slice), page.url
    return Reply(f"{half}-{register}-{page.id}", simulator(schema, seed), part, doc, tuple(i for i, _ in said))


# hits


def hit_replies(half: Half, count: int) -> Iterator[Reply]:
    """Yield lists of hits for queries such as agents make."""
    rng = Random(f"hits {half}")
    for made in range(count):
        schema, seed = SCHEMAS[made % len(SCHEMAS)], rng.choice(SEEDS)
        sim = simulator(schema, seed)
        name = rng.choice(sorted(sim.world.tables))
        spec = sim.world.schema.tables[name]
        column = rng.choice(spec.columns)
        row = rng.randrange(len(next(iter(sim.world.tables[name].values()))))
        key = spec.key[0]
        named = shown(sim.world.tables[name][key][row])
        query = rng.choice((named, f"{named} {column.label.lower()}", f"{spec.plural} {column.label.lower()}"))
        part = sim.slice_or_reply(Address(sim.world.id), Call("web_search", query, k=rng.choice((5, 8, 10))))
        if isinstance(part, Slice):
            found = [_hit(view, half, sim, query, rng) for view in part.views]
            plans = tuple(plan for _, plan in found)
            yield Reply(f"{half}-hits-{schema}-{made}", sim, part, tuple(r for r, _ in found), plans)


def _hit(view: View, half: Half, sim: Simulator, query: str, rng: Random) -> tuple[Result, str]:
    """Return a page's hit in other words, from the cells of its edited head alone."""
    page, world = view.page, sim.world
    base = render_hit(view, view.rank, query, world, Pages(world))
    told = Told(replace(page, blocks=(page.head,)), world)
    if told.subject is None or page.purpose or page.kind.startswith("world-"):
        return replace(base, title=page_title(told, world, rng), snippet=_list_snippet(told, world, rng)), "list"
    at = f"{world.schema.name}.{told.subject.table}"
    plans = [p for p in faithful.hits() if p.half == half and p.at in (at, "any")]
    rng.shuffle(plans)
    for plan in plans:
        try:
            title, snippet = faithful.sentence(plan.when, told), faithful.sentence(plan.text, told)
        except AbsentError:
            continue
        return replace(base, title=title, snippet=snippet), plan.id
    raise AssertionError(at)


def _list_snippet(told: Told, world: World, rng: Random) -> str:
    _, many = _called(told.page, world)
    if told.subject:
        return rng.choice(
            (f"Everything about {told.subject.key} on one page.", f"{told.subject.key}: see the full table ...")
        )
    keys = [r.key for r in told.others if r.key]
    scope = f" ({shown(told.scope)})" if told.scope is not None else ""
    if not keys or len(told.others[0].cells) > 2 or ", " in keys[0]:
        return f"A list of {many}{scope} with the most important data ..."
    return rng.choice(
        (f"{many.capitalize()}{scope}, among them {' and '.join(keys)}.", f"Includes {keys[0]} and more.")
    )


# lies

UNITS = (
    (r"\bm²", "hectares"), (r"\bkm\b", "miles"), (r"\bmet(?:re|er)s\b", "feet"), (r"(?<=\d) m\b", " km"),
    (r"\bcrowns\b", "dollars"), (r"\bEUR\b", "USD"), (r"€", "$"), (r"\beuros\b", "dollars"), (r"\bUSD\b", "EUR"),
    (r"\$", "€"), (r"\bmAh\b", "Ah"), (r"\bGB\b", "TB"), (r"\bgrams\b", "ounces"), (r"(?<=\d) g\b", " kg"),
    (r"\bthousand\b", "million"), (r"\bmillion\b", "billion"), (r"\bminutes\b", "hours"), (r"\bkg\b", "lb"),
    (r"\bmin\b", "h"), (r"\bhours\b", "minutes"), (r"(?<=\d) h\b", " min"), (r"\bnm\b", "µm"), (r"\bdays\b", "weeks"),
)  # fmt: skip


def _type(world: World, name: str, col: str) -> str:
    column = world.schema.column(name, col)
    return "name:" + column.ref if column.ref else column.type


def _far(a: object, b: object) -> bool:
    """Whether two values differ by more than anyone would round away."""
    if a is None or b is None or a == b:
        return False
    if isinstance(a, bool | str):
        return not (isinstance(b, str) and str(a)[:7] == str(b)[:7])
    return abs(float(a) - float(b)) > 0.25 * max(abs(float(a)), abs(float(b)), 4)  # type: ignore[arg-type]


def _used(plan: Plan) -> list[str]:
    return [c for c in re.findall(r"\{(\w+)", plan.text) if c not in ("name", "title", "kids", "rows", "key", "number")]


def _wrong_value(plan: Plan, told: Told, world: World, rng: Random) -> str:
    """Another row's value in one column of the sentence."""
    assert told.subject
    cells = told.subject.cells
    col = rng.choice([c for c in _used(plan) if c in cells and cells[c] is not None] or [""])
    if not col:
        raise AbsentError("")
    mine = set(cells.values())
    options = [v for v in world.tables[told.subject.table][col] if _far(v, cells[col]) and v not in mine]
    if isinstance(cells[col], int | float):
        options = [v for v in options if all(_far(v, m) for m in mine if isinstance(m, int | float))]
    return _with(plan, told, {col: rng.choice(options)}) if options else _absent()


def _wrong_entity(plan: Plan, told: Told, world: World, rng: Random) -> str:
    """The sentence about this row, under the name of another."""
    assert told.subject
    key = "title" if told.subject.table == "film" else "name"
    if "{" + key + "}" not in plan.text:
        raise AbsentError(key)
    cells = told.subject.cells
    columns = [c for c in _used(plan) if c in cells]
    if not columns:
        raise AbsentError("")
    rows = world.tables[told.subject.table]
    others = [i for i in range(len(rows[key])) if all(_far(rows[c][i], cells[c]) for c in columns)]
    if any(isinstance(cells[c], int) and cells[c] < 13 for c in columns):
        raise AbsentError("")
    return _with(plan, told, {key: rows[key][rng.choice(others)]}) if others else _absent()


def _swapped(plan: Plan, told: Told, world: World, rng: Random) -> str:
    """Two values of a kind, each in the other's place."""
    assert told.subject
    cells, name = told.subject.cells, told.subject.table
    used = [c for c in dict.fromkeys(_used(plan)) if c in cells]
    pairs = [
        (a, b) for i, a in enumerate(used) for b in used[i + 1 :]
        if _type(world, name, a) == _type(world, name, b) != "text" and _far(cells[a], cells[b])
    ]  # fmt: skip
    if not pairs:
        raise AbsentError("")
    a, b = rng.choice(pairs)
    return _with(plan, told, {a: cells[b], b: cells[a]})


def _wrong_unit(plan: Plan, told: Told, world: World, rng: Random) -> str:
    text = plan.say(told)
    changes = [re.sub(pattern, other, text) for pattern, other in UNITS if re.search(pattern, text)]
    return rng.choice(changes) if changes else _absent()


def _wrong_column(plan: Plan, told: Told, world: World, rng: Random) -> str:
    """The value of another column of the same row."""
    assert told.subject
    cells, name = told.subject.cells, told.subject.table
    pairs = [
        (a, b) for a in _used(plan) for b in cells
        if a in cells and b not in _used(plan) and _type(world, name, a) == _type(world, name, b) != "text"
        and not isinstance(cells[a], bool) and _far(cells[a], cells[b])
        and not (isinstance(cells[a], int) and (":nth" in plan.text or ":ord" in plan.text))
    ]  # fmt: skip
    if not pairs:
        raise AbsentError("")
    a, b = rng.choice(pairs)
    return _with(plan, told, {a: cells[b]})


def _absent() -> str:
    raise AbsentError("nothing to put false")


def _with(plan: Plan, told: Told, cells: dict[str, object]) -> str:
    assert told.subject
    true = told.subject
    told.subject = replace(true, cells=true.cells | cells)
    try:
        return faithful.sentence(plan.text, told)
    except (IndexError, ValueError, TypeError) as error:
        raise AbsentError(plan.id) from error
    finally:
        told.subject = true


MADE = {
    "value": _wrong_value,
    "entity": _wrong_entity,
    "swap": _swapped,
    "unit": _wrong_unit,
    "column": _wrong_column,
}
KINDS = (*MADE, "negation", "invented", "count", "precision", "hearsay")


def lies(half: Half, each: int) -> Iterator[Reply]:
    """Yield true pages with one lie in each: `each` of every kind."""
    for kind in KINDS:
        rng = Random(f"lies {half} {kind}")
        made: Counter[str] = Counter()
        plans = [p for p in (faithful.sentences() if kind in MADE else faithful.false_sentences()) if p.half == half]
        plans = [p for p in plans if kind in MADE or p.kind == kind]
        rng.shuffle(plans)
        for plan in plans * 12:
            if made.total() >= each:
                break
            reply = _lie(plan, kind, half, rng)
            if reply and made[plan.id] < 3:
                made[plan.id] += 1
                yield reply


def _lie(plan: Plan, kind: str, half: Half, rng: Random) -> Reply | None:
    schema, page_kind = plan.at.split(".")[:2]
    for _ in range(30):
        seed = rng.choice(SEEDS)
        if page_kind not in pages_of(schema, seed):
            continue
        page, world = rng.choice(pages_of(schema, seed)[page_kind]), simulator(schema, seed).world
        told = Told(page, world)
        if kind in MADE and told.subject is None:
            return None
        try:
            lie = MADE[kind](plan, told, world, rng) if kind in MADE else plan.say(told)
            if kind in MADE:
                plan.say(told)  # its conditions hold of the true row
        except AbsentError:
            continue
        if kind == "count" and _happens_to_be_true(plan, told, world):
            continue
        reply = _reply(page, None, schema, seed, half, rng.randrange(8), rng)
        assert isinstance(reply.draft, Doc)
        if lie in str(reply.draft):
            continue
        pieces = list(reply.draft.pieces)
        pieces.insert(rng.randrange(len(pieces) + 1), Para((lie,)))
        return replace(reply, draft=replace(reply.draft, pieces=tuple(pieces)), kind=kind, lie=lie, plans=(plan.id,))
    return None


SUPERLATIVES = {
    "most shops": ("shops", max), "longest street": ("length", max), "more residents": ("residents", max),
    "oldest resident": ("born", min), "largest shop": ("floor", max), "oldest department": ("founded", min),
    "best-paid": ("salary", max), "most expensive project": ("budget", max), "youngest director": ("born", max),
    "longest {genre}": ("length", max), "largest ground": ("ground", max), "scored more goals": ("goals", max),
    "top scorer": ("goals", max), "market leader": ("sold", max), "lightest phone": ("weight", min),
    "bigger battery": ("battery", max), "been with the company longer": ("hired", min), "first {line}": ("opened", min),
}  # fmt: skip


def _happens_to_be_true(plan: Plan, told: Told, world: World) -> bool:
    for words, (col, best) in SUPERLATIVES.items():
        if words in plan.text and told.subject:
            values = [v for v in world.tables[told.subject.table][col] if v is not None]
            return told.subject.cells.get(col) == best(values)
    return False
