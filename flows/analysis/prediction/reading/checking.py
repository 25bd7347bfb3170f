"""What of a task contradicts the tables: for one that a language model has read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.analysis.prediction.metrics import METRICS, PredictionMetric
from flows.analysis.prediction.reading.columns import column_of, names_of
from flows.analysis.prediction.reading.kinds import are_number_texts
from flows.analysis.prediction.task import PredictionTask, SubmissionFormat
from flows.data.tables import Column, Table
from flows.errors import nearest

_MOST_CLASSES = 1000


def check_task(
    task: PredictionTask,
    train: Table,
    test: Table | None = None,
    sample: Table | None = None,
    *,
    own_metrics: Sequence[PredictionMetric] = (),
) -> tuple[str, ...]:
    """A sentence for each part of a task that the tables contradict, with what is allowed; none
    for a task that holds."""
    return (
        *_targets(task, train, test, sample),
        *_kind(task, train),
        *_metric(task, {**METRICS, **{each.name: each for each in own_metrics}}),
        *_columns(task, train, test, sample),
        *_submission(task, train, test, sample),
    )


def _targets(
    task: PredictionTask, train: Table, test: Table | None, sample: Table | None
) -> Iterator[str]:
    if not task.targets:
        yield f"targets: none is named; one or several columns of train: {_names(train)}"
    if len(set(task.targets)) != len(task.targets):
        yield "targets: one is named twice"
    for name in task.targets:
        if name not in names_of(train):
            yield f"targets: {_no_column('train', name, train)}"
            continue
        other = column_of(test, name)
        open_ones = [each for each in names_of(train) if column_of(test, each) is None]
        filled = other is not None and other.missing < other.rows
        if filled and open_ones and column_of(sample, name) is None:
            yield (
                f"targets: test has values of {name!r}, so that there is nothing to predict; "
                f"test lacks: {', '.join(open_ones[:20])}"
            )
    if task.identifier in task.targets:
        yield f"identifier: {task.identifier!r} is a target, too"


def _kind(task: PredictionTask, train: Table) -> Iterator[str]:
    for name in task.targets:
        found = column_of(train, name)
        if found is None:
            continue
        if task.kind == "binary" and found.distinct > 2:
            yield f"kind: {name!r} has {found.distinct:,} values, binary has two; use multiclass"
        elif task.kind == "multiclass" and found.distinct == 2:
            yield f"kind: {name!r} has two values; use binary"
        elif task.kind == "multiclass" and found.distinct > _MOST_CLASSES:
            yield f"kind: {name!r} has {found.distinct:,} values, too many for classes"
        elif task.kind == "multiclass" and found.type == "real" and _fractions(found.values):
            yield f"kind: {name!r} has fractions, such as {found.values[0]}; use regression"
        elif task.kind == "regression" and not _has_numbers(found):
            shown = ", ".join(found.values[:3])
            yield f"kind: {name!r} is {found.type} ({shown}), and regression is of numbers"


def _has_numbers(target: Column) -> bool:
    return target.type in ("integer", "real") or are_number_texts(target)


def _fractions(values: Sequence[str]) -> bool:
    return any("." in each and each.rpartition(".")[2].strip("0") for each in values[:100])


def _metric(task: PredictionTask, known: dict[str, PredictionMetric]) -> Iterator[str]:
    metric = known.get(task.metric)
    if metric is None:
        meant = nearest(task.metric, known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        yield f"metric: there is no {task.metric!r}{hint} (allowed: {', '.join(known)})"
        return
    if task.kind not in metric.kinds:
        allowed = ", ".join(each.name for each in known.values() if task.kind in each.kinds)
        yield f"metric: {metric.name} is not for {task.kind} (allowed: {allowed})"
    if task.greater_is_better != metric.greater_is_better:
        better = "more" if metric.greater_is_better else "less"
        yield f"greater_is_better: of {metric.name} {better} is better"


def _columns(
    task: PredictionTask, train: Table, test: Table | None, sample: Table | None
) -> Iterator[str]:
    for part, name in (
        ("identifier", task.identifier),
        ("group", task.group),
        ("time", task.time),
    ):
        if name is not None and name not in names_of(train):
            yield f"{part}: {_no_column('train', name, train)}"
    for part, name in (("group", task.group), ("time", task.time)):
        if name is not None and name in task.targets:
            yield f"{part}: {name!r} is a target, too"
    unknown = [each for each in task.fields if each not in names_of(train)]
    for name in unknown:
        if column_of(test, name) is None:
            yield f"fields: {_no_column('train', name, train)}"
    if task.identifier is not None and test is not None:
        found = column_of(test, task.identifier)
        if found is None:
            yield f"identifier: {_no_column('test', task.identifier, test)}"
        elif found.distinct < found.rows and column_of(sample, task.identifier) is None:
            repeated = found.rows - found.distinct
            yield f"identifier: {task.identifier!r} has {repeated:,} values of test twice"
    if task.has_test != (test is not None):
        yield f"has_test: there is {'a' if test is not None else 'no'} test table"


def _submission(
    task: PredictionTask, train: Table, test: Table | None, sample: Table | None
) -> Iterator[str]:
    shown = task.submission
    if shown is None:
        if test is not None:
            yield "submission: there is a test table, so that a file is to be handed in"
        return
    if sample is not None and shown.columns != names_of(sample):
        yield (
            f"submission.columns: the sample submission has {', '.join(names_of(sample))}, in this "
            f"order, and not {', '.join(shown.columns)}"
        )
    if test is not None and shown.rows is not None and shown.rows != test.rows:
        yield f"submission.rows: test has {test.rows:,} rows, not {shown.rows:,}"
    if shown.identifier is not None and shown.identifier not in shown.columns:
        yield f"submission.identifier: {shown.identifier!r} is none of submission.columns"
    yield from _predictions(task, shown, train)
    if task.kind == "regression" and shown.values != "number":
        yield "submission.values: of regression they are `number`"
    if task.kind != "regression" and shown.values == "number":
        yield f"submission.values: of {task.kind} they are `label` or `probability`"


def _predictions(task: PredictionTask, shown: SubmissionFormat, train: Table) -> Iterator[str]:
    if not shown.predictions:
        yield "submission.predictions: no column holds a prediction"
    for name, meaning in shown.predictions.items():
        if name not in shown.columns:
            yield f"submission.predictions: {name!r} is none of submission.columns"
        target, is_class, label = meaning.partition("=")
        if meaning in task.targets:
            continue
        if target not in task.targets:
            yield (
                f"submission.predictions: {name!r} holds {meaning!r}, which is neither a target "
                f"({', '.join(task.targets)}) nor TARGET=CLASS"
            )
        elif is_class:
            found = column_of(train, target)
            if found is not None and found.values_complete and label not in found.values:
                yield (
                    f"submission.predictions: {target!r} has no class {label!r} (classes: "
                    f"{', '.join(found.values[:20])})"
                )


def _no_column(label: str, name: str, table: Table) -> str:
    meant = nearest(name, names_of(table))
    hint = f"; did you mean {meant!r}?" if meant else ""
    return f"{label} has no column {name!r}{hint} (columns: {_names(table)})"


def _names(table: Table) -> str:
    names = names_of(table)
    return ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
