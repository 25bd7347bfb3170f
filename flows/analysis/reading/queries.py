"""A plan over tables as a query over the semantic model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from flows.analysis.linking.links import TIME
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.layout import Branch, fields_of, laid_out, steps, tables_of
from flows.analysis.reading.plan import (
    AnyOf,
    Condition,
    Derived,
    Field,
    Having,
    Measure,
    Order,
    Plan,
    Term,
    Value,
)
from flows.core.observation import Cell
from flows.semantics import query as q
from flows.semantics.model import Metric, SemanticModel
from flows.semantics.path import is_only
from flows.semantics.query import conjunction, conjuncts
from flows.semantics.row_values import NoRowHasIt, of_a_row
from flows.semantics.tree import changed


def query_of(plan: Plan, model: SemanticModel) -> q.Query:
    """The query that a plan stands for. Raises NoRowHasIt for a plan that takes a ratio of sums as
    a value of rows."""
    return _Writer(plan, model).query()


def row_tests(draft: Draft, model: SemanticModel) -> list[q.Predicate]:
    """What a draft over one table wants of its rows; all of it must hold. Raises NoRowHasIt."""
    table, filters = draft.schema.table, tuple(each for each in draft.filters if each.conditions)
    plan = Plan("rows", table.name, filters=filters)
    return list(conjuncts(query_of(plan, model).where))


class _Writer:
    """Writes the parts of one query. `ways` lead to the tables that its rows are joined with."""

    def __init__(self, plan: Plan, model: SemanticModel) -> None:
        self.model = model
        self.plan = plan
        self.plan = self._in_groups(self._with_figures(plan))
        self.ways: dict[str, tuple[str, ...]] = {plan.table: ()}
        for here, there, join in steps(plan.joins, plan.table):
            self.ways[there] = (*self.ways[here], join.name)

    def query(self) -> q.Query:
        plan = self.plan
        layout = laid_out(plan)
        tests = [*map(self.any_of, layout.own), *map(self.branch, layout.branches)]
        tests += self._narrow([name for _, name, _ in layout.joined])
        measures = [each for each in plan.select if isinstance(each, Measure)]
        ordered = [each.by for each in plan.order if isinstance(each.by, Measure)]
        grouped = bool(measures or plan.groups or ordered or plan.having)
        if plan.derived and plan.derived[0].other is not None:
            return self._difference(plan.derived[0].of, plan.derived[0].other, tests)
        by = tuple(map(self.field, plan.groups))
        metrics = tuple(map(self.measure, dict.fromkeys(measures)))
        shown = tuple(map(self.term, plan.select))
        order = tuple(map(self.order, plan.order))
        cut = plan.limit is not None
        return q.Query(
            dataset=plan.table,
            metrics=metrics if grouped else (),
            by=by,
            show=() if grouped and shown == (*by, *metrics) else shown,
            identity=tuple(cast(q.FieldRef, self.field(each)) for each in plan.apart),
            where=q.conjunction(tests),
            having=q.conjunction([self.having(each) for each in plan.having]),
            sort=() if cut else order,
            rank=q.Rank(by=order, n=plan.limit, skip=plan.offset) if plan.limit else None,
            transforms=tuple(map(self.derived, plan.derived)),
            combine=tuple(
                q.Combine(
                    operation=each.operation,
                    query=_Writer(each.plan, self.model).query(),
                )
                for each in plan.combined
            ),
            unique=plan.distinct,
            decimals=plan.decimals,
        )

    def _difference(self, of: Term, other: Plan, tests: Sequence[q.Predicate]) -> q.Query:
        """What is left of one value when that of another query is taken away."""
        where, left = conjunction(tests), self.term(of)
        less = _Writer(other, self.model).query()
        right: q.Expression = q.Scalar(query=less)
        whole = q.Query(dataset=self.plan.table, metrics=less.metrics, where=where)
        if isinstance(of, Measure) and len(less.metrics) == 1 and less == whole:
            right = less.metrics[0]
        made = (q.Arithmetic(operator="-", left=left, right=right),)
        if isinstance(of, Measure):
            return q.Query(dataset=self.plan.table, metrics=made, where=where)
        return q.Query(dataset=self.plan.table, show=made, where=where)

    def _narrow(self, joined: Sequence[str]) -> list[q.Predicate]:
        """That a row has rows of the joined tables of which no field is used."""
        plan = self.plan
        terms: list[Term] = [*plan.select, *plan.groups, *plan.apart]
        terms += [each.by for each in plan.order] + [each.measure for each in plan.having]
        used = {field.table for term in terms for field in fields_of(term)}
        used |= {name for each in plan.filters for name in tables_of(each)}
        on_the_way: set[tuple[str, ...]] = set()
        for name in used & self.ways.keys():
            way = self.ways[name]
            on_the_way |= {way[: n + 1] for n in range(len(way))}
        away = [name for name in joined if self.ways[name] not in on_the_way]
        ends = [name for name in away
                if not any(self.ways[other][:-1] == self.ways[name] for other in away)]  # fmt: skip
        return [q.Exists(dataset=name, via=self._via(name)) for name in ends]

    def _via(self, table: str) -> tuple[str, ...]:
        """The way to a table where it is not the only one."""
        way = self.ways.get(table, ())
        return way if way and not is_only(self.model, self.plan.table, way, table) else ()

    def field(self, field: Field) -> q.Expression:
        table = field.table or self.plan.table
        metric = self.metric(field)
        if metric is not None:
            if self.plan.joins:
                raise NoRowHasIt(f"{metric.name} of rows that are joined is not known")
            return of_a_row(metric)
        ref = q.FieldRef(dataset=table, field=field.column, via=self._via(table))
        if field.part == "number":
            return q.Cast(of=ref)
        return ref if field.part == "value" else q.Period(of=ref, grain=field.part)

    def metric(self, field: Field) -> Metric | None:
        """The metric that a column of the table stands for; None for a field."""
        dataset = self.model.dataset(field.table or self.plan.table)
        found = None if dataset and dataset.find(field.column) else self.model.metric(field.column)
        return found if found and dataset and found.dataset == dataset.name else None

    def measure(self, measure: Measure) -> q.Expression:
        metric = None if measure.field is None else self.metric(measure.field)
        if metric is not None and not measure.of:
            summed = isinstance(metric.definition, q.Aggregate)
            if measure.aggregation == "sum" or (measure.aggregation == "average" and not summed):
                return q.MetricRef(metric=metric.name)
        return q.Aggregate(
            function=measure.aggregation,
            of=None if measure.field is None else self.field(measure.field),
            where=q.conjunction([self.any_of(each) for each in measure.of]),
        )

    def term(self, term: Term) -> q.Expression:
        return self.field(term) if isinstance(term, Field) else self.measure(term)

    def order(self, order: Order) -> q.Order:
        by = self.term(order.by)
        if self.plan.groups and isinstance(order.by, Measure) and order.by not in self.plan.select:
            by = self._superlative(order.by, order.descending) or by
        return q.Order(by=by, descending=order.descending)

    def _with_figures(self, plan: Plan) -> Plan:
        """The plan with figures of groups in the place of metrics that no row has: the region with
        the lowest margin is not that of one row, and the margin in the north is one number. Of a
        metric that is asked for alone the figure is meant, and not what each row has of it."""
        tests = [each.conditions[0] for each in plan.filters if len(each.conditions) == 1]
        having = [each for each in tests if self._is_figure(each.field)]
        named = [*plan.select, *(each.by for each in plan.order)]
        parted = plan.groups or plan.order or plan.limit is not None or plan.every
        alone = bool(plan.select) and not parted
        if alone and not plan.joins and all(map(self._is_metric, plan.select)):
            figures = tuple(Measure("sum", cast(Field, each)) for each in plan.select)
            return replace(plan, kind="aggregate", select=figures, distinct=False)
        if plan.joins or not (having or any(map(self._is_figure, named))):
            return plan
        fields = [each for each in plan.select
                  if isinstance(each, Field) and not self._is_figure(each)]  # fmt: skip
        if any(map(self._is_measure, fields)):  # then rows are asked for, and not groups
            return plan
        return replace(
            plan,
            kind="aggregate",
            select=tuple(map(self._figure, plan.select)),
            groups=tuple(dict.fromkeys([*plan.groups, *fields])),
            filters=tuple(each for each in plan.filters if each.conditions[0] not in having),
            having=(*plan.having, *(Having(Measure("sum", each.field), each.comparison, each.values)
                                    for each in having)),
            order=tuple(replace(each, by=self._figure(each.by)) for each in plan.order),
            distinct=False,
        )  # fmt: skip

    def _is_measure(self, field: Field) -> bool:
        dataset = self.model.dataset(field.table or self.plan.table)
        found = dataset.find(field.column) if dataset else None
        return found is not None and found.role == "measure"

    def _is_metric(self, term: Term) -> bool:
        return isinstance(term, Field) and self.metric(term) is not None

    def _figure(self, term: Term) -> Term:
        is_figure = isinstance(term, Field) and self._is_figure(term)
        return Measure("sum", term) if is_figure and isinstance(term, Field) else term

    def _is_figure(self, term: Term) -> bool:
        """Whether a term is a metric that is no sum of what each row has."""
        metric = self.metric(term) if isinstance(term, Field) else None
        made = metric.definition if metric else None
        return made is not None and not (isinstance(made, q.Aggregate) and made.function == "sum")

    def _in_groups(self, plan: Plan) -> Plan:
        """The plan with groups of rows in the place of rows, where categories are put in the order
        of a figure that adds up: the region with the lowest revenue is not that of one row."""
        fields = [each for each in plan.select if isinstance(each, Field)]
        first = plan.order[0] if plan.order else None
        by = first.by if first is not None else None
        if (
            first is None or not isinstance(by, Field) or plan.limit is None or plan.groups
            or not fields or len(fields) < len(plan.select) or plan.joins or plan.derived
        ):  # fmt: skip
            return plan
        metric, dataset = self.metric(by), self.model.dataset(plan.table)
        roles = [dataset.find(each.column) if dataset else None for each in fields]
        kinds = all(each is not None and each.role in ("category", "place") for each in roles)
        if metric is None or metric.additive != "all" or not kinds:
            return plan
        order = replace(first, by=Measure("sum", by))
        return replace(plan, groups=tuple(fields), order=(order,), distinct=False)

    def _superlative(self, measure: Measure, descending: bool) -> q.Expression | None:
        """The figure of a group by which it is first: the group with the highest revenue is that
        with the most of it, where revenue adds up, and not that with the highest row."""
        metric = None if measure.field is None else self.metric(measure.field)
        extreme = measure.aggregation == ("maximum" if descending else "minimum")
        if metric is None or measure.of or not extreme or metric.additive != "all":
            return None
        return q.MetricRef(metric=metric.name)

    def derived(self, derived: Derived) -> q.Transform:
        return q.Transform(
            operation=derived.operation,
            of=self.term(derived.of),
            along=tuple(map(self.order, derived.order)),
            within=tuple(map(self.field, derived.within)),
        )

    def branch(self, branch: Branch) -> q.Predicate:
        """That a row has rows of other tables for which conditions hold."""
        inner = Plan("rows", branch.table, joins=tuple(join for _, _, join in branch.joined))
        writer = _Writer(inner, self.model)
        where = conjunction(
            [*map(writer.any_of, branch.filters), *writer.unfiltered(branch.filters)]
        )
        return q.Exists(dataset=branch.table, via=self._via(branch.table), where=where)

    def unfiltered(self, filters: Iterable[AnyOf]) -> list[q.Predicate]:
        """That rows of a branch have rows of its further tables, where no filter names these."""
        named = {name for each in filters for name in tables_of(each)}
        passed = {self.ways[name][:n] for name in named & self.ways.keys()
                  for n in range(1, len(self.ways[name]) + 1)}  # fmt: skip
        away = [name for name, way in self.ways.items() if way and way not in passed]
        ends = [n for n in away if not any(self.ways[o][:-1] == self.ways[n] for o in away)]
        return [q.Exists(dataset=name, via=self._via(name)) for name in ends]

    def any_of(self, any_of: AnyOf) -> q.Predicate:
        tests = tuple(self.condition(each) for each in any_of.conditions)
        return tests[0] if len(tests) == 1 else q.Or(of=tests)

    def condition(self, condition: Condition) -> q.Predicate:
        return self._test(self.field(condition.field), condition.comparison, condition.values)

    def having(self, having: Having) -> q.Predicate:
        return self._test(self.measure(having.measure), having.comparison, having.values)

    def value(self, value: Value) -> q.Expression:
        if isinstance(value, Field):
            return self.field(value)
        if isinstance(value, Plan):
            return q.Scalar(query=_Writer(value, self.model).query())
        return q.Constant(value=value)

    def _test(self, of: q.Expression, comparison: str, values: Sequence[Value]) -> q.Predicate:
        if comparison.startswith("not "):
            return q.Not(of=self._test(of, comparison[4:], values))
        if comparison in ("missing", "present"):
            test = q.Missing(of=of)
            return test if comparison == "missing" else q.Not(of=test)
        if comparison == "during":
            return changed(cast(q.Predicate, values[0]), lambda node: of if node == TIME else node)
        if comparison == "between":
            return q.Between(of=of, low=self.value(values[0]), high=self.value(values[1]))
        if comparison == "in" and isinstance(values[0], Plan):
            return q.Among(of=of, query=_Writer(values[0], self.model).query())
        if comparison == "in":
            return q.OneOf(of=of, values=tuple(cast(Cell, each) for each in values))
        if comparison in ("contains", "starts", "ends"):
            place = cast(q.Place, comparison)
            return q.Match(of=of, place=place, text=str(values[0]))
        operator = cast(q.Operator, comparison)
        return q.Comparison(left=of, operator=operator, right=self.value(values[0]))
