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
from flows.analysis.reading.queries import query_of
from flows.analysis.requests.plans import BeyondPlans, plan_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, FieldRef, MetricRef, Query
from flows.semantics.request import Analysis, Argument, Chart
from flows.semantics.row_values import NoRowHasIt, of_a_row
from flows.semantics.series import is_series
from flows.semantics.tree import parts


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
    """What a specification asks for. Raises LookupError for a chart as `query_of`, and NoRowHasIt
    for a metric that is a figure of many rows."""
    if study.chart is not None:
        return Chart(of=request_of(study.chart, model), type=study.style)
    table = study.table
    rows = Plan("rows", table.source, table.name, table.dialect, (), filters=study.filters)
    given = given_to(study.arguments, table.name)
    return Analysis(
        method=study.arguments.method,
        over=query_of(rows, model),
        arguments=tuple(_with_metrics(each, model) for each in given),
    )


def _with_metrics(argument: Argument, model: SemanticModel) -> Argument:
    """An argument with metrics where it names what is no field of its dataset but a metric."""

    def name(value: Expression) -> Expression:
        dataset = model.dataset(value.dataset) if isinstance(value, FieldRef) else None
        if not isinstance(value, FieldRef) or dataset is None or dataset.find(value.field):
            return value
        metric = model.metric(value.field)
        if metric is None or metric.dataset != dataset.name:
            return value
        of_a_row(metric)
        return MetricRef(metric=metric.name)

    return argument.model_copy(update={"values": tuple(map(name, argument.values))})


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
        _check_metrics(request, model)
        arguments = arguments_for(request, dataset, table)
    except (ValueError, NoRowHasIt) as error:
        raise BeyondPlans(str(error)) from error
    return Specification(table, arguments, rows.filters)


def _check_metrics(request: Analysis, model: SemanticModel) -> None:
    """Raises NoRowHasIt where the arguments name a metric that rows do not have."""
    for each in parts(request.arguments):
        metric = model.metric(each.metric) if isinstance(each, MetricRef) else None
        if metric is not None:
            of_a_row(metric)


def _table(name: str, tables: Sequence[Table]) -> Table:
    return next(each for each in tables if each.name == name)
