"""FlowVerse's modules under their names: chats, demonstrations, the controller's loop, pictures."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from flows.errors import ConfigError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import resume
from tests.cli.inside import inside
from tests.library.test_describe_image import PNG
from tests.library.world import World, asked, decision

CHAT = """
input_interface:
  _target_: aiflows.interfaces.KeyInterface
  additional_transformations: [{_target_: aiflows.data_transformations.KeyMatchInput}]
output_interface:
  _target_: aiflows.interfaces.KeyInterface
  keys_to_rename: {api_output: answer}
flow:
  _target_: flow_modules.aiflows.ChatFlowModule.ChatAtomicFlow.instantiate_from_default_config
  name: Capitals
  description: Answers questions.
  input_interface_non_initialized: [question]
  backend:
    _target_: aiflows.backends.llm_lite.LiteLLMBackend
    api_infos: ???
    model_name: {openai: gpt-tiny, azure: azure/gpt-tiny}
    n: 1
    max_tokens: 300
    temperature: 0.3
    top_p: 0.2
    frequency_penalty: 0
    presence_penalty: 0
  n_api_retries: 6
  wait_time_between_retries: 20
  system_message_prompt_template:
    _target_: aiflows.prompt_template.JinjaPrompt
    template: |2-
      You answer truthfully, in {{language}}.
    input_variables: []
    partial_variables: {language: French}
  init_human_message_prompt_template:
    _target_: aiflows.prompt_template.JinjaPrompt
    template: |2-
      Answer the following question: {{question}}
    input_variables: [question]
    partial_variables: {}
"""
LOOP = """
flow:
  _target_: flow_modules.aiflows.AutoGPTFlowModule.AutoGPTFlow.instantiate_from_default_config
  max_rounds: 6
  subflows_config:
    Controller:
      _target_: flow_modules.aiflows.ControllerExecutorFlowModule.ControllerAtomicFlow
      commands:
        say: {description: "Says something.", input_args: [query]}
        finish: {description: "Ends with the answer.", input_args: [answer]}
      backend: {api_infos: '???'}
      previous_messages: {last_k: 1, first_k: 2}
    Executor:
      _target_: aiflows.base_flows.BranchingFlow.instantiate_from_default_config
      subflows_config:
        say:
          _target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow
          input_interface: [query]
          fixed_reply: The sky is green today.
    Memory:
      backend: {model_name: none, api_infos: '???'}
"""


def test_a_chat_asks_its_backend_with_the_key_of_the_environment(
    world: World, server: FakeModel
) -> None:
    server.script(FakeAnswer("Ankara"))
    result = world.run(CHAT, inputs={"id": 0, "question": "What is the capital of Turkey?"})
    assert result.outputs == {"answer": "Ankara"}
    assert asked(server) == [
        ("system", "You answer truthfully, in French."),
        ("user", "Answer the following question: What is the capital of Turkey?"),
    ]
    body = server.requests[-1].body
    assert (body["model"], body["max_tokens"], body["top_p"]) == ("gpt-tiny", 300, 0.2)
    assert server.requests[-1].headers["authorization"] == "Bearer sk-of-the-environment"
    assert result.usage.model_calls == 1


def test_without_a_key_the_model_of_the_run_answers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = world.run(CHAT, inputs={"question": "What is the capital of Turkey?"})
    assert "model=openai" in result.outputs["answer"]


def test_a_model_of_the_command_line_comes_before_an_empty_backend(
    world: World, server: FakeModel
) -> None:
    server.script(FakeAnswer("Ankara"))
    world.run(CHAT, "model=openai", "model.model=chosen", inputs={"question": "Turkey?"})
    assert server.requests[-1].body["model"] == "chosen"


def test_keys_of_the_file_are_used_in_turn_and_written_nowhere(
    world: World, server: FakeModel
) -> None:
    infos = [
        {"backend_used": "openai", "api_key": f"sk-secret-{n}", "api_base": server.base_url}
        for n in (1, 2)
    ]
    text = CHAT.replace("api_infos: ???", f"api_infos: {infos}")
    server.script(FakeAnswer(status=429, text="slow down"), FakeAnswer("Ankara"))
    result = world.run(text.replace("n: 1", "n: 1\n    attempts: 1"), inputs={"question": "T?"})
    assert result.outputs == {"answer": "Ankara"}
    keys = [each.headers["authorization"] for each in server.requests]
    assert keys == ["Bearer sk-secret-1", "Bearer sk-secret-2"]
    kept = b"".join(each.read_bytes() for each in Path("runs").rglob("*") if each.is_file())
    assert b"sk-secret" not in kept


def test_a_chat_says_how_often_its_backend_is_tried(world: World, server: FakeModel) -> None:
    """As `n_api_retries` of aiflows, which is the number of calls until it gives up."""
    busy = FakeAnswer(status=503, text="busy")
    for tries, calls, status in ((5, 5, "finished"), (4, 4, "failed"), (1, 1, "failed")):
        server.clear()
        server.script(busy, busy, busy, busy, FakeAnswer("Ankara"))
        said = f"n_api_retries: {tries}\n  wait_time_between_retries: 0\n"
        assert "n_api_retries: 6\n  wait_time_between_retries: 20\n" in CHAT
        text = CHAT.replace("n_api_retries: 6\n  wait_time_between_retries: 20\n", said)
        result = world.run(text, inputs={"question": "T?"})
        assert (result.status, len(server.requests)) == (status, calls)


def test_a_chat_that_says_nothing_of_it_is_tried_as_often_as_in_the_flowverse(
    world: World, server: FakeModel
) -> None:
    said = "  n_api_retries: 6\n  wait_time_between_retries: 20\n"
    assert said in CHAT
    busy = FakeAnswer(status=503, text="busy", headers={"retry-after": "0"})
    server.script(*[busy] * 5, FakeAnswer("Ankara"))
    result = world.run(CHAT.replace(said, ""), inputs={"question": "T?"})
    assert (result.outputs, len(server.requests)) == ({"answer": "Ankara"}, 6)


def test_a_prompt_that_uses_what_nothing_fills_is_told_and_empty_there(
    world: World, server: FakeModel
) -> None:
    server.script(FakeAnswer("Ankara"))
    text = CHAT.replace("question: {{question}}", "question: {{qestion}}!")
    result = world.run(text, inputs={"question": "T?"})
    assert result.outputs == {"answer": "Ankara"}
    assert "question: !" in asked(server)[-1][1]
    shown = inside("check", "my.yaml", cwd=world.folder).out
    assert "template: the prompt uses 'qestion', which is none of its input_variables" in shown
    assert "did you mean 'question'?" in shown


def test_a_chat_shows_its_demonstrations_first(world: World, server: FakeModel) -> None:
    server.script(FakeAnswer("Berlin, my sir."))
    text = """
    flow:
      _target_: flow_modules.aiflows.ChatWithDemonstrationsFlowModule.ChatWithDemonstrationsFlow
      name: Polite
      description: Answers as it was shown.
      input_interface: [question]
      output_interface: [answer]
      subflows_config:
        demonstration_flow:
          data:
            - query_data: {query: "What is the capital of Turkey?"}
              response_data: {response: "Ankara, my sir."}
          query_prompt_template:
            template: "Question: {{query}}"
            input_variables: [query]
          response_prompt_template: {template: "{{response}}", input_variables: [response]}
        chat_flow:
          name: Chat
          input_interface_non_initialized: [question]
          backend: {api_infos: '???'}
          init_human_message_prompt_template:
            template: "Question: {{question}}"
            input_variables: [question]
    """
    result = world.run(dedent(text), inputs={"question": "And of Germany?"})
    assert result.outputs == {"answer": "Berlin, my sir."}
    assert asked(server) == [
        ("user", "Question: What is the capital of Turkey?"),
        ("assistant", "Ankara, my sir."),
        ("user", "Question: And of Germany?"),
    ]


def test_the_loop_of_autogpt_chooses_carries_out_asks_and_ends(
    world: World, server: FakeModel
) -> None:
    world.write("answers.txt", "look up\n")
    server.script(
        decision("say", query="sky"),
        FakeAnswer("I will finish now."),
        decision("finish", answer="green"),
    )
    result = world.run(
        LOOP,
        "human=scripted",
        "human.path=answers.txt",
        inputs={"goal": "Which color has the sky?"},
    )
    assert result.outputs == {"answer": "green", "status": "finished"}
    assert result.status == "finished"
    first, second, third = (asked(server, number) for number in range(3))
    assert "1. say: Says something." in first[0][1]
    assert "Which color has the sky?" in first[1][1]
    # The system's message, the goal and the last message are kept.
    assert [role for role, _ in second] == ["system", "user", "user"]
    assert "The sky is green today." in second[-1][1]
    assert "look up" in second[-1][1]
    assert "That reply cannot be used" in third[-1][1]


def test_q_of_the_person_ends_the_loop(world: World, server: FakeModel) -> None:
    world.write("answers.yaml", "[q]")
    server.script(decision("say", query="sky"))
    result = world.run(LOOP, "human=scripted", "human.path=answers.yaml", inputs={"goal": "Why?"})
    assert result.status == "unfinished"
    assert result.outputs["status"] == "unfinished"


def test_the_loop_runs_by_rules_without_a_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    search = LOOP.replace("say:", "wiki_search:").replace("[query]", "[search_term]")
    search = search.replace("Says something.", "Performs a search on Wikipedia.")
    result = world.run(search, "human=never", inputs={"goal": "Search Wikipedia for the sky"})
    assert result.status == "finished"
    assert "The sky is green today." in str(result.outputs["answer"])
    assert [each["command"] for each in world.outputs("Controller")] == ["wiki_search", "finish"]


def test_a_general_question_without_a_table_goes_to_the_search(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    search = LOOP.replace("say:", "wiki_search:").replace("[query]", "[search_term]")
    world.run(search, "human=never", inputs={"goal": "Who wrote Faust?"})
    assert [each["command"] for each in world.outputs("Controller")] == ["wiki_search", "finish"]


def test_a_run_that_was_killed_remembers_what_the_controller_said(
    world: World, server: FakeModel
) -> None:
    server.script(decision("say", query="sky"), decision("finish", answer="green"))
    waiting = world.run(LOOP, "human=detached", inputs={"goal": "Which color?"})
    assert waiting.status == "waiting"
    done = resume(waiting.run_id, answer="go on")
    assert done.outputs["answer"] == "green"
    assert len(server.requests) == 2
    assert [role for role, _ in asked(server)] == ["system", "user", "user"]


def test_a_picture_is_shown_beside_the_question(world: World, server: FakeModel) -> None:
    (world.folder / "cat.png").write_bytes(PNG)
    server.script(FakeAnswer("A cat."))
    text = CHAT.replace("ChatFlowModule.ChatAtomicFlow", "VisionFlowModule.VisionAtomicFlow")
    text = text.replace("non_initialized: [question]", "non_initialized: [question, data]")
    data = {"images": [{"type": "local_path", "image": "cat.png"}]}
    result = world.run(text, inputs={"question": "What is it?", "data": data})
    assert result.outputs == {"answer": "A cat.", "images": result.outputs["images"]}
    sent = server.requests[-1].body["messages"][-1]["content"]
    assert [part["type"] for part in sent] == ["text", "image_url"]


def test_under_compat_messages_that_both_ends_keep_are_sent_twice(
    world: World, server: FakeModel
) -> None:
    server.script(decision("finish", answer="green"))
    world.run(f"compat: aiflows-0.1{LOOP}", inputs={"goal": "Which color?"})
    assert [role for role, _ in asked(server)] == ["system", "user", "user"]
    server.script(decision("finish", answer="green"))
    world.run(LOOP, inputs={"goal": "Which color?"})
    assert [role for role, _ in asked(server)] == ["system", "user"]


def test_a_dollar_before_a_brace_is_written_with_a_backslash(
    world: World, server: FakeModel
) -> None:
    priced = CHAT.replace("following question:", "question for AT5:")
    with pytest.raises(ConfigError, match="names nothing: there is no '5'"):
        world.check(priced.replace("AT5", "${5}"))
    server.script(FakeAnswer("Ankara"))
    world.run(priced.replace("AT5", "\\${5}"), inputs={"question": "Turkey?"})
    assert asked(server)[-1] == ("user", "Answer the question for ${5}: Turkey?")
