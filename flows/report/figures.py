"""Figures that untrusted code drew, as a page may draw them: nothing loads, links or runs.

plotly.js reads markup in texts (`<a href>`, `<span style>`), loads what `source`, maps and `geo`
name, and does what buttons say. So a figure keeps only kinds of traces that draw from their own
numbers, and no key that loads or acts; in its texts every tag is text, but for a few bare ones
where whoever wrote the chart gives them a form.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any, Final

from flows.data.results.figures import Plotly
from flows.report.cleaning import clean, one_line

# Traces that need neither the network, nor WebGL, nor code that is made while they are drawn.
TRACES: Final = frozenset(
    (
        "bar", "barpolar", "box", "candlestick", "contour", "funnel", "funnelarea", "heatmap",
        "histogram", "histogram2d", "histogram2dcontour", "icicle", "indicator", "ohlc",
        "parcats", "pie", "sankey", "scatter", "scatterpolar", "scatterternary", "sunburst",
        "table", "treemap", "violin", "waterfall",
    )
)  # fmt: skip
_INSTEAD: Final = {"scattergl": "scatter", "scatterpolargl": "scatterpolar", "heatmapgl": "heatmap"}
_DROPPED: Final = frozenset(
    (
        "images", "updatemenus", "sliders", "template", "meta", "stream", "map", "mapbox", "geo",
        "scene", "href", "frames", "config", "modebar", "selections", "transforms", "geojson",
        "accesstoken", "constructor", "prototype",
    )
)  # fmt: skip
_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# Where charts are given a form: `%{x}<br>%{y}<extra></extra>`.
_FORMED: Final = frozenset(("hovertemplate", "texttemplate"))
_BARE: Final = re.compile(r"&lt;(/?(?:br|b|i|em|s|u|sub|sup|extra)\s*/?)&gt;")
_TAG: Final = re.compile(r"<[^<>]*>")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_DEEPEST: Final = 24
_LONGEST_NAME: Final = 60
_HEIGHTS: Final = (220, 720)
# The colours of plotly's own palettes become those of the page, which are told apart in the dark.
_DEFAULTS: Final = (
    ("#636efa", "#ef553b", "#00cc96", "#ab63fa", "#ffa15a", "#19d3f3", "#ff6692", "#b6e880",
     "#ff97ff", "#fecb52"),
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
     "#bcbd22", "#17becf"),
)  # fmt: skip
COLOURS: Final = (
    "#3f74b5", "#d98032", "#4d9a6a", "#9a6bb0", "#c2566a", "#2f9aa0", "#a8873a", "#7d8a99",
    "#6f7fd0", "#8aa845",
)  # fmt: skip
_RECOLOURED: Final = {
    old: COLOURS[place] for palette in _DEFAULTS for place, old in enumerate(palette)
}


def safe_figure(figure: Mapping[str, Any]) -> Plotly | None:
    """Data and layout of a plotly figure without what loads, links or acts, and without its title,
    which stands beside it; None where no trace of it can be drawn so."""
    traces = []
    for trace in figure.get("data", ()):
        kind = trace.get("type", "scatter")
        kind = _INSTEAD.get(kind, kind) if isinstance(kind, str) else ""
        if kind in TRACES:
            traces.append({**_object(trace, 1), "type": kind})
    if not traces:
        return None
    layout = _object(figure.get("layout") or {}, 1)
    for key in ("title", "width", "autosize", "uirevision"):
        layout.pop(key, None)
    height = layout.pop("height", None)
    if isinstance(height, int | float) and not isinstance(height, bool):
        layout["height"] = min(max(height, _HEIGHTS[0]), _HEIGHTS[1])
    return {"data": traces, "layout": layout}


def title_of(figure: Mapping[str, Any]) -> str:
    """The title of a plotly figure as plain text, "" without one."""
    layout = figure.get("layout")
    title = layout.get("title") if isinstance(layout, dict) else None
    text = title.get("text") if isinstance(title, dict) else title
    if not isinstance(text, str):
        return ""
    return one_line(html.unescape(_TAG.sub("", _BREAK.sub(" \u00b7 ", text))))


def _value(value: Any, key: str, depth: int) -> Any:
    if isinstance(value, str):
        return _text(value, key)
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return _object(value, depth + 1)
    if isinstance(value, list):
        return [_value(each, key, depth + 1) for each in value]
    return value


def _object(value: Mapping[str, Any], depth: int) -> Plotly:
    return {
        key: _value(each, key, depth)
        for key, each in value.items()
        if _KEY.fullmatch(key)
        and key not in _DROPPED
        # The numbers of a sankey's links are a list; a text is something to load.
        and not (key == "source" and isinstance(each, str))
    }


def _text(text: str, key: str) -> str:
    """A text in which plotly finds no tag. Entities stay: plotly shows their characters."""
    recoloured = _RECOLOURED.get(text.lower())
    if recoloured is not None:
        return recoloured
    shown = one_line(text, _LONGEST_NAME) if key == "name" else clean(text)
    escaped = shown.replace("<", "&lt;").replace(">", "&gt;")
    if key in _FORMED or key == "text":
        return _BARE.sub(r"<\1>", escaped)
    return escaped
