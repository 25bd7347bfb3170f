"""Compressed files: which they are, their first bytes, and unpacking them within a limit."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, cast

from flows.errors import SourceError

Packing = Literal["", ".gz", ".zst", ".bz2", ".xz", ".zip"]

PACKINGS: dict[str, Packing] = {
    ".gz": ".gz",
    ".zst": ".zst",
    ".bz2": ".bz2",
    ".xz": ".xz",
    ".zip": ".zip",
}
_MARKS: dict[Packing, bytes] = {
    ".gz": b"\x1f\x8b",
    ".zst": b"\x28\xb5\x2f\xfd",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\x00",
    ".zip": b"PK\x03\x04",
}
_FAULTS = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError)
_BLOCK = 1 << 20
# Real tables shrink to a twentieth, logs of one line to a hundredth; a bomb to a thousandth.
MOST_TIMES = 250
ALWAYS_ALLOWED = 256 << 20
_SPARED = 512 << 20


def packing_of(head: bytes) -> Packing:
    """What the first bytes of a file say; a zip archive may still be a workbook."""
    return next((packing for packing, mark in _MARKS.items() if head.startswith(mark)), "")


def zip_members(path: Path) -> list[str]:
    """The files of an archive, without folders and what macOS adds. Raises `BadZipFile`."""
    with zipfile.ZipFile(path) as archive:
        names = [each.filename for each in archive.infolist() if not each.is_dir()]
    return [name for name in names if not name.startswith(("__MACOSX/", "."))]


def unpacked_head(path: Path, packing: Packing, size: int) -> bytes:
    """The first bytes of the content. Raises one of `unpack_faults`."""
    with open_unpacked(path, packing) as stream:
        return stream.read(size)


def unpack_faults() -> tuple[type[Exception], ...]:
    """What a damaged file may raise while it is unpacked."""
    return _FAULTS


def unpack(name: str, path: Path, packing: Packing, target: Path) -> None:
    """Write the content to `target`.

    Raises SourceError, and leaves nothing, for a damaged file and for one that grows too much.
    """
    packed = path.stat().st_size
    room = shutil.disk_usage(target.parent).free - _SPARED
    most = min(max(ALWAYS_ALLOWED, packed * MOST_TIMES), max(room, 0))
    try:
        with open_unpacked(path, packing) as stream, target.open("wb") as copy:
            while block := stream.read(_BLOCK):
                if copy.tell() + len(block) > most:
                    raise SourceError(
                        f"source '{name}': {path} would unpack to more than {most >> 20:,} MB "
                        f"({packed:,} bytes packed); unpack it yourself if you trust it"
                    )
                copy.write(block)
    except SourceError:
        target.unlink(missing_ok=True)
        raise
    except _FAULTS as error:
        target.unlink(missing_ok=True)
        raise SourceError(f"source '{name}': {path} cannot be unpacked: {error}") from error


@contextmanager
def open_unpacked(path: Path, packing: Packing) -> Iterator[IO[bytes]]:
    """The content as a stream of bytes; of an archive, its only member."""
    if packing == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(_only_member(path)) as member:
            yield member
    elif packing == ".zst":
        import pyarrow

        with pyarrow.input_stream(str(path), compression="zstd") as stream:
            yield stream
    else:
        with _open_plain(path, packing) as stream:
            yield stream


def _open_plain(path: Path, packing: Packing) -> IO[bytes]:
    if packing == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if packing == ".bz2":
        return bz2.open(path, "rb")
    return lzma.open(path, "rb") if packing == ".xz" else path.open("rb")


def _only_member(path: Path) -> str:
    names = zip_members(path)
    if len(names) == 1:
        return names[0]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise ValueError(f"it holds {len(names)} files ({shown}) and not one; unpack it to a folder")
