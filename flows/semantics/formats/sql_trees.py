"""Expressions of SQL, as other tools write them, read into the trees of a semantic model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Protocol

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from flows.core.observation import Cell
from flows.errors import ConfigError, Place
from flows.semantics.formats.sql_text import Unsayable
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Bin,
    Cast,
    Comparison,
    Constant,
    DateOf,
    Expression,
    Function,
    Grain,
    Match,
    Missing,
    Not,
    OneOf,
    Operator,
    Or,
    Period,
    Predicate,
    conjunction,
)

SAYABLE: Final = (
    "what can be said: fields, numbers, texts, + - * /, COUNT, SUM, AVG, MIN, MAX, MEDIAN, STDDEV, "
    "PERCENTILE_CONT, CASE WHEN within a figure, DATE_TRUNC, EXTRACT, CAST to a number, and "
    "conditions with = <> < <= > >=, BETWEEN, IN, ILIKE, IS NULL, AND, OR, NOT"
)
_ARITHMETIC: Final[dict[type[exp.Expr], str]] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.SafeDivide: "/",
}  # fmt: skip
_COMPARISONS: Final[dict[type[exp.Expr], Operator]] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=",
}  # fmt: skip
_FIGURES: Final[dict[type[exp.Expr], Function]] = {
    exp.Sum: "sum", exp.Avg: "average", exp.Min: "minimum", exp.Max: "maximum",
    exp.Median: "median", exp.Stddev: "deviation", exp.StddevSamp: "deviation",
}  # fmt: skip
_NUMBER_OF: Final[dict[str, Grain]] = {
    "YEAR": "year", "QUARTER": "quarter of year", "MONTH": "month of year", "DAY": "day of month",
    "ISODOW": "weekday", "DAYOFWEEKISO": "weekday", "DAYOFWEEK_ISO": "weekday",
    "HOUR": "hour of day",
}  # fmt: skip
_PARTS_BY_NAME: Final[dict[type[exp.Expr], Grain]] = {
    exp.Year: "year", exp.Quarter: "quarter of year", exp.Month: "month of year",
    exp.Day: "day of month", exp.DayOfMonth: "day of month", exp.DayOfWeekIso: "weekday",
    exp.Hour: "hour of day",
}  # fmt: skip
_FIRST_OF: Final[dict[str, Grain]] = {
    "QUARTER": "quarter", "MONTH": "month", "WEEK": "week", "DAY": "day", "HOUR": "hour",
}  # fmt: skip
_TIMES: Final = (
    exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.DATETIME, exp.DataType.Type.TIMESTAMPTZ,
)  # fmt: skip
_STATEMENTS: Final = (exp.Query, exp.Block, exp.DDL, exp.DML, exp.Drop, exp.Command, exp.Alias)
_LONGEST: Final = 20_000
_MOST_NODES: Final = 2_000


class ExpressionNames(Protocol):
    """What the names of an expression stand for."""

    def find(self, parts: Sequence[str]) -> Expression:
        """The field or metric of a name such as `orders.amount`. Raises ConfigError with the
        nearest name where there is none."""


def sql_tree(text: str, dialect: str, place: Place) -> exp.Expr:
    """The tree of one SQL expression. Raises ConfigError at the place for text that is none."""
    try:
        if len(text) > _LONGEST:
            raise ConfigError(f"an expression has at most {_LONGEST} characters", place=place)
        tree = sqlglot.parse_one(text, read=dialect or None)
        if sum(1 for _ in tree.walk()) > _MOST_NODES:
            raise ConfigError(f"an expression has at most {_MOST_NODES} parts", place=place)
    except (SqlglotError, RecursionError) as error:
        why = re.sub(r"\x1b\[\d*m", "", str(error)).splitlines() or ["too deeply nested"]
        raise ConfigError(f"this SQL expression cannot be read: {why[0]}", place=place) from error
    if isinstance(tree, _STATEMENTS) and not isinstance(tree, exp.Subquery):
        raise ConfigError("this must be one SQL expression, not a statement", place=place)
    return tree


class SqlTreeReader:
    """Makes trees of the model out of those of SQL. Raises Unsayable for what they have no words
    for, and ConfigError for a name that stands for nothing."""

    def __init__(self, names: ExpressionNames) -> None:
        self.names = names

    def expression(self, node: exp.Expr) -> Expression:
        for read in (self._leaf, self._arithmetic, self._time, self._figure):
            found = read(node)
            if found is not None:
                return found
        raise _unsayable(node)

    def _leaf(self, node: exp.Expr) -> Expression | None:
        match node:
            case exp.Paren():
                return self.expression(node.this)
            case exp.Column() | exp.Dot():
                return self.names.find([part.name for part in node.parts])
            case exp.Cast() if node.this.is_string and node.to.this in _TIMES:
                return Constant(value=node.this.this)
            case exp.DateFromParts(args={"year": year, "month": month, "day": day}):
                return DateOf(year=self.expression(year), month=self.expression(month),
                              day=self.expression(day))  # fmt: skip
            case exp.Cast() if node.to.this in exp.DataType.NUMERIC_TYPES:
                return Cast(of=self.expression(node.this))
            case exp.Cast() if node.to.this == exp.DataType.Type.DATE:
                return Period(of=self.expression(node.this), grain="day")
        known, value = _constant(node)
        return Constant(value=value) if known else None

    def _arithmetic(self, node: exp.Expr) -> Expression | None:
        share, bins = self._share(node), self._bin(node)
        if share or bins:
            return share or bins
        operator = _ARITHMETIC.get(type(node))
        if operator is not None:
            right = _without_nought(node.expression) if operator == "/" else node.expression
            return _made(operator, self.expression(node.this), self.expression(right))
        match node:
            case exp.Anonymous() if node.name.upper() == "DIV0":
                left, right = node.expressions
                return _made("/", self.expression(left), self.expression(right))
            case exp.Neg():
                return _made("-", Constant(value=0), self.expression(node.this))
            case exp.DateDiff() if str(node.args.get("unit") or "day").upper() == "DAY":
                return _made("-", self.expression(node.this), self.expression(node.expression))
        return None

    def _bin(self, node: exp.Expr) -> Expression | None:
        """FLOOR(x / 5) * 5"""
        if not (isinstance(node, exp.Mul) and isinstance(node.this, exp.Floor)):
            return None
        inner = node.this.this
        known, width = _constant(node.expression)
        if not isinstance(inner, exp.Div) or not known or _constant(inner.expression)[1] != width:
            return None
        if not isinstance(width, int | float) or width <= 0:
            return None
        return Bin(of=self.expression(inner.this), width=width)

    def _time(self, node: exp.Expr) -> Expression | None:
        grain: Grain | None = None
        of: exp.Expr | None = node.this if isinstance(node.this, exp.Expr) else None
        match node:
            case exp.Extract():
                grain, of = _NUMBER_OF.get(node.name.upper()), node.expression
            case exp.Anonymous() if node.name.upper() == "DATE_PART" and len(node.expressions) == 2:
                part, of = node.expressions
                grain = _NUMBER_OF.get(part.name.upper())
            case exp.DateTrunc() | exp.TimestampTrunc():
                grain = _FIRST_OF.get(node.args["unit"].name.upper())
            case exp.TsOrDsToDate() | exp.Date():
                grain = "day"
            case _:
                grain = _PARTS_BY_NAME.get(type(node))
        if grain is None or of is None:
            return None
        while isinstance(of, exp.TsOrDsToDate | exp.Paren):
            of = of.this
        return Period(of=self.expression(of), grain=grain)

    def _figure(self, node: exp.Expr) -> Expression | None:
        match node:
            case exp.Filter():
                inner = self.expression(node.this)
                return _restricted(inner, self.predicate(node.expression.this), node)
            case exp.WithinGroup() if isinstance(node.this, exp.PercentileCont):
                at, of = node.this.this, node.expression.expressions[0].this
                return self._aggregate("percentile", of, _percentage(at, node))
            case exp.PercentileCont() | exp.Quantile() if node.expression or node.args.get(
                "quantile"
            ):
                at = node.args.get("quantile") or node.expression
                return self._aggregate("percentile", node.this, _percentage(at, node))
            case exp.CountIf():
                return Aggregate(function="count", where=self.predicate(node.this))
            case exp.Count():
                return self._count(node)
            case exp.Sum() if _constant(node.this) == (True, 1):
                return Aggregate(function="count")
        function = _FIGURES.get(type(node))
        return None if function is None else self._aggregate(function, node.this)

    def _count(self, node: exp.Count) -> Expression:
        of = node.this
        if isinstance(of, exp.Distinct):
            if len(of.expressions) != 1:
                raise _unsayable(node)
            return self._aggregate("count distinct", of.expressions[0])
        if node.expressions:
            raise _unsayable(node)
        if isinstance(of, exp.Star) or _constant(of)[0]:
            return Aggregate(function="count")
        return self._aggregate("count", of)

    def _aggregate(self, function: Function, of: exp.Expr, at: float | None = None) -> Aggregate:
        """A figure of the rows; CASE WHEN p THEN x END takes only those for which p holds."""
        where = None
        case = _condition(of)
        if case is not None:
            condition, of, other = case
            if other is not None and not (function == "sum" and _constant(other) == (True, 0)):
                raise _unsayable(other)
            where = self.predicate(condition)
            if function in ("count", "sum") and _constant(of)[1] == 1:
                return Aggregate(function="count", where=where)
        if isinstance(of, exp.Distinct) or _constant(of)[0]:
            raise _unsayable(of)
        if function == "sum":
            of = _without_default(of)
        return Aggregate(function=function, of=self.expression(of), where=where, at=at)

    def _share(self, node: exp.Expr) -> Expression | None:
        """100.0 * COUNT(CASE WHEN p THEN 1 END) / NULLIF(COUNT(*), 0), and of different values"""
        if not (isinstance(node, exp.Div) and isinstance(node.this, exp.Mul)):
            return None
        whole = _without_nought(node.expression)
        hundred, part = node.this.this, node.this.expression
        if _constant(hundred) != (True, 100) or not isinstance(part, exp.Count):
            return None
        if not isinstance(whole, exp.Count):
            return None
        left, right = self._count(part), self._count(whole)
        assert isinstance(left, Aggregate)
        if left.where is None or left.model_copy(update={"where": None}) != right:
            return None
        return Aggregate(function="share", of=left.of, where=left.where)

    def predicate(self, node: exp.Expr) -> Predicate:
        match node:
            case exp.Paren():
                return self.predicate(node.this)
            case exp.And() | exp.Or():
                parts = tuple(self.predicate(each) for each in node.flatten())
                return And(of=parts) if isinstance(node, exp.And) else Or(of=parts)
            case exp.Not():
                return Not(of=self.predicate(node.this))
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Missing(of=self.expression(node.this))
            case exp.Is() if isinstance(node.expression, exp.Boolean):
                return self._holds(node.this, bool(node.expression.this))
            case exp.Between() if not node.args.get("symmetric"):
                low, high = self.expression(node.args["low"]), self.expression(node.args["high"])
                return Between(of=self.expression(node.this), low=low, high=high)
            case exp.In() if node.expressions:
                return OneOf(of=self.expression(node.this), values=_values(node.expressions))
            case exp.Column():
                return self._holds(node, True)
        operator = _COMPARISONS.get(type(node))
        if operator is not None:
            left, right = self.expression(node.this), self.expression(node.expression)
            return Comparison(left=left, operator=operator, right=right)
        return self._match(node)

    def _holds(self, node: exp.Expr, value: bool) -> Predicate:
        return Comparison(left=self.expression(node), operator="=", right=Constant(value=value))

    def _match(self, node: exp.Expr) -> Predicate:
        escape = ""
        if isinstance(node, exp.Escape):
            escape, node = node.expression.name, node.this
        of, pattern = node.args.get("this"), node.args.get("expression")
        if not isinstance(node, exp.Like | exp.ILike) or of is None or pattern is None:
            raise _unsayable(node)
        if isinstance(node, exp.Like):
            if not isinstance(of, exp.Lower | exp.Upper):
                raise Unsayable("LIKE, where capital letters matter (ILIKE can be said)")
            if isinstance(pattern, exp.Lower | exp.Upper):
                pattern = pattern.this
            of = of.this
        if not pattern.is_string:
            raise _unsayable(pattern)
        return _matched(self.expression(of), pattern.name, escape)


def _matched(of: Expression, pattern: str, escape: str) -> Match:
    marks = re.findall(rf"{re.escape(escape)}(.)|([%_])|(.)" if escape else r"(\0)|([%_])|(.)",
                       pattern, re.DOTALL)  # fmt: skip
    wild = [index for index, (_, mark, _) in enumerate(marks) if mark]
    text = "".join(kept or plain for kept, mark, plain in marks if not mark)
    last = len(marks) - 1
    if any(marks[index][1] == "_" for index in wild) or not text:
        raise Unsayable(f"the pattern {pattern!r}")
    if wild == [0, last]:
        return Match(of=of, place="contains", text=text)
    if wild == [last]:
        return Match(of=of, place="starts", text=text)
    if wild == [0]:
        return Match(of=of, place="ends", text=text)
    raise Unsayable(f"the pattern {pattern!r}")


def _constant(node: exp.Expr) -> tuple[bool, Cell]:
    """Whether it is a constant, and which."""
    match node:
        case exp.Literal() if node.is_string:
            return True, node.name
        case exp.Literal():
            text = node.name
            return True, int(text) if re.fullmatch(r"\d+", text) else float(text)
        case exp.Boolean():
            return True, bool(node.this)
        case exp.Null():
            return True, None
        case exp.Paren():
            return _constant(node.this)
        case exp.Neg():
            known, value = _constant(node.this)
            if known and isinstance(value, int | float) and not isinstance(value, bool):
                return True, -value
    return False, None


def _values(nodes: Sequence[exp.Expr]) -> tuple[Cell, ...]:
    found = [_constant(node) for node in nodes]
    for node, (known, _) in zip(nodes, found, strict=True):
        if not known:
            raise _unsayable(node)
    return tuple(value for _, value in found)


def _condition(node: exp.Expr) -> tuple[exp.Expr, exp.Expr, exp.Expr | None] | None:
    """Condition, value and other value of a CASE with one WHEN, or of an IF."""
    if isinstance(node, exp.Paren):
        return _condition(node.this)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "IFF":
        condition, value, *other = node.expressions
        return condition, value, other[0] if other else None
    if isinstance(node, exp.Case):
        if node.this is not None or len(node.args["ifs"]) != 1:
            raise _unsayable(node)
        inner, other_value = node.args["ifs"][0], node.args.get("default")
    elif isinstance(node, exp.If):
        inner, other_value = node, node.args.get("false")
    else:
        return None
    nothing = other_value is None or isinstance(other_value, exp.Null)
    return inner.this, inner.args["true"], None if nothing else other_value


def _without_nought(node: exp.Expr) -> exp.Expr:
    """`x` of NULLIF(x, 0): dividing by nought gives no value anyway."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Nullif) and _constant(node.expression) == (True, 0):
        node = node.this
    return node


def _without_default(node: exp.Expr) -> exp.Expr:
    """`x` of COALESCE(x, 0): in a sum a missing value is as good as nought."""
    if isinstance(node, exp.Coalesce) and len(node.expressions) == 1:
        first: exp.Expr = node.this
        return first if _constant(node.expressions[0]) == (True, 0) else node
    return node


def _restricted(figure: Expression, where: Predicate, node: exp.Expr) -> Aggregate:
    if not isinstance(figure, Aggregate) or figure.function == "share":
        raise _unsayable(node)
    return figure.model_copy(update={"where": conjunction((figure.where, where))})


def _percentage(node: exp.Expr | None, whole: exp.Expr) -> float:
    known, value = _constant(node) if node is not None else (False, None)
    if not known or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _unsayable(whole)
    # The text has a part of one, such as 0.29; times a hundred that is 28.999999999999996.
    return round(value * 100, 10)


def _made(operator: str, left: Expression, right: Expression) -> Arithmetic:
    return Arithmetic.model_validate({"operator": operator, "left": left, "right": right})


def _unsayable(node: exp.Expr) -> Unsayable:
    text = node.sql()
    return Unsayable(text if len(text) < 80 else f"{text[:77]}...")
