"""Names and numbers as people read them in a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.methods.sheet import Sheet, as_number, known, worked
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.telling.cells import foreign
from flows.analysis.telling.query_words import in_words
from flows.core.observation import Cell
from flows.data.answers.numbers import find_numbers
from flows.data.answers.references import Reference

_LONGEST: Final = 80
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPELLED: Final = {"avg": "average", "pct": "percentage", "qty": "quantity", "cnt": "count",
                   "num": "number", "std": "standard deviation"}  # fmt: skip
_REFERENCE: Final = re.compile(r"(\{\{.*?\}\}|`[^`]*`)")
_PERCENT: Final = frozenset({"percent", "pct", "percentage"})
# Columns whose cells are names of columns.
_COLUMN_NAMES: Final = frozenset({"column", "feature", "variable", "predictor", "first", "second"})
_IN_WORDS: Final = 20
_MILLION, _BILLION, _THOUSANDS = 1e6, 1e9, 1e4


def plain(name: str) -> str:
    """The name of a column in words: `unit_price` and `unitPrice` are unit price. One with a number
    of its own stays as it is, in code, so that nobody takes the number for a result."""
    line = " ".join(foreign(name).split())[:_LONGEST]
    words = " ".join(_CAMEL.sub(" ", line).replace("_", " ").split()) or line
    words = " ".join(_SPELLED.get(each.casefold(), each) for each in words.split())
    if words.replace(" ", "").isalpha():
        words = " ".join(each if each.isupper() else each.lower() for each in words.split())
    if any(True for _ in find_numbers(words)):
        return f"`{line.replace('`', chr(39))}`"
    return words


def as_value(text: str) -> str:
    """A value of a category as the data writes it; one with a number in code."""
    line = " ".join(foreign(text).split())[:_LONGEST] or "an empty value"
    return f"`{line.replace('`', chr(39))}`" if any(True for _ in find_numbers(line)) else line


def named(sheet: Sheet, row: int, column: str) -> str:
    """A cell that names something: a feature in words, a text as it is, digits as a reference."""
    cell = sheet.cell(row, column)
    if isinstance(cell.value, str) and not any(each.isdigit() for each in cell.value):
        of_column = column.casefold() in _COLUMN_NAMES or _is_identifier(cell.value)
        shown = plain(cell.value) if of_column else cell.value
        return " ".join(foreign(shown).split())[:_LONGEST] or "an empty name"
    return cell.text("plain" if isinstance(cell.value, int) else "")


def _is_identifier(text: str) -> bool:
    """Whether a text is a column's name and not the name of a person or a place."""
    return "_" in text and " " not in text


def form_of(values: Sequence[float | None]) -> str:
    """The format that tells the values of one column apart, with as few digits as that takes."""
    numbers = known(values)
    if not numbers or all(each.is_integer() for each in numbers):
        return ","
    largest, spread = max(map(abs, numbers)), max(numbers) - min(numbers)
    if largest >= 1000:
        return ",.0f"
    # What stands alone is told with two digits, what is compared with as many as tell it apart.
    places = math.ceil(-math.log10(spread or largest or 1)) + (spread == 0)
    least = 1 if largest >= 10 else 2
    return f".{max(least, min(4, places))}f"


def written(sheet: Sheet, row: int, column: str, form: str | None = None) -> str:
    """A number of a column in the column's format, millions as such, with its unit."""
    value = sheet.number(row, column)
    shown = form_of(sheet.numbers(column)) if form is None else form
    if form is None and value is not None:
        shown = scaled(value, shown)
    cell = sheet.cell(row, column)
    if isinstance(cell.value, str | bool) or cell.value is None:
        shown = ""
    return cell.text(shown) + unit_of(sheet, column)


def as_share(value: float) -> str:
    """The format of a share: what is not quite all is not told as all."""
    return ".1%" if 0.995 <= value < 0.9995 else ".0%"


def scaled(value: float, form: str) -> str:
    """The format of a value: what is large is told in millions or billions."""
    if abs(value) >= _BILLION:
        return ".2 billion"
    if abs(value) >= _MILLION:
        return ".2 million"
    return ",.0f" if abs(value) >= _THOUSANDS else form


def unit_of(sheet: Sheet, column: str) -> str:
    """What stands behind a number of the column, with a blank before."""
    unit = sheet.units.get(column, "")
    if unit in ("%", "percent") or _PERCENT & set(split_identifier(column)) or "%" in column:
        return " %"
    return f" {foreign(unit)}" if unit and not any(map(str.isdigit, unit)) else ""


def rows_words(sheet: Sheet) -> str:
    """How many rows a result has; a small number in words, which nobody has to look up."""
    if sheet.total <= _IN_WORDS:
        return in_words(sheet.total)
    return worked("count", Reference(result=sheet.name), form=",") if sheet.name else "of them"


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def some(parts: Sequence[str], most: int) -> str:
    """The first of the names; where there are more, `a, b and others`."""
    return listed(parts) if len(parts) <= most else f"{', '.join(parts[:most])} and others"


def sentence(text: str) -> str:
    """A text with a capital and a full stop; a name that the data writes small is kept in code."""
    text = " ".join(text.split())
    first = text[:1].upper() if not text.startswith(("{{", "`")) else text[:1]
    return f"{first}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def is_blank(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def is_number(cell: Cell) -> bool:
    return as_number(cell) is not None


def spelled_out(text: str, names: Iterable[str], goal: BusinessGoal) -> str:
    """A text with the names in it written as the question writes their words: in full, or in
    capitals. References and code stay as they are."""
    fuller = {plain(each): _fuller(plain(each), goal) for each in names}
    changed = sorted((each for each in fuller if fuller[each] != each), key=len, reverse=True)
    if not changed:
        return text
    sought = re.compile(rf"\b(?:{'|'.join(map(re.escape, changed))})\b", re.IGNORECASE)

    def write(match: re.Match[str]) -> str:
        made = fuller.get(match[0]) or fuller.get(match[0][:1].lower() + match[0][1:], match[0])
        return made[:1].upper() + made[1:] if match[0][:1].isupper() else made

    parts = _REFERENCE.split(text)
    return "".join(each if at % 2 else sought.sub(write, each) for at, each in enumerate(parts))


def _fuller(words: str, goal: BusinessGoal) -> str:
    return " ".join(goal.full_word(each) or goal.capitals(each) or each for each in words.split())
