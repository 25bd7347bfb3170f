"""One call of a function of the store, as a step of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.artifacts import Artifact, Origin
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.function_store import FunctionStore
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import ToolError
from flows.tools.sources.invoke import invoke
from flows.tools.sources.results import limited


class CallConfig(AtomicConfig):
    """The keys of a call."""

    description: str = "Calls a function."


class CallInputs(Ports):
    """The id of a function and the arguments of this call."""

    id: str
    arguments: Mapping[str, Any] = Field(default={})


class CallOutputs(Ports):
    """What the function gave, or why it did not. `artifact` is the name of the file that holds all
    of a result of which the observation has the beginning."""

    observation: Observation
    artifact: str = ""


class ResultKeeper:
    """Saves a file as an artifact of the run and remembers its name."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.name = ""

    def __call__(
        self, stem: str, kind: str, content: bytes, description: str, origin: Origin | None = None
    ) -> Artifact:
        saved = self._run.save(stem, kind, content, description, origin)
        self.name = saved.name
        return saved


class CallFlow(AtomicFlow):
    """Calls a function of the run's store. What goes wrong in the call is an observation.

    There is one of these flows for each effect that a function can have.
    """

    needs: ClassVar[Mapping[str, str]] = {"functions": "functions"}
    Config: ClassVar[type[FlowConfig]] = CallConfig
    Inputs: ClassVar[type[Ports]] = CallInputs
    Outputs: ClassVar[type[Ports]] = CallOutputs

    def __init__(self, config: CallConfig, parts: Parts, effect: Effect) -> None:
        super().__init__(config, parts)
        self.effect = effect
        store = parts.services.get("functions")
        self.store: FunctionStore | None = store if isinstance(store, FunctionStore) else None

    @property
    def changing(self) -> bool:
        """The person is asked about the function itself."""
        return False

    async def run(self, inputs: CallInputs, run: Run) -> CallOutputs:
        if self.store is None:
            raise ToolError("this run has no functions to call")
        try:
            function = await self.store.load(inputs.id)
        except ToolError as error:
            return CallOutputs(observation=Observation(kind="error", text=str(error)))
        keeper = ResultKeeper(run)
        limits = self.store.limits
        found = await invoke(function, inputs.arguments, limits=limits, save=keeper)
        return CallOutputs(observation=found, artifact=keeper.name)


class KeepConfig(AtomicConfig):
    """The keys of keeping a result."""

    description: str = "Keeps a long result."
    max_chars: int = Field(default=8_000, ge=200)


class KeepInputs(Ports):
    """What the function `name` gave, whose text is long."""

    name: str
    observation: Observation


class KeepFlow(AtomicFlow):
    """Keeps a long text as an artifact of the run, and gives its beginning."""

    Config: ClassVar[type[FlowConfig]] = KeepConfig
    Inputs: ClassVar[type[Ports]] = KeepInputs
    Outputs: ClassVar[type[Ports]] = CallOutputs

    async def run(self, inputs: KeepInputs, run: Run) -> CallOutputs:
        keeper = ResultKeeper(run)
        config: KeepConfig = self.config
        found = limited(inputs.name, inputs.observation, config.max_chars, keeper)
        return CallOutputs(observation=found, artifact=keeper.name)
