"""Where an agent looks for functions: searched by what they do, loaded by their id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from flows.core.function_description import Function, FunctionDescription

FunctionClass = Literal[
    "Any", "api", "entity", "VectorSearch", "ColumnarQuantitativeSearch", "flow", "python"
]


class CallLimits(BaseModel):
    """The limits of the calls of functions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout_s: float = Field(
        default=30.0, gt=0, le=3_600, allow_inf_nan=False, description="seconds for one call"
    )
    max_chars: int = Field(
        default=8_000,
        ge=200,
        description="characters of a result that are told; a longer one is kept as an artifact",
    )
    parallel: int = Field(default=16, ge=1, le=256, description="calls at once")
    allow: tuple[str, ...] = Field(
        default=(),
        description="ids of functions that change something, or patterns such as sales/*, that are "
        "called without asking a person",
    )

    def is_allowed(self, function_id: str) -> bool:
        """Whether the function is called without asking, though it changes something."""
        return any(fnmatchcase(function_id, each) for each in self.allow)


class FunctionStoreConfig(CallLimits):
    """The key `functions` of a run file: where its functions come from, and their limits."""

    sources: dict[str, dict[str, Any]] = Field(
        default={}, description="sources of functions by name, each with a _target_"
    )
    only: tuple[str, ...] | None = Field(
        default=None,
        description="the ids of the functions that may be found and called, or patterns of them "
        "such as sales/*; all of the sources without",
    )
    index: Path = Field(
        default=Path(".flows/functions/sources"),
        description="the folder that the index of these functions is kept in",
    )


class FunctionMatch(BaseModel):
    """A function that a search found. A higher `score` fits better; scores of one search compare
    with each other, those of two searches do not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: FunctionDescription
    score: float


@runtime_checkable
class FunctionStore(Protocol):
    """The functions of a run. A source that cannot be reached takes none of the others with it:
    `unavailable` says why, by its name. Errors: `ToolError` for an index that cannot be read."""

    @property
    def limits(self) -> CallLimits:
        """The limits that a call of these functions has."""
        ...

    async def search(
        self,
        question: str,
        limit: int = 10,
        function_class: FunctionClass = "Any",
        namespace: str = "",
    ) -> list[FunctionMatch]:
        """The functions that fit the question, the best first; an empty question finds none.

        `function_class` and `namespace` keep those of that class and namespace alone.
        """
        ...

    async def descriptions(self) -> tuple[FunctionDescription, ...]:
        """All functions of the sources, in the order of their ids."""
        ...

    async def unavailable(self) -> Mapping[str, str]:
        """The sources that cannot be reached, and why."""
        ...

    async def load(self, function_id: str) -> Function:
        """The function with that id. Errors: `ToolError` that names the nearest id there is."""
        ...

    def allows(self, function_id: str) -> bool:
        """Whether a function with that id, of the store or given to it, may be found and called."""
        ...

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        """A store that has these functions too, such as the subflows of one flow, but for those
        that are not allowed. Where an id is in both, the given function hides the store's own."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class ApprovedFunction(Protocol):
    """A function of a server that a person has approved by its description.

    `pending` says that it has changed since and has to be approved, "" for nothing. Until then a
    call is refused.
    """

    async def refresh(self) -> None:
        """Read what its server says of it now. Errors: `ToolError` where it says nothing."""
        ...

    @property
    def pending(self) -> str: ...

    @property
    def change(self) -> str:
        """What it said of itself before and says now, as lines that went (`-`) and came (`+`). It
        is a text of others, for a person and not for a model."""
        ...

    def approve(self) -> None:
        """Note that a person has approved the description as it is now."""
        ...


@runtime_checkable
class FunctionUser(Protocol):
    """A source whose functions call other functions of the run."""

    def use_functions(self, functions: FunctionStore) -> None:
        """Take the functions of the run, once they are known and before any is called."""
        ...
