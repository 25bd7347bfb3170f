"""Scripts of the fake model: what they may say, and how a fault in one is told."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest

from flows.errors import ConfigError
from flows.models.fake.player import Player
from flows.models.fake.script import read_script
from flows.models.fake.server import FakeModel


def write(folder: Path, text: str) -> Path:
    file = folder / "script.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def server_of(folder: Path, text: str) -> FakeModel:
    return FakeModel(Player(read_script(write(folder, text))))


def post(server: FakeModel, *messages: str, **more: Any) -> tuple[int, dict[str, str], str]:
    """Ask with these messages, of which the first is the system's: status, headers and body."""
    roles = ["system", *["user"] * (len(messages) - 1)] if len(messages) > 1 else ["user"]
    said = [{"role": r, "content": m} for r, m in zip(roles, messages, strict=True)]
    return send(server, {"model": "small", "messages": said, **more})


def send(
    server: FakeModel, body: Any, path: str = "/v1/chat/completions", method: str = "POST"
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection(server.host, timeout=10)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, raw)
    answer = connection.getresponse()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    text = answer.read().decode()
    connection.close()
    return answer.status, headers, text


def text_of(answer: tuple[int, dict[str, str], str]) -> str:
    assert answer[0] == 200
    return str(json.loads(answer[2])["choices"][0]["message"]["content"])


def problem_of(answer: tuple[int, dict[str, str], str]) -> tuple[int, str]:
    return answer[0], str(json.loads(answer[2])["error"]["message"])


def events_of(answer: tuple[int, dict[str, str], str]) -> list[Any]:
    assert answer[1]["content-type"] == "text/event-stream"
    lines = [line.removeprefix("data: ") for line in answer[2].split("\n") if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def test_turns_are_played_in_order_and_then_the_script_is_at_its_end(tmp_path: Path) -> None:
    script = "turns:\n  - reply: one\n  - {reply: {two: 2}, repeat: 2}\n  - {body: [3]}\n"
    with server_of(tmp_path, script) as server:
        assert text_of(post(server, "hi")) == "one"
        assert [json.loads(text_of(post(server, "hi"))) for _ in range(2)] == [{"two": 2}] * 2
        assert json.loads(post(server, "hi")[2]) == [3]
        status, said = problem_of(post(server, "hi"))
        assert (status, said) == (410, "the script is at its end: all its turns (3) were played")
        assert len(server.requests) == 5


def test_a_script_may_begin_again(tmp_path: Path) -> None:
    script = "on_end: repeat\nturns:\n  - reply: one\n  - {match: {contains: B}, reply: two}\n"
    with server_of(tmp_path, script) as server:
        assert [text_of(post(server, "B")) for _ in range(5)] == ["one", "two"] * 2 + ["one"]
        status, said = problem_of(post(server, "A"))
        assert (status, said) == (
            410,
            "no turn of the script is for this request; left: turn 2 (reply)",
        )


def test_a_turn_may_be_for_some_requests_only(tmp_path: Path) -> None:
    script = (
        "turns:\n"
        "  - {match: {system_contains: SQL}, reply: sql, repeat: always}\n"
        "  - {match: {contains: north, system_contains: You}, reply: north}\n"
        "  - {reply: any}\n"
    )
    with server_of(tmp_path, script) as server:
        assert text_of(post(server, "You are", "south")) == "any"
        assert text_of(post(server, "You write SQL", "north")) == "sql"
        assert text_of(post(server, "You are", "north", "north again")) == "north"
        assert text_of(post(server, "SQL", "x")) == "sql"
        assert problem_of(post(server, "You are", "x"))[0] == 410


def test_what_was_not_played_is_told(tmp_path: Path) -> None:
    script = (
        "turns:\n  - {reply: a, repeat: 3}\n  - {fault: length}\n  - {status: 418}\n"
        "  - {chunks: [a], repeat: always}\n  - {reply: b, repeat: always}\n"
    )
    player = Player(read_script(write(tmp_path, script)))
    with FakeModel(player) as server:
        for _ in range(2):
            post(server, "hi")
        assert player.left() == (
            "turn 1 (reply, 2 of 3)",
            "turn 2 (length)",
            "turn 3 (status 418)",
            "turn 4 (chunks)",
            "turn 5 (reply)",
        )
        for _ in range(5):
            post(server, "hi")
        assert player.left() == ("turn 5 (reply)",)


def test_a_stream_comes_in_the_pieces_of_the_script(tmp_path: Path) -> None:
    script = (
        "turns:\n  - {chunks: [One, ' and ', two], repeat: 2}\n"
        "  - {reply: x, usage: {prompt_tokens: 100}, finish: length}\n"
    )
    with server_of(tmp_path, script) as server:
        choices = [each["choices"][0] for each in events_of(post(server, "hi", stream=True))]
        assert [each["delta"].get("content") for each in choices] == [
            "",
            "One",
            " and ",
            "two",
            None,
        ]
        assert [each["finish_reason"] for each in choices] == [None] * 4 + ["stop"]
        assert text_of(post(server, "hi")) == "One and two"
        options = {"include_usage": True}
        *_, end, cost = events_of(post(server, "hi", stream=True, stream_options=options))
        assert end["choices"][0]["finish_reason"] == "length"
        assert cost["choices"] == []
        assert (cost["usage"]["prompt_tokens"], cost["usage"]["completion_tokens"]) == (100, 7)


def test_calls_of_functions_are_played_and_their_results_are_seen(tmp_path: Path) -> None:
    script = (
        "turns:\n"
        "  - match: {offers: find}\n"
        "    reply: Wait.\n"
        "    tool_calls: [{name: find, arguments: {city: Köln}}, {name: find, id: b}]\n"
        "    repeat: 2\n"
        "  - {tool_calls: [{name: find, arguments: '{\"cit'}], fault: length}\n"
        "  - {match: {result_contains: snow}, reply: It snows.}\n"
    )
    tools = [{"type": "function", "function": {"name": "find"}}]
    with server_of(tmp_path, script) as server:
        chosen = json.loads(post(server, "hi", tools=tools)[2])["choices"][0]
        assert (chosen["finish_reason"], chosen["message"]["content"]) == ("tool_calls", "Wait.")
        first, second = chosen["message"]["tool_calls"]
        assert json.loads(first["function"]["arguments"]) == {"city": "Köln"}
        assert (first["id"], second["id"], second["function"]["arguments"]) == (
            "call_1_1",
            "b",
            "{}",
        )
        events = events_of(post(server, "hi", stream=True, tools=tools))
        deltas = [each["choices"][0]["delta"] for each in events]
        pieces = [each for delta in deltas for each in delta.get("tool_calls", ())]
        assert [each["id"] for each in pieces if "id" in each] == ["call_1_1", "b"]
        assert len([each for each in pieces if each["index"] == 0]) > 2
        cut = json.loads(post(server, "hi")[2])["choices"][0]
        assert (cut["finish_reason"], cut["message"]["content"]) == ("length", None)
        said = [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [first, second]},
            {"role": "tool", "tool_call_id": "call_1_1", "content": "snow"},
            {"role": "tool", "tool_call_id": "b", "content": "nothing"},
        ]
        assert text_of(send(server, {"model": "m", "messages": said})) == "It snows."


SPOKEN = {"role": "user", "content": "hi"}
ASKED = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"messages": [SPOKEN, ASKED]}, "did not have response messages: a, b"),
        (
            {"messages": [SPOKEN, ASKED, {"role": "tool", "tool_call_id": "c", "content": ""}]},
            "must be a response to a preceeding message",
        ),
        ({"tool_choice": "auto"}, "only allowed when 'tools' are specified"),
        ({"tools": ["a.b"]}, "'tools[0].function.name': string does not match pattern"),
        ({"tools": ["a" * 65]}, "maximum length 64, but got a string with length 65"),
        ({"tools": [f"f{n}" for n in range(129)]}, "maximum length 128, but got an array"),
        (
            {"tools": ["a"], "tool_choice": {"type": "function", "function": {"name": "b"}}},
            "Tool choice 'b' not found",
        ),
    ],
)
def test_functions_and_results_are_judged_as_openai_does(
    tmp_path: Path, body: dict[str, Any], said: str
) -> None:
    tools = [{"type": "function", "function": {"name": n}} for n in body.get("tools", ())]
    sent = {"model": "m", "messages": [SPOKEN], **body, **({"tools": tools} if tools else {})}
    with server_of(tmp_path, "turns: [{reply: one}]\n") as server:
        status, problem = problem_of(send(server, sent))
        assert status == 400
        assert said in problem
        wrong = {"name": "find", "parameters": {"type": "array"}}
        tools = [{"type": "function", "function": wrong}]
        assert "got 'type: \"array\"'" in problem_of(post(server, "hi", tools=tools))[1]


def test_usage_and_finish_may_be_left_out(tmp_path: Path) -> None:
    with server_of(tmp_path, "turns:\n  - {reply: x, usage: null, finish: null}\n") as server:
        found = json.loads(post(server, "hi")[2])
        assert "usage" not in found
        assert found["choices"][0]["finish_reason"] is None


def test_errors_as_the_script_words_them(tmp_path: Path) -> None:
    script = (
        "turns:\n"
        "  - {status: 503, error: {message: later}, retry_after: 2}\n"
        "  - {status: 500, body: <h1>no</h1>, headers: {X-Try: 1}}\n"
        "  - {fault: rate_limited, retry_after: 0.25}\n"
        "  - {fault: error_in_stream, error: {message: mine}, reply: half}\n"
    )
    with server_of(tmp_path, script) as server:
        status, headers, body = post(server, "hi")
        assert (status, headers["retry-after"], json.loads(body)) == (
            503,
            "2",
            {"error": {"message": "later"}},
        )
        status, headers, body = post(server, "hi")
        assert (status, headers["x-try"], body) == (500, "1", "<h1>no</h1>")
        assert headers["content-type"].startswith("text/html")
        status, headers, body = post(server, "hi")
        assert (status, headers["retry-after"]) == (429, "0.25")
        events = events_of(post(server, "hi", stream=True))
        assert events[1]["choices"][0]["delta"]["content"] == "half"
        assert events[2] == {"error": {"message": "mine"}}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("", ["script.yaml:1:1: the file is empty"]),
        ("[]", ["the top level must be a mapping"]),
        ("turns: [{body: x}]\nturn: []", ["script.yaml:2:1: turn: unknown key", "mean: turns"]),
        ("on_end: error", ["'turns' must be given"]),
        ("turns: []", ["script.yaml:1:8: turns: a script must have a turn"]),
        ("turns:\n  - repl: x", ["script.yaml:2:5: turns.0.repl", "did you mean: reply"]),
        ("turns:\n  - {}", ["script.yaml:2:5: turns.0: a turn must have one of: reply"]),
        ("turns:\n  - reply: 42", ["script.yaml:2:12: turns.0.reply: must be text or a mapping"]),
        (
            "turns:\n  - reply: x\n  - fault: rate_limit",
            ["script.yaml:3:12: turns.1.fault", "did you mean: rate_limited", "cut_clean"],
        ),
        ("turns:\n  - {reply: a, chunks: [b]}", ["cannot have both reply and chunks"]),
        ("turns:\n  - {reply: a, status: 500}", ["cannot have both status and reply"]),
        ("turns:\n  - {fault: length, body: x}", ["cannot have both body and fault"]),
        ("turns:\n  - {status: 500, error: a, body: x}", ["cannot have both error and body"]),
        ("turns:\n  - {reply: a, error: x}", ["error goes with a status"]),
        ("turns:\n  - {reply: a, retry_after: 1}", ["retry_after goes with a status"]),
        ("turns:\n  - {fault: endless, retry_after: 1}", ["retry_after goes with a status"]),
        ("turns:\n  - {reply: a, form: fenced}", ["form goes with a reply that is an object"]),
        ("turns:\n  - {reply: {}, form: fenced}", ["form goes with a reply that is an object"]),
        (
            "turns:\n  - {tool_calls: [{name: a, argument: {}}]}",
            ["turns.0.tool_calls.0.argument", "mean: arguments"],
        ),
        ("turns:\n  - {tool_calls: [{name: a}], body: x}", ["both body and tool_calls"]),
        ("turns:\n  - {reply: a, form: fence}", ["did you mean: fenced"]),
        ("turns:\n  - {fault: endless, reply: ''}", ["endless repeats its reply for ever"]),
        (
            "turns:\n  - {fault: endless, chunks: [a, '']}",
            ["turns.0.chunks: a piece of a stream cannot be"],
        ),
        ("turns:\n  - {status: 200}", ["turns.0.status: must be greater than or equal to 400"]),
        ("turns:\n  - {reply: a, repeat: 0}", ["turns.0.repeat: must be a whole number from 1"]),
        ("turns:\n  - {reply: a, repeat: often}", ["script.yaml:2:24: turns.0.repeat: "]),
        ("turns:\n  - {reply: a, delay: -1}", ["turns.0.delay: "]),
        ("turns:\n  - {reply: a, delay: .inf}", ["turns.0.delay: "]),
        ('turns:\n  - {reply: a, headers: {"X Y": b}}', ["the header 'X Y' is not one"]),
        ('turns:\n  - {reply: a, headers: {X: "b\\r\\nY: c"}}', ["the header 'X' is not one"]),
        ("turns:\n  - {reply: a, match: {last: b}}", ["turns.0.match.last: unknown key"]),
        ("turns:\n  - {reply: a, reply: b}", ["script.yaml:2:16: duplicate key 'reply'"]),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    script: str, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, script)
    with pytest.raises(ConfigError) as caught:
        read_script(Path("script.yaml"))
    for each in said:
        assert each in str(caught.value)
    assert type(caught.value) is ConfigError  # one fault, told once


def test_models_embeddings_and_wrong_requests(tmp_path: Path) -> None:
    with server_of(tmp_path, "turns: [{reply: hi}]") as server:
        listed = send(server, b"", "/v1/models", "GET")
        assert [each["id"] for each in json.loads(listed[2])["data"]] == ["fake"]
        given = {"model": "m", "input": ["a b", "b a", "c"]}
        one, same, other = (
            each["embedding"]
            for each in json.loads(send(server, given, "/v1/embeddings")[2])["data"]
        )
        assert one == same != other
        assert sum(each * each for each in one) == pytest.approx(1)
        assert problem_of(send(server, given, "/v1/responses"))[0] == 404
        assert problem_of(send(server, b"", "/v1/chat/completions", "GET"))[0] == 404
        assert problem_of(send(server, b"{not json"))[0] == 400
        assert problem_of(send(server, {"model": "m"})) == (400, "the request has no 'messages'")
        assert text_of(post(server, "hi")) == "hi"


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
STRICT = {"name": "Said", "schema": SCHEMA, "strict": True}


def test_a_form_of_reply_is_refused_before_a_turn_is_played(tmp_path: Path) -> None:
    script = read_script(write(tmp_path, "endpoint: deepseek\nturns: [{reply: one}]\n"))
    with FakeModel(Player(script), endpoint=script.endpoint) as server:
        form = {"type": "json_schema", "json_schema": {**STRICT, "strict": False}}
        refused = problem_of(post(server, "hello", response_format=form))
        assert refused == (400, "This response_format type is unavailable now")
        json_mode = {"type": "json_object"}
        refused = problem_of(post(server, "hello", response_format=json_mode))
        assert "must contain the word 'json'" in refused[1]
        assert text_of(post(server, "hello in JSON", response_format=json_mode)) == "one"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (SCHEMA, "'additionalProperties' is required to be supplied and to be false"),
        ({**SCHEMA, "additionalProperties": False, "required": []}, "Missing 'a'"),
        ({"type": "array", "items": {"type": "string"}}, 'got \'type: "array"\''),
        (
            {**SCHEMA, "additionalProperties": False, "properties": {"a": {}}},
            "In context=('properties', 'a'), schema must have a 'type' key",
        ),
        (
            {**SCHEMA, "additionalProperties": False,
             "properties": {"a": {"type": "string", "minLength": 1}}},
            "'minLength' is not permitted",
        ),
    ],
)  # fmt: skip
def test_a_strict_schema_is_judged_as_openai_does(
    tmp_path: Path, schema: dict[str, Any], said: str
) -> None:
    with server_of(tmp_path, "turns: [{reply: one}]\n") as server:
        form = {"type": "json_schema", "json_schema": {**STRICT, "schema": schema}}
        status, problem = problem_of(post(server, "hello", response_format=form))
    assert status == 400
    assert problem.startswith("Invalid schema for response_format 'Said': ")
    assert said in problem


def test_an_unknown_endpoint_is_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_script(write(tmp_path, "endpoint: mine\nturns: [{reply: one}]\n"))
    assert "deepseek" in str(caught.value)
