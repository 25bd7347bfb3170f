"""What a request for an analysis or a chart means: its table, and its checked arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.compiler.frames import FrameLimit, filter_lines
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.chart.arguments import Chart as ChartArguments
from flows.analysis.methods.check import arguments_for
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.picture import field_name, figures_of, picture_query
from flows.analysis.methods.preparation import with_split
from flows.analysis.methods.specification import Specification
from flows.data.tables import Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.preparation import after_steps
from flows.semantics.query import MetricRef, Query
from flows.semantics.request import Analysis, Chart, Prepare
from flows.semantics.row_values import NoRowHasIt, of_a_row
from flows.semantics.tables import prepared
from flows.semantics.tree import parts


def dataset_of(request: Query | Analysis) -> str:
    """The dataset whose rows are asked for."""
    return request.dataset if isinstance(request, Query) else request.over.dataset


def study_of(
    request: Analysis | Chart,
    model: SemanticModel,
    tables: Sequence[Table],
    notes: tuple[str, ...] = (),
) -> Specification[Arguments]:
    """The specification of an analysis or a chart; a chart of an analysis is that analysis, which
    draws its picture itself.

    Raises MethodError for rows that a data frame cannot choose, and for a method that is not known
    or cannot be given these arguments.
    """
    if isinstance(request, Chart):
        if isinstance(request.of, Analysis):
            return study_of(request.of, model, tables, notes)
        return _chart(request, request.of, model, tables, notes)
    rows, dataset = request.over, model.dataset(request.over.dataset)
    table = _table(rows.dataset, tables)
    assert dataset is not None  # there is a table of it
    if rows != Query(dataset=rows.dataset, where=rows.where):
        raise MethodError(f"{request.method} takes rows as they are, and not what is made of them")
    try:
        filter_lines(rows.where, rows.dataset, model, today_of(model.calendar, tables))
        _check_metrics(request, model)
        arguments = arguments_for(request, dataset, table)
        others = [_table(each, tables) for each in arguments.others()]
        if faults := arguments.faults_beside(table, others):
            raise MethodError("; ".join(faults))
    except (ValueError, NoRowHasIt, FrameLimit) as error:
        raise MethodError(str(error)) from error
    return Specification(request, table, arguments, model, notes)


def _chart(
    request: Chart, of: Query, model: SemanticModel, tables: Sequence[Table], notes: tuple[str, ...]
) -> Specification[ChartArguments]:
    query = picture_query(of, model)
    figures = figures_of(query, model) if query.by else ()
    names = [e.metric if isinstance(e, MetricRef) else field_name(e) for e in figures]
    given = ChartArguments(
        fields=tuple(filter(None, names)),
        group=field_name(query.by[0]) if query.by else "",
    )
    drawn = request.model_copy(update={"of": query})
    return Specification(drawn, _table(of.dataset, tables), given, model, notes)


def study_of_prepared(
    prepare: Prepare, model: SemanticModel, tables: Sequence[Table]
) -> Specification[Arguments]:
    """The specification of the analysis of a working table. Raises MethodError as `study_of`."""
    assert isinstance(prepare.then, Analysis)
    after = after_steps(prepare, model)
    dataset = after.dataset(prepare.dataset)
    assert dataset is not None  # the preparation was checked
    study = study_of(prepare.then, after, prepared(tables, dataset))
    return replace(study, arguments=with_split(study.arguments, prepare))


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
