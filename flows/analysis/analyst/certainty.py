"""How sure a reading is, and what else the question may mean: the only place that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
