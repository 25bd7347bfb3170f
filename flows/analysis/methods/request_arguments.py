"""The arguments of a method as a request carries them: fields and values under names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import ValidationError

from flows.analysis.methods.arguments import A, Arguments, reasons
from flows.semantics.model import SemanticModel
from flows.semantics.query import Constant, Expression, FieldRef, MetricRef
from flows.semantics.request import Argument
from flows.semantics.row_values import of_a_row


def given_to(arguments: Arguments, dataset: str, model: SemanticModel) -> tuple[Argument, ...]:
    """What differs from the defaults, under the names of the method's model: columns as fields of
    the dataset, or as metrics where they are none, all else as values. Pairs stand one after the
    other. Raises NoRowHasIt for a metric that is a figure of many rows."""
    columns = {(at, name) for at, name, _ in arguments.named()}
    found = []
    for name, field in type(arguments).model_fields.items():
        value = getattr(arguments, name)
        if value == field.default and type(value) is type(field.default):  # 1 is not True
            continue
        values = tuple(
            _column(each, dataset, model) if (name, each) in columns else Constant(value=each)
            for each in _flat(value)
        )
        found.append(Argument(name=name, values=values))
    return tuple(found)


def _column(name: str, dataset: str, model: SemanticModel) -> FieldRef | MetricRef:
    home, metric = model.dataset(dataset), model.metric(name)
    if home is None or home.find(name) or metric is None or metric.dataset != dataset:
        return FieldRef(dataset=dataset, field=name)
    of_a_row(metric)
    return MetricRef(metric=name)


def given_from(model: type[A], arguments: Sequence[Argument]) -> A:
    """The arguments of a method. Raises ValueError with what is wrong with them, in words."""
    hints = get_type_hints(model)
    plain = {each.name: _value(each, hints.get(each.name)) for each in arguments}
    try:
        return model.model_validate(plain)
    except ValidationError as error:
        raise ValueError("; ".join(reasons(error, model))) from error


def _flat(value: Any) -> Iterator[Any]:
    if not isinstance(value, tuple):
        yield value
        return
    for each in value:
        yield from _flat(each)


def _value(argument: Argument, annotation: Any) -> object:
    """The value of an argument in the shape that its annotation has."""
    values = tuple(map(_plain, argument.values))
    if get_origin(annotation) is not tuple:
        return values[0] if len(values) == 1 else values
    inner = get_args(annotation)
    if inner[-1] is ... and get_origin(inner[0]) is tuple:
        return tuple(zip(values[::2], values[1::2], strict=True))
    return values


def _plain(value: Expression) -> object:
    if isinstance(value, FieldRef):
        return value.field
    if isinstance(value, MetricRef):
        return value.metric
    if isinstance(value, Constant):
        return value.value
    raise ValueError(
        f"an argument of a method is a field, a metric or a value, and not a {value.kind}"
    )
