"""Questions about the warehouses of the logistics database; what is right is computed here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pandas

from business.asked import (
    ANSWERED,
    UNANSWERED,
    Asked,
    direction,
    document,
    driver,
    highest,
    lowest,
    model,
    never_says,
    no_driver,
    number,
    says,
    spoken,
    twin_warning,
)
from business.warehouse import DECLINING, REGIONS, SLOW, WAREHOUSES

DATA: Final = ("logistics.db",)
DOCS: Final = "docs/logistics"
TARGET: Final = WAREHOUSES.target


def warehouse_questions(folder: Path) -> list[Asked]:
    """All of them, by what is in the database of that folder."""
    with closing(sqlite3.connect(folder / DATA[0])) as connection:
        metrics = pandas.read_sql("SELECT * FROM warehouse_metrics_monthly", connection)
        places = pandas.read_sql("SELECT * FROM locations", connection)
    return [
        *_of_drivers(metrics),
        *_of_groups(metrics, places),
        *_of_time(metrics),
        *_of_documents(metrics),
    ]


def _of_drivers(metrics: pandas.DataFrame) -> list[Asked]:
    related = metrics.corr(numeric_only=True)[TARGET]
    slope = {each.name: each.slope for each in WAREHOUSES.drivers}
    here = metrics[metrics.location == SLOW]
    mean, elsewhere = here.mean(numeric_only=True), metrics[metrics.location != SLOW]
    best = 1 - WAREHOUSES.noise**2 / metrics[TARGET].var()
    alone = related.fill_rate * metrics[TARGET].std() / metrics.fill_rate.std()
    fill = number(related.fill_rate, slope["fill_rate"], alone, within=0.03)
    gap = mean.turn_around - elsewhere.turn_around.mean()
    above = mean.turn_around - metrics.turn_around.mean()
    levels = number(mean.turn_around, gap, above, within=0.005)
    return [
        Asked(
            "improve-22", f"How do I improve the efficiency of {SLOW}?", DATA,
            (driver("turn_around", 3), direction("turn_around", "-", TARGET),
             says(SLOW, "summary"), twin_warning("turn_around_norm"),
             number(mean[TARGET], mean.turn_around, gap, within=0.005),
             never_says(r"(raise|increase|improve|focus on)\W+(\w+\W+){0,3}turn[_ ]around[_ ]norm",
                        "summary"),
             no_driver("audit_score", 3)),
            difficulty="drivers", half="tuning",
        ),
        Asked(
            "drivers", "What drives the efficiency of our warehouses?", DATA,
            (driver("on_time_shipment", 3), driver("turn_around", 3),
             direction("on_time_shipment", "+", TARGET), direction("turn_around", "-", TARGET),
             no_driver("ambient_temperature", 4), no_driver("efficiency_norm", 10),
             twin_warning("on_time_shipment_norm")),
            difficulty="drivers",
        ),
        Asked(
            "levers", "Which three metrics should management work on to raise warehouse "
            "efficiency?", DATA,
            (driver("on_time_shipment", 3), driver("turn_around", 3), driver("fill_rate", 4),
             no_driver("velocity", 3), no_driver("efficiency_norm", 10)),
            difficulty="drivers",
        ),
        Asked(
            "fill-rate", "Does the fill rate matter for the efficiency of a warehouse?", DATA,
            (direction("fill_rate", "+", TARGET), fill), difficulty="relation",
        ),
        Asked(
            "turn-around", "Is there a relationship between turn around and efficiency in the "
            "warehouse metrics?", DATA,
            (direction("turn_around", "-", TARGET), number(related.turn_around, within=0.02)),
            difficulty="relation",
        ),
        Asked(
            "overtime", "Does overtime make our warehouses less efficient, or is it the volume "
            "that they handle?", DATA,
            (says(r"volume", "lead"), direction("volume_index", "-", TARGET),
             no_driver("overtime_hours", 1),
             says(r"confound|account|held (fixed|constant|equal)|control(led|ling)? for|adjust|"
                  r"(things|else) (being )?equal|behind both|beside",
                  "summary", "insights", "cautions", "limits")),
            difficulty="confounder",
        ),
        Asked(
            "predict", "How well can the efficiency of a warehouse be predicted from its other "
            "metrics?", DATA,
            (model(TARGET, "r2", best - 0.08, best + 0.02), twin_warning("efficiency_norm")),
            difficulty="model",
        ),
        Asked(
            "correlations", "Which warehouse metrics are correlated most with efficiency?", DATA,
            (driver("on_time_shipment", 2), driver("turn_around", 3),
             number(related.on_time_shipment, within=0.02), twin_warning("on_time_shipment_norm")),
            difficulty="relation",
        ),
        Asked(
            "twins", "Are there redundant columns in the warehouse metrics that carry the same "
            "information as others?", DATA,
            tuple(says(spoken(twin))
                  for twin in ("fill_rate_norm", "turn_around_norm", "velocity_norm")),
            difficulty="quality",
        ),
        Asked(
            "apart-22", f"What distinguishes {SLOW} from all other locations?", DATA,
            (says(r"turn[_ -]?around", "summary", "insights"), levels, says(SLOW, "summary")),
            difficulty="groups",
        ),
    ]  # fmt: skip


def _of_groups(metrics: pandas.DataFrame, places: pandas.DataFrame) -> list[Asked]:
    mean = metrics.groupby("location")[TARGET].mean()
    joined = metrics.merge(places, on="location")
    regions = joined.groupby("region")[TARGET].mean().sort_values(ascending=False)
    sizes = joined.groupby("size").volume_index.mean()
    names = sorted(mean.index)
    return [
        Asked(
            "lowest", "Which warehouse has the lowest average efficiency, and what is it?", DATA,
            (lowest(str(mean.idxmin()), names), number(mean.min())), difficulty="groups",
        ),
        Asked(
            "regions", "How does the average efficiency of warehouses compare between regions?",
            DATA,
            (highest(str(regions.index[0]), REGIONS), number(regions.iloc[0]),
             number(regions.iloc[-1])),
            difficulty="joins",
        ),
        Asked(
            "sizes", "Do large and small warehouses differ in their volume index?", DATA,
            (number(sizes["large"], within=0.003), number(sizes["small"], within=0.003)),
            difficulty="joins",
        ),
    ]  # fmt: skip


def _of_time(metrics: pandas.DataFrame) -> list[Asked]:
    months = metrics.groupby("month")[TARGET].mean()
    here = metrics[metrics.location == DECLINING].sort_values("month").on_time_shipment
    slope = _slope(here.to_numpy())
    years = here.groupby(metrics.month.str[:4]).mean()
    changed = number(slope, slope * 12, here.iloc[0], here.iloc[-1], years.iloc[0], years.iloc[-1],
                     here.iloc[-1] - here.iloc[0], within=0.03)  # fmt: skip
    return [
        Asked(
            "declining", f"Has the on-time shipment of {DECLINING} got better or worse over the "
            "months?", DATA,
            (says(r"fall|fell|drop|declin|decreas|worse|down|lower|negative", "summary",
                  "insights"),
             never_says(r"(it|shipment) has (improved|got better|risen|increased)", "summary"),
             changed),
            difficulty="time",
        ),
        Asked(
            "best-month", "In which month was the average efficiency of all warehouses the "
            "highest?", DATA,
            (says(_month(str(months.idxmax()))), number(months.max(), within=0.002)),
            difficulty="time",
        ),
    ]  # fmt: skip


def _of_documents(metrics: pandas.DataFrame) -> list[Asked]:
    here = metrics[metrics.location == SLOW]
    last = here[here.month.str.startswith("2023")][TARGET].mean()
    return [
        Asked(
            "target", "Which efficiency shall every warehouse reach according to the board's "
            "targets?", DATA, (ANSWERED, document("targets.txt"), says(r"\b82\b", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "overtime-policy", "Who has to approve overtime of more than 60 hours a month?", DATA,
            (ANSWERED, document("policies.html"), says(r"regional director", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "repair", "What would the repair of the dock doors of Location 22 cost?", DATA,
            (ANSWERED, document("review_2023.docx"), says(r"410[,. ]?000", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "meaning", "What does OTIF mean in our reports?", DATA,
            (ANSWERED, document("glossary.md"), says(r"on time and|in full", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "misses-target", f"Does {SLOW} reach the efficiency target?", DATA,
            (ANSWERED, document("targets.txt", 5), says(r"\b82\b"),
             number(last, here[TARGET].mean(), within=0.01)),
            docs=DOCS, difficulty="documents and data",
        ),
        Asked(
            "salary", "What is the average salary of a warehouse worker?", DATA, (UNANSWERED,),
            difficulty="unanswerable",
        ),
        Asked(
            "competitors", "Why did our competitors lose customers last year?", DATA, (UNANSWERED,),
            docs=DOCS, difficulty="unanswerable",
        ),
    ]  # fmt: skip


def _slope(values: Any) -> float:
    place = pandas.Series(range(len(values)), dtype=float)
    series = pandas.Series(values)
    return float(place.cov(series) / place.var())


def _month(written: str) -> str:
    """A month as it may be written: 2022-03 or March 2022."""
    named = pandas.Timestamp(written).strftime("%B %Y")
    return rf"{written}|{named}|{named[:3]}\w* {named[-4:]}"
