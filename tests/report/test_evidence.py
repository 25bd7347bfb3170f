"""Each number of a text leads to what holds it, or is flagged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.core.artifacts import Artifacts, Origin
from flows.data.answers.citations import Citation
from flows.data.tables import ResultTable
from flows.report.column_formats import column_format, written
from flows.report.evidence import Evidences, evidences
from flows.report.ledger import checked, ledger_of
from flows.report.page_tables import table_views
from flows.report.prose import ProseBlock, blocks_of
from flows.report.report import Report
from flows.semantics.findings import Finding, Told
from tests.report.conftest import Made
from tests.report.sample import Desk, result_of

NOTHING = Evidences({})


def cite(text: str, start: int, **more: Any) -> Citation:
    return Citation(text=text, start=start, end=start + len(text), **{"origin": "none", **more})


def numbers_table(rows: int) -> ResultTable:
    return ResultTable(
        columns=("place", "value", "value"), types=("text", "integer", "real"),
        rows=tuple((f"p{n}", n * 10, n / 4) for n in range(rows)), truncated=False,
        sql="SELECT 1", sources={"s": "ab"}, elapsed_ms=0.0,
    )  # fmt: skip


def report_of(folder: Path, told: Told, rows: int = 90) -> tuple[Report, Artifacts, str]:
    """A report on one table, whose artifact has the name that comes back."""
    desk = Desk(Artifacts(folder))
    table = desk.table("numbers", numbers_table(rows), Origin(query="SELECT 1", inputs={"s": "ab"}))
    finding = Finding(output_type="table", response="", table=table)
    results = (result_of(0, "PythonDataAgent", "Count.", finding),)
    name = table.artifact or ""
    cited = tuple(
        each.model_copy(update={"result": name}) if each.result else each for each in told.citations
    )
    report = Report(run_id="r", question="How many? 7", results=results,
                    summary=told.model_copy(update={"citations": cited}))  # fmt: skip
    return report, desk.artifacts, name


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"origin": "cell", "row": 80, "column": "place", "value": "p80"}, "place, row 81 of T1"),
        ({"origin": "cell", "row": 80, "column": "place", "value": "p8"}, ""),
        ({"origin": "cell", "row": 90, "column": "place", "value": "p90"}, ""),
        ({"origin": "cell", "row": 1, "column": "other", "value": 1}, ""),
        ({"origin": "cell", "row": 1, "column": "value", "value": 10}, ""),
        ({"origin": "rows", "value": 90}, "the number of rows of T1"),
        ({"origin": "query"}, "given in the query of T1"),
        ({"origin": "derived", "column": "place", "rows_used": (0, 1), "formula": "a - b"},
         "worked out from T1: a - b"),
        ({"origin": "none"}, ""),
    ],
    ids=["cell", "other value", "no row", "no column", "two columns", "rows", "query", "derived",
         "none"],
)  # fmt: skip
def test_what_holds_a_number(folder: Path, given: dict[str, Any], note: str) -> None:
    told = Told(text="It is 80.", citations=(cite("80", 6, result="numbers", **given),))
    report, artifacts, _ = report_of(folder, told)
    found = evidences(report, artifacts)
    assert [each.note for each in ledger_of(report, found)] == [note]
    assert checked(report, found).look == ("good" if note else "bad")


def test_a_number_of_the_question_leads_to_it(folder: Path) -> None:
    told = Told(text="It is 7.", citations=(cite("7", 6, origin="question"),))
    report, artifacts, _ = report_of(folder, told)
    assert [each.href for each in ledger_of(report, evidences(report, artifacts))] == ["question"]


def test_a_cell_far_down_is_shown_with_a_gap_before_it(folder: Path) -> None:
    given = {"origin": "cell", "row": 80, "column": "place", "value": "p80", "result": "numbers"}
    report, artifacts, _ = report_of(folder, Told(text="80", citations=(cite("80", 0, **given),)))
    view = table_views(report, evidences(report, artifacts))[0]
    assert [each.number for each in view.rows][-2:] == ["50", "81"]
    assert [each.gap for each in view.rows][-2:] == [False, True]
    assert view.rows[-1].cells[0].id == "t1-r81-c1"
    assert view.more.startswith("Shown: 51 of 90 rows")
    assert view.sources[0].sha256 == "ab"


def test_what_is_no_table_of_the_run_is_no_evidence(folder: Path) -> None:
    told = Told(text="5", citations=(cite("5", 0, origin="cell", result="x", row=0, column="y"),))
    report, artifacts, _ = report_of(folder, Told(text=""))
    report = report.model_copy(update={"summary": told})
    found = evidences(report, artifacts)
    assert list(found.tables) == [report.results[0].finding.table.artifact]  # type: ignore[union-attr]
    assert checked(report, found).text == "1 of 1 numbers untraced"


@pytest.mark.long("notebooks and pages made of whole runs")
def test_the_numbers_of_passages_are_no_numbers(made: Made) -> None:
    report, artifacts = made
    told = Told(text="Half an hour [2], see [9].",
                citations=(cite("2", 14), cite("9", 23)))  # fmt: skip
    changed = report.model_copy(update={"summary": told, "results": ()})
    assert [each.text for each in ledger_of(changed, evidences(changed, artifacts))] == ["9"]
    block = blocks_of(told, NOTHING, len(report.passages))[0]
    assert [(each.kind, each.text) for each in block.items[0]] == [
        ("text", "Half an hour "), ("passage", "[2]"), ("text", ", see ["), ("untraced", "9"),
        ("text", "]."),
    ]  # fmt: skip


def shape(blocks: tuple[ProseBlock, ...]) -> list[tuple[str, list[str]]]:
    marks = {"code": "`{}`", "untraced": "?{}?", "text": "{}"}
    return [
        (block.kind, ["".join(
            ("*" + marks[span.kind].format(span.text) + "*") if span.strong
            else marks[span.kind].format(span.text) for span in item) for item in block.items])
        for block in blocks
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("One\nline.\n\nTwo.", [("paragraph", ["One line."]), ("paragraph", ["Two."])]),
        ("Is:\n- a\n- **b** c\n\nEnd", [("paragraph", ["Is:"]), ("bullets", ["a", "*b* c"]),
                                        ("paragraph", ["End"])]),
        ("1. a\n2. b", [("numbers", ["a", "b"])]),
        ("## Head\ntext", [("heading", ["Head"]), ("paragraph", ["text"])]),
        ("`x**y` and **open", [("paragraph", ["`x**y` and **open"])]),
        ("<b>no</b> [l](javascript:1)", [("paragraph", ["<b>no</b> [l](javascript:1)"])]),
        ("", []),
    ],
)  # fmt: skip
def test_the_little_markdown_that_is_read(text: str, blocks: list[tuple[str, list[str]]]) -> None:
    assert shape(blocks_of(Told(text=text), NOTHING)) == blocks


@pytest.mark.long("whole reports are made")
def test_a_number_in_bold_is_one(made: Made) -> None:
    told = Told(text="It is **12** or `12`.", citations=(cite("12", 8), cite("99", 0)))
    assert shape(blocks_of(told, NOTHING)) == [("paragraph", ["It is *?12?* or `12`."])]


@pytest.mark.parametrize(
    ("name", "kind", "values", "shown"),
    [
        ("year", "integer", [1999, 2024], ["1999", "2024"]),
        ("people", "integer", [999, 1_234_567], ["999", "1,234,567"]),
        ("customer_id", "integer", [1_234_567], ["1234567"]),
        ("r", "real", [-0.88169, 0.0231, None], ["\u22120.882", "0.023", ""]),
        ("price", "real", [1234.5, 99999.123], ["1,234", "99,999"]),
        ("whole", "real", [2.0, 12_000.0], ["2", "12,000"]),
        ("p", "real", [0.4, 0.3, 0.0000012], ["0.400", "0.300", "1.2e-06"]),
        ("odd", "real", [float("nan"), float("inf"), 1.5], ["nan", "inf", "1.50"]),
        ("text", "text", [True, None, "a\n b"], ["yes", "", "a b"]),
    ],
)
def test_how_cells_are_written(name: str, kind: str, values: list[Any], shown: list[str]) -> None:
    assert list(map(column_format(name, kind, values), values)) == shown


def test_a_cell_by_itself() -> None:
    assert [written(each) for each in (1234.5678, 12345, "x" * 300)] == [
        "1,234.57", "12,345", "x" * 159 + "\u2026",
    ]  # fmt: skip
