"""The door by which flows keep what they made."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from flows.core.artifacts import Origin
from flows.core.run import Run
from flows.core.sandbox import MadeFigure, MadeFile, MadeTable
from flows.core.session import Session
from flows.data.results.parquet import write_parquet
from flows.data.tables import ResultTable
from flows.errors import CodeFailed
from flows.library.blocks.keep import (
    keep_code,
    keep_figure,
    keep_file,
    keep_made_table,
    keep_model,
    keep_table,
)

MADE = Origin(code="x = 1", inputs={"sales": "00"}, artifacts={"result-1": "11"})
TABLE = ResultTable(
    columns=("name", "n"),
    types=("text", "integer"),
    rows=(("=x", 1), ("y", 2)),
    truncated=False,
    sql="SELECT name, n FROM t",
    sources={"t": "22"},
    elapsed_ms=1.0,
)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00" * 20 + b"IEND\xaeB`\x82"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(Session("r", tmp_path), None, "a#1", 0)


def content(run: Run, path: str) -> bytes:
    return (run.session.folder / path).read_bytes()


def test_a_result_is_json_parquet_and_safe_csv_under_one_name(run: Run) -> None:
    kept = asyncio.run(keep_table(run, TABLE))
    assert (kept.what, [each.kind for each in kept.files]) == ("table", ["json", "parquet", "csv"])
    assert kept.origin == Origin(query=TABLE.sql, inputs={"t": "22"})
    assert ResultTable.model_validate_json(content(run, kept.path)) == TABLE
    assert content(run, kept.forms[1].path) == b"name,n\n'=x,1\ny,2\n"
    assert run.saved == (kept,)
    again = asyncio.run(keep_table(run, TABLE))
    assert run.saved == (again,) == (kept,)


def test_a_table_that_came_back_is_one_that_answers_can_cite(run: Run) -> None:
    made = MadeTable(
        name="sums", columns=("name", "n"), types=("text", "integer"), rows=(("=x", 1),),
        total_rows=2, parquet=write_parquet(TABLE),
    )  # fmt: skip
    kept = asyncio.run(keep_made_table(run, made, MADE))
    assert (kept.description, kept.origin) == ("sums: 2 rows, 2 columns", MADE)
    assert ResultTable.model_validate_json(content(run, kept.path)).rows == TABLE.rows
    with pytest.raises(CodeFailed):
        asyncio.run(keep_made_table(run, made.model_copy(update={"parquet": b"x"}), MADE))


def test_figures(run: Run) -> None:
    figure = json.dumps({"data": [], "layout": {}})
    page = asyncio.run(keep_figure(run, MadeFigure(name="f", title="A <b>", plotly=figure), MADE))
    assert (page.what, page.kind, page.description) == ("figure", "html", "A <b>")
    assert [each.kind for each in page.forms] == ["json"]
    assert b"<title>A &lt;b&gt;</title>" in content(run, page.path)
    image = asyncio.run(keep_figure(run, MadeFigure(name="g", png=PNG), MADE))
    assert content(run, image.path) == PNG
    for bad in (MadeFigure(name="h"), MadeFigure(name="h", png=b"<svg/>")):
        with pytest.raises(CodeFailed, match="'h'"):
            asyncio.run(keep_figure(run, bad, MADE))


def test_code_models_and_other_files(run: Run) -> None:
    code = asyncio.run(keep_code(run, "\nx = 1\ny = 2\n", "step", "py"))
    assert (code.what, code.kind, code.description) == ("code", "py", "x = 1")
    zipped = MadeFile(name="tree", kind="skops", content=b"PK\x03\x04")
    model = asyncio.run(keep_model(run, zipped, MADE))
    assert (model.what, model.kind) == ("model", "skops")
    with pytest.raises(CodeFailed, match="no skops file"):
        asyncio.run(keep_model(run, zipped.model_copy(update={"content": b"\x80\x04."}), MADE))


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("csv", "csv"), ("XLSX", "xlsx"), ("html", "txt"), ("svg", "txt"), ("js", "txt"),
     ("pkl", "txt"), ("../x", "txt"), ("", "txt"), ("py", "py")],
)  # fmt: skip
def test_a_file_that_a_double_click_would_run_is_kept_as_text(
    run: Run, kind: str, kept: str
) -> None:
    file = MadeFile(name="out", kind=kind, content=b"<script>")
    assert asyncio.run(keep_file(run, file, MADE)).kind == kept


def test_formulas_in_a_csv_that_code_wrote_are_defused_and_the_description_says_so(
    run: Run,
) -> None:
    file = MadeFile(name="sums", kind="CSV", content=b"name,n\r\n=1+1,-5\r\n")
    kept = asyncio.run(keep_file(run, file, MADE))
    assert kept.kind == "csv"
    assert content(run, kept.path) == b"name,n\r\n'=1+1,-5\r\n"
    assert kept.description == "sums (an apostrophe was put before formulas: 1)"


def test_a_csv_without_formulas_stays_as_it_is(run: Run) -> None:
    written = "town;sold\nKöln;-1,5\n".encode("latin-1")
    kept = asyncio.run(keep_file(run, MadeFile(name="sums", kind="csv", content=written), MADE))
    assert (content(run, kept.path), kept.description) == (written, "sums")


def test_a_csv_that_cannot_be_decoded_is_kept_as_text(run: Run) -> None:
    broken = MadeFile(name="sums", kind="csv", content=b"\xff\xfe=\x00\x00")
    kept = asyncio.run(keep_file(run, broken, MADE))
    assert (kept.kind, content(run, kept.path)) == ("txt", broken.content)
