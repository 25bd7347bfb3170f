"""Reading from and writing to the vector memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field
from pydantic_core import to_jsonable_python

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.memory import Memory, MemoryScope
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.errors import PortError


class MemoryConfig(AtomicConfig):
    """The keys of a memory flow."""

    description: str = "Reads from and writes to the long-term memory."
    store: Service | None = Field(default=None, description="its own store; the run's without it")
    n_results: int = Field(default=3, ge=1, le=100, description="documents to recall")
    source: str = Field(default="run", description="kept beside what is written")


class MemoryInputs(Ports):
    """What to do, and with what: a query for `read`; a text, texts or named values for `write`."""

    operation: Literal["read", "write"]
    content: str | tuple[str, ...] | dict[str, Any] = ""


class MemoryOutputs(Ports):
    """The recalled texts, nearest first; nothing after a write."""

    retrieved: tuple[str, ...] = ()


class MemoryFlow(AtomicFlow):
    """Recalls documents by meaning, and keeps new ones under ids that a repeated write repeats.

    What it keeps belongs to the run's flow and data, and it recalls nothing of others, unless the
    store's config says so (`memory.scope: all`).
    """

    needs: ClassVar[Mapping[str, str]] = {"store": "memory", "data": "data"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = MemoryConfig
    Inputs: ClassVar[type[Ports]] = MemoryInputs
    Outputs: ClassVar[type[Ports]] = MemoryOutputs

    def __init__(self, config: MemoryConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.store: Memory = parts.service("store", Memory)  # type: ignore[type-abstract]
        self.data = parts.service("data", Catalog).identity

    async def run(self, inputs: MemoryInputs, run: Run) -> MemoryOutputs:
        if inputs.operation == "read":
            if not isinstance(inputs.content, str):
                raise PortError(f"{self.name}: to read, the content must be one text")
            scope = self._scope(run)
            found = await self.store.read(inputs.content, self.config.n_results, scope)
            texts = dict.fromkeys(document.text for document in found)  # each text once
            return MemoryOutputs(retrieved=tuple(texts))
        await self._write([text for text in as_texts(inputs.content) if text.strip()], run)
        return MemoryOutputs()

    def _scope(self, run: Run) -> MemoryScope:
        return MemoryScope(flow=run.session.title, data=self.data)

    async def _write(self, texts: list[str], run: Run) -> None:
        ids = [f"{run.effect_key}-{number}" for number in range(len(texts))]
        provenance = {
            "run": run.session.run_id,
            "step": run.address,
            "source": self.config.source,
            **self._scope(run).metadata,
        }
        if texts:
            await self.store.write(ids, texts, provenance)


def as_texts(content: str | tuple[str, ...] | dict[str, Any]) -> list[str]:
    """The documents of a write. Named values become one, with a line for each that is set."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, tuple):
        return list(content)
    lines = [f"{name}: {_line(value)}" for name, value in content.items() if not _is_empty(value)]
    return ["\n".join(lines)]


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | Sequence | Mapping) and not value)


def _line(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(to_jsonable_python(value), ensure_ascii=False)
