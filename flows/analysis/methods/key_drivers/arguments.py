"""What drives a column: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from flows.analysis.methods.supervised import Supervised


class KeyDrivers(Supervised):
    """What is learned, from what, and by which model (empty: the best of several)."""

    method: ClassVar[str] = "key_drivers"

    model: Literal[
        "", "random forest", "gradient boosting", "linear regression", "logistic regression"
    ] = ""
