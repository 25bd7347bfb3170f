"""A plan of calls that is made first: a graph, which is carried out in waves.

{"steps": [
    {"id": "order", "function": "get_order", "arguments": {"order": "KT-2011"}},
    {"id": "city", "function": "get_customer",
     "arguments": {"name": {"$from": "order", "path": "/customer"}}}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.analysis.functions.decision import FROM
from flows.core.reply import Reply
from flows.errors import nearest
from flows.library.blocks.reading import ReplyProblem
from flows.library.interpreter.pointers import NoSuchPath, resolve

_KEYS: Final = frozenset({FROM, "path", "each"})
_MOST_STEPS: Final = 40
# Calls that one step with `each` comes to.
MOST_EACH: Final = 20


class PlannedCall(Reply):
    """A step of a plan: a call of `function`. An argument may be taken from the result of another
    step, which then comes before; `after` names others that do."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1, max_length=64)
    function: str
    arguments: dict[str, Any] = Field(default={})
    after: tuple[str, ...] = ()

    @property
    def before(self) -> frozenset[str]:
        """The steps that have to be done first."""
        return frozenset(self.after) | {each[FROM] for each in references_in(self.arguments)}


class ResolvedCall(BaseModel):
    """A call of a plan with the values of its arguments; `step` is the id of its step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    function: str
    arguments: Mapping[str, Any]


class Unresolved(ValueError):
    """An argument of a planned call cannot be taken from the result that it names."""


def references_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """The references to results of other steps in the arguments of a call."""
    if isinstance(value, Mapping):
        if is_reference(value):
            yield value
        else:
            for each in value.values():
                yield from references_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from references_in(each)


def is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(FROM), str) and set(value) <= _KEYS


def read_plan(
    found: Sequence[Any], functions: Sequence[str], earlier: Sequence[str] = ()
) -> tuple[PlannedCall, ...]:
    """The steps of a plan, in an order in which they can be made. `functions` are the names of
    those that can be called, `earlier` the ids of steps that were made before. Errors:
    `ReplyProblem`."""
    try:
        steps = tuple(PlannedCall.model_validate(each) for each in found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        raise ReplyProblem(f'a step does not fit: "{where}": {first["msg"]}') from error
    if not 0 < len(steps) <= _MOST_STEPS:
        raise ReplyProblem(f"a plan has 1 to {_MOST_STEPS} steps, not {len(steps)}")
    names = [each.id for each in steps]
    for each in steps:
        if names.count(each.id) > 1:
            raise ReplyProblem(f"two steps of the plan have the id {each.id!r}")
        _check_name("function", each.function, functions, each.id)
        for other in each.before:
            _check_name("step", other, (*names, *earlier), each.id)
    return _ordered(steps, frozenset(earlier) - frozenset(names))


def _check_name(what: str, name: str, known: Sequence[str], step: str) -> None:
    if name not in known:
        meant = nearest(name, known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise ReplyProblem(
            f"step {step!r}: there is no {what} {name!r}{hint} ({what}s: {', '.join(known)})"
        )


def _ordered(steps: Sequence[PlannedCall], earlier: frozenset[str]) -> tuple[PlannedCall, ...]:
    done: dict[str, PlannedCall] = {}
    while len(done) < len(steps):
        ready = ready_steps(steps, frozenset(done) | earlier)
        if not ready:
            left = [each.id for each in steps if each.id not in done]
            raise ReplyProblem(f"the steps {', '.join(left)} wait for each other in a circle")
        done |= {each.id: each for each in ready}
    return tuple(done.values())


def ready_steps(steps: Sequence[PlannedCall], done: frozenset[str]) -> list[PlannedCall]:
    """The steps of the next wave: all whose predecessors are done."""
    return [each for each in steps if each.id not in done and each.before <= done]


def resolved(step: PlannedCall, data: Mapping[str, Sequence[Any]]) -> list[ResolvedCall]:
    """The calls of a step; `data` are the results of each step that is done. A reference with
    `each` makes a call for each element of a list. Errors: `Unresolved`."""
    spread = next((each for each in references_in(step.arguments) if each.get("each")), None)
    elements: list[Any] = [None]
    if spread is not None:
        elements = _elements(spread, data)
        if not elements:
            raise Unresolved(f"{step.id}: {_told(spread)} is no list with elements")
        if len(elements) > MOST_EACH:
            raise Unresolved(
                f"{step.id}: {_told(spread)} has {len(elements)} elements; a step makes at most "
                f"{MOST_EACH} calls"
            )
    return [
        ResolvedCall(
            step=step.id,
            function=step.function,
            arguments={
                name: _filled(each, data, spread, element) for name, each in step.arguments.items()
            },
        )
        for element in elements
    ]


def _filled(
    value: Any, data: Mapping[str, Sequence[Any]], spread: Mapping[str, Any] | None, element: Any
) -> Any:
    if is_reference(value):
        return element if value is spread else _value(value, data)
    if isinstance(value, Mapping):
        return {key: _filled(each, data, spread, element) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, data, spread, element) for each in value]
    return value


def _value(reference: Mapping[str, Any], data: Mapping[str, Sequence[Any]]) -> Any:
    """What a reference names: in the one result of its step, or a list with that of each. A `*` in
    the path stands for every element of a list."""
    found = _found(reference, data)
    return found[0] if len(found) == 1 else found


def _elements(reference: Mapping[str, Any], data: Mapping[str, Sequence[Any]]) -> list[Any]:
    """The values that a step with `each` is made for: those of all results, each once."""
    values: dict[str, Any] = {}
    left = list(reversed(_found(reference, data)))
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += reversed(value)
        elif value is not None:
            values.setdefault(json.dumps(value, sort_keys=True, default=str), value)
    return list(values.values())


def _found(reference: Mapping[str, Any], data: Mapping[str, Sequence[Any]]) -> list[Any]:
    """What a reference names in each result of its step. Errors: `Unresolved`."""
    results = data.get(reference[FROM], ())
    if not results:
        raise Unresolved(f"{_told(reference)}: the step gave no result")
    path = str(reference.get("path") or "")
    try:
        return [_every(each, path) for each in results]
    except NoSuchPath as error:
        raise Unresolved(f"{_told(reference)}: {error}") from error


def _every(value: Any, path: str) -> Any:
    before, star, after = path.partition("/*")
    found = resolve(value, before)
    if not star:
        return found
    if not isinstance(found, list):
        raise NoSuchPath(f"{before!r} is no list")
    return [_every(each, after) for each in found]


def _told(reference: Mapping[str, Any]) -> str:
    return f"{reference[FROM]}{reference.get('path') or ''}"
