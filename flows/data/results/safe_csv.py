"""CSV that a spreadsheet opens without running anything, and from which the texts can be told.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` (or their full-width forms) for a
formula, also after blanks and quotes, and one that begins with a tab or a carriage return too. A
text that begins so gets an apostrophe before it: `=1+1` is written `'=1+1`. Numbers are written as
they are, and so is a text that is nothing but a number (`-12.50`). To tell the text again, take the
apostrophe away wherever what follows it is such a beginning: `original` does.

The file is UTF-8 without a mark, its separator a comma, its line end a line feed. A missing value
is nothing between two commas, an empty text is `""`. A spreadsheet that is told to split at another
character than the comma makes other cells of it; no writing can guard against that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from flows.core.observation import Cell

_BEGINS_FORMULA: Final = re.compile(
    r"""[\s'"\u2018\u2019\u201c\u201d\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]"""
)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_QUOTED: Final = re.compile(r"""[",\r\n]|^\s|\s$|^$""")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """A table as a CSV file with a head line."""
    lines = [_line(columns), *map(_line, rows)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def safe(text: str) -> str:
    """A text as a cell that is no formula."""
    if _BEGINS_FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def original(cell: str) -> str:
    """The text that a cell of the file was written for."""
    if cell[:1] == "'" and _BEGINS_FORMULA.match(cell, 1):
        return cell[1:]
    return cell


def _line(cells: Sequence[Cell]) -> str:
    # An empty line would be no row at all.
    return ",".join(map(_field, cells)) or '""'


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        text = safe(cell)
        doubled = text.replace('"', '""')
        return f'"{doubled}"' if _QUOTED.search(text) else text
    return ("true" if cell else "false") if isinstance(cell, bool) else repr(cell)
