"""A vector store: what the people of a workshop for machines have noted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from flows.core.vector_store import VectorEntry
from flows.memory.agent import StoreAgent
from flows.memory.vectors.stores import ChromaVectorStore
from store_sets.question import StoreQuestion


class Notes:
    """Notes and their questions from a JSON file; what answers a question is a part of a note,
    which is checked."""

    kind = "vector"

    def __init__(self, texts: Path) -> None:
        read = json.loads(texts.read_text(encoding="utf-8"))
        self._about: str = read["about"]
        self._notes: list[dict[str, str]] = read["notes"]
        self.questions = [
            _question(text, name, words, self._notes) for text, name, words in read["questions"]
        ]

    @contextmanager
    def agent(self, folder: Path) -> Iterator[StoreAgent]:
        config = ChromaVectorStore.Config(
            folder=folder / "memory", name="notes", description=self._about
        )
        store = ChromaVectorStore(config)

        async def fill() -> None:
            await store.add([_entry(each) for each in self._notes])
            await store.aclose()

        asyncio.run(fill())
        yield store.as_agent()


def _entry(note: dict[str, str]) -> VectorEntry:
    moment = datetime.fromisoformat(f"{note['day']}T09:00:00+00:00")
    return VectorEntry(
        name=note["name"], text=note["text"], timestamp=moment, metadata={"author": note["author"]}
    )


def _question(text: str, name: str, words: str, notes: list[dict[str, str]]) -> StoreQuestion:
    """Errors: `ValueError` where the note of that name does not say the words; "" is no answer."""
    if not name:
        return StoreQuestion(text)
    note = next(each for each in notes if each["name"] == name)
    if words not in note["text"]:
        raise ValueError(f"{name} does not say {words!r}")
    return StoreQuestion(text, (words,))
