"""The statement of a query: its columns, its order, and which of its rows are taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp

from flows.analysis.compiler.figures import Figures
from flows.analysis.compiler.labels import label, label_columns
from flows.analysis.compiler.names import column_names, distinct
from flows.analysis.compiler.parts import joining
from flows.analysis.compiler.rows import Rows
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.template import column, name, wrap
from flows.analysis.compiler.windows import Write, ordered, transform, window
from flows.semantics.kinds import columns_of, kind_of
from flows.semantics.labels import labelled_columns
from flows.semantics.model import Time
from flows.semantics.query import Expression, FieldRef, Grain, Order, Query, Rank

_SETS = {"union": exp.union, "intersect": exp.intersect, "except": exp.except_}


class _Places(NamedTuple):
    """The names of the columns with the places of rows: its own, and that of all equal ones."""

    single: str
    shared: str


class Statement:
    """Builds the tree of one query; `inside` of another it has no order but what its rank needs."""

    def __init__(self, query: Query, setting: StatementContext, *, inside: bool) -> None:
        self.query = query
        self.setting = setting
        self.inside = inside
        self.shown = columns_of(query, setting.model)
        self.names = self._all_names()
        # Names of periods have no order: only what a person sees has them.
        self.grains = {} if inside else labelled_columns(query, setting.model)
        self.grouped = bool(query.by or query.metrics)
        if self.grouped:
            self.figures = Figures(query, setting)
        else:
            self.rows = Rows(setting, query.dataset)
            self.rows.join(self._joining())
            if query.where is not None:
                self.rows.tests.append(self.rows.test(query.where))

    def _joining(self) -> Iterator[Expression]:
        yield from joining(self.query)  # type: ignore[misc]
        if not self.query.show:
            yield from self.shown

    def write(self, expression: Expression) -> exp.Expr:
        """A value of a row, or of a group."""
        return self.figures.write(expression) if self.grouped else self.rows.write(expression)

    def _all_names(self) -> list[str]:
        """The names of the columns: what is shown, then what is computed from the rows."""
        query = self.query
        named = column_names(self.shown, self.setting.model)
        if query.compare is not None:
            groups = (*query.by, *query.identity)
            scopes = (query.compare.a.name, query.compare.b.name, "difference")
            named = [
                full
                for each, plain in zip(self.shown, named, strict=True)
                for full in (
                    [plain] if each in groups else [f"{plain}_{scope}" for scope in scopes]
                )
            ]
        return distinct([*named, *(each.operation for each in query.transforms)])

    def build(self) -> exp.Query:
        if self.grains and (self.query.unique or self.query.combine):
            return self._labelled()
        return self._built()

    def _labelled(self) -> exp.Query:
        """Rows that are told apart by what is shown get their names when they are."""
        grains, self.grains = self.grains, {}
        named = {self.names[place]: grain for place, grain in grains.items()}
        taking = self._taking()
        orders = [
            part
            for each in [*taking, *self._ties(taking)]
            for part in self._by(column(self.names[self.shown.index(each.by)], "result"), each)
        ]
        columns = label_columns(self.names, named, "result", self.setting.dialect)
        source = self._built().subquery(name("result"), copy=False)
        return exp.select(*columns, copy=False).from_(source, copy=False).order_by(*orders)

    def _built(self) -> exp.Query:
        query = self.query
        rank = query.rank
        if rank is not None and self._is_windowed(rank):
            return self._windowed(rank)
        if query.combine:
            return self._limited(self._ordered_combination(), rank)
        orders = self._order(self._taking()) if not self.inside or rank is not None else []
        hidden = self._is_ordered_apart(orders)
        # Rows without repeats are ordered by what is shown, which may be rounded.
        write = self._cell if query.unique and not self._gathers() else self.write
        by = [
            part
            for each in orders
            for part in self._by(self._first_of(each) if hidden else write(each.by), each)
        ]
        tree = self._select(self._columns())
        if self._gathers() or hidden:
            tree = tree.group_by(*map(self.write, self.shown), copy=False)
        elif query.unique:
            tree = tree.distinct(copy=False)
        for part in by:
            tree = tree.order_by(part, copy=False)
        if self.setting.dialect == "mysql" and self.grouped and not self.figures.staged:
            # which does not see that a name follows from what is grouped by
            for place, grain in self.grains.items():
                value = self.write(self.shown[place])
                tree = tree.group_by(label(value, grain, "mysql"), copy=False)
        return self._limited(tree, rank)

    def _is_ordered_apart(self, orders: Sequence[Order]) -> bool:
        """Whether rows without repeats are ordered by what is not shown: they are then groups."""
        plain = self.query.unique and not (self.grouped or self.query.combine or self._gathers())
        return plain and any(each.by not in self.shown for each in orders)

    def _first_of(self, order: Order) -> exp.Expr:
        """What orders a group: of what it does not show, the value that comes first."""
        value = self.write(order.by)
        if order.by in self.shown:
            return value
        return exp.Max(this=value) if order.descending else exp.Min(this=value)

    def _by(self, value: exp.Expr, order: Order) -> list[exp.Ordered]:
        return ordered(value, self.setting.dialect, descending=order.descending)

    def _limited(self, tree: exp.Query, rank: Rank | None) -> exp.Query:
        if rank is None:
            return tree
        tree = tree.limit(rank.n, copy=False)
        return tree.offset(rank.skip, copy=False) if rank.skip else tree

    def _select(self, columns: Sequence[exp.Expr]) -> exp.Select:
        if self.grouped:
            return self.figures.select(*columns)
        return self.rows.select(*columns)

    def _taking(self) -> tuple[Order, ...]:
        """The order in which rows are taken."""
        rank = self.query.rank
        return rank.by if rank is not None and rank.by else self.query.sort

    def _is_windowed(self, rank: Rank) -> bool:
        """Whether the rows that are taken are not the first ones of the result in its order."""
        two_orders = bool(rank.by and self.query.sort and rank.by != self.query.sort)
        return bool(rank.within) or rank.ties or two_orders

    def _order(self, asked: Sequence[Order]) -> list[Order]:
        """An order in which a rerun gives the same rows, as far as that matters."""
        one_thread = self.setting.dialect == "sqlite" and not self.inside
        if asked and one_thread:
            return list(asked)  # SQLite leaves equal rows in the same order at every run
        rank = self.query.rank
        if not (self.grouped or self.query.unique) and rank is not None and not asked:
            return []
        return [*asked, *self._ties(asked)]

    def _ties(self, asked: Sequence[Order]) -> list[Order]:
        """What orders rows that are equal in an order: groups, or the key of the rows."""
        named = {each.by for each in asked}
        if self.query.unique or self.query.combine:
            last: Sequence[Expression] = self.shown
        elif self.grouped:
            last = self.figures.groups
        elif self.query.rank is None and not self.query.transforms:
            return []
        else:
            last = self._row_ties()
        return [Order(by=each) for each in dict.fromkeys(last) if each not in named]

    def _row_ties(self) -> tuple[Expression, ...]:
        dataset = self.setting.dataset(self.query.dataset)
        key = tuple(FieldRef(dataset=dataset.name, field=each) for each in dataset.key)
        if key and not self.rows.many:
            return key
        computed = tuple(each.of for each in self.query.transforms)
        orders = tuple(each.by for each in (*self.query.sort, *self._taking()))
        return (*key, *self.shown, *computed, *orders)

    def _columns(self) -> list[exp.Expr]:
        """What is selected, with its names."""
        written = [part for each in self.shown for part in self._cells(each)]
        ties = self._ties(())
        written += [self._rounded(transform(each, self.write, ties, self.setting.dialect))
                    for each in self.query.transforms]  # fmt: skip
        return [
            each
            if isinstance(each, exp.Column) and each.name == named
            else exp.alias_(each, named, quoted=True, copy=False)
            for each, named in zip(written, self.names, strict=True)
        ]

    def _cell(self, expression: Expression) -> exp.Expr:
        return self._cells(expression)[0]

    def _cells(self, expression: Expression) -> list[exp.Expr]:
        """The columns of an expression: three of them where figures are compared."""
        query = self.query
        group = expression in (*query.by, *query.identity)
        if query.compare is None or group:
            written = self._written(expression)
            computed = not group and not isinstance(expression, FieldRef)
            # What rows are only ordered by is not among what is shown.
            place = self.shown.index(expression) if expression in self.shown else -1
            if place in self.grains:
                return [label(written, self.grains[place], self.setting.dialect)]
            number = kind_of(expression, self.setting.model) == "number"
            return [self._rounded(written) if computed and number else written]
        scopes = (query.compare.a.where, query.compare.b.where)
        a, b = (self.figures.write(expression, (each,)) for each in scopes)
        difference = exp.Sub(this=wrap(a.copy()), expression=wrap(b.copy()))
        return [self._rounded(each) for each in (a, b, difference)]

    def _written(self, expression: Expression) -> exp.Expr:
        """A value that is shown; of plain rows fields are, as they stand in the data."""
        query, rank = self.query, self.query.rank
        made = self.grouped or self.inside or query.unique or bool(query.combine)
        made = made or (rank is not None and self._is_windowed(rank))
        if isinstance(expression, FieldRef) and self._gathers():
            written = self.rows.as_written(expression)
            is_time = self._is_written_time(expression)
            return exp.Min(this=written) if is_time else self.write(expression)
        if made or not isinstance(expression, FieldRef):
            return self.write(expression)
        return self.rows.as_written(expression)

    def _gathers(self) -> bool:
        """Whether rows without repeats are made by groups: where they hold times that the data
        have as texts, which are shown as one of them is written."""
        plain = self.query.unique and not (self.grouped or self.inside or self.query.combine)
        if not plain or self.query.transforms or not all(
            isinstance(each, FieldRef) for each in self.shown
        ):  # fmt: skip
            return False
        rank = self.query.rank
        return not (rank is not None and self._is_windowed(rank)) and any(
            self._is_written_time(each) for each in self.shown
        )

    def _is_written_time(self, expression: Expression) -> bool:
        if not isinstance(expression, FieldRef):
            return False
        field = self.setting.field(expression.dataset, expression.field)
        return any(isinstance(each, Time) for each in field.cleaning)

    def _rounded(self, value: exp.Expr) -> exp.Expr:
        if self.query.decimals is None:
            return value
        if self.setting.dialect == "postgres":  # which rounds no floating numbers to decimals
            value = exp.cast(value, "DECIMAL", copy=False)
        return exp.Round(this=value, decimals=exp.Literal.number(self.query.decimals))

    def _combined(self) -> exp.Query:
        """The rows of several queries as one; the left ones are combined first."""
        tree: exp.Query = self._select(self._columns())
        for number, each in enumerate(self.query.combine):
            if number:
                tree = exp.select("*").from_(tree.subquery(name("combined"), copy=False))
            other = self.setting.compile(each.query)
            if isinstance(other, exp.SetOperation) or other.args.get("limit"):
                other = exp.select("*").from_(other.subquery(name("other"), copy=False))
            tree = _SETS[each.operation](tree, other, copy=False)
        return tree

    def _ordered_combination(self) -> exp.Query:
        """The rows of several queries in the order of their columns."""
        tree = self._combined()
        if self.inside and self.query.rank is None:
            return tree
        named = self.setting.dialect == "mysql"  # which tells no missing values by a place
        if named:
            tree = exp.select("*").from_(tree.subquery(name("combined"), copy=False))
        asked = self._taking()
        for order in (*asked, *self._ties(asked)):
            place = self.shown.index(order.by)
            by = column(self.names[place]) if named else exp.Literal.number(place + 1)
            tree = tree.order_by(*self._by(by, order), copy=False)
        return tree

    def _windowed(self, rank: Rank) -> exp.Query:
        """The first rows of each group, or those that are equal to the last one."""
        grains, self.grains = self._grains_by_name(), {}
        taking = self._taking()
        settled = [*taking, *self._ties(taking)]
        within = [Order(by=each) for each in rank.within]
        final = [*(self.query.sort or (*within, *taking))]
        final += self._ties(final)
        needed = dict.fromkeys(each.by for each in (*settled, *within, *final))
        shown = () if self.query.compare else self.shown
        hidden = [each for each in needed if each not in shown]
        extra = distinct([*self.names, *(f"by_{n}" for n, _ in enumerate(hidden, 1)), "place",
                          "tied"])[len(self.names) :]  # fmt: skip
        called = dict(zip((*shown, *hidden), (*self.names[: len(shown)], *extra), strict=False))
        places = _Places(extra[-2], extra[-1])
        if self.query.unique or self.query.combine:
            inner = self._distinct().subquery(name("result"), copy=False)
            tree = exp.select("*").from_(inner, copy=False)
            columns = self._placed(rank, settled, lambda each: column(called[each]), places)
            source = tree.select(*columns, copy=False)
        else:
            cells = [exp.alias_(self.write(each), called[each], quoted=True) for each in hidden]
            columns = self._placed(rank, settled, self.write, places)
            source = self._select([*self._columns(), *cells, *columns])
        order = [] if self.inside else final
        owner = "ranked" if grains else ""
        by = [part for each in order for part in self._by(column(called[each.by], owner), each)]
        return self._taken(source, rank, by, places, grains)

    def _grains_by_name(self) -> dict[str, Grain]:
        """The columns that hold names of periods."""
        groups = (*self.query.by, *self.query.identity)
        compared = self.query.compare is not None
        sizes = [3 if compared and each not in groups else 1 for each in self.shown]
        return {self.names[sum(sizes[:place])]: grain for place, grain in self.grains.items()}

    def _distinct(self) -> exp.Query:
        if self.query.combine:
            return self._combined()
        return self._select(self._columns()).distinct(copy=False)

    def _placed(
        self, rank: Rank, settled: Sequence[Order], write: Write, places: _Places
    ) -> list[exp.Expr]:
        """The place of each row, and the place that it shares with those equal to it."""
        within = [write(each) for each in rank.within]
        order = [part for each in settled for part in self._by(write(each.by), each)]
        columns: list[exp.Expr] = []
        if rank.skip or not rank.ties:
            number = window(exp.RowNumber(), within, order)
            columns.append(exp.alias_(number, places.single, quoted=True))
        if rank.ties:
            taking = self._taking()
            order = [part for each in taking for part in self._by(write(each.by), each)]
            columns.append(
                exp.alias_(window(exp.Rank(), within, order), places.shared, quoted=True)
            )
        return columns

    def _taken(
        self, source: exp.Select, rank: Rank, by: Sequence[exp.Ordered], places: _Places,
        grains: dict[str, Grain],
    ) -> exp.Query:  # fmt: skip
        """The rows whose places are wanted."""
        last = exp.Literal.number(rank.skip + rank.n)
        place = column(places.shared if rank.ties else places.single)
        if grains:
            columns = label_columns(self.names, grains, "ranked", self.setting.dialect)
        else:
            columns = [column(each) for each in self.names]
        tree = exp.select(*columns, copy=False)
        tree = tree.from_(source.subquery(name("ranked"), copy=False), copy=False)
        tree = tree.where(exp.LTE(this=place, expression=last), copy=False)
        if rank.skip:
            skipped = exp.Literal.number(rank.skip)
            tree = tree.where(exp.GT(this=column(places.single), expression=skipped), copy=False)
        return tree.order_by(*by, copy=False) if by else tree
