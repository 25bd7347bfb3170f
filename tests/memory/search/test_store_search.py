"""One search over several stores at once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from flows.core.entity_store import EntityRecord
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import FunctionStoreConfig
from flows.core.observation import Observation
from flows.core.vector_store import VectorEntry
from flows.errors import StoreError
from flows.memory.columns.entity import ColumnarEntity
from flows.memory.columns.store import ColumnarStore
from flows.memory.entities.stores import SQLiteEntityStore
from flows.memory.search.function import StoreSearch, keys_of
from flows.memory.vectors.stores import ChromaVectorStore
from flows.tools.function_store import SourceFunctions
from tests.cli.inside import inside
from tests.contracts.columnar_store import Reading, readings


class Delivery(ColumnarEntity, store="stock/deliveries", key=("number",)):
    """A delivery of barley from a farm to the mill."""

    number: int
    farm: str
    delivered_on: date
    tonnes: float


class SleepingStore:
    """A store that answers after some time, or not in time."""

    def __init__(self, name: str, seconds: float, fails: bool = False) -> None:
        self._seconds, self._fails = seconds, fails
        self.description = FunctionDescription(
            name=name, description=f"Searches texts about {name}.", namespace="slow",
            parameters={"type": "object", "properties": {"question": {"type": "string"}},
                        "required": ["question"]},
            function_class="VectorSearch", effect="pure",
        )  # fmt: skip

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        await asyncio.sleep(self._seconds)
        if self._fails:
            raise StoreError("the server is away")
        return Observation(kind="ok", text=json.dumps([{"text": f"{arguments['question']}!"}]))


def search_over(*functions: Function, timeout_s: float = 30.0) -> StoreSearch:
    config = FunctionStoreConfig(timeout_s=timeout_s)
    return StoreSearch(SourceFunctions(config, {}, functions))


def called(search: StoreSearch, **arguments: Any) -> Any:
    found = asyncio.run(search.call(arguments))
    return json.loads(found.text) if found.kind == "ok" else found


@pytest.mark.long("texts are embedded, stored and searched")
def test_stores_of_every_kind_answer_and_say_where_it_stands(tmp_path: Path) -> None:
    entities = SQLiteEntityStore(SQLiteEntityStore.Config(path=tmp_path / "e.sqlite3"))
    notes = ChromaVectorStore(
        ChromaVectorStore.Config(name="notes", folder=tmp_path / "m", description="notes of staff")
    )

    async def fill() -> None:
        await entities.put([EntityRecord(type="farm", key="F-12", values={"town": "Aldbury"})])
        await notes.add([
            VectorEntry(name="n1", text="The barley of the farm F-12 was damp in March."),
            VectorEntry(name="n2", text="The night shift has nine people."),
        ])  # fmt: skip

    asyncio.run(fill())
    with (
        ColumnarStore(Delivery, tmp_path / "s", profiles=None) as deliveries,
        ColumnarStore(Reading, tmp_path / "s", profiles=None) as gauges,
    ):
        gauges.append(readings())
        deliveries.append([
            Delivery(number=each, farm=f"F-{each % 3 + 11}", tonnes=each * 2.5,
                     delivered_on=date(2024, 3, each))
            for each in range(1, 10)
        ])  # fmt: skip
        functions = (deliveries.as_function(), gauges.as_function(), notes.as_function(),
                     entities.as_function())  # fmt: skip
        found = called(search_over(*functions), question="total tonnes of farm F-12")
        asyncio.run(notes.aclose())
    by_store = {each["store"]: each for each in reversed(found["results"])}
    assert by_store["default/get_entities"]["value"]["values"] == {"town": "Aldbury"}
    assert by_store["default/get_entities"]["path"] == "/entities/0"
    assert by_store["default/search_notes"]["value"]["name"] == "n1"
    truth = sum(each * 2.5 for each in range(1, 10) if each % 3 + 11 == 12)
    answer = by_store["stock/search_deliveries"]
    assert (answer["path"], answer["source"]) == ("", "columns:stock/deliveries")
    assert list(answer["value"]["rows"][0].values()) == [truth]
    kinds = {each["store"]: each["kind"] for each in found["stores"]}
    assert kinds["weather/search_readings"] != "ok"  # it knows no tonnes, and says so
    scores = [each["score"] for each in found["results"]]
    assert scores == sorted(scores, reverse=True)


def test_all_are_asked_at_once_and_one_that_fails_takes_none_with_it() -> None:
    stores = [SleepingStore(f"topic{each}", 0.4) for each in range(3)]
    lost = SleepingStore("lost", 0.0, fails=True)
    late = SleepingStore("late", 60)
    search = search_over(*stores, lost, late, timeout_s=1)
    started = time.monotonic()
    found = called(search, question="what", limit=5)
    assert time.monotonic() - started < 20  # one after the other, the late one alone takes 60 s
    assert len(found["results"]) == 3
    why = {each["store"]: each.get("why") for each in found["stores"]}
    assert why["slow/lost"] == "the server is away"
    assert why["slow/late"] == "It did not answer within 1 s."
    failed = called(search, question="what", stores=["lost", "slow/late"])
    assert failed.kind == "error"
    assert "the server is away" in failed.text


def test_a_store_that_is_not_there_is_refused_with_the_nearest() -> None:
    search = search_over(SleepingStore("harvest", 0))
    with pytest.raises(StoreError, match="did you mean 'harvest'"):
        called(search, question="what", stores=["harvst"])
    assert called(search_over(), question="what").kind == "empty"


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("what is known of KT-2011 and 10203-A.", ["KT-2011", "10203-A"]),
        ("revenue in 2024, Q3 2024 and 2024-03", []),
        ("the 3rd order of B77/2?", ["B77/2"]),
    ],
)
def test_keys_are_words_that_are_written_like_keys(question: str, keys: list[str]) -> None:
    assert keys_of(question) == keys


def test_a_run_file_names_it_beside_its_stores(tmp_path: Path) -> None:
    with ColumnarStore(Reading, tmp_path / "stores", profiles=None) as store:
        store.append(readings())
    (tmp_path / "calls.yaml").write_text(
        "_target_: tests.tools.call_flow:CallFunctions\n"
        "functions:\n"
        "  sources:\n"
        "    all: {_target_: functions.search_stores}\n"
        "    lake: {_target_: functions.columns, folder: stores}\n"
        "inputs:\n"
        "  question: search several stores at once\n"
        "  calls: [[all/search_stores, {question: total rain of the harbour}]]\n"
    )
    ended = inside("run", "calls.yaml", "--trust", "tests", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    [observation] = ended.json()["outputs"]["observations"]
    [result] = json.loads(observation["text"])["results"]
    assert result["store"] == "lake/search_readings"
    assert result["value"]["rows"] == [{"total_rain": 19.75}]


class SlowIndex(SourceFunctions):
    """Functions whose index takes its time."""

    async def search(self, *given: Any, **named: Any) -> Any:
        await asyncio.sleep(0.4)
        return await super().search(*given, **named)


def test_few_stores_are_asked_while_it_is_found_out_how_well_they_fit() -> None:
    stores = [SleepingStore("barley", 0.4), SleepingStore("looms", 0.4)]
    search = StoreSearch(SlowIndex(FunctionStoreConfig(), {}, stores))

    async def ask() -> tuple[float, Any]:
        await search.call({"question": "barley"})  # finds the functions
        started = time.perf_counter()
        found = await search.call({"question": "barley"})
        return time.perf_counter() - started, json.loads(found.text)

    took, found = asyncio.run(ask())
    assert took < 0.7
    assert [each["store"] for each in found["stores"]] == ["slow/barley", "slow/looms"]
