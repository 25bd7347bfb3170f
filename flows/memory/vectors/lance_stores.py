"""LanceDB as a vector store and as the memory of runs (extra `lancedb`)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows.core.destination import Destination, origin_of
from flows.core.memory import SCOPED, Embedder, MemoryScope, Recalled
from flows.errors import RecallError
from flows.memory.chroma import FLOORS
from flows.memory.documents import (
    Scalar,
    checked_metadata,
    collection_name,
    documents_by_id,
    encodable,
)
from flows.memory.folder import vectors_of
from flows.memory.lexical import LexicalEmbedder
from flows.memory.ranking import fuse
from flows.memory.relevance import relevance, terms
from flows.memory.vectors.engine import RowFilter, VectorRow, VectorTable
from flows.memory.vectors.lance import LanceEngine
from flows.memory.vectors.stores import EntryStore, VectorStoreConfig, local_path

FOLDER: Final = Path(".flows/lance")
_AWS: Final = "https://s3.amazonaws.com"
_KEY: Final = "AWS_ACCESS_KEY_ID"
_CANDIDATES: Final = 50
_ADDRESS: Final = r"^(s3://[^/\s]+(/\S*)?)?$"


class LancePlace(BaseModel):
    """Where tables of LanceDB are: a `folder`, from the working folder, or an `address` of S3,
    whose keys are those of the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path = Field(default=FOLDER, description="where it is kept")
    address: str = Field(default="", pattern=_ADDRESS, description="s3://bucket/folder instead")
    endpoint: str = Field(default="", description="the server of S3, if it is not Amazon's")
    region: str = ""

    @model_validator(mode="after")
    def _endpoint_is_of_an_address(self) -> Self:
        if self.endpoint and not self.address:
            raise ValueError("an endpoint belongs to an address of S3")
        return self

    @property
    def where(self) -> str:
        """What LanceDB connects to."""
        return self.address or str(local_path(self.folder))

    @property
    def options(self) -> dict[str, str]:
        """What its object store is told."""
        if not self.address:
            return {}
        named = {"aws_endpoint": self.endpoint, "aws_region": self.region}
        options = {key: value for key, value in named.items() if value}
        if self.endpoint.startswith("http://"):
            options["allow_http"] = "true"
        return options


def lance_destinations(values: Mapping[str, Any]) -> tuple[Destination, ...]:
    """Where the keys of S3 go. Errors: `ValueError` for a bad address."""
    if not values.get("address"):
        return ()
    endpoint = values.get("endpoint")
    key = _KEY if os.environ.get(_KEY) else "the keys of S3"
    where = origin_of(str(endpoint)) if endpoint else _AWS
    return (Destination(where, key, False, ("endpoint" if endpoint else "address",)),)


class LanceVectorStore(EntryStore):
    """A vector store in LanceDB."""

    class Config(LancePlace, VectorStoreConfig):
        """`address` takes the place of `folder`."""

    needs: ClassVar[Mapping[str, str]] = {"embedder": "embedder"}
    modules: ClassVar[Sequence[str]] = ("lancedb",)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """As `lance_destinations`."""
        return lance_destinations(values)

    def __init__(self, config: LanceVectorStore.Config, embedder: Embedder | None = None) -> None:
        embedder = embedder or LexicalEmbedder()
        table = f"{config.namespace}.{config.name}"
        engine = LanceEngine(config.where, table, embedder, config.options)
        super().__init__(config, engine, embedder)


class LanceMemory:
    """The vector memory of runs in LanceDB, found by vector and by keyword in one ranking.

    `distance` is the cosine distance to the query. Errors: RecallError.
    """

    class Config(LancePlace):
        """The keys mean what they do in `memory.chroma`."""

        collection: str = Field(default="memory", min_length=1, description="one a project")
        embedder: Mapping[str, Any] | None = Field(
            default=None, description="the run's without it, else lexical"
        )
        scope: str = Field(
            default="own",
            pattern="^(own|all)$",
            description="own: what the same flow kept over the same data; or all",
        )
        floor: float | None = Field(
            default=None,
            ge=0,
            le=1,
            description="least relevance; 0.4 with the lexical embedder, 0.7 with minilm, else 0",
        )
        max_text_chars: int = Field(default=100_000, ge=1_000)
        keyword_share: float = Field(default=0.4, ge=0, le=1)

    needs: ClassVar[Mapping[str, str]] = {"embedder": "embedder"}
    modules: ClassVar[Sequence[str]] = ("lancedb",)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """As `lance_destinations`."""
        return lance_destinations(values)

    def __init__(self, config: LanceMemory.Config, embedder: Embedder | None = None) -> None:
        self._config = config
        self._embedder: Embedder = embedder or LexicalEmbedder()
        usual = FLOORS.get(type(self._embedder), 0.0)
        self._floor = usual if config.floor is None else config.floor
        # A vector store's table has a dot in its name, and no collection's has this beginning.
        table = f"memory-{collection_name(config.collection)}"
        self._engine = LanceEngine(config.where, table, self._embedder, config.options)

    async def read(
        self, query: str, n_results: int, scope: MemoryScope | None = None
    ) -> list[Recalled]:
        if n_results < 1:
            raise RecallError(f"n_results is {n_results}; it has to be 1 or more")
        query = encodable(query).strip()
        if not query or not await self._engine.is_there():
            return []
        [vector] = await vectors_of(self._embedder, [query])
        which = RowFilter()
        if scope is not None and self._config.scope == "own":
            equal: dict[str, tuple[Scalar, ...]] = {
                key: (value,) for key, value in scope.metadata.items()
            }
            which = RowFilter(equal=equal, unless_without=SCOPED)
        return await self._engine.run(
            lambda table: self._find(table, query, vector, n_results, which)
        )

    async def write(
        self, ids: Sequence[str], texts: Sequence[str], metadata: Mapping[str, Scalar]
    ) -> None:
        documents = documents_by_id(ids, texts, self._config.max_text_chars)
        checked = checked_metadata(metadata)
        if not documents:
            return
        vectors = await vectors_of(self._embedder, list(documents.values()))
        rows = [
            VectorRow(id_, text, checked, vector)
            for (id_, text), vector in zip(documents.items(), vectors, strict=True)
        ]
        await self._engine.run(lambda table: table.put(rows))

    async def aclose(self) -> None:
        await self._engine.aclose()

    def _find(
        self,
        table: VectorTable,
        query: str,
        vector: list[float],
        n_results: int,
        which: RowFilter,
    ) -> list[Recalled]:
        wanted = max(n_results, _CANDIDATES)
        found = {each.id: each for each in table.nearest(vector, wanted, which)}
        keywords: dict[str, float] = {}
        if self._config.keyword_share:
            keywords = table.keywords().search(" ".join(terms(query)), table.count())
            allowed = table.ids(which) if which and keywords else keywords.keys()
            allowed_words = ((id_, each) for id_, each in keywords.items() if id_ in allowed)
            keywords = dict(islice(allowed_words, wanted))
        others = [id_ for id_ in keywords if id_ not in found]
        found |= {each.id: each for each in table.rows(others, vector)}
        if not found:
            return []
        similarities = {id_: 1.0 - each.distance for id_, each in found.items()}
        ranked = fuse(similarities, keywords, self._config.keyword_share)
        asked = frozenset(terms(query))
        near_enough = (
            found[id_]
            for id_ in ranked
            if relevance(asked, found[id_].text, similarities[id_]) >= self._floor
        )
        return [
            Recalled(id=each.id, text=each.text, metadata=each.metadata, distance=each.distance)
            for each in islice(near_enough, n_results)
        ]
