"""Groups with a measure: who is first and last, how far apart, how much falls to the first few."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from flows.analysis.methods.sheet import Sheet, derived, known, worked
from flows.analysis.team.goals.kinds import End
from flows.analysis.team.rules.columns import ResultColumns, adds_up
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import (
    form_of,
    listed,
    named,
    plain,
    rows_words,
    scaled,
    unit_of,
    written,
)
from flows.data.answers.references import in_text

_FIRST: Final = 3
# So many rows are all named where the question asks for those at one end.
_ALL: Final = 6
_MEASURES: Final = 3
_CONCENTRATED: Final = 0.6
_FEW: Final = 5
# From here on "so many times as high" is clearer than a difference.
_TIMES: Final = 1.5
_MANY_TIMES: Final = 10
_ORDINALS: Final = ("second", "third", "fourth", "fifth")
_NEAR: Final = len(_ORDINALS) + 1


def rankings(sheet: Sheet, parts: ResultColumns, goal: BusinessGoal, end: End) -> Iterator[Insight]:
    """What groups with measures say, that `end` first. Each row is one group, all of them here."""
    label = label_of(sheet, parts)
    if label is None or not parts.measures:
        return
    measures = goal.wanted(parts.measures)
    if len(sheet.rows) == 2:
        for place, measure in enumerate(measures[: 2 * _MEASURES]):
            yield from _two(sheet, label, measure, 8.0 - place)
        return
    entity = entity_row(sheet, label, goal)
    for place, measure in enumerate(measures[:_MEASURES]):
        yield from _ranked(sheet, label, measure, end, 8.0 - 1.5 * place)
        if entity is not None:
            yield from _standing(sheet, label, measure, entity, 9.0 - place)


Label = tuple[str, ...]


def label_of(sheet: Sheet, parts: ResultColumns) -> Label | None:
    """The column that names the rows, or two of them: what stands there never repeats."""
    singles: list[Label] = [(each,) for each in parts.labels]
    for columns in (*singles, *combinations(parts.labels, 2)):
        names = {tuple(str(sheet.value(at, c)) for c in columns) for at in range(len(sheet.rows))}
        if len(names) == len(sheet.rows):
            return columns
    return None


def row_name(sheet: Sheet, row: int, label: Label) -> str:
    """A row by what names it."""
    return ", ".join(named(sheet, row, each) for each in label)


def row_names(sheet: Sheet, row: int, label: Label) -> tuple[str, ...]:
    """The texts that name a row, as they are."""
    return tuple(str(sheet.value(row, each)) for each in label)


def entity_row(sheet: Sheet, label: Label, goal: BusinessGoal) -> int | None:
    """The row of the one that the question is about."""
    there = range(len(sheet.rows))
    rows = [at for at in there if any(goal.has_value(sheet.value(at, each)) for each in label)]
    return rows[0] if len(rows) == 1 else None


def in_order(sheet: Sheet, measure: str) -> list[int]:
    """The rows by a measure, the largest first; those without a value are left out."""
    numbers = sheet.numbers(measure)
    there = [at for at, each in enumerate(numbers) if each is not None]
    return sorted(there, key=lambda at: -(numbers[at] or 0.0))


def _ranked(sheet: Sheet, label: Label, measure: str, end: str, weight: float) -> Iterator[Insight]:
    """The first, and how far the last is behind; the other way round where it asks for the last."""
    order = in_order(sheet, measure)
    if len(order) < 2:
        return
    first, last = order[0], order[-1]
    what = plain(measure)
    if sheet.number(first, measure) == sheet.number(last, measure):
        yield insight(
            f"{what} is the same for all: {written(sheet, first, measure)}", weight, measure
        )
        return
    lead = order[::-1] if end == "low" else order
    shown = len(lead) if end and len(lead) <= _ALL else _FIRST
    behind = listed([_valued(sheet, at, label, measure) for at in lead[1:shown]])
    word, after = ("lowest", "followed by") if end == "low" else ("highest", "ahead of")
    name, value = row_name(sheet, lead[0], label), written(sheet, lead[0], measure)
    text = f"{name} has the {word} {what}: {value}, {after} {behind}"
    yield insight(text, weight, measure, *row_names(sheet, lead[0], label))
    # Of a question for one end the rows may be a selection, which says nothing of the other end.
    if end != "low":
        among = f"among these {rows_words(sheet)}, " if end else ""
        text = f"{among}{row_name(sheet, last, label)} has the lowest {what}: "
        text += written(sheet, last, measure) + _apart(sheet, first, last, measure, name)
        yield insight(text, weight - 1, measure, *row_names(sheet, last, label))
    yield from _concentration(sheet, label, measure, order, weight - 0.5, end)


def _valued(sheet: Sheet, row: int, label: Label, measure: str) -> str:
    return f"{row_name(sheet, row, label)} ({written(sheet, row, measure)})"


def _apart(sheet: Sheet, high: int, low: int, measure: str, name: str) -> str:
    """How far two rows are apart, as people would say it."""
    one, other = sheet.number(high, measure), sheet.number(low, measure)
    if one is None or other is None or not sheet.refers(measure):
        return ""
    if other > 0 and one / other >= _TIMES:
        form = ".1f" if one / other < _MANY_TIMES else ",.0f"
        times = worked("ratio", sheet.at(high, measure), sheet.at(low, measure), form=form)
        return f"; that of {name} is {times} times as high"
    form = scaled(one - other, form_of(sheet.numbers(measure)))
    gap = worked("difference", sheet.at(high, measure), sheet.at(low, measure), form=form)
    return f", {gap}{unit_of(sheet, measure)} below {name}"


def _concentration(
    sheet: Sheet, label: Label, measure: str, order: list[int], weight: float, end: str
) -> Iterator[Insight]:
    """How much of a total falls to the first few; of a question for one `end` the rows may be a
    selection, so that the total is of these alone."""
    numbers = [sheet.number(at, measure) or 0.0 for at in order]
    total = sum(numbers)
    if not sheet.refers(measure) or sheet.cut or not adds_up(sheet, measure) or total <= 0:
        return
    whole = derived("sum", sheet.of_column(measure))
    what = plain(measure) if "total" in plain(measure) else f"total {plain(measure)}"
    if len(order) <= _FEW:
        share = worked("share", sheet.at(order[0], measure), whole, form=".0%")
        of = f" of these {rows_words(sheet)}" if end else ""
        text = f"{row_name(sheet, order[0], label)} makes up {share} of the {what}{of}"
        yield insight(text, weight, measure)
        return
    some = max(1, min(_FIRST, len(order) // 3))
    part = derived("sum", *(sheet.at(at, measure) for at in order[:some]))
    share = in_text(derived("share", part, whole), ".0%")
    names = listed([row_name(sheet, at, label) for at in order[:some]])
    many = "a few make up most of it" if sum(numbers[:some]) / total >= _CONCENTRATED else ""
    verb = "make" if some > 1 else "makes"
    of = f"{'these' if end else 'all'} {rows_words(sheet)}"
    text = f"{names} together {verb} up {share} of the {what} of {of}"
    yield insight(f"{text}{': ' if many else ''}{many}", weight, measure)


def _two(sheet: Sheet, label: Label, measure: str, weight: float) -> Iterator[Insight]:
    """Two groups side by side."""
    order = in_order(sheet, measure)
    if len(order) < 2:
        return
    high, low = order
    one, other = sheet.number(high, measure), sheet.number(low, measure)
    what = plain(measure)
    if one == other:
        text = f"{what} is the same for both: {written(sheet, high, measure)}"
        yield insight(text, weight - 2, measure)
        return
    text = (
        f"{row_name(sheet, high, label)} has a higher {what} than {row_name(sheet, low, label)}: "
        f"{written(sheet, high, measure)} against {written(sheet, low, measure)}"
    )
    if other and sheet.refers(measure):
        more = worked("change", sheet.at(low, measure), sheet.at(high, measure), form=".0%")
        text += f", {more} more"
    yield insight(text, weight, measure)


def _standing(
    sheet: Sheet, label: Label, measure: str, row: int, weight: float
) -> Iterator[Insight]:
    """Where the one that is asked about stands among the others."""
    order = in_order(sheet, measure)
    if row not in order or sheet.cut or not sheet.refers(measure):
        return
    numbers = known(sheet.numbers(measure))
    mean, own = sum(numbers) / len(numbers), sheet.number(row, measure) or 0.0
    text = (
        f"{row_name(sheet, row, label)} "
        f"{_placed(order.index(row) + 1, len(order), plain(measure))} of all {rows_words(sheet)}: "
        f"{written(sheet, row, measure)}, "
        f"{'above' if own > mean else 'below'} the average of {_mean(sheet, measure)}"
    )
    yield insight(text, weight, measure, *row_names(sheet, row, label))


def _placed(place: int, of: int, what: str) -> str:
    """A rank in words. A place far from both ends is told roughly: no cell holds it."""
    if place in (1, of):
        return f"has the {'highest' if place == 1 else 'lowest'} {what}"
    if place <= _NEAR:
        return f"has the {_ORDINALS[place - 2]} highest {what}"
    if of - place < _NEAR:
        return f"has the {_ORDINALS[of - place - 1]} lowest {what}"
    return f"is in the {'upper' if place <= of / 2 else 'lower'} half by {what}"


def _mean(sheet: Sheet, measure: str) -> str:
    numbers = known(sheet.numbers(measure))
    form = form_of(numbers)
    form = scaled(sum(numbers) / len(numbers), ".1f" if form == "," else form)
    return sheet.whole_column("mean", measure, form) + unit_of(sheet, measure)
