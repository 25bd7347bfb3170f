"""Requests over the table that a task is given: what was asked of the run's data, asked of that."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from flows.analysis.compiler.names import expression_name
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.specification import Specification
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    FieldRef,
    Period,
    Query,
)
from flows.semantics.request import Analysis, Request
from flows.semantics.tables import model_of_result
from flows.semantics.tree import changed

_NOTHING = SemanticModel(datasets=())


def localized(asked: Request, data: Table) -> Request:
    """The same of one table. What has a column of its own there is that column, whether it is a
    field or was computed; an analysis of figures is one of the rows that they are there."""
    names = {each.name for each in data.columns}

    def place(node: BaseModel) -> BaseModel:
        if isinstance(node, FieldRef):
            far = f"{node.dataset}_{node.field}"
            field = far if node.field not in names and far in names else node.field
            return FieldRef(dataset=data.name, field=field)
        if isinstance(node, Aggregate | Period | Arithmetic):
            name = expression_name(node, _NOTHING)
            return FieldRef(dataset=data.name, field=name) if name in names else node
        if isinstance(node, Query):
            update: dict[str, object] = {"dataset": data.name}
            if node.metrics and all(isinstance(each, FieldRef) for each in node.metrics):
                update |= {"where": None, "having": None, "rank": None}  # it holds of what is there
            return node.model_copy(update=update)
        if isinstance(node, Analysis) and (node.over.metrics or node.over.by):
            return node.model_copy(update={"over": Query(dataset=data.name)})
        return node

    return changed(asked, place)


def specified(
    asked: Analysis, data: Table | None, tables: Sequence[Table], model: SemanticModel
) -> Specification[Arguments]:
    """What an analysis computes of the table of a task, or of the run's tables without one.

    Raises ValueError with what hinders it, in words.
    """
    try:
        if data is None:
            return study_of(asked, model, tables)
        local = localized(asked, data)
        assert isinstance(local, Analysis)
        return study_of(local, model_of_result(data), (data,))
    except (LookupError, MethodError) as error:
        raise ValueError(str(error)) from error
