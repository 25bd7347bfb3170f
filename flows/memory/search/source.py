"""The search over all stores of a run as a source of functions."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from flows.core.function_description import Function
from flows.core.function_store import FunctionStore
from flows.memory.search.function import StoreSearch


class StoreSearchSource:
    """The function `search_stores`. The stores that it asks are those of the other sources."""

    class Config(BaseModel):
        """It has no stores of its own."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        namespace: str = Field(default="stores", min_length=1)

    def __init__(self, config: StoreSearchSource.Config) -> None:
        self._namespace = config.namespace
        self._functions: FunctionStore | None = None

    def use_functions(self, functions: FunctionStore) -> None:
        """Take the functions of the run, among which are the stores."""
        self._functions = functions

    async def functions(self) -> tuple[Function, ...]:
        """The one function; none before there are functions of a run."""
        if self._functions is None:
            return ()
        return (StoreSearch(self._functions, self._namespace),)

    async def aclose(self) -> None:
        """The stores are given up by their own sources."""
