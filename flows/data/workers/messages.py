"""What the host and its SQL worker say to each other: JSON in frames of a limited length."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from flows.core.observation import Cell
from flows.data.files.sources import Fingerprint, Source
from flows.data.servers import ServerSource
from flows.data.tables import ColumnType, Table

FILES = ""
# What a join of several databases may copy of each table.
FOREIGN_ROWS = 5_000_000
FOREIGN_BYTES = 1024**3
# What one query may write of its result.
RESULT_ROWS = 5_000_000
RESULT_BYTES = 1024**3
LONGEST_FRAME = 256 * 1024 * 1024
_HEAD = struct.Struct(">I")


class _Message(BaseModel):
    # Each side writes one half of these and reads the other: what it never uses is not built.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Opening(_Message):
    """The first request. `profiled` are the sources whose tables are counted and measured.

    `scratch` is the only folder that the worker may write to, `memory` the bytes it may add.
    `known` says what the content of files was, by their fingerprints. With `first` nothing is
    loaded: only so many rows of each table are looked at, and the worker takes no requests.
    """

    do: Literal["open"] = "open"
    files: tuple[Source, ...] = ()
    servers: tuple[ServerSource, ...] = ()
    profiled: tuple[str, ...] = ()
    first: int | None = None
    known: dict[str, tuple[Fingerprint, str]] = Field(default_factory=dict)
    scratch: Path
    read: tuple[Path, ...]
    memory: int


class Foreign(_Message):
    """A table of another engine, copied into DuckDB under `name`.

    It comes from the engine of `source` in the same worker, or from the Parquet file `file`.
    """

    name: str
    source: str
    physical: str
    file: str | None = None


class Querying(_Message):
    """A query that the firewall has written. `engine` is a source's name, or FILES.

    With a `file` of the scratch folder all rows are written there as Parquet, where `rows` are not
    all of them.
    """

    do: Literal["query"] = "query"
    engine: str
    sql: str
    tables: tuple[str, ...]
    rows: int
    seconds: float
    foreign: tuple[Foreign, ...] = ()
    file: str | None = None


class Exporting(_Message):
    """Write a table into `file` of the scratch folder, as Parquet; None means no limit."""

    do: Literal["export"] = "export"
    engine: str
    table: str
    file: str
    seconds: float
    rows: int | None = None
    bytes: int | None = None


class Cancelling(_Message):
    """End another request; nothing answers this one."""

    do: Literal["cancel"] = "cancel"
    request: int


Request = Annotated[Opening | Querying | Exporting | Cancelling, Field(discriminator="do")]


class Numbered(_Message):
    number: int
    request: Request


class NamedTable(_Message):
    """A table with the name that its database knows it by."""

    physical: str
    table: Table


class Opened(_Message):
    """The content's hash of each file, the tables of what was profiled, and the walls around it.

    `digests` are what servers tell of their changes.
    """

    is_a: Literal["opened"] = "opened"
    hashes: dict[str, str]
    digests: dict[str, str]
    tables: dict[str, tuple[NamedTable, ...]]
    walls: dict[str, str]


class RowsMessage(_Message):
    """`cut` says that rows are missing since all together were too large; `total` is how many were
    written as Parquet, None where nothing was."""

    is_a: Literal["rows"] = "rows"
    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    rows: tuple[tuple[Cell, ...], ...]
    cut: bool
    digests: dict[str, str]
    total: int | None = None


class WrittenMessage(_Message):
    is_a: Literal["written"] = "written"
    rows: int
    digests: dict[str, str]


class Failed(_Message):
    """`memory` means that the worker ran out of it and should be replaced."""

    is_a: Literal["failed"] = "failed"
    kind: Literal["source", "refused", "failed", "memory"]
    text: str


Reply = Annotated[Opened | RowsMessage | WrittenMessage | Failed, Field(discriminator="is_a")]


class Answered(_Message):
    number: int
    reply: Reply


REQUESTS: TypeAdapter[Numbered] = TypeAdapter(Numbered)
REPLIES: TypeAdapter[Answered] = TypeAdapter(Answered)


class FrameTooLong(ValueError):
    """A message is longer than `LONGEST_FRAME`."""


def write_frame(stream: BinaryIO, content: bytes) -> None:
    if len(content) > LONGEST_FRAME:
        raise FrameTooLong(f"a message of {len(content):,} bytes")
    stream.write(_HEAD.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end of the stream, in the middle of a message too."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    (length,) = _HEAD.unpack(head)
    if length > LONGEST_FRAME:
        raise FrameTooLong(f"a message of {length:,} bytes")
    content = stream.read(length)
    return content if len(content) == length else None
