"""How sure a reading is, and what else the question may mean: the only place that says so."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Reading
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import REQUEST

# Two readings whose doubts are nearer than this are as likely as each other.
_TIED: Final = 0.02
OPTIONS: Final = 3


def confidence_of(reading: Reading) -> float:
    """How likely a reading is right, from 0 to 1: of several that explain the question equally
    well over other tables each can be right with its share only."""
    return round(reading.confidence / (1 + len(tied_with(reading))), 4)


def computed_confidence(kind: str, doubt: float = 0.0) -> float:
    """How likely an answer by code or by a description is right, by the `kind` of what computes it
    (a method, or that of a request) and the doubt that the reading leaves.

    `benchmarks/certainty.py` fits how often such answers are right, and keeps it in
    `certainty.json`; of a kind that was not asked it is as likely as all of them together.
    """
    return chance(_fitted(), kind, doubt)


def chance(fit: Mapping[str, Any], kind: str, doubt: float) -> float:
    """How likely an answer of a kind is right by what was fitted: the log odds of `all`, what each
    of `kinds` adds to them, and what a `doubt` of 1 takes away."""
    odds = fit["all"] + fit["kinds"].get(kind, 0.0) - fit["doubt"] * doubt
    return round(1 / (1 + math.exp(-odds)), 4)


@cache
def _fitted() -> Mapping[str, Any]:
    fit: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return fit


def tied_with(reading: Reading) -> list[Reading]:
    """Other readings that explain the question as well, over a table that this one does not ask."""
    return [
        each
        for each in reading.alternatives
        if each.tables == {each.query.dataset}
        and each.tables.isdisjoint(reading.tables)
        and each.doubt < reading.doubt + _TIED
    ]


def options_of(
    queries: Sequence[Query], model: SemanticModel, most: int = OPTIONS
) -> list[dict[str, object]]:
    """Queries as requests to choose from, each with the words that say what it asks for."""
    said: dict[str, dict[str, object]] = {}
    for each in queries:
        question = words(each, model)
        request = REQUEST.dump_python(each, mode="json")
        option = {"label": question.replace("`", ""), "question": question, "request": request}
        said.setdefault(question, option)
    return list(said.values())[:most]
