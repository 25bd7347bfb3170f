"""Cells as a reader likes them: the numbers of a column with the same decimals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from flows.core.observation import Cell
from flows.report.cleaning import one_line

_NUMBERS: Final = ("integer", "real")
_LONGEST: Final = 160
_MOST_DECIMALS: Final = 4
# Numbers that only name something are not counted in thousands.
_NAMES_A_THING: Final = re.compile(r"(?:^|[_ ])id$|[a-z]Id$", re.IGNORECASE)


def column_format(name: str, kind: str, values: Sequence[Cell]) -> Callable[[Cell], str]:
    """How the cells of a column are written, by its type and the cells that are shown."""
    if kind not in _NUMBERS:
        return written
    sizes = [abs(float(each)) for each in values if _is_finite(each)]
    named = bool(_NAMES_A_THING.search(name))
    if kind == "integer" or all(each.is_integer() for each in sizes):
        # A number of four digits is often a year, and reads well as it is.
        grouped = not named and max(sizes, default=0) >= 10_000
        return lambda cell: _number(cell, 0, grouped=grouped)
    decimals = _decimals(sizes)
    return lambda cell: _number(cell, decimals, grouped=True)


def written(cell: Cell) -> str:
    """A cell by itself: numbers with up to six significant digits, long texts cut."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if math.isfinite(cell) else str(cell)
    return f"{cell:,}" if isinstance(cell, int) else one_line(cell, _LONGEST)


def exact(cell: Cell) -> str:
    """A cell as it is in the result."""
    return "" if cell is None else one_line(str(cell), 2_000)


def _decimals(sizes: Sequence[float]) -> int:
    """As many as show three digits of the middle-sized numbers."""
    found = sorted(each for each in sizes if each > 0)
    if not found:
        return 2
    middle = found[len(found) // 2]
    return min(_MOST_DECIMALS, max(0, 2 - math.floor(math.log10(middle))))


def _number(cell: Cell, decimals: int, *, grouped: bool) -> str:
    if not _is_finite(cell):
        return written(cell)
    value = float(cell) if decimals else cell
    shown = f"{value:,.{decimals}f}" if grouped else f"{value:.{decimals}f}"
    if cell and not float(shown.replace(",", "")):
        return f"{cell:.2g}"
    return shown.replace("-", "\u2212", 1)


def _is_finite(cell: Cell) -> TypeGuard[int | float]:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)
