"""What must hold of a schema as a whole: switches are known and used, and every column is on some page."""

from worldsmith.errors import close_match
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.types import After, Aggregate, Column, Pick, Rank, Reference, Schema, Series, Share, Table


def check_switches(reader: Resolver, schema: Schema) -> None:
    s = reader.source
    used = [
        *((f"tables.{n}", t.if_) for n, t in s.tables.items()),
        *((f"{n}.{cn}", c.if_) for n, t in s.tables.items() for cn, c in t.columns.items()),
        *((f"rules.{n}", r.if_) for n, r in s.rules.items()),
        *((f"pages.{n}", p.if_) for n, p in s.pages.items()),
    ]
    for place, switch in used:
        if switch is not None and switch not in s.variation:
            raise reader.fail(place, f"no switch {switch!r} in [variation].{close_match(switch, s.variation)}")
    for name in s.variation:
        if all(switch != name for _, switch in used):
            raise reader.fail(f"variation.{name}", "nothing hangs on this switch: remove it, or use it in an if")
    for table in schema.tables.values():
        for column in table.columns:
            check_presence(reader, schema, table, column)


def check_presence(reader: Resolver, schema: Schema, table: Table, column: Column) -> None:
    """A fill that names a table or column outright must hang on the same switches."""
    here = {table.switch, column.switch}
    needs: list[tuple[str, str | None]] = []
    match column.fill:
        case Reference(table=target):
            needs.append((target, schema.tables[target].switch))
        case Aggregate(table=child, column=counted, by=by):
            needs.append((child, schema.tables[child].switch))
            needs.append((f"{child}.{by[0]}", schema.column(child, by[0]).switch))
            if counted:
                needs.append((f"{child}.{counted}", schema.column(child, counted).switch))
        case Rank(column=ranked, within=within) | Share(column=ranked, within=within):
            needs += [(f"{table.name}.{c}", table.column(c).switch) for c in (ranked, within) if c]
        case Series(along=along, within=within):
            needs += [(f"{table.name}.{c}", table.column(c).switch) for c in (along, within) if c]
        case After(path=path):
            needs.append((".".join(path), schema.walk(table.name, path).switch))
            needs.append((path[0], table.column(path[0]).switch))
        case _:
            pass
    for what, switch in needs:
        if switch is not None and switch not in here:
            raise reader.fail(
                f"{table.name}.{column.name}",
                f"{what} hangs on the switch {switch!r} and this column does not: give it if = {switch!r}",
            )


def check_rows(reader: Resolver, schema: Schema) -> None:
    """Row totals that the declared `per` and lists can never meet are said before anything is drawn."""
    for table in schema.tables.values():
        lo, hi = table.rows
        for column in table.refs:
            fill = column.fill
            assert isinstance(fill, Reference)
            if fill.per is None or fill.table == table.name:
                continue
            least, most = (
                schema.tables[fill.table].rows[0] * fill.per[0],
                schema.tables[fill.table].rows[1] * fill.per[1],
            )
            if hi < least or lo > most:
                raise reader.fail(
                    f"tables.{table.name}.rows",
                    f"[{lo}, {hi}] can't be met: {column.name} takes each of the {fill.table} rows {fill.per[0]} to "
                    f"{fill.per[1]} times, which makes {least} to {most}",
                )
        key = table.column(table.key[0]).fill
        if len(table.key) == 1 and isinstance(key, Pick) and lo > schema.values[key.values].n:
            raise reader.fail(
                f"tables.{table.name}.rows",
                f"{lo} rows need as many names; the list {key.values!r} has {schema.values[key.values].n}",
            )


def check_carried(reader: Resolver, schema: Schema) -> None:
    """Every column must be on some page, else no question about it has an answer."""
    carried = {(p.table, c) for p in schema.pages for c in (*p.show, *schema.tables[p.table].key)}
    carried |= {(w.table, c) for p in schema.pages for w in p.children for c in (*w.columns, w.ref)}
    carried |= {(w.table, k) for p in schema.pages for w in p.children for k in schema.tables[w.table].key}
    for table in schema.tables.values():
        for column in table.columns:
            if column.see != "linked" and (table.name, column.name) not in carried:
                raise reader.fail(
                    f"{table.name}.{column.name}",
                    "no page carries this column: name it in the show or with of a page",
                )
