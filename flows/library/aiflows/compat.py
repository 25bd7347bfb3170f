"""The data transformations as aiflows 0.1.7 does them, for files with `compat: aiflows-0.1`.

Data are flattened to dotted keys and put together again, so that empty mappings vanish, keys with a
dot are torn apart, and a key that holds a mapping can be neither copied nor deleted.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from flows.core import keys
from flows.core.dataflow.facts import KnownKeys
from flows.core.trace import GraphSpot
from flows.core.transformations import (
    EndOfInteraction,
    InterfaceContext,
    Transformation,
    names_after,
    required,
    required_text,
)
from flows.core.values import Values
from flows.errors import InterfaceError
from flows.library.aiflows.transformations import (
    AiflowsInterface,
    AiflowsKeyCopy,
    AiflowsKeyDelete,
    AiflowsKeyRename,
    AiflowsKeySelect,
    AiflowsKeySet,
    AiflowsObj2Json,
)


class CompatTransformation:
    """A transformation, done as aiflows 0.1.7 does it."""

    def __init__(self, settings: Any, does: Callable[[Any, Values, tuple[str, ...]], Values]):
        self.settings = settings
        self.does = does

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        return self.does(self.settings, data, context.ports)

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return names_after(self, available)

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        """As the transformation itself; of what is flattened and put together the names alone."""
        if isinstance(self.settings, AiflowsKeyDelete):
            return known  # what holds a mapping stays
        after: KnownKeys = self.settings.follow(known, spot)
        return KnownKeys.named(after.names)


def as_compat(made: Transformation) -> Transformation:
    """The transformation as aiflows 0.1.7 does it; one that is the same there as it is."""
    does = _DOES.get(type(made))
    return made if does is None else CompatTransformation(made, does)


def with_compat(interface: AiflowsInterface) -> AiflowsInterface:
    """The interface, with each of its transformations as aiflows 0.1.7 does it."""
    interface.steps = tuple(as_compat(each) for each in interface.steps)
    return interface


def flatten(data: Mapping[str, Any], above: str = "") -> Values:
    """The leaves of nested mappings by dotted keys; an empty mapping has none."""
    found: Values = {}
    for key, value in data.items():
        path = f"{above}.{key}" if above else key
        if isinstance(value, dict):
            found.update(flatten(value, path))
        else:
            found[path] = value
    return found


def unflatten(data: Mapping[str, Any]) -> Values:
    """Nested mappings from dotted keys. Errors: `InterfaceError` where a key leads through what
    is no mapping."""
    found: Values = {}
    for path, value in data.items():
        _put(found, path, value)
    return found


def _put(data: Values, path: str, value: Any) -> None:
    *above, last = path.split(".")
    holder: Any = data
    for key in above:
        holder = holder.setdefault(key, {})
        if not isinstance(holder, dict):
            raise InterfaceError(f"cannot set {path!r}: {key!r} holds no mapping")
    holder[last] = value


def _find(data: Values, path: str) -> Any:
    holder: Any = data
    for key in path.split("."):
        if not keys.is_mapping(holder):
            raise InterfaceError(f"cannot look for {path!r}: {key!r} is looked for in no mapping")
        holder = keys.mapping_of(holder).get(key, keys.MISSING)
        if holder is keys.MISSING:
            return holder
    return holder


def _rename(settings: AiflowsKeyRename, data: Values, _: tuple[str, ...]) -> Values:
    for old, new in settings.old_key2new_key.items():
        if not settings.nested_keys:
            if old in data:
                data[new] = data.pop(old)
            continue
        value = _find(data, old)
        if old == new or value is keys.MISSING:
            continue
        data = copy.deepcopy(data)
        _put(data, new, value)
        *above, last = old.split(".")
        _find(data, ".".join(above)).pop(last, None) if above else data.pop(last, None)
    return data


def _copy(settings: AiflowsKeyCopy, data: Values, _: tuple[str, ...]) -> Values:
    given = flatten(data) if settings.flatten_data_dict else data
    for old, new in settings.old_key2new_key.items():
        if old in given:
            given[new] = copy.deepcopy(given[old])
    return unflatten(given) if settings.flatten_data_dict else given


def _set(settings: AiflowsKeySet, data: Values, _: tuple[str, ...]) -> Values:
    given = flatten(data) if settings.flatten_data_dict else data
    given.update(copy.deepcopy(settings.key2value))
    return unflatten(given) if settings.flatten_data_dict else given


def _select(settings: AiflowsKeySelect, data: Values, _: tuple[str, ...]) -> Values:
    found: Values = {}
    for path in settings.keys_to_select:
        value = _find(data, path) if settings.nested_keys else data.get(path, keys.MISSING)
        if value is keys.MISSING:
            raise _missing(path, data)
        if settings.nested_keys:
            _put(found, path, value)
        else:
            found[path] = value
    return found


def _delete(settings: AiflowsKeyDelete, data: Values, _: tuple[str, ...]) -> Values:
    given = flatten(data) if settings.flatten_data_dict else data
    for path in settings.keys_to_delete:
        given.pop(path, None)
    return unflatten(given) if settings.flatten_data_dict else given


def _end(settings: EndOfInteraction, data: Values, _: tuple[str, ...]) -> Values:
    text = required_text(data, settings.input_key)
    found = settings.end_of_interaction_string.lower() in text.lower()
    return {**data, settings.output_key: found}


def _write_json(settings: AiflowsObj2Json, data: Values, _: tuple[str, ...]) -> Values:
    value = required(data, settings.input_key)
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InterfaceError(f"{settings.input_key!r} cannot be JSON: {error}") from error
    return {**data, settings.output_key or settings.input_key: text}


def _missing(path: str, data: Values) -> InterfaceError:
    return InterfaceError(f"no key {path!r} (there are: {', '.join(sorted(data)) or 'none'})")


_DOES: Final[Mapping[type, Callable[[Any, Values, tuple[str, ...]], Values]]] = {
    AiflowsKeyRename: _rename,
    AiflowsKeyCopy: _copy,
    AiflowsKeySet: _set,
    AiflowsKeySelect: _select,
    AiflowsKeyDelete: _delete,
    AiflowsObj2Json: _write_json,
    EndOfInteraction: _end,
}
