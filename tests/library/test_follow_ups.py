"""Follow-ups in the real loop: a remark of the person edits the request that was answered."""

from __future__ import annotations

import json

import pytest

from flows.core.result import RunResult
from flows.semantics.query import Query
from flows.semantics.request import REQUEST
from tests.library.world import World

TALKS = "defaults: [autogpt, override human: scripted, _self_]\nname: Mine\n"
# Of made-up harvests: by figure and by alphabet the first plots are others.
HARVEST = "plot,crop,season,picked,crates\n" + "".join(
    f"{plot},{crop},{2019 + n % 4},2021-0{1 + n % 9}-11,{weight + n % 3}\n"
    for n, (plot, crop, weight) in enumerate(
        (plot, crop, weight)
        for plot, weight in (("Ash", 4), ("Birch", 40), ("Cedar", 9), ("Date", 55), ("Elm", 21))
        for crop in ("beet", "kale", "leek")
        for _ in range(4)
    )
)


def talk(world: World, goal: str, *remarks: str) -> tuple[RunResult, list[Query]]:
    """A run with a person who says something after each answer, and the requests that were made."""
    world.write("harvest.csv", HARVEST)
    world.write("said.txt", "".join(f"{each}\n" for each in remarks))
    result = world.run(
        TALKS,
        "data.harvest=harvest.csv",
        "human.path=said.txt",
        "+human.after_end=continue",
        inputs={"goal": goal},
    )
    assert result.status == "finished", result.reason
    given = [each.get("request") for each in world.outputs("Controller")]
    asked = [
        REQUEST.validate_python(json.loads(json.dumps(_plain(each)))) for each in given if each
    ]
    return result, [each for each in asked if isinstance(each, Query)]


def _plain(request: object) -> object:
    return request if isinstance(request, dict) else REQUEST.dump_python(request, mode="json")  # type: ignore[arg-type]


@pytest.mark.long("whole runs of a flow")
def test_the_top_of_a_table_goes_by_its_figure(world: World) -> None:
    result, (first, second) = talk(world, "total crates by plot", "Show me the top 3 only")
    assert (second.metrics, second.by) == (first.metrics, first.by)
    assert second.rank is not None
    assert second.rank.n == 3
    answer = result.outputs["answer"]
    assert answer.index("Date") < answer.index("Birch") < answer.index("Elm")
    assert "Ash" not in answer


@pytest.mark.long("whole runs of a flow")
def test_a_table_that_is_broken_down_keeps_its_groups(world: World) -> None:
    result, (first, second) = talk(world, "total crates by plot", "break this down by crop")
    assert second.by[:1] == first.by
    assert [each.field for each in second.by if each.kind == "field"] == ["plot", "crop"]
    assert all(name in result.outputs["answer"] for name in ("Ash", "beet", "leek"))


@pytest.mark.long("whole runs of a flow")
def test_each_remark_changes_the_answer_before_it(world: World) -> None:
    table = "total crates by `plot`"
    in_2020, but_birch, kale = "season is 2020", "`plot` is not 'Birch'", "crop is 'kale'"
    said = {
        "only for 2020": f"{table}, where {in_2020}",
        "without Birch": f"{table}, where {in_2020} and {but_birch}",
        "sort it by name": f"{table}, where {in_2020} and {but_birch}, sorted by `plot`",
        "what about kale?": f"{table}, where {in_2020} and {but_birch} and {kale}, sorted by"
        " `plot`",
    }
    said["and the median?"] = said["what about kale?"].replace("total", "median")
    talk(world, "total crates by plot", *said)
    decisions = world.outputs("Controller")[1:-1]
    assert [each["command_args"]["question"] for each in decisions] == list(said.values())
    assert all(remark in each["thought"] for remark, each in zip(said, decisions, strict=True))


@pytest.mark.long("whole runs of a flow")
def test_a_follow_up_in_a_goal_edits_the_question_before(world: World) -> None:
    result, (first, second) = talk(world, "What is the total of crates by plot? Only kale?")
    assert (second.metrics, second.by) == (first.metrics, first.by)
    assert second.where is not None
    assert "kale" in result.outputs["answer"].casefold()


@pytest.mark.long("whole runs of a flow")
def test_what_cannot_be_read_is_answered_and_not_the_end(world: World) -> None:
    result, asked = talk(
        world, "total crates by plot", "blargh the wuzzle", "Show me the top 3 only", "frobnicate"
    )
    first, again, top, same = asked
    assert again == first
    assert top.rank is not None
    assert same == top
    answer = result.outputs["answer"]
    assert "Elm" in answer
    assert "Ash" not in answer


@pytest.mark.long("whole runs of a flow")
def test_what_is_not_understood_is_said(world: World) -> None:
    talk(world, "total crates by plot", "only for 2020, and by colour")
    thought = world.outputs("Controller")[1]["thought"]
    assert "could not read your feedback" in thought
    assert 'I did not understand "and by colour"' in thought
