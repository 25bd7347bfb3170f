"""What of all that was found is about the question, and what stands beside it."""

from __future__ import annotations

from typing import Final

from flows.analysis.methods.findings import Outlying, Purpose, Spreads
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence, references
from flows.analysis.team.rules.mentions import Mentions

_ANY: Final[frozenset[Purpose]] = frozenset({"overview", "anomalies", "distribution", "segments"})
_HALF: Final = 0.5
_RAW: Final = 200
# How much the names of a task count, beside those of a sentence (3): the first lines of summaries
# are what they were when tasks were sentences. The kind of a task decides between equals.
_OF_KIND: Final = 0.1
_NEAR: Final = 2.0


def is_beside(outcome: Outcome, evidence: TaskEvidence) -> bool:
    """Whether a result only describes columns where the question does not ask for that: outliers,
    ranges, the rows themselves."""
    kinds, sheet = evidence.goal.kinds, outcome.sheet
    if isinstance(outcome.findings, Outlying):
        return not set(kinds) & {"anomalies", "overview"}
    if isinstance(outcome.findings, Spreads):
        return not set(kinds) & {"distribution", "overview"}
    return sheet.total > _RAW and not outcome.links and outcome.model is None


def is_general(evidence: TaskEvidence) -> bool:
    """Whether the data was only described in general, and nothing of it has to do with what is
    asked: no column and no value that the question names."""
    goal = evidence.goal
    if set(goal.kinds) & _ANY or not any(_describes(each) for each in evidence.tables):
        return False
    names = [name for each in evidence.done for name in each.scope.fields]
    names += [column for each in evidence.tables for column in each.sheet.columns]
    if any(goal.share_of(each) >= _HALF for each in names):
        return False
    cells = (cell for each in evidence.tables for row in each.sheet.rows for cell in row)
    return not any(map(goal.has_value, cells))


def _describes(outcome: Outcome) -> bool:
    return isinstance(outcome.findings, Outlying | Spreads)


def nearness(outcome: Outcome, evidence: TaskEvidence) -> float:
    """How near the task of an outcome is to the question: by the columns and values that it is
    about, and by the kind of answer that it gives."""
    scope = outcome.scope
    asked_for = scope.answers & set(evidence.goal.kinds) - {"question"}
    return _NEAR * overlap(" ".join(scope.names), evidence) + (_OF_KIND if asked_for else 0.0)


def overlap(text: str, evidence: TaskEvidence) -> float:
    """How much of what the question is about a text speaks of."""
    words = Mentions(text).roots
    wanted = evidence.goal.roots
    share = len(words & wanted) / len(wanted) if wanted else 0.0
    entity = evidence.entity
    return share + (0.5 if entity and _speaks_of(text, entity, evidence) else 0.0)


def _speaks_of(text: str, entity: str, evidence: TaskEvidence) -> bool:
    """Whether a text names it, or refers to a cell that does."""
    if entity.casefold() in text.casefold():
        return True
    cells = {str(each.sheet.at(row, column)) for each in evidence.tables
             for row in range(len(each.sheet.rows)) for column in each.sheet.columns
             if each.sheet.value(row, column) == entity}  # fmt: skip
    return bool(references(text) & cells)
