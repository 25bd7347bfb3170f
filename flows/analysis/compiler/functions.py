"""What each database calls the functions that requests need."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from flows.analysis.compiler.template import fill, wrap
from flows.data.tables import Dialect
from flows.semantics.model import Calendar
from flows.semantics.query import Grain

_NUMERIC = r"^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *$"
_TO_NUMBER: Final[dict[Dialect, str]] = {
    "duckdb": "TRY_CAST(_x AS DOUBLE)",
    # An equation reads a text as a number only if all of it is one.
    "sqlite": "CASE WHEN CAST(_x AS REAL) = _x THEN CAST(_x AS REAL) END",
    "postgres": f"CASE WHEN _x ~ '{_NUMERIC}' THEN CAST(_x AS DOUBLE PRECISION) END",
    "mysql": f"CASE WHEN _x REGEXP '{_NUMERIC}' THEN CAST(_x AS DOUBLE) END",
}
_EXTRACTED = {
    "year": "YEAR", "quarter of year": "QUARTER", "month of year": "MONTH", "day of month": "DAY",
    "weekday": "ISODOW", "hour of day": "HOUR",
}  # fmt: skip
_HALF = "CASE WHEN EXTRACT(MONTH FROM _x) <= 6 THEN 1 ELSE 7 END"
_PERIODS: Final[dict[Dialect, dict[str, str]]] = {
    "duckdb": {
        **{grain: f"EXTRACT({part} FROM _x)" for grain, part in _EXTRACTED.items()},
        **{g: f"CAST(DATE_TRUNC('{g}', _x) AS DATE)" for g in ("quarter", "month", "week")},
        "half": f"MAKE_DATE(EXTRACT(YEAR FROM _x), {_HALF}, 1)",
        "day": "CAST(_x AS DATE)",
        "hour": "DATE_TRUNC('hour', _x)",
    },
    "postgres": {
        **{grain: f"CAST(EXTRACT({part} FROM _x) AS INT)" for grain, part in _EXTRACTED.items()},
        **{g: f"CAST(DATE_TRUNC('{g}', _x) AS DATE)" for g in ("quarter", "month", "week")},
        "half": f"MAKE_DATE(CAST(EXTRACT(YEAR FROM _x) AS INT), {_HALF}, 1)",
        "day": "CAST(_x AS DATE)",
        "hour": "DATE_TRUNC('hour', _x)",
    },
    "sqlite": {
        "year": "CAST(STRFTIME('%Y', _x) AS INTEGER)",
        "quarter of year": "(CAST(STRFTIME('%m', _x) AS INTEGER) + 2) / 3",
        "month of year": "CAST(STRFTIME('%m', _x) AS INTEGER)",
        "day of month": "CAST(STRFTIME('%d', _x) AS INTEGER)",
        "weekday": "(CAST(STRFTIME('%w', _x) AS INTEGER) + 6) % 7 + 1",
        "hour of day": "CAST(STRFTIME('%H', _x) AS INTEGER)",
        "half": "DATE(_x, 'start of month', '-' || ((STRFTIME('%m', _x) - 1) % 6) || ' months')",
        "quarter": "DATE(_x, 'start of month', '-' || ((STRFTIME('%m', _x) - 1) % 3) || ' months')",
        "month": "DATE(_x, 'start of month')",
        "week": "DATE(_x, 'weekday 0', '-6 days')",
        "day": "DATE(_x)",
        "hour": "STRFTIME('%Y-%m-%d %H:00:00', _x)",
    },
    "mysql": {
        "year": "YEAR(_x)",
        "quarter of year": "QUARTER(_x)",
        "month of year": "MONTH(_x)",
        "day of month": "DAYOFMONTH(_x)",
        "weekday": "WEEKDAY(_x) + 1",
        "hour of day": "HOUR(_x)",
        "half": "CAST(CONCAT(YEAR(_x), CASE WHEN MONTH(_x) <= 6 THEN '-01-01' ELSE '-07-01' END) "
        "AS DATE)",
        "quarter": "CAST(CONCAT(YEAR(_x), '-', QUARTER(_x) * 3 - 2, '-01') AS DATE)",
        "month": "CAST(CONCAT(YEAR(_x), '-', MONTH(_x), '-01') AS DATE)",
        "week": "DATE_SUB(DATE(_x), INTERVAL (WEEKDAY(_x)) DAY)",
        "day": "DATE(_x)",
        "hour": "DATE_ADD(CAST(DATE(_x) AS DATETIME), INTERVAL (HOUR(_x)) HOUR)",
    },
}
# The same of a series of times in pandas, as far as it has them.
FRAME_PERIODS: Final = {
    "year": "dt.year", "quarter of year": "dt.quarter", "month of year": "dt.month",
    "day of month": "dt.day", "hour of day": "dt.hour", "day": "dt.normalize()",
    "hour": 'dt.floor("h")', "weekday": "dt.day_of_week.add(1)",
    "week": 'dt.to_period("W").dt.start_time', "month": 'dt.to_period("M").dt.start_time',
    "quarter": 'dt.to_period("Q").dt.start_time', "sunday": 'dt.to_period("W-SAT").dt.start_time',
}  # fmt: skip
FRAME_DATE: Final = 'pd.to_datetime(pd.DataFrame(dict(year={}, month={}, day={})), errors="coerce")'
_DAYS: Final[dict[Dialect, tuple[str, str]]] = {
    "duckdb": ("_x - _y", "DATE_DIFF('second', _y, _x) / 86400.0"),
    "sqlite": ("JULIANDAY(_x) - JULIANDAY(_y)", "JULIANDAY(_x) - JULIANDAY(_y)"),
    "postgres": (
        "_x - _y",
        "EXTRACT(EPOCH FROM CAST(_x AS TIMESTAMP) - CAST(_y AS TIMESTAMP)) / 86400.0",
    ),
    "mysql": ("DATEDIFF(_x, _y)", "TIMESTAMPDIFF(SECOND, _y, _x) / 86400.0"),
}


def to_number(value: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A text as a number; text that is none gives no value."""
    return fill(_TO_NUMBER[dialect], dialect, x=value)


# With the months that a fiscal year ends before the calendar's does, and those that its quarters
# begin after the calendar's. A time is set to the beginning of its month before months are added
# where the database would go on to the next month for a day that there is not.
_FISCAL: Final[dict[Dialect, dict[str, str]]] = {
    "duckdb": {
        "fiscal year": "EXTRACT(YEAR FROM _x + INTERVAL {ahead} MONTH)",
        "fiscal quarter": "CAST(DATE_TRUNC('quarter', _x - INTERVAL {behind} MONTH) "
        "+ INTERVAL {behind} MONTH AS DATE)",
    },
    "postgres": {
        "fiscal year": "CAST(EXTRACT(YEAR FROM _x + INTERVAL '{ahead} months') AS INT)",
        "fiscal quarter": "CAST(DATE_TRUNC('quarter', _x - INTERVAL '{behind} months') "
        "+ INTERVAL '{behind} months' AS DATE)",
    },
    "sqlite": {
        "fiscal year": "CAST(STRFTIME('%Y', _x, 'start of month', '+{ahead} months') AS INTEGER)",
        "fiscal quarter": "DATE(_x, 'start of month', '-' || "
        "((STRFTIME('%m', _x) + 2 - {behind}) % 3) || ' months')",
    },
    "mysql": {
        "fiscal year": "YEAR(DATE_ADD(_x, INTERVAL {ahead} MONTH))",
        "fiscal quarter": "DATE_ADD(CAST(CONCAT(YEAR(DATE_SUB(_x, INTERVAL {behind} MONTH)), '-', "
        "QUARTER(DATE_SUB(_x, INTERVAL {behind} MONTH)) * 3 - 2, '-01') AS DATE), "
        "INTERVAL {behind} MONTH)",
    },
}


# Weeks that begin on Sunday.
_SUNDAYS: Final[dict[Dialect, str]] = {
    "duckdb": "CAST(DATE_TRUNC('week', _x + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)",
    "postgres": "CAST(DATE_TRUNC('week', _x + INTERVAL '1 day') - INTERVAL '1 day' AS DATE)",
    "sqlite": "DATE(_x, 'weekday 6', '-6 days')",
    "mysql": "DATE_SUB(DATE(_x), INTERVAL ((WEEKDAY(_x) + 1) % 7) DAY)",
}


def period(
    value: exp.Expr, grain: Grain, dialect: Dialect, calendar: Calendar | None = None
) -> exp.Expr:
    """The period that a time lies in: its first day or hour, or its number."""
    calendar = calendar or Calendar()
    if grain == "week" and calendar.week_start == "sunday":
        return fill(_SUNDAYS[dialect], dialect, x=value)
    plain = grain.removeprefix("fiscal ")
    ahead, behind = (1 - calendar.fiscal_start) % 12, (calendar.fiscal_start - 1) % 3
    if plain == grain or not (ahead if plain == "year" else behind):
        return fill(_PERIODS[dialect][plain], dialect, x=value)
    written = _FISCAL[dialect][grain].format(ahead=ahead, behind=behind)
    return fill(written, dialect, x=value)


_ISO = "PRINTF('%04d-%02d-%02d', _y, _m, _d)"
_FIRST = "MAKE_DATE(CAST(_y AS INT), CAST(_m AS INT), 1)"
_DATES: Final[dict[Dialect, str]] = {
    "duckdb": "TRY_CAST(_y || '-' || _m || '-' || _d AS DATE)",
    # A day that there is not becomes another one, which is written otherwise.
    "sqlite": f"CASE WHEN {_ISO} = DATE({_ISO}, '+0 days') THEN {_ISO} END",
    "postgres": "CASE WHEN _m BETWEEN 1 AND 12 AND _d >= 1 THEN CASE WHEN _d <= EXTRACT(DAY FROM "
    f"{_FIRST} + INTERVAL '1 month' - INTERVAL '1 day') THEN {_FIRST} + CAST(_d AS INT) - 1 "
    "END END",
    "mysql": "CAST(CONCAT(_y, '-', _m, '-', _d) AS DATE)",
}


def date_of(year: exp.Expr, month: exp.Expr, day: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The day of three numbers; no value where there is none."""
    return fill(_DATES[dialect], dialect, y=year, m=month, d=day)


def day(value: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The day of a moment."""
    return period(value, "day", dialect)


def days_between(first: exp.Expr, second: exp.Expr, dialect: Dialect, *, moments: bool) -> exp.Expr:
    """The days from the first time to the second, with a fraction where one is a moment."""
    return fill(_DAYS[dialect][moments], dialect, x=second, y=first)


def real(value: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A number that is divided with its decimals."""
    if isinstance(value, exp.Cast) and value.to.this == exp.DataType.Type.DOUBLE:
        return value
    kind = {"sqlite": "REAL", "postgres": "DOUBLE PRECISION"}.get(dialect, "DOUBLE")
    return fill(f"CAST(_x AS {kind})", dialect, x=value)


def quotient(left: exp.Expr, right: exp.Expr, dialect: Dialect) -> exp.Expr:
    """One number by another; no value where that is zero."""
    if not (isinstance(right, exp.Literal) and float(right.this)):
        right = exp.Nullif(this=right, expression=exp.Literal.number(0))
    if dialect != "duckdb":
        left = real(left, dialect)
    return divide(wrap(left), wrap(right), dialect)


def divide(left: exp.Expr, right: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A division as the database itself does it."""
    typed, safe = dialect in ("sqlite", "postgres"), dialect in ("sqlite", "mysql")
    return exp.Div(this=left, expression=right, typed=typed, safe=safe)


def lower_end(value: exp.Expr, width: float, dialect: Dialect) -> exp.Expr:
    """The lower end of the range of a number, in steps of a width."""
    step = number(width, dialect)
    parts = divide(wrap(real(value, dialect)), step, dialect)
    return exp.Mul(this=exp.Floor(this=parts), expression=step.copy())


def number(value: int | float, dialect: Dialect) -> exp.Expr:
    """A number as a literal; MySQL counts with decimals where no exponent says otherwise."""
    whole = isinstance(value, int) or value.is_integer()
    shown = str(int(value)) if whole and abs(value) < 1e15 else repr(value)
    if dialect == "mysql" and not whole and "e" not in shown:
        shown += "e0"
    shown = shown.removeprefix("-")
    literal = exp.Literal.number(shown)
    return exp.Neg(this=literal) if value < 0 else literal


def percent(part: exp.Expr, whole: exp.Expr, dialect: Dialect) -> exp.Expr:
    """So many percent of the whole; no value where the whole is zero."""
    # MySQL would keep five decimals of a division of decimals.
    hundred = exp.Literal.number("100e0" if dialect == "mysql" else "100.0")
    none = exp.Nullif(this=whole, expression=exp.Literal.number(0))
    return divide(exp.Mul(this=hundred, expression=wrap(part)), none, dialect)
