"""What a folder's documents say: each read once, and again only when its bytes are others."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.data.documents.blocks import Block, UnreadableDocument
from flows.data.documents.folder import DocumentFile, list_documents, read_bytes
from flows.data.documents.reader import DocumentReader
from flows.memory.document_ledger import Ledger, Read


@dataclass(slots=True)
class Listing:
    """The documents of a folder with their SHA-256, and why others cannot be read."""

    files: dict[str, DocumentFile] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


class DocumentTexts:
    """Reads the documents of a folder, in one thread.

    Errors: `SourceError` for a folder that cannot be listed, `RecallError` of the ledger.
    """

    def __init__(self, where: Path, ledger: Ledger, most_bytes: int, seconds: float) -> None:
        self._where = where
        self._ledger = ledger
        self._most_bytes = most_bytes
        self._reader = DocumentReader(seconds)
        self._stop = threading.Event()

    def close(self) -> None:
        """End the process that reads; belongs to the thread that has read."""
        self._reader.close()

    def interrupt(self) -> None:
        """Stop reading, from another thread."""
        self._stop.set()
        self._reader.interrupt()

    def look(self) -> Listing:
        """Which documents there are. Only those that were touched since are hashed again."""
        found = Listing()
        folder = str(self._where)
        known = self._ledger.marks(folder)
        files = list_documents(self._where, self._most_bytes, time.time_ns())
        for each in files:
            if self._stop.is_set():
                break
            mark, digest = known.get(each.name, ("", ""))
            try:
                if not each.mark or each.mark != mark or each.problem:
                    _, digest = read_bytes(each, self._most_bytes)
            except UnreadableDocument as error:
                found.unread[each.name] = str(error)
            else:
                found.files[each.name] = each
                found.digests[each.name] = digest
        marks = {name: (found.files[name].mark, each) for name, each in found.digests.items()}
        if marks != known and not self._stop.is_set():
            self._ledger.mark(folder, marks)
            self._ledger.forget_texts()
        return found

    def read(
        self, files: Sequence[DocumentFile], digests: Mapping[str, str]
    ) -> tuple[dict[str, tuple[str, tuple[Block, ...]]], dict[str, str]]:
        """SHA-256 and paragraphs of each document, and why others cannot be read."""
        known = self._ledger.texts((digests[each.name], each.kind) for each in files)
        fresh: dict[tuple[str, str], Read] = {}
        found: dict[str, tuple[str, tuple[Block, ...]]] = {}
        unread: dict[str, str] = {}
        for file in files:
            if self._stop.is_set():
                break
            digest = digests[file.name]
            try:
                read = known.get((digest, file.kind))
                if read is None:
                    digest, read = self._read(file)
                    fresh[digest, file.kind] = read
            except UnreadableDocument as error:
                unread[file.name] = str(error)
                continue
            if read.problem:
                unread[file.name] = read.problem
            else:
                found[file.name] = digest, read.blocks
        self._ledger.add_texts(fresh)
        return found, unread

    def _read(self, file: DocumentFile) -> tuple[str, Read]:
        """The SHA-256, which may be another one by now, and what was read. Errors:
        `UnreadableDocument` for what another try may read."""
        content, digest = read_bytes(file, self._most_bytes)
        try:
            return digest, Read(self._reader.read(file.kind, content), "")
        except UnreadableDocument as error:
            if not error.lasting:
                raise
            return digest, Read((), str(error))
