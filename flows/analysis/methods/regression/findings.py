"""What a regression finds: the coefficients of its terms, or what it expects at given values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn, OfRows
from flows.analysis.telling.told import Told

_Given = Annotated[
    tuple[Told, ...], InColumn(lambda study: [name for name, _ in study.arguments.at])
]


@dataclass(frozen=True, kw_only=True)
class RegressionTerm(OfRows):
    """A term of a regression and its coefficient."""

    term: Told
    coefficient: Told
    p_value: Told | None = None

    @property
    def words(self) -> str:
        p = self.p_value
        chance = f" (p = {p.text()})" if p and p.value is not None else ""
        return f"{self.term.text()}: {self.coefficient.text()}{chance}"


@dataclass(frozen=True, kw_only=True)
class LinearTerm(RegressionTerm):
    """A term of a linear regression, which explains `r2` of the variance."""

    r2: Told


@dataclass(frozen=True, kw_only=True)
class LogisticTerm(RegressionTerm):
    """A term of a logistic regression of the odds of `positive`."""

    positive: Told
    accuracy: Told
    auc: Told


@dataclass(frozen=True, kw_only=True)
class Prediction(OfRows):
    """What a linear regression expects where columns have the given values."""

    given: _Given
    predicted: Told
    lower: Told
    upper: Told
    r2: Told


@dataclass(frozen=True, kw_only=True)
class Probability(OfRows):
    """How likely a logistic regression takes `positive` to be where columns have given values."""

    given: _Given
    positive: Told
    probability: Told
