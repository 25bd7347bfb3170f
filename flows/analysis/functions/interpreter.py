"""The decision of an interpreter by rules: call, search, ask, or answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.choice import (
    OWN,
    Option,
    call_key,
    helper_for,
    options_for,
    question_for,
)
from flows.analysis.functions.decision import (
    AskPerson,
    CallFunctions,
    CallResult,
    Decision,
    DecisionInputs,
    FinalAnswer,
    FunctionCall,
    ReviseFunctions,
)
from flows.analysis.functions.matching import content_words
from flows.analysis.functions.parts import Answer, Part, answer_part, parts_of, results_for

# An answer above it ends the work on a part; one below the second is none.
ENOUGH: Final = 0.6
SOME: Final = 0.4
# The least score of a call: before the index was asked, after it, and where a first call failed.
_CALL_UNSEARCHED: Final = 0.75
_CALL: Final = 0.35
_CALL_AGAIN: Final = 0.45
_ASK: Final = 0.4
_MOST_CALLS_A_PART: Final = 5


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is next for a part: calls, or questions for the index, or a question to the person; or
    nothing, and then what is missing."""

    part: Part
    answer: Answer | None = None
    calls: tuple[FunctionCall, ...] = ()
    search: str = ""
    issue: str = ""
    ask: AskPerson | None = None
    lacks: str = ""


def decide(inputs: DecisionInputs) -> Decision:
    """The next decision of the loop. It calls only functions of the stack, with no argument that
    neither the question, nor a result, nor a person gave."""
    plans = [_plan(part, inputs) for part in parts_of(inputs.question)]
    calls = [call for plan in plans for call in plan.calls][: max(0, inputs.calls_left)]
    calls = list({call_key(call): call for call in calls}.values())
    if calls:
        names = ", ".join(dict.fromkeys(call.name for call in calls))
        return CallFunctions(strategy=f"I call {names}.", calls=tuple(calls))
    searches = tuple(dict.fromkeys(plan.search for plan in plans if plan.search))
    if searches and inputs.searches_left > 0:
        issues = " ".join(dict.fromkeys(plan.issue for plan in plans if plan.issue))
        return ReviseFunctions(
            strategy="I search the index for functions.", questions=searches, issues=issues
        )
    asked = next((plan.ask for plan in plans if plan.ask is not None), None)
    if asked is not None and inputs.person:
        return asked
    return _final(plans)


def _plan(part: Part, inputs: DecisionInputs) -> _Plan:
    """What is next for one part."""
    results = results_for(part, inputs.results)
    answer = answer_part(part, results, inputs)
    if answer is not None and answer.score >= ENOUGH:
        return _Plan(part, answer)
    options = options_for(part.text, part.context, inputs, results)
    calls = _next_calls(part, options, inputs, results)
    if calls:
        return _Plan(part, answer, calls)
    best = next(iter(options), None)
    search, issue = _next_search(part, best, inputs)
    asked = _question(options, inputs) if answer is None or answer.score < SOME else None
    return _Plan(part, answer, (), search, issue, asked, _lacks(part, best, results, answer))


def _next_calls(
    part: Part, options: Sequence[Option], inputs: DecisionInputs, results: Sequence[CallResult]
) -> tuple[FunctionCall, ...]:
    """The calls of the best function that can be called and was not yet with these arguments."""
    if len(results) >= _MOST_CALLS_A_PART * 2 or inputs.calls_left <= 0:
        return ()
    called = {
        call_key(FunctionCall(name=each.name, arguments=each.arguments)): each.number
        for each in inputs.results
    }
    searched = any(each.question == part.text for each in inputs.searches)
    limit = _CALL_UNSEARCHED if not searched and inputs.searches_left > 0 else _CALL
    if results:
        limit = max(_CALL_AGAIN, limit) if searched or not inputs.searches_left else limit
    for option in options:
        if not option.is_grounded:
            continue
        if option.score < limit and not (option.hops and option.score >= _CALL - 0.1):
            continue
        if option.filling.missing:
            helper = helper_for(option, options, called) if option.match.score >= 0.3 else None
            if helper is None:
                continue
            option = helper
        fresh = tuple(each for each in option.calls() if call_key(each) not in called)
        if fresh:
            return fresh
    return ()


def _next_search(part: Part, best: Option | None, inputs: DecisionInputs) -> tuple[str, str]:
    """What to search the index for, and why; "" where it was asked already."""
    asked = {each.question for each in inputs.searches}
    if part.text not in asked:
        return part.text, ""
    if best is not None and best.filling.missing and best.match.score >= 0.3:
        argument = best.filling.missing[0]
        words = argument.name.replace("_", " ")
        about = best.function.description.split(". ")[0].strip(" .")
        question = f"find {words} by name: {argument.description or about}"
        if question not in asked:
            return question, f"{best.function.name} needs {argument.name}."
    words = " ".join(content_words(part.text))
    if words and words not in asked:
        return words, "What was found does not answer it."
    return "", ""


def _question(options: Sequence[Option], inputs: DecisionInputs) -> AskPerson | None:
    """A question to the person for what the best function lacks."""
    told = {each.question for each in inputs.answers}
    for option in options[:2]:
        if option.match.score < _ASK or not option.filling.missing:
            continue
        argument = option.filling.missing[0]
        question = question_for(option.function, argument)
        if question in told or argument.type == "object":
            continue
        return AskPerson(
            strategy=f"{option.function.name} fits, and needs {argument.name}.",
            question=question, function=option.function.name, argument=argument.name,
            options=tuple(map(str, argument.options)),
        )  # fmt: skip
    return None


def _lacks(
    part: Part, best: Option | None, results: Sequence[CallResult], answer: Answer | None
) -> str:
    if answer is not None and answer.score >= SOME:
        return ""
    failed = [each for each in results if each.kind != "ok"]
    if failed:
        last = failed[-1]
        return f'"{part.text}": {last.name} gave nothing: {last.text[:200] or last.kind}'
    if best is not None and best.filling.missing and best.match.score >= _CALL:
        names = ", ".join(each.name for each in best.filling.missing)
        return f'"{part.text}": {best.function.name} would fit, but its {names} is not known'
    if results:
        names = ", ".join(dict.fromkeys(each.name for each in results))
        return f'"{part.text}": what {names} gave does not say it'
    return f'"{part.text}": I found no function that tells it'


def _final(plans: Sequence[_Plan]) -> FinalAnswer:
    answers = [
        plan.answer for plan in plans if plan.answer is not None and plan.answer.score >= SOME
    ]
    lacks = "; ".join(
        plan.lacks or f'"{plan.part.text}": no more calls are allowed'
        for plan in plans if plan.answer is None or plan.answer.score < SOME
    )  # fmt: skip
    text = "\n".join(each.text for each in answers) or "I cannot answer this."
    score = sum(each.score for each in answers) / len(plans)
    return FinalAnswer(
        strategy="I answer with what the calls gave." if answers else "Nothing more can be done.",
        answer=text if not lacks or not answers else f"{text}\nI could not answer {lacks}.",
        confidence=round(100 * min(1.0, score)),
        functions=tuple(dict.fromkeys(name for each in answers for name in each.functions)),
        citations=tuple(dict.fromkeys(cited for each in answers for cited in each.citations)),
        lacks=lacks,
    )


__all__ = ["ENOUGH", "OWN", "SOME", "decide"]
