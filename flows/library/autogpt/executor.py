"""Carrying a command out, whatever comes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from flows.core.branching import BranchingConfig, BranchingInputs, find_branch
from flows.core.command import Command, CommandArgument
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import CommandError, PortError, StepFailed
from flows.semantics.request import Request
from flows.tools.description.flow import argument_ports, port_extra
from flows.tools.text import cap

MAX_TEXT: Final = 20_000
_SIGNS = frozenset({"observation", "EARLY_EXIT"})
_WORDS: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}


class ExecutorConfig(BranchingConfig):
    """The keys of an executor."""

    description: str = "Carries the command out."
    same_command: int | None = Field(
        default=3, ge=2, strict=True,
        description="the time at which a command with the same arguments is not carried out again",
    )  # fmt: skip


class ExecutorInputs(BranchingInputs):
    """The command and its arguments, or the problem that there is none. `request` is what the
    text among the arguments was read as, for a command that can go by it."""

    branch: str = ""
    request: Request | None = None
    problem: str = Field(default="", description="why the controller gave no command")


class ExecutorFlow(CompositeFlow):
    """Calls the subflow that a command names. An error of a command is an observation.

    The outputs of the command are returned as they are; `observation` is what it found, or the
    reason why it failed. A model that cannot be reached is no observation: it fails the step.
    """

    branches: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = ExecutorConfig
    Inputs: ClassVar[type[Ports]] = ExecutorInputs

    def output_names(self) -> frozenset[str]:
        return frozenset({"observation"}).union(
            *(flow.output_names() for flow in self.subflows.values())
        )

    def commands(self) -> tuple[Command, ...]:
        """What a controller may ask for: the subflows, with their descriptions and inputs, but for
        those that this run has nothing for."""
        return tuple(
            Command(name=name, description=flow.label, input_args=arguments_of(flow))
            for name, flow in self.subflows.items()
            if not flow.lacks
        )

    def branch(self, name: str) -> Flow:
        """The command of that name. Errors: `PortError` for one that there is not, or that this
        run has nothing for."""
        found = find_branch(self, name)
        if found.lacks:
            allowed = ", ".join(each.name for each in self.commands())
            raise PortError(f"{name!r} is off: the run lacks {found.lacks} (commands: {allowed})")
        return found

    def commands_that_set(self, key: str | None) -> tuple[Command, ...]:
        """The commands that can end the flow around this one."""
        return tuple(
            each for each in self.commands() if key in self.subflows[each.name].output_names()
        )

    async def run(self, inputs: ExecutorInputs, run: Run) -> Values:
        if inputs.problem:
            return self._observed(Observation(kind="error", text=inputs.problem), run)
        if (most := self.config.same_command) is not None:
            call = json.dumps([inputs.branch, to_jsonable_python(inputs.branch_input_data)])
            if run.repeated(call) >= most:
                return self._observed(Observation(kind="error", text=_again(inputs, most)), run)
        try:
            flow = self.branch(inputs.branch)
            given = dict(inputs.branch_input_data)
            if inputs.request is not None and "request" in flow.port_names:
                given["request"] = inputs.request
            outputs = await run.call(flow, given)
        except PortError as error:
            return self._observed(Observation(kind="error", text=str(error)), run)
        except StepFailed as failure:
            if not isinstance(failure.root, (CommandError, PortError)):
                raise
            text = f"{inputs.branch} failed: {failure.root}"
            return self._observed(Observation(kind="error", text=text), run)
        if outputs.get("EARLY_EXIT"):
            return outputs
        return {**outputs, **self._observed(observed(outputs), run)}

    def _observed(self, observation: Observation, run: Run) -> Values:
        run.count_command(observation.kind)
        return {"observation": observation}


def _again(inputs: ExecutorInputs, times: int) -> str:
    return (
        f"{inputs.branch!r} was given {times} times with the same arguments and is not carried out "
        "again: its result would be the same. Give another command, other arguments, or finish."
    )


def observed(outputs: Mapping[str, Any]) -> Observation:
    """What a command found: its `observation`, or whatever it returned, as text."""
    found = outputs.get("observation")
    if isinstance(found, Observation):
        return found
    if found is None:
        found = {name: each for name, each in outputs.items() if name not in _SIGNS}
    if not found:
        return Observation(kind="empty", text="The command ended and gave nothing back.")
    plain = to_jsonable_python(found, fallback=str)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return Observation(kind="ok", text=cap(text, MAX_TEXT))


def arguments_of(flow: Flow) -> tuple[CommandArgument, ...]:
    """The inputs of a flow, as the arguments of a command, but for those that say they are none."""
    return tuple(
        CommandArgument(
            name=name,
            type=_type_of(info),
            description=info.description or "",
            required=info.is_required(),
        )
        for name, info in argument_ports(flow).items()
    )


def _type_of(info: FieldInfo) -> str:
    """The type in words: the port's own word for it, or what its annotation says."""
    named = port_extra(info).get("type")
    return named if isinstance(named, str) else _in_words(info.annotation)


def _in_words(kind: Any) -> str:
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(json.dumps(part) for part in parts)}"
    if origin in (Union, UnionType):
        words = (_in_words(part) for part in parts if part is not NoneType)
        return " or ".join(dict.fromkeys(words))
    if origin in (list, tuple, set, frozenset):
        inner = dict.fromkeys(_in_words(part) for part in parts if part is not Ellipsis)
        return f"list of {' or '.join(inner)}" if inner else "list"
    if kind is Any or not isinstance(origin, type):
        return "any"
    return _WORDS.get(origin, "object")
