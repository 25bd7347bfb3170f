"""Values of fields as documents write them, and what is no value of its type."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.extraction.fields import DocumentField
from flows.analysis.extraction.values import typed_value


def field(**given: Any) -> DocumentField:
    return DocumentField.model_validate(given)


@pytest.mark.parametrize(
    ("text", "wanted", "value", "unit"),
    [
        ("210 gsm", {"type": "number", "unit": "gsm"}, 210, "gsm"),
        ("210", {"type": "number", "unit": "gsm"}, 210, "gsm"),
        ("250 g/m2", {"type": "number", "unit": "gsm"}, 250, "gsm"),
        ("approx. 12.5 cm (±0.2)", {"type": "number", "unit": "mm"}, 125, "mm"),
        ("12 1/2 in", {"type": "number", "unit": "in"}, 12.5, "in"),
        ('3/4"', {"type": "number"}, 0.75, '"'),
        ("1,250.50", {"type": "number"}, 1250.5, ""),
        ("1.250,50", {"type": "number"}, 1250.5, ""),
        ("1,250", {"type": "number"}, 1250, ""),
        ("0,250", {"type": "number"}, 0.25, ""),
        ("12,5 kg", {"type": "number"}, 12.5, "kg"),
        ("-3 °C", {"type": "number"}, -3, "°C"),
        ("$ 19.90 per unit", {"type": "number"}, 19.9, "$"),
        ("60 %", {"type": "number"}, 60, "%"),
        ("12 pcs", {"type": "integer"}, 12, "pcs"),
        ("2024-03-12", {"type": "date"}, "2024-03-12", ""),
        ("12 March 2024", {"type": "date"}, "2024-03-12", ""),
        ("Mar. 3rd, 2024", {"type": "date"}, "2024-03-03", ""),
        ("12.03.2024", {"type": "date"}, "2024-03-12", ""),
        ("25/03/2024", {"type": "date"}, "2024-03-25", ""),
        ("03/25/2024", {"type": "date"}, "2024-03-25", ""),
        ("Yes", {"type": "boolean"}, True, ""),
        ("not required", {"type": "boolean"}, False, ""),
        ("- polyester", {"values": ["Polyester", "Cotton"]}, "Polyester", ""),
        ('"KT-2011"', {}, "KT-2011", ""),
    ],
)
def test_values(text: str, wanted: dict[str, Any], value: Any, unit: str) -> None:
    assert tuple(typed_value(text, field(**wanted))) == (value, unit)


@pytest.mark.parametrize(
    ("text", "wanted", "why"),
    [
        ("about right", {"type": "number"}, "is no number"),
        ("40-45 cm", {"type": "number"}, "is a range"),
        ("40 to 45", {"type": "number"}, "is a range"),
        ("12 kg", {"type": "number", "unit": "cm"}, "is not in cm"),
        ("12 red buttons", {"type": "number"}, "is more than a number"),
        ("1/0", {"type": "number"}, "is no number"),
        ("12.5", {"type": "integer"}, "no whole number"),
        ("03/04/2024", {"type": "date"}, "may be two dates"),
        ("31.02.2024", {"type": "date"}, "day is out of range"),
        ("spring", {"type": "date"}, "is no date"),
        ("maybe", {"type": "boolean"}, "neither yes nor no"),
        ("wool", {"values": ["Polyester", "Cotton"]}, "none of: Polyester, Cotton"),
        ("  ", {}, "is empty"),
    ],
)
def test_what_is_no_value(text: str, wanted: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        typed_value(text, field(**wanted))
