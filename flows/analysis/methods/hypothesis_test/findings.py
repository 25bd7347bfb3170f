"""What a test finds: whether groups differ, or two columns depend on each other, by more than
chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn, OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """What a test says of two columns, or of the groups of one."""

    test: Told
    statistic: Told
    p_value: Told
    significant: Told
    effect: Told
    effect_size: Told

    @property
    def words(self) -> str:
        return (
            f"{self.test.text()}: statistic {self.statistic.text()}, p = {self.p_value.text()}; "
            f"{self.effect.text()} {self.effect_size.text()}"
        )


@dataclass(frozen=True, kw_only=True)
class TestedMean(Dependence, OfRows):
    """A mean beside the value that it is tested against."""

    column: Told
    mean: Told
    hypothesis: Told


@dataclass(frozen=True, kw_only=True)
class GroupMean(Dependence):
    """The mean of a group, or of one of the columns that are compared."""

    name: Annotated[Told, InColumn(lambda study: study.group or "column")]
    mean: Told
    median: Told
    rows: Told
