"""The groups of a query and their figures: in one SELECT, or in several that are joined."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from flows.analysis.compiler.aggregates import aggregate, has_function, over_rows
from flows.analysis.compiler.conversion import conversion
from flows.analysis.compiler.cumulation import covered, cumulated
from flows.analysis.compiler.expressions import ExpressionWriter
from flows.analysis.compiler.names import column_names, distinct, expression_name
from flows.analysis.compiler.parts import joining, referring
from flows.analysis.compiler.related_figures import one_way
from flows.analysis.compiler.rows import Rows
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.template import both, column, name
from flows.semantics.cumulation import find_periods
from flows.semantics.kinds import parts
from flows.semantics.model import Conversion, Cumulative
from flows.semantics.node import Node
from flows.semantics.path import Path, find_path
from flows.semantics.query import (
    Aggregate,
    Expression,
    FieldRef,
    MetricRef,
    Or,
    Predicate,
    Query,
)
from flows.semantics.tree import parts as tree_parts

Scopes = tuple[Predicate, ...]
_GROUPS = "groups"


class Figures:
    """Writes the figures of a query's groups.

    Where some of them are of other rows than the query's, or are summed up along time, the figures
    of the own rows stand in a SELECT of their own, `groups`, to which the others are joined.
    """

    def __init__(self, query: Query, setting: StatementContext) -> None:
        self.query = query
        self.setting = setting
        # What tells groups apart comes first: databases leave equal groups in this order.
        self.groups = list(dict.fromkeys((*query.identity, *query.by)))
        self.group_names = column_names(self.groups, setting.model)
        self.value_name = distinct([*self.group_names, "value"])[-1]
        self.rows = self._new_rows()
        apart = bool(query.by) and any(self._is_apart(each) for each in joining(query))
        first = self._counts_different_behind_windows()
        alone = apart and not first and not self.rows.many
        self.beside = one_way(query, setting) if alone else ()
        if self.beside:
            self.rows.join_outer(self.beside)
        self.staged = first or (apart and not self.beside)
        self._inner: dict[tuple[object, Scopes], tuple[str, exp.Expr]] = {}
        self._others: dict[tuple[Aggregate, Scopes], tuple[str, exp.Select]] = {}
        self._has_own = False

    def _counts_different_behind_windows(self) -> bool:
        """Whether groups are tested by a count of different values where windows are made of them:
        MariaDB finds no such group of rows that are joined, unless it groups them first."""
        query = self.query
        if self.setting.dialect != "mysql" or query.having is None or not query.by:
            return False
        windows = query.transforms or query.rank or any(
            isinstance(each, MetricRef) for each in tree_parts(query)
        )  # fmt: skip
        tested = [*tree_parts(query.having)]
        tested += [part for each in tested if isinstance(each, MetricRef)
                   for part in tree_parts(self.setting.metric(each.metric).definition)]  # fmt: skip
        return bool(windows) and any(map(_counts_different, tested))

    def _new_rows(self) -> Rows:
        """The rows of the query, joined and tested."""
        query = self.query
        rows = Rows(self.setting, query.dataset)
        rows.join(joining(query))
        if query.where is not None:
            rows.tests.append(rows.test(query.where))
        if query.compare is not None:
            both_scopes = Or(of=(query.compare.a.where, query.compare.b.where))
            rows.tests.append(rows.test(both_scopes))
        return rows

    def _is_apart(self, node: Node) -> bool:
        """Whether a figure cannot stand in the SELECT of the query's own rows."""
        if isinstance(node, Aggregate):
            return bool(node.dataset) or not has_function(node.function, self.setting.dialect)
        if isinstance(node, MetricRef):
            metric = self.setting.metric(node.metric)
            made = metric.definition
            if isinstance(made, Conversion):
                return False
            if isinstance(made, Cumulative):
                periods = find_periods(self.query.by, self.setting.dataset(metric.dataset))
                return bool(periods) or self._is_apart(MetricRef(metric=made.metric))
            return metric.dataset != self.query.dataset or self._is_apart(made)
        return any(self._is_apart(part) for place, part in parts(node) if place != "query")

    def write(self, expression: Expression, scopes: Scopes = ()) -> exp.Expr:
        """A group or a figure, of those rows only that are in all scopes."""
        return self._writer(scopes).write(expression)

    def _writer(self, scopes: Scopes = ()) -> ExpressionWriter:
        def leaf(expression: Expression) -> exp.Expr | None:
            if expression in self.groups:
                return self._group(expression)
            if isinstance(expression, Aggregate):
                return self._aggregate(expression, scopes)
            return self._metric(expression, scopes) if isinstance(expression, MetricRef) else None

        return ExpressionWriter(self.setting, leaf)

    def _group(self, group: Expression) -> exp.Expr:
        if not self.staged:
            return self.rows.write(group)
        return column(self.group_names[self.groups.index(group)], _GROUPS)

    def _aggregate(self, made: Aggregate, scopes: Scopes) -> exp.Expr:
        if self.beside:
            return aggregate(made, self.rows, self.beside)
        if self._is_apart(made):
            return self._other(made, scopes)
        return self._own(made, scopes, aggregate(made, self.rows, (), scopes))

    def _own(self, what: Expression, scopes: Scopes, written: exp.Expr) -> exp.Expr:
        """A figure of the query's own rows, by its name where it stands in a SELECT of its own."""
        self._has_own = True
        if not self.staged:
            return written
        plain = expression_name(what, self.setting.model)
        taken = [*self.group_names, *(each for each, _ in self._inner.values())]
        named, _ = self._inner.setdefault((what, scopes), (distinct([*taken, plain])[-1], written))
        return column(named, _GROUPS)

    def _metric(self, ref: MetricRef, scopes: Scopes) -> exp.Expr:
        metric = self.setting.metric(ref.metric)
        made = metric.definition
        if isinstance(made, Conversion):
            return self._own(ref, scopes, conversion(made, self.rows, scopes))
        if isinstance(made, Cumulative):
            return self._cumulative(ref, made, scopes)
        if metric.dataset != self.query.dataset:
            made = referring(made, metric.dataset)
        return self.write(made, scopes)

    def _cumulative(self, ref: MetricRef, made: Cumulative, scopes: Scopes) -> exp.Expr:
        dataset = self.setting.dataset(self.query.dataset)
        summed = MetricRef(metric=made.metric)
        periods = find_periods(self.query.by, dataset)
        if not periods:
            return self.write(summed, (*scopes, *covered(made, dataset)))
        flat = ExpressionWriter(self.setting, lambda each: self._flat(each, scopes))
        others = [self.rows.write(each) for each in self.groups if each != periods[0]]
        figure = cumulated(made, flat.write(summed), periods[0], others, dataset, self.rows)
        return self._own(ref, scopes, figure)

    def _flat(self, expression: Expression, scopes: Scopes) -> exp.Expr | None:
        """A figure inside the SELECT of the query's own rows."""
        if isinstance(expression, Aggregate):
            return aggregate(expression, self.rows, (), scopes)
        if isinstance(expression, MetricRef):
            made = self.setting.metric(expression.metric).definition
            assert not isinstance(made, Cumulative | Conversion)
            return ExpressionWriter(self.setting, lambda each: self._flat(each, scopes)).write(made)
        return None

    def _other(self, made: Aggregate, scopes: Scopes) -> exp.Expr:
        """A figure that has a SELECT of its own."""
        if not self.query.by:
            return self._detail(made, scopes).subquery(copy=False)
        key = (made, scopes)
        if key not in self._others:
            alias = f"figure_{len(self._others) + 1}"
            self._others[key] = (alias, self._detail(made, scopes))
        value = column(self.value_name, self._others[key][0])
        counted = made.function in ("count", "count distinct")
        if not counted:
            return value
        return exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])

    def _detail(self, made: Aggregate, scopes: Scopes) -> exp.Select:
        """The groups, and the `value` of one figure of rows that belong to them."""
        rows = self._new_rows()
        rows.tests += [rows.test(each) for each in scopes]
        path: Path = ()
        if made.dataset:
            found = find_path(self.setting.model, self.query.dataset, made.via, made.dataset)
            assert found, "the request was not checked: nothing refers to these rows"
            path = found
        if path and rows.many:
            return self._once(made, rows, path)
        by = [rows.write(each) for each in self.groups]
        names = self.group_names
        keys = [exp.alias_(each, key, quoted=True) for each, key in zip(by, names, strict=True)]
        if path:
            rows.alias(path)
        return self._valued(made, rows, path, keys, by)

    def _once(self, made: Aggregate, rows: Rows, path: Path) -> exp.Select:
        """As `_detail`, where a row of the query comes several times: each other row counts once.

        The other rows are joined with the different groups that their row of the query is in.
        """
        back = tuple(step.reverse() for step in reversed(path))
        near, last = back[:-1], back[-1]
        keys = distinct([*self.group_names, *last.end_fields])[len(self.group_names) :]
        columns = [rows.write(each) for each in self.groups]
        columns += [rows.field((), each) for each in last.end_fields]
        named = zip(columns, (*self.group_names, *keys), strict=True)
        inner = rows.select(*[exp.alias_(each, key, quoted=True) for each, key in named])
        alias = distinct([*(each.table for each in self.setting.model.datasets), "rows"])[-1]
        others = Rows(self.setting, made.dataset, taken=(alias,))
        others.alias(near)
        on = both([
            exp.EQ(this=others.field(near, one), expression=column(key, alias))
            for one, key in zip(last.start_fields, keys, strict=True)
        ])  # fmt: skip
        by: list[exp.Expr] = [column(each, alias) for each in self.group_names]
        plain = made.model_copy(update={"dataset": "", "via": ()})
        tree = self._valued(plain, others, (), list(by), by)
        joined = inner.distinct(copy=False).subquery(name(alias), copy=False)
        _innermost(tree).append("joins", exp.Join(this=joined, on=on, kind="INNER"))
        return tree

    def _valued(
        self, made: Aggregate, rows: Rows, path: Path, keys: list[exp.Expr], by: list[exp.Expr]
    ) -> exp.Select:
        if has_function(made.function, self.setting.dialect):
            if made.where is not None and made.function != "share":
                rows.tests.append(rows.test(made.where, path))
                made = made.model_copy(update={"where": None})
            figure = exp.alias_(aggregate(made, rows, path), self.value_name, quoted=True)
            tree = rows.select(*keys, figure)
            return tree.group_by(*[each.copy() for each in by], copy=False) if by else tree
        assert made.of is not None
        value = rows.write(made.of, path)
        if made.where is not None:
            rows.tests.append(rows.test(made.where, path))
        tree = rows.select(*keys, exp.alias_(value, self.value_name, quoted=True))
        return over_rows(made, tree, self.group_names, self.setting.dialect)

    def select(self, *columns: exp.Expr) -> exp.Select:
        """The statement that gives these columns of the groups for which `having` holds."""
        having = self.query.having
        test = self._writer().test(having) if having is not None else None
        if self.staged:
            return self._joined(columns, test)
        if not self.groups and not self._has_own:
            tree = exp.select(*columns, copy=False)
            return tree.where(test, copy=False) if test is not None else tree
        tree = self.rows.select(*columns)
        for each in self._grouping():
            tree = tree.group_by(self.rows.write(each), copy=False)
        return tree.having(test, copy=False) if test is not None else tree

    def _grouping(self) -> list[Expression]:
        """What rows are grouped by: SQLite needs no fields whose values a key says already."""
        if self.setting.dialect != "sqlite":
            return self.groups
        named = [(each.dataset, each.via) for each in self.query.identity]
        keyed = {
            (dataset, via)
            for dataset, via in named
            if (key := self.setting.dataset(dataset).key)
            and all(FieldRef(dataset=dataset, field=each, via=via) in self.groups for each in key)
        }
        return [
            each
            for each in self.groups
            if each in self.query.identity
            or not (isinstance(each, FieldRef) and (each.dataset, each.via) in keyed)
        ]

    def _joined(self, columns: Iterable[exp.Expr], test: exp.Expr | None) -> exp.Select:
        by = [self.rows.write(each) for each in self.groups]
        pairs = [*zip(by, self.group_names, strict=True)]
        inner = self.rows.select(
            *[exp.alias_(each, key, quoted=True) for each, key in pairs],
            *[exp.alias_(each, key, quoted=True) for key, each in self._inner.values()],
        )
        inner = inner.group_by(*[each.copy() for each in by], copy=False)
        tree = exp.select(*columns, copy=False)
        tree = tree.from_(inner.subquery(name(_GROUPS), copy=False), copy=False)
        for alias, other in self._others.values():
            same = both([
                exp.NullSafeEQ(this=column(each, _GROUPS), expression=column(each, alias))
                for each in self.group_names
            ])  # fmt: skip
            tree = tree.join(
                other.subquery(name(alias), copy=False), on=same, join_type="left", copy=False
            )
        return tree.where(test, copy=False) if test is not None else tree


def _counts_different(node: object) -> bool:
    share = isinstance(node, Aggregate) and node.function == "share" and node.of is not None
    return share or (isinstance(node, Aggregate) and node.function == "count distinct")


def _innermost(tree: exp.Select) -> exp.Select:
    """The SELECT that reads tables."""
    source = tree.args["from_"].this
    return tree if isinstance(source, exp.Table) else _innermost(source.this)
