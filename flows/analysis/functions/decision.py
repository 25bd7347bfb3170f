"""What an interpreter knows before its next decision, and the decision that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from flows.core.function_description import FunctionDescription

# The key of a reference in the arguments of a planned call: the id of an earlier step.
FROM: Final = "$from"
ObservationKind = Literal["ok", "empty", "error"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FunctionCall(_Frozen):
    """A function of the stack, by its name, and its arguments."""

    name: str
    arguments: Mapping[str, Any] = {}


class CallResult(_Frozen):
    """A call that was made and what came of it.

    `number` counts the calls of the run from 1; citations name it. `data` is the result as JSON
    values (a table is a list of records); where it is None, `text` is read as JSON if it is JSON.
    `whole` is false when the result was cut: nothing is counted or summed over its records then.
    """

    number: int = Field(ge=1)
    name: str
    arguments: Mapping[str, Any] = {}
    kind: ObservationKind
    data: Any = None
    text: str = ""
    whole: bool = True


class SearchResult(_Frozen):
    """A search of the index that was made: one of the questions of a revision, and the names of the
    functions that it found, the best first."""

    question: str
    found: tuple[str, ...] = ()


class PersonAnswer(_Frozen):
    """What a person answered to a question of the interpreter."""

    question: str
    answer: str


class DecisionInputs(_Frozen):
    """All that the next decision rests on.

    `stack` are the functions that may be called. `results` are all calls of the run in their order,
    `searches` all searches of the index, `answers` what the person was asked and said. `calls_left`
    and `searches_left` are how many more calls and revisions are allowed. `person` tells whether a
    person can be asked. `today` is the date that "last month" counts from, as YYYY-MM-DD; "" where
    it is not known. With `plan_first` calls are planned as a graph before the first is made.
    """

    question: str
    stack: tuple[FunctionDescription, ...] = ()
    results: tuple[CallResult, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    answers: tuple[PersonAnswer, ...] = ()
    calls_left: int = 20
    searches_left: int = 3
    person: bool = True
    today: str = ""
    plan_first: bool = False


class CallFunctions(_Frozen):
    """Call these functions, all at once: none needs the result of another."""

    kind: Literal["calls"] = "calls"
    strategy: str = ""
    calls: tuple[FunctionCall, ...] = Field(min_length=1)


class PlannedStep(_Frozen):
    """A call of a plan. An argument may refer to the result of an earlier step:
    `{"$from": "order", "path": "/customer"}`, the path a JSON pointer with a `*` for every element
    of a list; with `"each": true` the call is made once for each value."""

    id: str
    function: str
    arguments: Mapping[str, Any] = {}


class PlanCalls(_Frozen):
    """Make these calls, each as soon as the results that it refers to are there."""

    kind: Literal["plan"] = "plan"
    strategy: str = ""
    steps: tuple[PlannedStep, ...] = Field(min_length=1)


class ReviseFunctions(_Frozen):
    """Search the index for other functions. The fields are the arguments of `revise_functions`."""

    kind: Literal["revise"] = "revise"
    strategy: str = ""
    questions: tuple[str, ...] = Field(min_length=1)
    issues: str = ""
    prune: bool = False
    limit: int = Field(default=3, ge=1, le=50)
    function_class: str = "Any"


class AskPerson(_Frozen):
    """Ask the person for what is missing: the `argument` of `function`. `options` are the values
    that the function allows, if it names them."""

    kind: Literal["ask"] = "ask"
    strategy: str = ""
    question: str
    function: str = ""
    argument: str = ""
    options: tuple[str, ...] = ()


class ResultCitation(_Frozen):
    """Where a value of the answer stands: the `path` (a JSON pointer such as `/orders/0/total`, ""
    for the whole) in the result of the call of this `number`. `value` is the value as the answer
    gives it. One that was computed names the `operation` (count, sum, mean, min, max, difference)
    and its path is that of the list. Where that is not all of the list, or of several calls, `over`
    names the places: the number of the call, a colon and a pointer, as in `2:/orders/0/total`."""

    call: int = Field(ge=1)
    path: str = ""
    value: str = ""
    operation: str = ""
    over: tuple[str, ...] = ()


class FinalAnswer(_Frozen):
    """The end of the loop. `confidence` is from 0 to 100. `functions` are the names of those whose
    results the answer uses. `lacks` says what could not be found, "" if nothing is missing; an
    answer with it and no citation is no answer."""

    kind: Literal["answer"] = "answer"
    strategy: str = ""
    answer: str
    confidence: int = Field(ge=0, le=100)
    functions: tuple[str, ...] = ()
    citations: tuple[ResultCitation, ...] = ()
    lacks: str = ""


Decision = Annotated[
    CallFunctions | PlanCalls | ReviseFunctions | AskPerson | FinalAnswer,
    Field(discriminator="kind"),
]
# Reads and writes a decision as the reply of the role `interpreter`: an object with its `kind`.
DECISION: Final[TypeAdapter[Decision]] = TypeAdapter(Decision)
