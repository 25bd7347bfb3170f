"""A columnar store: the bales of cotton that a spinning mill has received."""

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

_GROWERS = (
    ("Okafor Farms", 40), ("Delta Cooperative", 70), ("Ruiz Brothers", 55), ("Amadi", 30),
    ("Hollow Creek", 45),
)  # fmt: skip
_VARIETIES = ("Upland", "Pima", "Acala")
_WAREHOUSES = ("North", "South", "Yard")


class Bale(ColumnarEntity, store="mill/bales", key=("id",), time="received_on"):
    """A bale of cotton as it came to the mill."""

    id: str
    grower: str = Field(description="the farm that it comes from")
    variety: str
    grade: str
    warehouse: str
    received_on: date
    weight: Annotated[float, Hint(unit="kg", additive=True)]
    moisture: Annotated[float, Hint(unit="%")]
    staple: Annotated[float, Hint(unit="mm", words=("staple length",))]
    price: Annotated[float, Hint(unit="EUR")] = Field(description="what a kilogram costs")


def _made(seed: int) -> list[Bale]:
    random = Random(seed)
    bales: list[Bale] = []
    for grower, count in _GROWERS:
        for _ in range(count):
            number = len(bales) + 1
            variety = random.choice(_VARIETIES)
            bales.append(
                Bale(
                    id=f"BL-{number:04}",
                    grower=grower,
                    variety=variety,
                    grade=random.choice("AABBBC"),
                    warehouse=random.choice(_WAREHOUSES),
                    received_on=date(2023, 9, 1) + timedelta(days=random.randrange(420)),
                    weight=round(random.gauss(218, 9), 1),
                    moisture=round(random.uniform(6.0, 9.8), 1),
                    staple=round(random.gauss(34 if variety == "Pima" else 28, 1.2), 1),
                    price=round(random.gauss(2.9 if variety == "Pima" else 1.9, 0.1), 2),
                )
            )
    heavy = next(at for at, each in enumerate(bales) if each.grower == "Amadi")
    bales[heavy] = bales[heavy].model_copy(update={"weight": 261.5})
    return bales


class Bales:
    kind = "columnar"

    def __init__(self, seed: int = 5) -> None:
        self._bales = _made(seed)

    @contextmanager
    def agent(self, folder: Path) -> Iterator[StoreAgent]:
        with ColumnarStore(Bale, folder / "stores") as store:
            store.append(self._bales)
            yield store.as_agent()

    @property
    def questions(self) -> list[StoreQuestion]:
        return [*self._counts(), *self._sizes(), *self._rankings(), *self._records()]

    def _where(self, test: Callable[[Bale], bool]) -> list[Bale]:
        return [each for each in self._bales if test(each)]

    def _counts(self) -> list[StoreQuestion]:
        march = self._where(lambda e: (e.received_on.year, e.received_on.month) == (2024, 3))
        heavy = self._where(lambda e: e.weight > 230)
        damp = self._where(lambda e: e.moisture > 9 and e.warehouse == "North")
        first = self._where(lambda e: e.grade == "A")
        return [
            StoreQuestion("how many bales did we receive in march 2024", (len(march),)),
            StoreQuestion("how many bales weigh more than 230 kg?", (len(heavy),)),
            StoreQuestion("How many bales in the North warehouse have moisture over 9?",
                          (len(damp),)),
            StoreQuestion("what share of the bales is grade A",
                          (round(100 * len(first) / len(self._bales), 2),)),
            StoreQuestion("how many growers do we buy from?", (len(_GROWERS),)),
        ]  # fmt: skip

    def _sizes(self) -> list[StoreQuestion]:
        okafor = self._where(lambda e: e.grower == "Okafor Farms")
        pima = self._where(lambda e: e.variety == "Pima")
        june = self._where(lambda e: e.received_on.isoformat()[:7] == "2024-06")
        means = {v: round(fmean(e.moisture for e in self._bales if e.variety == v), 2)
                 for v in _VARIETIES}  # fmt: skip
        return [
            StoreQuestion("What's the total weight of the bales from Okafor Farms?",
                          (round(sum(e.weight for e in okafor), 1),)),
            StoreQuestion("average moisture by variety",
                          tuple(one for pair in means.items() for one in pair)),
            StoreQuestion("mean staple length of Pima",
                          (round(fmean(e.staple for e in pima), 2),)),
            StoreQuestion("How much did the bales we got in June 2024 weigh altogether?",
                          (round(sum(e.weight for e in june), 1),)),
            StoreQuestion("Is the average price higher for Pima or for Acala?", ("Pima",)),
        ]  # fmt: skip

    def _rankings(self) -> list[StoreQuestion]:
        weights: Counter[str] = Counter()
        for each in self._bales:
            weights[each.grower] += each.weight  # type: ignore[assignment]
        counts = Counter(each.grower for each in self._bales)
        ordered = [name for name, _ in weights.most_common()]
        heaviest = max(self._bales, key=lambda e: e.weight)
        months = Counter(each.received_on.strftime("%Y-%m") for each in self._bales)
        dearest = max(self._bales, key=lambda e: e.price)
        return [
            StoreQuestion("Which grower delivered the most bales?",
                          (counts.most_common(1)[0][0],)),
            StoreQuestion("Which grower has the highest weight?", (ordered[0], "total")),
            StoreQuestion("what is the heaviest bale", (heaviest.id,)),
            StoreQuestion("Which grower does the heaviest bale come from?", (heaviest.grower,),
                          (ordered[0],)),
            StoreQuestion("top 3 growers by weight", tuple(ordered[:3]), tuple(ordered[3:])),
            StoreQuestion("Which month had the most bales?", (months.most_common(1)[0][0],)),
            StoreQuestion("what's the highest price we pay", (dearest.price,)),
        ]  # fmt: skip

    def _records(self) -> list[StoreQuestion]:
        one = self._bales[122]
        last = max(each.received_on for each in self._bales)
        return [
            StoreQuestion(f"what does {one.id} weigh", (one.weight,)),
            StoreQuestion("when did we receive the last bale?", (last.isoformat(),)),
            StoreQuestion("Which trucks brought the bales?"),
        ]
