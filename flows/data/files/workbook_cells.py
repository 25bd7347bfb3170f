"""Which cells the sheets of a workbook fill, found without making anything of them.

The reader of workbooks makes a grid of all cells between the first and the last filled one, and
ends the process where there is no memory for it. So the area is known before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pyexpat import ExpatError, ParserCreate
from typing import Any

__all__ = ["Area", "BinaryScan", "ExpatError", "TextScan", "XmlScan", "cell_name"]

_CELL = re.compile(rb"<(?:[^<>\s/:]+:)?c[\s/>]")
_PLACE = re.compile(rb'<(?:[^<>\s/:]+:)?c\s+r="([A-Z]{1,3})([0-9]{1,7})"')
_LONGEST_TAG = 1 << 20
_LETTERS = 26
_ROW_END = 1 << 20
_BEGIN_DATA = 0x91
_END_DATA = 0x92
_ROW = 0
_CELLS = range(2, 12)  # records of BIFF12 that hold the value of a cell


@dataclass(slots=True)
class Area:
    """The filled cells of one sheet: rows and columns count from 0, `texts` are references to
    texts that all sheets share."""

    bottom: int = -1
    right: int = -1
    filled: int = 0
    texts: int = 0

    def add(self, row: int, column: int, rows: int = 1, columns: int = 1) -> None:
        self.bottom = max(self.bottom, row + rows - 1)
        self.right = max(self.right, column + columns - 1)
        self.filled += rows * columns

    @property
    def cells(self) -> int:
        """All cells from A1 to the last row and column, empty ones too."""
        return (self.bottom + 1) * (self.right + 1)


class TextScan:
    """Looks at the text of a sheet of Excel, which is fed to it in blocks, with no parser: many
    times as fast. `is_sure` is False when a cell is written in an unusual way; else the area is at
    least that of the filled cells, since it counts empty ones too."""

    def __init__(self) -> None:
        self.area = Area()
        self.is_sure = True
        self._left = b""

    def feed(self, block: bytes) -> None:
        if not self.is_sure:
            return
        data = self._left + block
        end = max(data.rfind(b"<"), 0)
        self._left = data[end:]
        places = _PLACE.findall(data, 0, end)
        self.is_sure = len(self._left) < _LONGEST_TAG and len(places) == len(
            _CELL.findall(data, 0, end)
        )
        if places:
            letters = max({letters for letters, _ in places}, key=lambda each: (len(each), each))
            bottom = max(int(digits) for _, digits in places) - 1
            self.area.add(bottom, _position(letters.decode(), 0)[1])
            self.area.filled += len(places) - 1
            self.area.texts += len(places)


class XmlScan:
    """Looks at one part of a workbook of XML, which is fed to it in blocks. Parts that hold no
    cells are not looked at further. Raises ExpatError for what is no XML."""

    def __init__(self) -> None:
        self.areas: list[Area] = []
        self.longest_text = 0
        self.is_done = False
        self._parser = ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._root

    def feed(self, block: bytes, *, last: bool) -> None:
        if not self.is_done:
            self._parser.Parse(block, last)

    def _root(self, name: str, _: dict[str, str]) -> None:
        kind = _local(name)
        if kind == "worksheet":
            _SheetScan(self._parser, self.areas)
        elif kind in ("document-content", "document"):
            _OpenDocumentScan(self._parser, self.areas)
        elif kind == "sst":
            self._parser.StartElementHandler = None
            self._parser.CharacterDataHandler = self._text
            self._parser.EndElementHandler = self._end_of_text
            self._length = 0
        else:
            self.is_done = True

    def _text(self, text: str) -> None:
        self._length += len(text)

    def _end_of_text(self, name: str) -> None:
        if _local(name) == "si":
            self.longest_text = max(self.longest_text, self._length)
            self._length = 0


class _SheetScan:
    """The cells of a sheet of Excel: `<row r="3"><c r="B3" t="s"><v>7</v></c></row>`."""

    def __init__(self, parser: Any, areas: list[Area]) -> None:
        self._area = Area()
        areas.append(self._area)
        self._row = self._column = -1
        self._is_shared = False
        self._is_open = False
        self._names: dict[str, str] = {}
        parser.StartElementHandler = self._start

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = self._names.get(name)
        if kind is None:
            kind = self._names[name] = _local(name)
        if kind == "c":
            self._is_open = True
            self._is_shared = attributes.get("t") == "s"
            self._column += 1
            if place := attributes.get("r"):
                self._row, self._column = _position(place, self._row)
        elif kind == "row":
            number = attributes.get("r", "")
            self._row = int(number) - 1 if number.isdecimal() else self._row + 1
            self._column = -1
        elif self._is_open and kind in ("v", "is", "f"):
            self._is_open = False
            self._area.add(max(self._row, 0), self._column)
            self._area.texts += self._is_shared


class _OpenDocumentScan:
    """The cells of OpenDocument sheets, of which equal ones are written once with their number."""

    def __init__(self, parser: Any, areas: list[Area]) -> None:
        self._areas = areas
        self._row = self._rows = self._column = self._columns = 0
        self._is_open = False
        parser.StartElementHandler = self._start

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        kind = _local(name)
        if kind == "table":
            self._areas.append(Area())
            self._row = self._rows = 0
        elif kind == "table-row":
            self._row += self._rows
            self._rows = _repeated(attributes, "number-rows-repeated")
            self._column = self._columns = 0
        elif kind in ("table-cell", "covered-table-cell"):
            self._column += self._columns
            self._columns = _repeated(attributes, "number-columns-repeated")
            self._is_open = True
            if any(_local(each) in ("value-type", "formula") for each in attributes):
                self._fill()
        elif kind == "p" and self._is_open:
            self._fill()

    def _fill(self) -> None:
        if self._is_open and self._areas:
            self._areas[-1].add(self._row, self._column, max(self._rows, 1), self._columns)
        self._is_open = False


class BinaryScan:
    """Looks at one part of a binary workbook (BIFF12), which is fed to it in blocks."""

    def __init__(self) -> None:
        self.area = Area()
        self._left = b""
        self._skip = 0
        self._row = 0
        self._is_data = False

    def feed(self, block: bytes) -> None:
        skipped = min(self._skip, len(block))
        self._skip -= skipped
        data = self._left + block[skipped:]
        at = 0
        for end, kind, content in self._records(data):
            at = end
            self._take(kind, content)
        self._left = data[at:] if not self._skip else b""

    def _records(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Where each record ends, its kind, and the first eight bytes of its content."""
        at = 0
        while (head := _record_head(data, at)) is not None:
            kind, length, start = head
            if start + min(length, 8) > len(data):
                return
            end = start + length
            self._skip = max(0, end - len(data))
            at = min(end, len(data))
            yield at, kind, data[start : start + min(length, 8)]

    def _take(self, kind: int, content: bytes) -> None:
        if kind in (_BEGIN_DATA, _END_DATA):
            self._is_data = kind == _BEGIN_DATA
        elif self._is_data and len(content) >= 4:
            number = int.from_bytes(content[:4], "little")
            if kind == _ROW:
                self._row = number
            elif kind in _CELLS:
                self.area.add(self._row, number)
                self.area.texts += kind == 7


def _record_head(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Kind, length and start of the content of the record at a place; None if it is cut."""
    kind, at, is_whole = _number(data, at, 2)
    length, at, is_whole = _number(data, at, 4) if is_whole else (0, at, False)
    return (kind, length, at) if is_whole else None


def _number(data: bytes, at: int, most: int) -> tuple[int, int, bool]:
    """A number of up to `most` bytes: of its type all bits, of a length seven of each byte."""
    number = 0
    for step in range(most):
        if at >= len(data):
            return 0, at, False
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << (7 * step)
        if byte < 0x80:
            break
    return number, at, True


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _position(place: str, row: int) -> tuple[int, int]:
    """Row and column of a cell such as B3; of what is none, a place beyond every sheet."""
    letters = place.rstrip("0123456789")
    digits = place[len(letters) :]
    if not letters.isascii() or not letters.isalpha() or len(letters) > 7 or len(digits) > 12:
        return _ROW_END, 1 << 30
    column = 0
    for letter in letters.upper():
        column = column * _LETTERS + ord(letter) - 64
    return (int(digits) - 1 if digits else row), column - 1


def _repeated(attributes: dict[str, str], name: str) -> int:
    found = next((value for key, value in attributes.items() if _local(key) == name), "1")
    return int(found[:12]) if found.isdecimal() else 1


def cell_name(row: int, column: int) -> str:
    """The name of a cell: `B3` for row 2 and column 1."""
    letters = ""
    column += 1
    while column > 0:
        column, letter = divmod(column - 1, _LETTERS)
        letters = chr(65 + letter) + letters
    return f"{letters}{row + 1}"
