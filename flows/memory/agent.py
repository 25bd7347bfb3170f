"""A store as an agent of its own, for trying what it can answer alone."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from flows.core.function_description import Function


class AgentResponse(Protocol):
    """What a question came to, as `flows.Interpreter` says it."""

    @property
    def status(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def confidence(self) -> int: ...

    @property
    def lacks(self) -> str: ...

    @property
    def functions(self) -> tuple[str, ...]: ...


class StoreAgent(Protocol):
    """Answers questions with the one function of a store."""

    def __call__(self, question: str, *, context: Sequence[str] = ()) -> AgentResponse: ...


def agent_of(function: Function, model: str | None = None) -> StoreAgent:
    """An interpreter that has this function and searches for no others; `model` as in `--model`,
    the rules without it."""
    # By the door of the package, as whoever imports it: the interpreter stands above the stores.
    made: StoreAgent = import_module("flows").Interpreter([function], model=model, revise=False)
    return made
