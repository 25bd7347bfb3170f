"""What was planned beside what came of it: budget and actual, quota and closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.words import singular, split_identifier
from flows.analysis.questions.concepts import limited_by
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.query import Arithmetic, FieldRef

# Words of columns that hold what was meant to be, and of those that hold what came of it.
PLANNED: Final = frozenset(
    [
        "plan",
        "planned",
        "budget",
        "budgeted",
        "target",
        "targeted",
        "goal",
        "forecast",
        "forecasted",
        "quota",
        "estimate",
        "estimated",
        "expected",
        "projected",
        "projection",
        "allotted",
        "allocated",
        "allowance",
        "scheduled",
    ]
)
_REAL: Final = frozenset(
    [
        "actual",
        "actuals",
        "real",
        "realised",
        "realized",
        "achieved",
        "attained",
        "spent",
        "spend",
        "spending",
        "done",
        "result",
        "sold",
        "reached",
        "closed",
        "billed",
        "logged",
        "worked",
        "used",
        "produced",
        "made",
        "final",
    ]
)
_FILLING: Final = frozenset(
    [
        "amount",
        "total",
        "value",
        "number",
        "count",
        "sum",
        "in",
        "of",
        "the",
        "hours",
        "hour",
        "eur",
        "usd",
        "chf",
        "gbp",
        "k",
    ]
)


@dataclass(frozen=True, slots=True)
class PlanPair:
    """A measure that says what was planned, and the one of the same rows that came of it."""

    actual: FieldRef
    plan: FieldRef

    @property
    def excess(self) -> Arithmetic:
        """By how much more it was than planned."""
        return Arithmetic(operator="-", left=self.actual, right=self.plan)

    @property
    def shortfall(self) -> Arithmetic:
        """By how much less it was than planned."""
        return Arithmetic(operator="-", left=self.plan, right=self.actual)


def plan_pairs(vocabulary: Vocabulary) -> Iterator[PlanPair]:
    """The pairs of a model, one for each measure of something planned that has a counterpart."""
    for dataset in vocabulary.model.datasets:
        measures = {
            each.name: frozenset(map(singular, split_identifier(each.name)))
            for each in dataset.fields
            if each.role == "measure"
        }
        for plan, words in measures.items():
            if not PLANNED & words:
                continue
            actual = _counterpart(words, {n: w for n, w in measures.items() if not PLANNED & w})
            if actual is not None:
                made = (FieldRef(dataset=dataset.name, field=each) for each in (actual, plan))
                yield PlanPair(*made)


def _counterpart(planned: frozenset[str], others: dict[str, frozenset[str]]) -> str | None:
    """The measure that has the words of a planned one, or a word for what came of it."""
    about = planned - PLANNED - _FILLING
    usual = [singular(each) for word in planned & PLANNED for each in limited_by([word])]
    best: tuple[int, str] | None = None
    for name, words in others.items():
        of = words - _REAL - _FILLING
        real = bool((_REAL | set(usual)) & words)
        if words == planned - PLANNED or (about and about == of):
            rank = 0 if real else 1
        elif real and (not about or not of or about & of):
            rank = 2
        elif about and about <= words:
            rank = 3
        else:
            continue
        if best is None or rank < best[0]:
            best = rank, name
    return None if best is None else best[1]
