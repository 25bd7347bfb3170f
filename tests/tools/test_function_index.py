"""The index of functions on the disk: searched, changed, killed, and used by several processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from flows.core.function_description import FunctionDescription
from flows.errors import ToolError
from flows.tools.catalog.database import FILE
from flows.tools.catalog.index import FunctionIndex
from flows.tools.catalog.scoring import rank_functions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def function(name: str, does: str, /, **arguments: str) -> FunctionDescription:
    properties = {key: {"type": "string", "description": each} for key, each in arguments.items()}
    return FunctionDescription(
        name=name, description=does, parameters={"type": "object", "properties": properties}
    )


FUNCTIONS = (
    function("get_weather", "The weather of a city on a day.", city="the city", day="the day"),
    function(
        "send_letter", "Send a letter to a customer.", customer="the name", text="what to say"
    ),
    function("list_orders", "The orders of a customer.", customer="the customer's number"),
    function("convert_money", "An amount in another currency.", amount="how much", to="currency"),
    function("find_flights", "Flights between two airports.", origin="from", destination="to"),
)


class Meanings:
    """An embedder with a meaning of its own for a few words: one number for each."""

    name = "meanings"
    _WORDS = (
        {"weather", "rain", "umbrella"},
        {"letter", "mail", "write"},
        {"orders", "purchases", "bought"},
        {"currency", "dollars"},
        {"flights", "planes"},
    )

    def __init__(self) -> None:
        self.dimension = len(self._WORDS) + 1
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += texts
        return [self._vector(each.lower()) for each in texts]

    def _vector(self, text: str) -> list[float]:
        return [*(float(any(each in text for each in group)) for group in self._WORDS), 0.1]


@asynccontextmanager
async def opened(folder: Path, embedder: Meanings | None = None) -> AsyncIterator[FunctionIndex]:
    index = FunctionIndex(folder, embedder)
    try:
        yield index
    finally:
        await index.aclose()


async def names(index: FunctionIndex, question: str, limit: int = 10) -> list[str]:
    return [each.description.name for each in await index.search(question, limit)]


async def test_functions_are_found_by_their_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as index:
        change = await index.add(FUNCTIONS)
        assert (change.added, change.changed, change.unchanged) == (5, 0, 0)
        assert await names(index, "What's the weather in Oslo?", 1) == ["get_weather"]
        assert (await names(index, "which flights go to that destination"))[0] == "find_flights"
        assert await names(index, "") == []
        assert await names(index, "zygote") == []
        assert set(await names(index, "letter or orders of a customer")) == {
            "send_letter", "list_orders",
        }  # fmt: skip
        best = await index.search("orders of a customer", 5)
        assert [each.score for each in best] == sorted((each.score for each in best), reverse=True)
        assert all(0 < each.score <= 1 for each in best)
    assert [each.description.name for each in rank_functions("weather", FUNCTIONS)] == [
        "get_weather"
    ]


async def test_namespace_and_class_narrow_the_search(tmp_path: Path) -> None:
    other = FUNCTIONS[2].model_copy(update={"namespace": "shop", "function_class": "entity"})
    async with opened(tmp_path) as index:
        await index.add([*FUNCTIONS, other])
        found = await index.search("orders of a customer", function_class="entity")
        assert [each.description.id for each in found] == ["shop/list_orders"]
        found = await index.search("orders of a customer", namespace="default", limit=1)
        assert [each.description.id for each in found] == ["default/list_orders"]
        assert [each.id for each in await index.descriptions(namespace="shop")] == [
            "shop/list_orders"
        ]


async def test_what_changes_is_found_by_what_it_says_now(tmp_path: Path) -> None:
    async with opened(tmp_path) as index:
        await index.add(FUNCTIONS)
        changed = function("send_letter", "Post a parcel.", weight="in grams")
        change = await index.add([*FUNCTIONS[2:], changed])
        assert (change.added, change.changed, change.unchanged) == (0, 1, 3)
        assert await names(index, "letter") == ["send_letter"]  # its name
        assert (await names(index, "how many grams has the parcel"))[0] == "send_letter"
        assert await names(index, "what to say") == []
        assert await index.remove(["default/send_letter", "default/nothing"]) == 1
        assert await names(index, "parcel letter") == []
        assert await index.get("default/send_letter") is None
        assert await index.get("default/get_weather") == FUNCTIONS[0]
        assert await index.count() == 4


async def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    embedder = Meanings()
    async with opened(tmp_path, embedder) as index:
        await index.add(FUNCTIONS)
        assert await names(index, "do I need an umbrella") == []
        assert await index.embed() == 5
        assert (await names(index, "do I need an umbrella"))[0] == "get_weather"
        assert (await names(index, "what have I bought"))[0] == "list_orders"
        # Only what is new is embedded.
        embedder.embedded.clear()
        await index.add([*FUNCTIONS, function("track_planes", "Planes in the air.")])
        assert await index.embed() == 1
        assert embedder.embedded == ["track planes: Planes in the air."]
        assert (await names(index, "planes"))[0] == "track_planes"
        await index.remove(["default/get_weather"])
        assert "get_weather" not in await names(index, "do I need an umbrella")


async def test_a_second_process_sees_what_the_first_writes(tmp_path: Path) -> None:
    async with opened(tmp_path, Meanings()) as reader, opened(tmp_path, Meanings()) as writer:
        assert await names(reader, "weather") == []
        await writer.add(FUNCTIONS[:1])
        assert await names(reader, "weather") == ["get_weather"]
        await writer.embed()
        assert await names(reader, "umbrella") == ["get_weather"]
        await asyncio.gather(writer.add(FUNCTIONS), reader.add(FUNCTIONS))
        assert await reader.count() == await writer.count() == 5


KILLED = """
import asyncio, sys
from pathlib import Path
from flows.core.function_description import FunctionDescription
from flows.tools.catalog.index import FunctionIndex

def functions():
    for number in range(20_000):
        yield FunctionDescription(name=f"f{number}", description=f"does thing w{number} well")

asyncio.run(FunctionIndex(Path(sys.argv[1])).add(functions()))
"""


@pytest.mark.long("tools with their processes and servers")
async def test_a_killed_writer_leaves_what_it_added_and_is_gone_on_with(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(tmp_path))
    async with opened(tmp_path) as index:
        end = time.monotonic() + 60
        while await index.count() < 1_000:
            assert process.returncode is None
            assert time.monotonic() < end
            # The search works while the other process writes.
            if await index.count():
                assert await names(index, "w17") == ["f17"]
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        there = await index.count()
        assert 1_000 <= there < 20_000
        assert len(await index.ids()) == there
        some = [
            FunctionDescription(name=f"f{number}", description=f"does thing w{number} well")
            for number in range(there + 10)
        ]
        change = await index.add(some)
        assert (change.added, change.unchanged) == (10, there)
        assert await names(index, f"w{there + 9}") == [f"f{there + 9}"]


async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(os.urandom(5_000))
    async with opened(tmp_path) as index:
        with pytest.raises(ToolError, match=r"functions\.sqlite3 cannot be used"):
            await index.count()
    (tmp_path / FILE).unlink()
    async with opened(tmp_path) as index:
        await index.add(FUNCTIONS)
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("PRAGMA user_version = 99")
    db.close()
    async with opened(tmp_path) as index:
        with pytest.raises(ToolError, match="another version"):
            await index.count()
