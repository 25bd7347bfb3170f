"""Composites that were written for aiflows with a `run` of their own.

Their code decides which subflow is called with what; each call goes through the run's own door, so
that it is a step of the journal, and a run that is taken up again gets what is recorded.
"""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from flows.core.chat import ChatModel
from flows.core.dataflow.facts import ANY
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem
from flows.core.function import place_of
from flows.core.function_thread import call_in_thread
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import ConfigError, PortError
from flows.library.aiflows.cache import cache_problems
from flows.library.aiflows.composite_cache import cached_composite, composite_cache
from flows.library.aiflows.composites import AiflowsSequentialConfig
from flows.library.aiflows.door import DOOR, RUN_MODEL, StepDoor
from flows.library.aiflows.launch import AnyInputs

_OWN_KEYS = frozenset({"compat", "timeout"})


class SubflowDoor:
    """A subflow as the code of a composite sees it: called with a message, or by `run`, it is a
    step of the run."""

    def __init__(self, flow: Flow, door: StepDoor) -> None:
        self.flow = flow
        self.name = flow.name
        self.flow_config: Values = {
            "name": flow.name,
            "description": flow.config.description,
            "private_keys": [],
            "input_interface": list(flow.port_names),
            "output_interface": None,
        }
        self.flow_state: Values = {}
        self._door = door

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # a message that names it is copied

    def get_interface_description(self) -> Values:
        """The inputs of the flow."""
        return {"input": self.flow_config["input_interface"], "output": None}

    def run(self, input_data: Mapping[str, Any]) -> Values:
        """The outputs of one call. Errors: what the step raises."""
        return self._door.call(self.flow, input_data, pick=True)

    def __call__(self, input_message: Any) -> Any:
        """The answer to a message, as a message. Errors: as for `run`."""
        outputs = self.run(input_message.data)
        return _messages().OutputMessage(
            created_by=self.name, src_flow=self.name, dst_flow=input_message.src_flow,
            output_data=outputs, raw_response=None, input_message_id=input_message.message_id,
            history=_history(),
        )  # fmt: skip

    def reset(self, full_reset: bool, recursive: bool, src_flow: object = "Launcher") -> None:
        """Forget the state of the flow and of all below it, if the reset is a full one."""
        del recursive, src_flow
        if full_reset:
            self._door.run.reset(self.flow)


def _messages() -> Any:
    return sys.modules["aiflows.messages"]


def _history() -> Any:
    return sys.modules["aiflows.history"].FlowHistory()


class CompositeClassFlow(CompositeFlow):
    """A composite of aiflows with a `run(self, input_data)` of its own, which runs in a thread. Its
    `flow_state` is kept for its next call in the run.

    Taken up again, its code runs once more from the start of its call, and each subflow that it
    calls gives what is recorded; so it has to decide from inputs and outputs alone.
    """

    needs: ClassVar[Mapping[str, str]] = {RUN_MODEL: "model"}
    Config: ClassVar[type[FlowConfig]] = AiflowsSequentialConfig
    written: type

    def __init__(self, config: Any, parts: Parts, written: type) -> None:
        super().__init__(config, parts)
        self.written = written
        own = parts.services.get(RUN_MODEL)
        self.own_model = own if isinstance(own, ChatModel) else None
        given = config.model_dump(exclude_unset=True, by_alias=True)
        keys = {key: each for key, each in given.items() if key not in _OWN_KEYS}
        keys.setdefault("description", written.__doc__ or written.__name__)
        self.keys: Values = written.get_config(**keys)  # type: ignore[attr-defined]
        self.private_keys = tuple(self.keys.get("private_keys") or ())
        self.cache = composite_cache(config, self.keys)
        declared = config.input_interface
        self.matches_inputs = bool(declared)
        self.set_inputs(ports_model(self.name, declared) if declared else AnyInputs)
        self._validate = self.pick = AnyInputs.__pydantic_validator__.validate_python
        self.make({})

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return [*super().wiring(config, subflows), *cache_problems(config)]

    def make(self, doors: Mapping[str, SubflowDoor]) -> Any:
        """A new object of the class. Errors: `ConfigError` for a config that it refuses."""
        subflows = doors or dict.fromkeys(self.subflows)
        try:
            return self.written(flow_config=copy.deepcopy(self.keys), subflows=dict(subflows))
        except Exception as error:
            raise ConfigError(
                f"{place_of(self.written)}: {self.written.__name__} cannot be made: "
                f"{type(error).__name__}: {error}"
            ) from error

    def output_names(self) -> frozenset[str]:
        return frozenset({ANY})

    async def run(self, inputs: Ports, run: Run) -> Values:
        given: Values = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
        if self.cache is None:
            return await self._take(given, run)
        return await cached_composite(self, self.cache, given, run, lambda: self._take(given, run))

    async def _take(self, given: Values, run: Run) -> Values:
        door = StepDoor(run, asyncio.get_running_loop(), self.own_model)
        made = self.make({name: SubflowDoor(each, door) for name, each in self.subflows.items()})
        if self.path in run.states:
            made.flow_state = copy.deepcopy(run.states[self.path])
        token = DOOR.set(door)
        try:
            returned = await call_in_thread(made.run, copy.deepcopy(given))
        finally:
            DOOR.reset(token)
            door.close()
        if not isinstance(returned, Mapping):
            raise PortError(f"{self.name}: run returns a mapping, not a {type(returned).__name__}")
        if run.address:  # a launcher resets the top flow
            run.states[self.path] = made.flow_state
        return dict(returned)
