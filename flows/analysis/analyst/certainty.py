"""How sure a reading is, and what else the question may mean: the only place that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Reading
from flows.semantics.model import SemanticModel
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


def options_of(readings: Sequence[Reading], model: SemanticModel) -> list[dict[str, object]]:
    """Readings as requests to choose from, each with the words that say what it asks for."""
    return list(_options(readings, model))[:OPTIONS]


def _options(readings: Sequence[Reading], model: SemanticModel) -> Iterator[dict[str, object]]:
    said: set[str] = set()
    for each in readings[: OPTIONS + 2]:
        question = words(each.query, model)
        if question not in said:
            said.add(question)
            request = REQUEST.dump_python(each.query, mode="json")
            label = question.replace("`", "")
            yield {"label": label, "question": question, "request": request}
