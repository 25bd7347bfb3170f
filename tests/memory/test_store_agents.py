"""Each store as an agent of its own, by the rules alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.memory.columns.entity import ColumnarEntity
from flows.memory.columns.store import ColumnarStore
from flows.memory.entities.stores import SQLiteEntityStore
from flows.memory.vectors.stores import ChromaVectorStore
from tests.contracts.entity_store import ALL
from tests.contracts.vector_store import NOTES


class Sale(ColumnarEntity, store="shop/sales"):
    """A sale of the shop."""

    city: str
    amount: float


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_an_entity_store_answers_by_its_values_and_cites_them(tmp_path: Path) -> None:
    store = SQLiteEntityStore(SQLiteEntityStore.Config(path=tmp_path / "entities.sqlite3"))
    asyncio.run(store.put(ALL))
    agent = store.as_agent()
    response = agent("What is the price of KT-2011?")
    assert (response.status, response.answer) == ("answered", "price: 89.5")
    misspelt = agent("What is the price of KT-2O11?")
    assert misspelt.status == "abstained"
    assert "did you mean KT-2011" in misspelt.lacks
    assert agent("Who is the president of France?").status == "abstained"


def test_a_vector_store_finds_the_text_that_answers(tmp_path: Path) -> None:
    config = ChromaVectorStore.Config(folder=tmp_path, name="notes", description="Notes of a farm")
    store = ChromaVectorStore(config)

    async def fill() -> None:
        await store.add(NOTES)
        await store.aclose()

    asyncio.run(fill())
    response = store.as_agent()("What do the notes of the farm say of the barley harvest?")
    assert response.status in ("answered", "partly"), response
    assert "412 tonnes" in response.answer


@pytest.mark.long("texts are embedded, stored and searched")
def test_a_columnar_store_computes_the_answer(tmp_path: Path) -> None:
    with ColumnarStore(Sale, tmp_path / "stores") as store:
        store.append([Sale(city="Lyon", amount=12.5), Sale(city="Porto", amount=30.0)])
        response = store.as_agent()("What is the total amount of sales in Porto?")
    assert response.status == "answered", response
    assert "30" in response.answer
