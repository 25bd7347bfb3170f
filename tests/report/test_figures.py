"""Figures in a report keep what draws, and nothing that loads, links or acts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.report.figures import COLOURS, TRACES, safe_figure, title_of
from tests.report.hostile import _figures


def drawn(figure: dict[str, Any]) -> dict[str, Any]:
    found = safe_figure(figure)
    assert found is not None
    return found


def test_nothing_of_a_hostile_figure_loads_or_links() -> None:
    kept = [each for each in map(safe_figure, _figures()) if each is not None]
    assert len(kept) == 4
    text = json.dumps(kept)
    assert "<a" not in text
    assert "<img" not in text
    for gone in ("picture.png", "updatemenus", "__proto__", "constructor", '"href"', "frames"):
        assert gone not in text
    assert "&lt;a href" in text  # it is shown as text


@pytest.mark.parametrize(
    "kind", ["image", "scattergeo", "choropleth", "scattermap", "densitymapbox", "scatter3d",
             "splom", "parcoords", "nonsense", 7],
)  # fmt: skip
def test_traces_that_load_or_make_code_are_left_out(kind: Any) -> None:
    assert safe_figure({"data": [{"type": kind, "x": [1]}], "layout": {}}) is None
    both = drawn({"data": [{"type": kind}, {"y": [1]}], "layout": {}})
    assert [each["type"] for each in both["data"]] == ["scatter"]
    assert kind not in TRACES


def test_markup_stays_only_where_charts_are_given_a_form() -> None:
    form = "%{x}<br><b>%{y}</b><span style='color:red'>!</span><extra></extra>"
    trace = {"type": "bar", "x": ["<b>R&amp;D</b>"], "y": [1], "name": "<i>n</i>"}
    kept = drawn({"data": [{**trace, "hovertemplate": form}], "layout": {}})["data"][0]
    assert kept["x"] == ["&lt;b&gt;R&amp;D&lt;/b&gt;"]
    assert kept["name"] == "&lt;i&gt;n&lt;/i&gt;"
    assert kept["hovertemplate"] == (
        "%{x}<br><b>%{y}</b>&lt;span style='color:red'&gt;!&lt;/span&gt;<extra></extra>"
    )


def test_numbers_and_looks_stay() -> None:
    trace = {"type": "sankey", "node": {"label": ["a"]}, "link": {"source": [0], "target": [0]}}
    figure = {"data": [trace, {"y": [1, None], "line": {"width": 3, "color": "#636EFA"}}],
              "layout": {"barmode": "stack", "height": 9_000, "width": 50}}  # fmt: skip
    kept = drawn(figure)
    assert kept["data"][0]["link"] == {"source": [0], "target": [0]}
    assert kept["data"][1]["y"] == [1, None]
    assert kept["data"][1]["line"] == {"width": 3, "color": COLOURS[0]}
    assert kept["layout"] == {"barmode": "stack", "height": 720}


def test_a_large_kind_of_scatter_is_drawn_without_a_graphics_card() -> None:
    assert drawn({"data": [{"type": "scattergl", "y": [1]}]})["data"][0]["type"] == "scatter"


def test_what_is_deep_ends() -> None:
    deep: dict[str, Any] = {}
    at = deep
    for _ in range(500):
        at["x"] = {}
        at = at["x"]
    assert len(json.dumps(drawn({"data": [{"y": deep}]}))) < 400


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Plain", "Plain"),
        ({"text": "<b>Sales</b><br><sup>in &lt;euros&gt;</sup>"}, "Sales \u00b7 in <euros>"),
        ({"text": 3}, ""),
        (None, ""),
    ],
)
def test_the_title_stands_beside_the_figure(title: Any, text: str) -> None:
    figure = {"data": [{"y": [1]}], "layout": {"title": title}}
    assert title_of(figure) == text
    assert "title" not in drawn(figure)["layout"]
