"""The plan of the model phase: told from the task, the sizes and what an earlier try has taught."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.prediction.plan import Experience, Planning, PlanStep, UnitTestResult
from flows.analysis.prediction.planning.model_building import plan_model_building
from flows.analysis.prediction.task import PredictionTask
from flows.core.function_tool import call_of
from flows.data.tables import Column, Table
from flows.tools.functions.shipped import shipped_tools

VARIABLES = frozenset(
    ["train", "test", "sample", "raw_train", "raw_test", "before_train", "before_test"]
)


def table(rows: int, columns: int = 12, classes: int = 2) -> Table:
    made = [
        Column(name=f"c{place}", type="real", role="measure", rows=rows, missing=0, distinct=rows)
        for place in range(columns)
    ]
    made.append(
        Column(name="y", type="integer", role="category", rows=rows, missing=0, distinct=classes)
    )
    return Table(source="train", name="train", dialect="duckdb", rows=rows, columns=tuple(made))


def planning(rows: int = 2000, kind: Any = "binary", metric: str = "auc", **more: Any) -> Planning:
    task = PredictionTask(targets=("y",), kind=kind, metric=metric, greater_is_better=True)
    made = table(rows)
    return Planning(task=task, phase="model_building", train=made, test=made).model_copy(
        update=more
    )


def models(steps: tuple[PlanStep, ...]) -> list[str]:
    return [
        str(each.arguments.get("name", each.arguments["model"]))
        for each in steps
        if each.tool == "fit_model"
    ]


def trials(steps: tuple[PlanStep, ...], model: str) -> int:
    (found,) = [
        each.arguments["trials"]
        for each in steps
        if each.arguments.get("model") == model and "name" not in each.arguments
    ]
    return int(str(found))


@pytest.mark.parametrize("metric", ["auc", "accuracy", "f1"])
def test_each_step_is_a_call_of_a_tool_that_ships(metric: str) -> None:
    tools = {each.name: each for each in shipped_tools()}
    variables = set(VARIABLES)
    steps = plan_model_building(planning(metric=metric))
    for step in steps:
        line = call_of(tools[step.tool], step.arguments, frozenset(variables), step.into)
        compile(line, "<step>", "exec")
        variables |= set(step.into)
    assert {"oof", "predictions", "scores", "submission"} <= variables
    assert ("choose_threshold" in [each.tool for each in steps]) == (metric != "auc")


def test_only_candidates_may_fail() -> None:
    steps = plan_model_building(planning())
    needed = [each.tool for each in steps if not each.optional]
    assert needed == ["make_folds", "fit_yardsticks", "make_submission"]


def test_the_same_sizes_give_the_same_plan_and_more_rows_fewer_trials() -> None:
    small, again, large = (plan_model_building(planning(rows)) for rows in (1500, 1500, 50_000))
    assert small == again
    assert trials(small, "boosting") > trials(large, "boosting")


def test_without_a_test_file_nothing_is_handed_in() -> None:
    steps = plan_model_building(planning(test=None))
    assert "make_submission" not in [each.tool for each in steps]


def test_tools_that_the_phase_does_not_allow_are_not_planned() -> None:
    allowed = tuple(each for each in shipped_tools() if each.name != "blend_models")
    steps = plan_model_building(planning(tools=allowed))
    assert "blend_models" not in [each.tool for each in steps]


def test_a_candidate_that_failed_is_left_out() -> None:
    taught = Experience(try_number=2, errors=("boosting_raw: there are no other tables",))
    found = models(plan_model_building(planning(experience=taught)))
    assert "boosting_raw" not in found
    assert "boosting" in found


def test_a_column_that_leaks_is_not_used_again() -> None:
    check = UnitTestResult(
        name="no_leakage", passed=False, message="c3 leaks", culprits=("c3", "y")
    )
    steps = plan_model_building(planning(experience=Experience(try_number=2, failed=(check,))))
    fitted = [each for each in steps if each.tool in ("fit_model", "fit_yardsticks")]
    assert [each.arguments["skipped"] for each in fitted] == [["c3"]] * len(fitted)


def test_after_want_of_memory_less_is_learned_from() -> None:
    taught = Experience(try_number=2, errors=("the step was killed: out of memory",))
    before = plan_model_building(planning(30_000))
    after = plan_model_building(planning(30_000, experience=taught))
    assert trials(after, "boosting") < trials(before, "boosting")
    assert any("most_rows" in each.arguments for each in after if each.tool == "fit_model")


def test_a_candidate_that_took_too_long_is_made_smaller_and_not_left_out() -> None:
    errors = ("fit_model boosting: TimeoutError: the code was ended after 50 seconds",)
    before = plan_model_building(planning())
    after = plan_model_building(planning(experience=Experience(try_number=2, errors=errors)))
    assert models(after) == models(before)
    assert trials(after, "boosting") < trials(before, "boosting")
