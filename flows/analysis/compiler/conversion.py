"""The share of entities that come up in another dataset later."""

from __future__ import annotations

from sqlglot import exp

from flows.analysis.compiler.functions import day, days_between, number, percent
from flows.analysis.compiler.rows import Rows
from flows.analysis.compiler.template import both, wrap
from flows.semantics.event import Events, find_events
from flows.semantics.model import Conversion
from flows.semantics.query import Predicate


def conversion(made: Conversion, rows: Rows, scopes: tuple[Predicate, ...]) -> exp.Expr:
    """The percentage of the entities of the rows (in all scopes) that have a later event."""
    entity = rows.field((), made.entity)
    where = _events(made.base, rows).where
    scoped = [rows.test(each) for each in (*scopes, *([where] if where is not None else []))]
    hit = _count([*scoped, _later(made, rows)], entity)
    everyone = _count([each.copy() for each in scoped], entity.copy())
    return percent(hit, everyone, rows.setting.dialect)


def _events(metric: str, rows: Rows) -> Events:
    found = find_events(metric, rows.setting.model)
    assert found is not None, f"the request was not checked: {metric} is of no events"
    return found


def _count(tests: list[exp.Expr], entity: exp.Expr) -> exp.Expr:
    value = exp.Case(ifs=[exp.If(this=both(tests), true=entity)]) if tests else entity
    return exp.Count(this=exp.Distinct(expressions=[value]))


def _later(made: Conversion, rows: Rows) -> exp.Expr:
    """That the entity of a row has an event in the other dataset, not before it."""
    setting = rows.setting
    base, converted = (_events(each, rows) for each in (made.base, made.converted))
    events = Rows(setting, converted.dataset.name, taken=rows.taken)
    if converted.where is not None:
        events.tests.append(events.test(converted.where))
    same = exp.EQ(
        this=wrap(events.field((), made.entity)), expression=wrap(rows.field((), made.entity))
    )
    ends = [base.dataset, converted.dataset]
    kinds = [setting.field(each.name, each.time).type for each in ends]
    first, then = rows.field((), ends[0].time), events.field((), ends[1].time)
    if kinds[0] != kinds[1]:
        first, then = (
            each if kind == "date" else day(each, setting.dialect)
            for each, kind in zip((first, then), kinds, strict=True)
        )
    events.tests += [same, exp.GTE(this=wrap(then), expression=wrap(first))]
    if made.days:
        moments = kinds[0] == kinds[1] == "timestamp"
        passed = days_between(first.copy(), then.copy(), setting.dialect, moments=moments)
        limit = number(made.days, setting.dialect)
        events.tests.append(exp.LTE(this=wrap(passed), expression=limit))
    return exp.Exists(this=events.select(exp.Literal.number(1)))
