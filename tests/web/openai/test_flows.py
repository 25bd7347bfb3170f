"""Flows that take a whole conversation, that ask a model, and that end at a limit, as models."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from flows.models.fake.answer import ClientRequest, FakeAnswer, echo
from flows.models.fake.server import FakeModel
from tests.web.openai.test_chat import assistant, open_client, says, user
from tests.web.own_flows import write_flows
from tests.web.serving import serving

FILES = {
    "talk": "_target_: ./tools.py:talk\n",
    "limited": """\
_target_: sequential
input_interface: {seconds: float, why: str}
output_interface: [waited]
subflows_config: {one: {_target_: ./tools.py:Slow}, two: {_target_: ./tools.py:Slow}}
topology: [{goal: Wait, flow: one}, {goal: Wait again, flow: two}]
inputs: {seconds: 0.6}
limits: {wall_time: 0.5}
""",
    "echo_chat": """\
defaults: [{model: openai}, _self_]
model: {model: gpt-test}
_target_: chat
input_interface: {text: str}
human_prompt: say
""",
    "told": """\
defaults: [{model: openai}, _self_]
model: {model: gpt-test}
_target_: sequential
input_interface: {text: str}
output_interface: [answer]
subflows_config:
  draft: {_target_: chat, input_interface: {text: str}, human_prompt: draft}
  write: {_target_: chat, input_interface: {text: str}, human_prompt: say}
topology:
  - {goal: Draft, flow: draft, output_interface: {keys_to_rename: {api_output: text}}}
  - {goal: Write, flow: write, output_interface: {keys_to_rename: {api_output: answer}}}
""",
    "two_texts": """\
_target_: sequential
input_interface: {first: str, second: str}
output_interface: [louder]
subflows_config: {one: {_target_: ./tools.py:louder}}
topology: [{goal: x, flow: one, input_interface: {keys_to_rename: {first: text}}}]
""",
}


class Halting(tuple[str, ...]):
    """The pieces of a stream, of which the last come once something has happened."""

    happened: threading.Event

    def __iter__(self) -> Iterator[str]:
        *first, last = super().__iter__()
        yield from first
        assert self.happened.wait(60)
        yield last


def story(asked: ClientRequest, shown: threading.Event) -> FakeAnswer:
    """Tells a story by and by where that is asked for; repeats everything else."""
    if "story" not in asked.said() or asked.said().startswith("draft"):
        return echo(asked)
    pieces = Halting((" On", "ce ", "upon", " a time: the end.\n"))
    pieces.happened = shown
    return FakeAnswer(pieces=pieces)


@pytest.mark.long("the real command, and a model's server")
def test_conversations_tokens_and_limits(tmp_path: Path) -> None:
    arguments = write_flows(tmp_path)
    (tmp_path / "prompts").mkdir()
    for name in ("say", "draft"):
        prompt = f"{{#- variables: text -#}}\n{name} {{{{ text }}}}"
        (tmp_path / "prompts" / f"{name}.j2").write_text(prompt, "utf-8")
    for name, text in FILES.items():
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    shown = threading.Event()
    with FakeModel(lambda asked: story(asked, shown)) as model:
        env = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "a-key-of-a-test-4711"}
        names = [f"{name}.yaml" for name in FILES]
        with (
            serving(tmp_path, *arguments, *names, env=env) as served,
            open_client(served) as client,
        ):
            whole: list[ChatCompletionMessageParam] = [
                {"role": "system", "content": "Be kind."}, *user("One?"), assistant("Two."),
                *user("Three?"),
            ]  # fmt: skip
            said = says(client, "talk", whole)
            assert said == "system: Be kind. | user: One? | assistant: Two. | user: Three?"

            asked = client.chat.completions.create(model="echo_chat", messages=user("hello"))
            assert "hello" in (asked.choices[0].message.content or "")
            assert asked.usage is not None
            assert asked.usage.prompt_tokens > 0
            assert asked.usage.total_tokens == (
                asked.usage.prompt_tokens + asked.usage.completion_tokens
            )

            # A model's words are passed on while it writes: it ends only once they were seen.
            for name in ("echo_chat", "told"):
                shown.clear()
                said = ""
                for chunk in client.chat.completions.create(
                    model=name, messages=user("Tell a story"), stream=True
                ):
                    said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
                    if said == "Once upon":
                        shown.set()
                assert said == "Once upon a time: the end."
            shown.clear()
            said = ""
            with client.responses.stream(model="told", input="Tell a story") as stream:
                for event in stream:
                    said += event.delta if event.type == "response.output_text.delta" else ""
                    if said == "Once upon":
                        shown.set()
            assert said == stream.get_final_response().output_text == "Once upon a time: the end."

            cut = client.chat.completions.create(model="limited", messages=user("now"))
            assert cut.choices[0].finish_reason == "length"
            with pytest.raises(openai.BadRequestError, match=r"no one text \(texts: first, second"):
                says(client, "two_texts", user("hello"))
            assert says(client, "two_texts", user("hello"), inputs={"second": "x"}) == "HELLO"

            # Two people say the same: each one's answer goes on with a run of its own.
            with ThreadPoolExecutor(8) as pool:
                barrier = threading.Barrier(8)

                def ask(number: int) -> str:
                    barrier.wait(30)
                    first = says(client, "asks", user("Which colour?"))
                    talk = [*user("Which colour?"), assistant(first), *user(f"blue {number}")]
                    barrier.wait(30)
                    return says(client, "asks", talk)

                assert sorted(pool.map(ask, range(8))) == [f"blue {n}" for n in range(8)]
