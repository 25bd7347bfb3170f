"""The steps of building models: folds, yardsticks, candidates, a blend, thresholds, a submission.

How many settings of a model are tried is told from the sizes of the tables and the seconds that
the phase has, never from a clock: the same plan gives the same models on any machine. The factors
of `_COSTS` are of one core of 2026, measured by `benchmarks/pipeline.py`.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.task import TEST, PredictionTask

_TABLES: Final = ("oof", "predictions", "scores")
# What errors for want of time or of memory say.
_WANTS: Final = (
    "time limit", "timed out", "timeout", "time was up", "ended after", "memory", "killed",
)  # fmt: skip
_LABELS: Final = (
    "accuracy", "f1", "f1_macro", "f1_weighted", "f1_micro", "balanced_accuracy", "mcc", "kappa",
    "qwk",
)  # fmt: skip
_MOST_ROWS: Final = 150_000  # of train that are used at all
_LONGEST: Final = 0.4  # of the seconds, for the search of one candidate
_ROOM: Final = 0.75  # of the seconds that the candidates may take by estimate


@dataclass(frozen=True)
class ModelCandidate:
    """A kind of model: the share of the seconds that it may take, and how its cost is told.

    `rows` are those of a fold that it learns from at most. `overhead` are seconds of a fit of any
    size, `each` those of a row and column. `outputs` says whether it costs as much for each class.
    """

    model: str
    share: float
    trials: int
    bags: int
    rows: int
    overhead: float
    each: float
    outputs: bool = False
    name: str = ""
    raw: bool = False
    needs: str = ""

    @property
    def title(self) -> str:
        return self.name or self.model


_CANDIDATES: Final = (
    ModelCandidate("linear", 0.08, 8, 1, 40_000, 0.05, 1.5e-6, outputs=True),
    ModelCandidate("boosting", 0.35, 16, 3, 120_000, 0.4, 1.2e-6, outputs=True),
    ModelCandidate("extra_trees", 0.2, 6, 1, 60_000, 0.3, 1e-5),
    ModelCandidate("neural_network", 0.12, 4, 3, 30_000, 0.1, 2e-6),
    ModelCandidate("kernel", 0.06, 6, 2, 20_000, 0.1, 1e-6),
    ModelCandidate("random_forest", 0.08, 3, 1, 40_000, 0.3, 6e-5),
    ModelCandidate("lightgbm", 0.1, 6, 2, 150_000, 0.2, 3e-6, outputs=True, needs="lightgbm"),
    ModelCandidate("catboost", 0.12, 2, 1, 120_000, 0.5, 6e-6, outputs=True, needs="catboost"),
    ModelCandidate("xgboost", 0.08, 4, 1, 120_000, 0.3, 4e-6, outputs=True, needs="xgboost"),
    ModelCandidate(
        "boosting", 0.12, 3, 2, 120_000, 0.4, 1.2e-6, outputs=True, name="boosting_raw", raw=True
    ),
)


def plan_model_building(given: Planning) -> tuple[PlanStep, ...]:
    """The steps from the tables as they are to a submission.

    After a failed try candidates that failed are left out, columns that a check has named as
    leaking are not used, and what took too long or too much memory is made smaller.
    """
    said = task_argument(given.task)
    skipped = leaking_columns(given)
    common: Mapping[str, Any] = {"task": said} | ({"skipped": list(skipped)} if skipped else {})
    steps = [
        PlanStep(
            purpose="Part the rows into folds that are like the way from train to test",
            tool="make_folds",
            arguments={"task": said, "most_rows": _MOST_ROWS},
            into=("folds", "validation"),
        ),
        PlanStep(
            purpose="Score the yardsticks: one answer for all rows, and plain boosting",
            tool="fit_yardsticks",
            arguments=dict(common),
            into=_TABLES,
        ),
    ]
    steps += [_fitting(each, given, common) for each in candidates(given)]
    steps.append(
        PlanStep(
            purpose="Weigh the models together, if that scores better",
            tool="blend_models",
            arguments={"task": said},
            into=_TABLES,
            optional=True,
        )
    )
    if given.task.metric in _LABELS:
        steps.append(
            PlanStep(
                purpose=f"Choose from where on a class is said, by {given.task.metric}",
                tool="choose_threshold",
                arguments={"task": said},
                into=("thresholds", "scores"),
                optional=True,
            )
        )
    if given.task.has_test and given.test is not None:
        steps.append(
            PlanStep(
                purpose=f"Make the submission for the rows of {TEST}",
                tool="make_submission",
                arguments={"task": said},
                into=("submission",),
            )
        )
    return tuple(each for each in steps if not given.tools or given.has_tool(each.tool))


def task_argument(task: PredictionTask) -> dict[str, object]:
    """What the tools want to know of a task, as plain data without its texts."""
    said = task.model_dump(
        mode="json",
        include={
            "targets",
            "kind",
            "metric",
            "greater_is_better",
            "own",
            "identifier",
            "group",
            "time",
        },
        exclude_none=True,
    )
    if task.submission is not None:
        said["submission"] = task.submission.model_dump(mode="json", exclude_none=True)
    return said


def leaking_columns(given: Planning) -> tuple[str, ...]:
    """Columns that a failed check of leakage has named, as they are called in train."""
    names = {each.name for each in given.train.columns}
    kept = {*given.task.targets, given.task.identifier}
    found = [
        name
        for check in given.experience.failed
        if "leak" in f"{check.name} {check.message}".casefold()
        for name in check.culprits
        if name in names and name not in kept
    ]
    return tuple(dict.fromkeys(found))


def candidates(given: Planning) -> list[ModelCandidate]:
    """The kinds of models that are tried: those that can be, without those that have failed."""
    failed = failed_candidates(given)
    found = [
        each
        for each in _CANDIDATES
        if each.title not in failed
        and (not each.needs or importlib.util.find_spec(each.needs) is not None)
    ]
    return [each for each in found if _is_affordable(each, given)]


def failed_candidates(given: Planning) -> frozenset[str]:
    """The candidates of earlier steps that an error names, other than for want of time or memory:
    those are made smaller."""
    errors = "\n".join(each for each in given.experience.errors if not _is_of_size(each))
    errors = errors.replace(" ", "_")
    titles = sorted((each.title for each in _CANDIDATES), key=len, reverse=True)
    found = set()
    for title in titles:
        if title in errors:
            found.add(title)
            errors = errors.replace(title, "")
    return frozenset(found)


def trials_of(candidate: ModelCandidate, given: Planning) -> int:
    """How many settings fit into the candidate's share of the seconds, by estimate."""
    budget = candidate.share * _ROOM * given.seconds / len(given.task.targets)
    smaller = 2 if _is_too_large(given) else 1
    budget, most = budget / smaller, max(1, candidate.trials // smaller)
    folds, one = _folds(given.train.rows), _seconds_of_fit(candidate, given)
    again = folds == 1 or given.task.time is not None  # a model of all rows predicts test
    trials = 1
    while trials < most:
        tried = trials + 1
        fits = tried * min(2, folds) + max(2, tried // 3) * max(0, folds - 2)
        if (fits + candidate.bags * (folds + again)) * one > budget:
            break
        trials = tried
    return trials


def _fitting(candidate: ModelCandidate, given: Planning, common: Mapping[str, Any]) -> PlanStep:
    # What is given up is so after twice the seconds, which is before a step of the phase is ended.
    seconds = round(min(2 * candidate.share, _LONGEST) * given.seconds, 1)
    trials = trials_of(candidate, given)
    arguments = {**common, "model": candidate.model}
    if candidate.name:
        arguments["name"] = candidate.name
    if candidate.raw:
        arguments["raw"] = True
    bags = candidate.bags if trials > 2 else 1
    rows = candidate.rows // (4 if _is_too_large(given) else 1)
    if given.train.rows > rows:
        arguments["most_rows"] = rows
    return PlanStep(
        purpose=f"Fit {candidate.title.replace('_', ' ')}, {trials} settings tried",
        tool="fit_model",
        arguments={**arguments, "trials": trials, "bags": bags, "seconds": seconds},
        into=_TABLES,
        optional=True,
    )


def _is_affordable(candidate: ModelCandidate, given: Planning) -> bool:
    """Whether one setting of the candidate fits into twice its share; boosting always goes on."""
    if candidate.title in ("boosting", "linear"):
        return True
    one = _seconds_of_fit(candidate, given) * len(given.task.targets)
    return one * _folds(given.train.rows) <= 2 * candidate.share * _ROOM * given.seconds


def _is_too_large(given: Planning) -> bool:
    """Whether an earlier try ended for want of time or of memory."""
    return any(_is_of_size(each) for each in given.experience.errors)


def _is_of_size(error: str) -> bool:
    said = error.casefold()
    return any(each in said for each in _WANTS)


def _folds(rows: int) -> int:
    if rows > 60_000:
        return 1
    return 10 if rows < 400 else 5 if rows <= 20_000 else 3


def _seconds_of_fit(candidate: ModelCandidate, given: Planning) -> float:
    rows = min(given.train.rows, candidate.rows, _MOST_ROWS)
    cells = rows * _width(given)
    outputs = _classes(given) if candidate.outputs else 1
    logarithm = max(1.0, math.log10(max(rows, 10)) / 3)
    return (candidate.overhead + candidate.each * cells * logarithm) * outputs


def _width(given: Planning) -> int:
    """About how many columns there are once they are encoded."""
    widths = {"category": 3, "time": 8, "text": 24}
    return max(1, sum(widths.get(each.role, 1) for each in given.train.columns))


def _classes(given: Planning) -> int:
    if given.task.kind != "multiclass" or given.task.metric == "qwk":
        return 1
    wanted: Sequence[str] = given.task.targets
    counts = [each.distinct for each in given.train.columns if each.name in wanted]
    return max([*counts, 1])
