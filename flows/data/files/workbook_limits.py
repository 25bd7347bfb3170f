"""What a workbook may unpack to: bytes, cells and texts are counted before it is read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from flows.data.files.old_workbook_cells import OLD_MARK, OldSheet, old_books
from flows.data.files.packing import unpack_faults
from flows.data.files.workbook_cells import (
    Area,
    BinaryScan,
    ExpatError,
    TextScan,
    XmlScan,
    cell_name,
)
from flows.errors import SourceError

MOST_BYTES: Final = 1 << 30
# Sheets shrink to a tenth, monotonous ones to a fiftieth; a bomb to a thousandth.
MOST_TIMES: Final = 100
ALWAYS_ALLOWED: Final = 64 << 20
MOST_CELLS: Final = 20_000_000
MOST_TEXT: Final = 2 << 30
_MOST_PARTS = 10_000
_BLOCK = 1 << 18
_HEAD = 64
_ROOT = 4096
_FAULTS: Final[tuple[type[Exception], ...]] = (
    *unpack_faults(),
    NotImplementedError,
    RuntimeError,
)
_WAY_OUT = "save its sheets as CSV or Parquet files and name those"


def check_workbook(name: str, path: Path) -> None:
    """Read through a workbook and count what it holds: a packed one (.xlsx .xlsm .xlsb .ods), or an
    old one (.xls).

    Raises SourceError, with what there is too much of, before more than that is unpacked.
    """
    with path.open("rb") as file:
        if file.read(len(OLD_MARK)) == OLD_MARK:
            _check_old(name, path)
    if not zipfile.is_zipfile(path):
        return
    count = _Count(name, path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if len(parts) > _MOST_PARTS:
                raise SourceError(
                    f"source '{name}': {path} has {len(parts):,} parts, at most {_MOST_PARTS:,} "
                    f"are read; {_WAY_OUT}"
                )
            for part in parts:
                count.add(archive, part)
    except ExpatError as error:
        raise SourceError(f"source '{name}': cannot read {path}: {error}") from error
    except _FAULTS as error:
        raise SourceError(f"source '{name}': {path} cannot be unpacked: {error}") from error
    count.check_texts()


def _check_old(name: str, path: Path) -> None:
    count = _Count(name, path)
    try:
        for sheets in old_books(path.read_bytes()):
            count.add_old(sheets)
    except ValueError as error:
        raise SourceError(f"source '{name}': cannot read {path}: {error}") from error


def _blocks(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """What a part really unpacks to, whatever the archive says of its size."""
    part.file_size = 1 << 62
    with archive.open(part) as stream:
        while block := stream.read(_BLOCK):
            yield block


class _Count:
    """What was found in a workbook so far."""

    def __init__(self, name: str, path: Path) -> None:
        self._name = name
        self._path = path
        packed = path.stat().st_size
        self._most = min(MOST_BYTES, max(ALWAYS_ALLOWED, packed * MOST_TIMES))
        self._bytes = 0
        self._texts = 0
        self._longest = 0

    def add(self, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
        """Count a part of the archive."""
        binary, text, is_xml = BinaryScan(), TextScan(), None
        is_sheet = False
        for block in _blocks(archive, part):
            self._bytes += len(block)
            self._check_bytes()
            if is_xml is None:
                is_xml = block[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
                is_sheet = b"<worksheet" in block[:_ROOT]
            if not is_xml:
                binary.feed(block)
            elif is_sheet:
                text.feed(block)
        if not is_xml:
            self._check(binary.area)
        elif is_sheet and text.is_sure and text.area.cells <= MOST_CELLS:
            self._texts += text.area.texts
        else:
            self._parse(_blocks(archive, part))

    def add_old(self, sheets: Sequence[OldSheet]) -> None:
        """Count the sheets of an old workbook, all of which are in memory at once."""
        for each in sheets:
            self._check(each.declared)
            self._check(each.cells)
        cells = sum(each.cells.cells for each in sheets)
        if cells > MOST_CELLS:
            filled = sum(each.cells.filled for each in sheets)
            raise self._refused(
                f"has {len(sheets):,} sheets whose cells reach from A1 over {cells:,} cells, of "
                f"which {filled:,} are filled, and at most {MOST_CELLS:,} are read. If cells far "
                "from the others are filled by mistake, delete them; otherwise"
            )

    def _parse(self, blocks: Iterator[bytes]) -> None:
        scan = XmlScan()
        for block in blocks:
            scan.feed(block, last=False)
            for area in scan.areas[-1:]:
                self._check(area)
            if scan.is_done:
                return
        scan.feed(b"", last=True)
        for area in scan.areas:
            self._check(area)
        self._texts += sum(each.texts for each in scan.areas)
        self._longest = max(self._longest, scan.longest_text)

    def _check_bytes(self) -> None:
        if self._bytes > self._most:
            raise self._refused(
                f"would unpack to more than {self._most >> 20:,} MB "
                f"({self._path.stat().st_size:,} bytes packed), which is the most that is read"
            )

    def _check(self, area: Area) -> None:
        if area.cells > MOST_CELLS:
            corner = cell_name(area.bottom, area.right)
            raise self._refused(
                f"has a sheet whose cells reach from A1 to {corner[:40]}: {area.cells:,} cells, of "
                f"which {area.filled:,} are filled, and at most {MOST_CELLS:,} are read. If a cell "
                "far from the others is filled by mistake, delete it; otherwise"
            )

    def check_texts(self) -> None:
        """Raise SourceError if texts that many cells share could become too much."""
        if self._texts * self._longest > MOST_TEXT and self._longest > 1 << 15:
            raise self._refused(
                f"has a text of {self._longest:,} characters, and {self._texts:,} cells that "
                f"could show it: more than {MOST_TEXT >> 20:,} MB of text, which is the most"
            )

    def _refused(self, why: str) -> SourceError:
        joint = "" if why.endswith("otherwise") else ";"
        return SourceError(f"source '{self._name}': {self._path} {why}{joint} {_WAY_OUT}")
