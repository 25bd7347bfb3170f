"""Making the interfaces of a topology: their transformations by name, or one that has a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from flows.build.faults import Faults
from flows.build.run_config import SIDES
from flows.config.composition import Composed
from flows.config.registry import Registry
from flows.config.tree import TARGET, dotted
from flows.config.validate import validate
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.transformations import Transformation
from flows.errors import ConfigError
from flows.library.aiflows.classes import adapt_transformation, find_method

ConfigPath = tuple[str | int, ...]


class TopologyEntry(Protocol):
    """A step of a topology, as far as its interfaces go."""

    @property
    def input_interface(self) -> InterfaceConfig | None: ...
    @property
    def output_interface(self) -> InterfaceConfig | None: ...


def make_interfaces(
    composed: Composed, registry: Registry, path: ConfigPath, topology: Sequence[TopologyEntry]
) -> dict[tuple[int, str], KeyInterface]:
    """The interfaces of a composite at `path`, by the step's number and its side. Errors: all that
    is wrong with them, together."""
    faults = Faults()
    found = {}
    for index, item in enumerate(topology):
        for side in SIDES:
            config: InterfaceConfig | None = getattr(item, side)
            if config is not None:
                at = (*path, "topology", index, side)
                with faults:
                    found[(index, side)] = _make(composed, registry, at, config)
    faults.raise_all()
    return found


def _make(
    composed: Composed, registry: Registry, path: ConfigPath, config: InterfaceConfig
) -> KeyInterface:
    if config.target is not None and (named := _named(composed, registry, path, config)):
        return KeyInterface(InterfaceConfig(), (named,))
    additional = tuple(
        _transformation(composed, registry, (*path, "additional_transformations", number), values)
        for number, values in enumerate(config.additional_transformations)
    )
    return KeyInterface(config, additional)


def _named(
    composed: Composed, registry: Registry, path: ConfigPath, config: InterfaceConfig
) -> Transformation | None:
    """The interface that a `_target_` names, where it is another one than `KeyInterface`: a method
    of a class, one of ours with a name, or a class of one's own."""
    assert config.target is not None
    if (method := find_method(config.target)) is not None:
        return method
    at = (*path, TARGET)
    place, where = composed.place(at), dotted(at)
    found: Any = registry.resolve("interface", config.target, place=place, path=where)
    if found is KeyInterface:
        return None
    given = config.model_dump(exclude_unset=True, exclude={"target"})
    try:
        foreign = adapt_transformation(found, given, side_of(path))
    except ConfigError as error:
        raise ConfigError(error.problem, place=place, path=where) from error
    made: Transformation = foreign or found()
    return made


def side_of(path: ConfigPath) -> str:
    """The side that an interface is on, by its place in the config."""
    return next(side for side in SIDES if side in path)


def _transformation(
    composed: Composed, registry: Registry, path: ConfigPath, values: Mapping[str, Any]
) -> Transformation:
    target = values.get(TARGET)
    if not isinstance(target, str):
        names = tuple(registry.names("transformation"))
        raise composed.error("this transformation has no _target_", path, names)
    at = (*path, TARGET)
    place, where = composed.place(at), dotted(at)
    kind: Any = registry.resolve("transformation", target, place=place, path=where)
    given = {key: each for key, each in values.items() if key != TARGET}
    if (foreign := adapt_transformation(kind, given, side_of(path))) is not None:
        return foreign
    if not (isinstance(kind, type) and issubclass(kind, BaseModel) and hasattr(kind, "apply")):
        raise composed.error(f"{target} is not a transformation", at)
    made: Any = validate(kind, given, composed, path)
    transformation: Transformation = made
    return transformation
