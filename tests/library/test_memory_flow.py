"""What is written can be recalled, once, with where it came from."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from flows.core.journal import load
from flows.core.memory import Recalled
from flows.errors import ConfigError
from flows.memory.chroma import ChromaMemory
from flows.models.fake.server import FakeModel
from tests.library.world import SALES, World, asked, decision

KEEP = """\
defaults: [{memory: chroma}, _self_]
name: Keep
_target_: memory
"""


def stored(folder: str = ".flows/memory") -> list[Recalled]:
    """All documents, read with the store itself."""

    async def read() -> list[Recalled]:
        memory = ChromaMemory(ChromaMemory.Config(folder=Path(folder), floor=0))
        try:
            return await memory.read("barley", 100)
        finally:
            await memory.aclose()

    return asyncio.run(read())


def write(world: World, content: Any, *overrides: str) -> Any:
    return world.run(KEEP, *overrides, inputs={"operation": "write", "content": content})


def read(world: World, content: Any, *overrides: str) -> tuple[str, ...]:
    result = world.run(KEEP, *overrides, inputs={"operation": "read", "content": content})
    assert result.status == "finished", result.reason
    found: tuple[str, ...] = result.outputs["retrieved"]
    return found


@pytest.mark.long("whole runs of a flow")
def test_write_and_read(world: World) -> None:
    assert write(world, "barley is a cereal").outputs == {"retrieved": ()}
    write(world, ["ships cross the sea", "rye is a cereal too"])
    both = ("barley is a cereal", "rye is a cereal too")
    assert read(world, "which cereal is barley?") == both
    assert len(read(world, "barley", "memory.floor=0")) == 3


def test_n_results(world: World) -> None:
    write(world, [f"barley number {number}" for number in range(10)])
    assert len(read(world, "barley")) == 3
    assert len(read(world, "barley", "+n_results=7")) == 7
    assert len(read(world, "barley", "+n_results=100")) == 10


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_finds_nothing(world: World, query: str) -> None:
    write(world, "barley")
    assert read(world, query) == ()


def test_an_empty_memory_finds_nothing(world: World) -> None:
    assert read(world, "barley") == ()


@pytest.mark.long("whole runs of a flow")
def test_the_same_text_is_recalled_once(world: World) -> None:
    for _ in range(3):
        write(world, "barley is a cereal")
    assert read(world, "barley") == ("barley is a cereal",)
    assert len(stored()) == 3


def test_named_values_become_one_document(world: World) -> None:
    write(
        world,
        {"goal": "find barley", "rows": [["a", 1]], "count": 0, "sure": False, "note": "",
         "x": None, "none": [], "args": {"q": "é"}},
    )  # fmt: skip
    [document] = stored()
    assert document.text.split("\n") == [
        "goal: find barley",
        'rows: [["a", 1]]',
        "count: 0",
        "sure: false",
        'args: {"q": "é"}',
    ]


@pytest.mark.parametrize("content", ["", "  ", [], ["", " "], {}, {"a": "", "b": None}])
def test_nothing_to_keep_is_not_kept(world: World, content: Any) -> None:
    assert write(world, content).status == "finished"
    assert not Path(".flows").exists()


def test_where_it_came_from(world: World) -> None:
    result = write(world, ["one barley", "two barley"], "+source=field notes")
    documents = stored()
    came_from = {"run": result.run_id, "step": "", "source": "field notes", "flow": "Keep"}
    for each in documents:
        assert came_from.items() <= each.metadata.items()
    assert sorted(each.id[-2:] for each in documents) == ["-0", "-1"]
    assert len({each.id[:32] for each in documents}) == 1


@pytest.mark.parametrize("operation", ["delete", "", None])
def test_other_operations_are_told(world: World, operation: Any) -> None:
    with pytest.raises(ConfigError, match="operation"):
        world.run(KEEP, inputs={"operation": operation, "content": "x"})


def test_reading_wants_one_text(world: World) -> None:
    result = world.run(KEEP, inputs={"operation": "read", "content": ["a", "b"]})
    assert result.status == "failed"
    assert "to read, the content must be one text" in result.reason


def test_a_write_that_is_repeated_is_one_document(world: World) -> None:
    """Killed after the write and before its outcome was recorded: resuming writes it again."""
    first = write(world, ["one barley", "two barley"])
    before = {each.id: each.text for each in stored()}
    assert len(before) == 2
    # What is on the disk after such a kill: the rows before its outcome.
    with sqlite3.connect(first.folder / "journal.sqlite") as journal:
        journal.execute("DELETE FROM journal WHERE kind IN ('outcome', 'end')")
    journal.close()
    (first.folder / "lock").unlink()
    assert [row.kind for row in load(first.folder)] == ["start"]

    again = world.resume(first.run_id)

    assert again.status == "finished"
    assert [row.kind for row in load(first.folder)][-3:] == ["start", "outcome", "end"]
    assert {each.id: each.text for each in stored()} == before


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_each_round_is_remembered_with_what_it_found(world: World) -> None:
    result = world.auto(goal="Which region has the highest total amount?")
    texts = [each.text for each in stored()]
    [round_one] = [text for text in texts if "command: sql" in text]
    assert "goal: Which region has the highest total amount?" in round_one
    assert "observation: The query gave 1 row." in round_one
    assert '"south"' in round_one
    assert {each.metadata["run"] for each in stored()} == {result.run_id}


@pytest.mark.long("whole runs of a flow")
def test_what_was_remembered_reaches_the_model_of_the_next_run(
    world: World, server: FakeModel
) -> None:
    write(world, "The south region\nis closed since May.", "+source=notes")
    server.script(decision("finish", answer="Done."))
    world.auto("model=openai", "memory.scope=all", goal="What of the south region?")
    first = asked(server)[1][1]
    assert "> - The south region\n>   is closed since May." in first


@pytest.mark.long("whole runs of a flow")
def test_an_embedder_over_an_endpoint(world: World, server: FakeModel) -> None:
    embedder = f"{{_target_: embedder.endpoint, base_url: '{server.base_url}', model: tiny}}"
    setting = f"+memory.embedder={embedder}"
    write(world, ["barley is a cereal", "ships cross the sea"], setting)
    assert read(world, "barley", setting, "+n_results=1") == ("barley is a cereal",)
    assert {each.path for each in server.requests} == {"/v1/embeddings"}
    assert server.requests[0].body["model"] == "tiny"
    refused = world.run(KEEP, inputs={"operation": "read", "content": "barley"})
    assert refused.status == "failed"  # vectors of two embedders are never mixed
    assert "tiny" in refused.reason


def test_an_embedder_that_is_away_is_told(world: World) -> None:
    embedder = "{_target_: embedder.endpoint, base_url: 'http://127.0.0.1:9/v1', model: tiny}"
    result = write(world, "barley", f"+memory.embedder={embedder}", "+memory.embedder.attempts=1")
    assert (result.status, result.exit_code) == ("failed", 4)
    assert "127.0.0.1:9" in result.reason


def test_a_store_of_its_own(world: World) -> None:
    text = "name: Keep\n_target_: memory\nstore: {_target_: memory.chroma, folder: elsewhere}\n"
    result = world.run(text, inputs={"operation": "write", "content": "barley"})
    assert result.status == "finished"
    assert [each.text for each in stored("elsewhere")] == ["barley"]
    assert not Path(".flows").exists()


@pytest.mark.long("whole runs of a flow")
def test_the_memory_of_the_loop_is_asked_for_the_goal(world: World) -> None:
    world.auto("+memory.collection=other", goal="Which region has the highest total amount?")
    asks = [each for each in world.inputs("Memory") if each["operation"] == "read"]
    assert {each["content"] for each in asks} == {"Which region has the highest total amount?"}
    assert stored() == []


@pytest.mark.long("whole runs of a flow")
def test_what_was_kept_over_other_data_or_by_another_flow_is_not_recalled(world: World) -> None:
    world.write("sales.csv", SALES)
    world.write("staff.csv", "name,wage\nAda,3\n")
    sales, staff = "+data.sales=sales.csv", "+data.staff=staff.csv"
    write(world, "The south sold most.", sales)
    asked = "Who sold most?"
    world.write("sales.csv", SALES + "west,9\n")  # the same data a day later
    assert read(world, asked, sales) == ("The south sold most.",)
    for others in ([staff], [sales, staff], [], [sales, "name=Other"]):
        assert read(world, asked, *others) == ()
        assert read(world, asked, *others, "+memory.scope=all") == ("The south sold most.",)
    assert read(world, "How many penguins live here?", sales) == ()


def test_what_was_kept_before_there_were_scopes_is_recalled_everywhere(world: World) -> None:
    async def keep() -> None:
        memory = ChromaMemory(ChromaMemory.Config())
        await memory.write(["old"], ["The south sold most."], {"run": "r", "source": "run"})
        await memory.aclose()

    asyncio.run(keep())
    world.write("sales.csv", SALES)
    write(world, "The north sold least.", "+data.sales=sales.csv")
    assert read(world, "Who sold most?") == ("The south sold most.",)
    found = read(world, "Who sold most or least?", "+data.sales=sales.csv")
    assert set(found) == {"The south sold most.", "The north sold least."}
