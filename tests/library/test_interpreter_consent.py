"""Asking the person before a function changes something: by the real command and a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from flows.core.function_description import FunctionDescription
from flows.library.interpreter.consent_question import ConsentCall, consent_questions
from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from flows.records.lookup import find_run
from tests.cli.command import Ended
from tests.cli.inside import inside
from tests.library.world import World
from tests.servers.local_http import LocalHttp, Reply, Request

LETTER = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
                "required": ["to", "text"],
            }
        }
    },
}
DOCUMENT = {
    "openapi": "3.0.0",
    "paths": {
        "/letters": {
            "get": {"operationId": "list_letters", "summary": "All letters."},
            "post": {
                "operationId": "send_letter",
                "summary": "Sends a letter.",
                "requestBody": LETTER,
            },
        },
    },
}
RUN = """\
defaults: [interpreter, override model: openai, override human: HUMAN, _self_]
inputs: {question: Send the letters.}
load: [post/send_letter, post/list_letters]
functions:
  sources:
    post: {_target_: functions.openapi, document: post.json, base_url: URL}
"""
ANSWER = FakeAnswer(json.dumps({"answer": "Done.", "confidence": 50}))
ADA = ("send_letter", {"to": "Ada", "text": "Hello\nthere"})
BEN = ("send_letter", {"to": "Ben", "text": "Hello"})
LIST: tuple[str, dict[str, Any]] = ("list_letters", {})


def posted(request: Request) -> Reply:
    return Reply(json={"letters": request.method})


@pytest.fixture
def office() -> Iterator[LocalHttp]:
    with LocalHttp(posted) as running:
        yield running


def calls(*given: tuple[str, dict[str, Any]]) -> FakeAnswer:
    made = tuple(FakeCall(name, json.dumps(arguments)) for name, arguments in given)
    return FakeAnswer("So.", finish="tool_calls", tool_calls=made)


def run(world: World, office: LocalHttp, human: str, *overrides: str, said: str = "") -> Ended:
    world.write("post.json", json.dumps(DOCUMENT))
    world.write("my.yaml", RUN.replace("URL", office.url).replace("HUMAN", human))
    world.write("said.txt", said)
    return inside(
        "run", "my.yaml", *overrides, "--trust", office.url, "--json", cwd=world.folder
    )  # fmt: skip


def resume(world: World, office: LocalHttp, answer: str) -> Ended:
    return inside(
        "resume", "last", "--answer", answer, "--trust", office.url, "--json", cwd=world.folder
    )


def methods(office: LocalHttp) -> list[str]:
    return [each.method for each in office.requests]


def told(server: FakeModel, number: int = -1) -> str:
    """The results of calls that a request to the model has at its end."""
    said = server.requests[number].body["messages"]
    last = max(n for n, each in enumerate(said) if each["role"] == "assistant")
    return "\n".join(each["content"] for each in said[last + 1 :])


@pytest.mark.long("whole runs of a flow")
def test_a_run_waits_for_a_yes_and_asks_no_more_when_it_goes_on(
    world: World, server: FakeModel, office: LocalHttp
) -> None:
    more = FakeCall("ask_person", json.dumps({"question": "Enough?"}))
    asked = FakeAnswer("", finish="tool_calls", tool_calls=(more,))
    server.script(calls(ADA, LIST), asked, ANSWER)
    waits = run(world, office, "detached")
    assert waits.code == 75, waits.err
    assert methods(office) == []
    assert "post/send_letter may change something. Is it to be called?" in waits.err
    assert r'text: "Hello\nthere"' in waits.err
    wrong = resume(world, office, "perhaps")
    assert wrong.code == 2
    assert "'perhaps' is not one of ['yes', 'no', 'always']" in wrong.err
    again = resume(world, office, "yes")
    assert again.code == 75, again.err
    assert "Enough?" in again.err
    assert sorted(methods(office)) == ["GET", "POST"]
    done = resume(world, office, "it is")
    assert done.code == 0, done.err
    assert sorted(methods(office)) == ["GET", "POST"]
    assert [each["kind"] for each in done.json()["outputs"]["calls"]] == ["ok", "ok"]
    replayed = inside("replay", "last", "--json", cwd=world.folder)
    assert replayed.json()["outputs"] == done.json()["outputs"]


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("yes\n", ["Ada", "Ben"]),
        ("always\n", ["Ada", "Ben"]),
        ("what?\n3\nOnly 2.\n", ["Ben"]),
        ("1\n", ["Ada"]),
        ("2 and 1\n", ["Ada", "Ben"]),
        ("\n", []),
        ("q\n", []),
    ],
)
def test_several_calls_of_a_turn_are_asked_about_in_one_question(
    world: World, server: FakeModel, office: LocalHttp, said: str, sent: list[str]
) -> None:
    server.script(calls(ADA, BEN, LIST), ANSWER)
    done = run(world, office, "scripted", "human.path=said.txt", said=said)
    assert done.code == 0, done.err
    letters = [json.loads(each.body) for each in office.requests if each.method == "POST"]
    assert sorted(each["to"] for each in letters) == sent
    assert methods(office).count("GET") == 1
    refused = 2 - len(sent)
    assert told(server).count("nobody said yes") == refused


def test_always_is_for_the_function_and_the_run(
    world: World, server: FakeModel, office: LocalHttp
) -> None:
    server.script(calls(ADA), calls(BEN), ANSWER)
    done = run(world, office, "scripted", "human.path=said.txt", said="always\n")
    assert done.code == 0, done.err
    assert [json.loads(each.body)["to"] for each in office.requests] == ["Ada", "Ben"]


def test_one_answer_is_recorded_with_a_decision_for_each_call(
    world: World, server: FakeModel, office: LocalHttp
) -> None:
    server.script(calls(ADA, BEN, LIST), calls(BEN), ANSWER)
    waits = run(world, office, "detached")
    assert waits.code == 75, waits.err
    assert "2 calls may change something. Are they to be made?" in waits.err
    assert "2. post/send_letter" in waits.err
    [question] = waits.json()["questions"]
    assert [each["arguments"]["to"] for each in question["context"]["calls"]] == ["Ada", "Ben"]
    wrong = resume(world, office, "3")
    assert (wrong.code, methods(office)) == (2, [])
    assert '"only 1", "only 2" or numbers of calls as 1 2' in wrong.err
    done = resume(world, office, "1")
    assert done.code == 0, done.err
    assert sorted(methods(office)) == ["GET", "POST"]
    assert "refused before with the same arguments" in told(server)
    rows = find_run(world.folder / "runs", "last").rows()
    kept = [
        [each.get("said") for each in row.data()["outputs"]["decisions"]]
        for row in rows
        if row.kind == "outcome" and row.address.startswith("consent")
    ]
    assert kept == [["yes", "no"], [None]]
    replayed = inside("replay", "last", "--json", cwd=world.folder)
    assert replayed.json()["outputs"] == done.json()["outputs"]


def test_calls_too_long_to_be_read_at_once_are_asked_about_apart() -> None:
    function = FunctionDescription(name="send", description="Sends.", namespace="post")
    long = {f"line{number}": "x" * 400 for number in range(8)}
    asked = [ConsentCall(function=function, arguments={"to": n, **long}) for n in range(4)]
    found = list(consent_questions(asked, "key"))
    assert [len(each.calls) for each in found] == [1, 1, 1, 1]
    assert len({each.question.id for each in found}) == 4
    short = [ConsentCall(function=function, arguments={"to": n}) for n in range(12)]
    [one] = consent_questions(short, "key")
    assert len(one.question.text) < 5_800, "as much as one message of Slack shows"
    assert one.read("11, 12") == ("no",) * 10 + ("yes",) * 2
    assert one.read("13") is None
    assert one.read("1 2 all") is None


def test_a_call_that_was_refused_is_not_asked_about_again(
    world: World, server: FakeModel, office: LocalHttp
) -> None:
    server.script(calls(ADA), calls(ADA), calls(BEN), ANSWER)
    done = run(world, office, "scripted", "human.path=said.txt", said="no\nyes\n")
    assert done.code == 0, done.err
    assert [json.loads(each.body)["to"] for each in office.requests] == ["Ben"]
    assert "refused before with the same arguments" in told(server, 2)


def test_without_a_person_it_is_refused_unless_the_run_file_allows_it(
    world: World, server: FakeModel, office: LocalHttp
) -> None:
    server.script(calls(ADA, LIST), ANSWER)
    done = run(world, office, "never")
    assert done.code == 0, done.err
    assert methods(office) == ["GET"]
    refused = "post/send_letter was not called: it may change something, and nobody said yes."
    assert refused in told(server)
    assert "functions.allow" in told(server)
    server.script(calls(ADA, LIST), ANSWER)
    allowed = run(world, office, "never", "functions.allow=[post/send_*]")
    assert allowed.code == 0, allowed.err
    assert sorted(methods(office)) == ["GET", "GET", "POST"]


SHOP = '''\
def stamp(letter: str) -> str:
    """Puts a stamp on a letter.

    Args:
        letter: the name of the letter
    """
    return f"{letter} has a stamp"
'''
STAMPS = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
inputs: {question: Stamp it.}
load: [shop/stamp]
functions:
  sources:
    shop: {_target_: functions.python, modules: [stamps]MORE}
"""


@pytest.mark.parametrize(
    ("declared", "is_called"),
    [("", True), (", effect: pure", True), (", effect: idempotent", False),
     (", effect: once", False)],
)  # fmt: skip
def test_a_python_function_is_asked_about_where_its_effect_is_declared(
    world: World, server: FakeModel, declared: str, is_called: bool
) -> None:
    world.write("stamps.py", SHOP)
    world.write("my.yaml", STAMPS.replace("MORE", declared))
    server.script(calls(("stamp", {"letter": "A"})), ANSWER)
    done = inside("run", "my.yaml", "--trust", "stamps", "--json", cwd=world.folder)
    assert done.code == 0, done.err
    assert ("A has a stamp" in told(server)) == is_called
    assert ("nobody said yes" in told(server)) == (not is_called)


FLOW = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
inputs: {question: Stamp it.}
functions: {allow: ALLOW}
subflows_config:
  stamper: {_target_: stamping.stamp, effect: EFFECT}
"""
STAMPING = '''\
from typing import TypedDict


class Stamped(TypedDict):
    text: str


def stamp(letter: str) -> Stamped:
    """Puts a stamp on a letter."""
    return {"text": f"{letter} has a stamp"}
'''


@pytest.mark.parametrize(
    ("effect", "allow", "is_called"),
    [("pure", "[]", True), ("once", "[]", False), ("once", "[flows/stamper]", True)],
)
def test_a_subflow_is_asked_about_where_it_must_not_be_done_twice(
    world: World, server: FakeModel, effect: str, allow: str, is_called: bool
) -> None:
    world.write("stamping.py", STAMPING)
    world.write("my.yaml", FLOW.replace("EFFECT", effect).replace("ALLOW", allow))
    server.script(calls(("stamper", {"letter": "A"})), ANSWER)
    done = inside("run", "my.yaml", "--trust", "stamping", "--json", cwd=world.folder)
    assert done.code == 0, done.err
    assert ("A has a stamp" in told(server)) == is_called
