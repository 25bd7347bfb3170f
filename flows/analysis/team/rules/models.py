"""What counts in a model, in which direction, and how good the model is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.team.rules.asked import Asked, best_named
from flows.analysis.team.rules.categories import UNSURE, Driver, by_category
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.sheet import Sheet, derived
from flows.analysis.team.rules.twins import rescaled_of
from flows.analysis.team.rules.wording import as_share, as_value, form_of, listed, plain, some
from flows.core.observation import Cell
from flows.data.answers.references import in_text

_LABELS: Final = ("feature", "term", "variable", "driver", "factor", "column", "predictor")
_WEIGHTS: Final = ("importance", "weight", "permutation_importance", "relative_importance")
_EFFECTS: Final = ("effect", "standardized", "coefficient", "slope")
_SCORES: Final = ("score", "r2", "r_squared", "adjusted_r2", "accuracy")
_TARGET: Final = re.compile(
    r'"(?P<as>[^"]+)" as the target|driving "(?P<driving>[^"]+)"|regression of "(?P<of>[^"]+)"'
    r'|predicts? "(?P<predicts>[^"]+)"|drivers of "(?P<drivers>[^"]+)"'
    r'|between "(?P<between>[^"]+)" and all'
)
_NAMED: Final = 6
_NOTHING: Final = 0.04
_MOST_CELLS: Final = 30
_FEW: Final = 3
# By how much a value of a category has to move the target, beside what moves it most.
_LARGE: Final = 0.15


@dataclass(frozen=True, slots=True)
class Drivers:
    """The columns of a model, that which counts most first; `weight` and `effect` are the names of
    the columns that say so, "" for none, and `target` what the model is of."""

    found: tuple[Driver, ...]
    label: str
    weight: str = ""
    effect: str = ""
    score: str = ""
    target: str = ""
    twins: tuple[tuple[str, str], ...] = ()


def drivers_of(sheet: Sheet, task: str = "") -> Drivers | None:
    """The drivers that a result lists; None for one of another kind."""
    lower = {each.casefold(): each for each in sheet.columns}
    label = next((lower[each] for each in _LABELS if each in lower), "")
    weight = next((lower[each] for each in _WEIGHTS if each in lower), "")
    effect = next((lower[each] for each in _EFFECTS if each in lower), "")
    if not label or not (weight or effect) or (not weight and "term" not in lower and
                                               effect in ("effect", "slope")):  # fmt: skip
        return None
    if effect == lower.get("standardized") and "coefficient" in lower and len(sheet.rows) <= 2:
        effect = lower["coefficient"]  # of one column alone the plain unit says more
    numeric = effect if any(n is not None for n in sheet.numbers(effect or weight)) else ""
    size = weight or lower.get("standardized") or effect
    found = []
    for row in range(len(sheet.rows)):
        name, amount = str(sheet.value(row, label)), sheet.number(row, size)
        if amount is None or name.casefold() in ("intercept", "const", "(intercept)"):
            continue
        found.append(
            Driver(name, row, abs(amount) if not weight else max(amount, 0.0),
                   _optional(sheet, row, numeric), _optional(sheet, row, lower.get("correlation")),
                   _optional(sheet, row, lower.get("p_value")))
        )  # fmt: skip
    kept, twins = _without_twins(by_category(found))
    score = next((lower[each] for each in _SCORES if each in lower), "")
    return Drivers(tuple(kept), label, weight, numeric, score, target_in(sheet, task), twins)


def _optional(sheet: Sheet, row: int, column: str | None) -> float | None:
    return sheet.number(row, column) if column else None


def _without_twins(
    found: Sequence[Driver],
) -> tuple[list[Driver], tuple[tuple[str, str], ...]]:
    """The drivers without those that are others on another scale, and these pairs."""
    twins: dict[str, str] = {}
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            pair = rescaled_of(one.feature, other.feature)
            if pair is not None:
                twins[pair[0]] = pair[1]
    return [each for each in found if each.feature not in twins], tuple(twins.items())


def target_in(sheet: Sheet, task: str) -> str:
    """What a model is of: a column of the result says it, else the task does."""
    if "target" in sheet.columns and sheet.rows:
        return str(sheet.value(0, "target"))
    if match := _TARGET.search(task):
        return next((each for each in match.groups() if each), "")
    names = [each for each in Asked.of(task).quoted() if each not in _cells(sheet)]
    return names[0] if len(names) == 1 else ""


def _cells(sheet: Sheet) -> set[Cell]:
    return {cell for row in sheet.rows for cell in row}


def drivers(sheet: Sheet, model: Drivers, asked: Asked) -> Iterator[Insight]:
    """What counts most, in which direction, what does not, how good the model is."""
    what = plain(model.target) if model.target else "the target"
    order = model.found
    if not order:
        return
    yield from _top(sheet, model, what)
    if model.effect:
        yield from _directions(sheet, model, what, asked)
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


def _directions(sheet: Sheet, model: Drivers, what: str, asked: Asked) -> Iterator[Insight]:
    """What more of each of the first columns goes with, those that the question names first."""
    named = best_named(asked, [each.feature for each in model.found])
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
