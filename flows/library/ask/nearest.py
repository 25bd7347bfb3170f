"""The step that looks up which names of the data are nearest to words that nothing explains."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar, cast

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.memory import Embedder
from flows.core.run import Run
from flows.errors import FlowsError
from flows.semantics.models import SemanticModels

# Of a question that goes on for pages the first unknown phrases are enough.
_MOST_PHRASES = 3


class NearestConfig(AtomicConfig):
    """The keys of a flow that looks up near names."""

    description: str = "Looks up the nearest names."


class NearestInputs(Ports):
    """Phrases that name nothing in the data."""

    phrases: tuple[str, ...]


class NearestOutputs(Ports):
    """The names that are nearest to each phrase, nearest first, or the `problem` why there are
    none: what is refused is refused all the same."""

    names: dict[str, tuple[str, ...]] = Field(default={})
    problem: str = ""


class NearestFlow(AtomicFlow):
    """Proposes names of the semantic model for phrases, by the run's embedder."""

    needs: ClassVar[Mapping[str, str]] = {"semantics": "semantics", "embedder": "embedder"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = NearestConfig
    Inputs: ClassVar[type[Ports]] = NearestInputs
    Outputs: ClassVar[type[Ports]] = NearestOutputs

    def __init__(self, config: NearestConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.semantics = parts.service("semantics", SemanticModels)
        # Not asked whether it is one: some know their dimension after the first text only.
        self.embedder = cast(Embedder, parts.services["embedder"])

    async def run(self, inputs: NearestInputs, run: Run) -> NearestOutputs:
        from flows.analysis.linking.nearest import candidates_of, nearest

        del run
        model = await asyncio.to_thread(self.semantics.model)
        phrases = inputs.phrases[:_MOST_PHRASES]
        try:
            found = await nearest(phrases, candidates_of(model), self.embedder)
        except FlowsError as error:
            return NearestOutputs(problem=str(error))
        pairs = zip(phrases, found, strict=True)
        return NearestOutputs(names={
            phrase: tuple(each.name for each in near) for phrase, near in pairs if near
        })  # fmt: skip


def nearest_flow(parts: Parts) -> NearestFlow | None:
    """The step of the flow with these parts; None for a run without an embedder."""
    if parts.services.get("embedder") is None:
        return None
    return NearestFlow(NearestConfig(), parts.below("nearest"))


def offered(names: Mapping[str, tuple[str, ...]]) -> str:
    """The names in a sentence for each phrase."""
    return " ".join(
        f"Nearest in meaning to {phrase!r}: {', '.join(f'`{each}`' for each in near)}."
        for phrase, near in names.items()
    )
