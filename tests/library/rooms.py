"""A small task of prediction for the pipeline: its tables, its text, and a run file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROWS = 80
TASK = "Predict `warm` for each row of test. Submissions are scored by accuracy."
# A pipeline over the tables of `furnish`; a test leaves out the phases that it does not need.
PIPELINE = """\
defaults: [pipeline, override human: never, _self_]
data: {train: train.csv, test: test.csv, sample: sample.csv}
seconds: 60
library: ""
"""
INPUTS = {"background": TASK}
PHASES = (
    "UnderstandBackground", "PreliminaryEDA", "DataCleaning", "InDepthEDA", "FeatureEngineering",
    "ModelBuilding",
)  # fmt: skip


def rooms() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rooms with a class that follows from two of their columns, as train and test."""
    random = np.random.default_rng(11)
    table = pd.DataFrame(
        {
            "room": np.arange(ROWS) + 300,
            "sun": random.normal(5, 2, ROWS).round(2),
            "floor": random.integers(0, 6, ROWS).astype(float),
            "side": random.choice(["north", "south", "east"], ROWS),
        }
    )
    heat = table["sun"] + 3 * (table["side"] == "south")
    table["warm"] = np.where(heat > 6, "yes", "no")
    table.loc[::9, "floor"] = np.nan
    train, test = table[: ROWS * 3 // 4], table[ROWS * 3 // 4 :]
    return train.reset_index(drop=True), test.reset_index(drop=True)


def furnish(folder: Path) -> None:
    train, test = rooms()
    train.to_csv(folder / "train.csv", index=False)
    test.drop(columns="warm").to_csv(folder / "test.csv", index=False)
    test[["room"]].assign(warm="no").to_csv(folder / "sample.csv", index=False)


def only(*phases: str) -> list[str]:
    """The overrides that leave out the phases but these and the first."""
    return [f"~{each}" for each in PHASES[1:] if each not in phases]


def task(**more: Any) -> dict[str, Any]:
    """The task as a reader says it."""
    return {
        "targets": ["warm"],
        "identifier": "room",
        "kind": "binary",
        "metric": "accuracy",
        "greater_is_better": True,
        "has_test": True,
        "submission": {
            "columns": ["room", "warm"], "identifier": "room", "predictions": {"warm": "warm"},
            "values": "label", "rows": ROWS // 4,
        },
        **more,
    }  # fmt: skip
