"""What the importances of columns find: what a model would lose without each."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Importance(OfRows):
    """How much worse a model gets without a column; `score` is how good it is with all of them."""

    feature: Told
    importance: Told
    score: Told
