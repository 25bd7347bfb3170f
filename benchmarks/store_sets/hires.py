"""An entity store: the bikes, customers and hires of a bicycle hire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from random import Random

from pydantic import JsonValue

from flows.core.entity_store import EntityRecord, EntityRelation
from flows.memory.agent import StoreAgent
from flows.memory.entities.stores import SQLiteEntityStore
from store_sets.question import StoreQuestion

_MODELS = ("Lakeside", "Courier", "Ridge", "Tandem Duo", "Cargo Max")
_COLOURS = ("red", "green", "black", "yellow", "blue")
_TOWNS = ("Annecy", "Thun", "Lucerne", "Como", "Chur")
_NAMES = (
    "Ada Berger", "Noor Haddad", "Luis Prado", "Mina Okoye", "Tomas Novak", "Eva Lind",
    "Jonas Keller", "Sara Conti", "Ivo Petrov", "Lena Maurer",
)  # fmt: skip
_BIKES, _HIRES = 14, 37


class Hires:
    kind = "entity"

    def __init__(self, seed: int = 8) -> None:
        random = Random(seed)
        self._bikes: dict[str, dict[str, JsonValue]] = {
            f"BK-{n:02}": {
                "model": random.choice(_MODELS), "colour": random.choice(_COLOURS),
                "gears": random.choice((3, 7, 8, 11, 21, 24)),
                "daily_rate": random.choice((12.5, 16.0, 18.5, 22.0, 35.0)),
                "status": random.choice(("available", "rented", "in repair")),
                "bought_on": (date(2021, 1, 4) + timedelta(random.randrange(1200))).isoformat(),
            }
            for n in range(1, _BIKES + 1)
        }  # fmt: skip
        self._bikes["BK-07"] |= {"gears": 21, "daily_rate": 18.5, "status": "rented"}
        self._bikes["BK-12"] |= {"gears": 8, "daily_rate": 22.0, "status": "available"}
        self._customers: dict[str, dict[str, JsonValue]] = {
            f"C-{101 + n}": {
                "name": name, "town": random.choice(_TOWNS),
                "member_since": random.randrange(2015, 2025),
            }
            for n, name in enumerate(_NAMES)
        }  # fmt: skip
        self._hires: dict[str, dict[str, JsonValue]] = {
            f"H-{2201 + n}": {
                "started_on": (date(2025, 4, 1) + timedelta(random.randrange(150))).isoformat(),
                "days": random.randrange(1, 15), "paid": float(random.randrange(15, 300)),
            }
            for n in range(_HIRES)
        }  # fmt: skip
        self._bike_of = {key: random.choice(list(self._bikes)) for key in self._hires}
        self._customer_of = {key: random.choice(list(self._customers)) for key in self._hires}

    @contextmanager
    def agent(self, folder: Path) -> Iterator[StoreAgent]:
        store = SQLiteEntityStore(SQLiteEntityStore.Config(path=folder / "entities.sqlite3"))
        asyncio.run(store.put(self._records()))
        yield store.as_agent()
        asyncio.run(store.aclose())

    def _records(self) -> list[EntityRecord]:
        hires = [
            EntityRecord(
                type="hire", key=key, values=values,
                relations=(
                    EntityRelation(name="bike", key=self._bike_of[key], type="bike"),
                    EntityRelation(name="customer", key=self._customer_of[key], type="customer"),
                ),
            )
            for key, values in self._hires.items()
        ]  # fmt: skip
        return [*_plain("bike", self._bikes), *_plain("customer", self._customers), *hires]

    @property
    def questions(self) -> list[StoreQuestion]:
        return [*self._counts(), *self._values(), *self._compared(), *self._related()]

    def _counts(self) -> list[StoreQuestion]:
        taken = sum(each == "BK-07" for each in self._bike_of.values())
        made = sum(each == "C-103" for each in self._customer_of.values())
        return [
            StoreQuestion("How many hires are there?", (_HIRES,)),
            StoreQuestion("how many bikes do you have", (_BIKES,)),
            StoreQuestion("What's the number of customers?", (len(_NAMES),)),
            StoreQuestion("How many times was BK-07 hired?", (taken,)),
            StoreQuestion("how many hires has C-103 made?", (made,)),
        ]

    def _values(self) -> list[StoreQuestion]:
        bikes, hire = self._bikes, self._hires["H-2207"]
        return [
            StoreQuestion("What colour is BK-03?", (str(bikes["BK-03"]["colour"]),)),
            StoreQuestion("daily rate of bk 07", (18.5,)),
            StoreQuestion("when did we buy BK-05", (str(bikes["BK-05"]["bought_on"]),)),
            StoreQuestion("How long was hire H-2207?", (_number(hire["days"]),)),
            StoreQuestion("how many gears do BK-01 and BK-02 have?",
                          (_number(bikes["BK-01"]["gears"]), _number(bikes["BK-02"]["gears"]))),
            StoreQuestion("Is BK-12 available?", ("yes",)),
            StoreQuestion("what town is C-110 from", (str(self._customers["C-110"]["town"]),)),
            StoreQuestion("What colour is BK-99?"),
        ]  # fmt: skip

    def _compared(self) -> list[StoreQuestion]:
        paid = _number(self._hires["H-2201"]["paid"]) + _number(self._hires["H-2202"]["paid"])
        return [
            StoreQuestion("Which bike has more gears, BK-07 or BK-12?", ("BK-07",)),
            StoreQuestion("which is cheaper per day, BK-12 or BK-07?", ("BK-07",)),
            StoreQuestion("What is the difference in daily rate between BK-07 and BK-12?", (3.5,)),
            StoreQuestion("how much was paid for H-2201 and H-2202 together?", (paid,)),
        ]

    def _related(self) -> list[StoreQuestion]:
        customer = self._customers[self._customer_of["H-2204"]]
        bike = self._bikes[self._bike_of["H-2212"]]
        return [
            StoreQuestion("which bike was taken on H-2210?", (self._bike_of["H-2210"],)),
            StoreQuestion("What's the name of the customer of H-2204?", (str(customer["name"]),)),
            StoreQuestion("what model is the bike of hire H-2212?", (str(bike["model"]),)),
        ]


def _plain(type_: str, entities: Mapping[str, Mapping[str, JsonValue]]) -> list[EntityRecord]:
    return [EntityRecord(type=type_, key=key, values=each) for key, each in entities.items()]


def _number(value: JsonValue) -> float:
    return float(str(value))
