"""What key drivers are: the columns that a model cannot do without."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class KeyDriver:
    """How much worse a model gets without a column, and what more of it goes with."""

    feature: Told
    importance: Told
    effect: Told
