"""A call of a function: arguments checked, time and output limited, every failure in words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from flows.config.redaction import redact, redact_pieces
from flows.core.function_description import Function
from flows.core.function_store import ApprovedFunction, CallLimits
from flows.core.observation import Observation
from flows.errors import CommandError, RecallError
from flows.tools.sources.arguments import check_call
from flows.tools.sources.results import Save, limited
from flows.tools.text import cap, plain

_LONGEST_FAULT: Final = 2_000


DEFAULT_LIMITS: Final = CallLimits()


@dataclass(frozen=True)
class Invocation:
    """A function and the arguments that it is called with; `save` keeps a large result."""

    function: Function
    arguments: Mapping[str, Any]
    save: Save | None = None


@runtime_checkable
class SavingFunction(Protocol):
    """A function whose result may be a file, which it keeps itself."""

    saves: bool

    async def call(self, arguments: Mapping[str, Any], save: Save | None = None) -> Observation: ...


@runtime_checkable
class SpeakingFunction(Protocol):
    """A function of a program that says something beside its answers, which tells why it is
    late."""

    @property
    def last_words(self) -> str: ...


async def invoke(
    function: Function,
    arguments: Mapping[str, Any],
    *,
    limits: CallLimits = DEFAULT_LIMITS,
    save: Save | None = None,
) -> Observation:
    """Call the function. What goes wrong is an observation of the kind `error`, never raised:
    arguments that do not fit, a server that does not answer, a description that has changed."""
    name = function.description.name
    try:
        async with asyncio.timeout(limits.timeout_s):
            if isinstance(function, ApprovedFunction):
                await function.refresh()
                if function.pending:
                    why = f"{function.pending}; flows functions approve shows what it says now"
                    return _failed(f"{name} is not called: {why}")
            check_call(function.description, arguments)
            if isinstance(function, SavingFunction):
                found = await function.call(arguments, save)
            else:
                found = await function.call(arguments)
    except TimeoutError:
        late = f"{name} did not answer in time (the limit is {limits.timeout_s:g} s)"
        words = function.last_words if isinstance(function, SpeakingFunction) else ""
        said = f". The last that it said beside its answers: {words}" if words else ""
        return _failed(f"{late}{said}")
    except (CommandError, RecallError) as error:
        return _failed(str(error))
    redacted = found.model_copy(update={"text": redact(found.text)})
    return limited(name, redacted, limits.max_chars, save)


async def invoke_all(
    calls: Sequence[Invocation], *, limits: CallLimits = DEFAULT_LIMITS
) -> list[Observation]:
    """The observations of calls that do not depend on each other, made at once, in their order."""
    turns = asyncio.Semaphore(limits.parallel)

    async def made(call: Invocation) -> Observation:
        async with turns:
            return await invoke(call.function, call.arguments, limits=limits, save=call.save)

    return list(await asyncio.gather(*(made(each) for each in calls)))


def _failed(text: str) -> Observation:
    return Observation(kind="error", text=cap(plain(redact_pieces(text)), _LONGEST_FAULT))
