"""Lines and values that are longer than a row can be, found before they are in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flows.data.excerpt import excerpt
from flows.data.files.file_kinds import FileKind
from flows.data.files.sources import DataFile
from flows.errors import SourceError

# More than this DuckDB does not read as a row of CSV, and as an object of JSON.
MOST_LINE_BYTES: Final = 2 << 20
MOST_OBJECT_BYTES: Final = 16 << 20
TOO_LARGE_OBJECT: Final = (
    f"an object of JSON has more than {MOST_OBJECT_BYTES:,} bytes, the most that is read"
)
_BLOCK = 1 << 20
_SHOWN = 40


def longest_line(kind: FileKind) -> int:
    """How many bytes a row may have, or an object of JSON."""
    return MOST_LINE_BYTES if kind == "csv" else MOST_OBJECT_BYTES


def check_lines(name: str, file: DataFile, path: Path) -> None:
    """Raise SourceError if a row is longer than is read. `file` is the one that the user named,
    `path` its text, unpacked. Of JSON only objects in lines are looked at, no lists."""
    most = longest_line(file.kind)
    if file.kind == "json" and not _is_objects(path):
        return
    start = at = 0
    with path.open("rb") as text:
        while block := text.read(_BLOCK):
            first = _first_end(block)
            if at + (len(block) if first < 0 else first) - start > most:
                why = f"has more than {most:,} bytes, the most that is read as one row"
                raise SourceError(_refusal(name, file.path, path, start, why))
            last = max(block.rfind(b"\n"), block.rfind(b"\r"))
            start = start if last < 0 else at + last + 1
            at += len(block)


def _first_end(block: bytes) -> int:
    """Where the first line ends, below 0 if nowhere."""
    feed, carriage = block.find(b"\n"), block.find(b"\r")
    return min(feed, carriage) if min(feed, carriage) >= 0 else max(feed, carriage)


def check_quotes(name: str, origin: Path, path: Path) -> None:
    """Raise SourceError if a quoted value is longer than a row can be: for a CSV file that cannot
    be read, since a quote may also be nothing but a character."""
    opened = -1
    at = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            place = block.find(b'"')
            while place >= 0:
                opened = at + place if opened < 0 else -1
                place = block.find(b'"', place + 1)
            at += len(block)
            if opened >= 0 and at - opened > MOST_LINE_BYTES:
                why = f"has a quote after which none follows for {MOST_LINE_BYTES:,} bytes, the "
                raise SourceError(_refusal(name, origin, path, opened, f"{why}most of a row"))


def _is_objects(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_BLOCK).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _refusal(name: str, origin: Path, path: Path, start: int, why: str) -> str:
    number = 1
    with path.open("rb") as file:
        left = start
        while left and (block := file.read(min(_BLOCK, left))):
            number += block.count(b"\n") or block.count(b"\r")
            left -= len(block)
        shown = excerpt(file.read(_SHOWN * 4).decode(errors="replace"), _SHOWN)
    return f"source '{name}': {origin}: line {number:,} {why}; it begins with: {shown}"
