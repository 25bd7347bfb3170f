"""Voyages between harbours and the repairs of ships, with codes and names made by chance."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model

Row = tuple[Any, ...]


@dataclass
class Voyages:
    """The tables in pandas, joined with what their codes stand for, and an analyst over them."""

    voyages: pd.DataFrame
    harbours: pd.DataFrame
    ships: pd.DataFrame
    repairs: pd.DataFrame
    catalog: Catalog
    analyst: Analyst

    def rows(self, question: str) -> list[Row]:
        """What the answer of a question says; a question that is not answered fails."""
        made = self.analyst.propose(question)
        assert made["sql"] is not None, (question, made["cannot"], made["clarify"])
        found = run_unchecked(self.catalog, made["sql"], "duckdb", max_rows=1000, timeout=30)
        return [tuple(each) for each in found.rows]

    def figure(self, question: str) -> float:
        """The one figure that the answer is."""
        rows = self.rows(question)
        assert len(rows) == 1, (question, rows)
        return float(rows[0][-1])

    def joined(self) -> pd.DataFrame:
        """Voyages with their ships and with the harbours they go to."""
        frame = self.voyages.merge(self.ships, left_on="ship", right_on="ship_code")
        return frame.merge(self.harbours, left_on="dest", right_on="code")


def _codes(dice: random.Random, n: int, size: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(dice.choice("BCDFGKLMPRSTVXZ") for _ in range(size))] = None
    return list(found)


def _names(dice: random.Random, n: int) -> list[str]:
    return [
        (dice.choice("BDGKLMPRTV") + dice.choice("aou") + dice.choice("lmnrz") + each).capitalize()
        + dice.choice(string.ascii_lowercase[:5])
        for each in ("iva", "osk", "uth", "eld", "ank", "orm", "ilde", "asta", "enna", "ulf")[:n]
    ]


def _voyages(dice: random.Random, codes: list[str], ships: list[str]) -> pd.DataFrame:
    rows = []
    for n in range(300):
        origin, dest = dice.sample(codes, 2)
        away = dice.random() < 0.1
        late = dice.randint(-20, 90)
        rows.append(
            {
                "voyage_id": 7000 + n,
                "year": dice.choice((2021, 2022)),
                "month": dice.randint(1, 12),
                "day": dice.randint(1, 28),
                "ship": dice.choice(ships[:-1]),
                "origin": origin,
                "dest": dest,
                "sched_dep": f"{dice.randint(6, 20):02}:15",
                "dep_time": None if away else f"{dice.randint(6, 20):02}:40",
                "dep_delay": None if away else late,
                "arr_delay": None if away else late + dice.randint(-15, 15),
                "miles": dice.randint(20, 400),
                "guests": dice.randint(5, 250),
            }
        )
    return pd.DataFrame(rows)


def _repairs(dice: random.Random, ships: list[str]) -> pd.DataFrame:
    rows = []
    for n in range(200):
        begun = datetime(2021, 1, 4) + timedelta(hours=dice.randint(0, 16000))
        gone = begun + timedelta(hours=dice.randint(5, 700))
        rows.append(
            {
                "repair_id": n + 1,
                "ship_code": dice.choice(ships[:-2]),
                "admitted_at": begun,
                "promised_by": (begun + timedelta(days=dice.randint(4, 20))).date(),
                "discharged_at": None if dice.random() < 0.12 else gone,
                "rush": dice.choice("YNN"),
                "total_cost": dice.randint(100, 9000),
                "labour_cost": dice.randint(10, 90),
            }
        )
    return pd.DataFrame(rows)


@contextmanager
def open_voyages(folder: Path, seed: int) -> Iterator[Voyages]:
    dice = random.Random(seed)
    codes, ships = _codes(dice, 6, 3), _codes(dice, 7, 2)
    names = _names(dice, 6)
    harbours = pd.DataFrame(
        {"code": codes, "harbour_name": [f"Port {each}" for each in names], "town": names}
    )
    fleet = pd.DataFrame(
        {
            "ship_code": ships,
            "ship_name": [f"MS {each}" for each in _names(dice, 7)],
            "yard": [dice.choice(("Wexmar", "Tolvik")) for _ in ships[:-2]] + ["Wexmar", "Tolvik"],
        }
    )
    frames = {
        "voyages": _voyages(dice, codes, ships),
        "harbours": harbours,
        "ships": fleet,
        "repairs": _repairs(dice, ships),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    files = {each: str(folder / f"{each}.csv") for each in frames}
    with Catalog(files, folder) as catalog:
        tables = catalog.tables()
        yield Voyages(**frames, catalog=catalog, analyst=Analyst(tables, infer_model(tables)))
