"""Consignments between hubs and people, and staff with those above them, with names by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.questions.reader import read_question
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model

Row = tuple[Any, ...]


@dataclass
class Couriers:
    """The tables in pandas, and an analyst over them."""

    frames: Mapping[str, pd.DataFrame]
    catalog: Catalog
    analyst: Analyst

    def rows(self, question: str) -> list[Row]:
        """What the reading of a question phrase by phrase finds."""
        asked = read_question(question, self.analyst.tables, self.analyst.model)
        assert asked is not None, question
        assert asked.confidence > 0.55, (question, asked.cost)
        made = self.analyst.propose_phrases(question, asked)
        found = run_unchecked(self.catalog, made["sql"], "duckdb", max_rows=1000, timeout=30)
        return [tuple(each) for each in found.rows]

    def firsts(self, question: str) -> list[str]:
        """The first cells of all rows, in their order."""
        return sorted(str(each[0]) for each in self.rows(question))


def word(dice: random.Random, size: int = 3) -> str:
    """A word that is in no dictionary."""
    made = "".join(dice.choice("bdfglmnrtv") + dice.choice("aiou") for _ in range(size))
    return made.capitalize() + "x"


def _people(dice: random.Random, n: int) -> list[tuple[str, str]]:
    firsts, lasts = ([word(dice, size) for _ in range(n)] for size in (3, 4))
    return list(zip(firsts, lasts, strict=True))


def _post(dice: random.Random) -> dict[str, pd.DataFrame]:
    people = [(n + 1, *each, dice.choice(["Ulm", "Kiel", "Bonn"]))
              for n, each in enumerate(_people(dice, 14))]  # fmt: skip
    codes = ["".join(dice.choice("BCDFGKLMPRST") for _ in range(4)) for _ in range(8)]
    zones = ["Zone A", "Zone B"]
    hubs = [(code, f"{word(dice)} {word(dice)}", zones[n % 2])
            for n, code in enumerate(codes[:7])]  # fmt: skip
    sent = []
    for n in range(220):
        one, other = dice.sample(range(1, 13), 2)
        first, last = dice.sample(codes[:6] + codes[7:], 2)
        sent.append((n + 1, one, other, first, last, dice.randint(1, 40)))
    columns = ["consignment_id", "sender_id", "receiver_id", "from_hub", "to_hub", "kilos"]
    return {
        "people": pd.DataFrame(people, columns=["person_id", "first_name", "last_name", "town"]),
        "hubs": pd.DataFrame(hubs, columns=["hub_code", "hub_name", "zone"]),
        "consignments": pd.DataFrame(sent, columns=columns),
    }


def _firm(dice: random.Random) -> dict[str, pd.DataFrame]:
    staff = [(n + 1, *each, None if n == 0 else dice.randint(1, min(n, 4)), dice.randint(20, 90))
             for n, each in enumerate(_people(dice, 20))]  # fmt: skip
    projects = [(n + 1, f"{word(dice)} {word(dice)}", dice.randint(1, 20)) for n in range(6)]
    worked = [
        (one, job, dice.randint(1, 60))
        for one in range(1, 18)
        for job in dice.sample(range(1, 6), dice.randint(0, 3))
    ]
    frame = pd.DataFrame(staff, columns=["staff_id", "first_name", "last_name", "boss_id", "wage"])
    return {
        "staff": frame.astype({"boss_id": "Int64"}),
        "projects": pd.DataFrame(projects, columns=["project_id", "project", "lead_id"]),
        "assignments": pd.DataFrame(worked, columns=["staff_id", "project_id", "hours"]),
    }


@contextmanager
def open_couriers(folder: Path, seed: int, kind: str) -> Iterator[Couriers]:
    """The `post` or the `firm` of a seed."""
    dice = random.Random(seed)
    frames = _post(dice) if kind == "post" else _firm(dice)
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    with Catalog({name: f"{name}.csv" for name in frames}, folder) as catalog:
        tables = catalog.tables()
        yield Couriers(frames, catalog, Analyst(tables, infer_model(tables)))
