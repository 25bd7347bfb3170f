"""The arguments of a method as a request carries them: fields and values under names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import ValidationError

from flows.analysis.methods.arguments import A, Arguments, reasons
from flows.semantics.query import Constant, Expression, FieldRef, MetricRef
from flows.semantics.request import Argument


def given_to(arguments: Arguments, dataset: str) -> tuple[Argument, ...]:
    """What differs from the defaults, under the names of the method's model: columns as fields of
    the dataset, all else as values. Pairs stand one after the other."""
    columns = {(at, name) for at, name, _ in arguments.named()}
    found = []
    for name, field in type(arguments).model_fields.items():
        value = getattr(arguments, name)
        if value == field.default and type(value) is type(field.default):  # 1 is not True
            continue
        values: list[Expression] = [
            FieldRef(dataset=dataset, field=each)
            if (name, each) in columns
            else Constant(value=each)
            for each in _flat(value)
        ]
        found.append(Argument(name=name, values=tuple(values)))
    return tuple(found)


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
