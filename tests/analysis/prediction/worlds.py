"""Tables of random tasks, whose columns are named by chance, as a catalog profiles them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from flows.data.catalog import Catalog
from flows.data.tables import Table

_FIRST = [
    "bor",
    "cal",
    "dim",
    "fen",
    "gar",
    "hul",
    "jor",
    "kel",
    "lum",
    "mav",
    "nor",
    "pel",
    "quo",
    "rav",
    "sol",
    "tem",
    "ulv",
    "ver",
    "wex",
    "yar",
    "zim",
]
_SECOND_TEXT = "ando eta ic ond ura esk alt ip omar une is ox"
_SECOND = _SECOND_TEXT.split()


def names(seed: int, count: int, *, joint: str = "_") -> list[str]:
    """Names that no data set has, each of one or two made-up words."""
    random = np.random.default_rng(seed)
    words = [f"{first}{second}" for first in _FIRST for second in _SECOND]
    chosen = [str(each) for each in random.choice(words, 2 * count, replace=False)]
    pairs = zip(chosen[::2], chosen[1::2], strict=True)
    return [f"{a}{joint}{b}" if at % 2 and joint else a for at, (a, b) in enumerate(pairs)]


@dataclass(frozen=True)
class World:
    """Frames of a task with the names of their parts: `features` are two numbers and a category."""

    train: pd.DataFrame
    test: pd.DataFrame
    identifier: str
    target: str
    features: tuple[str, ...]

    @property
    def sample(self) -> pd.DataFrame:
        """A sample submission: the identifier and one value for each row of test."""
        value = self.train[self.target].iloc[0]
        return pd.DataFrame({self.identifier: self.test[self.identifier], self.target: value})


def world(seed: int, kind: str = "binary", *, rows: int = 120, target: str = "") -> World:
    """A task of one kind: regression, count, binary, words, or several (three classes)."""
    random = np.random.default_rng(seed)
    chosen = names(seed, 5)
    whole = 2 * rows
    targets: Mapping[str, object] = {
        "regression": random.gamma(3, 40, whole).round(2),
        "count": random.poisson(60, whole),
        "binary": random.integers(0, 2, whole),
        "words": random.choice(["yes", "no"], whole),
        "several": random.choice(["amber", "jade", "onyx"], whole),
        "grades": random.integers(1, 6, whole),
    }
    frame = pd.DataFrame(
        {
            f"{chosen[0]}_id": np.arange(1000, 1000 + whole),
            chosen[1]: random.normal(10, 3, whole).round(3),
            chosen[2]: random.integers(5, 900, whole),
            chosen[3]: random.choice(["north", "south", "west"], whole),
            target or chosen[4]: targets[kind],
        }
    )
    test = frame[rows:].drop(columns=frame.columns[-1]).reset_index(drop=True)
    columns = [str(each) for each in frame.columns]
    # The last column is no sign of what is to be predicted.
    train = frame[[*columns[:2], columns[-1], *columns[2:-1]]][:rows]
    return World(train, test, columns[0], columns[-1], tuple(columns[1:-1]))


def profiled(folder: Path, **frames: pd.DataFrame | str) -> dict[str, Table]:
    """The profiles of frames, or of the text of a CSV file, by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        path = folder / f"{name}.csv"
        if isinstance(frame, str):
            path.write_text(frame, encoding="utf-8")
        else:
            frame.to_csv(path, index=False)
    sources = {name: str(folder / f"{name}.csv") for name in frames}
    with Catalog(sources, folder) as catalog:
        return {each.source: each for each in catalog.tables()}
