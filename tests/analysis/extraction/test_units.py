"""Units: a number of one in another, and where a document says the unit of a bare number."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.extraction.unit_places import unit_in, without_unit, written_unit
from flows.analysis.extraction.units import converted
from flows.data.documents.passages import DocumentPassage


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "expected"),
    [
        (210, "gsm", "g/m2", 210),
        (300, "l/min", "m3/h", 18),
        (50, "\u00b0F", "\u00b0C", 10),
        (0, "K", "\u00b0C", -273.15),
        (3, "weeks", "days", 21),
        (2, "years", "months", 24),
        (900, "kUSD", "USD", 900_000),
        (5, "US$", "USD", 5),
        (85, "dB(A)", "dB", 85),
        (8.5, "per cent", "%", 8.5),
        (5, "square metres", "m2", 5),
        (10, "m/s", "km/h", 36),
        (3, "kg", "cm", None),
        (4, "EUR", "USD", None),
        (4, "boxes", "kg", None),
    ],
)
def test_numbers_of_one_unit_in_another(
    value: float, unit: str, wanted: str, expected: float | None
) -> None:
    assert converted(value, unit, wanted) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("label", "unit", "bare"),
    [
        ("Weight (kg)", "kg", "Weight"),
        ("Height, mm", "mm", "Height"),
        ("Weight g/m2", "g/m2", "Weight"),
        ("Amount in EUR", "EUR", "Amount"),
        ("Price (net)", "", "Price (net)"),
        ("Date of the month", "", "Date of the month"),
    ],
)
def test_units_of_labels(label: str, unit: str, bare: str) -> None:
    assert (unit_in(label), without_unit(label)) == (unit, bare)


def passage(text: str, number: int = 1, **given: Any) -> DocumentPassage:
    return DocumentPassage.model_validate({"number": number, "text": text, **given})


@pytest.mark.parametrize(
    ("value", "text", "more", "unit"),
    [
        ("60", "Size: 60 x 40 x 30 cm", {}, "cm"),
        ("2", "Keep at 2 to 8 \u00b0C", {}, "\u00b0C"),
        ("575", "Price: EUR 575 in total", {}, "EUR"),
        ("12", "Weight (lb): 12", {}, "lb"),
        ("5", "It has 5 in total", {}, ""),
        ("80", "x", {"cells": ("Width", "cm", "80"), "head": ("Property", "Unit", "Value")}, "cm"),
        ("80", "x", {"cells": ("Door", "80"), "head": ("Part", "Width (mm)")}, "mm"),
        ("80", "x", {"cells": ("Width, mm", "80"), "head": ("Width, mm", "80")}, "mm"),
        ("80", "Width 80", {"section": "A > Sizes (IN)"}, "in"),
        ("80", "Width 80", {"section": "A > Sizes"}, "mm"),
    ],
)
def test_where_the_unit_stands(value: str, text: str, more: dict[str, Any], unit: str) -> None:
    above = passage("All measurements in mm, flat.", 2, section="A > Sizes")
    said = passage(" | ".join(more.get("cells", ())) or text, **more)
    assert written_unit(value, said.text, said, (above, said)) == unit
