"""Chains of calls as one plan: a graph of steps in which arguments refer to earlier results.

The order and then its customer's city come to two steps:

    {"id": "get_order", "function": "get_order", "arguments": {"order": "KT-2011"}}
    {"id": "get_customer", "function": "get_customer",
     "arguments": {"name": {"$from": "get_order", "path": "/customer"}}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.functions.chain_progress import ChainProgress, values_of
from flows.analysis.functions.chains import CallChain, ChainCall, ChainLink
from flows.analysis.functions.decision import FROM, FunctionCall, PlannedStep

_LONGEST_ID: Final = 56
_MOST_STEPS: Final = 10  # of one call of a chain


@dataclass(frozen=True, slots=True)
class _Source:
    """The steps of one call of a chain; `many` where each of them may come to several calls."""

    ids: tuple[str, ...]
    many: bool = False


def plan_of_chain(chain: CallChain, progress: ChainProgress) -> tuple[PlannedStep, ...]:
    """The calls of a chain that are left as steps: those that can be made now, and those after
    them, as far as a type or a result shows the fields that they take."""
    steps = list(plan_of_calls(progress.calls))
    sources = {progress.place: _Source(tuple(each.id for each in steps))}
    for place in range(progress.place + 1, len(chain.calls)):
        found = _steps_after(chain.calls[place], sources, progress)
        if not found:
            break
        many = any(_is_spread(value) for each in found for value in each.arguments.values())
        sources[place] = _Source(tuple(each.id for each in found), many)
        steps += found
    return tuple(steps)


def plan_of_calls(calls: Sequence[FunctionCall]) -> tuple[PlannedStep, ...]:
    """Calls that need nothing of each other, as steps."""
    return tuple(
        PlannedStep(id=_id_of(each.name, place), function=each.name, arguments=each.arguments)
        for place, each in enumerate(calls)
    )


def merge_plans(plans: Sequence[Sequence[PlannedStep]]) -> tuple[PlannedStep, ...]:
    """The plans of the parts of a question as one: a call that several of them need stands in it
    once, and no two steps have one id. Each step stands behind those that it refers to."""
    merged: dict[str, PlannedStep] = {}
    taken: set[str] = set()
    for plan in plans:
        names: dict[str, str] = {}
        for step in plan:
            arguments = {key: _renamed(each, names) for key, each in step.arguments.items()}
            key = json.dumps([step.function, arguments], sort_keys=True, default=str)
            if key not in merged:
                name = _free(step.id, taken)
                taken.add(name)
                merged[key] = PlannedStep(id=name, function=step.function, arguments=arguments)
            names[step.id] = merged[key].id
    return tuple(merged.values())


def _id_of(function: str, place: int) -> str:
    return function[:_LONGEST_ID] + (f"_{place + 1}" if place else "")


def _free(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """An argument with the ids of its references as they are called now."""
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if isinstance(value, Mapping) and FROM in value:
        return {**value, FROM: names.get(value[FROM], value[FROM])}
    return value


def _is_spread(value: Any) -> bool:
    return isinstance(value, Mapping) and FROM in value and bool(value.get("each"))


def _steps_after(
    call: ChainCall, sources: Mapping[int, _Source], progress: ChainProgress
) -> list[PlannedStep]:
    """The steps of a call that takes something of steps before: one for each of those; none where
    it cannot be said yet what it takes."""
    planned = [each for each in call.links if each.source in sources]
    counts = {len(sources[each.source].ids) for each in planned}
    if call.option.own.others or any(each.field.sure < 1 for each in planned) or len(counts) != 1:
        return []
    given = dict(call.option.own.arguments)
    for link in call.links:
        if link.source not in sources:
            values = values_of(link, progress.given[link.source])
            if len(values) != 1:
                return []
            given[link.argument.name] = values if link.argument.is_list else values[0]
    steps: list[PlannedStep] = []
    for number in range(min(counts.pop(), _MOST_STEPS)):
        references = {
            each.argument.name: _reference(each, sources[each.source], number) for each in planned
        }
        if None in references.values() or sum(map(_is_spread, references.values())) > 1:
            return []
        steps.append(
            PlannedStep(
                id=_id_of(call.name, number), function=call.name, arguments={**given, **references}
            )
        )
    return steps


def _reference(link: ChainLink, source: _Source, number: int) -> Any:
    """How an argument names its value; None where the language of plans has no way to."""
    found: dict[str, Any] = {FROM: source.ids[number], "path": link.field.path}
    if link.argument.is_list:
        if source.many:
            return None
        return found if link.field.is_many else [found]
    return {**found, "each": True} if link.field.is_many or source.many else found
