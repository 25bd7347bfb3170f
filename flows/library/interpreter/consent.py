"""Asking the person before functions that may change something are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.function_description import Function
from flows.core.function_store import ApprovedFunction, CallLimits, FunctionStore
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.errors import ToolError
from flows.library.interpreter.consent_question import (
    ConsentCall,
    ConsentQuestion,
    ConsentWord,
    approval_question,
    consent_questions,
    read_approval,
)

_TRIES: Final = 5
_HINT: Final = "A run file allows it without a person with functions.allow."


class ConsentConfig(AtomicConfig):
    """The keys of asking before calls."""

    description: str = "Asks the person before functions change something."


class ConsentInputs(Ports):
    """The calls of one turn that may need a yes."""

    calls: tuple[ConsentCall, ...]


class CallDecision(BaseModel):
    """What holds for a call of the function with that id: `refusal` says why it is not made, ""
    where it may be; `said` is what the person answered to it, None where they were not asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str
    said: ConsentWord | None = None
    refusal: str = ""


class ConsentOutputs(Ports):
    """A decision for each call, in their order."""

    decisions: tuple[CallDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsentState:
    """What the person has said in this run: the ids of functions that may always be called, and
    calls that were refused, by id and arguments."""

    always: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


class ConsentFlow(AtomicFlow):
    """Asks the person whether functions that change something may be called with their arguments,
    all calls of a turn in one question; and whether one whose description has changed is approved
    as it is now.

    Of one that is `unapproved` the second alone is asked. A yes holds for one call, `always` for
    the function and this run. A call that was refused is not asked about again. Functions among
    `allow` of the run file need no yes.
    """

    needs: ClassVar[Mapping[str, str]] = {"functions": "functions", "human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = ConsentConfig
    Inputs: ClassVar[type[Ports]] = ConsentInputs
    Outputs: ClassVar[type[Ports]] = ConsentOutputs

    def __init__(self, config: ConsentConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        store, human = parts.services.get("functions"), parts.services.get("human")
        self.store: FunctionStore | None = store if isinstance(store, FunctionStore) else None
        self.human: Human | None = human if isinstance(human, Human) else None

    def initial_state(self) -> ConsentState:
        return ConsentState()

    def apply(
        self, state: ConsentState, inputs: ConsentInputs, outputs: ConsentOutputs
    ) -> ConsentState:
        decided = list(zip(inputs.calls, outputs.decisions, strict=True))
        always = {call.function.id for call, each in decided if each.said == "always"}
        refused = {call.key for call, each in decided if each.refusal}
        return ConsentState(state.always | always, state.refused | refused)

    async def run(self, inputs: ConsentInputs, run: Run) -> ConsentOutputs:
        approved: dict[str, Function | None] = {}
        unapproved: set[str] = set()
        for call in inputs.calls:
            name = call.function.id
            if name in approved or name in unapproved:
                continue
            function = await self._loaded(call)
            if function is not None and not await self._approved(function, run):
                unapproved.add(name)
            else:
                approved[name] = function
        decisions: dict[int, CallDecision] = {}
        for place, call in enumerate(inputs.calls):
            name = call.function.id
            if name in unapproved:
                refusal = f"{name} was not called: nobody has approved it"
                decisions[place] = CallDecision(function=name, refusal=refusal)
            elif (decision := self._known(call, approved[name], run)) is not None:
                decisions[place] = decision
        asked = [place for place in range(len(inputs.calls)) if place not in decisions]
        words = await self._ask([inputs.calls[place] for place in asked], run)
        for place, word in zip(asked, words, strict=True):
            decisions[place] = _decision(inputs.calls[place], word)
        return ConsentOutputs(decisions=tuple(each for _, each in sorted(decisions.items())))

    def _known(self, call: ConsentCall, function: Function | None, run: Run) -> CallDecision | None:
        """What holds for a call without asking; None where the person has to be asked."""
        name = call.function.id
        described = call.function if function is None else function.description
        state: ConsentState = run.state
        limits = CallLimits() if self.store is None else self.store.limits
        is_free = not described.changing or name in state.always or limits.is_allowed(name)
        if call.function.unapproved or is_free:
            return CallDecision(function=name)
        if call.key in state.refused:
            refusal = f"{name} was refused before with the same arguments"
            return CallDecision(function=name, refusal=refusal)
        return None

    async def _loaded(self, call: ConsentCall) -> Function | None:
        """The function of the store; None for a flow, and for one that is gone, of which its call
        says why."""
        if call.pinned or self.store is None:
            return None
        try:
            return await self.store.load(call.function.id)
        except ToolError:
            return None

    async def _approved(self, function: Function, run: Run) -> bool:
        """Whether the function is as the person knows it, or they approve of what has changed."""
        if not isinstance(function, ApprovedFunction):
            return True
        with suppress(ToolError):  # of a server that says nothing, the call says why
            await function.refresh()
        if not function.pending:
            return True
        question = approval_question(function.description.id, function, run.effect_key)
        for _ in range(_TRIES):
            said = await self._said(question, run)
            answer = False if said is None else read_approval(said)
            if answer is not None:
                if answer:
                    function.approve()
                return answer
            question = _again(question, str(said), "yes, no", run)
        return False

    async def _ask(self, calls: Sequence[ConsentCall], run: Run) -> list[ConsentWord]:
        """What the person says to each call; no where nobody is there and the run goes on
        without."""
        words: list[ConsentWord] = []
        for each in consent_questions(calls, run.effect_key):
            words += await self._words(each, run)
        return words

    async def _words(self, asked: ConsentQuestion, run: Run) -> Sequence[ConsentWord]:
        question = asked.question
        for _ in range(_TRIES):
            said = await self._said(question, run)
            if said is None:
                break
            words = asked.read(said)
            if words is not None:
                return words
            question = _again(question, said, asked.allowed, run)
        return ["no" for _ in asked.calls]

    async def _said(self, question: Question, run: Run) -> str | None:
        """The text that the person answers; None where nobody is there, or they leave."""
        if self.human is None:
            return None
        answer = await run.ask_person(self.human, question)
        return answer.text if answer.kind == "text" else None


def _again(question: Question, said: str, allowed: str, run: Run) -> Question:
    """The question once more, after a text that is no answer to it."""
    run.notice(f"{said.strip()!r} is no answer to it; say {allowed}")
    return question.model_copy(update={"id": f"{question.id}+"})


def _decision(call: ConsentCall, word: ConsentWord) -> CallDecision:
    name = call.function.id
    if word != "no":
        return CallDecision(function=name, said=word)
    text = f"{name} was not called: it may change something, and nobody said yes. {_HINT}"
    return CallDecision(function=name, said="no", refusal=text)
