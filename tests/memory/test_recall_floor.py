"""What is recalled is about the query: the floor of relevance, measured on pairs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.core.memory import Recalled
from flows.memory.chroma import ChromaMemory
from tests.memory.recall_pairs import PAIRS
from tests.memory.semantic import minilm, needs_model


@pytest.fixture(scope="module", params=["lexical", pytest.param("minilm", marks=needs_model)])
def recalled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Recalled]]:
    """All that is recalled for each question of the pairs, by the embedder."""
    folder = tmp_path_factory.mktemp("memory")
    embedder = minilm(folder / "vectors") if request.param == "minilm" else None

    async def ask() -> dict[str, list[Recalled]]:
        memory = ChromaMemory(ChromaMemory.Config(folder=folder), embedder)
        await memory.write([str(each) for each in range(len(PAIRS))], list(PAIRS), {"run": "r"})
        asked = [question for questions in PAIRS.values() for question in questions]
        found = {each: await memory.read(each, len(PAIRS)) for each in asked}
        await memory.aclose()
        return found

    return asyncio.run(ask())


@pytest.mark.long("texts are embedded, stored and searched")
def test_all_that_belongs_to_a_question_is_recalled(recalled: dict[str, list[Recalled]]) -> None:
    for document, questions in PAIRS.items():
        for question in questions:
            assert document in {each.text for each in recalled[question]}, question


def test_nearly_nothing_else_is_recalled(recalled: dict[str, list[Recalled]]) -> None:
    others = [
        (question, each.text)
        for document, questions in PAIRS.items()
        for question in questions
        for each in recalled[question]
        if each.text != document
    ]
    assert len(recalled) * (len(PAIRS) - 1) == 216
    assert len(others) <= 2, others


def test_a_floor_of_ones_own_recalls_more_or_less(tmp_path: Path) -> None:
    async def count(floor: float) -> int:
        memory = ChromaMemory(ChromaMemory.Config(folder=tmp_path, floor=floor))
        await memory.write(["1", "2"], ["barley is a cereal", "ships cross the sea"], {"run": "r"})
        found = await memory.read("which cereal is sown?", 5)
        await memory.aclose()
        return len(found)

    assert [asyncio.run(count(floor)) for floor in (0.0, 0.4, 1.0)] == [2, 1, 0]
