"""Asking the person before a function that may change something is called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from pydantic_core import to_jsonable_python

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import ApprovedFunction, CallLimits, FunctionStore
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.errors import ToolError
from flows.tools.text import cap, plain

ConsentWord = Literal["yes", "no", "always"]

_WORDS: Final[Mapping[str, ConsentWord]] = {
    "y": "yes", "yes": "yes", "ok": "yes", "approve": "yes",
    "n": "no", "no": "no", "": "no",
    "a": "always", "always": "always",
}  # fmt: skip
_TRIES: Final = 5
_MOST_VALUE: Final = 400  # characters of an argument that are shown
_MOST_ARGUMENTS: Final = 40
_MOST_CHANGE: Final = 3_000  # characters of a changed description that are shown
_HINT: Final = "A run file allows it without a person with functions.allow."


class ConsentConfig(AtomicConfig):
    """The keys of asking before a call."""

    description: str = "Asks the person before a function changes something."


class ConsentInputs(Ports):
    """The function as it stands on the stack, and the arguments of the call. One that is `pinned`
    is a flow of the run, the others are of its store."""

    function: FunctionDescription
    arguments: Mapping[str, object] = {}
    pinned: bool = False


class ConsentOutputs(Ports):
    """`refusal` says why the call is not made, "" where it may be; `always` that the function may
    be called for the rest of the run."""

    refusal: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class ConsentState:
    """What the person has said in this run: the ids of functions that may always be called, and
    calls that were refused, by id and arguments."""

    always: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


class ConsentFlow(AtomicFlow):
    """Asks the person whether a function that changes something may be called with its arguments,
    and whether one whose description has changed is approved as it is now.

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
        if outputs.always:
            return ConsentState(state.always | {inputs.function.id}, state.refused)
        if outputs.refusal:
            return ConsentState(state.always, state.refused | {_key(inputs)})
        return state

    async def run(self, inputs: ConsentInputs, run: Run) -> ConsentOutputs:
        name = inputs.function.id
        function = await self._loaded(inputs)
        if function is not None and not await self._approved(function, run):
            return ConsentOutputs(refusal=f"{name} was not called: nobody has approved it")
        if inputs.function.unapproved:
            return ConsentOutputs()
        described = inputs.function if function is None else function.description
        state: ConsentState = run.state
        limits = CallLimits() if self.store is None else self.store.limits
        if not described.changing or name in state.always or limits.is_allowed(name):
            return ConsentOutputs()
        if _key(inputs) in state.refused:
            return ConsentOutputs(refusal=f"{name} was refused before with the same arguments")
        word = await self._ask(_question(inputs, run), run)
        if word == "no":
            text = f"{name} was not called: it may change something, and nobody said yes. {_HINT}"
            return ConsentOutputs(refusal=text)
        return ConsentOutputs(always=word == "always")

    async def _loaded(self, inputs: ConsentInputs) -> Function | None:
        """The function of the store; None for a flow, and for one that is gone, of which its call
        says why."""
        if inputs.pinned or self.store is None:
            return None
        try:
            return await self.store.load(inputs.function.id)
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
        question = _approval(function.description.id, function, run)
        if await self._ask(question, run) == "no":
            return False
        function.approve()
        return True

    async def _ask(self, question: Question, run: Run) -> ConsentWord:
        """What the person says; no where nobody is there and the run goes on without."""
        if self.human is None:
            return "no"
        allowed = question.answer_schema["enum"]
        for _ in range(_TRIES):
            answer = await run.ask_person(self.human, question)
            if answer.kind != "text":
                return "no"
            said = answer.text.strip().rstrip(".!").casefold()
            if (word := _WORDS.get(said)) in allowed:
                return word or "no"
            run.notice(f"{answer.text.strip()!r} is no answer to it; say {', '.join(allowed)}")
            question = question.model_copy(update={"id": f"{question.id}+"})
        return "no"


def _key(inputs: ConsentInputs) -> str:
    """What a call is known by."""
    given = to_jsonable_python(inputs.arguments, fallback=str)
    return json.dumps([inputs.function.id, given], sort_keys=True)


def _approval(name: str, function: ApprovedFunction, run: Run) -> Question:
    """What the person is asked: what the function said before, and what it says now."""
    change = function.change
    shown = change[:_MOST_CHANGE]
    if len(shown) < len(change):
        shown += "\n[cut: flows functions approve shows all of it]"
    return Question(
        id=f"{run.effect_key}:approve",
        text=f"{name}: {function.pending}.\n{shown}\nIs it approved as it is now? (yes or no) ",
        context={"function": name, "change": change},
        answer_schema={"type": "string", "enum": ["yes", "no"]},
    )


def _question(inputs: ConsentInputs, run: Run) -> Question:
    """What the person is asked: the function, and all of its arguments."""
    name = inputs.function.id
    given = to_jsonable_python(inputs.arguments, fallback=str)
    lines = [f"{name} may change something. Is it to be called?"]
    for key, value in list(given.items())[:_MOST_ARGUMENTS]:
        shown = cap(plain(json.dumps(value, ensure_ascii=False)), _MOST_VALUE)
        lines.append(f"  {plain(str(key))}: {shown}")
    if len(given) > _MOST_ARGUMENTS:
        lines.append(f"  and {len(given) - _MOST_ARGUMENTS} more arguments")
    lines.append("(yes, no, or always in this run) ")
    return Question(
        id=run.effect_key,
        text="\n".join(lines),
        context={"function": name, "arguments": given},
        answer_schema={"type": "string", "enum": ["yes", "no", "always"]},
    )
