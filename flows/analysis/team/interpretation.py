"""Tasks that came in words, from a person or a language model: what they ask for, read once."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.method import MethodError
from flows.analysis.methods.prediction.arguments import Prediction
from flows.analysis.methods.predictive_model.arguments import PredictiveModel
from flows.analysis.methods.regression.arguments import Regression
from flows.analysis.methods.supervised import Supervised, is_class, may_explain
from flows.analysis.parser.exact import parse_exact
from flows.analysis.team.abilities import Team
from flows.analysis.team.results import profile_of
from flows.analysis.team.task_text import plain_task
from flows.data.tables import Table
from flows.semantics.check import check
from flows.semantics.findings import Task
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, FieldRef, Order, Query
from flows.semantics.request import REQUEST, Analysis, Chart, Request, Unparsed
from flows.semantics.tables import model_of_result


def read_task(text: str, tables: Sequence[Table], model: SemanticModel) -> Request:
    """What a task asks of tables, as the analyst reads it; `Unparsed` where it cannot be read."""
    exact = parse_exact(text, model)
    if exact is not None and not check(exact, model):
        return exact
    proposal = Analyst(tuple(tables), model).propose(plain_task(text, tables))
    if proposal["request"] is not None:
        return REQUEST.validate_python(proposal["request"])
    asked = (proposal["clarify"] or {}).get("question")
    reason = proposal["cannot"] or asked or "It asks for nothing that can be computed."
    return Unparsed(text=text, reason=reason)


def query_in(asked: Request) -> Query | None:
    """The query of a request: of an analysis, that of the rows and columns that it is about."""
    if isinstance(asked, Chart):
        return query_in(asked.of)
    if not isinstance(asked, Analysis):
        return asked if isinstance(asked, Query) else None
    fields = (value for each in asked.arguments for value in each.values)
    show = dict.fromkeys(each for each in fields if isinstance(each, FieldRef))
    return asked.over.model_copy(update={"show": tuple(show)})


def chart_in(asked: Request) -> Chart | None:
    """A picture of what is asked for: of a pair that is correlated its points, of what goes along
    a time its course."""
    if isinstance(asked, Query):
        return Chart(of=asked)
    if not isinstance(asked, Analysis):
        return asked if isinstance(asked, Chart) else None
    time, fields = asked.values("time"), asked.values("fields")
    if not time and asked.method != "correlation":
        return Chart(of=asked)
    if not time and len(fields) == 2:
        return Chart(of=asked.over.model_copy(update={"show": fields}), type="scatter")
    if not time:
        return Chart(of=asked, type="heatmap")
    groups = (*time, *asked.values("group"))
    means = tuple(Aggregate(function="average", of=each) for each in fields)
    orders = tuple(Order(by=each) for each in groups)
    course = asked.over.model_copy(update={"metrics": means, "by": groups, "sort": orders})
    return Chart(of=course, type="line")


def model_for(asked: Request, tables: Sequence[Table], model: SemanticModel) -> Analysis | None:
    """What the modeller makes of a model, a regression or importances: the drivers of its target;
    of predictions, these. Where all columns are taken, those that only say when are left out."""
    if not isinstance(asked, Analysis):
        return None
    study = study_of(asked, model, tables)
    given = study.arguments
    if isinstance(given, KeyDrivers | Prediction):
        return asked
    if not isinstance(given, Supervised):
        return None
    known = {each.name: each for each in study.table.columns}
    able = [c for c in known.values() if c.name != given.target and may_explain(c)]
    when = {c.name for c in able if c.role == "time"}
    every = {c.name for c in able} <= set(given.fields) and len(when) < len(able)
    drivers = KeyDrivers.model_validate({
        "target": given.target,
        "fields": tuple(each for each in given.fields if not every or each not in when),
        "classes": given.classes or is_class(known[given.target]),
        "model": _kind_of_model(given),
    })  # fmt: skip
    made = study.with_arguments(drivers).request
    assert isinstance(made, Analysis)
    return made


def _kind_of_model(given: Supervised) -> str:
    """The kind of model that was asked for; empty where the choice is left."""
    if isinstance(given, Regression):
        return f"{given.variant} regression"
    return given.model if isinstance(given, PredictiveModel) else ""


def with_request(
    task: Task, team: Team, tables: Sequence[Table], model: SemanticModel, before: Sequence[Task]
) -> Task:
    """The task with what it asks for, read of its words where nobody has: `Unparsed` for what
    its agent cannot work on. A chart may also be of what an earlier query gives."""
    able = (team.queries, team.computes, team.learns, team.draws)
    if task.request is not None or task.name not in able:
        return task
    asked = read_task(task.description, tables, model)
    found = _fitted(asked, task.name, team, tables, model)
    if found is None and task.name == team.draws:
        found = _chart_of_result(task.description, tables, model, before)
    if found is None:
        found = _unusable(asked, task)
    return task.model_copy(update={"request": found})


def _unusable(asked: Request, task: Task) -> Unparsed:
    """What was read of a task and is nothing for its agent, so that nobody reads it again."""
    if isinstance(asked, Unparsed):
        return asked
    reason = f"It is no task for {task.name}."
    return Unparsed(text=task.description, reason=reason, understood=asked)


def _fitted(
    asked: Request, agent: str, team: Team, tables: Sequence[Table], model: SemanticModel
) -> Request | None:
    """A request as an agent works on it; None for one that it cannot work on."""
    if agent == team.queries:
        return query_in(asked)
    if agent == team.draws:
        return chart_in(asked)
    if agent == team.learns:
        try:
            return model_for(asked, tables, model)
        except MethodError:
            return None
    return asked if isinstance(asked, Query | Analysis) else query_in(asked)


def _chart_of_result(
    text: str, tables: Sequence[Table], model: SemanticModel, before: Sequence[Task]
) -> Chart | None:
    for each in reversed(before):
        query = each.request
        if isinstance(query, Query) and query.metrics:
            result = profile_of(query, tables, model)
            found = chart_in(read_task(text, [result], model_of_result(result)))
            if found is not None:
                return Chart(of=query, type=found.type)
    return None
