"""Searching an index of functions: what it finds, and how fast it is with a hundred thousand.

    python benchmarks/functions.py DATA [--embedder minilm]
    python benchmarks/functions.py --many 100000

DATA is a folder with `registry.jsonl` (a function dictionary a line) and `queries.jsonl` (`query`,
and the right `functions`, by name). The queries are parted in two halves that have no right
function in common: the weights of the index were fitted on the first, so the second says how good
it is. Plain methods stand beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from function_search.plain import PlainBM25, Vectors, best, fused
from function_search.recall import Query, read_queries, recall, split

from flows.core.function_description import FunctionDescription
from flows.core.memory import Embedder
from flows.errors import ConfigError
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.tools.catalog.index import FunctionIndex
from flows.tools.catalog.terms import text_of
from flows.tools.description.dictionary import read_dictionaries

Ranked = Mapping[str, Sequence[str]]
_VERBS = ("get", "list", "create", "update", "find", "count", "compare", "send", "check", "book")
_WORDS = 6_000
_SEARCHES = 500


async def compare(data: Path, folder: Path, embedder: Embedder | None) -> None:
    """Print the recall of the index and of plain methods."""
    functions = [
        each
        for each in read_dictionaries(data / "registry.jsonl")
        if not isinstance(each, ConfigError)
    ]
    queries = read_queries(data / "queries.jsonl")
    texts = list(dict.fromkeys(each.text for each in queries))
    plain = PlainBM25(functions, parameters=False)
    whole = PlainBM25(functions, parameters=True)
    methods: dict[str, Ranked] = {
        "BM25, name and description": {each: best(plain.scores(each)) for each in texts},
        "BM25 with the parameters' text": {each: best(whole.scores(each)) for each in texts},
        "index, by words": await _ranked(FunctionIndex(folder), functions, texts),
    }
    if embedder is not None:
        names = [each.name for each in functions]
        vectors = Vectors(names, await embedder.embed([text_of(each) for each in functions]))
        asked = dict(zip(texts, await embedder.embed(texts), strict=True))
        near = {each: best(vectors.scores(asked[each]), 100) for each in texts}
        both = {each: fused(best(whole.scores(each), 100), near[each]) for each in texts}
        methods[embedder.name] = near
        methods["reciprocal rank fusion of BM25 and it"] = both
        index = FunctionIndex(folder, embedder)
        methods["index, by words and meaning"] = await _ranked(index, functions, texts)
    _print(methods, split(queries))


async def _ranked(
    index: FunctionIndex, functions: Sequence[FunctionDescription], texts: Sequence[str]
) -> Ranked:
    await index.add(functions)
    await index.embed()
    found = {each: [match.description.name for match in await index.search(each)] for each in texts}
    await index.aclose()
    return found


def _print(methods: Mapping[str, Ranked], halves: tuple[list[Query], list[Query]]) -> None:
    tuned, checked = halves
    print(f"{'recall@k':40}{f'tuned on ({len(tuned)})':^24}{f'checked ({len(checked)})':^24}")
    print(f"{'':40}" + f"{'@1':>8}{'@3':>8}{'@10':>8}" * 2)
    for name, ranked in methods.items():
        figures = [recall(half, ranked, k) for half in halves for k in (1, 3, 10)]
        print(f"{name:40}" + "".join(f"{each:8.3f}" for each in figures))


def many(count: int) -> Iterator[FunctionDescription]:
    """Made functions whose words are as common as in a language: few often, many seldom."""
    random = Random(7)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in _ENDS][:_WORDS]
    weights = [1 / (place + 3) for place in range(len(words))]
    for number in range(count):
        said = random.choices(words, weights, k=18)
        properties = {
            f"{said[place]}_{place}": {"type": "string", "description": " ".join(said[place:])}
            for place in (12, 15)
        }
        yield FunctionDescription(
            name=f"{random.choice(_VERBS)}_{said[0]}_{said[1]}_{number}",
            description=" ".join(said[2:12]),
            parameters={"type": "object", "properties": properties},
        )


_ENDS = [f"{a}{b}{c}" for a in "lmnrst" for b in "aeiou" for c in ("", "n", "r", "k", "sh")]


async def measure(folder: Path, count: int) -> None:
    """Index so many functions, with a kill in the middle, and search them."""
    start = time.monotonic()
    command = (sys.executable, __file__, "--fill", str(folder), "--many", f"{count}")
    process = await asyncio.create_subprocess_exec(*command)
    index = FunctionIndex(folder)
    while await index.count() < count // 3:  # noqa: ASYNC110 - another process writes
        await asyncio.sleep(0.05)
    first = await index.search("get something")
    process.kill()
    await process.wait()
    there = await index.count()
    print(f"killed after {time.monotonic() - start:.1f} s with {there:,} functions; "
          f"a search before found {len(first)}")  # fmt: skip
    start = time.monotonic()
    change = await index.add(many(count))
    print(f"gone on: {change.added:,} added, {change.unchanged:,} were there, "
          f"{time.monotonic() - start:.1f} s")  # fmt: skip
    await _search(index, count)
    await index.aclose()


async def _search(index: FunctionIndex, count: int) -> None:
    random, wall, processor = Random(9), [], []
    described = list(many(2_000))
    for _ in range(_SEARCHES):
        words = random.choice(described).description.split()
        question = "which one can " + " ".join(random.sample(words, 6))
        begun, used = time.perf_counter(), time.process_time()
        await index.search(question)
        wall.append(1_000 * (time.perf_counter() - begun))
        processor.append(1_000 * (time.process_time() - used))
    for name, taken in (("wall", sorted(wall)), ("processor", sorted(processor))):
        p50, p95 = taken[len(taken) // 2], taken[int(len(taken) * 0.95)]
        print(f"search of {count:,}, ms of {name}: p50 {p50:.1f}, p95 {p95:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("data", nargs="?", type=Path, help="a folder with registry and queries")
    parser.add_argument("--embedder", choices=("minilm",))
    parser.add_argument("--many", type=int, default=0, help="made functions, for the time it takes")
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.fill is not None:
        asyncio.run(FunctionIndex(asked.fill).add(many(asked.many)))
        return
    with tempfile.TemporaryDirectory() as folder:
        if asked.data is not None:
            embedder = MiniLMEmbedder() if asked.embedder else None
            asyncio.run(compare(asked.data, Path(folder), embedder))
        if asked.many:
            asyncio.run(measure(Path(folder) / "many", asked.many))


if __name__ == "__main__":
    main()
