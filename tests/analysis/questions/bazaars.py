"""A bazaar: what clients order, who works there, and who rents a stall. Names made by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from flows.analysis.questions.reader import QuestionReading, read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel
from tests.analysis.questions.harvests import SURE, names_of


@dataclass
class Bazaars:
    """The tables in pandas, and what the reader of questions makes of them."""

    tables: dict[str, pd.DataFrame]
    catalog: Catalog
    model: SemanticModel

    def read(self, question: str) -> QuestionReading | None:
        return read_question(question, self.catalog.tables(), self.model)

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """What the sure reading of a question gives; a question that is not read fails."""
        read = self.read(question)
        assert read is not None, question
        assert read.confidence >= SURE, (question, read.cost, read.query)
        sql = sql_of(read.query, self.model, self.catalog.tables())
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=2000, timeout=30)
        return [tuple(each) for each in found.rows]

    def number(self, question: str) -> float:
        """The one figure that answers a question."""
        ((figure,),) = self.rows(question)
        return float(figure)

    def figures(self, question: str) -> dict[Any, float]:
        """The figure of each group."""
        return {row[0]: float(row[-1]) for row in self.rows(question)}

    def is_sure(self, question: str) -> bool:
        read = self.read(question)
        return read is not None and read.confidence >= SURE

    @property
    def orders(self) -> pd.DataFrame:
        """The orders with what they come to, their articles and their clients."""
        of = self.tables["orders"].merge(self.tables["articles"], on="article_id")
        of = of.merge(self.tables["clients"], on="client_id")
        return of.assign(worth=of.quantity * of.unit_price, expense=of.quantity * of.cost)


@contextmanager
def open_bazaars(folder: Path, seed: int) -> Iterator[Bazaars]:
    """The tables as CSV files of one seed."""
    dice = random.Random(seed)
    names = names_of(dice, 80)
    called, wares, rows_, streets = names[:40], names[40:52], names[52:55], names[55:58]
    days = pd.date_range("2023-01-01", "2024-06-30", freq="D")
    articles = pd.DataFrame(
        {"article_id": n, "article_name": wares[n], "aisle": rows_[n % 3],
         "cost": round(dice.uniform(2, 9), 2)}
        for n in range(12)
    )  # fmt: skip
    clients = pd.DataFrame(
        {"client_id": 700 + n, "client_name": called[n], "street": dice.choice(streets)}
        for n in range(25)
    )
    orders = pd.DataFrame(
        {
            "order_no": f"B{n:05}",
            "ordered": dice.choice(days),
            "client_id": 700 + min(24, int(dice.expovariate(0.15))),
            "article_id": dice.randrange(12),
            "quantity": dice.randint(1, 9),
            "unit_price": round(dice.uniform(10, 40), 2),
        }
        for n in range(400)
    )
    crew = pd.DataFrame(
        {
            "member": called[n % 40] + str(n),
            "section": rows_[n % 3],
            "wage": dice.randint(300, 900),
            "tenure": round(dice.uniform(0.5, 20), 1),
            "left": dice.choice(["yes", "no", "no"]),
        }
        for n in range(90)
    )
    begun = [dice.choice(days) for _ in range(120)]
    rentals = pd.DataFrame(
        {
            "rental_no": range(5000, 5120),
            "client_id": [700 + dice.randrange(25) for _ in begun],
            "tier": [dice.choice(streets) for _ in begun],
            "start_date": begun,
            "end_date": [
                each + pd.Timedelta(days=dice.randint(5, 200)) if dice.random() < 0.5 else None
                for each in begun
            ],
            "stay_minutes": [dice.randint(30, 900) for _ in begun],
            "load_g": [dice.randint(100, 9000) for _ in begun],
        }
    )
    tables = {"orders": orders, "articles": articles, "clients": clients, "staff": crew,
              "rentals": rentals}  # fmt: skip
    for name, each in tables.items():
        each.to_csv(folder / f"{name}.csv", index=False, date_format="%Y-%m-%d")
    with Catalog({each: str(folder / f"{each}.csv") for each in tables}, folder) as catalog:
        yield Bazaars(tables, catalog, infer_model(catalog.tables()))
