"""How often words that a table does not know are linked to the column that they mean.

    python benchmarks/linking.py PAIRS

PAIRS has a JSON object a line: a `phrase`, its `table`, the `columns` of it, and the `column` that
is meant. The columns are ranked by spelling (the lexical embedder), by meaning (minilm, of the
extra `semantic`) and by both. Printed are how often the column that is meant comes first and among
the first three, and the milliseconds for a column's texts and, with these known, for a phrase.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from pydantic import BaseModel
from report import table

from flows.analysis.linking.nearest import NameCandidate, column_texts, nearest
from flows.core.memory import Embedder
from flows.memory.lexical import LexicalEmbedder
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.memory.ranking import fuse
from flows.semantics.inference.words import synonyms_of

HEADERS = ("columns ranked", "first", "in the first three", "ms a column", "ms a phrase")


class Pair(BaseModel):
    """A phrase and the column that it means, of those of its table."""

    phrase: str
    table: str
    columns: tuple[str, ...]
    column: str


class Linked(NamedTuple):
    """How near each column is to each phrase, and the milliseconds for a column and a phrase."""

    similarities: list[dict[str, float]]
    column_ms: float
    phrase_ms: float


def candidates(pair: Pair) -> list[NameCandidate]:
    return [
        NameCandidate(each, column_texts(pair.table, each, synonyms_of(each)))
        for each in pair.columns
    ]


async def link(pairs: Sequence[Pair], embedder: Embedder) -> Linked:
    texts = {text for pair in pairs for each in candidates(pair) for text in each.texts}
    columns = len({(pair.table, each) for pair in pairs for each in pair.columns})
    await embedder.embed(["the first text waits until the model is loaded"])
    begun = perf_counter()
    await embedder.embed(sorted(texts))
    known = perf_counter()
    found = [
        (await nearest([pair.phrase], candidates(pair), embedder, most=999, least=-1.0))[0]
        for pair in pairs
    ]
    done = perf_counter()
    return Linked(
        [dict(each) for each in found],
        1000 * (known - begun) / columns,
        1000 * (done - known) / len(pairs),
    )


def row(name: str, pairs: Sequence[Pair], linked: Linked) -> list[str]:
    rankings = (sorted(each, key=lambda name: -each[name]) for each in linked.similarities)
    places = [each.index(pair.column) for pair, each in zip(pairs, rankings, strict=True)]
    shares = [sum(place < most for place in places) / len(places) for most in (1, 3)]
    times = (linked.column_ms, linked.phrase_ms)
    return [name, *(f"{each:.3f}" for each in shares), *(f"{each:.1f}" for each in times)]


def both(spelling: Linked, meaning: Linked) -> Linked:
    """Ranked by the sum of both similarities, each brought to 0..1, as memory ranks."""
    rankings = [
        fuse(meant, {name: max(0.0, each) for name, each in spelt.items()}, 0.5)
        for spelt, meant in zip(spelling.similarities, meaning.similarities, strict=True)
    ]
    return Linked(
        [{name: -float(place) for place, name in enumerate(each)} for each in rankings],
        spelling.column_ms + meaning.column_ms,
        spelling.phrase_ms + meaning.phrase_ms,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path, help="a file of JSON lines")
    lines = parser.parse_args().pairs.read_text(encoding="utf-8").splitlines()
    pairs = [Pair.model_validate_json(line) for line in lines if line.strip()]
    spelling = asyncio.run(link(pairs, LexicalEmbedder()))
    with tempfile.TemporaryDirectory() as folder:
        minilm = MiniLMEmbedder(MiniLMEmbedder.Config(cache=Path(folder)))
        meaning = asyncio.run(link(pairs, minilm))
    ways = {"by spelling": spelling, "by meaning": meaning, "by both": both(spelling, meaning)}
    print(f"{len(pairs)} phrases, {len({pair.table for pair in pairs})} tables")
    print(table(HEADERS, [row(name, pairs, each) for name, each in ways.items()]))


if __name__ == "__main__":
    main()
