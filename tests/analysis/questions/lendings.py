"""Tables with random names for questions about workers, lendings and takings, and their answers."""

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
from flows.semantics.tables import meant
from tests.analysis.questions.couriers import word


@dataclass(frozen=True)
class Sheet:
    """One table, and the analyst who is asked about it."""

    frame: pd.DataFrame
    catalog: Catalog
    analyst: Analyst

    def asked(self, question: str) -> dict[str, Any]:
        return self.analyst.propose(question)

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        made = self.asked(question)
        assert made["sql"], f"{question}: {made['cannot'] or made['clarify']}"
        return [
            tuple(each)
            for each in run_unchecked(
                self.catalog, made["sql"], "duckdb", max_rows=1000, timeout=30
            ).rows
        ]


@contextmanager
def open_sheet(folder: Path, name: str, frame: pd.DataFrame) -> Iterator[Sheet]:
    path = folder / f"{name}.csv"
    frame.to_csv(path, index=False)
    with Catalog({name: str(path)}, folder, folder / "profiles") as catalog:
        model = infer_model(catalog.tables())
        tables = meant(catalog.tables(), model)
        yield Sheet(frame, catalog, Analyst(tables, model, 0.0, 0.0))


def names(dice: random.Random, n: int) -> list[str]:
    """Words that nobody has heard of."""
    return list(dict.fromkeys(word(dice, 6) for _ in range(3 * n)))[:n]


def lendings(dice: random.Random) -> pd.DataFrame:
    """What was lent of a few titles to a few readers, a part of which has not come back."""
    titles, readers = names(dice, 5), names(dice, 4)
    rows = []
    for _ in range(200):
        out = pd.Timestamp("2024-01-01") + pd.Timedelta(days=dice.randrange(300))
        back = out + pd.Timedelta(days=dice.randint(2, 40))
        end = back if dice.random() < 0.8 else None
        rows.append((dice.choice(titles), dice.choice(readers), out, end))
    return pd.DataFrame(rows, columns=["book", "reader", "lent_at", "returned_at"])


def tickets(dice: random.Random) -> pd.DataFrame:
    """Tickets that were opened, a part of which has not been closed."""
    topics, rows = names(dice, 3), []
    for n in range(150):
        begin = pd.Timestamp("2024-01-01") + pd.Timedelta(days=dice.randrange(300))
        end = begin + pd.Timedelta(days=dice.randint(2, 40)) if dice.random() < 0.7 else None
        rows.append((f"T{n}", dice.choice(topics), begin, end))
    return pd.DataFrame(rows, columns=["ticket", "topic", "opened", "closed"])


def workers(dice: random.Random, terms: tuple[str, str]) -> pd.DataFrame:
    """The wages of workers by section and by the terms on which they are employed."""
    sections = names(dice, 3)
    rows = [
        (n, dice.choice(sections), dice.choice(terms), dice.randint(2000, 5000))
        for n in range(1, 121)
    ]
    return pd.DataFrame(rows, columns=["worker", "section", "employment", "wage"])
