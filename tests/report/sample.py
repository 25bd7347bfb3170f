"""A report of a small analysis that is really done: generated data, queries, a model, figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score

from flows.core.artifacts import Artifact, Artifacts, Origin, What
from flows.core.documents import Passage
from flows.core.observation import Caution, Preview
from flows.data.answers.citations import NamedResult, Traced
from flows.data.answers.rendering import render
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.results.charts import ChartSpec, plotly_figure
from flows.data.results.figures import checked_plotly, figure_json, figure_page
from flows.data.results.parquet import write_parquet
from flows.data.results.safe_csv import write_csv
from flows.data.tables import ColumnType, ResultTable
from flows.report.report import Cost, Report
from flows.report.sources import sources_used
from flows.semantics.findings import (
    Finding,
    ModelCard,
    ModelMetric,
    Task,
    TaskResult,
    TaskStatus,
    Told,
    Weight,
)

CORRELATE = """\
from __future__ import annotations

numbers = data.select_dtypes("number")
found = numbers.corr()["efficiency"].drop("efficiency")
result = found.rename("correlation").rename_axis("column").reset_index()
result = result.sort_values("correlation", key=abs, ascending=False).reset_index(drop=True)
"""
MODEL = """\
from sklearn.linear_model import LinearRegression

columns = ["on_road_hours", "dock_wait_minutes", "pick_rate", "staff"]
learned, judged = data.iloc[: len(data) * 3 // 4], data.iloc[len(data) * 3 // 4 :]
model = LinearRegression().fit(learned[columns], learned["efficiency"])
result = judged[["location", "month", "efficiency"]].assign(
    predicted=model.predict(judged[columns])
).reset_index(drop=True)
"""
CHART = """\
import plotly.express as px

figure = px.scatter(data, x="dock_wait_minutes", y="efficiency")
"""


def metrics(rows: int = 480) -> pd.DataFrame:
    """Monthly metrics of locations: waiting lowers the efficiency, picking raises it."""
    random = np.random.default_rng(7)
    wait = random.gamma(6.0, 6.0, rows)
    pick = random.normal(92, 11, rows)
    road = random.normal(7.4, 1.1, rows)
    staff = random.integers(12, 44, rows)
    efficiency = 71 - 0.42 * wait + 0.21 * pick - 0.9 * road + random.normal(0, 1.6, rows)
    months = pd.date_range("2024-01-01", periods=20, freq="MS").strftime("%Y-%m-%d")
    return pd.DataFrame(
        {
            "location": [f"Location {1 + row % 24:02d}" for row in range(rows)],
            "month": [months[row // 24] for row in range(rows)],
            "efficiency": efficiency.round(3),
            "on_road_hours": road.round(3),
            "dock_wait_minutes": wait.round(3),
            "dock_wait_minutes_norm": (wait / wait.max()).round(6),
            "pick_rate": pick.round(3),
            "staff": staff,
        }
    )


@dataclass
class Desk:
    """Keeps results as a run does, and renders texts from them."""

    artifacts: Artifacts
    results: dict[str, NamedResult] = field(default_factory=dict)

    def keep(
        self,
        stem: str,
        kind: str,
        content: bytes,
        what: What,
        origin: Origin,
        forms: Mapping[str, bytes] | None = None,
        about: str = "",
    ) -> Artifact:
        saved = self.artifacts.save(
            f"Team#1/{stem}", stem, kind, content, about or stem, origin, what=what, forms=forms
        )
        self.artifacts.register(saved)
        return saved

    def table(self, stem: str, table: ResultTable, origin: Origin) -> Preview:
        forms = {"parquet": write_parquet(table), "csv": write_csv(table.columns, table.rows)}
        body = table.model_dump_json().encode()
        saved = self.keep(stem, "json", body, "table", origin, forms)
        self.results[saved.name] = NamedResult.of_table(saved.name, table)
        return Preview(
            columns=table.columns, types=table.types, rows=table.rows[:20],
            total_rows=len(table.rows), sql=table.sql or None, artifact=saved.name,
        )  # fmt: skip

    def figure(self, stem: str, figure: Mapping[str, Any], title: str) -> str:
        checked = checked_plotly(json.dumps(figure), stem)
        forms = {"json": figure_json(checked)}
        page = figure_page(checked, title)
        return self.keep(stem, "html", page, "figure", Origin(), forms, title).name

    def told(self, text: str) -> Told:
        found = render(text, self.results)
        traced = Traced.of(found.citations)
        return Told(text=found.text, source=text, citations=found.citations, traced=traced)


def as_table(frame: pd.DataFrame, sources: dict[str, str]) -> ResultTable:
    kinds: dict[str, ColumnType] = {"f": "real", "i": "integer"}
    types = tuple(kinds.get(each.kind, "text") for each in frame.dtypes)
    rows = tuple(tuple(row) for row in frame.astype(object).itertuples(index=False))
    return ResultTable(
        columns=tuple(map(str, frame.columns)), types=types, rows=rows, truncated=False, sql="",
        sources=sources, elapsed_ms=0.0,
    )  # fmt: skip


def result_of(
    number: int,
    name: str,
    description: str,
    finding: Finding,
    after: int | None = None,
    status: TaskStatus = "done",
    seconds: float = 0.4,
) -> TaskResult:
    task = Task(task_id=number, name=name, description=description, data_dependency=after)
    return TaskResult(task=task, status=status, finding=finding, seconds=seconds)


def sample(folder: Path) -> tuple[Report, Artifacts]:
    """The report, and the artifacts of its run in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    metrics().to_csv(folder / "metrics.csv", index=False)
    desk = Desk(Artifacts(folder / "run"))
    with Catalog({"metrics": "metrics.csv"}, folder) as catalog:
        sources = sources_used(catalog)
        rows = run_query(catalog, "SELECT * FROM metrics", max_rows=1000, timeout=60)
        by_month = run_query(
            catalog,
            "SELECT month, avg(efficiency) AS mean_efficiency, "
            "avg(dock_wait_minutes) AS mean_wait, count(*) AS locations "
            "FROM metrics GROUP BY month ORDER BY month",
            max_rows=100,
            timeout=60,
        )
    return _report(desk, sources, rows, by_month), desk.artifacts


def _report(desk: Desk, sources: Any, rows: ResultTable, by_month: ResultTable) -> Report:
    hashes = rows.sources
    frame = pd.DataFrame(rows.rows, columns=list(rows.columns))
    made: dict[str, Any] = {"data": frame}
    exec(compile(CORRELATE, "correlate", "exec", dont_inherit=True), made)
    raw = desk.table("result", rows, Origin(query=rows.sql, inputs=hashes))
    months = desk.table("months", by_month, Origin(query=by_month.sql, inputs=hashes))
    correlated = as_table(made["result"], hashes)
    drivers = desk.table("drivers", correlated, Origin(code=CORRELATE, inputs=hashes))
    exec(compile(MODEL, "model", "exec", dont_inherit=True), made)
    judged = desk.table("judged", as_table(made["result"], hashes), Origin(code=MODEL))
    results = (
        result_of(0, "DataProcessorSQLAgent", "Extract all monthly metrics of all locations.",
                  Finding(output_type="table", response=f"The query gave {len(rows.rows)} rows.",
                          sql=rows.sql, table=raw, data_used=("metrics",), confidence=0.97)),
        result_of(1, "PythonDataAgent", 'Correlate "efficiency" with all other numerical columns '
                  "to find potential key drivers.", _correlation(drivers, raw), 0, seconds=1.8),
        result_of(2, "InsightsGeneratorAgent", "Generate insights about the key drivers of "
                  "efficiency from the correlations.", _insights(desk, drivers, months), 1),
        result_of(3, "PlotlyVisualizerAgent", "Draw how waiting at the dock goes with efficiency.",
                  _drawn(desk, frame), 0, seconds=0.9),
        result_of(4, "PythonModellingAgent", 'Build a regression model with "efficiency" as the '
                  "target and find the most important columns.",
                  _modelled(made, judged, raw), 0, seconds=3.4),
        result_of(5, "DataProcessorSQLAgent", "Compare the months.",
                  Finding(output_type="table", response="The query gave 20 rows.", sql=by_month.sql,
                          table=months, data_used=("metrics",))),
        result_of(6, "PlotlyVisualizerAgent", "Draw the months on a map.",
                  Finding(output_type="figure", response="NameError: no name 'regions'"),
                  5, status="failed", seconds=0.3),
    )  # fmt: skip
    return Report(
        run_id="20250301-101500-8f2c",
        made_at="2025-03-01 10:15 UTC",
        question="How do I improve the efficiency of the warehouse locations?",
        understood=(
            "'efficiency' is the column efficiency of metrics, one row for a location and month.",
            "The glossary says that 'dock' means dock_wait_minutes.",
        ),
        answered="answered",
        summary=desk.told(_summary(drivers, months)),
        results=results,
        changes=("Task 6 was to use task 3, which gives no table; it uses task 5.",),
        passages=(
            Passage(id="1", document="handbook/docks.md", where="page 4", score=0.82,
                    text="Trucks that wait longer than half an hour at the dock delay the whole\n"
                         "shift. Docks are assigned by order of arrival."),
            Passage(id="2", document="targets-2024.pdf", where="page 2", score=0.61,
                    text="The target for efficiency is 75 in all locations."),
        ),
        limits=(
            "Correlation is no proof of cause: locations with long waits may differ otherwise.",
            "The data ends in August 2025; later changes are not in it.",
        ),
        sources=sources,
        cost=Cost(seconds=8.3, model_calls=14, input_tokens=0, output_tokens=0, model="offline"),
        made_with="analyst-flows 0.1.0",
    )  # fmt: skip


def _correlation(drivers: Preview, raw: Preview) -> Finding:
    twins = Caution(
        code="twins",
        text="dock_wait_minutes_norm is dock_wait_minutes in another scale: both say the same, and "
        "only one of them may be counted as a driver.",
    )
    return Finding(
        output_type="table",
        response="7 columns were compared.",
        plan=(
            "Take all numerical columns.",
            "Correlate each with efficiency.",
            "Sort by strength.",
        ),
        code=CORRELATE,
        table=drivers,
        cautions=(twins,),
        data_used=(raw.artifact or "",),
    )


def _insights(desk: Desk, drivers: Preview, months: Preview) -> Finding:
    d, m = drivers.artifact, months.artifact
    texts = (
        f"{{{{{d}[0].column}}}} goes with it most: r = **{{{{{d}[0].correlation | .2f}}}}**.",
        f"The best month had a mean efficiency of {{{{max({m}.mean_efficiency) | .1f}}}}, the "
        f"worst {{{{min({m}.mean_efficiency) | .1f}}}}; {{{{count({m})}}}} months were compared.",
    )
    told = tuple(desk.told(each) for each in texts)
    return Finding(
        output_type="insights", response="2 insights.", insights=told, data_used=(d or "",)
    )


def _summary(drivers: Preview, months: Preview) -> str:
    d, m = drivers.artifact, months.artifact
    return (
        "Shorten the time that trucks **wait at the dock**: of all columns it goes with efficiency "
        f"most strongly (r = {{{{{d}[0].correlation | .2f}}}}). Picking comes second.\n\n"
        f"- Efficiency was {{{{{m}[0].mean_efficiency | .1f}}}} in the first month, with a wait of "
        f"{{{{{m}[0].mean_wait | .1f}}}} minutes on average.\n"
        f"- The handbook names half an hour as the limit for a wait [1]; the mean over all months "
        f"is {{{{mean({m}.mean_wait) | .1f}}}} minutes.\n"
        "- Staff plays next to no part.\n"
    )


def _drawn(desk: Desk, frame: pd.DataFrame) -> Finding:
    columns = ("dock_wait_minutes", "efficiency")
    rows = [tuple(row) for row in frame[list(columns)].itertuples(index=False)]
    spec = ChartSpec(
        type="scatter", x=columns[0], y=columns[1], title="Efficiency falls with waiting"
    )
    scatter = desk.figure("scatter", plotly_figure(spec, columns, rows), spec.title or "")
    means = frame.groupby("month")["efficiency"].mean().reset_index()
    lines = [tuple(row) for row in means.itertuples(index=False)]
    line_of = ChartSpec(type="line", x="month", y="efficiency", title="Mean efficiency by month")
    line = desk.figure(
        "line", plotly_figure(line_of, ("month", "efficiency"), lines), line_of.title or ""
    )
    drawn, opened = Figure(figsize=(6.4, 3.6), layout="constrained"), BytesIO()
    axes = drawn.subplots()
    axes.hist(frame["dock_wait_minutes"], bins=30)
    axes.set(xlabel="dock_wait_minutes", ylabel="rows")
    drawn.savefig(opened, format="png", dpi=110)
    title = "How long trucks wait"
    png = desk.keep("waits", "png", opened.getvalue(), "figure", Origin(), about=title).name
    return Finding(
        output_type="figure", response="3 figures.", code=CHART, figures=(scatter, line, png)
    )


def _modelled(made: Mapping[str, Any], judged: Preview, raw: Preview) -> Finding:
    model: LinearRegression = made["model"]
    learned, rest, columns = made["learned"], made["judged"], made["columns"]
    truth, guessed = rest["efficiency"], model.predict(rest[columns])
    mean = np.full(len(rest), learned["efficiency"].mean())
    effects = model.coef_ * learned[columns].std().to_numpy()
    share = np.abs(effects) / np.abs(effects).sum()
    weights = [
        Weight(feature=name, importance=float(one), effect=float(effect))
        for name, one, effect in zip(columns, share, effects, strict=True)
    ]
    card = ModelCard(
        kind="linear regression", target="efficiency", features=tuple(columns),
        rows=len(learned) + len(rest), learned_rows=len(learned), held_out_rows=len(rest),
        metrics=(
            ModelMetric(name="R\u00b2",
                        held_out=float(r2_score(truth, guessed)), cross_validated=0.871,
                        baseline=float(r2_score(truth, mean))),
            ModelMetric(name="mean absolute error",
                        held_out=float(mean_absolute_error(truth, guessed)), cross_validated=1.31,
                        baseline=float(mean_absolute_error(truth, mean))),
        ),
        importances=tuple(weights), predictions=judged.artifact or "",
    )  # fmt: skip
    return Finding(
        output_type="model", response="A linear regression.", code=MODEL, table=judged, model=card,
        plan=("Keep the last quarter of the rows apart.", "Learn from the others.", "Judge."),
        data_used=(raw.artifact or "",),
        cautions=(Caution(code="left_out", text="dock_wait_minutes_norm is left out: a copy."),),
    )  # fmt: skip
