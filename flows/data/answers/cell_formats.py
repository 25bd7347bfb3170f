"""Cells as people read them, and the formats that a reference may ask for."""

from __future__ import annotations

import math
import re
from typing import Final

from flows.core.observation import Cell
from flows.errors import CitationError

FORMATS: Final = "plain, percent, .1f, ,.0f, +.1f, .1%, thousand, million, billion"
_FORMAT: Final = re.compile(
    r"(?P<plus>\+)?(?P<comma>,)?(?:\.(?P<places>\d))?"
    r"[ ]?(?P<kind>f|%|percent|thousand|million|billion)?",
    re.ASCII,
)
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_THOUSANDS: Final = 10_000


def number(value: Cell) -> str:
    """A cell as people read it: 4 digits kept behind a small point, thousands set apart."""
    if value is None:
        return "missing"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= _THOUSANDS else str(value)
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return number(int(value))
    if abs(value) < 1:
        return f"{value:.4g}"
    text = f"{value:,.2f}" if abs(value) >= _THOUSANDS else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


def is_format(form: str) -> bool:
    """Whether a text is a format, as `FORMATS` shows them; none at all is one too."""
    return form in ("", "plain") or _FORMAT.fullmatch(form) is not None


def write(value: Cell, form: str) -> str:
    """A cell in a format. Errors: `CitationError` for a number's format and another cell."""
    if not form:
        return number(value)
    if form == "plain" or value is None:
        return number(value) if value is None else str(value)
    found = _FORMAT.fullmatch(form)
    if found is None:
        raise CitationError(f"{form!r} is no format (formats: {FORMATS})")
    if isinstance(value, bool | str):
        raise CitationError(f"it is {value!r} and no number, so it has no format {form!r}")
    text = _digits(value, found)
    return f"+{text}" if found["plus"] and value > 0 else text


def _digits(value: float, form: re.Match[str]) -> str:
    places, kind = form["places"], form["kind"]
    if kind in ("%", "percent"):
        return f"{_rounded(value * 100, places or '1', form['comma'])} %"
    if kind in _SCALES:
        scaled = value / _SCALES[kind]
        return f"{_rounded(scaled, places, form['comma']) if places else number(scaled)} {kind}"
    if places is None and kind is None:
        return f"{value:,}" if form["comma"] and isinstance(value, int) else number(value)
    return _rounded(value, places or "0", form["comma"])


def _rounded(value: float, places: str | None, comma: str | None) -> str:
    return f"{value:{comma or ''}.{places or '0'}f}"
