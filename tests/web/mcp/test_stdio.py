"""`flows mcp` over its standard streams, with the official client."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, MCPError
from mcp_types import ElicitResult, ResourceLink, TextResourceContents

from tests.cli.command import PROJECT, environment, flows
from tests.web.mcp.client import MODES, answering, connected, text_of
from tests.web.own_flows import log, write_flows


@pytest.mark.long("a server in a process of its own")
@pytest.mark.parametrize("mode", MODES)
def test_flows_are_tools_with_the_schemas_of_their_ports(tmp_path: Path, mode: str) -> None:
    """Schemas, results, progress, plain errors, 1,000 rows, a NaN, and what a flow prints."""

    async def use() -> None:
        told: list[str] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            told.append(message or "")

        async with connected(tmp_path, mode=mode) as client:
            tools = {each.name: each for each in (await client.list_tools()).tools}
            assert list(tools) == ["louder", "rows", "share", "fails", "slow", "asks", "answer"]
            assert tools["louder"].input_schema["properties"] == {"text": {"type": "string"}}
            assert tools["louder"].input_schema["required"] == ["text"]
            assert tools["slow"].input_schema["properties"]["seconds"]["default"] == 0
            outputs = (tools["rows"].output_schema or {})["properties"]["outputs"]
            assert outputs["properties"]["rows"]["type"] == "array"
            assert tools["rows"].description == "Numbers and their squares."

            loud = await client.call_tool("louder", {"text": "hello"}, progress_callback=hear)
            assert (text_of(loud), loud.is_error) == ("HELLO", False)
            assert loud.structured_content["outputs"] == {"louder": "HELLO"}
            assert loud.structured_content["status"] == "finished"
            assert told

            many = await client.call_tool("rows", {"count": 1_000})
            made = many.structured_content["outputs"]["rows"]
            assert made[999] == {"n": 999, "square": 998_001}
            assert len(made) == 1_000
            none = await client.call_tool("share", {"whole": 0})
            assert none.structured_content["outputs"] == {"share": None}

            wrong = await client.call_tool("louder", {"txt": "hello"})
            assert wrong.is_error
            assert "missing input 'text'; unknown input 'txt', did you mean 'text'?" in text_of(
                wrong
            )
            failed = await client.call_tool("fails", {"text": "rain"})
            assert failed.is_error
            assert "the machine that reads 'rain' is on fire" in text_of(failed)
            assert "Traceback" not in text_of(failed)
            with pytest.raises(MCPError, match="there is no tool 'nothing'; the tools: louder"):
                await client.call_tool("nothing", {})

    asyncio.run(use())


@pytest.mark.long("servers in processes of their own")
@pytest.mark.parametrize("mode", MODES)
def test_a_question_is_asked_by_the_client_or_is_the_result(tmp_path: Path, mode: str) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def person(message: str, schema: dict[str, Any]) -> ElicitResult:
        asked.append((message, schema["properties"]["answer"]))
        return ElicitResult(action="accept", content={"answer": "blue"})

    async def with_forms() -> None:
        async with connected(tmp_path, mode=mode, person=person) as client:
            said = await client.call_tool("asks", {"what": "Which one?"})
            assert said.structured_content["outputs"] == {"said": "blue"}
            colours = {"what": "Which colour?", "colours": ["red", "blue"]}
            said = await client.call_tool("asks", colours)
            assert said.structured_content["outputs"] == {"said": "blue"}

    async def without_forms() -> None:
        async with connected(tmp_path, mode=mode) as client:
            waiting = await client.call_tool("asks", {"what": "Which one?"})
            assert not waiting.is_error
            assert waiting.structured_content["status"] == "waiting"
            run = waiting.structured_content["run"]
            assert f'answer(run="{run}"' in text_of(waiting)
            assert text_of(waiting).startswith("Which one?")
        # Another process goes on with it.
        async with connected(tmp_path, mode=mode) as client:
            wrong = await client.call_tool("answer", {"run": run, "text": "green"})
            assert wrong.is_error
            assert "answer is needed; text is unknown" in text_of(wrong)
            said = await client.call_tool("answer", {"run": run, "answer": "green"})
            assert said.structured_content["outputs"] == {"said": "green"}
            again = await client.call_tool("answer", {"run": run, "answer": "green"})
            assert again.is_error
            assert "waits for no answer" in text_of(again)
            for other in ("last", run[:8], "../x", ""):
                lost = await client.call_tool("answer", {"run": other, "answer": "x"})
                assert lost.is_error
                assert "there is no run" in text_of(lost)

    asyncio.run(with_forms())
    assert [message for message, _ in asked] == ["Which one?", "Which colour?"]
    assert [each["const"] for each in asked[1][1]["oneOf"]] == ["red", "blue"]
    asyncio.run(without_forms())


@pytest.mark.long("a server in a process of its own")
@pytest.mark.parametrize("mode", MODES)
def test_a_person_may_decline_and_an_answer_that_does_not_fit_is_asked_again(
    tmp_path: Path, mode: str
) -> None:
    answers = iter(["pink", "red"])
    messages: list[str] = []

    def person(message: str, schema: dict[str, Any]) -> ElicitResult:
        messages.append(message)
        if message.startswith("No"):
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"answer": next(answers)})

    async def use() -> None:
        async with connected(tmp_path, mode=mode, person=person) as client:
            declined = await client.call_tool("asks", {"what": "No?"})
            assert declined.structured_content["status"] == "waiting"
            assert declined.structured_content["question"]["text"] == "No?"
            colours = {"what": "Which colour?", "colours": ["red", "blue"]}
            said = await client.call_tool("asks", colours)
            assert said.structured_content["outputs"] == {"said": "red"}

    asyncio.run(use())
    assert "'pink' is no answer" in messages[2]


@pytest.mark.long("servers in processes of their own")
@pytest.mark.parametrize("mode", MODES)
def test_two_calls_at_once_and_one_that_is_cancelled(tmp_path: Path, mode: str) -> None:
    async def use() -> None:
        async with connected(tmp_path, mode=mode) as client:
            calls = [
                asyncio.create_task(client.call_tool("slow", {"seconds": 300})) for _ in range(2)
            ]
            await until(lambda: log(tmp_path).count("begun") == 2)  # neither ends by itself
            calls[0].cancel()
            await until(lambda: "stopped" in log(tmp_path))
            assert log(tmp_path).count("stopped") == 1
            assert not calls[1].done()
            still = await client.call_tool("louder", {"text": "here"})
            assert text_of(still) == "HERE"
            calls[1].cancel()
            await until(lambda: log(tmp_path).count("stopped") == 2)

    asyncio.run(use())
    for begun in log(tmp_path).split("begun ")[1:]:
        shown = flows("show", begun.split()[0], "--json", cwd=tmp_path).json()
        assert shown["status"] == "interrupted"


@pytest.mark.long("servers in processes of their own")
@pytest.mark.parametrize(("how", "code"), [("end of stdin", 0), ("SIGINT", 130), ("SIGTERM", 143)])
def test_a_client_that_vanishes_and_ctrl_c_stop_what_runs(
    tmp_path: Path, how: str, code: int
) -> None:
    arguments = write_flows(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "mcp", *arguments],
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        for each in handshake("slow", {"seconds": 300}):
            process.stdin.write(json.dumps(each).encode() + b"\n")
            process.stdin.flush()
        asyncio.run(until(lambda: "begun" in log(tmp_path)))
        if how == "end of stdin":
            process.stdin.close()
        else:
            process.send_signal(getattr(signal, how))
        assert process.wait(60) == code
        assert "stopped" in log(tmp_path)
        lines = process.stdout.read().splitlines()
        assert all("jsonrpc" in json.loads(each) for each in lines)
        assert b"Traceback" not in process.stderr.read()
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    ended = flows("show", log(tmp_path).split()[1], "--json", cwd=tmp_path)
    assert ended.json()["status"] == "interrupted"


@pytest.mark.long("a server in a process of its own, that is told nonsense")
def test_what_is_no_message_is_answered_or_passed_over(tmp_path: Path) -> None:
    arguments = write_flows(tmp_path)
    first, ready, call = handshake("louder", {"text": "x" * 5_000_000})
    odd = [
        b"", b"{", b"[1, 2]", b'"x"', b"\xff\xfe", b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": 5}}',
    ]  # fmt: skip
    lines = [*(json.dumps(each).encode() for each in (first, ready)), *odd,
             json.dumps(call).encode()]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "mcp", *arguments],
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n".join(lines) + b"\n")
    process.stdin.flush()
    answers: dict[int, Any] = {}
    while 2 not in answers:
        answer = json.loads(process.stdout.readline())
        answers[answer.get("id")] = answer
    assert answers[2]["result"]["structuredContent"]["outputs"]["louder"] == "X" * 5_000_000
    assert len(answers[2]["result"]["content"][0]["text"]) < 100_000
    assert (answers[7]["error"]["code"], answers[8]["error"]["code"]) == (-32601, -32602)
    _, said = process.communicate(b"x" * 70_000_000, timeout=60)  # a line without an end
    assert (process.returncode, b"Traceback" in said) == (0, False)


@pytest.mark.long("a server in a process of its own, over data")
def test_a_table_of_a_run_is_a_resource(tmp_path: Path) -> None:
    """An answer over 1,000 rows; what is read are all rows, or some; never a path."""
    lines = ["day,shop,amount", *(f"{n},S{n % 7},{n * 3}" for n in range(1_000))]
    (tmp_path / "sales.csv").write_text("\n".join(lines), "utf-8")

    async def use() -> None:
        async with connected(tmp_path, "ask", "--data", "sales.csv") as client:
            answer = await client.call_tool("ask", {"question": "Show all rows of sales."})
            links = [each for each in answer.content if isinstance(each, ResourceLink)]
            assert not answer.is_error
            assert [each.mime_type for each in links] == ["text/csv"]
            assert len(await read(client, links[0].uri)) == 1_001
            some = await read(client, f"{links[0].uri}?rows=2-4")
            assert some == [["day", "shop", "amount"], ["1", "S1", "3"], ["2", "S2", "6"],
                            ["3", "S3", "9"]]  # fmt: skip
            listed = (await client.list_resources()).resources
            assert links[0].uri in [each.uri for each in listed]
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.uri_template for each in templates] == [
                "flows://run/{run}/artifact/{name}{?rows}",
                "flows://run/{run}",
            ]
            run = answer.structured_content["run"]
            for wrong in (
                f"flows://run/{run}/artifact/../journal.sqlite", "file:///etc/passwd",
                f"flows://run/{run}/artifact/none", "flows://run/last/artifact/x",
                f"{links[0].uri}?rows=5-2",
            ):  # fmt: skip
                with pytest.raises(MCPError):
                    await client.read_resource(wrong)

    asyncio.run(use())


@pytest.mark.long("a server in a process of its own, over data")
def test_a_conversation_goes_on_by_answers(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("shop,amount\nA,10\nB,30\nA,5\n", "utf-8")

    async def use() -> None:
        async with connected(
            tmp_path, "csv_chat", "--data", "sales.csv", person=answering("never asked")
        ) as client:
            first = await client.call_tool("csv_chat", {"question": "What is the total amount?"})
            assert "45" in text_of(first)
            run = first.structured_content["run"]
            then = await client.call_tool("answer", {"run": run, "answer": "And for shop A?"})
            assert "15" in text_of(then)
            ended = await client.call_tool("answer", {"run": run, "answer": "q"})
            assert ended.structured_content["status"] == "finished"

    asyncio.run(use())


@pytest.mark.long("a server in a process of its own, over data")
def test_the_configuration_of_the_page_starts_it(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("shop,amount\nA,10\n", "utf-8")
    block = re.search(r"```json\n(.*?)```", (PROJECT / "docs" / "mcp.md").read_text("utf-8"), re.S)
    assert block is not None
    server = json.loads(block[1])["mcpServers"]["sales"]
    assert server["command"] == "flows"
    command, *arguments = (tmp_path if each == "/home/me/work" else each for each in server["args"])
    assert command == "mcp"

    async def use() -> None:
        async with connected(Path.cwd(), *map(str, arguments)) as client:
            assert [each.name for each in (await client.list_tools()).tools] == [
                "csv_chat",
                "answer",
            ]

    asyncio.run(use())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "missing argument"),
        (["model=openai"], "no run file is named"),
        (["none.yaml"], "none.yaml"),
        (["a.yaml", "b/a.yaml"], "both served as 'a'"),
        (["answer.yaml"], "rename it"),
    ],
)
@pytest.mark.long("each builds run files")
def test_wrong_usage_is_told_on_stderr(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "b").mkdir()
    for each in ("a.yaml", "b/a.yaml", "answer.yaml"):
        (tmp_path / each).write_text("defaults: [ask, _self_]\n", "utf-8")
    ended = flows("mcp", *arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err.lower() or said in ended.err


async def read(client: Client, uri: str) -> list[list[str]]:
    """The lines of a table that is a resource."""
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return list(csv.reader(io.StringIO(content.text)))


async def until(done: Callable[[], bool]) -> None:
    for _ in range(600):
        if done():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it did not come to that")


def handshake(
    tool: str, arguments: dict[str, Any], version: str = "2025-06-18"
) -> list[dict[str, Any]]:
    """The messages of a client that calls a tool."""
    info = {"name": "test", "version": "1"}
    begin = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        },
    ]  # fmt: skip
