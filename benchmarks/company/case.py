"""A question with the functions that answer it and the values of its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

Value = str | float | int
Maker = Callable[
    [Random], tuple[Mapping[str, Any], Sequence["str | tuple[str, ...]"], Sequence[Value]]
]


@dataclass(frozen=True, slots=True)
class Case:
    """`functions` are those that have to be called, each as all that would do as well. `values`
    stand in a right answer; without any the company has no function for the question. `hops` tells
    whether a call needs the result of another."""

    id: str
    question: str
    functions: tuple[tuple[str, ...], ...]
    values: tuple[Value, ...]
    hops: bool = False

    @property
    def is_missing(self) -> bool:
        return not self.values


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: what makes one of it. `hops` as of a case."""

    name: str
    make: Maker
    hops: bool = False


def make_cases(kinds: Sequence[Kind], texts: Path, seed: int, count: int) -> list[Case]:
    """So many questions, as many of each kind as of another; no two are the same.

    `texts` is a JSON file with several wordings of each kind. Errors: `ValueError` for a kind that
    has too few different questions.
    """
    wordings: dict[str, list[str]] = json.loads(texts.read_text())
    random = Random(seed)
    cases: dict[str, Case] = {}
    turn = 0
    while len(cases) < count:
        kind = kinds[turn % len(kinds)]
        wording = wordings[kind.name][turn // len(kinds) % len(wordings[kind.name])]
        for _ in range(50):
            filled, functions, values = kind.make(random)
            question = wording.format(**filled)
            if question not in cases:
                break
        else:
            raise ValueError(f"{kind.name} has no more questions")
        options = tuple((each,) if isinstance(each, str) else tuple(each) for each in functions)
        id_ = f"{kind.name}-{turn // len(kinds) + 1}"
        cases[question] = Case(id_, question, options, tuple(values), kind.hops)
        turn += 1
    return list(cases.values())
