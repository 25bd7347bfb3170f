"""Asking a chat until its reply can be used: what is wrong with a reply goes back to the model.

async def check(reply: SqlReply) -> Rows:
    if not reply.sql:
        raise ReplyProblem('the object must have "sql"')      # said in the same chat
    try:
        return await run.call(self.query, {"sql": reply.sql})
    except QueryFailed as error:
        raise TrialFailed(error, error=str(error)) from error  # asked anew, with this input

rows = await propose(run, self.chat, asked, reader_of(SqlReply), check, corrections=2)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from textwrap import shorten
from typing import Any, Final, TypeVar

from flows.core.chat import Finish
from flows.core.flow import Flow
from flows.core.run import Run
from flows.errors import CommandError, FlowsError
from flows.library.blocks.chat import CORRECTION
from flows.library.blocks.reading import ReplyProblem

R = TypeVar("R")
T = TypeVar("T")
_SHOWN: Final = 200


class NoUsableReply(CommandError):
    """No reply of a chat could be used; the message says what was wrong with each."""


class TrialFailed(FlowsError):
    """What a reply proposed was tried, and failed with `failure`.

    The chat is then asked anew, without what was said in it; `inputs` take the places of the inputs
    of the same names and say what happened.
    """

    def __init__(self, failure: FlowsError, **inputs: Any) -> None:
        self.failure = failure
        self.inputs = inputs
        super().__init__(str(failure))


async def propose(
    run: Run,
    chat: Flow,
    inputs: Mapping[str, Any],
    read: Callable[[str, Finish], R],
    check: Callable[[R], Awaitable[T]],
    *,
    corrections: int,
    otherwise: Callable[[str], FlowsError] | None = None,
    speaker: str = "",
    new_chat: bool = True,
) -> T:
    """What `check` makes of the first reply that `read` and `check` have nothing against.

    `read` makes a value of the text of a reply. Both raise `ReplyProblem` for what the model can
    say better, which it is told in the same chat, and `check` raises `TrialFailed` for what was
    tried and failed. `corrections` is how often the model is asked again. With a `speaker` ("The
    model's reply") each problem is told as a notice. `new_chat` forgets what was said before.

    Errors: when no reply could be used, what `otherwise` makes of the problems of all of them,
    `NoUsableReply` without it; or the last failure itself, when the last reply was tried.
    """
    if new_chat:
        run.reset(chat)
    asked, correction = dict(inputs), ""
    problems: list[str] = []
    failure: FlowsError | None = None
    for _ in range(corrections + 1):
        answer = await run.call(chat, {**asked, CORRECTION: correction})
        try:
            return await check(read(answer["api_output"], answer["finish"]))
        except ReplyProblem as problem:
            failure, correction = None, str(problem)
            problems.append(str(problem))
            if speaker:
                run.notice(f"{speaker} cannot be used: {problem}")
        except TrialFailed as failed:
            failure, correction = failed.failure, ""
            problems.append(str(failed))
            asked |= failed.inputs
            run.reset(chat)
    if failure is not None:
        raise type(failure)(every_try(problems)) from failure
    if otherwise is not None:
        raise otherwise(every_try(problems))
    raise NoUsableReply(f"{chat.name} gave no usable reply: {every_try(problems)}")


async def accept(reply: R) -> R:
    """The check of what needs no other than to be read."""
    return reply


def every_try(problems: Sequence[str]) -> str:
    """The problems of all tries, the last one first."""
    *before, last = problems
    if not before:
        return last
    if all(each == last for each in before):
        return f"{last} (in each of {len(problems)} tries)"
    told = "; ".join(f"{n}. {shorten(each, _SHOWN)}" for n, each in enumerate(before, 1))
    return f"{last} (the tries before: {told})"
