"""The report of a phase by rules: each question is answered, each number traced."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from flows.analysis.prediction.phases import QUESTIONS, TITLES
from flows.analysis.prediction.plan import Planning, PlanStep, UnitTestResult
from flows.analysis.prediction.planning import plan_steps
from flows.analysis.prediction.summary import summarize_phase
from flows.analysis.prediction.task import PredictionTask, SubmissionFormat
from flows.analysis.prediction.work import ColumnChanges, PhaseWork, StepOutcome, Summarizing
from flows.core.function_tool import call_of
from flows.core.observation import Cell, Preview
from flows.data.answers.citations import NamedResult
from flows.data.answers.rendering import render
from flows.data.answers.verifier import cite
from flows.library.pipeline.reviewer import work_text
from flows.library.pipeline.state import PhaseState
from tests.analysis.prediction.tables import messy, planning, profile

Frames = dict[str, pd.DataFrame]


def preview(frame: pd.DataFrame, artifact: str) -> Preview:
    def cell(value: Any) -> Cell:
        if pd.isna(value):
            return None
        plain = value.item() if hasattr(value, "item") else value
        return plain if isinstance(plain, str | int | float | bool) else str(plain)

    rows = tuple(tuple(map(cell, row)) for row in frame.head(40).itertuples(index=False))
    return Preview(
        columns=tuple(frame.columns), types=("text",) * len(frame.columns), rows=rows,
        total_rows=len(frame), artifact=artifact,
    )  # fmt: skip


def outcomes(
    given: Planning, steps: tuple[PlanStep, ...], frames: Frames
) -> tuple[StepOutcome, ...]:
    """What the steps came to, run as the pipeline runs them."""
    tools = {tool.name: tool for tool in given.tools}
    found = []
    for number, step in enumerate(steps):
        tool = tools[step.tool]
        into = step.into or tool.gives or ("result",)
        line = call_of(tool, step.arguments, frozenset(frames), into)
        scope: dict[str, Any] = {**{name: each.copy() for name, each in frames.items()}}
        scope["__name__"] = "tool"
        try:
            with contextlib.redirect_stdout(io.StringIO()), threadpool_limits(limits=1):
                exec(compile(f"{tool.source}\n{line}\n", tool.name, "exec"), scope)
        except Exception as error:
            if not step.optional:
                raise
            found.append(StepOutcome(step=step, status="left_out", error=str(error)))
            continue
        made = {name: scope[name] for name in into if isinstance(scope[name], pd.DataFrame)}
        titles = [plt.figure(each).get_suptitle() for each in plt.get_fignums()]
        plt.close("all")
        frames |= {name: each for name, each in made.items() if name != "result"}
        found.append(
            StepOutcome(
                step=step,
                made={name: preview(each, f"{name}-{number}") for name, each in made.items()},
                figures={f"figure-{number}-{at}": title for at, title in enumerate(titles)},
            )
        )
    return tuple(found)


def phase_state(phase: str, seed: int, kind: str) -> tuple[Summarizing, PhaseState]:
    """A phase whose steps were planned by rules and run."""
    task, frames, names = messy(seed, kind=kind)
    if phase == "model_building":  # a few numbers are enough
        frames = {name: each[[*each.columns.intersection(names[:4])]] for name, each in
                  frames.items()}  # fmt: skip
    handed = SubmissionFormat(
        columns=(str(task.identifier), *task.targets), identifier=task.identifier,
        predictions={task.targets[0]: task.targets[0]},
    )  # fmt: skip
    task = task.model_copy(update={"submission": handed, "doubts": ("train has 3 odd rows",)})
    before = {name: profile(each, name) for name, each in frames.items()}
    given = planning(task, phase, frames)
    steps = tuple(
        each.model_copy(update={"arguments": {**each.arguments, "trials": 1}})
        if each.tool == "fit_model"
        else each
        for each in plan_steps(given)
        if each.arguments.get("model", "linear") == "linear"
    )  # one model with its own settings is enough to tell of
    work = PhaseWork(outcomes=outcomes(given, steps, frames), ran=True)
    after = {name: profile(frames[name], name) for name in ("train", "test")}
    old, new = ([each.name for each in table["train"].columns] for table in (before, after))
    changes = ColumnChanges(
        added=tuple(each for each in new if each not in old),
        removed=tuple(each for each in old if each not in new),
        rows_before=before["train"].rows, rows_after=after["train"].rows,
    )  # fmt: skip
    shared: dict[str, Any] = {
        "phase": phase, "title": TITLES[phase], "task": task, "steps": steps, "work": work,
        "changes": changes, "questions": QUESTIONS[phase],
    }  # fmt: skip
    plan = "\n".join(f"{at}. {each.purpose}" for at, each in enumerate(steps, 1))
    state = PhaseState(**shared, profiles=after, before=before, plan=plan)
    return Summarizing(**shared, **after), state


def rendered(given: Summarizing, state: PhaseState) -> str:
    """The report with its cells; each number in it comes from somewhere."""
    made = [table for each in given.work.outcomes for table in each.made.values()]
    results = {str(table.artifact): NamedResult.of_preview(str(table.artifact), table)
               for table in made}  # fmt: skip
    found = render(summarize_phase(given), results)
    assert "{{" not in found.text
    citations = cite(found.text, list(results.values()), work_text(state), found.citations)
    assert [each.text for each in citations if not each.traced] == []
    return found.text


@pytest.mark.long("models are trained and compared")
@pytest.mark.parametrize(
    ("phase", "kind"),
    [
        ("understand_background", "binary"),
        ("preliminary_eda", "binary"),
        ("preliminary_eda", "regression"),
        ("data_cleaning", "binary"),
        ("in_depth_eda", "regression"),
        ("feature_engineering", "binary"),
        ("model_building", "binary"),
    ],
)
def test_each_question_is_answered_and_each_number_traced(phase: str, kind: str) -> None:
    given, state = phase_state(phase, 3, kind)
    text = rendered(given, state)
    assert text.startswith(f"# {TITLES[phase]}\n")
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[: len(given.questions)] == [*given.questions]
    assert "Nothing was found out" not in text


@pytest.mark.long("models are trained and compared")
def test_the_models_are_a_table_with_the_yardsticks_and_the_chosen_one() -> None:
    text = rendered(*phase_state("model_building", 4, "regression"))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert "`baseline`" in rows[2]
    assert "`hist_gradient_boosting`" in rows[3]
    assert sum("**chosen**" in row for row in rows) == 1


@pytest.mark.long("models are trained and compared")
def test_other_questions_are_answered_by_what_was_done() -> None:
    given, state = phase_state("data_cleaning", 5, "binary")
    text = rendered(given.model_copy(update={"questions": ("And then?",)}), state)
    assert "## And then?" in text
    assert "(`fill_missing_values`)" in text


@pytest.mark.long("models are trained and compared")
def test_what_went_wrong_is_said() -> None:
    given, state = phase_state("data_cleaning", 6, "binary")
    check = UnitTestResult(name="rows_kept", passed=False, message="7 rows of train are lost")
    step = PlanStep(purpose="Bring far values near", tool="clip_outliers", optional=True)
    gone = StepOutcome(step=step, status="left_out", error="no column 'a1'")
    work = given.work.model_copy(
        update={"checks": (check,), "outcomes": (*given.work.outcomes, gone)}
    )
    update = {"work": work}
    text = rendered(given.model_copy(update=update), state.model_copy(update=update))
    assert "The unit test `rows_kept` failed: 7 rows of train are lost." in text
    assert "Bring far values near was left out" in text


def test_names_that_look_like_references_and_marks_are_shown_as_they_are() -> None:
    frame = pd.DataFrame({"{{last[0].a}}": [1, 2, 3], "a`b": [1, 1, 1], "y": [0, 1, 0]})
    task = PredictionTask(
        targets=("y",), kind="binary", metric="auc", greater_is_better=True, has_test=False
    )
    table = profile(frame, "train")
    given = Summarizing(
        phase="preliminary_eda", title="T", task=task, train=table,
        questions=QUESTIONS["preliminary_eda"],
    )  # fmt: skip
    text = summarize_phase(given)
    found = render(text, {})
    assert found.citations == ()
    assert "a'b" in found.text


def test_a_phase_in_which_nothing_was_done_says_so() -> None:
    for phase in TITLES:
        given = Summarizing(phase=phase, title=TITLES[phase], questions=QUESTIONS[phase])
        text = render(summarize_phase(given), {}).text
        assert all(f"## {each}\n" in text for each in QUESTIONS[phase])
