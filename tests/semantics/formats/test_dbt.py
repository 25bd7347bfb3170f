"""Semantic models and metrics of dbt, in its older and in its newer spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.errors import ConfigError
from flows.semantics.formats import Declaration, read_declaration, read_model
from flows.semantics.model import Conversion, Cumulative, SemanticModel
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Comparison,
    Constant,
    FieldRef,
    MetricRef,
    Missing,
    Not,
    Period,
)

OLDER = """\
version: 2
semantic_models:
  - name: transactions
    description: One row per transaction.
    model: ref('fct_transactions')
    defaults:
      agg_time_dimension: transaction_date
    entities:
      - name: transaction
        type: primary
        expr: transaction_id
      - name: customer
        type: foreign
        expr: customer_id
    dimensions:
      - name: transaction_date
        type: time
        label: Date of transaction
        type_params:
          time_granularity: day
      - name: country
        type: categorical
        expr: order_country
      - name: month
        type: time
        expr: date_trunc('month', ts)
        type_params: {time_granularity: month}
      - name: is_bulk
        type: categorical
        expr: case when quantity > 10 then true else false end
    measures:
      - name: amount
        description: What was paid.
        agg: sum
        create_metric: true
      - {name: transactions, agg: count, expr: 1}
      - {name: buyers, agg: count_distinct, expr: customer_id}
      - {name: p99, agg: percentile, expr: amount, agg_params: {percentile: 0.99}}
      - {name: quick, agg: sum_boolean, expr: is_quick}
      - {name: valid, agg: sum, expr: case when is_valid = True then amount else 0 end}
      - name: balance
        agg: sum
        non_additive_dimension: {name: transaction_date, window_choice: max}
  - name: customers
    model: "{{ ref('shop', 'dim_customers') }}"
    entities:
      - {name: customer, type: primary, expr: id}
    dimensions:
      - {name: tier, type: categorical}
metrics:
  - name: transactions
    type: simple
    label: All transactions
    type_params: {measure: transactions}
  - name: enterprise
    type: simple
    label: Enterprise
    type_params:
      measure: {name: transactions, filter: "{{ Dimension('customer__tier') }} = 'enterprise'"}
    filter: |
      {{ Dimension('transaction__country') }} = 'MX' and {{ Entity('customer') }} is not null
      and {{ TimeDimension('transaction__transaction_date', 'month') }} >= '2024-01-01'
  - name: average_amount
    type: ratio
    type_params: {numerator: amount, denominator: transactions}
  - name: mexican_share
    type: ratio
    type_params:
      numerator: {name: amount, filter: "{{ Dimension('transaction__country') }} = 'MX'"}
      denominator: amount
  - name: per_buyer
    type: derived
    type_params:
      expr: paid / nullif(people, 0) * 100
      metrics:
        - {name: amount, alias: paid}
        - {name: buyers_metric, alias: people}
  - {name: buyers_metric, type: simple, type_params: {measure: {name: buyers}}}
  - name: amount_to_date
    type: cumulative
    type_params:
      measure: {name: amount}
      cumulative_type_params: {grain_to_date: month}
  - name: last_week
    type: cumulative
    type_params: {measure: amount, window: 7 days}
  - name: growth
    type: derived
    type_params:
      expr: amount - amount_before
      metrics: [{name: amount}, {name: amount, alias: amount_before, offset_window: 1 month}]
  - name: of_growth
    type: derived
    type_params: {expr: growth * 2, metrics: [growth]}
"""

NEWER = """\
models:
  - name: plain_model
    columns: [{name: id, data_tests: [unique]}]
  - name: visits
    description: Visits of the site.
    semantic_model:
      enabled: true
      name: site_visits
    agg_time_dimension: visited_at
    columns:
      - name: visit_id
        entity: {type: primary, name: visit}
      - name: user_id
        entity: {type: foreign, name: user}
      - name: visited_at
        granularity: hour
        dimension: {type: time}
      - name: referrer
        description: Where from
        dimension: categorical
    metrics:
      - {name: visits, type: simple, agg: count, expr: 1}
      - name: p95
        type: simple
        agg: percentile
        expr: seconds
        percentile: 95.0
  - name: buys
    semantic_model: true
    columns:
      - {name: buy_id, entity: {type: primary, name: buy}}
      - {name: user_id, entity: {type: foreign, name: user}}
    metrics:
      - {name: buys, type: simple, agg: count, expr: 1}
  - name: users
    semantic_model: {enabled: true}
    derived_semantics:
      dimensions:
        - {name: year, type: time, granularity: year, expr: "extract(year from joined)"}
    columns:
      - {name: user_id, entity: {type: primary, name: user}}
metrics:
  - name: conversion
    type: conversion
    entity: user
    calculation: conversion_rate
    base_metric: visits
    conversion_metric: {name: buys}
    window: 1 week
  - {name: buys_per_visit, type: ratio, numerator: buys, denominator: visits}
  - {name: visits_so_far, type: cumulative, input_metric: visits}
  - name: net
    type: derived
    expr: visits - bought
    input_metrics: [visits, {name: buys, alias: bought}]
"""


def declared(tmp_path: Path, text: str) -> Declaration:
    file = tmp_path / "models.yml"
    file.write_text(text, encoding="utf-8")
    return read_declaration(file)


@pytest.fixture
def older(tmp_path: Path) -> SemanticModel:
    return declared(tmp_path, OLDER).model


@pytest.fixture
def newer(tmp_path: Path) -> SemanticModel:
    return declared(tmp_path, NEWER).model


def definition(model: SemanticModel, name: str) -> object:
    found = model.metric(name)
    assert found is not None
    return found.definition


def of(field: str, dataset: str = "transactions") -> FieldRef:
    return FieldRef(dataset=dataset, field=field)


AMOUNT = Aggregate(function="sum", of=of("amount"))


def test_a_semantic_model_is_a_dataset_with_its_keys(older: SemanticModel) -> None:
    dataset = older.dataset("transactions")
    assert dataset is not None
    assert (dataset.table, dataset.key, dataset.time) == (
        "fct_transactions", ("transaction_id",), "transaction_date",
    )  # fmt: skip
    assert dataset.description == "One row per transaction."
    customers = older.dataset("customers")
    assert customers is not None
    assert (customers.table, customers.key) == ("dim_customers", ("id",))


def test_dimensions_are_fields_over_their_columns(older: SemanticModel) -> None:
    dataset = older.dataset("transactions")
    assert dataset is not None
    fields = {each.name: each for each in dataset.fields}
    assert (fields["country"].column, fields["country"].role) == ("order_country", "category")
    date = fields["transaction_date"]
    assert (date.role, date.type, date.words) == ("time", "date", ("Date of transaction",))
    assert fields["month"].expression == Period(of=of("ts"), grain="month")


def test_entities_of_one_name_connect_datasets(older: SemanticModel) -> None:
    (one,) = older.relationships
    assert (one.dataset, one.fields, one.to, one.to_fields, one.single, one.role) == (
        "transactions", ("customer_id",), "customers", ("id",), False, "customer",
    )  # fmt: skip


def test_measures_become_figures(older: SemanticModel) -> None:
    assert definition(older, "amount") == AMOUNT
    assert definition(older, "transactions") == Aggregate(function="count")
    assert definition(older, "buyers_metric") == Aggregate(
        function="count distinct", of=of("customer_id")
    )
    metric = older.metric("transactions")
    assert metric is not None
    assert (metric.dataset, metric.additive, metric.words) == (
        "transactions", "all", ("All transactions",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "figure", "additive"),
    [
        ("p99", Aggregate(function="percentile", of=of("amount"), at=99), "none"),
        (
            "quick",
            Aggregate(
                function="count",
                where=Comparison(left=of("is_quick"), operator="=", right=Constant(value=True)),
            ),
            "all",
        ),
        (
            "valid",
            AMOUNT.model_copy(
                update={
                    "where": Comparison(
                        left=of("is_valid"), operator="=", right=Constant(value=True)
                    )
                }
            ),
            "all",
        ),
        ("balance", Aggregate(function="sum", of=of("balance")), "not over time"),
    ],
)
def test_a_metric_is_what_its_measure_says(
    tmp_path: Path, measure: str, figure: Aggregate, additive: str
) -> None:
    more = f"  - {{name: asked, type: simple, type_params: {{measure: {measure}}}}}\n"
    metric = declared(tmp_path, OLDER + more).model.metric("asked")
    assert metric is not None
    assert (metric.definition, metric.additive) == (figure, additive)


def test_filters_are_conditions_on_the_rows_of_a_figure(older: SemanticModel) -> None:
    tier = Comparison(
        left=of("tier", "customers"), operator="=", right=Constant(value="enterprise")
    )
    country = Comparison(left=of("country"), operator="=", right=Constant(value="MX"))
    known = Not(of=Missing(of=of("customer_id")))
    later = Comparison(
        left=Period(of=of("transaction_date"), grain="month"),
        operator=">=",
        right=Constant(value="2024-01-01"),
    )
    both = And(of=(tier, And(of=(country, known, later))))
    assert definition(older, "enterprise") == Aggregate(function="count", where=both)


def test_ratios_and_derived_metrics_are_made_of_metrics(older: SemanticModel) -> None:
    amount, people = MetricRef(metric="amount"), MetricRef(metric="buyers_metric")
    assert definition(older, "average_amount") == Arithmetic(
        operator="/", left=amount, right=MetricRef(metric="transactions")
    )
    assert definition(older, "per_buyer") == Arithmetic(
        operator="*",
        left=Arithmetic(operator="/", left=amount, right=people),
        right=Constant(value=100),
    )
    country = Comparison(left=of("country"), operator="=", right=Constant(value="MX"))
    assert definition(older, "mexican_share") == Arithmetic(
        operator="/", left=AMOUNT.model_copy(update={"where": country}), right=amount
    )


def test_cumulative_metrics_have_a_window_or_begin_with_a_period(older: SemanticModel) -> None:
    assert definition(older, "amount_to_date") == Cumulative(metric="amount", grain="month")
    assert definition(older, "last_week") == Cumulative(metric="amount", grain="day", window=7)


def test_what_cannot_be_said_is_left_out_with_its_place_and_the_rest_works(tmp_path: Path) -> None:
    held = declared(tmp_path, OLDER)
    texts = {(each.place.line, each.text.split(" is left out")[0]) for each in held.notices}
    line = {text: number for number, text in enumerate(OLDER.splitlines(), start=1)}
    assert texts == {
        (line["      - name: is_bulk"], "the dimension is_bulk of transactions"),
        (line["  - name: growth"], "the metric growth"),
        (line["  - name: of_growth"], "the metric of_growth"),
    }
    assert held.model.metric("growth") is None


def test_the_newer_spec_has_all_of_it_in_the_model(newer: SemanticModel) -> None:
    assert [each.name for each in newer.datasets] == ["site_visits", "buys", "users"]
    visits = newer.dataset("site_visits")
    assert visits is not None
    assert (visits.table, visits.key, visits.time) == ("visits", ("visit_id",), "visited_at")
    fields = {each.name: each for each in visits.fields}
    assert (fields["visited_at"].type, fields["referrer"].description) == (
        "timestamp", "Where from",
    )  # fmt: skip
    assert {(each.dataset, each.to) for each in newer.relationships} == {
        ("site_visits", "users"), ("buys", "users"),
    }  # fmt: skip


def test_metrics_of_the_newer_spec(newer: SemanticModel) -> None:
    assert definition(newer, "visits") == Aggregate(function="count")
    assert definition(newer, "p95") == Aggregate(
        function="percentile", of=of("seconds", "site_visits"), at=95
    )
    assert definition(newer, "conversion") == Conversion(
        base="visits", converted="buys", entity="user_id", days=7
    )
    assert definition(newer, "visits_so_far") == Cumulative(metric="visits")
    visits, buys = MetricRef(metric="visits"), MetricRef(metric="buys")
    assert definition(newer, "buys_per_visit") == Arithmetic(operator="/", left=buys, right=visits)
    assert definition(newer, "net") == Arithmetic(operator="-", left=visits, right=buys)


def test_a_project_is_a_folder_of_files(tmp_path: Path, newer: SemanticModel) -> None:
    project = tmp_path / "project"
    (project / "models" / "marts").mkdir(parents=True)
    (project / "target").mkdir()
    (project / "dbt_project.yml").write_text("name: shop\n", encoding="utf-8")
    models, metrics = NEWER.split("metrics:\n  - name: conversion")
    (project / "models" / "a.yml").write_text(
        "metrics:\n  - name: conversion" + metrics, encoding="utf-8"
    )
    (project / "models" / "marts" / "b.yaml").write_text(models, encoding="utf-8")
    (project / "target" / "old.yml").write_text(models, encoding="utf-8")
    read = read_model(project)
    assert set(read.metrics) == set(newer.metrics)
    assert (read.datasets, read.relationships) == (newer.datasets, newer.relationships)


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("agg: sum\n", "agg: summ\n", "agg: summ", ("'agg' cannot be 'summ'", "did you mean: sum")),
        ("type: foreign", "type: foreing", "foreing", ("did you mean: foreign",)),
        ("description: What", "descripton: What", "descripton", ("no key 'descripton'",)),
        ("measure: transactions}", "measure: transactons}", "transactons}",
         ("no measure or metric 'transactons'", "did you mean: transactions")),
        ("denominator: transactions}", "denominator: transction}", "transction}",
         ("did you mean: transactions",)),
        ("expr: paid /", "expr: payed /", "payed /", ("did you mean: paid",)),
        ("expr: paid /", "expr: paid / /", "/ /", ("this SQL expression cannot be read",)),
        ("customer__tier", "customer__tear", "tear", ("no dimension of 'customers'", "tier")),
        ("customer__tier", "custmer__tier", "custmer", ("did you mean: customer",)),
        ("Dimension('customer__tier')", "Dimensio('customer__tier')", "Dimensio(",
         ("did you mean: Dimension",)),
        ("Dimension('customer__tier')", "__import__('os')", "__import__", ("allowed: Dimension",)),
        ("model: ref('fct_transactions')", "model: fct_transactions", "model: fct_tr",
         ("ref('name of a model')",)),
        ("window: 7 days", "window: seven days", "seven", ("a window is a number and days",)),
        ("  - name: growth", "  - name: last_week", "- name: last_week", ("a second metric",)),
        ("  - name: customers", "  - name: transactions", "- name: transactions",
         ("a second semantic model",)),
        ("agg_time_dimension: transaction_date", "agg_time_dimension: transaction_dat",
         "- name: transactions", ("did you mean: transaction_date",)),
        ("expr: growth * 2, metrics: [growth]", "expr: of_growth, metrics: [of_growth]", "",
         ("a metric is made of itself: of_growth of of_growth",)),
    ],
)  # fmt: skip
def test_every_fault_has_its_place(
    tmp_path: Path, before: str, after: str, line: str, said: tuple[str, ...]
) -> None:
    assert before in OLDER
    with pytest.raises(ConfigError) as caught:
        declared(tmp_path, OLDER.replace(before, after))
    text = str(caught.value)
    for each in said:
        assert each in text
    place = caught.value.place
    assert place is not None
    assert place.line is not None
    if line:
        lines = OLDER.replace(before, after).splitlines()
        near = "\n".join(lines[place.line - 1 : place.line + 2])
        assert line in near


def test_a_folder_without_semantics_says_so(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no YAML file in it"):
        read_model(tmp_path)


def test_a_measure_may_have_the_name_of_a_metric_that_sums_it_up(tmp_path: Path) -> None:
    text = OLDER.replace("measure: amount, window", "measure: valid, window").replace(
        "name: last_week", "name: valid"
    )
    model = declared(tmp_path, text).model
    assert definition(model, "valid") == Cumulative(metric="valid measure", grain="day", window=7)
    assert model.metric("valid measure") is not None
