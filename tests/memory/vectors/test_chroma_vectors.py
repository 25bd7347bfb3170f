"""Vector stores in an embedded Chroma: the contract, other embedders, and a folder's stores."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from flows.core.vector_store import VectorEntry
from flows.errors import StoreError
from flows.memory.lexical import LexicalEmbedder
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.memory.vectors.chroma import stores_in
from flows.memory.vectors.stores import ChromaVectorStore
from tests.cli.inside import inside, write
from tests.contracts.vector_store import NOTES, VectorStoreContract, names
from tests.memory.semantic import needs_model


def opened(
    folder: Path, name: str = "notes", namespace: str = "default", about: str = ""
) -> ChromaVectorStore:
    config = ChromaVectorStore.Config(
        folder=folder, name=name, namespace=namespace, description=about
    )
    return ChromaVectorStore(config)


class TestChroma(VectorStoreContract):
    def open(
        self, folder: Path, name: str = "notes", namespace: str = "default"
    ) -> ChromaVectorStore:
        return opened(folder, name, namespace)


def test_a_folder_says_which_stores_it_holds(tmp_path: Path) -> None:
    async def work() -> None:
        assert await stores_in(tmp_path) == []
        for name, namespace, about in (("notes", "team", "What we noted."), ("news", "slack", "")):
            store = opened(tmp_path, name, namespace, about)
            await store.add(NOTES)
            await store.aclose()
        found = await stores_in(tmp_path)
        assert [(each.namespace, each.name, each.description, each.count) for each in found] == [
            ("slack", "news", "", 4),
            ("team", "notes", "What we noted.", 4),
        ]

    asyncio.run(work())


@pytest.mark.long("texts are embedded, stored and searched")
@needs_model
def test_with_the_real_embedder_a_paraphrase_finds_a_text(tmp_path: Path) -> None:
    async def work() -> None:
        embedder = MiniLMEmbedder(MiniLMEmbedder.Config())
        store = ChromaVectorStore(ChromaVectorStore.Config(folder=tmp_path, name="n"), embedder)
        texts = {
            "car": "The automobile would not start because its battery was flat.",
            "cake": "Mix flour, eggs and sugar, and bake it for an hour.",
            "rent": "The tenant pays on the first day of the month.",
        }
        others = [f"Note {each} is on matters of the council of town {each}." for each in range(20)]
        await store.add([VectorEntry(name=name, text=text) for name, text in texts.items()])
        await store.add([VectorEntry(name=f"o{n}", text=text) for n, text in enumerate(others)])
        assert names(await store("dead vehicle"))[0] == "car"
        assert names(await store("recipe for a dessert"))[0] == "cake"
        await store.aclose()
        mixed = ChromaVectorStore(
            ChromaVectorStore.Config(folder=tmp_path, name="n"), LexicalEmbedder()
        )
        with pytest.raises(StoreError, match="Vectors of two embedders cannot be compared"):
            await mixed("dead vehicle")
        await mixed.aclose()

    asyncio.run(work())


RUN = """\
_target_: tests.tools.call_flow:CallFunctions
name: Calls
functions:
  sources:
    notes:
      _target_: functions.vectors
      vectors: {_target_: vectors.chroma, name: notes, folder: kept, description: Notes of a farm.}
inputs: {question: what was noted of the farm, calls: [[notes/search_notes, {question: barley}]]}
"""


def test_a_store_of_a_run_file_is_a_function(tmp_path: Path) -> None:
    async def fill() -> None:
        store = opened(tmp_path / "kept")
        await store.add(NOTES)
        await store.aclose()

    asyncio.run(fill())
    ended = inside("run", write(tmp_path, RUN), "--trust", "tests", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    outputs = ended.json()["outputs"]
    assert outputs["found"] == ["notes/search_notes"]
    found = json.loads(outputs["observations"][0]["text"])
    assert {each["name"] for each in found} == {"harvest", "stock"}
    file = write(tmp_path, RUN.replace("name: notes", "nmae: notes"))
    wrong = inside("check", file, "--trust", "tests", cwd=tmp_path)
    assert wrong.code == 2
    assert "unknown key 'nmae'" in wrong.err
