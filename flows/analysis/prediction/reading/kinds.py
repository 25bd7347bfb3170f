"""Whether numbers, one of two classes or one of several are predicted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.prediction.metrics import PredictionMetric
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.analysis.prediction.task import Kind
from flows.data.tables import Column

_CLASSES: Final = re.compile(
    r"\b(?:classif\w*|categor(?:y|ies|ise|ize)|which (?:class|type|kind|of)|multi-?class|"
    r"klassifi\w*|klassen?|kategorien?|label each)\b",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(
    r"\b(?:regress\w*|how (?:many|much)|number of|count of|amount|continuous|quantity|forecast\w*|"
    r"wie viele?|anzahl|menge|betrag|höhe des|stetige?)\b",
    re.IGNORECASE,
)
# "1,234", "12 %", "$ 3.50", "1.234,5 kg": numbers that were written as text.
NUMBER_TEXT: Final = re.compile(
    r"\s*[-+(]?\s*[$€£¥]?\s*[-+]?\d{1,3}(?:[.,' \u00a0\u202f]\d{3})*(?:[.,]\d+)?\s*"
    r"(?:%|[$€£¥]|[a-zA-Z°²³/]{1,6})?\)?\s*|\s*[-+]?[$€£¥]?\s*\d+(?:[.,]\d+)?\s*"
    r"(?:%|[$€£¥]|[a-zA-Z°²³/]{1,6})?\s*"
)
MOST_CLASSES: Final = 20
_FEW_OF_ROWS: Final = 0.05
# So many classes are no classes any more, even where a text speaks of them.
_TOO_MANY: Final = 1000


def kind_of_target(
    target: Column,
    metric: PredictionMetric | None,
    texts: Sequence[TaskSentence],
    *,
    class_columns: bool,
) -> tuple[Kind, str]:
    """The kind of task and why. A metric that the text names counts where the values leave it open;
    `class_columns` says that a column for each class is to be handed in."""
    if class_columns:
        return _classes(target), "the submission has a column for each class"
    if target.type == "boolean" or (target.distinct == 2 and not _wants_numbers(target, metric)):
        return "binary", "the target has two values"
    if target.type in ("text", "other"):
        if are_number_texts(target):
            return "regression", "the target's texts are numbers"
        return _classes(target), f"the target is text with {target.distinct:,} values"
    if target.type in ("date", "timestamp", "time"):
        return _classes(target), "the target is a date, which is taken as a class"
    if metric is not None and set(metric.kinds) == {"regression"}:
        return "regression", f"{metric.title} is of numbers"
    if _has_fractions(target):
        return "regression", "the target has fractions"
    return _of_whole_numbers(target, metric, texts)


def _of_whole_numbers(
    target: Column, metric: PredictionMetric | None, texts: Sequence[TaskSentence]
) -> tuple[Kind, str]:
    few = target.distinct <= MOST_CLASSES and target.distinct <= max(
        3, _FEW_OF_ROWS * (target.rows - target.missing)
    )
    if metric is not None and "regression" not in metric.kinds and target.distinct <= _TOO_MANY:
        return _classes(target), f"{metric.title} is of classes"
    said_classes = any(_CLASSES.search(each.text) for each in texts)
    said_numbers = any(_NUMBERS.search(each.text) for each in texts)
    if few and said_classes and not said_numbers:
        return _classes(target), "the target has few whole numbers, and the text speaks of classes"
    if few and not said_numbers and target.distinct <= 10:
        return _classes(target), f"the target has {target.distinct} whole numbers"
    if target.distinct <= 1:
        return "binary", "the target has one value"
    return "regression", f"the target has {target.distinct:,} whole numbers"


def _wants_numbers(target: Column, metric: PredictionMetric | None) -> bool:
    numeric = target.type in ("integer", "real")
    return numeric and metric is not None and set(metric.kinds) == {"regression"}


def _has_fractions(target: Column) -> bool:
    if target.type != "real":
        return False
    if target.distinct > MOST_CLASSES:
        return True
    return any(not _is_whole(each) for each in target.values)


def _is_whole(text: str) -> bool:
    try:
        return float(text).is_integer()
    except ValueError:
        return False


def are_number_texts(column: Column) -> bool:
    """Whether the values of a text column are numbers with signs of thousands, units or money."""
    if column.type != "text" or not column.values:
        return False
    written = [each for each in column.values[:200] if each.strip()]
    plain = sum(bool(NUMBER_TEXT.fullmatch(each)) for each in written)
    return len(written) > 2 and plain >= 0.9 * len(written) and column.distinct > MOST_CLASSES


def _classes(target: Column) -> Kind:
    return "binary" if target.distinct <= 2 else "multiclass"
