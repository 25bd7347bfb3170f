"""A CSV file that code wrote, so that a spreadsheet runs nothing of it; see `safe_csv`.

Only an apostrophe is put before each text that a spreadsheet would take for a formula: separators,
quotes, line ends and the encoding stay what they are. Which character separates cells depends on
the settings of whoever opens the file, so comma, semicolon and tab each count; what is a number
between the separators that the first line has most of stays one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from flows.data.files.text_encoding import encoding_of
from flows.data.results.safe_csv import safe

KINDS: Final = frozenset({"csv", "tsv", "tab"})
_HEAD: Final = 64 * 1024
_BEFORE: Final = r"""(?:[^\S\r\n{separator}]|['"\u2018\u2019\u201c\u201d\ufeff])*+"""
# A cell in quotes, or one that begins as a formula does; the others are passed over.
_CELL: Final = (
    r"""(?:\A|(?<=[\r\n{separator}]))(?:"(?P<quoted>(?:[^"]|"")*+)"?(?P<rest>[^\r\n{separator}]*+)|"""
    rf"""(?={_BEFORE}[=+\-@\uff1d\uff0b\uff0d\uff20]|\t)[^\r\n{{separator}}]++)"""
)
_CELLS: Final = {
    separator: re.compile(_CELL.replace("{separator}", re.escape(separator)))
    for separator in (",", ";", "\t")
}
_QUOTES: Final = re.compile(r"""[\s'"\u2018\u2019\u201c\u201d\ufeff]*\"""")
_LINE_END: Final = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Defused:
    """The content without formulas, and how many cells were changed for it."""

    content: bytes
    cells: int


def defuse(content: bytes) -> Defused:
    """Put an apostrophe before each formula. Numbers such as -5 stay numbers.

    Errors: `UnicodeError` for a file that says UTF-16 or UTF-32 and is not. Bytes that are no
    UTF-8 stay what they are in any other file.
    """
    codec = encoding_of(content[:_HEAD], lambda: iter(())).codec
    errors = "surrogateescape" if codec.startswith("utf-8") else "strict"
    text = content.decode(codec, errors)
    main = max(_CELLS, key=_LINE_END.split(text, 1)[0].count)
    formulas, numbers = _places(text, main)
    for each in _CELLS:
        # Without it each line is one cell, and the same as that of the others but for quotes.
        if each != main and (each in text or '"' in text):
            formulas |= _places(text, each)[0]
    places = sorted(formulas - numbers)
    if not places:
        return Defused(content, 0)
    parts = [text[start:end] for start, end in zip([0, *places], [*places, None], strict=True)]
    return Defused("'".join(parts).encode(codec, errors), len(places))


def _places(text: str, separator: str) -> tuple[set[int], set[int]]:
    """Where cells begin that would be formulas, and where those that begin so and are numbers."""
    formulas: set[int] = set()
    numbers: set[int] = set()
    for found in _CELLS[separator].finditer(text):
        cell = found[0]
        if (quoted := found["quoted"]) is not None:
            cell = quoted.replace('""', '"') + found["rest"]
        # Behind all quotes: between two that are one to another reader it would end its cell.
        behind = _QUOTES.match(text, found.start(), found.end())
        start = behind.end() if behind else found.start()
        if safe(cell) != cell:
            formulas.add(start)
        elif cell.startswith(("+", "-")):
            numbers.add(start)
    return formulas, numbers
