"""The language: what is read, how it is typed and lowered, what is refused, and where the error points."""

import json

import pytest

from worldsmith.errors import ExprError, FormatError
from worldsmith.expr import (
    RESERVED,
    Call,
    Const,
    Node,
    Path,
    Ref,
    Type,
    Types,
    compile_python,
    fold_constants,
    from_json,
    outcomes,
    parse,
    paths,
    python_source,
    sql,
    text,
    to_json,
)

AS_OF = "2029-11-30"
TYPES: Types = {
    "phone": {
        "name": "text",
        "brand": Ref("brand", "text"),
        "chip": Ref("chip", "text"),
        "replaces": Ref("phone", "text"),
        "announced": "date",
        "released": "date",
        "withdrawn": "date",
        "foldable": "bool",
        "wide": "bool",
        "price": "int",
        "weight": "int",
        "screen": "num",
        "days": "int",
    },
    "chip": {"name": "text", "score": "int", "announced": "date", "process": "int", "maker": Ref("firm", "text")},
    "brand": {"name": "text", "share": "num"},
    "sale": {"phone": Ref("phone", "text"), "quarter": "date", "units": "int"},
}


def read(source: str, table: str = "phone", want: Type | None = None) -> Node:
    return parse(source, table, TYPES, as_of=AS_OF, want=want)


def shape(node: Node) -> str:
    """Write a tree with its types, operations first."""
    if isinstance(node, Const):
        return f"{node.value!r}:{node.type}"
    if isinstance(node, Path):
        return f"{'.'.join(node.parts)}:{node.type}"
    return f"({node.op} {' '.join(map(shape, node.args))}):{node.type}"


GOLDEN = {
    "price": "price:int",
    "phone.chip.score": "phone.chip.score:int",
    "- price - -5": "(- (neg price:int):int -5:int):int",
    "price + weight * 2 - 1": "(- (+ price:int (* weight:int 2:int):int):int 1:int):int",
    "price / 2": "(/ price:int 2:int):num",
    "price * 0.5": "(* price:int 0.5:num):num",
    "not foldable or price >= 800": "(or (not foldable:bool):bool (>= price:int 800:int):bool):bool",
    "foldable or wide and price = 1 or wide": (
        "(or foldable:bool (and wide:bool (= price:int 1:int):bool):bool wide:bool):bool"
    ),
    "not foldable and not price <> 3": ("(and (not foldable:bool):bool (not (!= price:int 3:int):bool):bool):bool"),
    "foldable and (wide and foldable)": "(and foldable:bool wide:bool foldable:bool):bool",
    "replaces is not null": "(not (is null replaces:text):bool):bool",
    "replaces.brand = brand": "(= replaces.brand:text brand:text):bool",
    "released BETWEEN '2029-01-01' AND as_of": ("(between released:date '2029-01-01':date '2029-11-30':date):bool"),
    "price not in (1, -2, 3.5)": "(not (in price:int 1:int -2:int 3.5:num):bool):bool",
    "released in ('2029-01-01')": "(in released:date '2029-01-01':date):bool",
    "case when foldable then 1 when wide then 2.5 end": ("(case foldable:bool 1:int wide:bool 2.5:num None:num):num"),
    "case when wide then released else '2029-01-01' end": "(case wide:bool released:date '2029-01-01':date):date",
    "name || ' of ' || brand": "(|| name:text ' of ':text brand:text):text",
    "coalesce(withdrawn, '2029-12-31') > as_of": (
        "(> (coalesce withdrawn:date '2029-12-31':date):date '2029-11-30':date):bool"
    ),
    "least(price, screen, 3)": "(least price:int screen:num 3:int):num",
    "ROUND(price / 3)": "(round (/ price:int 3:int):num):int",
    "round(price / 3, 1)": "(round (/ price:int 3:int):num 1:int):num",
    "days(released, '2027-02-01') + days": "(+ (days released:date '2027-02-01':date):int days:int):int",
    "add_days(released, 92) <= as_of": "(<= (add_days released:date 92:int):date '2029-11-30':date):bool",
    "yr(released) * 12 + mon(date '2029-01-01')": (
        "(+ (* (yr released:date):int 12:int):int (mon '2029-01-01':date):int):int"
    ),
    "length('it''s')": '(length "it\'s":text):int',
    "(foldable = wide) = true": "(= (= foldable:bool wide:bool):bool True:bool):bool",
}


@pytest.mark.parametrize("source", list(GOLDEN))
def test_lowered_tree(source: str) -> None:
    node = read(source, "sale" if source.startswith("phone.") else "phone")
    assert shape(node) == GOLDEN[source]


WRITTEN = {
    "((price)) + (weight * (2))": "price + weight * 2",
    "price - (weight - 1)": "price - (weight - 1)",
    "(price - weight) - 1": "price - weight - 1",
    "price / (weight * 2)": "price / (weight * 2)",
    "(price + 1) * 2": "(price + 1) * 2",
    "-(-price) - (-5)": "-(-price) - -5",
    "-(price + 1)": "-(price + 1)",
    "not (foldable and wide)": "not (foldable and wide)",
    "(foldable or wide) and wide": "(foldable or wide) and wide",
    "not (price in (1,2))": "price not in (1, 2)",
    "(price between 1 and 2) = wide": "(price between 1 and 2) = wide",
    "not not foldable is null": "not foldable is not null",
    "foldable = (not wide)": "foldable = (not wide)",
    "as_of": "date '2029-11-30'",
    "coalesce(date '2029-01-01', '2029-01-02')": "coalesce(date '2029-01-01', '2029-01-02')",
    "as_of < withdrawn": "'2029-11-30' < withdrawn",
    "case when wide then null else 1 end": "case when wide then null else 1 end",
    "case when wide then 1 else null end": "case when wide then 1 end",
    "0.0000001 * 1.50": "0.0000001 * 1.5",
    "price <> 1": "price != 1",
}


@pytest.mark.parametrize("source", WRITTEN)
def test_canonical_text(source: str) -> None:
    node = read(source)
    assert text(node) == WRITTEN[source]
    assert read(text(node)) == node


# Every expression of a whole schema, as authors write them

AUTHORED: list[tuple[str, str, Type]] = [
    ("chip", "2200 - 380 * process + days(announced, '2027-02-01')", "num"),
    ("phone", "days(announced, chip.announced) between 30 and 800", "bool"),
    ("phone", "chip.score / 2.2 + case when foldable then 700 else 0 end", "num"),
    ("phone", "96 + battery / 46 + case when foldable then 40 else 0 end", "num"),
    ("phone", "replaces.brand = brand and replaces.announced < announced", "bool"),
    ("phone", "days(released, announced)", "int"),
    ("phone", "foldable", "bool"),
    ("sale", "quarter > phone.released", "bool"),
    ("sale", "2600 - phone.price", "num"),
    ("review", "5 + phone.chip.score / 900", "num"),
    ("review", "phone.battery / 400", "num"),
    ("phone", "not foldable or price >= 800", "bool"),
    ("phone", "battery < 6000 or weight >= 215", "bool"),
    ("phone", "chip.process < 4 or price <= 1500", "bool"),
    ("phone", "not foldable or chip.process <= 3", "bool"),
    ("phone", "replaces.released < released or replaces is null", "bool"),
    ("chip", "process > 2 or announced >= '2027-09-01'", "bool"),
    ("sale", "phone.withdrawn is null or quarter <= add_days(phone.withdrawn, 92)", "bool"),
    ("review", "stars <= 7.5 or phone.price >= 400", "bool"),
    ("review", "published <= as_of", "bool"),
    ("brand", "sold >= 2000 and models >= 3", "bool"),
    ("brand", "share < 60", "bool"),
]
MARKET: Types = {
    "brand": {"name": "text", "models": "int", "sold": "int", "share": "num"},
    "chip": {"name": "text", "announced": "date", "process": "int", "score": "int"},
    "phone": {
        "name": "text",
        "brand": Ref("brand", "text"),
        "announced": "date",
        "released": "date",
        "chip": Ref("chip", "text"),
        "foldable": "bool",
        "price": "int",
        "battery": "int",
        "weight": "int",
        "replaces": Ref("phone", "text"),
        "withdrawn": "date",
    },
    "sale": {"phone": Ref("phone", "text"), "quarter": "date", "units": "int"},
    "review": {"phone": Ref("phone", "text"), "published": "date", "stars": "num"},
}
VALUES = {  # a row by path: what the authored expressions give on it
    "announced": "2029-01-10",
    "released": "2029-03-01",
    "chip.announced": "2028-12-01",
    "phone.released": "2029-03-01",
    "phone.withdrawn": "2029-06-01",
    "replaces.announced": "2028-01-10",
    "replaces.released": "2028-02-10",
    "replaces.brand": "Oppo",
    "brand": "Oppo",
    "replaces": "One",
    "quarter": "2029-09-30",
    "published": "2029-12-01",
    "process": 3,
    "chip.process": 4,
    "chip.score": 2200,
    "phone.chip.score": 1800,
    "foldable": True,
    "battery": 4600,
    "phone.battery": 5000,
    "price": 900,
    "phone.price": 600,
    "weight": 200,
    "stars": 7.6,
    "sold": 1999,
    "models": 3,
    "share": 60.0,
}
GIVEN = [
    2200 - 1140 + 709,
    True,
    2200 / 2.2 + 700,
    96 + 100 + 40,
    True,
    50,
    True,
    True,
    2000,
    7.0,
    12.5,
    True,
    True,
    True,
    False,
    True,
    True,
    False,
    True,
    False,
    False,
    False,
]


@pytest.mark.parametrize(("authored", "given"), list(zip(AUTHORED, GIVEN, strict=True)), ids=[a[1] for a in AUTHORED])
def test_an_authored_expression_works(authored: tuple[str, str, Type], given: object) -> None:
    table, source, want = authored
    node = parse(source, table, MARKET, as_of=AS_OF, want=want)
    function, columns = compile_python(node)
    assert function(*(VALUES[".".join(path)] for path in columns)) == given
    assert text(node).replace("as_of", f"'{AS_OF}'") == source.replace("as_of", f"'{AS_OF}'")


# What is refused

REFUSED = {
    # hostile
    "price; drop table phone": "';' means nothing here",
    "price = 1; select 1": "';' means nothing here",
    "(select max(price) from phone)": "no column 'select'",
    "price in (select price from phone)": "no column 'select'",
    "exists (select 1)": "no function 'exists'",
    "read_csv('/etc/passwd')": "no function 'read_csv'",
    "load_extension('x')": "no function 'load_extension'",
    "randomblob(1000000000)": "no function 'randomblob'",
    "printf('%.*c', 400000000, 'x')": "no function 'printf'",
    "random() > 0": "no function 'random'",
    "__import__('os')": "no function '__import__'",
    "price.__class__": "is a whole number, no reference",
    "name.upper()": "is a text, no reference",
    "lambda: 1": "':' means nothing here",
    "rank() over (order by price)": "totals of rows",
    "sum(price)": "totals of rows",
    "count(*)": "totals of rows",
    "max(price, 3)": "totals of rows",
    "price -- weight": "no comments here",
    "price /* x */": "no comments here",
    'price = "weight"': "texts stand in single quotes",
    "`price`": "names stand in no quotes",
    "[price]": "'[' means nothing here",
    "price = ?": "'?' means nothing here",
    "price = $1": "'$' means nothing here",
    "price\x00 = 1": "means nothing here",
    "name = 'a\nb'": "printable characters only",
    "name = '\x00'": "printable characters only",
    "(" * 200 + "price" + ")" * 200: "nested too deeply",
    "not " * 120 + "foldable": "nested too deeply",
    "- " * 200 + "price": "nested too deeply",
    "price" + " + price" * 60: "nested too deeply",
    "abs(" * 60 + "price" + ")" * 60: "nested too deeply",
    "price > 0 and " * 50 + "wide": "at most 500 characters",
    "as_of = withdrawn or " * 23 + "wide": "over 500 characters",
    "price > 9999999999999": "numbers go up to 1e+12",
    "price > 1e400": "without exponent",
    "add_days(released, 99999999)": "at most 40000 days",
    "add_days(released, -40001)": "at most 40000 days",
    "round(screen, 400)": "a literal from 0 to 6",
    "round(screen, -3)": "a literal from 0 to 6",
    "round(screen, price)": "a literal from 0 to 6",
    # clumsy
    "": "expected a value",
    "   ": "expected a value",
    "prise > 3": "no column 'prise'. Did you mean 'price'?",
    "Price > 3": "no column 'Price'. Did you mean 'price'?",
    "chip.scor > 3": "no column 'scor'. Did you mean 'score'?",
    "chip.maker.name = 'x'": "no table 'firm'",
    "phone.price > 3": "Columns of 'phone' itself are written without its name",
    "price.amount": "is a whole number, no reference: nothing follows its dot",
    "chip. = 3": "expected a column of table 'chip' after the dot, found '='",
    "roundd(price)": "no function 'roundd'. Did you mean 'round'?",
    "abs()": "expected an argument of 'abs'",
    "abs(price, 2)": "'abs' takes 1 argument, not 2",
    "days(released)": "'days' takes 2 arguments, not 1",
    "least(price)": "'least' takes 2 or more arguments, not 1",
    "round(price, 1, 2)": "'round' takes 1 to 2 arguments, not 3",
    "1 < price < 3": "comparisons don't chain",
    "price = weight = 3": "comparisons don't chain",
    "price == 3": "equality is written =",
    "price = null": "write `is null`",
    "price in (1, null)": "'in' takes a list of literals",
    "price in (weight, 1)": "'in' takes a list of literals",
    "price in ()": "expected a value",
    "price in 3": "a list of literals after 'in'",
    "price is 3": "expected 'null' or 'not null' after 'is'",
    "price between 1": "expected 'and' between the two bounds",
    "price not like 'x'": "expected 'between' or 'in' after 'not'",
    "name like 'x%'": "expected an operator or the end, found 'like'",
    "foldable && wide": "write and",
    "!foldable": "write not",
    "price % 2 = 0": "there is no remainder",
    "price and wide": "'and' wants true or false here, not a whole number",
    "not price": "'not' wants true or false here, not a whole number",
    "foldable < wide": "not true and false",
    "greatest(foldable, wide)": "not true and false",
    "price = '3'": "can't bring a whole number and a text together",
    "name > 3": "can't bring a text and a whole number together",
    "released > 2029": "can't bring a date and a whole number together",
    "released > '2029-02-30'": "is no valid date",
    "released > '2029-2-3'": "is no valid date",
    "released > '20290203'": "is no valid date",
    "released > name": "can't bring a date and a text together",
    "date '2029-13-01' > released": "is no valid date",
    "released + 3": "Write days(a, b)",
    "released - announced": "Write days(a, b)",
    "name + 'x'": "Texts are joined by ||",
    "name || price": "'||' wants a text here, not a whole number",
    "name * 2": "'*' wants a number here, not a text",
    "-name": "wants a number here, not a text",
    "length(price)": "'length' wants a text here, not a whole number",
    "yr(price)": "'yr' wants a date here, not a whole number",
    "add_days(released, 1.5)": "'add_days' takes a whole number of days",
    "case when price then 1 end": "wants true or false here",
    "case when wide then 1 else 'x' end": "together",
    "case when wide then null end": "nothing but null",
    "case price when 1 then 2 end": "expected 'when'",
    "case when wide then 1": "expected 'end'",
    "case when wide 1 end": "expected 'then'",
    "coalesce(null, null)": "nothing but null",
    "(price + 1": "expected ')'",
    "price + 1)": "expected an operator or the end, found ')'",
    "price +": "expected a value (a column, a literal, a function, 'case' or '('), found the end",
    "price weight": "expected an operator or the end, found 'weight'",
    "name = 'x": "this text has no closing quote",
    "1.": "numbers are written 12 or 12.5",
    ".5 < screen": "expected a value",
    "12_000 < price": "numbers are written 12 or 12.5",
    "800usd < price": "numbers are written 12 or 12.5",
    "price = ½": "'½' means nothing here",
    "foldable = not wide": "put parentheses around 'not …'",
    "today() > released": "the day of the world is as_of",
    "if(wide, 1, 2)": "write case when",
    "ifnull(price, 2)": "write coalesce",
    "year(released)": "write yr",
    "cast(price as text)": "no casts",
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda s: s[:40].replace("\x00", "NUL") or "nothing")
def test_is_refused(source: str) -> None:
    with pytest.raises(ExprError) as error:
        read(source)
    assert REFUSED[source] in str(error.value)


@pytest.mark.parametrize(
    ("source", "under"),
    [
        ("price > 3 and prise < 4", "prise"),
        ("released > '2029-02-30'", "'2029-02-30'"),
        ("price between 1 and name", "name"),
        ("price + (weight * name)", "name"),
        ("x", "x"),
        ("price > 3 ?", "?"),
    ],
)
def test_an_error_points_at_the_word(source: str, under: str) -> None:
    with pytest.raises(ExprError) as error:
        read(source)
    message, line, caret = str(error.value).split("\n")
    assert line.strip() == source
    assert line[caret.index("^") :].startswith(under)
    assert message.startswith(f"at position {source.index(under) + 1}: ")


def test_an_error_in_a_long_line_shows_the_part_around_it() -> None:
    source = "price > 0 and " * 12 + "prise > 0" + " and price > 0" * 12
    with pytest.raises(ExprError) as error:
        read(source)
    _, line, caret = str(error.value).split("\n")
    assert len(line) < 120
    assert line[caret.index("^") :].startswith("prise")
    assert line.startswith("  …")
    assert line.endswith("…")


def test_the_place_says_which_type_it_wants() -> None:
    assert read("price", want="num") == Path(("price",), "int")
    assert read("'2029-01-01'", want="date") == Const("2029-01-01", "date")
    assert read("null", want="bool") == Const(None, "bool")
    for source, want in [("price", "bool"), ("screen", "int"), ("name", "date"), ("released", "text")]:
        with pytest.raises(ExprError, match="the whole expression has to be"):
            read(source, want=want)
    with pytest.raises(ExprError, match="no valid date"):
        read("'2029-02-30'", want="date")


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(ExprError, match=r"no table 'fone'. Did you mean 'phone'\?"):
        read("price", "fone")


def test_reserved_words_are_those_that_cannot_be_columns() -> None:
    for word in sorted(RESERVED):
        try:
            node = parse(word.upper(), "t", {"t": {word: "int", word.upper(): "int"}}, as_of=AS_OF)
        except ExprError:
            continue
        assert isinstance(node, Const)
    types: Types = {"t": {"end": "int", "up": Ref("t", "text"), "days": "int", "Null_": "int", "größe": "int"}}
    assert parse("up.end + days + Null_ + größe", "t", types, as_of=AS_OF).type == "int"


# Reading a tree


def test_paths_come_once_in_order_of_first_use() -> None:
    node = read("chip.score > price or replaces.chip.score > chip.score and wide")
    assert paths(node) == (("chip", "score"), ("price",), ("replaces", "chip", "score"), ("wide",))
    assert compile_python(node)[1] == paths(node)
    assert paths(read("1 + 1")) == ()


def missing(*names: str) -> object:
    return lambda path: ".".join(path) in names


FOLDED = {
    ("1 + 2 * 3", ()): "7:int",
    ("1 / 0", ()): "None:num",
    ("price > 1 + 1", ()): "(> price:int 2:int):bool",
    ("days(as_of, '2029-11-01')", ()): "29:int",
    ("not foldable or price >= 800", ("foldable",)): "(or None:bool (>= price:int 800:int):bool):bool",
    ("foldable and wide", ("foldable", "wide")): "None:bool",
    ("price + chip.score > 3", ("chip.score",)): "None:bool",
    ("withdrawn is null or price > 3", ("withdrawn",)): "True:bool",
    ("withdrawn is not null and price > 3", ("withdrawn",)): "False:bool",
    ("true and wide", ()): "wide:bool",
    ("wide or wide", ()): "wide:bool",
    ("case when foldable then 700 else price end", ("foldable",)): "price:int",
    ("case when foldable then 0.5 else price end", ("foldable",)): "(coalesce price:int None:num):num",
    ("case when true then wide else foldable end", ()): "wide:bool",
    ("case when wide then 1 when true then 2 else price end", ()): "(case wide:bool 1:int 2:int):int",
    ("round(case when true then 2 else screen end)", ()): "2:int",
    ("case when wide then price when true then 2 else 0.5 end", ()): "(case wide:bool price:int 2.0:num):num",
    ("coalesce(withdrawn, released, as_of)", ("withdrawn",)): "(coalesce released:date '2029-11-30':date):date",
    ("coalesce(withdrawn, as_of, released)", ("withdrawn",)): "'2029-11-30':date",
    ("coalesce(screen, price)", ("screen",)): "(coalesce price:int None:num):num",
    ("add_days(released, 30000 + 30000)", ()): "None:date",
    ("name || 'a' || 'b'", ("name",)): "None:text",
    ("price between weight and 3", ("weight",)): "(between price:int None:int 3:int):bool",
}


@pytest.mark.parametrize(("source", "absent"), FOLDED)
def test_folding(source: str, absent: tuple[str, ...]) -> None:
    folded = fold_constants(read(source), lambda path: ".".join(path) in absent)
    assert shape(folded) == FOLDED[source, absent]
    assert from_json(json.loads(json.dumps(to_json(folded)))) == folded


OUTCOMES = {
    "price > 3": {True, False, None},
    "price is null": {True, False},
    "price is null or price > 3": {True, False, None},
    "coalesce(price > 3, true)": {True, False},
    "coalesce(price, 0) > 3": {True, False},
    "coalesce(price, 0) > 3 or wide": {True, False, None},
    "1 > 2": {False},
    "true or price > 3": {True},
    "wide or not false": {True},
    "length('abc') is null": {False},
    "case when wide then true else false end": {True, False},
    "case when wide then true end": {True, None},
    "case when wide is null then true when wide then null else true end": {True, None},
    "price / 2 is null": {True, False},
    "coalesce(price, 1) / coalesce(weight, 2) is null": {True, False},
    "coalesce(price, 1) / 2 is null": {False},
    "not (coalesce(price, 1) is null)": {True},
    "coalesce(price, 1) between 1 and 3": {True, False},
    "coalesce(price, 1) * coalesce(weight, 1) is null": {True, False},
    "null": {None},
}


@pytest.mark.parametrize("source", OUTCOMES)
def test_outcomes(source: str) -> None:
    assert outcomes(read(source, want="bool")) == OUTCOMES[source]


def test_a_rule_on_an_absent_column_cannot_be_false() -> None:
    rule = read("not foldable or price >= 800")
    assert outcomes(fold_constants(rule, lambda path: path == ("foldable",))) == {True, None}
    assert outcomes(fold_constants(rule, lambda path: path == ("price",))) == {True, None}
    assert False in outcomes(rule)


# Emitting


def test_emitted_text() -> None:
    node = read("not foldable or chip.score >= 800")
    assert sql(node, "sqlite", ".".join) == "((NOT foldable) OR (chip.score >= 800))"
    assert sql(node, "duckdb", ".".join) == "((NOT foldable) OR (chip.score >= 800))"
    source, columns = python_source(read("price < weight"))
    assert source == "def f(a0, a1):\n    return None if a0 is None or a1 is None else (a0 < a1)\n"
    assert columns == (("price",), ("weight",))


def test_text_of_a_schema_stays_a_literal() -> None:
    spiteful = "it''s {0} {{}} \\''; drop table x; %s __import__"
    node = read(f"name = '{spiteful}'")
    assert compile_python(node)[0](spiteful.replace("''", "'")) is True
    assert compile_python(node)[0]("x") is False
    assert sql(node, "sqlite", ".".join) == f"(name = '{spiteful}')"
    listed = read(f"name || '' in ('{spiteful}', '}}{{')")
    assert spiteful in sql(listed, "duckdb", ".".join)
    assert compile_python(listed)[0]("}{") is True


def test_functions_are_compiled_once() -> None:
    assert compile_python(read("price > 3")) is compile_python(read("price>3"))


# As JSON


def test_json_is_checked_on_the_way_in() -> None:
    good = to_json(read("price > 3 and released > '2029-01-01' or length(name || 'x') * 0.5 > 3 or wide is null"))
    assert from_json(json.loads(json.dumps(good))) == from_json(good)
    price, three = {"path": ["price"], "type": "int"}, {"value": 3, "type": "int"}
    for bad in [
        None,
        [],
        {},
        {"type": "int"},
        {"op": "exec", "args": [price], "type": "int"},
        {"op": "+", "args": price, "type": "int"},
        {"op": "+", "args": [price], "type": "int"},
        {"op": "+", "args": [price, three], "type": "num"},
        {"op": "+", "args": [price, {"value": "3", "type": "text"}], "type": "int"},
        {"op": ["+"], "args": [price, three], "type": "int"},
        {"path": "price", "type": "int"},
        {"path": [], "type": "int"},
        {"path": [3], "type": "int"},
        {"path": ["price"], "type": "object"},
        {"path": ["price"], "type": None},
        {"value": True, "type": "int"},
        {"value": 1, "type": "bool"},
        {"value": "x", "type": ["text"]},
        {"value": "2029-02-30", "type": "date"},
        {"value": float("inf"), "type": "num"},
        {"value": float("nan"), "type": "num"},
        {"value": 2**60, "type": "int"},
        {"value": "a\x00b", "type": "text"},
    ]:
        with pytest.raises(FormatError):
            from_json(bad)


def test_json_of_any_depth_is_refused_in_order() -> None:
    deep: object = {"path": ["price"], "type": "int"}
    for _ in range(5000):
        deep = {"op": "neg", "args": [deep], "type": "int"}
    with pytest.raises(FormatError):
        from_json(deep)


def test_a_whole_float_keeps_its_type() -> None:
    assert from_json({"value": 1, "type": "num"}) == Const(1.0, "num")
    assert isinstance(from_json({"value": 1, "type": "num"}).value, float)  # type: ignore[union-attr]


def test_associative_operations_never_hold_themselves() -> None:
    node = read("name || (coalesce(replaces.name, name || 'a') || 'b')")
    folded = fold_constants(node, lambda path: path == ("replaces", "name"))
    for tree in (node, folded):
        todo: list[Node] = [tree]
        while todo:
            one = todo.pop()
            if isinstance(one, Call):
                assert not any(isinstance(a, Call) and a.op == one.op == "||" for a in one.args)
                todo.extend(one.args)
    assert shape(folded) == "(|| name:text name:text 'a':text 'b':text):text"


def test_a_date_without_quotes_is_pointed_out() -> None:
    with pytest.raises(ExprError, match=r"it is a whole number\. A date stands in quotes: '2030-01-01'\."):
        read("2030-01-01", want="date")
