"""What a change says: by how much, where it lies, what went against it, what stayed as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.breakdown.findings import amount, in_words, labelled, listed
from flows.analysis.methods.findings import ResultStatement, Statements
from flows.analysis.methods.narration import InColumn
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import CitedCell

_CHANCE = 0.05
_MOST_COLUMNS = 4
_MOST_OF = 50
# A group is behind a change where its part in that is so many percent larger than its part before.
_BEHIND = 25
_EVEN, _AGAINST = 15, 10
_FLAT = 0.1
_CELLS = {"dimension": "dimension", "group": "group", "since": "from", "until": "to",
          "value_before": "value_before", "value_after": "value_after", "change": "change",
          "percent": "percent", "effect": "effect", "contribution": "contribution",
          "share": "share", "p_value": "p_value"}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ChangePart:
    """The change of the whole, or the part that a group has in it."""

    dimension: CitedCell
    group: CitedCell
    since: Annotated[CitedCell, InColumn("from")]
    until: Annotated[CitedCell, InColumn("to")]
    value_before: CitedCell
    value_after: CitedCell
    change: CitedCell
    percent: CitedCell
    effect: CitedCell
    contribution: CitedCell
    share: CitedCell
    p_value: CitedCell

    @property
    def words(self) -> str:
        return f"{self.effect}, {self.contribution} % of the change"

    @property
    def ends(self) -> str:
        """`from 3 to 5`"""
        return f"from {amount(self.value_before)} to {amount(self.value_after)}"


def read_change(sheet: Sheet) -> Statements | None:
    """The statements of a result; None for one of another kind."""
    if not set(_CELLS.values()) <= set(sheet.columns) or not sheet.rows:
        return None
    rows = [ChangePart(**{part: sheet.cell(at, name) for part, name in _CELLS.items()})
            for at in range(len(sheet.rows))]  # fmt: skip
    what = sheet.called("measure")
    name = str(sheet.value(0, what)) if what else "it"
    return Statements(tuple(statements(rows, name)))


def statements(rows: Sequence[ChangePart], what: str) -> Iterator[ResultStatement]:
    """The whole, how many rows and how much a row has, and each column that shows where it lies."""
    whole, columns = rows[0], dict[str, list[ChangePart]]()
    for each in rows[1:]:
        columns.setdefault(str(each.dimension.value), []).append(each)
    yield ResultStatement(_whole(whole, what), 9.8, (what,))
    if parts := columns.pop("rows", None):
        yield _rows(parts, what)
    for each in columns.pop("without", ()):
        verb = "rose" if each.change.number > 0 else "fell"
        text = (f"one single row ({amount(each.effect)}) distorts it: without it {what} {verb} "
                f"{each.ends}, and what follows is without it")  # fmt: skip
        yield ResultStatement(text, 9.7, (what,))
        whole = each
    for each in columns.pop("rate", ()):
        more = "more" if each.change.number > 0 else "less"
        text = (f"a row of {each.group.text()} has {more} than before, {each.ends} on average, by "
                f"more than chance: that makes {amount(each.effect)} of the change")  # fmt: skip
        yield ResultStatement(text, 9.0, (what,))
    for each in columns.pop("course", ()):
        text = (
            f"on the way {what} stood still or went back: from {amount(each.value_before)} in "
            f"{each.since.text()} to {amount(each.value_after)} in {each.until.text()}"
        )
        yield ResultStatement(text, 8.5, (what,))
    if not whole.change.number:
        return
    ranked = sorted(columns.values(), key=lambda groups: -_excess(groups))
    apart = [groups for groups in ranked if _excess(groups) >= _EVEN]
    for place, groups in enumerate(apart[:_MOST_COLUMNS]):
        yield _column(groups, what, place)
    if even := [in_words(groups[0].dimension) for groups in ranked if groups not in apart]:
        text = f"by {listed(even[:_MOST_COLUMNS])} no group stands out: each has about the part in "
        yield ResultStatement(f"{text}the change that it had of the whole before", 5.5)


def _first(groups: Sequence[ChangePart]) -> ChangePart:
    """The group with the largest part in a change; one with far more than its part before, though
    others are larger."""
    most = max(groups, key=lambda each: each.contribution.number)
    apart = max(groups, key=lambda each: each.contribution.number - each.share.number)
    gained = [each.contribution.number - each.share.number for each in (most, apart)]
    return apart if gained[1] > 2 * max(gained[0], 0) and gained[1] > _EVEN else most


def _excess(groups: Sequence[ChangePart]) -> float:
    """By how much the largest part in the change exceeds the part before."""
    return max(each.contribution.number - each.share.number for each in groups)


def _whole(whole: ChangePart, what: str) -> str:
    change = whole.change.number
    if whole.group.value == "against":
        more = "more" if change > 0 else "less"
        percent = f" ({whole.percent.text('+.1f')} %)" if whole.percent.value is not None else ""
        return (
            f"{what} is {amount(whole.value_after)} against {amount(whole.value_before)} of "
            f"{whole.since.text()}: {amount(whole.change)}{percent}, which is {more}"
        )
    verb = "rose" if change > 0 else "fell" if change < 0 else "did not change"
    percent = f" ({whole.percent.text('+.1f')} %)" if whole.percent.value is not None else ""
    text = (f"{what} {verb} from {amount(whole.value_before)} in {whole.since.text()} to "
            f"{amount(whole.value_after)} in {whole.until.text()}, a change of "
            f"{amount(whole.change)}{percent}")  # fmt: skip
    p = whole.p_value
    if p.value is not None and p.number >= _CHANCE:
        return f"{text}; a difference of that size may be chance"
    return text


def _rows(parts: Sequence[ChangePart], what: str) -> ResultStatement:
    number, size = parts
    more = "more" if number.change.number > 0 else "fewer"
    if not number.change.number:
        text = f"the number of rows is the same ({number.value_after.text(',.0f')})"
    else:
        text = (f"there were {more} rows: {number.value_before.text(',.0f')} before and "
                f"{number.value_after.text(',.0f')} after, which makes {amount(number.effect)} of "
                "the change")  # fmt: skip
    text += f"; the average of a row went {size.ends}, which makes {amount(size.effect)} of it"
    return ResultStatement(text, 8.8, (what,))


def _column(groups: Sequence[ChangePart], what: str, place: int) -> ResultStatement:
    name = in_words(groups[0].dimension)
    first = _first(groups)
    against = [each for each in groups if each.contribution.number < 0 and each is not first]
    others = [each for each in groups if each is not first and each not in against]
    behind = _excess(groups) > _BEHIND
    most = first.contribution.number >= max(each.contribution.number for each in groups)
    told = labelled(first.dimension, first.group)
    lead = (
        f"{told} accounts for most of it"
        if first.contribution.number > _MOST_OF
        else (f"{told} has {'the largest' if most else 'an uncommonly large'} part in it")
    )
    text = (
        f"by {name}, {lead}: {what} of {told} went {first.ends}, "
        f"{amount(first.effect)} or {first.contribution.text('.0f')} % of the change"
    )
    if against and min(each.contribution.number for each in against) < -_AGAINST:
        last = min(against, key=lambda each: each.contribution.number)
        text += (
            f"; {labelled(last.dimension, last.group)} goes most against it ({amount(last.effect)})"
        )
    elif len(others) > 1:
        least = min(others, key=lambda each: each.contribution.number)
        text += f", {labelled(least.dimension, least.group)} the least ({amount(least.effect)})"
    flat = [each for each in (*others, *against) if _is_flat(each, first)]
    if behind and flat and len(flat) == len(groups) - 1:
        said = listed([f"{labelled(each.dimension, each.group)} ({each.ends})"
                       for each in flat[:4]])  # fmt: skip
        text += f"; the others changed little: {said}"
    return ResultStatement(text, 9.4 - 0.4 * place if behind else 7.5 - 0.3 * place, (name,))


def _is_flat(part: ChangePart, first: ChangePart) -> bool:
    """Whether a group has hardly changed beside the first; of a mean, by more than chance."""
    if part.p_value.value is not None:
        return part.p_value.number >= _CHANCE
    return abs(part.percent.number) < 100 * _FLAT * _size(first)


def _size(part: ChangePart) -> float:
    """How large a change is beside its beginning, at least a whole of it."""
    return max(abs(part.percent.number) / 100, 1.0)
