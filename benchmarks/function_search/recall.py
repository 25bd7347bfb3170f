"""Questions with their right functions, and how many of them a search finds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

SEED = 5


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    functions: tuple[str, ...]


def read_queries(path: Path) -> list[Query]:
    lines = path.read_text().splitlines()
    found = [json.loads(each) for each in lines if each.strip()]
    return [Query(each["query"], tuple(each["functions"])) for each in found]


def split(queries: Sequence[Query]) -> tuple[list[Query], list[Query]]:
    """Two halves without a right function in common: one to tune on, one to check with."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for query in queries:
        for each in query.functions:
            parent[root(each)] = root(query.functions[0])
    groups: dict[str, list[Query]] = defaultdict(list)
    for query in queries:
        groups[root(query.functions[0])].append(query)
    keys = sorted(groups)
    Random(SEED).shuffle(keys)
    tuned: list[Query] = []
    checked: list[Query] = []
    for key in keys:
        (tuned if len(tuned) <= len(checked) else checked).extend(groups[key])
    return tuned, checked


def recall(queries: Sequence[Query], ranked: Mapping[str, Sequence[str]], k: int) -> float:
    """The mean share of a query's right functions among the first k."""
    found = [
        sum(name in ranked[query.text][:k] for name in query.functions) / len(query.functions)
        for query in queries
    ]
    return sum(found) / len(found)
