"""The agents that write SQL, Python and charts: real runs, offline and with a model's mistakes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flows.core.artifacts import Artifact
from flows.core.result import RunResult
from flows.data.tables import ResultTable
from flows.models.fake.answer import FakeAnswer
from flows.semantics.findings import Finding
from flows.semantics.query import (
    Aggregate,
    Compare,
    Comparison,
    Constant,
    FieldRef,
    Not,
    Query,
    Scope,
)
from flows.semantics.request import Unparsed
from tests.library.depot import DRIVERS, agents, metrics, write_depot
from tests.library.desk import Desk
from tests.library.works import Work
from tests.library.world import asked

EXTRACT = Work(
    agent="data_processor",
    task='Extract all the data from the "site_metrics" table in the SQLite database.',
)
REGRESSION = (
    'Build a regression model{rows} with "yield_rate" as the target variable and all other '
    "numerical features as predictors. Use the model to identify the most important features "
    'driving "yield_rate".'
)


def furnish(folder: Path) -> None:
    write_depot(folder)


def work(desk: Desk, *works: Work, model: str = "offline", **more: Any) -> RunResult:
    """What agents make of these tasks, in their order. All runs with one model share a plan."""
    return desk.run(agents(model, **more), inputs={"works": [each.model_dump() for each in works]})


def python(task: str, on: int | str | None = None) -> Work:
    return Work(agent="python", task=task, on=on)


def findings(result: RunResult) -> list[Finding]:
    assert result.status == "finished", result
    return list(result.outputs["findings"])


def kept(result: RunResult, name: str) -> Artifact:
    return next(each for each in result.artifacts if each.name == name)


def frame(result: RunResult, name: str) -> pd.DataFrame:
    """All rows of a kept table."""
    form = next(each for each in kept(result, name).files if each.kind == "parquet")
    return pd.read_parquet(result.folder / form.path)


def figure(result: RunResult, finding: Finding) -> dict[str, Any]:
    """The plotly figure that a finding names, as JSON."""
    [name] = finding.figures
    [drawn] = [each for each in result.artifacts if each.name == name]
    assert {"html", "json", "png"} == {each.kind for each in drawn.files}
    form = next(each for each in kept(result, name).files if each.kind == "json")
    found: dict[str, Any] = json.loads((result.folder / form.path).read_text())
    return found


def codes(finding: Finding) -> set[str]:
    return {each.code for each in finding.cautions}


# --- offline --------------------------------------------------------------------------------------


@pytest.mark.long("whole runs of a flow")
def test_all_data_is_extracted_whole_and_told(desk: Desk) -> None:
    result = work(desk, EXTRACT)
    [found] = findings(result)
    assert found.sql is not None
    assert found.sql.endswith(' FROM "site_metrics"')
    assert found.table is not None
    assert found.table.artifact is not None
    assert (found.table.total_rows, len(found.table.columns)) == (1440, 12)
    pd.testing.assert_frame_equal(
        frame(result, found.table.artifact).assign(month=metrics()["month"]), metrics(),
        check_dtype=False,
    )  # fmt: skip
    artifact = kept(result, found.table.artifact)
    assert {each.kind for each in artifact.files} == {"json", "parquet", "csv", "yaml"}
    assert found.data_used == ("depot",)
    assert found.dictionary is not None
    assert [e.column for e in found.dictionary.entries] == list(found.table.columns)
    # Nothing new was made: no model is asked what the columns are.
    assert desk.outputs("data_dictionary_generator") == []


@pytest.mark.long("whole runs of a flow")
def test_what_is_above_the_limit_is_only_in_the_parquet(desk: Desk) -> None:
    result = work(desk, EXTRACT, max_rows=100)
    [found] = findings(result)
    assert found.table is not None
    assert found.table.artifact is not None
    assert found.table.total_rows == 1440
    artifact = kept(result, found.table.artifact)
    cells = ResultTable.model_validate_json((result.folder / artifact.path).read_text())
    whole = frame(result, found.table.artifact)
    assert (len(cells.rows), cells.truncated, len(whole)) == (100, True, 1440)
    assert [row[2] for row in cells.rows] == whole["punctual"].head(100).to_list()
    assert "of 1,440 rows the CSV has the first 100" in artifact.description


@pytest.mark.long("whole runs of a flow")
def test_rows_that_a_join_leaves_out_are_said(desk: Desk) -> None:
    """Eight of forty orders are of customers that are not there."""
    connection = sqlite3.connect(desk.folder / "shop.db")
    connection.executescript(
        "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, region TEXT);"
        "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES "
        "customers(customer_id), amount REAL);"
    )
    connection.executemany("INSERT INTO customers VALUES (?, ?)", [(n, "NS"[n % 2]) for n in
                                                                   range(1, 9)])  # fmt: skip
    orders = [(n, n % 10 + 1, 1.5 * n) for n in range(40)]
    connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", orders)
    connection.commit()
    connection.close()
    tasks = ("Show the amount of each order and the region of its customer", "Show all orders")
    works = (Work(agent="data_processor", task=each) for each in tasks)
    joined, plain = findings(work(desk, *works, data={"shop": "shop.db"}))
    assert joined.table is not None
    assert joined.table.total_rows == 32
    said = {each.code: each.text for each in joined.cautions}
    assert said["no_partner"] == (
        "8 of 40 rows of orders are left out: they have no partner in customers."
    )
    assert "no_partner" not in codes(plain)


def test_new_columns_of_a_query_are_described(desk: Desk) -> None:
    task = 'Calculate the average "yield_rate" for each "site".'
    [found] = findings(work(desk, Work(agent="data_processor", task=task)))
    assert found.dictionary is not None
    told = {each.column: each.description for each in found.dictionary.entries}
    assert "mean of yield_rate" in told["average_yield_rate"]
    assert desk.inputs("data_dictionary_generator")[0]["columns"] == ("average_yield_rate",)


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_correlations_are_computed_over_the_extracted_data(desk: Desk) -> None:
    task = (
        'Perform feature correlation analysis between "yield_rate" and all other numerical '
        "features in the dataset to identify potential key drivers."
    )
    result = work(desk, EXTRACT, python(task, 0))
    extracted, found = findings(result)
    assert extracted.table is not None
    assert found.table is not None
    assert found.data_used == (extracted.table.artifact,)
    rows = {row[1]: row[2] for row in found.table.rows}
    wanted = metrics().drop(columns=["month"]).corr()["yield_rate"].drop("yield_rate")
    assert {str(name): pytest.approx(value) for name, value in wanted.items()} == rows
    sizes = [abs(float(str(row[2]))) for row in found.table.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert "twins" in codes(found)
    assert any("dwell and dwell_norm" in each.text for each in found.cautions)
    assert found.plan
    assert "yield_rate" in found.plan[0]


def learn(desk: Desk, rows: str) -> RunResult:
    return work(desk, EXTRACT, Work(agent="modelling", task=REGRESSION.format(rows=rows), on=0))


@pytest.fixture(scope="module")
def learned(open_desk: Desk) -> RunResult:
    """A model of all rows, once."""
    return learn(open_desk, "")


@pytest.mark.long("models are fitted in the sandbox, with all its libraries")
@pytest.mark.parametrize("rows", ["", " for Site 22"])
def test_a_model_finds_the_known_drivers(desk: Desk, learned: RunResult, rows: str) -> None:
    result = learn(desk, rows) if rows else learned
    _, found = findings(result)
    card = found.model
    assert card is not None
    assert tuple(each.feature for each in card.importances[:4]) == DRIVERS
    effects = {each.feature: each.effect for each in card.importances}
    assert effects["dwell"] is not None
    assert effects["dwell"] < -0.03
    assert effects["picks"] is not None
    assert effects["picks"] > 0.03
    assert card.target == "yield_rate"
    assert card.rows == (48 if rows else 1440)
    assert card.learned_rows + card.held_out_rows == card.rows
    [r2] = [each for each in card.metrics if each.name == "R2"]
    assert r2.held_out is not None
    assert r2.held_out > 0.8
    assert r2.cross_validated is not None
    assert r2.cross_validated > 0.7
    assert r2.baseline is not None
    assert r2.baseline < 0.1
    # The twins are left out, and said, and so is what a reader must not conclude.
    assert not any(each.endswith("_norm") for each in card.features)
    assert {"twins", "no_influence", "not_cause", "extrapolation"} <= codes(found)
    assert ("small_sample" in codes(found)) == bool(rows)
    saved = kept(result, card.artifact)
    assert (saved.what, saved.kind) == ("model", "skops")
    predicted = frame(result, card.predictions)
    assert len(predicted) == card.held_out_rows
    assert np.corrcoef(predicted["actual"], predicted["predicted"])[0, 1] > 0.9
    assert found.table is not None
    assert found.table.columns[:4] == ("feature", "importance", "effect", "correlation")


@pytest.mark.long("models are fitted in the sandbox, with all its libraries")
def test_the_same_model_comes_out_twice(desk: Desk, learned: RunResult) -> None:
    first, second = (findings(each)[1] for each in (learned, learn(desk, "")))
    assert first.model is not None
    assert second.model is not None
    assert first.model.importances == second.model.importances
    assert first.model.metrics == second.model.metrics
    assert first.code == second.code


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_model_of_too_few_rows_is_declined_in_words(desk: Desk) -> None:
    result = learn(desk, " for month 2019-01-01 and Site 22")
    assert result.status == "failed"
    assert "too few rows" in str(result.error)


CHARTS: tuple[tuple[str, str, str], ...] = (
    ('Generate a correlation heatmap of "yield_rate" with all other numerical features to visually '
     "identify potential key drivers.", "heatmap", "Correlation of yield rate"),
    ('Generate a scatter plot with "dwell" on the x-axis and "yield_rate" on the y-axis to '
     "visualize the relationship between these two variables.", "scatter", "Yield rate over dwell"),
    ('Generate a time series plot for "punctual", "dwell", and "yield_rate" metrics for "Site 22" '
     "to visualize the performance over time.", "scatter", "Punctual, dwell and yield rate over"),
    ('Generate a bar chart of the average "yield_rate" by "site"', "bar", "Average yield rate by"),
    ('Generate a histogram of "dwell"', "bar", "Distribution of dwell"),
    ('Generate a box plot of "yield_rate" by "site"', "box", "Spread of yield rate by site"),
    ('Create a pie chart of the number of rows by "site".', "pie", "Count by site"),
)  # fmt: skip


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_charts_are_drawn_as_their_tasks_say(desk: Desk) -> None:
    result = work(desk, EXTRACT, *(Work(agent="plotly", task=each[0], on=0) for each in CHARTS))
    for found, (task, kind, title) in zip(findings(result)[1:], CHARTS, strict=True):
        drawn = figure(result, found)
        assert drawn["data"][0]["type"] == kind, task
        assert drawn["layout"]["title"]["text"].startswith(title), task
        assert found.output_type == "figure"
        assert "plotly" in (found.code or "")
        if kind != "pie":
            axes = [key for key in drawn["layout"] if key.startswith(("xaxis", "yaxis"))]
            titled = [key for key in axes if drawn["layout"][key].get("title", {}).get("text")]
            assert {"x", "y"} <= {key[0] for key in titled}, task
    heat = figure(result, findings(result)[1])["data"][0]
    assert heat["y"][0] in ("dwell", "dwell_norm")
    time = figure(result, findings(result)[3])
    assert [each["name"] for each in time["data"]] == ["punctual", "dwell", "yield rate"]
    assert len(time["data"][0]["x"]) == 48


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_chart_of_a_result_that_lacks_the_columns_says_so(desk: Desk) -> None:
    chart = 'Generate a scatter plot with "picks" on the x-axis and "stocked" on the y-axis'
    result = work(
        desk,
        EXTRACT,
        python('Calculate the correlation between "dwell" and "yield_rate".', 0),
        Work(agent="plotly", task=chart, on=1),
    )
    assert result.status == "failed"
    assert "the data has no column 'picks' and no 'stocked'" in str(result.error)


@pytest.mark.long("whole runs of a flow")
def test_groups_are_computed_with_pandas_as_the_database_does(desk: Desk) -> None:
    task = 'Calculate the average "yield_rate" for each "site" and rank them from highest to lowest'
    works = (Work(agent="data_processor", task=task), EXTRACT, python(task, 1))
    by_query, _, by_code = findings(work(desk, *works))
    assert by_query.table is not None
    assert by_code.table is not None
    assert by_code.table.columns == by_query.table.columns
    for one, other in zip(by_query.table.rows, by_code.table.rows, strict=True):
        assert one[0] == other[0]
        assert one[1] == pytest.approx(other[1])


def test_a_task_that_asks_for_nothing_known_is_declined(desk: Desk) -> None:
    result = work(desk, python("Contemplate the colour of regret."))
    assert result.status == "failed"
    assert "cannot be done" in str(result.error)


def test_a_result_that_is_not_there_is_said(desk: Desk) -> None:
    result = work(desk, EXTRACT, python("Show the distribution of dwell", "table"))
    assert result.status == "failed"
    assert "there is no result 'table'" in str(result.error)


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_names_in_a_table_are_never_code(desk: Desk) -> None:
    """Column names of a hostile file come into the code as text alone."""
    name = "a'];raise SystemExit(9)#{{7*7}}<img src=x>"
    hostile = pd.DataFrame({name: [1.0, 2.0, 3.5, 4.0] * 9, "level": range(36)})
    hostile.to_csv(desk.folder / "hostile.csv", index=False)
    drawing = Work(agent="plotly", task="Generate a correlation heatmap of all numerical columns")
    works = (python("Calculate the correlations of all columns"), drawing)
    result = work(desk, *works, data={"hostile": "hostile.csv"})
    computed, drawn = findings(result)
    assert computed.table is not None
    assert name in {str(cell) for row in computed.table.rows for cell in row[:2]}
    [page] = drawn.figures
    assert "<img src=x>" not in (result.folder / kept(result, page).path).read_text()


# --- with a request ------------------------------------------------------------------------------


def dwell_by_site() -> Query:
    metric = Aggregate(function="average", of=FieldRef(dataset="site_metrics", field="dwell"))
    site = FieldRef(dataset="site_metrics", field="site")
    return Query(dataset="site_metrics", metrics=(metric,), by=(site,))


def test_a_task_that_is_typed_is_compiled_and_no_model_is_asked(desk: Desk) -> None:
    """But what its new column is, which no request says."""
    desk.server.script(reply(columns=[{"name": "average_dwell", "description": "Mean dwell."}]))
    task = Work(agent="data_processor", task="As agreed", request=dwell_by_site())
    [found] = findings(work(desk, task, model="openai"))
    assert found.table is not None
    assert found.table.columns == ("site", "average_dwell")
    means = metrics().groupby("site")["dwell"].mean()
    sites, dwell = zip(*found.table.rows, strict=True)
    assert dwell == pytest.approx(means[list(sites)].to_list())
    assert len(desk.server.requests) == 1
    assert desk.outputs("sql_generation") == []


def test_two_scopes_are_laid_out_by_figures_for_others_to_work_on(desk: Desk) -> None:
    seventh = Comparison(operator="=", left=FieldRef(dataset="site_metrics", field="site"),
                         right=Constant(value=7))  # fmt: skip
    sides = Compare(a=Scope(name="7", where=seventh), b=Scope(name="not 7", where=Not(of=seventh)))
    asked_for = dwell_by_site().model_copy(update={"by": (), "compare": sides})
    [found] = findings(work(desk, Work(agent="data_processor", task="7", request=asked_for)))
    assert found.table is not None
    assert found.table.columns[:3] == ("feature", "own", "others")
    mean = metrics().groupby("site")["dwell"].mean()[7]
    feature, own, *_ = found.table.rows[0]
    assert feature == "dwell"
    assert own == pytest.approx(mean)


@pytest.mark.parametrize("request_", ["misfit", "unread"])
def test_what_no_request_says_is_asked_of_the_model(desk: Desk, request_: str) -> None:
    wrong = FieldRef(dataset="site_metrics", field="dwel")
    misfit = dwell_by_site().model_copy(update={"by": (wrong,)})
    unread = Unparsed(text="Get it", reason="it asks for nothing")
    desk.server.script(reply(sql="SELECT site, dwell FROM site_metrics"))
    asked_for = {"misfit": misfit, "unread": unread}[request_]
    task = Work(agent="data_processor", task="Get it", request=asked_for)
    [found] = findings(work(desk, task, model="openai"))
    assert found.sql == "SELECT site, dwell FROM site_metrics"


# --- with a model that makes mistakes -------------------------------------------------------------


def reply(**fields: Any) -> FakeAnswer:
    return FakeAnswer(json.dumps(fields))


def test_a_refused_query_goes_back_with_its_reason(desk: Desk) -> None:
    desk.server.script(
        reply(sql="DROP TABLE site_metrics"),
        reply(sql="SELECT yeild_rate FROM site_metrics"),
        reply(sql="SELECT site, AVG(yield_rate) AS mean_yield FROM site_metrics GROUP BY site",
              confidence=0.8, warnings=[{"code": "grouped", "text": "One row for each site."}]),
        reply(columns=[{"name": "mean_yield", "description": "Mean yield.", "unit": "share"}]),
    )  # fmt: skip
    task = "Get the mean yield of each site"
    result = work(desk, Work(agent="data_processor", task=task), model="openai")
    [found] = findings(result)
    assert found.table is not None
    assert found.table.total_rows == 30
    assert "DROP TABLE site_metrics" in asked(desk.server, 1)[-1][1]
    assert "yeild_rate" in asked(desk.server, 2)[-1][1]
    assert found.confidence == 0.8
    assert codes(found) == {"grouped"}
    assert found.dictionary is not None
    [made] = [each for each in found.dictionary.entries if each.column == "mean_yield"]
    assert (made.description, made.unit) == ("Mean yield.", "share")


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_failing_code_is_corrected_with_its_error(desk: Desk) -> None:
    desk.server.script(
        reply(plan=["Take the mean."]),
        reply(code="result = site_metrics.groupby('sight')['dwell'].mean().reset_index()"),
        reply(code="means = 1"),
        reply(code="result = site_metrics.groupby('site')['dwell'].mean()"
              ".rename('mean_dwell').reset_index()\n"
              "warnings = pd.DataFrame({'code': ['few'], 'says': ['Few sites.']})"),
        reply(columns=[{"name": "mean_dwell", "description": "Mean dwell."}]),
    )  # fmt: skip
    result = work(desk, python("Mean dwell of sites"), model="openai")
    [found] = findings(result)
    first, second = asked(desk.server, 2)[-1][1], asked(desk.server, 3)[-1][1]
    assert "KeyError: 'sight'" in first
    assert "> result = site_metrics.groupby('sight')" in first
    assert "made no data frame called result" in second
    assert found.plan == ("Take the mean.",)
    assert found.table is not None
    assert found.table.columns == ("site", "mean_dwell")
    assert found.data_used == ("depot",)
    assert [(each.code, each.text) for each in found.cautions] == [("few", "Few sites.")]


def test_code_that_nobody_corrects_fails_with_its_error(desk: Desk) -> None:
    desk.server.script(reply(plan=["x"]), *(reply(code="1 / 0") for _ in range(3)))
    result = work(desk, python("Divide"), model="openai")
    assert result.status == "failed"
    assert "ZeroDivisionError" in str(result.error)
    assert len(desk.server.requests) == 4


@pytest.mark.long("models are fitted in the sandbox, with all its libraries")
def test_a_part_of_a_model_gives_a_card_of_that_part(desk: Desk) -> None:
    code = """\
from sklearn.linear_model import LinearRegression
model = LinearRegression().fit(site_metrics[["dwell"]], site_metrics["yield_rate"])
result = pd.DataFrame({"feature": ["dwell"], "importance": [0.5]})
"""
    desk.server.script(
        reply(plan=["Fit a line."]),
        reply(code=code),
        reply(columns=[{"name": "feature", "description": "The column."},
                       {"name": "importance", "description": "Its weight."}]),
    )  # fmt: skip
    result = work(desk, Work(agent="modelling", task="Fit a line"), model="openai")
    [found] = findings(result)
    assert found.model is not None
    assert [each.feature for each in found.model.importances] == ["dwell"]
    assert (found.model.metrics, found.model.predictions) == ((), "")
    assert kept(result, found.model.artifact).kind == "skops"


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_chart_code_that_fails_is_written_again(desk: Desk) -> None:
    desk.server.script(
        reply(code="figure = px.bar(site_metrics, x='sight', y='dwell')"),
        reply(code="print('no figure')"),
        reply(code="figure = px.histogram(site_metrics, x='dwell', title='Dwell')"),
    )
    result = work(desk, Work(agent="plotly", task="Draw dwell"), model="openai")
    [found] = findings(result)
    assert "sight" in asked(desk.server, 1)[-1][1]
    assert "it made no figure" in asked(desk.server, 2)[-1][1]
    assert figure(result, found)["layout"]["title"]["text"] == "Dwell"


def test_a_model_is_told_of_the_data_that_it_is_given(desk: Desk) -> None:
    desk.server.script(
        reply(sql="SELECT site, dwell FROM site_metrics"),
        reply(plan=["Count."]),
        reply(code="result = pd.DataFrame({'rows': [len(data)]})"),
        reply(columns=[{"name": "rows", "description": "Rows."}]),
    )
    works = (Work(agent="data_processor", task="Get dwell"), python("Count the rows", 0))
    found = findings(work(desk, *works, model="openai"))[1]
    assert found.table is not None
    assert found.table.rows == ((1440,),)
    told = asked(desk.server, 1)[-1][1]
    assert "Your input is the data frame `data`, 1440 rows" in told
    assert '- "dwell": real' in told
    assert '"punctual"' not in told
