import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldsmith.scoring import Column, ScoreError, accepts, fold, forms, is_right, is_truthful, read, show, verdict
from worldsmith.scoring.text import squash

PLAIN = Column("n", "int")
METRES = Column("Altitude (m)", "int", unit="m")
DOLLARS = Column("Price", "int", unit="USD")
THOUSANDS = Column("Units sold (thousand)", "int", unit="thousand")
PERCENT = Column("Share (%)", "num", unit="%", decimals=1)
DAY = Column("d", "date")


@pytest.mark.parametrize(
    ("span", "points"),
    [
        ("2431", [2431]),
        ("-5", [-5]),
        ("−5", [-5]),
        ("+5", [5]),
        ("minus 5", [-5]),
        ("-$5", [-5]),
        ("1,234,000", [1234000]),
        ("1 234 000", [1234000]),
        *((f"1{space}234{space}000", [1234000]) for space in "\u202f\xa0\u2009\u2007"),
        *((f"{minus}5", [-5]) for minus in "\u2212\u2013\u2014\u2012\u2010\u2011\ufe63\uff0d"),
        ("1，234", [1234]),
        ("1．5", [1.5]),
        ("1’234’000", [1234000]),
        ("1ʼ234ʼ000", [1234000]),
        ("1٬234", [1234]),
        ("١٬٢٣٤", [1234]),
        ("1٫5", [1.5]),
        ("5％", [5]),
        ("1'234'000", [1234000]),
        ("1.234.000", [1234000]),
        ("1.234.000,5", [1234000.5]),
        ("1.234,5", [1234.5]),
        ("12,34,000", [1234000]),
        ("12.34 lakh", [1234000]),
        ("1.234", [1.234]),
        ("1\\.234", [1.234]),
        ("1,234", [1234]),
        ("12,5", [12.5]),
        ("0,123", [0.123]),
        ("1,2345", []),
        ("1.2.3", []),
        ("1.234e6", [1234000]),
        ("1.234E+6", [1234000]),
        ("1.234×10⁶", [1234000]),
        ("1.234 x 10^6", [1234000]),
        ("10<sup>3</sup>", []),
        ("2.5×10<sup>3</sup>", [2500]),
        ("1.2 million", [1200000]),
        ("3-million", [3000000]),
        ("1.2 Mio", [1200000]),
        ("3 hundred thousand", [300000]),
        ("4 bn", [4 * 10**9]),
        ("730k", [730000]),
        ("1.1 billion", [1100000000]),
        ("5万", [50000]),
        ("½", [0.5]),
        ("2½", [2.5]),
        ("５００", [500]),
        ("٣٤", [34]),
        ("~1,200", [1200]),
        ("about 1,200", [1200]),
        ("approx. 1,200 mAh", [1200]),
        ("**1,200**", [1200]),
        ("`1200`", [1200]),
        ("1200 (est.)", [1200]),
        ("1200 (as of 2029)", [1200]),
        ("1.2 (million)", [1200000]),
        ("(5)", [5]),
        ("1,200 [3]", [1200]),
        ("1200¹", []),
        ("①", []),
        ("twelve", [12]),
        ("twenty-one", [21]),
        ("minus five", [-5]),
        ("one hundred and five thousand", [105000]),
        ("two million three hundred thousand and one", [2300001]),
        ("a hundred", [100]),
        ("an hundred", [100]),
        ("several hundred", []),
        ("a dozen", [12]),
        ("two dozen", [24]),
        ("twenty eleven", []),
        ("twenty ten", []),
        ("one two", []),
        ("five and", []),
        ("3rd", [3]),
        ("#3", [3]),
        ("No. 3", [3]),
        ("5 or 6", [5, 6]),
        ("5/6", [5, 6]),
        ("5, 6", [5, 6]),
        ("5 6 7", []),
        ("2015: 5", []),
        ("5 -7", []),
        ("8.5/10", [8.5]),
        ("8.5 out of 10", [8.5]),
        ("unknown", []),
        ("", []),
        ("-", []),
        ("x5", []),
        ("9" * 60, []),
        ("9" * 1000, []),
        ("1e99999", []),
        ("nan", []),
        ("inf", []),
        ("5 km2 or so maybe twice", []),
        ("5-10+", []),
        ("5 kg - 10+ kg", []),
        ("163 g (not)", []),
        ("over 5-10", []),
        ("5 km - 10 kg", []),
        ("5: to 6", []),
        ("x 5 to 6", []),
        ("5 to 6 or so maybe", []),
        ("163 g (x5)", []),
        ("x 5 h 20 min", []),
        ("5 h x 20 min", []),
        ("$5m 20 cm", []),
    ],
)
def test_a_number_is_read_as_it_is_meant(span, points):
    assert [r.point for r in read(span, "num")] == points


@pytest.mark.parametrize(
    ("span", "lo", "hi"),
    [
        ("between 2,430 m and 2,432 m", 2430, 2432),
        ("100-200", 100, 200),
        ("100–200", 100, 200),
        ("200 to 100", 100, 200),
        ("from 1 to 2 million", 1000000, 2000000),
        ("over 1,000", 1000, math.inf),
        ("more than 1000", 1000, math.inf),
        ("at least 5", 5, math.inf),
        ("not less than 5", 5, math.inf),
        ("1000+", 1000, math.inf),
        ("12+ million", 12 * 10**6, math.inf),
        ("5 million or more", 5000000, math.inf),
        ("less than 5", -math.inf, 5),
        ("no more than 5", -math.inf, 5),
        ("up to 5", -math.inf, 5),
        ("5 or less", -math.inf, 5),
        ("≤ 5", -math.inf, 5),
    ],
)
def test_a_range_has_no_point(span, lo, hi):
    assert [(r.lo, r.hi, r.point) for r in read(span, "num")] == [(lo, hi, None)]


@pytest.mark.parametrize(
    ("span", "unit"),
    [
        ("5", ""),
        ("5 km", "km"),
        ("5 kilometres", "km"),
        ("5 MB", "MB"),
        ("5 mW", "mW"),
        ("5 MW", "MW"),
        ("$5", "$"),
        ("US$ 5", "USD"),
        ("5 US dollars", "USD"),
        ("€5", "EUR"),
        ("5 thousand", "ones"),
        ("5 pieces", "ones"),
        ("5 %", "%"),
        ("5 (km)", "km"),
        ("5 m²", "m2"),
        ("5m²", "m2"),
        ("5 thousand km²", "km2"),
        ("5 cm²", "sqcm"),
        ("5 km^2", "km2"),
        ("5 m³", "m3"),
        ("5 (long) km", "km"),
        ("5 per cent", "%"),
        ("1,234,000 crowns", "crowns"),
        ("5 million euros", "EUR"),
        ("5 million of euros", "EUR"),
        ("8/10", "of 10"),
    ],
)
def test_a_unit_is_named_in_one_way(span, unit):
    assert [r.unit for r in read(span, "num")] == [unit]


@pytest.mark.parametrize("word", ["1st", "2nd", "3rd", "4th", "21ST"])
def test_an_ordinal_has_no_unit(word):
    assert [(r.point, r.unit) for r in read(word, "int")] == [(int(word[:-2]), "")]
    assert [(r.point, r.unit) for r in read(f"{word} place", "int")] == [(int(word[:-2]), "")]


@pytest.mark.parametrize("word", ["yes", "y", "true", "t", "✓", "✔", "✔️", "✅", "☑", "1", "是", "有", "YES", " True. "])
def test_yes_has_many_words(word):
    assert verdict(word, True, Column("b", "bool")) == "right"
    assert verdict(word, False, Column("b", "bool")) == "different"


@pytest.mark.parametrize("word", ["no", "n", "false", "f", "✗", "✘", "❌", "☒", "×", "0", "否", "NO", "False."])
def test_no_has_many_words(word):
    assert verdict(word, False, Column("b", "bool")) == "right"
    assert verdict(word, True, Column("b", "bool")) == "different"


FILLERS = ["-", "--", "---", "–", "—", "/", "n/a", "N/A", "NA", "none", "None", "null", "NULL", "nil", "nan", "无"]


@pytest.mark.parametrize("word", [*FILLERS, "not available", "Not Applicable."])
def test_there_is_none_has_many_words(word):
    for kind in ("text", "int", "num", "date", "year", "bool", "enum", "url", "list"):
        assert verdict(word, None, Column("c", kind)) == "right"
        assert verdict(word, None, Column("c", kind, none="open")) == "right"


SOFT = ["about", "approx", "approx.", "approximately", "around", "roughly", "nearly", "almost", "some", "circa", "c."]
SOFT += ["ca.", "est.", "estimated", "exactly", "precisely", "just", "only", "a total of", "in total", "total", "No."]
SOFT += [
    "nr.",
    "#",
    "rank",
    "ranked",
    "~",
    "≈",
    "≃",
    "∼",
    ":",
    "=",
    "*",
    "_",
    "`",
    "'",
    '"',
    "(",
    "[",
    "About",
    "about ~",
]


@pytest.mark.parametrize("before", SOFT)
def test_soft_words_before_a_number_change_nothing(before):
    assert [(r.point, r.unit) for r in read(f"{before} 12", "num")] == [(12, "")]
    assert read(f"{before}x 12", "num") == ()


MORE = ["over", "more than", "greater than", "not less than", "no less than", "above", "at least", "upwards of"]
MORE += ["exceeding", "min", "min.", "minimum", ">", ">=", "≥", "OVER"]
LESS = ["under", "less than", "fewer than", "no more than", "not more than", "no greater than", "below", "at most"]
LESS += ["up to", "max", "max.", "maximum", "<", "<=", "≤"]


@pytest.mark.parametrize("before", MORE)
def test_words_of_more_open_the_interval_upwards(before):
    assert [(r.lo, r.hi, r.point) for r in read(f"{before} 12", "num")] == [(12, math.inf, None)]


@pytest.mark.parametrize("before", LESS)
def test_words_of_less_open_the_interval_downwards(before):
    assert [(r.lo, r.hi, r.point) for r in read(f"{before} 12", "num")] == [(-math.inf, 12, None)]


@pytest.mark.parametrize(
    "after", ["+", " or more", " and more", " or above", " or over", " or higher", " and up", " plus"]
)
def test_words_after_a_number_open_the_interval_upwards(after):
    assert [(r.lo, r.hi, r.unit) for r in read(f"12{after}", "num")] == [(12, math.inf, "")]
    assert [(r.lo, r.hi, r.unit) for r in read(f"12 million{after}", "num")] == [(12 * 10**6, math.inf, "ones")]
    assert [(r.lo, r.hi, r.unit) for r in read(f"12{after} kg", "num")] == [(12, math.inf, "kg")]


@pytest.mark.parametrize("after", [" or less", " or under", " and below", " or fewer"])
def test_words_after_a_number_open_the_interval_downwards(after):
    assert [(r.lo, r.hi) for r in read(f"12{after}", "num")] == [(-math.inf, 12)]
    assert [(r.lo, r.hi) for r in read(f"12 million{after}", "num")] == [(-math.inf, 12 * 10**6)]


NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


@pytest.mark.parametrize(
    ("words", "number"),
    [
        *((word, number) for number, word in enumerate(f"{NUMBER_WORDS} seventeen eighteen nineteen".split())),
        *((f"{word}-one", 21 + 10 * i) for i, word in enumerate(TENS.split())),
        ("a thousand", 1000),
        ("a million", 10**6),
        ("three billion", 3 * 10**9),
        ("two trillion", 2 * 10**12),
        ("a dozen", 12),
        ("three dozen", 36),
        ("one hundred dozen", 1200),
        ("nine hundred and ninety-nine thousand nine hundred ninety nine", 999_999),
        ("two hundred", 200),
        ("two thousand and five", 2005),
        ("negative two", -2),
        ("about twelve", 12),
        ("exactly around twelve", 12),
    ],
)
def test_number_words_are_read(words, number):
    assert [(r.lo, r.hi, r.point, r.unit) for r in read(words, "num")] == [(number, number, number, "")]
    assert [(r.point, r.unit) for r in read(f"{words} kilometres", "num")] == [(number, "km")]


NO_NUMBER = ["hundred", "thousand", "dozen", "a", "an", "and five", "twenty zero", "twenty thirty", "five six", "about"]
NO_NUMBER += [
    "one hundred hundred",
    "one thousand two dozen",
    "one hundred and thousand",
    "five and six",
    "twelve or so",
    "five 6 7",
    "one hundred and",
    "minus",
    "a five",
    "five maybe",
    "x five",
]


@pytest.mark.parametrize("words", NO_NUMBER)
def test_what_is_no_number_word_is_not_read(words):
    assert read(words, "num") == ()


def test_a_number_beyond_floats_keeps_its_digits():
    assert [r.point for r in read("12345678901234567890", "int")] == [12345678901234567890]
    assert not is_right("12345678901234567891", 12345678901234567890, PLAIN)
    assert is_right("12,345,678,901,234,567,890", 12345678901234567890, PLAIN)
    assert is_right("12,345,678,901,234,567,890.0", 12345678901234567890, PLAIN)
    assert is_right("1" * 40, int("1" * 40), PLAIN)
    assert not is_right("1" * 41, int("1" * 41), PLAIN)
    assert read("1" * 30 + "." + "1" * 10, "num") != ()
    assert read("1" * 30 + "." + "1" * 11, "num") == ()
    assert [r.point for r in read("1e20", "num")] == [10**20]
    assert [r.point for r in read("1e-2", "num")] == [0.01]
    assert [r.point for r in read("5 x 10^-2", "num")] == [0.05]
    assert [r.point for r in read("5*10**3", "num")] == [5000]


@pytest.mark.parametrize("mark", [*".,;:*_`'\")]", "**", "*_`"])
def test_marks_after_a_number_change_nothing(mark):
    assert [(r.point, r.unit) for r in read(f"12{mark}", "num")] == [(12, "")]
    assert [(r.point, r.unit) for r in read(f"12 kg{mark}", "num")] == [(12, "kg")]
    assert [(r.point, r.unit) for r in read(f"12{mark} kg", "num")] == ([(12, "kg")] if mark[0] in "*_`" else [])


@pytest.mark.parametrize("word", ["about", "around", "approximately", "roughly", "nearly", "almost", "some", "exactly"])
def test_soft_words_before_number_words_change_nothing(word):
    assert [r.point for r in read(f"{word} twelve", "num")] == [12]


def test_months_are_written_out_in_dates():
    names = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    for number, name in enumerate(names, start=1):
        written = forms(f"2029-{number:02d}-07", DAY)
        assert written[1:3] == (f"7 {name} 2029", f"{name} 7, 2029")
        assert f"7 {name[:3]} 2029" in written


def test_small_whole_numbers_have_words():
    words = [forms(n, PLAIN)[-1] for n in range(13)]
    assert words == [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ]


def test_a_span_longer_than_any_number_or_date_is_not_read():
    assert read("5" + " " * 118 + "kg", "num") == ()
    assert read("5" + " " * 117 + "kg", "num") != ()
    assert read("5 March 2029" + "." * 100, "date") == ()
    assert read("5 March 2029" + "." * 20, "date") != ()


def test_a_number_covers_half_its_last_significant_digit():
    assert [(r.lo, r.hi) for r in read("2431", "num")] == [(2430.5, 2431.5)]
    assert [(r.lo, r.hi) for r in read("2,400", "num")] == [(2350, 2450)]
    assert [(r.lo, r.hi) for r in read("1.20 million", "num")] == [(1195000, 1205000)]
    assert [(r.lo, r.hi) for r in read("-2.5", "num")] == [(-2.55, -2.45)]
    assert [(r.lo, r.hi) for r in read("0", "num")] == [(-0.5, 0.5)]
    assert [(r.lo, r.hi) for r in read("½", "num")] == [(0.45, 0.55)]
    assert [(r.lo, r.hi) for r in read("7.0", "num")] == [(6.95, 7.05)]


def test_a_letter_that_is_unit_and_magnitude_gives_both_readings():
    assert [(r.point, r.unit) for r in read("5 m", "num")] == [(5, "m"), (5000000, "ones")]
    assert [(r.point, r.unit) for r in read("$5m", "num")] == [(5000000, "$")]


@pytest.mark.parametrize(
    ("span", "value", "col", "word"),
    [
        ("1.234", 1234000, PLAIN, "different"),
        ("1.234 million", 1234000, PLAIN, "right"),
        ("5 m", 5, METRES, "right"),
        ("5 m", 5000000, METRES, "different"),
        ("5 m", 5000000, DOLLARS, "right"),
        ("5 m", 5, PLAIN, "different"),
        ("2.431 km", 2431, METRES, "right"),
        ("2431 km", 2431, METRES, "different"),
        ("243100 cm", 2431, METRES, "right"),
        ("2431 kg", 2431, METRES, "unit"),
        ("2431 things", 2431, METRES, "unit"),
        ("2431 things", 2431, PLAIN, "right"),
        ("2431 towers", 2431, PLAIN, "unit"),
        ("$1,500", 1500, DOLLARS, "right"),
        ("€1,500", 1500, DOLLARS, "unit"),
        ("1500 CAD", 1500, DOLLARS, "unit"),
        ("$1,500", 1500, Column("Price", "int", unit="CAD"), "right"),
        ("730", 730, THOUSANDS, "right"),
        ("730 thousand", 730, THOUSANDS, "right"),
        ("0.73 million", 730, THOUSANDS, "right"),
        ("730,000 units", 730, THOUSANDS, "right"),
        ("730,000", 730, THOUSANDS, "different"),
        ("730 units", 730, THOUSANDS, "different"),
        ("$1.5 million", 1.5, Column("Revenue", "num", unit="million USD", decimals=1), "right"),
        ("$1.5", 1.5, Column("Revenue", "num", unit="million USD", decimals=1), "different"),
        ("12.5%", 12.5, PERCENT, "right"),
        ("12.50", 12.5, PERCENT, "right"),
        ("0.125", 12.5, PERCENT, "different"),
        ("12.5%", 0.125, Column("ratio", "num", decimals=3), "right"),
        ("12.5", 0.125, Column("ratio", "num", decimals=3), "different"),
        ("12.5%", 12.5, Column("Share (%)", "num", decimals=1), "right"),
        ("8.5/10", 8.5, Column("Rating (of 10)", "num", decimals=1), "right"),
        ("8.5/100", 8.5, Column("Rating (of 10)", "num", decimals=1), "unit"),
        ("7 crowns", 7, Column("Budget", "int", unit="crown"), "right"),
        ("2320", 2431, Column("a", "int", tolerance=0.05), "right"),
        ("2300", 2431, Column("a", "int", tolerance=0.05), "different"),
        ("between 2,430 and 2,432", 2431, Column("a", "int", tolerance=0.05), "right"),
        ("between 2,000 and 2,432", 2431, Column("a", "int", tolerance=0.05), "different"),
        ("over 2,400", 2431, Column("a", "int", tolerance=0.05), "different"),
        ("between 2430 and 2432", 2431, PLAIN, "different"),
        ("0.001", 0, Column("a", "num", tolerance=0.05), "different"),
        ("5 or 6", 5, PLAIN, "ambiguous"),
        ("12.5 / 20.1%", 20.1, PERCENT, "ambiguous"),
        ("5 m or 5 million", 5, METRES, "ambiguous"),
        ("5 m or 6 kg", 5, METRES, "unit"),
        ("6 kg or 5 m", 5, METRES, "unit"),
        ("5 m, 5 m", 5, METRES, "right"),
        ("5 or five", 5, PLAIN, "unreadable"),
        ("7", "7", PLAIN, "right"),
        ("2029-03-14", "2029-03-14", DAY, "right"),
        ("March 14, 2029", "2029-03-14", DAY, "right"),
        ("Wed, 14 Mar 2029", "2029-03-14", DAY, "right"),
        ("14th of March, 2029", "2029-03-14", DAY, "right"),
        ("2029/3/14", "2029-03-14", DAY, "right"),
        ("20290314", "2029-03-14", DAY, "right"),
        ("14.03.2029", "2029-03-14", DAY, "right"),
        ("3/14/2029", "2029-03-14", DAY, "right"),
        ("2029年3月14日", "2029-03-14", DAY, "right"),
        ("2029-03-14T10:20:30Z", "2029-03-14", DAY, "right"),
        ("March 14, 2029 (est.)", "2029-03-14", DAY, "right"),
        ("04.03.2020", "2020-03-04", DAY, "ambiguous"),
        ("3/4/2020", "2020-03-04", DAY, "ambiguous"),
        ("3/4/2020", "2020-05-04", DAY, "different"),
        ("4.4.2020", "2020-04-04", DAY, "right"),
        ("14.03.29", "2029-03-14", DAY, "unreadable"),
        ("2029-02-30", "2029-02-28", DAY, "unreadable"),
        ("30 Smarch 2029", "2029-03-30", DAY, "unreadable"),
        ("March 2029", "2029-03-14", DAY, "different"),
        ("March 1987", "1987-03-14", Column("d", "date", tolerance=31), "right"),
        ("1987", "1987-03-14", Column("d", "date", tolerance=31), "different"),
        ("15 April 1987", "1987-03-14", Column("d", "date", tolerance=31), "different"),
        ("14 April 1987", "1987-03-14", Column("d", "date", tolerance=31), "right"),
        ("2029", 2029, Column("y", "year"), "right"),
        ("14 March 2029", 2029, Column("y", "year"), "right"),
        ("in 2029", 2029, Column("y", "year"), "right"),
        ("2029", "2029", Column("y", "year"), "right"),
        ("14 March 2029", "2029", Column("y", "year"), "right"),
        ("2029", 2029.0, Column("y", "year"), "right"),
        ("2029", 2029.5, Column("y", "year"), "different"),
        ("2029", "20290", Column("y", "year"), "different"),
        ("20290", "20290", Column("y", "year"), "right"),
        ("2028", 2029, Column("y", "year", tolerance=5), "different"),
        ("²", "²", Column("y", "year"), "right"),
        ("2029²", 2029, Column("y", "year"), "right"),
        ("2029^2", 2029, Column("y", "year"), "right"),
        ("202⁹", 2029, Column("y", "year"), "different"),
        ("20²", 2020, Column("y", "year"), "unreadable"),
        ("14 March 2029²", "2029-03-14", DAY, "right"),
        ("14 March 2029<sup>12</sup>", "2029-03-14", DAY, "right"),
        ("14² March 2029", "2029-03-14", DAY, "unreadable"),
        ("14 March 20²⁹", "2029-03-14", DAY, "different"),
        ("1990s", 1995, Column("y", "year"), "different"),
        ("yes", True, Column("b", "bool"), "right"),
        ("✓", True, Column("b", "bool"), "right"),
        ("false", True, Column("b", "bool"), "different"),
        ("No.", False, Column("b", "bool"), "right"),
        ("maybe", False, Column("b", "bool"), "different"),
        ("Foldable", True, Column("b", "bool", labels=("foldable", "rigid")), "right"),
        ("rigid", True, Column("b", "bool", labels=("foldable", "rigid")), "different"),
        ("rigid", False, Column("b", "bool", labels=("foldable", "rigid")), "right"),
        ("https://a.example/x", "http://www.a.example/x/", Column("u", "url"), "right"),
        ("a.example/x", "https://a.example/x", Column("u", "url"), "right"),
        ("[site](https://a.example/)", "https://a.example", Column("u", "url"), "right"),
        ("https://a.example/y", "https://a.example/x", Column("u", "url"), "different"),
        ("https://a.example/x?id=1", "https://a.example/x", Column("u", "url"), "different"),
        ("https://a.example/x#why?", "https://a.example/x", Column("u", "url"), "right"),
        ("4.1 m", 4.1, Column("Height (m)", "num", unit="m", decimals=1), "right"),
        ("-", "https://a.example", Column("u", "url"), "unreadable"),
        ("http://a.example:80/x", "a.example/x", Column("u", "url"), "right"),
        ("https://a.example:443/x#top", "a.example/x", Column("u", "url"), "right"),
        ("https://a.example:8080/x", "a.example/x", Column("u", "url"), "different"),
        ("https://a.example:8080/x", "a.example:8081/x", Column("u", "url"), "different"),
        ("https://a.example:8080", "a.example:8080", Column("u", "url"), "right"),
        ("https://me@a.example/%7ex", "a.example/%7Ex", Column("u", "url"), "right"),
        ("<https://a.example/x>", "a.example/x", Column("u", "url"), "right"),
        ("Imre【1†source】", "Imre", Column("t", "text"), "right"),
        ("b; a", ["a", "b"], Column("l", "list"), "right"),
        ("a, b", ["a", "b"], Column("l", "list"), "right"),
        ("a and b", ["a", "b"], Column("l", "list"), "right"),
        ("a<br>b", ["a", "b"], Column("l", "list"), "right"),
        ("a", ["a", "b"], Column("l", "list"), "different"),
        ("a; b; c", ["a", "b"], Column("l", "list"), "different"),
        ("a, b", ["a, b"], Column("l", "list"), "right"),
        ("still sold", None, Column("w", "date", none="still sold"), "right"),
        ("N/A", None, Column("w", "date", none="still sold"), "right"),
        ("—", None, Column("w", "date"), "right"),
        ("", None, Column("w", "date"), "empty"),
        ("  ", None, Column("w", "date"), "empty"),
        ("unknown", None, Column("w", "date"), "different"),
        ("2029-01-01", None, Column("w", "date"), "different"),
        ("none", 0, PLAIN, "unreadable"),
        ("Spring term", "Spring term", DAY, "right"),
        ("2029-W11-3", "2029-W11-3", DAY, "right"),
        ("none at all", "None at all", Column("u", "url"), "right"),
        ("a.example", "None at all", Column("u", "url"), "different"),
        ("Yes", "Yes", Column("b", "bool"), "right"),
        ("n/a.", "n/a", PLAIN, "right"),
        ("xxxx", "Spring term", DAY, "different"),
        ("hello", "unknown", PLAIN, "different"),
        ("*", "anything", Column("t", "text"), "different"),
        ("007", "7", Column("t", "text"), "different"),
        ("Neo Five", "Neo 5", Column("t", "text", aliases=(("Neo 5", ("Neo Five", "N5")),)), "right"),
        ("N5", "Neo 6", Column("t", "text", aliases=(("Neo 5", ("Neo Five", "N5")),)), "different"),
        ("b", "a", Column("e", "enum", labels=("a", "b"), aliases=(("a", ("b", "alpha")),)), "different"),
        ("alpha", "a", Column("e", "enum", labels=("a", "b"), aliases=(("a", ("b", "alpha")),)), "right"),
    ],
)
def test_a_cell_is_judged(span, value, col, word):
    assert verdict(span, value, col) == word
    assert is_right(span, value, col) == (word == "right")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Imre Halloway", "imre   HALLOWAY"),
        ("Imre\xa0Halloway", "Imre Halloway"),
        ("Zoë Ångström-Quill", "Zoe Angstrom Quill"),
        ("Іmrе Hаllowаy", "Imre Halloway"),
        ("Imre Hallo\xadway", "Imre Halloway"),
        ("Ｏ’Neil", "O'Neil"),
        ("Straße", "STRASSE"),
        ("Łódź", "Lodz"),
        ("A&B", "A and B"),
        ("1,234 Club", "1234 Club"),
        ("Foo, Bar.", "foo bar"),
        ("\u200fNeo\u200e", "Neo"),
        ("МОСКВА", "Москва"),
        ("𝐍𝐞𝐨", "Neo"),
    ],
)
def test_folding_ignores_what_is_only_spelling(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("S20", "S20+"),
        ("C", "C#"),
        ("1.5", "15"),
        ("v1.5", "v15"),
        ("-5", "5"),
        ("1 1", "11"),
        ("Neo 1 2", "Neo 12"),
        ("12,34", "1234"),
        ("が", "か"),
        ("-", ""),
        ("*", "a"),
    ],
)
def test_folding_keeps_what_tells_things_apart(one, other):
    col = Column("t", "text", key=True)
    assert not is_right(one, other, col)
    assert not is_right(other, one, col)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ａ１", "a1"),
        ("x²", "x2"),
        ("Æsir Œuvre Þor", "aesir oeuvre thor"),
        ("øłđðħı", "olddhi"),
        ("ɑɡʟɪʀʏɴʜᴀᴄᴏᴜ", "aglirynhacou"),
        ("авекмнорстухіјѕһԁԛԝѵьґӏ", "abekmhopctyxijshdqwvbrl"),
        ("αβεζηικμνορτυχ", "abezhikmnoptyx"),
        ("АВЕКМНОРСТУХ", "abekmhopctyx"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("a\u0301e\u0308", "ae"),
        ("a\u0300b\u036fc\u00add\u200be\u200ff", "abcdef"),
        ("a\u20ddb\ufe0fc", "abc"),
        ("a\u1ab0b", "ab"),
        ("a\U000e0101b", "ab"),
        ("a\tb\nc\u2003d\x1fe\x07f\u2028g", "a b c d e f g"),
        *((dash, "-") for dash in "‐‑‒–—―−"),
        ("it’s ‘so’ it's `x` x′y ʼn", "its so its x xy n"),
        ("a-b a–b a—b a‐b", "a b a b a b a b"),
        ("−5 -5 –5", "-5 -5 -5"),
        ("x -5", "x -5"),
        ("- 5", "5"),
        ("a.b 1.5 .5 5.", "a b 1.5 5 5"),
        ("1,234,567 1,23 12,345", "1234567 1 23 12345"),
        ("1,234,56", "1234 56"),
        ("«a» (b) [c] {d} “e” a/b a:b a;b a!b? a_b a*b", "a b c d e a b a b a b a b a b a b"),
        ("C# C++ 5% $5 a@b €5 5° a&b", "c# c++ 5% $5 a@b €5 5° a and b"),
        ("٣٤ ۵", "34 5"),
        ("。、！", "。、!"),
        ("---", "---"),
        ("—", "-"),
        (" – ", "-"),
    ],
)
def test_folding_character_by_character(text, folded):
    assert fold(text) == folded


def test_text_without_a_letter_is_still_text():
    assert fold("!!!") == "!!!"
    assert is_right("!!!", "!!!", Column("t", "text"))


@pytest.mark.parametrize("kind", ["text", "int", "num", "date", "year", "bool", "enum", "url", "list"])
@pytest.mark.parametrize("span", ["", " ", "\u0301", "\u200b"])
def test_of_nothing_there_is_no_reading(span, kind):
    assert read(span, kind) == ()


def test_entities_and_markup_are_not_part_of_a_value():
    col = Column("t", "text")
    assert is_right("&#73;mre&nbsp;Halloway", "Imre Halloway", col)
    assert is_right("***[Imre](http://x.example) <b>Halloway</b>***[^1]", "Imre Halloway", col)
    assert is_right("a\\_b", "a_b", col)
    assert is_right("*2431*", 2431, PLAIN)
    assert verdict("2*43*1", 2431, PLAIN) == "unreadable"
    assert verdict("__24__31", 2431, PLAIN) == "unreadable"


NUMBER_COLUMNS = st.sampled_from(
    [
        PLAIN,
        METRES,
        DOLLARS,
        THOUSANDS,
        Column("Weight", "int", unit="thousand tonnes"),
        Column("x", "int", unit="crowns"),
    ]
)


@given(st.integers(-(10**13), 10**13), NUMBER_COLUMNS)
def test_every_form_of_a_whole_number_is_accepted(value, col):
    for form in forms(value, col):
        assert verdict(form, value, col) == "right", form
        assert any(accepts(r, value, col) for r in read(form, col.kind))


@given(st.integers(-(10**9), 10**9), st.integers(1, 4))
def test_every_form_of_a_decimal_is_accepted(digits, decimals):
    value = digits / 10**decimals
    for col in (Column("x", "num", decimals=decimals), Column("x (%)", "num", unit="%", decimals=decimals)):
        for form in forms(value, col):
            assert verdict(form, value, col) == "right", form


@given(st.dates(date(1000, 1, 1), date(9998, 1, 1)))
def test_every_form_of_a_date_is_accepted_and_no_other_day_is(day):
    other = (day + timedelta(days=1)).isoformat()
    for form in forms(day.isoformat(), DAY):
        assert verdict(form, day.isoformat(), DAY) == "right", form
        assert verdict(form, other, DAY) == "different", form


@given(st.text(min_size=1, max_size=30).filter(lambda t: t.strip() and fold(t)))
def test_a_text_is_equal_to_itself(text):
    col = Column("t", "text")
    if read(text, "text"):
        assert is_right(text, text, col)


JUNK = st.text(alphabet="abcxyz !?-*&", max_size=12)


@given(JUNK, JUNK, st.sampled_from(["int", "num", "date", "year", "url"]))
def test_unreadable_is_never_equal_to_unreadable(one, other, kind):
    if read(one, kind) == () and read(other, kind) == () and squash(fold(one)) != squash(fold(other)):
        assert not is_right(one, other, Column("c", kind))


@given(st.text(alphabet="0123456789.,-+ %kmKM$e/()orto~", max_size=14), st.integers(-9999, 9999), NUMBER_COLUMNS)
def test_what_scores_is_accepted_in_some_reading(span, value, col):
    if is_right(span, value, col):
        assert any(accepts(r, value, col) for r in read(span, col.kind))


@given(st.text(max_size=200), st.sampled_from(["text", "int", "num", "date", "year", "bool", "enum", "url", "list"]))
def test_reading_never_fails(span, kind):
    for reading in read(span, kind):
        assert reading.kind in {"text", "num", "date", "year", "bool", "url", "list"}
        if reading.kind in {"num", "date", "year"}:
            assert reading.lo <= reading.hi
            assert reading.point is None or reading.lo <= reading.point <= reading.hi


@pytest.mark.parametrize(
    ("span", "value", "col", "bare", "hedged"),
    [
        ("2431", 2431, METRES, True, True),
        ("2,400", 2431, METRES, False, True),
        ("2,000", 2431, METRES, False, False),
        ("2,500", 2431, METRES, False, False),
        ("2.4 km", 2431, METRES, True, True),
        ("2.5 km", 2431, METRES, False, False),
        ("over 2,400", 2431, METRES, True, True),
        ("over 2,000", 2431, METRES, False, False),
        ("over 900", 1000, PLAIN, True, True),
        ("over 899", 1000, PLAIN, False, False),
        ("over 2,432", 2431, METRES, False, False),
        ("under 2,500", 2431, METRES, True, True),
        ("between 2,000 and 3,000", 2431, METRES, True, True),
        ("between 2,000 and 2,431", 2431, METRES, True, True),
        ("between 2,431 and 3,000", 2431, METRES, True, True),
        ("between 2,500 and 3,000", 2431, METRES, False, False),
        ("2320", 2431, Column("a", "int", tolerance=0.05), False, False),
        ("5 kg", 5, METRES, False, False),
        ("March 2029", "2029-03-14", DAY, True, True),
        ("March 2029", "2029-03-01", DAY, True, True),
        ("March 2029", "2029-03-31", DAY, True, True),
        ("March 2029", "Spring term", DAY, False, False),
        ("Q1 2029", "2029-03-14", DAY, True, True),
        ("2029", "2029-03-14", DAY, True, True),
        ("the 2020s", "2029-03-14", DAY, True, True),
        ("April 2029", "2029-03-14", DAY, False, False),
        ("15 March 2029", "2029-03-14", Column("d", "date", tolerance=31), False, False),
        ("1990s", 1995, Column("y", "year"), True, True),
        ("Neo 5", "Neo 5", Column("t", "text"), True, True),
        ("5", None, METRES, False, False),
    ],
)
def test_an_honest_writer_may_round_but_not_use_the_tolerance(span, value, col, bare, hedged):
    found = read(span, col.kind)
    assert [any(is_truthful(r, value, col, hedge=h) for r in found) for h in (False, True)] == [bare, hedged]


@pytest.mark.parametrize(
    ("value", "col", "printed"),
    [
        (None, DAY, "-"),
        (None, Column("w", "date", none="still sold"), "still sold"),
        (True, Column("b", "bool"), "Yes"),
        (False, Column("b", "bool", labels=("foldable", "rigid")), "rigid"),
        (12345, PLAIN, "12345"),
        (3.0, PERCENT, "3.0"),
        (12.25, Column("x", "num"), "12.25"),
        (12.0, Column("x", "num"), "12"),
        (["a", "b"], Column("l", "list"), "a; b"),
        ("2029-03-14", DAY, "2029-03-14"),
    ],
)
def test_the_printed_form_is_plain_and_comes_first(value, col, printed):
    assert show(value, col) == printed
    assert forms(value, col)[0] == printed


def test_forms_name_units_magnitudes_and_aliases():
    assert forms(1234000, METRES) == (
        *("1234000", "1,234,000", "1 234 000", "1.234.000", "1234000 m", "1,234,000 m"),
        *("1.234 million", "1234 thousand"),
    )
    assert forms(7, Column("x", "int", unit="crowns")) == ("7", "7 crowns", "seven")
    assert forms(7, Column("x", "int", unit="place")) == ("7", "seven")
    assert forms(730, THOUSANDS) == ("730", "730 thousand")
    assert forms(1234, THOUSANDS)[-2:] == ("1.234 million", "1234 thousand")
    assert forms(2 * 10**9, PLAIN)[-3:] == ("2 billion", "2000 million", "2000000 thousand")
    assert forms(2_000_500, PLAIN)[-1] == "2000.5 thousand"
    assert forms(0.00001, Column("x", "num")) == ("1e-05",)
    assert show(1e22, Column("x", "num")) == "1" + "0" * 22
    assert forms(999, PLAIN) == ("999",)
    assert forms(1000, PLAIN) == ("1000", "1,000", "1 000", "1 thousand")
    assert forms(1_000_001, PLAIN)[-1] == "1000.001 thousand"
    assert forms(12, PLAIN) == ("12", "twelve")
    assert forms(13, PLAIN) == ("13",)
    assert forms(0, PLAIN) == ("0", "zero")
    assert forms(-1, PLAIN) == ("-1", "−1")
    assert forms(-1234, PLAIN) == ("-1234", "-1,234", "-1 234", "-1.234 thousand", "−1234")
    assert forms(-0.4, Column("x", "num", decimals=1)) == ("-0.4", "-0,4", "−0.4")
    assert forms(12.345, Column("x", "num", decimals=3)) == ("12.345",)
    assert forms(7.0, Column("x", "num", decimals=1)) == ("7.0", "7,0", "seven")
    assert forms(["a", "b"], Column("l", "list")) == ("a; b", "a, b")
    assert forms(["a, b", "c"], Column("l", "list")) == ("a, b; c",)
    assert forms("ab", Column("l", "list")) == ("ab",)
    assert forms(["a", "b"], Column("t", "text")) == ("a; b",)
    assert forms(5, Column("x", "int", unit="of 10")) == ("5", "five")
    assert forms(5, Column("x", "int", unit="thousand USD")) == ("5", "5 thousand", "five")
    assert forms(True, Column("b", "bool")) == ("Yes",)
    assert forms(2029, Column("y", "year")) == ("2029",)
    assert forms(-12.5, PERCENT) == ("-12.5", "-12.5 %", "-12.5%", "-12,5", "−12.5")
    assert forms("Neo 5", Column("t", "text", aliases=(("Neo 5", ("N5",)),))) == ("Neo 5", "N5")
    assert forms("Spring", DAY) == ("Spring",)
    assert "May 1st, 2029" in forms("2029-05-01", DAY)
    assert "May 11th, 2029" in forms("2029-05-11", DAY)
    assert "12.5.2029" not in forms("2029-05-12", DAY)
    assert "13.5.2029" in forms("2029-05-13", DAY)
    assert "5.5.2029" in forms("2029-05-05", DAY)
    assert "4.5.2029" not in forms("2029-05-04", DAY)
    assert "May 12th, 2029" in forms("2029-05-12", DAY)
    assert "May 13th, 2029" in forms("2029-05-13", DAY)
    assert "May 10th, 2029" in forms("2029-05-10", DAY)
    assert "May 22nd, 2029" in forms("2029-05-22", DAY)
    assert "May 23rd, 2029" in forms("2029-05-23", DAY)


def test_a_column_survives_json():
    col = Column("a", "enum", "u", 2, 0.5, ("x", "y"), (("x", ("z",)),), key=True, free=True, none="-")
    assert Column.from_json(col.to_json()) == col
    assert Column("a", "text").to_json() == {"name": "a", "kind": "text"}
    with pytest.raises(ScoreError, match="unknown field 'tolerence'"):
        Column.from_json({"name": "a", "kind": "int", "tolerence": 1})
    for incomplete in ({"name": "a"}, {"kind": "int"}, {}):
        with pytest.raises(ScoreError, match="no name or no kind"):
            Column.from_json(incomplete)
    with pytest.raises(ScoreError, match="kind 'float'; known kinds: text, int"):
        Column("a", "float")
    with pytest.raises(ScoreError, match="tolerance -1"):
        Column("a", "int", tolerance=-1)
    with pytest.raises(ScoreError, match="tolerance nan"):
        Column("a", "int", tolerance=math.nan)


def test_a_value_of_another_kind_is_text():
    flag = Column("Foldable", "bool")
    (yes,) = read("yes", "bool")
    assert accepts(yes, True, flag)
    assert not accepts(yes, 1, flag)
    assert is_right("1", 1, flag)  # as text
    assert not is_right("yes", 1, flag)
    site = Column("Site", "url")
    assert is_right("7", 7, site)
    assert not is_right("8", 7, site)


@pytest.mark.parametrize("kind", ["text", "int", "num", "date", "year", "enum", "url"])
def test_a_truth_in_a_column_of_another_kind_is_its_word(kind):
    col = Column("c", kind)
    assert show(True, col) == "Yes"
    assert [verdict(word, True, col) for word in ("yes", "no", "1")] == ["right", "different", "different"]


@pytest.mark.parametrize(
    ("kind", "span", "value"),
    [
        ("num", "5", 5),
        ("date", "2029-03-14", "2029-03-14"),
        ("year", "2029", 2029),
        ("bool", "yes", True),
        ("url", "a.example", "a.example"),
        ("list", "b; a", ["a", "b"]),
    ],
)
def test_a_reading_of_one_kind_is_right_in_no_column_of_another(kind, span, value):
    (reading,) = dict.fromkeys(read(span, kind))
    others = {"text", "num", "date", "year", "bool", "url", "list"} - {kind}
    assert accepts(reading, value, Column("c", kind))
    assert not any(accepts(reading, value, Column("c", other)) for other in sorted(others))
    assert not accepts(reading, None, Column("c", kind))
    assert not any(accepts(none, None, Column("c", "list")) for none in read("none", "list"))


def test_a_decimal_of_a_column_without_decimals_is_not_rounded():
    loose = Column("Share", "num")
    assert is_right("5.5", 5.5, loose)
    assert not is_right("6", 5.5, loose)
    assert not is_right("5", 5.5, loose)
    assert is_right("5.5", 5.49, Column("Share", "num", decimals=1))


@pytest.mark.parametrize(
    ("span", "value", "good"),
    [
        ("5 thousand m", 5000, True),
        ("5 thousand m", 5, False),
        ("5 million m", 5_000_000, True),
        ("1_234 m", 1234, True),
        ("1 234 567,5 m", 1234567.5, True),
        ("5 (m)", 5, True),
    ],
)
def test_a_magnitude_before_a_unit_multiplies_it(span, value, good):
    assert is_right(span, value, METRES) is good


@pytest.mark.parametrize(("span", "hours"), [("11 h 0 min", 11), ("11 h 30 min", 11.5), ("0 h 30 min", 0.5)])
def test_hours_and_minutes_are_one_figure(span, hours):
    assert is_right(span, hours, Column("Test (h)", "num", unit="h", decimals=1))
    assert not is_right(span, hours + 1, Column("Test (h)", "num", unit="h", decimals=1))
    minute = 1 / 60
    assert [(r.lo, r.hi) for r in read(span, "num")] == [
        (pytest.approx(hours - minute / 2), pytest.approx(hours + minute / 2))
    ]


@pytest.mark.parametrize(("span", "metres"), [("1 m 80 cm", 1.8), ("5 m, 20 cm", 5.2), ("2 km 30 m", 2030)])
def test_metres_and_centimetres_are_one_figure(span, metres):
    assert is_right(span, metres, Column("Height (m)", "num", unit="m", decimals=1))
    assert not is_right(span, metres + 1, Column("Height (m)", "num", unit="m", decimals=1))


@pytest.mark.parametrize(
    "span", ["11 h 60 min", "-1 h 30 min", "1.5 h 30 min", "30 min 11 h", "11 h 30 km", "11 h 30 foo", "11 h 0.5 h"]
)
def test_parts_that_make_no_figure_are_not_read(span):
    assert not any(
        is_right(span, hours, Column("Test (h)", "num", unit="h", decimals=1)) for hours in (-0.5, 0.5, 2, 11, 11.5, 12)
    )


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("Best rating", "unrated best rating"),
        ("Rating", "not rated"),
        ("Release", "not yet released"),
        ("Closure", "not closed"),
        ("Withdrawal", "not withdrawn"),
        ("Sale", "unsold"),
        ("Phone: Sale (day)", "not sold"),
        ("Awarded", "unawarded"),
    ],
)
def test_what_denies_the_column_is_its_null(column, word):
    col = Column(column, "date", none="still there")
    assert is_right(word, None, col) is (column != "Best rating")
    assert not is_right(word, "2029-03-14", col)
    assert not is_right(word, None, Column("Height", "date")) or word == "not rated"


@pytest.mark.parametrize("metres", [123_456_789_123, 987_654_321_987, 100_000_000_001, 3, 7, 1_001])
def test_a_unit_is_converted_to_the_last_digit(metres):
    assert is_right(f"{metres // 1000}.{metres % 1000:03d} km", metres, METRES)
    assert not is_right(f"{metres // 1000}.{metres % 1000 + 1:03d} km", metres, METRES)


@pytest.mark.parametrize("span", ["minus minus 5", "- -5", "minus -5", "5 m pieces", "5 k 3", "5 5", "$", "m"])
def test_what_could_be_two_things_is_no_number(span):
    assert read(span, "num") == ()


@pytest.mark.parametrize("mark", "᪰᫿⃐⃿︀️\U000e0100")
def test_marks_over_letters_are_folded_away(mark):
    assert fold(f"a{mark}b") == "ab"


def test_a_number_is_not_accepted_for_a_text():
    (five,) = read("5", "num")
    assert not accepts(five, "Spring term", PLAIN)
    assert not accepts(five, None, PLAIN)
    assert accepts(five, "5", PLAIN)


@pytest.mark.parametrize(("span", "points"), [("one hundred and six", [106]), ("twenty and six", []), ("and six", [])])
def test_and_joins_only_what_follows_a_hundred_or_more(span, points):
    assert [reading.point for reading in read(span, "num")] == points


@pytest.mark.parametrize(
    ("span", "value", "col", "good"),
    [
        ("https://a.example/x?", "https://a.example/x?", Column("Site", "url"), True),
        ("5 m", 5_000_000, DOLLARS, True),
        ("5 m", 5, DOLLARS, False),
        ("5％", 5, PERCENT, True),
        ("5％", 0.05, Column("Share", "num"), True),
        ("5 million pieces", 5_000_000, PLAIN, True),
        ("spring term", "Spring term", Column("Term", "num"), True),
        ("20a", "20a", Column("Year", "year"), True),
        ("20", "20a", Column("Year", "year"), False),
    ],
)
def test_what_a_cell_may_be_in_its_column(span, value, col, good):
    assert is_right(span, value, col) is good


@pytest.mark.parametrize("tolerance", [math.inf, math.nan, -0.1])
def test_a_tolerance_is_finite_and_not_negative(tolerance):
    with pytest.raises(ScoreError, match="tolerance"):
        Column("n", "int", tolerance=tolerance)
