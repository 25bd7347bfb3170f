"""One group beside the others: in which measures it is apart, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.duplicates import rescaled_of
from flows.analysis.methods.findings import Differences
from flows.analysis.methods.sheet import Sheet, worked
from flows.analysis.team.rules.columns import ResultColumns
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.ranking import entity_row, label_of, row_name, row_names
from flows.analysis.team.rules.rendering import form_of, listed, plain, unit_of, written
from flows.analysis.team.rules.scope import TaskScope
from flows.analysis.telling.cells import foreign

_OTHERS: Final = (
    "other", "others", "rest", "remaining", "average", "mean", "all", "overall", "benchmark",
    "peers", "everyone", "others_mean", "other_rows", "mean_of_others", "others_average",
    "average_of_others", "mean_others", "rest_mean",
)  # fmt: skip
OWN: Final = (
    "own", "entity", "selected", "this", "group", "value", "focus", "subset", "own_mean",
    "entity_mean", "chosen", "chosen_rows", "group_mean", "mean_of_group", "these_rows",
    "selection", "rows_where",
)  # fmt: skip
LABELS: Final = ("feature", "column", "metric", "measure", "variable", "driver")
_NAMED: Final = 3
_HARDLY, _SPREADS = 0.02, 0.25
_UNSURE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Gap:
    """How far one group is from the others in a measure: both values as they are told. `by` is in
    shares of the others' value, or in spreads where they are known."""

    measure: str
    own: str
    others: str
    by: float
    notable: bool = True


def gaps_of(sheet: Sheet, goal: BusinessGoal, scope: TaskScope) -> tuple[str, list[Gap]]:
    """The name of the group that a result sets beside the others, and its gaps; none for a result
    of another kind. The task may have its name where the question has none."""
    for find in (_by_measure, _by_group):
        name, gaps = find(sheet, goal)
        if gaps:
            name = name or next(iter((*scope.compared, *scope.values)), "it")
            return name, sorted(gaps, key=lambda each: -abs(each.by))
    return "", []


def _by_measure(sheet: Sheet, goal: BusinessGoal) -> tuple[str, list[Gap]]:
    """A row for each measure, with a column for the group and one for the others."""
    label, others, own = (sheet.called(*each) for each in (LABELS, _OTHERS, OWN))
    own = own or next(filter(goal.has_value, sheet.columns), "")
    if not label or not others or not own:
        return "", []
    who = plain(own) if own.casefold() not in OWN else ""
    gaps = []
    for row in range(len(sheet.rows)):
        one, other = sheet.number(row, own), sheet.number(row, others)
        if one is None or other is None:
            continue
        form, (by, least) = form_of([one, other]), _away(one, other, sheet, row)
        gaps.append(
            Gap(str(sheet.value(row, label)), sheet.cell(row, own).text(form),
                sheet.cell(row, others).text(form), by, abs(by) >= least)
        )  # fmt: skip
    return who, without_scales(gaps)


def without_scales(gaps: Sequence[Gap]) -> list[Gap]:
    """The gaps without those of columns that are others of them on another scale."""
    names = [each.measure for each in gaps]
    pairs = (rescaled_of(a, b) for at, a in enumerate(names) for b in names[at + 1 :])
    copies = {pair[0] for pair in pairs if pair is not None}
    return [each for each in gaps if each.measure not in copies]


def is_by_measure(sheet: Sheet) -> bool:
    """Whether each row is another measure, so that the rows cannot be ranked."""
    return any(each.casefold() in LABELS for each in sheet.columns)


def _away(one: float, other: float, sheet: Sheet, row: int) -> tuple[float, float]:
    """How far apart two values are, and from where on that is worth a word: in spreads where the
    result has them, so that measures of all units can be compared."""
    for name in ("std", "spread", "others_std", "std_dev"):
        spread = sheet.number(row, name) if name in sheet.columns else None
        if spread:
            return (one - other) / spread, _SPREADS
    return ((one - other) / abs(other) if other else one - other), _HARDLY


def _by_group(sheet: Sheet, goal: BusinessGoal) -> tuple[str, list[Gap]]:
    """Two rows, the group's and that of the others, or one for each group."""
    texts = [c for c in sheet.columns if all(isinstance(v, str) for v in sheet.values(c))]
    if not sheet.rows or not texts or not sheet.whole:
        return "", []
    for label in texts:
        if label.casefold() in LABELS:
            continue  # each row is a measure, and none of them is a group beside the others
        values = [str(each) for each in sheet.values(label)]
        rows = [at for at, each in enumerate(values) if goal.has_value(each)]
        if len(rows) != 1 or len(set(values)) < len(values):
            continue
        measures = [c for c in sheet.columns if c not in texts and c.casefold() != "rows"]
        found = (_gap(sheet, each, rows[0]) for each in measures)
        return values[rows[0]], without_scales([each for each in found if each is not None])
    return "", []


def _gap(sheet: Sheet, measure: str, row: int) -> Gap | None:
    numbers, own = sheet.numbers(measure), sheet.number(row, measure)
    rest = [each for at, each in enumerate(numbers) if at != row and each is not None]
    if own is None or not rest or not sheet.refers(measure):
        return None
    mean = sum(rest) / len(rest)
    form = form_of(numbers)
    form = ".1f" if form == "," and not mean.is_integer() else form
    if len(rest) == 1:
        told = written(sheet, 1 - row, measure)
    else:
        others = [sheet.at(a, measure) for a, n in enumerate(numbers) if a != row and n is not None]
        told = worked("mean", *others, form=form) + unit_of(sheet, measure)
    if len(rest) > _MOST_CELLS:
        return None
    spread = (sum((each - mean) ** 2 for each in rest) / len(rest)) ** 0.5
    by = (own - mean) / spread if spread else (own - mean) / abs(mean) if mean else own - mean
    return Gap(measure, written(sheet, row, measure), told, by,
               abs(by) >= (_SPREADS if spread else _HARDLY))  # fmt: skip


# A reference that names more cells than this is too long to be read.
_MOST_CELLS: Final = 40


def gaps(who: str, found: Sequence[Gap]) -> Iterator[Insight]:
    """In what a group stands apart, the widest gaps first."""
    name = foreign(who)
    for side, word in ((-1, "below"), (1, "above")):
        there = [each for each in found if each.notable and each.by * side > 0][:_NAMED]
        if there:
            said = listed([f"{plain(e.measure)} ({e.own} against {e.others})" for e in there])
            weight = 8.6 if abs(there[0].by) == max(abs(e.by) for e in found) else 8.4
            text = f"{name} lies {word} the others in {said}"
            yield insight(text, weight, *(each.measure for each in there))
    same = [each for each in found if not each.notable]
    if same:
        names = listed([plain(each.measure) for each in same[:_NAMED]])
        text = f"{name} is about like the others in {names}"
        yield insight(text, 5.0, *(each.measure for each in same))


def tests(
    sheet: Sheet, parts: ResultColumns, found: Differences, scope: TaskScope, goal: BusinessGoal
) -> Iterator[Insight]:
    """Whether groups differ more than by chance, and which of them are apart."""
    p, label = sheet.number(0, found.p), label_of(sheet, parts)
    if p is None or label is None or len(sheet.rows) < 2:
        return
    order = sorted(range(len(sheet.rows)), key=lambda at: -(sheet.number(at, found.mean) or 0.0))
    high, low = order[0], order[-1]
    ends = (
        f"{row_name(sheet, high, label)} averages {written(sheet, high, found.mean)} and "
        f"{row_name(sheet, low, label)} {written(sheet, low, found.mean)}"
    )
    by = listed([plain(each) for each in label])
    what = next((plain(each) for each in scope.fields if each not in label), "the average")
    if p >= _UNSURE:
        text = f"{what} does not differ clearly by {by}, what there is may be chance: {ends}"
        yield insight(text, 9.0, *label)
        return
    size = _size_words(sheet, found)
    text = f"{what} differs{size} by {by}, which is unlikely to be chance: {ends}"
    yield insight(text, 9.0, *label)
    row = entity_row(sheet, label, goal)
    if row is not None and row not in (high, low):
        text = f"{row_name(sheet, row, label)} averages {written(sheet, row, found.mean)}"
        yield insight(text, 8.0, *row_names(sheet, row, label))


_SIZES: Final = {
    "Cohen's d": (0.5, 0.8), "eta squared": (0.06, 0.14), "epsilon squared": (0.06, 0.14),
    "rank-biserial correlation": (0.3, 0.5), "Cramer's V": (0.3, 0.5),
}  # fmt: skip


def _size_words(sheet: Sheet, found: Differences) -> str:
    """How large a difference is by the usual bounds of its measure."""
    size = sheet.number(0, found.size)
    bounds = _SIZES.get(str(sheet.value(0, found.effect))) if found.effect else None
    if bounds is None or size is None:
        return ""
    if abs(size) < bounds[0]:
        return ", if only a little"
    return " clearly" if abs(size) >= bounds[1] else ""
