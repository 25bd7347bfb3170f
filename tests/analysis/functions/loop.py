"""The loop of an interpreter by rules over plain functions of Python, without a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.functions.decision import (
    AskPerson,
    CallFunctions,
    CallResult,
    DecisionInputs,
    FinalAnswer,
    FunctionCall,
    PersonAnswer,
    ReviseFunctions,
    SearchResult,
)
from flows.analysis.functions.interpreter import decide
from flows.tools.description.function import describe_function

_MOST_TURNS = 12


@dataclass
class Answered:
    """The answer, the calls that were made, and the questions to the index."""

    answer: FinalAnswer
    calls: list[FunctionCall] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)


def answer_by_rules(
    question: str,
    functions: Sequence[Callable[..., Any]],
    hidden: Sequence[Callable[..., Any]] = (),
    said: str = "",
) -> Answered:
    """Decide and call until there is an answer. `hidden` functions come onto the stack with the
    first search whose question has a word of their names; `said` is what a person answers."""
    made = {each.__name__: each for each in (*functions, *hidden)}
    stack = [describe_function(each, effect="pure") for each in functions]
    waiting = [describe_function(each, effect="pure") for each in hidden]
    results: list[CallResult] = []
    searches: list[SearchResult] = []
    answers: list[PersonAnswer] = []
    found = Answered(FinalAnswer(answer="", confidence=0))
    for _ in range(_MOST_TURNS):
        decision = decide(
            DecisionInputs(
                question=question, stack=tuple(stack), results=tuple(results),
                searches=tuple(searches), calls_left=20 - len(results),
                searches_left=6 - len(searches), person=bool(said), answers=tuple(answers),
            )
        )  # fmt: skip
        if isinstance(decision, FinalAnswer):
            found.answer = decision
            return found
        if isinstance(decision, ReviseFunctions):
            for asked in decision.questions:
                named = [e for e in waiting if set(e.name.split("_")) & _words(asked)]
                stack += named
                waiting = [each for each in waiting if each not in named]
                searches.append(SearchResult(question=asked, found=tuple(e.name for e in named)))
                found.searches.append(asked)
        if isinstance(decision, AskPerson):
            answers.append(PersonAnswer(question=decision.question, answer=said))
        if isinstance(decision, CallFunctions):
            for call in decision.calls:
                found.calls.append(call)
                results.append(_result(len(results) + 1, call, made[call.name]))
    raise AssertionError(f"no answer came of {_MOST_TURNS} turns: {found}")


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z]+", text.lower()))


def _result(number: int, call: FunctionCall, function: Callable[..., Any]) -> CallResult:
    try:
        data = function(**call.arguments)
    except KeyError as error:
        return CallResult(
            number=number, name=call.name, arguments=call.arguments, kind="error", text=str(error)
        )
    return CallResult(
        number=number, name=call.name, arguments=call.arguments, data=data,
        kind="ok" if data else "empty",
    )  # fmt: skip
