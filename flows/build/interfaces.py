"""Making the interfaces of a topology: their transformations by name, or one that has a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from pydantic import BaseModel, ConfigDict

from flows.build.own_code import outlined_settings
from flows.build.run_config import SIDES
from flows.build.unbuilt import UnknownKeys, unknown_interface
from flows.config.composition import Composed
from flows.config.faults import Faults
from flows.config.outline import TRANSFORMATION, Outline
from flows.config.registry import Registry
from flows.config.tree import TARGET, dotted
from flows.config.validate import validate
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.transformations import Transformation
from flows.errors import ConfigError
from flows.library.aiflows.class_interfaces import OWN, StepSide, adapt_transformation, find_method
from flows.library.aiflows.compat import with_compat
from flows.library.aiflows.keys import AiflowsKeys
from flows.library.aiflows.transformations import KINDS, AiflowsInterface

ConfigPath = tuple[str | int, ...]
NEEDED: Final = f"it is a class with {' and '.join(TRANSFORMATION.values())}"


class TopologyEntry(Protocol):
    """A step of a topology, as far as its interfaces go."""

    @property
    def input_interface(self) -> InterfaceConfig | None: ...
    @property
    def output_interface(self) -> InterfaceConfig | None: ...


def make_interfaces(
    composed: Composed, registry: Registry, path: ConfigPath, flow: object, faults: Faults
) -> dict[tuple[int, str], KeyInterface]:
    """The interfaces of a composite at `path`, by the step's number and its side, and those that a
    flow of aiflows has of its own. `flow` is its config: in one of aiflows the transformations are
    those of aiflows. What is wrong with them is
    kept in the `faults`; of the keys that come out of one that cannot be made nothing is known."""
    found = {}
    topology: Sequence[TopologyEntry] = getattr(flow, "topology", ())
    keys = flow if isinstance(flow, AiflowsKeys) else None
    for index, item in enumerate(topology):
        for side in SIDES:
            config: InterfaceConfig | None = getattr(item, side)
            if config is not None:
                at = (*path, "topology", index, side)
                found[(index, side)] = unknown_interface()
                with faults:
                    found[(index, side)] = _make(composed, registry, at, config, keys)
    for side in SIDES:
        own = getattr(flow, side, None)
        if keys is not None and isinstance(own, Mapping):
            at = (*path, side)
            found[(OWN, side)] = unknown_interface()
            with faults:
                read = validate(InterfaceConfig, own, composed, at)
                found[(OWN, side)] = _make(composed, registry, at, read, keys)
    return found


def _make(
    composed: Composed,
    registry: Registry,
    path: ConfigPath,
    config: InterfaceConfig,
    aiflows: AiflowsKeys | None,
) -> KeyInterface:
    if config.target is not None and (named := _named(composed, registry, path, config)):
        return KeyInterface(InterfaceConfig(), (named,))
    additional = tuple(
        _transformation(
            composed, registry, (*path, "additional_transformations", number), values, aiflows
        )
        for number, values in enumerate(config.additional_transformations)
    )
    if aiflows is None:
        return KeyInterface(config, additional)
    made = AiflowsInterface(config, additional)
    return with_compat(made) if aiflows.compat else made


def _named(
    composed: Composed, registry: Registry, path: ConfigPath, config: InterfaceConfig
) -> Transformation | None:
    """The interface that a `_target_` names, where it is another one than `KeyInterface`: a method
    of a class, one of ours with a name, or a class of one's own."""
    assert config.target is not None
    # Behind the composite stand the topology, the step's number and the side.
    above = path[:-3] if path[-3:-2] == ("topology",) else path[:-1]
    step = step_at(composed, path)
    if (method := find_method(config.target, _values_at(composed, above), step)) is not None:
        return method
    at = (*path, TARGET)
    place, where = composed.place(at), dotted(at)
    found: Any = registry.resolve("interface", config.target, place=place, path=where)
    if found is KeyInterface:
        return None
    given = config.model_dump(exclude_unset=True, exclude={"target"})
    if isinstance(found, Outline):
        if found.keys is not None and given:
            raise _left_over(composed, path, config.target, list(given))
        return UnknownKeys()
    try:
        foreign = adapt_transformation(found, given, step)
    except ConfigError as error:
        raise ConfigError(error.problem, place=place, path=where) from error
    if foreign is None and not _is_transformation(found):
        raise ConfigError(f"{config.target} is no interface: {NEEDED}", place=place, path=where)
    if foreign is None and given:
        raise _left_over(composed, path, config.target, list(given))
    made: Transformation = foreign or found()
    return made


def _left_over(
    composed: Composed, path: ConfigPath, target: str, keys: Sequence[str]
) -> ConfigError:
    """The error for keys beside a class that takes the place of a whole interface."""
    others = f" (and {', '.join(keys[1:])})" if keys[1:] else ""
    return composed.error(
        f"{target} takes the place of the whole interface, so that {keys[0]}{others} would do "
        f"nothing: leave it out, or name the class under additional_transformations",
        (*path, keys[0]),
    )


def _is_transformation(kind: object) -> bool:
    return isinstance(kind, type) and all(
        callable(getattr(kind, each, None)) for each in TRANSFORMATION
    )


def _values_at(composed: Composed, path: Sequence[str | int]) -> Mapping[str, Any]:
    """What is written of the composite at that place."""
    values: Any = composed.values
    for part in path:
        values = values[part]
    written: Mapping[str, Any] = values
    return written


def step_at(composed: Composed, path: ConfigPath) -> StepSide:
    """The flow and the side that an interface is of, by a place in the interface."""
    end = max(number for number, part in enumerate(path) if part in SIDES)
    flow = _values_at(composed, path[:end]).get("flow", "")
    return StepSide(str(flow), str(path[end]))


def _transformation(
    composed: Composed,
    registry: Registry,
    path: ConfigPath,
    values: Mapping[str, Any],
    aiflows: AiflowsKeys | None,
) -> Transformation:
    target = values.get(TARGET)
    if composed.is_unknown((*path, TARGET)):
        return UnknownKeys()
    if not isinstance(target, str):
        names = tuple(registry.names("transformation"))
        raise composed.error("this transformation has no _target_", path, names)
    at = (*path, TARGET)
    place, where = composed.place(at), dotted(at)
    kind: Any = registry.resolve("transformation", target, place=place, path=where)
    given = {key: each for key, each in values.items() if key != TARGET}
    if isinstance(kind, Outline):
        if (settings := outlined_settings(kind)) is not None:
            validate(settings, given, composed, path)
        return UnknownKeys()
    if (foreign := adapt_transformation(kind, given, step_at(composed, path))) is not None:
        return foreign
    if not (_is_transformation(kind) and issubclass(kind, BaseModel)):
        problem = f"{target} is not a transformation: {NEEDED}, and a pydantic model"
        raise composed.error(problem, at)
    if aiflows is not None or target.startswith("aiflows."):
        kind = KINDS.get(kind, kind)
    if kind.model_config.get("extra", "ignore") == "ignore":  # it would pass over unknown keys
        strict = {"model_config": ConfigDict(extra="forbid"), "__module__": kind.__module__}
        validate(type(kind.__name__, (kind,), strict), given, composed, path)
    made: Any = validate(kind, given, composed, path)
    transformation: Transformation = made
    return transformation
