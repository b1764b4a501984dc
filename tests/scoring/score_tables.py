"""Tables that the scoring tests share: columns, gold rows, and how an honest answer writes them."""

from worldsmith.scoring import Column, show

PHONES = (
    Column("Phone", "text", key=True),
    Column("Battery (mAh)", "int", unit="mAh"),
    Column("Released", "date"),
    Column("Foldable", "bool"),
    Column("Share (%)", "num", unit="%", decimals=1),
    Column("Withdrawn", "date", none="still sold"),
)
GOLD = (
    ("Neo 5", 5000, "2029-03-14", True, 12.5, None),
    ("Café X+", 4800, "2028-01-02", False, 3.0, "2029-01-31"),
    ("Zed Pro", 4700, "2028-05-20", False, 0.4, None),
    ("Karo|2", 6120, "2029-06-07", True, 20.1, "2029-10-01"),
)


def markdown(columns, rows, *, fence=True):
    """Write cells as a Markdown table; values go through `show`."""
    names = [getattr(col, "name", col) for col in columns]
    lines = [names, ["---"] * len(names)]
    for row in rows:
        cells = [v if isinstance(v, str) else show(v, c) for v, c in zip(row, columns, strict=True)]
        lines.append([cell.replace("|", "\\|") for cell in cells])
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"```markdown\n{table}\n```" if fence else table
