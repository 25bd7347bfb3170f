"""What documents demand beside what the data has: whether a target is reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.phrasebook import COMPARISONS
from flows.analysis.methods.sheet import Sheet, as_number
from flows.analysis.team.rules.comparison import LABELS, OWN
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence
from flows.analysis.team.rules.mentions import Mentions
from flows.analysis.team.rules.rendering import form_of, plain, sentence
from flows.analysis.telling.cells import foreign
from flows.data.answers.numbers import WrittenNumber, find_numbers

_MARK: Final = re.compile(r"\[\d+\]")
_MOST: Final = re.compile(
    rf"\b(?:{COMPARISONS.pattern('<=')}|maximum|max|limit\w*|exceed\w*|longest|highest allowed)\b",
    re.IGNORECASE,
)
_LEAST: Final = re.compile(
    rf"\b(?:{COMPARISONS.pattern('>=')}|minimum|min|target\w*|goals?|reach\w*|shall|must|should|"
    r"objective\w*|required?|threshold)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Demand:
    """A bound that a document sets, as it is written, with the mark of the document."""

    value: float
    text: str
    mark: str
    most: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """What the data has of a measure: its value, and how it is told."""

    measure: str
    value: float
    told: str


def against_target(evidence: TaskEvidence, said: str) -> str:
    """Whether what the data has reaches what a sentence of a document demands; "" where the two
    cannot be set beside each other."""
    demand = demand_in(said)
    figure = next(_figures(evidence, said), None) if demand is not None else None
    if demand is None or figure is None:
        return ""
    entity = evidence.entity
    of = f" of {foreign(entity)}" if entity else ""
    what = f"the {plain(figure.measure)}{of} is {figure.told}"
    bound = f"{demand.text} that the documents {'allow' if demand.most else 'demand'} {demand.mark}"
    if figure.value == demand.value:
        return sentence(f"{what}, exactly the {bound}")
    above = figure.value > demand.value
    word = "above" if above else "below"
    kind = "limit" if demand.most else "target"
    good = "keeps to" if demand.most else "reaches"
    bad = "goes beyond" if demand.most else "misses"
    verb = good if above is not demand.most else bad
    return sentence(f"{what}, {word} the {bound}: it {verb} that {kind}")


def demand_in(said: str) -> Demand | None:
    """The one bound of a sentence of a document; None where it has none, or several numbers."""
    text = _MARK.sub(lambda mark: " " * len(mark[0]), said)
    mark = _MARK.search(said)
    most, least = _MOST.search(text), _LEAST.search(text)
    numbers = [e for e in find_numbers(text) if e.readings and not _names(text, e)]
    if mark is None or len(numbers) != 1 or not (most or least):
        return None
    return Demand(numbers[0].readings[0].value, numbers[0].text, mark[0], most is not None)


def _names(text: str, number: WrittenNumber) -> bool:
    """Whether a number is a part of a name, or a year."""
    before = text[: number.start].split()[-1:]
    is_year = len(number.text) == 4 and number.text.isdigit() and number.text[:2] in ("19", "20")
    return is_year or bool(before and before[0][:1].isupper() and number.start > len(before[0]) + 1)


def _figures(evidence: TaskEvidence, said: str) -> Iterator[Figure]:
    """What the data has of a measure that both the question and the document name."""
    for outcome in evidence.tables:
        if outcome.links or outcome.model is not None or not outcome.sheet.whole:
            continue
        yield from _in_columns(outcome, evidence, said)
        yield from _in_rows(outcome.sheet, evidence, said)


def _in_columns(outcome: Outcome, evidence: TaskEvidence, said: str) -> Iterator[Figure]:
    sheet, entity = outcome.sheet, evidence.entity
    at = [row for row, cells in enumerate(sheet.rows) if entity and entity in cells]
    alone = len(sheet.rows) == 1 and (not entity or evidence.is_narrow(outcome))
    row = 0 if alone else at[0] if len(at) == 1 else None
    if row is None:
        return
    for column in sheet.columns:
        value = sheet.number(row, column)
        numeric = value is not None and as_number(sheet.value(row, column)) is not None
        if numeric and value is not None and _both_name(column, evidence, said):
            yield Figure(column, value, sheet.cell(row, column).text(form_of([value])))


def _in_rows(sheet: Sheet, evidence: TaskEvidence, said: str) -> Iterator[Figure]:
    """A row for each measure, with a column for the one that is asked about."""
    label, own = sheet.called(*LABELS), sheet.called(*OWN)
    if not label or not own:
        return
    for row in range(len(sheet.rows)):
        measure, value = str(sheet.value(row, label)), sheet.number(row, own)
        if value is not None and _both_name(measure, evidence, said):
            yield Figure(measure, value, sheet.cell(row, own).text(form_of([value])))


def _both_name(name: str, evidence: TaskEvidence, said: str) -> bool:
    from_document = Mentions(said)
    return evidence.goal.share_of(name) >= 0.5 and from_document.share_of(name) >= 0.5
