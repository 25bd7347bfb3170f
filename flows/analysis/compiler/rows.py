"""The rows of a dataset, joined with those that its fields lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from flows.analysis.compiler.cleaning import clean
from flows.analysis.compiler.expressions import ExpressionWriter
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.template import both, column, name, text, wrap
from flows.semantics.kinds import fields_in, parts
from flows.semantics.model import Conversion, Cumulative, SemanticField
from flows.semantics.node import Node
from flows.semantics.path import JoinStep, Path, find_path, leads_to_many
from flows.semantics.query import Aggregate, Exists, Expression, FieldRef, MetricRef, Predicate


class Rows:
    """The rows of one SELECT: which tables are in it, how they are called, what is left out.

    A table that stands in the statement already, also in one around this (`taken`), gets another
    name.
    """

    def __init__(
        self, setting: StatementContext, dataset: str, *, taken: Iterable[str] = ()
    ) -> None:
        self.setting = setting
        self.dataset = dataset
        self.taken = {each.casefold() for each in taken}
        self.tests: list[exp.Expr] = []
        self._names: dict[Path, str] = {}
        self._outer: dict[Path, list[exp.Expr]] = {}
        self.alias(())

    def alias(self, path: Path) -> str:
        """What the table at the end of a way is called; it is joined where it was not."""
        if path in self._names:
            return self._names[path]
        if path:
            self.alias(path[:-1])
        table = self.setting.dataset(self.end(path)).table
        alias, number = table, 1
        while alias.casefold() in self.taken:
            number += 1
            alias = f"{table}_{number}"
        self.taken.add(alias.casefold())
        self._names[path] = alias
        self._outer.get(path, self.tests).extend(self._without_totals(path))
        return alias

    def join_outer(self, path: Path) -> None:
        """Join the rows at the end of a way, and keep rows that have none there."""
        self._outer |= {path[: length + 1]: [] for length in range(len(path))}
        self.alias(path)

    def end(self, path: Path) -> str:
        return path[-1].end if path else self.dataset

    def is_outer(self, path: Path) -> bool:
        """Whether rows are kept that have none at the end of a way."""
        return path in self._outer

    @property
    def many(self) -> bool:
        """Whether a row may come several times."""
        return any(leads_to_many(path) for path in self._names)

    def field(self, path: Path, field_name: str) -> exp.Expr:
        """A field of the dataset at the end of a way."""
        dataset = self.setting.dataset(self.end(path))
        field = self.setting.field(dataset.name, field_name)
        if field.expression is not None:
            return self.write(field.expression, path)
        return clean(self._plain(path, field), field, self.setting.dialect)

    def _plain(self, path: Path, field: SemanticField) -> exp.Expr:
        return column(field.column or field.name, self.alias(path))

    def as_written(self, ref: FieldRef) -> exp.Expr:
        """A field of a row to be shown, as it stands in the data."""
        path = self._way((), ref)
        dataset = self.setting.dataset(self.end(path))
        field = self.setting.field(dataset.name, ref.field)
        if field.expression is not None:
            return self.field(path, ref.field)
        return self._plain(path, field)

    def writer(self, path: Path = ()) -> ExpressionWriter:
        """Writes what is said of the rows at the end of a way."""

        def leaf(expression: Expression) -> exp.Expr | None:
            if not isinstance(expression, FieldRef):
                return None
            return self.field((*path, *self._way(path, expression)), expression.field)

        return ExpressionWriter(self.setting, leaf, lambda each: self._exists(each, path))

    def write(self, expression: Expression, path: Path = ()) -> exp.Expr:
        return self.writer(path).write(expression)

    def test(self, predicate: Predicate, path: Path = ()) -> exp.Expr:
        return self.writer(path).test(predicate)

    def _way(self, path: Path, ref: FieldRef) -> Path:
        found = find_path(self.setting.model, self.end(path), ref.via, ref.dataset)
        assert found is not None, f"the request was not checked: no way to {ref.dataset}"
        return found

    def join(self, nodes: Iterable[Node], path: Path = ()) -> None:
        """Join everything that some parts of a query name, at the end of a way."""
        for ref in named(nodes, self.end(path), self.setting):
            way = (*path, *self._way(path, ref))
            self.alias(way)
            made = self.setting.field(ref.dataset, ref.field).expression
            if made is not None:
                self.join((made,), way)

    def select(self, *columns: exp.Expr) -> exp.Select:
        """The statement that gives these columns of the rows."""
        (_, first), *others = self._names.items()
        tree = exp.select(*columns, copy=False)
        tree = tree.from_(self._table((), first), copy=False)
        for path, alias in others:
            kind = "left" if path in self._outer else "inner"
            tests = [self.link(path[-1], path[:-1], path), *self._outer.get(path, ())]
            tree = tree.join(self._table(path, alias), on=both(tests), join_type=kind, copy=False)
        for each in self.tests:
            tree = tree.where(each, copy=False)
        return tree

    def _table(self, path: Path, alias: str) -> exp.Table:
        table = self.setting.dataset(self.end(path)).table
        made = exp.Table(this=name(table))
        if alias != table:
            made.set("alias", exp.TableAlias(this=name(alias)))
        return made

    def link(self, step: JoinStep, before: Path, after: Path) -> exp.Expr:
        """That rows on both sides of a step belong together."""
        pairs = zip(step.start_fields, step.end_fields, strict=True)
        return both([
            exp.EQ(this=wrap(self.field(before, one)), expression=wrap(self.field(after, other)))
            for one, other in pairs
        ])  # fmt: skip

    def _without_totals(self, path: Path) -> Iterator[exp.Expr]:
        dataset = self.setting.dataset(self.end(path))
        for field_name, values in dataset.totals:
            field = self.setting.field(dataset.name, field_name).spelled
            value = clean(self._plain(path, field), field, self.setting.dialect)
            total = exp.In(this=wrap(value), expressions=[text(each) for each in values])
            missing = exp.Is(this=wrap(value.copy()), expression=exp.Null())
            yield exp.paren(exp.or_(missing, exp.Not(this=total), copy=False), copy=False)

    def _exists(self, exists: Exists, path: Path) -> exp.Expr:
        """That a row has rows of another dataset for which something holds."""
        here = self.end(path)
        way = find_path(self.setting.model, here, exists.via, exists.dataset)
        assert way, "the request was not checked: nothing leads to the rows that exist"
        start = way[0].end
        inner = Rows(self.setting, start, taken=self.taken)
        step = way[0]
        for one, other in zip(step.start_fields, step.end_fields, strict=True):
            outer = self.field(path, one)
            inner.tests.append(exp.EQ(this=wrap(inner.field((), other)), expression=wrap(outer)))
        inner.alias(way[1:])
        if exists.where is not None:
            inner.join((exists.where,), way[1:])
            inner.tests.append(inner.test(exists.where, way[1:]))
        return exp.Exists(this=inner.select(exp.Literal.number(1)))


def named(nodes: Iterable[Node], dataset: str, setting: StatementContext) -> Iterator[FieldRef]:
    """The fields of the rows of a query that its parts name, also those that metrics are of."""
    for node in nodes:
        yield from fields_in(node)
        for metric in metrics_in(node):
            found = setting.metric(metric.metric)
            if found.dataset != dataset:
                continue
            if isinstance(found.definition, Cumulative):
                yield from named((MetricRef(metric=found.definition.metric),), dataset, setting)
            elif not isinstance(found.definition, Conversion):
                yield from named((found.definition,), dataset, setting)


def metrics_in(node: Node) -> Iterator[MetricRef]:
    """The metrics that stand in an expression or a predicate of groups."""
    if isinstance(node, MetricRef):
        yield node
    elif not isinstance(node, Aggregate):
        for place, part in parts(node):
            if place != "query":
                yield from metrics_in(part)
