"""Tables of metrics: how good a model is on rows that it has not seen, and against guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.methods.findings import Metrics
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import as_share, form_of, plain

_WEAK: Final = 0.1
_APART: Final = 0.15


def quality(sheet: Sheet, metrics: Metrics) -> Iterator[Insight]:
    """What metrics say to somebody who does not know them."""
    what = plain(metrics.target) if metrics.target else "the target"
    unseen = " in rows that it has not seen" if metrics.value in ("held_out", "test") else ""
    for name, row in metrics.rows.items():
        value = sheet.number(row, metrics.value)
        if value is None:
            continue
        told = sheet.cell(row, metrics.value)
        if name == "r2":
            yield from _explains(sheet, metrics, value, what, unseen)
        elif name == "accuracy":
            text = f"the model gets {told.text(as_share(value))} of {what} right{unseen}"
            yield insight(text + _against(sheet, metrics, row, as_share(value)), 9.0)
        elif name == "mae":
            form = form_of([value, sheet.number(row, metrics.baseline)])
            text = f"on average the model is off by {told.text(form)}{unseen}"
            yield insight(text + _against(sheet, metrics, row, form), 7.5)


def _explains(
    sheet: Sheet, metrics: Metrics, value: float, what: str, unseen: str
) -> Iterator[Insight]:
    row = metrics.rows["r2"]
    share = sheet.cell(row, metrics.value).text(as_share(value))
    if value < _WEAK:
        much = f"next to nothing ({share})" if value > 0 else "nothing"
        text = f"the model explains {much} of the differences in {what}{unseen}"
        yield insight(f"{text}, so what counts in it means little", 9.0)
        return
    yield insight(f"the model explains {share} of the differences in {what}{unseen}", 9.0)
    crossed = sheet.number(row, metrics.crossed)
    if crossed is not None and metrics.value == "held_out" and value - crossed > _APART:
        other = sheet.cell(row, metrics.crossed).text(".0%")
        text = f"in cross-validation it explains less, {other}: how good it is depends on the rows"
        yield insight(text, 7.0)


def _against(sheet: Sheet, metrics: Metrics, row: int, form: str) -> str:
    """What guessing comes to, beside it."""
    if sheet.number(row, metrics.baseline) is None:
        return ""
    return f", against {sheet.cell(row, metrics.baseline).text(form)} by guessing"
