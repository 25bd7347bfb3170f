"""Working documents through: read, part by part asked for facts, gathered, and kept in stores."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from flows.analysis.extraction.fields import FoundField
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.library.documents.config import (
    DocumentsConfig,
    DocumentsInputs,
    DocumentsOutputs,
    ReadText,
)
from flows.library.documents.gather import GatherConfig, GatherFlow, GatherOutputs
from flows.library.documents.part import ReadPartFlow
from flows.library.documents.read import ReadTextsConfig, ReadTextsFlow
from flows.library.documents.store import StoreConfig, StoreRecordsFlow

_Part = tuple[ReadText, int]


class DocumentsFlow(CompositeFlow):
    """Works through documents of any length: each part of one is a step of its own, so that a run
    that was killed goes on with the next part.

    Every value has the passage that says so. What a model gives and no passage says is left out.
    """

    needs: ClassVar[Mapping[str, str]] = {"model": "model", "entities": "entities"}
    bounded_by: ClassVar[tuple[str, ...]] = ("most_parts",)
    Config: ClassVar[type[FlowConfig]] = DocumentsConfig
    Inputs: ClassVar[type[Ports]] = DocumentsInputs
    Outputs: ClassVar[type[Ports]] = DocumentsOutputs

    def __init__(self, config: DocumentsConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        reading = ReadTextsConfig(
            folder=config.folder,
            part_characters=config.part_characters,
            max_file_mb=config.max_file_mb,
            read_seconds=config.read_seconds,
        )
        self.read = ReadTextsFlow(reading, Parts("read"))
        folders = parts.prompt_folders
        self.lanes = [
            ReadPartFlow(config, Parts(f"part{n}", services=parts.services, prompt_folders=folders))
            for n in range(1, config.parallel + 1)
        ]
        self.gather = GatherFlow(GatherConfig(fields=config.named_fields), Parts("gather"))
        made: list[Flow] = [self.read, *self.lanes, self.gather]
        self.store: StoreRecordsFlow | None = None
        if config.kept_entities is not None or config.kept_columns is not None:
            own = StoreConfig(
                fields=config.named_fields,
                entities=config.kept_entities,
                columns=config.kept_columns,
            )
            self.store = StoreRecordsFlow(own, parts.below("store"))
            made.append(self.store)
        self.subflows |= {each.name: each for each in made}

    def most_of(self, below: Mapping[str, float]) -> float | None:
        config: DocumentsConfig = self.config
        return config.most_parts * max(below[each.name] for each in self.lanes)

    async def run(self, inputs: DocumentsInputs, run: Run) -> DocumentsOutputs:
        config: DocumentsConfig = self.config
        read = await run.call(self.read, {"document": inputs.document})
        documents: tuple[ReadText, ...] = read["documents"]
        unread: dict[str, str] = dict(read["unread"])
        parts = [(each, number) for each in documents for number in range(each.parts)]
        for document, number in parts[config.most_parts :]:
            reason = f"its parts from {number + 1} on are beyond most_parts ({config.most_parts})"
            unread.setdefault(document.name, reason)
        if len(parts) > config.most_parts:
            run.stop_unfinished(
                f"{len(parts)} parts are more than most_parts ({config.most_parts})"
            )
        found, problems = await self._found(parts[: config.most_parts], run)
        for each in problems:
            run.notice(each)
        gathered = GatherOutputs.model_validate(
            dict(await run.call(self.gather, {"documents": documents, "found": found}))
        )
        stored = await self._store(gathered, run)
        told = [gathered.observation.text, *stored]
        told += [f"Not read: {name} {reason}" for name, reason in unread.items()]
        answer = "\n".join(told)
        return DocumentsOutputs(
            answer=answer,
            observation=gathered.observation.model_copy(update={"text": answer}),
            fields=gathered.fields,
            records=gathered.records,
            tables=gathered.tables,
            missing=gathered.missing,
            conflicting=gathered.conflicting,
            unread=unread,
        )

    async def _found(
        self, parts: Sequence[_Part], run: Run
    ) -> tuple[tuple[FoundField, ...], list[str]]:
        """The facts of all parts in their order, and what of replies could not be used."""
        count = min(len(self.lanes), len(parts))
        shares = [parts[n::count] for n in range(count)]
        done = await asyncio.gather(
            *(self._lane(lane, share, run) for lane, share in zip(self.lanes, shares, strict=False))
        )
        in_order = [done[n % count][n // count] for n in range(len(parts))]
        found = tuple(each for facts, _ in in_order for each in facts)
        return found, [problem for _, problem in in_order if problem]

    async def _lane(
        self, lane: ReadPartFlow, parts: Sequence[_Part], run: Run
    ) -> list[tuple[tuple[FoundField, ...], str]]:
        """The facts of some parts, one part after the other."""
        done = []
        for document, number in parts:
            asked = {"document": document.name, "passages": document.passages, "part": number}
            outputs = await run.call(lane, asked)
            where = f"part {number + 1} of {document.name}"
            problem = outputs["problem"] and f"In {where} is left out: {outputs['problem']}"
            done.append((outputs["found"], problem))
        return done

    async def _store(self, gathered: GatherOutputs, run: Run) -> list[str]:
        if self.store is None:
            return []
        outputs = await run.call(self.store, {"rows": gathered.rows, "kinds": gathered.kinds})
        return list(outputs["told"])
