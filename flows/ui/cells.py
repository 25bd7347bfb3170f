"""Cells of a table as text: exact where it matters, aligned where it helps."""

from __future__ import annotations

from collections.abc import Sequence

from flows.core.observation import Cell
from flows.ui.terminal_text import clean, one_line

NULL = "NULL"
MAX_DECIMALS = 4
_LARGE = 1e15
_CELL_CHARS = 200


def exact(value: Cell) -> str:
    """A value without any rounding."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, (int, float)) else f'"{one_line(value, _CELL_CHARS)}"'


def column_texts(values: Sequence[Cell]) -> list[str]:
    """The cells of one column. Its decimal numbers get the same number of decimals, at most 4."""
    decimals = _decimals([value for value in values if isinstance(value, float)])
    return [_cell(value, decimals) for value in values]


def is_numeric(values: Sequence[Cell]) -> bool:
    """Whether a column holds numbers and nothing else."""
    there = [value for value in values if value is not None]
    return bool(there) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in there
    )


def _decimals(numbers: list[float]) -> int | None:
    """How many decimals the numbers need; None when they are too small or large for that."""
    largest = max((abs(number) for number in numbers), default=0.0)
    smallest = min((abs(number) for number in numbers if number), default=1.0)
    if largest >= _LARGE or smallest < 10.0**-MAX_DECIMALS or largest != largest:
        return None
    texts = [f"{number:.{MAX_DECIMALS}f}".rstrip("0") for number in numbers]
    return max((len(text.partition(".")[2]) for text in texts), default=0)


def _cell(value: Cell, decimals: int | None) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if decimals is None else f"{value:.{decimals}f}"
    if isinstance(value, str):
        shown = one_line(value, _CELL_CHARS)
        # A text that could be taken for nothing, for NULL or for another text is quoted.
        odd = shown in ("", NULL) or shown != clean(value)[: len(shown)].strip()
        return f'"{shown}"' if odd or value[:1].isspace() or value[-1:].isspace() else shown
    return exact(value)
