"""What takes the place of the outside in a graph that is built only to be replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.core.documents import Chunking, Indexed, Passage
from flows.core.entity_store import (
    EntityKey,
    EntityLookup,
    EntityNeighbour,
    EntityRecord,
    EntityType,
)
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import CallLimits, FunctionClass, FunctionMatch, FunctionStore
from flows.core.human import Answer, Question
from flows.core.memory import MemoryScope, Recalled
from flows.core.sandbox import Execution, ProbeFinding
from flows.data.catalog import Catalog
from flows.data.files.source_options import SourceOptions
from flows.data.tables import Table
from flows.errors import JournalError


class StandIn:
    """In the place of a model, a memory, an embedder, documents, entities or a person. Errors:
    `JournalError` for every use."""

    name = "none"
    free = True
    max_tokens: int | None = None
    dimension = 0

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def body(self, request: ChatRequest) -> bytes:
        raise refused(self.kind, request)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        raise refused(self.kind, request, on_text)

    async def read(
        self, query: str, n_results: int, scope: MemoryScope | None = None
    ) -> list[Recalled]:
        raise refused(self.kind, query, n_results, scope)

    async def write(
        self, ids: Sequence[str], texts: Sequence[str], metadata: Mapping[str, Any]
    ) -> None:
        raise refused(self.kind, ids, texts, metadata)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise refused(self.kind, texts)

    async def refresh(self, chunking: Chunking) -> Indexed:
        raise refused(self.kind, chunking)

    async def find(self, query: str, n_results: int, chunking: Chunking) -> list[Passage]:
        raise refused(self.kind, query, n_results, chunking)

    async def get(self, keys: Sequence[str], types: Sequence[str] = ()) -> EntityLookup:
        raise refused(self.kind, keys, types)

    async def related(
        self, key: str, type_: str = "", relation: str = "", limit: int = 100
    ) -> tuple[EntityNeighbour, ...]:
        raise refused(self.kind, key, type_, relation, limit)

    async def types(self) -> tuple[EntityType, ...]:
        raise refused(self.kind)

    async def put(self, records: Sequence[EntityRecord], ttl_s: float | None = None) -> None:
        raise refused(self.kind, records, ttl_s)

    async def remove(self, keys: Sequence[EntityKey]) -> int:
        raise refused(self.kind, keys)

    async def ask(self, question: Question) -> Answer:
        raise refused(self.kind, question)

    async def aclose(self) -> None:
        """It holds nothing."""


class NoData(Catalog):
    """In the place of the data sources. Errors: `JournalError` for every use."""

    def __init__(self, sources: Mapping[str, str | SourceOptions]) -> None:
        super().__init__(sources, Path())

    def tables(self) -> tuple[Table, ...]:
        raise refused("data source")


class NoFunctions:
    """In the place of the functions. Errors: `JournalError` for every use."""

    limits = CallLimits()

    async def search(
        self,
        question: str,
        limit: int = 10,
        function_class: FunctionClass = "Any",
        namespace: str = "",
    ) -> list[FunctionMatch]:
        raise refused("function", question, limit, function_class, namespace)

    async def descriptions(self) -> tuple[FunctionDescription, ...]:
        raise refused("function")

    async def unavailable(self) -> Mapping[str, str]:
        return {}

    async def load(self, function_id: str) -> Function:
        raise refused("function", function_id)

    def allows(self, function_id: str) -> bool:
        del function_id
        return True

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        del functions
        return self

    async def aclose(self) -> None:
        """It holds nothing."""


class NoSandbox:
    """In the place of the sandbox. Errors: `JournalError` for every use."""

    async def finding(self) -> ProbeFinding:
        raise refused("sandbox")

    async def execute(
        self,
        code: str,
        *,
        tables: Mapping[str, Path] = {},
        session: str | None = None,
        past: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Execution:
        raise refused("sandbox", code, tables, session, past, seconds)

    async def forget(self, session: str) -> None:
        raise refused("sandbox", session)

    async def aclose(self) -> None:
        """It holds nothing."""


def refused(kind: str, *asked: object) -> JournalError:
    """The error of one that was asked for something."""
    del asked
    return JournalError(f"a replay makes no live call, and a {kind} was asked for one")
