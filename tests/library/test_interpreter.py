"""An interpreter over functions of a workshop, with a language model on a loopback port."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.core.events import StepFinished
from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.library.interpreter.response_table import FILE, ResponseTable
from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from flows.runners.door import resume
from tests.library.workshop_functions import CALLED
from tests.library.world import World

RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
functions:
  sources:
    shop: {_target_: functions.python, modules: [tests.library.workshop_functions]}
"""


def calls(*given: tuple[str, dict[str, Any]], strategy: str = "Look it up.") -> FakeAnswer:
    """A reply that calls functions."""
    named = tuple(FakeCall(name, json.dumps(arguments)) for name, arguments in given)
    return FakeAnswer(strategy, finish="tool_calls", tool_calls=named)


def calls_in_json(*given: tuple[str, dict[str, Any]], strategy: str = "So.") -> FakeAnswer:
    """The same as text, as a model replies that knows no tool calls."""
    named = [{"name": name, "arguments": arguments} for name, arguments in given]
    return FakeAnswer(json.dumps({"strategy": strategy, "calls": named}))


def answer(text: str, *citations: tuple[int, str, str], **more: Any) -> FakeAnswer:
    cited = [{"call": call, "path": path, "value": value} for call, path, value in citations]
    body = {"strategy": "Looked it up.", "answer": text, "confidence": 90, "citations": cited}
    return FakeAnswer(json.dumps({**body, **more}))


def ask(world: World, server: FakeModel, question: str, *replies: FakeAnswer) -> RunResult:
    return world_ask(world, server, question, replies=replies)


def world_ask(
    world: World,
    server: FakeModel,
    question: str,
    *overrides: str,
    replies: tuple[FakeAnswer, ...],
) -> RunResult:
    """Ask with overrides of the run file."""
    CALLED.clear()
    server.script(*replies)
    return world.run(RUN, *overrides, inputs={"question": question})


def messages(server: FakeModel, number: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.requests[number].body["messages"]
    return found


def told(server: FakeModel, number: int = -1) -> str:
    """What a request says after the last reply of the model."""
    said = messages(server, number)
    last = max((n for n, each in enumerate(said) if each["role"] == "assistant"), default=0)
    return "\n".join(each["content"] for each in said[last + 1 :])


def test_it_calls_a_function_and_cites_what_it_gave(world: World, server: FakeModel) -> None:
    result = ask(
        world, server, "What is the total of order KT-2011?",
        calls(("get_order", {"order": "KT-2011"})),
        answer("The total of KT-2011 is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert result.status == "finished", result.reason
    outputs = result.outputs
    assert outputs["status"] == "answered"
    assert outputs["functions"] == ("shop/get_order",)
    assert [(each.call, each.path, each.value) for each in outputs["citations"]] == [
        (1, "/total", "482.50")
    ]
    assert outputs["uncited"] == ()
    assert outputs["confidence"] == outputs["model_confidence"] == 90
    asked, results = messages(server)[-2:]
    assert asked["tool_calls"][0]["function"]["name"] == "get_order"
    assert results["role"] == "tool"
    assert results["tool_call_id"] == asked["tool_calls"][0]["id"]
    assert results["content"].startswith("Call 1 (ok):\n")
    offered = [each["function"]["name"] for each in server.requests[0].body["tools"]]
    assert "get_order" in offered


def test_a_model_that_knows_no_tool_calls_replies_them_as_text(
    world: World, server: FakeModel
) -> None:
    result = ask(
        world, server, "What is the total of order KT-2011?",
        calls_in_json(("get_order", {"order": "KT-2011"})),
        answer("It is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert result.outputs["answer"] == "It is 482.50."
    assert [each["role"] for each in messages(server)] == ["system", "user", "assistant", "user"]
    assert told(server).startswith("Call 1 (ok):")


def test_independent_calls_are_steps_of_their_own_made_at_once(
    world: World, server: FakeModel
) -> None:
    result = ask(
        world, server, "Which cities do the customers of KT-2011 and KT-2012 live in?",
        calls(("get_order", {"order": "KT-2011"}), ("get_order", {"order": "KT-2012"})),
        calls(("get_customer", {"name": "Marlow"}), ("get_customer", {"name": "Okafor"})),
        answer("Marlow lives in Lyon, Okafor in Graz.", (3, "/city", "Lyon"), (4, "/city", "Graz")),
    )  # fmt: skip
    assert result.outputs["status"] == "answered"
    assert [each.function for each in result.outputs["calls"]] == [
        "shop/get_order", "shop/get_order", "shop/get_customer", "shop/get_customer",
    ]  # fmt: skip
    done = [each.address for each in world.events if isinstance(each, StepFinished)]
    assert {"call_once#1", "call_once#2", "call_once#3", "call_once#4"} <= set(done)


def test_a_plan_that_is_only_stated_is_sent_back_once(world: World, server: FakeModel) -> None:
    plan = FakeAnswer("First I will call get_order, then I will answer.")
    result = ask(
        world, server, "What is the total of KT-2011?",
        plan, calls(("get_order", {"order": "KT-2011"})),
        answer("It is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert result.outputs["answer"] == "It is 482.50."
    assert "not carried it out" in told(server, 1)
    result = ask(world, server, "What is the total of KT-2011?", plan, plan)
    assert result.outputs["status"] == "abstained"
    assert result.outputs["confidence"] == 0
    assert "did not carry it out" in result.outputs["lacks"]


@pytest.mark.parametrize(
    "stated",
    [
        "I will first look up the order.",
        "Let me look up KT-2011. Then I read its total.",
        "I need to find the order:\n1. get_order for KT-2011\n2. finally the answer",
        "Ich werde zuerst den Auftrag nachschlagen. Danach folgt die Antwort.",
    ],
)
def test_an_answer_that_only_states_a_plan_is_sent_back_once(
    world: World, server: FakeModel, stated: str
) -> None:
    plan = answer(stated)
    result = ask(
        world, server, "What is the total of KT-2011?",
        plan, calls(("get_order", {"order": "KT-2011"})),
        answer("It is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert result.outputs["answer"] == "It is 482.50."
    assert "not carried it out" in told(server, 1)
    result = ask(world, server, "What is the total of KT-2011?", plan, plan)
    assert result.outputs["status"] == "abstained"
    assert result.outputs["confidence"] == 0
    assert "did not carry it out" in result.outputs["lacks"]


@pytest.mark.parametrize(
    "said",
    [
        "Marlow ordered it. Let me know if you need more.",
        "The notes say: I will sew it on Monday.",
        "Marlow will get it when I have sewn it.",
        "We need to sew it before Monday.",
        "Step 1: cut it. Step 2: sew it.",
    ],
)
def test_an_answer_about_what_will_be_done_is_an_answer(
    world: World, server: FakeModel, said: str
) -> None:
    look = calls(("get_order", {"order": "KT-2011"}))
    result = ask(world, server, "What becomes of KT-2011?", look, answer(said))
    assert result.outputs["answer"] == said
    assert len(server.requests) == 2


def test_what_is_not_on_the_stack_and_arguments_that_do_not_fit_are_refused(
    world: World, server: FakeModel
) -> None:
    result = ask(
        world, server, "Delete order KT-2011 and its cotton fabrics",
        calls(("delete_orders", {}), ("get_order", {"ordr": "KT-2011"}),
              ("list_fabrics", {"kind": "cottn"})),
        answer("I cannot delete orders.", confidence=80, lacks="a function that deletes orders"),
    )  # fmt: skip
    assert CALLED == []
    refused = told(server)
    assert "'delete_orders' is not among the functions" in refused
    assert "did you mean 'order'?" in refused
    assert "did you mean 'cotton'?" in refused
    assert result.outputs["status"] == "abstained"
    assert result.outputs["calls"] == ()
    assert result.outputs["confidence"] == 10


def test_functions_are_searched_loaded_and_pruned(world: World, server: FakeModel) -> None:
    found = calls((
        "revise_functions",
        {"questions": ["the fabrics in stock"], "prune": True, "limit": 1, "issues": "no stock"},
    ))  # fmt: skip
    result = world_ask(
        world, server, "What is the total of KT-2011?", "search_first=1",
        replies=(found, answer("Nothing.", lacks="a total")),
    )  # fmt: skip
    assert result.outputs["status"] == "abstained"
    first, second = (each["stack"] for each in world.inputs("decide"))
    own = {"about", "strategy", "revise_functions", "read_result", "ask_person"}
    assert {each.name for each in first} - own == {"get_order"}
    assert {each.name for each in second} - own == {"list_fabrics"}
    assert "list_fabrics (python, shop): All fabrics of a kind" in told(server)
    assert "Left the stack: get_order" in told(server)


@pytest.mark.long("whole runs of a flow")
def test_a_long_result_is_kept_and_can_be_read_on(world: World, server: FakeModel) -> None:
    result = ask(
        world, server, "How many cotton fabrics are there, and what is the 1400th?",
        calls(("list_fabrics", {"kind": "cotton"})),
        calls(("read_result", {"call": 1, "offset": 1399})),
        answer("There are 1,500; the 1400th is cotton-1399.", (1, "/1399/fabric", "cotton-1399")),
    )  # fmt: skip
    shown = told(server, 1)
    assert len(shown) < 9_000
    assert "of 1,500 elements" in shown
    assert '"cotton-1399"' in told(server)
    cited = {(each.value, each.path, each.operation) for each in result.outputs["citations"]}
    assert cited == {("cotton-1399", "/1399/fabric", ""), ("1,500", "", "count")}
    assert result.outputs["calls"][0].artifact == result.artifacts[0].name


def test_a_number_that_no_result_holds_goes_back_and_is_told_if_it_stays(
    world: World, server: FakeModel
) -> None:
    look = calls(("get_order", {"order": "KT-2011"}))
    wrong = answer("The total is 999.", (1, "/total", "999"))
    result = ask(
        world, server, "What is the total of KT-2011?",
        look, wrong, answer("The total is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert "no result holds 999" in told(server)
    assert result.outputs["uncited"] == ()
    result = ask(world, server, "What is the total of KT-2011?", look, wrong, wrong)
    assert result.outputs["uncited"] == ("999",)
    assert result.outputs["confidence"] < 30 < result.outputs["model_confidence"]


def test_the_person_is_asked_for_what_is_missing(world: World, server: FakeModel) -> None:
    world.write("said.txt", "2\n")
    result = world_ask(
        world, server, "What is the total of my order?", "human=scripted", "human.path=said.txt",
        replies=(
            calls(("ask_person", {"question": "Which order?", "options": ["KT-2011", "KT-2012"]})),
            calls(("get_order", {"order": "KT-2012"})),
            answer("It is 120.", (1, "/total", "120")),
        ),
    )  # fmt: skip
    assert "The person says: KT-2012" in told(server, 1)
    assert result.outputs["answer"] == "It is 120."


def test_a_run_that_waits_goes_on_with_the_same_stack(world: World, server: FakeModel) -> None:
    waiting = world_ask(
        world, server, "What is the total of my order?", "human=detached",
        replies=(
            calls(("get_order", {"order": "KT-2011"}), ("ask_person", {"question": "Which?"})),
        ),
    )  # fmt: skip
    assert waiting.status == "waiting"
    assert CALLED == ["get_order"]
    first = world.inputs("decide")[0]["stack"]
    server.script(answer("It is 482.5.", (1, "/total", "482.5")))
    world.events.clear()
    result = resume(
        waiting.run_id, answer="KT-2011", trust=("tests",), listeners=(world.events.append,)
    )
    assert result.outputs["answer"] == "It is 482.5."
    assert CALLED == ["get_order"]
    assert [each["stack"] for each in world.inputs("decide")] == [first, first]


def test_at_a_limit_it_answers_with_what_there_is(world: World, server: FakeModel) -> None:
    look = calls(("get_order", {"order": "KT-2011"}))
    last = answer("So far: 482.5.", (1, "/total", "482.5"), lacks="the customer's city")
    result = world_ask(
        world, server, "Where does the customer of KT-2011 live?", "max_turns=2",
        replies=(look, last),
    )  # fmt: skip
    assert result.outputs["status"] == "partly"
    assert "No more calls are made" in told(server)
    result = world_ask(
        world, server, "Where does the customer of KT-2011 live?",
        "limits.model_calls=2", "limits.on_limit=finalize", replies=(look, last),
    )  # fmt: skip
    assert result.status == "unfinished"
    assert result.outputs["answer"] == "So far: 482.5."


def test_responses_are_logged_and_tell_which_function_lowers_confidence(
    world: World, server: FakeModel
) -> None:
    look = calls(("get_order", {"order": "KT-2011"}))
    ask(world, server, "Total of KT-2011?", look, answer("482.5", (1, "/total", "482.5")))
    ask(
        world, server, "What is in the notes on order KT-2011?",
        calls(("read_notes", {"topic": "order KT-2011"})),
        answer("Notes of somebody on it.", (1, "", "Notes on order KT-2011"), confidence=20),
    )  # fmt: skip
    table = ResponseTable(FILE)
    worst, best = table.stats()
    assert (worst.function, worst.effect) == ("shop/read_notes", -70.0)
    assert (best.function, best.confidence, best.confidence_without) == ("shop/get_order", 90, 20)
    newest = table.responses(1)[0]
    assert newest.question == "What is in the notes on order KT-2011?"
    assert newest.functions[0].used


def test_an_own_plan_takes_the_place_of_the_prompt(world: World, server: FakeModel) -> None:
    world.write("prompts/interpreter.plan.j2", "{#- variables: -#}\nSpeak like a tailor.")
    ask(world, server, "Hello?", answer("Good day."))
    system = messages(server)[0]["content"]
    assert system.startswith("Speak like a tailor.\n\n")
    assert '"citations"' in system
    world.write("prompts/interpreter.plan.j2", "{#- variables: weather -#}\n{{ weather }}")
    with pytest.raises(ConfigError, match="uses 'weather', which no input fills"):
        world.check(RUN)


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_sessions_are_kept_and_recalled_in_their_own_channel(
    world: World, server: FakeModel
) -> None:
    remembers = RUN.replace("[interpreter,", "[interpreter, memory: chroma,")

    def say(question: str, channel: str, *replies: FakeAnswer) -> RunResult:
        server.script(*replies)
        return world.run(remembers, inputs={"question": question, "channel": channel})

    say(
        "What is the total of KT-2011?", "orders",
        calls(("get_order", {"order": "KT-2011"})), answer("482.5", (1, "/total", "482.5")),
    )  # fmt: skip
    recall = calls(("recall_sessions", {"question": "the total of KT-2011"}))
    say("What did I ask about KT-2011?", "orders", recall, answer("Its total."))
    assert "Question: What is the total of KT-2011?\nAnswer: 482.5" in told(server)
    say("What did I ask about KT-2011?", "other", recall, answer("Nothing."))
    assert told(server).startswith("Call 1 (empty):")
