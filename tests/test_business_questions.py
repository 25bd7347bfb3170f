"""The business questions: the data is made as its truth says, and each question can be failed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

from flows.cli.jobs import lines_of, opened
from flows.evaluation.analyses import AnalysisCase, analysis_case_of, judge_analysis
from tests.evaluation.findings import EMPTY
from tests.test_benchmarks import run

HALVES = ("tuning", "held")
ROWS = 5_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all data, documents and questions."""
    folder = tmp_path_factory.mktemp("business") / "set"
    done = run("business_questions.py", str(folder), "--rows", str(ROWS))
    assert done.returncode == 0, done.stderr
    return folder


def truths(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "truth.json").read_text())
    return found


def table(folder: Path, name: str) -> pandas.DataFrame:
    if name == "production":
        return pandas.read_parquet(folder / "production.parquet")
    base = "shop.db" if name == "order_items" else "logistics.db"
    joined = {"order_items": "order_items JOIN orders USING (order_id) "
              "JOIN customers USING (customer_id) JOIN products USING (product_id)"}  # fmt: skip
    with closing(sqlite3.connect(folder / base)) as connection:
        return pandas.read_sql(f"SELECT * FROM {joined.get(name, name)}", connection)


def slopes(data: pandas.DataFrame, target: str, columns: list[str]) -> NDArray[np.float64]:
    """The slopes of least squares, without the intercept."""
    kept = data[[target, *columns]].dropna().to_numpy(float)
    design = np.column_stack([kept[:, 1:], np.ones(len(kept))])
    found: NDArray[np.float64] = np.linalg.lstsq(design, kept[:, 0], rcond=None)[0][:-1]
    return found


def cases(folder: Path, half: str) -> list[AnalysisCase]:
    with opened(str(folder / f"{half}.jsonl")) as file:
        return [analysis_case_of(line.id, line.values, half) for line in lines_of(file)]


@pytest.mark.long("a whole set of data is made twice")
def test_the_same_seed_makes_the_same_set(made: Path, tmp_path: Path) -> None:
    assert run("business_questions.py", str(tmp_path), "--rows", str(ROWS)).returncode == 0
    for name in ("tuning.jsonl", "held.jsonl", "truth.json"):
        assert (tmp_path / name).read_bytes() == (made / name).read_bytes()
    pandas.testing.assert_frame_equal(
        table(tmp_path, "warehouse_metrics_monthly"), table(made, "warehouse_metrics_monthly")
    )
    pandas.testing.assert_frame_equal(table(tmp_path, "production"), table(made, "production"))


@pytest.mark.long("sets of data with planted truths are made and fitted")
@pytest.mark.parametrize("target", ["efficiency", "output", "damage_rate"])
def test_least_squares_finds_the_drivers_that_the_truth_names(made: Path, target: str) -> None:
    for truth in (each for each in truths(made) if each["target"] == target):
        data = table(made, truth["table"])
        idle = [name for name in truth["idle"] if name != "record_id"]
        drivers = truth["drivers"]
        for each in drivers:
            if each["bend"] is not None:
                bent = (data[each["name"]] - each["bend"]).clip(lower=0)
                data["bent"] = bent
        bends = ["bent"] if "bent" in data else []
        names = [each["name"] for each in drivers]
        found = slopes(data, target, [*names, *idle, *bends])
        for each, slope in zip(drivers, found, strict=False):
            assert slope == pytest.approx(each["slope"], rel=0.1, abs=0.06), each["name"]
        strongest = min(abs(each["slope"]) * data[each["name"]].std() for each in drivers)
        for name, slope in zip(idle, found[len(names) :], strict=False):
            assert abs(slope) * data[name].std() < strongest / 3, name
        if bends:
            beyond = found[-1] + found[0]
            assert beyond == pytest.approx(drivers[0]["slope_beyond"], rel=0.1)


@pytest.mark.long("data sets of the benchmark are made")
def test_twins_are_copies_and_confounded_columns_only_seem_to_count(made: Path) -> None:
    for truth in truths(made):
        data = table(made, truth["table"])
        for twin, name in truth["twins"].items():
            assert abs(data[twin].corr(data[name])) > 0.99999, twin
        for each in truth["confounded"]:
            alone = data[each["column"]].corr(data[each["target"]])
            assert abs(alone) > 0.2, each
            beside = [each["column"], *(driver["name"] for driver in truth["drivers"])]
            share = slopes(data, each["target"], beside)[0] * data[each["column"]].std()
            assert abs(share) < 0.35 * abs(alone) * data[each["target"]].std(), each


@pytest.mark.long("takes a process, a file or a run of its own")
def test_what_is_planted_is_there(made: Path) -> None:
    metrics = table(made, "warehouse_metrics_monthly")
    turn = metrics.groupby("location").turn_around.mean()
    efficiency = metrics.groupby("location").efficiency.mean()
    assert (turn.idxmax(), efficiency.idxmin()) == ("Location 22", "Location 22")
    items = table(made, "order_items")
    assert items.groupby("category").returned.mean().idxmax() == "Shoes"
    late = items.delivery_days > items.delivery_days.median()
    assert items[late].returned.mean() > 1.5 * items[~late].returned.mean()
    income = (items.quantity * items.unit_price).groupby(items.region).sum()
    assert income.idxmax() == "West"


def test_every_question_can_be_judged_and_failed(made: Path) -> None:
    split = {half: cases(made, half) for half in HALVES}
    together = [each for half in HALVES for each in split[half]]
    assert len({each.id for each in together}) == len(together) >= 32
    assert 3 * min(map(len, split.values())) >= len(together)
    for each in together:
        assert not each.fault
        judged = judge_analysis(each, EMPTY, 0.0)
        assert judged.verdict == "wrong", each.id


def test_the_documents_can_be_read_by_others(made: Path) -> None:
    import docx
    import pypdf

    folder = made / "docs" / "logistics"
    assert (
        "at most 13 hours"
        in pypdf.PdfReader(folder / "carrier_handbook.pdf").pages[0].extract_text()
    )
    paragraphs = docx.Document(str(folder / "review_2023.docx")).paragraphs
    assert any("410,000 euros" in each.text for each in paragraphs)
    names = {path.suffix for path in folder.iterdir()}
    assert names == {".md", ".txt", ".html", ".pdf", ".docx"}


def million_rows(tmp_path: Path, question: str) -> tuple[int, str, dict[str, Any]]:
    target = tmp_path / "out.json"
    sizes = ("--rows", "3000", "--repeats", "1", "--seconds", "600", "--folder", str(tmp_path))
    done = run("million_rows.py", *sizes, "--question", question, "--json", str(target))
    assert target.exists(), done.stderr
    return done.returncode, done.stdout, json.loads(target.read_text())


@pytest.mark.long("the benchmark itself, with a team")
def test_the_million_rows_are_timed_by_task_and_step(tmp_path: Path) -> None:
    code, shown, written = million_rows(tmp_path, "What drives the output of production?")
    assert (code, written["samples"][0]["wrong"]) == (0, [])
    assert "PythonModellingAgent" in shown
    sample = written["samples"][0]
    assert written["rows"] == 3_000
    assert 0 < sample["run"] < sample["process"] == written["seconds"]["median"]
    assert all(status == "done" for _, status, _ in sample["tasks"])
    assert any(flow.endswith("PythonModellingAgent/code") for flow, _ in sample["steps"])


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_a_report_without_the_drivers_is_wrong(tmp_path: Path) -> None:
    code, shown, written = million_rows(tmp_path, "What is the average vibration?")
    assert code == 1
    assert "WRONG no model has feed_rate, pressure, temperature" in shown
    assert written["samples"][0]["wrong"]
