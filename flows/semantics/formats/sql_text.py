"""Expressions of a semantic model as text of standard SQL, for files that other tools read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from sqlglot.parser import Parser
from sqlglot.tokens import Tokenizer

from flows.core.observation import Cell
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
    FieldRef,
    Grain,
    Match,
    MetricRef,
    Missing,
    Not,
    OneOf,
    Or,
    Period,
    Predicate,
)

PARTS: Final[dict[Grain, str]] = {
    "year": "YEAR", "quarter of year": "QUARTER", "month of year": "MONTH", "day of month": "DAY",
    "weekday": "ISODOW", "hour of day": "HOUR",
}  # fmt: skip
TRUNCATED: Final[tuple[Grain, ...]] = ("quarter", "month", "week", "day", "hour")
AGGREGATES: Final = {
    "sum": "SUM", "average": "AVG", "median": "MEDIAN", "minimum": "MIN", "maximum": "MAX",
    "deviation": "STDDEV_SAMP", "count": "COUNT",
}  # fmt: skip
# Words that standard SQL, or one of the databases that we know, keeps for itself.
_WORDS: Final = """
    all analyse analyze and any array as asc asymmetric at authorization between binary both by call
    case cast check collate collation column concurrently connect constraint create cross cube
    current default deferrable delete desc describe distinct do drop else end except exclude exists
    explain false fetch filter for foreign freeze from full function grant group grouping having if
    ignore in index initially inner insert intersect interval into is isnull join key keys lambda
    lateral leading left like limit localtime localtimestamp lock match merge minus natural not
    notnull null of off offset on only open or order outer over overlaps partition pivot
    pivot_longer pivot_wider placing primary procedure qualify range read references replace
    returning right rlike row rows sample schema select session set show similar some start
    summarize symmetric system table tablesample then to top trailing trigger true union unique
    unpivot update user using value values variadic verbose view when where window with within
"""
_RESERVED: Final = frozenset(_WORDS.split())
_REGULAR = re.compile(r"[a-z_][a-z0-9_]*")
_OPERATORS: Final = {"!=": "<>"}


class Unsayable(Exception):  # a signal between the two languages, and never an error of its own
    """One of the two languages has no words for what the other one says; the text says what."""


def quoted(name: str) -> str:
    """The name as an identifier, in quotes where it could be read as something else."""
    upper = name.upper()
    taken = name in _RESERVED or upper in Tokenizer.KEYWORDS or upper in Parser.FUNCTIONS
    if _REGULAR.fullmatch(name) and not taken:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal(value: Cell) -> str:
    """The value as SQL writes it. Raises Unsayable for a number that is not finite."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if not math.isfinite(value):
        raise Unsayable(f"the number {value}")
    return repr(value)


def as_sql(expression: Expression, own: str = "", counted: FieldRef | None = None) -> str:
    """The expression as SQL; fields of the dataset `own` stand there without its name.

    `counted` is a field that no row is without: rows are counted by it, so that the text says of
    which dataset they are. Raises Unsayable where standard SQL has no expression for it.
    """
    return _Writer(own, counted).expression(expression)


class _Writer:
    def __init__(self, own: str, counted: FieldRef | None) -> None:
        self.own = own
        self.counted = counted

    def expression(self, node: Expression) -> str:
        match node:
            case FieldRef():
                return self.field(node)
            case Constant():
                return literal(node.value)
            case MetricRef():
                return quoted(node.metric)
            case Arithmetic():
                return self.arithmetic(node)
            case Cast():
                return f"TRY_CAST({self.expression(node.of)} AS DOUBLE)"
            case Bin():
                return f"FLOOR({self.operand(node.of)} / {node.width!r}) * {node.width!r}"
            case Period():
                return self.period(node)
            case DateOf():
                parts = map(self.expression, (node.year, node.month, node.day))
                return f"MAKE_DATE({', '.join(parts)})"
            case Aggregate():
                return self.aggregate(node)
            case _:
                raise Unsayable("a value that another query gives")

    def field(self, node: FieldRef) -> str:
        if node.via:
            raise Unsayable("a field that one of several relationships leads to")
        name = quoted(node.field)
        return name if node.dataset == self.own else f"{quoted(node.dataset)}.{name}"

    def operand(self, node: Expression) -> str:
        text = self.expression(node)
        compound = isinstance(node, Arithmetic | Bin) or text.startswith("-")
        shares = isinstance(node, Aggregate) and node.function == "share"
        return f"({text})" if compound or shares else text

    def arithmetic(self, node: Arithmetic) -> str:
        right = self.operand(node.right)
        if node.operator == "/" and not _is_number(node.right):
            right = f"NULLIF({self.expression(node.right)}, 0)"
        return f"{self.operand(node.left)} {node.operator} {right}"

    def period(self, node: Period) -> str:
        of = self.expression(node.of)
        if node.grain in PARTS:
            return f"EXTRACT({PARTS[node.grain]} FROM {of})"
        if node.grain in TRUNCATED:
            return f"DATE_TRUNC('{node.grain}', {of})"
        raise Unsayable(f"the {node.grain} of a time")

    def aggregate(self, node: Aggregate) -> str:
        if node.dataset or node.via:
            raise Unsayable("a figure of the rows of another dataset")
        if node.function == "share":
            return self.share(node)
        if node.of is None:
            rows = "1" if node.where else "*"
            rows = self.field(self.counted) if self.counted else rows
            return f"COUNT({self.within(node.where, rows)})"
        of = self.within(node.where, self.expression(node.of))
        if node.function == "count distinct":
            return f"COUNT(DISTINCT {of})"
        if node.function == "percentile":
            return f"PERCENTILE_CONT({_part(node.at)}) WITHIN GROUP (ORDER BY {of})"
        return f"{AGGREGATES[node.function]}({of})"

    def share(self, node: Aggregate) -> str:
        if node.where is None:
            raise Unsayable("a share without a condition")
        if node.of is None:
            part, whole = f"COUNT({self.within(node.where, '1')})", "COUNT(*)"
        else:
            of = self.expression(node.of)
            part = f"COUNT(DISTINCT {self.within(node.where, of)})"
            whole = f"COUNT(DISTINCT {of})"
        return f"100.0 * {part} / NULLIF({whole}, 0)"

    def within(self, where: Predicate | None, value: str) -> str:
        return value if where is None else f"CASE WHEN {self.predicate(where)} THEN {value} END"

    def predicate(self, node: Predicate) -> str:
        match node:
            case Comparison():
                operator = _OPERATORS.get(node.operator, node.operator)
                return f"{self.operand(node.left)} {operator} {self.operand(node.right)}"
            case Between():
                low, high = self.operand(node.low), self.operand(node.high)
                return f"{self.operand(node.of)} BETWEEN {low} AND {high}"
            case OneOf():
                values = ", ".join(literal(value) for value in node.values)
                return f"{self.operand(node.of)} IN ({values})"
            case Match():
                return self.match(node)
            case Missing():
                return f"{self.operand(node.of)} IS NULL"
            case Not():
                return f"NOT ({self.predicate(node.of)})"
            case And():
                return self.joined(node.of, " AND ")
            case Or():
                return self.joined(node.of, " OR ")
            case _:
                raise Unsayable("a condition on today's date or on rows of another dataset")

    def joined(self, parts: tuple[Predicate, ...], word: str) -> str:
        compound: Callable[[Predicate], bool] = lambda part: isinstance(part, And | Or)  # noqa: E731
        texts = ((self.predicate(part), compound(part)) for part in parts)
        return word.join(f"({text})" if nested else text for text, nested in texts)

    def match(self, node: Match) -> str:
        text = re.sub(r"([%_!])", r"!\1", node.text)
        pattern = {"contains": f"%{text}%", "starts": f"{text}%", "ends": f"%{text}"}[node.place]
        escape = " ESCAPE '!'" if text != node.text else ""
        return f"LOWER({self.expression(node.of)}) LIKE LOWER({literal(pattern)}){escape}"


def _is_number(node: Expression) -> bool:
    """Whether it is a number that is surely not nought, so that dividing by it is safe."""
    return (
        isinstance(node, Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and bool(node.value)
    )


def _part(percentage: float | None) -> str:
    if percentage is None:
        raise Unsayable("a percentile without its percentage")
    return repr(percentage / 100)
