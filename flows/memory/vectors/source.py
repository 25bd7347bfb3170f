"""A vector store as a source of functions of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.function_description import Function
from flows.errors import ConfigError
from flows.memory.vectors.stores import EntryStore


class VectorSource:
    """The function that searches a vector store."""

    class Config(BaseModel):
        """`name` is the function's, `search_` and the store's name without it."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        vectors: Mapping[str, Any] = Field(description="the store")
        namespace: str = Field(default="default", min_length=1)
        name: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_.-]{0,127})?$")

    needs: ClassVar[Mapping[str, str]] = {"vectors": "vectors"}

    def __init__(self, config: VectorSource.Config, vectors: object) -> None:
        if not isinstance(vectors, EntryStore):
            raise ConfigError("a store of another package is no function of itself: offer its own")
        self._config = config
        self._store = vectors

    async def functions(self) -> tuple[Function, ...]:
        """The one function of the store."""
        return (self._store.as_function(self._config.name, self._config.namespace),)

    async def aclose(self) -> None:
        """The store is given up by the run."""
