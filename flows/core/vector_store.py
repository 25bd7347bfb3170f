"""The protocol of a vector store: named texts that are found by what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Protocol, Self, runtime_checkable

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Scalar = str | int | float | bool


def with_zone(moment: datetime) -> datetime:
    """The moment in UTC; one without a time zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(with_zone)]
StoreName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$")]


class VectorEntry(BaseModel):
    """A text with its name, which is its own in the store: the same name again replaces it.

    `doc_id` is that of the document that it is a part of; without one it is its own document.
    `timestamp` is the time that it speaks of or was written at; now without one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=500)
    text: str = Field(min_length=1)
    doc_id: str = ""
    timestamp: Moment = Field(default_factory=lambda: datetime.now(UTC))
    metadata: Mapping[str, Scalar] = {}

    @property
    def document(self) -> str:
        """The id of the document that the entry belongs to."""
        return self.doc_id or self.name


class EntryFilter(BaseModel):
    """Which entries may be found: all conditions that are set have to hold.

    `since` and `until` include the moments themselves. `metadata` maps a key to its value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    doc_ids: tuple[str, ...] = ()
    since: Moment | None = None
    until: Moment | None = None
    metadata: Mapping[str, Scalar] = {}

    @model_validator(mode="after")
    def _goes_forward(self) -> Self:
        if self.since and self.until and self.until < self.since:
            raise ValueError("until is before since")
        return self


class FoundEntry(BaseModel):
    """An entry that a search found. `score` is from 0 to 1: the share of the question's telling
    words that it holds, or how much nearer to it than others it is, whichever is more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: VectorEntry
    score: float


@runtime_checkable
class VectorStore(Protocol):
    """A store of texts, known by its name in a namespace. Errors: `flows.errors.StoreError`."""

    @property
    def namespace(self) -> str: ...

    @property
    def name(self) -> str: ...

    async def add(self, entries: Sequence[VectorEntry]) -> None:
        """Keep the entries, in place of those of the same names."""
        ...

    async def remove(self, names: Sequence[str] = (), doc_ids: Sequence[str] = ()) -> int:
        """Forget entries by their names, and those of documents. Returns how many there were."""
        ...

    async def run_search(
        self, question: str, limit: int = 5, filters: EntryFilter | None = None
    ) -> list[FoundEntry]:
        """The entries that speak of what is asked, best first; none is an answer."""
        ...

    async def count(self) -> int: ...

    async def aclose(self) -> None: ...
