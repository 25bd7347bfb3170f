"""A semantic model as a file of Apache Ossie: nothing is lost on the way there and back, files of
others are read, and what a person wrote wrongly is told with its place."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from flows.errors import CheckError, ConfigError
from flows.semantics.formats import Declaration, read_declaration, read_model, write_model
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Arithmetic, Constant, FieldRef, MetricRef
from tests.semantics.formats.models import models
from tests.semantics.formats.ossie_schema import SCHEMA

EVERY = settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SHOP = """\
version: "0.2.0.dev0"
name: shop
datasets:
  - name: orders
    source: warehouse.public.orders
    primary_key: [order_id]
    description: One row per order.
    ai_context: {synonyms: [purchases], instructions: Ask for the year.}
    fields:
      - name: order_id
        expression: {dialects: [{dialect: ANSI_SQL, expression: order_id}]}
        datatype: Integer
      - name: customer_id
        expression: {dialects: [{dialect: ANSI_SQL, expression: customer_id}]}
        datatype: Integer
      - name: ordered
        expression: {dialects: [{dialect: ANSI_SQL, expression: order_date}]}
        datatype: Date
      - name: amount
        expression: {dialects: [{dialect: ANSI_SQL, expression: amount}]}
        datatype: Decimal
        ai_context:
          synonyms: [order value]
      - name: net
        expression: {dialects: [{dialect: ANSI_SQL, expression: amount * (1 - tax / 100.0)}]}
        datatype: Decimal
      - name: full_name
        expression: {dialects: [{dialect: ANSI_SQL, expression: "first || ' ' || last"}]}
        datatype: String
  - name: customers
    source: warehouse.public.customers
    primary_key: [id]
    fields:
      - name: id
        expression: {dialects: [{dialect: ANSI_SQL, expression: id}]}
      - name: region
        expression:
          dialects:
            - {dialect: MDX, expression: "[Customers].[Region]"}
            - {dialect: SNOWFLAKE, expression: REGION}
        dimension: {}
relationships:
  - name: orders_to_customers
    from: orders
    to: customers
    from_columns: [customer_id]
    to_columns: [id]
metrics:
  - name: revenue
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(orders.amount)}]}
    description: All that was paid.
  - name: value_of_customer
    expression:
      dialects: [{dialect: ANSI_SQL, expression: SUM(orders.amount) / COUNT(DISTINCT customers.id)}]
  - name: share
    expression: {dialects: [{dialect: ANSI_SQL, expression: revenue / order_count}]}
  - name: order_count
    expression: {dialects: [{dialect: ANSI_SQL, expression: COUNT(orders.order_id)}]}
  - name: ranked
    expression: {dialects: [{dialect: ANSI_SQL, expression: RANK() OVER (ORDER BY revenue)}]}
  - name: of_ranked
    expression: {dialects: [{dialect: ANSI_SQL, expression: ranked * 2}]}
  - name: elsewhere
    expression: {dialects: [{dialect: DAX, expression: "CALCULATE([Sales])"}]}
custom_extensions:
  - vendor_name: OTHER
    data: {warehouse: big}
"""
OURS = "{{warehouse: big}}\n  - {{vendor_name: ANALYST_FLOWS, data: {{{}}}}}"


def declared(tmp_path: Path, text: str, name: str = "model.yaml") -> Declaration:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_declaration(file)


@pytest.mark.long("forty random models, each written and read")
@given(model=models())
@EVERY
def test_a_model_that_was_written_is_read_as_it_was(model: SemanticModel, tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(write_model(model), encoding="utf-8")
    assert read_model(file) == model


@pytest.mark.long("forty random models, each written")
@given(model=models())
@EVERY
def test_what_is_written_is_valid_by_the_schema_of_the_format(model: SemanticModel) -> None:
    jsonschema.validate(yaml.safe_load(write_model(model)), SCHEMA)


def test_a_file_of_another_tool_is_read(tmp_path: Path) -> None:
    model = declared(tmp_path, SHOP).model
    orders, customers = model.datasets
    assert (orders.source, orders.table, orders.key) == (
        "warehouse.public",
        "orders",
        ("order_id",),
    )
    assert orders.words == ("purchases",)
    fields = {each.name: each for each in orders.fields}
    assert (fields["ordered"].column, fields["ordered"].role) == ("order_date", "time")
    assert (fields["order_id"].role, fields["amount"].role) == ("identifier", "measure")
    amount, tax = (FieldRef(dataset="orders", field=each) for each in ("amount", "tax"))
    part = Arithmetic(operator="/", left=tax, right=Constant(value=100.0))
    rest = Arithmetic(operator="-", left=Constant(value=1), right=part)
    assert fields["net"].expression == Arithmetic(operator="*", left=amount, right=rest)
    assert [(each.name, each.column) for each in customers.fields] == [
        ("id", "id"), ("region", "REGION"),
    ]  # fmt: skip
    assert not any(each.inferred for each in orders.fields)
    assert not any(each.inferred for each in model.relationships)
    assert not any(each.inferred for each in model.metrics)


def test_metrics_of_another_tool_are_over_the_rows_that_they_are_made_of(tmp_path: Path) -> None:
    metrics = {each.name: each for each in declared(tmp_path, SHOP).model.metrics}
    revenue = Aggregate(function="sum", of=FieldRef(dataset="orders", field="amount"))
    people = Aggregate(function="count distinct", of=FieldRef(dataset="customers", field="id"))
    value = metrics["value_of_customer"]
    assert (value.dataset, value.additive) == ("orders", "none")
    assert value.definition == Arithmetic(operator="/", left=revenue, right=people)
    assert metrics["order_count"].definition == Aggregate(function="count")
    assert metrics["share"].definition == Arithmetic(
        operator="/", left=MetricRef(metric="revenue"), right=MetricRef(metric="order_count")
    )


def test_a_figure_that_a_join_would_count_twice_is_of_the_rows_of_its_own_dataset(
    tmp_path: Path,
) -> None:
    both = "SUM(orders.amount) / SUM(customers.id)"
    text = SHOP.replace("SUM(orders.amount) / COUNT(DISTINCT customers.id)", both)
    metric = declared(tmp_path, text).model.metric("value_of_customer")
    assert metric is not None
    amount = FieldRef(dataset="orders", field="amount")
    assert metric.dataset == "customers"
    assert metric.definition == Arithmetic(
        operator="/",
        left=Aggregate(function="sum", of=amount, dataset="orders"),
        right=Aggregate(function="sum", of=FieldRef(dataset="customers", field="id")),
    )


def test_what_cannot_be_said_is_left_out_with_a_notice(tmp_path: Path) -> None:
    notices = {
        (SHOP.splitlines()[(each.place.line or 0) - 2].strip(), each.text.split(":")[0])
        for each in declared(tmp_path, SHOP).notices
    }
    assert notices == {
        ("- name: full_name", "the field orders.full_name is left out"),
        ("- name: ranked", "the metric ranked is left out"),
        ("- name: of_ranked", "the metric of_ranked is left out"),
        ("- name: elsewhere", "the metric elsewhere is left out"),
    }


def test_files_of_other_versions_are_read(tmp_path: Path) -> None:
    plain = yaml.safe_load(SHOP)
    model = declared(tmp_path, SHOP).model
    plain["custom_extensions"][0]["data"] = '{"warehouse": "big"}'
    plain.pop("version")
    listed = {"version": "0.1.1", "semantic_model": [plain], "vendors": ["OTHER"]}
    assert declared(tmp_path, json.dumps(listed, indent=1), "old.json").model == model


def test_an_edited_expression_counts_and_not_what_stood_there_before(tmp_path: Path) -> None:
    before = declared(tmp_path, SHOP).model
    metric = before.metrics[0].model_copy(
        update={"definition": Aggregate(function="share"), "dataset": "orders"}
    )
    text = write_model(before.model_copy(update={"metrics": (metric,)}))
    assert 'expression: "NULL"' in text
    assert declared(tmp_path, text).model.metrics == (metric,)
    edited = declared(tmp_path, text.replace('"NULL"', "AVG(orders.amount)")).model
    assert edited.metrics[0].definition == Aggregate(
        function="average", of=FieldRef(dataset="orders", field="amount")
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("SUM(orders.amount)}", "SUM(orders.amuont)}",
         ("no field of 'orders' 'amuont'", "did you mean: amount", "allowed: amount, ")),
        ("SUM(orders.amount)}", "SUM(order.amount)}", ("no dataset 'order'", "mean: orders")),
        ("revenue / order_count", "revenu / order_count",
         ("no field or metric 'revenu'", "did you mean: revenue")),
        ("SUM(orders.amount)}", "SUM(orders.amount}", ("this SQL expression cannot be read",)),
        ("SUM(orders.amount)}", "SELECT 1}", ("one SQL expression, not a statement",)),
        ("    to: customers", "    to: custmers", ("no dataset 'custmers'", "mean: customers")),
        ("    from_columns:", "    form_columns:", ("no key 'form_columns'", "from_columns")),
        ("    to_columns: [id]", "    to_columns: [id, region]", ("as many columns",)),
        ("datatype: Date\n", "datatype: Dat\n", ("'datatype' cannot be 'Dat'", "mean: date")),
        ("    primary_key: [id]", "    primary_key: id", ("'primary_key' must be a list",)),
        ("- name: order_id", "- nam: order_id", ("a field has no key 'nam'", "mean: name")),
        ("  - name: customers", "  - name: orders", ("a second dataset is called 'orders'",)),
        ("- name: ordered", "- name: order_id", ("a second field of 'orders'",)),
        ("- name: order_count", "- name: revenue", ("a second metric is called 'revenue'",)),
        ("dimension: {}", "dimension: {is_time: perhaps}", ("must be true or false",)),
        ('version: "0.2.0.dev0"', 'version: "2.0"', ("version 2.0", "allowed: 0.1, 0.2")),
        ("ranked * 2", "of_ranked * 2", ("made of itself: of_ranked of of_ranked",)),
        ("source: warehouse.public.customers", "source: select * from customers",
         ("a source is the name of a table",)),
        ("{warehouse: big}", OURS.format("calender: {}"),
         ("no key 'calender'", "did you mean: calendar")),
        ("{warehouse: big}", OURS.format("calendar: {today: never}"),
         ("'calendar'",)),
    ],
)  # fmt: skip
def test_every_fault_has_its_place(
    tmp_path: Path, before: str, after: str, said: tuple[str, ...]
) -> None:
    assert before in SHOP
    text = SHOP.replace(before, after, 1)
    with pytest.raises(ConfigError) as caught:
        declared(tmp_path, text)
    for each in said:
        assert each in str(caught.value)
    place = caught.value.place
    assert place is not None
    assert place.line is not None
    assert place.column is not None
    changed = text.splitlines()
    kept = SHOP.splitlines()
    pairs = enumerate(zip_longest(changed, kept))
    first = next(index for index, (line, other) in pairs if line != other)
    # A part that lacks a key, or is there twice, is told where it begins.
    assert abs(place.line - (first + 1)) <= 2


def test_several_faults_are_told_together(tmp_path: Path) -> None:
    text = SHOP.replace("SUM(orders.amount)}", "SUM(orders.amuont)}").replace(
        "COUNT(orders.order_id)", "COUNT(orders.oder_id)"
    )
    with pytest.raises(CheckError) as caught:
        declared(tmp_path, text)
    assert [each.meant for each in caught.value.errors] == ["amount", "order_id"]
