"""The decision of an interpreter by rules: call, search, ask, or answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.chain_progress import is_begun_by, progress_of
from flows.analysis.functions.chains import CallChain, find_chains
from flows.analysis.functions.choice import (
    OWN,
    TEXTS,
    CallOption,
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
    PlanCalls,
    PlannedStep,
    ResultCitation,
    ReviseFunctions,
)
from flows.analysis.functions.entity_counts import key_lookup
from flows.analysis.functions.matching import may_be_called
from flows.analysis.functions.parts import (
    PartAnswer,
    QuestionPart,
    answer_part,
    parts_of,
    results_for,
)
from flows.analysis.functions.plans import merge_plans, plan_of_calls, plan_of_chain
from flows.analysis.functions.relation import followed
from flows.analysis.functions.searches import (
    ENTITY,
    HELPED,
    NO_SEARCH,
    Search,
    by_key,
    is_lookup,
    next_searches,
)
from flows.analysis.functions.unknown import unknown_values

# An answer above it ends the work on a part; one below the second is none.
ENOUGH: Final = 0.6
SOME: Final = 0.4
# The least score of a call: before the index was asked, after it, and where a first call failed.
_CALL_UNSEARCHED: Final = 0.75
_CALL: Final = 0.35
_CALL_AGAIN: Final = 0.45
_ASK: Final = 0.4
_ASKS_ABOUT: Final = re.compile(
    r"^\W*(?:what (?:can|could) (?:you|i|we) (?:do|ask|answer)|what "
    r"(?:functions|tools|stores) (?:are|do)"
    r"|which (?:functions|tools|stores) (?:are|do)|who are you|help)\b",
    re.IGNORECASE,
)
# The least share of a question's words that a chain of calls knows: before the index was asked, and
# after it, and where its first call was made; how much better it is than a single call; how many
# chains are tried.
_CHAIN_UNSEARCHED: Final = 0.7
_CHAIN: Final = 0.45
_CHAIN_BEGUN: Final = 0.25
_BETTER: Final = 0.02
_MOST_CHAINS: Final = 6
_MOST_RESULTS: Final = 16  # of one part
_MOST_LOOKUPS: Final = 4
# How many functions a search loads: these rules compare more of them than a model's context holds.
_WIDTH: Final = 8


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is next for a part: calls, or questions for the index, or a question to the person; or
    nothing, and then what is missing. `steps` are the calls with those that follow them."""

    part: QuestionPart
    answer: PartAnswer | None = None
    calls: tuple[FunctionCall, ...] = ()
    search: Search = NO_SEARCH
    ask: AskPerson | None = None
    lacks: str = ""
    steps: tuple[PlannedStep, ...] = ()


def decide(inputs: DecisionInputs) -> Decision:
    """The next decision of the loop. It calls only functions of the stack, with no argument that
    neither the question, nor a result, nor a person gave."""
    if (about := _about(inputs)) is not None:
        return about
    plans = [_plan(part, inputs) for part in parts_of(inputs.question)]
    if inputs.plan_first and (planned := _planned(plans, inputs)) is not None:
        return planned
    calls = [call for plan in plans for call in plan.calls][: max(0, inputs.calls_left)]
    calls = list({call_key(call): call for call in calls}.values())
    if calls:
        names = ", ".join(dict.fromkeys(call.name for call in calls))
        return CallFunctions(strategy=f"I call {names}.", calls=tuple(calls))
    wanted = [plan.search for plan in plans if plan.search.questions]
    if wanted and inputs.searches_left > 0:
        kind = wanted[0].function_class  # one search is for one class of functions
        alike = [each for each in wanted if each.function_class == kind]
        searches = tuple(dict.fromkeys(each for one in alike for each in one.questions))
        issues = " ".join(dict.fromkeys(each.issue for each in alike if each.issue))
        return ReviseFunctions(
            strategy="I search the index for functions.",
            questions=searches,
            issues=issues,
            limit=_WIDTH,
            function_class=kind,
        )
    asked = next((plan.ask for plan in plans if plan.ask is not None), None)
    if asked is not None and inputs.person:
        return asked
    return _final(plans, inputs)


def _planned(plans: Sequence[_Plan], inputs: DecisionInputs) -> PlanCalls | None:
    """The calls of all parts, and what follows them, as one graph."""
    steps = merge_plans([each.steps or plan_of_calls(each.calls) for each in plans])
    steps = steps[: max(0, inputs.calls_left)]
    if not steps:
        return None
    names = ", then ".join(dict.fromkeys(each.function for each in steps))
    return PlanCalls(strategy=f"I plan {names}.", steps=steps)


def _about(inputs: DecisionInputs) -> Decision | None:
    """For a question on the interpreter itself: what its function `about` says."""
    if not _ASKS_ABOUT.search(inputs.question) or all(e.name != "about" for e in inputs.stack):
        return None
    said = next((each for each in inputs.results if each.name == "about"), None)
    if said is None:
        return CallFunctions(
            strategy="I look up what there is.", calls=(FunctionCall(name="about"),)
        )
    cited = ResultCitation(call=said.number, value=said.text)
    return FinalAnswer(answer=said.text, confidence=90, functions=("about",), citations=(cited,))


def _plan(part: QuestionPart, inputs: DecisionInputs) -> _Plan:
    """What is next for one part."""
    if (chained := _chained(part, inputs)) is not None:
        return chained
    text, source = followed(part.text, inputs.results)
    if source:
        part = QuestionPart(text)
    results = results_for(part, inputs)
    # Whose manager somebody is does not say what the manager earns.
    answer = answer_part(part, [each for each in results if each.number != source], inputs)
    if answer is not None and answer.score >= ENOUGH:
        return _Plan(part, answer)
    options = options_for(part.text, part.context, inputs, results)
    if answer is not None and answer.is_computed and answer.score >= SOME:
        options = tuple(each for each in options if not each.hops)  # it is worked out already
    calls = _next_calls(options, _limit(part, inputs, results), inputs, results)
    if calls:
        return _Plan(part, answer, calls)
    best = next(iter(options), None)
    search = next_searches(part, options, results, inputs)
    looked = any(each.question == by_key(part.text) for each in inputs.searches)
    if looked or not search.questions or inputs.searches_left <= 0:
        calls = _next_lookups(part.text, options, inputs, results)
        if not calls and (not search.questions or inputs.searches_left <= 0):
            calls = _next_texts(options, inputs)
    asked = _question(options, inputs) if answer is None or answer.score < SOME else None
    return _Plan(part, answer, calls, search, asked, _lacks(part, best, results, answer))


def _chained(part: QuestionPart, inputs: DecisionInputs) -> _Plan | None:
    """What is next on a chain of calls, where one knows more of the question than a single call."""
    results = results_for(part, inputs)
    options = options_for(part.text, part.context, inputs, results)
    chains = find_chains(part.text, options, inputs.results)
    single = max((each.score for each in chains if len(each.calls) == 1), default=0.0)
    unsearched = _limit(part, inputs, results) == _CALL_UNSEARCHED
    called = {each.name for each in results if each.kind == "ok"}
    alone = answer_part(part, results, inputs)
    if alone is not None and alone.is_computed and alone.score >= ENOUGH:
        return None  # it is worked out of a list already
    told_by = set(alone.functions) if alone is not None and _is_told(alone) else set()
    told = [_told_by(each, part, inputs) for each in chains if len(each.calls) > 1]
    for chain in chains[:_MOST_CHAINS]:
        if len(chain.calls) < 2 or chain.score < single + _BETTER:
            break
        least = _CHAIN_UNSEARCHED if unsearched else _CHAIN
        if chain.coverage < (_CHAIN_BEGUN if chain.calls[0].name in called else least):
            continue
        if told_by and not told_by <= set(chain.names[:-1]):
            return None  # an answer of its own, not of a step on the way
        begun = [answer for other, answer in told if answer and is_begun_by(chain, other)]
        if begun:  # what a shorter chain told needs no longer one
            return _Plan(part, begun[0])
        progress = progress_of(chain, inputs.results)
        if progress.calls and inputs.calls_left > 0:
            return _Plan(part, None, progress.calls, steps=plan_of_chain(chain, progress))
    return None


def _is_told(answer: PartAnswer) -> bool:
    """Whether an answer needs no chain of calls: what is worked out of a list is one sooner."""
    return answer.score >= (SOME if answer.is_computed else ENOUGH)


def _told_by(
    chain: CallChain, part: QuestionPart, inputs: DecisionInputs
) -> tuple[CallChain, PartAnswer | None]:
    """What the last calls of a chain told, where that is an answer."""
    progress = progress_of(chain, inputs.results)
    if not progress.is_done:
        return chain, None
    answer = answer_part(part, progress.results, inputs)
    return chain, answer if answer is not None and answer.score >= ENOUGH else None


def _limit(part: QuestionPart, inputs: DecisionInputs, results: Sequence[CallResult]) -> float:
    """The least score of a function that is called now."""
    searched = any(each.question == part.text for each in inputs.searches)
    if not searched and inputs.searches_left > 0:
        return _CALL_UNSEARCHED
    return _CALL_AGAIN if results else _CALL


def _next_calls(
    options: Sequence[CallOption],
    limit: float,
    inputs: DecisionInputs,
    results: Sequence[CallResult],
) -> tuple[FunctionCall, ...]:
    """The calls of the best function that can be called and was not yet with these arguments."""
    if len(results) >= _MOST_RESULTS or inputs.calls_left <= 0:
        return ()
    called = {
        call_key(FunctionCall(name=each.name, arguments=each.arguments)): each.number
        for each in inputs.results
    }
    for option in options:
        needed = limit - 0.1 if option.hops or option.is_formed else limit
        if not option.is_grounded or option.score < needed:
            continue
        chosen: CallOption | None = option
        if option.filling.missing:
            helped = option.match.score >= HELPED
            chosen = helper_for(option, options, called) if helped else None
        if chosen is not None and (fresh := _fresh(chosen, called)):
            return fresh
    return ()


def _next_lookups(
    text: str, options: Sequence[CallOption], inputs: DecisionInputs, results: Sequence[CallResult]
) -> tuple[FunctionCall, ...]:
    """Calls of functions that find a thing by its name, where nothing has found it yet; of stores
    of entities then with whatever looks like a key."""
    if any(each.kind == "ok" for each in results) or inputs.calls_left <= 0:
        return ()
    called = {call_key(FunctionCall(name=e.name, arguments=e.arguments)): 1 for e in inputs.results}
    if len(called) >= _MOST_RESULTS:
        return ()
    found = [each for each in options if is_lookup(each) and may_be_called(each.function, ())]
    fresh = [call for each in found for call in _fresh(each, called)]
    stores = [each.function for each in options if each.function.function_class == ENTITY]
    keyed = [call for each in stores if (call := key_lookup(each, text)) is not None]
    fresh = fresh or [each for each in keyed if call_key(each) not in called]
    return tuple(fresh[:_MOST_LOOKUPS])


def _next_texts(options: Sequence[CallOption], inputs: DecisionInputs) -> tuple[FunctionCall, ...]:
    """Calls of the searches for texts, for what no other function tells."""
    called = {each.name for each in inputs.results}
    found = [
        each for each in options
        if each.function.function_class == TEXTS
        and not each.filling.missing
        and each.function.name not in called
    ]  # fmt: skip
    return tuple(call for each in found[:_MOST_LOOKUPS] for call in each.calls()[:1])


def _fresh(option: CallOption, called: Mapping[str, int]) -> tuple[FunctionCall, ...]:
    return tuple(each for each in option.calls() if call_key(each) not in called)


def _question(options: Sequence[CallOption], inputs: DecisionInputs) -> AskPerson | None:
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
    part: QuestionPart,
    best: CallOption | None,
    results: Sequence[CallResult],
    answer: PartAnswer | None,
) -> str:
    if answer is not None and answer.score >= SOME:
        return ""
    failed = [each for each in results if each.kind != "ok"]
    if failed:
        hinted = [each for each in failed if "did you mean" in each.text.casefold()]
        last = (hinted or failed)[0]
        return f'"{part.text}": {last.name} gave nothing: {last.text[:200] or last.kind}'
    if best is not None and best.filling.missing and best.match.score >= _CALL:
        names = ", ".join(each.name for each in best.filling.missing)
        return f'"{part.text}": {best.function.name} would fit, but its {names} is not known'
    if results:
        names = ", ".join(dict.fromkeys(each.name for each in results))
        return f'"{part.text}": what {names} gave does not say it'
    return f'"{part.text}": I found no function that tells it'


def _final(plans: Sequence[_Plan], inputs: DecisionInputs) -> FinalAnswer:
    answers = [
        plan.answer for plan in plans if plan.answer is not None and plan.answer.score >= SOME
    ]
    lacks = "; ".join(
        plan.lacks or f'"{plan.part.text}": no more calls are allowed'
        for plan in plans if plan.answer is None or plan.answer.score < SOME
    )  # fmt: skip
    unknown = " ".join(_unknown(plan, inputs) for plan in plans).strip()
    text = "\n".join(each.text for each in answers) or unknown or "I cannot answer this."
    if answers and lacks:
        text = f"{text}\nI could not answer {lacks}."
    elif answers and unknown:
        text, lacks = f"{text}\n{unknown}", unknown
    score = sum(each.score for each in answers) / len(plans)
    return FinalAnswer(
        strategy="I answer with what the calls gave." if answers else "Nothing more can be done.",
        answer=text,
        confidence=round(100 * min(1.0, score)),
        functions=tuple(dict.fromkeys(name for each in answers for name in each.functions)),
        citations=tuple(dict.fromkeys(cited for each in answers for cited in each.citations)),
        lacks=lacks,
    )


def _unknown(plan: _Plan, inputs: DecisionInputs) -> str:
    """What the question names and no call found, in sentences."""
    answer = plan.answer if plan.answer is not None and plan.answer.score >= SOME else None
    entities = {each.name for each in inputs.stack if each.function_class == ENTITY}
    results = results_for(plan.part, inputs)
    by = answer.functions if answer is not None else None
    return " ".join(unknown_values(plan.part.text, results, entities, by))


__all__ = ["ENOUGH", "OWN", "SOME", "decide"]
