"""A reply of the model as what to do next: tool calls, or the final answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, ValidationError

from flows.analysis.functions.decision import (
    DECISION,
    AskPerson,
    CallFunctions,
    Decision,
    FinalAnswer,
    PlanCalls,
    ResultCitation,
    ReviseFunctions,
)
from flows.core.chat import ToolCall
from flows.core.reply import Reply
from flows.library.blocks.reading import Prose, ReplyProblem, cut_words, fit, read_object
from flows.library.interpreter.builtin import ASK, REVISE
from flows.library.interpreter.decide import DecideOutputs
from flows.library.interpreter.planning import PlannedCall, read_plan

PLAN_ONLY: Final = (
    "You have stated a plan and not carried it out. Carry it out now: call the functions that it "
    "needs. If you can answer already, reply with the JSON object of the answer."
)
_NO_ANSWER: Final = '"answer" is empty; call functions, or say in "lacks" what could not be found'
_OBJECT: Final = re.compile(r"\{")


@dataclass(frozen=True, slots=True)
class ReplyStep:
    """What a reply asks for: calls, a plan of calls, or an answer. `plan_only` says that it asks
    for none of them and only tells what will be done."""

    strategy: str = ""
    calls: tuple[ToolCall, ...] = ()
    plan: tuple[PlannedCall, ...] = ()
    answer: FinalAnswer | None = None
    plan_only: bool = False


def _percent(value: Any) -> Any:
    """A confidence as models write it: 85, "85 %", 0.85."""
    if isinstance(value, str):
        value = value.strip().removesuffix("%").strip()
        try:
            value = float(value)
        except ValueError:
            return value
    if isinstance(value, float) and 0 < value < 1:
        return round(value * 100)
    return round(value) if isinstance(value, float) else value


def _text(value: Any) -> Any:
    return "" if value is None else value if isinstance(value, str) else str(value)


Text = Annotated[str, BeforeValidator(_text, json_schema_input_type=str)]


class CitationReply(Reply):
    """Where a value of the answer stands, as a model says it."""

    call: int = Field(ge=1)
    path: Text = ""
    value: Text = ""
    operation: Text = ""
    over: tuple[Text, ...] = ()


class AnswerReply(Reply):
    """The final answer, as a model replies it."""

    strategy: Prose = ""
    answer: Prose = ""
    confidence: Annotated[
        int, BeforeValidator(_percent, json_schema_input_type=int), Field(ge=0, le=100)
    ] = 50
    functions: tuple[str, ...] = ()
    citations: tuple[CitationReply, ...] = ()
    lacks: Prose = ""


def read_step(
    reply: DecideOutputs, turn: int, stack: Sequence[str], planned: Sequence[str] = ()
) -> ReplyStep:
    """What the reply asks for; `stack` are the names of the functions that can be called, `planned`
    the ids of planned calls that were made.

    A reply in prose is an answer if nothing in it tells of calls that are still to be made; one in
    JSON is none if its answer says no more than what will be done. Errors:
    `ReplyProblem` for one that is cut, or whose JSON does not fit.
    """
    if reply.tool_calls:
        return ReplyStep(strategy=reply.text.strip(), calls=reply.tool_calls)
    if reply.finish != "tool_calls" and (problem := cut_words(reply.finish)):
        raise ReplyProblem(problem)
    if not _OBJECT.search(reply.text):
        return _of_prose(reply.text.strip(), stack)
    found = read_object(reply.text, "stop")
    if "kind" in found:
        return _of_decision(_decision(found), turn, stack, planned)
    if isinstance(steps := found.get("steps"), list):
        return ReplyStep(_text(found.get("strategy")), plan=read_plan(steps, stack, planned))
    if "calls" in found or "tool_calls" in found:
        calls = found.get("calls") or found.get("tool_calls")
        given = {"kind": "calls", "strategy": _text(found.get("strategy")), "calls": calls}
        return _of_decision(_decision(given), turn, stack, planned)
    return _of_answer(fit(AnswerReply, found), stack)


def _of_prose(text: str, stack: Sequence[str]) -> ReplyStep:
    """Prose: whether it is a plan shows in the functions that it names and did not call, and in its
    words."""
    if not text:
        raise ReplyProblem("the reply is empty; call functions, or give the JSON object")
    if is_plan(text, stack):
        return ReplyStep(strategy=text, plan_only=True)
    raise ReplyProblem("the reply must be a call of functions, or the JSON object of the answer")


_FUTURE: Final = re.compile(
    r"\b(?:i['\u2019]?(?: wi)?ll|i am going to|i['\u2019]m going to|let me|let's|let us|"
    r"i need to|i should|i plan to|my plan|next,? i|first,? i|step 1|the plan is|"
    r"we (?:will|need to|should)|ich werde|zuerst|als erstes|mein plan|lass mich)\b",
    re.IGNORECASE,
)


def is_plan(text: str, stack: Sequence[str]) -> bool:
    """Whether a text tells what will be done instead of what was found."""
    return _names(text, stack) or bool(_FUTURE.search(text))


_INTENTION: Final = re.compile(
    r"\b(?:i['\u2019]?(?: wi)?ll|i am (?:going|about) to|i['\u2019]m (?:going|about) to|"
    r"let me(?! know)|let['\u2019]s|let us|i (?:first )?(?:need|have|want|plan|intend) to|my plan|"
    r"ich werde|werde ich|ich muss|lass mich|mein plan)\b",
    re.IGNORECASE,
)
_CONTINUATION: Final = re.compile(
    r"^(?:and |und )?(?:then|next|after(?:wards| that)|finally|lastly|dann|danach|zuletzt|"
    r"anschlie\u00dfend|schlie\u00dflich)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?:])\s+|\n+")


def is_intention(text: str, stack: Sequence[str]) -> bool:
    """Whether every sentence of an answer tells what its author will do: the first in such words,
    those after it also by going on from it or by naming a function."""
    parts = [each.lstrip("-* ") for each in _SENTENCE_END.split(text)]
    first, *others = [each for each in parts if any(map(str.isalpha, each))] or [""]
    return bool(_INTENTION.search(first)) and all(
        _INTENTION.search(each) or _CONTINUATION.search(each) or _names(each, stack)
        for each in others
    )


def _names(text: str, stack: Sequence[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in stack)


def _decision(found: Any) -> Decision:
    try:
        return DECISION.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        raise ReplyProblem(f'"{where}" does not fit: {first["msg"]}') from error


def _of_decision(
    decision: Decision, turn: int, stack: Sequence[str], planned: Sequence[str]
) -> ReplyStep:
    if isinstance(decision, FinalAnswer):
        return ReplyStep(strategy=decision.strategy, answer=decision)
    if isinstance(decision, PlanCalls):
        steps = [each.model_dump() for each in decision.steps]
        return ReplyStep(decision.strategy, plan=read_plan(steps, stack, planned))
    return ReplyStep(strategy=decision.strategy, calls=_calls(decision, turn))


def _calls(
    decision: CallFunctions | ReviseFunctions | AskPerson, turn: int
) -> tuple[ToolCall, ...]:
    """The calls that a decision stands for, with ids of their own."""
    if isinstance(decision, CallFunctions):
        return tuple(
            ToolCall(id=f"turn-{turn}-{number}", name=each.name, arguments=each.arguments)
            for number, each in enumerate(decision.calls, 1)
        )
    name = REVISE if isinstance(decision, ReviseFunctions) else ASK
    given = decision.model_dump(mode="json", exclude={"kind", "strategy"})
    return (ToolCall(id=f"turn-{turn}-1", name=name, arguments=given),)


def _of_answer(reply: AnswerReply, stack: Sequence[str]) -> ReplyStep:
    if not reply.answer.strip():
        if reply.strategy.strip() and not reply.lacks.strip():
            return ReplyStep(strategy=reply.strategy, plan_only=True)
        if not reply.lacks.strip():
            raise ReplyProblem(_NO_ANSWER)
    if not (reply.citations or reply.lacks.strip()) and is_intention(reply.answer, stack):
        return ReplyStep(strategy=reply.answer.strip(), plan_only=True)
    answer = FinalAnswer(
        strategy=reply.strategy,
        answer=reply.answer.strip() or reply.lacks.strip(),
        confidence=reply.confidence,
        functions=tuple(dict.fromkeys(reply.functions)),
        citations=tuple(ResultCitation(**each.__dict__) for each in reply.citations),
        lacks=reply.lacks.strip(),
    )
    return ReplyStep(strategy=reply.strategy, answer=answer)
