"""Looking up what is known of things by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.core.entity_store import EntityStore
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports, Service
from flows.core.observation import Observation
from flows.core.run import Run
from flows.memory.entities.function import find_and_observe


class EntitiesConfig(AtomicConfig):
    """The keys of a flow that looks up entities."""

    description: str = "Looks up what is known of things by their keys: codes, numbers, names."
    entities: Service | None = Field(default=None, description="its own store; the run's without")


class EntitiesInputs(Ports):
    keys: str | tuple[str, ...] = Field(description="one key, or a list of keys")
    types: tuple[str, ...] = Field(default=(), description="only entities of these types")
    related: bool = Field(default=False, description="also what the entities are related to")


class EntitiesOutputs(Ports):
    observation: Observation


class EntitiesFlow(AtomicFlow):
    """Looks up entities of the run's store; of a key that is not there it says which were meant."""

    needs: ClassVar[Mapping[str, str]] = {"entities": "entities"}
    Config: ClassVar[type[FlowConfig]] = EntitiesConfig
    Inputs: ClassVar[type[Ports]] = EntitiesInputs
    Outputs: ClassVar[type[Ports]] = EntitiesOutputs

    def __init__(self, config: EntitiesConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.store: EntityStore = parts.service("entities", EntityStore)  # type: ignore[type-abstract]

    async def run(self, inputs: EntitiesInputs, run: Run) -> EntitiesOutputs:
        del run
        keys = (inputs.keys,) if isinstance(inputs.keys, str) else inputs.keys
        found = await find_and_observe(self.store, keys, inputs.types, with_related=inputs.related)
        return EntitiesOutputs(observation=found)
