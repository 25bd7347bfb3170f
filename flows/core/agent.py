"""An agent over given functions, for those who have functions and do not know the agents."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, Protocol

from flows.core.function_description import Function

# The class that makes agents, which this room does not know; it is imported when it is used.
AGENT: Final = ("flows.services.interpreter", "Interpreter")


class FunctionAgent(Protocol):
    """Answers questions with its functions alone."""

    def __call__(self, question: str) -> Any: ...


def agent_of(
    functions: Sequence[Function], *, model: str | None = None, overrides: Sequence[str] = ()
) -> FunctionAgent:
    """An agent that calls these functions and searches for no others. `model` is as in `--model`,
    `overrides` are keys of its run file."""
    module, name = AGENT
    made = getattr(import_module(module), name)
    agent: FunctionAgent = made(functions, revise=False, model=model, overrides=overrides)
    return agent
