"""The loop as a whole: goals, other executors, limits, recording and playing back, citing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.world import AUTO, World, asked, decision, sql

DEMO = Path(__file__).resolve().parents[2] / "demo.yaml"


@pytest.mark.parametrize("goal", ["", "   ", "\n"])
def test_an_empty_goal_makes_no_run(world: World, goal: str) -> None:
    with pytest.raises(ConfigError, match="the goal is empty"):
        world.auto(goal=goal)
    assert not Path("runs").exists()


def test_without_a_goal(world: World) -> None:
    with pytest.raises(ConfigError, match="missing input 'goal'"):
        world.run(AUTO)


RENAMED = """\
defaults: [{model: openai}, {memory: chroma}, _self_]
name: Hands
_target_: autogpt
executor: Hands
input_interface: [goal]
output_interface: [answer]
subflows_config:
  Head: {_target_: controller}
  Hands:
    _target_: executor
    subflows_config: {give: {_target_: tests.library.commands.Give}, finish: {_target_: finish}}
topology:
  - {goal: Think, flow: Head}
  - goal: Act
    flow: Hands
    input_interface: {keys_to_rename: {command: branch, command_args: branch_input_data}}
"""


def test_an_executor_of_another_name(world: World, server: FakeModel) -> None:
    server.script(decision("give", what="x"), decision("finish", answer="It gave x."))
    result = world.run(RENAMED, inputs={"goal": "Try it"})
    assert (result.status, result.outputs["answer"]) == ("finished", "It gave x.")
    assert '- "give": Give' in asked(server)[0][1]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("executor: Hands", "executor: Hand", ("'Hand' is no executor", "did you mean: Hands")),
        ("executor: Hands\n", "", ("'Executor' is no executor", "allowed: Hands")),
        ("executor: Hands", "executor: Head", ("'Head' is no executor",)),
        ("  Head:", "  cite: {_target_: finish}\n  Head:", ("'cite' is taken",)),
        ("goal: Think, flow: Head", "goal: Think, flow: Heads", ("no subflow 'Heads'",)),
    ],
)
def test_wrong_wiring_is_told(world: World, old: str, new: str, said: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        world.check(RENAMED.replace(old, new, 1))
    for each in said:
        assert each in str(caught.value)


def test_a_loop_inside_of_another_flow(world: World, server: FakeModel) -> None:
    inner = "\n".join(f"    {line}" for line in RENAMED.split("\n")[2:])
    text = (
        "defaults: [{model: openai}, {memory: chroma}, _self_]\n_target_: sequential\nname: Outer\n"
        f"input_interface: [goal]\nsubflows_config:\n  Inner:\n{inner}\n"
        "topology: [{goal: Go, flow: Inner}]\n"
    )
    server.script(decision("finish", answer="Done in 3."))
    result = world.run(text, inputs={"goal": "Try it"})
    assert result.outputs["answer"] == "Done in 3."
    assert result.outputs["citations"][0].text == "3"
    empty = world.run(text, inputs={"goal": "  "})
    assert (empty.status, len(server.requests)) == ("failed", 1)
    assert "the goal is empty" in empty.reason


@pytest.mark.long("whole runs of a flow")
def test_running_out_of_rounds(world: World, server: FakeModel) -> None:
    server.otherwise = lambda _: decision("describe")
    result = world.auto("model=openai", "max_rounds=2")
    assert (result.status, result.exit_code, result.rounds) == ("unfinished", 0, 2)
    assert result.outputs == {}


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize("limit", ["model_calls=2", "rounds=1", "tokens=20", "wall_time=0"])
def test_limits(world: World, server: FakeModel, limit: str) -> None:
    server.otherwise = lambda _: decision("describe")
    result = world.auto("model=openai", f"limits.{limit}")
    assert (result.status, result.exit_code) == ("unfinished", 0)
    assert limit.split("=")[0] in result.reason
    assert len(server.requests) <= 2


def test_without_a_memory_step(world: World, server: FakeModel) -> None:
    """Taking a subflow out means to take its steps out too, and that is told with the place."""
    with pytest.raises(ConfigError, match="Memory"):
        world.auto("~Memory")


@pytest.mark.long("whole runs of a flow")
def test_a_killed_loop_goes_on(world: World, server: FakeModel) -> None:
    query = "SELECT region FROM sales ORDER BY amount DESC LIMIT 1"
    server.script(
        decision("sql", question="best"),
        sql(query),
        FakeAnswer(status=400),
        decision("finish", answer="South."),
    )
    first = world.auto("model=openai")
    assert first.status == "failed"
    again = world.resume(first.run_id)
    assert (again.status, again.outputs["answer"]) == ("finished", "South.")
    assert asked(server, 3) == asked(server, 2)
    assert len(again.artifacts) == 1


def cited(result: RunResult) -> dict[str, Any]:
    return {each.text: each for each in result.outputs["citations"]}


@pytest.mark.long("whole runs of a flow")
def test_each_number_of_the_answer_is_pointed_to_its_cell(world: World, server: FakeModel) -> None:
    server.script(
        decision("describe"),
        decision("sql", question="total of the north"),
        sql("SELECT SUM(amount) AS total FROM sales WHERE region = 'north'"),
        decision("finish", answer="The north sold 14.50 in all; 5 rows were read, 99 are missing."),
    )
    found = cited(world.auto("model=openai"))
    assert (found["14.50"].origin, found["14.50"].column) == ("cell", "total")
    assert found["5"].origin == "cell"
    assert found["99"].origin == "none"


@pytest.mark.long("whole runs of a flow")
def test_an_answer_without_numbers_has_no_citations(world: World, server: FakeModel) -> None:
    server.script(decision("finish", answer="Nothing is known."))
    assert world.auto("model=openai").outputs["citations"] == ()


DESCRIBE = "name: D\n_target_: describe\ndata: {sales: sales.csv}\n"


def test_describe(world: World) -> None:
    world.write("sales.csv", "region,amount\nnorth,1.5\nsouth,\n")
    result = world.run(DESCRIBE, inputs={})
    observation = result.outputs["observation"]
    assert observation.text == "sales: 2 rows, 2 columns"
    amount = dict(zip(observation.table.columns, observation.table.rows[1], strict=True))
    assert amount["column"] == "amount"
    assert (amount["type"], amount["missing"], amount["maximum"]) == ("real", 1, "1.5")
    assert observation.table.sql is None
    kept = json.loads((result.folder / result.artifacts[0].path).read_text())
    assert list(kept["sources"]) == ["sales"]


@pytest.mark.parametrize("table", ["sales", "SALES", " sales "])
def test_describe_one_table(world: World, table: str) -> None:
    world.write("sales.csv", "a\n1\n")
    world.write("other.csv", "b\n1\n2\n")
    result = world.run(DESCRIBE, "data.other=other.csv", inputs={"table": table})
    assert result.outputs["observation"].text == "sales: 1 rows, 1 columns"


def test_describe_what_is_not_there(world: World) -> None:
    world.write("sales.csv", "a\n1\n")
    result = world.run(DESCRIBE, inputs={"table": "sale"})
    assert "no table 'sale'; did you mean 'sales'? (tables: sales)" in result.reason
    none = world.run("name: D\n_target_: describe\n", inputs={})
    assert "the run has no data" in none.reason


def demo(world: World, *overrides: str) -> RunResult:
    from flows.runners.door import run

    world.events.clear()
    return run(DEMO, ("human=never", *overrides), listeners=(world.events.append,))


@pytest.mark.long("the whole demo, twice")
def test_a_recorded_demo_plays_back(world: World) -> None:
    offline = "model.model={_target_: model.offline}"
    recorded = demo(
        world, "model=record", "model.path=tape.jsonl", "~model.model.model", offline,
        "+memory.folder=one",
    )  # fmt: skip
    assert recorded.status == "finished"
    lines = Path("tape.jsonl").read_text().splitlines()
    assert len(lines) == recorded.usage.model_calls

    played = demo(world, "model=replay", "model.path=tape.jsonl", "+memory.folder=two")
    assert (played.status, played.reason) == ("finished", "")
    assert played.outputs["answer"] == recorded.outputs["answer"]
    assert played.outputs["citations"] == recorded.outputs["citations"]
    assert played.usage.model_calls == recorded.usage.model_calls

    goal = "inputs.goal=Which continent had the lowest average life expectancy in 2007?"
    other = demo(world, "model=replay", "model.path=tape.jsonl", "+memory.folder=three", goal)
    assert (other.status, other.exit_code) == ("failed", 3)
    assert "no recorded reply is left for this request of role 'controller'" in other.reason
    assert "the nearest is line 1: messages[1].content from character" in other.reason
    assert "he lowest average life expectancy" in other.reason


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_recorded_language_model_plays_back(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="best"),
        sql("SELECT region FROM sales ORDER BY amount DESC LIMIT 1"),
        decision("finish", answer="South."),
    )
    recorded = world.auto("model=record", "model.path=tape.jsonl", "+memory.folder=one")
    played = world.auto("model=replay", "model.path=tape.jsonl", "+memory.folder=two")
    assert played.outputs == recorded.outputs
    assert (played.outputs["answer"], played.outputs["citations"]) == ("South.", ())
    assert len(server.requests) == 3
