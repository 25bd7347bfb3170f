"""Summaries of older results, made when the budget of the context is near."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import Field

from flows.config.prompts import load_prompt
from flows.core.artifacts import Artifacts
from flows.core.chat import ChatModel, ChatRequest, Message
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Problem
from flows.core.reply import Reply, ReplySchema
from flows.core.run import Run
from flows.data.answers.numbers import find_numbers
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.interpreter.decide import DecideState
from flows.library.interpreter.evidence import ResultEvidence, same_number
from flows.library.interpreter.messages import (
    BYTES_PER_TOKEN,
    ChatPhrases,
    Exchange,
    size_of,
)
from flows.library.interpreter.results import ResultSummary, ToolResult

ROLE: Final = "interpreter_summary"
# Of the budget: where summaries begin, what is left after them, and what is read for one of them.
_NEAR: Final = 0.8
_AFTER: Final = 0.5
_READ: Final = 0.5
_SHORTEST: Final = 800  # bytes of a result that is worth a summary
_MOST_STATEMENTS: Final = 8
_MOST_CHARS: Final = 1_200


class SummarizeConfig(AtomicConfig):
    """The keys of summaries. `prompt` is the name of a file (`NAME.j2`)."""

    description: str = "Summarizes older results."
    prompt: str = "interpreter.summary.j2"
    max_tokens: int | None = Field(default=None, ge=1)


class SummarizeInputs(Ports):
    """The question that the run answers, and the results that are to be summarized."""

    question: str
    results: tuple[ToolResult, ...]


class SummarizeOutputs(Ports):
    """A summary for each result of which one could be made. `dropped` are statements with a number
    or a date that the result does not hold."""

    summaries: tuple[ResultSummary, ...] = ()
    dropped: tuple[str, ...] = ()


class CallStatements(Reply):
    """What a model says of the result of one call."""

    call: int
    statements: tuple[str, ...] = ()


class SummariesReply(Reply):
    """A model's reply."""

    summaries: tuple[CallStatements, ...] = ()


@dataclass(frozen=True, slots=True)
class SummarizeState:
    """The numbers of the calls of which a summary was asked for, and how often it was."""

    tried: frozenset[int] = frozenset()
    times: int = 0


class SummarizeFlow(AtomicFlow):
    """Asks the model in the role `interpreter_summary` for statements on older results, and keeps
    those whose numbers and dates stand in the result.

    A summary says less than its result, and nothing else: an answer that takes a value from it
    cites the call.
    """

    needs: ClassVar[Mapping[str, str]] = {"model": "model"}
    # A reply has been paid for: it is on the disk before the run goes on.
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = SummarizeConfig
    Inputs: ClassVar[type[Ports]] = SummarizeInputs
    Outputs: ClassVar[type[Ports]] = SummarizeOutputs

    def __init__(self, config: SummarizeConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.model: ChatModel = parts.service("model", ChatModel)  # type: ignore[type-abstract]
        self.prompt = load_prompt(config.prompt, parts.prompt_folders)
        self.schema = ReplySchema.of(SummariesReply)

    def prompts(self) -> Mapping[str, str]:
        return {self.prompt.source.name: self.prompt.text}

    def use_prompts(self, texts: Mapping[str, str]) -> None:
        """Go by these texts, by the names of their files, instead of by what the files hold now."""
        self.prompt = self.prompt.with_text(texts)

    def key_problems(self) -> list[Problem]:
        """The variables of the prompt that no input fills."""
        allowed = ("question", "texts")
        return [
            Problem(
                f"{self.prompt.source.name} uses {name!r}, which no input fills",
                ("summary_prompt",),
                allowed,
            )
            for name in sorted(self.prompt.variables - set(allowed))
        ]

    def initial_state(self) -> SummarizeState:
        return SummarizeState()

    def apply(
        self, state: SummarizeState, inputs: SummarizeInputs, outputs: SummarizeOutputs
    ) -> SummarizeState:
        del outputs
        return SummarizeState(
            state.tried | {each.number for each in inputs.results}, state.times + 1
        )

    async def run(self, inputs: SummarizeInputs, run: Run) -> SummarizeOutputs:
        reply = await run.ask_model(self.model, self.request(inputs))
        try:
            said = fit(SummariesReply, read_object(reply.text, reply.finish))
        except ReplyProblem as problem:
            run.notice(f"Older results are left out and not summarized: {problem}")
            return SummarizeOutputs()
        return await asyncio.to_thread(checked, said, inputs.results, run.session.artifacts)

    def request(self, inputs: SummarizeInputs) -> ChatRequest:
        """What the model is asked."""
        config: SummarizeConfig = self.config
        values = {"question": inputs.question, "texts": inputs.results}
        texts = [{"call": each.number, "text": each.text} for each in inputs.results]
        told = self.prompt.render({name: values[name] for name in self.prompt.variables})
        return ChatRequest(
            messages=(Message(role="user", content=told),),
            role=ROLE,
            inputs={"question": inputs.question, "texts": texts},
            json_reply=True,
            schema=self.schema,
            max_tokens=config.max_tokens,
        )


def checked(
    said: SummariesReply, results: Sequence[ToolResult], artifacts: Artifacts
) -> SummarizeOutputs:
    """The statements that hold, by result; each of a result that was asked for, in their order."""
    statements: dict[int, list[str]] = {}
    for each in said.summaries:
        statements.setdefault(each.call, []).extend(each.statements[:_MOST_STATEMENTS])
    summaries: list[ResultSummary] = []
    dropped: list[str] = []
    for result in results:
        given = [
            " ".join(each.split()) for each in statements.get(result.number, ()) if each.strip()
        ]
        evidence = ResultEvidence(result.as_call(artifacts))
        held = [each for each in given if holds(each, result.text, evidence)]
        dropped += [each for each in given if each not in held]
        text = "\n".join(f"- {each}" for each in held)[:_MOST_CHARS]
        if text and len(text.encode()) < len(result.told.encode()):
            summaries.append(ResultSummary(call=result.number, text=text))
    return SummarizeOutputs(summaries=tuple(summaries), dropped=tuple(dropped))


def holds(statement: str, text: str, evidence: ResultEvidence) -> bool:
    """Whether every number and date of a statement stands in the text of a result or its data."""
    known = list(find_numbers(text))
    return all(
        any(same_number(each, other) for other in known) or evidence.cited(each.text) is not None
        for each in find_numbers(statement)
    )


def due_results(
    state: DecideState, news: Sequence[ToolResult], context_tokens: int, tried: frozenset[int]
) -> tuple[ToolResult, ...]:
    """The results that a summary is to be made of now, the oldest first; none while the messages
    are well within the budget. `news` are results that the model has not seen yet: they stay."""
    budget = context_tokens * BYTES_PER_TOKEN
    exchanges = (*state.exchanges, Exchange(ChatPhrases(), tuple(news)))
    size = size_of(exchanges, state.summaries) - _left_out(state, tried)
    if size <= _NEAR * budget:
        return ()
    found: list[ToolResult] = []
    read = 0
    for each in _older(state):
        if each.number in tried:
            continue
        length = len(each.told.encode())
        if found and (size <= _AFTER * budget or read + length > _READ * budget):
            break
        found.append(each)
        read += length
        size -= length - min(length, _MOST_CHARS)
    return tuple(found)


def _left_out(state: DecideState, tried: frozenset[int]) -> int:
    """Bytes of the results of which no summary could be made: a reference can stand for them."""
    summarized = {each.call for each in state.summaries}
    return sum(
        len(each.told.encode()) - len(each.reference.encode())
        for each in _older(state)
        if each.number in tried and each.number not in summarized
    )


def _older(state: DecideState) -> Iterator[ToolResult]:
    """The results that the model has seen and that are long enough for a summary."""
    for exchange in state.exchanges:
        for each in exchange.results:
            if each.number and each.kind == "ok" and len(each.told.encode()) >= _SHORTEST:
                yield each
