"""A folder with an embedded Chroma in it, used by one thread of one process at a time."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import struct
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from flows.core.memory import Embedder
from flows.errors import RecallError
from flows.memory.ranking import KeywordIndex

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

LOCK_NAME = "flows-memory.lock"
DATABASE_NAME = "chroma.sqlite3"
# The head of an index, as hnswlib writes it: its version, where rows begin, how many it has room
# for, how many it has, and the bytes of each.
_HEADER = struct.Struct("<iQQQQ")
_LENGTH = 4  # bytes of a row in `length.bin`


class ChromaFolder:
    """One Chroma client for a folder, opened at first use and again when the folder has changed.

    Chroma keeps its vector index in memory and does not notice what another process writes: a query
    would miss it for ever. Two processes that open or write at once wait for each other inside
    SQLite for up to 1,000 seconds. So every use takes a lock that all processes see, and a folder
    that somebody else changed is opened afresh, which takes about 10 ms.
    Everything but `run` and `close` belongs to the worker thread.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.collections: dict[str, Collection] = {}
        self.keywords: dict[str, KeywordIndex] = {}
        self._client: Client | None = None
        self._stamp: tuple[int, ...] = ()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")

    async def run(self, work: Callable[[Client], T], lock_timeout_s: float) -> T:
        """Do blocking work with the client, alone in the folder. Errors: RecallError."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, self._work, work, lock_timeout_s)

    def close(self) -> None:
        """Let go of the folder; blocks until the work under way is done."""
        self._worker.submit(self._forget).result()
        self._worker.shutdown()

    def _work(self, work: Callable[[Client], T], lock_timeout_s: float) -> T:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecallError(f"the memory's folder cannot be made: {error}") from error
        with exclusive(self.path / LOCK_NAME, lock_timeout_s):
            try:
                return work(self._fresh_client())
            except RecallError:
                raise
            except Exception as error:
                # Chroma raises its own errors, ValueError, TypeError and pyo3's; whatever half-done
                # work it was, the next use starts from what is on the disk.
                self._forget()
                raise RecallError(
                    f"Chroma failed in {self.path}: {type(error).__name__}: {error}"
                ) from error
            finally:
                self._stamp = self._read_stamp()

    def _fresh_client(self) -> Client:
        if self._client is not None and self._stamp == self._read_stamp():
            return self._client
        self._forget()
        clear_room(self.path)
        self._client = open_client(self.path)
        return self._client

    def _forget(self) -> None:
        self.collections.clear()
        self.keywords.clear()
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _read_stamp(self) -> tuple[int, ...]:
        stamp: list[int] = []
        for name in (DATABASE_NAME, f"{DATABASE_NAME}-wal"):
            try:
                stat = (self.path / name).stat()
            except FileNotFoundError:
                stamp.append(0)
            else:
                stamp += (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        return tuple(stamp)


def open_client(path: Path) -> Client:
    """An embedded Chroma with telemetry, traces and reset off, whatever the environment says."""
    from chromadb.api.client import Client
    from chromadb.config import Settings

    settings = Settings(
        _env_file=None,
        chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
        anonymized_telemetry=False,
        chroma_otel_granularity=None,
        chroma_otel_collection_endpoint="",
        allow_reset=False,
        migrations="apply",
    )
    settings.persist_directory = str(path)
    settings.is_persistent = True
    # What chromadb.PersistentClient does, which hides the type that has `close`.
    return Client(settings=settings)


def write_rows(
    folder: Path,
    collection: Collection,
    ids: list[str],
    vectors: Sequence[Sequence[float]],
    texts: list[str],
    metadata: list[dict[str, Any] | None] | None,
) -> None:
    """Write rows of a collection, in place of those that have their ids.

    With its first row Chroma writes files with room for vectors to come, just as the allocator gave
    it: what the process had there before, such as a password, stands in it. So the first row goes
    alone, and the room is cleared at once.
    """
    rows: Any = (vectors, metadata)
    given, told = rows

    def write(end: int | None) -> None:
        part = None if told is None else told[:end]
        collection.upsert(ids[:end], given[:end], metadatas=part, documents=texts[:end])

    if collection.count() == 0:
        write(1)
        clear_room(folder)
    write(None)


def clear_room(folder: Path) -> None:
    """Overwrite the room for rows to come, in each index of a folder of Chroma. What was left by a
    process that ended before it could is cleared when the folder is opened."""
    for header in folder.glob("*/header.bin"):
        head = header.read_bytes()
        if len(head) < _HEADER.size:
            continue  # Chroma tells what is wrong with it
        _, _, _, rows, size = _HEADER.unpack_from(head)
        for name, each in (("data_level0.bin", size), ("length.bin", _LENGTH)):
            _clear_end(header.with_name(name), rows * each)


def _clear_end(file: Path, start: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(start)
        room = opened.read()
        if room.strip(b"\0"):
            opened.seek(start)
            opened.write(bytes(len(room)))
            opened.flush()
            os.fsync(opened.fileno())


@contextmanager
def exclusive(lock: Path, timeout_s: float) -> Iterator[None]:
    """Hold a lock that every process on this machine respects and that ends with its holder.

    It is an empty SQLite database under an exclusive transaction: portable, with a time limit, and
    let go by the operating system when the process dies. Errors: RecallError after `timeout_s`.
    """
    with closing(_connect(lock, timeout_s)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise RecallError(
                f"another process has used the memory's folder {lock.parent} for more than"
                f" {timeout_s:g} s; end it, or give each its own folder ({error})"
            ) from error
        except sqlite3.DatabaseError as error:
            raise RecallError(f"{lock} is not a lock of this memory: delete it") from error
        yield


def _connect(lock: Path, timeout_s: float) -> sqlite3.Connection:
    try:
        return sqlite3.connect(lock, timeout=timeout_s, isolation_level=None)
    except sqlite3.Error as error:
        raise RecallError(f"the memory's folder {lock.parent} cannot be used: {error}") from error


_shared: dict[Path, tuple[ChromaFolder, int]] = {}
_sharing = Lock()


def share_folder(path: Path) -> ChromaFolder:
    """The process's one ChromaFolder of this path, for Chroma also has one system for each path.

    Each call is answered by one `release_folder`.
    """
    place = path.resolve()
    with _sharing:
        folder, users = _shared.get(place) or (ChromaFolder(place), 0)
        _shared[place] = (folder, users + 1)
        return folder


def release_folder(folder: ChromaFolder) -> None:
    """Say that one user is done with the folder; the last one closes it."""
    with _sharing:
        users = _shared[folder.path][1] - 1
        if users:
            _shared[folder.path] = (folder, users)
            return
        del _shared[folder.path]
        # Under the lock, so that nobody opens the folder anew while its client is still closing.
        folder.close()


async def vectors_of(embedder: Embedder, texts: list[str]) -> list[list[float]]:
    """A vector for each text. Errors: RecallError where the embedder gave others."""
    vectors = await embedder.embed(texts)
    expected = embedder.dimension
    if len(vectors) != len(texts) or any(len(vector) != expected for vector in vectors):
        raise RecallError(
            f"the embedder {embedder.name} did not give one vector of {expected} numbers"
            f" for each of {len(texts)} texts"
        )
    return vectors
