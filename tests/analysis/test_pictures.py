"""Charts of results: the task that the controller gives in words, and what is read in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.analysis.loop.picture import chart_task
from flows.analysis.team.drawing import Drawing, read_drawing
from flows.analysis.team.figures import figure_code
from flows.core.observation import Preview
from flows.data.catalog import Catalog

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
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "style", "task", "kind", "title"),
    [
        ("trend", "", 'Draw a line chart of "average_glim" over "year"', "line",
         "Average glim over year"),
        ("trend", "bar", 'Draw a bar chart of "average_glim" over "year"', "bar",
         "Average glim by year"),
        ("areas", "", 'Draw a bar chart of "average_glim" by "area"', "bar",
         "Average glim by area"),
        ("areas", "pie chart", 'Draw a pie chart of "average_glim" by "area"', "pie",
         "Average glim by area"),
        ("trend", "area", 'Draw an area chart of "average_glim" over "year"', "area",
         "Average glim by year"),
        ("shapes", "", 'Draw a bar chart of "pie" by "line"', "bar", "Pie by line"),
        ("series", "", 'Draw a line chart of "total_glim" over "year" by "bar"', "line",
         "Total glim over year by bar"),
        ("pairs", "", 'Draw a scatter plot of "scatter" against "area"', "scatter",
         "Scatter over area"),
    ],
)  # fmt: skip
def test_a_result_is_drawn_by_its_columns(
    tmp_path: Path, name: str, style: str, task: str, kind: str, title: str
) -> None:
    columns = RESULTS[name]
    rows = tuple(zip(*columns.values(), strict=True))
    types = tuple(_type(values[0]) for values in columns.values())
    preview = Preview(columns=tuple(columns), types=types, rows=rows, total_rows=len(rows))
    assert chart_task(preview, None, style) == task
    text = "\n".join(",".join(map(str, row)) for row in (tuple(columns), *rows))
    file = tmp_path / "data.csv"
    file.write_text(f"{text}\n")
    with Catalog({"data": str(file)}, tmp_path) as catalog:
        tables = catalog.tables()
    found = read_drawing(task, tables, given=True)
    assert isinstance(found, Drawing)
    assert (found.kind, found.note) == (kind, "")
    assert f"title = {title!r}" in figure_code(found, tables)


def _type(value: Any) -> str:
    return {int: "integer", float: "real"}.get(type(value), "text")
