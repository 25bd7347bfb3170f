"""The models of a report: how good each is, and what counts in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.report.cleaning import clean, one_line
from flows.report.column_formats import column_format, written
from flows.report.evidence import Evidences, walk
from flows.report.report import Report
from flows.report.tasks import anchor_of
from flows.semantics.findings import ModelCard, ModelMetric, Weight

_BARS: Final = 12


@dataclass(frozen=True, slots=True)
class MetricView:
    name: str
    held_out: str
    cross_validated: str
    baseline: str


@dataclass(frozen=True, slots=True)
class WeightView:
    """`width` of its bar is from 0 to 100, `way` up or down or "", by the sign of the effect."""

    feature: str
    importance: str
    width: str
    effect: str
    way: str


@dataclass(frozen=True, slots=True)
class ModelView:
    """A model as a reader sees it; `table` is the short name of its predictions."""

    title: str
    target: str
    rows: str
    task: str
    anchor: str
    metrics: tuple[MetricView, ...]
    crossed: bool
    weights: tuple[WeightView, ...]
    effects: bool
    left_out: int
    cautions: tuple[str, ...]
    table: str


def model_views(report: Report, evidences: Evidences) -> tuple[ModelView, ...]:
    """All models of the tasks, in their order."""
    return tuple(
        _view(result.finding.model, number, evidences,
              tuple(clean(each.text) for each in result.finding.cautions))
        for number, result in walk(report.results)
        if result.finding.model is not None
    )  # fmt: skip


def _view(
    card: ModelCard, number: str, evidences: Evidences, cautions: tuple[str, ...]
) -> ModelView:
    ordered = sorted(card.importances, key=lambda each: -abs(each.importance))
    table = evidences.tables.get(card.predictions)
    return ModelView(
        title=one_line(f"{card.kind[:1].upper()}{card.kind[1:]} for {card.target}"),
        target=one_line(card.target),
        rows=_rows(card),
        task=number,
        anchor=anchor_of(number),
        metrics=tuple(map(_metric, card.metrics)),
        crossed=any(each.cross_validated is not None for each in card.metrics),
        weights=_weights(ordered[:_BARS]),
        effects=any(each.effect is not None for each in ordered[:_BARS]),
        left_out=max(0, len(ordered) - _BARS),
        cautions=cautions,
        table=table.key if table else "",
    )


def _rows(card: ModelCard) -> str:
    said = f"{card.rows:,} rows, {len(card.features):,} columns"
    if card.learned_rows and card.held_out_rows:
        said += f"; learned from {card.learned_rows:,}, judged on {card.held_out_rows:,} others"
    return said


def _metric(metric: ModelMetric) -> MetricView:
    return MetricView(
        one_line(metric.name),
        _short(metric.held_out),
        _short(metric.cross_validated),
        _short(metric.baseline),
    )


def _weights(weights: Sequence[Weight]) -> tuple[WeightView, ...]:
    """The bars, the longest of which is the first."""
    sizes = [each.importance for each in weights]
    effects = [each.effect for each in weights]
    size_text = column_format("", "real", sizes)
    effect_text = column_format("", "real", effects)
    largest = max(map(abs, sizes), default=0.0)
    views = []
    for weight in weights:
        share = abs(weight.importance) / largest if largest else 0.0
        effect = weight.effect or 0.0
        way = "up" if effect > 0 else "down" if effect < 0 else ""
        views.append(
            WeightView(
                one_line(weight.feature, 80),
                size_text(weight.importance),
                f"{100 * share:.1f}" if math.isfinite(share) else "0",
                ("+" if way == "up" else "") + effect_text(weight.effect),
                way,
            )
        )
    return tuple(views)


def _short(value: float | None) -> str:
    """Three significant digits."""
    if value is None:
        return "\u2013"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return written(float(f"{value:.3g}")).replace("-", "\u2212", 1)
