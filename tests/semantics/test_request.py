"""Requests are values: they compare by meaning, travel as JSON, and cannot be changed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from flows.semantics.query import Aggregate, Comparison, Constant, FieldRef, Query, Scalar
from flows.semantics.request import REQUEST

AMOUNT = FieldRef(dataset="orders", field="amount")
AVERAGE = Query(dataset="orders", metrics=(Aggregate(function="average", of=AMOUNT),))
ABOVE = Query(
    dataset="orders",
    metrics=(Aggregate(function="count"),),
    where=Comparison(left=AMOUNT, operator=">", right=Scalar(query=AVERAGE)),
)


def test_the_places_of_words_take_no_part_in_comparing() -> None:
    placed = AMOUNT.model_copy(update={"spans": ((4, 10),)})
    assert placed == AMOUNT
    assert hash(placed) == hash(AMOUNT)
    assert (
        Query(
            dataset="orders", metrics=(Aggregate(function="average", of=placed, spans=((0, 3),)),)
        )
        == AVERAGE
    )


def test_what_means_another_thing_is_not_equal() -> None:
    assert FieldRef(dataset="refunds", field="amount") != AMOUNT
    assert Constant(value=1) != Constant(value=True)
    assert Constant(value=1) != Constant(value="1")
    assert AVERAGE != ABOVE


def test_a_request_travels_as_json() -> None:
    assert REQUEST.validate_json(REQUEST.dump_json(ABOVE)) == ABOVE


def test_as_plain_data_it_says_what_was_asked_and_nothing_else() -> None:
    assert REQUEST.dump_python(AVERAGE) == {
        "kind": "query",
        "dataset": "orders",
        "metrics": (
            {
                "kind": "aggregate",
                "function": "average",
                "of": {"kind": "field", "dataset": "orders", "field": "amount"},
            },
        ),
    }


def test_a_request_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        ABOVE.dataset = "refunds"  # type: ignore[misc]


def test_what_no_request_has_is_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        REQUEST.validate_python({"kind": "query", "dataset": "orders", "colour": "red"})
    with pytest.raises(ValidationError, match="'query', 'analysis'"):
        REQUEST.validate_python({"kind": "poem"})
