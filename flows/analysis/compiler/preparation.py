"""A working table in SQL: a SELECT for each step, over what the step before has left."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from flows.analysis.compiler import query_tree, setting_for
from flows.analysis.compiler.brevity import shorten
from flows.analysis.compiler.expressions import literal
from flows.analysis.compiler.rows import Rows, named
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.template import fill, name
from flows.analysis.compiler.windows import ordered, window
from flows.data.sql.writing import write
from flows.data.tables import Dialect
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.path import find_path
from flows.semantics.preparation import (
    CHANCE,
    LEARN,
    MODULUS,
    SPLIT,
    TEST,
    after_step,
    one_hot_name,
    with_dataset,
)
from flows.semantics.query import Aggregate, FieldRef, Missing, Not, Order, Query, Rank
from flows.semantics.request import Derive, Encode, Impute, Keep, Prepare, Split, Step


def compile_preparation(
    prepare: Prepare, model: SemanticModel, dialect: Dialect, *, today: date | None = None
) -> str:
    """The SQL text of a preparation that `check` accepts and whose `then` is a query."""
    assert isinstance(prepare.then, Query)
    steps: list[tuple[str, exp.Select]] = []
    for step in prepare.steps:
        setting = setting_for(model, dialect, today=today)
        table = _free_name(model, len(steps) + 1)
        stage = _stage(step, prepare.dataset, setting)
        shorten(stage, model)
        steps.append((table, stage))
        model = _located(prepare.dataset, table, after_step(step, prepare.dataset, model))
    tree = query_tree(prepare.then, model, dialect, today=today)
    for table, made in steps:
        tree = tree.with_(name(table), as_=made, copy=False)
    return write(tree, dialect)


def _free_name(model: SemanticModel, number: int) -> str:
    taken = {each.table.casefold() for each in model.datasets}
    found = f"prepared_{number}"
    while found in taken:
        found += "_"
    return found


def _located(dataset: str, table: str, model: SemanticModel) -> SemanticModel:
    """The model with the dataset as it stands in a table that a step has made."""
    found = model.dataset(dataset)
    assert found is not None
    plain: dict[str, object] = {"cleaning": (), "expression": None}
    fields = tuple(each.model_copy(update={**plain, "column": each.name}) for each in found.fields)
    made = {"table": table, "fields": fields, "totals": ()}
    return with_dataset(model, found.model_copy(update=made))


def _stage(step: Step, dataset: str, setting: StatementContext) -> exp.Select:
    """The rows that a step leaves, with all their columns."""
    known, rows = setting.dataset(dataset), Rows(setting, dataset)
    rows.join(FieldRef(dataset=dataset, field=each.name) for each in known.fields)
    values = {each.name: rows.field((), each.name) for each in known.fields}
    match step:
        case Derive():
            for ref in named((step.of,), dataset, setting):
                if path := find_path(setting.model, dataset, ref.via, ref.dataset):
                    rows.join_outer(path)  # a row without a partner there stays
            rows.join((step.of,))
            values[step.name] = rows.write(step.of)
        case Keep():
            rows.join((step.where,))
            rows.tests.append(rows.test(step.where))
        case Impute():
            values[step.field.field] = _filled(step, values[step.field.field], setting)
        case Encode():
            values |= _encoded(step, setting.field(dataset, step.field.field), values, setting)
        case Split():
            values[SPLIT] = _part(step, known, values, setting.dialect)
    return rows.select(*(exp.alias_(value, name(each), copy=False)
                         for each, value in values.items()))  # fmt: skip


def _filled(step: Impute, value: exp.Expr, setting: StatementContext) -> exp.Expr:
    """A column with a value wherever there is none."""
    if step.value is not None:
        kind = setting.field(step.field.dataset, step.field.field).type
        other = literal(step.value.value, kind, setting)
    else:
        other = setting.compile(_filling(step)).subquery(copy=False)
    return exp.Coalesce(this=value, expressions=[other])


def _filling(step: Impute) -> Query:
    """The one value that missing ones are filled with."""
    field = step.field
    if step.way == "most frequent":
        count = Order(by=Aggregate(function="count"), descending=True)
        return Query(dataset=field.dataset, by=(field,), show=(field,), where=Not(of=Missing(
            of=field)), rank=Rank(by=(count, Order(by=field)), n=1))  # fmt: skip
    function = Aggregate(function="average" if step.way == "mean" else "median", of=field)
    return Query(dataset=field.dataset, metrics=(function,))


def _encoded(
    step: Encode, field: SemanticField, values: dict[str, exp.Expr], setting: StatementContext
) -> dict[str, exp.Expr]:
    """The columns that categories become."""
    value = values[field.name]
    if step.way == "one-hot":
        return {one_hot_name(step, each): fill("CASE WHEN _x = _value THEN 1 ELSE 0 END",
                setting.dialect, x=value, value=literal(_read(each, field), field.type, setting))
                for each in field.values}  # fmt: skip
    if field.ordered:
        ways = [exp.If(this=literal(_read(each, field), field.type, setting),
                       true=exp.Literal.number(place))
                for place, each in enumerate(field.values, 1)]  # fmt: skip
        return {field.name: exp.Case(this=value, ifs=ways)}
    place = window(exp.DenseRank(), [], ordered(value.copy(), setting.dialect))
    known = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
    return {field.name: exp.Case(ifs=[exp.If(this=known, true=place)])}


def _read(value: str, field: SemanticField) -> str | int | float | bool:
    """A known value as the column holds it."""
    if field.type == "integer":
        return int(value)
    if field.type == "real":
        return float(value)
    return value.casefold() == "true" if field.type == "boolean" else value


def _part(step: Split, dataset: Dataset, values: dict[str, exp.Expr], dialect: Dialect) -> exp.Expr:
    """The part that a row is in, by chance, and the same whenever it is asked."""
    by = dataset.key or tuple(each.name for each in dataset.fields)
    order = [part for each in by for part in ordered(values[each].copy(), dialect)]
    number = window(exp.RowNumber(), [], order)
    seed = exp.Literal.number(step.seed % MODULUS)
    chance = fill(CHANCE.format(n="_n", seed="_seed"), dialect, n=number, seed=seed)
    most = exp.Literal.number(round(step.test * MODULUS))
    return fill(
        f"CASE WHEN (_chance) % {MODULUS} < _most THEN '{TEST}' ELSE '{LEARN}' END",
        dialect, chance=chance, most=most,
    )  # fmt: skip
