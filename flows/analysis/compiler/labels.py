"""The names of periods in SQL and in pandas, for the columns that a person sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from flows.analysis.compiler.template import column, fill, text
from flows.data.tables import Dialect
from flows.semantics.labels import LETTERS, NAMES
from flows.semantics.query import Grain

_LETTERED: Final[dict[Dialect, str]] = {
    "duckdb": "EXTRACT(YEAR FROM _x) || '-{letter}' || ((EXTRACT(MONTH FROM _x) + {rest}) // "
    "{months})",
    "postgres": "CAST(EXTRACT(YEAR FROM _x) AS INT) || '-{letter}' || "
    "((CAST(EXTRACT(MONTH FROM _x) AS INT) + {rest}) / {months})",
    "sqlite": "STRFTIME('%Y', _x) || '-{letter}' || "
    "((CAST(STRFTIME('%m', _x) AS INTEGER) + {rest}) / {months})",
    "mysql": "CONCAT(YEAR(_x), '-{letter}', (MONTH(_x) + {rest}) DIV {months})",
}


def label(value: exp.Expr, grain: Grain, dialect: Dialect) -> exp.Expr:
    """What a period is called, of its number or its first day."""
    if grain in NAMES:
        ifs = [
            exp.If(this=exp.Literal.number(number), true=text(each))
            for number, each in enumerate(NAMES[grain], 1)
        ]
        return exp.Case(this=value.copy(), ifs=ifs)
    letter, months = LETTERS[grain]
    written = _LETTERED[dialect].format(letter=letter, months=months, rest=months - 1)
    return fill(written, dialect, x=value)


def label_columns(
    names: Sequence[str], grains: Mapping[str, Grain], source: str, dialect: Dialect
) -> list[exp.Expr]:
    """The columns of a statement inside, with what the periods in some of them are called."""
    return [
        exp.alias_(label(column(each, source), grains[each], dialect), each, quoted=True)
        if each in grains
        else column(each, source)
        for each in names
    ]


def label_lines(result: str, column: str, grain: Grain) -> list[str]:
    """Statements that put names for the periods of a column of a data frame."""
    cells = f"{result}[{column!r}]"
    if grain in NAMES:
        names = dict(enumerate(NAMES[grain], 1))
        return [f"{cells} = {cells}.map({names!r})"]
    letter, months = LETTERS[grain]
    number = f"({cells}.dt.month + {months - 1}) // {months}"
    parts = [f'({part}).astype("Int64").astype("string")' for part in (f"{cells}.dt.year", number)]
    return [f'{cells} = ({parts[0]} + "-{letter}" + {parts[1]}).astype(object).where({cells}'
            f".notna(), None)"]  # fmt: skip
