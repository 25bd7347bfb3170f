"""What a person sees of a pipeline while it works."""

from __future__ import annotations

import io

from rich.console import Console

from flows.analysis.prediction.plan import PlanStep, UnitTestResult
from flows.analysis.prediction.work import AgentScore, PhaseRecord, PhaseWork
from flows.core.events import Event
from flows.ui.pipeline import PipelineScreen, PipelineView
from flows.ui.pipeline_board import PipelineBoard
from tests.ui.story import RUN_ID
from tests.ui.team_story import TeamStory

CHECKS = (UnitTestResult(name="a", passed=True), UnitTestResult(name="b", passed=False))
WORK = PhaseWork(ran=True, checks=CHECKS)
SCORES = (AgentScore(agent="planner", score=2), AgentScore(agent="developer", score=3))
RECORD = PhaseRecord(
    phase="data_cleaning", title="Data Cleaning", score=4.0, tries=2, work=WORK, scores=SCORES,
    steps=(PlanStep(purpose="x"),),
)  # fmt: skip
CLEANING = "DataCleaning#1"


def expected(board: PipelineBoard) -> None:
    board.expect("DataCleaning", "Data Cleaning", ("Planner", "Developer", "Reviewer"))
    board.expect("ModelBuilding", "Model Building", ("Planner", "Developer"))


def first_try(story: TeamStory) -> None:
    """A phase up to the review of its first try."""
    story.begin(CLEANING, number=1)
    story.begin(f"{CLEANING}/Planner#1")
    story.finish(f"{CLEANING}/Planner#1", {"steps": ()})
    story.begin(f"{CLEANING}/Developer#1")
    story.begin(f"{CLEANING}/Developer#1/execute#1", "Fill\x1b[2J what is missing")
    story.finish(f"{CLEANING}/Developer#1/execute#1", {})
    story.finish(f"{CLEANING}/Developer#1", {"work": WORK})


def second_try(story: TeamStory) -> None:
    """Its review, a second try that the developer does not come out of, and its end."""
    story.begin(f"{CLEANING}/Reviewer#1")
    story.finish(f"{CLEANING}/Reviewer#1", {"scores": SCORES})
    story.begin(f"{CLEANING}/Planner#2")
    story.finish(f"{CLEANING}/Planner#2", {})
    story.begin(f"{CLEANING}/Developer#2")
    story.fail(f"{CLEANING}/Developer#2", "no usable reply")


def drawn(board: PipelineBoard, width: int = 100, most: int = 20) -> list[str]:
    found = PipelineView(board).lines(width, most, ascii_only=False)
    return [each.plain.rstrip() for each in found]


def watched(*, ended: bool = True) -> PipelineBoard:
    seconds = [0.0]
    board = PipelineBoard(lambda: seconds[0])
    expected(board)

    def listen(event: Event) -> None:
        seconds[0] += 1
        board.take(event)

    story = TeamStory(listen)
    first_try(story)
    if ended:
        second_try(story)
        story.finish(CLEANING, {"record": RECORD})
    return board


def test_a_phase_shows_its_agents_its_tests_and_what_it_does() -> None:
    head, cleaning, step, building = drawn(watched(ended=False))
    assert head.split() == ["Phase", "Agents", "Score", "Tries", "Tests", "Time"]
    assert cleaning.startswith("▶ Data Cleaning")
    assert "✓Planner ✓Developer ○Reviewer" in cleaning
    assert cleaning.split()[-4:-1] == ["1", "1/2", "6.0"]
    assert step.strip().startswith("execute: Fill")
    assert "\x1b" not in step
    assert building.startswith("○ Model Building")


def test_a_further_try_begins_anew_and_the_record_counts_at_the_end() -> None:
    board = watched()
    phase = board.phases["DataCleaning"]
    assert phase.agents == {"Planner": "done", "Developer": "failed", "Reviewer": "planned"}
    [_, cleaning, _] = drawn(board)
    assert cleaning.startswith("✓ Data Cleaning")
    assert cleaning.split()[-5:-2] == ["4.0", "2", "1/2"]


def test_a_phase_whose_best_try_is_not_good_enough_is_marked() -> None:
    board = watched(ended=False)
    kept = RECORD.model_copy(update={"kept_best": True})
    TeamStory(board.take).finish(CLEANING, {"record": kept})
    assert drawn(board)[1].startswith("! Data Cleaning")


def test_it_fits_into_any_width_and_height() -> None:
    board = watched()
    for width in (20, 45, 80, 200):
        assert all(len(each) <= width for each in drawn(board, width))
    assert "Planner" not in drawn(board, 45)[1]
    assert drawn(board, 100, 3)[1] == "… 1 more"


def test_elsewhere_each_change_is_a_line() -> None:
    out = io.StringIO()
    with PipelineScreen(Console(file=out, width=100, color_system=None)) as screen:
        expected(screen.board)
        story = TeamStory(screen)
        story.start(background="# Beans\nPredict their weight.", fields={}, doubts=())
        first_try(story)
        second_try(story)
        story.finish(CLEANING, {"record": RECORD})
    said = out.getvalue()
    for line in (
        "Task       # Beans Predict their weight.", f"Run        {RUN_ID}",
        "Begun      Data Cleaning", "Developer … ", "Again      Data Cleaning: try 2",
        "Failed     Developer: no usable reply",
        "score 4.0 of 5 · 2 tries · 1 of 2 unit tests passed",
    ):  # fmt: skip
        assert line in said
    assert "\x1b" not in said
    assert "Fields" not in said
