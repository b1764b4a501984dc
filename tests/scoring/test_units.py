import pytest

from worldsmith.scoring import Column, is_right, read, verdict
from worldsmith.scoring.values.units import measure, unit_named

# unit: (what one is in the unit after it, ways to write it)
LENGTHS = {
    "nm": (1e-9, "nanometre nanometres nanometer nanometers"),
    "um": (1e-6, "µm μm micron microns micrometre micrometres"),
    "mm": (1e-3, "millimetre millimetres millimeter millimeters MM"),
    "cm": (1e-2, "centimetre centimetres centimeter centimeters Cm"),
    "m": (1, "metre metres meter meters Metres"),
    "km": (1000, "kilometre kilometres kilometer kilometers kms KM"),
    "in": (0.0254, "inch inches"),
    "ft": (0.3048, "foot feet"),
    "yd": (0.9144, "yard yards"),
    "mi": (1609.344, "mile miles"),
    "nmi": (1852, ""),
}
OTHERS = {
    "g": {
        "mg": (1e-3, "milligram milligrams"),
        "g": (1, "gram grams gramme grammes gr"),
        "kg": (1000, "kilogram kilograms kilo kilos kgs"),
        "t": (1e6, "tonne tonnes"),
        "oz": (28.349523125, "ounce ounces"),
        "lb": (453.59237, "lbs"),
    },
    "s": {
        "ms": (1e-3, "millisecond milliseconds"),
        "s": (1, "sec secs second seconds"),
        "min": (60, "mins minute minutes"),
        "h": (3600, "hr hrs hour hours"),
        "days": (86400, "day d"),
        "weeks": (604800, "week wk wks"),
    },
    "months": {"months": (1, "month"), "years": (12, "year yr yrs")},
    "MB": {
        "B": (1e-6, "byte bytes"),
        "KB": (1e-3, "kilobyte kilobytes kb"),
        "MB": (1, "megabyte megabytes mb"),
        "GB": (1000, "gigabyte gigabytes gb gig gigs"),
        "TB": (1e6, "terabyte terabytes tb"),
        "PB": (1e9, ""),
    },
    "Mbit": {"bit": (1e-6, ""), "kbit": (1e-3, ""), "Mbit": (1, ""), "Gbit": (1e3, "")},
    "Mbit/s": {"kbit/s": (1e-3, "kbps"), "Mbit/s": (1, "Mbps mbps"), "Gbit/s": (1e3, "gbps Gbps")},
    "Ah": {"mAh": (1e-3, "mah milliampere-hours milliamp-hours"), "Ah": (1, "ampere-hours")},
    "kWh": {
        "Wh": (1e-3, "watt-hours"),
        "kWh": (1, "kilowatt-hours"),
        "MWh": (1e3, ""),
        "GWh": (1e6, ""),
        "TWh": (1e9, ""),
    },
    "kW": {
        "mW": (1e-6, ""),
        "W": (1e-3, "watt watts"),
        "kW": (1, "kilowatt kilowatts"),
        "MW": (1e3, "megawatt megawatts"),
        "GW": (1e6, "gigawatt gigawatts"),
    },
    "V": {"mV": (1e-3, ""), "V": (1, ""), "kV": (1e3, "")},
    "A": {"mA": (1e-3, ""), "A": (1, "")},
    "Hz": {"Hz": (1, "hertz"), "kHz": (1e3, ""), "MHz": (1e6, ""), "GHz": (1e9, "")},
    "m/s": {"km/h": (1 / 3.6, "kmh kph"), "mph": (0.44704, ""), "m/s": (1, ""), "kn": (1852 / 3600, "")},
    "m2": {
        "m2": (1, "sqm m² m^2"),
        "km2": (1e6, "sqkm km²"),
        "ha": (1e4, "hectare hectares"),
        "acres": (4046.8564224, "acre"),
    },
    "L": {
        "ml": (1e-3, "mL millilitre millilitres"),
        "cl": (1e-2, ""),
        "L": (1, "l litre litres liter liters"),
        "m3": (1e3, "m³ m^3"),
        "gal": (3.785411784, "gallon gallons"),
    },
    "%": {"%": (1, "percent pct per-cent percentage-points pp")},
    "°C": {"°C": (1, "℃ degc")},
    "°F": {"°F": (1, "℉ degf")},
    "MP": {"MP": (1, "mp megapixel megapixels")},
}
TABLES = {"m": LENGTHS, **OTHERS}
ROWS = [(base, name, size, words.split()) for base, units in TABLES.items() for name, (size, words) in units.items()]


@pytest.mark.parametrize(("base", "name", "size", "words"), ROWS)
def test_a_unit_has_its_size_and_its_spellings(base, name, size, words):
    unit, one = unit_named(name), unit_named(base)
    assert (unit.name, unit.dimension) == (name, one.dimension)
    assert unit.factor / one.factor == pytest.approx(size, rel=1e-12)
    for word in words:
        assert unit_named(word.replace("-", " ")) is unit
        assert unit_named(f" {word}. ") is unit


def test_units_of_different_things_never_convert():
    dimensions = [unit_named(base).dimension for base in TABLES]
    assert dimensions == [
        *("length", "mass", "time", "span", "data", "bits", "rate", "charge", "energy", "power", "voltage", "current"),
        *("frequency", "speed", "area", "volume", "ratio", "temperature", "fahrenheit", "resolution"),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("USD", "us$ usd dollar dollars us-dollar us-dollars US$"),
        ("EUR", "€ euro euros Euro"),
        ("GBP", "£ pound pounds sterling"),
        ("JPY", "yen jp¥"),
        ("CNY", "rmb yuan cn¥ 元 人民币"),
        ("INR", "₹ rs rupee rupees"),
        ("KRW", "₩ won"),
        ("CHF", "franc francs"),
        ("CAD", "c$ ca$"),
        ("AUD", "a$ au$"),
        ("NZD", "nz$"),
        ("SGD", "s$"),
        ("HKD", "hk$"),
        ("SEK", "sek"),
        ("NOK", "nok"),
        ("DKK", "dkk"),
        ("BRL", "r$"),
        ("MXN", "mxn"),
        ("$", "$"),
        ("¥", "¥"),
    ],
)
def test_money_has_its_names(name, words):
    for word in words.split():
        assert unit_named(word.replace("-", " ")).name == name
    assert verdict(f"5 {name}", 5, Column("price", "int", unit=name)) == "right"
    assert verdict(f"{name} 5", 5, Column("price", "int", unit=name)) == "right"


def test_a_shared_sign_stands_for_each_of_its_currencies_and_no_other():
    for name in ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN", "$"):
        assert verdict("$5", 5, Column("price", "int", unit=name)) == "right"
        assert verdict(f"5 {name}", 5, Column("price", "int", unit="$")) == "right"
    for name in ("JPY", "CNY", "¥"):
        assert verdict("¥5", 5, Column("price", "int", unit=name)) == "right"
    assert verdict("$5", 5, Column("price", "int", unit="EUR")) == "unit"
    assert verdict("¥5", 5, Column("price", "int", unit="USD")) == "unit"


@pytest.mark.parametrize(
    ("words", "power"),
    [
        ("hundred", 2),
        ("thousand", 3),
        ("thousands", 3),
        ("k", 3),
        ("K", 3),
        ("千", 3),
        ("万", 4),
        ("萬", 4),
        ("lakh", 5),
        ("lakhs", 5),
        ("million", 6),
        ("millions", 6),
        ("mn", 6),
        ("mio", 6),
        ("mio.", 6),
        ("百万", 6),
        ("crore", 7),
        ("crores", 7),
        ("亿", 8),
        ("億", 8),
        ("billion", 9),
        ("billions", 9),
        ("bn", 9),
        ("trillion", 12),
        ("tn", 12),
        ("hundred million", 8),
        ("thousand billion", 12),
    ],
)
def test_a_magnitude_is_a_power_of_ten(words, power):
    assert [(r.point, r.unit) for r in read(f"3 {words}", "num")] == [(3 * 10**power, "ones")]
    assert [(r.point, r.unit) for r in read(f"3 {words} kg", "num")] == [(3 * 10**power, "kg")]


@pytest.mark.parametrize(("letter", "unit", "power"), [("m", "m", 6), ("M", "m", 6), ("b", "B", 9), ("B", "B", 9)])
def test_a_letter_may_be_a_unit_or_a_magnitude(letter, unit, power):
    assert [(r.point, r.unit) for r in read(f"3{letter}", "num")] == [(3, unit), (3 * 10**power, "ones")]
    assert [(r.point, r.unit) for r in read(f"€3{letter}", "num")] == [(3 * 10**power, "EUR")]
    assert verdict(f"3{letter}", 3, Column("x", "int", unit=unit)) == "right"
    assert verdict(f"3{letter}", 3 * 10**power, Column("x", "int", unit="kg")) == "right"
    assert [r.unit for r in read(f"3 {letter} km", "num")] == ["km"]


@pytest.mark.parametrize(
    "noun", ["unit", "units", "piece", "pieces", "pcs", "item", "items", "copies", "people", "persons"]
)
def test_count_nouns_count_ones(noun):
    assert [r.unit for r in read(f"5 {noun}", "num")] == ["ones"]


@pytest.mark.parametrize(
    ("words", "unit", "folded", "scale"),
    [
        ("", None, "", 0),
        ("thousand", None, "", 3),
        ("million USD", "USD", "usd", 6),
        ("USD million", "USD", "usd", 6),
        ("bn USD", "USD", "usd", 9),
        ("thousand tonnes", "t", "tonnes", 3),
        ("m", "m", "m", 0),
        ("k", None, "k", 0),
        ("crowns", None, "crowns", 0),
        ("of 10", None, "of 10", 0),
        ("hundred thousand", None, "", 5),
    ],
)
def test_a_columns_unit_is_taken_apart(words, unit, folded, scale):
    found = measure(words)
    assert (found.unit.name if found.unit else None, found.words, found.scale) == (unit, folded, scale)


@pytest.mark.parametrize(
    ("span", "value", "col", "word"),
    [
        ("1500 kg", 1.5, Column("Load", "num", unit="thousand kg", decimals=1), "right"),
        ("1.5 t", 1.5, Column("Load", "num", unit="thousand kg", decimals=1), "right"),
        ("1.5 kg", 1.5, Column("Load", "num", unit="thousand kg", decimals=1), "different"),
        ("5", 5, Column("Length (km)", "int"), "right"),
        ("5000 m", 5, Column("Length (km)", "int"), "right"),
        ("5 m", 5, Column("Length (km)", "int"), "different"),
        ("5 thousand", 5, Column("Sold (thousand)", "int"), "right"),
        ("5 apples", 5, Column("Sold (net)", "int"), "unit"),
        ("5 apples", 5, Column("Apples sold (net)", "int"), "right"),
        ("5 thousand", 5, Column("Sold (net thousand)", "int"), "different"),
        ("5 thousand", 5, Column("Sold (thousand kg)", "int"), "right"),
        ("5 t", 5, Column("Sold (thousand kg)", "int"), "right"),
        ("5 apples", 5, Column("Sold (km)", "int"), "unit"),
        ("5 apples", 5, Column("Sold", "int", unit="pears"), "unit"),
        ("5 kg", 5, Column("Sold", "int", unit="pears"), "unit"),
        ("5 pear", 5, Column("Sold", "int", unit="pears"), "right"),
        ("8 of 10", 8, Column("Rating", "int", unit="of 10"), "right"),
        ("8 of 5", 8, Column("Rating", "int", unit="of 10"), "unreadable"),
        ("8 out of 20", 8, Column("Rating /20", "int"), "right"),
        ("8/100 points", 8, Column("Rating of 100", "int"), "right"),
        ("4/5 stars", 4, Column("Stars (of 5)", "int"), "right"),
        ("50%", 0.5, Column("Share", "num", decimals=2), "right"),
        ("25.4 mm", 1, Column("Size (in)", "int"), "right"),
        ("0.001", 1, Column("Size (in)", "int"), "different"),
    ],
)
def test_a_written_unit_is_converted_to_the_columns(span, value, col, word):
    assert verdict(span, value, col) == word


@pytest.mark.parametrize(
    ("column", "good"), [(Column("Rank", "int"), True), (Column("Rank", "int", unit="points"), False)]
)
def test_a_tied_place_is_a_rank_and_no_number_of_points(column, good):
    for cell in ("6=", "joint 6th", "T6", "6 of 12"):
        assert is_right(cell, 6, column) is good


AGE, TERM, COUNT = Column("Age", "int"), Column("Term (years)", "int", unit="years"), Column("Faults found", "int")


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "70 years old",
            "70-year-old",
            "70 yrs old",
            "aged 70",
            "Aged 70",
            "70 years of age",
            "70 y/o",
            "age 70",
            "Age: 70",
        ),
        *("about 70 years old", "70 years", "seventy years old", "aged 70 years", "70 years old.", "**70** years old"),
    ],
)
def test_an_age_is_a_number_of_years(cell):
    for col in (AGE, TERM):
        assert (verdict(cell, 70, col), verdict(cell, 71, col)) == ("right", "different")
    assert verdict(cell, 70, Column("Weight (g)", "int", unit="g")) == "unit"
    assert verdict(cell, 70, COUNT) == "unit"


@pytest.mark.parametrize("cell", ["aged 70 g", "70 years old 71", "70-year", "aged", "70 months old", "aged 70 or 71"])
def test_what_is_no_age(cell):
    assert verdict(cell, 70, AGE) != "right" or cell == "70-year"


@pytest.mark.parametrize(
    ("cell", "col"),
    [
        *(
            ("3 faults", COUNT),
            ("3 Fault", COUNT),
            ("3 faults found", COUNT),
            ("three faults", COUNT),
            ("3 faults of all", COUNT),
        ),
        *(("3 apples", Column("Apples", "int")), ("3 apple", Column("Green apples sold", "int"))),
        *(("3 green apples", Column("Apples", "int")), ("3 children", Column("Children", "int"))),
        *(
            ("3 people", Column("Person count", "int")),
            ("3 cities", Column("City", "int")),
            ("3 colours", Column("Colors", "int")),
        ),
        *(("3 goals", Column("Won", "int", labels=("goals",))), ("3 apples", Column("Sold", "int", unit="apples"))),
        *(
            (f"3 {word}", COUNT)
            for word in ("items", "pieces", "people", "units", "entries", "times", "copies", "persons")
        ),
        *(
            (f"3 {words}", COUNT)
            for words in ("in total", "total", "overall", "altogether", "approx.", "in all", "to date")
        ),
        *(("approx. 3", COUNT), ("3, in total", COUNT), ("3 faults in total", COUNT), ("3 (faults)", COUNT)),
    ],
)
def test_a_number_may_be_of_what_its_column_counts(cell, col):
    assert (verdict(cell, 3, col), verdict(cell, 4, col)) == ("right", "different")


@pytest.mark.parametrize(
    "noun",
    [
        "kingdom of gold",
        "kingdoms",
        "apples",
        "gold",
        "kings of faults",
        "faults apples",
        "fault lines",
        "Zomborik",
        "year",
    ],
)
@pytest.mark.parametrize("number", ["0", "3", "three", "zero"])
def test_a_noun_that_its_column_does_not_know_is_no_unit(noun, number):
    value = {"0": 0, "zero": 0}.get(number, 3)
    assert verdict(f"{number} {noun}", value, COUNT) == "unit"
    assert verdict(f"{number} {noun}", value, Column("Cost (USD)", "int", unit="USD")) == "unit"
