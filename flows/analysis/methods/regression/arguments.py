"""Linear and logistic regressions: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from flows.analysis.methods.arguments import Numbers, plots
from flows.analysis.methods.supervised import Supervised
from flows.data.tables import Table


class Regression(Supervised):
    """What is explained by what, and the values `at` which it is predicted."""

    method: ClassVar[str] = "regression"

    variant: Literal["linear", "logistic"] = "linear"
    at: tuple[tuple[Numbers, int | float], ...] = ()

    def limits(self, table: Table) -> tuple[str, ...]:
        target = next(each for each in table.columns if each.name == self.target)
        if self.target in dict(self.at):
            return (f"{self.target} is both to be predicted and given",)
        if self.variant == "logistic" and target.distinct != 2:
            return (f"{target.name} has {target.distinct} values, and a logistic regression is "
                    "about two",)  # fmt: skip
        if self.variant == "linear" and not plots(target):
            return (f"{target.name} has {target.distinct} values and holds no numbers, and a "
                    "linear regression needs numbers, a logistic one two values",)  # fmt: skip
        return super().limits(table)
