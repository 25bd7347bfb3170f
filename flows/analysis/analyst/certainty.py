"""How sure a reading is, and what else the question may mean: the only place that says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.parser.exact import words
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.requests.queries import query_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.request import REQUEST

# Two readings whose doubts are nearer than this are as likely as each other.
_TIED: Final = 0.02
_MOST_TABLES: Final = 12
OPTIONS: Final = 3


def confidence_of(reading: Reading) -> float:
    """How likely a reading is right, from 0 to 1: of several that explain the question equally
    well over other tables each can be right with its share only."""
    return round(reading.confidence / (1 + len(tied_with(reading))), 4)


def tied_with(reading: Reading) -> list[Reading]:
    """Other readings that explain the question as well, over a table that this one does not ask."""
    asked = {reading.plan.table, *(each.table for each in reading.plan.joins)}
    return [
        each
        for each in reading.alternatives
        if each.plan.table not in asked
        and not each.plan.joins
        and each.doubt < reading.doubt + _TIED
    ]


def others_of(reading: Reading, model: SemanticModel) -> list[Reading]:
    """Other readings of the same question, the likeliest first, each another query."""
    seen = {query_of(reading.plan, model)}
    found = []
    for each in reading.alternatives:
        if (query := query_of(each.plan, model)) not in seen:
            seen.add(query)
            found.append(each)
    return found


def askable(reading: Reading, model: SemanticModel) -> Reading | Unread:
    """The likeliest of a reading and its alternatives that is a request over the model, with the
    other ones that are, or why none is."""
    found, reasons = [], []
    for each in (reading, *reading.alternatives):
        try:
            query_of(each.plan, model)
        except LookupError as error:
            reasons.append(str(error))
        else:
            found.append(each)
    if not found:
        return Unread(reasons[0], reading.notes, reading.unexplained)
    return replace(found[0], alternatives=tuple(found[1:])) if reasons else reading


def readings_by_table(
    question: str, tables: Sequence[Table], model: SemanticModel
) -> list[Reading]:
    """What a question means over each table alone, for one that all tables together left open."""
    if not 1 < len(tables) <= _MOST_TABLES:
        return []
    found = [read(question, (table,)) for table in tables]
    asked = [askable(each, model) for each in found if isinstance(each, Reading)]
    good = [each for each in asked if isinstance(each, Reading)]
    return sorted(good, key=lambda each: each.doubt)


def options_of(readings: Sequence[Reading], model: SemanticModel) -> list[dict[str, object]]:
    """Readings as requests to choose from, each with the words that say what it asks for."""
    return list(_options(readings, model))[:OPTIONS]


def _options(readings: Sequence[Reading], model: SemanticModel) -> Iterator[dict[str, object]]:
    said: set[str] = set()
    for each in readings[: OPTIONS + 2]:
        query = query_of(each.plan, model)
        question = words(query, model)
        if question not in said:
            said.add(question)
            request = REQUEST.dump_python(query, mode="json")
            label = question.replace("`", "")
            yield {"label": label, "question": question, "request": request}
