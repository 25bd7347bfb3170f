"""What matters most for a column: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.supervised import Supervised


class FeatureImportance(Supervised):
    """A column, and those whose importance for it is measured."""

    method: ClassVar[str] = "feature_importance"
