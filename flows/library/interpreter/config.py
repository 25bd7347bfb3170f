"""The keys of an interpreter, what it is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.functions.decision import ObservationKind, ResultCitation
from flows.core.flow import FlowConfig, Ports, Service
from flows.library.interpreter.response_table import FILE

ResponseStatus = Literal["answered", "partly", "abstained"]


class InterpreterConfig(FlowConfig):
    """The keys of an interpreter. Its subflows are functions too, which are always on its stack."""

    description: str = Field(
        default="Answers a question with functions that it searches for.",
        description="what the flow is for, in a sentence",
    )
    model: Service | None = Field(default=None, description="its own model; the run's without it")
    plan: str = Field(
        default="interpreter.plan.j2", description="the prompt that says how it works"
    )
    plan_text: str = Field(
        default="", description="the text of that prompt, in the place of its file"
    )
    plan_first: bool = Field(
        default=False,
        description="whether the rules plan all calls as a graph before the first is made; a "
        "language model goes by its prompt",
    )
    form_prompt: str = Field(
        default="interpreter.form.j2", description="the prompt that says how it answers"
    )
    question_prompt: str = "interpreter.question.j2"
    summary_prompt: str = Field(
        default="interpreter.summary.j2",
        description="the prompt that older results are shortened by",
    )
    about: str = Field(default="", description="what the data and functions are about")
    advice: tuple[Path, ...] = Field(
        default=(), description="Markdown files, or folders of them, with advice to look up"
    )
    load: tuple[str, ...] = Field(
        default=(), description="functions that it has from the start, by their ids"
    )
    search_first: int = Field(
        default=5, ge=0, le=50,
        description="functions that the question itself is searched for at the start",
    )  # fmt: skip
    revise: bool = Field(default=True, description="whether it may search for other functions")
    max_turns: int = Field(default=12, ge=1, description="decisions of the model")
    max_calls: int = Field(default=40, ge=1, description="calls of functions")
    max_searches: int = Field(default=6, ge=0, description="searches for functions")
    stack_tokens: int = Field(
        default=6_000, ge=1, description="about how many tokens the functions of the stack take"
    )
    context_tokens: int = Field(
        default=60_000, ge=1_000,
        description="about how many tokens of messages are sent; older results are summarized when "
        "that is near, or left out by reference",
    )  # fmt: skip
    max_summaries: int = Field(
        default=4, ge=0, description="how often older results are summarized; 0: never"
    )
    corrections: int = Field(
        default=2, ge=0, le=10, description="how often a reply that cannot be used is sent back"
    )
    max_chars: int = Field(
        default=8_000, ge=200, description="characters that are told of a subflow's result"
    )
    log: Path | None = Field(
        default=FILE, description="the SQLite file of responses; null: none is kept"
    )
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    subflows_config: dict[str, Any] = Field(default={}, description="flows that are functions")


class InterpreterInputs(Ports):
    """The question. `context` is what was said before, a line each; `user` and `channel` say who
    asks and where, for the table of responses."""

    question: str = Field(min_length=1)
    context: tuple[str, ...] = ()
    user: str = ""
    channel: str = ""


class CallRecord(BaseModel):
    """A call that was made. `artifact` holds the result where it is large."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    function: str
    arguments: Mapping[str, Any]
    kind: ObservationKind
    artifact: str = ""


class PlanLink(BaseModel):
    """A step that comes before another. `path` is the place in its result that the other takes a
    value from, None where it only comes after."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    path: str | None = None


class PlanRecord(BaseModel):
    """A step of the plan of a turn, the function that it calls, and the steps that come before it.
    `calls` are the numbers of its calls, which equal steps share; none where it was not made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int
    step: str
    function: str
    after: tuple[PlanLink, ...] = ()
    calls: tuple[int, ...] = ()


class InterpreterOutputs(Ports):
    """The response. `confidence` (0 to 100) is by the evidence, `model_confidence` what the model
    said of itself. `functions` are the ids of those whose results are cited. `uncited` are numbers
    of the answer that stand in no result, `lacks` says what could not be found. `plan` are the
    steps of the planner's plans."""

    status: ResponseStatus
    answer: str
    confidence: int
    model_confidence: int
    functions: tuple[str, ...] = ()
    citations: tuple[ResultCitation, ...] = ()
    uncited: tuple[str, ...] = ()
    strategy: str = ""
    lacks: str = ""
    calls: tuple[CallRecord, ...] = ()
    plan: tuple[PlanRecord, ...] = ()
    turns: int = 0
