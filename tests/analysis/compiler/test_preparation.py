"""A working table made step by step: in a database it is what the steps say, row by row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from flows.analysis.compiler import result_columns
from flows.analysis.compiler.preparation import compile_preparation
from flows.data.tables import Dialect
from flows.semantics.check import check
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.path import find_path
from flows.semantics.preparation import after_step, with_dataset
from flows.semantics.query import Aggregate, FieldRef, Query
from flows.semantics.request import Derive, Encode, Impute, Keep, Prepare, Split, Step
from tests.analysis.compiler.databases import (
    Execute,
    guarded,
    in_duckdb,
    in_sqlite,
    left_over,
    statements,
)
from tests.semantics.evaluation import Evaluation, result
from tests.semantics.random_requests import preparations
from tests.semantics.strategies import TODAY, Rows, models, tables

_PHASES = (Phase.explicit, Phase.generate)
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")
Row = dict[str, Any]


def worked(prepare: Prepare, evaluation: Evaluation) -> Evaluation:
    """The evaluation over the working table that the steps leave, each made plainly."""
    name = prepare.dataset
    for step in prepare.steps:
        after = after_step(step, name, evaluation.model).dataset(name)
        rows = made(step, name, evaluation)
        assert after is not None
        fields = tuple(
            each.model_copy(update={"column": each.name, "cleaning": (), "expression": None})
            for each in after.fields
        )
        plain = after.model_copy(update={"fields": fields, "totals": ()})
        model = with_dataset(evaluation.model, plain)
        there = {**evaluation.rows, name: rows}
        evaluation = Evaluation(model, there, evaluation.today, evaluation.fold)
    return evaluation


def made(step: Step, name: str, evaluation: Evaluation) -> list[Row]:
    dataset = evaluation.dataset(name)
    known = evaluation.table(name)
    rows = [{each.name: evaluation.cell(dataset, row, each.name) for each in dataset.fields}
            for _, row in known]  # fmt: skip
    match step:
        case Derive():
            for new, row in zip(rows, known, strict=True):
                paths = evaluation.paths((step.of,), name)
                joined = evaluation.join(name, row, paths)
                new[step.name] = evaluation.value(step.of, joined[0], name) if joined else None
        case Keep():
            return [new for new, row in zip(rows, known, strict=True)
                    if evaluation._holds(step.where, row, name)]  # fmt: skip
        case Impute():
            fill(step, rows)
        case Encode():
            field = dataset.find(step.field.field)
            assert field is not None
            encode(step, field, rows)
    return rows


def fill(step: Impute, rows: list[Row]) -> None:
    column = step.field.field
    values = sorted(row[column] for row in rows if row[column] is not None)
    if step.value is not None:
        other = step.value.value
    elif not values:
        other = None
    elif step.way == "most frequent":
        counts = Counter(values)
        other = min(values, key=lambda each: -counts[each])
    elif step.way == "mean":
        other = sum(values) / len(values)
    else:
        other = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    for row in rows:
        if row[column] is None:
            row[column] = other


def encode(step: Encode, field: SemanticField, rows: list[Row]) -> None:
    known = sorted({row[field.name] for row in rows if row[field.name] is not None})
    order = list(field.values) if field.ordered else known
    for row in rows:
        value = row[field.name]
        if step.way == "one-hot":
            row |= {f"{field.name}_{each}": int(value == each) for each in field.values}
        else:
            row[field.name] = order.index(value) + 1 if value in order else None


@st.composite
def cases(draw: st.DrawFn) -> tuple[SemanticModel, Rows, Prepare]:
    model = draw(models())
    prepare = draw(preparations(model).filter(lambda each: isinstance(each.then, Query)))
    return model, draw(tables(model)), prepare


def agree(model: SemanticModel, rows: Rows, prepare: Prepare, dialect: Dialect, execute: Execute
          ) -> None:  # fmt: skip
    assert isinstance(prepare.then, Query)
    assert check(prepare, model) == ()
    sql = compile_preparation(prepare, model, dialect, today=TODAY)
    note(sql)
    found = execute([*statements(model, rows, dialect), guarded(sql, model, dialect)])
    if prepare.then.rank is not None or any(isinstance(each, Split) for each in prepare.steps):
        return  # any of equal rows may be taken, any may be in either part
    small = str.lower if dialect == "duckdb" else str
    wanted = result(prepare.then, worked(prepare, Evaluation(model, rows, TODAY, small)))
    note(f"wanted: {wanted}")
    note(f"given: {found}")
    tolerance = 1e-6 if prepare.then.decimals is None else 1.01 * 10.0**-prepare.then.decimals
    assert len(found) == len(wanted)
    assert left_over(wanted, found, tolerance) == []


@pytest.mark.long("random tables, each computed in the sandbox")
@given(cases())
@settings(max_examples=60, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_duckdb_makes_the_table_as_the_steps_say(case: tuple[SemanticModel, Rows, Prepare]) -> None:
    agree(*case, "duckdb", in_duckdb)


@pytest.mark.long("random tables, each computed in the sandbox")
@given(cases())
@settings(max_examples=60, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_sqlite_makes_the_table_as_the_steps_say(case: tuple[SemanticModel, Rows, Prepare]) -> None:
    agree(*case, "sqlite", in_sqlite)


@pytest.mark.long("hundreds of requests made at random, in each dialect")
@given(cases())
@settings(max_examples=20, derandomize=True, phases=_PHASES, suppress_health_check=_SLOW)
def test_what_check_accepts_compiles_for_every_database(
    case: tuple[SemanticModel, Rows, Prepare],
) -> None:
    model, _, prepare = case
    for dialect in _DIALECTS:
        guarded(compile_preparation(prepare, model, dialect, today=TODAY), model, dialect)


SHOP = SemanticModel(datasets=(Dataset(
    name="orders", source="main", table="orders", noun="order", plural="orders", key=("id",),
    fields=(
        SemanticField(name="id", role="identifier", type="integer", column="id"),
        SemanticField(name="price", role="measure", type="real", column="price"),
    ),
),))  # fmt: skip


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize(("dialect", "execute"), [("duckdb", in_duckdb), ("sqlite", in_sqlite)])
def test_a_split_is_by_chance_and_always_the_same(dialect: Dialect, execute: Execute) -> None:
    rows: Rows = {"orders": [{"id": number, "price": 1.0} for number in range(1_000)]}
    by = FieldRef(dataset="orders", field="split")
    count = Query(dataset="orders", by=(by,), metrics=(Aggregate(function="count"),))
    seeds = {}
    for seed in (0, 1):
        each = FieldRef(dataset="orders", field="id")
        tested = Query(dataset="orders", show=(each, by))
        asked = Prepare(dataset="orders", steps=(Split(test=0.3, seed=seed),), then=count)
        parts: list[dict[Any, Any]] = [
            dict(execute([*statements(SHOP, rows, dialect), compile_preparation(
                asked.model_copy(update={"then": then}), SHOP, dialect)]))
            for then in (count, count, tested)
        ]  # fmt: skip
        assert parts[0] == parts[1]
        assert 250 < parts[0]["test"] < 350
        seeds[seed] = parts[2]
        assert result_columns(count, after_step(asked.steps[0], "orders", SHOP))[0] == "split"
    differing = sum(seeds[0][number] != seeds[1][number] for number in range(1_000))
    assert 300 < differing < 550


def test_a_name_that_is_taken_cannot_be_made_again() -> None:
    twice = Prepare(dataset="orders", steps=(Split(), Split(seed=1)), then=Query(dataset="orders"))
    assert [str(each) for each in check(twice, SHOP)] == [
        "steps[1]: orders has a field split already"
    ]


def test_ways_to_fill_are_checked_against_what_a_step_has_left() -> None:
    """A category that has become its place in an order is a number from then on."""
    orders = SHOP.datasets[0]
    kind = SemanticField(name="size", role="category", type="text", column="size")
    model = with_dataset(SHOP, orders.model_copy(update={"fields": (*orders.fields, kind)}))
    size = FieldRef(dataset="orders", field="size")
    mean = Query(dataset="orders", metrics=(Aggregate(function="average", of=size),))
    steps: tuple[Step, ...] = (Encode(field=size, way="ordinal"), Impute(field=size, way="mean"))
    assert check(Prepare(dataset="orders", steps=steps, then=mean), model) == ()
    assert check(Prepare(dataset="orders", steps=steps[1:], then=mean), model) != ()
    assert find_path(model, "orders", (), "orders") == ()
    hot = Prepare(dataset="orders", steps=(Encode(field=size),), then=mean)
    assert "the values of size are not known" in str(check(hot, model)[0])
