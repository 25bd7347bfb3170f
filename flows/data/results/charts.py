"""Charts of a result: which one fits, and the plotly figure that draws its cells alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell
from flows.errors import CitationError, nearest

ChartType = Literal["bar", "line", "area", "scatter", "histogram", "box", "pie"]
CHART_TYPES: Final[tuple[ChartType, ...]] = get_args(ChartType)
POINTS: Final = 5_000
SERIES: Final = 24
_BARS: Final = 60
_NUMBERS: Final = ("integer", "real")
_TIMES: Final = ("date", "timestamp", "time")
_ONE_AXIS: Final = ("histogram",)

Rows = Sequence[Sequence[Cell]]


class ChartSpec(BaseModel):
    """What is drawn: names of columns of a result. A histogram has no `y`; `color` parts series.

    Of a pie `x` are the names of its parts and `y` their sizes; of a box plot `x` may be empty.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: ChartType
    x: str | None = None
    y: str | None = None
    color: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one colour; `x` or `y` is empty where the chart has no such axis."""

    name: str
    x: tuple[Cell, ...]
    y: tuple[Cell, ...]


def fitting_chart(
    columns: Sequence[str], types: Sequence[str], rows: Rows, title: str = ""
) -> ChartSpec | None:
    """The chart that shows a result best; None for one cell, no rows, or nothing to measure."""
    if len(rows) < 2 or len(set(columns)) != len(columns):
        return None
    kinds = dict(zip(columns, types, strict=True))
    numbers = [name for name in columns if kinds[name] in _NUMBERS]
    times = [name for name in columns if kinds[name] in _TIMES or _is_year(name, columns, rows)]
    names = [name for name in columns if name not in numbers and name not in times]
    measures = [name for name in numbers if name not in times]
    if not measures:
        return None
    if times and len(rows) > 2:
        return ChartSpec(type="line", x=times[0], y=measures[0], color=_first(names), title=title)
    if names and len(rows) <= _BARS:
        color = names[1] if len(names) > 1 else None
        return ChartSpec(type="bar", x=names[0], y=measures[0], color=color, title=title)
    if len(measures) > 1:
        return ChartSpec(
            type="scatter", x=measures[0], y=measures[1], color=_few(names, columns, rows),
            title=title,
        )  # fmt: skip
    if times:
        return ChartSpec(type="bar", x=times[0], y=measures[0], title=title)
    return ChartSpec(type="histogram", x=measures[0], title=title)


def check_chart(spec: ChartSpec, columns: Sequence[str]) -> None:
    """Errors: `CitationError` for a column that the result has not, and for a missing axis."""
    for axis, name in (("x", spec.x), ("y", spec.y), ("color", spec.color)):
        if name is not None and name not in columns:
            meant = nearest(name, columns)
            hint = f", did you mean {meant!r}?" if meant else ""
            raise CitationError(
                f"the chart's {axis} {name!r} is no column of the result{hint} "
                f"(columns: {', '.join(columns)})"
            )
    needed = {"histogram": ("x",), "box": ("y",)}.get(spec.type, ("x", "y"))
    for axis in needed:
        if getattr(spec, axis) is None:
            raise CitationError(f"a {spec.type} chart needs a column as its {axis}")


def series_of(spec: ChartSpec, columns: Sequence[str], rows: Rows) -> list[Series]:
    """The points of a chart, one series for each value of `color`, at most `SERIES` of them.

    Rows without a value on an axis are left out. Errors: as of `check_chart`.
    """
    check_chart(spec, columns)
    at = {name: place for place, name in enumerate(columns)}
    found: dict[str, list[tuple[Cell, Cell]]] = {}
    for row in rows[:POINTS]:
        x = row[at[spec.x]] if spec.x is not None else None
        y = row[at[spec.y]] if spec.y is not None and spec.type not in _ONE_AXIS else None
        if (spec.x is not None and not _is_there(x)) or (
            spec.y is not None and spec.type not in _ONE_AXIS and not _is_there(y)
        ):
            continue
        name = "" if spec.color is None else str(row[at[spec.color]])
        found.setdefault(name, []).append((x, y))
    return [
        Series(name, tuple(x for x, _ in points), tuple(y for _, y in points))
        for name, points in list(found.items())[:SERIES]
    ]


def plotly_figure(spec: ChartSpec, columns: Sequence[str], rows: Rows) -> dict[str, object]:
    """The figure as plotly's JSON has it, made of the cells. Errors: as of `check_chart`."""
    traces = [_trace(spec, each) for each in series_of(spec, columns, rows)]
    layout: dict[str, object] = {
        "title": {"text": _plain(spec.title or "")},
        "template": "plotly_white",
        "showlegend": spec.color is not None or spec.type == "pie",
    }
    if spec.type != "pie":
        y = "count" if spec.type == "histogram" else spec.y
        layout["xaxis"] = {"title": {"text": _plain(spec.x or "")}, **_axis(spec, rows, columns)}
        layout["yaxis"] = {"title": {"text": _plain(y or "")}}
    if spec.color is not None:
        layout["legend"] = {"title": {"text": _plain(spec.color)}}
        if spec.type == "bar":
            layout["barmode"] = "group"
    layout.pop("template")  # a page has no templates; the default look is plotly's own
    return {"data": traces, "layout": layout}


def _trace(spec: ChartSpec, series: Series) -> dict[str, object]:
    name: dict[str, object] = {"name": _plain(series.name)} if spec.color is not None else {}
    x, y = [_shown(each) for each in series.x], [_shown(each) for each in series.y]
    if spec.type == "pie":
        return {"type": "pie", "labels": x, "values": y, "sort": False}
    if spec.type == "histogram":
        return {"type": "histogram", "x": x, **name}
    if spec.type == "box":
        return {"type": "box", "y": y, **({"x": x} if spec.x is not None else {}), **name}
    if spec.type == "bar":
        return {"type": "bar", "x": x, "y": y, **name}
    mode = {"line": "lines+markers", "area": "lines"}.get(spec.type, "markers")
    fill = {"fill": "tozeroy"} if spec.type == "area" else {}
    return {"type": "scatter", "mode": mode, "x": x, "y": y, **fill, **name}


def _axis(spec: ChartSpec, rows: Rows, columns: Sequence[str]) -> dict[str, object]:
    """Names stay names, also where they are digits; years are no fractions."""
    if spec.x is None:
        return {}
    values = [row[list(columns).index(spec.x)] for row in rows[:POINTS]]
    if spec.type in ("bar", "box") and all(isinstance(each, str) for each in values):
        return {"type": "category"}
    return {"tickformat": "d"} if _is_year(spec.x, columns, rows) else {}


def _is_year(name: str, columns: Sequence[str], rows: Rows) -> bool:
    """Whether a column holds years: whole numbers of four digits, under a name that says so."""
    if "year" not in name.casefold():
        return False
    values = [row[list(columns).index(name)] for row in rows]
    years = [each for each in values if isinstance(each, int) and 1000 <= each <= 2999]
    return bool(years) and len(years) == sum(each is not None for each in values)


def _few(names: Sequence[str], columns: Sequence[str], rows: Rows) -> str | None:
    """The first column whose values are few enough to be colours."""
    for name in names:
        place = list(columns).index(name)
        if len({row[place] for row in rows}) <= SERIES // 2:
            return name
    return None


def _first(names: Sequence[str]) -> str | None:
    return names[0] if names else None


def _is_there(value: Cell) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _shown(value: Cell) -> Cell:
    return _plain(value) if isinstance(value, str) else value


def _plain(text: str) -> str:
    """Text of the data, in which plotly finds no markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
