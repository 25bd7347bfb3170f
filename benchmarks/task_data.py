"""Tables that travel with plotly and scikit-learn, for the task texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from plotly import data as plotly_data
from sklearn import datasets as sklearn_data

# Every so many rows one misses a value.
GAP: Final = 11


@dataclass(frozen=True)
class DataSet:
    """A table with two columns of numbers without gaps, one with gaps, and a column of groups."""

    name: str
    frame: pd.DataFrame
    x: str
    y: str
    gaps: str
    group: str = ""


def data_sets() -> Iterator[DataSet]:
    """The tables. One column of each misses values, as real tables do."""
    from_plotly = {
        "carshare": ("centroid_lat", "centroid_lon", "car_hours", ""),
        "election": ("Coderre", "Joly", "Bergeron", "winner"),
        "experiment": ("experiment_1", "experiment_2", "experiment_3", "gender"),
        "gapminder": ("lifeExp", "gdpPercap", "pop", "continent"),
        "iris": ("sepal_length", "petal_length", "petal_width", "species"),
        "stocks": ("GOOG", "AAPL", "NFLX", ""),
        "tips": ("total_bill", "tip", "size", "smoker"),
    }
    from_sklearn = {
        "diabetes": ("bmi", "bp", "age", ""),
        "wine": ("alcohol", "hue", "proline", "target"),
        "breast_cancer": ("mean radius", "mean texture", "mean area", "target"),
        "linnerud": ("Situps", "Jumps", "Chins", ""),
    }
    for name, columns in from_plotly.items():
        yield _data_set(name, getattr(plotly_data, name)(), columns)
    for name, columns in from_sklearn.items():
        loaded = getattr(sklearn_data, f"load_{name}")(as_frame=True)
        yield _data_set(name, loaded.frame, columns)


def _data_set(name: str, frame: pd.DataFrame, columns: tuple[str, str, str, str]) -> DataSet:
    x, y, gaps, group = columns
    frame = frame.copy()
    frame[gaps] = frame[gaps].astype(float)
    frame.loc[frame.index[3::GAP], gaps] = np.nan
    return DataSet(name, frame, x, y, gaps, group)
