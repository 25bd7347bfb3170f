"""What counts in a model, in which direction, and how good the model is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.methods.findings import Driver, Drivers
from flows.analysis.methods.sheet import Sheet, derived
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import as_share, as_value, form_of, listed, plain, some
from flows.data.answers.references import in_text

UNSURE: Final = 0.05
_NAMED: Final = 6
_NOTHING: Final = 0.04
_MOST_CELLS: Final = 30
_FEW: Final = 3
# By how much a value of a category has to move the target, beside what moves it most.
_LARGE: Final = 0.15


def drivers(sheet: Sheet, model: Drivers, goal: BusinessGoal) -> Iterator[Insight]:
    """What counts most, in which direction, what does not, how good the model is."""
    what = plain(model.target) if model.target else "the target"
    order = model.found
    if not order:
        return
    yield from _top(sheet, model, what)
    if model.effect:
        yield from _directions(sheet, model, what, goal)
        yield from _categories(sheet, model, what)
    top = order[0].size
    most = _most(model)
    nothing = [e for e in order if not counts(e, top) and not _moved(e, most)]
    if nothing and len(nothing) < len(order):
        names = some([plain(each.feature) for each in nothing], _FEW)
        verb = "counts" if len(nothing) == 1 else "count"
        text = f"{names} hardly {verb} for {what}"
        yield insight(text, 4.5, *(each.feature for each in nothing))
    if model.score:
        yield insight(explained(sheet, 0, model.score, what, _of_few(order)), 6.8)
    for copy, original in model.twins[:4]:
        text = (
            f"{plain(copy)} looks like {plain(original)} on another scale, so the two count as one"
        )
        yield insight(text, 6.5, copy)


def counts(each: Driver, top: float) -> bool:
    """Whether a column counts beside the first one, and not only by chance."""
    return each.size > _NOTHING * top and (each.p is None or each.p < UNSURE)


def _top(sheet: Sheet, model: Drivers, what: str) -> Iterator[Insight]:
    order = [each for each in model.found if counts(each, model.found[0].size)]
    if not order:
        yield insight(f"nothing in the model counts clearly for {what}", 9.0)
        return
    first = order[0]
    if len(model.found) == 1:
        return
    rest = listed([plain(each.feature) for each in order[1:_NAMED]])
    after = f", followed by {rest}" if rest else ""
    text = f"{plain(first.feature)} counts most for {what}{after}"
    share = share_of(sheet, model, first)
    text += f", and carries {share} of the importance by itself" if share else ""
    yield insight(text, 9.0, first.feature)


def share_of(sheet: Sheet, model: Drivers, first: Driver) -> str:
    """Which part of the importance a column carries; "" where the model has none.

    Copies would take their part of it twice, and noise below 0 would add to it.
    """
    if (
        not model.weight
        or not sheet.refers(model.weight)
        or not 1 < len(model.found) <= _MOST_CELLS
    ):
        return ""
    rows = [row for each in model.found if each.size > 0 for row in each.rows]
    if not len(first.rows) < len(rows) <= _MOST_CELLS:
        return ""
    own, cells = ([sheet.at(at, model.weight) for at in of] for of in (first.rows, rows))
    part = derived("sum", *own) if len(own) > 1 else own[0]
    return in_text(derived("share", part, derived("sum", *cells)), ".0%")


def _directions(sheet: Sheet, model: Drivers, what: str, goal: BusinessGoal) -> Iterator[Insight]:
    """What more of each of the first columns goes with, those that the question names first."""
    named = goal.named([each.feature for each in model.found])
    ordered = sorted(model.found, key=lambda each: each.feature not in named)
    top = model.found[0].size
    shown = [e for e in ordered if e.effect is not None and counts(e, top)][:_NAMED]
    if shown:
        text = direction_words(sheet, model, shown, what)
        yield insight(text, 8.2, *(each.feature for each in shown if each.feature in named))


def _most(model: Drivers) -> float:
    """The largest effect that one standard deviation of a column has."""
    return max((abs(each.effect) for each in model.found if each.effect is not None), default=0.0)


def _moved(driver: Driver, most: float) -> list[Driver]:
    """The values of a category that move the target much, and not only by chance."""
    return [e for e in driver.parts if e.effect and abs(e.effect) >= _LARGE * most
            and (e.p is None or e.p < UNSURE)]  # fmt: skip


def _categories(sheet: Sheet, model: Drivers, what: str) -> Iterator[Insight]:
    """Which values of a category move the target, where they move it much."""
    for each in model.found:
        moved = _moved(each, _most(model))
        if not moved:
            continue
        moved.sort(key=lambda part: -abs(part.effect or 0.0))
        name = plain(each.feature)
        said = [f"{_signed(sheet, model, part)} in {as_value(part.value)}" for part in moved]
        text = f"against the {name} that comes first by name, {what} is {listed(said[:_FEW])}"
        yield insight(f"{text}, all else being equal", 8.0, each.feature)


def direction_words(sheet: Sheet, model: Drivers, shown: Sequence[Driver], what: str) -> str:
    """`one standard deviation more of A goes with a change of +0.3 in B, of C with -0.1`"""
    lower = model.effect.casefold()
    unit = "one more" if lower in ("coefficient", "slope") else "one standard deviation more"
    of = " standard deviations" if lower == "standardized" else ""
    first, *rest = shown
    text = (
        f"{unit} of {plain(first.feature)} goes with a change of "
        f"{_signed(sheet, model, first)}{of} in {what}"
    )
    more = [f"of {plain(each.feature)} with {_signed(sheet, model, each)}" for each in rest]
    text += f", {listed(more)}" if more else ""
    return f"{text}, all else being equal" if len(model.found) > 1 else text


def _signed(sheet: Sheet, model: Drivers, each: Driver) -> str:
    form = form_of([each.effect])
    return sheet.cell(each.row, model.effect).text(f"+{form}" if form != "," else "+,.0f")


def _of_few(order: Sequence[Driver]) -> str:
    """A model of a few columns by their names, so that it is not taken for one of all."""
    if len(order) > _FEW:
        return "the model explains"
    names = listed([plain(each.feature) for each in order])
    return f"{names} alone {'explains' if len(order) == 1 else 'explain'}"


def explained(
    sheet: Sheet, row: int, column: str, what: str, who: str = "the model explains"
) -> str:
    """How good a model is by the share that it explains, or gets right."""
    value = sheet.number(row, column) or 0.0
    share = sheet.cell(row, column).text(as_share(value))
    if column == "accuracy":
        return f"the model gets {share} of {what} right"
    judged = {"score": " in rows that it has not seen"}.get(column, "")
    if value <= 0:
        return f"{who} nothing of the differences in {what}{judged}"
    if value < 0.1:
        return f"{who} next to nothing of the differences in {what}{judged} ({share})"
    good = "most" if value >= 0.7 else "about half" if value >= 0.45 else "a part"
    return f"{who} {good} of the differences in {what}{judged}: {share}"
