"""A brewery's data with names drawn by chance: people in a hierarchy, vats, brews, and tastings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from flows.analysis.questions.reader import QuestionReading, read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels

_SYLLABLES = ("zor", "mik", "bal", "ten", "rup", "gash", "lom", "vid", "kel", "nud", "pim", "tos")


@dataclass(frozen=True)
class Brewery:
    """The tables as frames, and what questions over their files give."""

    catalog: Catalog
    tables: tuple[Table, ...]
    model: SemanticModel
    frames: dict[str, pd.DataFrame]

    def read(self, question: str) -> QuestionReading | None:
        return read_question(question, self.tables, self.model)

    def rows(self, question: str) -> list[tuple[object, ...]]:
        """The rows that answer a question, in their order."""
        reading = self.read(question)
        assert reading is not None, question
        assert reading.confidence > 0.6, (question, reading.cost, reading.query)
        sql = sql_of(reading.query, self.model, self.tables)
        return list(run_query(self.catalog, sql, max_rows=5000, timeout=30).rows)


def _frames(dice: random.Random) -> dict[str, pd.DataFrame]:
    made: set[str] = set()

    def name(syllables: int = 3) -> str:
        while True:
            word = "".join(dice.sample(_SYLLABLES, syllables)).capitalize()
            if word not in made:
                made.add(word)
                return word

    brewers = pd.DataFrame({
        "brewer_id": range(1, 9),
        "first_name": [name() for _ in range(8)],
        "last_name": [name() for _ in range(8)],
        "manager": [None, 1, 1, 2, 2, 2, 3, 3],
    })  # fmt: skip
    brewers["manager"] = brewers["manager"].astype("Int64")
    vats = pd.DataFrame({
        "vat_id": range(20, 32),
        "vat_name": [name(2) for _ in range(12)],
        "cellar": [dice.choice(["Upper", "Lower", "Old"]) for _ in range(12)],
        "capacity": [dice.randint(100, 900) for _ in range(12)],
    })  # fmt: skip
    size = 90
    brews = pd.DataFrame({
        "brew_id": range(4000, 4000 + size),
        "brewed_on": [f"2023-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
                      for _ in range(size)],
        "emptied_on": [f"2024-01-{dice.randint(1, 28):02}" if dice.random() < 0.6 else None
                       for _ in range(size)],
        "vat_id": [dice.randint(20, 28) for _ in range(size)],
        "brewer_id": [dice.randint(2, 7) for _ in range(size)],
        "yeast": [dice.choice(["Kveik", "Brett", None]) for _ in range(size)],
        "spoiled": [dice.choice(["Yes", "No", "No"]) for _ in range(size)],
        "litres": [dice.randint(10, 99) for _ in range(size)],
    })  # fmt: skip
    return {"brewers": brewers, "vats": vats, "brews": pd.concat([brews, brews.iloc[:7]])}


@contextmanager
def open_brewery(folder: Path, seed: int) -> Iterator[Brewery]:
    """The data of a seed in files of a folder."""
    frames = _frames(random.Random(seed))
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    with Catalog({name: f"{name}.csv" for name in frames}, folder) as catalog:
        yield Brewery(catalog, catalog.tables(), SemanticModels(catalog).model(), frames)
