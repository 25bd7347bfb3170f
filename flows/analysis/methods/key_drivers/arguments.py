"""What drives a column: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from flows.analysis.methods.arguments import AnyColumn
from flows.analysis.methods.supervised import Supervised


class KeyDrivers(Supervised):
    """What is learned, from what, and by which model (empty: the best of several). Those of `kin`,
    such as money beside money, may be parts of the target, which explain nothing."""

    method: ClassVar[str] = "key_drivers"

    model: Literal[
        "", "random forest", "gradient boosting", "linear regression", "logistic regression"
    ] = ""
    kin: tuple[AnyColumn, ...] = ()
