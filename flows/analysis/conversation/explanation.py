"""Questions for the reason of a change: `why did it fall?`, `why the dip in March?`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from flows.analysis.conversation.context import Context
from flows.analysis.conversation.merge import is_timed, subject
from flows.analysis.conversation.remark import in_its_year
from flows.analysis.conversation.superlative import names_of_figure
from flows.analysis.language.phrasebook import MONTHS
from flows.core.observation import Cell
from flows.semantics.labels import value_of
from flows.semantics.query import FieldRef, Period, conjunction, conjuncts
from flows.semantics.request import REQUEST, Analysis, Argument, Compound, Request

_WHY: Final = re.compile(
    r"^\W*(?:(?:and|but|so|ok)\W+)*(?:why|how come|what (?:caused|drove|explains|is behind|was "
    r"behind)|what(?:'s| is) the reason)\b",
    re.IGNORECASE,
)
_THOSE: Final = re.compile(
    r"\b(?:the|those|these|that|this|all)\s+(?:two |three )?(?:(?P<down>dips?|drops?|falls?|"
    r"declines?|slumps?|lows?)|(?:peaks?|spikes?|jumps?|rises?|highs?))\b",
    re.IGNORECASE,
)
# A question that says when it was is about that alone.
_WHEN: Final = re.compile(rf"\b(?:{MONTHS.pattern()})\b|\d{{4}}|\b(?:in|on|during) \w", re.I)
_LEAST_POINTS: Final = 4
_MOST_DIPS: Final = 2
_MOST_GROUPS: Final = 4
_IT: Final = re.compile(r"\b(?:it|that|this|they)\b", re.IGNORECASE)


def explain(text: str, context: Context) -> Request | None:
    """The analysis of a change of the last figure, over the rows that it was asked of; None where
    no reason is asked for, or where it does not say which periods are compared."""
    query = context.query
    if query is None or not _WHY.match(text):
        return None
    name = " ".join(names_of_figure(query))
    said = in_its_year(text, context)
    if (dips := _dips(text, name, context)) is not None:
        return dips
    for each in dict.fromkeys((_IT.sub(name, said, count=1), said, f"{said.rstrip('?')} {name}?")):
        made = context.analyst.propose(each)
        asked = None if made["request"] is None else REQUEST.validate_python(made["request"])
        if isinstance(asked, Analysis):
            rows = [test for test in conjuncts(query.where) if not is_timed(test, context.model)]
            where = conjunction([*conjuncts(asked.over.where), *rows])
            over = asked.over.model_copy(update={"where": where})
            changed = _regrouped(asked.model_copy(update={"over": over}), context)
            return changed if context.fits(changed) else None
    return None


def _regrouped(asked: Analysis, context: Context) -> Analysis:
    """The analysis without groups of which the rows are one, and with others if none is left."""
    fixed = {subject(each) for each in conjuncts(asked.over.where)}
    left = tuple(each for each in asked.values("group") if each not in fixed)
    if left == asked.values("group"):
        return asked
    dataset = context.model.dataset(asked.over.dataset)
    if not left and dataset is not None:
        refs = (FieldRef(dataset=dataset.name, field=each.name) for each in dataset.fields
                if each.role in ("category", "place"))  # fmt: skip
        left = tuple(each for each in refs if each not in fixed)[:_MOST_GROUPS]
    others = tuple(each for each in asked.arguments if each.name != "group")
    return asked.model_copy(update={"arguments": (*others, Argument(name="group", values=left))})


def _dips(text: str, name: str, context: Context) -> Request | None:
    """The reasons for the falls or the rises of a series that an answer showed: `those dips`."""
    query, found = context.query, _THOSE.search(text)
    if query is None or found is None or _WHEN.search(text):
        return None
    verb = "fall" if found["down"] else "rise"
    whys: list[Analysis] = []
    for period in _turns_of(context, down=bool(found["down"])):
        made = context.analyst.propose(f"why did {name} {verb} in {period}?")
        asked = None if made["request"] is None else REQUEST.validate_python(made["request"])
        if isinstance(asked, Analysis):
            whys.append(asked)
    if len(whys) == 1:
        return whys[0]
    return Compound(requests=tuple(whys)) if whys else None


def _turns_of(context: Context, *, down: bool) -> list[str]:
    """The periods of the last answer, in words, in which its figure fell or rose most and by more
    than it usually changes."""
    query, rows = context.query, context.last.rows
    if query is None or len(query.by) != 1 or len(rows) < _LEAST_POINTS:
        return []
    (by,) = query.by
    values = [row[-1] for row in rows if isinstance(row[-1], int | float)]
    if not isinstance(by, Period) or len(values) < len(rows):
        return []
    steps = [before - after if down else after - before for before, after in pairwise(values)]
    usual = sum(map(abs, steps)) / len(steps)
    found = sorted(
        (place for place, step in enumerate(steps, 1) if step > usual),
        key=lambda place: -steps[place - 1],
    )[:_MOST_DIPS]
    return [_period_words(rows[place][0], by, context) for place in sorted(found)]


def _years(of: Period, context: Context) -> set[str]:
    """The first and the last year of a time."""
    return {
        str(each)[:4]
        for table in context.analyst.tables
        for column in table.columns
        if FieldRef(dataset=table.name, field=column.name) == of.of
        for each in (column.minimum, column.maximum)
    }


def _period_words(value: Cell, of: Period, context: Context) -> str:
    """A period of a result as people say it; a month without a year is that of the only year."""
    text = str(value_of(value, of.grain))
    if of.grain == "month of year":
        years = _years(of, context)
        year = next(iter(years)) if len(years) == 1 else ""
        return f"{MONTHS.write(int(text))} {year}".strip()
    if of.grain == "month":
        return f"{MONTHS.write(int(text[5:7]))} {text[:4]}"
    if of.grain == "quarter":
        return f"Q{(int(text[5:7]) + 2) // 3} {text[:4]}"
    return text[:4] if of.grain == "year" else text[:10]
