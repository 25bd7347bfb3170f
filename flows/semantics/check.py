"""Whether a request can be answered from a semantic model, and if not, why not."""

from __future__ import annotations

from dataclasses import replace

from flows.semantics.kinds import columns_of, kind_of, parts, value_kind
from flows.semantics.model import SemanticModel
from flows.semantics.node import Node
from flows.semantics.preparation import after_step, new_fields
from flows.semantics.query import FieldRef, MetricRef, Query
from flows.semantics.request import (
    Analysis,
    Chart,
    Compound,
    Derive,
    Describe,
    Encode,
    Impute,
    Keep,
    Prepare,
    Request,
    Split,
    Step,
    Unparsed,
)
from flows.semantics.rules.expressions import check_expression, check_reference, demand
from flows.semantics.rules.predicates import alike, check_predicate
from flows.semantics.rules.queries import check_query
from flows.semantics.rules.spot import RequestProblem, Spot


def check(request: Request, model: SemanticModel) -> tuple[RequestProblem, ...]:
    """The problems of a request; none where it can be compiled and answered."""
    spot = Spot(model, [], check_query, check_predicate)
    _check_request(request, spot)
    return tuple(dict.fromkeys(spot.problems))


def _check_request(request: Request, spot: Spot) -> None:
    match request:
        case Query():
            check_query(request, spot)
        case Analysis():
            _check_analysis(request, spot)
        case Chart():
            _check_chart(request, spot)
        case Describe():
            _check_description(request, spot)
        case Prepare():
            _check_preparation(request, spot)
        case Compound():
            for number, each in enumerate(request.requests):
                _check_request(each, spot.at(f"requests[{number}]"))
        case Unparsed():
            if request.understood is not None:
                _check_request(request.understood, spot.at("understood"))
            for number, each in enumerate(request.nearest):
                _check_request(each, spot.at(f"nearest[{number}]"))


def _check_analysis(analysis: Analysis, spot: Spot) -> None:
    """Names of things only: what arguments a method takes, its own model says."""
    check_query(analysis.over, spot.at("over"))
    rows = replace(spot, dataset=analysis.over.dataset)
    names = [each.name for each in analysis.arguments]
    if len(set(names)) < len(names):
        spot.at("arguments").report("an argument is given twice")
    for number, argument in enumerate(analysis.arguments):
        for place, each in enumerate(argument.values):
            _check_names(each, rows.at(f"arguments[{number}].values[{place}]"))


def _check_names(node: Node, spot: Spot) -> None:
    """Report the fields, metrics and datasets of a node that do not exist."""
    if isinstance(node, FieldRef):
        if spot.model.dataset(spot.dataset) is not None:
            check_reference(node, spot)
        return
    if isinstance(node, Query):
        check_query(node, spot)
        return
    if isinstance(node, MetricRef):
        spot.find_metric(node.metric)
    inner = str(getattr(node, "dataset", ""))
    if inner and spot.find_dataset(inner) is not None:
        spot = replace(spot, dataset=inner)
    for name, part in parts(node):
        _check_names(part, spot.at(name))


def _check_chart(chart: Chart, spot: Spot) -> None:
    _check_request(chart.of, spot.at("of"))
    axes = {"x": chart.x, "y": chart.y, "color": chart.color}
    for name, axis in axes.items():
        if axis is None:
            continue
        if isinstance(chart.of, Analysis):
            _check_names(axis, replace(spot, dataset=chart.of.over.dataset).at(name))
        elif axis not in columns_of(chart.of, spot.model):
            spot.at(name).report("what is drawn is no column of the query")


def _check_description(asked: Describe, spot: Spot) -> None:
    dataset = spot.at("dataset").find_dataset(asked.dataset) if asked.dataset else None
    if asked.field and dataset is not None:
        spot.at("field").check_field(dataset, asked.field)
    if asked.metric:
        spot.at("metric").find_metric(asked.metric)
    if asked.subject in ("profile", "columns", "values") and not asked.dataset:
        spot.at("dataset").report(f"the {asked.subject} of a dataset are wanted, and none is named")
    if asked.field and not asked.dataset:
        spot.at("dataset").report("the dataset of the field is not named")
    if asked.subject == "values" and not asked.field:
        spot.at("field").report("the values of a field are wanted, and none is named")
    if asked.subject == "definition" and not (asked.metric or asked.dataset):
        spot.report("the definition of a metric, a field or a dataset is wanted: name one")


def _check_preparation(prepare: Prepare, spot: Spot) -> None:
    dataset = spot.at("dataset").find_dataset(prepare.dataset)
    if dataset is None:
        return
    for number, step in enumerate(prepare.steps):
        rows = replace(spot, dataset=prepare.dataset, reached=frozenset())
        spot = replace(spot, model=_check_step(step, rows.at(f"steps[{number}]")))
    over = prepare.then if isinstance(prepare.then, Query) else prepare.then.over
    if over.dataset != prepare.dataset:
        spot.at("then").report(f"{prepare.dataset} is prepared, and {over.dataset} is asked about")
    _check_request(prepare.then, spot.at("then"))


def _check_step(step: Step, spot: Spot) -> SemanticModel:
    """The model as it is after a step; what is wrong with the step is reported."""
    before = len(spot.problems)
    match step:
        case Derive():
            check_expression(step.of, spot.at("of"))
            if not step.name.strip():
                spot.at("name").report("a new column needs a name")
        case Keep():
            check_predicate(step.where, spot.at("where"))
        case Encode():
            check_reference(step.field, spot.at("field"))
            _check_own(step.field, spot.at("field"))
        case Impute():
            check_reference(step.field, spot.at("field"))
            _check_own(step.field, spot.at("field"))
            _check_filling(step, spot)
        case Split():
            pass
    if len(spot.problems) == before:
        _check_new_columns(step, spot)
    if len(spot.problems) > before:
        return spot.model
    return after_step(step, spot.dataset, spot.model)


def _check_own(field: FieldRef, spot: Spot) -> None:
    if field.dataset != spot.dataset or field.via:
        spot.report(f"{spot.dataset} is prepared, and {field.field} is of {field.dataset}")


def _check_new_columns(step: Step, spot: Spot) -> None:
    """Report new columns that cannot be made, or have the name of another one."""
    dataset = spot.model.dataset(spot.dataset)
    assert dataset is not None
    known = {each.name.casefold() for each in dataset.fields}
    made = new_fields(step, dataset, spot.model)
    if isinstance(step, Encode) and step.way == "one-hot" and not made:
        spot.at("field").report(f"the values of {step.field.field} are not known, so that there "
                                "cannot be a column for each of them")  # fmt: skip
    for each in made:
        if each.name.casefold() in known:
            place = spot.at("name") if isinstance(step, Derive) else spot
            place.report(f"{dataset.name} has a field {each.name} already")
        known.add(each.name.casefold())


def _check_filling(step: Impute, spot: Spot) -> None:
    if step.way in ("mean", "median"):
        demand(step.field, ("number",), f"a {step.way} is of numbers", spot.at("field"))
    if (step.way == "value") != (step.value is not None):
        spot.at("value").report("a value is given where missing ones are filled with a value")
    elif step.value is not None:
        kinds = kind_of(step.field, spot.model), value_kind(step.value.value)
        if kinds[0] is not None and not alike(str(kinds[0]), str(kinds[1])):
            spot.at("value").report(f"a {kinds[1]} cannot stand in a column of {kinds[0]}")
