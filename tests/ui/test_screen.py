"""What a person reads while a run goes on."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from flows.core.events import RunStarted
from flows.core.observation import Observation, Preview
from flows.ui.screen import Screen
from tests.ui.story import DECISION, FOLDER, OBSERVED, RUN_ID, Story, play

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07[red]x[/red]\x9b31m\u202etxt\x1b]8;;http://a\x1b\\l\x07\r[/]:smile:"
)


def told(tell: Callable[[Story], None], *, width: int = 100, verbose: bool = False) -> str:
    """What stands on a console without a terminal after the story."""
    out = io.StringIO()
    with Screen(Console(file=out, width=width, color_system=None), verbose=verbose) as screen:
        tell(Story(screen))
    return out.getvalue()


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_a_run_begins_with_its_name_inputs_and_id() -> None:
    text = told(lambda story: story.start(goal="Which region is largest?", top=3))
    assert lines(text) == [
        "── AutoGPT ──",
        "Goal       Which region is largest?",
        "Top        3",
        f"Run        {RUN_ID}",
    ]


@pytest.mark.parametrize(
    ("most", "address", "heading"),
    [
        (30, "", "── Round 2 of 30 ──"),
        (0, "", "── Round 2 ──"),
        (5, "Team#1/Solver#3", "── Round 2 of 5 · Solver ──"),
    ],
)
def test_a_round_has_a_heading(most: int, address: str, heading: str) -> None:
    assert lines(told(lambda story: story.round(2, most, address))) == [heading]


@pytest.mark.parametrize(
    ("retrieved", "shown"),
    [
        ((), ["Memory     nothing yet"]),
        ([[""]], ["Memory     nothing yet"]),
        (("likes bars", "two\nlines"), ["Memory     • likes bars", "           • two · lines"]),
    ],
)
def test_what_memory_recalled(retrieved: Any, shown: list[str]) -> None:
    text = told(lambda story: story.step("M#1", {"retrieved": retrieved}, operation="read"))
    assert lines(text) == shown


def test_what_memory_repeats_of_the_runs_inputs_is_left_out() -> None:
    def tell(story: Story) -> None:
        story.start(goal="Which region?")
        remembered = ("goal: Which region?\ncommand: sql", "goal: Which region?")
        story.step("M#1", {"retrieved": remembered}, operation="read")

    assert lines(told(tell))[-2:] == [
        "Memory     • command: sql",
        "           • goal: Which region?",
    ]


def test_writing_to_memory_is_not_shown_as_recalling() -> None:
    text = told(lambda story: story.step("Memory#2", {"retrieved": ()}, operation="write"))
    assert lines(text) == ["           Memory: Do it … 12 ms"]


def test_a_decision_shows_thought_plan_command_and_arguments() -> None:
    assert lines(told(lambda story: story.step("Any#1", DECISION))) == [
        "Thought    The goal asks for totals.",
        "Plan       - totals by region",
        "           - finish",
        "Command    sql",
        "           question  What is the total by region?",
    ]


def test_a_plan_that_is_a_list_and_arguments_that_are_data_are_readable() -> None:
    chosen = {**DECISION, "plan": [f"step {i}" for i in range(9)], "command_args": {"a": [1, None]}}
    text = told(lambda story: story.step("Any#1", chosen))
    assert "Plan       - step 0\n" in text
    assert "… 4 more" in text
    assert "a  [1, null]" in text


@pytest.mark.parametrize("as_data", [False, True])
def test_a_table_is_shown_once_with_its_sql_time_and_file(as_data: bool) -> None:
    found: object = OBSERVED.model_dump(mode="json") if as_data else OBSERVED

    def tell(story: Story) -> None:
        story.start()
        story.query(1, found)

    shown = lines(told(tell))[2:]
    assert shown[0] == "Result     The query gave 130 rows."
    assert shown[1].split() == ["region", "total", "mean"]
    assert shown[3] == "           region 0  100000   0.0"
    assert shown[6] == "           region 3   99997  NULL"
    assert shown[13:15] == [
        "           … 120 more rows",
        f"           {'12 ms' if as_data else '3.2 ms'} · {FOLDER}/artifacts/result-1234.json",
    ]
    assert [line.strip() for line in shown[15:]] == [
        "SQL        SELECT region, SUM(amount) AS total",
        "FROM sales",
        "WHERE year BETWEEN 2019 AND 2024 AND region IN ('north  side', 'south')",
        "GROUP BY region",
        "ORDER BY total DESC",
        "LIMIT 20",
    ]


def test_the_same_observation_in_the_next_round_is_shown_again() -> None:
    def tell(story: Story) -> None:
        story.query(1, OBSERVED)
        story.query(2, OBSERVED)

    assert told(tell).count("The query gave 130 rows.") == 2


def test_an_outer_flow_does_not_repeat_what_its_subflows_showed() -> None:
    def tell(story: Story) -> None:
        story.start()
        story.begin("Team#1")
        story.round(1, 3, "Team#1")
        story.step("Team#1/Controller#1", DECISION)
        story.step("Team#1/sql#1", {"observation": OBSERVED})
        story.finish("Team#1", {**DECISION, "observation": OBSERVED, "retrieved": ("x",)})
        story.finish("", {"observation": OBSERVED})
        story.end()

    text = told(tell)
    assert text.count("Result ") == text.count("Thought ") == text.count("SQL ") == 1
    assert "Memory" not in text
    assert "Team:" not in text


def test_a_decision_that_a_composite_read_from_its_chat_is_shown() -> None:
    def tell(story: Story) -> None:
        for number in (1, 2):
            story.begin(f"Controller#{number}")
            story.step(f"Controller#{number}/chat#1", {"api_output": "{}", "finish": "stop"})
            story.finish(f"Controller#{number}", DECISION)

    text = told(tell)
    assert text.count("Command    sql") == 2
    assert "Controller:" not in text


def test_an_outer_observation_that_is_another_one_is_shown() -> None:
    summary = Observation(kind="ok", text="In short: north.")

    def tell(story: Story) -> None:
        story.begin("Analyst#1")
        story.step("Analyst#1/sql#1", {"observation": OBSERVED})
        story.finish("Analyst#1", {"observation": summary})

    text = told(tell)
    assert text.count("The query gave 130 rows.") == text.count("In short: north.") == 1


def test_a_controller_that_came_to_no_command_shows_none() -> None:
    text = told(lambda story: story.step("C#1", {**DECISION, "command": "", "command_args": {}}))
    assert "Thought" in text
    assert "Command" not in text


def test_a_single_flow_without_subflows_shows_its_observation() -> None:
    def tell(story: Story) -> None:
        story.start(question="?")
        story.finish("", {"observation": OBSERVED})

    assert "The query gave 130 rows." in told(tell)


@pytest.mark.parametrize(
    ("outputs", "shown"),
    [
        ({"human_feedback": "use the median"}, ["You        use the median"]),
        ({"human_feedback": ""}, ["You        go on"]),
        ({"human_feedback": "", "EARLY_EXIT": "the person ended the run"},
         ["You        the person ended the run"]),
        ({"human_feedback": "", "nobody": True}, []),
    ],
)  # fmt: skip
def test_feedback_as_it_was_understood(outputs: dict[str, Any], shown: list[str]) -> None:
    assert lines(told(lambda story: story.step("Ask#1", outputs))) == shown


def test_the_end_by_the_person_is_told_once() -> None:
    def tell(story: Story) -> None:
        story.step("Ask#1", {"human_feedback": "", "EARLY_EXIT": "the person ended the run"})
        story.notice("the person ended the run")
        story.notice("Something else.")

    assert lines(told(tell)) == [
        "You        the person ended the run",
        "Note       Something else.",
    ]


def test_an_error_of_a_command_is_told_once() -> None:
    def tell(story: Story) -> None:
        story.begin("Executor#1")
        story.begin("Executor#1/wiki#1")
        story.err("Executor#1/wiki#1", "no network")
        error = Observation(kind="error", text="wiki failed: no network")
        story.finish("Executor#1", {"observation": error}, 0.1)

    assert lines(told(tell)) == ["Error      wiki failed: no network"]


def test_an_error_that_is_got_over_or_ends_the_run_is_told_too() -> None:
    def tell(story: Story) -> None:
        story.begin("sql#1")
        story.err("sql#1/query#1", "no column totl")
        story.step("sql#1/write#2", {"api_output": "{}"})
        story.err("sql#1/query#2", "no table sale")
        story.end("failed", "sql#1: no table sale")

    assert lines(told(tell)) == [
        "Failed     query: no column totl",
        "Failed     query: no table sale",
    ]


def test_an_empty_result_says_so_and_names_its_columns() -> None:
    table = Preview(columns=("a", "b"), types=("text", "text"), rows=(), total_rows=0, sql="SELECT")
    empty = Observation(kind="empty", text="The query ran and found no rows.", table=table)
    text = told(lambda story: story.step("sql#1", {"observation": empty}))
    assert "Nothing    The query ran and found no rows.\n           columns: a, b\n" in text


def test_retries_notices_and_files() -> None:
    def tell(story: Story) -> None:
        story.start()
        story.begin("Controller#1")
        story.retry("Controller#1", "the model is overloaded.")
        story.notice("Nobody is there.")
        story.save("Controller#1", "chart-99", "A bar chart")
        story.finish("Controller#1", {"x": 1})

    assert lines(told(tell))[2:] == [
        "Again      the model is overloaded. Attempt 2 in 0.5 s.",
        "Note       Nobody is there.",
        "           Controller: Do it … 12 ms",
        f"Saved      {FOLDER}/artifacts/chart-99.json  A bar chart",
    ]


def test_steps_inside_of_steps_are_quiet_unless_asked_for() -> None:
    def tell(story: Story) -> None:
        story.begin("Outer#1", "Do all")
        story.step("Outer#1/Inner#1", {"x": 1})
        story.finish("Outer#1", {"x": 1})

    assert lines(told(tell)) == ["           Outer: Do all … 12 ms"]
    assert lines(told(tell, verbose=True)) == [
        "             Inner: Do it … 12 ms",
        "           Outer: Do all … 12 ms",
    ]


def test_prose_is_shown_when_it_is_whole_and_data_is_not() -> None:
    def tell(story: Story) -> None:
        story.begin("Chat#1")
        story.begin("Data#1")
        story.stream("Chat#1", "  ", "Two ", "lines\nof prose.")
        story.stream("Data#1", '{"a"', ": 1}")
        story.finish("Chat#1", {"api_output": "x"})
        story.finish("Data#1", {"api_output": "x"})

    assert lines(told(tell)) == [
        "Text         Two lines",
        "           of prose.",
        "           Data: Do it … 12 ms",
    ]


def test_a_resumed_run_says_where_it_is_live_again() -> None:
    def tell(story: Story) -> None:
        story.start(resumed=True)
        for number, reused in ((1, True), (2, False), (3, False)):
            story.begin(f"Controller#{number}")
            story.finish(
                f"Controller#{number}", {**DECISION, "thought": str(number)}, reused=reused
            )

    text = told(tell)
    assert text.count("From here on the run is live") == 1
    assert text.index("Thought    1") < text.index("From here on") < text.index("Thought    2")


def test_an_observation_that_is_only_text_is_shown_and_cut_when_long() -> None:
    outputs = {"branch_output_data": {"wiki_content": "word " * 2000}}
    text = told(lambda story: story.step("Executor#1", outputs))
    assert text.startswith("Result     word word")
    assert "more characters" in text
    assert len(lines(text)) < 20


def hostile(story: Story) -> None:
    table = Preview(
        columns=(HOSTILE, "n"), types=("text", "integer"), rows=((HOSTILE, 1),), total_rows=1,
        sql=f"SELECT '{HOSTILE}'",
    )  # fmt: skip
    story.start(goal=HOSTILE)
    story.step("M#1", {"retrieved": (HOSTILE,)}, operation="read")
    arguments = {HOSTILE: HOSTILE}
    chosen = {"thought": HOSTILE, "plan": HOSTILE, "command": HOSTILE, "command_args": arguments}
    story.step("C#1", chosen)
    story.step("E#1", {"observation": Observation(kind="ok", text=HOSTILE, table=table)})
    story.step("E#2", {"observation": Observation(kind="error", text=HOSTILE)})
    story.step("H#1", {"human_feedback": HOSTILE})
    story.err("X#1", HOSTILE)
    story.retry("X#1", HOSTILE)
    story.notice(HOSTILE)
    story.stream("P#1", *HOSTILE, "prose ", HOSTILE)
    story.save("P#1", "file", HOSTILE)
    story.finish("P#1", {})
    story.begin(f"{HOSTILE}#1", HOSTILE)
    story.finish(f"{HOSTILE}#1", {})
    story.end("failed", HOSTILE)


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_untrusted_commands_the_terminal(terminal: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=terminal, _environ={"TERM": "xterm"})
    assert (console.color_system is not None) == terminal
    with Screen(console, verbose=True) as screen:
        hostile(Story(screen))
    text = out.getvalue()
    assert "\u202e" not in text
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
    assert "[red]x[/red]" in text
    assert ":smile:" in text
    kept = {each for each in text if unicodedata.category(each) == "Cc"}
    assert kept <= ({"\n", "\x1b"} if terminal else {"\n"})


@pytest.mark.parametrize("width", [20, 40, 80, 100, 200])
def test_no_line_is_wider_than_the_console(width: int) -> None:
    out = io.StringIO()
    play(Console(file=out, width=width, color_system=None))
    text = out.getvalue()
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    assert "region 9" in text
    assert "use the median" in text


def test_a_folder_elsewhere_is_shown_in_full(tmp_path: Path) -> None:
    out = io.StringIO()
    screen = Screen(Console(file=out, width=300, color_system=None))
    screen(RunStarted(RUN_ID, 1, "", 0, "AutoGPT", str(tmp_path), {}, False))
    story = Story(screen)
    story.save("", "x")
    story.end()
    assert f"Saved{tmp_path}/artifacts/x.json" in "".join(out.getvalue().split())
