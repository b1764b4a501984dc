from datetime import date

import pytest

from worldsmith.scoring import read

MONTHS = [
    "january jan januar janvier enero",
    "february feb februar février febrero",
    "march mar märz marz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août agosto",
    "september sep sept septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
]


def days(span):
    return [(date.fromordinal(r.lo).isoformat(), date.fromordinal(r.hi).isoformat()) for r in read(span, "date")]


@pytest.mark.parametrize("number", range(1, 13))
def test_months_have_names_in_several_languages(number):
    for name in MONTHS[number - 1].split():
        assert days(f"5 {name.title()} 2029") == [(f"2029-{number:02d}-05",) * 2], name
        assert days(f"{name}. 5, 2029") == [(f"2029-{number:02d}-05",) * 2], name


@pytest.mark.parametrize(
    "span",
    [
        "2029-03-05",
        "2029-3-5",
        "2029-3-05.",
        "2029-03-\u200b05",
        "2029/03/05",
        "2029.03.05",
        "20290305",
        "5 March 2029",
        "5. März 2029",
        "05-Mar-2029",
        "5 marzo 2029",
        "5th March 2029",
        "the 5th of March 2029",
        "5th of March, 2029",
        "March 5, 2029",
        "March 5 2029",
        "March 5th, 2029",
        "March the 5th, 2029",
        "Mar-05-2029",
        "2029 March 5",
        "2029, Mar 5",
        "2029年3月5日",
        "2029年3月5号",
        "on 5 March 2029",
        "as of 2029/3/5",
        "since March 5, 2029",
        "~ March 5, 2029",
        "Mon, 5 Mar 2029",
        "Monday, March 5, 2029",
        "tues 5 March 2029",
        "Wed. 5 March 2029",
        "Thursday 5 March 2029",
        "Saturday, 5 March 2029",
        "Sunday 5 March 2029",
        "**5 March 2029**",
        "5 March 2029.",
        "5 March 2029 (a Monday)",
        "2029-03-05T10:20",
        "2029-03-05T10:20:30.123Z",
        "2029-03-05 10:20:30+01:00",
        "5 March 2029, 10:20 am",
        "March 5, 2029 at 10:20 UTC",
        "2029‑03‑05",
        "２０２９-03-05",
        "2029／03／05",
        "2029．03．05",
        "2029－03－05",
        "2029–03–05",
        "2029−03−05",
        "2029‐03‐05",
        "5\xa0March\xa02029",
    ],
)
def test_a_day_is_read(span):
    assert days(span) == [("2029-03-05", "2029-03-05")]
    assert [r.point for r in read(span, "date")] == [date(2029, 3, 5).toordinal()]


@pytest.mark.parametrize(
    ("span", "lo", "hi"),
    [
        ("March 2029", "2029-03-01", "2029-03-31"),
        ("Mar. 2029", "2029-03-01", "2029-03-31"),
        ("March of 2029", "2029-03-01", "2029-03-31"),
        ("2029 March", "2029-03-01", "2029-03-31"),
        ("2029-02", "2029-02-01", "2029-02-28"),
        ("2028/02", "2028-02-01", "2028-02-29"),
        ("2029-01", "2029-01-01", "2029-01-31"),
        ("2029-12", "2029-12-01", "2029-12-31"),
        ("2029年3月", "2029-03-01", "2029-03-31"),
        ("2029年", "2029-01-01", "2029-12-31"),
        ("2029", "2029-01-01", "2029-12-31"),
        ("in 2029", "2029-01-01", "2029-12-31"),
        ("in 2029-03", "2029-03-01", "2029-03-31"),
        ("9990s", "9990-01-01", "9999-12-31"),
        ("the year 2029", "2029-01-01", "2029-12-31"),
        ("FY2029", "2029-01-01", "2029-12-31"),
        ("987 AD", "0987-01-01", "0987-12-31"),
        ("2029 CE", "2029-01-01", "2029-12-31"),
        ("Q1 2029", "2029-01-01", "2029-03-31"),
        ("Q2 2029", "2029-04-01", "2029-06-30"),
        ("Q3-2029", "2029-07-01", "2029-09-30"),
        ("Q4 2029", "2029-10-01", "2029-12-31"),
        ("2029 Q4", "2029-10-01", "2029-12-31"),
        ("1990s", "1990-01-01", "1999-12-31"),
        ("the 1990's", "1990-01-01", "1999-12-31"),
    ],
)
def test_less_than_a_day_is_an_interval(span, lo, hi):
    assert days(span) == [(lo, hi)]
    assert [r.point for r in read(span, "date")] == [None]


@pytest.mark.parametrize(
    ("span", "both"),
    [
        ("03/04/2029", ["2029-04-03", "2029-03-04"]),
        ("3.4.2029", ["2029-04-03", "2029-03-04"]),
        ("3-4-2029", ["2029-04-03", "2029-03-04"]),
        ("13/04/2029", ["2029-04-13"]),
        ("04/13/2029", ["2029-04-13"]),
        ("4/4/2029", ["2029-04-04"]),
        ("3. 4. 2029", ["2029-04-03", "2029-03-04"]),
        ("13/13/2029", []),
        ("31/02/2029", []),
    ],
)
def test_of_a_numeric_date_each_order_that_is_a_date_is_read(span, both):
    assert [lo for lo, _ in days(span)] == both


def test_a_date_has_at_most_eighty_characters():
    assert days("5 March 2029" + "." * 68) != []
    assert days("5 March 2029" + "." * 69) == []


@pytest.mark.parametrize(
    "span",
    [
        *("5 Mar 34", "5-Mar-34", "5/Mar/34", "5Mar34", "05MAR34", "5. March 34", "5th of March '34", "5 March, 34"),
        *("March 5, '34", "Mar. 5 '34", "March 5, ’34", "March 5 34", "Mar-05-34", "March 5th, 34", "Mon, 5 Mar 34"),
        *("5 März 34", "on 5 Mar 34", "5 Mar 34, 10:20", "**5 Mar 34**", "5 Mar 34 (a Monday)"),
    ],
)
def test_a_two_digit_year_beside_a_named_month_is_of_either_century(span):
    assert days(span) == [("1934-03-05",) * 2, ("2034-03-05",) * 2]


def test_a_month_with_a_two_digit_year_needs_an_apostrophe():
    assert days("Mar '34") == days("March ’34") == [("1934-03-01", "1934-03-31"), ("2034-03-01", "2034-03-31")]
    assert [r.point for r in read("5 Mar '34", "year")] == [1934, 2034]


@pytest.mark.parametrize(
    "span",
    [
        *("14 July 934", "934-07-14", "0934-07-14", "July 14, 934", "14 Jul 934", "14-Jul-934", "934/7/14", "14.7.934"),
        *("the 14th of July, 934", "934 July 14", "14/07/934", "934年7月14日", "14 July 934 AD", "14 July AD 934"),
        *("14 July 934 CE", "14 July A.D. 934", "934.7.14", "on 14 July 934", "14 July 934 A.D."),
    ],
)
def test_a_year_may_have_three_digits(span):
    assert days(span) == [("0934-07-14", "0934-07-14")]
    assert [r.point for r in read(span, "year")] == [934]


def test_less_than_a_day_of_a_three_digit_year():
    for span in ("July 934", "934 July", "934-07", "July of 934", "934年7月"):
        assert days(span) == [("0934-07-01", "0934-07-31")]
    for span in ("934", "AD 934", "934 CE"):
        assert days(span) == [("0934-01-01", "0934-12-31")]
    for span in (
        "934.5",
        "934/7",
        "93-07-14",
        "14 July 934 BC",
        "14 July 934 BCE",
        "14 July 93456",
        "934-13",
        "1934 56",
    ):
        assert days(span) == []


@pytest.mark.parametrize(
    "span",
    [
        *(
            "",
            "soon",
            "March",
            "5 March",
            "March 29",
            "5/3/29",
            "0000-01-01",
            "0000",
            "2029-00-10",
            "2029-13-01",
            "2029-13",
        ),
        *(
            "2029-02-30",
            "32 March 2029",
            "0 March 2029",
            "5 Foo 2029",
            "Foo 2029",
            "2029-03-05 or 2029-03-06",
            "Q5 2029",
        ),
        *(
            "5 March 2029 and more",
            "2029/03-05",
            "-2029-03-05",
            "0年",
            "9999s",
            "0000s",
            "1995s",
            "x" * 500,
            "2029-xx-05",
        ),
    ],
)
def test_what_is_no_date_is_not_read(span):
    assert read(span, "date") == ()


@pytest.mark.parametrize(
    ("span", "years"),
    [
        ("2029", [(2029, 2029, 2029)]),
        ("c. 2029", [(2029, 2029, 2029)]),
        ("5 March 2029", [(2029, 2029, 2029)]),
        ("March 2029", [(2029, 2029, 2029)]),
        ("03/04/2029", [(2029, 2029, 2029)]),
        ("1990s", [(1990, 1999, None)]),
        ("29", []),
        ("20290", []),
        ("never", []),
        ("٢٠٢٩", [(2029, 2029, 2029)]),
        ("²⁰²⁹", []),
    ],
)
def test_a_year_is_read_alone_or_of_a_date(span, years):
    assert [(r.lo, r.hi, r.point) for r in read(span, "year")] == years
