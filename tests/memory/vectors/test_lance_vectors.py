"""LanceDB as vector store and memory: both contracts in a folder, and the same in a bucket of S3."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
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
from tests.servers.s3 import BUCKET, S3Server, moto_is_there

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


def test_a_run_keeps_and_recalls_and_a_file_of_others_may_not_send_keys(tmp_path: Path) -> None:
    for operation, texts in (("write", []), ("read", ["barley harvest"])):
        ended = inside("run", write(tmp_path, RUN % operation), "--json", cwd=tmp_path)
        assert ended.code == 0, ended.err
        assert ended.json()["outputs"]["retrieved"] == texts
    store = "vectors: {_target_: vectors.lancedb, name: notes, address: s3://theirs/notes}"
    text = f"_target_: finish\nname: E\ninputs: {{answer: x}}\nfunctions: {{sources: {{n: {{_target_: functions.vectors, {store}}}}}}}\n"
    env = {"AWS_ACCESS_KEY_ID": "a-Key-1", "AWS_SECRET_ACCESS_KEY": "a-Secret-Key-1"}
    call = text.replace("_target_: finish", "_target_: tests.tools.call_flow:CallFunctions")
    file = write(tmp_path, call.replace("answer: x", "question: x"))
    refused = inside("run", file, "--trust", "tests", cwd=tmp_path, env=env)
    assert refused.code == 2
    assert "AWS_ACCESS_KEY_ID would be sent to https://s3.amazonaws.com" in refused.err


@pytest.fixture(scope="module")
def bucket() -> Iterator[S3Server]:
    if not moto_is_there():
        pytest.skip("the package moto is not installed")
    with S3Server() as server:
        yield server


def in_bucket(server: S3Server, name: str = "notes") -> LanceVectorStore:
    return LanceVectorStore(
        LanceVectorStore.Config(
            address=f"s3://{BUCKET}/stores", endpoint=server.url, region="us-east-1", name=name
        )
    )


def test_a_store_in_a_bucket(bucket: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)

    async def work() -> None:
        store, other = in_bucket(bucket), in_bucket(bucket)
        assert await store("barley") == []
        await store.add(NOTES)
        assert set(names(await other("barley"))) == {"harvest", "stock"}
        only = EntryFilter(doc_ids=("farm.md",))
        [found] = await other("barley", 5, only)
        assert found.entry == NOTES[0]
        assert await other.remove(["stock"]) == 1
        assert names(await store("barley")) == ["harvest"]
        found_text = await store.as_function().call({"question": "barley"})
        assert [each["name"] for each in json.loads(found_text.text)] == ["harvest"]
        await store.aclose()
        await other.aclose()

    asyncio.run(work())


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
