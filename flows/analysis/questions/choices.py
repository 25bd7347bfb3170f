"""The figures that may be meant where a question says only `best` or `top`."""

from __future__ import annotations

from typing import Final

from flows.analysis.questions.draft import DraftMeasure, QuestionDraft
from flows.analysis.questions.parts import NounPart, Operand
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.model import Metric
from flows.semantics.query import FieldRef, MetricRef

MOST: Final = 4  # more of them nobody wants to read
_COUNTS: Final = 1  # of them numbers of rows


def is_vague(draft: QuestionDraft) -> bool:
    """Whether the first of an order is asked for and nothing says by what."""
    extreme = draft.extreme
    return (
        extreme is not None
        and extreme.vague
        and extreme.by is None
        and not draft.measures
        and bool(draft.subject or draft.shown or draft.nouns or draft.groups)
    )


def figures_of(draft: QuestionDraft, vocabulary: Vocabulary) -> list[DraftMeasure]:
    """The figures by which the first may be meant, the likeliest first: metrics of which the model
    says which way is good, those that add up, others; and the number of rows."""
    model = vocabulary.model
    own = _own_rows(draft)
    metrics = [each for each in model.metrics if each.dataset != own]
    if not metrics:
        metrics = list(model.metrics)
    metrics.sort(key=_rank)
    counted = [each.name for each in model.datasets if each.name != own]
    found = [DraftMeasure(None, _operand(each, vocabulary)) for each in metrics]
    counts = [DraftMeasure("count", None, each) for each in counted]
    return [*found[: MOST - _COUNTS], *counts, *found[MOST - _COUNTS :]]


def _operand(metric: Metric, vocabulary: Vocabulary) -> Operand:
    """The field that a metric is called by, where it is called by one."""
    dataset = vocabulary.model.dataset(metric.dataset)
    if dataset is not None and dataset.find(metric.name) is not None:
        return FieldRef(dataset=metric.dataset, field=metric.name)
    return MetricRef(metric=metric.name)


def _rank(metric: Metric) -> int:
    return 0 if metric.better == "up" else 1 if metric.additive == "all" else 2


def _own_rows(draft: QuestionDraft) -> str:
    """The dataset whose rows are ranked themselves; empty where groups of rows are."""
    subject = draft.subject
    if isinstance(subject, NounPart):
        return subject.dataset
    if subject is None and not draft.shown and draft.nouns:
        return draft.nouns[0]
    return ""


def ascends(measure: DraftMeasure, vocabulary: Vocabulary) -> bool:
    """Whether less of a figure is better."""
    operand = measure.operand
    if not isinstance(operand, MetricRef | FieldRef):
        return False
    name = operand.metric if isinstance(operand, MetricRef) else operand.field
    metric = vocabulary.model.metric(name)
    return metric is not None and metric.better == "down"


def is_open(draft: QuestionDraft) -> bool:
    """Whether it is asked how something did, and no figure is named."""
    return draft.judged and not draft.measures and draft.extreme is None and not draft.shown
