"""Tables of metrics: how good a model is on rows that it has not seen, and against guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.models import target_in
from flows.analysis.team.rules.sheet import Sheet
from flows.analysis.team.rules.wording import as_share, form_of, plain

_SHARE: Final = frozenset({"r2", "r squared", "r-squared", "r²", "r2 score", "r squared score"})
_RIGHT: Final = frozenset({"accuracy"})
_ERRORS: Final = frozenset({"mae", "mean absolute error"})
_ALL: Final = (
    _SHARE | _RIGHT | _ERRORS
    | {"rmse", "mse", "f1", "auc", "precision", "recall", "mape", "root mean squared error",
       "mean squared error"}
)  # fmt: skip
_VALUES: Final = ("held_out", "test", "value", "score", "cross_validated")
_WEAK: Final = 0.1
_APART: Final = 0.15


def metrics_of(sheet: Sheet) -> dict[str, int]:
    """The rows of a table of metrics by their names; none for a table of another kind."""
    label = next((each for each in sheet.columns if each.casefold() in ("metric", "measure")), "")
    if not label:
        return {}
    names = [str(each).casefold().replace("_", " ") for each in sheet.values(label)]
    return dict(zip(names, range(len(names)), strict=True)) if set(names) & _ALL else {}


def quality(sheet: Sheet, metrics: dict[str, int], task: str) -> Iterator[Insight]:
    """What metrics say to somebody who does not know them."""
    column = next((each for each in _VALUES if each in sheet.columns), "")
    if not column:
        return
    target = target_in(sheet, task)
    what = plain(target) if target else "the target"
    unseen = " in rows that it has not seen" if column in ("held_out", "test") else ""
    for name, row in metrics.items():
        value = sheet.number(row, column)
        if value is None:
            continue
        if name in _SHARE:
            yield from _explains(sheet, row, column, value, what, unseen)
        elif name in _RIGHT:
            share = sheet.cell(row, column).text(as_share(value))
            text = f"the model gets {share} of {what} right{unseen}"
            yield insight(text + _against(sheet, row, as_share(value)), 9.0)
        elif name in _ERRORS:
            form = form_of([value, _baseline(sheet, row)])
            text = f"on average the model is off by {sheet.cell(row, column).text(form)}{unseen}"
            yield insight(text + _against(sheet, row, form), 7.5)


def _explains(
    sheet: Sheet, row: int, column: str, value: float, what: str, unseen: str
) -> Iterator[Insight]:
    share = sheet.cell(row, column).text(as_share(value))
    if value < _WEAK:
        much = f"next to nothing ({share})" if value > 0 else "nothing"
        text = f"the model explains {much} of the differences in {what}{unseen}"
        yield insight(f"{text}, so what counts in it means little", 9.0)
        return
    yield insight(f"the model explains {share} of the differences in {what}{unseen}", 9.0)
    crossed = sheet.number(row, "cross_validated") if "cross_validated" in sheet.columns else None
    if crossed is not None and column == "held_out" and value - crossed > _APART:
        other = sheet.cell(row, "cross_validated").text(".0%")
        text = f"in cross-validation it explains less, {other}: how good it is depends on the rows"
        yield insight(text, 7.0)


def _baseline(sheet: Sheet, row: int) -> float | None:
    return sheet.number(row, "baseline") if "baseline" in sheet.columns else None


def _against(sheet: Sheet, row: int, form: str) -> str:
    """What guessing comes to, beside it."""
    if _baseline(sheet, row) is None:
        return ""
    return f", against {sheet.cell(row, 'baseline').text(form)} by guessing"
