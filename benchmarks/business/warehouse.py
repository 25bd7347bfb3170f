"""A logistics database with monthly metrics of warehouses and carriers, whose drivers are known."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from business.truth import Confounded, Driver, Truth

SEED: Final = 20240131
LOCATIONS: Final = 40
CARRIERS: Final = 24
MONTHS: Final = tuple(
    f"{year}-{month:02d}" for year in (2021, 2022, 2023) for month in range(1, 13)
)
REGIONS: Final = ("North", "South", "East", "West")
SLOW: Final = "Location 22"
DECLINING: Final = "Location 5"
SLOWER_BY: Final = 12.0
LESS_A_MONTH: Final = 0.35

WAREHOUSES: Final = Truth(
    table="warehouse_metrics_monthly",
    target="efficiency",
    drivers=(
        Driver("on_time_shipment", 0.60),
        Driver("turn_around", -0.48),
        Driver("fill_rate", 0.35),
        Driver("volume_index", -0.10),
    ),
    noise=1.0,
    twins={
        f"{name}_norm": name
        for name in (
            "on_time_shipment", "on_time_in_full", "fill_rate", "turn_around", "velocity",
            "efficiency",
        )
    },
    idle=("on_time_in_full", "velocity", "overtime_hours", "ambient_temperature", "audit_score"),
    confounded=(
        Confounded("overtime_hours", "efficiency", "volume_index"),
        Confounded("on_time_in_full", "efficiency", "on_time_shipment"),
    ),
    planted={
        SLOW: f"turn_around is {SLOWER_BY:g} hours longer than elsewhere, every month",
        DECLINING: f"on_time_shipment falls by {LESS_A_MONTH:g} points a month",
    },
)  # fmt: skip
HAULAGE: Final = Truth(
    table="carrier_metrics_monthly",
    target="efficiency",
    drivers=(
        Driver("on_road_time", -0.30, bend=11.0, slope_beyond=-2.10),
        Driver("driver_experience", 0.50),
    ),
    noise=1.2,
    twins={"on_road_time_norm": "on_road_time"},
    idle=("distance_km", "loading_time", "vehicle_age", "damage_rate"),
    confounded=(Confounded("distance_km", "efficiency", "on_road_time"),),
)
DAMAGE: Final = Truth(
    table="carrier_metrics_monthly",
    target="damage_rate",
    drivers=(Driver("vehicle_age", 0.25),),
    noise=0.5,
    idle=("loading_time", "on_road_time", "distance_km"),
)
TRUTHS: Final = (WAREHOUSES, HAULAGE, DAMAGE)

Columns = Mapping[str, Sequence[Any]]
Numbers = NDArray[np.float64]


def write_logistics(path: Path, seed: int = SEED) -> None:
    """Write the database anew: two tables of metrics, two of what they are about."""
    random = np.random.default_rng(seed)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        _write(connection, "locations", _locations(random), "location TEXT PRIMARY KEY")
        _write(connection, "carriers", _carriers(random), "carrier TEXT PRIMARY KEY")
        key = "{0} TEXT NOT NULL REFERENCES {0}s({0}), month TEXT NOT NULL"
        warehouses, haulage = _warehouse_metrics(random), _carrier_metrics(random)
        _write(connection, WAREHOUSES.table, warehouses, key.format("location"))
        _write(connection, HAULAGE.table, haulage, key.format("carrier"))


def _locations(random: np.random.Generator) -> Columns:
    numbers = range(1, LOCATIONS + 1)
    return {
        "location": [f"Location {number}" for number in numbers],
        "region": [REGIONS[number % len(REGIONS)] for number in numbers],
        "size": ["large" if number % 3 == 0 else "small" for number in numbers],
        "dock_count": random.integers(4, 30, LOCATIONS).tolist(),
        "opened": random.integers(1985, 2020, LOCATIONS).tolist(),
    }


def _carriers(random: np.random.Generator) -> Columns:
    return {
        "carrier": [f"Carrier {number}" for number in range(1, CARRIERS + 1)],
        "country": random.choice(["Germany", "France", "Poland"], CARRIERS).tolist(),
        "fleet_size": random.integers(10, 400, CARRIERS).tolist(),
    }


def _spread(
    random: np.random.Generator, count: int, mean: float, own: float, month: float
) -> Numbers:
    """Values of `count` entities in all months: each has a level of its own, each month varies."""
    levels = np.repeat(random.normal(mean, own, count), len(MONTHS))
    values: Numbers = levels + random.normal(0, month, count * len(MONTHS))
    return values


def _warehouse_metrics(random: np.random.Generator) -> Columns:
    rows = LOCATIONS * len(MONTHS)
    names = np.repeat([f"Location {number}" for number in range(1, LOCATIONS + 1)], len(MONTHS))
    month = np.tile(np.arange(len(MONTHS)), LOCATIONS)
    on_time = _spread(random, LOCATIONS, 88, 2.5, 3)
    on_time += np.where(names == DECLINING, LESS_A_MONTH * (len(MONTHS) / 2 - month), 0)
    on_time = np.clip(on_time, 0, 100).round(2)
    turn = _spread(random, LOCATIONS, 30, 2, 3.5)
    turn = np.where(names == SLOW, 30 + SLOWER_BY + (turn - 30) / 2, turn).round(2)
    fill = np.clip(_spread(random, LOCATIONS, 92, 1.5, 2.5), 0, 100).round(2)
    volume = (100 + 6 * np.sin(month / 12 * 2 * np.pi) + random.normal(0, 9, rows)).round(2)
    known = {
        "on_time_shipment": on_time,
        "turn_around": turn,
        "fill_rate": fill,
        "volume_index": volume,
    }
    metrics: dict[str, Numbers] = {
        "on_time_shipment": on_time,
        "on_time_in_full": (0.6 * on_time + 0.4 * fill - 8 + random.normal(0, 2.5, rows)).round(2),
        "fill_rate": fill,
        "turn_around": turn,
        "velocity": random.normal(50, 8, rows).round(2),
        "volume_index": volume,
        "overtime_hours": np.clip(40 + 1.2 * (volume - 100) + random.normal(0, 5, rows), 0, None)
        .round(1),
        "ambient_temperature": (12 - 9 * np.cos(month / 12 * 2 * np.pi)
                                + random.normal(0, 3, rows)).round(1),
        "efficiency": (80 + _effects(WAREHOUSES, known)
                       + random.normal(0, WAREHOUSES.noise, rows)).round(3),
    }  # fmt: skip
    twins = {twin: _scaled(metrics[name], name == "turn_around")
             for twin, name in WAREHOUSES.twins.items()}  # fmt: skip
    audit: list[float | None] = random.normal(70, 10, rows).round(1).tolist()
    for place in random.choice(rows, 25, replace=False):
        audit[place] = None
    keys = {"location": names.tolist(), "month": list(MONTHS) * LOCATIONS}
    return {**keys, **_plain(metrics), **_plain(twins), "audit_score": audit}


def _carrier_metrics(random: np.random.Generator) -> Columns:
    rows = CARRIERS * len(MONTHS)
    road = np.clip(_spread(random, CARRIERS, 10, 1.8, 2.4), 2, None).round(2)
    years = np.repeat(random.uniform(2, 15, CARRIERS), len(MONTHS))
    experience = (years + np.tile(np.arange(len(MONTHS)) / 12, CARRIERS)).round(2)
    age = np.repeat(random.uniform(1, 12, CARRIERS), len(MONTHS)).round(1)
    known = {"on_road_time": road, "driver_experience": experience}
    damage = 0.5 + DAMAGE.driver("vehicle_age").slope * age
    metrics: dict[str, Numbers] = {
        "on_road_time": road,
        "on_road_time_norm": _scaled(road),
        "distance_km": (62 * road + random.normal(0, 120, rows)).round(0),
        "loading_time": random.normal(3, 0.8, rows).round(2),
        "driver_experience": experience,
        "vehicle_age": age,
        "damage_rate": np.clip(damage + random.normal(0, DAMAGE.noise, rows), 0, None).round(3),
        "efficiency": (85 + _effects(HAULAGE, known)
                       + random.normal(0, HAULAGE.noise, rows)).round(3),
    }  # fmt: skip
    names = np.repeat([f"Carrier {number}" for number in range(1, CARRIERS + 1)], len(MONTHS))
    return {"carrier": names.tolist(), "month": list(MONTHS) * CARRIERS, **_plain(metrics)}


def _effects(truth: Truth, columns: Mapping[str, Numbers]) -> Numbers:
    """What the drivers of the target come to, around the mean of each."""
    total: Numbers = np.zeros(len(next(iter(columns.values()))))
    for driver in truth.drivers:
        values = columns[driver.name]
        total += driver.slope * (values - values.mean())
        if driver.bend is not None and driver.slope_beyond is not None:
            total += (driver.slope_beyond - driver.slope) * np.maximum(0, values - driver.bend)
    return total


def _scaled(values: Numbers, turned: bool = False) -> Numbers:
    """A copy from 0 to 1; `turned`, so that more is better."""
    share: Numbers = (values - values.min()) / (values.max() - values.min())
    return ((1 - share) if turned else share).round(6)


def _plain(columns: Mapping[str, Numbers]) -> dict[str, Sequence[Any]]:
    return {name: values.tolist() for name, values in columns.items()}


def _write(connection: sqlite3.Connection, table: str, columns: Columns, keys: str) -> None:
    declared = keys.split(", ")
    named = {each.split()[0] for each in declared}
    for name, values in columns.items():
        if name not in named:
            kind = {int: "INTEGER", float: "REAL", str: "TEXT"}[type(values[0] or 0.0)]
            declared.append(f"{name} {kind}")
    order = [each.split()[0] for each in declared]
    connection.execute(f"CREATE TABLE {table} ({', '.join(declared)})")
    marks = ", ".join("?" * len(order))
    rows = zip(*(columns[name] for name in order), strict=True)
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
