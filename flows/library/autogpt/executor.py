"""Carrying a command out, whatever comes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from flows.core.branching import BranchingConfig, BranchingInputs, find_branch
from flows.core.command import Command, CommandArgument
from flows.core.dataflow.facts import UNKNOWN, KnownKeys, join
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Flow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
)
from flows.core.observation import Observation
from flows.core.run import Run
from flows.core.trace import Trace
from flows.core.values import Values
from flows.errors import CommandError, PortError, StepFailed
from flows.library.blocks.keep_outputs import KeepOutputsFlow, observed, tables_of
from flows.semantics.request import Request
from flows.tools.description.flow import argument_ports, effect_of, port_extra

KEEP: Final = "keep"
_WORDS: Final = {
    str: "string", int: "integer", float: "number", bool: "boolean",
    date: "date", datetime: "date-time", time: "time",
}  # fmt: skip


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

    def __init__(self, config: ExecutorConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.keep = KeepOutputsFlow(
            AtomicConfig(description="Keeps what a command returned."), Parts(KEEP)
        )

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        if KEEP not in subflows or not _returns_numbers(subflows):
            return []
        taken = f"the name {KEEP!r} is taken by the step that keeps what commands return"
        return [Problem(taken, ("subflows_config", KEEP))]

    def children(self) -> Mapping[str, Flow]:
        """The commands, and the step that keeps what they return where one may return a number."""
        kept = {KEEP: self.keep} if _returns_numbers(self.subflows) else {}
        return {**self.subflows, **kept}

    def output_names(self) -> frozenset[str]:
        return frozenset({"observation"}).union(
            *(flow.output_names() for flow in self.subflows.values())
        )

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        trace.use_all(given)
        trace.follow_each(self.subflows.values())
        ways = [
            (f"when the command is {name!r}", flow.known_outputs())
            for name, flow in self.subflows.items()
        ]
        known = join([("when a command fails", KnownKeys()), *ways])
        return (known.put("observation", UNKNOWN),)

    def commands(self) -> tuple[Command, ...]:
        """What a controller may ask for: the subflows, with their descriptions and inputs, but for
        those that this run has nothing for."""
        return tuple(
            Command(
                name=name, description=flow.label, input_args=arguments_of(flow),
                effect=effect_of(flow),
            )
            for name, flow in self.subflows.items()
            if not flow.lacks
        )  # fmt: skip

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
        found = observed(outputs)
        if found.kind == "ok" and KEEP in self.children() and next(tables_of(outputs), None):
            kept = await run.call(self.keep, {"command": inputs.branch, "outputs": outputs})
            found = kept["observation"]
        return {**outputs, **self._observed(found, run)}

    def _observed(self, observation: Observation, run: Run) -> Values:
        run.count_command(observation.kind)
        return {"observation": observation}


def _again(inputs: ExecutorInputs, times: int) -> str:
    return (
        f"{inputs.branch!r} was given {times} times with the same arguments and is not carried out "
        "again: its result would be the same. Give another command, other arguments, or finish."
    )


def _returns_numbers(commands: Mapping[str, Flow]) -> bool:
    """Whether a command may return a number that is in no observation: one of its outputs is
    neither a text nor a sign for the flow around it."""
    return any(
        "observation" not in names and any(not _is_text(flow, name) for name in names)
        for flow in commands.values()
        if "EARLY_EXIT" not in (names := flow.output_names())
    )


def _is_text(flow: Flow, output: str) -> bool:
    if not isinstance(flow, AtomicFlow):
        return False
    info = flow.outputs_type.model_fields.get(output)
    return info is not None and info.annotation is str


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
