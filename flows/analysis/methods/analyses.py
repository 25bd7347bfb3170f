"""What was read of a table as an analysis or a chart, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.chart.arguments import Chart as ChartArguments
from flows.analysis.methods.check import arguments_for
from flows.analysis.methods.given import given_to
from flows.analysis.methods.specification import Specification
from flows.analysis.plan import Plan
from flows.analysis.requests.plans import BeyondPlans, plan_of
from flows.analysis.requests.queries import query_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Request
from flows.semantics.series import is_series


def is_query(request: Request) -> bool:
    """Whether one query answers it."""
    return isinstance(request, Query)


def dataset_of(request: Query | Analysis) -> str:
    """The dataset whose rows are asked for."""
    return request.dataset if isinstance(request, Query) else request.over.dataset


def request_of(plan: Plan, model: SemanticModel) -> Query | Analysis:
    """What a plan asks for. Raises LookupError as `query_of`."""
    return query_of(plan, model)


def plan_for(
    request: Query | Analysis, model: SemanticModel, tables: Sequence[Table], width: int = 0
) -> Plan:
    """The plan of a query; for a result of `width` columns without its evidence, if that was
    left out. Raises BeyondPlans."""
    query = request if isinstance(request, Query) else request.over
    plan = plan_of(query, model, tables, trend=is_series(query, model))
    return replace(plan, evidence=()) if len(plan.select) == width else plan


def analysis_of(study: Specification[Arguments], model: SemanticModel) -> Analysis | Chart:
    """What a specification asks for. Raises LookupError for a chart as `query_of`."""
    if study.chart is not None:
        return Chart(of=request_of(study.chart, model), type=study.style)
    table = study.table
    rows = Plan("rows", table.source, table.name, table.dialect, (), filters=study.filters)
    return Analysis(
        method=study.arguments.method,
        over=query_of(rows, model),
        arguments=given_to(study.arguments, table.name),
    )


def study_of(
    request: Analysis | Chart, model: SemanticModel, tables: Sequence[Table]
) -> Specification[Arguments]:
    """The specification of an analysis or a chart. Raises BeyondPlans for rows that no plan can
    choose, and for a method that is not known or cannot be given these arguments."""
    if isinstance(request, Chart):
        plan = plan_for(request.of, model, tables)
        return Specification(
            _table(plan.table, tables), ChartArguments(style=request.type), chart=plan
        )
    rows = plan_of(request.over, model, tables)
    table, dataset = _table(rows.table, tables), model.dataset(request.over.dataset)
    assert dataset is not None  # the plan is of its rows
    try:
        arguments = arguments_for(request, dataset, table)
    except ValueError as error:
        raise BeyondPlans(str(error)) from error
    return Specification(table, arguments, rows.filters)


def _table(name: str, tables: Sequence[Table]) -> Table:
    return next(each for each in tables if each.name == name)
