"""Tasks that came in words, from a person or a language model: what they ask for, read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.methods.analyses import analysis_of
from flows.analysis.methods.read import read_study
from flows.analysis.parser.exact import parse_exact
from flows.analysis.reading.read import Unread
from flows.analysis.requests.queries import query_of
from flows.analysis.team.abilities import Team
from flows.analysis.team.drawing import Drawing, read_drawing
from flows.analysis.team.modelling import read_model
from flows.analysis.team.questions import plan_of, read_question
from flows.analysis.team.results import profile_of
from flows.analysis.team.wording import plainly, undone
from flows.data.tables import Table
from flows.semantics.check import check
from flows.semantics.findings import Task
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, FieldRef, Query
from flows.semantics.request import Analysis, Chart, ChartType, Request
from flows.semantics.tables import model_of_result, with_metrics

_STYLES: Final[dict[str, ChartType]] = {
    "scatter": "scatter", "box": "box", "histogram": "histogram", "line": "line",
}  # fmt: skip


def exact_request(text: str, model: SemanticModel) -> Request | None:
    """What a task asks for that is said as ours are; None for one in other words."""
    found = parse_exact(text, model)
    return None if found is None or check(found, model) else found


def read_query(text: str, tables: Sequence[Table], model: SemanticModel) -> Query | Unread:
    """The query that a task asks for."""
    exact = exact_request(text, model)
    if isinstance(exact, Query):
        return exact
    found = read_question(text, with_metrics(tables, model))
    return found if isinstance(found, Unread) else query_of(plan_of(found), model)


def read_analysis(
    text: str, tables: Sequence[Table], model: SemanticModel, *, learns: bool
) -> Analysis | Chart | Unread:
    """The analysis that a task asks for, a model where it `learns`."""
    exact = exact_request(text, model)
    if isinstance(exact, Analysis):
        return exact
    if learns:
        learned = read_model(text, tables)
        return learned if isinstance(learned, Unread) else analysis_of(learned, model)
    plain = plainly(text, tables)
    first: Unread | None = None
    for each in dict.fromkeys((plain, undone(plain), text)):
        found = read_study(each, tables)
        if found is not None and not isinstance(found, Unread):
            return analysis_of(found, model)
        first = first or found
    return first or Unread("no word of it asks for a statistic that the rules know")


def read_chart(text: str, tables: Sequence[Table], model: SemanticModel) -> Chart | Unread:
    """The chart that a task asks for."""
    exact = exact_request(text, model)
    if isinstance(exact, Chart):
        return exact
    found = read_drawing(text, tables, given=False)
    return found if isinstance(found, Unread) else _chart_of(found, model)


def _chart_of(drawing: Drawing, model: SemanticModel) -> Chart:
    if drawing.study is not None:
        made = analysis_of(drawing.study, model)
        assert isinstance(made, Chart)
        return made
    named = (drawing.target, *drawing.columns, drawing.group)
    show = tuple(
        FieldRef(dataset=drawing.table.name, field=each) for each in (*named, drawing.time) if each
    )
    rows = Query(dataset=drawing.table.name, show=show)
    if drawing.kind == "line":
        by = tuple(each for each in show if each.field in (drawing.time, drawing.group))
        means = tuple(Aggregate(function="average", of=e) for e in show if e not in by)
        rows = Query(dataset=drawing.table.name, metrics=means, by=by[::-1])
    return Chart(of=rows, type=_STYLES.get(drawing.kind, "heatmap"))


def with_request(
    task: Task, team: Team, tables: Sequence[Table], model: SemanticModel, before: Sequence[Task]
) -> Task:
    """The task with what it asks for, read of its words where nobody has; as it is where that
    cannot be read. A chart may also be of what an earlier query gives."""
    if task.request is not None:
        return task
    found: Request | Unread | None = None
    if task.name == team.queries:
        found = read_query(task.description, tables, model)
    elif task.name in (team.computes, team.learns):
        learns = task.name == team.learns
        found = read_analysis(task.description, tables, model, learns=learns)
    elif task.name == team.draws:
        found = read_chart(task.description, tables, model)
        if isinstance(found, Unread):
            found = _chart_of_result(task.description, tables, model, before)
    if found is None or isinstance(found, Unread):
        return task
    return task.model_copy(update={"request": found})


def _chart_of_result(
    text: str, tables: Sequence[Table], model: SemanticModel, before: Sequence[Task]
) -> Chart | None:
    for each in reversed(before):
        query = each.request
        if not isinstance(query, Query) or not query.metrics:
            continue
        result = profile_of(query, tables, model)
        found = read_chart(text, [result], model_of_result(result))
        if not isinstance(found, Unread):
            return Chart(of=query, type=found.type)
    return None
