"""Units: their spellings, and what one of them is in another of the same dimension."""

import re
from functools import lru_cache
from typing import NamedTuple

from ..text import fold


class Unit(NamedTuple):
    """A unit: its name here, its dimension, and how many of the dimension's base unit it is."""

    name: str
    dimension: str
    factor: float


_SI = {
    "length": "nm:1e-9 um:1e-6 mm:1e-3 cm:1e-2 m:1 km:1e3 in:0.0254 ft:0.3048 yd:0.9144 mi:1609.344 nmi:1852",
    "mass": "mg:1e-6 g:1e-3 kg:1 t:1e3 oz:0.028349523125 lb:0.45359237",
    "time": "ms:1e-3 s:1 min:60 h:3600 days:86400 weeks:604800",
    "span": "months:1 years:12",
    "data": "B:1 KB:1e3 MB:1e6 GB:1e9 TB:1e12 PB:1e15",
    "bits": "bit:1 kbit:1e3 Mbit:1e6 Gbit:1e9",
    "rate": "kbit/s:1e3 Mbit/s:1e6 Gbit/s:1e9",
    "charge": "mAh:1e-3 Ah:1",
    "energy": "Wh:1 kWh:1e3 MWh:1e6 GWh:1e9 TWh:1e12",
    "power": "mW:1e-3 W:1 kW:1e3 MW:1e6 GW:1e9",
    "voltage": "mV:1e-3 V:1 kV:1e3",
    "current": "mA:1e-3 A:1",
    "frequency": "Hz:1 kHz:1e3 MHz:1e6 GHz:1e9",
    "speed": "km/h:0.2777777777777778 mph:0.44704 m/s:1 kn:0.5144444444444445",
    "area": "m2:1 ft2:0.09290304 km2:1e6 ha:1e4 acres:4046.8564224",
    "volume": "ml:1e-3 cl:1e-2 L:1 m3:1e3 gal:3.785411784",
    "ratio": "%:1e-2",
    "temperature": "°C:1",
    "fahrenheit": "°F:1",
    "resolution": "MP:1",
}
_SPELLINGS = {
    "nm": "nanometre nanometres nanometer nanometers",
    "um": "µm μm micron microns micrometre micrometres",
    "mm": "millimetre millimetres millimeter millimeters",
    "cm": "centimetre centimetres centimeter centimeters",
    "m": "metre metres meter meters",
    "km": "kilometre kilometres kilometer kilometers kms",
    "in": 'inch inches "',
    "ft": "foot feet",
    "yd": "yard yards",
    "mi": "mile miles",
    "mg": "milligram milligrams",
    "g": "gram grams gramme grammes gr",
    "kg": "kilogram kilograms kilo kilos kgs",
    "t": "tonne tonnes",
    "lb": "lbs pound-mass",
    "oz": "ounce ounces",
    "ms": "millisecond milliseconds",
    "s": "sec secs second seconds",
    "min": "mins minute minutes",
    "h": "hr hrs hour hours",
    "days": "day d",
    "weeks": "week wk wks",
    "months": "month",
    "years": "year yr yrs years-old year-old yrs-old yr-old years-of-age y/o",
    "B": "byte bytes",
    "KB": "kb kilobyte kilobytes",
    "MB": "mb megabyte megabytes",
    "GB": "gb gig gigs gigabyte gigabytes",
    "TB": "tb terabyte terabytes",
    "mAh": "mah milliampere-hours milliamp-hours",
    "Ah": "ampere-hours",
    "Wh": "watt-hours",
    "kWh": "kilowatt-hours",
    "W": "watt watts",
    "kW": "kilowatt kilowatts",
    "MW": "megawatt megawatts",
    "GW": "gigawatt gigawatts",
    "Hz": "hertz",
    "km/h": "kmh kph",
    "m2": "sqm sq-m square-metre square-metres square-meter square-meters",
    "m3": "cbm",
    "km2": "sqkm sq-km square-kilometre square-kilometres square-kilometer square-kilometers",
    "ft2": "sqft sq-ft square-foot square-feet",
    "ha": "hectare hectares",
    "acres": "acre",
    "ml": "mL millilitre millilitres",
    "L": "l litre litres liter liters",
    "gal": "gallon gallons",
    "%": "percent pct per-cent percentage-points pp ％",
    "°C": "℃ degc",
    "°F": "℉ degf",
    "MP": "mp megapixel megapixels",
    "Mbit/s": "mbps Mbps",
    "Gbit/s": "gbps Gbps",
    "kbit/s": "kbps",
}
_MONEY = {
    "USD": "us$ usd dollar dollars us-dollar us-dollars",
    "EUR": "€ euro euros",
    "GBP": "£ pound pounds sterling",
    "JPY": "yen jp¥",
    "CNY": "rmb yuan cn¥ 元 人民币",
    "INR": "₹ rs rupee rupees",
    "KRW": "₩ won",
    "CHF": "franc francs",
    "CAD": "c$ ca$",
    "AUD": "a$ au$",
    "NZD": "nz$",
    "SGD": "s$",
    "HKD": "hk$",
    "SEK": "",
    "NOK": "",
    "DKK": "",
    "BRL": "r$",
    "MXN": "",
    "$": "",  # any dollar: what a column of dollars, whichever they are, lets stand
    "¥": "",  # yen or yuan, likewise
}
_OPEN_MONEY = {"$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"), "¥": ("JPY", "CNY")}

MAGNITUDES: dict[str, int] = {
    "hundred": 2,
    "thousand": 3,
    "thousands": 3,
    "k": 3,
    "million": 6,
    "millions": 6,
    "mn": 6,
    "mio": 6,
    "m": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "b": 9,
    "trillion": 12,
    "tn": 12,
    "lakh": 5,
    "lakhs": 5,
    "crore": 7,
    "crores": 7,
    "千": 3,
    "万": 4,
    "萬": 4,
    "百万": 6,
    "亿": 8,
    "億": 8,
}
COUNT_NOUNS = frozenset(
    ("unit", "units", "piece", "pieces", "pc", "pcs", "item", "items", "copy", "copies", "people", "person", "persons")
)


def _table() -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for dimension, line in _SI.items():
        for name, factor in (pair.split(":") for pair in line.split()):
            units[name] = Unit(name, dimension, float(factor))
    for name in _MONEY:
        units[name] = Unit(name, name, 1.0)
    for name, line in (_SPELLINGS | _MONEY).items():
        for spelling in line.split():
            units.setdefault(spelling.replace("-", " "), units[name])
    return units


_UNITS = _table()
_CASELESS = {name.casefold(): unit for name, unit in reversed(_UNITS.items())}


@lru_cache(maxsize=4096)
def unit_named(words: str) -> Unit | None:
    """Return the unit these words name, by exact case first ("MB" and "Mb", "mW" and "MW"), then without case."""
    words = words.strip().rstrip(".")
    words = words.replace("²", "2").replace("³", "3").replace("^", "")
    return _UNITS.get(words) or _CASELESS.get(words.casefold().replace("-", " "))


class Measure(NamedTuple):
    """What a column counts: a unit, or None for a unit nobody knows; its folded words; and a power of ten."""

    unit: Unit | None
    words: str
    scale: int


@lru_cache(maxsize=4096)
def measure(words: str) -> Measure:
    """Read a column's unit: "USD", "thousand", "million USD", "thousands of tonnes", "k€", "USD '000", "of 10"."""
    kept: list[str] = []
    scale = 0
    for word in _GLUED.sub(" ", _ZEROS.sub(" thousand ", words)).split():
        power = MAGNITUDES.get(word.casefold(), 0) if len(word) > 1 else 0
        scale += power
        if not power and not (scale and word.casefold() in ("of", "in")):
            kept.append(word)
    letters = [word for word in kept if word.casefold() in _LETTERS]
    money = unit_named(" ".join(word for word in kept if word not in letters)) if len(letters) == 1 else None
    if money and money.dimension == money.name:
        return Measure(money, fold(money.name), scale + MAGNITUDES[letters[0].casefold()])
    rest = " ".join(kept)
    return Measure(unit_named(rest) if rest else None, fold(rest) if rest else "", scale)


_ZEROS = re.compile(r"(?<![\d.,])['’]?000(?:['’]?s)?(?!\w)")
_LETTERS = frozenset("kmb")
_GLUED = re.compile(
    r"(?<=[€£$¥])(?=(?:k|m|bn|mn|b)\b)|(?<=\bk)(?=[€£$¥]|[A-Z]{3}\b)|(?<=\bm)(?=[€£$¥])|(?<=[A-Z]{3})(?=k\b)"
)


def same_money(written: str, wanted: str) -> bool:
    """Whether a sign that several currencies share ("$") may stand for the column's."""
    return wanted in _OPEN_MONEY.get(written, ())
