"""A folder of documents, found by what they say: an index of their passages over Chroma."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.documents import Chunking, Indexed, Passage
from flows.core.memory import Embedder
from flows.data.documents.blocks import Block
from flows.data.documents.chunks import chunks
from flows.data.documents.reading import VERSION
from flows.errors import RecallError, SourceError
from flows.memory.document_ledger import Ledger
from flows.memory.document_passages import DocumentVectors, Passages, searched
from flows.memory.document_texts import DocumentTexts, Listing
from flows.memory.documents import encodable
from flows.memory.folder import (
    DATABASE_NAME,
    ChromaFolder,
    release_folder,
    share_folder,
    vectors_of,
)
from flows.memory.lexical import LexicalEmbedder

if TYPE_CHECKING:
    from chromadb.api.client import Client

T = TypeVar("T")

INDEX = Path(".flows/documents")
_BATCH = 64


class DocumentFolder:
    """The documents of a folder, or one document: pdf, txt, md, docx and html.

    Each way of cutting them has a collection of its own, which `refresh` brings up to date by the
    files' SHA-256. Several processes may use one index. Errors: `RecallError`.
    """

    class Config(BaseModel):
        """`folder` may be one file, too."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        folder: Path = Field(description="where the documents are, or one document")
        index: Path = Field(default=INDEX, description="the folder that the index is kept in")
        embedder: Mapping[str, Any] | None = Field(
            default=None, description="the run's without it, else lexical"
        )
        max_file_mb: float = Field(default=50.0, gt=0, le=2_000, description="of one document")
        read_seconds: float = Field(
            default=60.0, gt=0, le=3_600, description="the time that reading one document may take"
        )
        lock_timeout_s: float = Field(
            default=30.0, gt=0, allow_inf_nan=False,
            description="seconds to wait for another process that uses the index",
        )  # fmt: skip

    needs: ClassVar[Mapping[str, str]] = {"embedder": "embedder"}

    def __init__(self, config: DocumentFolder.Config, embedder: Embedder | None = None) -> None:
        self._config = config
        self._embedder: Embedder = embedder or LexicalEmbedder()
        self._where = config.folder.expanduser().absolute()
        self._path = config.index.expanduser().absolute()
        self._ledger = Ledger(self._path)
        self._folder: ChromaFolder | None = None

    async def refresh(self, chunking: Chunking) -> Indexed:
        most = int(self._config.max_file_mb * 1e6)
        texts = DocumentTexts(self._where, self._ledger, most, self._config.read_seconds)
        loop = asyncio.get_running_loop()
        # One thread for all: the process that reads ends with the thread that has started it.
        thread = ThreadPoolExecutor(1, "documents")
        try:
            listing = await loop.run_in_executor(thread, texts.look)
            return await self._brought_up(listing, chunking, texts, thread)
        except SourceError as error:
            raise RecallError(str(error)) from error
        except BaseException:
            texts.interrupt()
            raise
        finally:
            await loop.run_in_executor(thread, texts.close)
            thread.shutdown(wait=False)

    async def find(self, query: str, n_results: int, chunking: Chunking) -> list[Passage]:
        if n_results < 1:
            raise RecallError(f"n_results is {n_results}; it has to be 1 or more")
        query = encodable(query).strip()
        if not query:
            return []
        if not (self._path / DATABASE_NAME).exists():
            # A run that is gone on with has its refresh behind it, perhaps with another index.
            await self.refresh(chunking)
        if not (self._path / DATABASE_NAME).exists():
            return []
        [vector] = await vectors_of(self._embedder, [query])
        found = await self._passages(chunking)
        semantic = not isinstance(self._embedder, LexicalEmbedder)
        return await self._work(
            lambda client: found.find(client, query, vector, n_results, semantic=semantic)
        )

    async def aclose(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            await asyncio.to_thread(release_folder, folder)

    async def _brought_up(
        self,
        listing: Listing,
        chunking: Chunking,
        texts: DocumentTexts,
        thread: ThreadPoolExecutor,
    ) -> Indexed:
        """The index with all that has changed in the files since."""
        if not listing.digests and not (self._path / DATABASE_NAME).exists():
            return Indexed(documents=0, passages=0, unread=listing.unread)
        passages = await self._passages(chunking)
        held = await self._work(passages.held)
        due = [
            each for name, each in listing.files.items() if held.get(name) != listing.digests[name]
        ]
        gone = sorted(held.keys() - listing.files.keys())
        unread = dict(listing.unread)
        await self._work(lambda client: passages.drop(client, gone))
        loop = asyncio.get_running_loop()
        for start in range(0, len(due), _BATCH):
            batch = due[start : start + _BATCH]
            read, failed = await loop.run_in_executor(thread, texts.read, batch, listing.digests)
            unread |= failed
            kept = await self._kept(read, chunking)
            names = [each.name for each in batch if each.name not in kept]
            await self._keep(passages, kept, [name for name in names if name in held])
        return await self._told(passages, listing, held, gone, unread)

    async def _told(
        self,
        passages: Passages,
        listing: Listing,
        held: Mapping[str, str],
        gone: Sequence[str],
        unread: Mapping[str, str],
    ) -> Indexed:
        now, count = await self._work(passages.state)
        changed = sorted(
            name
            for name in listing.files.keys() & held.keys()
            if held[name] != listing.digests[name]
        )
        return Indexed(
            documents=len(now),
            passages=count,
            new=tuple(sorted(now.keys() - held.keys())),
            changed=tuple(changed),
            deleted=tuple(name for name in gone if name not in unread),
            unread=dict(sorted(unread.items())),
        )

    async def _kept(
        self, read: Mapping[str, tuple[str, tuple[Block, ...]]], chunking: Chunking
    ) -> dict[str, DocumentVectors]:
        """The documents cut and embedded, ready to be stored."""
        cut = {
            name: (digest, await asyncio.to_thread(chunks, blocks, chunking))
            for name, (digest, blocks) in read.items()
        }
        all_of = [(name, each) for name, (_, own) in cut.items() for each in own]
        given = [searched(name, each.section, each.text) for name, each in all_of]
        vectors = iter(await vectors_of(self._embedder, given) if given else ())
        return {
            name: DocumentVectors(digest, tuple((each, next(vectors)) for each in own))
            for name, (digest, own) in cut.items()
        }

    async def _keep(
        self, passages: Passages, kept: Mapping[str, DocumentVectors], lost: Sequence[str]
    ) -> None:
        await self._work(lambda client: passages.replace(client, kept, lost))

    async def _passages(self, chunking: Chunking) -> Passages:
        name = await self._collection_name(chunking)
        return Passages(name, self._shared(), self._ledger)

    async def _collection_name(self, chunking: Chunking) -> str:
        """One for each folder, each way of cutting, embedding and reading."""
        dimension = await self._dimension()
        of = (str(self._where), self._embedder.name, str(dimension), str(VERSION))
        mark = hashlib.sha256("\x1f".join(of).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"documents-{mark}-{chunking.size}-{chunking.overlap}"

    async def _dimension(self) -> int:
        try:
            return self._embedder.dimension
        except RecallError:  # some embedders know it from their first reply
            await self._embedder.embed(["dimension"])
            return self._embedder.dimension

    def _shared(self) -> ChromaFolder:
        if self._folder is None:
            self._folder = share_folder(self._path)
        return self._folder

    async def _work(self, work: Callable[[Client], T]) -> T:
        return await self._shared().run(work, self._config.lock_timeout_s)
