"""What every vector store does. A store's test inherits `VectorStoreContract` and opens one.

    class TestMyStore(VectorStoreContract):
        def open(self, folder: Path, name: str = "notes", namespace: str = "default") -> EntryStore:
            return MyStore(...)

`open` is called several times with one folder: stores share it, also while both are open.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import ValidationError

from flows.core.vector_store import EntryFilter, FoundEntry, VectorEntry, VectorStore
from flows.errors import StoreError
from flows.memory.vectors.stores import EntryStore

T = TypeVar("T")


def day(number: int) -> datetime:
    return datetime(2024, 3, number, 12, tzinfo=UTC)


NOTES = (
    VectorEntry(
        name="harvest",
        text="The barley harvest of 2019 was 412 tonnes, most of it in August.",
        doc_id="farm.md",
        timestamp=day(1),
        metadata={"author": "Ada", "pages": 3, "draft": False, "weight": 0.5},
    ),
    VectorEntry(
        name="staff",
        text="Nine people work in the warehouse during the night shift.",
        doc_id="warehouse.md",
        timestamp=day(2),
        metadata={"author": "Bo"},
    ),
    VectorEntry(
        name="stock",
        text="The warehouse holds barley for ninety days.",
        doc_id="warehouse.md",
        timestamp=day(3),
        metadata={"author": "Ada"},
    ),
    VectorEntry(name="taste", text="Horizontal bars are what the user likes.", timestamp=day(4)),
)


def names(found: Sequence[FoundEntry]) -> list[str]:
    return [each.entry.name for each in found]


class VectorStoreContract:
    def open(self, folder: Path, name: str = "notes", namespace: str = "default") -> EntryStore:
        raise NotImplementedError("say how the store under test is opened")

    def use(self, folder: Path, work: Callable[[EntryStore], Awaitable[T]]) -> T:
        async def opened() -> T:
            store = self.open(folder)
            try:
                return await work(store)
            finally:
                await store.aclose()

        return asyncio.run(opened())

    def filled(self, folder: Path, work: Callable[[EntryStore], Awaitable[T]]) -> T:
        self.use(folder, lambda store: store.add(NOTES))
        return self.use(folder, work)

    def test_it_speaks_the_protocol_and_an_empty_one_finds_nothing(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            assert isinstance(store, VectorStore)
            assert (store.namespace, store.name) == ("default", "notes")
            assert await store.count() == 0
            assert await store.run_search("barley") == []
            assert await store.remove(["harvest"], ["farm.md"]) == 0
            await store.add([])

        self.use(tmp_path, work)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("question", "best"),
        [
            ("how large was the barley harvest", "harvest"),
            ("who works in the warehouse at night", "staff"),
            ("for how many days is there barley in the warehouse", "stock"),
            ("which bars does the user like", "taste"),
        ],
    )
    def test_the_best_comes_first_as_it_was_kept(
        self, tmp_path: Path, question: str, best: str
    ) -> None:
        found = self.filled(tmp_path, lambda store: store(question))
        kept = {each.name: each for each in NOTES}
        assert found[0].entry == kept[best]
        assert [each.score for each in found] == sorted(
            (each.score for each in found), reverse=True
        )
        assert all(0 < each.score <= 1 for each in found)

    def test_a_word_that_only_one_text_has_finds_it(self, tmp_path: Path) -> None:
        odd = VectorEntry(name="odd", text="The code of the pump is ZX-81-B, as Bo wrote down.")

        async def work(store: EntryStore) -> list[FoundEntry]:
            await store.add([odd])
            return await store("zx-81-b")

        assert names(self.filled(tmp_path, work))[0] == "odd"

    @pytest.mark.parametrize("question", ["", " \n", "submarine volcanoes"])
    def test_what_no_text_speaks_of_finds_nothing(self, tmp_path: Path, question: str) -> None:
        assert self.filled(tmp_path, lambda store: store(question)) == []

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (EntryFilter(doc_ids=("warehouse.md",)), {"stock"}),
            (EntryFilter(doc_ids=("farm.md", "warehouse.md")), {"harvest", "stock"}),
            (EntryFilter(doc_ids=("taste",)), set()),
            (EntryFilter(since=day(2)), {"stock"}),
            (EntryFilter(until=day(1)), {"harvest"}),
            (EntryFilter(since=day(1), until=day(3)), {"harvest", "stock"}),
            (EntryFilter(metadata={"author": "Ada"}), {"harvest", "stock"}),
            (EntryFilter(metadata={"author": "Ada", "draft": False}), {"harvest"}),
            (EntryFilter(metadata={"pages": 3}), {"harvest"}),
            (EntryFilter(metadata={"weight": 0.5}), {"harvest"}),
            (EntryFilter(metadata={"author": "Ada", "pages": 4}), set()),
            (EntryFilter(metadata={"author": 'it\'s "x" \\ OR 1=1'}), set()),
            (EntryFilter(doc_ids=("') OR ('1'='1",)), set()),
        ],
    )
    def test_filters_leave_what_they_allow(
        self, tmp_path: Path, filters: EntryFilter, expected: set[str]
    ) -> None:
        found = self.filled(tmp_path, lambda store: store("barley", 10, filters))
        assert set(names(found)) == expected

    def test_a_filter_is_kept_to_among_many(self, tmp_path: Path) -> None:
        many = [
            VectorEntry(name=f"n{each}", text=f"Barley of field {each}", metadata={"odd": each % 2})
            for each in range(300)
        ]
        rare = VectorEntry(name="rare", text="Some barley, somewhere else.", metadata={"odd": 7})

        async def work(store: EntryStore) -> None:
            await store.add([*many, rare])
            assert names(await store("barley", 5, EntryFilter(metadata={"odd": 7}))) == ["rare"]
            found = await store("barley of field 17", 50, EntryFilter(metadata={"odd": 1}))
            assert len(found) == 50
            assert names(found)[0] == "n17"
            assert {each.entry.metadata["odd"] for each in found} == {1}

        self.use(tmp_path, work)

    def test_the_same_name_again_replaces_text_and_metadata(self, tmp_path: Path) -> None:
        new = VectorEntry(name="harvest", text="Nothing grew.", timestamp=day(9), metadata={"b": 1})

        async def work(store: EntryStore) -> None:
            assert "harvest" in names(await store("barley harvest"))
            await store.add([new.model_copy(update={"text": "Not this."}), new])
            assert await store.count() == len(NOTES)
            assert "harvest" not in names(await store("barley"))
            [found] = await store("nothing grew")
            assert found.entry == new

        self.filled(tmp_path, work)

    def test_entries_go_by_name_and_by_document(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            assert await store.remove(["taste", "taste", "no such"]) == 1
            assert await store.remove(doc_ids=["warehouse.md"]) == 2
            assert await store.count() == 1
            assert names(await store("barley in the warehouse")) == ["harvest"]

        self.filled(tmp_path, work)

    def test_stores_of_other_names_and_namespaces_see_nothing(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            for other in (self.open(tmp_path, "other"), self.open(tmp_path, "notes", "team")):
                assert await other("barley") == []
                await other.add([VectorEntry(name="a", text="Barley of others.")])
                assert names(await other("barley")) == ["a"]
                await other.aclose()
            assert await store.count() == len(NOTES)

        self.filled(tmp_path, work)

    def test_what_one_writes_another_reads(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            other = self.open(tmp_path)
            await store.add(NOTES[:1])
            assert names(await other("barley")) == ["harvest"]
            await other.add(NOTES[1:])
            assert set(names(await store("barley"))) == {"harvest", "stock"}
            await other.remove(["stock"])
            assert names(await store("barley")) == ["harvest"]
            await other.aclose()

        self.use(tmp_path, work)

    def test_searches_and_writes_at_once(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            more = [VectorEntry(name=f"m{each}", text=f"Barley note {each}") for each in range(20)]
            writes = [store.add([each]) for each in more]
            await asyncio.gather(*writes, *(store("barley") for _ in range(20)))
            assert await store.count() == len(NOTES) + 20

        self.filled(tmp_path, work)

    @pytest.mark.parametrize(
        "text", ["Die Gerste in Österreich 🌾", "大麦の収穫量", "a\x00b \x1b[31m red"]
    )
    def test_any_text_comes_back_as_it_was(self, tmp_path: Path, text: str) -> None:
        entry = VectorEntry(name="näme/ü#1 'x'", text=text, doc_id="d\"'\\", timestamp=day(5))

        async def work(store: EntryStore) -> FoundEntry:
            await store.add([entry])
            return (await store(text, 1))[0]

        assert self.filled(tmp_path, work).entry == entry

    def test_moments_of_other_zones_are_the_same_moments(self, tmp_path: Path) -> None:
        zone = timezone(timedelta(hours=2))
        there = VectorEntry(name="t", text="Rye", timestamp=datetime(2024, 5, 1, 1, tzinfo=zone))

        async def work(store: EntryStore) -> None:
            await store.add([there])
            last = EntryFilter(until=datetime(2024, 4, 30, 23, tzinfo=UTC))
            assert names(await store("rye", 5, last)) == ["t"]
            assert await store("rye", 5, EntryFilter(since=datetime(2024, 5, 1))) == []

        self.use(tmp_path, work)

    def test_what_cannot_be_kept_is_refused(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            for metadata in ({"doc_id": "x"}, {"n": float("nan")}, {"n": 2**70}):
                with pytest.raises(StoreError, match="metadata"):
                    await store.add([VectorEntry(name="a", text="b", metadata=metadata)])
            with pytest.raises(StoreError, match="limit is 0"):
                await store("barley", 0)

        self.use(tmp_path, work)
        with pytest.raises(ValidationError, match="until is before since"):
            EntryFilter(since=day(2), until=day(1))

    def test_as_a_function(self, tmp_path: Path) -> None:
        async def work(store: EntryStore) -> None:
            function = store.as_function()
            assert function.description.id == "default/search_notes"
            assert function.description.function_class == "VectorSearch"
            found = await function.call({"question": "barley", "limit": 1, "until": "2024-03-01"})
            [text] = json.loads(found.text)
            assert (text["name"], text["doc_id"]) == ("harvest", "farm.md")
            assert text["timestamp"] == "2024-03-01T12:00:00+00:00"
            none = await function.call({"question": "barley", "since": "2024-03-05"})
            assert (none.kind, none.text) == ("empty", "No text of the store speaks of that.")
            with pytest.raises(StoreError, match="are days, as 2024-03-01"):
                await function.call({"question": "barley", "since": "last week"})

        self.filled(tmp_path, work)
