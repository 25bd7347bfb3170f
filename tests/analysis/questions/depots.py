"""Workers and deliveries of depots: values with names made by chance, in real files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model

Row = tuple[Any, ...]
_STARTS, _VOWELS, _ENDS = "bdfgklmnprtvz", "aeiou", ("x", "sk", "lm", "rth", "nd")


@dataclass
class Depots:
    """The tables, also in pandas, and an analyst over them."""

    workers: pd.DataFrame
    deliveries: pd.DataFrame
    catalog: Catalog
    analyst: Analyst

    def propose(self, question: str) -> dict[str, Any]:
        return self.analyst.propose(question)

    def rows(self, question: str) -> list[Row]:
        """What the answer of a question says; a question that is not answered fails."""
        made = self.propose(question)
        assert made["sql"] is not None, (question, made["cannot"], made["clarify"])
        return self.run(made["sql"])

    def run(self, sql: str) -> list[Row]:
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=1000, timeout=30)
        return [tuple(each) for each in found.rows]

    def wards(self) -> list[str]:
        return sorted(self.deliveries.ward.unique())


def _names(dice: random.Random, n: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < n:
        begin = "".join(dice.choice(_STARTS) + dice.choice(_VOWELS) for _ in range(2))
        found[(begin + dice.choice(_ENDS)).capitalize()] = None
    return list(found)


@contextmanager
def open_depots(folder: Path, seed: int) -> Iterator[Depots]:
    dice = random.Random(seed)
    names = _names(dice, 40)
    wards, wares, routes, called = names[:4], names[4:9], names[9:11], names[11:]
    workers = pd.DataFrame(
        {
            "worker": name,
            "ward": wards[n % 4],
            "gender": dice.choice("MF"),
            "age": dice.randint(20, 59),
            "wage": dice.randint(300, 900),
        }
        for n, name in enumerate(called)
    )
    deliveries = pd.DataFrame(
        {
            "delivery_no": f"D{n:04}",
            "delivered": f"{dice.choice((2021, 2022))}-{dice.randint(1, 12):02}-15",
            "ward": dice.choice(wards),
            "ware": dice.choice(wares),
            "route": dice.choice(routes),
            "crates": dice.randint(1, 6),
            "revenue": dice.randint(10, 2000),
            "budget": dice.randint(10, 2000),
            "satisfaction": dice.randint(1, 5),
        }
        for n in range(240)
    )
    workers.to_csv(folder / "workers.csv", index=False)
    deliveries.to_csv(folder / "deliveries.csv", index=False)
    files = {each: str(folder / f"{each}.csv") for each in ("workers", "deliveries")}
    with Catalog(files, folder) as catalog:
        tables = catalog.tables()
        yield Depots(workers, deliveries, catalog, Analyst(tables, infer_model(tables)))
