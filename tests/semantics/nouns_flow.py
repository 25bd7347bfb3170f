"""A flow that asks what rows are called, for tests of the run's semantic model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.semantics.models import SemanticModels


class Nothing(Ports):
    """No inputs."""


class Said(Ports):
    """What the rows of each dataset are called, and what is said of it."""

    nouns: tuple[str, ...]
    said: tuple[str, ...]


class Nouns(AtomicFlow):
    """Tells the nouns and descriptions of all datasets."""

    needs: ClassVar[Mapping[str, str]] = {"semantics": "semantics"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = Nothing
    Outputs: ClassVar[type[Ports]] = Said

    def __init__(self, config: AtomicConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.semantics = parts.service("semantics", SemanticModels)

    async def run(self, inputs: Nothing, run: Run) -> Said:
        del inputs, run
        found = await asyncio.to_thread(self.semantics.model)
        return Said(
            nouns=tuple(each.noun for each in found.datasets),
            said=tuple(each.description for each in found.datasets),
        )
