"""What entity stores cost: a bulk load, and a hundred entities in one call of the store.

    python benchmarks/entities.py                      # a million entities, in SQLite and in Redis
    python benchmarks/entities.py --entities 10000 --json FILE

Each store is filled with entities of three types with six values and a relation, then loaded again
in the place of the first ones, while a reader asks. Then keys are drawn at random: a hundred that
are there in one call, and one that is almost there. Times are of calls of the store as flows make
them, in milliseconds; Redis runs here, on a loopback port. Memory is what the reader's process had
at most; size is that of the file, or of the server's memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from flows.core.entity_store import EntityRecord, EntityRelation
from flows.memory.entities.stores import EngineStore, RedisEntityStore, SQLiteEntityStore
from tests.servers.redis import RedisServer, redis_program

TYPES = ("style", "order", "body")
KEYS_A_CALL = 100
CALLS = 300


def records(type_: str, count: int, turn: int) -> Iterator[EntityRecord]:
    """Entities whose values say in which turn they were loaded."""
    for number in range(count):
        yield EntityRecord(
            type=type_,
            key=f"{type_[0].upper()}-{number:07}",
            values={
                "name": f"The {type_} number {number}",
                "price": number / 4,
                "city": ("Lyon", "Porto", "Turin")[number % 3],
                "made": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}",
                "turn": turn,
                "open": number % 2 == 0,
            },
            relations=(EntityRelation(name="body", key=f"B-{number % 1000:07}", type="body"),),
        )


async def loaded(store: EngineStore, count: int, turn: int) -> float:
    started = time.perf_counter()
    for type_ in TYPES:
        there = await store.load(type_, records(type_, count // len(TYPES), turn))
        assert there == count // len(TYPES), there
    return time.perf_counter() - started


async def reloaded(store: EngineStore, reader: EngineStore, count: int) -> tuple[float, float, int]:
    """Seconds of a load in the place of what is there, the slowest call meanwhile in milliseconds,
    and how many there were. No call may see entities of both turns of one type."""
    waits: list[float] = []
    keys = [f"S-{number:07}" for number in range(0, count // len(TYPES), 97)][:KEYS_A_CALL]

    async def read() -> None:
        while True:
            started = time.perf_counter()
            found = await reader.get(keys)
            waits.append((time.perf_counter() - started) * 1000)
            assert len(found.records) == len(keys), len(found.records)
            assert len({each.values["turn"] for each in found.records}) == 1
            await asyncio.sleep(0.005)

    reading = asyncio.create_task(read())
    seconds = await loaded(store, count, 2)
    reading.cancel()
    return seconds, max(waits), len(waits)


async def timed(store: EngineStore, draws: Sequence[list[str]]) -> tuple[float, float]:
    """The median and the 95th percentile of the calls, in milliseconds."""
    taken = []
    for keys in draws:
        started = time.perf_counter()
        await store.get(keys)
        taken.append((time.perf_counter() - started) * 1000)
    return median(taken), quantiles(taken, n=20)[-1]


async def measured(store: EngineStore, reader: EngineStore, count: int) -> dict[str, float]:
    drawn = random.Random(7)
    each = count // len(TYPES)

    def key(ends: str = "") -> str:
        return f"{drawn.choice('SOB')}-{drawn.randrange(each):07}{ends}"

    first = await loaded(store, count, 1)
    again, slowest, calls = await reloaded(store, reader, count)
    await reader.get([key()])
    worked = time.process_time()
    many = await timed(reader, [[key() for _ in range(KEYS_A_CALL)] for _ in range(CALLS)])
    worked = time.process_time() - worked
    one = await timed(reader, [[key()] for _ in range(CALLS)])
    wrong = await timed(reader, [[key("9")] for _ in range(CALLS // 10)])
    return {
        "load_s": first,
        "load_a_second": count / first,
        "reload_s": again,
        "slowest_read_while_reloading_ms": slowest,
        "reads_while_reloading": calls,
        "hundred_ms": many[0],
        "hundred_p95_ms": many[1],
        "hundred_processor_ms": worked / CALLS * 1000,
        "one_ms": one[0],
        "did_you_mean_ms": wrong[0],
        "did_you_mean_p95_ms": wrong[1],
        "reader_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def of_sqlite(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entities.sqlite3"
        config = SQLiteEntityStore.Config(path=path)
        store, reader = SQLiteEntityStore(config), SQLiteEntityStore(config)
        found = asyncio.run(measured(store, reader, count))
        store.engine.close()
        reader.engine.close()
        return {**found, "size_mb": path.stat().st_size / 1e6}


def of_redis(count: int) -> dict[str, float]:
    with RedisServer() as server:
        given = {"url": server.url, "password": server.password}
        config = RedisEntityStore.Config.model_validate(given)
        store, reader = RedisEntityStore(config), RedisEntityStore(config)
        found = asyncio.run(measured(store, reader, count))
        from redis import Redis

        with Redis.from_url(server.url, password=server.password) as client:
            used = client.info("memory")["used_memory"]
        store.engine.close()
        reader.engine.close()
        return {**found, "size_mb": used / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--only", default="sqlite,redis")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {}
    for name, measure in (("sqlite", of_sqlite), ("redis", of_redis)):
        if name not in given.only.split(","):
            continue
        if name == "redis" and redis_program() is None:
            print("redis: redis-server is not installed")
            continue
        found[name] = measure(given.entities)
        print(f"{name}: {given.entities:,} entities")
        for key, value in found[name].items():
            print(f"  {key:32}{value:>14,.2f}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
