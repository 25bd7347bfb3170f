"""Reading a task by rules: of its text, the profiles of its tables and its sample submission."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from flows.analysis.prediction.metrics import PredictionMetric
from flows.analysis.prediction.reading.background import read_background, read_title
from flows.analysis.prediction.reading.columns import names_of
from flows.analysis.prediction.reading.faults import table_doubts
from flows.analysis.prediction.reading.fields import read_fields
from flows.analysis.prediction.reading.kinds import kind_of_target
from flows.analysis.prediction.reading.passages import TaskSentence, passages
from flows.analysis.prediction.reading.rows import read_group, read_identifier, read_time
from flows.analysis.prediction.reading.scoring import LABELS, PROBABILITY, named_metric, scoring_of
from flows.analysis.prediction.reading.submission import (
    Handing,
    asks_for_classes,
    by_sample,
    by_text,
)
from flows.analysis.prediction.reading.targets import read_targets, target_column
from flows.analysis.prediction.task import Kind, Predicted, PredictionTask
from flows.data.tables import Column, Table


def read_task(
    text: str,
    train: Table,
    test: Table | None = None,
    sample: Table | None = None,
    *,
    fields: Mapping[str, str] | None = None,
    own_metrics: Sequence[PredictionMetric] = (),
) -> PredictionTask:
    """The task that a text asks for of these tables.

    `fields` are meanings of columns that are known otherwise, as from a table of descriptions;
    `own_metrics` are known by their names. What the text leaves open is decided by the tables, and
    what neither settles is decided by custom and told in `doubts`. Errors: `UsageError` when no
    column can be the target.
    """
    texts = passages(text)
    meanings = {**read_fields(text, names_of(train)), **(fields or {})}
    targets = read_targets(texts, meanings, train, test, sample)
    columns = [target_column(train, each) for each in targets.names]
    named, others = named_metric(texts, names_of(train), own_metrics)
    by_class = asks_for_classes(sample, columns, test)
    kind, why = _kind(columns, named, texts, by_class=bool(by_class))
    scoring = scoring_of(
        named,
        others,
        kind,
        texts,
        wants_probability=bool(by_class) or _says(texts, PROBABILITY) or _shares(sample, columns),
        wants_label=_says(texts, LABELS) or _shows_labels(sample, columns),
    )
    values = _values(scoring.metric, kind)
    identifier, known_by = read_identifier(texts, train, test, sample, targets.names)
    handing = _handing(texts, columns, test, sample, values, identifier)
    taken = [*targets.names, *([identifier] if identifier else [])]
    group, grouped = read_group(texts, train, test, taken)
    time, timed = read_time(texts, train, test, targets.names)
    title = read_title(text, texts)
    reasons = {
        "targets": targets.reason,
        "kind": why,
        "metric": scoring.reason,
        "identifier": known_by,
        "submission": handing.reason,
        "group": grouped,
        "time": timed,
    }
    return PredictionTask(
        title=title,
        background=read_background(texts, title),
        targets=targets.names,
        identifier=identifier,
        kind=kind,
        metric=scoring.metric.name,
        greater_is_better=scoring.metric.greater_is_better,
        group=group,
        time=time,
        has_test=test is not None,
        submission=handing.format,
        fields=meanings,
        reasons={key: each for key, each in reasons.items() if each},
        doubts=(
            *targets.doubts,
            *scoring.doubts,
            *_kind_doubts(columns, kind),
            *handing.doubts,
            *table_doubts(train, test, targets.names, identifier, kind),
        ),
    )


def _kind(
    columns: Sequence[Column],
    named: PredictionMetric | None,
    texts: Sequence[TaskSentence],
    *,
    by_class: bool,
) -> tuple[Kind, str]:
    """The kind of the first target; of several with other kinds it is numbers if one is."""
    found = [kind_of_target(each, named, texts, class_columns=by_class) for each in columns]
    for wanted in ("regression", "multiclass"):
        for kind, why in found:
            if kind == wanted:
                return kind, why
    return found[0]


def _kind_doubts(columns: Sequence[Column], kind: Kind) -> list[str]:
    if len(columns) < 2 or kind == "binary":
        return []
    odd = [each.name for each in columns if (each.type == "text") != (columns[0].type == "text")]
    return [f"the targets are of several kinds: {', '.join(odd)}"] if odd else []


def _says(texts: Sequence[TaskSentence], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(each.text) for each in texts)


def _values(metric: PredictionMetric, kind: Kind) -> Predicted:
    """What stands in the file: what the metric is reckoned of."""
    if kind == "regression":
        return "number"
    if metric.wants == "number":
        return "label"
    return metric.wants


def _shares(sample: Table | None, targets: Sequence[Column]) -> bool:
    """Whether the sample submission shows fractions where the target has classes."""
    shown = _shown(sample, targets)
    return shown is not None and shown.type == "real" and targets[0].type != "real"


def _shows_labels(sample: Table | None, targets: Sequence[Column]) -> bool:
    shown = _shown(sample, targets)
    if shown is None or shown.type == "real":
        return False
    return bool(shown.values) and set(shown.values) <= set(targets[0].values)


def _shown(sample: Table | None, targets: Sequence[Column]) -> Column | None:
    """The one column of predictions of a sample submission."""
    if sample is None or len(sample.columns) < 2 or len(targets) != 1:
        return None
    return sample.columns[-1]


def _handing(
    texts: Sequence[TaskSentence],
    targets: Sequence[Column],
    test: Table | None,
    sample: Table | None,
    values: Predicted,
    identifier: str | None,
) -> Handing:
    if test is None:
        why = "there is no test table, so that nothing is to be handed in"
        doubt = "there is a sample submission, and no test table whose rows it asks for"
        return Handing(None, why, (doubt,) if sample is not None else ())
    if sample is not None:
        return by_sample(sample, targets, test, values, identifier)
    return by_text(texts, targets, test, values, identifier)
