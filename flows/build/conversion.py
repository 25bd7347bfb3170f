"""A file of aiflows as a run file of ours: the same flow, written in our names.

The file is built first and written from what it comes to: the wrapper is gone, the default configs
are laid out, backends with keys of their own have become the model of the run. A composite becomes
one of ours where that does the same; where aiflows' own does something that ours does not, such as
keeping its state between its calls, it stays what it is, and a note says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from flows.build.conversion_interfaces import Inconvertible, convert_interface
from flows.build.conversion_models import LITELLM, convert_backend, has_keys, kept_backend
from flows.build.interfaces import ConfigPath
from flows.build.names import builtin_registry
from flows.build.plan import RunPlan
from flows.build.run_config import SIDES, SUBFLOWS, RunConfig
from flows.config.aiflows import COMPAT, SERVICES
from flows.config.composition import Composed
from flows.config.no_effect import keys_without_effect
from flows.config.tree import DEFAULTS, MAKERS, TARGET
from flows.core.dataflow.facts import ANY
from flows.core.flow import Flow
from flows.core.values import Values
from flows.errors import Place
from flows.library.aiflows.chat import ChatModuleKeys
from flows.library.aiflows.composites import AiflowsCircularFlow, AiflowsRounds, InputMatcher
from flows.library.aiflows.interfaces import EXIT
from flows.library.aiflows.launch import LaunchFlow
from flows.library.aiflows.tries import TRIES, with_tries

_MATCHED: Final = {"additional_transformations": [{TARGET: "KeyMatchInput"}]}
_PROMPT: Final = "_prompt_template"
_NAMED: Final = ("name", "description")


@dataclass(frozen=True, slots=True)
class Kept:
    """A flow that stays one of aiflows, with the reason."""

    place: Place
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Converted:
    """The keys of the new run file, and what of it stays as it is in aiflows."""

    values: Values
    kept: tuple[Kept, ...]


def convert(plan: RunPlan, composed: Composed) -> Converted:
    """A built file of aiflows in our form. Errors: `ConfigError` for a key that has none."""
    if plan.flow.config.__dict__.get(COMPAT):
        raise composed.error(
            "what compat brings back has no form of ours: take it out, and see what then differs "
            "with flows check --compat",
            (COMPAT,),
        )
    return _Converter(plan, composed).converted()


@dataclass
class _Converter:
    plan: RunPlan
    composed: Composed
    kept: list[Kept] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.registry = builtin_registry()
        self.models = dict(self._backends(self.plan.flow, ()))
        self.model = self._run_model()

    def converted(self) -> Converted:
        flow = self._flow(self.plan.flow, (), once=True)
        flow = {key: each for key, each in flow.items() if key not in RunConfig.model_fields}
        head = {key: flow.pop(key) for key in _NAMED if flow.get(key)}
        run = dict(self._run_keys())
        values: Values = {DEFAULTS: self._defaults(), **head, **flow, **run}
        if self.plan.inputs:
            values["inputs"] = self._inputs(flow)
        return Converted(values, tuple(self.kept))

    def _defaults(self) -> list[Any]:
        services = {key: each for key, each in SERVICES.items() if key != "model" or not self.model}
        return [*({key: each} for key, each in services.items()), "_self_"]

    def _run_keys(self) -> Iterator[tuple[str, Any]]:
        """The keys of the run that the file itself says, and the model that its backends name."""
        if self.model:
            yield "model", self.model
        for key in RunConfig.model_fields:
            own = self.composed.key_place((key,)).origin == str(self.composed.file)
            written = ("inputs", "model") if self.model else ("inputs",)
            if key in self.composed.values and own and key not in written:
                yield key, self.composed.values[key]

    def _inputs(self, flow: Values) -> Values:
        """The inputs of the file that the flow declares; one of aiflows takes any."""
        given = self.plan.inputs
        if str(flow[TARGET]).startswith("aiflows.") or not self._is_ours(flow[TARGET]):
            return dict(given)
        return {key: each for key, each in given.items() if key in flow["input_interface"]}

    def _is_ours(self, target: str) -> bool:
        return self.registry.is_built_in("flow", target)

    # Models

    def _backends(self, flow: Flow, path: ConfigPath) -> Iterator[tuple[ConfigPath, Values]]:
        backend = with_tries(type(flow.config), dict(self._values(path))).get("backend")
        if isinstance(flow.config, ChatModuleKeys) and isinstance(backend, Mapping):
            name = self.registry.canonical("model", str(backend.get(TARGET)))
            if name == LITELLM and has_keys(backend):
                yield path, convert_backend(backend, self.composed, (*path, "backend"))
        for _, child, below in self._below(flow, path):
            yield from self._backends(child, below)

    def _run_model(self) -> Values | None:
        """The model that most backends name; none where the file chooses one for the run."""
        chosen = self.composed.values.get("model") or {}
        if chosen.get(TARGET) not in (None, "model.offline") or not self.models:
            return None
        counted = Counter(repr(each) for each in self.models.values())
        most = counted.most_common(1)[0][0]
        return next(each for each in self.models.values() if repr(each) == most)

    # Flows

    def _below(self, flow: Flow, path: ConfigPath) -> Iterator[tuple[str, Flow, ConfigPath]]:
        written = self._values(path).get(SUBFLOWS) or {}
        for name, child in flow.children().items():
            if name in written:
                yield name, child, (*path, SUBFLOWS, name)

    def _flow(self, flow: Flow, path: ConfigPath, *, once: bool) -> Values:
        """The keys of a flow. `once` says that a run calls it one time at most."""
        name = self.registry.canonical("flow", str(self._values(path)[TARGET]))
        if not self._is_ours(name):
            return self._own(flow, path)
        if isinstance(flow, AiflowsCircularFlow | LaunchFlow):
            try:
                return self._composite(flow, path, once=once)
            except Inconvertible as error:
                place = self.composed.key_place(error.path or (*path, TARGET))
                where = ".".join(str(each) for each in path)
                self.kept.append(Kept(place, where, f"{name} stays: {error}"))
        return self._as_it_is(flow, path, name, once=once)

    def _own(self, flow: Flow, path: ConfigPath) -> Values:
        """A class of somebody's own: its keys are its own matter."""
        values = dict(self._values(path))
        values[TARGET] = MAKERS.sub("", str(values[TARGET]))
        subflows = {
            name: self._flow(child, below, once=False)
            for name, child, below in self._below(flow, path)
        }
        return {**values, SUBFLOWS: subflows} if subflows else values

    def _as_it_is(self, flow: Flow, path: ConfigPath, name: str, *, once: bool) -> Values:
        """A flow of aiflows under our name for it, without the keys that do nothing."""
        idle = {key for key, _ in keys_without_effect(type(flow.config))}
        idle |= {"name"} if path else set()
        idle |= set(TRIES) if path in self.models else set()
        values: Values = {TARGET: name}
        for key, each in self._values(path).items():
            if key.endswith(_PROMPT) and isinstance(each, Mapping):
                values[key] = {inner: had for inner, had in each.items() if inner != TARGET and had}
            elif key not in idle and key not in (TARGET, SUBFLOWS):
                values[key] = each
        if path in self.models:
            own = self.models[path]
            values["backend"] = None if own == self.model or not self.model else own
        elif isinstance(backend := values.get("backend"), Mapping):
            name = self.registry.canonical("model", str(backend.get(TARGET)))
            values["backend"] = kept_backend(backend) if name == LITELLM else backend
        once = once and not isinstance(flow, AiflowsCircularFlow)
        subflows = {
            below: self._flow(child, at, once=once) for below, child, at in self._below(flow, path)
        }
        if subflows:
            values[SUBFLOWS] = subflows
        if "topology" in values:
            values["topology"] = [
                {key: self._renamed(each) if key in SIDES else each for key, each in item.items()}
                for item in values["topology"]
            ]
        return values

    def _renamed(self, interface: Any) -> Any:
        if not isinstance(interface, Mapping) or TARGET not in interface:
            return interface
        found = self.registry.canonical("interface", str(interface[TARGET]))
        rest = {key: each for key, each in interface.items() if key != TARGET}
        if rest.get("additional_transformations"):
            rest["additional_transformations"] = [
                {**each, TARGET: self.registry.canonical("transformation", each[TARGET])}
                for each in rest["additional_transformations"]
            ]
        return rest if found == "KeyInterface" else {TARGET: found, **rest}

    def _composite(
        self, flow: AiflowsCircularFlow | LaunchFlow, path: ConfigPath, *, once: bool
    ) -> Values:
        """The composite as one of ours. Errors: `Inconvertible`."""
        if not once:
            raise Inconvertible("it keeps its state between its calls")
        rounds = flow.rounds if isinstance(flow, AiflowsCircularFlow) else None
        circular = rounds is not None and not rounds.once
        values: Values = {TARGET: "circular" if circular else "sequential"}
        given = self._values(path)
        values |= {
            key: given[key] for key in _NAMED if given.get(key) and (key != "name" or not path)
        }
        if rounds is not None:
            values |= _of_rounds(rounds)
        if given.get("timeout") is not None:
            values["timeout"] = given["timeout"]
        values["input_interface"] = self._input_ports(flow, path)
        values["output_interface"] = self._outputs(flow)
        kept = len(self.kept)
        values[SUBFLOWS] = {
            name: self._flow(child, below, once=not circular and _calls_of(flow, name) == 1)
            for name, child, below in self._below(flow, path)
        }
        try:
            values["topology"] = [
                self._step(flow, number, values[SUBFLOWS], path)
                for number in range(len(given["topology"]))
            ]
        except Inconvertible:
            del self.kept[kept:]
            raise
        return values

    def _outputs(self, flow: AiflowsCircularFlow | LaunchFlow) -> list[str]:
        if isinstance(flow, AiflowsCircularFlow):
            if flow.config.output_interface is None:
                raise Inconvertible("it returns all of its state")
            return list(flow.config.output_interface)
        names = flow.output_names()
        if ANY in names:
            raise Inconvertible("which keys it returns is not known before it runs")
        return sorted(names)

    def _input_ports(self, flow: AiflowsCircularFlow | LaunchFlow, path: ConfigPath) -> Any:
        if isinstance(flow, LaunchFlow):
            return self._launched_ports(flow)
        if not flow.config.input_interface:
            raise Inconvertible("it does not say which inputs it takes")
        given = frozenset().union(*(each.names_out() for each in flow.rounds.steps))
        found = dict(flow.input_ports)
        for number, step in enumerate(flow.rounds.steps):
            source = self._values((*path, "topology", number)).get("input_interface")
            if source and not _only_matches(source):
                self._refuse_undeclared(source, {*found, *given}, (*path, "topology", number))
            else:  # a port that is None where the state has no such key
                ports = step.flow.inputs_type.model_fields
                free = (name for name, each in ports.items() if each.default is None)
                found |= {name: False for name in free if name not in found and name not in given}
        return _spec(found)

    def _refuse_undeclared(
        self, source: Mapping[str, Any], known: set[str], path: ConfigPath
    ) -> None:
        """Errors: `Inconvertible` for an interface that takes an input which is not declared."""
        for key in ("keys_to_rename", "keys_to_copy"):
            for each in source.get(key) or ():
                if each.partition(".")[0] not in known and ANY not in known:
                    raise Inconvertible(f"it takes {each!r} without declaring it", (*path, key))

    def _launched_ports(self, flow: LaunchFlow) -> Any:
        """What the one step takes, by the names that its interface gives the inputs."""
        step = flow.step
        interface = self.composed.values["topology"][0]
        source: Mapping[str, Any] = interface.get("input_interface") or {}
        if not _only_matches(source, "keys_to_rename"):
            raise Inconvertible("which inputs its interface takes is not known before it runs")
        if not step.flow.input_ports or ANY in step.flow.port_names:
            raise Inconvertible("it does not say which inputs it takes")
        before = {new: old for old, new in source.get("keys_to_rename", {}).items()}
        return _spec({before.get(key, key): each for key, each in step.flow.input_ports.items()})

    def _step(
        self,
        flow: AiflowsCircularFlow | LaunchFlow,
        number: int,
        subflows: Mapping[str, Values],
        path: ConfigPath,
    ) -> Values:
        at = (*path, "topology", number)
        given = self._values(at)
        called = flow.subflows[given["flow"]]
        target = subflows[given["flow"]][TARGET]
        values: Values = {"goal": given["goal"], "flow": given["flow"]}
        for side in SIDES:
            if isinstance(given.get(side), Mapping):
                values[side] = convert_interface(given[side], self.registry, (*at, side))
        if not self._is_ours(target) or str(target) in _TAKES_ALL:
            self._narrow(values, called, at)
        elif values.get("input_interface") == _MATCHED:
            del values["input_interface"]  # a step of ours gets what its flow declares
        if given.get("reset"):
            values["reset"] = True
        return values

    def _narrow(self, values: Values, called: Flow, at: ConfigPath) -> None:
        """See that a flow which takes whatever it is given gets no more than in aiflows."""
        source = values.get("input_interface")
        if source is None and isinstance(called, InputMatcher) and called.matches_inputs:
            values["input_interface"] = _MATCHED
        elif source is None or not _selects(source):
            raise Inconvertible(f"it gives all of its state to {called.name}", at)

    def _values(self, path: ConfigPath) -> Mapping[str, Any]:
        found: Any = self.composed.values
        for each in path:
            found = found[each]
        return found if isinstance(found, Mapping) else {}


_TAKES_ALL: Final = frozenset({
    "aiflows.sequential", "aiflows.circular", "aiflows.demonstrated_chat", "aiflows.launch",
    "aiflows.controller_executor", "aiflows.autogpt",
})  # fmt: skip


def _calls_of(flow: AiflowsCircularFlow | LaunchFlow, name: str) -> int:
    steps = flow.rounds.steps if isinstance(flow, AiflowsCircularFlow) else flow.steps
    return sum(each.flow is flow.subflows[name] for each in steps)


def _selects(interface: Mapping[str, Any]) -> bool:
    """Whether only keys that it names come out of an interface."""
    listed = [each[TARGET] for each in interface.get("additional_transformations", ())]
    named = TARGET in interface
    return (
        named
        or bool(interface.get("keys_to_select"))
        or bool({"KeySelect", "KeyMatchInput"} & {*listed})
    )


def _only_matches(interface: Mapping[str, Any], *further: str) -> bool:
    """Whether an interface has no more than the transformation `KeyMatchInput`, and keys of these
    names."""
    known = (*further, "additional_transformations", TARGET)
    targets = [str(each[TARGET]) for each in interface.get("additional_transformations") or ()]
    return all(each.endswith("KeyMatchInput") for each in targets) and not any(
        each and key not in known for key, each in interface.items()
    )


def _of_rounds(rounds: AiflowsRounds) -> Values:
    """The keys that say when the steps end, where our defaults say something else."""
    values: Values = {} if rounds.once else {"max_rounds": rounds.most}
    default = None if rounds.once else EXIT
    given = frozenset().union(*(each.names_out() for each in rounds.steps))
    if rounds.exit_key != default and (rounds.exit_key is None or {rounds.exit_key, ANY} & given):
        values["early_exit_key"] = rounds.exit_key
    return values


def _spec(ports: Mapping[str, bool]) -> list[str] | dict[str, str]:
    if all(ports.values()):
        return list(ports)
    return {name: "any" if needed else "any?" for name, needed in ports.items()}
