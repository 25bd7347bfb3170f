"""Tables of small businesses in real files: metrics of sites, a shop in four tables, countries."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.data

from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table

AGENTS = (
    "DataProcessorSQLAgent", "PythonDataAgent", "PythonModellingAgent", "PlotlyVisualizerAgent",
    "InsightsGeneratorAgent",
)  # fmt: skip
_ABLE = dict(
    zip(
        AGENTS,
        (
            ("table", "sql_generation"), ("table", "python_code_generation"),
            ("model", "python_code_generation"), ("figure", "chart_generation"),
            ("insights", "insights_generation"),
        ),
        strict=True,
    )
)  # fmt: skip
_SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, region TEXT, segment TEXT,
    age INTEGER);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT, category TEXT,
    price REAL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers(customer_id), order_date TEXT, channel TEXT,
    shipping_days INTEGER);
CREATE TABLE order_items (item_id INTEGER PRIMARY KEY,
    order_id INTEGER REFERENCES orders(order_id),
    product_id INTEGER REFERENCES products(product_id), quantity INTEGER, discount REAL,
    revenue REAL);
"""


def agents(names: Sequence[str] = AGENTS) -> list[dict[str, object]]:
    """Agents as a team describes them."""
    found: list[dict[str, object]] = []
    for each in names:
        gives, action = _ABLE.get(each, ("goal", "task_list_generation"))
        told = {"name": each, "description": f"the agent {each}"}
        found.append({**told, "gives": gives, "actions": (action,)})
    return found


def mills(seed: int = 1) -> pd.DataFrame:
    """Metrics of mills by month; each measure has a twin that is the same, scaled."""
    dice, rows = np.random.default_rng(seed), []
    for mill in range(1, 31):
        for month in pd.date_range("2021-01-01", periods=24, freq="MS"):
            fill, turn, speed = dice.uniform(0.7, 1), dice.uniform(5, 30), dice.uniform(1, 9)
            output = 0.6 * fill - 0.01 * turn + dice.normal(0, 0.02)
            rows.append((f"Mill {mill}", month.date().isoformat(), fill, turn, speed, output))
    columns = ["mill", "month", "fill_share", "turn_hours", "speed", "output"]
    frame = pd.DataFrame(rows, columns=columns)
    for name in ("fill_share", "turn_hours", "speed"):
        low, high = frame[name].min(), frame[name].max()
        frame[f"{name}_norm"] = (frame[name] - low) / (high - low)
    return frame


def drivers(seed: int = 2) -> pd.DataFrame:
    """Metrics of carriers by month."""
    dice, size = np.random.default_rng(seed), 300
    road = dice.uniform(2, 40, size)
    return pd.DataFrame(
        {
            "carrier": [f"Carrier {n % 12}" for n in range(size)],
            "period": [f"2022-{n // 25 + 1:02d}-01" for n in range(size)],
            "on_road_time": road,
            "damage_rate": dice.uniform(0, 0.1, size),
            "efficiency": 1 - 0.01 * road + dice.normal(0, 0.05, size),
        }
    )


def _write_shop(path: Path, seed: int = 3) -> None:
    dice, items = random.Random(seed), 0
    connection = sqlite3.connect(path)
    connection.executescript(_SHOP)
    run = connection.execute
    for n in range(1, 121):
        region, segment = dice.choice(["North", "South", "East", "West"]), dice.choice("AB")
        kind = {"A": "Consumer", "B": "Corporate"}[segment]
        run("INSERT INTO customers VALUES (?, ?, ?, ?, ?)",
            (n, f"Customer {n}", region, kind, dice.randint(18, 80)))  # fmt: skip
    for n in range(1, 41):
        category = dice.choice(["Toys", "Books", "Garden"])
        run("INSERT INTO products VALUES (?, ?, ?, ?)",
            (n, f"Product {n}", category, round(dice.uniform(2, 90), 2)))  # fmt: skip
    for n in range(1, 601):
        day = f"202{dice.randint(1, 3)}-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}"
        channel, days = dice.choice(["web", "store"]), dice.randint(1, 9)
        run("INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
            (n, dice.randint(1, 120), day, channel, days))  # fmt: skip
        for _ in range(dice.randint(1, 3)):
            items += 1
            many, off = dice.randint(1, 9), dice.choice([0.0, 0.05, 0.1])
            paid = round(many * 20 * (1 - off), 2)
            run("INSERT INTO order_items VALUES (?, ?, ?, ?, ?, ?)",
                (items, n, dice.randint(1, 40), many, off, paid))  # fmt: skip
    connection.commit()
    connection.close()


@dataclass
class Business:
    """The tables of each business by its name, and a way to run SQL over them."""

    folder: Path
    sources: dict[str, dict[str, str]]
    catalogs: dict[str, Catalog] = field(default_factory=dict)

    def tables(self, name: str) -> tuple[Table, ...]:
        return self.catalog(name).tables()

    def rows(self, name: str, sql: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """What a statement gives, through the firewall: the columns, and the rows."""
        found = run_query(self.catalog(name), sql, max_rows=5000, timeout=30)
        return found.columns, list(found.rows)

    def catalog(self, name: str) -> Catalog:
        if name not in self.catalogs:
            self.catalogs[name] = Catalog(self.sources[name], self.folder)
        return self.catalogs[name]


@contextmanager
def open_business(folder: Path) -> Iterator[Business]:
    """The businesses, in files of this folder."""
    frames = {
        "mill_metrics": mills(), "carrier_metrics": drivers(), "gapminder": plotly.data.gapminder(),
        "tips": plotly.data.tips(),
    }  # fmt: skip
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    _write_shop(folder / "shop.sqlite")
    files = {name: str(folder / f"{name}.csv") for name in frames}
    logistics = {each: files[each] for each in ("mill_metrics", "carrier_metrics")}
    opened = Business(
        folder,
        {
            "logistics": logistics,
            "countries": {"gapminder": files["gapminder"]},
            "restaurant": {"tips": files["tips"]},
            "shop": {"shop": str(folder / "shop.sqlite")},
        },
    )
    try:
        yield opened
    finally:
        for catalog in opened.catalogs.values():
            catalog.close()
