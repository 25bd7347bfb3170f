"""Models that are tested on rows that they have not seen: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.supervised import Supervised
from flows.data.tables import Table

LEAST_ROWS = 20


class PredictiveModel(Supervised):
    """What is predicted, from what, and by which model (empty: the better one); which part of the
    rows is held out, and the seed of the chance by which."""

    method: ClassVar[str] = "predictive_model"

    model: Literal["", "random forest", "linear regression", "logistic regression"] = ""
    test: float = Field(default=0.25, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)

    def limits(self, table: Table) -> tuple[str, ...]:
        wrong = "linear regression" if self.classes else "logistic regression"
        if self.model == wrong:
            return (f"a {wrong} cannot learn {self.target}",)
        if table.rows < LEAST_ROWS:
            return (
                f"{table.name} has {table.rows} rows, too few for a model that is tested on rows "
                f"it has not seen: it needs {LEAST_ROWS}",
            )
        return super().limits(table)
