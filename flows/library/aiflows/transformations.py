"""The data transformations of aiflows 0.1.7, with the keys and the order that they have there.

Mappings are copied and deleted whole, and a key that holds a dot is found under its whole name.
Under `compat: aiflows-0.1` both are as in aiflows: see `compat.py`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, field_validator

from flows.core import keys
from flows.core.dataflow.facts import KeyFact, KnownKeys
from flows.core.dataflow.kinds import exact_kinds
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.trace import GraphSpot
from flows.core.transformations import (
    InterfaceContext,
    Json2Obj,
    KeyCopy,
    KeyDelete,
    KeyRename,
    KeySelect,
    KeySet,
    Obj2Json,
    RegexFirstOccurrenceExtractor,
    Transformation,
    UnNesting,
    moved,
    required_text,
)
from flows.core.values import Values
from flows.errors import InterfaceError

_NESTED: Final = Field(default=True, description="false: the keys are whole names, dots and all")


class AiflowsKeyRename(KeyRename):
    """Moves values to other keys, one after the other: what a pair has made, the next can move."""

    nested_keys: bool = _NESTED

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for old, new in self.old_key2new_key.items():
            value = _find(data, old, self.nested_keys)
            if old == new or value is keys.MISSING:
                continue
            _drop(data, old, self.nested_keys)
            _put(data, new, value, self.nested_keys)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        for old, new in self.old_key2new_key.items():
            if old != new:
                taken = [(old, new, known.look(old, nested=self.nested_keys))]
                known = known.drop(old, nested=self.nested_keys)
                known = moved(known, taken, spot, "rename", nested=self.nested_keys)
        return known


class AiflowsKeyCopy(KeyCopy):
    """Copies values to other keys, one after the other."""

    flatten_data_dict: bool = _NESTED

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for old, new in self.old_key2new_key.items():
            value = _find(data, old, self.flatten_data_dict)
            if value is not keys.MISSING:
                _put(data, new, copy.deepcopy(value), self.flatten_data_dict)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        for old, new in self.old_key2new_key.items():
            taken = [(old, new, known.look(old, nested=self.flatten_data_dict))]
            known = moved(known, taken, spot, "copy", nested=self.flatten_data_dict)
        return known


class AiflowsKeySet(KeySet):
    """Sets keys to fixed values."""

    flatten_data_dict: bool = _NESTED

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for path, value in copy.deepcopy(self.key2value).items():
            _put(data, path, value, self.flatten_data_dict)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        for path, value in self.key2value.items():
            fact = KeyFact(
                exact_kinds(value), origins=spot.wrote(path, spot.below("key2value", path))
            )
            known = known.put(path, fact, nested=self.flatten_data_dict)
        return known


class AiflowsKeySelect(KeySelect):
    """Keeps just these keys; each must be there."""

    nested_keys: bool = _NESTED

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        if self.nested_keys:
            return super().apply(data, context)
        return {key: _required(data, key) for key in self.keys_to_select}

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        after = super().follow(known, spot)
        whole = self.nested_keys or not any("." in key for key in self.keys_to_select)
        return after if whole else KnownKeys.named((*after.names, *self.keys_to_select))


class AiflowsKeyDelete(KeyDelete):
    """Takes keys away; a missing one is left out."""

    flatten_data_dict: bool = _NESTED

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for path in self.keys_to_delete:
            _drop(data, path, self.flatten_data_dict)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        del spot
        for path in self.keys_to_delete:
            known = known.drop(path, nested=self.flatten_data_dict)
        return known


class AiflowsRegexExtractor(RegexFirstOccurrenceExtractor):
    """The first match of a regular expression, or the fallbacks', or None.

    As in aiflows, a dot matches no line break, and `assert_unique` wants one capture group.
    """

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        text = required_text(data, self.input_key)
        fallback = self.regex_fallback
        patterns = (fallback,) if isinstance(fallback, str) else fallback or ()
        matches = (re.search(pattern, text) for pattern in (self.regex, *patterns))
        match = next((each for each in matches if each), None)
        found = None
        if match is not None:
            groups = len(match.groups())
            if self.assert_unique and groups != 1:
                raise InterfaceError(f"{match.re.pattern!r} has {groups} groups, not one")
            found = self._group(match)
        keys.put(data, self.output_key, found.strip() if found and self.strip else found)
        return data


class AiflowsUnNesting(UnNesting):
    """Takes a mapping out and lays its keys into the top level; `output_key` is taken, as there."""

    output_key: str | None = None


NO_NAME: Final = "null"


class AiflowsJson2Obj(Json2Obj):
    """JSON text to a value. Without `output_key` it stands under the key None there, which is
    `null` here, as in JSON."""

    output_key: str | None = Field(default=NO_NAME, validate_default=True)

    _named = field_validator("output_key")(lambda value: NO_NAME if value is None else value)


class AiflowsObj2Json(Obj2Json):
    """A value to JSON text, under the same keys."""

    output_key: str | None = Field(default=NO_NAME, validate_default=True)

    _named = field_validator("output_key")(lambda value: NO_NAME if value is None else value)


KINDS: Final[Mapping[type, type]] = {
    Json2Obj: AiflowsJson2Obj,
    Obj2Json: AiflowsObj2Json,
    KeyRename: AiflowsKeyRename,
    KeyCopy: AiflowsKeyCopy,
    KeySet: AiflowsKeySet,
    KeySelect: AiflowsKeySelect,
    KeyDelete: AiflowsKeyDelete,
    RegexFirstOccurrenceExtractor: AiflowsRegexExtractor,
    UnNesting: AiflowsUnNesting,
}


class AiflowsInterface(KeyInterface):
    """A `KeyInterface` of a file of aiflows. Its `steps` are the transformations in their order."""

    def __init__(
        self, config: InterfaceConfig, additional: tuple[Transformation, ...] = ()
    ) -> None:
        super().__init__(config, additional)
        self.steps = tuple(
            KINDS[type(each)].model_validate(each.model_dump()) if type(each) in KINDS else each  # type: ignore[attr-defined]
            for each in self.steps
        )


def _find(data: Mapping[str, Any], path: str, nested: bool) -> Any:
    return keys.get(data, path) if nested else data.get(path, keys.MISSING)


def _put(data: Values, path: str, value: Any, nested: bool) -> None:
    if nested:
        keys.put(data, path, value)
    else:
        data[path] = value


def _drop(data: Values, path: str, nested: bool) -> None:
    if nested:
        keys.drop(data, path)
    else:
        data.pop(path, None)


def _required(data: Mapping[str, Any], key: str) -> Any:
    if key in data:
        return data[key]
    raise InterfaceError(f"no key {key!r} (there are: {', '.join(sorted(data)) or 'none'})")
