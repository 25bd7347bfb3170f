"""LanceDB as vector store and memory: both contracts in a folder, the same in a bucket of S3."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from flows.core.memory import Memory
from flows.core.vector_store import EntryFilter
from flows.errors import StoreError
from flows.memory.vectors.lance_stores import LanceMemory, LanceVectorStore
from flows.memory.vectors.stores import EntryStore
from tests.cli.inside import inside, write
from tests.contracts.memory_store import MemoryContract
from tests.contracts.vector_store import NOTES, VectorStoreContract, names
from tests.servers.database import free_port
from tests.servers.s3 import missing_s3, s3_server

pytest.importorskip("lancedb", reason="the package lancedb is not installed")
pytestmark = pytest.mark.long("each test opens databases of LanceDB, which loads its own engine")


class TestLance(VectorStoreContract):
    def open(self, folder: Path, name: str = "notes", namespace: str = "default") -> EntryStore:
        config = LanceVectorStore.Config(folder=folder / "lance", name=name, namespace=namespace)
        return LanceVectorStore(config)


class TestLanceMemory(MemoryContract):
    def open(self, folder: Path, collection: str) -> Memory:
        config = LanceMemory.Config(folder=folder, collection=collection, floor=0.0)
        return LanceMemory(config)


RUN = """\
_target_: memory
name: Note
memory: {_target_: memory.lancedb, folder: kept}
inputs: {operation: %s, content: "barley harvest"}
"""


CALL = """\
_target_: tests.tools.call_flow:CallFunctions
name: Calls
functions:
  sources:
    notes:
      _target_: functions.vectors
      vectors: {_target_: vectors.lancedb, name: notes, address: "s3://theirs/notes"}
inputs: {question: notes}
"""


def test_a_run_keeps_and_recalls_and_a_file_of_others_may_not_send_keys(tmp_path: Path) -> None:
    for operation, texts in (("write", []), ("read", ["barley harvest"])):
        ended = inside("run", write(tmp_path, RUN % operation), "--json", cwd=tmp_path)
        assert ended.code == 0, ended.err
        assert ended.json()["outputs"]["retrieved"] == texts
    file = write(tmp_path, CALL)
    env = {"AWS_ACCESS_KEY_ID": "a-Key-1", "AWS_SECRET_ACCESS_KEY": "a-Secret-Key-1"}
    refused = inside("run", file, "--trust", "tests", cwd=tmp_path, env=env)
    assert refused.code == 2
    assert "AWS_ACCESS_KEY_ID would be sent to https://s3.amazonaws.com" in refused.err


@pytest.mark.skipif(bool(missing_s3()), reason=missing_s3() or "it is there")
def test_a_store_in_a_bucket() -> None:
    def opened(server: str) -> LanceVectorStore:
        return LanceVectorStore(
            LanceVectorStore.Config(
                address="s3://texts/stores", endpoint=server, region="us-east-1", name="notes"
            )
        )

    async def work(server: str) -> None:
        store, other = opened(server), opened(server)
        assert await store("barley") == []
        await store.add(NOTES)
        assert set(names(await other("barley"))) == {"harvest", "stock"}
        [found] = await other("barley", 5, EntryFilter(doc_ids=("farm.md",)))
        assert found.entry == NOTES[0]
        assert await other.remove(["stock"]) == 1
        assert names(await store("barley")) == ["harvest"]
        told = await store.as_function().call({"question": "barley"})
        assert [each["name"] for each in json.loads(told.text)] == ["harvest"]
        await store.aclose()
        await other.aclose()

    with s3_server("texts") as server:
        asyncio.run(work(server))


def test_a_bucket_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-Key-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-Secret-Key-1")
    config = LanceVectorStore.Config(
        address="s3://nowhere/x", endpoint=f"http://127.0.0.1:{free_port()}", name="n"
    )
    store = LanceVectorStore(config)
    with pytest.raises(StoreError, match="LanceDB failed in s3://nowhere/x") as caught:
        asyncio.run(store("barley"))
    assert "a-Secret-Key-1" not in str(caught.value)
