"""A study of a table as an analysis or a chart, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, cast

from flows.analysis.methods.specification import Study
from flows.analysis.plan import Plan
from flows.analysis.requests.plans import plan_of
from flows.analysis.requests.queries import query_of
from flows.core.observation import Cell
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Constant, Expression, FieldRef, Query
from flows.semantics.request import Analysis, Argument, Chart, ChartType, Request

TREND: Final = "trend"
# Arguments that every method may have; any other is a setting of its own.
_COLUMNS, _TARGET, _GROUP, _TIME = "columns", "target", "group", "time"
_VARIANT, _NUMBER, _AT, _AT_VALUES = "variant", "number", "at", "at values"
_COMMON: Final = frozenset(
    [_COLUMNS, _TARGET, _GROUP, _TIME, _VARIANT, _NUMBER, _AT, _AT_VALUES]
)  # fmt: skip


def is_query(request: Request) -> bool:
    """Whether one query answers it: a query, or the trend of one."""
    return isinstance(request, Query) or (isinstance(request, Analysis) and request.method == TREND)


def dataset_of(request: Query | Analysis) -> str:
    """The dataset whose rows are asked for."""
    return request.dataset if isinstance(request, Query) else request.over.dataset


def request_of(plan: Plan, model: SemanticModel) -> Query | Analysis:
    """What a plan asks for: a query, or the trend of one. Raises LookupError as `query_of`."""
    query = query_of(plan, model)
    return Analysis(method=TREND, over=query) if plan.kind == "trend" else query


def plan_for(
    request: Query | Analysis, model: SemanticModel, tables: Sequence[Table], width: int = 0
) -> Plan:
    """The plan of a query or of the trend of one; for a result of `width` columns without its
    evidence, if that was left out. Raises BeyondPlans."""
    query, trend = (request, False) if isinstance(request, Query) else (request.over, True)
    plan = plan_of(query, model, tables, trend=trend)
    return replace(plan, evidence=()) if len(plan.select) == width else plan


def analysis_of(study: Study, model: SemanticModel) -> Analysis | Chart:
    """What a study asks for. Raises LookupError for a chart as `query_of`."""
    if study.chart is not None:
        made = request_of(study.chart, model)
        return Chart(of=made, type=cast(ChartType, study.method))
    table = study.table
    rows = Plan("rows", table.source, table.name, table.dialect, (), filters=study.filters)
    fields = [
        (_COLUMNS, study.columns),
        (_TARGET, _named(study.target)),
        (_GROUP, _named(study.group)),
        (_TIME, _named(study.time)),
        (_AT, tuple(name for name, _ in study.at)),
    ]
    values: list[tuple[str, tuple[Cell, ...]]] = [
        (_VARIANT, _named(study.method)),
        (_NUMBER, (study.number,) if study.number else ()),
        (_AT_VALUES, tuple(value for _, value in study.at)),
        *((name, (value,)) for name, value in study.settings),
    ]
    arguments = [
        _argument(n, [FieldRef(dataset=table.name, field=f) for f in f_]) for n, f_ in fields
    ]
    arguments += [_argument(name, [Constant(value=each) for each in v]) for name, v in values]
    return Analysis(
        method=study.kind,
        over=query_of(rows, model),
        arguments=tuple(each for each in arguments if each.values),
    )


def study_of(request: Analysis | Chart, model: SemanticModel, tables: Sequence[Table]) -> Study:
    """The study that an analysis or a chart asks for. Raises BeyondPlans."""
    if isinstance(request, Chart):
        plan = plan_for(request.of, model, tables)
        return Study("chart", _table(plan.table, tables), method=request.type, chart=plan)
    rows = plan_of(request.over, model, tables)
    own = [each for each in request.arguments if each.name not in _COMMON]
    return Study(
        request.method,
        _table(rows.table, tables),
        request.fields(_COLUMNS),
        target=_first(request.fields(_TARGET)),
        group=_first(request.fields(_GROUP)),
        filters=rows.filters,
        method=request.text(_VARIANT),
        number=int(request.text(_NUMBER) or 0),
        time=_first(request.fields(_TIME)),
        settings=tuple((each.name, request.text(each.name)) for each in own),
        at=tuple(zip(request.fields(_AT), _cells(request.values(_AT_VALUES)), strict=True)),
    )


def _argument(name: str, values: Iterable[Expression]) -> Argument:
    return Argument(name=name, values=tuple(values))


def _named(name: str) -> tuple[str, ...]:
    return (name,) if name else ()


def _first(names: Sequence[str]) -> str:
    return names[0] if names else ""


def _cells(values: Iterable[Expression]) -> list[Cell]:
    return [each.value for each in values if isinstance(each, Constant)]


def _table(name: str, tables: Sequence[Table]) -> Table:
    return next(each for each in tables if each.name == name)
