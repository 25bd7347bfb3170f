"""A tool that is a plain Python function, as people and models read of it.

Its source is one module of Python text that runs by itself in the sandbox: the function, what it
is documented by, and its tests. `flows.tools.functions.parse` makes the rest of that text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ToolParameter(BaseModel):
    """One argument of a tool. `type` is its annotation as it is written; a `frame` is a table,
    which is given by the name of the variable that holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str
    required: bool
    default: str = ""
    description: str = ""
    frame: bool = False


class FunctionTool(BaseModel):
    """A tool: what it is for, what it takes and gives, where it may be used, and how it has done.

    `purpose` is one sentence, `description` what else its author says of what it does.
    `gives` names the variables that its result is assigned to where a plan names no others.
    `phases` are the phases of a pipeline that may use it. `tests` are the names of the functions
    of its source that test it. `origin` says who made it: "shipped", or the run and the step, and
    whether a model or rules wrote it. `uses` and `successes` count its calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    purpose: str
    description: str = ""
    source: str
    parameters: tuple[ToolParameter, ...] = ()
    gives: tuple[str, ...] = ()
    returns: str = ""
    errors: str = ""
    example: str = ""
    phases: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    version: int = Field(default=1, ge=1)
    origin: str = "shipped"
    uses: int = Field(default=0, ge=0)
    successes: int = Field(default=0, ge=0)

    @property
    def frames(self) -> tuple[str, ...]:
        """The parameters that are tables."""
        return tuple(each.name for each in self.parameters if each.frame)


def call_of(
    tool: FunctionTool,
    arguments: Mapping[str, Any],
    variables: frozenset[str],
    into: tuple[str, ...] = (),
) -> str:
    """The line of Python that calls the tool.

    A table that `arguments` does not name is the variable of the parameter's own name, where that
    is among the `variables`; a table, or a list of them, is given by its variable. Errors:
    `ValueError` for an argument that the tool does not take, or one that it needs and is not given.
    """
    known = {each.name: each for each in tool.parameters}
    if unknown := sorted(set(arguments) - set(known)):
        allowed = ", ".join(known) or "none"
        raise ValueError(f"{tool.name} takes no argument {unknown[0]!r} (it takes: {allowed})")
    said = []
    for name, parameter in known.items():
        if name in arguments:
            said.append(f"{name}={_text(parameter, arguments[name], variables, tool.name)}")
        elif parameter.frame and name in variables:
            said.append(f"{name}={name}")
        elif parameter.required:
            raise ValueError(f"{tool.name} needs the argument {name!r}")
    targets = ", ".join(into or tool.gives)
    call = f"{tool.name}({', '.join(said)})"
    return f"{targets} = {call}" if targets else call


def _text(parameter: ToolParameter, value: Any, variables: frozenset[str], tool: str) -> str:
    if not parameter.frame or value is None:
        return repr(value)
    names = [value] if isinstance(value, str) else value
    for name in names:
        if name not in variables:
            raise ValueError(f"{tool}: there is no table {name!r} for {parameter.name!r}")
    return str(value) if isinstance(value, str) else f"[{', '.join(names)}]"
