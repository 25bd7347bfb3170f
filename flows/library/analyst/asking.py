"""Asking an action until its reply can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from flows.core.flow import Flow, Problem
from flows.core.run import Run
from flows.errors import CommandError, nearest
from flows.library.blocks.reading import ReplyProblem, read_object

T = TypeVar("T")


class ActionFailed(CommandError):
    """An action gave no reply that can be used, or said that it cannot."""


async def ask_action(
    run: Run,
    action: Flow,
    inputs: Mapping[str, Any],
    read: Callable[[dict[str, Any]], T],
    corrections: int = 2,
) -> T:
    """What `read` makes of the action's reply. What is wrong with a reply, be it no JSON or refused
    by `read` with `ReplyProblem`, is told to the model, `corrections` times at most.

    Errors: `ActionFailed`.
    """
    run.reset(action)  # what was said before of another task would mislead it
    problem = ""
    for _ in range(corrections + 1):
        reply = await run.call(action, {**inputs, "correction": problem})
        try:
            return read(read_object(reply["api_output"], reply["finish"]))
        except ReplyProblem as fault:
            problem = str(fault)
            run.notice(f"The reply of {action.name} cannot be used: {problem}")
    raise ActionFailed(f"{action.name} gave no usable reply: {problem}")


def need(flow: str, subflows: Mapping[str, Flow], names: tuple[str, ...]) -> list[Problem]:
    """What is wrong where a flow lacks one of the subflows that it is made of."""
    return [
        Problem(f"{flow} needs a subflow {name!r}", ("subflows_config",), names,
                nearest(name, subflows))
        for name in names
        if name not in subflows
    ]  # fmt: skip
