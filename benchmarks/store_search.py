"""What a search over several stores costs beside its slowest store, and one over many texts.

    python benchmarks/store_search.py [--turns 30] [--entries 100000] [--searches 50]
        [--engine chroma | lancedb] [--json FILE]

`search_stores` asks three stores that wait, 50 to 200 ms each and other times in each turn; what
counts is what a search takes longer than the slowest, in milliseconds. Then a vector store on the
disk, of Chroma or of LanceDB (extra `lancedb`), is filled with so many short texts and searched for
single ones: milliseconds of `run_search`, and how many of the searches found the text that was
meant among the first five. 0 entries leave that out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionStoreConfig
from flows.core.observation import Observation
from flows.core.vector_store import VectorEntry
from flows.memory.search.function import StoreSearch
from flows.memory.vectors.lance_stores import LanceVectorStore
from flows.memory.vectors.stores import ChromaVectorStore, EntryStore
from flows.tools.function_store import SourceFunctions

MOST_MS = 10.0
BATCH = 5_000
WORDS = [
    f"{first}{last}"
    for first in ("bar", "cor", "den", "fal", "gor", "hul", "jas", "kel", "lom", "mur")
    for last in ("ane", "ber", "cot", "dim", "ela", "fin", "gus", "hop", "ist", "jun", "kra", "lin")
]


class SleepingStore:
    """A store that answers after some time."""

    def __init__(self, name: str) -> None:
        self.seconds = 0.0
        self.description = FunctionDescription(
            name=name, description=f"Searches texts about {name}.",
            parameters={"type": "object", "properties": {"question": {"type": "string"}},
                        "required": ["question"]},
            function_class="VectorSearch", effect="pure",
        )  # fmt: skip

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        await asyncio.sleep(self.seconds)
        return Observation(kind="ok", text=json.dumps([{"text": f"{arguments['question']}!"}]))


async def overheads(turns: int) -> list[float]:
    """What each search over three stores takes longer than its slowest, in milliseconds. The first
    is not counted: it looks the functions up."""
    stores = [SleepingStore(name) for name in ("barley", "looms", "bridges")]
    search = StoreSearch(SourceFunctions(FunctionStoreConfig(), {}, stores))
    draw = random.Random(1)
    found = []
    for _ in range(turns + 1):
        for each in stores:
            each.seconds = draw.uniform(0.05, 0.2)
        started = time.perf_counter()
        made = await search.call({"question": "looms of barley bridges"})
        took = time.perf_counter() - started - max(each.seconds for each in stores)
        assert len({each["store"] for each in json.loads(made.text)["results"]}) == len(stores)
        found.append(took * 1000)
    return found[1:]


def texts(count: int) -> list[str]:
    draw = random.Random(2)
    return [f"Note {n}: " + " ".join(draw.choices(WORDS, k=12)) + "." for n in range(count)]


def store_of(engine: str, folder: Path) -> EntryStore:
    """A new vector store on the disk."""
    if engine == "lancedb":
        return LanceVectorStore(LanceVectorStore.Config(folder=folder, name="notes"))
    return ChromaVectorStore(ChromaVectorStore.Config(folder=folder, name="notes"))


async def vector_search(engine: str, entries: int, searches: int, folder: Path) -> dict[str, float]:
    """Seconds to fill a store, milliseconds of a search, and the share that found what it meant."""
    store = store_of(engine, folder)
    said, draw = texts(entries), random.Random(3)
    started = time.perf_counter()
    for start in range(0, entries, BATCH):
        some = enumerate(said[start : start + BATCH], start)
        await store.add([VectorEntry(name=f"n{n}", text=text) for n, text in some])
    filled = time.perf_counter() - started
    times, right = [], 0
    for _ in range(searches):
        meant = draw.randrange(entries)
        question = " ".join(said[meant].rstrip(".").split()[2:10])
        started = time.perf_counter()
        found = await store.run_search(question)
        times.append((time.perf_counter() - started) * 1000)
        right += any(each.entry.name == f"n{meant}" for each in found)
    await store.aclose()
    first, rest = times[0], times[1:]
    return {"entries": entries, "fill_s": round(filled, 1), "first_ms": round(first, 1),
            **figures(rest), "found": round(right / searches, 3)}  # fmt: skip


def figures(times: Sequence[float]) -> dict[str, float]:
    return {
        "median_ms": round(median(times), 2),
        "p95_ms": round(quantiles(times, n=20)[-1], 2),
        "worst_ms": round(max(times), 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=50)
    parser.add_argument("--engine", choices=("chroma", "lancedb"), default="chroma")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, Any] = {"search_stores": figures(asyncio.run(overheads(given.turns)))}
    print(f"search_stores, ms beside the slowest of three stores: {found['search_stores']}")
    print(f"wanted: a median of at most {MOST_MS:g} ms")
    if given.entries:
        with tempfile.TemporaryDirectory() as name:
            made = asyncio.run(
                vector_search(given.engine, given.entries, given.searches, Path(name))
            )
        found[given.engine] = made
        print(f"{given.engine}: {made}")
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
