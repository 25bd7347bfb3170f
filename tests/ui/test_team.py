"""What a person sees of a team while it works."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from itertools import islice

import pexpect
import pytest
from rich.console import Console

from flows.core.events import Event
from flows.core.limits import Limits
from flows.semantics.findings import Task
from flows.ui.board import Board
from flows.ui.team import TeamScreen
from flows.ui.tree import Tree
from tests.cli.command import PROJECT, environment
from tests.ui.team_story import CHART, PYTHON, SQL, TEAM, TeamStory, scenes

# NO_COLOR leaves bold and dim letters.
STYLE = r"(?:\x1b\[\d*m)*"


def board(scene: int) -> Board:
    """The board as it stands at the end of that scene, by a clock that a second passes at each
    event."""
    seconds = iter(range(10_000))
    now = [0.0]
    found = Board(lambda: now[0])

    def listen(event: Event) -> None:
        now[0] = next(seconds)
        found.take(event)

    list(islice(scenes(listen), scene))
    return found


def drawn(scene: int, width: int = 80, most: int | None = None, **given: bool) -> list[str]:
    return [each.plain.rstrip() for each in Tree(board(scene), width, **given).lines(most)]


def test_tasks_hang_below_what_they_depend_on() -> None:
    lines = drawn(1)
    assert [line.split()[0] for line in lines[:2]] == ["✓", "✓"]
    assert lines[2].startswith(f"└─ ○ 0 {SQL}  Get all of the farm")
    assert lines[3].startswith(f"   └─ ○ 1 {PYTHON}  Correlate the yield")
    assert lines[4].startswith(f"      └─ ○ 2 {CHART}  Draw the yield")


def test_what_runs_shows_its_step_and_time_and_what_is_done_its_time() -> None:
    lines = drawn(2)
    assert lines[2].startswith(f"└─ ✓ 0 {SQL}")
    assert lines[2].endswith("3.0 s")
    assert f"▶ 1 {PYTHON}" in lines[3]
    assert lines[4].strip() == "python_code_generation: Writes code"


def test_failed_dropped_and_new_tasks_are_told_apart() -> None:
    text = "\n".join(drawn(3))
    assert "✗ 1 " in text
    assert "failed 2.0 s" in text
    assert "· 2 " in text
    assert "dropped" in text
    assert f"○ 3 {PYTHON}  Correlate it again" in text


def test_the_team_s_own_account_of_time_counts() -> None:
    lines = drawn(4)
    assert lines[2].endswith("2.5 s")
    assert any("✓ 3 " in line and line.endswith("1.5 s") for line in lines)
    assert [line.split()[1] for line in lines if not line.startswith((" ", "└"))] == [
        "RAGAgent", "ManagerAgent", "SummarizerAgent", "Report",
    ]  # fmt: skip


def test_a_goal_inside_of_a_goal_hangs_below_its_task() -> None:
    found = Board(lambda: 0.0)
    story = TeamStory(found.take)
    outer = Task(task_id=0, name="GoalAgent", description="A goal")
    inner = Task(task_id=0, name=SQL, description="A part")
    story.begin(TEAM, question="", tasks=(outer,), context="")
    story.begin(f"{TEAM}/GoalAgent#1", task="A goal", data="")
    story.begin(f"{TEAM}/GoalAgent#1/ManagerAgent#1", agents=(), question="")
    story.finish(f"{TEAM}/GoalAgent#1/ManagerAgent#1", {"tasks": (inner,), "changes": ()})
    lines = [each.plain.rstrip() for each in Tree(found, 80).lines()]
    assert lines[0].startswith("└─ ▶ 0 GoalAgent  A goal")
    assert lines[-1] == f"   └─ ○ 0 {SQL}  A part"


def test_tasks_that_wait_for_each_other_are_all_shown() -> None:
    found = Board(lambda: 0.0)
    tasks = (
        Task(task_id=0, name=SQL, description="One", data_dependency=1),
        Task(task_id=1, name=SQL, description="Other", data_dependency=0),
        Task(task_id=2, name=SQL, description="Lost", data_dependency=9),
    )
    TeamStory(found.take).begin(TEAM, question="", tasks=tasks, context="")
    text = "\n".join(each.plain for each in Tree(found, 80).lines())
    assert all(word in text for word in ("One", "Other", "Lost"))


@pytest.mark.parametrize("width", [20, 30, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for scene in (1, 2, 3, 4):
        assert max(map(len, drawn(scene, width))) <= width


def test_without_room_tasks_that_are_over_are_left_out_first() -> None:
    lines = drawn(3, most=5)
    assert len(lines) <= 5
    assert "✓ 0" not in "\n".join(lines)
    assert lines[-1].startswith("… ")
    assert any("○ 3" in line for line in lines)


def test_plain_letters_where_a_terminal_has_no_others() -> None:
    assert all(line.isascii() for line in drawn(3, ascii_only=True))


def told(scene: int, limits: Limits | None = None) -> str:
    out = io.StringIO()
    with TeamScreen(Console(file=out, width=100, color_system=None), limits=limits) as screen:
        list(islice(scenes(screen), scene))
    return out.getvalue()


def test_without_a_terminal_each_change_is_a_line() -> None:
    text = told(4)
    assert "\x1b" not in text
    for line in (
        f"Tasks      0  {SQL}: Get all of the farm",
        f"2  {CHART} (after 1): Draw the yield",
        f"Begun      1 {PYTHON}",
        f"Done       0 {SQL} … ",
        f"Failed     1 {PYTHON}: KeyError: 'yeild'",
        "Changed    • Task 2 cannot be done any more.",
        "ManagerAgent: Breaks it down … ",
    ):
        assert line in text


@pytest.fixture
def terminal() -> Iterator[pexpect.spawn[str]]:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tests.ui.team_story", "0.5"],
        cwd=str(PROJECT),
        env=environment(TERM="xterm"),
        encoding="utf-8",
        timeout=30,
        dimensions=(30, 90),
    )
    yield child
    child.close(force=True)


@pytest.mark.long("whole runs are shown")
def test_on_a_terminal_the_tree_is_drawn_again_with_what_was_spent(
    terminal: pexpect.spawn[str],
) -> None:
    terminal.expect(f"○ {STYLE}0 {SQL}")
    terminal.expect(r"1 model call · 1,000 tokens in, 500 out · \$0\.2500")
    terminal.expect("model calls: 1 of 20")
    terminal.expect(f"▶ {STYLE}1 {PYTHON}")
    terminal.expect(f"✗ {STYLE}1")
    terminal.expect(f"✓ {STYLE}3 {PYTHON}")
    terminal.expect(pexpect.EOF)
    assert "\x1b[2J" not in terminal.before
    assert terminal.before.rstrip().endswith("\x1b[?25h")  # the cursor is there again
    terminal.wait()
    assert terminal.exitstatus == 0
