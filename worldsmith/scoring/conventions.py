"""What a whole table says about its cells: numbers before its keys, marks after its cells, how its dates are written.

A cell gets the one meaning that is consistent with its column, so nothing here lets it stand for two values.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from .column import Value
from .parsing.table import header_key
from .reference import Reference, Row
from .text import LONGEST_CACHED, fold, squash, without_markup
from .values.asides import denies
from .values.column_values import day_ordinal, year_number
from .values.dates import by_order, full_year, numeric_orders
from .values.readers import readable_text

_RAISED = re.compile(r"(?<=\S)\s?(?:[¹²³⁰⁴-⁹]{1,3}|<sup>\s*\[?\w{1,3}\]?\s*</sup>|\[[a-z]\])\s*$", re.IGNORECASE)
_TICK = re.compile(r"(?<=\S)\s?[✓✔✅☑⭐]\ufe0f?\s*$")
_LOOSE = re.compile(r"\d[-./]\s?\d+[-./]\s?\d{4}")
_SHORT_YEAR = re.compile(r"[^\W\d_]{3}\W{0,3}(?:\d{1,2}\D{1,5})?\d\d(?!\d)")
_NUMBERED = re.compile(r"(\**)\(?(\d{1,4})\\?[.):]+(\**)\s+(?=\S)")


def normalized_rows(rows: tuple[Row, ...], reference: Reference, header: Row) -> tuple[Row, ...]:
    """Return the rows without marks that every cell has and without row numbers in keys, and with short years in full.

    Marks go where each cell has one: footnotes that could be powers ("163¹") where keys have them too, ticks where all
    cells beside the keys do. Numbers go where they run from 1 and no key is named with its number, and a word for what
    a key is, "Neo 5 (phone)", where no row has the key without it. A two-digit year is of the hundred around its
    column's gold years, if they span less. Dots, totals (see `non_data_reason`) and rows of one text are ignored.
    """
    columns = reference.columns
    for mark, places in ((_RAISED, range(len(columns))), (_TICK, reference.others)):
        if places and _all_bear(mark, rows, places, header, reference.keys):
            rows = tuple(tuple(mark.sub("", x) if c in places else x for c, x in enumerate(row)) for row in rows)
    for place, c in enumerate(reference.keys):
        if columns[c].kind in ("text", "enum") and _numbered(rows, c, header, reference.keys):
            known = reference.index[place].rows
            if not any(known(row[c]) for row in rows):
                rows = _replaced(rows, c, {row[c]: _NUMBERED.sub(r"\1\3", row[c], count=1) for row in rows})
    rows = _without_kinds(rows, reference)
    for c, col in enumerate(columns):
        if col.kind in ("date", "year"):
            rows = _of_century(rows, c, reference)
    return rows


def _replaced(rows: tuple[Row, ...], c: int, texts: Mapping[str, str]) -> tuple[Row, ...]:
    return tuple((*row[:c], texts.get(row[c], row[c]), *row[c + 1 :]) for row in rows)


def _all_bear(
    mark: re.Pattern[str], rows: Sequence[Row], places: Sequence[int], header: Row, keys: Sequence[int]
) -> bool:
    def bear(some: Iterable[Row]) -> bool:
        return all(mark.search(row[c]) for row in some for c in places if row[c])

    first = next((row for row in rows if not has_one_text(row)), None)
    if first is None or not bear((first,)):
        return False
    return bear(row for row in rows if not has_one_text(row) and not non_data_reason(row, header, keys))


def _numbered(rows: Sequence[Row], c: int, header: Row, keys: Sequence[int]) -> bool:
    """Whether all keys begin with a number and these run from 1, over again from 1 where a group ends."""
    first = next((row for row in rows if not has_one_text(row)), None)
    if first is None or not _NUMBERED.match(first[c]):
        return False
    last = 0
    for row in rows:
        numbering = _NUMBERED.match(row[c])
        if numbering and int(numbering[2]) in (last + 1, 1):
            last = int(numbering[2])
        elif not has_one_text(row) and not non_data_reason(row, header, keys):
            return False
    return True


_OF_KIND = re.compile(r"(\S.*?)\s*\(([^\W\d_]+(?:[ -][^\W\d_]+){0,2})\)")


def _without_kinds(rows: tuple[Row, ...], reference: Reference) -> tuple[Row, ...]:
    """Take from keys the kind that pages add to a name, where that leaves a key which no row has without it.

    Rows that differ in nothing but the kind claim one row of the reference together.
    """
    for place, c in enumerate(reference.keys):
        known, names = reference.index[place].rows, {}
        for cell in [cell for row in rows if "(" in (cell := row[c])]:
            parts = _OF_KIND.fullmatch(without_markup(cell)) if len(cell) <= LONGEST_CACHED else None
            if parts and known(parts[1]) and not (known(cell) or known(parts[2]) or denies(parts[2])):
                names[cell] = parts[1]
        if names:
            taken = {_key(row, reference) for row in rows if row[c] not in names}
            named = zip(rows, _replaced(rows, c, names), strict=True)
            rows = tuple(row if _key(other, reference) in taken else other for row, other in named)
    return rows


def _key(row: Row, reference: Reference) -> tuple[str, ...]:
    return tuple(squash(fold(without_markup(row[c]))) for c in reference.keys)


def _of_century(rows: tuple[Row, ...], c: int, reference: Reference) -> tuple[Row, ...]:
    short = {cell for row in rows if (cell := row[c])[4:5] != "-" and _SHORT_YEAR.search(cell)}
    years = [known for row in reference.gold if (known := _year_of(row[c])) is not None] if short else []
    if not years or max(years) - min(years) >= 100:
        return rows
    full = {cell: full_year(readable_text(cell, "date"), (min(years) + max(years)) // 2 - 50) or cell for cell in short}
    return _replaced(rows, c, full)


def _year_of(value: Value) -> int | None:
    day = day_ordinal(value)
    return year_number(value) if day is None else date.fromordinal(day).year


def with_dates_resolved(
    rows: tuple[Row, ...], reference: Reference, claimed: Mapping[int, Sequence[int]]
) -> tuple[Row, ...]:
    """Return the rows with "03/04/2029" as the one day that its column leaves, outside the key.

    The day comes first if every date in the column allows it and some date that can only be read that way is in a row
    that alone claims its gold row (wrong and duplicate rows prove nothing). Likewise for the month.
    """
    sole = [members[0] for members in claimed.values() if len(members) == 1]
    for c in reference.others:
        if reference.columns[c].kind == "date":
            loose = {i: readable_text(cell, "date") for i, row in enumerate(rows) if _LOOSE.search(cell := row[c])}
            orders = {i: readable_orders for i, cell in loose.items() if (readable_orders := numeric_orders(cell))}
            for first, other in ((0, 1), (1, 0)):
                proven = any(i in orders and not orders[i][other] for i in sole)
                if proven and all(order[first] for order in orders.values()):
                    days = {rows[i][c]: by_order(loose[i], day_first=first == 0) for i in orders}
                    rows = _replaced(rows, c, days)
    return rows


_DOTS = re.compile(r"[\s.…⋮⋯\[\]()]*(?:\.\s?\.|[…⋮⋯])[\s.…⋮⋯\[\]()]*")
_TOTAL = re.compile(r"(?:grand |sub ?)?totals?(?: \d+(?: (?:rows|items|entries))?)?|sum|averages?|mean")


def non_data_reason(row: Row, header: Row, keys: Sequence[int]) -> str:
    """Return what a row that claims no gold row is: a repeated header, dots, a total; "" for a row of data."""
    filled_cells = [(c, cell) for c, cell in enumerate(row) if cell]
    if not filled_cells:
        return ""
    if all(_DOTS.fullmatch(cell) for _, cell in filled_cells):
        return "a row of dots"
    if all(header_key(cell) == header_key(header[c]) for c, cell in filled_cells):
        return "the header again"
    label = next((cell for c, cell in filled_cells if c in keys), filled_cells[0][1])
    return "a row of totals" if _TOTAL.fullmatch(fold(without_markup(label))) else ""


def has_one_text(row: Row) -> bool:
    """Whether a row of several cells has a single text, in one cell or repeated in all of them."""
    texts = [cell for cell in row if cell]
    return len(row) > 1 and (len(texts) == 1 or (len(texts) == len(row) and len(set(texts)) == 1))


def group_headings(rows: Sequence[Row], claimed: Mapping[int, Sequence[int]], extra: Collection[int]) -> frozenset[int]:
    """Return the rows of one text that head those below them.

    There are none if a row of one text claims a gold row, since then the rows list keys, or if they outnumber the
    claimed gold rows; and none stands below the last row that claims one.
    """
    alone = [i for i in extra if has_one_text(rows[i])]
    if (
        not alone
        or len(alone) > len(claimed)
        or any(has_one_text(rows[i]) for members in claimed.values() for i in members)
    ):
        return frozenset()
    last = max(members[0] for members in claimed.values())
    return frozenset(i for i in alone if i < last)
