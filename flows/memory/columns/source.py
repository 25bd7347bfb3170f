"""Columnar stores as a source of functions of an agent."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.core.destination import Destination, origin_of
from flows.core.function_description import Function
from flows.errors import StoreError, nearest
from flows.memory.columns.files import files_of
from flows.memory.columns.store import CACHE, FOLDER, ColumnarStore

_AWS: Final = "https://s3.amazonaws.com"
_KEY: Final = "AWS_ACCESS_KEY_ID"


class ColumnarSource:
    """A function for each columnar store of a folder, or of an address of S3."""

    class Config(BaseModel):
        """`stores` are ids as `sales/orders`. The functions are called `search_orders`, or
        `search_sales_orders` where two namespaces have a store of that name. The keys of S3 are
        those of the environment."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        folder: Path = Field(default=Path(FOLDER), description="where the stores are")
        address: str = Field(
            default="", pattern=r"^(s3://[^/]+(/.*)?)?$",
            description="s3://bucket/folder, in place of the folder",
        )  # fmt: skip
        endpoint: str = Field(default="", description="the server of S3, if it is not Amazon's")
        region: str = ""
        cache: Path = Field(default=Path(CACHE), description="where copies of S3's files are kept")
        stores: tuple[str, ...] = Field(default=(), description="all that are there without it")
        namespace: str = Field(default="", description="of the functions; the store's without it")
        timeout_s: float = Field(default=30.0, gt=0, le=3_600, description="seconds for one query")

    code: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends the keys of S3. Errors: `ValueError` for a bad address."""
        if not values.get("address"):
            return ()
        endpoint = values.get("endpoint")
        key = _KEY if os.environ.get(_KEY) else "the keys of S3"
        where = origin_of(str(endpoint)) if endpoint else _AWS
        return (Destination(where, key, False, ("endpoint" if endpoint else "address",)),)

    def __init__(self, config: ColumnarSource.Config) -> None:
        self._config = config
        self._stores: list[ColumnarStore] = []

    async def functions(self) -> tuple[Function, ...]:
        """A function for each store. Errors: `StoreError`, `SourceError`."""
        return await asyncio.to_thread(self._made)

    async def aclose(self) -> None:
        stores, self._stores = self._stores, []
        for each in stores:
            await asyncio.to_thread(each.close)

    def _made(self) -> tuple[Function, ...]:
        config = self._config
        where = config.address or config.folder
        there = store_ids(where, config.cache, config.endpoint, config.region)
        for each in config.stores:
            if each not in there:
                meant = nearest(each, there)
                hint = f"; did you mean {meant!r}?" if meant else ""
                found = ", ".join(there) or "none"
                raise StoreError(f"{where} has no store {each!r}{hint} (stores: {found})")
        ids = config.stores or there
        times = Counter(each.partition("/")[2] for each in ids)
        self._stores = [
            ColumnarStore(
                each, where, cache=config.cache, endpoint=config.endpoint, region=config.region,
                timeout_s=config.timeout_s,
            )
            for each in ids
        ]  # fmt: skip
        return tuple(
            store.as_function(_function_name(store.id, times), config.namespace)
            for store in self._stores
        )


def store_ids(
    folder: str | Path, cache: Path, endpoint: str = "", region: str = ""
) -> tuple[str, ...]:
    """The ids of the stores below a folder or an address, by name. Errors: `StoreError`."""
    root = files_of(folder, "", cache, endpoint, region)
    return tuple(
        f"{namespace}/{name}"
        for namespace in root.folders()
        for name in root.folders(namespace)
        if "versions" in root.folders(f"{namespace}/{name}")
    )


def _function_name(store: str, times: Mapping[str, int]) -> str:
    namespace, _, name = store.partition("/")
    return f"search_{name}" if times[name] == 1 else f"search_{namespace}_{name}"
