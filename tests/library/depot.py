"""Monthly metrics of made-up warehouses, whose drivers are known, and agents that work on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

ACTIONS = {
    "data_processor": ("sql_generation", "data_dictionary_generator"),
    "python": (
        "plan_generation", "python_code_generation", "python_code_correction",
        "data_dictionary_generator",
    ),
    "modelling": (
        "plan_generation", "python_code_generation", "python_code_correction",
        "data_dictionary_generator",
    ),
    "plotly": ("chart_generation",),
}  # fmt: skip
# What drives `yield_rate`, the strongest first; `padding` and `clerks` are noise.
DRIVERS = ("dwell", "picks", "punctual", "stocked")


def metrics(sites: int = 30, months: int = 48, *, named: bool = False) -> pd.DataFrame:
    """One row for each site and month. `named` writes a site as `Site 7`, else as its number."""
    made = np.random.default_rng(7)
    rows = sites * months
    site = np.repeat(np.arange(1, sites + 1), months)
    days = pd.date_range("2019-01-01", periods=months, freq="MS").strftime("%Y-%m-%d")
    found = pd.DataFrame(
        {
            "site": [f"Site {each}" for each in site] if named else site,
            "month": np.tile(days, sites),
            "punctual": np.clip(made.normal(0.85, 0.08, rows), 0, 1),
            "stocked": np.clip(made.normal(0.9, 0.05, rows), 0, 1),
            "picks": made.gamma(9, 3, rows),
            "dwell": made.gamma(4, 4, rows),
            "padding": made.normal(5, 1, rows),
            "clerks": made.integers(3, 40, rows),
        }
    )
    found["yield_rate"] = (
        0.45 * found["punctual"] + 0.3 * found["stocked"] + 0.006 * found["picks"]
        - 0.008 * found["dwell"] + made.normal(0, 0.02, rows)
    )  # fmt: skip
    for name in ("punctual", "picks", "dwell"):
        values = found[name]
        found[f"{name}_norm"] = (values - values.min()) / (values.max() - values.min())
    return found


def write_depot(folder: Path) -> None:
    """A SQLite file with the metrics of sites by their numbers, and a CSV with their names."""
    connection = sqlite3.connect(folder / "depot.db")
    metrics().to_sql("site_metrics", connection, index=False)
    connection.close()
    metrics(named=True).to_csv(folder / "named.csv", index=False)


def agents(
    model: str = "offline", data: Mapping[str, str] = {"depot": "depot.db"}, **more: Any
) -> str:
    """A run file whose agents do the `works` of its inputs; `more` are keys of the data's agent."""
    subflows = {
        agent: {
            "_target_": f"analyst.{agent}",
            "subflows_config": {name: {"_target_": f"action.{name}"} for name in actions},
            **(more if agent == "data_processor" else {}),
        }
        for agent, actions in ACTIONS.items()
    }
    run = {
        "defaults": [{"model": model}, "_self_"],
        "name": "Depot",
        "_target_": "tests.library.works.WorksFlow",
        "subflows_config": subflows,
        "data": dict(data),
    }
    return str(yaml.safe_dump(run, sort_keys=False))
