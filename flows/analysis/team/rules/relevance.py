"""What of all that was found is about the question, and what stands beside it."""

from __future__ import annotations

from typing import Final

from flows.analysis.team.goals.kinds import Kind
from flows.analysis.team.rules.asked import Asked
from flows.analysis.team.rules.evidence import Evidence, Outcome, references
from flows.analysis.team.rules.statistics import is_outliers, is_summary

_ANY: Final[frozenset[Kind]] = frozenset({"overview", "anomalies", "distribution", "segments"})
_HALF: Final = 0.5
_RAW: Final = 200


def is_beside(outcome: Outcome, evidence: Evidence) -> bool:
    """Whether a result only describes columns where the question does not ask for that: outliers,
    ranges, the rows themselves."""
    kinds, sheet = evidence.asked.kinds, outcome.sheet
    if is_outliers(sheet):
        return not set(kinds) & {"anomalies", "overview"}
    if is_summary(sheet):
        return not set(kinds) & {"distribution", "overview"}
    return sheet.total > _RAW and not outcome.links and outcome.model is None


def is_general(evidence: Evidence) -> bool:
    """Whether the data was only described in general, and nothing of it has to do with what is
    asked: no column and no value that the question names."""
    asked = evidence.asked
    if set(asked.kinds) & _ANY or not any(_describes(each) for each in evidence.tables):
        return False
    names = [name for each in evidence.done for name in Asked.of(each.task).quoted()]
    names += [column for each in evidence.tables for column in each.sheet.columns]
    if any(asked.share_of(each) >= _HALF for each in names):
        return False
    cells = (cell for each in evidence.tables for row in each.sheet.rows for cell in row)
    return not any(map(asked.has_value, cells))


def _describes(outcome: Outcome) -> bool:
    return is_outliers(outcome.sheet) or is_summary(outcome.sheet)


def overlap(text: str, evidence: Evidence) -> float:
    """How much of what the question is about a text speaks of."""
    words = Asked.of(text).roots
    wanted = evidence.asked.roots
    share = len(words & wanted) / len(wanted) if wanted else 0.0
    entity = evidence.entity
    return share + (0.5 if entity and _speaks_of(text, entity, evidence) else 0.0)


def _speaks_of(text: str, entity: str, evidence: Evidence) -> bool:
    """Whether a text names it, or refers to a cell that does."""
    if entity.casefold() in text.casefold():
        return True
    cells = {str(each.sheet.at(row, column)) for each in evidence.tables
             for row in range(len(each.sheet.rows)) for column in each.sheet.columns
             if each.sheet.value(row, column) == entity}  # fmt: skip
    return bool(references(text) & cells)
