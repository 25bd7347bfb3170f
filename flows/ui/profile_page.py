"""The profile of tables as one HTML page, which opens without a network and runs no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from flows.core.observation import Cell
from flows.data.tables import Column, Join, Table
from flows.human.terminal_text import plain
from flows.ui.profile import heading, holds, join_text, missing_text

_SHOWN = 200
_BARS = 6
_PLOT = (160, 14)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --line: #d9dee4; --bar: #3b6fd4;
  --paper: #ffffff; --band: #f5f7f9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #98a2ad; --line: #333a42;
  --bar: #7fa6f5; --paper: #14171a; --band: #1d2126; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
.soft { color: var(--soft); } .note { color: #b3690b; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 13px ui-monospace, monospace; }
.bars { display: grid; grid-template-columns: minmax(3rem, 9rem) 1fr 3rem; gap: 1px .5rem;
  font-size: 12px; min-width: 15rem; }
.bars span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars i { display: block; background: var(--bar); height: .7em; margin-top: .3em; min-width: 1px; }
svg { display: block; } svg .box { fill: var(--bar); opacity: .45; }
svg .mid { stroke: var(--bar); stroke-width: 2; } svg .all { stroke: var(--soft); }
"""


def profile_page(tables: Sequence[Table], title: str, first: int | None = None) -> str:
    """The whole page. Whatever comes from the data is escaped."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1>",
        *_contents(tables, first),
    ]
    for number, table in enumerate(tables):
        parts += _section(table, number, first)
    return "\n".join([*parts, "</body></html>", ""])


def _contents(tables: Sequence[Table], first: int | None) -> Iterator[str]:
    """Links to the tables, and all joins between them."""
    if len(tables) < 2:
        return
    yield "<ul>"
    for number, table in enumerate(tables):
        yield f'<li><a href="#t{number}">{_text(heading(table, first))}</a></li>'
    yield "</ul>"
    joins = [(table, join) for table in tables for join in table.joins]
    if joins:
        yield "<h2>Likely joins</h2>"
        yield from _joins(joins)


def _joins(joins: Sequence[tuple[Table, Join]]) -> Iterator[str]:
    yield "<ul>"
    for table, join in joins:
        yield f"<li><b>{_text(table.name)}</b>.{_text(join_text(join))}</li>"
    yield "</ul>"


def _section(table: Table, number: int, first: int | None) -> Iterator[str]:
    yield f'<h2 id="t{number}">{_text(heading(table, first))}</h2>'
    if table.description:
        yield f"<p>{_text(table.description)}</p>"
    yield f'<p class="soft">source {_text(table.source)}, read by {_text(table.dialect)}</p>'
    for note in table.notes:
        yield f'<p class="note">{_text(note)}</p>'
    yield '<div class="wide"><table class="columns"><thead><tr>'
    yield "".join(
        f"<th>{each}</th>"
        for each in ("column", "type", "role", "unit", "missing", "distinct", "holds", "")
    )
    yield "</tr></thead><tbody>"
    for column in table.columns:
        yield _column(table, column)
    yield "</tbody></table></div>"
    if table.keys:
        keys = "; ".join(", ".join(key) for key in table.keys)
        yield f"<p><b>Keys</b> {_text(keys)}</p>"
    if table.joins:
        yield "<p><b>Likely joins</b></p>"
        yield from _joins([(table, each) for each in table.joins])
    if table.sample:
        yield from _sample(table)


def _column(table: Table, column: Column) -> str:
    key = " <span class=soft>key</span>" if (column.name,) in table.keys else ""
    told = f"<br><span class=soft>{_text(column.description)}</span>" if column.description else ""
    return (
        f"<tr><td><code>{_text(column.name)}</code>{key}{told}</td>"
        f"<td>{column.type}</td><td>{column.role}</td><td>{_text(column.unit)}</td>"
        f'<td class="number">{_text(missing_text(column))}</td>'
        f'<td class="number">{column.distinct:,}</td>'
        f"<td>{_text(holds(column))}</td><td>{_distribution(column)}</td></tr>"
    )


def _distribution(column: Column) -> str:
    """Numbers as a box between their quantiles, other values as bars of the most frequent."""
    if column.quantiles is not None and column.role in ("measure", "time"):
        return _box(column)
    filled = column.rows - column.missing
    if not column.top or column.top[0].count < 2 or not filled:
        return ""
    bars = []
    for each in column.top[:_BARS]:
        share = each.count / filled
        bars.append(
            f'<span>{_text(each.value)}</span><i style="width:{share * 100:.1f}%"></i>'
            f"<span>{share:.0%}</span>"
        )
    return f'<div class="bars">{"".join(bars)}</div>'


def _box(column: Column) -> str:
    found = column.quantiles
    low, high = column.minimum, column.maximum
    numbers = isinstance(low, (int, float)) and isinstance(high, (int, float))
    if found is None or not numbers:
        return ""
    start, end = float(low or 0), float(high or 0)
    width, height = _PLOT
    span = end - start

    def at(value: float) -> float:
        return round((value - start) / span * width, 1) if span > 0 else width / 2

    middle = height / 2
    label = f"5 to 95 %: {found.p5:.6g} to {found.p95:.6g}, median {found.p50:.6g}"
    return (
        f'<svg width="{width}" height="{height}" role="img"><title>{_text(label)}</title>'
        f'<line class="all" x1="0" y1="{middle}" x2="{width}" y2="{middle}"/>'
        f'<line class="mid" x1="{at(found.p5)}" y1="{middle}" x2="{at(found.p95)}" y2="{middle}"/>'
        f'<rect class="box" x="{at(found.p25)}" y="1" height="{height - 2}" '
        f'width="{max(1.0, at(found.p75) - at(found.p25)):.1f}"/>'
        f'<line class="mid" x1="{at(found.p50)}" y1="0" x2="{at(found.p50)}" y2="{height}"/></svg>'
    )


def _sample(table: Table) -> Iterator[str]:
    yield "<p><b>First rows</b></p>"
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th>{_text(column.name)}</th>" for column in table.columns)
    yield "</tr></thead><tbody>"
    for row in table.sample:
        yield f"<tr>{''.join(f'<td>{_value(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _value(cell: Cell) -> str:
    return '<span class="soft">missing</span>' if cell is None else _text(cell)


def _text(value: object) -> str:
    """Anything as one safe text: escaped, without characters that command or turn a text."""
    text = " ".join(plain(str(value)).split())
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return escape(shown, quote=True)
