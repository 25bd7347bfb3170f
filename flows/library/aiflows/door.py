"""The way from the thread of a class of aiflows to its run, where what it calls is a step."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.chat import CUTS, ChatModel, ChatRequest, named_message
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, Flow, Parts, Ports
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import JournalError, LimitReached, StepFailed, Waiting

MODEL: Final = "model"
RUN_MODEL: Final = "run_model"
_SIGNALS: Final = (LimitReached, Waiting, JournalError)


@dataclass
class StepDoor:
    """Calls steps of a run from the thread of a class, which waits for each.

    `own` is the run's model, which answers where the backend of a class has no key. `signals` are
    what ended a step and is to end the class's call, whatever the class makes of it: a limit, a
    question, a full disk.
    """

    run: Run
    loop: asyncio.AbstractEventLoop
    own: ChatModel | None = None
    signals: list[BaseException] = field(default_factory=list)
    asked: list[Future[Values]] = field(default_factory=list)

    def call(self, flow: Flow, payload: Mapping[str, Any], *, pick: bool = False) -> Values:
        """The outputs of one call. Errors: as of `Run.call`."""
        if self.signals:
            raise self.signals[0]
        call = self.run.call(flow, copy.deepcopy(dict(payload)), pick=pick)
        asked = asyncio.run_coroutine_threadsafe(call, self.loop)
        self.asked.append(asked)
        try:
            return copy.deepcopy(dict(asked.result()))
        except _SIGNALS as error:
            self.signals.append(error)  # code that takes every exception does not take this one
            raise

    def close(self) -> None:
        """End what still goes on. Errors: what is to end the class's call."""
        for each in self.asked:
            each.cancel()
        if self.signals:
            raise self.signals[0]


DOOR: Final[ContextVar[StepDoor | None]] = ContextVar("DOOR", default=None)


class BackendMessage(Ports):
    """A message as a class writes it."""

    role: str
    content: str


class BackendInputs(Ports):
    """What a class asks its backend. `settings` are those of the call, beside the backend's own."""

    messages: tuple[BackendMessage, ...]
    settings: dict[str, Any] = Field(default={})


class BackendOutputs(Ports):
    """The model's answer."""

    text: str


class BackendFlow(AtomicFlow):
    """One call of the model by a class: a step below the class's own, at `model#1`, `model#2`, ...

    A run that is taken up again, while the class was at work, runs the class once more and asks no
    model twice.
    """

    inner: ClassVar[bool] = True
    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = BackendInputs
    Outputs: ClassVar[type[Ports]] = BackendOutputs

    def __init__(self, model: ChatModel, above: Flow) -> None:
        super().__init__(AtomicConfig(description="Ask the model"), Parts(name=MODEL))
        self.model: ChatModel = model
        self.place(f"{above.path}/{MODEL}" if above.path else MODEL)

    async def run(self, inputs: BackendInputs, run: Run) -> BackendOutputs:
        said = tuple(named_message(each.role, each.content) for each in inputs.messages)
        last = next((each.content for each in reversed(said) if each.role == "user"), "")
        request = ChatRequest(messages=said, role="chat", inputs={"query": last})
        reply = await run.ask_model(self.model, request)
        if reply.finish != "stop":
            run.notice(f"The model's reply {CUTS[reply.finish]}.")
        return BackendOutputs(text=reply.text)


def ask_backend(
    door: StepDoor,
    model: ChatModel,
    messages: tuple[BackendMessage, ...],
    settings: Mapping[str, Any],
) -> str:
    """The model's answer. Errors: `ModelError`, as a class may catch it; `LimitReached`."""
    assert door.run.flow is not None  # a class is called by its own flow
    try:
        payload = {"messages": messages, "settings": dict(settings)}
        outputs = door.call(BackendFlow(model, door.run.flow), payload)
    except StepFailed as failed:
        raise failed.root from failed
    return str(outputs["text"])
