"""What every memory store does. A store's test inherits `MemoryContract` and says how to open one.

    class TestMyStore(MemoryContract):
        def open(self, folder: Path, collection: str) -> Memory:
            return MyStore(...)

`open` is called several times with one folder: stores share it, also while both are open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from flows.core.memory import Memory, Recalled
from flows.errors import RecallError

T = TypeVar("T")

PROVENANCE: dict[str, str | int | float | bool] = {
    "run": "r-17",
    "step": "Loop/Memory#2",
    "source": "observation",
    "round": 2,
    "score": 0.25,
    "final": False,
}

NOTES = {
    "harvest": "The barley harvest of 2019 was 412 tonnes, most of it in August.",
    "staff": "Nine people work in the warehouse during the night shift.",
    "failure": "The query failed: there is no column called pricing_tier.",
    "taste": "The user wants every chart as horizontal bars.",
}


def ids(found: list[Recalled]) -> list[str]:
    return [each.id for each in found]


class MemoryContract:
    def open(self, folder: Path, collection: str) -> Memory:
        raise NotImplementedError("say how the store under test is opened")

    def use(
        self, folder: Path, work: Callable[[Memory], Awaitable[T]], collection: str = "project"
    ) -> T:
        async def opened() -> T:
            memory = self.open(folder, collection)
            try:
                return await work(memory)
            finally:
                await memory.aclose()

        return asyncio.run(opened())

    async def fill(self, memory: Memory) -> None:
        await memory.write(list(NOTES), list(NOTES.values()), PROVENANCE)

    def test_it_speaks_the_protocol(self, tmp_path: Path) -> None:
        assert isinstance(self.open(tmp_path, "project"), Memory)

    @pytest.mark.parametrize(
        ("query", "nearest"),
        [
            ("how large was the barley harvest", "harvest"),
            ("people of the warehouse at night", "staff"),
            ("pricing_tier column", "failure"),
            ("how does the user like charts", "taste"),
        ],
    )
    def test_the_nearest_document_comes_first(
        self, tmp_path: Path, query: str, nearest: str
    ) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await self.fill(memory)
            return await memory.read(query, 2)

        found = self.use(tmp_path, work)
        assert len(found) == 2
        assert found[0].id == nearest
        assert found[0].text == NOTES[nearest]
        assert found[0].distance < found[1].distance

    def test_provenance_comes_back_unchanged(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await self.fill(memory)
            return await memory.read("barley", 1)

        [found] = self.use(tmp_path, work)
        assert dict(found.metadata) == PROVENANCE
        assert {key: type(value) for key, value in found.metadata.items()} == {
            key: type(value) for key, value in PROVENANCE.items()
        }

    def test_no_metadata_is_fine(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["a"], ["a note without a source"], {})
            return await memory.read("note", 1)

        [found] = self.use(tmp_path, work)
        assert dict(found.metadata) == {}

    def test_the_same_id_again_replaces(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["a"], ["barley in spring"], {"run": "one", "old": True})
            await memory.write(["a"], ["barley in autumn"], {"run": "two"})
            await memory.write(["a"], ["barley in autumn"], {"run": "two"})
            return await memory.read("barley", 10)

        [found] = self.use(tmp_path, work)
        assert found.text == "barley in autumn"
        assert dict(found.metadata) == {"run": "two"}

    def test_a_replaced_text_is_no_longer_found_by_its_words(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await self.fill(memory)
            await memory.read("barley", 1)
            await memory.write(["harvest"], ["Nothing grew on the fields."], {})
            return await memory.read("nothing grew on the fields", 1)

        [found] = self.use(tmp_path, work)
        assert found.text == "Nothing grew on the fields."

    def test_of_one_id_twice_in_a_write_the_last_counts(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["a", "a"], ["first barley", "second barley"], {})
            return await memory.read("barley", 5)

        [found] = self.use(tmp_path, work)
        assert found.text == "second barley"

    def test_collections_do_not_see_each_other(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            other = self.open(tmp_path, "another project")
            await memory.write(["a"], ["barley of this project"], {})
            await other.write(["a", "b"], ["barley of that project", "more barley"], {})
            found = await memory.read("barley", 10)
            assert len(await other.read("barley", 10)) == 2
            await other.aclose()
            return found

        [found] = self.use(tmp_path, work)
        assert found.text == "barley of this project"

    def test_an_empty_store_finds_nothing(self, tmp_path: Path) -> None:
        assert self.use(tmp_path, lambda memory: memory.read("anything", 3)) == []

    @pytest.mark.parametrize("query", ["", "  \n\t "])
    def test_an_empty_query_finds_nothing(self, tmp_path: Path, query: str) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await self.fill(memory)
            return await memory.read(query, 3)

        assert self.use(tmp_path, work) == []

    def test_empty_texts_are_not_kept(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write([], [], {})
            await memory.write(["a", "b", "c"], ["", " \n", "barley"], {})
            return await memory.read("barley", 10)

        assert ids(self.use(tmp_path, work)) == ["c"]

    def test_more_results_than_documents_gives_all(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await self.fill(memory)
            return await memory.read("barley", 500)

        found = self.use(tmp_path, work)
        assert sorted(ids(found)) == sorted(NOTES)
        assert found[0].id == "harvest"

    @pytest.mark.parametrize("n_results", [0, -1])
    def test_a_number_of_results_below_one_is_refused(self, tmp_path: Path, n_results: int) -> None:
        with pytest.raises(RecallError, match="n_results"):
            self.use(tmp_path, lambda memory: memory.read("barley", n_results))

    @pytest.mark.parametrize(
        "text",
        [
            "Die Gerstenernte in Österreich: 412 Tonnen; „gut“",
            "大麦の収穫量は412トンでした",
            "حصاد الشعير في أغسطس",
            "🌾🌾 barley 👩🏽‍🌾",
            "!!! ??? ...",
            "a\x00b\x1b[31mred\r\nend",
        ],
    )
    def test_any_text_comes_back_as_it_was(self, tmp_path: Path, text: str) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["other"], ["something else entirely"], {})
            await memory.write(["näme/ü#1"], [text], {"source": text})
            return await memory.read(text, 1)

        [found] = self.use(tmp_path, work)
        assert (found.id, found.text) == ("näme/ü#1", text)
        assert found.metadata["source"] == text

    def test_half_a_character_does_not_break_it(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["a\udc00"], ["barley \ud83d"], {"source": "\ud83d"})
            return await memory.read("barley \ud83d", 1)

        [found] = self.use(tmp_path, work)
        assert found.text.startswith("barley ")

    def test_a_text_of_megabytes_is_kept_or_cut_and_says_so(self, tmp_path: Path) -> None:
        text = "barley " * 300_000

        async def work(memory: Memory) -> list[Recalled]:
            await memory.write(["long"], [text], {})
            return await memory.read("barley", 1)

        [found] = self.use(tmp_path, work)
        assert found.text == text or f"{len(text):,}" in found.text[-100:]

    @pytest.mark.parametrize(
        "metadata",
        [
            {"run": None},
            {"run": ["a"]},
            {"run": {"id": 1}},
            {"run": float("nan")},
            {"run": 2**70},
            {"": "a"},
            {3: "a"},
        ],
    )
    def test_metadata_of_another_type_is_refused(
        self, tmp_path: Path, metadata: dict[str, str]
    ) -> None:
        async def work(memory: Memory) -> None:
            with pytest.raises(RecallError, match="metadata"):
                await memory.write(["a"], ["barley"], metadata)
            assert await memory.read("barley", 1) == []

        self.use(tmp_path, work)

    def test_ids_and_texts_of_different_number_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(RecallError, match="2 ids for 1 texts"):
            self.use(tmp_path, lambda memory: memory.write(["a", "b"], ["one"], {}))
        with pytest.raises(RecallError, match="id is empty"):
            self.use(tmp_path, lambda memory: memory.write([""], ["one"], {}))

    def test_a_thousand_documents(self, tmp_path: Path) -> None:
        colours = ["crimson", "azure", "ochre", "violet", "ivory"]
        texts = [
            f"Crate number {number} is painted {colours[number % 5]} and weighs {number * 3} kilos."
            for number in range(1_000)
        ]

        async def work(memory: Memory) -> None:
            await memory.write([f"crate-{number}" for number in range(1_000)], texts, {"run": "r"})
            for number in (0, 123, 457, 999):
                found = await memory.read(f"crate number {number}", 3)
                assert found[0].id == f"crate-{number}"
            assert len(await memory.read("crimson crate", 1_000)) == 1_000

        self.use(tmp_path, work)

    def test_it_is_there_when_opened_again(self, tmp_path: Path) -> None:
        self.use(tmp_path, self.fill)
        [found] = self.use(tmp_path, lambda memory: memory.read("barley", 1))
        assert found.id == "harvest"
        assert dict(found.metadata) == PROVENANCE

    def test_twenty_writes_at_once(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[Recalled]:
            await asyncio.gather(
                *(
                    memory.write([f"note-{number}"], [f"barley of field {number}"], {"n": number})
                    for number in range(20)
                )
            )
            return await memory.read("barley", 50)

        found = self.use(tmp_path, work)
        assert sorted(each.metadata["n"] for each in found) == list(range(20))

    def test_what_one_store_writes_the_other_reads(self, tmp_path: Path) -> None:
        async def work(memory: Memory) -> list[str]:
            other = self.open(tmp_path, "project")
            await memory.write(["a"], ["barley"], {})
            seen = ids(await other.read("barley", 5))
            await other.write(["b"], ["more barley"], {})
            seen += sorted(ids(await memory.read("barley", 5)))
            await other.aclose()
            return seen

        assert self.use(tmp_path, work) == ["a", "a", "b"]
