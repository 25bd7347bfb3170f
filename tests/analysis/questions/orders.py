"""Orders and invoices with German names and values, as German programs export them."""

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

_STATES = ("Offen", "Storniert", "Geliefert")
_WAYS = ("Telefon", "Laden", "Vertreter")


@dataclass
class Orders:
    """The tables in pandas with figures as numbers, and an analyst over the exported files."""

    customers: pd.DataFrame
    orders: pd.DataFrame
    catalog: Catalog
    analyst: Analyst

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """What the answer of a question says; a question that is not answered fails."""
        made = self.analyst.propose(question)
        assert made["sql"] is not None, (question, made["cannot"], made["clarify"])
        found = run_unchecked(self.catalog, made["sql"], "duckdb", max_rows=1000, timeout=30)
        return [tuple(each) for each in found.rows]

    def number(self, question: str) -> float:
        """The only figure of the answer."""
        ((value,),) = self.rows(question)
        return float(value)

    def groups(self, question: str) -> dict[str, float]:
        """The figure of each group of the answer."""
        return {str(row[0]): float(row[-1]) for row in self.rows(question)}

    def joined(self) -> pd.DataFrame:
        return self.orders.merge(self.customers, on="Kundennummer")


def _money(value: float) -> str:
    return f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))


@contextmanager
def open_orders(folder: Path, seed: int) -> Iterator[Orders]:
    dice = random.Random(seed)
    called = dice.sample(["Zarl", "Quob", "Wimpf", "Dreux", "Osk", "Jabb", "Krull", "Tolz"], 8)
    towns = dice.sample(["Unterach", "Holm", "Brixen", "Lanz"], 4)
    customers = pd.DataFrame(
        {
            "Kundennummer": f"K{n:03}",
            "Firma": f"{name} {dice.choice(('GmbH', 'AG'))}",
            "Stadt": towns[n % 4],
            "Newsletter": "ja" if n % 3 else "nein",
        }
        for n, name in enumerate(called)
    )
    orders = pd.DataFrame(
        {
            "Bestellnummer": f"B-{n:04}",
            "Bestelldatum": pd.Timestamp(2022, 1, 1) + pd.Timedelta(days=dice.randrange(700)),
            "Kundennummer": f"K{dice.randrange(7):03}",
            "Vertriebsweg": dice.choice(_WAYS),
            "Menge": dice.randint(1, 40),
            "Gesamtbetrag": round(dice.uniform(10, 4000), 2),
            "Status": dice.choice(_STATES),
        }
        for n in range(260)
    )
    later = [pd.Timedelta(days=dice.randint(1, 20)) for _ in range(len(orders))]
    orders["Lieferdatum"] = orders["Bestelldatum"] + pd.Series(later)
    written = orders.assign(
        Gesamtbetrag=orders["Gesamtbetrag"].map(_money),
        Bestelldatum=orders["Bestelldatum"].dt.strftime("%d.%m.%Y"),
        Lieferdatum=orders["Lieferdatum"].dt.strftime("%d.%m.%Y"),
    )
    customers.to_csv(folder / "kunden.csv", index=False, sep=";")
    written.to_csv(folder / "bestellungen.csv", index=False, sep=";")
    files = {each: str(folder / f"{each}.csv") for each in ("kunden", "bestellungen")}
    with Catalog(files, folder) as catalog:
        tables = catalog.tables()
        yield Orders(customers, orders, catalog, Analyst(tables, infer_model(tables)))
