"""A chat: which messages the model is sent, what is remembered, what is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.core.chat import Message
from flows.core.events import Event, StepFinished
from flows.core.journal import load
from flows.errors import ConfigError
from flows.library.blocks.chat import Window
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.world import SALES, World, asked

TALK = """\
defaults: [{model: openai}, _self_]
_target_: circular
name: Talk
max_rounds: 3
early_exit_key: null
input_interface: [question]
output_interface: [api_output, finish]
subflows_config:
  Chat: {_target_: chat, SETTINGS}
topology: [{goal: Say it, flow: Chat, reset: RESET}]
inputs: {question: "How are you?"}
"""


def talk(settings: str = "temperature: 0.5", reset: str = "false") -> str:
    return TALK.replace("SETTINGS", settings).replace("RESET", reset)


@pytest.fixture
def prompts(world: World) -> World:
    world.write("prompts/sys.j2", "{#- variables: question -#}\nYou are terse ({{ question }}).")
    world.write("prompts/first.j2", "{#- variables: question -#}\nFirst: {{ question }}")
    world.write("prompts/later.j2", "{#- variables: question -#}\nAgain: {{ question }}")
    return world


THREE = "system_prompt: sys, first_human_prompt: first, human_prompt: later.j2"


def test_system_first_and_later_prompts(prompts: World, server: FakeModel) -> None:
    server.script(FakeAnswer("one"), FakeAnswer("two"), FakeAnswer("three"))
    result = prompts.run(talk(THREE))
    assert result.outputs == {"api_output": "three", "finish": "stop"}
    assert asked(server, 0) == [
        ("system", "You are terse (How are you?)."),
        ("user", "First: How are you?"),
    ]
    assert asked(server, 2) == [
        ("system", "You are terse (How are you?)."),
        ("user", "First: How are you?"),
        ("assistant", "one"),
        ("user", "Again: How are you?"),
        ("assistant", "two"),
        ("user", "Again: How are you?"),
    ]


def test_a_chat_without_settings_asks_the_question(world: World, server: FakeModel) -> None:
    result = world.run(talk(), "max_rounds=1")
    assert asked(server) == [("user", "How are you?")]
    assert result.outputs["api_output"] == "How are you?"
    assert server.requests[0].body["temperature"] == 0.5
    assert "response_format" not in server.requests[0].body


def test_reset_forgets_the_chat(prompts: World, server: FakeModel) -> None:
    prompts.run(talk(THREE, reset="true"))
    assert [asked(server, number)[1:] for number in range(3)] == [
        [("user", "First: How are you?")]
    ] * 3


@pytest.mark.parametrize(
    ("window", "kept"),
    [
        ({}, "0123456789"),
        ({"first_k": 2}, "01"),
        ({"last_k": 3}, "789"),
        ({"first_k": 2, "last_k": 3}, "01789"),
        ({"first_k": 6, "last_k": 7}, "0123456789"),
        ({"first_k": 10, "last_k": 10}, "0123456789"),
        ({"first_k": 50, "last_k": 1}, "0123456789"),
        ({"first_k": 0, "last_k": 50}, "0123456789"),
        ({"first_k": 0}, ""),
        ({"last_k": 0}, ""),
        ({"first_k": 0, "last_k": 0}, ""),
        ({"first_k": 1, "last_k": 0}, "0"),
    ],
)
def test_a_window_holds_each_message_once_and_in_order(window: dict[str, int], kept: str) -> None:
    messages = tuple(Message(role="user", content=str(number)) for number in range(10))
    assert "".join(each.content for each in Window(**window).keep(messages)) == kept
    assert Window(**window).keep(()) == ()


def test_a_window_in_a_run(prompts: World, server: FakeModel) -> None:
    server.script(*(FakeAnswer(f"reply {number}") for number in range(4)))
    window = "previous_messages: {first_k: 1, last_k: 2}"
    prompts.run(talk(f"{THREE}, {window}"), "max_rounds=4")
    assert [said for _, said in asked(server, 3)[1:]] == [
        "First: How are you?",
        "Again: How are you?",
        "reply 2",
        "Again: How are you?",
    ]


def test_a_reply_is_streamed_as_it_arrives(world: World, server: FakeModel) -> None:
    server.script(FakeAnswer("piece by piece", piece=3))
    world.run(talk(), "max_rounds=1")
    assert world.streamed() == "piece by piece"
    pieces = [each for each in world.events if type(each).__name__ == "TextArrived"]
    assert len(pieces) > 3
    assert {each.address for each in pieces} == {"Chat#1"}


def test_usage_is_counted(world: World, server: FakeModel) -> None:
    usage = world.run(talk()).usage
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (3, 33, 21)


@pytest.mark.parametrize(
    ("limit", "calls"),
    [("limits.model_calls=2", 2), ("limits.tokens=30", 0), ("limits.tokens=0", 0)],
)
def test_limits_are_checked_before_each_call(
    world: World, server: FakeModel, limit: str, calls: int
) -> None:
    result = world.run(talk(), limit)
    assert (result.status, result.exit_code) == ("unfinished", 0)
    assert limit.split(".")[1].split("=")[0] in result.reason
    assert len(server.requests) == calls
    assert result.usage.model_calls == calls
    assert ("api_output" in result.outputs) == (calls > 0)


def test_a_reply_that_is_cut_says_so(world: World, server: FakeModel) -> None:
    server.script(FakeAnswer("I was going to", finish="length"))
    result = world.run(talk("max_tokens: 5"), "max_rounds=1")
    assert result.outputs == {"api_output": "I was going to", "finish": "length"}
    assert server.requests[0].body["max_tokens"] == 5
    assert world.notices() == ["The model's reply was cut at its length limit."]
    assert result.status == "degraded"


def test_a_json_reply_is_asked_for(world: World, server: FakeModel) -> None:
    world.run(talk("json_reply: true"), "inputs.question=Give JSON", "max_rounds=1")
    assert server.requests[0].body["response_format"] == {"type": "json_object"}


def test_a_resumed_chat_has_the_same_history(prompts: World, server: FakeModel) -> None:
    server.script(FakeAnswer("one"), FakeAnswer("two"), FakeAnswer(status=400), FakeAnswer("three"))
    first = prompts.run(talk(THREE))
    assert (first.status, first.exit_code) == ("failed", 3)
    wanted = asked(server, 2)
    again = prompts.resume(first.run_id)
    assert (again.status, again.outputs["api_output"]) == ("finished", "three")
    assert len(server.requests) == 4  # nothing was asked twice but the request that failed
    assert asked(server, 3) == wanted
    assert again.usage.model_calls == 4  # the one that was refused is counted too


def test_a_reply_is_on_the_disk_before_the_run_goes_on(world: World, server: FakeModel) -> None:
    """A killed process must not have to pay for a reply again."""
    kinds: list[str] = []

    def look(event: Event) -> None:
        if isinstance(event, StepFinished) and event.flow == "Chat":
            (folder,) = (world.folder / "runs").iterdir()
            kinds.append(load(folder)[-1].kind)

    world.also = (look,)
    world.run(talk(), "max_rounds=2")
    assert kinds == ["outcome", "outcome"]


def test_a_prompt_beside_the_run_file_wins(world: World, server: FakeModel) -> None:
    world.write("prompts/chat.human.j2", "{#- variables: question -#}\nMy own: {{ question }}")
    world.run(talk(), "max_rounds=1")
    assert asked(server) == [("user", "My own: How are you?")]


def test_values_are_never_read_as_a_template(world: World, server: FakeModel) -> None:
    world.run(talk(), "max_rounds=1", "inputs.question='{{ 7 * 7 }} {% raw %}'")
    assert asked(server) == [("user", "{{ 7 * 7 }} {% raw %}")]


@pytest.mark.parametrize(
    ("prompt", "settings", "said"),
    [
        ("{#- variables: question -#}\n{{ qestion }}", "", ("own.j2:2:4", "'qestion'", "question")),
        ("{#- variables: question, more -#}\n{{ question }}", "", ("own.j2:1:", "'more'")),
        ("{{ question }}", "", ("own.j2:1:1", "declare the variables")),
        (
            "{#- variables: question -#}\n{{ question }}",
            "input_interface: [query]",
            ("my.yaml:9:", "own.j2 uses 'question'", "no input of Chat", "query"),
        ),
        (
            "{#- variables: tables -#}\n{{ tables }}",
            "context: [tables]",
            ("my.yaml:9:", "own.j2 uses 'tables'", "human_prompt"),
        ),
        (
            "{#- variables: answer -#}\n{{ answer }}",
            "",
            ("my.yaml:10:", "needs the input 'answer'", "question"),
        ),
    ],
)
def test_wrong_variables_are_found_before_the_run(
    world: World, prompt: str, settings: str, said: tuple[str, ...]
) -> None:
    file = world.write("prompts/own.j2", prompt)
    file.write_text(prompt)
    with pytest.raises(ConfigError) as caught:
        world.check(talk(f"human_prompt: own, {settings}".rstrip(", ")))
    for each in said:
        assert each in str(caught.value)


@pytest.mark.parametrize("name", ["nothing", "../secret", "sub/own"])
def test_a_prompt_that_is_not_there(world: World, name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        world.check(talk(f"human_prompt: {name}"))
    assert "my.yaml:9" in str(caught.value)
    assert name in str(caught.value)


def test_unknown_context_is_a_config_error(world: World) -> None:
    with pytest.raises(ConfigError, match="tables"):
        world.check(talk("context: [weather]"))


def test_tables_are_described_to_the_model(world: World, server: FakeModel) -> None:
    world.write("sales.csv", SALES)
    world.write("prompts/sys.j2", "{#- variables: tables -#}\nThe tables: {{ tables }}")
    settings = "system_prompt: sys, context: [tables]"
    world.run(talk(settings), "+data.sales=sales.csv", "max_rounds=1")
    role, said = asked(server)[0]
    assert role == "system"
    for each in ("table sales (5 rows", "region", "amount", "'north'"):
        assert each in said


def test_typed_inputs_of_a_chat(world: World, server: FakeModel) -> None:
    world.write("prompts/own.j2", "{#- variables: n, note -#}\n{{ n + 1 }}{{ note or '' }}")
    text = talk("human_prompt: own, input_interface: {n: int, note: 'str?'}")
    text = text.replace("[question]", "[n]")
    text = text.replace('{question: "How are you?"}', "{n: 4}")
    world.run(text, "max_rounds=1")
    assert asked(server) == [("user", "5")]
    failed = world.run(text, "max_rounds=1", "inputs.n=four")
    assert failed.status == "failed"
    assert "input 'n': Input should be a valid integer" in failed.reason
    assert len(server.requests) == 1


def test_a_correction_asks_again_about_the_last_reply(world: World, server: FakeModel) -> None:
    text = talk().replace("[question]", "[question, correction]")
    world.run(text, "max_rounds=1", "+inputs.correction=it has no rhyme")
    assert asked(server) == [
        (
            "user",
            "Your last reply could not be used: it has no rhyme\n"
            "Answer again in the form that was asked for, whole, and with nothing around it.",
        )
    ]


def test_the_models_error_is_the_runs(world: World, server: FakeModel) -> None:
    server.script(FakeAnswer(status=401))
    result = world.run(talk())
    assert (result.status, result.exit_code) == ("failed", 3)
    assert "Chat#1" in result.reason


def test_a_chat_can_be_the_whole_run(world: World, tmp_path: Path) -> None:
    """The offline model holds no free conversation, and says what helps."""
    text: Any = "defaults: [{model: offline}, _self_]\n_target_: chat\ninputs: {question: Hello}\n"
    result = world.run(text)
    assert result.status == "finished"
    assert "model=openai" in result.outputs["api_output"]
