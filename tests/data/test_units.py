"""Units that the names of columns tell."""

from __future__ import annotations

import pytest

from flows.data.profiles.units import unit_of
from flows.data.tables import ColumnType


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("weight_kg", "kg"),
        ("Price (USD)", "USD"),
        ("price [EUR]", "EUR"),
        ("temp_c", "°C"),
        ("Temperature (°F)", "°F"),
        ("duration_ms", "ms"),
        ("durationMs", "ms"),
        ("waiting_time_min", "min"),
        ("pct", "%"),
        ("growth_pct", "%"),
        ("pct_missing", "%"),
        ("Share %", "%"),
        ("bill_length_mm", "mm"),
        ("body_mass_g", "g"),
        ("area_km2", "km²"),
        ("speed (km/h)", "km/h"),
        ("Cost ($/kg)", "USD/kg"),
        ("revenue_chf", "CHF"),
        ("file size (MB)", "MB"),
        ("g", ""),
        ("c", ""),
        ("vitamin_c", ""),
        ("seconds_name", ""),
        ("second", ""),
        ("name", ""),
        ("class (old)", ""),
        ("plan_b", ""),
        ("customer_in", ""),
    ],
)
def test_the_unit_of_a_name(name: str, unit: str) -> None:
    assert unit_of(name, "real") == unit


@pytest.mark.parametrize("kind", ["boolean", "date", "timestamp"])
def test_what_is_no_amount_has_no_unit(kind: ColumnType) -> None:
    assert unit_of("weight_kg", kind) == ""
