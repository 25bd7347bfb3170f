"""What the code of an analysis does, step by step, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.subject import rows_words
from flows.data.tables import Column, Table

_LISTED: Final = 12
Steps = Callable[[Specification[Arguments]], list[str]]


def computing(what: str) -> Steps:
    """The steps of a method whose computing is said in one sentence."""

    def steps(study: Specification[Arguments]) -> list[str]:
        used = [name for name in (*study.columns, study.target, study.group, study.time) if name]
        return [
            taking(study, list(dict.fromkeys(used))),
            *leaving_out(study.table, used),
            what,
            "Put it into the data frame `result`, what matters most first, and print what to "
            "beware of: few rows, skew, values left out.",
        ]

    return steps


def taking(study: Specification[Arguments], used: Sequence[str]) -> str:
    """Which columns of which rows are taken."""
    rows = rows_words(study)
    of = f"the rows{rows}" if rows else f"all {study.table.rows:,} rows"
    return f"Take {_listed(used)} of {of} of {study.table.name}."


def leaving_out(table: Table, used: Sequence[str]) -> list[str]:
    """That rows without a value are left out, where a column that is used lacks some."""
    sparse = [c for c in table.columns if c.name in used and c.missing]
    if not sparse:
        return []
    named = ", ".join(_gap(each) for each in sparse[:6])
    return [f"Leave out rows without a value and say how many: {named}."]


def _gap(column: Column) -> str:
    return f"{column.name} lacks {column.missing:,} of {column.rows:,}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_LISTED])
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(shown)}{more}" if shown else "the rows"
