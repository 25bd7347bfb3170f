"""What a person says in a file wins over what was inferred; what he leaves out stays inferred."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.errors import ConfigError
from flows.semantics.formats import check_file, read_declaration, write_model
from flows.semantics.model import (
    Calendar,
    Dataset,
    Metric,
    Number,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.overlay import merge
from flows.semantics.query import Aggregate, Arithmetic, FieldRef, MetricRef

PRICE = SemanticField(
    name="price", role="measure", type="real", column="price", unit="€",
    cleaning=(Number(decimal=","),), words=("unit price",),
)  # fmt: skip
ORDERS = Dataset(
    name="orders", source="shop", table="orders", noun="order", plural="orders", key=("id",),
    label="id",
    fields=(
        SemanticField(name="id", role="identifier", type="integer", column="id"),
        SemanticField(name="customer", role="identifier", type="integer", column="customer"),
        PRICE,
        SemanticField(name="quantity", role="measure", type="integer", column="quantity"),
    ),
)  # fmt: skip
CUSTOMERS = Dataset(
    name="customers", source="shop", table="customers", noun="customer", plural="customers",
    key=("id",),
    fields=(SemanticField(name="id", role="identifier", type="integer", column="id"),),
)  # fmt: skip
BUYS = Relationship(
    name="orders_customer", dataset="orders", fields=("customer",), to="customers",
    to_fields=("id",), role="customer",
)  # fmt: skip
TOTAL = Metric(
    name="total price",
    dataset="orders",
    definition=Aggregate(function="sum", of=FieldRef(dataset="orders", field="price")),
)
INFERRED = SemanticModel(
    name="shop", datasets=(ORDERS, CUSTOMERS), relationships=(BUYS,), metrics=(TOTAL,),
    calendar=Calendar(today="clock"),
)  # fmt: skip


def laid_over(tmp_path: Path, text: str) -> SemanticModel:
    file = tmp_path / "model.yaml"
    file.write_text(text, encoding="utf-8")
    return merge(INFERRED, read_declaration(file, over=INFERRED).model)


def orders(fields: str = "", more: str = "", name: str = "orders") -> str:
    return f"""\
name: shop
datasets:
  - name: {name}
    source: orders
    fields: [{fields}]
{more}"""


def field(name: str, sql: str, more: str = "") -> str:
    return (
        f"{{name: {name}, expression: {{dialects: [{{dialect: ANSI_SQL, expression: {sql}}}]}}"
        f"{more}}}"
    )


def test_a_file_that_was_written_and_not_edited_changes_nothing(tmp_path: Path) -> None:
    assert laid_over(tmp_path, write_model(INFERRED)) == INFERRED


def test_a_file_that_says_nothing_of_a_part_leaves_it_inferred(tmp_path: Path) -> None:
    assert laid_over(tmp_path, orders()) == INFERRED


def test_what_is_said_of_a_field_wins_and_the_rest_stays(tmp_path: Path) -> None:
    said = field("price", "price", ", ai_context: {synonyms: [cost]}, description: Before tax.")
    found = laid_over(tmp_path, orders(said)).datasets[0].find("price")
    update = {"words": ("cost",), "description": "Before tax.", "inferred": False}
    assert found == PRICE.model_copy(update=update)


def test_a_field_of_another_name_renames_it_everywhere(tmp_path: Path) -> None:
    model = laid_over(tmp_path, orders(field("unit_price", "PRICE"), name="purchases"))
    assert [each.name for each in model.datasets] == ["purchases", "customers"]
    found = model.datasets[0].find("unit_price")
    assert found == PRICE.model_copy(update={"name": "unit_price", "inferred": False})
    assert model.datasets[0].find("price") is None
    assert model.relationships == (BUYS.model_copy(update={"dataset": "purchases"}),)
    (metric,) = model.metrics
    assert metric.dataset == "purchases"
    assert metric.definition == Aggregate(
        function="sum", of=FieldRef(dataset="purchases", field="unit_price")
    )


def test_metrics_and_fields_may_name_what_only_the_data_have(tmp_path: Path) -> None:
    more = """\
metrics:
  - name: average
    expression: {dialects: [{dialect: ANSI_SQL, expression: '"total price" / SUM(orders.revenue)'}]}
"""
    model = laid_over(tmp_path, orders(field("revenue", "price * quantity"), more))
    revenue = model.datasets[0].find("revenue")
    assert revenue is not None
    price, quantity = (FieldRef(dataset="orders", field=each) for each in ("price", "quantity"))
    assert revenue.expression == Arithmetic(operator="*", left=price, right=quantity)
    made = FieldRef(dataset="orders", field="revenue")
    assert model.metrics[1].definition == Arithmetic(
        operator="/",
        left=MetricRef(metric="total price"),
        right=Aggregate(function="sum", of=made),
    )
    assert model.metrics[0] == TOTAL


def test_a_file_over_data_is_checked_before_the_data_are_known(tmp_path: Path) -> None:
    more = "metrics:\n  - " + field("m", "'SUM(orders.quantity) / \"total price\"'")
    file = tmp_path / "model.yaml"
    file.write_text(orders(field("price", "price"), more), encoding="utf-8")
    check_file(file)
    file.write_text(orders(field("price", "price"), more.replace("SUM(", "SUM((")), "utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        check_file(file)


def test_a_metric_of_the_same_name_is_the_one_of_the_file(tmp_path: Path) -> None:
    more = """\
metrics:
  - name: total price
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(orders.quantity)}]}
"""
    (metric,) = laid_over(tmp_path, orders(more=more)).metrics
    assert metric.definition == Aggregate(
        function="sum", of=FieldRef(dataset="orders", field="quantity")
    )
    assert not metric.inferred


def test_a_relationship_between_the_same_fields_is_the_same(tmp_path: Path) -> None:
    more = """\
  - {name: customers, source: customers}
relationships:
  - {name: buyer, from: orders, to: customers, from_columns: [customer], to_columns: [id]}
"""
    model = laid_over(tmp_path, orders(more=more))
    assert model.relationships == (BUYS.model_copy(update={"name": "buyer", "inferred": False}),)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (orders(name="x").replace("source: orders", "source: ordrs"), 4,
         ("no table 'ordrs'", "mean: orders")),
        (orders(field("price", "prise")), 5, ("no column of 'orders' 'prise'", "mean: price")),
        (orders(field("net", "prise * 2")), 5, ("no field of 'orders' 'prise'", "mean: price")),
        (orders().replace("source: orders", "source: orders\n    primary_key: [idd]"), 5,
         ("no column of 'orders' 'idd'", "mean: id")),
        (orders(more="metrics:\n  - " + field("m", "SUM(orders.quantty)")), 7,
         ("no field of 'orders' 'quantty'", "mean: quantity")),
    ],
)  # fmt: skip
def test_what_the_data_do_not_have_is_told_with_its_place(
    tmp_path: Path, text: str, line: int, said: tuple[str, ...]
) -> None:
    with pytest.raises(ConfigError) as caught:
        laid_over(tmp_path, text)
    for each in said:
        assert each in str(caught.value)
    place = caught.value.place
    assert place is not None
    assert (Path(place.origin).name, place.line) == ("model.yaml", line)


def test_a_model_of_other_data_is_refused_without_a_file_too() -> None:
    other = CUSTOMERS.model_copy(update={"name": "clients", "table": "custmers"})
    with pytest.raises(ConfigError, match="the data have no table 'custmers'") as caught:
        merge(INFERRED, SemanticModel(datasets=(other,)))
    assert caught.value.meant == "customers"


def test_dbt_is_laid_over_data_as_well(tmp_path: Path) -> None:
    file = tmp_path / "models.yml"
    file.write_text(
        """\
semantic_models:
  - name: orders
    model: ref('orders')
    entities: [{name: order, type: primary, expr: ID}]
    measures: [{name: items, agg: sum, expr: quantity, create_metric: true}]
""",
        encoding="utf-8",
    )
    declared = read_declaration(file, over=INFERRED).model
    model = merge(INFERRED, declared)
    assert model.datasets == INFERRED.datasets
    assert [each.name for each in model.metrics] == ["total price", "items"]
