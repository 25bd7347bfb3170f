"""An entity store as a source of functions of an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.function_description import Function
from flows.errors import ConfigError
from flows.memory.entities.stores import EngineStore


class EntitySource:
    """The function that looks up entities: of a store of its own, else of the run's."""

    class Config(BaseModel):
        """`name` is the function's."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        entities: Mapping[str, Any] | None = Field(
            default=None, description="its own store; the run's without it"
        )
        namespace: str = Field(default="default", min_length=1)
        name: str = Field(default="get_entities", pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,127}$")

    needs: ClassVar[Mapping[str, str]] = {"entities": "entities"}

    def __init__(self, config: EntitySource.Config, entities: object = None) -> None:
        if entities is None:
            raise ConfigError("there is no entity store: give the run, or this source, `entities`")
        if not isinstance(entities, EngineStore):
            raise ConfigError("a store of another package is no function of itself: offer its own")
        self._config = config
        self._store = entities

    async def functions(self) -> tuple[Function, ...]:
        """The one function of the store. Errors: `StoreError` when it cannot be reached."""
        made = await asyncio.to_thread(
            self._store.as_function, self._config.name, self._config.namespace
        )
        return (made,)

    async def aclose(self) -> None:
        """The store is given up by the run."""
