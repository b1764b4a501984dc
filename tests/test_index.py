"""Search: what is asked for is found, any text is a query, pages of results join up, order hangs on nothing."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pages_world import isles

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.index import DEPTH, PHRASES, SLIPS, Index, read_query, tokens
from worldsmith.pages.index.build import COMPANY, Fielder, _in_company, companies, guessable, take_stock
from worldsmith.pages.index.reading import WordReader
from worldsmith.pages.titles import title
from worldsmith.schema import load_schema
from worldsmith.simulate.protocol import Call
from worldsmith.simulate.slices import slice_for

WORLD = isles()
PAGES = Pages(WORLD)
INDEX = Index(PAGES)


@pytest.fixture(scope="module", params=[("smartphones", 7), ("town", 3)], ids=str)
def full(request) -> Index:
    name, seed = request.param
    return Index(Pages(generate(load_schema(Path(__file__).parent.parent / "schemas" / f"{name}.toml"), seed)))


def found(query: str, k: int = 10, page: int = 1, index: Index = INDEX) -> list[str]:
    """The pages that match."""
    return [page_id for page_id, score in index.search(query, k, page)[0] if score > 0 or "site:" in query]


def called(page_id: str) -> str:
    return title(PAGES.page(page_id), PAGES.page(page_id).cells, PAGES.words)


def test_an_entity_is_found_by_its_name(full):
    pages = full.pages
    for table in pages.abouts:
        for row in list(pages.world.rows_of(table))[::5]:
            top = found(" ".join(pages.keys(row)), index=full)
            assert pages.about(row) in top[:3], (row, top)


def test_the_entity_page_stands_first():
    ranks = [found(name).index(f"light/{i}") for i, name in enumerate(WORLD.tables["light"]["name"])]
    assert sum(rank == 0 for rank in ranks) >= 20
    assert max(ranks) <= 1


def test_lists_are_found_by_their_scope():
    assert called(found("lighthouses of slate stone")[0]) == "Lighthouses by stone: slate"
    assert called(found("visits in the year 2027")[0]) == "Visits by year: 2027"
    assert any(p.startswith("posts/") for p in found("lighthouses by keeper Dov Hallebrand")[:2])


def test_background_is_found_without_a_cell():
    assert found("how do you work, do you take hearsay")[0].startswith("world-guide/")


@pytest.mark.parametrize(
    ("query", "page_id"),
    [
        ("selkirra ness", "light/5"),
        ("SÉLKIRRA", "light/5"),
        ("Corigane", "light/10"),  # a letter left out
        ("Stennarys lighthouses", "light/14"),  # plural
        ("inverlsuk", "light/23"),  # two letters swapped
        ("Mentors of Maro Pelisk", "keeper/1"),
    ],
)
def test_accents_plurals_and_slips_still_find(query, page_id):
    assert page_id in found(query)[:2]


def test_tokens_with_digits_are_never_corrected():
    assert found("2029-10-11") == []
    assert found("1902-05-08") == []  # one day off
    assert "light/4" in found("1902-05-09")
    assert found("x9 40000000") == []


def test_quotes_ask_for_neighbours():
    assert set(found('granite "Orvane Head"')) < set(found("granite Orvane Head", 60))
    exact = found('"Quillet Stack"')
    assert "light/3" in exact
    assert all("Quillet Stack" in str(PAGES.page(p).cells) for p in exact)
    assert found('"Head Orvane"') == found("Head Orvane")  # nowhere: read as words


def test_a_phrase_is_where_a_field_says_it(full):
    for query in ('"score of"', '"shop"', '"street shop"', '"launch price"', '"a reader\'s guide"', '"phone of brand"'):
        (phrase,) = read_query(query).phrases or [()]
        said = {i for i, page_id in enumerate(full.ids) if _says(full, page_id, phrase)}
        assert not phrase or set(full._documents_with_phrase(phrase).tolist()) == said


def _says(index: Index, page_id: str, phrase: tuple[str, ...]) -> bool:
    page = index.pages.page(page_id)
    fields, n = Fielder(index.pages).fields(page, page.cells), len(phrase)
    return any(tuple(terms[at : at + n]) == phrase for terms in fields for at in range(len(terms) - n + 1))


COSTLY = {
    "one phrase over and over": '"lighthouse keeper" ' * 100,
    "many phrases": " ".join(f'"lighthouse {a}{b}"' for a in "abcdefgh" for b in "klmnopqrstuv"),
    "many unknown words": " ".join(f"qz{a}{b}xw" for a in "abcdefghijklm" for b in "abcdefghijklmnopqrst"),
}


@pytest.mark.parametrize("query", COSTLY.values(), ids=COSTLY)
def test_no_query_costs_more_than_a_few_others(query, monkeypatch):
    work = {"phrases": 0, "near": 0}

    def counted(name, method):
        def call(self, *args):
            work[name] += 1
            return method(self, *args)

        return call

    monkeypatch.setattr(Index, "_documents_with_phrase", counted("phrases", Index._documents_with_phrase))
    monkeypatch.setattr(WordReader, "_nearest", counted("near", WordReader._nearest))
    assert 1200 < len(query) <= 2000
    INDEX.search(query, 10, 1)
    assert work["phrases"] <= PHRASES
    assert work["near"] <= SLIPS


def test_how_many_unknown_words_are_read_hangs_on_the_query_alone():
    words = [f"lighthous{a}{b}" for a in "abc" for b in "klmnopqrst"]
    fresh = Index(PAGES).search(" ".join(words), 10, 1)
    index = Index(PAGES)
    for word in reversed(words):
        index.search(word, 10, 1)
    assert index.search(" ".join(words), 10, 1) == fresh


def test_site_and_minus():
    host = PAGES.site("stones/0").host
    assert {p.rpartition("/")[0] for p in found(f"lighthouses site:{host}")} == {"stones"}
    assert len(found(f"site:{host}")) == 4
    assert {p.rpartition("/")[0] for p in found(f"granite -site:{host}")} & {"stones"} == set()
    assert found("granite site:nowhere.example") == []
    every = set(found("granite lighthouse", 60))
    without = set(found("granite lighthouse -manned", 60))
    assert without < every
    assert {p.rpartition("/")[0] for p in every - without} == {"light"}
    assert without == set(found("granite lighthouse -manned -11 -1961-03-04 -yes", 60))
    assert read_query("a-b x--y - -").without == ()


def test_a_site_may_be_a_part_of_one():
    host = PAGES.site("stones/0").host
    pages = {page_id: PAGES.url(page_id).removeprefix(f"https://{host}/") for page_id in found(f"site:{host}", 60)}
    parts = {path.partition("/")[0] for path in pages.values()}
    for part in parts:
        expected = {page_id for page_id, path in pages.items() if path == part or path.startswith(f"{part}/")}
        for form in (
            f"{host}/{part}",
            f"https://www.{host.upper()}/{part}/",
            f"*.{host}/{part}/*",
            f"{host}:80/{part}?a=1",
        ):
            assert set(found(f"site:{form}", 60)) == expected
            assert set(found(f"granite site:{host} -site:{form}", 60)) == set(pages) - expected
        assert found(f"site:{host}/{part[:-1]}", 60) == []
    one = next(iter(pages.values()))
    assert set(found(f"site:{host}/{one} site:{host}/nowhere", 60)) == {p for p, path in pages.items() if path == one}
    assert found(f"site:{host}/nowhere") == []


def test_a_filter_of_many_hosts_is_read_whole():
    host = PAGES.site("stones/0").host
    others = " ".join(f"site:{n}-old-town-courier.example/news" for n in range(299))
    assert found(f"after:1900 {others} site:{host} granite", 60) == found(f"after:1900 site:{host} granite", 60)
    assert set(found(f"{others.replace('site:', '-site:')} -site:{host} granite", 60)).isdisjoint(
        found(f"site:{host}", 60)
    )
    assert len(read_query(f"{others} {'granite ' * 1000}").words) == 250


@pytest.mark.parametrize("query", ["slate", '"slate"', "Maro Pellisk", "Yes", "1899", "nmi", "2026"])
def test_what_only_a_page_tells_is_not_matched_word_by_word(query):
    assert not any(page_id.startswith("light/") for page_id in found(query, DEPTH))


def test_a_list_is_not_found_by_the_rows_in_it():
    assert not any(page_id.startswith(("stones/", "posts/")) for page_id in found("Orvane Head", DEPTH))


def test_results_on_a_host_never_end_where_matches_end():
    host = PAGES.site("light/0").host
    every = found(f"site:{host}", DEPTH)
    assert len(every) == 24
    assert every == sorted(every)
    for words in ("slate", "qzxv", "2", '"Dov Hallebrand"', "granite Yes", '"of slate"'):
        assert found(f"site:{host} {words}", DEPTH) == every, words
    assert found(f"site:{host} Yarrick", DEPTH) == ["light/17", *(p for p in every if p != "light/17")]
    assert found(f"site:{host} -slate -11 -yes", DEPTH) == every


def test_a_query_tries_one_number_and_one_text():
    host = PAGES.site("light/0").host
    lit = WORLD.tables["light"]["lit"]
    assert found(f"site:{host} {lit[20]}")[0] == "light/20"
    for query in (f"{lit[20]} {lit[7]}", f"1799-01-01 {lit[20]} {lit[7]}"):
        assert found(f"site:{host} {query}", DEPTH)[1:] == found(f"site:{host} {query.split()[0]}", DEPTH)[1:]
    assert found(f"site:{host} 999 {lit[20]}", DEPTH) == found(f"site:{host}", DEPTH)  # a wrong one counts too


def test_values_of_a_narrow_column_are_not_known():
    host = PAGES.site("light/0").host
    heights = WORLD.tables["light"]["height"]
    assert len(set(heights)) == len(heights)  # all differ, of fifty that there may be
    assert found(f"site:{host} {heights[20]}", DEPTH) == found(f"site:{host}", DEPTH)
    assert guessable(PAGES) == {("keeper", "born"), ("light", "lit"), ("light", "closed")}


@pytest.mark.parametrize("name", ["chip", "ram", "foldable", "brand", "best", "dear", "surface", "line", "keeper"])
def test_values_that_many_share_move_nothing(full, name):
    pages = full.pages
    for table, kinds in pages.abouts.items():
        form, host = pages.world.schema.tables[table], pages.kinds[kinds[0]].site.host
        if name not in form.names or name in form.key or (table, name) in companies(pages):
            continue
        usual, column = found(f"site:{host}", DEPTH, index=full), pages.world.tables[table][name]
        for value in sorted({str(v) for v in column if v is not None}):
            shown = found(f"site:{host} {value}", DEPTH, index=full)
            named = {p for p in shown if set(tokens(value)) & set(tokens(" ".join(pages.keys(pages.page(p).subject))))}
            assert [p for p in shown if p not in named] == [p for p in usual if p not in named][: DEPTH - len(named)]


@pytest.fixture(scope="module")
def shops() -> Index:
    return Index(Pages(generate(load_schema(Path(__file__).parent.parent / "schemas" / "town.toml"), 3)))


def test_no_number_of_searches_tells_a_name_from_its_company(shops):
    pages = shops.pages
    assert companies(pages) == {("shop", "keeper"), ("shop", "landlord"), ("resident", "trade")}
    for table, col in sorted(companies(pages)):
        held: dict = {}
        for i, value in enumerate(pages.world.tables[table][col]):
            if value is not None:
                held.setdefault(value, []).append(i)
        documents: dict = {}
        for said, i in _in_company(pages, (table, col), held):
            documents.setdefault(said, set()).add(i)
        alike: dict = {}
        for said, rows in documents.items():
            alike.setdefault(frozenset(rows), set()).add(said)
        assert len(documents) == len(held)
        assert all(len(company) >= COMPANY for company in alike.values())
        assert sum(map(len, alike)) == sum(map(len, held.values()))  # no row in two companies
        for value, rows in held.items():
            assert set(rows) <= documents[tuple(tokens(value))]


def test_a_name_moves_the_rows_of_its_company(shops):
    keepers, host = shops.pages.world.tables["shop"]["keeper"], shops.pages.site("shop/0").host
    for keeper in sorted(set(keepers))[::6]:
        telling = [
            shops.ids[i] for i in shops._documents_of_value(tuple(tokens(keeper))) if shops.ids[i].startswith("shop/")
        ]
        # A shop whose own name shares a word may come between them.
        assert set(telling) <= set(found(f"site:{host} {keeper}", DEPTH, index=shops)[: len(telling) + 3])
        assert {f"shop/{i}" for i, held in enumerate(keepers) if held == keeper} <= set(telling)


def test_a_row_is_found_by_a_name_where_its_table_is_meant(shops):
    world = shops.pages.world
    places = []
    for i, keeper in enumerate(world.tables["shop"]["keeper"]):
        hits = found(f"which shops are kept by {keeper}?", DEPTH, index=shops)
        assert hits[0] == shops.pages.about(world.find("resident", keeper))
        places.append(hits.index(f"shop/{i}") if f"shop/{i}" in hits else 99)
    assert sum(place < 10 for place in places) > 0.4 * len(places)
    assert sum(place < 20 for place in places) > 0.9 * len(places)


def test_a_query_tries_one_name(shops):
    host, keepers = shops.pages.site("shop/0").host, sorted(set(shops.pages.world.tables["shop"]["keeper"]))
    alone = found(f"site:{host} {keepers[0]}", DEPTH, index=shops)
    assert found(f"site:{host} {' '.join(keepers[:40])}", DEPTH, index=shops) == alone


def test_what_lists_put_together_has_no_company(full):
    pages = full.pages
    served = {(spec.list, spec.by) for spec in pages.world.schema.pages if spec.list}
    assert not served & companies(pages)
    assert all(pages.words.columns[place].see != "linked" for place in companies(pages))


@pytest.mark.parametrize("column", ["price", "battery", "floor", "score", "line", "street", "chip"])
def test_no_list_and_no_directory_moves_for_what_it_does_not_say(full, column):
    pages = full.pages
    kinds = [
        k
        for k in pages.kinds.values()
        if k.name.endswith("-directory") or any(s.list for s in pages.world.schema.pages if s.name == k.name)
    ]
    for kind in kinds:
        form = pages.world.schema.tables[kind.table]
        if column not in form.names or column == getattr(kind, "by", ""):
            continue
        usual = found(f"site:{kind.site.host}", DEPTH, index=full)
        for value in sorted({str(v) for v in pages.world.tables[kind.table][column] if v is not None}):
            said = {p for p in usual if set(tokens(value)) & set(tokens(_heading(full, p)))}
            shown = found(f"site:{kind.site.host} {value}", DEPTH, index=full)
            assert [p for p in shown if p not in said] == [p for p in usual if p not in said][: DEPTH - len(said)]


def _heading(index: Index, page_id: str) -> str:
    page = index.pages.page(page_id)
    return " ".join(" ".join(field) for field in Fielder(index.pages).fields(page, page.cells))


def test_days_are_filtered_by_what_pages_claim():
    days = {page_id: PAGES.page(page_id).date for page_id in INDEX.ids}
    usual = found("lighthouse", DEPTH)
    assert None in {days[p] for p in usual}
    for query, passes in {
        "after:2028-06-15": lambda day: day >= "2028-06-15",
        "after:2029": lambda day: day >= "2029-01-01",
        "before:2028-12": lambda day: day < "2028-12-01",
        "newer_than:100d": lambda day: day >= "2029-03-22",
        "after:2028-06-15 before:2028-12-01": lambda day: "2028-06-15" <= day < "2028-12-01",
    }.items():
        kept = found(f"lighthouse {query}", DEPTH)
        assert kept == [p for p in usual if days[p] and passes(days[p])], query
        assert kept
        everything, _ = INDEX.search(f"lighthouse {query}", DEPTH, 1)
        assert all(days[p] and passes(days[p]) for p, _ in everything)


@pytest.mark.parametrize("text", ["after:", "after:20", "before:2029-13-45", "newer_than:30", "after:30d", "intitle:x"])
def test_what_is_no_operator_is_words(text):
    query = read_query(text)
    assert (query.since, query.until, query.newest) == (0, 0, 0)


def test_words_that_mean_the_same_find():
    assert found("heaviness Yarrick") == found("Yarrick")  # no label here means that
    assert "tallness" not in INDEX._vocabulary
    assert found("tallness", DEPTH) == found("height", DEPTH)
    assert found("keeper of lighthouses proprietor")[0] == found("keeper of lighthouses keeper")[0]
    assert "stones/0" in found("lighthouses made of granite stone")  # its own phrase


def test_every_query_that_matches_has_as_many_hits():
    sizes = {query: len(INDEX.search(query, DEPTH, 1)[0]) for query in ("Yarrick", "lighthouse", "slate", "1902-05-09")}
    assert set(sizes.values()) == {min(DEPTH, int(INDEX.stock.live.sum()))}
    for query in ("qzxv", "x9 40000000", "2029-10-11", ""):
        assert INDEX.search(query, 10, 1) == ([], False)


def test_what_follows_the_matches_hangs_on_the_first_alone():
    def following(query: str) -> list[str]:
        return [p for p, score in INDEX.search(query, DEPTH, 1)[0] if score == 0]

    guessed = following("1902-05-09")
    assert guessed[:2] == ["light-directory/0", "posts/0"]
    assert guessed[2:5] == ["light/5", "light/6", "light/7"]  # its neighbours from there on


def test_pages_of_results_join_up():
    query = "lighthouse granite keeper"
    whole, _ = INDEX.search(query, 60, 1)
    parts = [INDEX.search(query, 7, n) for n in range(1, 10)]
    assert [hit for hits, _ in parts for hit in hits] == whole
    assert [more for _, more in parts] == [7 * n < len(whole) for n in range(1, 10)]
    assert len(whole) <= DEPTH
    scores = [score for _, score in whole]
    assert scores == sorted(scores, reverse=True)
    for (a, x), (b, y) in pairwise(whole):
        assert x > y or a < b


HOSTILE = (
    "",
    " ",
    '"',
    '""',
    "-",
    "--",
    "site:",
    "-site:",
    'site:"',
    '"-"',
    "\\",
    "NEAR(",
    "a OR",
    "*",
    "%",
    "'; drop",
    "\x00",
)


@given(st.one_of(st.text(max_size=60), st.sampled_from(HOSTILE), st.lists(st.sampled_from(HOSTILE)).map("".join)))
@example("-" * 5000)
@example("a" * 5000)
@settings(max_examples=300, deadline=None)
def test_no_query_is_an_error(query):
    hits, more = INDEX.search(query, 10, 1)
    assert len(hits) <= 10
    assert isinstance(more, bool)


def test_terms():
    assert tokens("The 1,250 Batteries of the Galaxy-X2") == ["1250", "battery", "galaxy", "x2"]
    assert tokens("2029-03-04: 7.5 mAh, 12GB") == ["2029-03-04", "7.5", "mah", "12", "gb"]
    assert tokens("glass buses boxes ties") == ["glass", "buse", "box", "tie"]
    query = read_query('phones "launch price" site:https://www.A.example/x -old -"second hand"')
    assert query.words == ("phone", "launch", "price")
    assert query.phrases == (("launch", "price"),)
    assert read_query('"b c" ' * 9 + '"c d" "e f" "g h" "j k"').phrases == (
        ("b", "c"),
        ("c", "d"),
        ("e", "f"),
        ("g", "h"),
    )
    assert query.hosts == ("a.example/x",)
    assert query.without == ("old", "second", "hand")


def test_a_cut_takes_the_hits_of_a_search():
    part = slice_for(PAGES, INDEX, Call("web_search", "Orvane Head", k=2))
    assert [v.page.id for v in part.views] == found("Orvane Head", 2)
    assert part.more
    sizes = {len(slice_for(PAGES, INDEX, Call("web_search", f"lighthouse {word}")).views) for word in "abcdefgh"}
    assert sizes == {9, 10}
    assert slice_for(PAGES, INDEX, Call("web_search", "lighthouse", page=50)).views == ()


def test_a_cut_takes_the_one_page_of_an_extract():
    page = PAGES.page("light/3")
    assert [v.page for v in slice_for(PAGES, INDEX, Call("web_extractor", page.url)).views] == [page]
    assert slice_for(PAGES, INDEX, Call("web_extractor", "https://nowhere.example/")).views == ()
    assert not slice_for(PAGES, INDEX, Call("web_extractor", "no url at all")).more


def test_two_indices_of_a_world_are_one(full):
    again = Pages(full.pages.world)
    other = Index(again, take_stock(again))
    for query in ("phones by brand", "score of 100", "street", "2029"):
        assert other.search(query, 20, 1) == full.search(query, 20, 1)


STRANGE = {
    "100 kB": "lighthouse granite " * 5300,
    "operators": 'site: -site: "" - -- after: before:9999-99-99 newer_than:99999d intitle:"x" OR (a AND NOT b)* ~c^2',
    "quotes": '"' * 4001,
    "sql": "'; DROP TABLE pages; -- 1 OR 1=1 UNION SELECT * FROM light",
    "patterns": "(a+)+$ ((((a*)*)*)*) [[:alpha:]] \\ .* {{7*7}} %s %n ${jndi:ldap}",
    "control": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029\ufeff\u202e",
    "unicode": "ﬁ İ ß Ǆ \U0001f600 e\u0301\u0301 한국어 日本語 العربية \ud7ff ½ ٣٤",
    "numbers": "9" * 3000 + " 1,2,3 -9e999 NaN 2029-02-30 0x1F",
    "names": " ".join(f'"{name}"' for name in WORLD.tables["light"]["name"]),
    "hosts": " ".join(f"site:{n}.example -site:{n}{n}.example" for n in range(90)),
}


@pytest.mark.parametrize("query", STRANGE.values(), ids=STRANGE)
def test_a_strange_query_is_a_query(query):
    for page in (1, 2, 100):
        hits, _ = INDEX.search(query, 10, page)
        assert len({page_id for page_id, _ in hits}) == len(hits) <= 10
    assert INDEX.search(query + " " * 100_000, 10, 1) == INDEX.search(query, 10, 1)


def test_dormant_pages_are_found_where_they_are_asked_for_alone(monkeypatch):
    plan = Pages.plan
    monkeypatch.setattr(Pages, "plan", lambda self, p: replace(plan(self, p), dormant=p.startswith("log/")))
    pages = Pages(WORLD)
    index = Index(pages, take_stock(pages))
    for query in ("Orvane Head", "site:" + PAGES.site("log/0").host, "visits", "Orvane -granite"):
        shown = [p for p, _ in index.search(query, DEPTH, 1)[0]]
        whole = [p for p, _ in index.search(query, DEPTH, 1, hidden=True)[0]]
        assert not any(p.startswith("log/") for p in shown)
        assert any(p.startswith("log/") for p in whole)
        assert [p for p in whole if p in shown][:5] == shown[:5]
    assert slice_for(index.pages, index, Call("web_search", "Orvane Head")).views[0].page.id == "light/0"
