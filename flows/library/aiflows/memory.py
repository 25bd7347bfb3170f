"""The vector store of the FlowVerse, over the run's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.memory import Memory, MemoryScope
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.errors import PortError
from flows.library.aiflows.keys import UncachedKeys


class VectorModuleConfig(UncachedKeys, AtomicConfig):
    """The keys of a `ChromaDBFlow` or `VectorStoreFlow`. Its embeddings are the run's own: what
    `backend`, `vs_type` and `embedding_size` say of OpenAI's is taken and not used."""

    store: Service | None = Field(default=None, description="its own store; the run's without it")
    n_results: int = Field(default=5, ge=1, le=100)
    backend: dict[str, Any] = Field(default={})
    vs_type: str = "chroma"
    embedding_size: int | None = None
    retriever_config: dict[str, Any] = Field(default={})
    persist_directory: str | None = None
    input_interface: tuple[str, ...] = ("operation", "content")
    output_interface: tuple[str, ...] = ("retrieved",)


class VectorModuleInputs(Ports):
    operation: Literal["read", "write"]
    content: str | tuple[str, ...] = ""


class VectorModuleOutputs(Ports):
    """The recalled texts, as `[[text, ...]]`; a write returns an empty text."""

    retrieved: tuple[tuple[str, ...], ...] | str = ""


class VectorModuleFlow(AtomicFlow):
    """Recalls texts by meaning, and keeps new ones under ids that a repeated write repeats."""

    needs: ClassVar[Mapping[str, str]] = {"store": "memory", "data": "data"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = VectorModuleConfig
    Inputs: ClassVar[type[Ports]] = VectorModuleInputs
    Outputs: ClassVar[type[Ports]] = VectorModuleOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.store: Memory = parts.service("store", Memory)  # type: ignore[type-abstract]
        self.data = parts.service("data", Catalog).identity

    async def run(self, inputs: VectorModuleInputs, run: Run) -> VectorModuleOutputs:
        scope = MemoryScope(flow=run.session.title, data=self.data)
        if inputs.operation == "read":
            if not isinstance(inputs.content, str):
                raise PortError(f"{self.name}: to read, the content must be one text")
            if not inputs.content:
                return VectorModuleOutputs(retrieved=(("",),))
            found = await self.store.read(inputs.content, self.config.n_results, scope)
            return VectorModuleOutputs(retrieved=(tuple(each.text for each in found),))
        given = (inputs.content,) if isinstance(inputs.content, str) else inputs.content
        texts = [each for each in given if each.strip()]
        ids = [f"{run.effect_key}-{number}" for number in range(len(texts))]
        kept = {"run": run.session.run_id, "step": run.address, "source": "run", **scope.metadata}
        if texts:
            await self.store.write(ids, texts, kept)
        return VectorModuleOutputs()
