"""A plan to SQL through a sqlglot tree, for DuckDB or SQLite, every identifier quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from flows.analysis.layout import Branch, laid_out, reached
from flows.analysis.plan import (
    AnyOf,
    Condition,
    Derived,
    Field,
    Having,
    Joined,
    Measure,
    Order,
    Plan,
    Term,
    Value,
)
from flows.core.observation import Cell
from flows.data.tables import Dialect

_SIMPLE: dict[str, type[exp.Func]] = {
    "avg": exp.Avg,
    "sum": exp.Sum,
    "min": exp.Min,
    "max": exp.Max,
}
_COMPARE: dict[str, type[exp.Expr]] = {
    "=": exp.EQ,
    "!=": exp.NEQ,
    ">": exp.GT,
    ">=": exp.GTE,
    "<": exp.LT,
    "<=": exp.LTE,
}


def compile_plan(plan: Plan, *, evidence: bool = True) -> str:
    """The SQL text of a plan; without `evidence` it selects only what was asked for."""
    return build_tree(plan, evidence=evidence).sql(dialect=plan.dialect)


def build_tree(plan: Plan, *, evidence: bool = True, inside: bool = False) -> exp.Query:
    """The tree of the statement that gives the rows of a plan.

    A plan `inside` of another is in no order but the one that its limit needs.
    """
    if not plan.combined:
        return _select(plan, evidence=evidence and not inside, settled=not inside)
    first = replace(plan, order=(), limit=None, offset=0)
    tree: exp.Query = _select(first, evidence=False, settled=False)
    for each in plan.combined:
        other = build_tree(each.plan, inside=True)
        tree = _SETS[each.operation](tree, other, copy=False)
    for order in () if inside else _by_place(plan):
        place = exp.Literal.number(plan.select.index(order.by) + 1)
        tree = tree.order_by(exp.Ordered(this=place, desc=order.descending, nulls_first=False))
    return tree.limit(plan.limit) if plan.limit is not None else tree


def _by_place(plan: Plan) -> Iterator[Order]:
    """The order of combined rows, by what is selected: as asked, then as it is written."""
    asked = {order.by for order in plan.order}
    yield from plan.order
    yield from (Order(term) for term in plan.select if term not in asked)


_SETS = {"union": exp.union, "intersect": exp.intersect, "except": exp.except_}


def _select(plan: Plan, *, evidence: bool, settled: bool) -> exp.Select:
    terms = plan.columns if evidence else plan.select
    writer = _Writer(plan.dialect, plan.table, plan.decimals)
    layout = laid_out(plan)
    extra = [writer.derived(each) for each in plan.derived]
    if any(each.operation == "difference" for each in plan.derived):
        terms = ()
    shown = map(writer.selected, terms, column_names(terms))
    tree = exp.select(*[*shown, *extra] or [writer.star(plan)])
    tree = tree.from_(_table(plan.table))
    for name, joined in layout.joined:
        tree = tree.join(_table(name), on=writer.on(joined), join_type="inner")
    for any_of in layout.own:
        tree = tree.where(writer.any_of(any_of))
    for branch in layout.branches:
        tree = tree.where(writer.branch(branch))
    for field in _grouping(plan):
        tree = tree.group_by(writer.field(field))
    for having in plan.having:
        tree = tree.having(writer.having(having))
    for order in (*plan.order, *(_settled(plan) if settled else ())):
        tree = tree.order_by(writer.order(order))
    if plan.distinct:
        tree = tree.distinct()
    if plan.limit is not None:
        tree = tree.limit(plan.limit)
    if plan.offset:
        tree = tree.offset(plan.offset)
    return tree


def _grouping(plan: Plan) -> list[Field]:
    """What rows are grouped by: keys first, then what they do not say already.

    DuckDB wants everything named that is shown, SQLite does not: the statement stays short.
    """
    fields = list(dict.fromkeys((*plan.apart, *plan.groups)))
    if not plan.apart or plan.dialect != "sqlite":
        return fields
    said = reached({field.table for field in plan.apart}, plan.joins)
    return [each for each in fields if each in plan.apart or each.table not in said]


def _settled(plan: Plan) -> list[Order]:
    """The order of groups and different values that is left open: a rerun gives the same rows."""
    if plan.distinct and not plan.groups:
        return [] if plan.order or plan.limit else [Order(term) for term in plan.select]
    if plan.order and plan.dialect == "sqlite":
        return []  # one thread: SQLite leaves equal rows in the same order at every run
    asked = {order.by for order in plan.order}
    return [Order(group) for group in plan.groups if group not in asked]


def _table(name: str) -> exp.Table:
    # Unquoted where it is a plain word: the text is shown to people.
    plain = name.isidentifier() and "." not in name
    return (
        exp.to_table(name, quoted=True)
        if plain
        else exp.Table(this=exp.to_identifier(name, quoted=True))
    )


def _column(table: str, name: str) -> exp.Column:
    owner = exp.to_identifier(table, quoted=True) if table else None
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=owner)


class _Writer:
    """Writes the parts of one statement in one dialect."""

    def __init__(self, dialect: Dialect, table: str, decimals: int | None) -> None:
        self.dialect = dialect
        self.table = table
        self.decimals = decimals

    def star(self, plan: Plan) -> exp.Expr:
        """Every column: of the plan's own table where others are joined to it."""
        if not plan.joins:
            return exp.Star()
        return exp.Column(this=exp.Star(), table=exp.to_identifier(plan.table, quoted=True))

    def on(self, joined: Joined) -> exp.Expr:
        """That rows of two tables belong together."""
        pairs = zip(joined.columns, joined.to_columns, strict=True)
        return exp.and_(
            *[exp.EQ(this=_column(joined.table, a), expression=_column(joined.to, b))
              for a, b in pairs]
        )  # fmt: skip

    def branch(self, branch: Branch) -> exp.Expr:
        """That a row has rows of other tables for which the conditions hold."""
        inner = exp.select("1").from_(_table(branch.table))
        if len(branch.columns) == 1:
            inner = exp.select(_column(branch.table, branch.columns[0])).from_(_table(branch.table))
        for name, joined in branch.joined:
            inner = inner.join(_table(name), on=self.on(joined), join_type="inner")
        for any_of in branch.filters:
            inner = inner.where(self.any_of(any_of))
        if len(branch.columns) == 1:
            return exp.In(this=_column(branch.of, branch.of_columns[0]), query=inner.subquery())
        for one, other in zip(branch.columns, branch.of_columns, strict=True):
            same = exp.EQ(this=_column(branch.table, one), expression=_column(branch.of, other))
            inner = inner.where(same)
        return exp.Exists(this=inner)

    def field(self, field: Field) -> exp.Expr:
        column = _column(field.table, field.column)
        if field.part == "value":
            return column
        if field.part == "number":
            kind = exp.Cast if self.dialect == "sqlite" else exp.TryCast
            return kind(this=column, to=exp.DataType.build("DOUBLE"))
        if self.dialect == "sqlite":
            code = "%Y" if field.part == "year" else "%m"
            text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(code), column])
            return exp.cast(text, "INTEGER")
        return exp.Extract(this=exp.var(field.part.upper()), expression=column)

    def term(self, term: Term) -> exp.Expr:
        return self.field(term) if isinstance(term, Field) else self.measure(term)

    def selected(self, term: Term, name: str) -> exp.Expr:
        written = self.term(term)
        if isinstance(term, Field) and term.part == "value" and name == term.column:
            return written
        if self.decimals is not None and isinstance(term, Measure):
            written = self._rounded(written, self.decimals)
        return exp.alias_(written, name, quoted=True)

    def _rounded(self, number: exp.Expr, decimals: int) -> exp.Expr:
        if self.dialect == "postgres":  # which rounds no floating numbers to decimals
            number = exp.cast(number, "DECIMAL")
        return exp.Round(this=number, decimals=exp.Literal.number(decimals))

    def derived(self, derived: Derived) -> exp.Expr:
        """A column computed from the rows of the result, with its name."""
        return exp.alias_(self._derived(derived), derived.operation, quoted=True)

    def _derived(self, derived: Derived) -> exp.Expr:
        if derived.operation == "difference":
            assert derived.other is not None
            return exp.Sub(this=self.term(derived.of), expression=self.value(derived.other))
        if derived.operation == "rank":
            return self._over(exp.Rank(), derived)
        if derived.operation == "share":
            total = self._over(exp.Sum(this=self.term(derived.of)), derived)
            return _percent(self.term(derived.of), total)
        if derived.operation == "running":
            return self._over(exp.Sum(this=self.term(derived.of)), derived, so_far=True)
        before = self._over(exp.Lag(this=self.term(derived.of)), derived)
        step = exp.Sub(this=self.term(derived.of), expression=before)
        return step if derived.operation == "change" else _percent(exp.paren(step), before.copy())

    def _over(self, function: exp.Expr, derived: Derived, *, so_far: bool = False) -> exp.Expr:
        order = [self.order(each) for each in derived.order]
        return exp.Window(
            this=function,
            partition_by=[self.field(each) for each in derived.within],
            order=exp.Order(expressions=order) if order else None,
            spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING",
                                end="CURRENT ROW") if so_far else None,
        )  # fmt: skip

    def measure(self, measure: Measure) -> exp.Expr:
        if measure.aggregation == "share":
            return self._share(measure)
        if measure.field is None:
            return exp.Count(this=exp.Star())
        field = self.field(measure.field)
        if measure.aggregation == "count":
            return exp.Count(this=field)
        if measure.aggregation == "count_distinct":
            return exp.Count(this=exp.Distinct(expressions=[field]))
        if measure.aggregation == "median":
            # SQLite has no median of its own; the reader does not plan one for it.
            return exp.Median(this=field)
        return _SIMPLE[measure.aggregation](this=field)

    def _share(self, measure: Measure) -> exp.Expr:
        test: exp.Expr = exp.and_(*[self.any_of(any_of) for any_of in measure.of])
        if measure.field is not None:
            return self._share_of_different(self.field(measure.field), test)
        hits = exp.Sum(
            this=exp.Case(
                ifs=[exp.If(this=test, true=exp.Literal.number("1.0"))],
                default=exp.Literal.number("0.0"),
            )
        )
        return exp.Div(
            this=exp.Mul(this=exp.Literal.number("100.0"), expression=hits),
            expression=exp.Count(this=exp.Star()),
        )

    def _share_of_different(self, field: exp.Expr, test: exp.Expr) -> exp.Expr:
        hit = exp.Case(ifs=[exp.If(this=test, true=field)])
        hits = exp.Count(this=exp.Distinct(expressions=[hit]))
        everything = exp.Count(this=exp.Distinct(expressions=[field.copy()]))
        return exp.Div(
            this=exp.Mul(this=exp.Literal.number("100.0"), expression=hits), expression=everything
        )

    def any_of(self, any_of: AnyOf) -> exp.Expr:
        tests = [self.condition(each) for each in any_of.conditions]
        return tests[0] if len(tests) == 1 else exp.paren(exp.or_(*tests))

    def condition(self, condition: Condition) -> exp.Expr:
        return self._test(self.field(condition.field), condition.comparison, condition.values)

    def having(self, having: Having) -> exp.Expr:
        return self._test(self.measure(having.measure), having.comparison, having.values)

    def order(self, order: Order) -> exp.Expr:
        # A missing value is never the highest or the lowest: both dialects put it last.
        return exp.Ordered(this=self.term(order.by), desc=order.descending, nulls_first=False)

    def value(self, value: Value) -> exp.Expr:
        """What a field is compared with: a literal, another field, or the cell of a plan."""
        if isinstance(value, Field):
            return self.field(value)
        if isinstance(value, Plan):
            return build_tree(value, inside=True).subquery()
        return _literal(value)

    def _test(self, left: exp.Expr, comparison: str, values: tuple[Value, ...]) -> exp.Expr:
        if comparison.startswith("not "):
            return exp.not_(self._test(left, comparison[4:], values))
        if comparison in ("missing", "present"):
            test = exp.Is(this=left, expression=exp.Null())
            return test if comparison == "missing" else exp.not_(test)
        if comparison == "between":
            return exp.Between(this=left, low=self.value(values[0]), high=self.value(values[1]))
        if comparison == "in" and values and isinstance(values[0], Plan):
            query = build_tree(values[0], inside=True)
            return exp.In(this=left, query=query.subquery())
        if comparison == "in":
            return exp.In(this=left, expressions=[self.value(value) for value in values])
        if comparison in _COMPARE:
            return _COMPARE[comparison](this=left, expression=self.value(values[0]))
        return self._like(left, comparison, str(values[0]))

    def _like(self, left: exp.Expr, comparison: str, text: str) -> exp.Expr:
        escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        pattern = {"contains": f"%{escaped}%", "starts": f"{escaped}%", "ends": f"%{escaped}"}[
            comparison
        ]
        if self.dialect == "duckdb":
            left = exp.cast(left, "TEXT")
        kind = exp.ILike if self.dialect == "duckdb" else exp.Like
        like = kind(this=left, expression=exp.Literal.string(pattern))
        return (
            exp.Escape(this=like, expression=exp.Literal.string("\\")) if escaped != text else like
        )


def _percent(part: exp.Expr, whole: exp.Expr) -> exp.Expr:
    """So many percent of the whole; missing where the whole is zero."""
    zero = exp.Nullif(this=whole, expression=exp.Literal.number("0"))
    hundredfold = exp.Mul(this=exp.Literal.number("100.0"), expression=part)
    return exp.Div(this=hundredfold, expression=zero)


def _literal(value: Cell) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if value is None:
        return exp.Null()
    if isinstance(value, int | float):
        return (
            exp.Literal.number(repr(value))
            if value >= 0
            else exp.Neg(this=exp.Literal.number(repr(-value)))
        )
    return exp.Literal.string(value)


_NAMES = {
    "avg": "average_{}",
    "median": "median_{}",
    "sum": "total_{}",
    "min": "minimum_{}",
    "max": "maximum_{}",
    "count": "count_{}",
    "count_distinct": "distinct_{}",
    "share": "percent",
}


def column_names(terms: Sequence[Term]) -> list[str]:
    """The names of the columns of a result: with their tables where two are called the same."""
    plain = [term_name(term) for term in terms]
    fields = [term if isinstance(term, Field) else term.field for term in terms]
    return [
        f"{field.table}_{name}" if field and field.table and plain.count(name) > 1 else name
        for name, field in zip(plain, fields, strict=True)
    ]


def term_name(term: Term) -> str:
    """The name of a term's column in the result."""
    if isinstance(term, Field):
        return term.column if term.part in ("value", "number") else f"{term.column}_{term.part}"
    if term.field is None or term.aggregation == "share":
        return "percent" if term.aggregation == "share" else "count"
    return _NAMES[term.aggregation].format(term_name(term.field))
