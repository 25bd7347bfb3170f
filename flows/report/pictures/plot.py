"""Figures of plotly drawn by matplotlib: the kinds that charts of data mostly are."""

from __future__ import annotations

import html
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from flows.data.results.figures import Plotly
from flows.report.figures import COLOURS
from flows.report.pictures.values import cells_of, matrix_of, numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE: Final = (8.0, 4.8)  # inches
_DPI: Final = 150
_MARGINS: Final = (0.1, 0.14, 0.86, 0.74)  # left, bottom, width, height of what is drawn
_TAG: Final = re.compile(r"<[^<>]*>")
_NAMES: Final = 12


def draw_plot(figure: Plotly, title: str) -> bytes:
    """The figure as a PNG, 1200 pixels wide and 720 high.

    Errors: `ValueError` for a kind of trace that has no form here, or too many points.
    """
    from matplotlib.figure import Figure

    drawn = Figure(figsize=_SIZE, dpi=_DPI)
    plot = _Plot(drawn, figure.get("layout") or {})
    traces = [each for each in figure["data"] if each.get("visible", True) is True]
    groups: dict[tuple[str, str], list[Plotly]] = {}
    for trace in traces:
        place = (str(trace.get("xaxis", "x")), str(trace.get("yaxis", "y")))
        groups.setdefault(place, []).append(trace)
    for (x, y), members in groups.items():
        _draw_traces(plot.axes_at(x, y), members, plot.layout)
    plot.finish(title)
    target = io.BytesIO()
    drawn.savefig(target, format="png", metadata={"Software": "matplotlib"})
    return target.getvalue()


@dataclass
class _Plot:
    """A figure in the making: its axes by the names that plotly has for them."""

    figure: Figure
    layout: Plotly
    made: dict[tuple[str, str], Axes] = field(default_factory=dict)

    def axes_at(self, x: str, y: str) -> Axes:
        """The axes for the two names of a trace, such as `x2` and `y`."""
        if (x, y) not in self.made:
            self.made[x, y] = self._make(x, y)
        return self.made[x, y]

    def _make(self, x: str, y: str) -> Axes:
        across, up = self._of("x", x), self._of("y", y)
        for (_, other), axes in self.made.items():
            if up.get("overlaying") == other:
                second = axes.twinx()
                second.set_ylabel(_title(up))
                return second
        left, right = _domain(across)
        low, high = _domain(up)
        x0, y0, width, height = _MARGINS
        place = (
            x0 + width * left,
            y0 + height * low,
            width * (right - left),
            height * (high - low),
        )
        axes = self.figure.add_axes(place)
        axes.set_xlabel(_title(across))
        axes.set_ylabel(_title(up))
        for name, of in (("x", across), ("y", up)):
            if of.get("type") == "log":
                axes.set(**{f"{name}scale": "log"})
            if of.get("autorange") == "reversed":
                getattr(axes, f"invert_{name}axis")()
        axes.spines[["top", "right"]].set_visible(False)
        return axes

    def _of(self, letter: str, name: str) -> Plotly:
        found = self.layout.get(f"{letter}axis{name[1:]}")
        return found if isinstance(found, dict) else {}

    def finish(self, title: str) -> None:
        """The title, the names of the traces, and texts that stand beside them."""
        from matplotlib.patches import Wedge

        if title:
            self.figure.suptitle(_plain(title))
        for axes in self.made.values():
            handles, names = axes.get_legend_handles_labels()
            if len(handles) > 1 and not any(isinstance(each, Wedge) for each in axes.patches):
                axes.legend(handles[:_NAMES], names[:_NAMES], fontsize="small")
            axes.tick_params(labelsize="small")
            labels = [each.get_text() for each in axes.get_xticklabels()]
            if sum(map(len, labels)) > 60:
                axes.tick_params(axis="x", labelrotation=35)
        for note in self.layout.get("annotations") or ():
            if isinstance(note, dict) and note.get("xref") == note.get("yref") == "paper":
                x0, y0, width, height = _MARGINS
                x, y = numbers_of([note.get("x"), note.get("y")])
                text = _plain(str(note.get("text", "")))
                if np.isfinite([x, y]).all():
                    self.figure.text(x0 + width * x, y0 + height * y, text, ha="center", fontsize=9)


def _draw_traces(axes: Axes, traces: Sequence[Plotly], layout: Plotly) -> None:
    for kind in ("bar", "box", "violin", "histogram"):
        members = [each for each in traces if each["type"] == kind]
        if members:
            _TOGETHER[kind](axes, members, layout)
    areas = [each for each in traces if each["type"] == "scatter" and each.get("stackgroup")]
    if areas:
        _draw_areas(axes, areas)
    for place, trace in enumerate(traces):
        if trace["type"] in _TOGETHER or trace in areas:
            continue
        draw = _ALONE.get(trace["type"])
        if draw is None:
            raise ValueError(f"matplotlib has no form for {trace['type']!r} here")
        draw(axes, trace, _colour(trace, place))


def _draw_bars(axes: Axes, traces: Sequence[Plotly], layout: Plotly) -> None:
    """Bars of one category beside each other, or one on another (`barmode`)."""
    flat = all(each.get("orientation") == "h" for each in traces)
    at, of = ("y", "x") if flat else ("x", "y")
    places = {name: n for n, name in enumerate(dict.fromkeys(
        str(cell) for each in traces for cell in cells_of(each.get(at)) if cell is not None
    ))}  # fmt: skip
    stacked = layout.get("barmode") in ("stack", "relative", "overlay")
    width = 0.8 if stacked else 0.8 / len(traces)
    draw = axes.barh if flat else axes.bar
    base = np.zeros(len(places))
    for number, trace in enumerate(traces):
        heights = np.zeros(len(places))
        for cell, value in zip(cells_of(trace.get(at)), numbers_of(trace.get(of)), strict=False):
            if cell is not None and np.isfinite(value):
                heights[places[str(cell)]] += value
        shift = 0.0 if stacked else (number - (len(traces) - 1) / 2) * width
        where = np.arange(len(places)) + shift
        start = base.copy() if layout.get("barmode") in ("stack", "relative") else None
        edge: Mapping[str, Any] = {} if start is None else {"left" if flat else "bottom": start}
        draw(where, heights, width, label=_name(trace), color=_colour(trace, number), **edge)
        base += heights
    names = [_plain(each) for each in places]
    shown = range(0, len(names), max(1, len(names) // 30))
    set_ticks = axes.set_yticks if flat else axes.set_xticks
    set_ticks(list(shown), [names[each][:28] for each in shown])


def _draw_boxes(axes: Axes, traces: Sequence[Plotly], _layout: Plotly) -> None:
    """Box plots, of each category of a trace its own."""
    flat = all(each.get("y") is None or each.get("orientation") == "h" for each in traces)
    of, at = ("x", "y") if flat else ("y", "x")
    boxes: dict[str, list[float]] = {}
    for trace in traces:
        values = numbers_of(trace.get(of))
        names = [str(each) for each in cells_of(trace.get(at))] or [_name(trace)] * len(values)
        for name, value in zip(names, values, strict=False):
            if np.isfinite(value):
                boxes.setdefault(name, []).append(value)
    names = [_plain(each)[:28] for each in boxes]
    way: Any = "horizontal" if flat else "vertical"
    axes.boxplot(list(boxes.values()), orientation=way, tick_labels=names)


def _draw_histograms(axes: Axes, traces: Sequence[Plotly], layout: Plotly) -> None:
    """How many values lie in each range; of texts, how often each stands there."""
    flat = all(each.get("x") is None for each in traces)
    given = [cells_of(each.get("y" if flat else "x")) for each in traces]
    cells = [cell for each in given for cell in each if cell is not None]
    if any(isinstance(each, str) for each in cells):
        counts = [
            {"x": list(found), "y": list(found.values())}
            for found in (Counter(str(cell) for cell in each if cell is not None) for each in given)
        ]
        turned = {"orientation": "h"} if flat else {}
        bars = [
            {**trace, **turned, "x": each["y" if flat else "x"], "y": each["x" if flat else "y"]}
            for trace, each in zip(traces, counts, strict=True)
        ]
        _draw_bars(axes, bars, layout)
        return
    values = [numbers_of(each) for each in given]
    every = np.concatenate(values)
    every = every[np.isfinite(every)]
    edges = np.histogram_bin_edges(every, bins=min(40, max(8, int(len(every) ** 0.5))))
    axes.hist(
        [each[np.isfinite(each)] for each in values], bins=list(edges),
        label=[_name(each) for each in traces], stacked=layout.get("barmode") != "group",
        color=[_colour(each, number) for number, each in enumerate(traces)],
        orientation="horizontal" if flat else "vertical",
    )  # fmt: skip


def _draw_areas(axes: Axes, traces: Sequence[Plotly]) -> None:
    """Filled areas, one on another."""
    across = [cells_of(each.get("x")) for each in traces]
    if any(each != across[0] for each in across):
        raise ValueError("areas one on another take the same places")
    heights = [np.nan_to_num(numbers_of(each.get("y"))) for each in traces]
    names = [_name(each) for each in traces]
    colours = [_colour(each, number) for number, each in enumerate(traces)]
    axes.stackplot(_across(across[0], 0), *heights, labels=names, colors=colours, alpha=0.8)


def _draw_points(axes: Axes, trace: Plotly, colour: str) -> None:
    """Points, lines, or both (`mode`); the area below where it is filled."""
    y = numbers_of(trace.get("y"))
    across = _across(cells_of(trace.get("x")), len(y))
    size = min(len(across), len(y))
    mode = str(trace.get("mode", "lines"))
    axes.plot(
        across[:size], y[:size], color=colour, label=_name(trace), markersize=4,
        linestyle="-" if "lines" in mode else "", marker="o" if "markers" in mode else "",
    )  # fmt: skip
    if trace.get("fill") in ("tozeroy", "tonexty"):
        axes.fill_between(across[:size], y[:size], color=colour, alpha=0.25)


def _across(cells: list[Any], size: int) -> Any:
    """The places of points from left to right; without any, their numbers."""
    if any(isinstance(each, str) for each in cells):
        return [_plain(str(each)) for each in cells]
    return cells or list(range(size))


def _draw_pie(axes: Axes, trace: Plotly, _colour: str) -> None:
    """The share of each name; a name that comes again is added to the first."""
    parts: dict[str, float] = {}
    values = np.nan_to_num(numbers_of(trace.get("values")), posinf=0.0, neginf=0.0)
    for name, value in zip(cells_of(trace.get("labels")), values, strict=False):
        text = _plain(str(name))[:28]
        parts[text] = parts.get(text, 0.0) + value
    sizes = list(parts.values())
    if not any(sizes) or min(sizes) < 0:
        raise ValueError("a pie takes numbers that are not negative")
    axes.pie(sizes, labels=list(parts), autopct="%1.1f%%", colors=COLOURS)


def _draw_heatmap(axes: Axes, trace: Plotly, _colour: str) -> None:
    cells = matrix_of(trace.get("z"))
    colours = "RdBu_r" if (cells < 0).any() else "viridis"
    # The first row is the lowest, unless the axis is turned.
    origin: Literal["upper", "lower"] = "upper" if axes.yaxis_inverted() else "lower"
    shown = axes.imshow(cells, aspect="auto", cmap=colours, origin=origin)
    axes.figure.colorbar(shown, ax=axes)
    for letter, count in (("x", cells.shape[1]), ("y", cells.shape[0])):
        names = [_plain(str(each))[:20] for each in cells_of(trace.get(letter))]
        if len(names) == count:
            step = max(1, count // 25)
            axes.set(**{f"{letter}ticks": range(0, count, step)})
            axes.set(**{f"{letter}ticklabels": names[::step]})


_Together = Callable[["Axes", Sequence[Plotly], Plotly], None]
_TOGETHER: Final[Mapping[str, _Together]] = {
    "bar": _draw_bars, "box": _draw_boxes, "violin": _draw_boxes, "histogram": _draw_histograms,
}  # fmt: skip
_ALONE: Final[Mapping[str, Callable[[Axes, Plotly, str], None]]] = {
    "scatter": _draw_points, "pie": _draw_pie, "heatmap": _draw_heatmap,
}  # fmt: skip


def _colour(trace: Plotly, place: int) -> str:
    """The colour that a trace has, if it is a plain one; else the next of the palette."""
    for part in (trace.get("marker"), trace.get("line")):
        colour = part.get("color") if isinstance(part, dict) else None
        if isinstance(colour, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
            return colour
    return COLOURS[place % len(COLOURS)]


def _name(trace: Plotly) -> str:
    name = _plain(str(trace.get("name") or ""))
    return name if trace.get("showlegend", True) and name else "_"


def _title(axis: Plotly) -> str:
    title = axis.get("title")
    text = title.get("text") if isinstance(title, dict) else title
    return _plain(text) if isinstance(text, str) else ""


def _domain(axis: Plotly) -> tuple[float, float]:
    found = numbers_of(axis.get("domain"))
    if len(found) == 2 and 0 <= found[0] < found[1] <= 1:
        return float(found[0]), float(found[1])
    return 0.0, 1.0


def _plain(text: str) -> str:
    """A text without markup, in which matplotlib finds no formula."""
    return html.unescape(_TAG.sub(" ", text)).replace("$", r"\$").strip()
