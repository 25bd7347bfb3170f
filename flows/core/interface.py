"""Key interfaces: how a composite's state becomes a step's inputs, and its outputs become state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from flows.core.transformations import (
    InterfaceContext,
    KeyCopy,
    KeyDelete,
    KeyRename,
    KeySelect,
    KeySet,
    Transformation,
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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        """The top-level keys that come out when `available` goes in; `*` is any key."""
        for step in self.steps:
            available = step.names(available)
        return available
