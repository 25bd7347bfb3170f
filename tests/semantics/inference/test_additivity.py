"""What adds up where nobody says: as a model declares it, else as the name of a column tells it."""

from __future__ import annotations

import pytest

from flows.data.tables import Column
from flows.semantics.inference.quantities import adds_up

NAMES = {
    "revenue": True, "TotalAmount": True, "sales_2024": True, "sales2024": True, "costs": True,
    "order quantity": True, "mass": False, "rating": False, "weight_kg": False, "age": False,
}  # fmt: skip


def figures(name: str, additive: bool | None = None) -> Column:
    return Column(
        name=name, type="real", role="measure", rows=9, missing=0, distinct=9, additive=additive
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_name_tells_what_adds_up(name: str) -> None:
    assert adds_up(figures(name)) is NAMES[name]


@pytest.mark.parametrize("declared", [True, False])
def test_a_declared_model_goes_before_the_name(declared: bool) -> None:
    for name in NAMES:
        assert adds_up(figures(name, declared)) is declared
