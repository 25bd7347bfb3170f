"""The names of a semantic model that are nearest in meaning to words that it does not know.

An embedding proposes and does not decide: of 162 business phrases the column that is meant is the
first for 58 % and among the first three for 79 % (`benchmarks/linking.py`). So names are offered to
a person, and never taken for what was meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS
from flows.core.memory import Embedder
from flows.semantics.inference.words import words_of
from flows.semantics.model import SemanticModel

# The first column is at least as near for more than 95 % of the phrases of the benchmark.
LEAST_SIMILARITY = 0.25


class NameCandidate(NamedTuple):
    """A name, with the texts that say what it stands for."""

    name: str
    texts: tuple[str, ...]


class Near(NamedTuple):
    """The name of a candidate, with the cosine similarity of its nearest text."""

    name: str
    similarity: float


async def nearest(
    phrases: Sequence[str],
    candidates: Sequence[NameCandidate],
    embedder: Embedder,
    *,
    most: int = 3,
    least: float = LEAST_SIMILARITY,
) -> list[tuple[Near, ...]]:
    """For each phrase at most so many candidates, nearest first, of at least that similarity.

    Errors: those of the embedder.
    """
    if not phrases or not candidates:
        return [() for _ in phrases]
    texts = [text for each in candidates for text in each.texts]
    distinct = list(dict.fromkeys([*phrases, *texts]))
    vectors = dict(zip(distinct, await embedder.embed(distinct), strict=True))
    similarities = _cosines([vectors[each] for each in phrases], [vectors[each] for each in texts])
    ranked = (_ranked(each, candidates) for each in similarities)
    return [tuple(near for near in each[:most] if near.similarity >= least) for each in ranked]


def candidates_of(model: SemanticModel) -> tuple[NameCandidate, ...]:
    """The datasets, fields and metrics of a model. A field that several datasets have is named
    with its dataset; things of one name are one candidate."""
    counts = Counter(field.name for each in model.datasets for field in each.fields)
    texts: dict[str, tuple[str, ...]] = {}
    for dataset in model.datasets:
        texts[dataset.name] = (_spelled(dataset.name), *dataset.words)
    for dataset in model.datasets:
        for field in dataset.fields:
            name = field.name if counts[field.name] == 1 else f"{dataset.name}.{field.name}"
            own = column_texts(dataset.name, field.name, field.words)
            texts[name] = (*texts.get(name, ()), *own)
    for metric in model.metrics:
        own = (_spelled(metric.name), *metric.words)
        texts[metric.name] = (*texts.get(metric.name, ()), *own)
    return tuple(NameCandidate(*each) for each in texts.items())


def column_texts(table: str, column: str, words: Iterable[str] = ()) -> tuple[str, ...]:
    """What a column is compared by: its name behind that of its table, and its other names."""
    return (f"{_spelled(table)} {_spelled(column)}", *words)


def unknown_phrases(question: str, words: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """What a question names and nothing explains: the words from a start to an end, those next to
    each other together, without words of its form such as `average`."""
    named = [
        (start, end)
        for start, end in sorted(words)
        if question[start:end].casefold() not in FUNCTION_WORDS | OPERATION_WORDS
    ]
    joined: list[tuple[int, int]] = []
    for start, end in named:
        if joined and not question[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return tuple(dict.fromkeys(question[start:end] for start, end in joined))


def _spelled(name: str) -> str:
    return " ".join(words_of(name))


def _ranked(similarities: Sequence[float], candidates: Sequence[NameCandidate]) -> list[Near]:
    """All candidates, nearest first, by the similarities of their texts in order."""
    given = iter(similarities)
    found = [Near(each.name, max(islice(given, len(each.texts)))) for each in candidates]
    return sorted(found, key=lambda each: -each.similarity)


def _cosines(ones: list[list[float]], others: list[list[float]]) -> list[list[float]]:
    """The cosine of each of the first vectors with each of the others; 0 with an empty one."""
    import numpy as np

    units = []
    for vectors in (ones, others):
        matrix = np.asarray(vectors, dtype=float)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        units.append(matrix / np.where(lengths > 0, lengths, 1.0))
    found: list[list[float]] = (units[0] @ units[1].T).tolist()
    return found
