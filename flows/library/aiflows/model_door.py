"""The way from the thread of a class of aiflows to the models of its run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from flows.core.chat import ChatModel, ChatReply
from flows.core.run import Run
from flows.errors import JournalError, LimitReached, Waiting

_SIGNALS: Final = (LimitReached, Waiting, JournalError)


@dataclass
class ModelDoor:
    """`own` is the run's model, which answers where the backend of a class has no key. `signals`
    are what ended a call of a model and is to end the step, whatever the class makes of it."""

    run: Run
    loop: asyncio.AbstractEventLoop
    own: ChatModel | None
    signals: list[BaseException] = field(default_factory=list)

    def wait(self, ask: Callable[[ModelDoor], Coroutine[Any, Any, ChatReply]]) -> ChatReply:
        """The reply; the class's thread waits for it. Errors: `ModelError`, `LimitReached`."""
        if self.signals:
            raise self.signals[0]
        asked = asyncio.run_coroutine_threadsafe(ask(self), self.loop)
        try:
            return asked.result()
        except _SIGNALS as error:
            self.signals.append(error)  # code that tries again takes every exception
            raise


DOOR: Final[ContextVar[ModelDoor | None]] = ContextVar("DOOR", default=None)
