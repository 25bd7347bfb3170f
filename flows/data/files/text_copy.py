"""Text files as DuckDB reads them: unpacked, and in UTF-8; a copy is made only where needed."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from flows.data.files.long_lines import check_lines
from flows.data.files.packing import unpack
from flows.data.files.sources import DataFile, Source
from flows.data.files.text_encoding import Encoding, blocks, encoding_of
from flows.errors import SourceError

_HEAD = 64 * 1024
_AS_IS = ("utf-8", "utf-8-sig")


@dataclass(frozen=True, slots=True)
class PlainText:
    """A file of UTF-8 text, and what was noticed on the way to it."""

    path: Path
    notes: tuple[str, ...] = ()


def plain_text(source: Source, file: DataFile, scratch: Path) -> PlainText:
    """The file itself, or a copy of it in the folder `scratch`.

    Raises SourceError when it cannot be unpacked, holds nothing, or has a line that is too long.
    """
    path = file.head or file.path
    if file.packing and file.head is None:
        path = free_path(scratch, file.table, file.kind)
        unpack(source.name, file.path, file.packing, path)
        if path.stat().st_size == 0:
            raise SourceError(f"source '{source.name}': {file.path} is empty")
    _check_lines(source, file, path)
    encoding = _encoding(source, path)
    if encoding.codec in _AS_IS and encoding.sure and not encoding.nul:
        return PlainText(path)
    copy = free_path(scratch, file.table, file.kind)
    replaced, nuls = _transcode(path, encoding.codec, copy)
    if path != file.path:
        path.unlink()
    return PlainText(copy, tuple(_notes(file, encoding, replaced, nuls)))


def _check_lines(source: Source, file: DataFile, path: Path) -> None:
    try:
        check_lines(source.name, file, path)
    except SourceError:
        if path != file.path:
            path.unlink()
        raise


def free_path(scratch: Path, stem: str, ending: str) -> Path:
    """A path in the folder that nothing has yet."""
    number = 0
    while (path := scratch / f"{stem}-{number}.{ending}").exists():
        number += 1
    return path


def _encoding(source: Source, path: Path) -> Encoding:
    if source.options is not None and source.options.encoding is not None:
        return Encoding(codecs.lookup(source.options.encoding).name)
    with path.open("rb") as file:
        head = file.read(_HEAD)

    def stream() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from blocks(file)

    return encoding_of(head, stream)


def _transcode(path: Path, codec: str, copy: Path) -> tuple[int, int]:
    """Write a text again as UTF-8, without NUL; how many bytes it could not read, and NULs."""
    decoder = codecs.getincrementaldecoder(codec)(errors="replace")
    replaced = nuls = 0
    with path.open("rb") as file, copy.open("wb") as target:
        for block in chain(blocks(file), [b""]):
            text = decoder.decode(block, final=not block)
            replaced += text.count("\ufffd")
            nuls += text.count("\x00")
            target.write(text.replace("\x00", "").encode("utf-8", errors="replace"))
    return replaced, nuls


def _notes(file: DataFile, encoding: Encoding, replaced: int, nuls: int) -> Iterator[str]:
    codec = encoding.codec.replace("_", "-")
    if not encoding.sure:
        yield f"{file.path.name} was read as {codec}, the likeliest encoding, which is not sure"
    elif encoding.codec not in _AS_IS:
        yield f"{file.path.name} was read as {codec}"
    if replaced:
        yield f"{replaced} characters of {file.path.name} could not be read and are \ufffd now"
    if nuls:
        yield f"{nuls} NUL characters of {file.path.name} were left out"
