"""Which cells the sheets of an old workbook (.xls) fill, found without making anything of them.

Such a file is a compound file (OLE): sectors in chains, of which one holds the records (BIFF) of
all sheets. Its reader reads all sheets at once.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from flows.data.files.workbook_cells import Area

OLD_MARK: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Sectors have 512 bytes or 4096.
_SHIFTS = (9, 12)
_SMALL_SECTOR = 64
_SMALL_STREAM = 4096
_ENTRY = 128
_NAMES = ("Workbook", "Book")
# Kinds of records.
_SHEET, _TEXTS, _DIMENSIONS, _NUMBERS_OF_ROW, _END = 0x85, 0xFC, 0x200, 0xBD, 0x0A
_CELLS = (0x06, _NUMBERS_OF_ROW, 0xFD, 0x203, 0x204, 0x205, 0x27E)


@dataclass(slots=True)
class OldSheet:
    """The cells that a sheet fills, and the area that it says to have, for which memory is taken
    whatever it fills."""

    cells: Area = field(default_factory=Area)
    declared: Area = field(default_factory=Area)


def old_books(content: bytes) -> Iterator[list[OldSheet]]:
    """The sheets of a workbook, whose file begins with `OLD_MARK`; of both, if it holds two.

    What is damaged is left out, since its reader stops there. Raises ValueError for what its reader
    would not survive.
    """
    for book in _books(content):
        places = []
        for kind, at, length in _records(book, 0):
            if kind == _SHEET and length >= 4:
                places.append(struct.unpack_from("<I", book, at)[0])
            elif kind == _TEXTS and length >= 8:
                texts = struct.unpack_from("<I", book, at + 4)[0]
                if texts > len(book):
                    raise ValueError(f"it says to hold {texts:,} texts, but is too small for them")
        found = {place: _sheet(book, place) for place in set(places)}
        yield [found[place] for place in places]


def _sheet(book: bytes, place: int) -> OldSheet:
    sheet = OldSheet()
    for kind, at, length in _records(book, place):
        if kind in _CELLS and length >= 4:
            row, column = struct.unpack_from("<HH", book, at)
            sheet.cells.add(row, column, 1, (length - 6) // 6 if kind == _NUMBERS_OF_ROW else 1)
        elif kind == _DIMENSIONS and length in (10, 14):
            form = "<IIHH" if length == 14 else "<HHHH"
            top, bottom, left, right = struct.unpack_from(form, book, at)
            # A bottom above the top makes a very large number of rows, as in the reader.
            if bottom and right:
                sheet.declared.add((bottom - 1 - top) % (1 << 32), (right - 1 - left) % (1 << 32))
    return sheet


def _records(book: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """The kind of each record up to the next end, where its content starts, and how long it is."""
    while at + 4 <= len(book):
        kind, length = struct.unpack_from("<HH", book, at)
        if kind == _END or at + 4 + length > len(book):
            return
        yield kind, at + 4, length
        at += 4 + length


def _books(content: bytes) -> Iterator[bytes]:
    """The streams that may hold the records of a workbook."""
    shift = content[30] if len(content) >= 512 else 0
    if shift not in _SHIFTS:
        return
    head = struct.unpack_from("<128I", content)
    sectors = _Sectors(memoryview(content)[1 << shift :], 1 << shift, array("I"))
    tables = [*head[19:], *sectors.tables(head[17])]
    sectors.next.frombytes(b"".join(map(sectors.read, tables)))
    entries = sectors.chain(head[12])
    for at in range(0, len(entries) - _ENTRY + 1, _ENTRY):
        name = entries[at : at + 64].decode("utf-16-le", errors="ignore").partition("\0")[0]
        first, length = struct.unpack_from("<IQ" if shift == 12 else "<II", entries, at + 116)
        if name in _NAMES and length >= _SMALL_STREAM:
            yield sectors.chain(first)
        elif name in _NAMES:
            root = sectors.chain(struct.unpack_from("<I", entries, 116)[0])
            small = _Sectors(memoryview(root), _SMALL_SECTOR, array("I"))
            numbers = sectors.chain(head[15])
            small.next.frombytes(numbers[: len(numbers) // 4 * 4])
            yield small.chain(first)


@dataclass(slots=True)
class _Sectors:
    """The sectors of a file; `next` is the number of the one that follows each of them."""

    content: memoryview
    size: int
    next: array[int]

    def read(self, number: int) -> memoryview:
        """A sector, empty where there is none: such numbers are marks."""
        whole = self.content[number * self.size : (number + 1) * self.size]
        return whole if len(whole) == self.size else whole[:0]

    def chain(self, first: int) -> bytes:
        """A sector and those that follow. Raises ValueError for a chain without an end."""
        found = []
        while first < len(self.next):
            found.append(self.content[first * self.size : (first + 1) * self.size])
            first = self.next[first]
            if len(found) > len(self.next):
                raise ValueError("its sectors follow each other in a circle")
        return b"".join(found)

    def tables(self, first: int) -> Iterator[int]:
        """The numbers of the sectors with `next` that the head of the file has no place for."""
        seen = 0
        while block := self.read(first):
            numbers = struct.unpack(f"<{self.size // 4}I", block)
            yield from numbers[:-1]
            first = numbers[-1]
            seen += 1
            if seen * self.size > len(self.content):
                raise ValueError("its sectors follow each other in a circle")
