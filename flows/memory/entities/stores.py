"""The entity stores that a run file names: SQLite and Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from flows.config.redaction import reveal
from flows.config.secret import Secret, env_name
from flows.core.destination import Destination, origin_of
from flows.core.entity_store import (
    EntityKey,
    EntityLookup,
    EntityNeighbour,
    EntityRecord,
    EntityType,
)
from flows.errors import StoreError
from flows.memory.agent import StoreAgent, agent_of
from flows.memory.entities.engine import EntityEngine, load_all
from flows.memory.entities.function import EntityFunction
from flows.memory.entities.lookup import find_entities, find_related, unknown_key
from flows.memory.entities.sqlite import SQLiteEngine


class EngineStore:
    """An entity store over a database; nothing is opened before the first use.

    store["KT-2011"] is the entity of that key, store["style", "KT-2011"] the one of a type that
    shares its key with others.
    """

    def __init__(self, engine: EntityEngine, where: str) -> None:
        self.engine = engine
        self.where = where

    def __getitem__(self, key: str | tuple[str, str]) -> EntityRecord:
        """Errors: `KeyError` for a key that is not there, or of several types; `StoreError`."""
        types, text = ((), key) if isinstance(key, str) else ((key[0],), key[1])
        found = find_entities(self.engine, [text], types)
        if not found.records:
            raise KeyError(unknown_key(found.missing[0]))
        if len(found.records) > 1:
            ways = ", ".join(f"store[{each.type!r}, {each.key!r}]" for each in found.records)
            raise KeyError(f"{text!r} is the key of several entities: {ways}")
        return found.records[0]

    async def get(self, keys: Sequence[str], types: Sequence[str] = ()) -> EntityLookup:
        return await asyncio.to_thread(find_entities, self.engine, keys, types)

    async def related(
        self, key: str, type_: str = "", relation: str = "", limit: int = 100
    ) -> tuple[EntityNeighbour, ...]:
        return await asyncio.to_thread(find_related, self.engine, key, type_, relation, limit)

    async def types(self) -> tuple[EntityType, ...]:
        return tuple(await asyncio.to_thread(self.engine.types))

    async def put(self, records: Sequence[EntityRecord], ttl_s: float | None = None) -> None:
        check_ttl(ttl_s)
        if records:
            await asyncio.to_thread(self.engine.put, records, ttl_s)

    async def remove(self, keys: Sequence[EntityKey]) -> int:
        return await asyncio.to_thread(self.engine.remove, keys) if keys else 0

    async def load(
        self,
        type_: str,
        records: Iterable[EntityRecord],
        *,
        hint: str = "",
        ttl_s: float | None = None,
        on_batch: Callable[[int], None] = lambda _: None,
    ) -> int:
        """As `engine.load_all`: the records take the place of all of the type, at once."""
        check_ttl(ttl_s)

        def work() -> int:
            return load_all(self.engine, type_, records, hint=hint, ttl_s=ttl_s, on_batch=on_batch)

        return await asyncio.to_thread(work)

    def as_function(self, name: str = "get_entities", namespace: str = "default") -> EntityFunction:
        """The store as a function that an agent may call. Its description names the types that
        there are now, so this reads the store."""
        return EntityFunction(self, self.engine.types(), name, namespace, self.where)

    def as_agent(self, model: str | None = None) -> StoreAgent:
        """An agent that has only this store: `store.as_agent()("a question").answer`."""
        return agent_of(self.as_function(), model)

    async def aclose(self) -> None:
        await asyncio.to_thread(self.engine.close)


class SQLiteEntityStore(EngineStore):
    """Entities in a SQLite file, which several processes may use at once."""

    class Config(BaseModel):
        """A relative `path` starts from the working folder."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        path: Path = Field(default=Path(".flows/entities.sqlite3"), description="the file")
        wait_s: float = Field(
            default=30.0, ge=0, allow_inf_nan=False, description="seconds to wait for a writer"
        )

    def __init__(self, config: SQLiteEntityStore.Config) -> None:
        path = config.path.expanduser().absolute()
        super().__init__(SQLiteEngine(path, config.wait_s), f"entities:{path.name}")


class RedisEntityStore(EngineStore):
    """Entities in a Redis or Valkey server."""

    modules: ClassVar[Sequence[str]] = ("redis",)

    class Config(BaseModel):
        """`name` is the store's in the server: two of different names see nothing of each other."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        url: Secret = Field(
            default="redis://127.0.0.1:6379/0",
            description="redis://HOST:PORT/DATABASE, or rediss:// for TLS",
        )
        name: str = Field(
            default="entities", pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="one a project"
        )
        username: str | None = None
        password: SecretStr | None = None
        timeout_s: float = Field(default=10.0, gt=0, allow_inf_nan=False)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends its password. Errors: `ValueError` for a bad address."""
        url, password = values.get("url"), values.get("password")
        if variable := env_name(url):
            return (Destination(f"the address in {variable}", variable),)
        address = origin_of(url if isinstance(url, str) else "redis://127.0.0.1:6379/0")
        at = ("url",) if isinstance(url, str) else ()
        if not isinstance(password, str) or not password:
            return (Destination(address, "", True, at),)
        key = env_name(password)
        if key is None:
            return (Destination(address, "password", False, at, ("password",), written=True),)
        return (Destination(address, key, False, at, ("password",)),)

    def __init__(self, config: RedisEntityStore.Config) -> None:
        from flows.memory.entities.redis import RedisEngine

        password = None if config.password is None else reveal(config.password)
        engine = RedisEngine(
            config.url,
            config.name,
            username=config.username,
            password=password,
            timeout_s=config.timeout_s,
        )
        super().__init__(engine, f"entities:{config.name}")


def check_ttl(ttl_s: float | None) -> None:
    """Errors: `StoreError` for a time that is no time."""
    if ttl_s is not None and not 0 < ttl_s < 1e10:
        raise StoreError(f"ttl_s is {ttl_s:g}; it is a number of seconds above 0")
