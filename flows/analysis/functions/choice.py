"""The calls that could be made for one part of a question, the best first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flows.analysis.functions.argument_values import NO_FILLING, Filling, FillingContext
from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.decision import CallResult, DecisionInputs, FunctionCall
from flows.analysis.functions.entity_counts import entity_filling
from flows.analysis.functions.filling import fill
from flows.analysis.functions.fit import IDENTIFYING
from flows.analysis.functions.hops import values_for
from flows.analysis.functions.kinds import kinds_of
from flows.analysis.functions.matching import (
    READING,
    FunctionFit,
    content_words,
    match_functions,
    may_be_called,
    text_of,
)
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.schema import FunctionArgument, arguments_of, lenders_of
from flows.analysis.functions.terms import related, terms, word_set
from flows.analysis.functions.wording import is_dated
from flows.core.function_description import FunctionDescription

# Functions of the loop itself: it calls them for its own ends.
OWN: Final = word_set("about strategy revise_functions ask_person read_result")
# The class of the functions that search texts by what they say.
TEXTS: Final = "VectorSearch"
_TELLING, _TEXTS_LAST = 0.4, 0.2
_MOST_CALLS: Final = 10
# The least score of a value that has the form of its argument.
_FORMED: Final = 1.2
_SAID: Final = 1.0  # the same of one that the function names or that is of its very kind
_KEYED: Final = 0.12  # what is added where an identifier or a period has the form that is wanted


@dataclass(frozen=True, slots=True)
class CallOption:
    """A function with the arguments that could be filled. `score` is from 0 to about 1.2; `hops`
    are the numbers of the calls whose results fill some of them, `own` is what the question and the
    person fill alone."""

    match: FunctionFit
    filling: Filling
    score: float
    hops: tuple[int, ...] = ()
    own: Filling = NO_FILLING

    @property
    def function(self) -> FunctionDescription:
        return self.match.function

    @property
    def is_grounded(self) -> bool:
        """Whether more than a likeness of words speaks for it: an identifier of its form, the
        result of an earlier call, or most words of the question."""
        said = any(score >= _SAID for score in self.own.scores.values()) and bool(self.own.used)
        return self.is_formed or bool(self.hops) or said or self.match.score >= 0.3

    @property
    def is_formed(self) -> bool:
        """Whether an identifier of the question has the form of one of its arguments, or a period
        of time fills it."""
        return any(
            score >= _FORMED and _is_code(self.filling.arguments.get(name))
            for name, score in self.filling.scores.items()
        )

    def calls(self) -> tuple[FunctionCall, ...]:
        """The call, or one for each value of an argument that takes one."""
        name, given = self.function.name, dict(self.filling.arguments)
        found = [FunctionCall(name=name, arguments=given)]
        for key, values in self.filling.others.items():
            found += [FunctionCall(name=name, arguments={**given, key: each}) for each in values]
        return tuple(found[:_MOST_CALLS])


def _is_code(value: object) -> bool:
    first = value[0] if isinstance(value, list | tuple) and value else value
    return isinstance(first, int | float) or (
        isinstance(first, str) and (any(each.isdigit() for each in first) or first.isupper())
    )


def options_for(
    text: str, context: str, inputs: DecisionInputs, results: Sequence[CallResult]
) -> tuple[CallOption, ...]:
    """All functions of the stack for a part of a question, the best first. `context` is the whole
    question, for a part that refers to it; `results` are those that belong to the part. Functions
    that change something are left out, where the part does not ask for that."""
    words = (*content_words(text), *content_words(context))
    stack = [e for e in inputs.stack if e.name not in OWN and may_be_called(e, words)]
    hints = wanted_of(text).hints
    matches = match_functions(text, stack, ranks_of(text, inputs), hints)
    lenders = lenders_of(each.parameters for each in stack)
    known = FillingContext(kinds_of(inputs.results), inputs.today, lenders)
    options = [_option(each, text, context, inputs, results, known) for each in matches]
    return tuple(sorted(options, key=lambda each: -each.score))


def ranks_of(text: str, inputs: DecisionInputs) -> dict[str, int]:
    """The best place of each function in the searches for this part."""
    ranks: dict[str, int] = {}
    for search in inputs.searches:
        if search.question == text:
            for place, name in enumerate(search.found):
                ranks[name] = min(place, ranks.get(name, place))
    return ranks


def _option(
    match: FunctionFit,
    text: str,
    context: str,
    inputs: DecisionInputs,
    results: Sequence[CallResult],
    known: FillingContext,
) -> CallOption:
    function = match.function
    filling = fill(function.parameters, text, function.description, known)
    if filling.missing and context != text and context:
        wide = f"{text} {context}"
        wider = fill(function.parameters, wide, function.description, known)
        if len(wider.missing) < len(filling.missing):
            filling = wider
    if function.function_class == "entity":
        filling = entity_filling(function, filling, text)
    own = _from_person(function, filling, inputs)
    filling, hops = _from_results(function, filling, results)
    filling = _from_person(function, filling, inputs)
    needed = [each.name for each in arguments_of(function.parameters) if each.required]
    needed = needed or [each for each in filling.scores if filling.used]
    sure = [filling.scores.get(each, 0.0) for each in needed if each in filling.arguments]
    evidence = min(1.0, sum(sure) / len(sure) / 1.5) if sure else 0.0
    score = match.score + 0.35 * evidence
    option = CallOption(match, filling, score, hops, own)
    if option.is_formed and not hops:
        score += _KEYED
    if function.function_class == TEXTS and match.score < _TELLING:
        score -= _TEXTS_LAST  # a text may be about anything: what looks things up comes first
    if not filling.used and not hops and _has_values(text):
        score -= 0.1  # the question names something, and the function takes none of it
    return replace(option, score=score)


def _has_values(text: str) -> bool:
    return any(each.kind in ("code", "quoted", "name", "email") for each in mentions_of(text))


def _from_results(
    function: FunctionDescription, filling: Filling, results: Sequence[CallResult]
) -> tuple[Filling, tuple[int, ...]]:
    """The missing arguments that earlier results fill."""
    if not filling.missing or not results:
        return filling, ()
    arguments, scores = dict(filling.arguments), dict(filling.scores)
    others: dict[str, tuple[Any, ...]] = dict(filling.others)
    missing: list[FunctionArgument] = []
    hops: list[int] = []
    for argument in filling.missing:
        sources = values_for(argument, text_of(function).name, results)
        if not sources:
            missing.append(argument)
            continue
        values = [each.value for each in sources]
        arguments[argument.name] = values if argument.is_list else values[0]
        if len(values) > 1 and not argument.is_list:
            others[argument.name] = tuple(values[1:])
        scores[argument.name] = 0.6 + 0.6 * sources[0].score
        hops.append(sources[0].call)
    if is_one_day([arguments[each.name] for each in filling.missing if each not in missing]):
        return filling, ()
    filled = replace(
        filling, arguments=arguments, scores=scores, missing=tuple(missing), others=others
    )
    return filled, tuple(dict.fromkeys(hops))


def is_one_day(values: Sequence[Any]) -> bool:
    """Whether a period would begin and end on the day of a record: nobody asks for that day's."""
    return len(values) > 1 and is_dated(values[0]) and all(each == values[0] for each in values)


def question_for(function: FunctionDescription, argument: FunctionArgument) -> str:
    """What a person is asked for an argument that nothing fills."""
    name = " ".join(argument.name.replace("_", " ").replace("-", " ").split())
    about = argument.description.strip().rstrip(".")
    return f"Which {name} do you mean, for {function.name}?" + (f" ({about})" if about else "")


def _from_person(
    function: FunctionDescription, filling: Filling, inputs: DecisionInputs
) -> Filling:
    """The missing arguments that a person was asked for."""
    told = {each.question: each.answer.strip() for each in inputs.answers}
    arguments, scores = dict(filling.arguments), dict(filling.scores)
    missing: list[FunctionArgument] = []
    for argument in filling.missing:
        answer = told.get(question_for(function, argument), "")
        value = value_of(argument, answer) if answer else None
        if value is None:
            missing.append(argument)
        else:
            arguments[argument.name], scores[argument.name] = value, 1.5
    return replace(filling, arguments=arguments, scores=scores, missing=tuple(missing))


def value_of(argument: FunctionArgument, answer: str) -> Any:
    """A person's answer in the argument's type; None where it is none."""
    single = argument.__class__(
        argument.name, argument.value_type, argument.description, True, argument.options,
        argument.examples, argument.pattern, argument.format,
    )  # fmt: skip
    if argument.options:
        given = next(
            (each for each in argument.options if str(each).casefold() == answer.casefold()), None
        )
        return [given] if argument.is_list and given is not None else given
    if single.type in ("integer", "number"):
        numbers = [each.value for each in mentions_of(answer) if each.kind == "number"]
        value: Any = numbers[0] if numbers else None
    elif single.type == "boolean":
        value = {"yes": True, "true": True, "no": False, "false": False}.get(answer.casefold())
    else:
        value = answer
    return [value] if argument.is_list and value is not None else value


def helper_for(
    option: CallOption, options: Sequence[CallOption], was_called: Mapping[str, Any]
) -> CallOption | None:
    """The function whose result may fill what another one lacks: it takes a value of the question
    and tells of the thing that the missing argument identifies."""
    things: set[str] = set()
    for argument in option.filling.missing:
        things |= {each for each in (*argument.terms, *argument.described) if _is_thing(each)}
    things |= {each for each in terms(option.function.description) if _is_thing(each)}
    found: list[tuple[float, CallOption]] = []
    for other in options:
        if other is option or other.filling.missing or not other.filling.used:
            continue
        if all(call_key(each) in was_called for each in other.calls()):
            continue
        worth = text_of(other.function).worth
        shared = sum(any(related(each, word) for word in worth) for each in things)
        if shared and may_be_called(other.function, ()):
            found.append((shared / len(things) + other.score, other))
    return max(found, key=lambda each: each[0])[1] if found else None


def _is_thing(word: str) -> bool:
    return len(word) > 2 and word not in IDENTIFYING and word not in READING


def call_key(call: FunctionCall) -> str:
    """What tells two calls apart."""
    return json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)
