"""What was read of a table as an analysis or a chart, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler.frames import FrameLimit, filter_lines
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.chart.arguments import Chart as ChartArguments
from flows.analysis.methods.check import arguments_for
from flows.analysis.methods.given import given_to
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.picture import picture_query
from flows.analysis.methods.specification import Specification
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, FieldRef, MetricRef, Query
from flows.semantics.request import Analysis, Argument, Chart
from flows.semantics.row_values import NoRowHasIt, of_a_row
from flows.semantics.tree import parts


def dataset_of(request: Query | Analysis) -> str:
    """The dataset whose rows are asked for."""
    return request.dataset if isinstance(request, Query) else request.over.dataset


def analysis_of(study: Specification[Arguments], model: SemanticModel) -> Analysis | Chart:
    """What a specification asks for. Raises NoRowHasIt for a metric that is a figure of many
    rows."""
    if study.chart is not None:
        return Chart(of=study.chart, type=study.style)
    given = given_to(study.arguments, study.table.name)
    return Analysis(
        method=study.arguments.method,
        over=study.rows,
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
    """The specification of an analysis or a chart.

    Raises MethodError for rows that a data frame cannot choose, and for a method that is not known
    or cannot be given these arguments.
    """
    if isinstance(request, Chart):
        if isinstance(request.of, Analysis):
            return study_of(request.of, model, tables)
        table = _table(request.of.dataset, tables)
        given = ChartArguments(style=request.type)
        return Specification(table, given, chart=picture_query(request.of, model))
    rows, dataset = request.over, model.dataset(request.over.dataset)
    table = _table(rows.dataset, tables)
    assert dataset is not None  # there is a table of it
    if rows != Query(dataset=rows.dataset, where=rows.where):
        raise MethodError(f"{request.method} takes rows as they are, and not what is made of them")
    try:
        filter_lines(rows.where, rows.dataset, model)
        _check_metrics(request, model)
        arguments = arguments_for(request, dataset, table)
    except (ValueError, NoRowHasIt, FrameLimit) as error:
        raise MethodError(str(error)) from error
    return Specification(table, arguments, rows.where)


def _check_metrics(request: Analysis, model: SemanticModel) -> None:
    """Raises NoRowHasIt where the arguments name a metric that rows do not have."""
    for each in parts(request.arguments):
        metric = model.metric(each.metric) if isinstance(each, MetricRef) else None
        if metric is not None:
            of_a_row(metric)


def _table(name: str, tables: Sequence[Table]) -> Table:
    found = next((each for each in tables if each.name == name), None)
    if found is None:
        raise MethodError(f"there is no table {name}")
    return found
