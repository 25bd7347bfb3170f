"""Tools that the rules make of columns with random names, and the trial of whether they help."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from flows.analysis.prediction.plan import Planning
from flows.analysis.prediction.planning import plan_steps
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.toolsmith import trial
from flows.analysis.prediction.toolsmith.design import design_tools
from flows.analysis.prediction.toolsmith.draft import ToolDraft
from flows.tools.functions.parse import parse_tool
from tests.analysis.prediction.tables import messy, planning, random_names, rich, run

Made = tuple[Planning, dict[str, pd.DataFrame], tuple[ToolDraft, ...]]


@pytest.fixture(scope="module")
def made() -> Made:
    task, frames, _ = rich(1)
    given = planning(task, "feature_engineering", frames)
    return given, frames, design_tools(given)


def scope_of(draft: ToolDraft) -> dict[str, object]:
    scope: dict[str, object] = {"__name__": draft.name}
    exec(compile(draft.source, draft.name, "exec"), scope)
    return scope


def check(draft: ToolDraft, frames: dict[str, pd.DataFrame], target: str) -> None:
    """The draft is a tool, passes its own tests, and adds the same columns to both tables."""
    tool = parse_tool(draft.source, "rules")
    assert tool.name == draft.name
    assert tool.gives == ("train", "test")
    assert any(each.startswith("test_property_") for each in tool.tests)
    assert any("property" not in each for each in tool.tests)
    scope = scope_of(draft)
    for test in tool.tests:
        scope[test]()  # type: ignore[operator]
    train, test = frames["train"], frames["test"]
    before = train.copy()
    function = scope[draft.name]
    found, other = function(train, test)  # type: ignore[operator]
    pd.testing.assert_frame_equal(train, before)
    pd.testing.assert_frame_equal(found[list(train.columns)], train)
    assert [each for each in found if each != target] == list(other.columns)
    assert len(found.columns) > len(train.columns)
    assert len(other) == len(test)


@pytest.mark.long("whole analyses over their data")
def test_a_tool_of_every_template_is_made_where_the_data_call_for_it(made: Made) -> None:
    _, _, drafts = made
    assert {draft.template for draft in drafts} == {
        "split_code",
        "read_title",
        "count_by_key",
        "measure_gaps",
        "gap_since_last",
        "relate_amounts",
        "describe_text",
        "encode_pair",
        "fold_rare",
    }
    assert len({draft.name for draft in drafts}) == len(drafts)
    assert all(draft.why for draft in drafts)


@pytest.mark.long("models are trained and compared")
def test_every_tool_that_is_made_passes_its_own_tests(made: Made) -> None:
    given, frames, drafts = made
    for draft in drafts:
        check(draft, frames, given.task.targets[0])


@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_other_data_call_for_other_tools(made: Made, kind: str) -> None:
    task, frames, _ = messy(3, kind=kind)
    drafts = design_tools(planning(task, "feature_engineering", frames))
    for draft in drafts:
        check(draft, frames, task.targets[0])
    assert {draft.name for draft in drafts}.isdisjoint(draft.name for draft in made[2])
    assert {draft.template for draft in drafts} < {draft.template for draft in made[2]}


def test_plain_numbers_call_for_none() -> None:
    generator = np.random.default_rng(2)
    names = random_names(2, 5)
    frames = {"train": pd.DataFrame(generator.normal(size=(80, 5)), columns=names)}
    task = PredictionTask(
        targets=(names[0],), kind="regression", metric="rmse", greater_is_better=False
    )
    assert design_tools(planning(task, "feature_engineering", frames)) == ()


def test_no_tool_is_made_of_the_target(made: Made) -> None:
    given, _, drafts = made
    target = given.task.targets[0]
    assert all(target not in draft.columns for draft in drafts)
    seen = [draft.template for draft in drafts if target in draft.source]
    assert set(seen) <= {"encode_pair"}


@pytest.mark.long("models are trained and compared")
def test_odd_names_are_no_matter() -> None:
    task, frames, names = rich(5)
    odd = [
        'a "b" \\n',
        "it's {x} %",
        "prix d'été (€)",
        "  ",
        "名前",
        "a\nb",
        "_",
        "1st",
        "def",
        "#",
    ]
    renamed = dict(zip([*names[2:9], *names[14:16]], odd, strict=False))
    frames = {key: frame.rename(columns=renamed) for key, frame in frames.items()}
    given = planning(task, "feature_engineering", frames)
    drafts = design_tools(given)
    assert len(drafts) >= 8
    for draft in drafts:
        check(draft, frames, task.targets[0])


def tried(made: Made, templates: Sequence[str]) -> dict[str, bool]:
    """Which of these templates' tools a trial keeps."""
    given, frames, drafts = made
    task = given.task.model_dump(mode="json")
    kept: dict[str, bool] = {}
    for draft in drafts:
        if draft.template in templates:
            function = scope_of(draft)[draft.name]
            found, _ = function(frames["train"])  # type: ignore[operator]
            row = trial.trial(frames["train"], found, task=task).iloc[0]
            kept[draft.template] = kept.get(draft.template, False) or bool(row["kept"])
            assert row["says"]
    return kept


@pytest.mark.long("models are trained and compared")
def test_the_trial_drops_what_does_not_help(made: Made) -> None:
    assert tried(made, ["fold_rare"]) == {"fold_rare": False}


@pytest.mark.long("models are learned for each tool, several times")
def test_the_trial_keeps_what_helps_and_drops_what_does_not(made: Made) -> None:
    kept = tried(made, ["split_code", "fold_rare", "count_by_key", "describe_text"])
    assert kept["split_code"]
    assert not kept["fold_rare"]
    assert not kept["describe_text"]


@pytest.mark.long("models are trained and compared")
def test_the_trial_is_a_tool_and_passes_its_first_test() -> None:
    tool = parse_tool(inspect.getsource(trial), "trial")
    assert tool.name == "trial"
    trial.test_a_column_that_helps_is_kept()


@pytest.mark.long("models are learned for each test, and many times for noise")
def test_the_trial_passes_its_own_tests() -> None:
    tests = parse_tool(inspect.getsource(trial), "trial").tests
    assert len(tests) > 3
    for test in tests:
        getattr(trial, test)()


@pytest.mark.long("models are trained and compared")
def test_made_tools_run_after_cleaning_and_no_part_is_added_twice(made: Made) -> None:
    _, first, drafts = made
    frames = {name: frame.copy() for name, frame in first.items()}
    tools = tuple(parse_tool(draft.source, "run 1") for draft in drafts)
    task = made[0].task
    for phase in ("data_cleaning", "feature_engineering"):
        given = planning(task, phase, frames, made=tools, rules={"most_features_factor": 5.0})
        steps = plan_steps(given)
        if phase == "data_cleaning":
            assert {step.tool for step in steps}.isdisjoint(tool.name for tool in tools)
        else:
            assert [step.tool for step in steps][: len(tools)] == [tool.name for tool in tools]
            assert all(step.optional for step in steps[: len(tools)])
            assert "split_compound" not in {step.tool for step in steps}
        assert run(given, steps, frames) == []
        plt.close("all")
    train, test = frames["train"], frames["test"]
    assert [each for each in train if each != task.targets[0]] == list(test.columns)
    assert train[task.targets[0]].tolist() == first["train"][task.targets[0]].tolist()
    numbers = train.select_dtypes("number")
    assert not numbers.T.duplicated().any()
