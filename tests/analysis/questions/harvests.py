"""Crates of a harvest over three years, and a ledger of quarters: names made by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from flows.analysis.questions.reader import read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel

SURE = 0.6
_STARTS, _VOWELS, _ENDS = "bdfgklmnprtvz", "aeiou", ("x", "sk", "lm", "rth", "nd")


@dataclass
class Harvests:
    """The tables in pandas, and what the reader of questions makes of them."""

    crates: pd.DataFrame
    ledger: pd.DataFrame
    catalog: Catalog
    model: SemanticModel

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """What the sure reading of a question gives; a question that is not read fails."""
        read = read_question(question, self.catalog.tables(), self.model)
        assert read is not None, question
        assert read.confidence >= SURE, (question, read.cost, read.query)
        sql = sql_of(read.query, self.model, self.catalog.tables())
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=2000, timeout=30)
        return [tuple(each) for each in found.rows]

    def numbers(self, question: str) -> list[float]:
        """The one row of figures that answers a question."""
        (row,) = self.rows(question)
        return [float(each) for each in row if isinstance(each, int | float)]

    def in_year(self, year: int) -> pd.DataFrame:
        return self.crates[self.crates.packed.dt.year == year]

    def groves(self) -> list[str]:
        return sorted(self.crates.grove.unique())


def names_of(dice: random.Random, n: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < n:
        begin = "".join(dice.choice(_STARTS) + dice.choice(_VOWELS) for _ in range(2))
        found[(begin + dice.choice(_ENDS)).capitalize()] = None
    return list(found)


@contextmanager
def open_harvests(folder: Path, seed: int) -> Iterator[Harvests]:
    """The tables as CSV files of one seed."""
    dice = random.Random(seed)
    groves = names_of(dice, 4)
    days = pd.date_range("2022-01-01", "2024-12-31", freq="D")
    packed = [*dice.choices(days, k=700), days[0], days[-1]]
    crates = pd.DataFrame(
        {
            "crate_id": range(1, len(packed) + 1),
            "packed": packed,
            "grove": dice.choices(groves, weights=(5, 3, 2, 1), k=len(packed)),
            "weight": [dice.randint(10, 900) for _ in packed],
            "cancelled_on": [
                each + pd.Timedelta(days=dice.randint(1, 90)) if dice.random() < 0.4 else None
                for each in packed
            ],
            "bruised": dice.choices(["yes", "no"], weights=(1, 3), k=len(packed)),
        }
    )
    ledger = pd.DataFrame(
        [
            {"Grove": grove, "Quarter": f"Q{each}", "Outlay": dice.randint(100, 999)}
            for grove in groves
            for each in (1, 2, 3, 4)
        ]
    )
    crates.to_csv(folder / "crates.csv", index=False, date_format="%Y-%m-%d")
    ledger.to_csv(folder / "ledger.csv", index=False)
    files = {each: str(folder / f"{each}.csv") for each in ("crates", "ledger")}
    with Catalog(files, folder) as catalog:
        yield Harvests(crates, ledger, catalog, infer_model(catalog.tables()))
