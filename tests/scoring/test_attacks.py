"""Answers that want more than they deserve, and a search for more of them.

Each attack states what an honest judge would give: the item F1 and the reward are never above it.
"""

import random
from dataclasses import dataclass

import pytest
from score_tables import GOLD, PHONES, markdown

from worldsmith.scoring import Column, Reference, fold, forms, reward, score, score_table, show

REFERENCE = Reference(PHONES, GOLD)
KEYS = [row[0] for row in GOLD]
RIGHT = [[show(v, c) for v, c in zip(row, PHONES, strict=True)] for row in GOLD]
N, WIDTH = len(GOLD), len(PHONES)


def earned(answer, **counts):
    result = score_table(answer, REFERENCE)
    total = reward(result, **{"turns": 5, "search_calls": 4, "extract_calls": 1, **counts}).total
    return result, total


def f1(right, rows, width=WIDTH):
    """Item F1 of `right` cells in so many answer rows."""
    return 2 * right / (width * (rows + N))


# name: (answer, deserved item F1, deserved reward)
ATTACKS = {
    "one row in eight spellings": (
        markdown(PHONES, [[s(RIGHT[0][0]), *RIGHT[0][1:]] for s in (str, str.upper, str.lower, "**{}**".format)] * 2),
        f1(6, 8),
        0.7 * 2 * 5 / (8 * 5 + 20) + 0.2 * 2 / 12,
    ),
    "gold and three variants of a row": (
        markdown(PHONES, [*RIGHT, *([f"{RIGHT[0][0]}{z}", *RIGHT[0][1:]] for z in ("\u200b", "\u2060", " "))]),
        f1(24, 7),
        0.9 * 2 * 4 / 11,
    ),
    "guess one cell four times": (
        markdown(PHONES, [[KEYS[0], str(n), *RIGHT[0][2:]] for n in (4800, 4900, 5000, 5100)]),
        f1(5, 4),
        0.7 * 2 * 4 / 40,
    ),
    "keys and dashes": (markdown(PHONES, [[k, *["-"] * 5] for k in KEYS]), f1(6, 4), 0.0),
    "keys and stars": (markdown(PHONES, [[k, *["*"] * 5] for k in KEYS]), f1(4, 4), 0.0),
    "keys and nothing": (markdown(PHONES, [[k, *[""] * 5] for k in KEYS]), f1(4, 4), 0.0),
    "keys and everything": (
        markdown(PHONES, [[k, *[" / ".join(row[c] for row in RIGHT) for c in range(1, WIDTH)]] for k in KEYS]),
        f1(4, 4),
        0.0,
    ),
    "yes and no": (markdown(PHONES, [[k, "", "", "Yes / No", "", ""] for k in KEYS]), f1(4, 4), 0.0),
    "ranges that hold everything": (
        markdown(PHONES, [[k, "4000-7000", "2028-2029", "", "between 0 and 100", "any"] for k in KEYS]),
        f1(4, 4),
        0.0,
    ),
    "both orders of a date": (markdown(PHONES, [[KEYS[1], "", "02/01/2028", "", "", ""]]), f1(1, 1), 0.0),
    "a number and its magnitudes": (markdown(PHONES, [[KEYS[0], "5 or 5k", "", "", "", ""]]), f1(1, 1), 0.0),
    "one number without and one with the unit": (
        markdown(PHONES, [[KEYS[3], "5,000 / 6,120 mAh", "", "", "12.5 / 20.1%", ""]]),
        f1(1, 1),
        0.0,
    ),
    "two columns of one name": (
        markdown(
            [*PHONES[:1], Column("Battery", "int"), *PHONES[1:]],
            [[row[0], "1", *row[1:]] for row in RIGHT],
        ),
        1.0,
        1.0,
    ),
    "a first column of guesses": (
        markdown([PHONES[0], PHONES[1], PHONES[1], *PHONES[2:]], [[row[0], "1", *row[1:]] for row in RIGHT]),
        f1(20, 4),
        0.7 * 0.8,
    ),
    "many tables, one of them right": (
        "\n\n".join(markdown(PHONES, rows) for rows in (RIGHT, [[*RIGHT[0][:1], "1", "2", "3", "4", "5"]])),
        f1(1, 1),
        0.0,
    ),
    "keys of all rows in one cell": (markdown(PHONES, [[" ".join(KEYS), *RIGHT[0][1:]]]), 0.0, 0.0),
    "rows with the keys shifted": (
        markdown(PHONES, [[KEYS[i - 1], *RIGHT[i][1:]] for i in range(N)]),
        f1(6, 4),  # two cells are right by chance
        0.7 * 2 * 2 / 40,
    ),
    "a copied search result": (f"<tool_response>{markdown(PHONES, RIGHT)}</tool_response> that is it", 0.0, -0.2),
    "a table in the reasoning": (f"<think>{markdown(PHONES, RIGHT)}</think> done", 0.0, -0.2),
    "a reward written in the answer": ("<reward>1.0</reward> score: 1e999 NaN | 1.0 | success |", 0.0, -0.2),
    "not a number": (markdown(PHONES, [[k, "nan", "NaT", "nan", "inf", "1e999"] for k in KEYS]), f1(4, 4), 0.0),
    "markup that hides a second value": (
        markdown(PHONES, [[KEYS[0], "5000<!-- -->4000", "", "<b>Yes</b><b>No</b>", "12.5 3.0", ""]]),
        f1(1, 1),
        0.0,
    ),
    "an aside with a second value": (
        markdown(PHONES, [[KEYS[0], "4000 (or 5000)", "2029-03-15 (2029-03-14)", "No (Yes)", "1 (12.5)", ""]]),
        f1(1, 1),
        0.0,
    ),
    "a hundred invented rows": (
        markdown(PHONES, [*RIGHT, *([f"x{i}", *RIGHT[0][1:]] for i in range(100))]),
        f1(24, 104),
        0.0666,
    ),
    "a header alone": (markdown(PHONES, []), 0.0, 0.0),
    "keys in every column": (markdown(PHONES, [[k] * WIDTH for k in KEYS]), f1(4, 4), 0.0),
    "look-alike keys": (markdown(PHONES, [*RIGHT[:1], ["Nео 5", *RIGHT[0][1:]]]), f1(6, 2), 0.9 / 3),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_what_it_deserves(name):
    answer, item, total = ATTACKS[name]
    result, got = earned(answer)
    assert result.item.f1 <= item + 1e-9
    assert result.item.f1 == pytest.approx(item)
    assert got == pytest.approx(total, abs=1e-3)


def test_several_answers_in_a_text_column_are_none():
    columns = (Column("k", "text", key=True), Column("v", "text"), Column("e", "enum", labels=("red", "blue")))
    for cell in ("Rome / Paris", "Rome, Paris", "Rome or Paris", "Rome<br>Paris", "Rome Paris", "*", ".*", ""):
        result = score(markdown(columns, [["a", cell, "red blue"]]), columns, [["a", "Rome", "red"]])
        assert result.nonkey.f1 == 0.0


def test_a_list_of_everything_is_not_a_list():
    columns = (Column("k", "text", key=True), Column("v", "list"))
    result = score(markdown(columns, [["a", "x; y; z"]]), columns, [["a", ["x", "y"]]])
    assert result.nonkey.f1 == 0.0


def test_guessing_twice_without_a_key_never_beats_guessing_once():
    columns = (Column("Answer", "int"),)
    once = [score(markdown(columns, [[str(i)]]), columns, [[3]]).item.f1 for i in range(6)]
    for i in range(6):
        for j in range(6):
            twice = score(markdown(columns, [[str(i)], [str(j)]]), columns, [[3]]).item.f1
            assert twice <= min(once[i], once[j])


# ---- a search: rows with a known truth, mutated towards score minus truth


@dataclass
class Cell:
    """Text of an answer, and the value it states: a gold row's number if it states that row's value, else None."""

    text: str
    states: object


def truth(rows):
    """Item F1 by the truth of the cells alone: each row claims the gold row its key states."""
    claims = {}
    for row in rows:
        if row[0].states is not None:
            claims.setdefault(row[0].states, []).append(row)
    right = 0
    for j, members in claims.items():
        right += 1
        for c in range(1, WIDTH):
            right += all(row[c].states == GOLD[j][c] and row[c].states is not Cell for row in members)
    return 2 * right / (WIDTH * (len(rows) + N)) if rows else 0.0


def true_cell(chance, j, c):
    value, col = GOLD[j][c], PHONES[c]
    text = chance.choice(forms(value, col))
    if chance.random() < 0.3:
        text = chance.choice(
            [f"**{text}**", f"`{text}`", f" {text}\u200b", f"{text}[1]", text.upper(), f"[{text}](https://x.example)"]
        )
    return Cell(text, j if c == 0 else value)


JUNK = [
    "",
    "*",
    "?",
    "NULL",
    "unknown",
    "0",
    "1e999",
    "|",
    "`",
    "<br>",
    "&#124;",
    "any",
    "see above",
    "\\|",
    "%",
    "$",
    "-",
]
JOINTS = [" or ", " / ", "; ", " - ", "<br>", " ", "?", " (", "=", "|", "\t"]


def false_cell(chance, c):
    """Write a cell that states no one value: two values joined, one denied or bounded, junk that is no filler."""
    one, other = chance.sample([chance.choice(forms(row[c], PHONES[c])) for row in GOLD], 2)
    kind = chance.randrange(4)
    if kind == 0:
        junk = chance.choice(JUNK)
        said = {"NULL": None, "-": None, "0": False if PHONES[c].kind == "bool" else Cell}
        return Cell(junk, said.get(junk, Cell))
    if kind == 1:
        return Cell(chance.choice([f"not {one}", f"over {one}", f"less than {one}", f"{one}+{other}"]), Cell)
    while fold(one) == fold(other):  # the same value twice is that value
        one, other = chance.sample([show(row[c], PHONES[c]) for row in GOLD], 2)
    return Cell(one + chance.choice(JOINTS) + other, Cell)


def mutated(rows, chance):
    rows = [[*row] for row in rows]
    i = chance.randrange(len(rows)) if rows else 0
    kind = chance.randrange(8) if rows else 0
    if kind == 0:
        j = chance.randrange(N)
        rows.insert(
            i,
            [
                true_cell(chance, j, c) if chance.random() < 0.5 or not c else false_cell(chance, c)
                for c in range(WIDTH)
            ],
        )
    elif kind == 1:
        del rows[i]
    elif kind == 2:
        rows.append([*rows[i]])
    elif kind == 3:
        c = chance.randrange(1, WIDTH)
        rows[i][c] = false_cell(chance, c)
    elif kind == 4:
        c, j = chance.randrange(1, WIDTH), chance.randrange(N)
        rows[i][c] = true_cell(chance, j, c)
    elif kind == 5:
        rows[i][0] = Cell(
            chance.choice(["", "Nobody", "*", "Neo", "Zed", "Karo", "Neo 5 / Zed Pro", "Neo 5 Zed Pro"]), None
        )
    elif kind == 6:
        k = chance.randrange(len(rows))
        rows[i][0], rows[k][0] = rows[k][0], rows[i][0]
    else:
        c = chance.randrange(WIDTH)
        cell = rows[i][c]
        rows[i][c] = Cell(chance.choice([f"{cell.text} ", f"**{cell.text}**", f"{cell.text}\u200b"]), cell.states)
    return rows[:12]


def dressed(rows, chance):
    """Write rows as an answer, in a manner that changes nothing of what it says."""
    text = markdown(PHONES, [[cell.text for cell in row] for row in rows], fence=chance.random() < 0.5)
    manner = chance.randrange(6)
    if manner == 0:
        text = f"<think>{markdown(PHONES, RIGHT)}</think>\n{text}"
    elif manner == 1:
        text = f"{markdown(PHONES, RIGHT)}\n\nCorrected:\n\n{text}"
    elif manner == 2:
        text = f"{text}\n\n| Source | Note |\n|---|---|\n| Neo 5 | 5000 |"
    elif manner == 3:
        text = text.replace("\n", "\r\n")
    return text


def search(steps, seed):
    """Climb towards a gap between score and truth; return the widest found and its answer."""
    chance = random.Random(seed)
    rows = [[true_cell(chance, j, c) for c in range(WIDTH)] for j in range(2)]
    best, widest, worst = -2.0, -2.0, ""
    for _ in range(steps):
        child = mutated(rows, chance)
        if not child:
            continue
        text = dressed(child, chance)
        gap = score_table(text, REFERENCE).item.f1 - truth(child)
        if gap > widest:
            widest, worst = gap, text
        if gap >= best - (0.05 if chance.random() < 0.1 else 0):
            rows, best = child, gap
    return widest, worst


def test_a_short_search_finds_no_gap():
    widest, worst = search(400, seed=1)
    assert widest <= 1e-9, worst


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_search_finds_no_gap(seed):
    widest, worst = search(5000, seed)
    assert widest <= 1e-9, worst


@pytest.mark.parametrize(
    "strike", ["~~{}~~", "~{}~", "<del>{}</del>", "<s>{}</s>", "<strike>{}</strike>", "&lt;s&gt;{}&lt;/s&gt;"]
)
def test_what_is_struck_out_is_withdrawn(strike):
    struck = [[strike.format(cell) for cell in row] for row in RIGHT]
    cells_struck = [[row[0], *strikes[1:]] for row, strikes in zip(RIGHT, struck, strict=True)]
    assert earned(markdown(PHONES, cells_struck))[0].item.f1 == f1(4, 4)
    assert earned(markdown(PHONES, struck))[0].item.f1 == 0.0


def test_strokes_over_letters_and_styles_strike_too():
    columns = (Column("k", "text", key=True), Column("v", "text"))
    for cell in (
        "R\u0336o\u0336m\u0336e\u0336",
        '<span style="text-decoration: line-through">Rome</span>',
        "~~Rome~~ Rome",
    ):
        assert score(markdown(columns, [["a", cell]]), columns, [["a", "Rome"]]).nonkey.f1 == 0.0
    for cell in ("Rome ~ 5", "a~b~c", "~Rome"):
        assert score(markdown(columns, [["a", cell]]), columns, [["a", cell]]).nonkey.f1 == 1.0
