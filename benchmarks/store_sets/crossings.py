"""A columnar store: the crossings of a ferry line. Of the half that nobody tunes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated

from pydantic import Field

from flows.memory.agent import StoreAgent
from flows.memory.columns.entity import ColumnarEntity, Hint
from flows.memory.columns.store import ColumnarStore
from store_sets.question import StoreQuestion

_VESSELS = (("Halcyon", 90), ("Sea Otter", 60), ("Petrel", 40))
_ROUTES = ("Oban", "Craignure", "Tobermory", "Lochaline")
_WEATHER = ("calm", "wind", "fog", "storm")


class Crossing(ColumnarEntity, store="ferry/crossings", key=("id",), time="sailed_on"):
    """One crossing of a ferry."""

    id: str
    vessel: str = Field(description="the ship")
    harbour: str = Field(description="where it sailed to")
    weather: str
    sailed_on: date
    passengers: Annotated[int, Hint(additive=True)]
    cars: Annotated[int, Hint(additive=True)]
    fuel: Annotated[float, Hint(unit="litres", additive=True)]
    delay: Annotated[int, Hint(unit="min")] = Field(description="how late it arrived")


class Crossings:
    kind = "columnar"

    def __init__(self, seed: int = 21) -> None:
        random = Random(seed)
        self._all: list[Crossing] = []
        for vessel, count in _VESSELS:
            for _ in range(count):
                self._all.append(
                    Crossing(
                        id=f"X{1000 + len(self._all)}",
                        vessel=vessel,
                        harbour=random.choice(_ROUTES),
                        weather=random.choice(_WEATHER),
                        sailed_on=date(2025, 1, 1) + timedelta(random.randrange(330)),
                        passengers=random.randrange(20, 240),
                        cars=random.randrange(0, 60),
                        fuel=round(random.uniform(300, 420), 1),
                        delay=max(0, round(random.gauss(6, 9))),
                    )
                )
        last = self._all[-1]
        self._all[-1] = last.model_copy(update={"passengers": 311, "fuel": 455.5})

    @contextmanager
    def agent(self, folder: Path) -> Iterator[StoreAgent]:
        with ColumnarStore(Crossing, folder / "stores") as store:
            store.append(self._all)
            yield store.as_agent()

    def _where(self, test: Callable[[Crossing], bool]) -> list[Crossing]:
        return [each for each in self._all if test(each)]

    @property
    def questions(self) -> list[StoreQuestion]:
        return [*self._totals(), *self._groups(), *self._single()]

    def _totals(self) -> list[StoreQuestion]:
        otter = self._where(lambda e: e.vessel == "Sea Otter")
        fog = self._where(lambda e: e.weather == "fog")
        may = self._where(lambda e: e.sailed_on.month == 5)
        late = self._where(lambda e: e.delay > 15)
        oban = self._where(lambda e: e.harbour == "Oban")
        return [
            StoreQuestion("how many crossings were there in may", (len(may),)),
            StoreQuestion("How many crossings were more than 15 minutes late?", (len(late),)),
            StoreQuestion("total passengers of the Sea Otter", (sum(e.passengers for e in otter),)),
            StoreQuestion("how many cars went to Oban?", (sum(e.cars for e in oban),)),
            StoreQuestion("what's the average delay in fog",
                          (round(fmean(e.delay for e in fog), 2),)),
            StoreQuestion("How much fuel did we use altogether?",
                          (round(sum(e.fuel for e in self._all), 1),)),
            StoreQuestion("how many harbours do we sail to", (len(_ROUTES),)),
        ]  # fmt: skip

    def _groups(self) -> list[StoreQuestion]:
        people: Counter[str] = Counter()
        fuel: dict[str, float] = {}
        for each in self._all:
            people[each.vessel] += each.passengers
            fuel[each.vessel] = fuel.get(each.vessel, 0.0) + each.fuel
        ordered = [name for name, _ in people.most_common()]
        trips = Counter(each.harbour for each in self._all)
        late = {w: fmean(e.delay for e in self._all if e.weather == w) for w in _WEATHER}
        worst = max(late, key=lambda each: late[each])
        return [
            StoreQuestion("Which vessel has the highest number of passengers?",
                          (ordered[0],), (ordered[-1],)),
            StoreQuestion("Which ship burnt the most fuel?", (max(fuel, key=lambda e: fuel[e]),)),
            StoreQuestion("which vessel carried the fewest passengers in total", (ordered[-1],),
                          (ordered[0],)),
            StoreQuestion("passengers by vessel",
                          tuple(one for name in ordered for one in (name, people[name]))),
            StoreQuestion("What harbour do we sail to most often?",
                          (trips.most_common(1)[0][0],)),
            StoreQuestion("in which weather is the average delay the highest?", (worst,)),
            StoreQuestion("average delay per weather",
                          tuple(one for w in _WEATHER for one in (w, round(late[w], 2)))),
        ]  # fmt: skip

    def _single(self) -> list[StoreQuestion]:
        one, fullest = self._all[17], max(self._all, key=lambda e: e.passengers)
        worst = max(self._all, key=lambda e: e.delay)
        storm = self._where(lambda e: e.weather == "storm")
        return [
            StoreQuestion(f"how many passengers did {one.id} have", (one.passengers,)),
            StoreQuestion("Which crossing had the most passengers?", (fullest.id,)),
            StoreQuestion("what was the longest delay", (worst.delay,)),
            StoreQuestion("what share of the crossings was in a storm?",
                          (round(100 * len(storm) / len(self._all), 2),)),
            StoreQuestion("when was the first crossing",
                          (min(e.sailed_on for e in self._all).isoformat(),)),
            StoreQuestion("What did the passengers eat?"),
        ]  # fmt: skip
