"""Entities in Redis: the contract over a real server, and what a server can be like."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.errors import StoreError
from flows.memory.entities.stores import RedisEntityStore
from tests.contracts.entity_store import ALL, STYLE, EntityStoreContract
from tests.servers.database import free_port
from tests.servers.redis import RedisServer, redis_program

pytest.importorskip("redis", reason="the package redis is not installed")
if redis_program() is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as started:
        yield started


def opened(server: RedisServer, name: str, password: str | None = None) -> RedisEntityStore:
    config = {"url": server.url, "name": name, "password": password or server.password}
    return RedisEntityStore(RedisEntityStore.Config.model_validate(config))


class TestRedis(EntityStoreContract):
    @pytest.fixture(autouse=True)
    def _served(self, server: RedisServer) -> None:
        self.server = server

    def open(self, place: Path) -> RedisEntityStore:
        return opened(self.server, f"store-{zlib.crc32(str(place).encode())}")


def names(server: RedisServer, pattern: str) -> set[str]:
    from redis import Redis

    with Redis.from_url(server.url, password=server.password, decode_responses=True) as client:
        return {str(each) for each in client.scan_iter(pattern)}


def test_stores_of_different_names_see_nothing_of_each_other(server: RedisServer) -> None:
    asyncio.run(opened(server, "one").put([STYLE]))
    assert asyncio.run(opened(server, "two").get(["KT-2011"])).records == ()


def test_related_entities_are_read_in_one_call_of_the_client(server: RedisServer) -> None:
    from redis import Redis

    store = opened(server, "near")
    asyncio.run(store.put(ALL))
    with Redis.from_url(server.url, password=server.password) as client:
        client.config_resetstat()
        found = asyncio.run(store.related("B-77"))
        stats = client.info("commandstats")
    assert [each.key for each in found] == ["KT-2011", "KT-2012"]
    asked = {name: stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval")}
    assert asked == {"evalsha": 1, "eval": 0}


@pytest.mark.long("texts are embedded, stored and searched")
def test_what_is_replaced_leaves_nothing_in_the_server(server: RedisServer) -> None:
    async def work() -> None:
        store = opened(server, "clean")
        for type_ in ("style", "body", "order"):
            await store.load(type_, [each for each in ALL if each.type == type_])
        before = names(server, "flows:{clean}:*")
        await store.load("style", [each for each in ALL if each.type == "style"])
        after = names(server, "flows:{clean}:*")
        assert len(before) == len(after)
        for type_ in ("style", "body", "order"):
            await store.load(type_, [])
        assert not [each for each in names(server, "flows:{clean}:*") if each.count(":") > 2]
        await store.aclose()

    asyncio.run(work())


def test_a_wrong_password_is_told_and_no_password_is(server: RedisServer) -> None:
    store = opened(server, "one", "wrong-Password-2")
    with pytest.raises(StoreError, match="invalid username-password pair") as caught:
        asyncio.run(store.get(["KT-2011"]))
    assert "wrong-Password-2" not in str(caught.value)


def test_a_server_that_is_not_there_is_told() -> None:
    config = RedisEntityStore.Config(url=f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(StoreError, match="Connection refused"):
        asyncio.run(RedisEntityStore(config).get(["KT-2011"]))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StoreError, match="no address of a Redis server"):
        RedisEntityStore(RedisEntityStore.Config(url="http://127.0.0.1:1/0"))
