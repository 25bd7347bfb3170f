"""What a language model is told of the data: enough to ask of them, and never more than fits."""

from __future__ import annotations

import pytest

from flows.semantics.model import (
    Dataset,
    Metric,
    Number,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import Aggregate, FieldRef
from flows.semantics.summary import LIMIT, summarize


def dataset(name: str, *fields: SemanticField) -> Dataset:
    noun = name.removesuffix("s")
    return Dataset(name=name, source="shop", table=name, noun=noun, plural=name, fields=fields)


def text(name: str, *values: str) -> SemanticField:
    return SemanticField(name=name, role="category", type="text", values=values)


AMOUNT = SemanticField(
    name="amount", role="measure", type="real", column="Amount (EUR)", unit="EUR",
    words=("takings", "Amount"), cleaning=(Number(),),
)  # fmt: skip


def test_fields_relationships_and_metrics_are_told_in_a_line_each() -> None:
    total = Aggregate(function="sum", of=FieldRef(dataset="orders", field="amount"))
    model = SemanticModel(
        datasets=(dataset("orders", AMOUNT, text("status", "open", "paid")), dataset("clients")),
        relationships=(
            Relationship(name="orders_clients", dataset="orders", fields=("client",), to="clients",
                         to_fields=("id",), role="buyer"),
        ),
        metrics=(Metric(name="revenue", dataset="orders", definition=total, words=("sales",)),),
    )  # fmt: skip
    told = summarize(model)
    assert (
        '  amount: measure real, in EUR, column "Amount (EUR)", cleaned; also called takings'
        in told
    )
    assert "  status: category text, values 'open', 'paid'" in told
    assert "orders_clients: many orders(client) -> one clients(id), its buyer" in told
    assert "revenue of orders = SUM(amount); also called sales" in told


@pytest.mark.long("whole vocabularies are read")
def test_of_a_wide_database_values_are_left_out_first_and_then_what_does_not_fit() -> None:
    many = [text(f"field_{n}", *(f"value {each}" for each in range(12))) for n in range(20)]
    some = SemanticModel(datasets=tuple(dataset(f"table{n}s", *many) for n in range(12)))
    told = summarize(some)
    assert len(told) <= LIMIT
    assert "field_19: category text" in told
    assert "value" not in told
    wide = SemanticModel(datasets=tuple(dataset(f"table{n}s", *many) for n in range(900)))
    told = summarize(wide)
    assert len(told) <= LIMIT + 400
    assert "more that are not shown" in told
