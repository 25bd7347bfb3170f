"""What all parts of a statement are written with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from flows.data.tables import Dialect
from flows.semantics.model import Dataset, Metric, SemanticField, SemanticModel
from flows.semantics.query import Query


@dataclass(frozen=True, slots=True)
class StatementContext:
    """The model, the database, and today; `compile` gives the statement of a query inside."""

    model: SemanticModel
    dialect: Dialect
    today: date
    compile: Callable[[Query], exp.Query]

    def dataset(self, name: str) -> Dataset:
        found = self.model.dataset(name)
        assert found is not None, f"the request was not checked: there is no dataset {name}"
        return found

    def field(self, dataset: str, name: str) -> SemanticField:
        found = self.dataset(dataset).find(name)
        assert found is not None, f"the request was not checked: {dataset} has no field {name}"
        return found

    def metric(self, name: str) -> Metric:
        found = self.model.metric(name)
        assert found is not None, f"the request was not checked: there is no metric {name}"
        return found
