"""An entity store: objects, rooms and loans of a museum. Of the half that nobody tunes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from pydantic import JsonValue

from flows.core.entity_store import EntityRecord, EntityRelation
from flows.memory.agent import StoreAgent
from flows.memory.entities.stores import SQLiteEntityStore
from store_sets.question import StoreQuestion

_TITLES = ("Bronze hare", "Weaver's loom", "Salt map", "Tin drum", "Ivory comb", "Oak chest")
_MATERIALS = ("bronze", "oak", "tin", "linen", "glass")
_BORROWERS = ("Civic Hall", "Maritime House", "Textile Archive")
_OBJECTS, _LOANS = 23, 31


class Museum:
    kind = "entity"

    def __init__(self, seed: int = 33) -> None:
        random = Random(seed)
        self._rooms: dict[str, dict[str, JsonValue]] = {
            f"RM{n}": {"name": f"Gallery {'ABCDE'[n - 1]}", "floor": random.randrange(0, 4),
                       "area": random.randrange(40, 200)}
            for n in range(1, 6)
        }  # fmt: skip
        self._objects: dict[str, dict[str, JsonValue]] = {
            f"OB-{300 + n}": {
                "title": random.choice(_TITLES), "material": random.choice(_MATERIALS),
                "year": random.randrange(1400, 1900),
                "insured_value": random.randrange(5, 90) * 100,
                "condition": random.choice(("good", "fragile", "damaged")),
            }
            for n in range(_OBJECTS)
        }  # fmt: skip
        self._objects["OB-304"] |= {"condition": "fragile", "insured_value": 1200, "year": 1512}
        self._objects["OB-309"] |= {"condition": "good", "insured_value": 4500, "year": 1777}
        self._loans: dict[str, dict[str, JsonValue]] = {
            f"LN-{80 + n}": {
                "borrower": random.choice(_BORROWERS), "months": random.randrange(1, 13),
                "returned": random.random() < 0.5,
            }
            for n in range(_LOANS)
        }  # fmt: skip
        self._loans["LN-85"] |= {"returned": True}
        self._room_of = {key: random.choice(list(self._rooms)) for key in self._objects}
        self._object_of = {key: random.choice(list(self._objects)) for key in self._loans}

    @contextmanager
    def agent(self, folder: Path) -> Iterator[StoreAgent]:
        store = SQLiteEntityStore(SQLiteEntityStore.Config(path=folder / "entities.sqlite3"))
        asyncio.run(store.put(self._records()))
        yield store.as_agent()
        asyncio.run(store.aclose())

    def _records(self) -> list[EntityRecord]:
        rooms = [EntityRecord(type="room", key=key, values=v) for key, v in self._rooms.items()]
        objects = [
            EntityRecord(
                type="object", key=key, values=values,
                relations=(EntityRelation(name="room", key=self._room_of[key], type="room"),),
            )
            for key, values in self._objects.items()
        ]  # fmt: skip
        loans = [
            EntityRecord(
                type="loan", key=key, values=values,
                relations=(EntityRelation(name="object", key=self._object_of[key], type="object"),),
            )
            for key, values in self._loans.items()
        ]  # fmt: skip
        return [*rooms, *objects, *loans]

    @property
    def questions(self) -> list[StoreQuestion]:
        return [*self._counts(), *self._values(), *self._compared(), *self._related()]

    def _counts(self) -> list[StoreQuestion]:
        lent = sum(each == "OB-304" for each in self._object_of.values())
        shown = sum(each == "RM2" for each in self._room_of.values())
        return [
            StoreQuestion("how many loans are there altogether?", (_LOANS,)),
            StoreQuestion("number of objects in the museum", (_OBJECTS,)),
            StoreQuestion("How many rooms do we have?", (len(self._rooms),)),
            StoreQuestion("how many objects are in RM2", (shown,)),
            StoreQuestion("how many times was OB-304 loaned?", (lent,)),
        ]

    def _values(self) -> list[StoreQuestion]:
        one, room = self._objects["OB-311"], self._rooms["RM3"]
        return [
            StoreQuestion("what is OB-311 made of? its material", (str(one["material"]),)),
            StoreQuestion("From what year is OB-304?", (1512,)),
            StoreQuestion("insured value of ob 309", (4500,)),
            StoreQuestion("Which floor is RM3 on?", (float(str(room["floor"])),)),
            StoreQuestion("what's the title of OB-311", (str(one["title"]),)),
            StoreQuestion("Is OB-304 fragile?", ("yes",)),
            StoreQuestion("has LN-85 been returned?", ("yes",)),
            StoreQuestion("Who painted OB-999?"),
        ]

    def _compared(self) -> list[StoreQuestion]:
        return [
            StoreQuestion("which is older, OB-304 or OB-309?", ("OB-304",), ("OB-309",)),
            StoreQuestion("Which has the higher insured value, OB-304 or OB-309", ("OB-309",)),
            StoreQuestion("by how much do the insured values of OB-304 and OB-309 differ?",
                          (3300,)),
            StoreQuestion("what is the insured value of OB-304 and OB-309 in total?", (5700,)),
        ]  # fmt: skip

    def _related(self) -> list[StoreQuestion]:
        lent = self._object_of["LN-90"]
        return [
            StoreQuestion("Which object was lent in LN-90?", (lent,)),
            StoreQuestion("in which room is OB-305", (self._room_of["OB-305"],)),
            StoreQuestion("what is the title of the object of loan LN-90?",
                          (str(self._objects[lent]["title"]),)),
        ]  # fmt: skip
