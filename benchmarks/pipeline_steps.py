"""The model phase by itself: its plan is made and its steps are called in this process.

For work on the tools. The pipeline runs the same steps in the sandbox, after phases that clean the
tables and add to them.
"""

from __future__ import annotations

import importlib
import inspect
import time
from pathlib import Path
from typing import Any

import pandas as pd
from pipeline_tasks import IDENTIFIER, PROBABILITIES, PredictionCase

from flows.analysis.prediction import tools
from flows.analysis.prediction.plan import Planning, PlanStep
from flows.analysis.prediction.planning.model_building import plan_model_building
from flows.analysis.prediction.task import PredictionTask, SubmissionFormat
from flows.data.catalog import Catalog


def task_of(case: PredictionCase) -> PredictionTask:
    values = "probability" if case.metric in PROBABILITIES else "label"
    return PredictionTask(
        title=case.name,
        targets=(case.target,),
        identifier=IDENTIFIER,
        kind=case.kind,
        metric=case.metric,
        greater_is_better=case.greater_is_better,
        group=case.group,
        time=case.time,
        submission=SubmissionFormat(
            columns=(IDENTIFIER, case.target),
            identifier=IDENTIFIER,
            predictions={case.target: case.target},
            values="number" if case.kind == "regression" else values,
            rows=len(case.test),
        ),
    )


def planning_of(case: PredictionCase, folder: Path, seconds: float) -> Planning:
    names = {"train": "train.csv", "test": "test.csv", "sample": "sample_submission.csv"}
    with Catalog(dict(names), folder) as catalog:
        tables = {each.source: each for each in catalog.tables()}
    return Planning(task=task_of(case), phase="model_building", seconds=seconds, **tables)


def run_steps(
    steps: tuple[PlanStep, ...], variables: dict[str, Any], *, told: bool = False
) -> dict[str, Any]:
    """The variables after the steps. An optional step that fails is left out, which is printed."""
    for step in steps:
        function = getattr(importlib.import_module(f"{tools.__name__}.{step.tool}"), step.tool)
        given = {
            name: variables[name]
            for name, each in inspect.signature(function).parameters.items()
            if "DataFrame" in str(each.annotation) and name in variables
        }
        start = time.monotonic()
        try:
            made = function(**given, **step.arguments)
        except Exception as error:  # as the sandbox reports any
            if not step.optional:
                raise
            print(f"  left out: {step.purpose}: {error!r}")
            continue
        if told:
            print(f"  {step.purpose}: {time.monotonic() - start:.1f} s")
        made = made if isinstance(made, tuple) else (made,)
        variables = {**variables, **dict(zip(step.into, made, strict=True))}
    return variables


def run_directly(
    case: PredictionCase, folder: Path, seconds: float, *, told: bool = False
) -> dict[str, Any]:
    """The variables after the model phase, from the folder's files as they are."""
    files = {"train": "train.csv", "test": "test.csv", "sample": "sample_submission.csv"}
    variables = {name: pd.read_csv(folder / file) for name, file in files.items()}
    variables |= {"raw_train": variables["train"], "raw_test": variables["test"]}
    steps = plan_model_building(planning_of(case, folder, seconds))
    return run_steps(steps, variables, told=told)
