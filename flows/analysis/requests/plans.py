"""A query over the semantic model as a plan over tables, as far as plans go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from flows.analysis.plan import (
    Aggregation,
    AnyOf,
    Combined,
    Comparison,
    Condition,
    Derived,
    Field,
    Having,
    Joined,
    Kind,
    Measure,
    Order,
    Part,
    Plan,
    Term,
    Value,
)
from flows.analysis.requests.paths import Path, Paths
from flows.analysis.requests.queries import FUNCTIONS, GRAINS
from flows.data.tables import Table
from flows.semantics import query as q
from flows.semantics.model import SemanticModel

AGGREGATIONS: Final = {function: cast(Aggregation, name) for name, function in FUNCTIONS.items()}
PARTS: Final = {grain: cast(Part, part) for part, grain in GRAINS.items()}
_DENIED: Final = frozenset(["between", "in", "contains", "starts", "ends"])


class BeyondPlans(Exception):
    """A query asks for something that plans cannot say."""


def plan_of(
    query: q.Query, model: SemanticModel, tables: Sequence[Table], *, trend: bool = False
) -> Plan:
    """The plan of a query; `trend` tells its groups as points in time. Raises BeyondPlans."""
    return _plan(query, Paths(model), {each.name: each for each in tables}, trend=trend)


def _plan(
    query: q.Query, paths: Paths, tables: Mapping[str, Table], *, trend: bool = False
) -> Plan:
    planner = _Planner(query, paths, tables, named=True)
    found = planner.plan(trend=trend)
    if found.joins:
        return found
    return _Planner(query, paths, tables, named=False).plan(trend=trend)


class _Planner:
    """Makes the parts of one plan, and gathers the joins that its fields need. Its fields are
    `named` with their tables where there are several."""

    def __init__(
        self, query: q.Query, paths: Paths, tables: Mapping[str, Table], *, named: bool
    ) -> None:
        self.query = query
        self.paths = paths
        self.tables = tables
        self.named = named
        self.joins: dict[Joined, None] = {}

    def plan(self, *, trend: bool = False) -> Plan:
        query, table = self.query, self.tables.get(self.query.dataset)
        if table is None:
            raise BeyondPlans(f"there is no table {query.dataset}")
        if query.compare is not None:
            raise BeyondPlans("two scopes side by side")
        rank = query.rank or q.Rank(n=1)
        if rank.ties or rank.within:
            raise BeyondPlans("a rank with ties or within groups")
        grouped: Kind = "aggregate" if query.by or query.metrics else "rows"
        made = Plan(
            kind="trend" if trend else grouped,
            source=table.source,
            table=table.name,
            dialect=table.dialect,
            select=tuple(map(self.term, query.show or (*query.by, *query.metrics))),
            groups=tuple(map(self.field, query.by)),
            filters=tuple(self.filters(query.where, query.dataset, ())),
            having=tuple(map(self.having, q.conjuncts(query.having))),
            order=tuple(map(self.order, rank.by if query.rank else query.sort)),
            limit=rank.n if query.rank else None,
            offset=rank.skip,
            distinct=query.unique,
            apart=tuple(map(self.field, query.identity)),
            combined=tuple(Combined(each.operation, self.inner(each.query))
                           for each in query.combine),
            decimals=query.decimals,
            derived=tuple(map(self.derived, query.transforms)),
        )  # fmt: skip
        proof = made.limit is not None and not made.derived and not made.combined
        evidence = tuple(each.by for each in made.order if each.by not in made.select)
        return replace(made, joins=tuple(self.joins), evidence=evidence if proof else ())

    def inner(self, query: q.Query) -> Plan:
        return _plan(query, self.paths, self.tables)

    def reach(self, start: str, dataset: str, via: Path) -> Path:
        """The way to a dataset from another; its joins become joins of the plan."""
        way = via or self.paths.only(start, dataset)
        if way is None:
            raise BeyondPlans(f"there are several ways from {start} to {dataset}, or none")
        self.joins.update(dict.fromkeys(self.paths.joins(start, way)))
        return way

    def field(self, of: q.Expression, home: str = "") -> Field:
        if isinstance(of, q.Cast):
            return replace(self.field(of.of, home), part="number")
        if isinstance(of, q.Period) and of.grain in PARTS:
            return replace(self.field(of.of, home), part=PARTS[of.grain])
        if not isinstance(of, q.FieldRef):
            raise BeyondPlans(f"a column that is computed: {of.kind}")
        self.reach(home or self.query.dataset, of.dataset, of.via)
        return Field(of.field, table=of.dataset if self.named else "")

    def measure(self, of: q.Expression, home: str = "") -> Measure:
        if isinstance(of, q.MetricRef):
            return Measure("sum", Field(of.metric))
        if not isinstance(of, q.Aggregate) or of.dataset or of.function not in AGGREGATIONS:
            raise BeyondPlans(f"a figure that is computed: {of.kind}")
        if of.where is not None and of.function != "share":
            raise BeyondPlans("a figure of some rows")
        field = None if of.of is None else self.field(of.of, home)
        tests = tuple(self.filters(of.where, home or self.query.dataset, ()))
        return Measure(AGGREGATIONS[of.function], field, tests)

    def term(self, of: q.Expression, home: str = "") -> Term:
        figure = isinstance(of, q.Aggregate | q.MetricRef)
        return self.measure(of, home) if figure else self.field(of, home)

    def order(self, order: q.Order) -> Order:
        return Order(self.term(order.by), order.descending)

    def having(self, test: q.Predicate) -> Having:
        made = self.condition(test, self.query.dataset)
        if not isinstance(made, Having):
            raise BeyondPlans("a condition on groups that is about rows")
        return made

    def derived(self, made: q.Transform) -> Derived:
        if made.operation == "moving" or made.operation == "index" or made.n != 1:
            raise BeyondPlans(f"a column that is computed: {made.operation}")
        base = made.base
        if base is not None and not isinstance(base, q.Scalar):
            raise BeyondPlans("a difference to what is not one figure")
        return Derived(
            made.operation,
            self.term(made.of),
            tuple(map(self.order, made.along)),
            tuple(map(self.field, made.within)),
            None if base is None else self.inner(base.query),
        )

    def filters(self, where: q.Predicate | None, home: str, way: Path) -> Iterator[AnyOf]:
        """The conditions of rows; of those of other datasets with the joins that lead there."""
        for each in q.conjuncts(where):
            if isinstance(each, q.Exists):
                self.reach(home, each.dataset, each.via)
                yield from self.filters(each.where, each.dataset, way)
                continue
            tests = each.of if isinstance(each, q.Or) else (each,)
            conditions = tuple(self.condition(test, home) for test in tests)
            if not all(isinstance(test, Condition) for test in conditions):
                raise BeyondPlans("a condition on rows that is about groups")
            yield AnyOf(cast("tuple[Condition, ...]", conditions))

    def condition(self, test: q.Predicate, home: str) -> Condition | Having:
        """One comparison, of a field or of a figure."""
        if isinstance(test, q.Not):
            inner = self.condition(test.of, home)
            if inner.comparison == "missing":
                return replace(inner, comparison="present")
            if inner.comparison not in _DENIED:
                raise BeyondPlans(f"the denial of {test.of.kind}")
            return replace(inner, comparison=cast(Comparison, f"not {inner.comparison}"))
        of, comparison, values = self.test(test, home)
        term = self.term(of, home)
        if isinstance(term, Measure):
            return Having(term, comparison, values)
        return Condition(term, comparison, values)

    def test(
        self, test: q.Predicate, home: str
    ) -> tuple[q.Expression, Comparison, tuple[Value, ...]]:
        """What is compared, how, and with which values."""
        if isinstance(test, q.Comparison):
            return test.left, test.operator, (self.value(test.right, home),)
        if isinstance(test, q.Between):
            return test.of, "between", (self.value(test.low, home), self.value(test.high, home))
        if isinstance(test, q.OneOf):
            return test.of, "in", test.values
        if isinstance(test, q.Match):
            return test.of, test.place, (test.text,)
        if isinstance(test, q.Missing):
            return test.of, "missing", ()
        if isinstance(test, q.Among):
            return test.of, "in", (self.inner(test.query),)
        raise BeyondPlans(f"a condition that is {test.kind}")

    def value(self, of: q.Expression, home: str) -> Value:
        if isinstance(of, q.Constant):
            return of.value
        return self.inner(of.query) if isinstance(of, q.Scalar) else self.field(of, home)
