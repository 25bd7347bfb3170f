"""Asking an action until its reply can be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, overload

from flows.core.flow import Flow
from flows.core.run import Run
from flows.errors import CommandError
from flows.library.blocks.correction import accept, propose
from flows.library.blocks.reading import JsonObject, read_object

R = TypeVar("R")
T = TypeVar("T")


class ActionFailed(CommandError):
    """An action gave no reply that can be used, or said that it cannot."""


@overload
async def ask_action(
    run: Run,
    action: Flow,
    inputs: Mapping[str, Any],
    read: Callable[[JsonObject], R],
    corrections: int,
) -> R: ...


@overload
async def ask_action(
    run: Run,
    action: Flow,
    inputs: Mapping[str, Any],
    read: Callable[[JsonObject], R],
    corrections: int,
    check: Callable[[R], Awaitable[T]],
) -> T: ...


async def ask_action(
    run: Run,
    action: Flow,
    inputs: Mapping[str, Any],
    read: Callable[[JsonObject], Any],
    corrections: int,
    check: Callable[[Any], Awaitable[Any]] = accept,
) -> Any:
    """What `read` makes of the object of the action's reply, or `check` of that.

    What they have against it is told to the model, `corrections` times at most (`propose`).

    Errors: `ActionFailed` when no reply could be read; what was tried last failed with.
    """
    return await propose(
        run, action, inputs, lambda *reply: read(read_object(*reply)), check,
        corrections=corrections, otherwise=unusable(action),
        speaker=f"The reply of {action.name}",
    )  # fmt: skip


def unusable(action: Flow) -> Callable[[str], ActionFailed]:
    """The error of an action whose replies have these problems."""
    return lambda problems: ActionFailed(f"{action.name} gave no usable reply: {problems}")
