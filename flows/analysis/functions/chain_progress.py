"""How far a chain of calls has come: which calls are next, and what the last ones gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.functions.chains import CallChain, ChainCall, ChainLink
from flows.analysis.functions.choice import call_key
from flows.analysis.functions.decision import CallResult, FunctionCall
from flows.analysis.functions.given_fields import seen_fields
from flows.analysis.functions.hops import may_take
from flows.analysis.functions.records import Scalar

_MOST_EACH: Final = 10


@dataclass(frozen=True, slots=True)
class ChainProgress:
    """`calls` are those that are next; without one the chain is at its end: `results` are what its
    last calls gave, none where a call failed or gave nothing that leads on. `place` is that of the
    next call in the chain, `given` what the calls before it gave."""

    calls: tuple[FunctionCall, ...] = ()
    results: tuple[CallResult, ...] = ()
    place: int = 0
    given: tuple[tuple[CallResult, ...], ...] = ()

    @property
    def is_done(self) -> bool:
        return bool(self.results) and not self.calls


def is_begun_by(chain: CallChain, other: CallChain) -> bool:
    """Whether a chain begins with all calls of another, or is that one."""
    return chain.calls[: len(other.calls)] == other.calls


def progress_of(chain: CallChain, results: Sequence[CallResult]) -> ChainProgress:
    """The state of a chain after these results."""
    made = {
        call_key(FunctionCall(name=each.name, arguments=each.arguments)): each for each in results
    }
    given: list[tuple[CallResult, ...]] = []
    for call in chain.calls:
        wanted = _calls_of(call, given)
        left = tuple(each for each in wanted if call_key(each) not in made)
        if left or not wanted:
            return ChainProgress(left, place=len(given), given=tuple(given))
        found = tuple(made[call_key(each)] for each in wanted)
        good = tuple(each for each in found if each.kind == "ok")
        if not good:
            return ChainProgress()
        given.append(good)
    return ChainProgress(results=given[-1])


def _calls_of(call: ChainCall, given: Sequence[tuple[CallResult, ...]]) -> tuple[FunctionCall, ...]:
    """The calls that one link of a chain comes to; none where a result lacks what it takes."""
    arguments: dict[str, Any] = dict(call.option.own.arguments)
    many: Mapping[str, tuple[Any, ...]] = call.option.own.others
    for link in call.links:
        values = values_of(link, given[link.source])
        if not values:
            return ()
        name = link.argument.name
        arguments[name] = values if link.argument.is_list else values[0]
        if len(values) > 1 and not link.argument.is_list:
            many = {**many, name: tuple(values[1:])}
    calls = [FunctionCall(name=call.name, arguments=arguments)]
    for name, others in many.items():
        calls += [FunctionCall(name=call.name, arguments={**arguments, name: e}) for e in others]
    return tuple(calls[:_MOST_EACH])


def values_of(link: ChainLink, results: Sequence[CallResult]) -> list[Scalar]:
    """The values of the field that a link takes, each once; none where they are too many."""
    found = [
        value
        for result in results
        for field in seen_fields(result)
        if field.path == link.field.path
        for value in field.values
        if may_take(link.argument, value)
    ]
    values = list(dict.fromkeys(found))
    return values if len(values) <= _MOST_EACH or link.argument.is_list else []
