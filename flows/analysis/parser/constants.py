"""Values that a text gives: numbers, texts, dates, yes and no, none; read and written."""

from __future__ import annotations

from flows.analysis.parser.cursor import Cursor
from flows.analysis.parser.tokens import quote_text
from flows.core.observation import Cell

_SAID: dict[tuple[str, ...], Cell] = {
    ("true",): True, ("false",): False, ("no", "value"): None, ("infinity",): float("inf"),
}  # fmt: skip


def read_constant(at: Cursor) -> tuple[Cell] | None:
    """A value that the text gives, in a tuple, as it may be None; None where there is none."""
    for words, value in _SAID.items():
        if at.take(*words):
            return (value,)
    for kind in ("text", "date"):
        if (text := at.text(kind)) is not None:
            return (text,)
    place = at.place
    sign = "-" if at.take("-") else ""
    if sign and at.take("infinity"):
        return (float("-inf"),)
    if (number := at.number()) is None:
        at.place = place
        return None
    return (int(sign + number) if number.isdecimal() else float(sign + number),)


def write_cell(value: Cell) -> str:
    """A value of the data as it is read again."""
    for words, said in _SAID.items():
        if value is said or (value == said and type(value) is type(said)):
            return " ".join(words)
    if value == float("-inf"):
        return "-infinity"
    return quote_text(value) if isinstance(value, str) else repr(value)


def write_number(number: float) -> str:
    """A number without a point where it is whole."""
    return str(int(number)) if number.is_integer() and number < 1e15 else repr(number)
