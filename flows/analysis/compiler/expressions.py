"""Expressions and predicates in SQL, whatever their fields and figures are written as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlglot import exp

from flows.analysis.compiler.functions import (
    date_of,
    day,
    days_between,
    lower_end,
    number,
    period,
    quotient,
    to_number,
)
from flows.analysis.compiler.names import column_names
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.template import column, fill, name, text, wrap
from flows.core.observation import Cell
from flows.semantics.calendar import span
from flows.semantics.kinds import columns_of, kind_of, parse_day, parse_moment, parse_time
from flows.semantics.query import (
    Among,
    And,
    Arithmetic,
    Between,
    Bin,
    Cast,
    Comparison,
    Constant,
    DateOf,
    During,
    Exists,
    Expression,
    Match,
    Missing,
    Not,
    OneOf,
    Or,
    Period,
    Predicate,
    Query,
    Scalar,
)

_COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "!=": exp.NEQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE,
}  # fmt: skip
_OPERATORS: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}
_TIMES = ("date", "timestamp")


def literal(value: Cell, kind: str | None, setting: StatementContext) -> exp.Expr:
    """A constant, as what it is compared with (`kind`) is written."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if value is None:
        return exp.Null()
    if isinstance(value, int | float):
        return number(value, setting.dialect)
    if kind == "date" and (moment := parse_moment(value)):
        return text(moment.date().isoformat())
    if kind == "timestamp" and (moment := parse_moment(value)):
        return text(moment.isoformat(" "))
    if kind == "time" and (clock := parse_time(value)):
        return text(clock.isoformat())
    return text(value)


@dataclass(frozen=True, slots=True)
class ExpressionWriter:
    """Writes expressions and predicates; `leaf` writes what is special to rows or to groups.

    `leaf` gives None for what is composed of other parts.
    """

    setting: StatementContext
    leaf: Callable[[Expression], exp.Expr | None]
    exists: Callable[[Exists], exp.Expr] | None = None

    def write(self, expression: Expression) -> exp.Expr:
        found = self.leaf(expression)
        if found is not None:
            return found
        dialect = self.setting.dialect
        match expression:
            case Constant(value=value):
                return literal(value, None, self.setting)
            case Arithmetic():
                return self._arithmetic(expression)
            case Period(of=of, grain=grain):
                return period(self.write(of), grain, dialect, self.setting.model.calendar)
            case Bin(of=of, width=width):
                return lower_end(self.write(of), width, dialect)
            case Cast(of=of):
                return to_number(self.write(of), dialect)
            case DateOf(year=year, month=month, day=of_month):
                return date_of(self.write(year), self.write(month), self.write(of_month), dialect)
            case Scalar(query=query):
                return self.setting.compile(query).subquery(copy=False)
        raise AssertionError(f"the request was not checked: {expression.kind} cannot stand here")

    def kind(self, expression: Expression) -> str | None:
        return kind_of(expression, self.setting.model)

    def _arithmetic(self, made: Arithmetic) -> exp.Expr:
        kinds = [self.kind(each) for each in (made.left, made.right)]
        if any(each in _TIMES for each in kinds):
            return self._days(made, kinds)
        left, right = self.write(made.left), self.write(made.right)
        if made.operator == "/":
            return quotient(left, right, self.setting.dialect)
        return _OPERATORS[made.operator](this=wrap(left), expression=wrap(right))

    def _days(self, made: Arithmetic, kinds: list[str | None]) -> exp.Expr:
        moments = "timestamp" in kinds or any(
            isinstance(each, Constant) and parse_day(str(each.value)) is None
            for each in (made.left, made.right)
        )
        left, right = (self._moment(each, moments) for each in (made.left, made.right))
        return days_between(right, left, self.setting.dialect, moments=moments)

    def _moment(self, expression: Expression, moments: bool) -> exp.Expr:
        if not isinstance(expression, Constant):
            return self.write(expression)
        written = literal(expression.value, "timestamp" if moments else "date", self.setting)
        if self.setting.dialect == "sqlite":
            return written
        kind = "DATE" if not moments else "DATETIME"
        if self.setting.dialect != "mysql" and moments:
            kind = "TIMESTAMP"
        return fill(f"CAST(_x AS {kind})", self.setting.dialect, x=written)

    def test(self, predicate: Predicate, *, negated: bool = False) -> exp.Expr:
        match predicate:
            case And(of=of):
                return exp.and_(*[self.test(each, negated=negated) for each in of], copy=False)
            case Or(of=of):
                tests = [self.test(each, negated=negated) for each in of]
                return exp.paren(exp.or_(*tests, copy=False), copy=False)
            case Not(of=Missing(of=of)):
                return exp.Not(this=exp.Is(this=wrap(self.write(of)), expression=exp.Null()))
            case Not(of=of):
                return exp.not_(self.test(of, negated=True), copy=False)
            case Exists():
                assert self.exists is not None, "the request was not checked: groups exist"
                return self.exists(predicate)
            case Comparison(left=left, operator=operator, right=right):
                one, other = self._pair(left, right)
                return _COMPARE[operator](this=wrap(one), expression=wrap(other))
            case Between():
                return self._between(predicate)
            case OneOf():
                return self._one_of(predicate)
            case Match():
                return self._match(predicate)
            case Missing(of=of):
                return exp.Is(this=wrap(self.write(of)), expression=exp.Null())
            case During():
                return self._during(predicate)
            case Among():
                return self._among(predicate, negated)

    def _pair(self, left: Expression, right: Expression) -> tuple[exp.Expr, exp.Expr]:
        """Two values as they are compared: a moment beside a day as the day that it is in."""
        kinds = [self._compared_kind(each) for each in (left, right)]
        kind = next((each for each in kinds if each not in (None, "text")), None)
        if kind in _TIMES:
            beside = [each for each in kinds if each is not None]
            kind = "date" if "date" in beside else "timestamp"
        return self._as(left, kind), self._as(right, kind)

    def _compared_kind(self, expression: Expression) -> str | None:
        if isinstance(expression, Constant) and isinstance(expression.value, str):
            return "date" if parse_day(expression.value) else "text"
        return self.kind(expression)

    def _as(self, expression: Expression, kind: str | None) -> exp.Expr:
        if isinstance(expression, Constant):
            return literal(expression.value, kind, self.setting)
        written = self.write(expression)
        if kind == "date" and self.kind(expression) == "timestamp":
            return day(written, self.setting.dialect)
        return written

    def _between(self, between: Between) -> exp.Expr:
        low, high = (self._pair(between.of, each) for each in (between.low, between.high))
        if low[0] == high[0]:
            return exp.Between(this=wrap(low[0]), low=wrap(low[1]), high=wrap(high[1]))
        return exp.and_(
            exp.GTE(this=wrap(low[0]), expression=wrap(low[1])),
            exp.LTE(this=wrap(high[0]), expression=wrap(high[1])),
            copy=False,
        )

    def _one_of(self, one_of: OneOf) -> exp.Expr:
        pairs = [self._pair(one_of.of, Constant(value=each)) for each in one_of.values]
        if all(pair[0] == pairs[0][0] for pair in pairs):
            return exp.In(this=wrap(pairs[0][0]), expressions=[each for _, each in pairs])
        tests = [exp.EQ(this=wrap(one), expression=other) for one, other in pairs]
        return exp.paren(exp.or_(*tests, copy=False), copy=False)

    def _match(self, match: Match) -> exp.Expr:
        escaped = match.text
        for each in "!%_":
            escaped = escaped.replace(each, f"!{each}")
        pattern = {"contains": f"%{escaped}%", "starts": f"{escaped}%", "ends": f"%{escaped}"}
        dialect = self.setting.dialect
        kind = exp.ILike if dialect in ("duckdb", "postgres") else exp.Like
        left, right = wrap(self.write(match.of)), pattern[match.place]
        if dialect == "mysql":  # where the collation decides, case may matter
            left, right = exp.Lower(this=left), right.lower()
        like = kind(this=left, expression=text(right))
        return exp.Escape(this=like, expression=text("!")) if "!" in right or (dialect in (
            "postgres", "mysql") and "\\" in right) else like  # fmt: skip

    def _during(self, during: During) -> exp.Expr:
        low, high = span(during, self.setting.today, self.setting.model.calendar)
        of = wrap(self.write(during.of))
        if self.kind(during.of) == "date":
            last = text((high - timedelta(days=1)).isoformat())
            return exp.Between(this=of, low=text(low.isoformat()), high=last)
        return exp.and_(
            exp.GTE(this=of, expression=text(low.isoformat())),
            exp.LT(this=of.copy(), expression=text(high.isoformat())),
            copy=False,
        )

    def _among(self, among: Among, negated: bool) -> exp.Expr:
        query = self.setting.compile(among.query)
        kinds = [self.kind(among.of), _column_kind(among.query, self.setting)]
        of = self.write(among.of)
        if "date" in kinds and kinds[0] == "timestamp":
            of = day(of, self.setting.dialect)
        shown_columns = columns_of(among.query, self.setting.model)
        values = column(column_names(shown_columns, self.setting.model)[0], "listed")
        shown = day(values, self.setting.dialect) if kinds == ["date", "timestamp"] else values
        limited = query.args.get("limit") is not None and self.setting.dialect == "mysql"
        if negated or shown is not values or limited:
            # A missing value in a list would leave it open whether another one is in it.
            known = exp.Not(this=exp.Is(this=values.copy(), expression=exp.Null()))
            source = query.subquery(name("listed"), copy=False)
            query = exp.select(shown, copy=False).from_(source, copy=False).where(known, copy=False)
        return exp.In(this=wrap(of), query=query.subquery(copy=False))


def _column_kind(query: Query, setting: StatementContext) -> str | None:
    return kind_of(Scalar(query=query), setting.model)
