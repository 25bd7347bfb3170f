"""Each figure of plotly is also a PNG: by a browser that reaches nothing, else by matplotlib."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import pytest
from matplotlib import image

from flows.report.pictures.picture import Picture, picture_of
from tests.report.browser import CHROMIUM

FRAME = pd.DataFrame(
    {
        "day": pd.date_range("2024-01-01", periods=12).astype(str),
        "price": [3.0, 9.0, 4.0, 7.0, 1.0, 8.0, 2.0, 6.0, 5.0, 9.0, 3.0, 4.0],
        "weight": np.linspace(-4, 4, 12),
        "kind": ["pear", "plum", "$fig$", "<b>kiwi</b>"] * 3,
    }
)
FIGURES: dict[str, Callable[[], go.Figure]] = {
    "bar": lambda: px.bar(FRAME, x="kind", y="price", title="Cost in $ and $"),
    "bars on their side": lambda: px.bar(FRAME, y="kind", x="price", orientation="h"),
    "bars one on another": lambda: px.bar(FRAME, x="day", y="price", color="kind"),
    "line": lambda: px.line(FRAME, x="day", y="price", color="kind"),
    "area": lambda: px.area(FRAME, x="day", y="price"),
    "points": lambda: px.scatter(FRAME, x="weight", y="price", facet_col="kind"),
    "histogram": lambda: px.histogram(FRAME, x="price", color="kind"),
    "histogram of texts": lambda: px.histogram(FRAME, x="kind"),
    "box": lambda: px.box(FRAME, x="kind", y="price"),
    "violin": lambda: px.violin(FRAME, y="price"),
    "pie": lambda: px.pie(FRAME, names="kind", values="price"),
    "heat map": lambda: px.imshow(FRAME[["price", "weight"]].corr()),
    "two scales": lambda: go.Figure(
        [go.Bar(x=["a", "b"], y=[1, 2]), go.Scatter(x=["a", "b"], y=[100, 90], yaxis="y2")],
        {"yaxis2": {"overlaying": "y", "side": "right"}},
    ),
}


def picture(figure: Any) -> Picture:
    given = figure if isinstance(figure, dict) else json.loads(figure.to_json())
    return asyncio.run(picture_of(given))


def pixels(png: bytes) -> Any:
    return image.imread(io.BytesIO(png))


@pytest.mark.long("whole reports are made")
@pytest.mark.parametrize("kind", FIGURES)
def test_matplotlib_draws_what_charts_mostly_are(kind: str) -> None:
    found = picture(FIGURES[kind]())
    assert found.instead == "no Chromium is installed"
    drawn = pixels(found.png)
    assert drawn.shape[:2] == (720, 1200)
    assert (drawn[..., :3] < 0.9).any(axis=-1).mean() > 0.005  # there is something on it


@pytest.mark.long("whole reports are made")
def test_a_taller_bar_is_a_larger_picture_of_it() -> None:
    def inked(values: list[float]) -> float:
        colour = {"marker": {"color": "#112233"}}
        drawn = pixels(picture(go.Figure(go.Bar(x=["a", "b"], y=values, **colour))).png)
        wanted = np.array([0x11, 0x22, 0x33]) / 255
        return float((abs(drawn[..., :3] - wanted) < 0.02).all(axis=-1).mean())

    assert inked([10, 10]) > 1.5 * inked([10, 2])


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        ({"data": [{"type": "scattergeo", "lat": [1], "lon": [2]}]}, "the network"),
        ({"data": [{"type": "sankey", "node": {}}]}, "no form for 'sankey'"),
        ({"data": [{"type": "pie", "labels": ["a"], "values": [-1]}]}, "not negative"),
        ({"data": [{"type": "heatmap", "z": [[1], [1, 2]]}]}, "of one length"),
        ({"data": [{"type": "scatter", "x": {"dtype": "f8", "bdata": "!"}, "y": [1]}]}, "be read"),
        ({"data": [{"type": "scatter", "x": [0] * 200_001, "y": [1]}]}, "200,001 points"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_says_why(figure: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        picture(figure)


class _Server(BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_error(404)


@pytest.mark.long("starts a browser")
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_draws_without_reaching_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CHROMIUM is not None
    monkeypatch.setenv("BROWSER_PATH", CHROMIUM)
    server = HTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/x.png"
    figure = json.loads(FIGURES["line"]().to_json())
    figure["layout"]["images"] = [{"source": address, "x": 0, "y": 1}]
    figure["layout"]["title"] = {"text": f'<a href="{address}">go</a><img src="{address}">'}
    found = picture(figure)
    server.shutdown()
    server.server_close()
    assert found.instead == ""
    assert pixels(found.png).shape[:2] == (720, 1200)
    assert _Server.seen == []
