"""The pipeline with a language model in single agents that makes each mistake once: it is told
what was wrong, and the rest goes on by rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.analysis.prediction.work import PhaseRecord
from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from tests.library.desk import Desk
from tests.library.rooms import INPUTS, PIPELINE, furnish, only, task
from tests.library.world import asked

__all__ = ["furnish"]
CLEANING = only("DataCleaning")
FILL = "train = train.fillna({'floor': 2.0})\ntest = test.fillna({'floor': 2.0})\n"
NOTHING = "print(train.shape)\n"
TALK = (FakeAnswer("Rooms."), FakeAnswer("Fill the floors."), FakeAnswer("First the floors."))


def both(name: str, other: str) -> str:
    """Code that makes a column of another one, in both tables."""
    return "".join(
        f"{each} = {each}.assign({name}={each}['{other}'] * 3)\n" for each in ("train", "test")
    )


def own(*agents: str) -> list[str]:
    """These agents with a language model, all others with the rules."""
    return [f"+{each}.model={{_target_: model.openai, model: fake}}" for each in agents]


def say(**reply: Any) -> FakeAnswer:
    return FakeAnswer(json.dumps(reply))


def steps(*purposes: str, **more: Any) -> FakeAnswer:
    """A plan of steps whose code the developer writes."""
    return say(steps=[{"purpose": each, **more} for each in purposes])


def score(value: float, suggestion: str = "") -> FakeAnswer:
    return say(scores=[
        {"agent": each, "score": value, "reasons": ["as it is"], "suggestion": suggestion}
        for each in ("planner", "developer")
    ])  # fmt: skip


# A tool that takes longer than half of the least time of a phase.
SLOW = '''"""Add a column that says where the sun is strong.

Phases: feature_engineering
Gives: train
"""

from __future__ import annotations

import time

import pandas as pd


def add_sunny(train: pd.DataFrame) -> pd.DataFrame:
    """Say where the sun is strong.

    Args:
        train: A table with the column sun.
    Returns:
        The table with one column more.
    Example:
        train = add_sunny(train)
    """
    time.sleep(3.0 if len(train) > 2 else 0.0)
    return train.assign(sunny=(train["sun"] > 6).astype(float))


def test_strong_sun_is_told() -> None:
    assert add_sunny(pd.DataFrame({"sun": [1.0, 9.0]}))["sunny"].tolist() == [0.0, 1.0]
'''
GOOD = steps("fill", tool="fill_missing_values", arguments={"columns": ["floor"]})


def work(desk: Desk, *overrides: str) -> RunResult:
    return desk.run(PIPELINE, *overrides, inputs=INPUTS)


def cleaning(result: RunResult) -> PhaseRecord:
    assert result.outputs["phases"], result.error
    found: PhaseRecord = result.outputs["phases"][-1]
    assert found.phase == "data_cleaning"
    return found


def executed(desk: Desk) -> list[str]:
    """The purposes of the code that ran, in order, without the unit tests."""
    purposes = [str(each.get("purpose")) for each in desk.inputs("execute")]
    return [each for each in purposes if each != "Run the unit tests"]


@pytest.mark.long("whole runs of a flow")
def test_a_reader_is_told_what_is_wrong_with_its_task(desk: Desk) -> None:
    desk.server.script(
        FakeAnswer("It is about rooms, of which some are warm."),
        say(task=task(targets=["warmth"])),
        say(task=task(title="Rooms")),
    )
    result = work(desk, *only(), *own("UnderstandBackground.Reader"))
    assert len(desk.server.requests) == 3
    assert "one JSON object" in asked(desk.server, 1)[-1][1]
    assert "warmth" in asked(desk.server, 2)[-1][1]
    assert result.outputs["task"].title == "Rooms"
    assert result.outputs["task"].targets == ("warm",)
    assert any("cannot be used" in each for each in desk.notices())


@pytest.mark.long("whole runs of a flow")
def test_a_reader_that_never_says_a_task_ends_the_pipeline(desk: Desk) -> None:
    desk.server.script(*[say(task=task(targets=["warmth"]))] * 9)
    result = work(desk, *CLEANING, *own("UnderstandBackground.Reader"))
    assert result.outputs["status"] == "failed"
    assert result.outputs["submission"] == ""
    [record] = result.outputs["phases"]
    assert record.tries == 3
    assert record.score == 0
    assert any("what is to be predicted" in each for each in result.outputs["notes"])


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_planner_is_told_of_bad_json_and_of_a_tool_that_the_phase_has_not(desk: Desk) -> None:
    desk.server.script(
        *TALK,
        FakeAnswer("1. Fill the floors."),
        say(steps=[{"purpose": "learn", "tool": "fit_model", "arguments": {}}]),
        GOOD,
    )  # fmt: skip
    result = work(desk, *CLEANING, *own("DataCleaning.Planner"))
    assert len(desk.server.requests) == 6
    assert "one JSON object" in asked(desk.server, 4)[-1][1]
    told = asked(desk.server, 5)[-1][1]
    assert "no tool 'fit_model'" in told
    assert "fill_missing_values" in told
    record = cleaning(result)
    assert (record.tries, record.kept_best) == (1, False)
    assert record.tools == ("fill_missing_values",)
    assert record.work.ran


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_planner_without_a_usable_plan_spends_a_try(desk: Desk) -> None:
    """The next try asks it again; what was wrong is its experience."""
    bad = say(steps=[{"purpose": "learn", "tool": "fit_model"}])
    desk.server.script(*TALK, bad, bad, bad, *TALK, GOOD)
    record = cleaning(work(desk, *CLEANING, *own("DataCleaning.Planner")))
    assert record.tries == 2
    assert "fit_model" in asked(desk.server, 7)[-1][1]
    assert record.work.ran
    assert record.score is not None
    assert record.score >= 3


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_code_that_fails_goes_back_with_its_traceback_and_runs_from_there(desk: Desk) -> None:
    desk.server.script(
        *TALK, steps("look", "fill", "end"),
        say(code=[NOTHING, FILL.replace("train.f", "train[['flor']].f"), NOTHING]),
        say(from_step=2, code=[FILL, NOTHING]),
    )  # fmt: skip
    agents = own("DataCleaning.Planner", "DataCleaning.Developer")
    record = cleaning(work(desk, *CLEANING, *agents))
    told = asked(desk.server, 5)[-1][1]
    assert "KeyError" in told
    assert "flor" in told
    assert "Traceback" in told
    assert executed(desk) == ["look", "fill", "fill", "end"]
    assert record.work.ran
    assert record.work.corrections == 1
    assert any("KeyError" in each for each in record.work.errors)
    assert [each.status for each in record.work.outcomes] == ["done"] * 3


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_code_may_be_rewritten_from_an_earlier_step_on(desk: Desk) -> None:
    """What the earlier step had made is undone first."""
    double = "train = train.assign(floor=train['floor'] * 2)\n" + FILL
    desk.server.script(
        *TALK, steps("change", "fill"),
        say(code=[double, "1 / 0"]),
        say(from_step=1, code=[FILL, both("high", "floor")]),
    )  # fmt: skip
    agents = own("DataCleaning.Planner", "DataCleaning.Developer")
    overrides = ["+DataCleaning.unit_tests=[rows_kept]"]
    record = cleaning(work(desk, *CLEANING, *overrides, *agents))
    assert executed(desk) == ["change", "fill", "change", "fill"]
    made = record.work.outcomes[1].made["train"]
    place = made.columns.index("high")
    assert {row[place] for row in made.rows} <= {0.0, 3.0, 6.0, 9.0, 12.0, 15.0}


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_lost_row_goes_back_by_its_unit_test(desk: Desk) -> None:
    lost = FILL + "test = test.iloc[1:].reset_index(drop=True)\n"
    desk.server.script(*TALK, steps("fill"), say(code=[lost]), say(from_step=1, code=[FILL]))
    agents = own("DataCleaning.Planner", "DataCleaning.Developer")
    record = cleaning(work(desk, *CLEANING, *agents))
    told = asked(desk.server, 5)[-1][1]
    assert "rows_kept" in told
    assert executed(desk) == ["fill", "fill"]
    assert record.work.ran
    assert record.work.failed == ()
    assert any("rows_kept" in each for each in record.work.errors)
    assert record.work.outcomes[-1].made["test"].total_rows == 20


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_developer_that_cannot_mend_it_says_so_and_the_phase_is_tried_again(desk: Desk) -> None:
    desk.server.script(
        *TALK, steps("fill"), say(code=["1 / 0"]), say(code=[], cannot="nothing helps"),
        *TALK, steps("fill"), say(code=[FILL]),
    )  # fmt: skip
    agents = own("DataCleaning.Planner", "DataCleaning.Developer")
    record = cleaning(work(desk, *CLEANING, *agents))
    assert any("nothing helps" in each for each in desk.notices())
    assert record.tries == 2
    assert record.work.ran
    assert "ZeroDivisionError" in asked(desk.server, 7)[-1][1]


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_code_that_loops_is_ended_and_mended(desk: Desk) -> None:
    desk.server.script(
        *TALK, steps("fill"), say(code=["while True:\n    pass"]), say(from_step=1, code=[FILL])
    )
    agents = own("DataCleaning.Planner", "DataCleaning.Developer")
    record = cleaning(work(desk, *CLEANING, "+DataCleaning.Developer.seconds=3", *agents))
    assert "ended after" in asked(desk.server, 5)[-1][1]
    assert record.work.ran


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_an_empty_reply_repeats_the_phase(desk: Desk) -> None:
    desk.server.script(FakeAnswer(""), *TALK, GOOD)
    record = cleaning(work(desk, *CLEANING, *own("DataCleaning.Planner")))
    assert record.tries == 2
    assert record.score is not None
    assert record.score >= 3


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_low_score_repeats_the_phase_with_what_it_has_taught(desk: Desk) -> None:
    desk.server.script(score(1, "Fill `floor` by its median."), score(4.5))
    result = work(desk, *CLEANING, *own("DataCleaning.Reviewer"))
    record = cleaning(result)
    assert (record.tries, record.kept_best, record.score) == (2, False, 4.5)
    planned = desk.inputs("Planner")
    experience = planned[1]["experience"]
    assert experience.try_number == 2
    assert experience.score == 1
    assert "Fill `floor` by its median." in experience.suggestions
    assert experience.steps
    assert len(planned[1]["memory"]["planner"].history) == 3  # the rounds of the try before
    assert planned[1]["tables"] == planned[0]["tables"]  # from the start of the phase


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_the_best_try_counts_where_none_is_good_enough(desk: Desk) -> None:
    tries = []
    for name, value in (("one", 1.0), ("two", 2.5), ("three", 2.0)):
        code = FILL + both(name, "sun")
        tries += [*TALK, steps(name), say(code=[code]), score(value, "Another column.")]
    desk.server.script(*tries)
    agents = [f"DataCleaning.{each}" for each in ("Planner", "Developer", "Reviewer")]
    result = work(desk, *CLEANING, *own(*agents))
    record = cleaning(result)
    assert (record.tries, record.kept_best, record.score) == (3, True, 2.5)
    assert "two" in record.changes.added
    assert any("best of 3 tries" in each and "2.5" in each for each in desk.notices())
    assert any("no try was good enough" in each for each in result.outputs["notes"])


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_a_score_of_too_few_agents_is_asked_for_again(desk: Desk) -> None:
    desk.server.script(
        say(scores=[{"agent": "planner", "score": 5}]),
        say(scores=[{"agent": each, "score": 9} for each in ("planner", "developer")]),
        score(4),
    )
    record = cleaning(work(desk, *CLEANING, *own("DataCleaning.Reviewer")))
    assert "planner, developer" in asked(desk.server, 1)[-1][1]
    assert "5" in asked(desk.server, 2)[-1][1]
    assert record.score == 4


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
@pytest.mark.parametrize("text", ["null", "{}", "[]", '{"steps": []'])
def test_a_planner_of_other_replies_is_corrected(desk: Desk, text: str) -> None:
    desk.server.script(*TALK, FakeAnswer(text), GOOD)
    record = cleaning(work(desk, *CLEANING, *own("DataCleaning.Planner")))
    assert record.tries == 1
    assert record.tools == ("fill_missing_values",)


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
def test_what_code_changes_in_place_is_kept(desk: Desk) -> None:
    fill = "train['floor'] = train['floor'].fillna(2.0)\n"
    fill += "test.loc[test['floor'].isna(), 'floor'] = 2.0\n"
    desk.server.script(*TALK, steps("fill"), say(code=[fill]))
    record = cleaning(work(desk, *CLEANING, *own("DataCleaning.Planner", "DataCleaning.Developer")))
    made = record.work.outcomes[0].made
    assert {"train", "test"} <= set(made)
    place = made["train"].columns.index("floor")
    assert all(row[place] is not None for row in made["train"].rows)
    assert [each.name for each in record.work.failed] == []


@pytest.mark.long("whole runs of a flow")
def test_a_tool_is_not_tried_when_the_time_is_used_up(desk: Desk) -> None:
    drafts = [{"source": SLOW.replace("add_sunny", name)} for name in ("add_one", "add_two")]
    desk.server.script(say(tools=drafts))
    result = work(
        desk, *only("FeatureEngineering"), *own("FeatureEngineering.ToolSmith"),
        "FeatureEngineering.share=0.0001",
    )  # fmt: skip
    said = "\n".join(desk.notices())
    assert "add_one is" in said
    assert "add_two is not tried: the time for trials is used up" in said
    assert result.outputs["phases"]
