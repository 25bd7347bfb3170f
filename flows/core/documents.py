"""The protocol of a folder of documents that is searched by meaning."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Chunking(BaseModel):
    """How documents are cut into passages: characters of one, and those that two share."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int = Field(default=900, ge=100, le=20_000, description="characters of a passage")
    overlap: int = Field(
        default=150, ge=0, le=10_000, description="characters that two neighbours share at most"
    )

    @model_validator(mode="after")
    def _goes_on(self) -> Self:
        if self.overlap > self.size // 2:
            raise ValueError("the overlap can be half of the size at most")
        return self


class Indexed(BaseModel):
    """What bringing the index up to date came to. `unread` maps a file to why it cannot be read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    documents: int
    passages: int
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    unread: dict[str, str] = {}


class Passage(BaseModel):
    """A passage of a document (`document` is its path in the folder), nearest first.

    `where` is a page, a path of headings or lines. `score` is from 0 to 1: the share of the query's
    telling words, rare ones counting more, that the passage or its headings hold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    document: str
    where: str
    text: str
    score: float


@runtime_checkable
class Documents(Protocol):
    """Documents that are found by what they say. Errors: `flows.errors.RecallError`."""

    async def refresh(self, chunking: Chunking) -> Indexed:
        """Bring the index up to date with the files: new, changed and deleted ones."""
        ...

    async def find(self, query: str, n_results: int, chunking: Chunking) -> list[Passage]:
        """The passages that share telling words with the query, best first; none is an answer."""
        ...

    async def aclose(self) -> None: ...
