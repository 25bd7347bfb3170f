"""Dates whose year, month and day stand in columns of their own."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from flows.analysis.compiler import compile_query
from flows.analysis.compiler.frames import row_text
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics import query as q
from flows.semantics.check import check
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticField, SemanticModel

NAMES = (("year", "month", "day"), ("Jahr", "Monat", "Tag"), ("log_yr", "log_mon", "log_day"))


def model_of(frame: pd.DataFrame, folder: Path) -> SemanticModel:
    frame.to_csv(folder / "readings.csv", index=False)
    with Catalog({"readings": str(folder / "readings.csv")}, folder) as catalog:
        return infer_model(catalog.tables(), catalog.inspection)


def date_of(model: SemanticModel) -> SemanticField | None:
    (dataset,) = model.datasets
    found = dataset.find(dataset.time)
    return found if found is not None and found.expression is not None else None


def readings(names: tuple[str, ...]) -> pd.DataFrame:
    dice = random.Random(len(names[0]))
    days = [
        pd.Timestamp("2021-03-01") + pd.Timedelta(days=dice.randint(0, 900)) for _ in range(300)
    ]
    parts = {"year": [d.year for d in days], "month": [d.month for d in days]}
    parts["day"] = [d.day for d in days]
    frame = pd.DataFrame({"volume": [dice.randint(1, 90) for _ in days]})
    for name, part in zip(names, parts, strict=False):
        frame[name] = parts[part]
    return frame


def query(model: SemanticModel, grain: q.Grain) -> q.Query:
    time = q.Period(of=q.FieldRef(dataset="readings", field=model.datasets[0].time), grain=grain)
    counted = q.Aggregate(function="count")
    return q.Query(dataset="readings", metrics=(counted,), by=(time,), sort=(q.Order(by=time),))


@pytest.mark.parametrize("names", NAMES)
def test_parts_make_a_date_with_its_first_and_last_day(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    frame = readings(names)
    model = model_of(frame, tmp_path)
    field = date_of(model)
    assert field is not None
    days = pd.to_datetime(dict(zip(("year", "month", "day"), map(frame.get, names), strict=True)))
    assert (field.type, field.least, field.most) == (
        "date", days.min().date().isoformat(), days.max().date().isoformat()
    )  # fmt: skip
    assert field.expression is not None
    code = row_text(field.expression, "readings", model)
    assert list(eval(code, {"pd": pd, "data": frame})) == list(days)


@pytest.mark.long("whole vocabularies are read")
def test_databases_make_the_same_date_and_no_value_of_a_day_that_there_is_not(
    tmp_path: Path,
) -> None:
    frame = readings(NAMES[0])
    frame.loc[0, ["year", "month", "day"]] = [2022, 2, 30]
    model = model_of(frame, tmp_path)
    days = pd.to_datetime(frame[["year", "month", "day"]], errors="coerce").dt.day_name()
    wanted = days.value_counts().to_dict() | {None: 1}
    asked = query(model, "weekday")
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("readings", connection, index=False)
        assert dict(connection.execute(compile_query(asked, model, "sqlite")).fetchall()) == wanted
    with Catalog({"readings": str(tmp_path / "readings.csv")}, tmp_path) as catalog:
        sql = compile_query(asked, model, "duckdb")
        rows = run_unchecked(catalog, sql, "duckdb", max_rows=20, timeout=30).rows
        assert {row[0]: row[1] for row in rows} == wanted


@pytest.mark.long("whole vocabularies are read")
def test_a_moment_in_another_zone_is_not_what_days_are_counted_by(tmp_path: Path) -> None:
    frame = readings(NAMES[0])
    days = pd.to_datetime(frame[["year", "month", "day"]])
    frame["logged_at"] = (days + pd.Timedelta(hours=30)).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert date_of(model_of(frame, tmp_path)) is not None


def test_of_year_and_month_no_day_is_known(tmp_path: Path) -> None:
    model = model_of(readings(NAMES[0][:2]), tmp_path)
    assert date_of(model) is not None
    assert check(query(model, "quarter"), model) == ()
    (problem,) = check(query(model, "weekday"), model)[:1]
    assert "only the month is known" in problem.reason


@pytest.mark.parametrize("change", ["date", "range", "birth"])
def test_other_tables_keep_their_time(change: str, tmp_path: Path) -> None:
    frame = readings(NAMES[0])
    if change == "date":
        frame["noted_on"] = "2023-01-05"
    elif change == "range":
        frame["month"] += 20
    else:
        frame = frame.rename(columns={each: f"birth_{each}" for each in NAMES[0]})
    assert date_of(model_of(frame, tmp_path)) is None
