"""Plans by rules, of generated tables with random names, and really run step by step."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from flows.analysis.prediction.plan import Experience, Planning, PlanStep, UnitTestResult
from flows.analysis.prediction.planning import plan_steps
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.toolsmith.design import design_tools
from flows.tools.functions.parse import parse_tool
from tests.analysis.prediction.tables import messy, planning, random_names, rich, run

PHASES = ("preliminary_eda", "data_cleaning", "in_depth_eda", "feature_engineering")


def steps_of(given: Planning) -> dict[str, PlanStep]:
    return {step.tool: step for step in plan_steps(given)}


def columns_of(step: PlanStep) -> list[object]:
    columns = step.arguments.get("columns", [])
    assert isinstance(columns, list)
    return list(columns)


@pytest.mark.long("models are trained and compared")
@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_every_phase_runs_and_leaves_tables_that_a_model_can_use(kind: str) -> None:
    task, frames, names = messy(3, kind=kind)
    before = {name: frame.copy() for name, frame in frames.items()}
    row, target, _, gaps, marker, amount, day, category, code, *_ = names
    for phase in PHASES:
        given = planning(task, phase, frames)
        assert run(given, plan_steps(given), frames) == []
        plt.close("all")
        if phase == "data_cleaning":
            cleaned = frames["train"].copy()
    train, test = frames["train"], frames["test"]
    assert train[row].tolist() == before["train"][row].tolist()
    assert train[target].tolist() == before["train"][target].tolist()
    assert list(test.columns) == [each for each in train if each != target]
    assert not cleaned.isna().any().any()
    assert {each.casefold() for each in cleaned[category]} == {"red", "blue", "missing"}
    assert cleaned[category].nunique() == 3
    assert cleaned[amount].dtype == "float64"
    assert cleaned[marker].min() > 0
    assert cleaned[day].dt.year.isin([2022, 2023]).all()
    assert f"{gaps}_was_missing" in cleaned
    assert names[10] not in cleaned
    assert names[11] not in cleaned
    assert f"{code}_part_2" in train
    assert f"{day}_days" in train
    assert code not in train
    assert len(train.columns) <= 3 * len(before["train"].columns)


@pytest.mark.parametrize("phase", PHASES)
def test_only_tools_that_the_phase_has_are_called(phase: str) -> None:
    task, frames, _ = messy(4)
    given = planning(task, phase, frames)
    some = given.tools[::2]
    steps = plan_steps(given.model_copy(update={"tools": some}))
    assert {step.tool for step in steps} <= {tool.name for tool in some}
    assert all(step.purpose for step in steps)
    assert plan_steps(given.model_copy(update={"tools": ()})) == ()


@pytest.mark.long("whole analyses over their data")
def test_a_phase_that_no_rule_plans_has_no_steps() -> None:
    task, frames, _ = messy(4)
    given = planning(task, "preliminary_eda", frames)
    assert plan_steps(given.model_copy(update={"phase": "understand_background"})) == ()


@pytest.mark.long("whole analyses over their data")
def test_the_time_and_the_group_stay() -> None:
    names = random_names(5, 5)
    row, target, when, group, number = names
    generator = np.random.default_rng(5)
    train = pd.DataFrame(
        {
            row: range(120),
            target: generator.normal(size=120),
            when: pd.date_range("2024-01-01", periods=120).strftime("%Y-%m-%d"),
            group: generator.integers(1, 9, 120),
            number: generator.normal(size=120),
        }
    )
    frames = {"train": train}
    task = PredictionTask(
        targets=(target,),
        identifier=row,
        kind="regression",
        metric="rmse",
        greater_is_better=False,
        group=group,
        time=when,
        has_test=False,
    )
    for phase in PHASES:
        given = planning(task, phase, frames)
        assert run(given, plan_steps(given), frames) == []
        plt.close("all")
    found = frames["train"]
    assert [each for each in (row, target, group, when) if each not in found] == []
    assert found[group].tolist() == train[group].tolist()


def test_rows_that_are_there_twice_go_where_the_identifier_says_so() -> None:
    task, frames, names = messy(6)
    train = frames["train"]
    frames["train"] = pd.concat([train, train.iloc[:7]], ignore_index=True)
    given = planning(task, "data_cleaning", frames)
    run(given, plan_steps(given), frames)
    assert len(frames["train"]) == len(train)
    assert frames["train"][names[0]].is_unique


def test_few_categories_repeat_by_chance_and_stay() -> None:
    left, right, target = random_names(7, 3)
    generator = np.random.default_rng(7)
    train = pd.DataFrame(generator.integers(0, 3, (200, 3)), columns=[left, right, target])
    task = PredictionTask(
        targets=(target,), kind="multiclass", metric="accuracy", greater_is_better=True
    )
    steps = steps_of(planning(task, "data_cleaning", {"train": train}))
    assert "drop_duplicate_rows" not in steps


def test_rows_without_a_target_go() -> None:
    task, frames, names = messy(8, kind="regression")
    frames["train"].loc[:4, names[1]] = np.nan
    rows = len(frames["train"])
    given = planning(task, "data_cleaning", frames)
    run(given, plan_steps(given), frames)
    assert len(frames["train"]) == rows - 5


def test_a_column_that_a_step_failed_on_is_left_out_of_it() -> None:
    task, frames, names = messy(9)
    category, rare = names[7], names[12]
    error = (
        f"Traceback ...\n  in tidy_text_values\nValueError: there is no column '{rare}' in train"
    )
    taught = Experience(try_number=2, errors=(error,))
    steps = steps_of(planning(task, "data_cleaning", frames, experience=taught))
    assert steps["tidy_text_values"].arguments["columns"] == [category]


def test_a_step_that_failed_as_a_whole_is_left_out() -> None:
    task, frames, _ = messy(9)
    taught = Experience(try_number=2, errors=("in screen_interactions\nMemoryError",))
    assert "screen_interactions" in steps_of(planning(task, "feature_engineering", frames))
    steps = steps_of(planning(task, "feature_engineering", frames, experience=taught))
    assert "screen_interactions" not in steps
    assert "split_compound" in steps


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("the column {} still has missing values", "fill_missing_values"),
        ("{} leaks the target", "drop_columns"),
        ("{} is constant", "drop_columns"),
        ("train and test have not the same columns: {}", "align_test_columns"),
        ("rows are doubled", "drop_duplicate_rows"),
    ],
)
def test_a_failed_test_is_answered_by_a_last_step(message: str, tool: str) -> None:
    task, frames, names = messy(10)
    failed = UnitTestResult(
        name="a_test", passed=False, message=message.format(names[2]), culprits=(names[2],)
    )
    taught = Experience(try_number=2, failed=(failed,))
    steps = plan_steps(planning(task, "data_cleaning", frames, experience=taught))
    assert steps[-1].tool == tool
    assert names[1] not in columns_of(steps[-1])


@pytest.mark.long("models are trained and compared")
def test_the_target_is_never_dropped_whatever_a_test_says() -> None:
    task, frames, names = messy(10)
    failed = UnitTestResult(name="leak", passed=False, message="a leak", culprits=(names[1],))
    taught = Experience(try_number=2, failed=(failed,), suggestions=(f"drop '{names[0]}'",))
    given = planning(task, "feature_engineering", frames, experience=taught)
    run(given, plan_steps(given), frames)
    assert names[1] in frames["train"]
    assert names[0] in frames["train"]


@pytest.mark.long("models are trained and compared")
def test_too_many_features_are_fewer_in_the_second_try() -> None:
    task, frames, _ = messy(11)
    failed = UnitTestResult(name="no_feature_explosion", passed=False, message="too many features")
    first = planning(task, "feature_engineering", frames)
    second = first.model_copy(update={"experience": Experience(try_number=2, failed=(failed,))})
    other = {name: frame.copy() for name, frame in frames.items()}
    run(first, plan_steps(first), frames)
    run(second, plan_steps(second), other)
    assert len(other["train"].columns) < len(frames["train"].columns)


@pytest.mark.long("whole analyses over their data")
def test_the_rulebook_is_kept() -> None:
    task, frames, names = messy(12)
    given = planning(task, "feature_engineering", frames, rules={"most_features_factor": 1.0})
    run(given, plan_steps(given), frames)
    assert len(frames["train"].columns) <= len(names)
    few = planning(task, "preliminary_eda", frames, rules={"most_figures": 4})
    assert "plot_distributions" not in steps_of(few)
    without = planning(task, "data_cleaning", frames, rules={"outlier_method": "none"})
    assert "clip_outliers" not in steps_of(without)


@pytest.mark.long("whole analyses over their data")
def test_far_values_are_clipped() -> None:
    task, frames, names = messy(13)
    frames["train"].loc[0, names[2]] = 1e7
    given = planning(task, "data_cleaning", frames)
    run(given, plan_steps(given), frames)
    assert frames["train"][names[2]].max() < 1000


@pytest.mark.long("whole analyses over their data")
def test_what_the_rulebook_keeps_missing_is_not_filled() -> None:
    task, frames, names = messy(14)
    given = planning(task, "data_cleaning", frames, rules={"keep_missing": [names[3]]})
    run(given, plan_steps(given), frames)
    assert frames["train"][names[3]].isna().any()
    assert not frames["train"][names[4]].isna().any()
    without = planning(task, "data_cleaning", frames, rules={"keep_missing": True})
    assert "fill_missing_values" not in steps_of(without)


def test_a_warning_changes_no_plan() -> None:
    task, frames, names = messy(15)
    told = UnitTestResult(
        name="no_leakage",
        passed=False,
        message="a leak",
        advice="drop_columns leaves it out",
        culprits=(names[2],),
        level="warning",
    )
    first = planning(task, "feature_engineering", frames)
    second = first.model_copy(update={"experience": Experience(try_number=2, failed=(told,))})
    assert plan_steps(second) == plan_steps(first)


@pytest.mark.long("models are trained and compared")
def test_a_code_that_a_made_tool_splits_goes_and_one_that_it_counts_is_split() -> None:
    task, frames, names = rich(16)
    berth = names[3]
    drafts = design_tools(planning(task, "feature_engineering", frames))
    splits, counts = (
        tuple(
            parse_tool(draft.source, "run 1")
            for draft in drafts
            if draft.template == template and draft.columns == (berth,)
        )
        for template in ("split_code", "count_by_key")
    )
    assert splits
    assert counts
    for made, split in ((splits, False), (counts, True)):
        given = planning(task, "feature_engineering", frames, made=made)
        steps = plan_steps(given)
        split_ones = [step for step in steps if step.tool == "split_compound"]
        assert any(berth in columns_of(step) for step in split_ones) == split
        tables = {name: frame.copy() for name, frame in frames.items()}
        assert run(given, steps, tables) == []
        assert berth not in tables["train"]
        assert berth not in tables["test"]
