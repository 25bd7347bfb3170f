"""The protocols of the vector memory and of the embedders under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

# The key in the metadata of documents that belong to a scope.
SCOPED: Final = "scoped"


class Recalled(BaseModel):
    """One remembered document. `distance` is the store's own, smaller is nearer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    metadata: Mapping[str, str | int | float | bool]
    distance: float


class MemoryScope(BaseModel):
    """Whose documents are meant: those of a flow, by its name, over data, by its fingerprint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flow: str
    data: str

    @property
    def metadata(self) -> dict[str, str | bool]:
        """What a document that belongs to the scope has in its metadata."""
        return {"flow": self.flow, "data": self.data, SCOPED: True}


@runtime_checkable
class Memory(Protocol):
    """A store of documents that are found by meaning. Errors: `flows.errors.RecallError`."""

    async def read(
        self, query: str, n_results: int, scope: MemoryScope | None = None
    ) -> list[Recalled]:
        """The nearest documents, nearest first; an empty query or store finds nothing.

        With `scope` only documents with its metadata, and those that belong to no scope at all.
        """
        ...

    async def write(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        metadata: Mapping[str, str | int | float | bool],
    ) -> None:
        """Keep each text under its id. The same id again replaces, so a repeated write is one."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class Embedder(Protocol):
    """Text to vectors. `name` and `dimension` are kept beside an index, which never mixes two."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of `dimension` floats for each text, in order."""
        ...
