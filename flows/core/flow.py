"""What a flow is: a class with typed config, inputs and outputs, and one `run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from flows.core.dataflow.facts import UNKNOWN, KnownKeys
from flows.core.dataflow.kinds import port_facts
from flows.errors import ConfigError, Place, PortError, nearest

Effect = Literal["pure", "idempotent", "once"]
T = TypeVar("T")


class Ports(BaseModel):
    """The base of a flow's `Inputs` and `Outputs`."""

    # NaN and infinity are told apart from null in the journal.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Service(BaseModel):
    """A service of a flow's own (a model, a memory, ...) instead of the run's: its target and keys.

    Which keys are allowed is checked when the target is known, by `flows.build`.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    target: str = Field(alias="_target_")


class FlowConfig(BaseModel):
    """The keys of every flow."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: str = Field(default="", description="a subflow's name is its key in subflows_config")
    description: str = Field(default="", description="what the flow is for, in a sentence")
    timeout: float | None = Field(default=None, gt=0, description="seconds for one call")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a flow's config. `where` is the path of the value below the flow. A
    `warning` keeps nothing from running; `origin` is the place of what it disagrees with."""

    text: str
    where: tuple[str | int, ...]
    allowed: tuple[str, ...] = ()
    meant: str | None = None
    warning: bool = False
    origin: tuple[str | int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a flow is built from, beside its config: its subflows, services, prompt folders, the
    folder of the run file, and where each of its keys is written, if it is in a file."""

    name: str
    subflows: Mapping[str, Flow] = field(default_factory=dict)
    services: Mapping[str, object] = field(default_factory=dict)
    interfaces: Mapping[tuple[int, str], Any] = field(default_factory=dict)
    prompt_folders: tuple[Path, ...] = ()
    base: Path = Path()
    place: Callable[[str], Place | None] = lambda _: None

    def service(self, key: str, protocol: type[T]) -> T:
        """The service for that key of the flow's `needs`. Errors: `ConfigError` without one."""
        found = self.services.get(key)
        if found is None:
            raise ConfigError(f"{self.name} needs a {key}, and the run has none")
        if not isinstance(found, protocol):
            raise ConfigError(f"{self.name}: a {type(found).__name__} cannot be its {key}")
        return found

    def below(self, name: str) -> Parts:
        """What a flow of that name, which this one makes for itself, is built from."""
        return Parts(name=name, services=self.services, prompt_folders=self.prompt_folders)


class Flow:
    """A plan that can be run any number of times at once; what a run changes lives in the `Run`.

    A subclass has `Config`, `Inputs` and `Outputs` beside it. `needs` maps the config keys under
    which it can have services of its own to their kinds; else it gets the run's. `path` is its
    place in the built graph, from the top flow's subflows down. A composite that is `stoppable`
    can be ended by a person as by its time limit, with the rest of the run going on.
    """

    kind: ClassVar[str] = "flow"
    needs: ClassVar[Mapping[str, str]] = {}
    atomic: ClassVar[bool] = False
    stoppable: ClassVar[bool] = False
    Config: ClassVar[type[FlowConfig]] = FlowConfig
    Inputs: ClassVar[type[Ports]] = Ports
    Outputs: ClassVar[type[Ports]] = Ports

    def __init__(self, config: Any, parts: Parts) -> None:
        self.name = parts.name
        self.path = ""
        self.config: Any = config
        self.label = config.description or type(self).__name__
        self.guarded = config.timeout is not None or type(self).stoppable
        self.plain = False
        # Keys of its inputs and outputs that no event tells.
        self.private_keys: tuple[str, ...] = getattr(config, "private_keys", ())
        # What the run has not, without which each call would fail; no command is made of it then.
        self.lacks = ""
        # The class of a user's own that it runs, where that is no `Flow` itself.
        self.written: type | None = None
        self.set_inputs(type(self).Inputs)

    def set_inputs(self, inputs: type[Ports]) -> None:
        """The input ports; called again by a flow whose ports are declared in its config."""
        self.inputs_type = inputs
        self.input_ports: dict[str, bool] = {
            name: info.is_required() for name, info in inputs.model_fields.items()
        }
        self.port_names = tuple(inputs.model_fields)
        self._validate = inputs.__pydantic_validator__.validate_python
        self.pick = _picking(inputs).__pydantic_validator__.validate_python

    def output_names(self) -> frozenset[str]:
        """The keys that a call returns; `*` among them is any key."""
        return frozenset(type(self).Outputs.model_fields)

    @property
    def code_class(self) -> type:
        """The class whose code it runs: one of a user's own, where there is one."""
        return self.written or type(self)

    def children(self) -> Mapping[str, Flow]:
        """The flows below, by name; empty for an atomic flow."""
        return {}

    def most_of(self, below: Mapping[str, float]) -> float | None:
        """What one call of it comes to at most, of what a call of each subflow comes to: model
        calls, tokens, dollars, or calls of one of them. None where it does not know better than its
        kind. `bounded_by` of a composite names the keys that decide it."""
        del below
        return None

    def can_finalize(self) -> bool:
        """Whether it can give a last answer when a limit of the run is reached."""
        return False

    def prompts(self) -> Mapping[str, str]:
        """The texts of its prompts, by the names of their files."""
        return {}

    def told(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inputs or outputs of a call as events tell them: without its private keys."""
        hidden = self.private_keys
        return {key: each for key, each in values.items() if key not in hidden}

    def place(self, path: str) -> None:
        """Tell this flow and those below where they stand in the graph."""
        self.path = path
        for name, child in self.children().items():
            child.place(f"{path}/{name}" if path else name)

    def read_inputs(self, payload: Mapping[str, Any]) -> Any:
        """The payload as this flow's typed inputs. Errors: `PortError` naming each bad port."""
        try:
            return self._validate(payload)
        except ValidationError as error:
            raise self.port_error(error) from error

    def port_error(self, error: ValidationError) -> PortError:
        """What is wrong with each port, in words."""
        problems = []
        for each in error.errors(include_url=False, include_context=False):
            port = ".".join(str(part) for part in each["loc"])
            if each["type"] == "extra_forbidden":
                meant = nearest(port, self.port_names)
                hint = f", did you mean {meant!r}?" if meant else ""
                problems.append(f"unknown input {port!r}{hint}")
            elif each["type"] == "missing":
                problems.append(f"missing input {port!r}")
            else:
                problems.append(f"input {port!r}: {each['msg']}")
        allowed = ", ".join(self.port_names) or "none"
        return PortError(f"{self.name}: {'; '.join(problems)} (inputs: {allowed})")

    # `run` is a `flows.core.run.Run`, whose module imports this one.
    async def run(self, inputs: Any, run: Any) -> Ports | Mapping[str, Any]:
        """Do it. A subclass takes its own `Inputs` and returns its own `Outputs`.

        Values in the inputs are shared with other steps and must not be changed in place.
        """
        raise TypeError(f"{type(self).__name__} does not define run: {inputs!r} at {run.address}")

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        """What is wrong between this config and these subflows, before the flow is made."""
        del config, subflows
        return []

    def key_problems(self) -> list[Problem]:
        """What is wrong in this flow's own use of its inputs, once the graph is built."""
        return []

    def known_inputs(self) -> KnownKeys:
        """What the input ports say of the keys of a call."""
        ports = self.inputs_type
        return KnownKeys(port_facts(ports), ports.model_config.get("extra") == "allow")

    def known_outputs(self) -> KnownKeys:
        """What the output ports say of the keys that a call returns."""
        known = port_facts(getattr(self, "outputs_type", type(self).Outputs))
        names = KnownKeys.named(self.output_names())
        facts = {name: known.get(name, UNKNOWN) for name in names.facts}
        return KnownKeys(facts, names.open)

    # `trace` is a `flows.core.trace.Trace`, whose module imports this one.
    def follow(self, given: KnownKeys, trace: Any) -> tuple[KnownKeys, ...]:
        """Follow the keys of a call: what it returns, on each way on which it can end. What is
        wrong on the way is told to the `trace`."""
        del given
        trace.follow_each(self.children().values())
        return (self.known_outputs(),)


@lru_cache(maxsize=512)
def _picking(inputs: type[Ports]) -> type[Ports]:
    """The same ports, made from a state that holds other keys too; built once, as it is on the hot
    path, where `extra="ignore"` given with each call costs a third more."""
    picking = create_model(inputs.__name__, __base__=inputs, __module__=inputs.__module__)
    picking.model_config["extra"] = "ignore"
    picking.model_rebuild(force=True)
    return picking


def walk(flow: Flow) -> Iterator[tuple[str, Flow]]:
    """A graph's flows with their paths, from the top down; the top flow's path is its name."""
    yield flow.path or flow.name, flow
    for child in flow.children().values():
        yield from walk(child)


class Retry(BaseModel):
    """Trying a step again after an error that may pass, with a growing wait between."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = Field(default=1, ge=1, le=10, description="tries in all")
    wait: float = Field(default=1.0, ge=0, description="seconds before the second try")
    wait_max: float = Field(default=30.0, ge=0, description="seconds at most between two tries")


class AtomicConfig(FlowConfig):
    """The keys of every atomic flow."""

    retry: Retry = Retry()


class AtomicFlow(Flow):
    """A flow that does the work. What it does to the world is declared as `effect`.

    pure         nothing; may be run again at any time
    idempotent   something that is the same when done twice with the same `run.effect_key`
    once         something that must not be done twice

    An `inner` one is called by another atomic flow. Its inputs are recorded too, as no composite
    makes them again.
    """

    atomic: ClassVar[bool] = True
    inner: ClassVar[bool] = False
    effect: Effect = "pure"
    goes_on: str = ""  # what cannot be ended when a call of it is given up, in words
    Config: ClassVar[type[FlowConfig]] = AtomicConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.guarded = self.guarded or config.retry.attempts > 1
        self.folds = type(self).apply is not AtomicFlow.apply
        self.judged = type(self).shortfall is not AtomicFlow.shortfall
        self.plain = not (self.guarded or self.folds or self.judged)
        asked = (parts.services.get(key) for key, kind in self.needs.items() if kind == "model")
        # The chat model that it asks, if it asks one.
        self.model: object = next((each for each in asked if each is not None), None)
        self.outputs_type = type(self).Outputs
        self.outputs_adapter: TypeAdapter[Ports] = TypeAdapter(self.outputs_type)
        self.dump_outputs = self.outputs_type.__pydantic_serializer__.to_json

    @property
    def changing(self) -> bool:
        """Whether it is declared to change something: where an agent decides to call it, a person
        is asked first."""
        return self.effect == "once"

    def most_model_calls(self) -> float:
        """How often one try of a call asks a model at most."""
        return 0 if self.model is None else 1

    def initial_state(self) -> Any:
        """What `run.state` is before the first call and after a reset."""
        return None

    def apply(self, state: Any, inputs: Any, outputs: Any) -> Any:
        """The state after a call: the only place where it changes. Must be a pure function."""
        del inputs, outputs
        return state

    def shortfall(self, before: str, inputs: Any, outputs: Any) -> str:
        """What is missing in what this flow has returned so far, in words; "" for nothing.

        `before` is what was missing before this call. A run that ends while a flow misses something
        is `degraded`, for this reason. Must be a pure function.
        """
        del inputs, outputs
        return before


class CompositeFlow(Flow):
    """A flow that decides which of its subflows is called, from inputs and outputs alone.

    `required` are the names of the subflows that it cannot do without; `branches` says that it
    calls one of its subflows, by name; `bounded_by` are the keys of its config that bound how often
    it calls them. An `endless` one takes rounds until a person or a limit of the run ends it. What
    `spreads` calls its subflow any number of times at once: workers do its calls one by one, and
    never it as a whole.
    """

    required: ClassVar[tuple[str, ...]] = ()
    bounded_by: ClassVar[tuple[str, ...]] = ()
    branches: ClassVar[bool] = False
    endless: ClassVar[bool] = False
    spreads: ClassVar[bool] = False

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.subflows: dict[str, Flow] = dict(parts.subflows)

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        """A problem for each subflow that is required and not there."""
        del config
        return missing_subflows(cls.__name__, subflows, cls.required)

    def children(self) -> Mapping[str, Flow]:
        return self.subflows

    def bounds(self) -> Mapping[str, int | None]:
        """The keys that bound how often it calls its subflows, with their values."""
        return {key: getattr(self.config, key) for key in self.bounded_by}

    def graph_values(self) -> Mapping[str, Any]:
        """What it gives its subflows that comes from the graph alone, by the key of its state."""
        return {}


def missing_subflows(
    flow: str, subflows: Mapping[str, Flow], names: tuple[str, ...]
) -> list[Problem]:
    """What is wrong where a flow lacks one of the subflows that it is made of."""
    return [
        Problem(f"{flow} needs a subflow {name!r}", ("subflows_config",), names,
                nearest(name, subflows))
        for name in names
        if name not in subflows
    ]  # fmt: skip
