"""A table of a run, as much of it as fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from flows.core.observation import Preview
from flows.ui.cells import column_texts, is_numeric
from flows.ui.terminal_text import one_line

MAX_ROWS = 10
_SPARE_ROWS = 2
_GAP = 2
_WIDEST_TEXT = 40
_NARROWEST_TEXT = 8
_NAMES_SHOWN = 8


@dataclass
class _Column:
    name: str
    texts: list[str]
    numeric: bool
    width: int


def shown_rows(total: int) -> int:
    """How many of the rows that are there to show: no table is cut for the sake of two rows."""
    return total if total <= MAX_ROWS + _SPARE_ROWS else MAX_ROWS


def render_table(preview: Preview, width: int) -> tuple[Table, list[str]]:
    """The table in at most `width` cells, and sentences on what of it is not shown."""
    count = min(shown_rows(preview.total_rows), len(preview.rows))
    rows = preview.rows[:count]
    columns = [_column(name, [row[i] for row in rows]) for i, name in enumerate(preview.columns)]
    fitting = _fit(columns, width)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for column in fitting:
        table.add_column(
            Text(column.name, style="bold"),
            justify="right" if column.numeric else "left",
            width=min(column.width, width),
            no_wrap=True,
            overflow="ellipsis",
        )
    for index, row in enumerate(rows):
        table.add_row(
            *(
                Text(column.texts[index], style="dim italic" if row[place] is None else "")
                for place, column in enumerate(fitting)
            )
        )
    return table, [*_rows_left(preview, count), *_columns_left(columns[len(fitting) :])]


def _column(name: str, values: Sequence[str | int | float | bool | None]) -> _Column:
    texts = column_texts(values)
    heading = one_line(name, _WIDEST_TEXT) or '""'
    numeric = is_numeric(values)
    widest = max((cell_len(text) for text in (heading, *texts)), default=1)
    return _Column(heading, texts, numeric, widest if numeric else min(widest, _WIDEST_TEXT))


def _fit(columns: list[_Column], width: int) -> list[_Column]:
    """The first columns that fit. Texts are narrowed before a column is left out, numbers never."""
    fitting = list(columns)
    while len(fitting) > 1 and _least(fitting) > width:
        fitting.pop()
    while (over := _needed(fitting) - width) > 0:
        texts = [each for each in fitting if not each.numeric and each.width > _NARROWEST_TEXT]
        if not texts:
            break
        widest = max(texts, key=lambda each: each.width)
        rivals = [each.width for each in texts if each.width < widest.width]
        step = max(1, min(over, widest.width - max(rivals, default=_NARROWEST_TEXT)))
        widest.width = max(_NARROWEST_TEXT, widest.width - step)
    return fitting


def _needed(columns: list[_Column]) -> int:
    return sum(each.width for each in columns) + _GAP * (len(columns) - 1)


def _least(columns: list[_Column]) -> int:
    widths = (each.width if each.numeric else min(each.width, _NARROWEST_TEXT) for each in columns)
    return sum(widths) + _GAP * (len(columns) - 1)


def _rows_left(preview: Preview, count: int) -> list[str]:
    left = preview.total_rows - count
    rows = "row" if left == 1 else "rows"
    if preview.truncated:
        return [f"… {left:,} more {rows} kept, and more that were not" if left else "… more rows"]
    return [f"… {left:,} more {rows}"] if left > 0 else []


def _columns_left(columns: list[_Column]) -> list[str]:
    if not columns:
        return []
    names = ", ".join(each.name for each in columns[:_NAMES_SHOWN])
    more = ", …" if len(columns) > _NAMES_SHOWN else ""
    word = "column" if len(columns) == 1 else "columns"
    return [f"… {len(columns)} more {word}: {names}{more}"]
