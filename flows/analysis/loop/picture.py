"""The chart of a result in words: which kind, of which of its columns, for the agent that draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.compile import term_name
from flows.analysis.language.words import split_identifier
from flows.analysis.plan import Plan
from flows.analysis.telling.wording import condition_words, term_words
from flows.core.observation import Preview

_MOST_LINES: Final = 3
_NAMED: Final = re.compile(r"chart|plot|graph|diagram|histogram|figure|map", re.IGNORECASE)


def chart_task(table: Preview, plan: Plan | None, style: str) -> str | None:
    """A task that draws a result by its columns; None for one that has nothing to draw.

    `plan` is the question that the result answers, and says what its rows are groups of.
    """
    if table.total_rows < 2:
        return None
    grouped = [term_name(each) for each in plan.groups] if plan is not None else []
    # What cannot be put in quotes cannot be named in a task.
    names = [name for name in table.columns if '"' not in name]
    times = [name for name in names if _is_time(name, table)]
    measures = [
        name for name in names if _has_numbers(name, table) and name not in (*times, *grouped)
    ]
    apart = [name for name in names if name not in (*times, *measures)]
    if not measures:
        return None
    kind, what = _pictured(measures, times, _by_size(apart, table))
    return f"Draw {_article(_kind(style) or kind)} of {what}"


def ranking_task(plan: Plan, style: str) -> str | None:
    """A task that draws all the groups of which a result has named the first; None for others."""
    order = plan.order[0].by if plan.order else None
    drawn = order is not None and plan.limit is not None and plan.groups
    if order is None or not drawn or plan.joins or plan.combined:
        return None
    groups = " and ".join(term_words(each, exact=True) for each in plan.groups)
    what = f"the {term_words(order, exact=True)} by {groups}{condition_words(plan, exact=True)}"
    return f"Draw {_article(_kind(style) or 'bar chart')} of {what}"


def _pictured(
    measures: Sequence[str], times: Sequence[str], apart: Sequence[str]
) -> tuple[str, str]:
    """The kind of chart that fits the columns, and what it is of."""
    if times and not (apart and _is_step(apart[0])):
        series = f" by {_quoted(apart[:1])}" if apart else ""
        drawn = _quoted(measures[: 1 if apart else _MOST_LINES])
        return "line chart", f"{drawn} over {_quoted(times[:1])}{series}"
    if named := [*apart, *times]:
        return "bar chart", f"{_quoted(measures[:1])} by {_quoted(named[:2])}"
    if len(measures) > 1:
        return "scatter plot", f"{_quoted(measures[1:2])} against {_quoted(measures[:1])}"
    return "histogram", _quoted(measures)


def _is_time(name: str, table: Preview) -> bool:
    """Whether a column says when: dates, or whole numbers called year."""
    if table.types[table.columns.index(name)] in ("date", "timestamp"):
        return True
    return "year" in split_identifier(name) and _has_numbers(name, table)


def _has_numbers(name: str, table: Preview) -> bool:
    place = table.columns.index(name)
    known = [row[place] for row in table.rows if row[place] is not None]
    plain = bool(known) and all(type(each) in (int, float) for each in known)
    return plain or table.types[place] in ("integer", "real")


def _is_step(name: str) -> bool:
    """Whether a column holds parts of a year, which follow each other in every year anew."""
    return bool({"month", "quarter", "week", "day", "weekday"} & set(split_identifier(name)))


def _by_size(names: Sequence[str], table: Preview) -> list[str]:
    """The names, those of most different values first: they stand along the axis."""
    sizes = {name: len({row[i] for row in table.rows}) for i, name in enumerate(table.columns)}
    return sorted(names, key=lambda name: -sizes[name])


def _kind(style: str) -> str:
    """The words of a person for a kind of chart, in full."""
    plain = style.strip()
    return plain if not plain or _NAMED.search(plain) else f"{plain} chart"


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].casefold() in 'aeiou' else 'a'} {kind}"


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f'"{name}"' for name in names)
