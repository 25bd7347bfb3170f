"""A chart as a PNG: the same points as in the plotly figure, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

from flows.data.results.charts import ChartSpec, Rows, Series, series_of

_SIZE: Final = (8.0, 4.8)
_LONGEST: Final = 24
_UPRIGHT: Final = 8


def chart_png(spec: ChartSpec, columns: Sequence[str], rows: Rows) -> bytes:
    """The PNG, 1200 pixels wide. Errors: as of `flows.data.results.charts.check_chart`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    series = series_of(spec, columns, rows)
    figure = Figure(figsize=_SIZE, dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _DRAW[spec.type](axes, spec, series)
    # Text of the data is no mathematics: a dollar sign stays one.
    axes.set_title(spec.title or "", parse_math=False)
    if spec.type != "pie":
        axes.set_xlabel(spec.x or "", parse_math=False)
        y = "count" if spec.type == "histogram" else spec.y or ""
        axes.set_ylabel(y, parse_math=False)
    if spec.color is not None and series:
        legend = axes.legend(title=spec.color)
        for text in (*legend.get_texts(), legend.get_title()):
            text.set_parse_math(False)
    made = BytesIO()
    figure.savefig(made, format="png")
    return made.getvalue()


def _bars(axes: Any, spec: ChartSpec, series: Sequence[Series]) -> None:
    names = list(dict.fromkeys(each for one in series for each in one.x))
    width = 0.8 / max(1, len(series))
    for number, one in enumerate(series):
        places = [names.index(each) + (number - (len(series) - 1) / 2) * width for each in one.x]
        axes.bar(places, [_number(each) for each in one.y], width, label=one.name)
    _name_ticks(axes, [_short(each) for each in names], range(len(names)))
    del spec


def _lines(axes: Any, spec: ChartSpec, series: Sequence[Series]) -> None:
    for one in series:
        y = [_number(each) for each in one.y]
        if spec.type == "scatter":
            axes.scatter(list(one.x), y, label=one.name, s=14)
            continue
        axes.plot(list(one.x), y, label=one.name, marker="o" if spec.type == "line" else None)
        if spec.type == "area":
            axes.fill_between(list(one.x), y, alpha=0.3)
    ticks = [_short(each) for one in series[:1] for each in one.x]
    if any(isinstance(each, str) for one in series[:1] for each in one.x):
        step = max(1, len(ticks) // 12)
        _name_ticks(axes, ticks[::step], range(0, len(ticks), step))


def _histogram(axes: Any, spec: ChartSpec, series: Sequence[Series]) -> None:
    for one in series:
        values = [each for each in one.x if isinstance(each, int | float)]
        axes.hist(values, bins="auto", alpha=0.7, label=one.name)
    del spec


def _boxes(axes: Any, spec: ChartSpec, series: Sequence[Series]) -> None:
    groups: dict[str, list[float]] = {}
    for one in series:
        keys = one.x if spec.x is not None else (one.name,) * len(one.y)
        for key, value in zip(keys, one.y, strict=True):
            groups.setdefault(str(key), []).append(_number(value))
    axes.boxplot(list(groups.values()))
    _name_ticks(axes, [_short(each) for each in groups], range(1, len(groups) + 1))


def _pie(axes: Any, spec: ChartSpec, series: Sequence[Series]) -> None:
    for one in series[:1]:
        sizes = [max(0.0, _number(each)) for each in one.y]
        if sum(sizes):
            labels = [_short(each).replace("$", r"\$") for each in one.x]
            axes.pie(sizes, labels=labels, autopct="%1.1f%%")
    del spec


def _name_ticks(axes: Any, names: Sequence[str], places: Sequence[int]) -> None:
    turned = {"rotation": 45, "ha": "right"} if len(names) > _UPRIGHT else {}
    axes.set_xticks(list(places), list(names), parse_math=False, **turned)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


_DRAW: Final = {
    "bar": _bars, "line": _lines, "area": _lines, "scatter": _lines, "histogram": _histogram,
    "box": _boxes, "pie": _pie,
}  # fmt: skip
