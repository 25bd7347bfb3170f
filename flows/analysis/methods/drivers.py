"""What models have in common: a table of the columns that count in one, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.methods.duplicates import rescaled_of
from flows.analysis.methods.findings import Driver, Drivers
from flows.analysis.methods.sheet import Sheet

_LABELS: Final = ("feature", "term", "variable", "driver", "factor", "column", "predictor")
_WEIGHTS: Final = ("importance", "weight", "permutation_importance", "relative_importance")
_EFFECTS: Final = ("effect", "standardized", "coefficient", "slope")
_SCORES: Final = ("score", "r2", "r_squared", "adjusted_r2", "accuracy")
_OF_TERMS: Final = ("coefficient", "standardized")
_INTERCEPT: Final = ("intercept", "const", "(intercept)")
# Between the name of a category and its value, where a model has a column for each value.
_IS: Final = " = "


def read_drivers(sheet: Sheet) -> Drivers | None:
    """The drivers that a result lists; None for one of another kind."""
    label, weight, effect = (sheet.called(*each) for each in (_LABELS, _WEIGHTS, _EFFECTS))
    of_model = weight or sheet.called("term") or effect.casefold() in _OF_TERMS
    if not label or not (weight or effect) or not of_model:
        return None
    standardized, coefficient = (sheet.called(each) for each in ("standardized", "coefficient"))
    if effect == standardized and coefficient and len(sheet.rows) <= 2:
        effect = coefficient  # of one column alone the plain unit says more
    size = weight or standardized or effect
    if all(each is None for each in sheet.numbers(effect or weight)):
        effect = ""
    correlation, chance = sheet.called("correlation"), sheet.called("p_value")
    found = []
    for row in range(len(sheet.rows)):
        name, amount = str(sheet.value(row, label)), sheet.number(row, size)
        if amount is None or name.casefold() in _INTERCEPT:
            continue
        way, r, p = (sheet.number(row, each) for each in (effect, correlation, chance))
        found.append(Driver(name, row, max(amount, 0.0) if weight else abs(amount), way, r, p))
    grouped = by_category(found)
    pairs = _duplicates([each.feature for each in grouped])
    kept = tuple(each for each in grouped if each.feature not in pairs)
    if not kept:
        return None
    target = sheet.called("target")
    of_what = str(sheet.value(0, target)) if target else ""
    return Drivers(kept, weight, effect, sheet.called(*_SCORES), of_what, tuple(pairs.items()))


def _duplicates(names: Sequence[str]) -> dict[str, str]:
    """The columns that are others on another scale, each with its original."""
    pairs = (rescaled_of(a, b) for at, a in enumerate(names) for b in names[at + 1 :])
    return {pair[0]: pair[1] for pair in pairs if pair is not None}


def by_category(found: Iterable[Driver]) -> list[Driver]:
    """The drivers with the values of each category as one, the largest first."""
    groups: dict[str, list[Driver]] = {}
    for each in found:
        name, _, value = each.feature.partition(_IS)
        groups.setdefault(name, []).append(replace(each, value=value))
    made: list[Driver] = []
    for name, parts in groups.items():
        made += [_whole(name, parts)] if any(each.value for each in parts) else parts
    return sorted(made, key=lambda each: -each.size)


def _whole(name: str, parts: Sequence[Driver]) -> Driver:
    """A category of its values."""
    size = sum(max(each.size, 0.0) for each in parts)
    most = max(parts, key=lambda each: each.size)
    p = min((each.p for each in parts if each.p is not None), default=None)
    return Driver(name, most.row, size, p=p, parts=tuple(parts))
