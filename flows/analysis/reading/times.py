"""The rules for filters on years, dates and periods, and on numbers that stand alone."""

from __future__ import annotations

import re

from flows.analysis.language.phrases import Match
from flows.analysis.reading.conditions import (
    AUX,
    NOT,
    add,
    column_of_years,
    compare,
    is_negated,
    marker,
)
from flows.analysis.reading.draft import Draft, is_time
from flows.analysis.reading.grammar import Rule, rule
from flows.analysis.reading.placeholder import Placeholder
from flows.analysis.reading.plan import AnyOf, Comparison, Condition, Field


def _time(draft: Draft, match: Match) -> str | None:
    value = draft.literal(match["n"])
    column = column_of_years(draft, value)
    if column is None or not is_time(column):
        return None
    if isinstance(value, Placeholder) and match["when"] not in (
        "before",
        "after",
        "since",
        "until",
    ):
        return None
    tests: dict[str, Comparison] = {
        "in or after": ">=", "on or after": ">=", "in or before": "<=", "on or before": "<=",
        "since or after": ">=",
        "since": ">=", "from": "=", "before": "<", "after": ">", "until": "<=", "till": "<=",
        "by": "<=", "prior to": "<", "starting": ">=",
    }  # fmt: skip
    test = tests.get(match["when"], "=")
    if draft.trend and match["when"] == "from":
        test = ">="
    return marker(draft) if add(draft, column, test, [value], is_negated(match)) else None


def _years(draft: Draft, match: Match) -> str | None:
    values = [draft.literal(slot) for slot in re.findall(r"N\d+", match.group())]
    named = match.groupdict().get("c")
    column = draft.column(named) if named else column_of_years(draft, *values)
    if column is None:
        return None
    return marker(draft) if add(draft, column, "in", values, is_negated(match)) else None


def _amount_of(draft: Draft, match: Match) -> str | None:
    """`with 4 stars`, `8 cylinders`: a number before a measure."""
    column = draft.column(match["c"])
    value = draft.literal(match["n"])
    code = column.type == "text" and column.values_complete and f"{value}" in column.values
    if (column.type not in ("integer", "real") and not code) or column.role == "id":
        return None
    if isinstance(value, Placeholder):
        return None
    return (
        marker(draft)
        if add(draft, column, "=", [draft.literal(match["n"])], is_negated(match))
        else None
    )


def _period(draft: Draft, match: Match) -> str | None:
    """`in March 2024`, `last quarter`: the time that is named, else that of the rows."""
    named = match.groupdict().get("c")
    column = draft.column(named) if named else draft.date_column()
    period = draft.slots[match["p"]].period
    if column is None or period is None or column.type not in ("date", "timestamp"):
        return None
    test: Comparison = "not during" if is_negated(match) else "during"
    draft.filters.append(AnyOf((Condition(Field(column.name), test, (period,)),)))
    return marker(draft)


def _years_old(draft: Draft, match: Match) -> str | None:
    scaled = draft.scaled("old")
    if not scaled or not scaled[1]:
        return None
    return (
        marker(draft)
        if add(draft, scaled[0], "=", [draft.literal(match["n"])], is_negated(match))
        else None
    )


_WHEN = r"(?:(?:in|during|for|of|on|over|within|from|throughout|at|made|dated) )?"
TIMES: tuple[Rule, ...] = (
    rule("period", rf"<C> <BE>{NOT}<BE>{_WHEN}<DET><P>", _period),
    rule("period", rf"{AUX}{NOT}{_WHEN}<DET><P>", _period),
    rule(
        "years",
        rf"{NOT}(?:in|during|for) (?:either )?<DET>(?:years? )?<N1>(?: ,| and| or|, "
        rf"and|, or)+ (?:in )?<N2>",
        _years,
    ),
    rule("years", rf"<C> <BE>{NOT}<BE>(?:either )?<N1>(?: ,| and| or)+ <N2>", _years),
    rule(
        "time",
        r"(?:and )?(?P<when>(?:in|on) or (?:after|before)|since|before|after|until|till|"
        r"prior to|by|from) <DET>(?:years? |C\d+ )?<N>"
        r"(?: on| onwards?)?",
        _time,
    ),
    rule(
        "equality",
        rf"{AUX}(?P<not><NOT>) (?:have |with |a |an |the |of |in )*<C> <BE><N>(?! "
        rf"C)",
        compare,
    ),
    rule("equality", rf"<C> <BE>{NOT}<BE><N>(?! C)", compare),
    rule("time", r"(?P<when>in|during|of|on|for|at|starting)? ?<DET>(?:years? )?<N>", _time),
    rule("amount", rf"{AUX}{NOT}(?:exactly |with |has |have )*<N> <C>", _amount_of),
    rule("age", r"<BE>(?P<not>not )?<N>(?P<when>) years? old", _years_old),
)
