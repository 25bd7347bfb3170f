"""Key interfaces: how a composite's state becomes a step's inputs, and its outputs become state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from flows.core.dataflow.facts import KnownKeys
from flows.core.trace import GraphSpot, names_alone
from flows.core.transformations import (
    Followed,
    InterfaceContext,
    KeyCopy,
    KeyDelete,
    KeyRename,
    KeySelect,
    KeySet,
    Transformation,
    follow_names,
)
from flows.core.values import Values


class InterfaceConfig(BaseModel):
    """The keys of an `input_interface` or `output_interface` in a topology, in aiflows' names.

    They are applied in this order: rename, copy, set, additional, select, delete.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    target: str | None = Field(default=None, alias="_target_")
    keys_to_rename: dict[str, str] = {}
    keys_to_copy: dict[str, str] = {}
    keys_to_set: dict[str, Any] = {}
    additional_transformations: tuple[dict[str, Any], ...] = ()
    keys_to_select: tuple[str, ...] = ()
    keys_to_delete: tuple[str, ...] = ()


class KeyInterface:
    """An `InterfaceConfig` whose named transformations are built; callable on data."""

    def __init__(
        self, config: InterfaceConfig, additional: tuple[Transformation, ...] = ()
    ) -> None:
        self.config = config
        steps: list[Transformation] = []
        if config.keys_to_rename:
            steps.append(KeyRename(old_key2new_key=config.keys_to_rename))
        if config.keys_to_copy:
            steps.append(KeyCopy(old_key2new_key=config.keys_to_copy))
        if config.keys_to_set:
            steps.append(KeySet(key2value=config.keys_to_set))
        steps.extend(additional)
        if config.keys_to_select:
            steps.append(KeySelect(keys_to_select=config.keys_to_select))
        if config.keys_to_delete:
            steps.append(KeyDelete(keys_to_delete=config.keys_to_delete))
        self.steps = tuple(steps)

    def __call__(self, data: Mapping[str, Any], context: InterfaceContext) -> Values:
        """The changed data. `data` itself and the values in it are never changed."""
        changed = dict(data)
        for step in self.steps:
            changed = step.apply(changed, context)
        return changed

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        """What is known of the keys that come out, when these go in."""
        for step, place in zip(self.steps, self._places(), strict=True):
            here = spot.at(*place, bare=len(place) == 1)
            if isinstance(step, Followed) and not names_alone(type(step), "follow", "names"):
                known = step.follow(known, here)
            else:
                known = follow_names(step, known, here)
        return known

    def _places(self) -> list[tuple[str | int, ...]]:
        """Where each transformation is written, in their order; of one that is an interface of its
        own, the interface."""
        before = self._set("keys_to_rename", "keys_to_copy", "keys_to_set")
        after = self._set("keys_to_select", "keys_to_delete")
        count = len(self.steps) - len(before) - len(after)
        added = range(len(self.config.additional_transformations))
        if not added:  # one that is an interface of its own
            return [*before, *[()] * count, *after]
        return [*before, *(("additional_transformations", index) for index in added), *after]

    def _set(self, *keys: str) -> list[tuple[str]]:
        return [(key,) for key in keys if getattr(self.config, key)]
