"""Charts of results: the request that is drawn of the columns of a result, and its words."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.loop.picture import chart_of, chart_of_ranking, chart_words, drawing_task
from flows.core.observation import Preview
from flows.semantics.query import Aggregate, FieldRef, Order, Query, Rank

YEARS = tuple(range(1990, 2002))
RESULTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "trend": {"year": YEARS, "average_glim": tuple(10.5 + n * n for n in range(12))},
    "areas": {"area": ("North", "South", "East"), "average_glim": (10.5, 20.25, 30.125)},
    "shapes": {"line": ("x", "y", "z"), "pie": (10.5, 20.25, 30.125)},
    "series": {
        "year": YEARS * 2, "bar": ("up",) * 12 + ("down",) * 12,
        "total_glim": tuple(float(n * 7 % 25) for n in range(24)),
    },
    "pairs": {"area": (1.5, 2.25, 9.5, 7.0), "scatter": (3.5, 8.25, 1.5, 0.5)},
    "sizes": {"glim": (1.5, 2.25, 9.5, 7.0)},
}  # fmt: skip


def preview(name: str) -> Preview:
    columns = RESULTS[name]
    rows = tuple(zip(*columns.values(), strict=True))
    types = tuple(
        {int: "integer", float: "real"}.get(type(values[0]), "text") for values in columns.values()
    )
    return Preview(columns=tuple(columns), types=types, rows=rows, total_rows=len(rows))


@pytest.mark.parametrize(
    ("name", "style", "task"),
    [
        ("trend", "", "Draw a line chart of `average_glim` by `year`"),
        ("trend", "bar", "Draw a bar chart of `average_glim` by `year`"),
        ("areas", "", "Draw a bar chart of `average_glim` by `area`"),
        ("areas", "pie chart", "Draw a pie chart of `average_glim` by `area`"),
        ("trend", "area", "Draw an area chart of `average_glim` by `year`"),
        ("shapes", "", "Draw a bar chart of `pie` by `line`"),
        ("series", "", "Draw a line chart of `total_glim` by `year` and `bar`"),
        ("pairs", "", "Draw a scatter plot of `scatter` and `area`"),
        ("sizes", "", "Draw a histogram of glim"),
    ],
)  # fmt: skip
def test_a_result_is_drawn_by_its_columns(name: str, style: str, task: str) -> None:
    chart = chart_of(preview(name), None, style)
    assert chart is not None
    assert drawing_task(chart_words(chart, preview(name))) == task


def test_one_row_and_names_alone_are_not_drawn() -> None:
    one = preview("areas").model_copy(update={"total_rows": 1})
    names = Preview(columns=("area",), types=("text",), rows=(("a",), ("b",)), total_rows=2)
    assert chart_of(one, None, "") is None
    assert chart_of(names, None, "") is None


def test_of_a_result_that_names_the_first_all_groups_are_drawn() -> None:
    figure = Aggregate(function="average", of=FieldRef(dataset="zorbs", field="mass"))
    area = FieldRef(dataset="zorbs", field="area")
    best = Rank(by=(Order(by=figure, descending=True),), n=1)
    chart = chart_of_ranking(Query(dataset="zorbs", by=(area,), rank=best), "pie")
    assert chart is not None
    assert chart.type == "pie"
    assert chart.of == Query(dataset="zorbs", by=(area,), metrics=(figure,))
    assert chart_of_ranking(Query(dataset="zorbs", metrics=(figure,)), "") is None
