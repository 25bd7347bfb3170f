"""The budgets of a run: counted before each call, kept over a resume; what is done at a limit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from flows.core.command import Command
from flows.core.reply import ReplySchema
from flows.errors import ConfigError
from flows.library.autogpt.controller import PROSE
from flows.library.blocks.decision_schema import decision_schema
from flows.library.blocks.sql import SqlReply, without
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.world import World, asked, decision, sql

SUM = "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC"
COMMANDS = TypeAdapter(tuple[Command, ...])
GPT = ("model=openai", "model.model=gpt-4o-mini")


def question(text: str) -> FakeAnswer:
    return decision("sql", question=text)


@pytest.mark.long("whole runs of a flow")
def test_a_last_answer_is_kept_back(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM), question("two"), decision("finish", answer="South."))
    result = world.auto(*GPT, "limits.model_calls=4", "+limits.on_limit=finalize")

    assert (result.status, result.exit_code) == ("unfinished", 0)
    assert result.outputs["answer"] == "South."
    assert "model_calls (4)" in result.reason
    assert len(server.requests) == result.usage.model_calls == 4
    system, last = asked(server)[0][1], asked(server)[-1][1]
    assert '- "finish":' in system
    assert '- "sql":' not in system
    assert "model_calls (4) is reached. No other command is carried out" in last


@pytest.mark.long("whole runs of a flow")
def test_a_last_answer_that_is_no_answer_leaves_what_there_is(
    world: World, server: FakeModel
) -> None:
    server.script(question("one"), sql(SUM), question("more"), question("still more"))
    result = world.auto(*GPT, "limits.model_calls=4", "+limits.on_limit=finalize")
    assert (result.status, "answer" in result.outputs) == ("unfinished", False)
    assert len(server.requests) == 4


@pytest.mark.long("waits for the wall time of a run to pass")
def test_a_last_answer_within_the_wall_time(world: World, server: FakeModel) -> None:
    slow = FakeAnswer(question("one").text, delay=9.05)
    server.script(slow, sql(SUM), decision("finish", answer="Too late for more."))
    result = world.auto(*GPT, "limits.wall_time=10", "+limits.on_limit=finalize")
    assert result.status == "unfinished"
    assert result.outputs["answer"] == "Too late for more."
    asked_for = len(server.requests)
    again = world.resume(result.run_id)
    assert (again.outputs, again.reason) == (result.outputs, result.reason)
    assert len(server.requests) == asked_for


def test_a_flow_that_cannot_give_a_last_answer_is_told(world: World) -> None:
    text = "_target_: finish\ninputs: {answer: x}\nlimits: {on_limit: finalize}\n"
    with pytest.raises(ConfigError, match="cannot give a last answer") as caught:
        world.check(text)
    assert "my.yaml:3:" in str(caught.value)


@pytest.mark.long("whole runs of a flow")
def test_a_limit_can_be_an_error(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM))
    result = world.auto(*GPT, "limits.model_calls=2", "+limits.on_limit=raise")
    assert (result.status, result.exit_code) == ("failed", 4)
    assert "model_calls" in result.reason


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_the_most_that_a_call_can_take_is_reserved(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM), decision("finish", answer="South."))
    gpt = (*GPT, "Executor.sql.by=sql")
    whole = world.auto(*gpt)
    commands = COMMANDS.validate_python(world.inputs("Controller")[0]["commands"])
    control = decision_schema("ControllerReply", PROSE, commands)
    query = ReplySchema.of(SqlReply, without("sql"))
    schemas = [each.size for each in (control, query, control)]
    texts = [sum(len(text.encode()) + 16 for _, text in asked(server, n)) for n in range(3)]
    sent = [text + schema for text, schema in zip(texts, schemas, strict=True)]
    used = 18  # tokens of each reply, as the server counts them
    assert whole.usage.input_tokens == 33

    server.requests.clear()
    enough = 2 * used + sent[2] + 100
    for tokens, calls in ((enough, 3), (enough - 1, 2), (sent[0] + 99, 0)):
        server.requests.clear()
        server.script(question("one"), sql(SUM), decision("finish", answer="South."))
        world.auto(*gpt, f"limits.tokens={tokens}", "+limits.reply_tokens=100", "memory.folder=new")
        assert len(server.requests) == calls, tokens
        assert all(each.body["max_tokens"] == 100 for each in server.requests)


@pytest.mark.long("whole runs of a flow")
def test_money(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM), decision("finish", answer="South."))
    result = world.auto(*GPT)
    assert result.usage.cost == pytest.approx(3 * (11 * 0.15 + 7 * 0.6) / 1e6)
    assert result.usage.unpriced_calls == 0


@pytest.mark.long("whole runs of a flow")
def test_a_limit_on_money(world: World, server: FakeModel) -> None:
    prices = "+prices.mine={input: 1000, output: 1000}"
    words = ("model=openai", "model.model=mine", prices, "+limits.reply_tokens=50")
    reached = (
        r"the run's limit on cost \(([0-9.]+)\) is reached: the next call may cost \$([0-9.]+)"
    )
    result = world.auto(*words, "limits.cost=0.01")
    first = re.fullmatch(reached, result.reason)
    assert first, result.reason
    assert (result.status, result.usage.cost, server.requests) == ("unfinished", None, [])

    enough = float(first[2]) + 0.001  # for the first call, and not for a second
    server.script(question("one"), sql(SUM), decision("finish", answer="South."))
    result = world.auto(*words, f"limits.cost={enough}", "memory.folder=new")
    assert result.status == "unfinished"
    assert re.fullmatch(reached, result.reason), result.reason
    assert len(server.requests) == 1
    assert result.usage.cost == pytest.approx((11 + 7) * 1000 / 1e6)


@pytest.mark.long("whole runs of a flow")
def test_a_price_that_is_unknown_is_not_nothing(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM), decision("finish", answer="South."))
    result = world.auto("model=openai", "model.model=somebody-s")
    assert (result.usage.cost, result.usage.unpriced_calls) == (None, 3)

    with pytest.raises(ConfigError, match="the price of the model 'gpt-4o-mimi' is unknown") as it:
        world.auto("model=openai", "model.model=gpt-4o-mimi", "limits.cost=1")
    assert "did you mean: gpt-4o-mini" in str(it.value)


@pytest.mark.long("whole runs of a flow")
def test_the_offline_model_costs_nothing(world: World) -> None:
    result = world.auto("limits.cost=0.0", "limits.tokens=1")
    assert (result.status, result.usage.cost) == ("finished", 0.0)


@pytest.mark.long("whole runs of a flow")
def test_budgets_are_not_reset_by_a_resume(world: World, server: FakeModel) -> None:
    server.script(question("one"), sql(SUM), FakeAnswer(status=401), question("two"), sql(SUM))
    first = world.auto(*GPT, "limits.model_calls=4", "limits.rounds=2")
    assert (first.status, first.usage.model_calls) == ("failed", 3)

    again = world.resume(first.run_id)
    assert (again.status, again.usage.model_calls) == ("unfinished", 4)
    assert len(server.requests) == 4
    more = world.resume(first.run_id)
    assert (more.status, more.usage.model_calls) == ("unfinished", 4)
    assert len(server.requests) == 4


@pytest.mark.long("whole runs of a flow")
def test_a_call_whose_reply_was_lost_counts_as_possibly_billed(
    world: World, server: FakeModel
) -> None:
    class Killed(BaseException):
        """Takes the process away while the model answers, as far as the journal can tell."""

    def stop(event: object) -> None:
        if type(event).__name__ == "TextArrived":
            raise Killed

    server.script(question("one"))
    world.also = (stop,)
    with pytest.raises(Killed):
        world.auto(*GPT)
    [folder] = Path("runs").iterdir()

    server.script(question("one"), sql(SUM), decision("finish", answer="South."))
    result = world.resume(folder.name)
    assert result.status == "finished"
    assert (result.usage.model_calls, result.usage.possibly_billed) == (4, 1)
    assert len(server.requests) == 4
    assert world.resume(folder.name).usage == result.usage


@pytest.mark.long("whole runs of a flow")
def test_the_same_command_three_times(world: World, server: FakeModel) -> None:
    same = decision("sql", question="the total by region")
    server.script(same, sql(SUM), same, sql(SUM), same, decision("finish", answer="South."))
    result = world.auto(*GPT)

    assert (result.status, result.outputs["answer"]) == ("finished", "South.")
    assert [kind for kind, _ in world.observations()] == ["ok", "ok", "error"]
    said = "'sql' was given 3 times with the same arguments and is not carried out again"
    assert said in world.observations()[-1][1]
    assert said in asked(server)[-1][1]


@pytest.mark.long("whole runs of a flow")
def test_other_arguments_are_another_command(world: World, server: FakeModel) -> None:
    server.script(*(each for n in range(4) for each in (question(f"part {n}"), sql(SUM))))
    world.auto(*GPT, "max_rounds=4")
    assert [kind for kind, _ in world.observations()] == ["ok"] * 4


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize(("times", "kinds"), [("2", ["ok", "error"]), ("null", ["ok", "ok"])])
def test_how_often_is_configured(
    world: World, server: FakeModel, times: str, kinds: list[str]
) -> None:
    same = decision("describe")
    server.script(same, same)
    world.auto(*GPT, "max_rounds=2", f"+Executor.same_command={times}")
    assert [kind for kind, _ in world.observations()] == kinds
