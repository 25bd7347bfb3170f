"""Reading documents: their passages, in sections and parts, as artifacts of the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.core.artifacts import Origin
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.run import Run
from flows.data.documents.blocks import UnreadableDocument
from flows.data.documents.folder import DocumentFile, list_documents, read_bytes
from flows.data.documents.passages import (
    DocumentPassage,
    DocumentSection,
    parts_of,
    passages_of,
    sections_of,
    tables_of,
)
from flows.data.documents.reader import DocumentReader
from flows.errors import SourceError, nearest
from flows.library.documents.config import ReadText

_SHOWN: Final = 8


class DocumentText(BaseModel):
    """A document as its artifact has it. Each of the `parts` is the number of its first passage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    sha256: str
    sections: tuple[DocumentSection, ...]
    parts: tuple[int, ...]
    passages: tuple[DocumentPassage, ...]

    def part(self, number: int) -> tuple[DocumentPassage, ...]:
        """The passages of a part, counted from 0."""
        ends = (*self.parts[1:], len(self.passages) + 1)
        return self.passages[self.parts[number] - 1 : ends[number] - 1]


class ReadTextsConfig(AtomicConfig):
    """The keys of reading."""

    description: str = "Reads the documents."
    folder: Path
    part_characters: int
    max_file_mb: float
    read_seconds: float


class ReadTextsInputs(Ports):
    document: str = ""


class ReadTextsOutputs(Ports):
    """The documents that were read, and why others were not."""

    documents: tuple[ReadText, ...]
    unread: dict[str, str] = Field(default={})


class ReadTextsFlow(AtomicFlow):
    """Reads each document in a process of its own, behind walls, and keeps its passages."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = ReadTextsConfig
    Inputs: ClassVar[type[Ports]] = ReadTextsInputs
    Outputs: ClassVar[type[Ports]] = ReadTextsOutputs

    async def run(self, inputs: ReadTextsInputs, run: Run) -> ReadTextsOutputs:
        config: ReadTextsConfig = self.config
        reader = DocumentReader(config.read_seconds)
        loop = asyncio.get_running_loop()
        # One thread for all: the process that reads ends with the thread that has started it.
        thread = ThreadPoolExecutor(1, "documents")
        try:
            files = await loop.run_in_executor(thread, self._files, inputs.document)
            found: list[ReadText] = []
            unread: dict[str, str] = {}
            for file in files:
                try:
                    text = await loop.run_in_executor(thread, self._read, file, reader)
                except UnreadableDocument as problem:
                    unread[file.name] = str(problem)
                    run.notice(f"{file.name} {problem}.")
                else:
                    found.append(_kept(run, text))
            return ReadTextsOutputs(documents=tuple(found), unread=unread)
        except BaseException:
            reader.interrupt()
            raise
        finally:
            await loop.run_in_executor(thread, reader.close)
            thread.shutdown(wait=False)

    @property
    def _most_bytes(self) -> int:
        config: ReadTextsConfig = self.config
        return int(config.max_file_mb * 1e6)

    def _files(self, wanted: str) -> list[DocumentFile]:
        """The documents of the folder, or the one of that name. Errors: `SourceError`."""
        config: ReadTextsConfig = self.config
        where = config.folder.expanduser().absolute()
        files = list_documents(where, self._most_bytes, time.time_ns())
        names = [each.name for each in files]
        if not files:
            raise SourceError(f"there is no document in {where}")
        if not wanted:
            return files
        found = [each for each in files if wanted in (each.name, Path(each.name).name)]
        if len(found) != 1:
            meant = nearest(wanted, names)
            hint = f"; did you mean {meant!r}?" if meant and not found else ""
            more = ", ..." if len(names) > _SHOWN else ""
            shown = ", ".join(names[:_SHOWN]) + more
            many = "several documents are called" if found else "there is no document"
            raise SourceError(f"{many} {wanted!r} in {where}{hint} (documents: {shown})")
        return found

    def _read(self, file: DocumentFile, reader: DocumentReader) -> DocumentText:
        config: ReadTextsConfig = self.config
        content, digest = read_bytes(file, self._most_bytes)
        passages = passages_of(reader.read(file.kind, content, layout=True))
        parts = parts_of(passages, config.part_characters)
        return DocumentText(
            name=file.name,
            sha256=digest,
            sections=sections_of(passages),
            parts=tuple(each[0].number for each in parts),
            passages=passages,
        )


def read_document_text(read: Callable[[str], bytes], name: str) -> DocumentText:
    """The text of a document from its artifact. Errors: `JournalError`."""
    return DocumentText.model_validate_json(read(name))


def _kept(run: Run, text: DocumentText) -> ReadText:
    body = text.model_dump_json(exclude_defaults=True).encode()
    told = f"the passages of {text.name}"
    origin = Origin(inputs={text.name: text.sha256})
    saved = run.save(f"{Path(text.name).stem}-passages", "json", body, told, origin)
    return ReadText(
        name=text.name,
        sha256=text.sha256,
        passages=saved.name,
        sections=len({each.title for each in text.sections}),
        tables=len(tables_of(text.passages)),
        parts=len(text.parts),
    )
