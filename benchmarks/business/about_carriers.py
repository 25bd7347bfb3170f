"""Questions about the carriers of the logistics database; what is right is computed here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pandas

from business.asked import (
    ANSWERED,
    Asked,
    direction,
    document,
    driver,
    highest,
    no_driver,
    number,
    says,
    twin_warning,
)
from business.warehouse import HAULAGE

DATA: Final = ("logistics.db",)
DOCS: Final = "docs/logistics"
TARGET: Final = HAULAGE.target


def carrier_questions(folder: Path) -> list[Asked]:
    """All of them, by what is in the database of that folder."""
    with closing(sqlite3.connect(folder / DATA[0])) as connection:
        metrics = pandas.read_sql("SELECT * FROM carrier_metrics_monthly", connection)
    related = metrics.corr(numeric_only=True)
    means = metrics.groupby("carrier")[TARGET].mean()
    road = HAULAGE.driver("on_road_time")
    return [
        Asked(
            "on-road-time", "How does the on-road time affect the efficiency of a carrier?", DATA,
            (direction("on_road_time", "-", TARGET),
             number(related.loc["on_road_time", TARGET], _slope(metrics), within=0.02)),
            difficulty="relation", half="tuning",
        ),
        Asked(
            "bend", "Is the loss of carrier efficiency per hour on the road the same for short and "
            "for long tours?", DATA,
            (says(r"not (a )?(straight|linear|constant|the same)|non-?linear|bend|bent|curv|steep|"
                  r"threshold|beyond|above \d|breakpoint|segment", "summary", "insights"),
             direction("on_road_time", "-", TARGET),
             number(road.slope, road.slope_beyond or 0, road.bend or 0, within=0.15)),
            difficulty="shape",
        ),
        Asked(
            "carrier-drivers", "What are the key drivers of the efficiency of carriers?", DATA,
            (driver("on_road_time", 2), driver("driver_experience", 3),
             direction("driver_experience", "+", TARGET), no_driver("vehicle_age", 3),
             twin_warning("on_road_time_norm")),
            difficulty="drivers",
        ),
        Asked(
            "best-carrier", "Which carrier is the most efficient on average?", DATA,
            (highest(str(means.idxmax()), sorted(means.index)), number(means.max())),
            difficulty="groups",
        ),
        Asked(
            "damage", "Do older vehicles damage more goods?", DATA,
            (direction("vehicle_age", "+", "damage_rate"),
             number(related.loc["vehicle_age", "damage_rate"],
                    _slope(metrics, "vehicle_age", "damage_rate"), within=0.02)),
            difficulty="relation",
        ),
        Asked(
            "tour-limit", "How long may the on-road time of a tour be at most when it is planned?",
            DATA, (ANSWERED, document("carrier_handbook.pdf"), says(r"\b13\b", "lead")),
            docs=DOCS, difficulty="documents",
        ),
    ]  # fmt: skip


def _slope(metrics: pandas.DataFrame, x: str = "on_road_time", y: str = TARGET) -> float:
    return float(metrics[x].cov(metrics[y]) / metrics[x].var())
