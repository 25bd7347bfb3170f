"""Asking the model what to do next: to call functions, or to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.analysis.functions.decision import (
    CallResult,
    DecisionInputs,
    PersonAnswer,
    SearchResult,
)
from flows.config.prompts import HEADER, Prompt, load_prompts
from flows.core.chat import CUTS, ChatModel, ChatRequest, Finish, Message, ToolCall
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Problem
from flows.core.function_description import FunctionDescription
from flows.core.run import Run
from flows.errors import ConfigError
from flows.library.interpreter.messages import ChatPhrases, Exchange, messages_of
from flows.library.interpreter.results import ResultSummary, ToolResult

ROLE: Final = "interpreter"
_NO_VARIABLES: Final = "{#- variables: -#}"


class DecideConfig(AtomicConfig):
    """The keys of asking for a decision. Prompts are names of files (`NAME.j2`)."""

    description: str = "Asks the model what to do next."
    plan: str = "interpreter.plan.j2"
    plan_text: str = ""
    form_prompt: str = "interpreter.form.j2"
    question_prompt: str = "interpreter.question.j2"
    plan_first: bool = False
    context_tokens: int = Field(default=60_000, ge=1_000)
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)


class DecideInputs(Ports):
    """What is new since the decision before, and what may be called now.

    `results` are those of the calls of the last reply, in their order; `searches` and `answers`
    what was searched and what the person said since; `summaries` stand for older results from now
    on. `correction` says what was wrong with the last
    reply, `last` that no more calls are made: the reply has to be the answer.
    """

    question: str
    context: tuple[str, ...] = ()
    about: str = ""
    today: str = ""
    stack: tuple[FunctionDescription, ...] = ()
    results: tuple[ToolResult, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    answers: tuple[PersonAnswer, ...] = ()
    summaries: tuple[ResultSummary, ...] = ()
    correction: str = ""
    last: str = ""
    calls_left: int = 0
    searches_left: int = 0
    person: bool = False


class DecideOutputs(Ports):
    """The reply as the model gave it."""

    text: str = ""
    finish: Finish = "stop"
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class DecideState:
    """The chat of a run so far, and all that was found in it."""

    exchanges: tuple[Exchange, ...] = ()
    results: tuple[ToolResult, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    answers: tuple[PersonAnswer, ...] = ()
    summaries: tuple[ResultSummary, ...] = ()

    def with_news(self, inputs: DecideInputs) -> DecideState:
        return DecideState(
            self.exchanges,
            (*self.results, *(each for each in inputs.results if each.number)),
            (*self.searches, *inputs.searches),
            (*self.answers, *inputs.answers),
            (*self.summaries, *inputs.summaries),
        )


class DecideFlow(AtomicFlow):
    """Asks the model in the role `interpreter`, with the functions of the stack as its tools.

    The messages grow from turn to turn. Older results are told by their summaries where there are
    any, and where the messages would pass `context_tokens`, a reference takes their place. A model
    that reads no prose gets the same as typed values.
    """

    needs: ClassVar[Mapping[str, str]] = {"model": "model"}
    # A reply has been paid for: it is on the disk before the run goes on.
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = DecideConfig
    Inputs: ClassVar[type[Ports]] = DecideInputs
    Outputs: ClassVar[type[Ports]] = DecideOutputs

    def __init__(self, config: DecideConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.model: ChatModel = parts.service("model", ChatModel)  # type: ignore[type-abstract]
        plan = _own_plan(config.plan_text)
        names = {key: getattr(config, key) for key in ("form_prompt", "question_prompt")}
        if plan is None:
            names["plan"] = config.plan
        loaded = load_prompts(names, parts.prompt_folders)
        self.plan = plan or loaded["plan"]
        self.form, self.question = loaded["form_prompt"], loaded["question_prompt"]

    def prompts(self) -> Mapping[str, str]:
        return {each.source.name: each.text for each in (self.plan, self.form, self.question)}

    def use_prompts(self, texts: Mapping[str, str]) -> None:
        """Go by these texts, by the names of their files, instead of by what the files hold now."""
        self.plan, self.form = self.plan.with_text(texts), self.form.with_text(texts)
        self.question = self.question.with_text(texts)

    def key_problems(self) -> list[Problem]:
        """The variables of prompts that no input fills."""
        return [
            Problem(f"{prompt.source.name} uses {name!r}, which no input fills", (key,), allowed)
            for key, prompt, allowed in (
                ("plan", self.plan, ("about", "today", "person")),
                ("form_prompt", self.form, ()),
                ("question_prompt", self.question, ("question", "context")),
            )
            for name in sorted(prompt.variables - set(allowed))
        ]

    def initial_state(self) -> DecideState:
        return DecideState()

    def apply(self, state: DecideState, inputs: Any, outputs: DecideOutputs) -> DecideState:
        known = state.with_news(inputs)
        said = Exchange(
            self._phrases(state, inputs), inputs.results, outputs.text, outputs.tool_calls
        )
        return replace(known, exchanges=(*state.exchanges, said))

    def shortfall(self, before: str, inputs: Any, outputs: DecideOutputs) -> str:
        """That a reply was cut, unless a later one is whole."""
        del before, inputs
        if outputs.finish in CUTS:
            return f"the model's reply in {self.path or self.name} {CUTS[outputs.finish]}"
        return ""

    async def run(self, inputs: DecideInputs, run: Run) -> DecideOutputs:
        state: DecideState = run.state
        artifacts = run.session.artifacts
        known = state.with_news(inputs)
        calls = await asyncio.to_thread(
            lambda: tuple(each.as_call(artifacts) for each in known.results)
        )
        reply = await run.ask_model(self.model, self.request(state, inputs, calls))
        return DecideOutputs(text=reply.text, finish=reply.finish, tool_calls=reply.tool_calls)

    def request(
        self, state: DecideState, inputs: DecideInputs, calls: tuple[CallResult, ...]
    ) -> ChatRequest:
        """What the model is asked in that state; `calls` are all results so far, as values."""
        config: DecideConfig = self.config
        known = state.with_news(inputs)
        told = f"{_render(self.plan, inputs)}\n\n{_render(self.form, inputs)}"
        system = Message(role="system", content=told)
        now = Exchange(self._phrases(state, inputs), inputs.results)
        exchanges = (*state.exchanges, now)
        decided = DecisionInputs(
            question=inputs.question,
            stack=inputs.stack,
            results=calls,
            searches=known.searches,
            answers=known.answers,
            calls_left=0 if inputs.last else inputs.calls_left,
            searches_left=0 if inputs.last else inputs.searches_left,
            person=inputs.person and not inputs.last,
            today=inputs.today,
            plan_first=config.plan_first,
        )
        return ChatRequest(
            messages=(system, *messages_of(exchanges, config.context_tokens, known.summaries)),
            role=ROLE,
            inputs=decided.model_dump(mode="json"),
            json_reply=bool(inputs.last),
            tools=inputs.stack,
            tool_choice="none" if inputs.last else "auto",
            temperature=config.temperature,
            max_tokens=config.max_tokens,
        )

    def _phrases(self, state: DecideState, inputs: DecideInputs) -> ChatPhrases:
        """What is said to the model beside the results."""
        first = "" if state.exchanges else _render(self.question, inputs)
        return ChatPhrases(first, inputs.correction, inputs.last)


def _own_plan(text: str) -> Prompt | None:
    """A plan that is given as a text: as a template if it declares variables, else word for word.
    Errors: `ConfigError`."""
    if not text.strip():
        return None
    if HEADER.match(text):
        return Prompt.from_text("interpreter.plan", text)
    if "{% endraw" in text:
        raise ConfigError("a plan without variables cannot hold '{% endraw'")
    return Prompt.from_text("interpreter.plan", f"{_NO_VARIABLES}{{% raw %}}{text}{{% endraw %}}")


def _render(prompt: Prompt, inputs: DecideInputs) -> str:
    return prompt.render({name: getattr(inputs, name) for name in prompt.variables})
