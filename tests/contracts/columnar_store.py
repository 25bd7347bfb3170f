"""What every columnar store does. A test inherits `ColumnarStoreContract` and says how to open one.

    class TestMyFiles(ColumnarStoreContract):
        def open(self, what: type[ColumnarEntity] | str, tmp_path: Path) -> ColumnarStore:
            return ColumnarStore(what, ...)

`open` is called several times with one folder: the stores share what is kept there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from flows.core.function_description import Function
from flows.errors import QueryRefused, StoreError
from flows.memory.columns.entity import ColumnarEntity, Hint
from flows.memory.columns.store import ColumnarStore

Site = Literal["harbour", "hill", "airport"]


class Reading(
    ColumnarEntity, store="weather/readings", key=("id",), partitions=("site",), time="taken_on"
):
    """A reading of a rain gauge."""

    id: str
    site: Site
    taken_on: date
    rain: Annotated[float, Hint(unit="mm", words=("precipitation",))] = Field(
        description="how much it rained on that day"
    )


class LaterReading(
    ColumnarEntity, store="weather/readings", key=("id",), partitions=("site",), time="taken_on"
):
    """A reading of a rain gauge, with who took it."""

    id: str
    site: Site
    taken_on: date
    rain: float
    observer: str | None = None


class RoundReading(
    ColumnarEntity, store="weather/readings", key=("id",), partitions=("site",), time="taken_on"
):
    """A reading in whole millimetres, which is narrower than the store."""

    id: str
    site: Site
    taken_on: date
    rain: int


RAIN: Mapping[Site, tuple[float, ...]] = {
    "harbour": (3.5, 0.0, 12.25, 4.0), "hill": (7.0, 1.5, 0.5), "airport": (2.0, 2.5),
}  # fmt: skip


def readings() -> list[Reading]:
    return [
        Reading(id=f"{site}-{day}", site=site, taken_on=date(2024, 3, day), rain=rain)
        for site, fallen in RAIN.items()
        for day, rain in enumerate(fallen, start=1)
    ]


class ColumnarStoreContract:
    def open(self, what: type[ColumnarEntity] | str, tmp_path: Path) -> ColumnarStore:
        raise NotImplementedError("say how the store under test is opened")

    def test_what_was_appended_is_there_for_another_who_opens_it(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            assert len(store) == 0
            assert store.append(readings()) == 9
            assert len(store) == 9
        with self.open(Reading, tmp_path) as other:
            assert sorted(other.records(), key=lambda each: each.id) == sorted(  # type: ignore[attr-defined]
                readings(), key=lambda each: each.id
            )

    def test_a_question_is_answered_from_all_files(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            store.append(readings()[:3])
            store.append(readings()[3:])
            answer = store("What was the total precipitation at the harbour?")
            assert answer.status == "answered"
            assert answer.table is not None
            assert answer.table.rows == ((sum(RAIN["harbour"]),),)
            assert "19.75" in answer.text
            assert answer.request is not None
            assert 0.4 <= answer.confidence <= 1

    def test_an_answer_sees_what_was_appended_in_the_meantime(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store, self.open(Reading, tmp_path) as writer:
            writer.append(readings())
            assert store("How many readings are there?").table.rows == ((9,),)  # type: ignore[union-attr]
            writer.append([Reading(id="x", site="hill", taken_on=date(2024, 4, 1), rain=1)])
            assert store("How many readings are there?").table.rows == ((10,),)  # type: ignore[union-attr]

    def test_an_append_with_a_key_is_made_once(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            assert store.append(readings(), key="run-1/step-2") == 9
            assert store.append(readings(), key="run-1/step-2") == 0
            assert store.append(readings()[:1], key="run-1/step-3") == 1
            assert len(store) == 10

    def test_a_partition_is_read_and_replaced_by_itself(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            store.append(readings())
            assert [each["site"] for each in store.partitions()] == ["harbour", "hill", "airport"]
            with closing(store.part({"site": "hill"})) as hill:
                assert len(hill) == 3
                assert hill("average rain").table.rows == ((3.0,),)  # type: ignore[union-attr]
                new = Reading(id="n", site="hill", taken_on=date(2024, 5, 1), rain=8)
                assert hill.replace([new]) == 1
                assert hill("average rain").table.rows == ((8.0,),)  # type: ignore[union-attr]
                with pytest.raises(StoreError, match="has site 'harbour', not 'hill'"):
                    hill.replace(readings()[:1])
            assert len(store) == 9 - 3 + 1

    def test_all_is_replaced_and_compacted(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            for each in readings():
                store.append([each])
            before = store("total rain by site").table
            assert store.compact() == 3
            assert store("total rain by site").table.rows == before.rows  # type: ignore[union-attr]
            assert store.replace(readings()[:2]) == 2
            assert len(store) == 2

    def test_a_new_column_is_asked_for_and_older_records_have_none(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            store.append(readings())
            store.append([
                LaterReading(id="l", site="hill", taken_on=date(2024, 4, 1), rain=6, observer="Ann")
            ])  # fmt: skip
            found = store("How many readings have Ann as observer?")
            assert found.table is not None
            assert found.table.rows == ((1,),)
            assert store.schema.names[-1] == "observer"
        with self.open(LaterReading, tmp_path) as later:
            assert {each.observer for each in later.records()} == {None, "Ann"}  # type: ignore[attr-defined]

    def test_a_narrower_column_is_refused_and_nothing_is_written(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            store.append(readings())
            bad = RoundReading(id="r", site="hill", taken_on=date(2024, 4, 1), rain=6)
            with pytest.raises(StoreError, match="rain is real and would be integer"):
                store.append([bad])
            assert len(store) == 9

    def test_a_column_becomes_wider(self, tmp_path: Path) -> None:
        with self.open(RoundReading, tmp_path) as store:
            store.append([RoundReading(id="r", site="hill", taken_on=date(2024, 4, 1), rain=6)])
            store.append(readings())
            assert store.schema.column("rain").kind == "real"
            assert store("total rain of the hill").table.rows == ((15.0,),)  # type: ignore[union-attr]

    def test_it_is_opened_by_its_id_with_what_its_class_said(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="there is no store weather/readings"):
            _ = self.open("weather/readings", tmp_path).schema
        with self.open(Reading, tmp_path) as store:
            store.append(readings())
        with self.open("weather/readings", tmp_path) as found:
            told = found.as_function().description
            assert (told.id, told.function_class) == (
                "weather/search_readings", "ColumnarQuantitativeSearch",
            )  # fmt: skip
            assert told.effect == "pure"
            for said in ("A reading of a rain gauge.", "how much it rained on that day", "mm",
                         "also called precipitation", "harbour, hill, airport", "9 records",
                         "from 2024-03-01 to 2024-03-04"):  # fmt: skip
                assert said in told.description
            assert found("total precipitation").table.rows == ((33.25,),)  # type: ignore[union-attr]

    def test_the_function_gives_observations(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            function = store.as_function("ask_gauge", "sky")
            assert isinstance(function, Function)
            assert function.description.id == "sky/ask_gauge"
            arguments: dict[str, Any] = {"question": "How many readings are there?"}
            assert asyncio.run(function.call(arguments)).kind == "empty"
            store.append(readings())
            found = asyncio.run(function.call(arguments))
            assert (found.kind, found.table and found.table.rows) == ("ok", ((9,),))
            assert "9" in found.text
            unknown = asyncio.run(function.call({"question": "How many penguins were seen?"}))
            assert unknown.kind == "error"
            assert "penguins" in unknown.text
            dry = asyncio.run(
                function.call({"question": "readings of the harbour with rain above 100"})
            )
            assert dry.kind == "empty"

    def test_sql_is_read_only(self, tmp_path: Path) -> None:
        with self.open(Reading, tmp_path) as store:
            store.append(readings())
            function = store.as_function()
            sql = "SELECT site, count(*) AS n FROM readings GROUP BY ALL ORDER BY n DESC"
            found = asyncio.run(function.call({"question": "", "sql": sql, "limit": 2}))
            assert found.table is not None
            assert (found.table.rows, found.table.truncated) == (
                (("harbour", 4), ("hill", 3)), True,
            )  # fmt: skip
            for bad in ("DELETE FROM readings", "SELECT * FROM read_csv('/etc/passwd')",
                        "COPY readings TO 'x.csv'", "SELECT 1; DROP TABLE readings"):  # fmt: skip
                with pytest.raises(QueryRefused):
                    store.run_search(sql=bad)
            assert len(store) == 9
