"""The controller and the agents of the team: who gets which part, and the result it builds on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from flows.core.observation import Observation
from tests.analysis.dialogue import ALL, Dialogue, command
from tests.analysis.worlds import World

AGENT_ARGUMENTS = ("task", "data", "question", "context")
AGENTS = tuple(command(n, *AGENT_ARGUMENTS) for n in ("chart", "model", "insights", "analyse"))
WITH_AGENTS = (*ALL, command("python", "task"), command("profile", "table"), *AGENTS)


@dataclass
class Team(Dialogue):
    """A dialogue with the agents, in which each result is kept under a name."""

    failing: frozenset[str] = frozenset()

    def _do(self, decision: Mapping[str, Any]) -> Observation | None:
        name = decision["command"]
        if name in self.failing:
            return Observation(kind="error", text=f"{name} failed: it cannot")
        if any(each["name"] == name for each in AGENTS):
            return Observation(kind="ok", text=f"{name} says 7.", figures=("figure-1",))
        seen = super()._do(decision)
        if seen is None or seen.table is None:
            return seen
        kept = f"result-{len(self.decisions)}"
        return seen.model_copy(update={"table": seen.table.model_copy(update={"artifact": kept})})


def team(world: World, goal: str, **more: Any) -> Team:
    return Team(world, goal, commands=WITH_AGENTS, **more)


@pytest.mark.parametrize(
    ("goal", "chosen"),
    [
        ("Plot the average quill mass by habitat", "chart"),
        ("Draw a histogram of quill mass", "chart"),
        ("Make a scatter plot of quill mass against hatch count", "chart"),
        ("Build a model that predicts quill mass", "model"),
        ("Train a classifier for habitat", "model"),
        ("What drives quill mass?", "analyse"),
        ("How does the hatch count affect the quill mass?", "analyse"),
        ("How can we increase the quill mass?", "analyse"),
        ("Why is the quill mass so low?", "analyse"),
        ("Analyse quill mass by habitat", "analyse"),
        ("What is the correlation between quill mass and hatch count?", "python"),
        ("Which habitat had the highest average quill mass?", "sql"),
        ("How many rows are there?", "sql"),
        ("Profile the data", "profile"),
        ("What data is there?", "describe"),
        ("Why is the sky blue?", "wiki_search"),
        ("Who was Maria Sibylla Merian?", "wiki_search"),
    ],
)
def test_each_part_goes_to_whom_it_is_for(zorbs: World, goal: str, chosen: str) -> None:
    decision = team(zorbs, goal).round()
    assert decision["command"] == chosen
    if chosen in ("chart", "model", "analyse"):
        assert decision["command_args"] == {"task": goal}


def test_a_chart_of_the_result_gets_its_name(zorbs: World) -> None:
    talk = team(zorbs, "Show the average quill mass by habitat. Plot it as a bar chart.")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["sql", "chart", "finish"]
    arguments = talk.decisions[1]["command_args"]
    assert arguments["data"] == "result-1"
    assert arguments["task"] == "Draw a bar chart of `average_quillMass` by habitat"
    assert "chart says 7." in answer
    assert "`figure-1`" in answer


def test_what_one_of_many_won_is_drawn_with_all_of_them(zorbs: World) -> None:
    talk = team(zorbs, "Which habitat had the highest average quill mass? Plot it.")
    talk.run()
    assert talk.decisions[1]["command_args"] == {
        "task": "Draw a bar chart of average quill mass by habitat"
    }


def test_one_number_is_not_drawn(zorbs: World) -> None:
    talk = team(zorbs, "What is the average quill mass? Plot it.")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["sql", "finish"]
    assert "there is nothing to draw in the result before it" in answer


def test_insights_on_a_result_that_is_not_there_are_not_made_up(zorbs: World) -> None:
    talk = team(zorbs, "Which glorp flurbed the wibble? Give me insights on it.")
    answer = talk.run()
    assert not {"insights", "analyse"} & {name for name, _ in talk.calls()}
    assert 'Not answered: "Give me insights on it."' in answer


def test_insights_on_the_result_get_its_name(zorbs: World) -> None:
    talk = team(zorbs, "Show the average quill mass by habitat. Give me insights on it.")
    talk.run()
    assert [name for name, _ in talk.calls()] == ["sql", "insights", "finish"]
    assert talk.decisions[1]["command_args"]["data"] == "result-1"


def test_insights_on_a_topic_begin_with_its_figures(zorbs: World) -> None:
    talk = team(zorbs, "Give me insights on the average quill mass by habitat")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["sql", "insights", "finish"]
    assert talk.calls()[0][1] == "average quill mass by habitat"
    assert talk.decisions[1]["command_args"]["data"] == "result-1"
    assert "insights says 7." in answer


def test_insights_whose_figures_cannot_be_had_are_worked_out_by_a_team(zorbs: World) -> None:
    goal = "Give me insights on the average quill mass by habitat"
    talk = team(zorbs, goal, failing=frozenset({"sql"}))
    answer = talk.run()
    assert talk.calls()[-2] == ("analyse", goal)
    assert "insights says" not in answer


def test_insights_on_no_topic_that_can_be_read_are_a_team_s(zorbs: World) -> None:
    talk = team(zorbs, "Give me insights on the data")
    talk.run()
    assert [name for name, _ in talk.calls()] == ["analyse", "finish"]


def test_what_an_agent_cannot_do_is_done_in_python_once(zorbs: World) -> None:
    goal = "Plot the average quill mass by habitat"
    talk = team(zorbs, goal, failing=frozenset({"chart"}))
    talk.run()
    assert talk.calls()[:2] == [("chart", goal), ("python", goal)]
    assert talk.calls()[-1][0] == "finish"


def test_there_is_nothing_to_plot_before_a_result(zorbs: World) -> None:
    answer = team(zorbs, "Plot it").run()
    assert 'Not answered: "Plot it"' in answer


def test_a_person_may_ask_for_an_agent(zorbs: World) -> None:
    talk = team(zorbs, "Show the average quill mass by habitat")
    talk.round()
    chosen = talk.round("Give me insights on it")
    assert (chosen["command"], chosen["command_args"]["data"]) == ("insights", "result-1")


def test_a_person_may_name_an_agent(zorbs: World) -> None:
    talk = team(zorbs, "How many rows are there?")
    talk.round()
    chosen = talk.round("Use the model command for quill mass by hatch count")
    assert (chosen["command"], chosen["command_args"]) == (
        "model", {"task": "quill mass by hatch count"},
    )  # fmt: skip


def test_a_word_that_is_also_a_command_names_no_command(zorbs: World) -> None:
    talk = team(zorbs, "How many rows are there?")
    talk.round()
    assert talk.round("Draw a chart of the average quill mass by habitat")["command"] == "chart"
    assert "You want me to use" not in talk.decisions[-1]["thought"]


def test_the_same_dialogue_decides_the_same_from_plain_data(zorbs: World) -> None:
    goal = "Give me insights on the average quill mass by habitat. Plot it. What drives quill mass?"
    plain, typed = team(zorbs, goal, as_plain_data=True), team(zorbs, goal)
    assert plain.run() == typed.run()
    assert plain.decisions == typed.decisions
